"""How what is held grows, and what requests carried it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Integer, cast, func, or_, select

from storage.queries.rows import Columns, Row, columns_of, rows_of
from storage.schema import (
    curve,
    maintained,
    records,
    usages,
)


def curves(connection: Connection, run_ids: Sequence[str]) -> Columns:
    """The curve rows of the given runs, by run and edits."""
    return columns_of(connection, select(curve).where(curve.c.run_id.in_(run_ids)).order_by(curve.c.run_id, curve.c.t))


def usage_sum(connection: Connection, run_id: str) -> Row:
    """Tokens the API reported over the main thread of a run."""
    names = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    sums = [cast(func.sum(usages.c[name]), Integer).label(name) for name in names]
    statement = select(func.count().label("requests"), *sums).where(usages.c.run_id == run_id)
    return dict(connection.execute(statement).mappings().one())


def request_steps(connection: Connection, run_id: str) -> list[int]:
    """The first step of every request on the main thread: when the held context is billed again."""
    alone = or_(usages.c.agent.is_(None), usages.c.agent == "")
    return [
        t
        for (t,) in connection.execute(select(usages.c.t).where(usages.c.run_id == run_id, alone).order_by(usages.c.t))
    ]


def held_items(connection: Connection, run_id: str) -> tuple[list[Row], list[Row]]:
    """What was held when, as recorded and as maintained: id, origin, from_t, until, tokens."""
    was = select(records.c.record_id.label("id"), records.c.record_id.label("origin"), records.c.born.label("from_t"))
    was = was.add_columns(records.c.gone.label("until"), records.c.tokens).where(records.c.run_id == run_id)
    kept = select(maintained.c.id, maintained.c.origin, maintained.c.from_t, maintained.c.until, maintained.c.tokens)
    kept = kept.where(maintained.c.run_id == run_id)
    return (
        rows_of(connection, was.order_by(records.c.born, records.c.record_id)),
        rows_of(connection, kept.order_by(maintained.c.from_t, maintained.c.id)),
    )
