"""Rows as dicts and columns as lists, and the two clauses several questions share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from storage.schema import (
    records,
    statuses,
)

Row = dict[str, Any]
Columns = dict[str, list[Any]]
STALE = ("text-stale", "view-stale", "state-stale")
_JSON = {"models", "options", "graph_stats", "paths", "symbols", "sights", "stale_lines"}
DRIFT_LISTS = ("changed", "removed", "created", "rewired", "uses", "lost_callers", "paths", "opaque")


def rows_of(connection: Connection, statement: Select[Any], decode: Iterable[str] = ()) -> list[Row]:
    wanted = _JSON | set(decode)
    rows = [dict(row) for row in connection.execute(statement).mappings()]
    for row in rows:
        for name in wanted & row.keys():
            if isinstance(row[name], str):
                row[name] = json.loads(row[name])
    return rows


def columns_of(connection: Connection, statement: Select[*tuple[Any, ...]]) -> Columns:
    result = connection.execute(statement)
    names = list(result.keys())
    fetched = result.fetchall()
    values = list(zip(*fetched, strict=True)) if fetched else [()] * len(names)
    return {name: list(column) for name, column in zip(names, values, strict=True)}


def held_at(run_id: str, t: int) -> list[ColumnElement[bool]]:
    alive = or_(records.c.gone.is_(None), records.c.gone > t)
    return [records.c.run_id == run_id, records.c.born <= t, alive]


def status_at(run_id: str, t: int) -> Any:
    place = func.row_number().over(partition_by=statuses.c.record_id, order_by=statuses.c.t.desc()).label("place")
    known = select(statuses, place).where(statuses.c.run_id == run_id, statuses.c.t <= t).cte("known")
    wanted = [known.c.record_id, known.c.status, known.c.since, known.c.incomplete, known.c.moved, known.c.stale_lines]
    return select(*wanted).where(known.c.place == 1).cte("now")
