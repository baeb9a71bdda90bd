"""Which held records are false of w_t: measurement only, seen by no policy (METHOD 3, Staleness)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# none: no referent, nothing to be false of.  The three stale kinds differ in what became false.
Status = Literal["true", "text-stale", "view-stale", "state-stale", "none"]


@dataclass(frozen=True, slots=True)
class StatusChange:
    """From step ``t`` on, until its next change, the record has this status; ``since`` is the write that caused it.

    ``incomplete``: something new stands between the definitions a whole-file read shows.  ``moved``: the
    text is true, its line numbers are not.  ``stale_lines`` lists stale shown line ranges (in w_born).
    """

    record_id: str
    t: int
    status: Status
    since: int | None = None
    incomplete: bool = False
    moved: bool = False
    stale_lines: tuple[tuple[int, int], ...] = ()
