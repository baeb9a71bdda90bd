"""Stage 8: an analysis into the database, all of it or nothing.

In: ``Analysis`` and ``RunMeta``. Out: the run's rows, replacing the ones it had; its tags stay.

``stage`` turns the analysis into pieces of Arrow tables without touching the database (a worker process can do it);
``publish`` holds the write lock only while it deletes the old rows and inserts the new ones, in one transaction.
Most of the time of a publication is the same for one small run and for twenty, so it takes several.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
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
from storage.row_pieces import TEXTS, Row
from storage.rows import RunMeta, rows_of
from storage.schema import RUN_TABLES, blobs, facts, impacts, metadata, runs, tags
from storage.staged import Pile, Sink, Staged, pack
from storage.text import clean

__all__ = ["RunMeta", "Staged", "delete_run", "publish", "save", "set_tags", "stage", "stage_into"]

_ARROW: dict[type[Any], pa.DataType] = {
    BigInteger: pa.int64(),
    Boolean: pa.bool_(),
    Double: pa.float64(),
    Integer: pa.int32(),
}
_TEXT = pa.large_string()
_REPEATED = frozenset({"source", "path", "kind", "why"})  # of ``impacts``: a few texts in all its rows
_CHUNK = 1000  # rows a statement on PostgreSQL
_STATEMENT = 32 << 20  # bytes of rows given to the database in one statement, if one piece has not more


def save(engine: Engine, analysis: Analysis, meta: RunMeta) -> Staged:
    """Store one run as a whole, replacing what was stored under its id; returns how much that was.

    Raises StorageError (nothing of the run is then stored, and an earlier version of it is still there).
    """
    staged = stage(analysis, meta)
    try:
        publish(engine, staged)
    finally:
        staged.close()
    return staged


def stage(
    analysis: Analysis,
    meta: RunMeta,
    entries: Mapping[str, bytes] | None = None,
    new_pile: Callable[[], Pile] = Pile,
) -> Staged:
    """The run as a pile of Arrow tables; every text clean of NUL and lone surrogates. Needs no database.

    ``entries`` are what its graph leaves for later runs (``storage.facts``). Raises StorageError for two rows with
    one key, or where there is no room for the pile.
    """
    pile = new_pile()
    try:
        stage_into(pile, analysis, meta, entries)
    except BaseException:
        pile.close()
        raise
    return Staged(clean(analysis.trajectory.run_id), pile)


def stage_into(
    sink: Sink, analysis: Analysis, meta: RunMeta, entries: Mapping[str, bytes] | None = None
) -> dict[str, Any]:
    """As ``stage``, piece by piece into ``sink``; returns the row of ``runs``."""
    if not meta.ingested_at:
        meta = dataclasses.replace(meta, ingested_at=datetime.now(UTC).isoformat(timespec="seconds"))
    run_id = clean(analysis.trajectory.run_id)
    keys: dict[str, list[pa.Table]] = {table.name: [] for table in RUN_TABLES}
    run: dict[str, Any] = {}

    def full(name: str, some: list[Row]) -> None:
        if name == blobs.name:
            sink.put(pack(name, _arrow(blobs, some, None)))
        elif some:
            table = metadata.tables[name]
            piece = _arrow(table, some, run_id)
            if table is runs:
                run.update(piece.to_pylist()[0])
            keys[name].append(piece.select([column.name for column in table.primary_key.columns][1:]))
            sink.put(pack(name, piece))

    rows = rows_of(analysis, meta, full)
    for table in RUN_TABLES:
        full(table.name, rows.tables.pop(table.name, []))
        _check_keys(table, keys.pop(table.name))
    rows.flush_texts()
    for some in _by_size((key, *found) for key, found in rows.blobs.items()):
        full(blobs.name, some)
    if entries:
        sink.put(pack(facts.name, entries_table(entries)))
    return run


def publish(engine: Engine, *several: Staged) -> None:
    """Replace the rows of these runs, each of another id, by the staged ones, in one transaction.

    Raises StorageError: then nothing of any of them is stored.
    """
    with writing(engine) as connection:
        ids = [staged.run_id for staged in several]
        known = select(runs.c.run_id).where(runs.c.run_id.in_(ids))
        replaced = sorted(connection.execute(known).scalars())
        stale: set[str] = set()
        if replaced:
            stale = _blobs_of(connection, replaced)
            _delete_rows(connection, replaced)
        load = _load_duckdb if engine.dialect.name == "duckdb" else _load_rows
        for table in RUN_TABLES:
            for rows in _gathered(several, table.name):
                load(connection, table, rows)
        stored: set[str] = set()
        for rows in _gathered(several, blobs.name):
            load(connection, blobs, _unlike(rows, stored))
        entries = list(_gathered(several, facts.name))
        if entries:
            publish_entries(connection, pa.concat_tables(entries))
        if stale - stored:
            _delete_orphans(connection)


def _gathered(several: Sequence[Staged], name: str) -> Iterator[pa.Table]:
    """The rows of one table in the order staged, small pieces put together."""
    some: list[pa.Table] = []
    size = 0
    for staged in several:
        for piece in staged.pile.pieces(name):
            if some and size + piece.nbytes > _STATEMENT:
                yield pa.concat_tables(some)
                some, size = [], 0
            some.append(piece)
            size += piece.nbytes
    if some:
        yield pa.concat_tables(some)


def _unlike(texts: pa.Table, stored: set[str]) -> pa.Table:
    """The texts whose hash is not in ``stored`` nor stands above them; all are in ``stored`` then."""
    kept = []
    for n, key in enumerate(texts["hash"].to_pylist()):
        if key not in stored:
            stored.add(key)
            kept.append(n)
    return texts if len(kept) == texts.num_rows else texts.take(kept)


def delete_run(engine: Engine, run_id: str) -> None:
    """Remove a run, its tags, and the texts no other run shows. Raises StorageError when there is no such run."""
    with writing(engine) as connection:
        if connection.execute(select(runs.c.run_id).where(runs.c.run_id == run_id)).first() is None:
            raise StorageError(f"{run_id}: no such run in the database")
        _delete_rows(connection, [run_id])
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
        same = pa.array([run_id], _TEXT)
        arrays.append(pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), len(rows)), same))
    values: list[Row] = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    for column, items in zip(columns, values, strict=True):
        array = _array(items, _ARROW.get(type(column.type), _TEXT))
        arrays.append(array.dictionary_encode() if table is impacts and column.name in _REPEATED else array)
    return pa.table(arrays, names=names)


def _array(items: Row, kind: pa.DataType) -> pa.Array:
    """``items`` as one column; item by item only where one of them does not fit the database."""
    try:
        array = _one_text(items[0]) if _is_long(items, kind) else pa.array(items, kind)
        if kind is _TEXT:
            fits = not _has_nul(array.buffers()[2])
        else:
            fits = kind is not _ARROW[Double] or pc.all(pc.is_finite(array)).as_py() is not False
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        fits = False
    if fits:
        return array
    return pa.array([None if i is None else _storable(i, kind) for i in items], kind)


def _has_nul(data: Any) -> bool:
    """Whether a zero byte is in a buffer, which may be None."""
    return bool(data) and not np.frombuffer(data, np.uint8).all()


def _is_long(items: Row, kind: pa.DataType) -> bool:
    return kind is _TEXT and len(items) == 1 and items[0] is not None and len(items[0]) > TEXTS


def _one_text(text: str) -> pa.Array:
    """A column of one text in exactly its bytes: one that grows as it is filled takes twice a long text."""
    data = text.encode("utf-8")
    ends = pa.array([0, len(data)], pa.int64()).buffers()[1]
    return pa.Array.from_buffers(_TEXT, 1, [None, ends, pa.py_buffer(data)])


def _check_keys(table: Table, pieces: list[pa.Table]) -> None:
    """No two rows of a run with one key: DuckDB has no index on these tables that would say so."""
    if sum(piece.num_rows for piece in pieces) < 2:
        return
    whole = pa.concat_tables(pieces)
    keys = whole.column_names
    if [field.type for field in whole.schema] == [pa.int32(), pa.int32()] and not any(
        c.null_count for c in whole.columns
    ):
        repeated = _repeats(whole)  # the largest table has such keys, and grouping takes much memory
    else:
        distinct = whole.group_by(keys, use_threads=False).aggregate([]).num_rows if keys else 1
        repeated = distinct != whole.num_rows
    if repeated:
        raise StorageError(f"{table.name}: two rows of the run have the same key")


def _repeats(pairs: pa.Table) -> bool:
    """Whether two rows of two whole numbers are equal."""
    first, second = (column.to_numpy() for column in pairs.columns)
    joined = first.astype(np.int64) << 32
    joined |= second.view(np.uint32)
    joined.sort()
    return bool((joined[1:] == joined[:-1]).any())


def _by_size(texts: Iterable[tuple[str, str, int | None]]) -> Iterator[list[Row]]:
    """The texts in lists of some megabytes: a column is built in a buffer of twice its size."""
    some: list[Row] = []
    size = 0
    for row in texts:
        if some and size + len(row[1]) > TEXTS:
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


def _delete_rows(connection: Connection, run_ids: Sequence[str]) -> None:
    for table in RUN_TABLES:
        connection.execute(delete(table).where(table.c.run_id.in_(run_ids)))


def _references() -> Iterator[tuple[Table, Select[Any]]]:
    for table in RUN_TABLES:
        for column in table.columns:
            if column.info.get("blob"):
                yield table, select(column.label("hash")).where(column.is_not(None))


def _blobs_of(connection: Connection, run_ids: Sequence[str]) -> set[str]:
    parts = [query.where(table.c.run_id.in_(run_ids)) for table, query in _references()]
    return {str(row[0]) for row in connection.execute(union_all(*parts))}


def _delete_orphans(connection: Connection) -> None:
    """Remove texts nothing points to; one pass over all references, so only when a run lost some."""
    used = union_all(*(query for _, query in _references())).subquery()
    connection.execute(delete(blobs).where(blobs.c.hash.not_in(select(used.c.hash))))
