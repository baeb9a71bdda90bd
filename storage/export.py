"""Stage 8: stored runs as plain rows, for scripts and notebooks; column names and meaning are a promise.

In: a run id or a unique prefix, and what is wanted. Out: rows in a fixed order with fixed columns
(``COLUMNS``), as JSON, JSON lines, CSV or Parquet bytes. The formats hold the same values: CSV writes lists as
JSON, booleans as true and false, and nothing for null.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import ColumnElement, Connection, Engine, FromClause, Table, and_, select

from core.errors import InputError
from core.tracebench.labels import write_labels
from storage import schema
from storage.database import reading
from storage.schema import blobs

FORMATS = ("json", "jsonl", "csv", "parquet")
ANCHORS = ("P", "T", "F")

_INT, _LONG, _TEXT, _BOOL = pa.int32(), pa.int64(), pa.large_string(), pa.bool_()
_TEXTS = pa.list_(_TEXT)
_HIT = pa.struct([("id", _TEXT), ("why", _TEXT), ("tier", _TEXT), ("writes", pa.list_(_INT))])
_SIGHT = pa.struct([("path", _TEXT), ("start", _INT), ("end", _INT), ("source", _TEXT)])
_REGION_KEYS = ("path", "start", "end", "rule", "why", "tokens", "held_tokens", "symbol")
_REGION = pa.struct(
    [(k, _TEXT if k in {"path", "rule", "why", "symbol"} else _INT) for k in _REGION_KEYS],
)


def _columns(**kinds: pa.DataType) -> pa.Schema:
    return pa.schema(list(kinds.items()))


# What can be exported, its columns in order and their types.
COLUMNS: dict[str, pa.Schema] = {
    "curve": _columns(
        edits=_INT, t=_INT, held=_LONG, unneeded=_LONG, stale=_LONG, needed=_LONG, missing=_LONG,
        m_held=_LONG, m_unneeded=_LONG, m_stale=_LONG,
    ),
    "decisions": _columns(
        t=_INT, anchor=_TEXT, burst=pa.list_(_INT), gold_source=_TEXT, skip=_TEXT, edits=_INT, held=_LONG,
        unneeded=_LONG, held_needed=_LONG, stale=_LONG, stale_needed=_LONG, needed=_LONG, gold_held=_LONG,
        missing=_LONG, context_complete=_BOOL, regions=pa.list_(_REGION),
    ),
    "drift": _columns(
        t=_INT, changed=_TEXTS, removed=_TEXTS, created=_TEXTS, rewired=_TEXTS, uses=_TEXTS, lost_callers=_TEXTS,
        known_at=_INT, paths=_TEXTS, opaque=_TEXTS, documentation=_BOOL,
    ),
    "labels": _columns(
        t=_INT, path=_TEXT, start=_INT, end=_INT, rule=_TEXT, why=_TEXT, symbol=_TEXT, source=_TEXT, annotator=_TEXT,
        transcript=_TEXT,
    ),
    "nominations": _columns(
        t=_INT, record_id=_TEXT, path=_TEXT, start=_INT, end=_INT, born=_INT, symbols=pa.list_(_HIT), action=_TEXT,
        tokens_before=_INT, tokens_after=_INT, text_after=_TEXT, reason=_TEXT, pointer=_TEXT, status=_TEXT,
    ),
    "records": _columns(
        record_id=_TEXT, kind=_TEXT, born=_INT, gone=_INT, path=_TEXT, start=_INT, end=_INT, tokens=_INT, text=_TEXT,
        referent=_TEXT, symbols=_TEXTS, sights=pa.list_(_SIGHT), tool=_TEXT, command=_TEXT, failed=_BOOL,
    ),
    "steps": _columns(
        t=_INT, kind=_TEXT, role=_TEXT, tool=_TEXT, agent=_TEXT, call=_TEXT, text=_TEXT, thinking=_TEXT, failed=_BOOL,
        empty=_BOOL, time=_TEXT, cwd=_TEXT, command=_TEXT, purpose=_TEXT, source=_TEXT, line=_INT, turn=_INT,
        message_id=_TEXT, paths=_TEXTS, title=_TEXT, tokens=_INT,
    ),
    "writes": _columns(
        n=_INT, t=_INT, known_at=_INT, path=_TEXT, before=_TEXT, after=_TEXT, source=_TEXT, how=_TEXT, agent=_TEXT,
        opaque=_BOOL, added=_INT, deleted=_INT,
    ),
}  # fmt: skip
WHATS = tuple(sorted(COLUMNS))

RUN_COLUMNS = (
    "run_id", "session_id", "path", "format", "agent", "models", "repository", "cwd", "git_branch", "started",
    "ended", "task", "status", "base_spec", "base_label", "base_matched", "base_compared", "base_note", "patched",
    "options", "analysis_version", "content_hash", "steps", "writes", "records", "nominations", "decision_points",
    "lines", "skipped_lines", "observations", "compared_lines", "equal_lines", "fidelity", "fidelity_state",
    "tokens_read", "held_end", "stale_end", "compactions", "graph", "gold_source", "size", "seconds", "ingested_at",
    "tags",
)  # fmt: skip


def find_run(engine: Engine, name: str) -> str:
    """The id of the run called ``name``: an id, or the beginning of exactly one. Raises InputError naming what fits."""
    with reading(engine) as connection:
        ids = sorted(connection.execute(select(schema.runs.c.run_id)).scalars())
    found = [name] if name in ids else [run_id for run_id in ids if name and run_id.startswith(name)]
    if len(found) == 1:
        return str(found[0])
    if found:
        raise InputError(f"{name}: begins {len(found)} runs ({', '.join(found[:5])}); give more of the id")
    raise InputError(f"{name}: no such run; there are {len(ids)}, see `runs`")


def list_runs(engine: Engine) -> list[dict[str, Any]]:
    """One row a stored run, by id, with RUN_COLUMNS; ``tags`` is a list of "tag" or "tag=value"."""
    tags: dict[str, list[str]] = defaultdict(list)
    with reading(engine) as connection:
        stored = connection.execute(select(schema.runs).order_by(schema.runs.c.run_id)).mappings().all()
        for tag in connection.execute(select(schema.tags).order_by(*schema.tags.c)).mappings():
            tags[tag["run_id"]].append(f"{tag['tag']}={tag['value']}" if tag["value"] else tag["tag"])
    rows = []
    for run in stored:
        row = dict(run) | {"patched": run["patch"] is not None, "tags": tags[run["run_id"]]}
        for column, name in (("models", "models"), ("options", "options"), ("graph_stats", "graph")):
            row[name] = json.loads(run[column]) if run[column] else None
        row.update(number("fidelity", run["fidelity"]))
        rows.append({name: row[name] for name in RUN_COLUMNS})
    return rows


def export_rows(engine: Engine, run_id: str, what: str, anchors: Sequence[str] = ("P",)) -> list[dict[str, Any]]:
    """The rows of ``what`` (one of WHATS) of a run, sorted, with the columns of COLUMNS; anchors for decisions."""
    with reading(engine) as connection:
        if what == "decisions":
            return _decisions(connection, run_id, anchors)
        if what == "labels":
            return _labels(connection, run_id)
        rows = _table_rows(connection, schema.metadata.tables[what], run_id)
    for row in rows:
        if what == "records":
            row["sights"] = [dict(zip(("path", "start", "end", "source"), s, strict=True)) for s in row["sights"]]
    names = COLUMNS[what].names
    return [{name: row[name] for name in names} for row in rows]


def number(name: str, value: float | None) -> dict[str, Any]:
    """A ratio for JSON under ``name``: null where it is undefined or infinite, and ``name_state`` says which."""
    if value is None or math.isnan(value):
        return {name: None, f"{name}_state": "undefined"}
    if math.isinf(value):
        return {name: None, f"{name}_state": "infinite"}
    return {name: value, f"{name}_state": "ok"}


def encode(rows: Iterable[Mapping[str, Any]], what: str, form: str) -> bytes:
    """``rows`` of ``what`` as the bytes of a file in ``form`` (one of FORMATS)."""
    names = COLUMNS[what].names
    if form == "json":
        return (to_document(list(rows)) + "\n").encode()
    if form == "jsonl":
        return "".join(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows).encode()
    if form == "csv":
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(names)
        writer.writerows([_cell(row[name]) for name in names] for row in rows)
        return out.getvalue().encode()
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=COLUMNS[what]), sink, compression="zstd")
    return sink.getvalue()


def to_document(value: Any) -> str:
    """``value`` as one JSON document in ASCII: safe for every terminal, pipe and encoding."""
    return json.dumps(value, indent=1, allow_nan=False)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _table_rows(connection: Connection, table: Table, run_id: str) -> list[dict[str, Any]]:
    """The run's rows of a table by key, texts in place of their hashes and JSON columns decoded."""
    columns: list[ColumnElement[Any]] = []
    joined: FromClause = table
    for column in table.columns:
        if column.info.get("blob"):
            texts = blobs.alias(f"{column.name}_text")
            joined = joined.outerjoin(texts, texts.c.hash == column)
            columns.append(texts.c.text.label(column.name))
        else:
            columns.append(column)
    order = [table.c.born] if "born" in table.c and table.name == "records" else []
    query = select(*columns).select_from(joined).where(table.c.run_id == run_id)
    rows = [dict(row) for row in connection.execute(query.order_by(*order, *table.primary_key.columns)).mappings()]
    lists = [field.name for field in COLUMNS[table.name] if pa.types.is_list(field.type)]
    for row in rows:
        row.update({name: json.loads(row[name]) if row[name] else [] for name in lists})
    return rows


def _labels(connection: Connection, run_id: str) -> list[dict[str, Any]]:
    """The gold of every point P, a row a region, as ``core.tracebench.labels`` describes it."""
    points, regions, runs = schema.points, schema.regions, schema.runs
    run = connection.execute(select(runs.c.content_hash, runs.c.analysis_version).where(runs.c.run_id == run_id)).one()
    wanted = select(regions, points.c.gold_source).where(regions.c.run_id == run_id, regions.c.anchor == "P")
    same = (points.c.run_id == run_id, points.c.t == regions.c.t, points.c.anchor == "P")
    by = f"StateTape analysis {run.analysis_version}, rules G1 to G4"
    rows = [
        {
            **{name: found[name] for name in ("t", "path", "start", "end", "rule", "why", "symbol")},
            "source": found["gold_source"],
            "annotator": "imported" if found["gold_source"] == "imported" else by,
            "transcript": run.content_hash,
        }
        for found in connection.execute(wanted.join(points, and_(*same))).mappings()
    ]
    return [json.loads(line) for line in write_labels(rows).split("\n") if line]


def _decisions(connection: Connection, run_id: str, anchors: Sequence[str]) -> list[dict[str, Any]]:
    points, regions = schema.points, schema.regions
    found: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    for region in connection.execute(
        select(regions).where(regions.c.run_id == run_id).order_by(regions.c.t, regions.c.anchor, regions.c.n)
    ).mappings():
        found[region["t"], region["anchor"]].append({key: region[key] for key in _REGION_KEYS})
    rows = []
    for point in connection.execute(
        select(points)
        .where(points.c.run_id == run_id, points.c.anchor.in_(list(anchors)))
        .order_by(points.c.t, points.c.anchor)
    ).mappings():
        burst = None if point["first"] is None else [point["first"], point["last"]]
        row = {**point, "burst": burst, "regions": found[point["t"], point["anchor"]]}
        rows.append({name: row[name] for name in COLUMNS["decisions"].names})
    return rows
