"""Stage 8, where the database is.

In: a SQLAlchemy URL or a plain path (``--db``, ``STATETAPE_DB``, else ``data/statetape.duckdb`` beside ``cli.py``).
Out: the URL of a DuckDB file or a PostgreSQL server, and why a file can be no database. Opens nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from core.errors import StorageError
from storage.given import why

DEFAULT_PATH = Path(__file__).resolve().parents[1] / "data" / "statetape.duckdb"
_MAGIC = b"DUCK"  # bytes 9 to 12 of every DuckDB file


def locate(target: str | Path | None = None) -> URL:
    """The database meant by ``target``, else by ``STATETAPE_DB``, else the default; file paths made absolute.

    Raises StorageError for a URL that is neither DuckDB nor PostgreSQL, for an in-memory database, and for a path
    at which no file can be.
    """
    given = str(target) if target else os.environ.get("STATETAPE_DB") or str(DEFAULT_PATH)
    if "://" not in given:
        return _file_url(given)
    try:
        url = make_url(given)
    except ArgumentError as error:
        raise StorageError(f"{given}: not a database URL; expected duckdb:///FILE or postgresql://...") from error
    if url.get_backend_name() == "postgresql":
        return url
    if url.get_backend_name() != "duckdb" or url.query:
        raise StorageError(f"{url}: expected duckdb:///FILE without options, or postgresql://...")
    if url.database in (None, "", ":memory:"):
        raise StorageError(f"{url}: an in-memory database keeps nothing; name a file")
    return _file_url(url.database or "")


def _file_url(given: str) -> URL:
    try:
        path = Path(given).expanduser().absolute()
        path.exists()  # where this raises, so would everything that follows
        if path.is_symlink() and not path.exists():
            raise StorageError(f"{path}: a link to {os.readlink(path)}, which is not there")
    except (OSError, ValueError, RuntimeError) as error:  # too long, a NUL, no such user, a folder that is closed
        raise StorageError(f"{given[:200]!r}: cannot be a database file ({why(error)})") from error
    return URL.create("duckdb", database=str(path))


def shown(url: URL) -> str:
    """The database as a person knows it: the path of a file, a URL without its password."""
    return str(url.database) if url.get_backend_name() == "duckdb" else url.render_as_string(hide_password=True)


def strange(path: Path) -> str:
    """Why what is at ``path`` cannot be a database, "" when it can or nothing is there; opens no pipe or device."""
    if path.is_dir():
        return "is a folder; name a database file"
    if not path.exists():
        return ""
    if not path.is_file():
        return "is a pipe or a device; name a database file"
    try:
        with path.open("rb") as file:
            head = file.read(12)
    except OSError as error:
        return f"cannot be opened ({why(error)})"
    return "" if head[8:] == _MAGIC else "cannot be opened (it is not a DuckDB database); choose another --db"


def exists(target: str | Path | None = None) -> bool:
    """Whether there is something to open; a server is taken to exist."""
    url = locate(target)
    return url.get_backend_name() != "duckdb" or Path(url.database or "").exists()
