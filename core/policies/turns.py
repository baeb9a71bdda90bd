"""Turns as the baselines count them: one assistant message with the results of all its calls (METHOD 7).

In: the steps of a moment. Out: the turn of each main-thread step. User messages belong to no turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.trajectory.steps import Step


def last_turns(steps: Sequence[Step], count: int) -> int:
    """The step at which the last ``count`` turns begin, 0 when there are no more than these. O(steps after it)."""
    first, number, last = len(steps) + 1, 0, ""
    for step in reversed(steps):
        if step.agent or step.role != "assistant":
            continue
        if not step.message_id or step.message_id != last:
            number += 1
            last = step.message_id
        if number > count:
            return first
        first = step.t
    return 0


def turns(steps: Sequence[Step]) -> dict[int, int]:
    """t -> number of its turn, from 1; sub-agents' and users' steps are absent. O(steps)."""
    found: dict[int, int] = {}
    number, last = 0, ""
    for step in steps:
        if step.agent or step.role != "assistant":
            continue
        if not step.message_id or step.message_id != last:
            number += 1
            last = step.message_id
        found[step.t] = number
    return found
