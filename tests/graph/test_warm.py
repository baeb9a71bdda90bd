"""A graph that starts from what an earlier one left on a shelf is the graph that is built from the texts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph import picture as pictures
from core.graph.encoding import BadEntry, seal, unseal
from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.graph.shelf import Shelf
from core.graph.sources import File
from core.options import Options
from tests.graph import go_programs, programs
from tests.graph.test_incremental import CACHE, THOROUGH, assert_equal, follow, good, picture

ROOT = Path(__file__).resolve().parents[2]
Script = list[dict[str, str | None]]
TEXTS = {
    "a.py": "from b import B\n\nclass A(B):\n    def run(self):\n        return self.step()\n",
    "b.py": "class B:\n    def step(self):\n        return 1\n",
    "notes.md": "# Notes\n",
}


class Store:
    """What a database does for a shelf, in a dict."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}
        self.asked: list[int] = []

    def shelf(self, keep: Callable[[str], bool] = lambda name: True) -> Shelf:
        def fetch(names: object) -> dict[str, bytes]:
            assert isinstance(names, list)
            self.asked.append(len(names))
            return {n: self.entries[n] for n in names if n in self.entries and keep(n)}

        return Shelf(fetch)

    def built(self, texts: dict[str, str], options: Options | None = None) -> CodeGraph:
        """A graph of ``texts``, and everything it offers put into the store."""
        shelf = self.shelf()
        graph = CodeGraph(texts, options, FactsCache(shelf=shelf))
        self.entries |= shelf.take()
        return graph


def warm(texts: dict[str, str], keep: Callable[[str], bool] = lambda name: True) -> CodeGraph:
    """A graph of ``texts`` that another one was built before."""
    store = Store()
    store.built(texts)
    shelf = store.shelf(keep)
    graph = CodeGraph(texts, facts=FactsCache(shelf=shelf))
    assert shelf.rejected == 0
    assert shelf.found
    return graph


def picture_only(name: str) -> bool:
    return name.startswith("graph:")


def facts_only(name: str) -> bool:
    return not picture_only(name)


@pytest.mark.parametrize("keep", [picture_only, facts_only, lambda name: True])
def test_a_warm_graph_says_what_the_cold_one_says(keep: Callable[[str], bool]) -> None:
    cold, found = CodeGraph(TEXTS), warm(TEXTS, keep)
    assert_equal(picture(found), picture(cold))
    assert found.unresolved() == cold.unresolved()
    assert found.weak_size() == cold.weak_size()
    assert list(found.scopes()) == list(cold.scopes())
    assert found.callers("b.py::B.step") == cold.callers("b.py::B.step") != ()
    assert found.subclasses("b.py::B") == ("a.py::A",)
    assert found.references("a.py", TEXTS["a.py"]) == cold.references("a.py", TEXTS["a.py"]) != ()


def test_size_and_syntax_errors_are_told_without_reading_a_file() -> None:
    texts = {**TEXTS, "c.py": "x = 1\n)\n"}
    store, cold = Store(), CodeGraph(texts)
    store.built(texts)
    shelf = store.shelf()
    found = CodeGraph(texts, facts=FactsCache(shelf=shelf))
    assert found.syntax_errors() == cold.syntax_errors() == {"c.py": 2}
    assert found.size() == cold.size() == (len(cold.symbols()), sum(len(cold.callees(s.id)) for s in cold.symbols()))
    assert shelf.found == 1  # the picture
    found.update({"c.py": "def f():\n    return 1\n"})
    assert found.syntax_errors() == {}
    assert found.size() == CodeGraph({**texts, "c.py": "def f():\n    return 1\n"}).size()


def test_a_write_reaches_what_is_not_linked_again() -> None:
    graph = warm(TEXTS)
    delta = graph.update({"b.py": "class B:\n    pass\n"})
    assert set(delta.after) == {"a.py::A.run", "b.py::B", "b.py::B.step"}
    assert [e.target for e in delta.lost] == ["b.py::B.step"]
    assert graph.update({"b.py": TEXTS["b.py"]}).gained == delta.lost


def test_one_holder_more_of_a_name_moves_no_question_whether_there_is_one() -> None:
    graph = CodeGraph(TEXTS)
    sources = graph._sources
    old, new = (sources.facts("c.py", f"class C:\n    def {name}(self): pass\n") for name in ("step", "other"))
    first = sources.replace("c.py", File(old, old))
    assert ("names", "method", "step") in first
    assert ("names?", "method", "step") not in first
    second = sources.replace("c.py", File(new, new))
    assert ("names", "method", "step") in second
    assert ("names?", "method", "step") not in second
    assert ("names?", "method", "other") in second
    assert ("names?", "method", "other") in sources.replace("c.py", None)


@THOROUGH
@given(programs.repositories(), st.lists(programs.edits(), min_size=1, max_size=4))
def test_a_warm_graph_moves_as_the_cold_one(texts: dict[str, str], script: Script) -> None:
    follow(texts, script, warm)


@THOROUGH
@given(st.integers(0, 2**32), st.sampled_from([picture_only, facts_only]))
def test_a_warm_graph_moves_as_the_cold_one_in_dense_programs(seed: int, keep: Callable[[str], bool]) -> None:
    random = Random(seed)
    texts = programs.dense_repository(random)
    state, script = dict(texts), []
    for _ in range(6):
        script.append(programs.dense_edit(random, state))
        state = {p: t for p, t in {**state, **script[-1]}.items() if t is not None}
    follow(texts, script, lambda given: warm(given, keep))


@THOROUGH
@given(st.integers(0, 2**32))
def test_a_warm_graph_moves_as_the_cold_one_in_go(seed: int) -> None:
    random = Random(seed)
    texts = go_programs.dense_module(random)
    state, script = dict(texts), []
    for _ in range(6):
        script.append(go_programs.dense_edit(random, state))
        state = {p: t for p, t in {**state, **script[-1]}.items() if t is not None}
    follow({p: t for p, t in texts.items() if p in good(texts)}, script, warm)


@THOROUGH
@given(programs.repositories(), programs.edits(), programs.edits())
def test_references_leave_a_warm_graph_alone(
    texts: dict[str, str], asked: dict[str, str | None], changes: dict[str, str | None]
) -> None:
    graph, cold = warm(texts), CodeGraph(texts, facts=CACHE)
    for path, content in asked.items():
        assert graph.references(path, content or "") == cold.references(path, content or "")
    assert_equal(picture(graph), picture(cold))
    assert graph.update(changes) == cold.update(changes)
    assert_equal(picture(graph), picture(cold))


HASHED = """
import sys
from core.graph.graph import CodeGraph
names = "ABCDEFG"
text = "class Base:\\n    @property\\n    def size(self):\\n        return 1\\n    def run(self):\\n        pass\\n"
text += "".join(f"class {n}(Base):\\n    def __enter__(self):\\n        return self\\n" for n in names)
text += "def f(k):\\n" + "".join(f"    if k == '{n}':\\n        x = {n}()\\n" for n in names)
text += "    x.size\\n    x.run()\\n    with x as y:\\n        y.run()\\n    for z in [x]:\\n        z.size.run()\\n"
graph = CodeGraph({"m.py": text})
print([(graph.view(s.id), graph.callees(s.id), graph.relations(s.id)) for s in graph.symbols()])
"""


def test_every_process_finds_the_same_edges_for_the_same_reasons() -> None:
    found = set()
    for seed in range(4):
        made = subprocess.run(
            [sys.executable, "-c", HASHED], env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(made.stdout)
    assert len(found) == 1
    assert "property of" in found.pop()


# -- what is asked for and what is offered --------------------------------------------------------------


def test_everything_is_asked_for_at_once_and_offered_once() -> None:
    store = Store()
    store.built(TEXTS)
    assert store.asked == [4]  # three files and the graph
    assert sorted(name.split(":")[0] for name in store.entries) == ["graph", "python", "python", "text"]
    shelf = store.shelf()
    cache = FactsCache(shelf=shelf)
    CodeGraph(TEXTS, facts=cache)
    assert shelf.take() == {}
    assert len(cache) == 0  # nothing was read that nobody asked about
    CodeGraph({**TEXTS, "c.py": "import a\n"}, facts=cache)
    offered = shelf.take()
    assert sorted(name.split(":")[0] for name in offered) == ["graph", "python"]
    assert shelf.take() == {}


def test_graphs_with_and_without_module_symbols_are_not_mixed_up() -> None:
    store = Store()
    store.built(TEXTS)
    without = Options(module_symbol=False)
    graph = CodeGraph(TEXTS, without, FactsCache(shelf=store.shelf()))
    assert_equal(picture(graph), picture(CodeGraph(TEXTS, without)))


@pytest.mark.parametrize("change", ["text", "path", "more", "less", "language"])
def test_a_graph_of_other_files_is_not_taken(change: str) -> None:
    store = Store()
    store.built(TEXTS)
    other = dict(TEXTS)
    if change == "text":
        other["b.py"] += "    def run(self):\n        pass\n"
    elif change == "path":
        other["c.py"] = other.pop("b.py")
    elif change == "more":
        other["c.py"] = ""
    elif change == "less":
        del other["b.py"]
    else:
        other["b.txt"] = other.pop("b.py")
    graph = CodeGraph(other, facts=FactsCache(shelf=store.shelf()))
    assert_equal(picture(graph), picture(CodeGraph(other)))


# -- entries that are none ------------------------------------------------------------------------------


def test_broken_entries_are_counted_misses_and_offered_again() -> None:
    store = Store()
    store.built(TEXTS)
    whole = dict(store.entries)
    for name in store.entries:
        store.entries[name] = store.entries[name][:-1] + b"?"
    shelf = store.shelf()
    graph = CodeGraph(TEXTS, facts=FactsCache(shelf=shelf))
    assert (shelf.found, shelf.rejected) == (0, 4)
    assert shelf.take().keys() == whole.keys()
    assert_equal(picture(graph), picture(CodeGraph(TEXTS)))


def test_entries_under_each_others_names_are_misses() -> None:
    store = Store()
    store.built(TEXTS)
    names = sorted(store.entries)
    store.entries = dict(zip(names, [store.entries[n] for n in (*names[1:], names[0])], strict=True))
    shelf = store.shelf()
    graph = CodeGraph(TEXTS, facts=FactsCache(shelf=shelf))
    assert (shelf.found, shelf.rejected) == (0, 4)
    assert_equal(picture(graph), picture(CodeGraph(TEXTS)))


def _document() -> tuple[str, list[object], bytes]:
    store = Store()
    store.built(TEXTS)
    (name,) = filter(picture_only, store.entries)
    head, _, rest = unseal(name, store.entries[name]).partition(b"\n")
    return name, orjson.loads(head), rest


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("value", [None, [], [[1]], 3, -1, [10**6], {"a": 1}, [["x"]], 10**9])
def test_a_sealed_document_of_another_shape_is_a_counted_miss(part: int, value: object) -> None:
    name, document, rest = _document()
    if value == [] and part < 2:  # no symbols, no names: also a graph
        return
    document[part] = value
    store = Store()
    store.entries[name] = seal(name, orjson.dumps(document) + b"\n" + rest)
    shelf = store.shelf()
    graph = CodeGraph(TEXTS, facts=FactsCache(shelf=shelf))
    assert shelf.rejected == 1
    assert_equal(picture(graph), picture(CodeGraph(TEXTS)))


@pytest.mark.parametrize("rest", [b"", b"abc", b"\xff" * 40, b"\0" * 4])
def test_readers_that_are_not_there_are_no_picture(rest: bytes) -> None:
    _, document, _ = _document()
    with pytest.raises(BadEntry):
        pictures.view(orjson.dumps(document) + b"\n" + rest)
