"""Stage 8: an analysis into the database, all of it or nothing.

In: ``Analysis`` and ``RunMeta``. Out: the run's rows, replacing the ones it had; its tags stay.

``stage`` turns the analysis into Arrow tables without touching the database (a worker process can do it);
``publish`` holds the write lock only while it deletes the old rows and inserts the new ones, in one
transaction.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import (
    BigInteger,
    Boolean,
    Connection,
    Double,
    Engine,
    Integer,
    Select,
    Table,
    delete,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import insert

from core.analysis import Analysis
from core.errors import StorageError
from storage.database import writing
from storage.facts import entries_table, publish_entries
from storage.rows import Row, RunMeta, rows_of
from storage.schema import RUN_TABLES, blobs, facts, metadata, runs, tags
from storage.text import clean

__all__ = ["RunMeta", "Staged", "delete_run", "publish", "save", "set_tags", "stage"]

_ARROW: dict[type[Any], pa.DataType] = {
    BigInteger: pa.int64(),
    Boolean: pa.bool_(),
    Double: pa.float64(),
    Integer: pa.int32(),
}
_TEXT = pa.large_string()
_POOL = pa.system_memory_pool()  # Arrow's own keeps the memory that growing columns gave back: twice what they hold
_CHUNK = 1000  # rows a statement on PostgreSQL
_PIECE = 8_000_000  # characters of texts made into one piece of a column


@dataclass(frozen=True, slots=True)
class Staged:
    """A run ready to be published: one Arrow table a database table, ``blobs`` among them."""

    run_id: str
    tables: Mapping[str, pa.Table]

    @property
    def rows(self) -> int:
        """Rows in all tables."""
        return sum(table.num_rows for table in self.tables.values())

    @property
    def size(self) -> int:
        """Bytes of all tables in memory."""
        return sum(table.nbytes for table in self.tables.values())


def save(engine: Engine, analysis: Analysis, meta: RunMeta) -> Staged:
    """Store one run as a whole, replacing what was stored under its id; returns what was written.

    Raises StorageError (nothing of the run is then stored, and an earlier version of it is still there).
    """
    staged = stage(analysis, meta)
    publish(engine, staged)
    return staged


def stage(analysis: Analysis, meta: RunMeta, entries: Mapping[str, bytes] | None = None) -> Staged:
    """The run as Arrow tables; every text clean of NUL and lone surrogates. Needs no database.

    ``entries`` are what its graph leaves for later runs (``storage.facts``).
    """
    if not meta.ingested_at:
        meta = dataclasses.replace(meta, ingested_at=datetime.now(UTC).isoformat(timespec="seconds"))
    run_id = clean(analysis.trajectory.run_id)
    pieces: dict[str, list[pa.Table]] = {table.name: [] for table in RUN_TABLES}

    def full(name: str, some: list[Row]) -> None:
        pieces[name].append(_arrow(metadata.tables[name], some, run_id))

    rows = rows_of(analysis, meta, full)
    for table in RUN_TABLES:
        full(table.name, rows.tables.pop(table.name, []))
    tables = {table.name: _whole(table, pieces[table.name]) for table in RUN_TABLES}
    texts = [_arrow(blobs, some, None) for some in _by_size((k, *found) for k, found in rows.blobs.items())]
    tables[blobs.name] = pa.concat_tables(texts) if texts else _arrow(blobs, [], None)
    if entries:
        tables[facts.name] = entries_table(entries)
    return Staged(run_id, tables)


def publish(engine: Engine, staged: Staged) -> None:
    """Replace the run's rows by the staged ones in one transaction. Raises StorageError."""
    with writing(engine) as connection:
        stale: set[str] = set()
        if connection.execute(select(runs.c.run_id).where(runs.c.run_id == staged.run_id)).first() is not None:
            stale = _blobs_of(connection, staged.run_id) - set(staged.tables[blobs.name]["hash"].to_pylist())
            _delete_rows(connection, staged.run_id)
        load = _load_duckdb if engine.dialect.name == "duckdb" else _load_rows
        for name, table in staged.tables.items():
            if name == facts.name:
                publish_entries(connection, table)
            elif table.num_rows:
                load(connection, metadata.tables[name], table)
        if stale:
            _delete_orphans(connection)


def delete_run(engine: Engine, run_id: str) -> None:
    """Remove a run, its tags, and the texts no other run shows. Raises StorageError when there is no such run."""
    with writing(engine) as connection:
        if connection.execute(select(runs.c.run_id).where(runs.c.run_id == run_id)).first() is None:
            raise StorageError(f"{run_id}: no such run in the database")
        _delete_rows(connection, run_id)
        connection.execute(delete(tags).where(tags.c.run_id == run_id))
        _delete_orphans(connection)


def set_tags(engine: Engine, run_id: str, values: Mapping[str, str]) -> None:
    """Make ``values`` (tag -> value, "" for a bare tag) the run's tags; blank tags are left out."""
    kept = {clean(tag).strip(): clean(value) for tag, value in values.items() if clean(tag).strip()}
    rows = [{"run_id": run_id, "tag": tag, "value": value} for tag, value in sorted(kept.items())]
    with writing(engine) as connection:
        connection.execute(delete(tags).where(tags.c.run_id == run_id))
        if rows:
            connection.execute(tags.insert(), rows)


def _arrow(table: Table, rows: list[Row], run_id: str | None) -> pa.Table:
    columns = list(table.columns)
    arrays, names = [], [column.name for column in columns]
    if run_id is not None:
        columns = columns[1:]
        arrays.append(pa.array([run_id] * len(rows), _TEXT, memory_pool=_POOL))
    values: list[Row] = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    for column, items in zip(columns, values, strict=True):
        arrays.append(_array(items, _ARROW.get(type(column.type), _TEXT)))
    return pa.table(arrays, names=names)


def _array(items: Row, kind: pa.DataType) -> pa.Array:
    """``items`` as one column; item by item only where one of them does not fit the database."""
    try:
        array = pa.array(items, kind, memory_pool=_POOL)
        if kind is _TEXT:
            fits = not pc.any(pc.match_substring(array, "\0")).as_py()
        else:
            fits = kind is not _ARROW[Double] or pc.all(pc.is_finite(array)).as_py() is not False
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        fits = False
    if fits:
        return array
    return pa.array([None if i is None else _storable(i, kind) for i in items], kind, memory_pool=_POOL)


def _whole(table: Table, pieces: list[pa.Table]) -> pa.Table:
    """The pieces as one, no two rows with one key: DuckDB has no index on these tables that would say so."""
    whole = pa.concat_tables(pieces)
    keys = [column.name for column in table.primary_key.columns]
    if whole.num_rows > 1 and whole.group_by(keys, use_threads=False).aggregate([]).num_rows != whole.num_rows:
        raise StorageError(f"{table.name}: two rows of the run have the same key")
    return whole


def _by_size(texts: Iterable[tuple[str, str, int | None]]) -> Iterator[list[Row]]:
    """The texts in lists of some megabytes: a column is built in a buffer of twice its size."""
    some: list[Row] = []
    size = 0
    for row in texts:
        if some and size + len(row[1]) > _PIECE:
            yield some
            some, size = [], 0
        some.append(row)
        size += len(row[1])
    if some:
        yield some


def _storable(item: Any, kind: pa.DataType) -> Any:
    """``item`` as a column of this type can hold it; a number that does not fit is missing, not bent."""
    if kind is _TEXT:
        return clean(item)
    if kind is _ARROW[Double]:
        return item if math.isfinite(item) else None
    if kind is _ARROW[Boolean]:
        return item
    return item if abs(item) < 1 << (kind.bit_width - 1) else None


def _load_duckdb(connection: Connection, table: Table, rows: pa.Table) -> None:
    raw: Any = connection.connection.driver_connection
    known = ' WHERE "hash" NOT IN (SELECT "hash" FROM blobs)' if table is blobs else ""
    raw.register("incoming", rows)
    try:
        raw.execute(f'INSERT INTO "{table.name}" BY NAME SELECT * FROM incoming{known}')
    finally:
        raw.unregister("incoming")


def _load_rows(connection: Connection, table: Table, rows: pa.Table) -> None:
    statement = insert(table).on_conflict_do_nothing() if table is blobs else insert(table)
    for batch in rows.to_batches(max_chunksize=_CHUNK):
        connection.execute(statement, batch.to_pylist())


def _delete_rows(connection: Connection, run_id: str) -> None:
    for table in RUN_TABLES:
        connection.execute(delete(table).where(table.c.run_id == run_id))


def _references() -> Iterator[tuple[Table, Select[Any]]]:
    for table in RUN_TABLES:
        for column in table.columns:
            if column.info.get("blob"):
                yield table, select(column.label("hash")).where(column.is_not(None))


def _blobs_of(connection: Connection, run_id: str) -> set[str]:
    parts = [query.where(table.c.run_id == run_id) for table, query in _references()]
    return {str(row[0]) for row in connection.execute(union_all(*parts))}


def _delete_orphans(connection: Connection) -> None:
    """Remove texts nothing points to; one pass over all references, so only when a run lost some."""
    used = union_all(*(query for _, query in _references())).subquery()
    connection.execute(delete(blobs).where(blobs.c.hash.not_in(select(used.c.hash))))
