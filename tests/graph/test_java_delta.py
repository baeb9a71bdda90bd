"""Java: what must never be missed (each an edit, each must show in the Delta), and what must not show at all.

The numbers in names are those of the design notes: 1 overrides, 2 negative look-ups, 3 interface changes that
move edges with no body change, 4 unresolved receivers, 5 top levels that call.
"""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Delta

BASE = {
    "api/Runner.java": """\
package api;

public interface Runner {
    void run(int n);

    default void twice() {}
}
""",
    "api/Base.java": """\
package api;

public class Base implements Cloneable {
    public static final int LIMIT = 3;
    protected Base next;

    public Base() {}

    public Base(int n) {}

    public void step() {}

    public void step(String s) {}

    public static Base make() {
        return new Base();
    }

    public class Part {
        public void turn() {}
    }
}
""",
    "impl/Job.java": """\
package impl;

import api.*;

public class Job extends Base implements Runner {
    public void run(int n) {}
}
""",
    "impl/Other.java": """\
package impl;

public class Other {
    public void step() {}
}
""",
    "Main.java": """\
import api.Base;
import api.Runner;
import impl.*;
import static api.Base.make;

class Main {
    Base held = make();

    void use(Runner r) { r.run(1); }

    void promoted(Job j) { j.step(); }

    void field() { held.step(); }

    void result() { Base.make().step(); }

    int limit() { return Base.LIMIT; }

    void imported() { make(); }

    void missing() { helper(); }

    void outside(String s) { s.trim(); }

    void unknown(Strange s) { s.step(); }

    void text() { held.step("a"); }

    void object(Job j) { j.toString(); }

    void passed() { Runnable r = Base::make; }

    void built() { new Job(); }

    void part(Base.Part p) { p.turn(); }
}
""",
}


def edit(path: str, *pairs: tuple[str, str], more: dict[str, str | None] | None = None) -> tuple[CodeGraph, Delta]:
    """The graph and the Delta after replacing texts in one file, and setting others."""
    graph = CodeGraph(BASE)
    text = BASE.get(path, "")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return graph, graph.update({path: text, **(more or {})})


def targets(graph: CodeGraph, name: str) -> set[str]:
    return {e.target for e in graph.callees(f"Main.java::Main.{name}")}


def test_1_a_new_override_in_a_subclass() -> None:
    _, delta = edit("impl/Job.java", ("    public void run", "    public void step() {}\n\n    public void run"))
    assert {(e.source, e.target, e.kind) for e in delta.gained if e.source.startswith("Main")} == {
        ("Main.java::Main.promoted", "impl/Job.java::Job.step", "call"),
        ("Main.java::Main.field", "impl/Job.java::Job.step", "override"),
        ("Main.java::Main.result", "impl/Job.java::Job.step", "override"),
    }
    assert [(e.source, e.target) for e in delta.lost] == [("Main.java::Main.promoted", "api/Base.java::Base.step")]


def test_1_a_new_implementation_of_an_interface() -> None:
    more = {"impl/Late.java": "package impl;\n\nclass Late implements api.Runner {\n    public void run(int n) {}\n}\n"}
    graph, delta = edit("Main.java", more=more)
    assert "Main.java::Main.use" in delta.after
    assert {e.target for e in graph.callees("Main.java::Main.use") if e.kind == "override"} == {
        "impl/Job.java::Job.run", "impl/Late.java::Late.run",
    }  # fmt: skip


def test_1_an_overload_is_no_override() -> None:
    graph, delta = edit("impl/Job.java", ("run(int n) {}", "run(String n) {}"))
    assert targets(graph, "use") == {"api/Runner.java::Runner.run"}
    assert "Main.java::Main.use" in delta.after


def test_1_an_anonymous_class_overrides() -> None:
    graph, _ = edit("impl/Other.java", ("step() {}", "step() { new api.Base() { public void step() {} }; }"))
    assert ("impl/Other.java::Other.step", "override") in {
        (e.target, e.kind) for e in graph.callees("Main.java::Main.field")
    }


def test_1_a_subclass_overrides_what_comes_from_elsewhere() -> None:
    more = {
        "impl/Sub.java": "package impl;\n\nclass Sub extends Job {\n    public String toString() { return null; }\n}\n"
    }
    graph, delta = edit("Main.java", more=more)
    assert targets(graph, "object") == {"<external>::java.lang.Object.toString", "impl/Sub.java::Sub.toString"}
    assert "Main.java::Main.object" in delta.after


def test_2_a_class_of_the_repository_takes_the_place_of_java_lang() -> None:
    graph, delta = edit("Main.java", more={"String.java": "class String {\n    void trim() {}\n}\n"})
    assert targets(graph, "outside") == {"String.java::String.trim"}
    assert "Main.java::Main.outside" in delta.after


def test_2_a_missing_method_appears() -> None:
    graph, delta = edit(
        "api/Base.java", more={"Main.java": BASE["Main.java"].replace("class Main", "class Main extends Base")}
    )
    assert targets(graph, "missing") == set()
    delta = graph.update(
        {"api/Base.java": BASE["api/Base.java"].replace("public class Part", "void helper() {}\n\n    class Part")}
    )
    assert targets(graph, "missing") == {"api/Base.java::Base.helper"}
    assert "Main.java::Main.missing" in delta.after


def test_2_an_unknown_type_appears_in_an_imported_package() -> None:
    graph, delta = edit(
        "Main.java", more={"impl/Strange.java": "package impl;\n\npublic class Strange extends Other {}\n"}
    )
    assert targets(graph, "unknown") == {"impl/Other.java::Other.step"}
    assert "Main.java::Main.unknown" in delta.after


def test_2_a_closer_class_hides_an_imported_one() -> None:
    graph, _ = edit("Main.java", more={"Job.java": "class Job {\n    void step() {}\n}\n"})
    assert targets(graph, "promoted") == {"Job.java::Job.step"}


@pytest.mark.parametrize(
    ("path", "old", "new", "reader"),
    [
        ("api/Base.java", "static Base make()", "static impl.Other make()", "result"),
        ("api/Base.java", "LIMIT = 3", "LIMIT = 4", "limit"),
        ("api/Base.java", "public void step() {}", "public void step(int n) {}", "field"),
        ("api/Base.java", "    public void step(String s) {}\n\n", "", "text"),
        ("api/Base.java", "package api;", "package api2;", "result"),
        ("api/Base.java", "public class Part", "public class Piece", "part"),
        ("impl/Job.java", "extends Base implements Runner", "implements Runner", "promoted"),
        ("impl/Job.java", "extends Base implements Runner", "extends Base", "use"),
        ("impl/Job.java", "extends Base", "extends Other", "promoted"),
        ("impl/Job.java", "    public void run", "    Job() {}\n\n    public void run", "built"),
        ("Main.java", "import api.Base;", "import impl.Other;", "result"),
        ("Main.java", "import static api.Base.make;\n", "", "imported"),
        ("Main.java", "Base held = make();", "impl.Other held;", "field"),
        ("Main.java", "import impl.*;", "", "promoted"),
    ],
)  # fmt: skip
def test_3_interface_changes_move_edges(path: str, old: str, new: str, reader: str) -> None:
    _, delta = edit(path, (old, new))
    assert f"Main.java::Main.{reader}" in delta.after
    before, after = delta.before[f"Main.java::Main.{reader}"], delta.after[f"Main.java::Main.{reader}"]
    assert before is not None
    assert after is not None
    assert before.own == after.own


def test_3_a_deleted_and_a_moved_file() -> None:
    graph, delta = edit("Main.java", more={"api/Base.java": None})
    assert "Main.java::Main.result" in delta.after
    assert targets(graph, "result") == {"<external>::api.Base.make"}
    graph.update({"src/main/java/api/Base.java": BASE["api/Base.java"]})
    found = "src/main/java/api/Base.java::Base"
    assert targets(graph, "result") == {f"{found}.make", f"{found}.step"}


def test_3_a_syntax_error_keeps_the_last_good_edges() -> None:
    graph, delta = edit("api/Base.java", ("return new Base();", "return new Base(;"))
    assert delta.parse_errors == ("api/Base.java",)
    assert targets(graph, "result") == {"api/Base.java::Base.make", "api/Base.java::Base.step"}
    assert {s for s in delta.after if s.startswith("Main")} == set()
    assert graph.symbol("api/Base.java::Base.make") is not None


def test_4_calls_on_unknown_receivers_stay_out_of_the_edges() -> None:
    graph = CodeGraph(BASE)
    assert graph.callees("Main.java::Main.unknown") == ()
    assert graph.unresolved() == {"Main.java": 2}
    assert {e.target for e in graph.weak("Main.java::Main.unknown")} == {
        "api/Base.java::Base.step", "impl/Other.java::Other.step",
    }  # fmt: skip


def test_5_fields_and_initialisers_call() -> None:
    graph = CodeGraph(BASE)
    assert {e.target for e in graph.callees("Main.java::Main")} == {"api/Base.java::Base.make"}
    graph.update(
        {"Main.java": BASE["Main.java"].replace("    Base held", "    static { new Job().run(2); }\n    Base held")}
    )
    assert "impl/Job.java::Job.run" in {e.target for e in graph.callees("Main.java::Main")}


def test_body_edits_and_moved_lines_touch_nothing_else() -> None:
    _, delta = edit("api/Base.java", ("public void step() {}", "public void step() { int n = 1; }"))
    assert set(delta.after) == {"api/Base.java::Base.step"}
    _, delta = edit("api/Base.java", ("public class Base", "\n\n\npublic class Base"))
    assert not delta
    _, delta = edit("api/Base.java", ("    public Base(int n) {}\n\n", "    public Base(int n) { super(); }\n\n"))
    assert set(delta.after) == {"api/Base.java::Base.Base#2"}


def test_contract_of_methods() -> None:
    graph = CodeGraph(BASE)
    assert graph.overrides("impl/Job.java::Job.run") == ("api/Runner.java::Runner.run",)
    assert graph.overridden_by("api/Runner.java::Runner.run") == ("impl/Job.java::Job.run",)
    assert graph.bases("impl/Job.java::Job") == ("api/Base.java::Base", "api/Runner.java::Runner")
    assert graph.subclasses("api/Runner.java::Runner") == ("impl/Job.java::Job",)
    assert graph.bases("api/Base.java::Base") == ("<external>::java.lang.Cloneable",)
    assert ("Main.java::Main.passed", "possible") in {
        (e.source, e.tier) for e in graph.callers("api/Base.java::Base.make")
    }


def test_uses_reach_across_files() -> None:
    graph = CodeGraph(BASE)
    view = graph.view("Main.java::Main.limit")
    assert view is not None
    assert [name for name, _ in view.uses] == ["Base in Main", "Base.LIMIT in Main"]
    assert ("uses", "api/Base.java::Base") in {(e.kind, e.target) for e in graph.relations("Main.java::Main.limit")}
    imports = {e.target for e in graph.relations("Main.java::<module>") if e.kind == "import"}
    assert imports == {"api/Base.java::Base", "api/Runner.java::Runner", "impl/Job.java::Job"}


def test_annotations_are_uses() -> None:
    files = {"M.java": "@interface M { int value() default K.N; }\n\nclass K { static final int N = 1; }\n",
             "U.java": "@M(K.N) class U {\n    @M void f(@M int a) {}\n}\n"}  # fmt: skip
    graph = CodeGraph(files)
    for source in ("U.java::U", "U.java::U.f"):
        assert ("uses", "M.java::M") in {(e.kind, e.target) for e in graph.relations(source)}
    delta = graph.update({"M.java": files["M.java"].replace("N = 1", "N = 2")})
    assert set(delta.after) == {"M.java::K", "M.java::M.value", "U.java::U"}


def test_references_of_a_text_that_is_not_there_yet() -> None:
    graph = CodeGraph(BASE)
    text = "import api.*;\n\nclass Fresh extends Base {\n    void f(Runner r) {\n        r.run(LIMIT);\n    }\n}\n"
    found = {(r.line, r.kind, r.target) for r in graph.references("Fresh.java", text)}
    assert found == {
        (1, "import", "api/Base.java::Base"),
        (1, "import", "api/Runner.java::Runner"),
        (3, "inherits", "api/Base.java::Base"),
        (4, "uses", "api/Runner.java::Runner"),
        (5, "call", "api/Runner.java::Runner.run"),
        (5, "override", "impl/Job.java::Job.run"),
        (5, "uses", "api/Base.java::Base"),
    }
    assert graph.symbol("Fresh.java::Fresh") is None


def test_the_nearest_of_two_classes_of_one_name_is_meant() -> None:
    one = "package p;\n\npublic class C {\n    public static void f() {}\n}\n"
    user = "package p;\n\nclass U {\n    void g() { C.f(); }\n}\n"
    graph = CodeGraph({"a/src/C.java": one, "b/src/C.java": one, "b/src/U.java": user, "a/test/V.java": user})
    assert [e.target for e in graph.callees("b/src/U.java::U.g")] == ["b/src/C.java::C.f"]
    assert [e.target for e in graph.callees("a/test/V.java::U.g")] == ["a/src/C.java::C.f"]
    graph.update({"b/src/C.java": None})
    assert [e.target for e in graph.callees("b/src/U.java::U.g")] == ["a/src/C.java::C.f"]
