"""What the lifecycle chart draws: tokens by status, lanes, marks."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, case, cast, func, literal, or_, select

from storage.queries.rows import Columns, columns_of
from storage.schema import (
    compactions,
    drift,
    held,
    nominations,
    point_records,
    points,
    records,
    statuses,
)


def held_by_status(connection: Connection, run_id: str, width: int) -> Columns:
    """Tokens held by status after the last step of each bin of ``width`` steps, with the maintained context beside."""
    bins = (held.c.t - 1) / literal(width) if width == 1 else cast(func.floor((held.c.t - 1) / width), Integer)
    last = select(func.max(held.c.t)).where(held.c.run_id == run_id).group_by(bins)
    statement = select(
        held.c.t,
        held.c.true_tokens,
        held.c.stale_tokens,
        held.c.none_tokens,
        held.c.m_true,
        held.c.m_stale,
        held.c.m_none,
    ).where(held.c.run_id == run_id)
    if width > 1:
        statement = statement.where(held.c.t.in_(last))
    return columns_of(connection, statement.order_by(held.c.t))


def lane_group() -> ColumnElement[Any]:
    """The lane a record belongs to: its file, else what kind of evidence it is."""
    kind = records.c.kind
    other = case((kind == "search", "search"), (kind == "test", "test"), (kind == "run", "run"), else_="talk")
    return func.coalesce(records.c.path, other)


def lanes(connection: Connection, run_id: str) -> Columns:
    """Every record ever born, by lane group and birth."""
    wanted = (records.c.record_id, records.c.kind, records.c.born, records.c.gone, records.c.path, records.c.start)
    statement = select(*wanted, records.c.end, records.c.tokens, lane_group().label("lane")).where(
        records.c.run_id == run_id
    )
    return columns_of(connection, statement.order_by(records.c.born, records.c.record_id))


def _intervals(run_id: str) -> Any:
    """(record_id, t, until, status, since): when each record had which status, until None = to the end of its life."""
    following = func.lead(statuses.c.t).over(partition_by=statuses.c.record_id, order_by=statuses.c.t)
    return (
        select(statuses.c.record_id, statuses.c.t, following.label("until"), statuses.c.status, statuses.c.since)
        .where(statuses.c.run_id == run_id)
        .cte("intervals")
    )


def status_intervals(connection: Connection, run_id: str) -> Columns:
    """Each record's statuses with the step the next one begins at."""
    spans = _intervals(run_id)
    return columns_of(connection, select(spans).order_by(spans.c.t, spans.c.record_id))


def lane_changes(connection: Connection, run_id: str, width: int) -> Columns:
    """Changes of tokens held by (lane, bin of ``width`` steps, coarse status); a running sum gives what is held."""
    spans = _intervals(run_id)
    coarse = case((spans.c.status == "none", "none"), (spans.c.status == "true", "true"), else_="stale")
    ends = func.coalesce(spans.c.until, records.c.gone)
    live = select(
        lane_group().label("lane"),
        spans.c.t.label("start"),
        ends.label("stop"),
        coarse.label("status"),
        records.c.tokens,
    ).select_from(spans.join(records, and_(records.c.run_id == run_id, records.c.record_id == spans.c.record_id)))
    live_cte = live.where(or_(records.c.gone.is_(None), spans.c.t < records.c.gone)).cte("live")

    def side(step: Any, sign: int) -> Select[Any]:
        at = cast(func.floor((step - 1) / width), Integer)
        return select(live_cte.c.lane, at.label("bin"), live_cte.c.status, (live_cte.c.tokens * sign).label("tokens"))

    both = (
        side(live_cte.c.start, 1).union_all(side(live_cte.c.stop, -1).where(live_cte.c.stop.is_not(None))).cte("both")
    )
    total = cast(func.sum(both.c.tokens), Integer).label("tokens")
    statement = select(both.c.lane, both.c.bin, both.c.status, total).group_by(both.c.lane, both.c.bin, both.c.status)
    return columns_of(connection, statement.order_by(both.c.lane, both.c.bin, both.c.status))


def lane_sizes(connection: Connection, run_id: str) -> Columns:
    """Records, tokens and first birth of each lane group."""
    lane = lane_group().label("lane")
    statement = select(
        lane,
        func.count().label("records"),
        func.min(records.c.born).label("born"),
        func.min(records.c.path).label("path"),
    ).add_columns(cast(func.sum(records.c.tokens), Integer).label("tokens"))
    return columns_of(
        connection, statement.where(records.c.run_id == run_id).group_by(lane).order_by(func.min(records.c.born))
    )


def marks(connection: Connection, run_id: str, width: int) -> dict[str, Columns]:
    """Writes and points by bin of ``width`` steps (``t`` is the first in it, ``n`` how many), and compactions."""
    wrote = cast(func.floor((drift.c.t - 1) / width), Integer)
    told = select(
        func.min(drift.c.t).label("t"), func.count().label("n"), func.min(drift.c.paths).label("paths")
    ).add_columns(
        cast(func.sum(drift.c.falsified_records), Integer).label("falsified_records"),
        cast(func.sum(drift.c.falsified_tokens), Integer).label("falsified_tokens"),
    )
    told = told.where(drift.c.run_id == run_id).group_by(wrote).order_by(func.min(drift.c.t))
    stands = cast(func.floor((points.c.t - 1) / width), Integer)
    skips = (points.c.skip.is_not(None)) & (points.c.skip != "")
    at = select(func.min(points.c.t).label("t"), func.count().label("n"), func.min(points.c.first).label("first"))
    at = at.add_columns(func.min(points.c.skip).label("skip"), skips.label("skipped"))
    at = (
        at.where(points.c.run_id == run_id, points.c.anchor == "P")
        .group_by(stands, skips)
        .order_by(func.min(points.c.t))
    )
    cut = select(compactions.c.after_t, compactions.c.kind, compactions.c.removed, compactions.c.pre_tokens)
    return {
        "writes": columns_of(connection, told),
        "points": columns_of(connection, at),
        "compactions": columns_of(
            connection, cut.where(compactions.c.run_id == run_id).order_by(compactions.c.after_t)
        ),
    }


def lane_actions(connection: Connection, run_id: str) -> Columns:
    """The default actions other than keep over the recorded context, by record."""
    statement = select(nominations.c.t, nominations.c.record_id, nominations.c.action).where(
        nominations.c.run_id == run_id, nominations.c.action != "keep"
    )
    return columns_of(connection, statement.order_by(nominations.c.t, nominations.c.record_id))


def needed_at_points(connection: Connection, run_id: str) -> Columns:
    """(t, record) pairs: which held records each scored decision point needs."""
    statement = select(point_records.c.t, point_records.c.record_id).distinct()
    statement = statement.where(point_records.c.run_id == run_id, point_records.c.needed)
    return columns_of(connection, statement.order_by(point_records.c.t, point_records.c.record_id))
