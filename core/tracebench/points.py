"""Decision points and what stands at each: regions needed, records held, and their token sums (METHOD 6)."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

from core.tracebench.bursts import Burst, bursts, main_steps
from core.trajectory.steps import Trajectory

Anchor = Literal["P", "T", "F"]
Rule = Literal["G1", "G2", "G3", "G4"]
GoldSource = Literal["reference", "hindsight", "imported"]
Skip = Literal["", "test-only", "documentation-only", "no-gold", "no-imminent-edit", "opaque"]


@dataclass(frozen=True, slots=True)
class Point:
    """A decision point before anything is measured at it: the context is steps 1..t, the decision step t + 1.

    ``burst`` is the imminent burst (T and F: the next one, None when no edit follows); ``edits`` the
    successful main-thread edits at or before ``t``; ``merged`` the burst's group, or the number of groups.
    """

    t: int
    anchor: Anchor
    burst: Burst | None
    edits: int
    merged: int


@dataclass(frozen=True, slots=True)
class Region:
    """One needed region: lines ``start..end`` of ``path`` in the pre-edit state, the rule that admits it and why.

    ``tokens`` counts its tokens not already counted by an earlier rule at this point; ``held_tokens`` those
    of them that a held record shows.  ``symbol`` is the definition, if it is one.
    """

    path: str
    start: int
    end: int
    rule: Rule
    why: str
    tokens: int
    held_tokens: int
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class HeldRecord:
    """One record of C_t at a decision point: in which of the four cells it falls, and why.

    ``needed_tokens`` are its tokens on gold lines (the by-line share); ``why`` says in words what it is
    needed for, or why not although it is on a needed file; "" when it shows nothing of any needed file.
    """

    record_id: str
    tokens: int
    needed: bool
    stale: bool
    needed_tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """The state of knowledge after step ``t``, before the burst ``first..last`` (T and F: the next burst or none).

    held = unneeded + held_needed over whole records; stale is the stale part of unneeded, stale_needed that
    of needed records; needed = gold_held + missing over deduplicated gold spans.  ``skip`` says why a point
    takes no part in ratios. An analysis keeps of ``records`` those on needed files: of the rest there is
    nothing to say.  ``near`` counts the tokens within 20 lines of the hunks, since huge functions are read in
    part, and ``near_held`` those held. ``merged`` is the index of the burst group when reads and searches are bridged.
    """

    t: int
    anchor: Anchor
    first: int | None
    last: int | None
    gold_source: GoldSource
    held: int
    unneeded: int
    held_needed: int
    stale: int
    stale_needed: int
    needed: int
    gold_held: int
    missing: int
    edits: int
    regions: tuple[Region, ...]
    records: tuple[HeldRecord, ...]
    skip: Skip = ""
    merged: int = 0
    context_complete: bool = True
    near: int = 0
    near_held: int = 0


@dataclass(frozen=True, slots=True)
class CurveRow:
    """One scored point P on the edit axis (Figure 2): tokens held, unneeded, stale among them, needed, missing."""

    edits: int
    t: int
    held: int
    unneeded: int
    stale: int
    needed: int
    missing: int


def find_points(trajectory: Trajectory) -> tuple[Point, ...]:
    """The decision points of a run by (t, P before T before F).

    P stands before each burst, T after each test run of the main thread, F at the end; a run without steps
    has none. O(steps log bursts).
    """
    found = bursts(trajectory)
    edits = [t for burst in found for t in burst.steps]
    firsts = [burst.first for burst in found]
    groups = found[-1].group + 1 if found else 0

    def point(t: int, anchor: Anchor) -> Point:
        at = bisect_left(firsts, t + 1)
        burst = found[at] if at < len(found) else None
        return Point(t, anchor, burst, bisect_left(edits, t + 1), burst.group if burst else groups)

    points = [point(burst.first - 1, "P") for burst in found]
    points += [
        point(s.t, "T") for s in main_steps(trajectory) if s.purpose == "test" and s.kind == "run" and not s.empty
    ]
    if trajectory.steps:
        points.append(point(len(trajectory.steps), "F"))
    order = {"P": 0, "T": 1, "F": 2}
    return tuple(sorted(points, key=lambda p: (p.t, order[p.anchor])))
