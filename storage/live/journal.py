"""Live, EDGE: everything the state of a live project is made of, in one SQLite file of its folder.

In: entries (what happened, in order), texts of the project's files as last seen, calls under way, answers given. Out:
the same, after any kill: an event is one transaction. SQLite is the one database here that two processes may have
open at once, one of them writing. A file that is no journal is put aside under another name, never deleted.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.errors import StorageError

FILE = "journal.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS entries(n INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers(name TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS files(path TEXT PRIMARY KEY, size INTEGER, changed INTEGER, node INTEGER, body BLOB);
CREATE TABLE IF NOT EXISTS calls(n INTEGER PRIMARY KEY, session TEXT, id TEXT, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS notes(name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS shelf(name TEXT PRIMARY KEY, body BLOB NOT NULL);
"""
_ANSWERS = 500  # answers kept for clients that ask again
_LARGEST = 2_000_000 * 4  # bytes a stored text unpacks to at most
SeenAs = tuple[int, int, int]  # size, time of change, inode


@dataclass(slots=True)
class Journal:
    """One open journal; the state folder is the working directory."""

    connection: sqlite3.Connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside, or nothing of it."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def entries(self) -> Iterator[dict[str, Any]]:
        """What happened, in order."""
        for (body,) in self.connection.execute("SELECT body FROM entries ORDER BY n"):
            yield json.loads(body)

    def add(self, entry: Mapping[str, Any]) -> None:
        """Append one entry."""
        self.connection.execute("INSERT INTO entries(body) VALUES (?)", (json.dumps(entry),))

    def answer(self, name: str) -> bytes | None:
        """The answer given to an event, None if it was not taken in yet."""
        row = self.connection.execute("SELECT body FROM answers WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def answered(self, name: str, body: bytes) -> None:
        """Keep an answer; the oldest are let go."""
        self.connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (name, body))
        self.connection.execute(
            "DELETE FROM answers WHERE name < (SELECT name FROM answers ORDER BY name DESC LIMIT 1 OFFSET ?)",
            (_ANSWERS,),
        )

    def call(self, session: str, call: str, body: str) -> None:
        """A call began."""
        self.connection.execute("INSERT INTO calls(session, id, body) VALUES (?, ?, ?)", (session, call, body))

    def calls(self, session: str) -> list[tuple[int, str, str]]:
        """The calls under way in a session: (number, id, body), in order."""
        query = "SELECT n, id, body FROM calls WHERE session = ? ORDER BY n"
        return list(self.connection.execute(query, (session,)))

    def called(self, number: int) -> None:
        """A call is over."""
        self.connection.execute("DELETE FROM calls WHERE n = ?", (number,))

    def note(self, name: str) -> Any:
        """A value kept under a name, None if there is none."""
        row = self.connection.execute("SELECT body FROM notes WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def noted(self, name: str, value: object) -> None:
        """Keep a value under a name."""
        self.connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, json.dumps(value)))

    def files(self) -> dict[str, SeenAs]:
        """How each file of the project was last seen."""
        return {
            row[0]: (row[1], row[2], row[3])
            for row in self.connection.execute("SELECT path, size, changed, node FROM files")
        }

    def texts(self) -> dict[str, str]:
        """All texts as last seen; a file that is no text has none."""
        rows = self.connection.execute("SELECT path, body FROM files WHERE body IS NOT NULL")
        return {path: _unpacked(body) for path, body in rows}

    def text(self, path: str) -> str | None:
        """One text as last seen."""
        row = self.connection.execute("SELECT body FROM files WHERE path = ?", (path,)).fetchone()
        return None if row is None or row[0] is None else _unpacked(row[0])

    def saw(self, path: str, seen: SeenAs | None, text: str | None) -> None:
        """Keep how a file is now; ``seen`` None: it is gone."""
        if seen is None:
            self.connection.execute("DELETE FROM files WHERE path = ?", (path,))
            return
        body = None if text is None else zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
        self.connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", (path, *seen, body))

    def shelved(self, names: list[str]) -> dict[str, bytes]:
        """Entries of the code graph's shelf."""
        found = {}
        for at in range(0, len(names), 500):
            part = names[at : at + 500]
            query = f"SELECT name, body FROM shelf WHERE name IN ({','.join('?' * len(part))})"
            found.update({name: bytes(body) for name, body in self.connection.execute(query, part)})
        return found

    def shelve(self, entries: Mapping[str, bytes], keep: list[str]) -> None:
        """Put entries onto the shelf; of the others only those in ``keep`` stay."""
        with self.transaction():
            self.connection.execute("CREATE TEMP TABLE IF NOT EXISTS kept(name TEXT PRIMARY KEY)")
            self.connection.execute("DELETE FROM kept")
            self.connection.executemany("INSERT OR IGNORE INTO kept VALUES (?)", [(name,) for name in keep])
            self.connection.execute("DELETE FROM shelf WHERE name NOT IN (SELECT name FROM kept)")
            self.connection.executemany("INSERT OR REPLACE INTO shelf VALUES (?, ?)", list(entries.items()))


def _unpacked(body: bytes) -> str:
    data = zlib.decompressobj().decompress(body, _LARGEST)
    return data.decode("utf-8", "surrogatepass")


def open_journal(create: bool = True) -> Journal:
    """The journal of the state folder, which is the working directory. Raises StorageError where it cannot be used.

    Without ``create`` a missing one is an error and nothing is written.
    """
    there = os.path.lexists(FILE)
    if there and not stat.S_ISREG(os.lstat(FILE).st_mode):
        raise StorageError(f"{FILE} is not a regular file and is not opened")
    if not there and not create:
        raise StorageError(f"{FILE}: nothing was recorded yet")
    try:
        return _opened(create)
    except sqlite3.DatabaseError as error:
        if not create or isinstance(error, sqlite3.OperationalError):
            raise StorageError(f"{FILE}: cannot be used ({error})") from error
    for number in range(1, 1000):
        aside = f"{FILE}.broken-{number}"
        if not os.path.lexists(aside):
            os.rename(FILE, aside)
            break
    for rest in (f"{FILE}-wal", f"{FILE}-shm"):
        if os.path.lexists(rest):
            os.unlink(rest)
    return _opened(create)


def _opened(create: bool) -> Journal:
    mode = "rwc" if create else "ro"
    connection = sqlite3.connect(f"file:{FILE}?mode={mode}", uri=True, isolation_level=None, timeout=5.0)
    try:
        if create:
            os.chmod(FILE, 0o600)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.executescript(_TABLES)
        connection.execute("SELECT count(*) FROM entries").fetchone()
    except BaseException:
        connection.close()
        raise
    return Journal(connection)
