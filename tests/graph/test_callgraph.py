"""The callgraph document: names, nodes of their own, constructors, functions passed as arguments, tiers."""

from __future__ import annotations

from core.graph.callgraph import callgraph
from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph


def test_names_and_nodes() -> None:
    texts = {
        "src/app/__init__.py": "from .core import run\nrun()\n",
        "src/app/core.py": """\
import os


class Base:
    def __init__(self):
        pass


class A(Base):
    made = Base()

    @staticmethod
    def m():
        pass


def run():
    def inner():
        return A()

    inner()
    (lambda: os.getcwd())()
    len([])
    return A.m()


def run():
    return 2
""",
    }
    found = callgraph(CodeGraph(texts))
    assert found == {
        "app": ["app.core.run"],
        "app.core": ["<builtin>.staticmethod", "app.core.Base.__init__"],
        "app.core.A": [],
        "app.core.A.m": [],
        "app.core.Base": [],
        "app.core.Base.__init__": [],
        "app.core.run": ["<builtin>.len", "app.core.A.m", "app.core.run.<lambda1>", "app.core.run.inner"],
        "app.core.run.<lambda1>": ["os.getcwd"],
        "app.core.run.inner": ["app.core.Base.__init__"],
    }


def test_functions_passed_as_arguments_are_followed() -> None:
    text = """\
def twice(f, x):
    g = f
    g()
    helper(key=x)

def helper(key=None):
    key.go()

class Thing:
    def go(self): pass

def a(): pass

twice(a, Thing())
twice(lambda: a(), None)
"""
    found = callgraph(CodeGraph({"m.py": text}))
    assert found["m.twice"] == ["m.<lambda1>", "m.a", "m.helper"]
    assert found["m.helper"] == ["m.Thing.go"]
    assert found["m.<lambda1>"] == ["m.a"]


def test_a_parameter_given_many_functions_is_not_followed() -> None:
    text = "def call(f):\n    f()\n" + "".join(f"def f{i}(): pass\ncall(f{i})\n" for i in range(9))
    assert callgraph(CodeGraph({"m.py": text}))["m.call"] == []


def test_direct_leaves_out_overrides_and_possible_edges() -> None:
    text = """\
class A:
    def run(self): self.step()
    def step(self): pass
class B(A):
    def step(self): pass
if A:
    def f(): pass
else:
    def f(): return 1
def g(): f()
"""
    graph = CodeGraph({"m.py": text})
    assert callgraph(graph)["m.A.run"] == ["m.A.step"]
    assert callgraph(graph)["m.g"] == []
    assert callgraph(graph, "all")["m.A.run"] == ["m.A.step", "m.B.step"]
    assert callgraph(graph, "all")["m.g"] == ["m.f"]


def test_the_graph_itself_is_left_alone() -> None:
    graph = CodeGraph({"m.py": "def f(g): g()\ndef h(): pass\nf(h)\n"})
    before = {s.id: graph.view(s.id) for s in graph.symbols()}
    callgraph(graph)
    assert before == {s.id: graph.view(s.id) for s in graph.symbols()}
    assert graph.callees("m.py::f") == ()


def test_facts_are_cached_by_content() -> None:
    cache = FactsCache()
    text = "class A:\n    def m(self):\n        return self.m()\n"
    first = CodeGraph({"a.py": text, "b/c.py": text}, facts=cache)
    assert len(cache) == 1
    second = CodeGraph({"a.py": text, "b/c.py": text}, facts=cache)
    assert len(cache) == 1
    assert first.symbols() == second.symbols()
    assert all(first.view(s.id) == second.view(s.id) for s in first.symbols())
