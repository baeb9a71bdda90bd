"""The recorded runs: the same bytes when recorded again, true to the format, and what they promise to hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.replay.base import load_base
from core.replay.replay import replay
from core.replay.world import History
from core.trajectory.load import discover, load
from sample_runs.recorder import HERE, SCRIPTS, ScriptError, record
from sample_runs.script import Script, bash, edit, read, turn

RUNS = HERE / "runs"
RECORDED_WITH = (3, 11)


def session(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (RUNS / name).read_text(encoding="utf-8").splitlines()]


def results(lines: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(result block, its line) of every tool result."""
    for line in lines:
        content = line.get("message", {}).get("content")
        if line["type"] == "user" and isinstance(content, list):
            yield content[0], line


@pytest.mark.skipif(sys.version_info[:2] != RECORDED_WITH, reason="tracebacks are worded by another interpreter")
@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_recording_again_gives_the_same_bytes(name: str) -> None:
    files = record(SCRIPTS[name]).files
    kept = {p.relative_to(RUNS).as_posix() for p in RUNS.rglob(f"{name}*/**/*.jsonl")} | {f"{name}.jsonl"}
    assert set(files) == kept
    for path, text in files.items():
        assert (RUNS / path).read_bytes() == text.encode(), path


def test_no_path_of_a_machine_is_shown() -> None:
    for path in RUNS.rglob("*.jsonl"):
        shown = set(
            re.findall(r"(?<![\w.:~/*\\-])/(?:home|tmp|usr|work|root|opt|private|Users)/[\w./-]*", path.read_text())
        )
        assert {p for p in shown if not p.startswith("/home/dev/")} == set(), path


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_chain_and_ids(name: str) -> None:
    lines = [line for line in session(f"{name}.jsonl") if "uuid" in line]
    seen: set[str] = set()
    for line in lines:
        assert line["parentUuid"] is None or line["parentUuid"] in seen
        assert line["uuid"] not in seen
        seen.add(line["uuid"])
    assert [line["timestamp"] for line in lines] == sorted(line["timestamp"] for line in lines)
    calls = [b["id"] for line in lines if line["type"] == "assistant" for b in line["message"]["content"] if "id" in b]
    answers = [block["tool_use_id"] for block, _ in results(lines)]
    assert len(set(calls)) == len(calls)
    assert sorted(answers) == sorted(calls)


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_usage_adds_up_from_request_to_request(name: str) -> None:
    """What a request reads from the cache is what the one before held in it, unless the cache was cold."""
    usages: dict[str, dict[str, Any]] = {}
    for line in session(f"{name}.jsonl"):
        if line["type"] == "assistant":
            usages[line["message"]["id"]] = line["message"]["usage"]
    previous, cold = 0, 0
    for usage in usages.values():
        read_, written = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
        cold += read_ != previous
        assert read_ in (previous, 14_000)
        previous = read_ + written
    assert cold <= 3


def test_scripts_that_do_not_fit_are_refused() -> None:
    def played(*events: Any) -> None:
        record(Script("x", "config_walk", "x", "2.1.37", "m", "main", "s", "2026-03-02T09:00:00", events))

    with pytest.raises(ScriptError, match="not been read"):
        played(turn(edit("app/log.py", "upper", "lower")))
    with pytest.raises(ScriptError, match="not found"):
        played(turn(read("app/log.py")), turn(edit("app/log.py", "no such text", "")))
    with pytest.raises(ScriptError, match="3 matches"):
        played(turn(read("app/log.py")), turn(edit("app/log.py", "level, text", "")))
    with pytest.raises(ScriptError, match="Exit code 3"):
        played(turn(bash("exit 3", "Fail")))
    with pytest.raises(ScriptError):
        played(turn(bash("true", "Do not fail", fails=True)))


def test_edit_results_replay_to_the_final_tree() -> None:
    """originalFile + oldString -> newString of every edit, in order, is what the next sight of the file shows."""
    texts: dict[str, str] = {}
    shell = {"pennybook/prices.py", "pennybook/reports/base.py", "docs/reports.md"}
    for _, line in results(session("ledger_long.jsonl")):
        result = line["toolUseResult"]
        if not isinstance(result, dict) or "filePath" not in result:
            continue
        path = result["filePath"].removeprefix("/home/dev/pennybook/")
        if "newString" in result:
            assert path in shell or texts.get(path, result["originalFile"]) == result["originalFile"]
            count = -1 if result["replaceAll"] else 1
            texts[path] = result["originalFile"].replace(result["oldString"], result["newString"], count)
        else:
            texts[path] = result["content"]
    tree = record(SCRIPTS["ledger_long"]).tree
    assert {path: tree[path] for path in texts} == texts


def test_the_reference_patch_applies_and_its_tests_pass(tmp_path: Path) -> None:
    work = tmp_path / "work"
    subprocess.run(["cp", "-r", str(HERE / "bases" / "ledger"), str(work)], check=True)
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    subprocess.run(["git", "apply", str(RUNS / "ledger_long.patch")], cwd=work, check=True)
    command = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("base", ["config_walk", "ledger"])
def test_the_base_trees_work(base: str) -> None:
    command = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
    done = subprocess.run(command, cwd=HERE / "bases" / base, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_samples_name_files_that_exist() -> None:
    samples = json.loads((HERE / "samples.json").read_text(encoding="utf-8"))
    assert [set(sample) for sample in samples] == [{"run", "base", "patch", "title", "description"}] * len(SCRIPTS)
    for sample in samples:
        for key in ("run", "base", "patch"):
            assert sample[key] is None or (HERE / sample[key]).exists()


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_the_parser_reads_them_whole(name: str) -> None:
    (files,) = discover([RUNS / f"{name}.jsonl"])
    trajectory = load(files)
    assert trajectory.skipped == ()
    assert {name for name, _ in trajectory.unknown} <= {"system:turn_duration", "type:file-history-snapshot"}
    assert trajectory.cwd == f"/home/dev/{SCRIPTS[name].project}"


def test_the_long_run_holds_what_it_promises() -> None:
    (files,) = discover([RUNS / "ledger_long.jsonl"])
    trajectory = load(files)
    main = [step for step in trajectory.steps if not step.agent]
    writing = [step for step in trajectory.steps if step.writes]
    python = {write.path for step in writing for write in step.writes if write.path.endswith(".py")}
    tests = [step for step in main if step.purpose == "test"]
    assert len(main) >= 150
    assert len(writing) >= 40
    assert len(python) >= 15
    assert {step.failed for step in tests} == {True, False}
    assert len([step for step in writing if step.agent]) == 2
    assert [c.kind for c in trajectory.compactions] == ["full"]
    assert {"put", "append", "edit", "move", "sed", "git"} <= {w.op for step in writing for w in step.writes}


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_the_replay_ends_in_the_tree_the_script_really_left(name: str) -> None:
    """The transcript alone, over the base, must give every file as the recorder's copy has it."""
    (files,) = discover([RUNS / f"{name}.jsonl"])
    trajectory = load(files)
    replayed = replay(trajectory, load_base(str(HERE / "bases" / SCRIPTS[name].base), trajectory))
    history, last = History(replayed), len(trajectory.steps)
    tree = record(SCRIPTS[name]).tree
    assert {path: history.text(path, last) for path in history.paths(last)} == tree
    assert replayed.fidelity == 1.0
    assert replayed.unapplied == ()
