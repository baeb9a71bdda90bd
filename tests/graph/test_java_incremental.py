"""Java: the graph after any writes equals the graph from scratch, and a Delta says exactly what differs."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from core.graph.graph import CodeGraph
from tests.graph.java_programs import dense_edit, dense_file, dense_program
from tests.graph.test_incremental import CACHE, THOROUGH, assert_equal, follow, good, picture

seeds = st.integers(0, 2**32)


@THOROUGH
@given(seeds)
def test_incremental_equals_scratch(seed: int) -> None:
    random = Random(seed)
    texts = dense_program(random)
    state, script = dict(texts), []
    for _ in range(6):
        script.append(dense_edit(random, state))
        state = {p: t for p, t in {**state, **script[-1]}.items() if t is not None}
    follow({p: t for p, t in texts.items() if p in good(texts)}, script)


@THOROUGH
@given(seeds)
def test_order_of_the_files_does_not_matter(seed: int) -> None:
    random = Random(seed)
    texts = dense_program(random)
    shuffled = list(texts.items())
    random.shuffle(shuffled)
    assert_equal(picture(CodeGraph(texts, facts=CACHE)), picture(CodeGraph(dict(shuffled), facts=CACHE)))


@THOROUGH
@given(seeds)
def test_references_leave_the_state_alone(seed: int) -> None:
    random = Random(seed)
    texts = dense_program(random)
    changes = dense_edit(random, texts)
    graph, untouched = CodeGraph(texts, facts=CACHE), CodeGraph(texts, facts=CACHE)
    for path in ("src/a/A.java", "src/b/New.java"):
        graph.references(path, dense_file(random, path))
    assert_equal(picture(graph), picture(untouched))
    assert graph.update(changes) == untouched.update(changes)
    assert_equal(picture(graph), picture(untouched))


@THOROUGH
@given(seeds)
def test_undoing_a_write_gives_back_every_view(seed: int) -> None:
    random = Random(seed)
    texts = good(dense_program(random))
    changes = dense_edit(random, texts)
    graph = CodeGraph(texts, facts=CACHE)
    before = picture(graph)
    there = graph.update(changes)
    back = graph.update({p: texts.get(p) for p in changes})
    assert_equal(picture(graph), before)
    assert there.before == back.after
    assert there.after == back.before


def test_programs_are_mostly_well_formed_and_linked() -> None:
    texts = {f"{n}/{p}": t for n in range(40) for p, t in dense_program(Random(n)).items() if p.endswith(".java")}
    assert len(good(texts)) > 0.8 * len(texts)
    graphs = [CodeGraph(dense_program(Random(n)), facts=CACHE) for n in range(40)]
    found = {(e.kind, e.tier) for g in graphs for s in g.symbols() for e in g.callees(s.id) if e.target[0] != "<"}
    assert {("call", "certain"), ("call", "possible"), ("override", "possible"), ("property", "certain")} <= found
