"""The command line given nonsense: the exit code, one sentence on stderr, nothing on stdout, never a traceback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import cli
from tests.bad_input.hostile import FILE, SOURCE, TASK, edit, read
from tests.trajectory.sessions import to_lines

Run = Callable[..., tuple[int, str, str]]
LONG = "x" * 5000


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Call the command line in a folder that holds one good run and odd files; (exit code, stdout, stderr)."""
    monkeypatch.delenv("STATETAPE_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("ok.jsonl").write_bytes(to_lines(TASK, *read("r", FILE, SOURCE, 1), *edit("e", FILE, "x", "y", 2)))
    Path("text.patch").write_text("hello\n")
    Path("binary.patch").write_bytes(b"\xff\xfe\0" * 50)
    Path("deep.json").write_text("[" * 100_000)
    Path("folder").mkdir()
    os.mkfifo("pipe")

    def call(*words: str) -> tuple[int, str, str]:
        try:
            code = cli.main([*words, "--db", "t.duckdb"])
        except SystemExit as stop:
            code = int(str(stop.code))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["ingest", ""], "argument PATH: the path is empty"),
        (["ingest", "ok.jsonl", "--jobs", "0"], "'0': expected a number from 1 on"),
        (["ingest", "ok.jsonl", "--jobs", "²"], "'²': expected a number from 1 on"),
        (["ingest", "ok.jsonl", "--jobs", "9" * 30], "expected a number from 1 on"),
        (["ingest", "ok.jsonl", "--set", ""], "--set '': expected KEY=VALUE with KEY one of batch, checked"),
        (["ingest", "ok.jsonl", "--set", "edges"], "--set 'edges': expected KEY=VALUE"),
        (["ingest", "ok.jsonl", "--set", "EDGES=both"], "--set 'EDGES=both': expected KEY=VALUE"),
        (["ingest", "ok.jsonl", "--set", "__class__=1"], "--set '__class__=1': expected KEY=VALUE"),
        (["ingest", "ok.jsonl", "--set", "edges=x"], "--set edges=x: takes outgoing or both"),
        (["ingest", "ok.jsonl", "--set", "gain=maybe"], "--set gain=maybe: takes on or off"),
        (["ingest", "ok.jsonl", "--set", "batch=-1"], "--set batch=-1: takes a whole number, 0 or more"),
        (["ingest", "ok.jsonl", "--set", "batch=²"], "--set batch=²: takes a whole number, 0 or more"),
        (
            ["ingest", "ok.jsonl", "--set", "batch=" + "9" * 5000],
            "takes a whole number, 0 or more, of at most 15 digits",
        ),
        (["export", "s", "--what", "nonsense"], "invalid choice: 'nonsense'"),
        (["export", "s", "--what", "steps,drift"], "invalid choice: 'steps,drift'"),
        (["export", "s", "--what", "decisions", "--anchors", "X"], "'X': expected one or more of P, T, F"),
        (["graph", ""], "argument DIR: the path is empty"),
    ],
)
def test_usage_is_exit_2(run: Run, words: list[str], why: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert why in err
    assert not Path("t.duckdb").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["ingest", "ok.jsonl", "--patch", "nowhere"], "nowhere: cannot be read (No such file or directory)"),
        (["ingest", "ok.jsonl", "--patch", "folder"], "folder: cannot be read (Is a directory)"),
        (["ingest", "ok.jsonl", "--patch", "pipe"], "pipe: cannot be read (not a file)"),
        (["ingest", "ok.jsonl", "--patch", "/dev/zero"], "/dev/zero: cannot be read (not a file)"),
        (["ingest", "ok.jsonl", "--patch", LONG], "cannot be read (File name too long)"),
        (["ingest", "ok.jsonl", "--instances", "pipe"], "pipe: cannot be read (not a file)"),
        (["ingest", "ok.jsonl", "--instances", "deep.json"], "deep.json: nested too deeply"),
        (["ingest", "ok.jsonl", "--instances", "binary.patch"], "cannot be read (not UTF-8 from byte 1 on)"),
        (["graph", LONG], ": not a folder"),
        (["drift", "nowhere", LONG], "nowhere: not a folder"),
        (["export", "s", "--what", "steps"], "there is no database here yet; ingest a run first"),
    ],
)
def test_what_cannot_be_read_is_exit_1(run: Run, words: list[str], why: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert why in err
    assert len(err) < 400


def test_what_is_refused_is_a_row_and_the_rest_is_done(run: Run) -> None:
    for path, why in (
        (LONG, "cannot be read (File name too long)"),
        ("pipe", "pipe: not a file"),
        ("/dev/zero", "/dev/zero: not a file"),
        ("nowhere.jsonl", "nowhere.jsonl: cannot be read (No such file or directory)"),
    ):
        code, out, _ = run("ingest", path, "ok.jsonl", "--json")
        rows = {row["status"]: row for row in json.loads(out)}
        assert code == 1
        assert why in rows["refused"]["error"]
        assert rows["loaded"]["steps"] == 3


@pytest.mark.parametrize("patch", ["text.patch", "binary.patch"])
def test_a_reference_patch_that_is_none_is_refused(run: Run, patch: str) -> None:
    code, out, _ = run("ingest", "ok.jsonl", "--patch", patch, "--json")
    (row,) = json.loads(out)
    assert (code, row["status"]) == (1, "refused")
    assert row["error"] == "the reference patch changes no file; expected a unified diff"


def test_a_prefix_that_fits_two_runs_names_them(run: Run) -> None:
    for name in ("one", "two"):
        Path(f"{name}.jsonl").write_bytes(Path("ok.jsonl").read_bytes().replace(b"Fix it.", name.encode()))
    code, out, _ = run("ingest", "one.jsonl", "two.jsonl", "--json")
    first, second = (row["run_id"] for row in json.loads(out))
    assert (code, first != second, first[:36]) == (0, True, second[:36])
    code, out, err = run("export", first[:36], "--what", "steps")
    assert (code, out) == (1, "")
    assert first in err
    assert second in err
    assert run("export", first, "--what", "steps")[0] == 0
    for strange in ("", "%", "_", "*", "'; drop table runs; --", LONG):
        code, out, err = run("export", strange, "--what", "steps")
        assert (code, out) == (1, "")
        assert "no such run; there are 2, see `runs`" in err
    assert len(json.loads(run("runs", "--json")[1])) == 2
