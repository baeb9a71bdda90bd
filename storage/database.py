"""Stage 8, the door to the database: how it is opened, who may write, which schema it has.

In: what ``storage.place`` makes the URL of. Out: an ``Engine`` that reads, ``reading`` and ``writing`` connections.

DuckDB lets one process hold a file read-write, or many read-only, never both. So nobody holds it: every
connection is opened for one short piece of work (NullPool), waits while another process or thread is in
the way, and gives up with ``Busy``, which names that process. Readers are read-only and their SQL can reach no
file, no extension and no setting. On PostgreSQL the server does this work.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import duckdb
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    PrimaryKeyConstraint,
    create_engine,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError, NoSuchModuleError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateColumn

from core.errors import StorageError
from storage.place import locate, shown, strange
from storage.schema import RUN_TABLES, SCHEMA_VERSION, facts, meta, metadata, runs

READ_WAIT = 10.0  # seconds a reader waits for an ingest to finish publishing one run
WRITE_WAIT = 60.0  # seconds a writer waits for readers and other writers
_CONFIG = {
    "storage_compatibility_version": "v1.4.0",
    "default_block_size": "65536",  # a run has some twenty tables: larger blocks stay mostly empty
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
_BUSY = (
    "Could not set lock on file",
    "Conflicting lock",
    "different configuration than existing connections",
    "Unique file handle conflict",
)
_FULL = ("No space left", "File too large", "disk full", "Could not write", "Disk quota exceeded", "out of disk")
_HOLDER = re.compile(r"held in (?P<process>.*?)\(PID (?P<pid>\d+)\)")
_PUBLISH_LOCK = 0x57A7E7A9E  # PostgreSQL advisory lock: one publisher at a time


def _to_third(connection: Connection) -> None:
    """``facts`` was never written before: made anew with other columns. Runs keep the labels they were given."""
    facts.drop(connection, checkfirst=True)
    if runs.name in inspect(connection).get_table_names():
        connection.execute(text(f"ALTER TABLE {runs.name} ADD COLUMN IF NOT EXISTS labels TEXT"))


# From schema version N to N + 1, run inside one transaction; the last one ends at SCHEMA_VERSION.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {
    1: lambda connection: None,  # 2 only adds tables
    2: _to_third,
}


class Busy(StorageError):
    """Another process holds the database; trying again in a moment is the remedy."""


@dataclass(frozen=True, slots=True)
class Lock:
    """Who is at a database file now: ``holder`` is the process's program, ``pid`` its number where known."""

    state: Literal["missing", "free", "read", "write", "server", "unusable"]
    holder: str = ""
    pid: int | None = None
    why: str = ""


@compiles(CreateColumn, "duckdb")
def _create_column(element: CreateColumn, compiler: Any, **kwargs: Any) -> Any:
    """Large texts are stored zstd-compressed: half the file, and faster to load."""
    ddl = compiler.visit_create_column(element, **kwargs)
    return f"{ddl} USING COMPRESSION zstd" if ddl and element.element.info.get("zstd") else ddl


@compiles(PrimaryKeyConstraint, "duckdb")
def _primary_key(constraint: PrimaryKeyConstraint, compiler: Any, **kwargs: Any) -> Any:
    """No index on the tables of a run: they are found by ``run_id``, whose rows lie together, and replacing a run
    would spend most of its time in the index. ``save`` checks their keys instead. None on ``facts`` either: DuckDB
    refuses a key that was deleted in the same transaction.
    """
    return (
        None
        if constraint.table in (*RUN_TABLES, facts)
        else compiler.visit_primary_key_constraint(constraint, **kwargs)
    )


def open_engine(target: str | Path | None = None, *, create: bool = True) -> Engine:
    """The read-only engine of a database whose schema is the current one.

    Creates a missing database and migrates an older one (``create=False``: a missing one is an error).
    Holds nothing open. Raises StorageError: cannot be opened, in use, or written by a newer version.
    """
    url = locate(target)
    engine = _engine(url, "read")
    if url.get_backend_name() == "duckdb":
        path = Path(url.database or "")
        if wrong := strange(path):
            raise StorageError(f"{path}: {wrong}")
        if not path.exists():
            if not create:
                raise StorageError(f"{path}: there is no database here yet; ingest a run first")
            _create(path)
    with reading(engine) as connection:
        version = _stored_version(connection)
    if version != SCHEMA_VERSION:
        _refuse_newer(url, version)
        _upgrade(engine)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A read-only connection for one short piece of work; waits up to READ_WAIT for a writer, then Busy."""
    with _translated(engine.url), engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """The one writing connection, inside one transaction: all of the block is stored, or nothing of it.

    Waits up to WRITE_WAIT for other processes, then raises Busy. Keep the block short: readers wait for it.
    """
    with _translated(engine.url), _engine(engine.url, "write").begin() as connection:
        if engine.url.get_backend_name() == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _PUBLISH_LOCK})
        yield connection


def probe(target: str | Path | None = None) -> Lock:
    """Who holds the database now, without waiting, without changing it and without creating it."""
    url = locate(target)
    if url.get_backend_name() != "duckdb":
        return Lock("server")
    if not Path(url.database or "").exists():
        return Lock("missing")
    if wrong := strange(Path(url.database or "")):
        return Lock("unusable", why=wrong)
    gate = _gate(str(url.database))
    if not gate.enter("write", time.monotonic()):
        return Lock("write" if gate.writing else "read", "this program", os.getpid())
    try:
        first = _try_open(url, read_only=False)
        if first.state != "write":
            return first
        second = _try_open(url, read_only=True)
        return Lock("read", first.holder, first.pid) if second.state == "free" else first
    finally:
        gate.leave("write")


def _try_open(url: URL, read_only: bool) -> Lock:
    try:
        duckdb.connect(str(url.database), read_only=read_only, config=dict(_CONFIG)).close()
    except duckdb.Error as error:
        if not _is_busy(error):
            return Lock("unusable", why=_first_line(error))
        found = _HOLDER.search(str(error))
        return Lock("write", found["process"].strip(), int(found["pid"])) if found else Lock("write")
    return Lock("free")


@lru_cache(maxsize=32)
def _engine(url: URL, mode: Literal["read", "write"]) -> Engine:
    if url.get_backend_name() == "postgresql":
        try:
            return create_engine(url, poolclass=NullPool, execution_options={"postgresql_readonly": mode == "read"})
        except ModuleNotFoundError as error:
            raise StorageError(f"{shown(url)}: the PostgreSQL driver is missing; pip install psycopg") from error
        except NoSuchModuleError as error:
            raise StorageError(f"{shown(url)}: unknown driver {url.drivername}") from error
    # Rows are appended by one thread: with more each holds its part twice until the end, and is no faster for it.
    config = _CONFIG if mode == "read" else _CONFIG | {"threads": "1"}
    arguments: dict[str, Any] = {"read_only": mode == "read", "config": config}
    engine = create_engine(url, poolclass=NullPool, connect_args=arguments)

    @event.listens_for(engine, "do_connect")
    def _connect(dialect: Any, record: Any, args: Any, params: Any) -> Any:
        deadline = time.monotonic() + (READ_WAIT if mode == "read" else WRITE_WAIT)
        gate = _gate(str(url.database))
        if not gate.enter(mode, deadline):
            raise _busy(url, "this program")
        try:
            raw = _patiently(url, lambda: dialect.connect(*args, **params), deadline)
        except BaseException:
            gate.leave(mode)
            raise
        close, left = raw.close, threading.Lock()

        def close_and_leave() -> None:
            try:
                close()
            finally:
                if left.acquire(blocking=False):  # a connection leaves once, however often it is closed
                    gate.leave(mode)

        raw.close = close_and_leave
        return raw

    return engine


class _Gate:
    """Many readers or one writer among the threads of this program.

    DuckDB's lock on the file belongs to the process, and closing any handle of the file drops it: a
    reader that closes while a writer opens would leave the writer without a lock, and another process
    could write too. So within a program the two never overlap.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writer = False

    def enter(self, mode: Literal["read", "write"], deadline: float) -> bool:
        """Wait until ``deadline`` (monotonic) for a place; whether there was one."""
        with self._changed:
            while self._writer or (mode == "write" and self._readers):
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    return False
            if mode == "write":
                self._writer = True
            else:
                self._readers += 1
            return True

    def leave(self, mode: Literal["read", "write"]) -> None:
        """Give the place back."""
        with self._changed:
            if mode == "write":
                self._writer = False
            else:
                self._readers -= 1
            self._changed.notify_all()

    @property
    def writing(self) -> bool:
        """Whether a writer is inside."""
        return self._writer


@lru_cache(maxsize=1024)
def _gate(path: str) -> _Gate:
    return _Gate()


def _patiently(url: URL, connect: Callable[[], Any], deadline: float) -> Any:
    """``connect()``, tried again while another process is in the way, until ``deadline``."""
    pause = 0.005
    while True:
        try:
            return connect()
        except duckdb.Error as error:
            if _is_full(error):
                raise _full(url, error) from error
            if not _is_busy(error):
                raise StorageError(f"{shown(url)}: cannot be opened ({_first_line(error)})") from error
            if time.monotonic() > deadline:
                found = _HOLDER.search(str(error))
                raise _busy(url, f"process {found['pid']}" if found else "another process") from error
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def _busy(url: URL, who: str) -> Busy:
    return Busy(f"{shown(url)}: in use, an ingest is in progress ({who}); try again in a moment")


@contextmanager
def _translated(url: URL) -> Iterator[None]:
    try:
        yield
    except (DBAPIError, duckdb.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
        if _is_full(cause):
            raise _full(url, cause) from error
        raise StorageError(f"{shown(url)}: {_first_line(cause)}") from error


def _is_full(error: BaseException) -> bool:
    return any(words in str(error) for words in _FULL)


def _full(url: URL, error: BaseException) -> StorageError:
    return StorageError(f"{shown(url)}: the disk is full, nothing was stored ({_first_line(error)})")


def _is_busy(error: BaseException) -> bool:
    return any(words in str(error) for words in _BUSY)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def _stored_version(connection: Connection) -> int | None:
    tables = set(inspect(connection).get_table_names())
    if meta.name not in tables:
        theirs = sorted(tables & set(metadata.tables))
        if theirs:
            message = f"holds tables of another program ({', '.join(theirs)}); choose another --db"
            raise StorageError(f"{shown(connection.engine.url)}: {message}")
        return None
    value = connection.execute(select(meta.c.value).where(meta.c.key == "schema_version")).scalar()
    if value is not None and re.fullmatch(r"[0-9]{1,9}", value) is None:
        raise StorageError(f"{shown(connection.engine.url)}: no schema version but {value[:40]!r}; choose another --db")
    return int(value) if value is not None else None


def _refuse_newer(url: URL, version: int | None) -> None:
    if version is not None and version > SCHEMA_VERSION:
        raise StorageError(
            f"{shown(url)}: written by a newer StateTape (schema {version}, this program knows {SCHEMA_VERSION}); "
            "update the program or choose another --db"
        )


def _create(path: Path) -> None:
    """A new file with every table appears at ``path`` in one move, so a kill leaves no half-made database."""
    draft = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _upgrade(_engine(URL.create("duckdb", database=str(draft)), "read"))
        if not path.exists():
            with suppress(FileExistsError):
                _put(draft, path)
    except OSError as error:
        raise StorageError(f"{path}: cannot be created ({error.strerror})") from error
    except StorageError as error:
        raise StorageError(str(error).replace(str(draft), str(path))) from error
    finally:
        for left in (draft, draft.with_name(f"{draft.name}.wal")):
            with suppress(OSError):
                left.unlink(missing_ok=True)


def _put(draft: Path, path: Path) -> None:
    """Give ``draft`` its name without ever replacing a database that another process made meanwhile."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.rename(draft, path)


def _upgrade(engine: Engine) -> None:
    """Create what is missing and run the migrations from the stored version on, in one transaction."""
    with writing(engine) as connection:
        version = _stored_version(connection)  # again: another process may have been faster
        _refuse_newer(engine.url, version)
        for step in range(version if version is not None else SCHEMA_VERSION, SCHEMA_VERSION):
            MIGRATIONS[step](connection)
        metadata.create_all(connection)
        connection.execute(meta.delete().where(meta.c.key == "schema_version"))
        connection.execute(meta.insert().values(key="schema_version", value=str(SCHEMA_VERSION)))
