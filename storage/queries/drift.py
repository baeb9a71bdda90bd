"""What writes drifted, the edges around them, and whom they nominated."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, or_, select

from storage.queries.rows import DRIFT_LISTS, Row, held_at, rows_of
from storage.schema import (
    actions,
    drift,
    edges,
    nominations,
    records,
    symbols,
)


def list_drift(connection: Connection, run_id: str) -> list[Row]:
    """Every write step with its drifted symbols and how much it falsified."""
    return rows_of(connection, select(drift).where(drift.c.run_id == run_id).order_by(drift.c.t), DRIFT_LISTS)


def get_drift(connection: Connection, run_id: str, t: int) -> Row | None:
    """The drift of the write at step ``t``."""
    found = rows_of(connection, select(drift).where(drift.c.run_id == run_id, drift.c.t == t), DRIFT_LISTS)
    return found[0] if found else None


def edges_around(connection: Connection, run_id: str, t: int, ids: Sequence[str], limit: int = 3000) -> list[Row]:
    """Edges with an end among ``ids`` that stood before or after write ``t``: ``old`` and ``new`` say which."""
    before = and_(edges.c.from_t < t, or_(edges.c.until.is_(None), edges.c.until >= t))
    after = and_(edges.c.from_t <= t, or_(edges.c.until.is_(None), edges.c.until > t))
    wanted = select(edges.c.source, edges.c.target, edges.c.kind, edges.c.tier, edges.c.why)
    wanted = wanted.add_columns(before.label("old"), after.label("new"))
    touching = or_(edges.c.source.in_(ids), edges.c.target.in_(ids))
    wanted = wanted.where(edges.c.run_id == run_id, or_(before, after), touching)
    return rows_of(connection, wanted.order_by(edges.c.source, edges.c.target, edges.c.kind, edges.c.n).limit(limit))


def symbol_versions(connection: Connection, run_id: str, symbol: str) -> list[Row]:
    """Where one symbol stood over time."""
    wanted = select(symbols).where(symbols.c.run_id == run_id, symbols.c.symbol_id == symbol)
    return rows_of(connection, wanted.order_by(symbols.c.from_t))


def covered_symbols(connection: Connection, run_id: str, t: int) -> dict[str, int]:
    """Tokens of held records covering each symbol after step ``t``."""
    statement = select(records.c.symbols, records.c.tokens).where(*held_at(run_id, t), records.c.symbols != "[]")
    found: dict[str, int] = {}
    for row in rows_of(connection, statement):
        for name in row["symbols"] or ():
            found[name] = found.get(name, 0) + row["tokens"]
    return found


def list_nominations(
    connection: Connection,
    run_id: str,
    *,
    action: str = "",
    record_id: str = "",
    t: int | None = None,
    limit: int = 2000,
) -> list[Row]:
    """Nominations in step order; without arguments all of them up to ``limit``."""
    clauses = [nominations.c.run_id == run_id]
    if action:
        clauses.append(nominations.c.action == action)
    if record_id:
        clauses.append(nominations.c.record_id == record_id)
    if t is not None:
        clauses.append(nominations.c.t == t)
    joined = nominations.join(records, and_(records.c.run_id == run_id, records.c.record_id == nominations.c.record_id))
    statement = select(nominations, records.c.kind, records.c.command, records.c.text.label("record_text")).select_from(
        joined
    )
    return rows_of(
        connection, statement.where(*clauses).order_by(nominations.c.t, nominations.c.record_id).limit(limit)
    )


def actions_on(connection: Connection, run_id: str, record_id: str) -> list[Row]:
    """What the default actions did to a record in the maintained context, in order."""
    wanted = select(actions).where(actions.c.run_id == run_id, actions.c.record_id == record_id)
    return rows_of(connection, wanted.order_by(actions.c.n))


def record_names(connection: Connection, run_id: str, limit: int = 5000) -> list[Row]:
    """Every record with what it shows, by birth, up to ``limit``."""
    wanted = select(records.c.record_id, records.c.kind, records.c.path, records.c.start, records.c.end)
    wanted = wanted.where(records.c.run_id == run_id).order_by(records.c.born, records.c.record_id)
    return rows_of(connection, wanted.limit(limit))


def nominations_at(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The nominations of the write at step ``t``."""
    return list_nominations(connection, run_id, t=t)
