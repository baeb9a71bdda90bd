"""The order of the changes: what leads to each other is one topic, and every change is made once."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks.tracebench.agent import simulate
from benchmarks.tracebench.changes import changes
from benchmarks.tracebench.parameters import Parameters
from benchmarks.tracebench.plan import plan, topics
from tests.tracebench_sim.small import reference


def test_users_of_a_changed_definition_are_its_topic() -> None:
    small = reference()
    source = [c for c in changes(small.task) if c.path.endswith(".py")]
    found = [[c.path for c in group] for group in topics(small, source)]
    assert found == [["shop/main.py", "shop/shop.py", "shop/tax.py"], ["shop/new.py"], ["shop/old.py"]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("follow", [0.0, 1.0])
def test_each_change_is_in_one_burst_and_documentation_is_last(seed: int, follow: float) -> None:
    small = reference()
    known = changes(small.task)
    ordered, found = plan(small, known, replace(Parameters(), follow=follow), random.Random(seed))
    flat = [change for burst in ordered for change in burst]
    assert sorted(flat, key=lambda c: c.path) == sorted(known, key=lambda c: c.path)
    assert flat[-1].path == "README.md"
    assert all(len(burst) == 1 for burst in ordered if burst[0].kind == "delete")
    assert set(found) <= set(flat)


def test_long_bursts_join_files_and_short_ones_do_not() -> None:
    small = reference()
    edits = [c for c in changes(small.task) if c.path.endswith(".py") and c.kind == "edit"]
    together, _ = plan(small, edits, replace(Parameters(), burst=1e9, join=1.0), random.Random(0))
    apart, _ = plan(small, edits, replace(Parameters(), burst=1e9, join=0.0), random.Random(0))
    assert [len(burst) for burst in together] == [3]
    assert [len(burst) for burst in apart] == [1, 1, 1]


def test_a_run_ends_after_the_most_changes() -> None:
    found = simulate(reference(), replace(Parameters(), burst=1.0, most_changes=2), 0)
    assert (found.made, found.left) == (2, 4)
