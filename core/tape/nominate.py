"""The tape's statement about the held context: which records the writes may have falsified (Eq. 7).

In: held records and the tape. Out: N_t = {r in C_t : rho_r meets X_(born,t] or dX_(born,t]}, plus every
State record with a write to anything but documentation in (born, t] (Notation), each with its hits.
Complete by rule, no model: a record that is not nominated has equal local views at birth and now (Theorem 1a).

Departs: ``uses`` adds symbols whose module-level bindings differ; ``checked`` (a settled record is nominated
again only on drift after it was settled); files with unknown text nominate on any write to them; ``queries``
nominates a search whose answer a write changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.context.actions import Hit, Nomination, Why
from core.records.held import Held
from core.records.record import Query, Record, State, Symbols
from core.tape.tape import Tape

STATE_ID = "<repository>"
QUERY_ID = "<query>"


def nominate(
    records: Iterable[Record], tape: Tape, t: int, settled: Mapping[str, int] | None = None
) -> tuple[Nomination, ...]:
    """N_t over ``records``, in their order; a record ``settled`` at s counts only if it drifted again in (s, t].

    The hits are those of the whole window (born, t] either way. Cost: O(log k) a (record, symbol) pair.
    """
    found = []
    for record in records:
        hits = hits_of(record, tape, t)
        if not hits:
            continue
        since = (settled or {}).get(record.id, record.born)
        if since <= record.born or _again(record, tape, since, t):
            found.append(Nomination(t, record.id, hits))
    return tuple(found)


def hits_of(record: Record, tape: Tape, t: int) -> tuple[Hit, ...]:
    """Why the record may be false of w_t: its hits in (born, t], sorted by symbol id."""
    if isinstance(record.referent, State):
        writes = tape.code_writes_in(record.born, t)
        return (Hit(STATE_ID, "state", "certain", writes),) if writes else ()
    if isinstance(record.referent, Query):
        writes = tape.queries_in(record.id, record.born, t)
        return (Hit(QUERY_ID, "query", "certain", writes),) if writes else ()
    if not isinstance(record.referent, Symbols):
        return ()
    hits = [hit for i in record.referent.ids if (hit := _symbol_hit(i, tape, record.born, t))]
    return tuple(sorted((*hits, *_opaque_hits(record, record.referent, tape, t)), key=lambda h: h.id))


def _symbol_hit(symbol_id: str, tape: Tape, born: int, t: int) -> Hit | None:
    """The one hit of a covered symbol; removed wins, and a text that is back with other calls is rewired."""
    drifted = tape.changed_in(symbol_id, born, t)
    if drifted and tape.removed(symbol_id, t):
        return Hit(symbol_id, "removed", "certain", drifted)
    rewired = tape.rewired_between(symbol_id, born, t)
    if drifted and not (rewired and same_own(symbol_id, tape, born, t)):
        return Hit(symbol_id, "changed", "certain", drifted)
    why: Why
    if rewired:
        why = "rewired"
    elif tape.uses_between(symbol_id, born, t):
        why = "uses"
    else:
        return None
    steps = tape.view_steps(symbol_id, born, t)
    return Hit(symbol_id, why, tape.tier(symbol_id, steps) if why == "rewired" else "certain", steps)


def same_own(symbol_id: str, tape: Tape, born: int, t: int) -> bool:
    """Whether b(v) is the same at both ends of the window."""
    before, after = tape.view_at(symbol_id, born), tape.view_at(symbol_id, t)
    return before is not None and after is not None and before.own == after.own


def _opaque_hits(record: Record, referent: Symbols, tape: Tape, t: int) -> list[Hit]:
    shown = sorted({s.path for s in record.sights} | set(referent.opaque))
    hits = []
    for path in shown:
        unknown = path in referent.opaque
        steps = tape.written_in(path, record.born, t) if unknown else tape.opaque_in(path, record.born, t)
        if steps:
            hits.append(Hit(path, "opaque", "certain", steps))
    return hits


def _again(record: Record, tape: Tape, since: int, t: int) -> bool:
    """Whether anything the record is about drifted in (since, t]."""
    if isinstance(record.referent, State):
        return bool(tape.code_writes_in(since, t))
    if isinstance(record.referent, Query):
        return bool(tape.queries_in(record.id, since, t))
    if not isinstance(record.referent, Symbols):
        return False
    if any(_symbol_hit(i, tape, since, t) for i in record.referent.ids):
        return True
    return any(tape.written_in(p, since, t) for p in record.referent.opaque) or any(
        tape.opaque_in(s.path, since, t) for s in record.sights
    )


class Listing:
    """Nominations of the recorded context as the export lists them: a row only where a write adds a symbol.

    A State record has one row, at its first write. ``held`` is the recorded context, kept by the caller.
    """

    def __init__(self, tape: Tape, held: Held) -> None:
        self._tape = tape
        self._held = held
        self._listed: dict[str, set[str]] = {}
        self._hits: dict[str, tuple[Hit, ...]] = {}  # of records that have any, State records aside

    def at(self, t: int) -> tuple[Nomination, ...]:
        """The new rows once every write known at ``t`` is on the tape, in order of birth; call once a step.

        Cost: the records that cover a touched symbol or a written file of unknown text, and the State records
        not listed yet.
        """
        rows = []
        for record in candidates(self._held, self._tape, t, self._listed):
            hits = self._hits[record.id] = hits_of(record, self._tape, t)
            listed = self._listed.setdefault(record.id, set()) if hits else set()
            ids = {hit.id for hit in hits}
            if ids - listed:
                listed |= ids
                rows.append(Nomination(t, record.id, hits))
        return tuple(rows)

    def current(self, t: int) -> tuple[Nomination, ...]:
        """N_t over everything held, in order of birth: ``nominate``, from what ``at`` found for each write so far."""
        return tuple(Nomination(t, r.id, hits) for r in self._held if (hits := self._hits_now(r, t)))

    def _hits_now(self, record: Record, t: int) -> tuple[Hit, ...]:
        if isinstance(record.referent, State):
            return hits_of(record, self._tape, t)
        return self._hits.get(record.id, ())


def candidates(held: Held, tape: Tape, t: int, listed: Iterable[str] = ()) -> list[Record]:
    """The held records whose hits the writes known at ``t`` can have changed, in order of birth."""
    paths = tape.paths_at(t)
    if not paths:
        return []
    done = set(listed)
    found = {r.id: r for r in held.covering(tape.touched(t))}
    found.update((r.id, r) for r in held.showing(paths) if _opaque_hits_possible(r, tape, paths, t))
    found.update((r.id, r) for r in held.states() if r.id not in done)
    found.update((r.id, r) for r in held.queries() if tape.queries_in(r.id, t - 1, t))
    return sorted(found.values(), key=lambda r: (r.born, r.id))


def _opaque_hits_possible(record: Record, tape: Tape, paths: Iterable[str], t: int) -> bool:
    if isinstance(record.referent, Symbols) and record.referent.opaque:
        return True
    return any(tape.opaque_in(path, t - 1, t) for path in paths)
