"""Steps by window and filter, and the ways from one to the next."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, or_, select

from storage.queries.rows import Row, rows_of
from storage.schema import (
    blobs,
    files,
    nominations,
    steps,
    writes,
)


@dataclass(frozen=True, slots=True)
class StepFilter:
    """Which steps to list; empty means all. ``first..last`` is the brushed range, ``text`` a plain substring."""

    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    path: str = ""
    text: str = ""
    only: str = ""  # "" | "writes" | "nominations"
    first: int | None = None
    last: int | None = None


def _matching(run_id: str, wanted: StepFilter) -> list[ColumnElement[bool]]:
    clauses: list[ColumnElement[bool]] = [steps.c.run_id == run_id]
    if wanted.kinds:
        clauses.append(steps.c.kind.in_(wanted.kinds))
    if wanted.tools:
        clauses.append(steps.c.tool.in_(wanted.tools))
    if wanted.path:
        quoted = json.dumps(wanted.path, ensure_ascii=False)
        clauses.append(steps.c.paths.contains(quoted, autoescape=True))
    if wanted.text:
        having = select(blobs.c.hash).where(blobs.c.text.icontains(wanted.text, autoescape=True))
        clauses.append(or_(steps.c.text.in_(having), steps.c.call.in_(having)))
    if wanted.only:
        table = nominations if wanted.only == "nominations" else writes
        clauses.append(steps.c.t.in_(select(table.c.t).where(table.c.run_id == run_id)))
    if wanted.first is not None:
        clauses.append(steps.c.t >= wanted.first)
    if wanted.last is not None:
        clauses.append(steps.c.t <= wanted.last)
    return clauses


def count_steps(connection: Connection, run_id: str, wanted: StepFilter, before: int | None = None) -> int:
    """How many steps match, or how many of them stand before step ``before``."""
    clauses = _matching(run_id, wanted)
    if before is not None:
        clauses.append(steps.c.t < before)
    return int(connection.execute(select(func.count()).select_from(steps).where(*clauses)).scalar_one())


def list_steps(connection: Connection, run_id: str, wanted: StepFilter, offset: int, limit: int) -> list[Row]:
    """One window of matching steps with how many files each wrote and records it nominated."""
    wrote = select(func.count()).where(writes.c.run_id == run_id, writes.c.t == steps.c.t).scalar_subquery()
    told = select(func.count()).where(nominations.c.run_id == run_id, nominations.c.t == steps.c.t).scalar_subquery()
    window = (
        select(steps.c.t, steps.c.kind, steps.c.tool, steps.c.agent, steps.c.title, steps.c.tokens, steps.c.failed)
        .add_columns(wrote.label("writes"), told.label("nominated"))
        .where(*_matching(run_id, wanted))
        .order_by(steps.c.t)
        .offset(offset)
        .limit(limit)
    )
    return rows_of(connection, window)


def facets(connection: Connection, run_id: str) -> dict[str, list[str]]:
    """The kinds, tools and files a run's steps can be filtered by."""

    def distinct(column: Any, table: Any) -> list[str]:
        found = connection.execute(select(column).where(table.c.run_id == run_id, column.is_not(None)).distinct())
        return sorted(value for (value,) in found if value)

    kinds, tools = distinct(steps.c.kind, steps), distinct(steps.c.tool, steps)
    return {"kinds": kinds, "tools": tools, "files": distinct(files.c.path, files)}


def get_step(connection: Connection, run_id: str, t: int) -> Row | None:
    """One step with the hashes of its texts."""
    found = rows_of(connection, select(steps).where(steps.c.run_id == run_id, steps.c.t == t))
    return found[0] if found else None


def writes_at(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The file writes of step ``t`` in order of happening."""
    return rows_of(connection, select(writes).where(writes.c.run_id == run_id, writes.c.t == t).order_by(writes.c.n))


def writes_known_at(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The file writes that became known at step ``t``."""
    return rows_of(
        connection, select(writes).where(writes.c.run_id == run_id, writes.c.known_at == t).order_by(writes.c.n)
    )


def neighbours(connection: Connection, run_id: str, t: int, wanted: StepFilter) -> dict[str, int | None]:
    """The steps before and after ``t`` to jump to: any step that matches, a write, a nomination."""
    found: dict[str, int | None] = {}
    asked: tuple[tuple[str, Any, list[ColumnElement[bool]]], ...] = (
        ("step", steps, _matching(run_id, wanted)),
        ("write", writes, [writes.c.run_id == run_id]),
        ("nomination", nominations, [nominations.c.run_id == run_id]),
    )
    for name, table, clauses in asked:
        back = select(func.max(table.c.t)).where(*clauses, table.c.t < t)
        ahead = select(func.min(table.c.t)).where(*clauses, table.c.t > t)
        row = connection.execute(select(back.scalar_subquery(), ahead.scalar_subquery())).one()
        found[f"previous_{name}"], found[f"next_{name}"] = row[0], row[1]
    return found
