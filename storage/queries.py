"""What pages ask of the database: the only SQL behind a page, in SQLAlchemy Core, the same on both backends.

In: a short read-only connection and plain arguments. Out: rows as dicts, or columns as lists where a
chart wants them. Every query is bounded by a window, a limit or an aggregate; JSON columns come back
decoded; a hash of a text is resolved only where the text is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, case, cast, func, literal, or_, select

from storage.schema import (
    actions,
    blobs,
    compactions,
    curve,
    drift,
    edges,
    files,
    held,
    maintained,
    nominations,
    notes,
    observations,
    point_records,
    points,
    records,
    regions,
    runs,
    segments,
    skipped,
    statuses,
    steps,
    symbols,
    tags,
    usages,
    writes,
)

Row = dict[str, Any]
Columns = dict[str, list[Any]]
STALE = ("text-stale", "view-stale", "state-stale")
_JSON = {"models", "options", "graph_stats", "paths", "symbols", "sights", "stale_lines"}
_DRIFT_LISTS = ("changed", "removed", "created", "rewired", "uses", "lost_callers", "paths", "opaque")


def _rows(connection: Connection, statement: Select[Any], decode: Iterable[str] = ()) -> list[Row]:
    wanted = _JSON | set(decode)
    rows = [dict(row) for row in connection.execute(statement).mappings()]
    for row in rows:
        for name in wanted & row.keys():
            if isinstance(row[name], str):
                row[name] = json.loads(row[name])
    return rows


def _columns(connection: Connection, statement: Select[*tuple[Any, ...]]) -> Columns:
    result = connection.execute(statement)
    names = list(result.keys())
    fetched = result.fetchall()
    values = list(zip(*fetched, strict=True)) if fetched else [()] * len(names)
    return {name: list(column) for name, column in zip(names, values, strict=True)}


# ---------------------------------------------------------------- runs


def list_runs(connection: Connection) -> list[Row]:
    """Every run, newest ingest first, with its tags as a dict under ``tags``; patches and tasks are left out."""
    wanted = [c for c in runs.c if c.name not in {"patch", "task", "cwd", "graph_stats"}]
    statement = select(*wanted, (runs.c.patch.is_not(None) & (runs.c.patch != "")).label("has_patch"))
    rows = _rows(connection, statement.order_by(runs.c.ingested_at.desc().nulls_last(), runs.c.run_id))
    said: dict[str, dict[str, str]] = {}
    for tag in connection.execute(select(tags).order_by(tags.c.run_id, tags.c.tag)):
        said.setdefault(tag.run_id, {})[tag.tag] = tag.value
    return [{**row, "tags": said.get(row["run_id"], {})} for row in rows]


def get_run(connection: Connection, run_id: str) -> Row | None:
    """One row of ``runs`` with its tags, None when there is no such run."""
    rows = _rows(connection, select(runs).where(runs.c.run_id == run_id))
    if not rows:
        return None
    said = connection.execute(select(tags.c.tag, tags.c.value).where(tags.c.run_id == run_id).order_by(tags.c.tag))
    return {**rows[0], "tags": {row[0]: row[1] for row in said}}


def not_understood(connection: Connection, run_id: str, limit: int = 500) -> dict[str, list[Row]]:
    """Lines that could not be used, other counted oddities, and segments the billed tokens do not bear out."""
    kept = select(skipped.c.source, skipped.c.line, skipped.c.why).where(skipped.c.run_id == run_id)
    odd = select(notes.c.kind, notes.c.what, notes.c.t, notes.c.count).where(notes.c.run_id == run_id)
    parts = select(segments).where(segments.c.run_id == run_id).order_by(segments.c.first)
    return {
        "skipped": _rows(connection, kept.order_by(skipped.c.n).limit(limit)),
        "notes": _rows(connection, odd.order_by(notes.c.n).limit(limit)),
        "segments": _rows(connection, parts.limit(limit)),
    }


def texts(connection: Connection, hashes: Iterable[str | None]) -> dict[str, str]:
    """The texts of the given content hashes; unknown ones are absent."""
    wanted = sorted({h for h in hashes if h})
    found: dict[str, str] = {}
    for at in range(0, len(wanted), 5000):
        part = wanted[at : at + 5000]
        found.update(
            (row[0], row[1])
            for row in connection.execute(select(blobs.c.hash, blobs.c.text).where(blobs.c.hash.in_(part)))
        )
    return found


# ---------------------------------------------------------------- lifecycle


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
    return _columns(connection, statement.order_by(held.c.t))


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
    return _columns(connection, statement.order_by(records.c.born, records.c.record_id))


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
    return _columns(connection, select(spans).order_by(spans.c.t, spans.c.record_id))


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
    return _columns(connection, statement.order_by(both.c.lane, both.c.bin, both.c.status))


def lane_sizes(connection: Connection, run_id: str) -> Columns:
    """Records, tokens and first birth of each lane group."""
    lane = lane_group().label("lane")
    statement = select(
        lane,
        func.count().label("records"),
        func.min(records.c.born).label("born"),
        func.min(records.c.path).label("path"),
    ).add_columns(cast(func.sum(records.c.tokens), Integer).label("tokens"))
    return _columns(
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
        "writes": _columns(connection, told),
        "points": _columns(connection, at),
        "compactions": _columns(connection, cut.where(compactions.c.run_id == run_id).order_by(compactions.c.after_t)),
    }


def lane_actions(connection: Connection, run_id: str) -> Columns:
    """The default actions other than keep over the recorded context, by record."""
    statement = select(nominations.c.t, nominations.c.record_id, nominations.c.action).where(
        nominations.c.run_id == run_id, nominations.c.action != "keep"
    )
    return _columns(connection, statement.order_by(nominations.c.t, nominations.c.record_id))


def needed_at_points(connection: Connection, run_id: str) -> Columns:
    """(t, record) pairs: which held records each scored decision point needs."""
    statement = select(point_records.c.t, point_records.c.record_id).distinct()
    statement = statement.where(point_records.c.run_id == run_id, point_records.c.needed)
    return _columns(connection, statement.order_by(point_records.c.t, point_records.c.record_id))


# ---------------------------------------------------------------- steps


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
    return _rows(connection, window)


def facets(connection: Connection, run_id: str) -> dict[str, list[str]]:
    """The kinds, tools and files a run's steps can be filtered by."""

    def distinct(column: Any, table: Any) -> list[str]:
        found = connection.execute(select(column).where(table.c.run_id == run_id, column.is_not(None)).distinct())
        return sorted(value for (value,) in found if value)

    kinds, tools = distinct(steps.c.kind, steps), distinct(steps.c.tool, steps)
    return {"kinds": kinds, "tools": tools, "files": distinct(files.c.path, files)}


def get_step(connection: Connection, run_id: str, t: int) -> Row | None:
    """One step with the hashes of its texts."""
    found = _rows(connection, select(steps).where(steps.c.run_id == run_id, steps.c.t == t))
    return found[0] if found else None


def writes_at(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The file writes of step ``t`` in order of happening."""
    return _rows(connection, select(writes).where(writes.c.run_id == run_id, writes.c.t == t).order_by(writes.c.n))


def writes_known_at(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The file writes that became known at step ``t``."""
    return _rows(
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


# ---------------------------------------------------------------- context


def _held(run_id: str, t: int) -> list[ColumnElement[bool]]:
    alive = or_(records.c.gone.is_(None), records.c.gone > t)
    return [records.c.run_id == run_id, records.c.born <= t, alive]


def _status_at(run_id: str, t: int) -> Any:
    place = func.row_number().over(partition_by=statuses.c.record_id, order_by=statuses.c.t.desc()).label("place")
    known = select(statuses, place).where(statuses.c.run_id == run_id, statuses.c.t <= t).cte("known")
    wanted = [known.c.record_id, known.c.status, known.c.since, known.c.incomplete, known.c.moved, known.c.stale_lines]
    return select(*wanted).where(known.c.place == 1).cte("now")


def context(connection: Connection, run_id: str, t: int, limit: int = 300, symbol: str = "") -> list[Row]:
    """C_t, the records held after step ``t``, largest first, with their status; ``symbol`` keeps those covering it."""
    now = _status_at(run_id, t)
    wanted = (records.c.record_id, records.c.kind, records.c.born, records.c.path, records.c.start, records.c.end)
    statement = select(*wanted, records.c.tokens, records.c.command, now.c.status, now.c.since).select_from(
        records.outerjoin(now, now.c.record_id == records.c.record_id)
    )
    if symbol:
        quoted = json.dumps(symbol, ensure_ascii=False)
        statement = statement.where(records.c.symbols.contains(quoted, autoescape=True))
    statement = statement.where(*_held(run_id, t)).order_by(
        records.c.tokens.desc(), records.c.born, records.c.record_id
    )
    return _rows(connection, statement.limit(limit))


def context_sum(connection: Connection, run_id: str, t: int) -> Row:
    """How many records C_t has and the tokens held by status."""
    counted = connection.execute(select(func.count()).select_from(records).where(*_held(run_id, t))).scalar_one()
    row = connection.execute(select(held).where(held.c.run_id == run_id, held.c.t == t)).mappings().first()
    return {"records": int(counted), **(dict(row) if row else {})}


def context_texts(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The texts of C_t in order of birth."""
    statement = select(
        records.c.record_id, records.c.kind, records.c.born, records.c.path, records.c.tokens, blobs.c.text
    )
    statement = statement.select_from(records.outerjoin(blobs, blobs.c.hash == records.c.text))
    return _rows(connection, statement.where(*_held(run_id, t)).order_by(records.c.born, records.c.record_id))


def maintained_texts(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The texts of C_t+, the context the default actions keep, in the order they stand."""
    statement = select(
        maintained.c.origin.label("record_id"), maintained.c.form.label("kind"), maintained.c.from_t.label("born")
    ).add_columns(maintained.c.tokens, blobs.c.text)
    statement = statement.select_from(maintained.outerjoin(blobs, blobs.c.hash == maintained.c.text))
    alive = or_(maintained.c.until.is_(None), maintained.c.until > t)
    statement = statement.where(maintained.c.run_id == run_id, maintained.c.from_t <= t, alive)
    return _rows(connection, statement.order_by(maintained.c.from_t, maintained.c.id))


def get_record(connection: Connection, run_id: str, record_id: str, t: int | None = None) -> Row | None:
    """One record, with its status after step ``t`` (its last one without ``t``)."""
    now = _status_at(run_id, t if t is not None else 2**31 - 1)
    wanted = [now.c.status, now.c.since, now.c.incomplete, now.c.moved, now.c.stale_lines]
    statement = select(records, *wanted).select_from(records.outerjoin(now, now.c.record_id == records.c.record_id))
    found = _rows(connection, statement.where(records.c.run_id == run_id, records.c.record_id == record_id))
    return found[0] if found else None


def mismatches(connection: Connection, run_id: str, limit: int = 200) -> list[Row]:
    """Observations whose shown lines differ from the replayed file."""
    wanted = select(observations).where(observations.c.run_id == run_id, observations.c.equal < observations.c.compared)
    return _rows(connection, wanted.order_by(observations.c.t, observations.c.n).limit(limit))


# ---------------------------------------------------------------- decision points


def list_points(connection: Connection, run_id: str, anchors: Sequence[str] = ("P",)) -> list[Row]:
    """The decision points of the given anchors in step order."""
    wanted = select(points).where(points.c.run_id == run_id, points.c.anchor.in_(anchors))
    return _rows(connection, wanted.order_by(points.c.t, points.c.anchor))


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
    return _rows(connection, wanted.select_from(joined).where(*key).order_by(*order).limit(limit))


def point_regions(connection: Connection, run_id: str, t: int, anchor: str) -> list[Row]:
    """The needed regions of one decision point in the order of the rules."""
    key = (regions.c.run_id == run_id, regions.c.t == t, regions.c.anchor == anchor)
    return _rows(connection, select(regions).where(*key).order_by(regions.c.rule, regions.c.n))


def file_text(connection: Connection, run_id: str, path: str, t: int) -> str | None:
    """The text of ``path`` after step ``t`` (0 = the base), None when it is not known or does not exist."""
    alive = or_(files.c.until.is_(None), files.c.until > t)
    statement = select(blobs.c.text).select_from(files.join(blobs, blobs.c.hash == files.c.text))
    statement = statement.where(files.c.run_id == run_id, files.c.path == path, files.c.from_t <= t, alive)
    return connection.execute(statement.order_by(files.c.from_t.desc()).limit(1)).scalar_one_or_none()


# ---------------------------------------------------------------- drift


def list_drift(connection: Connection, run_id: str) -> list[Row]:
    """Every write step with its drifted symbols and how much it falsified."""
    return _rows(connection, select(drift).where(drift.c.run_id == run_id).order_by(drift.c.t), _DRIFT_LISTS)


def get_drift(connection: Connection, run_id: str, t: int) -> Row | None:
    """The drift of the write at step ``t``."""
    found = _rows(connection, select(drift).where(drift.c.run_id == run_id, drift.c.t == t), _DRIFT_LISTS)
    return found[0] if found else None


def edges_around(connection: Connection, run_id: str, t: int, ids: Sequence[str], limit: int = 3000) -> list[Row]:
    """Edges with an end among ``ids`` that stood before or after write ``t``: ``old`` and ``new`` say which."""
    before = and_(edges.c.from_t < t, or_(edges.c.until.is_(None), edges.c.until >= t))
    after = and_(edges.c.from_t <= t, or_(edges.c.until.is_(None), edges.c.until > t))
    wanted = select(edges.c.source, edges.c.target, edges.c.kind, edges.c.tier, edges.c.why)
    wanted = wanted.add_columns(before.label("old"), after.label("new"))
    touching = or_(edges.c.source.in_(ids), edges.c.target.in_(ids))
    wanted = wanted.where(edges.c.run_id == run_id, or_(before, after), touching)
    return _rows(connection, wanted.order_by(edges.c.source, edges.c.target, edges.c.kind, edges.c.n).limit(limit))


def symbol_versions(connection: Connection, run_id: str, symbol: str) -> list[Row]:
    """Where one symbol stood over time."""
    wanted = select(symbols).where(symbols.c.run_id == run_id, symbols.c.symbol_id == symbol)
    return _rows(connection, wanted.order_by(symbols.c.from_t))


def covered_symbols(connection: Connection, run_id: str, t: int) -> dict[str, int]:
    """Tokens of held records covering each symbol after step ``t``."""
    statement = select(records.c.symbols, records.c.tokens).where(*_held(run_id, t), records.c.symbols != "[]")
    found: dict[str, int] = {}
    for row in _rows(connection, statement):
        for name in row["symbols"] or ():
            found[name] = found.get(name, 0) + row["tokens"]
    return found


# ---------------------------------------------------------------- nominations


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
    statement = select(nominations, records.c.kind, records.c.command).select_from(joined)
    return _rows(connection, statement.where(*clauses).order_by(nominations.c.t, nominations.c.record_id).limit(limit))


def actions_on(connection: Connection, run_id: str, record_id: str) -> list[Row]:
    """What the default actions did to a record in the maintained context, in order."""
    wanted = select(actions).where(actions.c.run_id == run_id, actions.c.record_id == record_id)
    return _rows(connection, wanted.order_by(actions.c.n))


def record_names(connection: Connection, run_id: str, limit: int = 5000) -> list[Row]:
    """Every record with what it shows, by birth, up to ``limit``."""
    wanted = select(records.c.record_id, records.c.kind, records.c.path, records.c.start, records.c.end)
    wanted = wanted.where(records.c.run_id == run_id).order_by(records.c.born, records.c.record_id)
    return _rows(connection, wanted.limit(limit))


def nominations_at(connection: Connection, run_id: str, t: int) -> list[Row]:
    """The nominations of the write at step ``t``."""
    return list_nominations(connection, run_id, t=t)


# ---------------------------------------------------------------- tokens


def curves(connection: Connection, run_ids: Sequence[str]) -> Columns:
    """The curve rows of the given runs, by run and edits."""
    return _columns(connection, select(curve).where(curve.c.run_id.in_(run_ids)).order_by(curve.c.run_id, curve.c.t))


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
        _rows(connection, was.order_by(records.c.born, records.c.record_id)),
        _rows(connection, kept.order_by(maintained.c.from_t, maintained.c.id)),
    )
