# ruff: noqa: E501
"""Texts no one writes by hand, in every language: the graph neither fails nor grows beyond what they hold."""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph

REPEATED = {
    "a.py": "class A:\n{}", "b.py": "{}", "a.js": "class A {{\n{}}}", "b.js": "{}", "c.js": "function A() {{}}\n{}",
    "a.ts": "class A {{\n{}}}", "a.go": "package p\ntype A struct{{}}\n{}", "A.java": "class A {{\n{}}}",
    "a.rs": "struct A;\nimpl A {{\n{}}}", "b.rs": "{}", "c.rs": "struct A;\n{}",
}  # fmt: skip
LINES = {
    "a.py": "    def m(self): self.m()\n", "b.py": "if x:\n    def m(): m()\n", "a.js": "m() { this.m() }\n",
    "b.js": "function m() { m() }\n", "c.js": "A.prototype.m = function () { this.m() }\n", "a.ts": "m() { this.m() }\n",
    "a.go": "func (a A) m() { a.m() }\n", "A.java": "void m() { m(); }\n", "a.rs": "fn m(&self) { self.m() }\n",
    "b.rs": "fn m() { m() }\n", "c.rs": "impl A { fn m(&self) { self.m() } }\n",
}  # fmt: skip
GOOD = {
    "a.py": "class A:\n    def m(self):\n        return f()\n\n\ndef f():\n    return A().m()\n",
    "a.js": "class A {\n  m() {\n    return f()\n  }\n}\n\nfunction f() {\n  return new A().m()\n}\n",
    "a.tsx": "class A {\n  m() {\n    return f()\n  }\n}\n\nfunction f() {\n  return new A().m()\n}\n",
    "a.go": "package p\ntype A struct{}\nfunc (a A) M() int { return f() }\nfunc f() int { return A{}.M() }\n",
    "A.java": "class A {\n  int m() {\n    return f();\n  }\n\n  static int f() {\n    return new A().m();\n  }\n}\n",
    "a.rs": "struct A;\nimpl A {\n    fn m(&self) -> i32 {\n        f()\n    }\n}\n\nfn f() -> i32 {\n    A.m()\n}\n",
}
BROKEN = {"a.py": "def g(:\n  x", "a.go": "func g( { x", "a.rs": "fn g( { x", "A.java": "class B { void g( { x"}
CYCLES = {
    "a{}.py": "from a{1} import *\nfrom a{1} import C{1}\nclass C{0}(C{1}):\n    def m(self):\n        return self.m()\n",
    "a{}.js": "import {{ C{1} }} from './a{1}';\nexport * from './a{1}';\nexport class C{0} extends C{1} {{ m() {{ this.m() }} }}\n",
    "a{}.ts": "import {{ C{1} }} from './a{1}';\nexport * from './a{1}';\nexport class C{0} extends C{1} {{ m() {{ this.m() }} }}\n",
    "a{}.go": "package p\ntype C{0} struct {{ C{1} }}\nfunc (c C{0}) m() {{ c.m() }}\ntype I{0} interface {{ I{1} }}\n",
    "C{}.java": "class C{0} extends C{1} {{ void m() {{ m(); }} }}\n",
    "src/a{}.rs": "pub use crate::a{1}::*;\npub trait C{0}: crate::a{1}::C{1} {{ fn m(&self) {{ self.m() }} }}\n",
}


@pytest.mark.parametrize("path", sorted(REPEATED))
def test_a_name_defined_a_thousand_times_in_one_place(path: str) -> None:
    count = 1_000
    graph = CodeGraph({path: REPEATED[path].format(LINES[path] * count)})
    edges = [e for s in graph.symbols() for e in graph.callees(s.id) if not e.target.startswith("<")]
    assert edges
    assert len(edges) <= 256 * count
    last = max((s for s in graph.symbols() if s.name == "m"), key=lambda s: s.start, default=None)
    if path == "a.go":  # a second definition is an error there: the first one holds
        assert {e.target for e in edges} == {"a.go::A.m"}
    else:
        assert last is None or last.id in {e.target for e in edges} | {e.source for e in edges}


@pytest.mark.parametrize("path", sorted(GOOD))
def test_a_file_that_is_broken_emptied_and_put_right(path: str) -> None:
    good, broken = GOOD[path], GOOD[path] + BROKEN.get(path, "function g( { x")
    graph = CodeGraph({path: good})
    edges = {e for s in graph.symbols() for e in graph.callees(s.id)}
    views = {s.id: graph.view(s.id) for s in graph.symbols()}
    assert any(e.target.endswith("m") or e.target.endswith("M") for e in edges)
    assert graph.update({path: broken}).parse_errors == (path,)
    assert edges <= {e for s in graph.symbols() for e in graph.callees(s.id)}
    for text in (
        "",
        "\n" * 10,
        "\0",
        "\ufeff" + good,
        good.replace("\n", "\r\n"),
        "\ufffd\ud800",
        "(" * 5_000,
        good * 3,
    ):
        graph.update({path: text})
        assert graph.paths() == [path]
    graph.update({path: good})
    assert {s.id: graph.view(s.id) for s in graph.symbols()} == views


@pytest.mark.parametrize("path", sorted(CYCLES))
def test_files_that_import_and_inherit_in_a_circle(path: str) -> None:
    count = 12
    files = {path.format(i): CYCLES[path].format(i, (i + 1) % count) for i in range(count)}
    graph = CodeGraph(files)
    assert not graph.syntax_errors()
    other = {path.format(0): CYCLES[path].format(0, 5)}
    graph.update(other)
    scratch = CodeGraph({**files, **other})
    assert {s.id: (graph.view(s.id), graph.callees(s.id)) for s in graph.symbols()} == {
        s.id: (scratch.view(s.id), scratch.callees(s.id)) for s in scratch.symbols()
    }
