"""The graph after any writes equals the graph from scratch, and a Delta says exactly what differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.graph.symbols import View
from tests.graph.programs import dense_edit, dense_repository, edits, repositories

CACHE = FactsCache()
THOROUGH = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def picture(graph: CodeGraph) -> dict[str, Any]:
    """Everything the graph says, by symbol."""
    return {
        s.id: (s, graph.view(s.id), graph.callees(s.id), graph.callers(s.id), graph.relations(s.id), graph.weak(s.id))
        for s in graph.symbols()
    }


def views(graph: CodeGraph) -> dict[str, View | None]:
    return {s.id: graph.view(s.id) for s in graph.symbols()}


def good(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts without a syntax error."""
    graph = CodeGraph(texts, facts=CACHE)
    return {p: t for p, t in texts.items() if p not in graph.syntax_errors()}


def assert_equal(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert left.keys() == right.keys()
    for key in left:
        assert left[key] == right[key], key


def cold(texts: dict[str, str]) -> CodeGraph:
    return CodeGraph(texts, facts=CACHE)


def follow(
    texts: dict[str, str], script: list[dict[str, str | None]], start: Callable[[dict[str, str]], CodeGraph] = cold
) -> None:
    """After each write: the Delta says exactly what differs, and the graph equals the one from scratch."""
    graph = start(texts)
    state: dict[str, str] = dict(texts)
    last_good = dict(texts)
    for changes in script:
        before = views(graph)
        delta = graph.update(changes)
        state = {p: t for p, t in {**state, **changes}.items() if t is not None}
        fine = good(state)
        last_good = {p: fine.get(p, last_good.get(p, state[p])) for p in state}
        scratch = CodeGraph(last_good, facts=CACHE)
        scratch.update({p: t for p, t in state.items() if last_good[p] != t})
        assert_equal(picture(graph), picture(scratch))
        assert graph.unresolved() == scratch.unresolved()
        assert graph.weak_size() == scratch.weak_size()
        symbols = graph.symbols()
        assert graph.size() == (len(symbols), sum(len(graph.callees(s.id)) for s in symbols))
        after = views(graph)
        moved = {s for s in before.keys() | after.keys() if before.get(s) != after.get(s)}
        assert set(delta.before) == set(delta.after) == moved
        assert all(delta.before[s] == before.get(s) and delta.after[s] == after.get(s) for s in moved)
        assert set(delta.parse_errors) == {p for p in changes if p in state and p not in fine}


@THOROUGH
@given(repositories(), st.lists(edits(), min_size=1, max_size=4))
def test_incremental_equals_scratch(texts: dict[str, str], script: list[dict[str, str | None]]) -> None:
    follow(texts, script)


@THOROUGH
@given(st.integers(0, 2**32))
def test_incremental_equals_scratch_in_dense_programs(seed: int) -> None:
    random = Random(seed)
    texts = dense_repository(random)
    state, script = dict(texts), []
    for _ in range(6):
        script.append(dense_edit(random, state))
        state = {p: t for p, t in {**state, **script[-1]}.items() if t is not None}
    follow(texts, script)


@THOROUGH
@given(repositories(), st.randoms(use_true_random=False))
def test_order_of_the_files_does_not_matter(texts: dict[str, str], random: Any) -> None:
    shuffled = list(texts.items())
    random.shuffle(shuffled)
    assert_equal(picture(CodeGraph(texts, facts=CACHE)), picture(CodeGraph(dict(shuffled), facts=CACHE)))


@THOROUGH
@given(repositories(), edits(), edits())
def test_references_leave_the_state_alone(
    texts: dict[str, str], asked: dict[str, str | None], changes: dict[str, str | None]
) -> None:
    graph, untouched = CodeGraph(texts, facts=CACHE), CodeGraph(texts, facts=CACHE)
    for path, content in asked.items():
        graph.references(path, content or "")
    assert_equal(picture(graph), picture(untouched))
    assert graph.update(changes) == untouched.update(changes)
    assert_equal(picture(graph), picture(untouched))


@THOROUGH
@given(repositories(), edits())
def test_undoing_a_write_gives_back_every_view(texts: dict[str, str], changes: dict[str, str | None]) -> None:
    if len(good(texts)) < len(texts):
        return
    graph = CodeGraph(texts, facts=CACHE)
    before = picture(graph)
    there = graph.update(changes)
    back = graph.update({p: texts.get(p) for p in changes})
    assert_equal(picture(graph), before)
    assert there.before == back.after
    assert there.after == back.before
