"""Edit bursts: the runs of consecutive edits that decision points stand before (Appendix E, METHOD 6).

In: a ``Trajectory``. Out: its bursts in order, and the groups they form when reads and searches between
them are bridged. Only main-thread steps count: a sub-agent's step neither joins nor breaks a burst. A shell
write is a ``run`` step, so it ends a burst and starts none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.trajectory.steps import Step, Trajectory


@dataclass(frozen=True, slots=True)
class Burst:
    """A maximal run of consecutive successful edits: ``steps`` (sorted) from ``first`` to ``last``.

    ``group`` counts, from 0, the groups of bursts with nothing but reads, searches and talk between them.
    """

    first: int
    last: int
    steps: tuple[int, ...]
    group: int = 0


def bursts(trajectory: Trajectory) -> tuple[Burst, ...]:
    """The edit bursts of a run, in order; O(steps).

    Talk, to-do updates and failed edits between two edits do not break a burst; reads, searches and runs
    do. A failed edit is never a member, so it starts no burst and ends none.
    """
    found: list[Burst] = []
    current: list[int] = []
    group, bridged = -1, False
    for step in main_steps(trajectory):
        if step.neutral or step.kind == "say":
            continue
        if step.kind == "edit":
            if step.failed:
                continue
            if not current and not bridged:
                group += 1
            bridged = True
            current.append(step.t)
            continue
        if current:
            found.append(Burst(current[0], current[-1], tuple(current), group))
            current = []
        bridged = bridged and step.kind in ("read", "search")
    if current:
        found.append(Burst(current[0], current[-1], tuple(current), group))
    return tuple(found)


def main_steps(trajectory: Trajectory) -> Iterator[Step]:
    """The steps of the main thread, in order."""
    return (step for step in trajectory.steps if not step.agent)
