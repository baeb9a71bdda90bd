# ruff: noqa: E501
"""What must never be missed (each an edit, each must show in the Delta), and what must not show at all.

The numbers in names are those of the design notes: 1 overrides, 2 negative look-ups, 3 interface changes
that move edges with no body change, 4 unresolved receivers, 5 top levels that call, 6 kind, tier and reason.
"""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Delta

BASE = {
    "base.py": """\
class Base:
    def run(self):
        return self.step()

    def step(self):
        return 1
""",
    "child.py": "from base import Base\n\n\nclass Child(Base):\n    def other(self):\n        pass\n",
    "use.py": """\
from base import Base
from helpers import helper, LIMIT
import helpers as h


def use():
    return helper(LIMIT)


def through():
    return h.second()


def made():
    return Base().run()


def builtin():
    return open("x")


def typed(b: "Base"):
    return b.step()
""",
    "helpers.py": """\
LIMIT = 3


def helper(n):
    return n


def second():
    return make().go()


def make():
    return First()


class First:
    def __init__(self):
        self.part = Part()

    def go(self):
        return self.part.turn()


class Second:
    def go(self):
        pass


class Part:
    def turn(self):
        pass


class Wheel:
    def turn(self):
        pass
""",
}


def edit(files: dict[str, str], path: str, *pairs: tuple[str, str]) -> tuple[CodeGraph, Delta]:
    """The graph and the Delta after replacing texts in one file."""
    graph = CodeGraph(files)
    text = files.get(path, "")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return graph, graph.update({path: text})


def calls(delta: Delta, symbol: str) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The calls of a symbol whose own text did not change, before and after."""
    before, after = delta.before[symbol], delta.after[symbol]
    assert before is not None
    assert after is not None
    assert before.own == after.own
    return dict(before.calls), dict(after.calls)


def test_1_a_new_override_in_a_subclass_rewires_the_caller_in_the_base() -> None:
    _, delta = edit(BASE, "child.py", ("other", "step"))
    before, after = calls(delta, "base.py::Base.run")
    assert before == {"self.step": ("base.py::Base.step",)}
    assert after == {"self.step": ("base.py::Base.step", "child.py::Child.step")}
    assert calls(delta, "use.py::typed")[1]["b.step"] == ("base.py::Base.step", "child.py::Child.step")
    assert "use.py::made" not in delta.after  # an exact instance of Base


def test_1_a_class_attribute_that_is_a_function_overrides_too() -> None:
    _, delta = edit(BASE, "child.py", ("    def other(self):\n        pass", "    from helpers import second as step"))
    assert calls(delta, "base.py::Base.run")[1]["self.step"] == ("base.py::Base.step", "helpers.py::second")


def test_2_a_builtin_is_shadowed_and_comes_back() -> None:
    graph, delta = edit(
        BASE, "use.py", ("import helpers as h", "import helpers as h\nfrom helpers import second as open")
    )
    before, after = calls(delta, "use.py::builtin")
    assert before == {"open": ("<builtin>::open",)}
    assert after == {"open": ("helpers.py::second",)}
    assert calls(graph.update({"use.py": BASE["use.py"]}), "use.py::builtin")[1] == before


def test_2_a_missing_module_appears() -> None:
    files = {"a.py": "from later import f\nfrom x import *\n\ndef g():\n    return f(), missing()\n"}
    graph = CodeGraph(files)
    before, after = calls(graph.update({"later.py": "def f(): pass\n"}), "a.py::g")
    assert before == {"f": ("<external>::later.f",), "missing": ("<external>::x.missing",)}
    assert after["f"] == ("later.py::f",)
    before, after = calls(graph.update({"x.py": "def missing(): pass\n"}), "a.py::g")
    assert after == {"f": ("later.py::f",), "missing": ("x.py::missing",)}
    before, after = calls(graph.update({"later.py": None}), "a.py::g")
    assert after["f"] == ("<external>::later.f",)


def test_2_an_unresolved_name_is_defined_later() -> None:
    graph = CodeGraph({"a.py": "def g():\n    return later()\n"})
    assert dict(graph.view("a.py::g").calls) == {}  # type: ignore[union-attr]
    assert graph.unresolved() == {"a.py": 1}
    _, after = calls(graph.update({"a.py": "def g():\n    return later()\n\ndef later(): pass\n"}), "a.py::g")
    assert after == {"later": ("a.py::later",)}


def test_2_a_removed_definition_falls_through_to_the_next() -> None:
    files = {
        "a.py": "class A:\n    def m(self): pass\n",
        "b.py": "from a import A\nclass B(A):\n    def m(self): pass\nclass C(B):\n    def n(self):\n        self.m()\n",
    }
    graph = CodeGraph(files)
    text = files["b.py"].replace("    def m(self): pass\n", "    x = 1\n")
    _, after = calls(graph.update({"b.py": text}), "b.py::C.n")
    assert after == {"self.m": ("a.py::A.m",)}
    _, after = calls(graph.update({"a.py": "class A:\n    pass\n"}), "b.py::C.n")
    assert after == {}


@pytest.mark.parametrize(
    ("path", "old", "new", "symbol", "site", "target"),
    [
        ("use.py", "import helper, LIMIT", "import second as helper, LIMIT", "use.py::use", "helper", "helpers.py::second"),
        ("use.py", "import helpers as h", "import base as h", "use.py::through", "h.second", None),
        ("use.py", "from base import Base", "from child import Child as Base", "use.py::made", "Base().run", "base.py::Base.run"),
        ("helpers.py", "    return First()", "    return Second()", "helpers.py::second", "make().go", "helpers.py::Second.go"),
        ("helpers.py", "def make():", "def make() -> Second:", "helpers.py::second", "make().go", "helpers.py::Second.go"),
        ("helpers.py", "self.part = Part()", "self.part = Wheel()", "helpers.py::First.go", "self.part.turn", "helpers.py::Wheel.turn"),
        ("helpers.py", "def helper(n):\n    return n\n", "helper = second = None\nfrom base import f as helper\n",
         "use.py::use", "helper", None),
        ("helpers.py", "LIMIT = 3", "LIMIT = 3\nif LIMIT:\n    def second(): pass\nelse:\n    from base import Base as second",
         "use.py::through", "h.second", "helpers.py::second#2"),
        ("helpers.py", "class First:", "class First(Second):", "helpers.py::second", "make().go", None),
        ("helpers.py", "    def go(self):\n        return self", "    def gone(self):\n        return self",
         "helpers.py::second", "make().go", None),
        ("base.py", "    def step(self):", "    @staticmethod\n    def step(self):", "base.py::Base.run", "self.step", "base.py::Base.step"),
    ],
)  # fmt: skip
def test_3_interface_changes_move_edges(
    path: str, old: str, new: str, symbol: str, site: str, target: str | None
) -> None:
    graph, delta = edit(BASE, path, (old, new))
    view = graph.view(symbol)
    assert view is not None
    now = dict(view.calls).get(site, ())
    if symbol in delta.after:
        before, after = calls(delta, symbol)
        assert before.get(site) != after.get(site) or site == "Base().run"
    if target is not None:
        assert target in now


def test_3_reexports_and_all() -> None:
    files = {
        "pkg/__init__.py": "from .one import *\n",
        "pkg/one.py": "def f(): pass\ndef g(): pass\n",
        "pkg/two.py": "def f(): pass\n",
        "use.py": "from pkg import f\nfrom pkg.one import *\n\ndef use():\n    f()\n    g()\n",
    }
    graph = CodeGraph(files)
    _, after = calls(graph.update({"pkg/__init__.py": "from .two import *\n"}), "use.py::use")
    assert after == {"f": ("pkg/two.py::f",), "g": ("pkg/one.py::g",)}
    _, after = calls(graph.update({"pkg/one.py": "__all__ = ['f']\n" + files["pkg/one.py"]}), "use.py::use")
    assert after == {"f": ("pkg/two.py::f",)}
    _, after = calls(graph.update({"pkg/__init__.py": "from .two import f as h\nfrom .one import f\n"}), "use.py::use")
    assert after == {"f": ("pkg/one.py::f",)}


def test_3_bases_decorators_and_properties() -> None:
    files = {
        "a.py": "class A:\n    def m(self): pass\nclass B:\n    def m(self): pass\n    def p(self): return B()\nclass C(A):\n"
        "    def run(self):\n        self.m()\n        return self.q\n    def q(self): pass\n"
    }
    graph = CodeGraph(files)
    _, after = calls(graph.update({"a.py": files["a.py"].replace("C(A)", "C(B)")}), "a.py::C.run")
    assert after == {"self.m": ("a.py::B.m",), "self.q (handed on)": ("a.py::C.q",)}
    text = files["a.py"].replace("    def q", "    @property\n    def q")
    before, after = calls(graph.update({"a.py": text}), "a.py::C.run")
    assert "self.q" not in before
    assert after["self.q"] == ("a.py::C.q",)


def test_3_a_property_put_on_and_off_moves_the_edges_of_callers_and_of_those_who_hand_on() -> None:
    plain = (
        "class A:\n    def m(self): pass\nclass B(A):\n    def call(self):\n        self.m()\n"
        "    def give(self, f):\n        f(self.m)\n"
    )
    graph = CodeGraph({"a.py": plain})
    delta = graph.update({"a.py": plain.replace("    def m", "    @property\n    def m")})
    m = ("a.py::A.m",)
    assert calls(delta, "a.py::B.call") == ({"self.m": m}, {"self.m (property)": m})
    assert calls(delta, "a.py::B.give") == ({"self.m (handed on)": m}, {"self.m": m})
    assert {(e.source, e.kind, e.tier) for e in delta.lost if e.target in m} == {
        ("a.py::B.call", "call", "certain"),
        ("a.py::B.give", "call", "possible"),
    }
    assert {(e.source, e.kind, e.tier) for e in delta.gained if e.target in m} == {
        ("a.py::B.call", "property", "certain"),
        ("a.py::B.give", "property", "certain"),
    }
    back = graph.update({"a.py": plain})
    assert (back.before, back.after) == (delta.after, delta.before)


def test_3_a_method_that_is_handed_on_is_an_edge_that_overrides_and_bases_move() -> None:
    files = {
        "a.py": "class A:\n    def m(self): pass\n    def give(self, f):\n        f(self.m)\n",
        "b.py": "from a import A\nclass B(A):\n    def n(self): pass\n",
        "c.py": "from b import B\ndef use(f):\n    f(B().m)\n",
    }
    graph = CodeGraph(files)
    delta = graph.update({"b.py": files["b.py"].replace("def n", "def m")})
    assert calls(delta, "a.py::A.give") == (
        {"self.m (handed on)": ("a.py::A.m",)},
        {"self.m": ("b.py::B.m",), "self.m (handed on)": ("a.py::A.m",)},
    )
    assert calls(delta, "c.py::use")[1]["B().m (handed on)"] == ("b.py::B.m",)
    assert calls(graph.update({"b.py": "class B:\n    pass\n"}), "c.py::use")[1] == {"B": ("b.py::B",)}


def test_3_names_of_other_modules_in_all() -> None:
    files = {
        "p/__init__.py": "from p import one\nfrom .one import *\n__all__ = one.__all__ + []\n",
        "p/one.py": "__all__ = ['f']\ndef f(): pass\ndef g(): pass\n",
        "use.py": "from p import *\n\ndef use():\n    f()\n    g()\n",
    }
    graph = CodeGraph(files)
    assert graph.view("use.py::use").calls == (("f", ("p/one.py::f",)),)  # type: ignore[union-attr]
    _, after = calls(graph.update({"p/one.py": files["p/one.py"].replace("['f']", "['g']")}), "use.py::use")
    assert after == {"g": ("p/one.py::g",)}
    _, after = calls(graph.update({"p/one.py": files["p/one.py"].replace("['f']", "[n for n in x]")}), "use.py::use")
    assert after == {"f": ("p/one.py::f",), "g": ("p/one.py::g",)}


def test_3_setattr_and_monkeypatch_with_a_literal_name() -> None:
    files = {
        "m.py": "class A:\n    def m(self): pass\n    def run(self):\n        self.m()\n\ndef f(): pass\ndef use(): f()\n",
        "t.py": "import m\nfrom m import A\ndef g(self): pass\ndef test(monkeypatch):\n    pass\n",
    }
    graph = CodeGraph(files)
    for line, caller, site in (
        ("setattr(A, 'm', g)", "m.py::A.run", "self.m"),
        ("monkeypatch.setattr(A, 'm', g)", "m.py::A.run", "self.m"),
        ("monkeypatch.setattr('m.A.m', g)", "m.py::A.run", "self.m"),
        ("monkeypatch.setattr(m, 'f', g)", "m.py::use", "f"),
        ("monkeypatch.setattr('m.f', g, raising=False)", "m.py::use", "f"),
    ):
        before, after = calls(graph.update({"t.py": files["t.py"].replace("    pass\n", f"    {line}\n")}), caller)
        assert "t.py::g" in after[site]
        assert "t.py::g" not in before[site]
        assert calls(graph.update(files), caller) == (after, before)


def test_3_module_level_assignments() -> None:
    files = {
        "a.py": "def f(): pass\ndef g(): pass\nclass X:\n    def m(self): pass\nclass Y:\n    def m(self): pass\nh = f\nx = X()\n",
        "b.py": "import a\n\ndef use():\n    a.h()\n    a.x.m()\n",
    }
    graph = CodeGraph(files)
    _, after = calls(
        graph.update({"a.py": files["a.py"].replace("h = f", "h = g").replace("x = X()", "x = Y()")}), "b.py::use"
    )
    assert after == {"a.h": ("a.py::g",), "a.x.m": ("a.py::Y.m",)}


def test_3_files_added_deleted_moved_and_a_package_renamed() -> None:
    files = {
        "pkg/__init__.py": "from .core import f\n",
        "pkg/core.py": "def f(): pass\n",
        "use.py": "import pkg\nfrom pkg.core import f as g\n\ndef use():\n    pkg.f()\n    g()\n",
    }
    graph = CodeGraph(files)
    renamed = {p.replace("pkg", "lib"): t for p, t in files.items() if p.startswith("pkg")}
    delta = graph.update({**dict.fromkeys(p for p in files if p.startswith("pkg")), **renamed})
    before, after = calls(delta, "use.py::use")
    assert before == {"g": ("pkg/core.py::f",), "pkg.f": ("pkg/core.py::f",)}
    assert after == {"g": ("<external>::pkg.core.f",), "pkg.f": ("<external>::pkg.f",)}
    assert delta.after["pkg/core.py::f"] is None
    assert delta.before["lib/core.py::f"] is None
    back = {**dict.fromkeys(renamed), **{p: t for p, t in files.items() if p.startswith("pkg")}}
    assert calls(graph.update(back), "use.py::use")[1] == before
    package = graph.update({"pkg.py": "def f(): pass\n", "pkg/__init__.py": None, "pkg/core.py": None})
    assert calls(package, "use.py::use")[1]["pkg.f"] == ("pkg.py::f",)


def test_3_a_syntax_error_keeps_the_last_good_links() -> None:
    graph, delta = edit(BASE, "helpers.py", ("def helper(n):", "def helper(n:"))
    assert delta.parse_errors == ("helpers.py",)
    assert "use.py::use" not in delta.after
    assert set(delta.after) == {"helpers.py::helper"}
    delta = graph.update({"helpers.py": BASE["helpers.py"].replace("def helper(n)", "def renamed(n)")})
    assert delta.parse_errors == ()
    assert calls(delta, "use.py::use")[1] == {}


def test_4_unknown_receivers_are_weak_and_never_in_e() -> None:
    graph = CodeGraph(
        {"a.py": "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n\ndef f(x):\n    x.go()\n"}
    )
    assert graph.callees("a.py::f") == ()
    assert [e.target for e in graph.weak("a.py::f")] == ["a.py::A.go", "a.py::B.go"]
    assert {e.tier for e in graph.weak("a.py::f")} == {"possible"}
    assert graph.weak_size() == (1, 2)
    assert graph.unresolved() == {"a.py": 1}


def test_5_module_and_class_bodies_call() -> None:
    files = {"a.py": "def f(): pass\ndef g(): pass\nf()\nclass A:\n    x = f()\n", "b.py": "from a import f\nf()\n"}
    graph = CodeGraph(files)
    assert [e.source for e in graph.callers("a.py::f")] == ["a.py::<module>", "a.py::A", "b.py::<module>"]
    delta = graph.update(
        {"a.py": files["a.py"].replace("def f(): pass\n", "f = g\n").replace("def g(): pass\n", "") + "g = 1\n"}
    )
    assert delta.before["a.py::A"] != delta.after["a.py::A"]


def test_6_every_edge_has_a_kind_a_tier_and_a_reason() -> None:
    graph = CodeGraph(BASE)
    kinds = {"call", "constructor", "property", "override"}
    edges = [e for s in graph.symbols() for e in graph.callees(s.id)]
    assert all(e.kind in kinds and e.tier in ("certain", "possible") and e.why for e in edges)
    assert all(e.why for s in graph.symbols() for e in graph.relations(s.id))
    assert {e.kind for s in graph.symbols() for e in graph.relations(s.id)} == {"import", "inherits", "uses"}


def test_uses_is_the_binding_statement_and_nothing_wider() -> None:
    graph, delta = edit(BASE, "helpers.py", ("LIMIT = 3", "LIMIT = 4"))
    assert set(delta.after) == {"helpers.py::<module>", "use.py::use"}
    before, after = delta.before["use.py::use"], delta.after["use.py::use"]
    assert before is not None
    assert after is not None
    assert before.calls == after.calls
    assert dict(before.uses)["LIMIT"] != dict(after.uses)["LIMIT"]
    assert dict(before.uses)["helper"] == dict(after.uses)["helper"]
    assert not graph.update(
        {"helpers.py": "\n\n# a comment\n\n" + BASE["helpers.py"].replace("LIMIT = 3", "LIMIT = 4")}
    ).after.keys() - {"helpers.py::<module>"}


def test_dotted_reads_use_the_binding_in_the_other_module() -> None:
    files = {
        "conf.py": "A = 1\nB = 2\n",
        "a.py": "import conf\n\ndef f():\n    return conf.A\n\ndef g():\n    return conf.B\n",
    }
    graph = CodeGraph(files)
    assert set(graph.update({"conf.py": "A = 9\nB = 2\n"}).after) == {"conf.py::<module>", "a.py::f"}


def test_a_body_edit_touches_one_symbol() -> None:
    _, delta = edit(
        BASE, "helpers.py", ("        return self.part.turn()", "        self.part.turn()\n        return 5")
    )
    assert set(delta.after) == {"helpers.py::First.go"}


def test_lost_and_gained_edges() -> None:
    _, delta = edit(BASE, "use.py", ("return helper(LIMIT)", "return h.second()"))
    assert [(e.source, e.target) for e in delta.lost] == [("use.py::use", "helpers.py::helper")]
    assert [(e.source, e.target) for e in delta.gained] == [("use.py::use", "helpers.py::second")]


def test_bases_subclasses_and_overrides() -> None:
    graph = CodeGraph({**BASE, "child.py": BASE["child.py"].replace("other", "step")})
    assert graph.bases("child.py::Child") == ("base.py::Base",)
    assert graph.subclasses("base.py::Base") == ("child.py::Child",)
    assert graph.overrides("child.py::Child.step") == ("base.py::Base.step",)
    assert graph.overridden_by("base.py::Base.step") == ("child.py::Child.step",)
    assert graph.overrides("use.py::use") == ()
    assert graph.overridden_by("base.py::Base.run") == ()


def test_references_of_a_hypothetical_text() -> None:
    graph = CodeGraph(BASE)
    text = "from base import Base\nfrom helpers import LIMIT, helper\n\nclass N(Base):\n    def run(self):\n        helper(LIMIT)\n        super().run()\n"
    found = [
        (r.line, r.kind, r.target) for r in graph.references("new.py", text) if not r.target.startswith("<builtin>")
    ]
    assert found == [
        (1, "import", "base.py::Base"),
        (2, "import", "helpers.py::<module>"),
        (2, "import", "helpers.py::helper"),
        (4, "inherits", "base.py::Base"),
        (6, "uses", "helpers.py::<module>"),
        (6, "call", "helpers.py::helper"),
        (6, "uses", "helpers.py::helper"),
        (7, "call", "base.py::Base.run"),
    ]
    assert graph.paths() == sorted(BASE)
    assert graph.symbols("new.py") == ()
    assert not graph.update({})
