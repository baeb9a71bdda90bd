"""Replay: the likeliest step of a change that nothing in the transcript states (METHOD 4).

In: the ``State``, a file, the step that saw it changed, what it then held. Out: a step and what kind of author it is.
"""

from __future__ import annotations

from core.replay.lines import line_map
from core.replay.state import State
from core.replay.world import WriteSource
from core.trajectory.steps import Step

_OBSERVING = ("test", "build", "lint", "types")
_FEW_LINES = 6


def place_of(state: State, key: str, step: Step, after: str | None) -> tuple[int, WriteSource]:
    """The likeliest step of an unknown write: after the text was last certain, before it was seen changed.

    Commands that moved HEAD and, for a small change, formatters and linters first; then plain runs, the start of a
    user's turn, test and build runs; if none stands there the change came from outside.
    """
    low = state.seen.get(key, 0)
    small = _is_small(state.text(key), after)
    fixers = [t for t, reformats in state.fixers if low < t < step.t and (small or not reformats)]
    linters = [t for t, purpose in state.runs if low < t < step.t and purpose == "lint" and small]
    if fixers or linters:
        return (fixers or linters)[0], "observed"
    plain = [t for t, purpose in state.runs if low < t < step.t and purpose not in _OBSERVING]
    turns = [t for t in state.turns if low < t <= step.t]
    tests = [t for t, purpose in state.runs if low < t < step.t and purpose in _OBSERVING]
    for candidates in (plain, turns, tests):
        if candidates:
            return candidates[-1], "observed"
    return step.t, "external"


def _is_small(before: str | None, after: str | None) -> bool:
    """Whether a formatter or fixing linter may have made the change: white space only, or few lines."""
    if before is None or after is None:
        return True
    if before.split() == after.split():
        return True
    changed = sum(b.old_end - b.old_start + b.new_end - b.new_start + 2 for b in line_map(before, after).blocks)
    return changed <= _FEW_LINES
