"""Decision points, what each held and needed, and the text of files."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, false, func, or_, select

from storage.queries.rows import STALE, Row, held_at, rows_of, status_at
from storage.schema import (
    blobs,
    files,
    point_records,
    points,
    records,
    regions,
)

_UNSEEN = "shows nothing of a file the next edit needs"


def list_points(connection: Connection, run_id: str, anchors: Sequence[str] = ("P",)) -> list[Row]:
    """The decision points of the given anchors in step order."""
    wanted = select(points).where(points.c.run_id == run_id, points.c.anchor.in_(anchors))
    return rows_of(connection, wanted.order_by(points.c.t, points.c.anchor))


def point_held(connection: Connection, run_id: str, t: int, anchor: str, limit: int = 1000) -> list[Row]:
    """The records held at one decision point with their cell and why, unneeded stale first."""
    now = status_at(run_id, t)
    told = point_records.c
    key = (told.run_id == run_id, told.t == t, told.anchor == anchor, told.record_id == records.c.record_id)
    joined = records.join(now, now.c.record_id == records.c.record_id).outerjoin(point_records, and_(*key))
    needed = func.coalesce(told.needed, false())
    stale = now.c.status.in_(STALE)
    wanted = select(
        records.c.record_id,
        records.c.tokens,
        needed.label("needed"),
        stale.label("stale"),
        func.coalesce(told.needed_tokens, 0).label("needed_tokens"),
        func.coalesce(told.why, _UNSEEN).label("why"),
        records.c.kind,
        records.c.path,
        records.c.start,
        records.c.end,
        records.c.born,
    )
    order = (needed, stale.desc(), records.c.tokens.desc(), records.c.born)
    return rows_of(connection, wanted.select_from(joined).where(*held_at(run_id, t)).order_by(*order).limit(limit))


def point_regions(connection: Connection, run_id: str, t: int, anchor: str) -> list[Row]:
    """The needed regions of one decision point in the order of the rules."""
    key = (regions.c.run_id == run_id, regions.c.t == t, regions.c.anchor == anchor)
    return rows_of(connection, select(regions).where(*key).order_by(regions.c.rule, regions.c.n))


def file_text(connection: Connection, run_id: str, path: str, t: int) -> str | None:
    """The text of ``path`` after step ``t`` (0 = the base), None when it is not known or does not exist."""
    alive = or_(files.c.until.is_(None), files.c.until > t)
    statement = select(blobs.c.text).select_from(files.join(blobs, blobs.c.hash == files.c.text))
    statement = statement.where(files.c.run_id == run_id, files.c.path == path, files.c.from_t <= t, alive)
    return connection.execute(statement.order_by(files.c.from_t.desc()).limit(1)).scalar_one_or_none()
