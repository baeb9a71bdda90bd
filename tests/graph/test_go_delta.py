"""Go: what must never be missed (each an edit, each must show in the Delta), and what must not show at all.

The numbers in names are those of the design notes: 1 overrides, 2 negative look-ups, 3 interface changes that
move edges with no body change, 4 unresolved receivers, 5 top levels that call.
"""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Delta

BASE = {
    "go.mod": "module example.org/m\n",
    "api/api.go": """\
package api

type Runner interface {
	Run() error
}

type Base struct{}

func (b *Base) Step() {}

const Limit = 3

var Hook = first

func first() {}

func Make() *Base { return &Base{} }
""",
    "impl/impl.go": """\
package impl

import "example.org/m/api"

type Job struct {
	api.Base
	part api.Base
}

func (j *Job) Run() error { return nil }

type Other struct{}

func (o *Other) Step() {}
""",
    "main.go": """\
package main

import (
	"strings"

	"example.org/m/api"
	"example.org/m/impl"
)

var made = api.Make()

func use(r api.Runner) { r.Run() }

func promoted(j *impl.Job) { j.Step() }

func made1() { made.Step() }

func result() { api.Make().Step() }

func limit() int { return api.Limit }

func hooked() { api.Hook() }

func builtin() int { return max(1, 2) }

func missing() { helper() }

func outside() { strings.ToUpper("x") }

func value() { register(limit) }

func register(f func() int) { f() }
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
    return {e.target for e in graph.callees(f"main.go::{name}")}


def test_1_a_new_implementation_of_an_interface() -> None:
    _graph, delta = edit(
        "impl/impl.go",
        ("func (o *Other) Step() {}", "func (o *Other) Step() {}\n\nfunc (o Other) Run() error { return nil }"),
    )
    assert "main.go::use" in delta.after
    assert {(e.source, e.target, e.kind) for e in delta.gained} == {
        ("main.go::use", "impl/impl.go::Other.Run", "override")
    }
    assert "impl/impl.go::Other" not in delta.after  # its own text is the same


def test_1_an_implementation_whose_signature_no_longer_fits() -> None:
    graph, delta = edit("impl/impl.go", ("Run() error { return nil }", "Run() string { return `` }"))
    assert targets(graph, "use") == {"api/api.go::Runner.Run"}
    assert "main.go::use" in delta.after


def test_1_a_method_hides_a_promoted_one() -> None:
    graph, delta = edit("impl/impl.go", ("type Other", "func (j *Job) Step() {}\n\ntype Other"))
    assert targets(graph, "promoted") == {"impl/impl.go::Job.Step"}
    assert "main.go::promoted" in delta.after
    assert [(e.source, e.target) for e in delta.lost] == [("main.go::promoted", "api/api.go::Base.Step")]


def test_2_a_definition_takes_the_place_of_a_builtin() -> None:
    graph, delta = edit("main.go", more={"more.go": "package main\n\nfunc max(a, b int) int { return a }\n"})
    assert targets(graph, "builtin") == {"more.go::max"}
    assert set(delta.after) == {"main.go::builtin", "more.go::max", "more.go::<module>"}


def test_2_a_missing_function_appears_in_a_new_file_of_the_package() -> None:
    graph, delta = edit("main.go", more={"more_test.go": "package main\n\nfunc helper() {}\n"})
    assert targets(graph, "missing") == {"more_test.go::helper"}
    assert "main.go::missing" in delta.after
    graph.update({"more_test.go": "package other\n\nfunc helper() {}\n"})
    assert targets(graph, "missing") == set()


def test_2_an_import_path_becomes_a_package_of_the_repository() -> None:
    graph, delta = edit("go.mod", more={"strings/s.go": "package strings\n\nfunc ToUpper(s string) {}\n"})
    assert targets(graph, "outside") == {"<external>::strings.ToUpper"}
    delta = graph.update({"go.mod": "module x\n"})
    assert targets(graph, "result") == {
        "<external>::example.org/m/api.Make",
        "<external>::example.org/m/api.Make().Step",
    }
    assert "main.go::use" in delta.after


@pytest.mark.parametrize(
    ("path", "old", "new", "reader"),
    [
        ("api/api.go", "Make() *Base { return &Base{} }", "Make() Runner { return nil }", "result"),
        ("api/api.go", "Make() *Base { return &Base{} }", "Make() Runner { return nil }", "made1"),
        ("api/api.go", "var Hook = first", "var Hook = Make", "hooked"),
        ("api/api.go", "const Limit = 3", "const Limit = 4", "limit"),
        ("impl/impl.go", "\tapi.Base\n", "\t*Other\n", "promoted"),
        ("impl/impl.go", "\tapi.Base\n", "\tBase api.Base\n", "promoted"),
        ("impl/impl.go", "package impl", "package impl2", "promoted"),
        ("main.go", '"strings"', 'strings "bytes"', "outside"),
        ("main.go", "var made = api.Make()", "var made impl.Other", "made1"),
        ("api/api.go", "func first() {}", "", "hooked"),
        ("api/api.go", "type Base struct{}", "type Base = string", "result"),
    ],
)  # fmt: skip
def test_3_interface_changes_move_edges(path: str, old: str, new: str, reader: str) -> None:
    _, delta = edit(path, (old, new))
    assert f"main.go::{reader}" in delta.after
    before, after = delta.before[f"main.go::{reader}"], delta.after[f"main.go::{reader}"]
    assert before is not None
    assert after is not None
    assert before.own == after.own


def test_3_a_constant_of_an_iota_group_moves() -> None:
    files = {
        "k.go": "package k\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n",
        "u.go": "package k\n\nfunc a() int { return A }\n\nfunc c() int { return C }\n",
    }
    graph = CodeGraph(files)
    delta = graph.update({"k.go": files["k.go"].replace("\tB\n", "")})
    assert set(delta.after) == {"k.go::<module>", "u.go::c"}


def test_3_a_deleted_file_and_a_moved_package() -> None:
    graph, delta = edit("main.go", more={"api/api.go": None})
    assert "main.go::result" in delta.after
    assert targets(graph, "result") == {
        "<external>::example.org/m/api.Make",
        "<external>::example.org/m/api.Make().Step",
    }
    graph.update({"api/other.go": BASE["api/api.go"]})
    assert targets(graph, "result") == {"api/other.go::Make", "api/other.go::Base.Step"}


def test_3_a_syntax_error_keeps_the_last_good_edges() -> None:
    graph, delta = edit("api/api.go", ("func first() {}", "func first( {"))
    assert delta.parse_errors == ("api/api.go",)
    assert targets(graph, "result") == {"api/api.go::Make", "api/api.go::Base.Step"}
    assert {s for s in delta.after if s.startswith("main.go")} == set()
    assert graph.symbol("api/api.go::Make") is not None


def test_4_calls_on_unknown_receivers_stay_out_of_the_edges() -> None:
    files = {
        "a.go": "package a\n\nfunc f() { unknown.Step() }\n\ntype T struct{}\n\nfunc (t T) Step() {}\n",
        "b.py": "x.Step()\n",
    }
    graph = CodeGraph(files)
    assert graph.callees("a.go::f") == ()
    assert graph.unresolved() == {"a.go": 1, "b.py": 1}
    assert [e.target for e in graph.weak("a.go::f")] == ["a.go::T.Step"]
    assert graph.weak("b.py::<module>") == ()  # another language
    assert graph.weak_size() == (2, 1)


def test_5_package_level_values_call() -> None:
    graph = CodeGraph(BASE)
    assert {e.target for e in graph.callees("main.go::<module>")} == {"api/api.go::Make"}
    assert ("api/api.go::first", "possible") in {(e.target, e.tier) for e in graph.callees("api/api.go::<module>")}


def test_body_edits_and_moved_lines_touch_nothing_else() -> None:
    _, delta = edit("api/api.go", ("func first() {}", "// a comment\n\nfunc first() { _ = 1 }"))
    assert set(delta.after) == {"api/api.go::first", "api/api.go::<module>"}
    _, delta = edit("api/api.go", ("type Base", "\n\n\ntype Base"))
    assert not delta


def test_contract_of_methods() -> None:
    graph = CodeGraph(BASE)
    assert graph.overrides("impl/impl.go::Job.Run") == ("api/api.go::Runner.Run",)
    assert graph.overridden_by("api/api.go::Runner.Run") == ("impl/impl.go::Job.Run",)
    assert graph.bases("impl/impl.go::Job") == ("api/api.go::Base", "api/api.go::Runner")
    assert graph.subclasses("api/api.go::Runner") == ("impl/impl.go::Job",)
    assert graph.bases("impl/impl.go::Other") == ()
    assert graph.callers("api/api.go::Runner.Run")[0].source == "main.go::use"


def test_uses_reach_across_files_and_packages() -> None:
    graph = CodeGraph(BASE)
    view = graph.view("main.go::limit")
    assert view is not None
    assert [name for name, _ in view.uses] == ["api.Limit"]
    assert ("uses", "api/api.go::<module>") in {(e.kind, e.target) for e in graph.relations("main.go::limit")}
    assert ("uses", "impl/impl.go::Job") in {(e.kind, e.target) for e in graph.relations("main.go::promoted")}
    imports = {e.target for e in graph.relations("main.go::<module>") if e.kind == "import"}
    assert imports == {"<external>::strings", "api/api.go::<module>", "impl/impl.go::<module>"}


def test_references_of_a_text_that_is_not_there_yet() -> None:
    graph = CodeGraph(BASE)
    text = 'package main\n\nimport "example.org/m/api"\n\nfunc fresh(r api.Runner) {\n\tr.Run()\n\t_ = api.Limit\n}\n'
    found = {(r.line, r.kind, r.target) for r in graph.references("fresh.go", text)}
    assert found == {
        (3, "import", "api/api.go::<module>"),
        (5, "uses", "api/api.go::Runner"),
        (6, "call", "api/api.go::Runner.Run"),
        (6, "override", "impl/impl.go::Job.Run"),
        (7, "uses", "api/api.go::<module>"),
    }
    assert graph.symbol("fresh.go::fresh") is None
