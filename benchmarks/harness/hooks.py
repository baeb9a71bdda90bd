"""What a hook costs: ``python -m benchmarks.harness.hooks FOLDER [EVENTS]`` on a copy of a repository's files.

A mix of events over files drawn with a fixed seed: edits of signatures and of bodies, reads, shell commands with and
without a write, prompts. Measured are the hook inside a warm process (wall and CPU), the whole command as a client
calls it, and the parts of that which nothing here can change: an interpreter that starts and does nothing. Figures of
the warm process and of the command are taken in turn from the same events.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.replay.base import folder_files
from storage.live.client import FOLDER, keep
from storage.live.journal import open_journal
from storage.live.keeper import Keeper
from storage.live.resident import settle
from storage.live.settings import make_folder

_CLI = Path(__file__).resolve().parents[2] / "cli.py"
_KINDS = ("edit a signature", "edit a body", "read", "shell, no write", "shell, one write", "prompt", "before a call")


def events(root: Path, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """(kind, event); each finds the disk as a client would have left it."""
    draw = random.Random(6)
    files = sorted(p for p in folder_files(root) if p.endswith(".py") and "def " in (root / p).read_text("utf-8"))
    for n in range(count):
        kind = _KINDS[n % len(_KINDS)]
        path = root / draw.choice(files)
        text = path.read_text("utf-8")
        own: dict[str, Any] = {"tool_use_id": f"c{n}", "cwd": str(root), "session_id": "bench"}
        if kind.startswith("edit"):
            lines = text.split("\n")
            at = draw.choice([i for i, line in enumerate(lines) if line.lstrip().startswith("def ")])
            if kind == "edit a signature":
                new = lines[at].replace("(", f"(extra_{n}, ", 1)
            else:
                new = lines[at] + f"\n{' ' * (len(lines[at]) - len(lines[at].lstrip()) + 4)}# note {n}"
            path.write_text("\n".join([*lines[:at], new, *lines[at + 1 :]]), "utf-8")
            given = {"file_path": str(path), "old_string": lines[at], "new_string": new}
            response = {"filePath": str(path), "originalFile": text, "oldString": lines[at], "newString": new}
            yield (
                kind,
                {
                    "hook_event_name": "PostToolUse",
                    "tool_name": "Edit",
                    "tool_input": given,
                    "tool_response": response,
                    **own,
                },
            )
        elif kind == "read":
            total = text.count("\n") + 1
            file = {"filePath": str(path), "content": text, "startLine": 1, "numLines": total, "totalLines": total}
            response = {"type": "text", "file": file}
            yield (
                kind,
                {
                    "hook_event_name": "PostToolUse",
                    "tool_name": "Read",
                    "tool_input": {"file_path": str(path)},
                    "tool_response": response,
                    **own,
                },
            )
        elif kind.startswith("shell"):
            if kind == "shell, one write":
                path.write_text(text + f"\nLAST_{n} = {n}\n", "utf-8")
            response = {"stdout": "ok\n" * 40, "stderr": "", "interrupted": False}
            yield (
                kind,
                {
                    "hook_event_name": "PostToolUse",
                    "tool_name": "Bash",
                    "tool_input": {"command": f"make part{n}"},
                    "tool_response": response,
                    **own,
                },
            )
        elif kind == "prompt":
            yield kind, {"hook_event_name": "UserPromptSubmit", "prompt": f"Now look at part {n}.", **own}
        else:
            yield kind, {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "true"}, **own}


def main(words: Sequence[str]) -> int:
    """Print the figures."""
    source, count = Path(words[0]), int(words[1]) if len(words) > 1 else 210
    with tempfile.TemporaryDirectory() as folder:
        for name, measure in (("inside a warm process", _inside), ("the whole command", _command)):
            root = Path(folder) / name.replace(" ", "-")
            shutil.copytree(source, root, symlinks=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
            before = os.getcwd()
            measure(root, count, name)
            os.chdir(before)
    return 0


def _inside(root: Path, count: int, name: str) -> None:
    began = time.process_time()
    print(f"{make_folder(root)} files; first look {time.process_time() - began:.1f} s CPU")
    for start in ("cold", "warm"):
        began = time.process_time()
        journal = open_journal()
        keeper = Keeper(root, journal)
        print(f"{start} start of the process: {time.process_time() - began:.1f} s CPU")
        if start == "cold":
            journal.connection.close()
    began = time.process_time()
    for _ in keeper.warming():
        pass
    settle()
    print(f"reading what the warm start left for later, while no hook waits: {time.process_time() - began:.1f} s CPU")
    wall: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    for n, (kind, event) in enumerate(events(root, count)):
        keep(f"{n:09d}", b"\n" + json.dumps(event).encode())
        at, used = time.perf_counter(), time.process_time()
        keeper.take(f"{n:09d}")
        wall.setdefault(kind, []).append(time.perf_counter() - at)
        cpu.setdefault(kind, []).append(time.process_time() - used)
    _table(f"{name}, wall", wall)
    _table(f"{name}, CPU", cpu)


def _command(root: Path, count: int, name: str) -> None:
    make_folder(root)
    words = [sys.executable, "-S", "-E", str(_CLI), "harness", "hook", "--project", str(root), "--limit", "300"]
    start = {"hook_event_name": "SessionStart", "session_id": "bench", "source": "startup", "cwd": str(root)}
    began = time.perf_counter()
    subprocess.run(words, input=json.dumps(start).encode(), capture_output=True, check=True)
    print(f"the session's start, until the graph is there: {time.perf_counter() - began:.1f} s wall")
    whole: dict[str, list[float]] = {}
    for n, (kind, event) in enumerate(events(root, count)):
        data = json.dumps(event).encode()
        at = time.perf_counter()
        done = subprocess.run(words, input=data, capture_output=True, check=True)
        whole.setdefault(kind, []).append(time.perf_counter() - at)
        assert not done.stderr, done.stderr
        if n % 3 == 0:
            for label, options in (("python -S -E that does nothing", ["-S", "-E"]), ("python that does nothing", [])):
                at = time.perf_counter()
                subprocess.run([sys.executable, *options, "-c", ""], capture_output=True, check=True)
                whole.setdefault(label, []).append(time.perf_counter() - at)
    _table(f"{name}, wall", whole)
    os.kill(_resident(root), 15)


def _resident(root: Path) -> int:
    """The id of the process started for the copy."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"resident\0--project\0{root}\0".encode() in (folder / "cmdline").read_bytes():
                return int(folder.name)
        except OSError:
            continue
    raise SystemExit(f"no process serves {root / FOLDER}")


def _table(title: str, times: dict[str, list[float]]) -> None:
    print(f"\n{title}, ms: p50, p95, most")
    hooks = [t for kind, found in times.items() for t in found if kind in _KINDS]
    for kind, found in [*times.items(), ("all hooks", hooks)]:
        ranked = sorted(1000 * t for t in found)
        p95 = ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))]
        print(f"  {kind:<32} {ranked[len(ranked) // 2]:8.1f} {p95:8.1f} {ranked[-1]:8.1f}   ({len(ranked)})")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
