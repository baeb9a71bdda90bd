"""Decision points, what each held and needed, and the text of files."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, or_, select

from storage.queries.rows import Row, rows_of
from storage.schema import (
    blobs,
    files,
    point_records,
    points,
    records,
    regions,
)


def list_points(connection: Connection, run_id: str, anchors: Sequence[str] = ("P",)) -> list[Row]:
    """The decision points of the given anchors in step order."""
    wanted = select(points).where(points.c.run_id == run_id, points.c.anchor.in_(anchors))
    return rows_of(connection, wanted.order_by(points.c.t, points.c.anchor))


def point_held(connection: Connection, run_id: str, t: int, anchor: str, limit: int = 1000) -> list[Row]:
    """The records held at one decision point with their cell and why, unneeded stale first."""
    joined = point_records.join(
        records, and_(records.c.run_id == run_id, records.c.record_id == point_records.c.record_id)
    )
    told = (point_records.c.needed_tokens, point_records.c.why)
    wanted = select(
        point_records.c.record_id, point_records.c.tokens, point_records.c.needed, point_records.c.stale, *told
    )
    wanted = wanted.add_columns(records.c.kind, records.c.path, records.c.start, records.c.end, records.c.born)
    key = (point_records.c.run_id == run_id, point_records.c.t == t, point_records.c.anchor == anchor)
    order = (point_records.c.needed, point_records.c.stale.desc(), point_records.c.tokens.desc(), records.c.born)
    return rows_of(connection, wanted.select_from(joined).where(*key).order_by(*order).limit(limit))


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
