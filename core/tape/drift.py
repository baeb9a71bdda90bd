"""What one write drifted: X_t and dX_t of Eq. 6, with created, uses and lost callers beside them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Drift:
    """The drift of one write step; all tuples are sorted symbol ids and pairwise disjoint (created aside).

    changed: own text differs (X_t without removed).  removed: no longer exists (X_t).  created: new, cannot
    falsify a record.  rewired: own text equal, an outgoing call reaches something else (dX_t, outgoing).
    uses: equal so far, but a module-level binding it reads differs.  lost_callers: surviving, unchanged
    symbols that lost an incoming call edge.  ``paths`` are the files written; ``opaque`` those whose text
    is not known; ``documentation`` is true when nothing but documentation was written.
    """

    t: int
    known_at: int
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    created: tuple[str, ...]
    rewired: tuple[str, ...]
    uses: tuple[str, ...]
    lost_callers: tuple[str, ...]
    paths: tuple[str, ...]
    opaque: tuple[str, ...] = ()
    documentation: bool = False
