"""Plays every scripted agent and writes its session to runs/: ``python -m sample_runs.recorder``.

For each script: copy its base tree to a temporary folder, carry out each call there in order, write down the
true outputs. The result is the same bytes on every machine with the same Python minor version (tracebacks
are worded by the interpreter); what is normalised for that is listed in tools.py.
"""

from __future__ import annotations

import base64
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sample_runs.script import Call, Compact, Script, Turn, User
from sample_runs.scripts import config_walk, ledger_long
from sample_runs.session import Clock, Session
from sample_runs.tools import Outcome, Workbench, carry_out

HERE = Path(__file__).parent
SCRIPTS: dict[str, Script] = {script.name: script for script in (config_walk.SCRIPT, ledger_long.SCRIPT)}
_PATH_VALUES = ("file_path", "path")


class ScriptError(Exception):
    """A scripted call did not do what its script says (failed, or should have failed)."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """``files``: the session and its sub-agents' by path under runs/. ``tree``: the project's files at the end."""

    files: dict[str, str]
    tree: dict[str, str]


@dataclass(slots=True)
class Recording:
    """A session being recorded, its sub-agents' files, and the copy they all work on."""

    script: Script
    bench: Workbench
    clock: Clock
    main: Session
    agents: dict[str, Session]


def record(script: Script, bases: Path = HERE / "bases") -> Recorded:
    """Plays a script on a fresh copy of its base; raises ScriptError when a call does not do what it must."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "work"
        shutil.copytree(bases / script.base, root)
        recording = _prepare(script, Path(folder), root)
        if script.git:
            _first_commit(recording.bench, script)
        for event in script.events:
            _play(recording, event)
        recording.main.finish()
        tree = {path: recording.bench.text_of(path) for path in recording.bench.paths()}
    files = {f"{script.name}.jsonl": recording.main.text()}
    for name, session in recording.agents.items():
        files[f"{script.name}/subagents/agent-{name}.jsonl"] = session.text()
    return Recorded(files, tree)


def _prepare(script: Script, folder: Path, root: Path) -> Recording:
    bench = Workbench(root, script.project, _environment(folder), script.snippets, script.reminders)
    clock = Clock(random.Random(script.name), datetime.fromisoformat(script.started))
    main = Session(script, clock, clock.uuid())
    return Recording(script, bench, clock, main, {})


def _environment(folder: Path) -> dict[str, str]:
    """What a scripted shell sees: this interpreter as ``python``, fixed locale, time zone and commit identity."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("python", "python3"):
        (programs / name).symlink_to(os.path.realpath(sys.executable))
    person = {"NAME": "dev", "EMAIL": "dev@example.org", "DATE": "2026-03-02T08:00:00+00:00"}
    git = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}
    return {
        **git,
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "80",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PAGER": "cat",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }


def _first_commit(bench: Workbench, script: Script) -> None:
    steps = [["init", "-q", "-b", script.branch], ["add", "-A"], ["commit", "-q", "-m", "Start"]]
    for step in steps:
        subprocess.run(["git", *step], cwd=bench.root, env=dict(bench.environment), check=True, capture_output=True)


def _play(recording: Recording, event: User | Turn | Compact) -> None:
    if isinstance(event, User):
        recording.clock.wait(event.after, event.after + 1)
        recording.main.user(event.text)
    elif isinstance(event, Compact):
        recording.main.compact(event.summary, event.trigger)
        recording.bench.read.clear()  # the client forgets which files it has read
    else:
        _say(recording, recording.main, event)


def _say(recording: Recording, session: Session, event: Turn) -> None:
    """One assistant message: all its blocks, then its results in order (or each result before the next call)."""
    blocks = _blocks(recording, event)
    message = session.begin(blocks)
    waiting: list[tuple[Call, str, str]] = []
    calls = iter(event.calls)
    for at, block in enumerate(blocks):
        line = session.block(message, block, last=at == len(blocks) - 1)
        if block["type"] != "tool_use":
            continue
        waiting.append((next(calls), str(block["id"]), line))
        if event.interleaved:
            _answer(recording, session, *waiting.pop())
    for call, call_id, line in waiting:
        _answer(recording, session, call, call_id, line)


def _blocks(recording: Recording, event: Turn) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if event.thinking:
        signature = base64.b64encode(recording.clock.random.randbytes(96)).decode()
        blocks.append({"type": "thinking", "thinking": event.thinking, "signature": signature})
    if event.text:
        blocks.append({"type": "text", "text": event.text})
    for call in event.calls:
        values = _absolute(recording.bench, call)
        blocks.append(
            {"type": "tool_use", "id": recording.clock.name("toolu_01", 22), "name": call.tool, "input": values}
        )
    return blocks


def _absolute(bench: Workbench, call: Call) -> dict[str, Any]:
    return {key: bench.shown(value) if key in _PATH_VALUES else value for key, value in call.input.items()}


def _answer(recording: Recording, session: Session, call: Call, call_id: str, line: str) -> None:
    if call.tool == "Task":
        outcome = _delegate(recording, call)
    else:
        outcome = carry_out(recording.bench, call.tool, call.input)
    if outcome.failed != call.fails:
        raise ScriptError(f"{recording.script.name}: {call.tool} {dict(call.input)}: {outcome.text}")
    session.result(call_id, line, outcome)


def _delegate(recording: Recording, call: Call) -> Outcome:
    """Plays a sub-agent on the same copy; only the text of its last turn comes back."""
    name = recording.clock.name("a", 6).lower()
    session = Session(recording.script, recording.clock, recording.main.session_id, name)
    recording.agents[name] = session
    seen, recording.bench.read = recording.bench.read, set()
    started = recording.clock.now
    session.user(call.input["prompt"])
    for event in call.agent:
        _say(recording, session, event)
    recording.bench.read = seen
    elapsed = round((recording.clock.now - started).total_seconds() * 1000)
    content = [{"type": "text", "text": call.agent[-1].text}]
    result: Mapping[str, Any] = {
        "status": "completed",
        "prompt": call.input["prompt"],
        "agentId": name,
        "content": content,
        "totalDurationMs": elapsed,
        "totalTokens": session.total,
        "totalToolUseCount": session.tool_uses,
        "usage": session.usage,
    }
    told = (
        f"agentId: {name} (for resuming to continue this agent's work if needed)\n<usage>total_tokens: "
        f"{session.total}\ntool_uses: {session.tool_uses}\nduration_ms: {elapsed}</usage>"
    )
    return Outcome([*content, {"type": "text", "text": told}], result)


def main() -> None:
    """Records every script anew into runs/."""
    runs = HERE / "runs"
    for script in SCRIPTS.values():
        shutil.rmtree(runs / script.name, ignore_errors=True)
        for name, text in record(script).files.items():
            target = runs / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
            print(f"{name}: {text.count(chr(10))} lines")


if __name__ == "__main__":
    main()
