"""Databases that cannot be used: command line and pages say which, why and what to do; nothing is changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import cli
from core.errors import InputError
from pages.components.runs_view import keep_upload
from storage import database
from storage.database import open_engine, probe, writing
from storage.schema import meta
from tests.bad_input.hostile import FILE, SOURCE, TASK, edit, read
from tests.storage.test_database import held
from tests.trajectory.sessions import to_lines

ROOT = Path(__file__).resolve().parents[2]
RUN = to_lines(TASK, *read("r", FILE, SOURCE, 1), *edit("e", FILE, "return x", "return 2", 2))


def junk(path: Path) -> None:
    path.write_bytes(b"junk" * 5000)


def empty(path: Path) -> None:
    path.touch()


def sqlite(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("create table runs(a)")
    connection.close()


def newer(path: Path) -> None:
    with writing(open_engine(path)) as connection:
        connection.execute(meta.update().values(value="99"))


def nonsense(path: Path) -> None:
    with writing(open_engine(path)) as connection:
        connection.execute(meta.update().values(value="²"))


def another(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table runs(a int)")


def cut(path: Path) -> None:
    open_engine(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 3])


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def dangling(path: Path) -> None:
    path.symlink_to("gone.duckdb")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


Say = Callable[..., str]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Say]:
    """What command line and page say of a database; fails when they disagree or do not refuse."""
    (tmp_path / "s.jsonl").write_bytes(RUN)

    def asked(target: Path | str, pages: bool = True) -> str:
        said = set()
        for words in (["runs"], ["ingest", str(tmp_path / "s.jsonl")], ["export", "x", "--what", "steps"]):
            assert cli.main([*words, "--db", str(target)]) == 1, words
            out, err = capsys.readouterr()
            assert out == ""
            said.add(err.strip())
        assert cli.main(["doctor", "--db", str(target)]) == 1
        capsys.readouterr()
        (text,) = said
        if pages:
            monkeypatch.setenv("STATETAPE_DB", str(target))
            for name in ("runs", "run"):
                st.cache_data.clear()
                st.cache_resource.clear()
                app = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=60).run()
                assert not app.exception
                (shown,) = (e.value.replace("\\", "") for e in app.error)
                assert shown[:180] == text[:180]
        return text

    yield asked
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (junk, "cannot be opened (it is not a DuckDB database); choose another --db"),
        (empty, "cannot be opened (it is not a DuckDB database); choose another --db"),
        (sqlite, "cannot be opened (it is not a DuckDB database); choose another --db"),
        (newer, "written by a newer StateTape (schema 99, this program knows "),
        (nonsense, "no schema version but '²'; choose another --db"),
        (another, "holds tables of another program (runs); choose another --db"),
        (cut, "cannot be opened ("),
        (folder, "is a folder; name a database file"),
        (pipe, "is a pipe or a device; name a database file"),
        (dangling, "a link to gone.duckdb, which is not there"),
        (loop, "a link to t.duckdb, which is not there"),
    ],
)
def test_what_is_no_database_of_ours_is_refused_and_left_alone(
    say: Say, tmp_path: Path, make: Callable[[Path], None], why: str
) -> None:
    path = tmp_path / "t.duckdb"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    assert say(path).startswith(f"{path}: {why}")
    if before is not None:
        assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s.jsonl", "t.duckdb"]


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("x" * 500, "cannot be a database file (File name too long)"),
        ("~nobody-of-this-name/t.duckdb", "cannot be a database file (Could not determine home directory.)"),
        ("sqlite:///x", "expected duckdb:///FILE without options, or postgresql://..."),
        ("/dev/null", "is a pipe or a device; name a database file"),
    ],
)
def test_a_name_at_which_no_database_can_be(say: Say, target: str, why: str) -> None:
    assert say(target).endswith(why)


def test_a_place_that_cannot_be_written_is_named_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.jsonl").write_bytes(RUN)
    place = Path("/proc/t.duckdb")
    if not place.parent.exists():
        pytest.skip("no /proc here")
    assert cli.main(["ingest", str(tmp_path / "s.jsonl"), "--db", str(place)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("/proc/t.duckdb: cannot be ")
    assert ".new" not in err


def test_a_database_held_by_another_process_is_said_with_its_number(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.duckdb"
    open_engine(path)
    monkeypatch.setattr(database, "READ_WAIT", 0.3)
    monkeypatch.setattr(database, "WRITE_WAIT", 0.3)
    with held(path, "write") as pid:
        monkeypatch.setenv("STATETAPE_DB", str(path))
        app = AppTest.from_file(str(ROOT / "pages" / "runs.py"), default_timeout=60).run()
        assert not app.exception
        words = " ".join(e.value for kind in ("error", "warning", "info") for e in app.get(kind)).replace("\\", "")
        assert "in progress" in words
        for words_ in (["runs"], ["ingest", str(tmp_path / "s.jsonl")], ["export", "x", "--what", "steps"]):
            assert cli.main([*words_, "--db", str(path)]) == 1
        assert probe(path).state == "write"
        assert probe(path).pid == pid
    assert cli.main(["ingest", str(tmp_path / "s.jsonl"), "--db", str(path)]) == 0


class Upload:
    """What a browser hands over."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self._data = name, data

    def getvalue(self) -> bytes:
        """The bytes."""
        return self._data


def test_uploads_of_one_name_are_both_kept_and_stay_in_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATETAPE_DB", str(tmp_path / "t.duckdb"))
    kept = [keep_upload(Upload("s.jsonl", data)) for data in (b"one", b"two", b"one")]
    assert kept[0] == kept[2] != kept[1]
    assert [path.read_bytes() for path in kept] == [b"one", b"two", b"one"]
    for name in (
        "../../evil.jsonl",
        "/etc/passwd",
        "..",
        "",
        "a\0b",
        "x" * 5000 + ".jsonl",
        "<script>.jsonl",
        ".hidden",
    ):
        path = keep_upload(Upload(name, b"three"))
        assert path.resolve().parent == tmp_path / "uploads"
        assert not path.name.startswith(".")
    shutil.rmtree(tmp_path / "uploads")
    (tmp_path / "uploads").touch()
    with pytest.raises(InputError, match="cannot be kept"):
        keep_upload(Upload("s.jsonl", b"one"))


FULL = """
import resource, sys
import cli
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(cli.main(["ingest", sys.argv[2], "--db", sys.argv[3], "--json"]))
"""


@pytest.mark.parametrize("room", [1000, 10_000])
def test_a_disk_full_before_there_is_a_database_leaves_nothing_behind(tmp_path: Path, room: int) -> None:
    pytest.importorskip("resource")
    (tmp_path / "s.jsonl").write_bytes(RUN)
    path = tmp_path / "db" / "t.duckdb"
    words = [sys.executable, "-c", FULL, str(room), str(tmp_path / "s.jsonl"), str(path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{path}: the disk is full, nothing was stored (")
    assert list(path.parent.iterdir()) == []
    assert cli.main(["ingest", str(tmp_path / "s.jsonl"), "--db", str(path)]) == 0
