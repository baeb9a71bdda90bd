"""The command line as scripts see it: exit codes, stdout, stderr, and the README that describes it."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import cli
from storage.database import open_engine
from storage.export import COLUMNS, RUN_COLUMNS, WHATS
from storage.ingest import INGEST_COLUMNS
from storage.save import RunMeta, save
from storage.score import SCORE_COLUMNS
from tests.storage.test_database import held
from tests.storage.tiny import HOSTILE, tiny

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_runs" / "runs" / "config_walk.jsonl"
BASE = ROOT / "sample_runs" / "bases" / "config_walk"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Call the command line; (exit code, stdout, stderr)."""
    monkeypatch.delenv("STATETAPE_DB", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*words: str | Path) -> tuple[int, str, str]:
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as stop:
            code = int(str(stop.code))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "filled.duckdb"
    save(open_engine(path), tiny("abc-1", HOSTILE), RunMeta("a.jsonl"))
    save(open_engine(path), tiny("abd-2"), RunMeta(f"b{HOSTILE}.jsonl"))
    return path


def document(code_out_err: tuple[int, str, str], code: int = 0) -> Any:
    """The one document on stdout."""
    got, out, err = code_out_err
    assert got == code, err
    assert out.isascii()
    return json.loads(out, parse_constant=pytest.fail)


def test_ingest_runs_export(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    rows = document(run("ingest", SAMPLE, "empty.jsonl", "--base", BASE, "--db", "x/t.duckdb", "--json"))
    assert [(r["status"], r["error"]) for r in rows] == [("loaded", None), ("skipped", "empty file")] or [
        r["status"] for r in rows
    ] == ["skipped", "loaded"]
    loaded = next(r for r in rows if r["status"] == "loaded")
    assert [c for c in loaded if c != "fidelity_state"] == list(INGEST_COLUMNS)
    assert loaded["fidelity_state"] == "ok"
    assert (tmp_path / "x" / "t.duckdb").exists()
    (stored,) = document(run("--db", "x/t.duckdb", "--json", "runs"))
    assert tuple(stored) == RUN_COLUMNS
    for column in ("run_id", "steps", "writes", "records", "nominations", "decision_points", "observations"):
        assert stored[column] == loaded[column], column
    name = loaded["run_id"][:6]
    steps = document(run("export", name, "--what", "steps", "--db", "x/t.duckdb"))
    assert [s["t"] for s in steps] == list(range(1, loaded["steps"] + 1))
    assert len(document(run("export", name, "--what", "records", "--db", "x/t.duckdb"))) == loaded["records"]
    assert len(document(run("export", name, "--what", "nominations", "--db", "x/t.duckdb"))) == loaded["nominations"]
    assert len(document(run("export", name, "--what", "decisions", "--db", "x/t.duckdb"))) == loaded["decision_points"]
    assert len(document(run("export", name, "--what", "writes", "--db", "x/t.duckdb"))) == loaded["writes"]


def test_the_database_is_chosen_by_option_then_environment_then_default(
    run: Run, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.place.DEFAULT_PATH", tmp_path / "default.duckdb")
    code, out, err = run("runs", "--json")
    assert (code, json.loads(out)) == (0, [])
    assert "default.duckdb" in err
    assert not (tmp_path / "default.duckdb").exists()
    monkeypatch.setenv("STATETAPE_DB", "filled.duckdb")
    assert len(document(run("runs", "--json"))) == 2
    assert document(run("--db", "none.duckdb", "runs", "--json")) == []
    assert len(document(run("--db", "none.duckdb", "runs", "--json", "--db", f"duckdb:///{filled}"))) == 2


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["compare"],
        ["ingest"],
        ["ingest", "x", "--jobs", "0"],
        ["ingest", "x", "--set", "nonsense=1"],
        ["ingest", "x", "--set", "edges=sideways"],
        ["export", "abc"],
        ["export", "abc", "--what", "everything"],
        ["export", "abc", "--what", "drift", "--format", "parquet"],
        ["export", "abc", "--what", "drift", "--format", "csv", "--json"],
        ["export", "abc", "--what", "decisions", "--anchors", "P,X"],
        ["graph", ".", "--format", "dot"],
        ["drift", "."],
        ["runs", "--nonsense"],
    ],
)
def test_usage_errors_exit_2_and_print_nothing_on_stdout(run: Run, words: list[str]) -> None:
    code, out, err = run("--db", "t.duckdb", *words)
    assert (code, out) == (2, "")
    assert err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["export", "ab", "--what", "drift"], "begins 2 runs"),
        (["export", "zzz", "--what", "drift"], "no such run"),
        (["export", "abc", "--what", "drift", "--out", "no/such/folder.json"], "cannot be written"),
        (["export", "abc", "--what", "drift", "--db", "none.duckdb"], "no database here"),
        (["ingest", "nowhere.jsonl"], "nowhere.jsonl"),
        (["ingest", "x.jsonl", "--patch", "none.diff"], "none.diff"),
        (["ingest", "x.jsonl", "--instances", "none.json"], "none.json"),
        (["graph", "nowhere"], "not a folder"),
        (["drift", ".", "nowhere"], "not a folder"),
        (["runs", "--db", "sqlite:///x"], "expected duckdb"),
        (["runs", "--db", "."], "is a folder"),
    ],
)
@pytest.mark.usefixtures("filled")
def test_refusals_exit_1_and_say_why(run: Run, words: list[str], why: str) -> None:
    code, out, err = run("--db", "filled.duckdb", *words)
    assert code == 1
    assert why in err + out


@pytest.mark.parametrize("what", WHATS)
def test_exports_agree_in_all_formats(run: Run, filled: Path, tmp_path: Path, what: str) -> None:
    words = ("export", "abc", "--what", what, "--anchors", "F,P", "--db", filled)
    rows = document(run(*words))
    assert rows
    assert document(run(*words, "--json")) == rows
    code, out, _ = run(*words, "--format", "csv")
    assert code == 0
    table = list(csv.reader(io.StringIO(out, newline="")))
    assert table[0] == COLUMNS[what].names
    assert len(table) == len(rows) + 1
    for form in ("json", "csv", "parquet"):
        receipt = document(run(*words, "--format", form, "--out", tmp_path / f"o.{form}", "--json"))
        assert receipt == {"run_id": "abc-1", "what": what, "rows": len(rows), "out": str(tmp_path / f"o.{form}")}
    assert json.loads((tmp_path / "o.json").read_bytes()) == rows
    assert (tmp_path / "o.csv").read_bytes().decode() == out
    assert pq.read_table(tmp_path / "o.parquet").to_pylist() == rows


def test_text_for_people_cannot_steer_the_terminal(run: Run, filled: Path) -> None:
    code, out, _ = run("runs", "--db", filled)
    assert code == 0
    assert len(out.splitlines()) == 3
    assert all(line.isprintable() for line in out.splitlines())


def test_doctor_names_who_holds_the_database(run: Run, filled: Path, tmp_path: Path) -> None:
    found = {f["what"]: f for f in document(run("doctor", "--db", filled, "--json"))}
    assert found["database"] == {"what": "database", "state": "ok", "says": f"{filled}: 2 runs"}
    assert found["rank file"]["state"] == "ok"
    assert "223921b76ee99bde" in found["rank file"]["says"]
    assert {"grammar python", "grammar bash", "chromium", "duckdb", "python"} <= set(found)
    with held(filled, "write") as pid:
        found = {f["what"]: f for f in document(run("doctor", "--db", filled, "--json"))}
        assert found["database lock"]["state"] == "busy"
        assert f"process {pid}" in found["database lock"]["says"]
    code, out, _ = run("doctor", "--db", "none.duckdb")
    assert code == 0
    assert "not there yet" in out
    assert not (tmp_path / "none.duckdb").exists()
    (tmp_path / "junk.duckdb").write_bytes(b"junk" * 9999)
    assert run("doctor", "--db", "junk.duckdb")[0] == 1


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, target, body in ((before, "json_io", "1"), (after, "yaml_io", "2")):
        (folder / "src" / "app").mkdir(parents=True)
        (folder / ".git").mkdir()
        (folder / ".git" / "config").write_text(body)
        (folder / "logo.png").write_bytes(b"\x89PNG\0" + body.encode())
        app = folder / "src" / "app"
        (app / "__init__.py").write_text("")
        (app / "json_io.py").write_text("def load(path):\n    return 1\n")
        (app / "yaml_io.py").write_text(f"def load(path):\n    return {body}\n")
        (app / "config.py").write_text(f"from app.{target} import load\n\n\ndef read(path):\n    return load(path)\n")
    return before, after


def test_drift_between_two_folders(run: Run, trees: tuple[Path, Path]) -> None:
    before, after = trees
    drift = document(run("drift", before, after, "--json"))
    assert drift["changed"] == ["src/app/config.py::<module>", "src/app/yaml_io.py::load"]
    assert drift["rewired"] == ["src/app/config.py::read"]
    assert (drift["removed"], drift["created"], drift["uses"]) == ([], [], [])
    assert drift["lost_callers"] == ["src/app/json_io.py::load"]
    assert drift["paths"] == ["src/app/config.py", "src/app/yaml_io.py"]  # neither .git nor the picture
    assert list(drift) == [c for c in COLUMNS["drift"].names if c != "t"]
    same = document(run("drift", before, before, "--json"))
    assert all(not value for value in same.values())
    code, out, _ = run("drift", before, after)
    assert code == 0
    assert "rewired      src/app/config.py::read" in out


def test_graph_of_a_folder(run: Run, trees: tuple[Path, Path], tmp_path: Path) -> None:
    graph = document(run("graph", trees[0], "--format", "json"))
    assert set(graph) == {"symbols", "edges", "unresolved"}
    assert {"id": "src/app/config.py::read", "kind": "function", "start": 4, "end": 5} in graph["symbols"]
    (call,) = [e for e in graph["edges"] if e["from"] == "src/app/config.py::read" and e["kind"] == "call"]
    assert (call["to"], call["tier"]) == ("src/app/json_io.py::load", "certain")
    assert call["why"]
    assert graph["edges"] == sorted(graph["edges"], key=lambda e: (e["from"], e["to"], e["kind"], e["why"]))
    assert all(e["tier"] == "certain" and e["kind"] != "override" for e in graph["edges"])
    whole = document(run("graph", trees[0], "--format", "json", "--edges", "all"))
    assert all(edge in whole["edges"] for edge in graph["edges"])
    calls = document(run("graph", trees[0], "--format", "callgraph"))
    assert calls["app.config.read"] == ["app.json_io.load"]
    assert calls["app.json_io.load"] == []
    code, out, _ = run("graph", trees[0], "--format", "callgraph", "--out", tmp_path / "g.json")
    assert (code, out) == (0, "")
    assert json.loads((tmp_path / "g.json").read_text()) == calls


def test_as_a_program_from_anywhere(filled: Path, tmp_path: Path) -> None:
    """stdout holds the document and nothing else; a closed pipe is no error."""
    command = [sys.executable, str(ROOT / "cli.py"), "--db", str(filled)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    done = subprocess.run(
        [*command, "export", "abc", "--what", "steps"], cwd=tmp_path, env=environment, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)) == 6
    piped = subprocess.run(f"{' '.join(command)} export abc --what steps | head -c 1", shell=True, capture_output=True)
    assert (piped.stdout, piped.stderr) == (b"[", b"")


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """An argument as the README writes it: ``PATH...``, ``[--jobs N]``."""
    out = []
    for action in parser._actions:
        if "--help" in action.option_strings:
            continue
        value = str(action.metavar or ("|".join(action.choices) if action.choices else ""))
        if not action.option_strings:
            out.append(f"{value}..." if action.nargs == "+" else value)
        elif action.option_strings[0] not in {"--db", "--json"}:
            name = action.option_strings[0]
            word = f"{name} {value}".strip() + ("..." if isinstance(action, argparse._AppendAction) else "")
            out.append(word if action.required else f"[{word}]")
    return out


def tables() -> dict[str, str]:
    """What must stand between the README's markers, made from the code."""
    top = cli.parser()
    verbs = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    lines = ["| verb | what it does |", "|---|---|"]
    for name, verb in verbs.choices.items():
        inner = next((a for a in verb._actions if isinstance(a, argparse._SubParsersAction)), None)
        named = {name: verb} if inner is None else {f"{name} {word}": v for word, v in inner.choices.items()}
        for words, one in named.items():
            line = " ".join([words, *options_of(one)]).replace("|", "\\|")
            lines.append(f"| `{line}` | {one.description} |")
    columns = ["| rows of | columns |", "|---|---|", f"| `ingest` | {', '.join(with_state(INGEST_COLUMNS))} |"]
    columns.append(f"| `runs` | {', '.join(RUN_COLUMNS)} |")
    columns += [f"| `export --what {what}` | {', '.join(COLUMNS[what].names)} |" for what in WHATS]
    columns.append(f"| `score` | {', '.join(SCORE_COLUMNS)} |")
    return {"verbs": "\n".join(lines), "columns": "\n".join(columns)}


def with_state(names: tuple[str, ...]) -> list[str]:
    return [word for name in names for word in ([name, "fidelity_state"] if name == "fidelity" else [name])]


def test_the_readme_says_what_the_code_does() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, table in tables().items():
        found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", readme, re.DOTALL)
        assert found, f"README.md has no <!-- {name} --> ... <!-- /{name} -->"
        assert found[1] == table, f"README.md, {name}: expected\n{table}"


def test_follow_stores_and_stops_when_nothing_is_added(run: Run) -> None:
    code, out, err = run("--db", "t.duckdb", "--json", "ingest", "--follow", "--idle", "1", SAMPLE, "--base", BASE)
    assert code == 0
    (row,) = json.loads(out)
    assert row["status"] == "loaded"
    assert err.count(row["run_id"]) == 2  # as it stood, and scored at the end


def test_idle_without_follow_is_a_usage_error(run: Run) -> None:
    code, out, err = run("ingest", "--idle", "1", SAMPLE)
    assert (code, out) == (2, "")
    assert "--follow" in err
