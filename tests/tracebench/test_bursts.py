"""Edit bursts and decision points, on scripts of one word a step."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tracebench.bursts import bursts
from core.tracebench.points import find_points
from tests.tracebench.made_runs import trajectory


def spans(script: str) -> list[tuple[int, int, tuple[int, ...], int]]:
    return [(b.first, b.last, b.steps, b.group) for b in bursts(trajectory(script))]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        ("r s x y", []),
        ("e", [(1, 1, (1,), 0)]),
        ("r e e r e", [(2, 3, (2, 3), 0), (5, 5, (5,), 0)]),
        ("e y e", [(1, 3, (1, 3), 0)]),
        ("e n e", [(1, 3, (1, 3), 0)]),
        ("e r e", [(1, 1, (1,), 0), (3, 3, (3,), 0)]),
        ("e s e", [(1, 1, (1,), 0), (3, 3, (3,), 0)]),
        ("e x e", [(1, 1, (1,), 0), (3, 3, (3,), 1)]),
        ("e r T r e", [(1, 1, (1,), 0), (5, 5, (5,), 1)]),
        ("e! r", []),
        ("e! e", [(2, 2, (2,), 0)]),
        ("e e! e", [(1, 3, (1, 3), 0)]),
        ("e e! r e", [(1, 1, (1,), 0), (4, 4, (4,), 0)]),
        ("e (r) e", [(1, 3, (1, 3), 0)]),
        ("(e) (e)", []),
        ("e (x) e (e)", [(1, 3, (1, 3), 0)]),
        ("e y", [(1, 1, (1,), 0)]),
    ],
)
def test_bursts(script: str, expected: list[tuple[int, int, tuple[int, ...], int]]) -> None:
    assert spans(script) == expected


def test_points_of_a_run() -> None:
    #            1 2 3 4 5 6 7 8
    points = find_points(trajectory("r e e T e r e x"))
    seen = [(p.t, p.anchor, p.burst.first if p.burst else None, p.edits, p.merged) for p in points]
    assert seen == [
        (1, "P", 2, 0, 0),
        (4, "P", 5, 2, 1),
        (4, "T", 5, 2, 1),
        (6, "P", 7, 3, 1),
        (8, "F", None, 4, 2),
    ]


def test_a_test_run_before_the_end_looks_at_the_next_burst_and_the_last_one_at_none() -> None:
    points = find_points(trajectory("T r e T"))
    assert [(p.t, p.anchor, p.burst.first if p.burst else None) for p in points] == [
        (1, "T", 3),
        (2, "P", 3),
        (4, "T", None),
        (4, "F", None),
    ]


def test_a_run_without_steps_has_no_points_and_an_edit_first_has_one_at_zero() -> None:
    assert find_points(trajectory("")) == ()
    assert [(p.t, p.anchor) for p in find_points(trajectory("e"))] == [(0, "P"), (1, "F")]


def test_hidden_test_runs_and_those_without_a_result_are_no_points() -> None:
    assert [p.anchor for p in find_points(trajectory("(T) r"))] == ["F"]
    run = trajectory("T r")
    assert [p.anchor for p in find_points(run)] == ["T", "F"]
    blank = replace(run, steps=(replace(run.steps[0], empty=True), run.steps[1]))
    assert [p.anchor for p in find_points(blank)] == ["F"]


@given(st.lists(st.sampled_from(["r", "e", "e!", "x", "s", "y", "n", "T", "(e)", "(r)"]), max_size=30))
def test_bursts_partition_the_successful_main_edits(words: list[str]) -> None:
    found = bursts(trajectory(" ".join(words)))
    assert [t for b in found for t in b.steps] == [t for t, w in enumerate(words, 1) if w == "e"]
    for left, right in itertools.pairwise(found):
        between = set(words[left.last : right.first - 1])
        assert between & {"r", "x", "s", "T"}
        assert (right.group == left.group) == (not between & {"x", "T"})
    for burst in found:
        assert not set(words[burst.first - 1 : burst.last]) & {"r", "x", "s", "T"}
