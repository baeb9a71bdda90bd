"""The values of the core, built back from the database for one record: what the sentences of page "Why" are made of.

In: rows. Out: the Record, its Nominations and Actions, the Drifts, and a Tape that knows the record's symbols.
The tables keep own-text hashes and edges, not whole views: a call site is named after its target, and a
binding read counts as changed when a write that drifted it by ``uses`` wrote the file that holds it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, select

from core.context.actions import Action, Hit, Nomination
from core.graph.symbols import Delta, View
from core.options import Options
from core.records.record import Query, Record, Referent, State, Symbols
from core.tape.drift import CALL_KINDS, Drift
from core.tape.tape import Tape
from storage.queries import Row, get_record, list_drift, list_nominations
from storage.schema import edges, runs, symbols

_LISTS = ("changed", "removed", "created", "rewired", "uses", "lost_callers", "paths", "opaque")


def record_of(row: Row) -> Record:
    """The Record of a row of ``queries.get_record`` (text left out)."""
    referents: dict[str, Referent] = {
        "symbols": Symbols(tuple(row["symbols"] or ())),
        "state": State(row["born"]),
        "query": Query(row["command"] or ""),
    }
    return Record(
        id=row["record_id"],
        kind=row["kind"],
        born=row["born"],
        text="",
        tokens=row["tokens"] or 0,
        referent=referents.get(row["referent"]),
        path=row["path"],
        start=row["start"],
        end=row["end"],
        gone=row["gone"],
        tool=row["tool"] or "",
        command=row["command"] or "",
    )


def nomination_of(row: Row) -> tuple[Nomination, Action]:
    """The Nomination and default Action of a row of ``queries.list_nominations``."""
    hits = tuple(Hit(h["id"], h["why"], h["tier"], tuple(h["writes"])) for h in row["symbols"] or ())
    action = Action(
        row["t"],
        row["record_id"],
        row["action"],
        row["tokens_before"] or 0,
        row["tokens_after"] or 0,
        None,
        row["reason"] or "",
        row["pointer"] or "",
    )
    return Nomination(row["t"], row["record_id"], hits), action


def drift_of(row: Row) -> Drift:
    """The Drift of a row of ``queries.list_drift``."""
    lists = {name: tuple(row[name] or ()) for name in _LISTS}
    return Drift(t=row["t"], known_at=row["known_at"], documentation=bool(row["documentation"]), **lists)


def tape_for(
    connection: Connection, run_id: str, ids: Sequence[str], drifts: Iterable[Drift], options: Options
) -> Tape:
    """A tape of the whole run that knows the views of ``ids``; cost: the drifts, plus the versions of ``ids``."""
    wanted = set(ids)
    views = _Views(connection, run_id, sorted(wanted))
    tape = Tape(options, lambda symbol: views.at(symbol, 2**31 - 1))
    for drift in sorted(drifts, key=lambda d: (d.known_at, d.t)):
        touched = wanted & {*drift.changed, *drift.removed, *drift.created, *drift.rewired, *drift.uses}
        for symbol in touched & set(drift.uses):
            views.bind(symbol, drift)
        before = {symbol: views.at(symbol, drift.known_at - 1) for symbol in sorted(touched)}
        after = {symbol: views.at(symbol, drift.known_at) for symbol in sorted(touched)}
        tape.append(drift, Delta(before, after))
    return tape


class _Views:
    """Local views over time, from the versions of symbols and of their outgoing edges."""

    def __init__(self, connection: Connection, run_id: str, ids: list[str]) -> None:
        self._own: dict[str, list[tuple[int, int | None, str]]] = {}
        self._edges: dict[str, list[Any]] = {}
        self._bound: dict[str, list[tuple[int, frozenset[str]]]] = {}
        for at in range(0, len(ids), 500):
            part = ids[at : at + 500]
            stood = select(symbols).where(symbols.c.run_id == run_id, symbols.c.symbol_id.in_(part))
            for row in connection.execute(stood.order_by(symbols.c.symbol_id, symbols.c.from_t)):
                self._own.setdefault(row.symbol_id, []).append((row.from_t, row.until, row.own_hash))
            went = select(edges).where(edges.c.run_id == run_id, edges.c.source.in_(part))
            for row in connection.execute(went.order_by(edges.c.n)):
                self._edges.setdefault(row.source, []).append(row)

    def bind(self, symbol: str, drift: Drift) -> None:
        """Note that the write rebound names the symbol reads from the files it wrote."""
        self._bound.setdefault(symbol, []).append((drift.known_at, frozenset(drift.paths)))

    def at(self, symbol: str, t: int) -> View | None:
        """The view after step ``t``, None where the symbol does not exist."""
        own = next((h for a, b, h in self._own.get(symbol, ()) if a <= t and (b is None or t < b)), None)
        if own is None:
            return None
        live = [e for e in self._edges.get(symbol, ()) if e.from_t <= t and (e.until is None or t < e.until)]
        calls: dict[str, set[str]] = {}
        for edge in live:
            if edge.kind in CALL_KINDS:
                calls.setdefault(_site(edge.target), set()).add(edge.target)
        read = {e.why.removeprefix("reads "): e.target.partition("::")[0] for e in live if e.kind == "uses"}
        uses = {
            name: sum(1 for step, paths in self._bound.get(symbol, ()) if step <= t and path in paths)
            for name, path in read.items()
        }
        return View(
            own,
            tuple((site, tuple(sorted(targets))) for site, targets in sorted(calls.items())),
            tuple((name, str(times)) for name, times in sorted(uses.items())),
        )


def _site(target: str) -> str:
    path, _, name = target.partition("::")
    return (name or path).rsplit(".", 1)[-1].partition("#")[0]


def options_of(connection: Connection, run_id: str) -> Options:
    """The switches a run was analysed with; unknown ones of another version are left out."""
    said = connection.execute(select(runs.c.options).where(runs.c.run_id == run_id)).scalar_one_or_none()
    known = Options.__dataclass_fields__
    return Options(**{name: value for name, value in json.loads(said or "{}").items() if name in known})


def explained(
    connection: Connection, run_id: str, record_id: str
) -> tuple[Record, list[tuple[Nomination, Action]], list[Drift], Tape] | None:
    """Everything the sentences about one record need; None when there is no such record."""
    row = get_record(connection, run_id, record_id)
    if row is None:
        return None
    record = record_of(row)
    nominated = [nomination_of(n) for n in list_nominations(connection, run_id, record_id=record_id)]
    drifts = [drift_of(d) for d in list_drift(connection, run_id)]
    ids = {h.id for n, _ in nominated for h in n.hits}
    if isinstance(record.referent, Symbols):
        ids |= set(record.referent.ids)
    tape = tape_for(connection, run_id, sorted(ids), drifts, options_of(connection, run_id))
    return record, nominated, drifts, tape
