"""JavaScript: the graph after any writes equals the graph from scratch, and a Delta says exactly what differs."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.graph.graph import CodeGraph
from tests.graph.javascript_programs import dense_edit, dense_program, edits, programs
from tests.graph.test_incremental import CACHE, THOROUGH, assert_equal, follow, good, picture


@THOROUGH
@given(programs(), st.lists(edits(), min_size=1, max_size=4))
def test_incremental_equals_scratch(texts: dict[str, str], script: list[dict[str, str | None]]) -> None:
    follow({p: t for p, t in texts.items() if p in good(texts)}, script)


@THOROUGH
@given(st.integers(0, 2**32))
def test_incremental_equals_scratch_in_dense_programs(seed: int) -> None:
    random = Random(seed)
    texts = dense_program(random)
    state, script = dict(texts), []
    for _ in range(6):
        script.append(dense_edit(random, state))
        state = {p: t for p, t in {**state, **script[-1]}.items() if t is not None}
    follow({p: t for p, t in texts.items() if p in good(texts)}, script)


@THOROUGH
@given(programs(), st.randoms(use_true_random=False))
def test_order_of_the_files_does_not_matter(texts: dict[str, str], random: Any) -> None:
    shuffled = list(texts.items())
    random.shuffle(shuffled)
    assert_equal(picture(CodeGraph(texts, facts=CACHE)), picture(CodeGraph(dict(shuffled), facts=CACHE)))


@THOROUGH
@given(programs(), edits(), edits())
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
@given(programs(), edits())
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
