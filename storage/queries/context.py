"""What is held after a step, and one record."""

from __future__ import annotations

import json

from sqlalchemy import Connection, func, or_, select

from storage.queries.rows import Row, held_at, rows_of, status_at
from storage.schema import (
    blobs,
    held,
    maintained,
    observations,
    records,
)


def context(connection: Connection, run_id: str, t: int, limit: int = 300, symbol: str = "") -> list[Row]:
    """C_t, the records held after step ``t``, largest first, with their status; ``symbol`` keeps those covering it."""
    now = status_at(run_id, t)
    wanted = (records.c.record_id, records.c.kind, records.c.born, records.c.path, records.c.start, records.c.end)
    statement = select(*wanted, records.c.tokens, records.c.command, now.c.status, now.c.since).select_from(
        records.outerjoin(now, now.c.record_id == records.c.record_id)
    )
    if symbol:
        quoted = json.dumps(symbol, ensure_ascii=False)
        statement = statement.where(records.c.symbols.contains(quoted, autoescape=True))
    statement = statement.where(*held_at(run_id, t)).order_by(
        records.c.tokens.desc(), records.c.born, records.c.record_id
    )
    return rows_of(connection, statement.limit(limit))


def context_sum(connection: Connection, run_id: str, t: int) -> Row:
    """How many records C_t has and the tokens held by status."""
    counted = connection.execute(select(func.count()).select_from(records).where(*held_at(run_id, t))).scalar_one()
    row = connection.execute(select(held).where(held.c.run_id == run_id, held.c.t == t)).mappings().first()
    return {"records": int(counted), **(dict(row) if row else {})}


def context_texts(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The texts of C_t in order of birth."""
    statement = select(
        records.c.record_id, records.c.kind, records.c.born, records.c.path, records.c.tokens, blobs.c.text
    )
    statement = statement.select_from(records.outerjoin(blobs, blobs.c.hash == records.c.text))
    return rows_of(connection, statement.where(*held_at(run_id, t)).order_by(records.c.born, records.c.record_id))


def maintained_texts(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The texts of C_t+, the context the default actions keep, in the order they stand."""
    statement = select(
        maintained.c.origin.label("record_id"), maintained.c.form.label("kind"), maintained.c.from_t.label("born")
    ).add_columns(maintained.c.tokens, blobs.c.text)
    statement = statement.select_from(maintained.outerjoin(blobs, blobs.c.hash == maintained.c.text))
    alive = or_(maintained.c.until.is_(None), maintained.c.until > t)
    statement = statement.where(maintained.c.run_id == run_id, maintained.c.from_t <= t, alive)
    return rows_of(connection, statement.order_by(maintained.c.from_t, maintained.c.id))


def get_record(connection: Connection, run_id: str, record_id: str, t: int | None = None) -> Row | None:
    """One record, with its status after step ``t`` (its last one without ``t``)."""
    now = status_at(run_id, t if t is not None else 2**31 - 1)
    wanted = [now.c.status, now.c.since, now.c.incomplete, now.c.moved, now.c.stale_lines]
    statement = select(records, *wanted).select_from(records.outerjoin(now, now.c.record_id == records.c.record_id))
    found = rows_of(connection, statement.where(records.c.run_id == run_id, records.c.record_id == record_id))
    return found[0] if found else None


def mismatches(connection: Connection, run_id: str, limit: int = 200) -> list[Row]:
    """Observations whose shown lines differ from the replayed file."""
    wanted = select(observations).where(observations.c.run_id == run_id, observations.c.equal < observations.c.compared)
    return rows_of(connection, wanted.order_by(observations.c.t, observations.c.n).limit(limit))
