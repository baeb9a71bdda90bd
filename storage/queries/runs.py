"""What runs there are, and what of their transcripts was not understood."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from storage.queries.rows import Row, rows_of
from storage.schema import (
    blobs,
    notes,
    runs,
    segments,
    skipped,
    tags,
)


def list_runs(connection: Connection) -> list[Row]:
    """Every run, newest ingest first, with its tags as a dict under ``tags``; patches and tasks are left out."""
    wanted = [c for c in runs.c if c.name not in {"patch", "labels", "task", "cwd", "graph_stats"}]
    statement = select(*wanted, (runs.c.patch.is_not(None) & (runs.c.patch != "")).label("has_patch"))
    rows = rows_of(connection, statement.order_by(runs.c.ingested_at.desc().nulls_last(), runs.c.run_id))
    said: dict[str, dict[str, str]] = {}
    for tag in connection.execute(select(tags).order_by(tags.c.run_id, tags.c.tag)):
        said.setdefault(tag.run_id, {})[tag.tag] = tag.value
    return [{**row, "tags": said.get(row["run_id"], {})} for row in rows]


def get_run(connection: Connection, run_id: str) -> Row | None:
    """One row of ``runs`` with its tags, None when there is no such run."""
    rows = rows_of(connection, select(runs).where(runs.c.run_id == run_id))
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
        "skipped": rows_of(connection, kept.order_by(skipped.c.n).limit(limit)),
        "notes": rows_of(connection, odd.order_by(notes.c.n).limit(limit)),
        "segments": rows_of(connection, parts.limit(limit)),
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
