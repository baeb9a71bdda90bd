# ruff: noqa: E501
"""Ids, extents, own lines, own-text hashes and signatures of Python symbols, worked by hand (METHOD section 2)."""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Symbol
from core.options import Options


def symbols(text: str, path: str = "a.py") -> dict[str, Symbol]:
    return {s.id.removeprefix(f"{path}::"): s for s in CodeGraph({path: text}).symbols()}


def own_hash(text: str, name: str) -> str:
    return symbols(text)[name].own_hash


SOURCE = """\
#!/usr/bin/env python
'''Doc.'''
import os

LIMIT = 3
# about f

# part of f
# still f
@decorated(
    1,
)
def f(x, *, y: int = 2) -> str:

    def nested():
        return x
    text = '''first

    last'''
    return text
    # trailing, inside f

# trailing, outside

class C(Base, metaclass=M):
    # about size
    size = 3

    # about m
    def m(self): return 1

    class Inner:
        def deep(self):
            pass

    name = 'x'


def g(): pass
class D: value = 1
"""


def test_extents_and_own_lines() -> None:
    found = symbols(SOURCE)
    assert list(found) == ["<module>", "C", "C.Inner", "C.Inner.deep", "C.m", "D", "f", "g"]
    f = found["f"]
    assert (f.kind, f.start, f.end, f.own) == ("function", 8, 21, ((8, 13), (15, 21)))
    assert f.signature == "f(x, *, y: int = 2) -> str"
    c = found["C"]
    assert (c.kind, c.start, c.end) == ("class", 25, 36)
    assert c.own == ((25, 27), (36, 36))
    assert c.signature == "C(Base, metaclass=M)"
    assert (found["C.m"].own, found["C.m"].kind, found["C.m"].parent) == (((29, 30),), "method", "a.py::C")
    assert (found["C.Inner"].own, found["C.Inner"].parent) == (((32, 32),), "a.py::C")
    assert found["C.Inner.deep"].own == ((33, 34),)
    assert found["<module>"].own == ((1, 3), (5, 6), (23, 23))
    assert (found["<module>"].start, found["<module>"].end) == (1, 40)
    assert found["g"].own == ((39, 39),)
    assert found["D"].own == ((40, 40),)


def test_repeats_setters_overloads_and_classes_in_functions() -> None:
    text = """\
def f(): pass
class f:
    @property
    def x(self): pass
    @x.setter
    def x(self, v): pass
    class x: pass
def f():
    class Local:
        def m(self): pass
    def f(): pass
if 1:
    def g(): pass
else:
    def g(): pass
    class K:
        if 2:
            def m(self): pass
async def h(): pass
"""
    expected = ["<module>", "K", "K.m", "f", "f#2", "f#2.x", "f#2.x#2", "f#2.x#3", "f#3", "g", "g#2", "h"]
    assert sorted(symbols(text)) == sorted(expected)
    assert symbols(text)["f#3"].own == ((8, 11),)


CLASS = "class A:\n    size = 1\n\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n"


def test_a_class_is_its_own_text_and_the_names_of_its_members() -> None:
    edited = CLASS.replace("return 1", "return 3")
    assert own_hash(CLASS, "A") == own_hash(edited, "A")
    assert own_hash(CLASS, "A.m") != own_hash(edited, "A.m")
    assert own_hash(CLASS, "A") != own_hash(CLASS + "\n    def o(self):\n        pass\n", "A")
    assert own_hash(CLASS, "A") != own_hash(CLASS.replace("def n", "def k"), "A")
    assert own_hash(CLASS, "A") != own_hash(CLASS.replace("size = 1", "size = 2"), "A")
    swapped = CLASS.replace("def m", "def x").replace("def n", "def m").replace("def x", "def n")
    assert own_hash(CLASS, "A") != own_hash(swapped, "A")


@pytest.mark.parametrize(
    "edit",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\n\n\n" + t,
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n    def n", "\n\n\n    def n"),
        lambda t: t.replace("return 1", "return 1   "),
        lambda t: "\f\n" + t,
    ],
)
def test_blank_lines_line_ends_and_marks_change_no_own_text(edit: object) -> None:
    assert callable(edit)
    before, after = symbols(CLASS), symbols(edit(CLASS))
    assert {n: s.own_hash for n, s in before.items()} == {n: s.own_hash for n, s in after.items()}


def test_moving_and_indenting_keep_the_own_text() -> None:
    moved = "class A:\n    size = 1\n    def n(self):\n        return 2\n    def m(self):\n        return 1\n"
    assert own_hash(CLASS, "A.m") == own_hash(moved, "A.m")
    assert own_hash("def m(self):\n    return 1\n", "m") == own_hash(CLASS, "A.m")


def test_a_blank_line_inside_a_string_belongs_to_the_text() -> None:
    text = "def f():\n    return '''a\n\n    b'''\n"
    assert own_hash(text, "f") != own_hash(text.replace("\n\n", "\n"), "f")
    assert own_hash("def f():\n    a()\n\n    b()\n", "f") == own_hash("def f():\n    a()\n    b()\n", "f")


def test_comments_and_decorators_belong_to_what_they_stand_above() -> None:
    plain = "x = 1\n\ndef f():\n    pass\n"
    commented = "x = 1\n\n# why\ndef f():\n    pass\n"
    assert own_hash(plain, "f") != own_hash(commented, "f")
    assert own_hash(plain, "<module>") == own_hash(commented, "<module>")
    assert own_hash(plain, "<module>") != own_hash("x = 1\n\n# why\n\ndef f():\n    pass\n", "<module>")


def test_covering_symbol_at_statement_at_and_binding() -> None:
    graph = CodeGraph({"a.py": SOURCE})
    assert graph.covering("a.py", 24, 24) == ()
    assert graph.covering("a.py", 14, 14) == ()
    assert graph.covering("a.py", 24, 29) == ("a.py::C", "a.py::C.m")
    assert graph.covering("a.py", 33, 33) == ("a.py::C.Inner.deep",)
    assert graph.covering("b.py", 1, 9) == ()
    assert graph.symbol_at("a.py", 16) == "a.py::f"
    assert graph.symbol_at("a.py", 34) == "a.py::C.Inner.deep"
    assert graph.symbol_at("a.py", 24) == "a.py::<module>"
    assert graph.symbol_at("b.py", 1) is None
    assert graph.statement_at("a.py", 2) == (1, 3)
    assert graph.statement_at("a.py", 5) == (5, 6)
    assert graph.statement_at("a.py", 16) is None
    assert graph.binding("a.py", "LIMIT") == (5, 5)
    assert graph.binding("a.py", "f") == (10, 21)
    assert graph.binding("a.py", "nothing") is None


def test_a_statement_with_a_blank_line_inside_is_one_block() -> None:
    graph = CodeGraph({"a.py": "x = {\n    1: 2,\n\n    3: 4,\n}\ny = 1\n\nz = 2\n"})
    assert graph.statement_at("a.py", 4) == (1, 6)
    assert graph.statement_at("a.py", 8) == (8, 8)
    assert graph.binding("a.py", "x") == (1, 5)


def test_other_files_are_one_module_symbol() -> None:
    (symbol,) = CodeGraph({"docs/r.md": "# hi\n\n  text \nmore\n"}).symbols()
    assert (symbol.id, symbol.kind, symbol.start, symbol.end) == ("docs/r.md::<module>", "module", 1, 4)
    assert symbol.own == ((1, 1), (3, 4))
    graph = CodeGraph({"r.md": "a\n"})
    delta = graph.update({"r.md": "a\n\n\n"})
    assert not delta
    assert graph.update({"r.md": "b\n"}).after["r.md::<module>"] is not None
    assert graph.language("r.md") == "text"
    assert graph.language("x/Y.PY") == "python"


def test_module_symbols_can_be_left_out() -> None:
    graph = CodeGraph({"a.py": "import b\nf()\ndef f(): pass\n"}, Options(module_symbol=False))
    assert [s.id for s in graph.symbols()] == ["a.py::f"]
    assert graph.callers("a.py::f") == ()
    assert not graph.update({"a.py": "import c\nf()\ndef f(): pass\n"})


def test_a_broken_text_keeps_the_symbols_that_are_intact() -> None:
    good = "import os\n\ndef f():\n    return g(1)\n\n# of g\n@dec\ndef g(x):\n    return (x)\n\nclass A:\n    def m(self):\n        pass\n"
    before = symbols(good)
    for broken in (
        good.replace("g(1)", "g(1"),
        good.replace("(x)\n", "(x\n"),
        good + "x = (\n",
        good.replace("import os", "import ("),
    ):
        graph = CodeGraph({"a.py": good})
        delta = graph.update({"a.py": broken})
        assert delta.parse_errors == ("a.py",)
        after = {s.id.removeprefix("a.py::"): s for s in graph.symbols()}
        assert after.keys() == before.keys()
        assert {n for n in before if before[n].own_hash != after[n].own_hash} <= {"f", "g", "<module>"}
        assert after["A.m"].own_hash == before["A.m"].own_hash
        assert [e.target for e in graph.callees("a.py::f")] == ["a.py::g"]
        assert graph.syntax_errors().keys() == {"a.py"}
        assert graph.update({"a.py": good}).after.keys() == delta.before.keys()
        assert not graph.syntax_errors()


HOSTILE = [
    "",
    "\n",
    "\ufeff",
    "\x00",
    "\ud800 = 1\n",
    "def f(\ud800): pass\n",
    "def naïve(): ünï()\n",
    "x = " + "(" * 3000 + ")" * 3000,
    "x = " + "[" * 3000,
    "x" + ".a" * 5000 + "()",
    "f" + "()" * 3000,
    "x = " + " + ".join(["a()"] * 5000),
    "".join("  " * i + "if x:\n" for i in range(300)) + "  " * 300 + "f()\n",
    "".join("  " * i + f"def f{i}():\n" for i in range(120)) + "  " * 120 + "pass\n",
    "".join(" " * i + f"class C{i}:\n" for i in range(120)) + " " * 120 + "pass\n",
    "def f():\n\treturn 1\n\tx = 2\n",
    "\f\ndef f(): pass\n\f\nclass A: pass\n",
    "def f(): pass\rdef g(): pass\r",
    "x = lambda: " * 500 + "1",
    "print 'old style'\nexec 'x'\n",
    "class A(A): pass\nclass B(C): pass\nclass C(B): pass\nC().m()\n",
    "x = x\nx = x()\nx = x.y\nx()\nfor x in x: x = [x]\n",
    "from . import a\nfrom .a import *\nfrom a import a\nfrom .... import b\nimport a.a.a\n",
    "a = b = a, b = *a, *b\ndel a[b], c.d\n(yield)\nawait x\nreturn\n",
    "def f(f=f, *f, **f): return f(f, *f, **f)\nf(f)(f)(f)\n",
    "@f\n@g\n",
    "class",
    "def",
    "match x:\n    case\n",
    '"""',
    "f'{f'{f()}'}'\n",
    "𝒳 = 1\ndef 𝒻(): pass\n",
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_text_crashes_the_graph(number: int) -> None:
    text = HOSTILE[number]
    graph = CodeGraph({"a.py": text, "b.py": "from a import *\nimport a\nf(); a.f()\n"})
    ids = [s.id for s in graph.symbols()]
    assert len(ids) == len(set(ids))
    assert "a.py::<module>" in ids
    for symbol in graph.symbols():
        assert graph.view(symbol.id) is not None
        assert symbol.start <= symbol.end
    graph.references("a.py", text)
    graph.update({"a.py": None})
    graph.update({"a.py": text})
    assert [s.id for s in graph.symbols()] == ids
