"""The only way from a page to the database: a short read, cached until the run is analysed again.

The cache key is the run, its analysis version, its content hash, its switches and when it was stored, so a
re-ingest is seen at once and nothing else is ever read twice.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st
from sqlalchemy import Connection
from sqlalchemy.engine import Engine

from storage import queries
from storage.database import open_engine, reading
from storage.place import locate

T = TypeVar("T")
Key = tuple[str, ...]


@st.cache_resource(show_spinner=False, max_entries=8)
def _engine(target: str, born: int) -> Engine:
    return open_engine(target)


def engine() -> Engine:
    """The read-only engine of the database the app shows (STATETAPE_DB, else the default), made if missing."""
    url = locate()
    target = url.render_as_string(hide_password=False)
    path = Path(url.database or "")
    born = path.stat().st_ino if url.get_backend_name() == "duckdb" and path.exists() else 0
    return _engine(target, born)


_here = threading.local()


@contextmanager
def together() -> Iterator[None]:
    """All reads of the block over one connection, opened at the first and closed at the end.

    Opening costs more than most questions. The connection belongs to this thread; nothing may be written
    inside the block, since a writer waits until every reader is gone.
    """
    if getattr(_here, "stack", None) is not None:
        yield
        return
    with ExitStack() as stack:
        _here.stack, _here.connection = stack, None
        try:
            yield
        finally:
            _here.stack = _here.connection = None


@contextmanager
def _connection() -> Iterator[Connection]:
    """The block's connection, else one of its own."""
    stack: ExitStack | None = getattr(_here, "stack", None)
    if stack is None:
        with reading(engine()) as connection:
            yield connection
        return
    if _here.connection is None:
        _here.connection = stack.enter_context(reading(engine()))
    yield _here.connection


def _stamp() -> tuple[str, int]:
    """Changes whenever the database file does; a server's database is read every time."""
    url = locate()
    target = url.render_as_string(hide_password=False)
    if url.get_backend_name() != "duckdb" or not url.database or not os.path.exists(url.database):
        return target, -1
    stat = os.stat(url.database)
    return target, stat.st_mtime_ns ^ stat.st_size


@st.cache_data(show_spinner=False, max_entries=16)
def _list_runs(stamp: tuple[str, int], _engine: Engine) -> list[queries.Row]:
    with _connection() as connection:
        return queries.list_runs(connection)


def list_runs() -> list[queries.Row]:
    """Every run, newest first; read again only when the database file has changed."""
    opened = engine()
    stamp = _stamp()
    if stamp[1] == -1:
        with _connection() as connection:
            return queries.list_runs(connection)
    return _list_runs(stamp, opened)


def key_of(run: queries.Row) -> Key:
    """What identifies one analysis of one run."""
    said = (
        run["run_id"],
        run["analysis_version"],
        run["content_hash"],
        run["options"],
        run["ingested_at"],
        run["base_spec"],
    )
    return (locate().render_as_string(hide_password=False), *(str(value) for value in said))


def ask(key: Key, question: Callable[..., T], *args: Any) -> T:
    """``question(connection, run_id, *args)``, cached under ``key``."""
    answer: T = ask_all(key, (question, *args))[0]
    return answer


def ask_all(key: Key, *calls: tuple[Any, ...]) -> list[Any]:
    """Several questions over one connection, cached together; each is (function, *arguments after the run)."""
    names = tuple((call[0].__name__, *call[1:]) for call in calls)
    return _ask_all(key, names, calls)


@st.cache_data(show_spinner=False, max_entries=400)
def _ask_all(key: Key, names: tuple[Any, ...], _calls: tuple[tuple[Any, ...], ...]) -> list[Any]:
    with _connection() as connection:
        return [call[0](connection, key[1], *call[1:]) for call in _calls]


def live(key: Key, question: Callable[..., T], *args: Any) -> T:
    """As ``ask``, for answers that are objects of the core and stay in this process."""
    answer: T = _live(key, question.__name__, args, question)
    return answer


@st.cache_resource(show_spinner=False, max_entries=24)
def _live(key: Key, name: str, args: tuple[Any, ...], _question: Callable[..., Any]) -> Any:
    with _connection() as connection:
        return _question(connection, key[1], *args)


def across(keys: tuple[Key, ...], question: Callable[..., T], *args: Any) -> T:
    """``question(connection, run_ids, *args)`` over several runs of one database, cached under all their keys."""
    answer: T = _across(keys, question.__name__, args, question)
    return answer


@st.cache_resource(show_spinner=False, max_entries=24)
def _across(keys: tuple[Key, ...], name: str, args: tuple[Any, ...], _question: Callable[..., Any]) -> Any:
    with _connection() as connection:
        return _question(connection, [key[1] for key in keys], *args)


def texts(key: Key, *hashes: str | None) -> dict[str, str]:
    """Texts by content hash."""
    return _texts(key[0], tuple(sorted({h for h in hashes if h})))


@st.cache_data(show_spinner=False, max_entries=400)
def _texts(target: str, hashes: tuple[str, ...]) -> dict[str, str]:
    with _connection() as connection:
        return queries.texts(connection, hashes)
