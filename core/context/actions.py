"""What can be done to a nominated record, and a whole plan for one write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ActionName = Literal["refresh", "drop", "rerun", "keep"]
Why = Literal["changed", "removed", "rewired", "uses", "state", "query", "opaque"]
Tier = Literal["certain", "possible"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One reason for a nomination: symbol ``id`` drifted at the ``writes`` (steps, sorted) in the window."""

    id: str
    why: Why
    tier: Tier
    writes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Nomination:
    """The tape's statement at step ``t``: this record may be false, because of these hits (Eq. 7)."""

    t: int
    record_id: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Action:
    """What happens to a record at ``t``, with the text that replaces it (keep: the record's own).

    ``reason`` is one sentence for people; ``pointer`` the record that already shows the fresh lines.
    """

    t: int
    record_id: str
    name: ActionName
    tokens_before: int
    tokens_after: int
    text: str | None
    reason: str
    pointer: str = ""
