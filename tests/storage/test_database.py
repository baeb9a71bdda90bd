"""The door to the database: who may come in, who waits, what is refused and in which words."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from core.errors import StorageError
from storage import database
from storage.database import Busy, open_engine, probe, reading, writing
from storage.place import DEFAULT_PATH, exists, locate, shown
from storage.schema import SCHEMA_VERSION, meta

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path: Path, mode: str) -> Iterator[int]:
    """Another process holds the database; gives its number."""
    command = [sys.executable, "-c", HOLD, str(path), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process.pid
        finally:
            process.communicate()


def file_locks(path: Path) -> list[str]:
    """The kernel's locks on the file; where it does not tell, one made-up lock."""
    table, number = Path("/proc/locks"), path.stat().st_ino
    return [line for line in table.read_text().splitlines() if f":{number} " in line] if table.exists() else ["?"]


def test_where_the_database_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STATETAPE_DB", raising=False)
    assert locate().database == str(DEFAULT_PATH) == str(ROOT / "data" / "statetape.duckdb")
    monkeypatch.setenv("STATETAPE_DB", "env.duckdb")
    assert locate().database == str(tmp_path / "env.duckdb")
    assert locate("a b?c#d%e.duckdb").database == str(tmp_path / "a b?c#d%e.duckdb")
    assert locate("duckdb:///x/y.duckdb").database == str(tmp_path / "x" / "y.duckdb")
    assert locate("duckdb:////x/y.duckdb").database == "/x/y.duckdb"
    assert locate("md:cloud").database == str(tmp_path / "md:cloud")  # a file name, never a service
    assert shown(locate("postgresql://me:secret@host/db")) == "postgresql://me:***@host/db"


@pytest.mark.parametrize("bad", ["sqlite:///x.db", "://", "duckdb://", "duckdb:///:memory:", "duckdb:///x?threads=1"])
def test_what_is_no_database_is_refused(bad: str) -> None:
    with pytest.raises(StorageError):
        locate(bad)


def test_a_missing_database_is_made_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "it's #1.duckdb"
    assert not exists(path)
    assert probe(path).state == "missing"
    with pytest.raises(StorageError, match="no database here"):
        open_engine(path, create=False)
    assert not path.parent.exists()
    engine = open_engine(path)
    with reading(engine) as connection:
        assert connection.execute(meta.select()).all() == [("schema_version", str(SCHEMA_VERSION))]
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert probe(path).state == "free"


def test_two_that_make_it_at_once_share_it(tmp_path: Path) -> None:
    path, errors = tmp_path / "t.duckdb", []

    def add(n: int) -> None:
        try:
            with writing(open_engine(path)) as connection:
                connection.execute(meta.insert().values(key=f"k{n}", value=""))
        except StorageError as error:
            errors.append(error)

    threads = [threading.Thread(target=add, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with reading(open_engine(path)) as connection:
        assert len(connection.execute(meta.select()).all()) == 7


@pytest.mark.parametrize("content", [b"", b"junk" * 5000])
def test_what_is_not_a_database_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.duckdb"
    path.write_bytes(content)
    with pytest.raises(StorageError, match="cannot be opened"):
        open_engine(path)
    assert path.read_bytes() == content
    assert probe(path).state == "unusable"
    with pytest.raises(StorageError, match="is a folder"):
        open_engine(tmp_path)
    with pytest.raises(StorageError, match="cannot be created"):
        open_engine(path / "below" / "x.duckdb")


def test_a_newer_schema_is_refused_and_unchanged(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "t.duckdb")
    with writing(engine) as connection:
        connection.execute(meta.update().values(value=str(SCHEMA_VERSION + 1)))
    with pytest.raises(
        StorageError, match=rf"newer StateTape .schema {SCHEMA_VERSION + 1}, this program knows {SCHEMA_VERSION}"
    ):
        open_engine(tmp_path / "t.duckdb")


def test_an_older_schema_is_migrated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.duckdb"
    engine = open_engine(path)
    with writing(engine) as connection:
        connection.execute(text("DROP TABLE held"))
        connection.execute(meta.update().values(value="0"))

    def migrate(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE curve ADD COLUMN extra INTEGER"))

    monkeypatch.setitem(database.MIGRATIONS, 0, migrate)
    for _ in range(2):
        with reading(open_engine(path)) as connection:
            assert connection.execute(meta.select()).all() == [("schema_version", str(SCHEMA_VERSION))]
            connection.execute(text("SELECT extra FROM curve"))
            connection.execute(text("SELECT * FROM held"))


def test_a_failing_migration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.duckdb"
    with writing(open_engine(path)) as connection:
        connection.execute(meta.update().values(value="0"))

    def migrate(connection: Connection) -> None:
        connection.execute(text("DROP TABLE curve"))
        connection.execute(text("SELECT * FROM nowhere"))

    monkeypatch.setitem(database.MIGRATIONS, 0, migrate)
    with pytest.raises(StorageError, match="nowhere"):
        open_engine(path)
    monkeypatch.setitem(database.MIGRATIONS, 0, lambda connection: None)
    with reading(open_engine(path)) as connection:
        connection.execute(text("SELECT * FROM curve"))


def test_another_programs_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with writing(open_engine(path)) as connection:
        connection.execute(text("DROP TABLE meta"))
    with pytest.raises(StorageError, match="another program"):
        open_engine(path)


def test_a_locked_database_says_who_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.duckdb"
    engine = open_engine(path)
    monkeypatch.setattr(database, "READ_WAIT", 0.2)
    monkeypatch.setattr(database, "WRITE_WAIT", 0.2)
    with held(path, "write") as pid:
        for attempt in (lambda: open_engine(path), lambda: reading(engine).__enter__()):
            with pytest.raises(Busy, match=rf"ingest is in progress \(process {pid}\)"):
                attempt()
        lock = probe(path)
        assert (lock.state, lock.pid) == ("write", pid)
        assert "python" in lock.holder
    assert probe(path).state == "free"
    with held(path, "read") as pid:
        assert (probe(path).state, probe(path).pid) == ("read", pid)
        with reading(engine) as connection:
            connection.execute(meta.select())
        with pytest.raises(Busy), writing(engine):
            pass


def test_a_reader_waits_for_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    engine = open_engine(path)
    with held(path, "write"):
        done: list[float] = []

        def read() -> None:
            with reading(engine) as connection:
                connection.execute(meta.select()).all()
            done.append(time.monotonic())

        thread = threading.Thread(target=read)
        thread.start()
        time.sleep(0.3)
        assert not done
        released = time.monotonic()
    thread.join(10)
    assert done
    assert done[0] >= released


def test_readers_and_writers_in_one_program(tmp_path: Path) -> None:
    """Threads of one server: every read sees whole transactions, nobody fails, the lock is never lost."""
    engine = open_engine(tmp_path / "t.duckdb")
    stop, errors, seen = threading.Event(), [], set()

    def read() -> None:
        while not stop.is_set():
            try:
                with reading(engine) as connection:
                    seen.add(connection.execute(text("SELECT count(*) FROM meta WHERE key LIKE 'k%'")).scalar())
            except Exception as error:
                errors.append(error)
            time.sleep(0.002)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    unlocked = 0
    for n in range(20):
        with writing(engine) as connection:
            for part in range(5):
                connection.execute(meta.insert().values(key=f"k{n}-{part}", value=""))
                unlocked += not file_locks(tmp_path / "t.duckdb")
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert all(count % 5 == 0 for count in seen)
    assert unlocked == 0


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT * FROM glob('/*')",
        "COPY meta TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/other.duckdb'",
        "SET enable_external_access=true",
        "SET lock_configuration=false",
        "SET memory_limit='1KB'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "INSERT INTO meta VALUES ('a', 'b')",
        "CREATE TABLE x (y INTEGER)",
    ],
)
def test_sql_of_a_reader_reaches_nothing_but_the_tables(tmp_path: Path, query: str) -> None:
    engine = open_engine(tmp_path / "t.duckdb")
    with pytest.raises(StorageError), reading(engine) as connection:
        connection.exec_driver_sql(query.format(folder=tmp_path)).all()
    assert [p.name for p in tmp_path.iterdir()] == ["t.duckdb"]
