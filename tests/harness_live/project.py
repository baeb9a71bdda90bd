"""A project with a state folder, played events, and what the journal holds of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.harness.run import HarnessStep
from storage.live.client import FOLDER, keep
from storage.live.entries import from_json
from storage.live.journal import Journal, open_journal
from storage.live.keeper import Keeper
from storage.live.live import Live, after
from storage.live.settings import make_folder

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "pkg/loader.py": "def load_table(path):\n    return open(path).read()\n",
    "pkg/cli.py": "from pkg.loader import load_table\n\n\ndef main():\n    print(load_table('b'))\n",
    "tests/test_loader.py": "from pkg.loader import load_table\n\n\ndef test_load():\n    assert load_table('c')\n",
}


class Project:
    """A small project whose hooks are answered in this process; the state folder is the working directory."""

    def __init__(self, root: Path, files: dict[str, str] | None = None) -> None:
        self.root = root
        for path, text in (FILES if files is None else files).items():
            self.put(path, text)
        make_folder(root)
        self.keeper = Keeper(root, open_journal())
        self._events = 0

    @property
    def journal(self) -> Journal:
        return self.keeper._journal

    @property
    def live(self) -> Live:
        return self.keeper.live

    def put(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def again(self) -> None:
        """As if the resident process had been killed and another begun."""
        self.keeper._journal.connection.close()
        self.keeper = Keeper(self.root, open_journal())

    def raw(self, data: bytes, transcripts: str = "") -> dict[str, Any]:
        self._events += 1
        name = f"{self._events:09d}"
        keep(name, transcripts.encode() + b"\n" + data)
        answer = self.keeper.take(name)
        assert answer.endswith(b"\n")
        found = json.loads(answer)
        assert isinstance(found, dict)
        return found

    def hook(self, event: str, transcripts: str = "", **fields: object) -> dict[str, Any]:
        body = {"hook_event_name": event, "session_id": "s", "cwd": str(self.root), **fields}
        return self.raw(json.dumps(body).encode(), transcripts)

    def call(self, tool: str, call: str, given: dict[str, Any], response: object, **fields: object) -> dict[str, Any]:
        self.hook("PreToolUse", tool_name=tool, tool_use_id=call, tool_input=given, **fields)
        own = {"tool_name": tool, "tool_use_id": call, "tool_input": given, "tool_response": response, **fields}
        return self.hook("PostToolUse", **own)

    def edit(self, path: str, old: str, new: str, **fields: object) -> dict[str, Any]:
        text = (self.root / path).read_text(encoding="utf-8")
        self.put(path, text.replace(old, new, 1))
        given = {"file_path": str(self.root / path), "old_string": old, "new_string": new}
        return self.call("Edit", f"e{self._events}", given, {"filePath": given["file_path"]}, **fields)

    def read(self, path: str) -> dict[str, Any]:
        text = (self.root / path).read_text(encoding="utf-8")
        lines = text.split("\n")
        file = {"filePath": str(self.root / path), "content": text, "startLine": 1, "numLines": len(lines)}
        response = {"type": "text", "file": {**file, "totalLines": len(lines)}}
        return self.call("Read", f"r{self._events}", {"file_path": file["filePath"]}, response)

    def bash(self, command: str, stdout: str = "", **fields: object) -> dict[str, Any]:
        response = {"stdout": stdout, "stderr": "", "interrupted": False}
        return self.call("Bash", f"b{self._events}", {"command": command}, response, **fields)


def context(answer: dict[str, Any]) -> str:
    """What the agent is told."""
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def steps_of(journal: Journal) -> list[HarnessStep]:
    """Every step in the journal, folded anew."""
    live, steps = Live(), []
    for body in journal.entries():
        live, step = after(live, from_json(body))
        steps += [step] if step is not None else []
    return steps


def comparable(steps: list[HarnessStep] | tuple[HarnessStep, ...]) -> list[HarnessStep]:
    """Steps without what hooks and a transcript know differently: the environment, candidates that open nothing."""
    found = []
    for step in steps:
        change = step.change
        if change.task is not None:
            change = replace(change, task=replace(change.task, environment=""))
        found.append(replace(step, change=change, impacts=()))
    return found


def command(project: Path, *words: str, limit: float = 60.0) -> list[str]:
    """The hook command of a configuration, with its own interpreter options."""
    own = [sys.executable, "-S", "-E", str(ROOT / "cli.py"), "harness", "hook", "--project", str(project)]
    return [*own, "--limit", str(limit), *words]


def run_hook(project: Path, data: bytes, *words: str, limit: float = 60.0) -> subprocess.CompletedProcess[bytes]:
    """The hook as a client calls it."""
    return subprocess.run(command(project, *words, limit=limit), input=data, capture_output=True, timeout=120)


def resident(project: Path) -> int | None:
    """The id of the project's resident process, None when there is none."""
    marked = f"harness\0resident\0--project\0{project}\0".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marked in (folder / "cmdline").read_bytes():
                return int(folder.name)
        except OSError:
            continue
    return None


def stop(project: Path) -> None:
    """End the project's resident process."""
    pid = resident(project)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
        for _ in range(200):
            if resident(project) is None:
                return
            time.sleep(0.02)


@contextmanager
def inside(project: Path) -> Iterator[Journal]:
    """The journal of a project whose resident process was ended."""
    stop(project)
    before = os.getcwd()
    os.chdir(project / FOLDER)
    journal = open_journal()
    try:
        yield journal
    finally:
        journal.connection.close()
        os.chdir(before)
