"""Stage 8: what graphs leave for later runs: the facts of files and whole graphs, by content, in one table.

In: names asked for while a graph is built; entries it offers. Out: entries (``core.graph.shelf``), and rows that
are published with the run. All runs share them. An entry is of use to the program that wrote it only: its key
begins with a hash of everything that reads and links code. Entries are never run and never trusted
(``core.graph.encoding``); a table that cannot be read is an empty one. The newest ``LIMIT`` bytes are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from sqlalchemy import Connection, Engine, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StorageError
from core.graph.facts import FactsCache
from core.graph.shelf import Fetch, Shelf
from storage.database import reading
from storage.facts_version import version
from storage.schema import facts

LIMIT = 128 << 20
_ASKED = 2000  # names a statement


def cache_of(fetch: Fetch) -> FactsCache:
    """A facts cache that finds what earlier runs left, through ``fetch``."""
    return FactsCache(shelf=Shelf(fetch))


def fetch_from(engine: Engine) -> Fetch:
    """Reads entries from the database; none where it cannot be read now."""
    return partial(_fetch, engine)


def _fetch(engine: Engine, names: Sequence[str]) -> dict[str, bytes]:
    keys = {_key(name): name for name in names}
    asked, found = sorted(keys), {}
    try:
        with reading(engine) as connection:
            for at in range(0, len(asked), _ASKED):
                query = select(facts.c.key, facts.c.data).where(facts.c.key.in_(asked[at : at + _ASKED]))
                for key, data in connection.execute(query):
                    found[keys[key]] = bytes(data)
    except (StorageError, SQLAlchemyError):
        return {}
    return found


def entries_table(entries: Mapping[str, bytes]) -> pa.Table:
    """Entries by name as rows to publish."""
    keys = [_key(name) for name in entries]
    data = list(entries.values())
    columns = [
        pa.array(keys, pa.large_string()),
        pa.array(map(len, data), pa.int32()),
        pa.array(data, pa.large_binary()),
    ]
    return pa.table(columns, names=["key", "size", "data"])


def publish_entries(connection: Connection, entries: pa.Table) -> None:
    """Store entries in the place of those with their keys, then let the oldest go. One insert.

    Of entries with one key, which runs published together may have made both, the last is stored.
    """
    if not entries.num_rows:
        return
    last = {key: n for n, key in enumerate(entries["key"].to_pylist())}
    if len(last) < entries.num_rows:
        entries = entries.take(sorted(last.values()))
    newest = connection.execute(select(func.coalesce(func.max(facts.c.added), 0))).scalar_one()
    entries = entries.append_column("added", pa.array([newest + 1] * entries.num_rows, pa.int64()))
    if connection.dialect.name == "duckdb":
        raw: Any = connection.connection.driver_connection
        raw.register("incoming", entries)
        try:
            raw.execute("DELETE FROM facts WHERE key IN (SELECT key FROM incoming)")
            raw.execute("INSERT INTO facts BY NAME SELECT * FROM incoming")
        finally:
            raw.unregister("incoming")
    else:
        for batch in entries.to_batches(max_chunksize=_ASKED):
            rows = batch.to_pylist()
            connection.execute(delete(facts).where(facts.c.key.in_([row["key"] for row in rows])))
            connection.execute(insert(facts), rows)
    _let_go(connection)


def _let_go(connection: Connection) -> None:
    """Delete the oldest batches of entries beyond ``LIMIT``."""
    sizes = select(facts.c.added, func.sum(facts.c.size)).group_by(facts.c.added).order_by(facts.c.added.desc())
    kept = 0
    for added, size in connection.execute(sizes).all():
        kept += int(size)
        if kept > LIMIT:
            connection.execute(delete(facts).where(facts.c.added <= added))
            return


def _key(name: str) -> str:
    return f"{version()}/{name}"
