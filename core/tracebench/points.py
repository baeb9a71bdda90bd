"""Decision points and what stands at each: regions needed, records held, and their token sums (METHOD 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Anchor = Literal["P", "T", "F"]
Rule = Literal["G1", "G2", "G3", "G4"]
GoldSource = Literal["reference", "hindsight", "imported"]
Skip = Literal["", "test-only", "documentation-only", "no-gold", "no-imminent-edit", "opaque"]


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

    ``needed_tokens`` are its tokens on gold lines (the by-line share); ``why`` says in words why it is
    unneeded or what it is needed for.
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
    takes no part in ratios.  ``merged`` is the index of the burst group when reads and searches are bridged.
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
