"""Insertions put where a person would say they are (METHOD 6, G1).

In: a hunk that only inserts. Out: the same change at an equivalent place. A diff may show a new definition as
inserted a line into the next one, or before the last lines of the one above, when both begin or end alike.
"""

from __future__ import annotations

from dataclasses import replace

from core.replay.lines import lines_of
from core.tracebench.hunks import Hunk
from core.tracebench.regions import Sweep

# Definitions rarely share more lines at an end; a text of one repeated line must not be walked through.
_REACH = 200


def settled(sweep: Sweep, hunk: Hunk) -> Hunk:
    """The insertion moved out of a function into which nothing but the choice of the diff put it.

    Above is tried before below; a hunk that changes old lines, or that stands nowhere else, stays as it is.
    """
    if hunk.created or hunk.old_end >= hunk.old_start or not hunk.added or _between(sweep, hunk.path, hunk.old_start):
        return hunk
    old, new = sweep.lines(hunk.path), lines_of(hunk.new_text or "")
    first, last = hunk.added[0], hunk.added[-1]
    for step in (-1, 1):
        shift = 0
        while abs(shift) < _REACH:
            passed = hunk.old_start + shift - (step < 0)  # the old line the insertion would move past
            repeated = (last if step < 0 else first) + shift
            if not (1 <= passed <= len(old) and 1 <= repeated <= len(new) and old[passed - 1] == new[repeated - 1]):
                break
            shift += step
            if _between(sweep, hunk.path, hunk.old_start + shift):
                return _moved(hunk, shift)
    return hunk


def _between(sweep: Sweep, path: str, at: int) -> bool:
    inside = sweep.around(path, at)
    return inside is None or inside.kind == "class"


def _moved(hunk: Hunk, shift: int) -> Hunk:
    start = hunk.old_start + shift
    return replace(hunk, old_start=start, old_end=start - 1, added=tuple(n + shift for n in hunk.added))
