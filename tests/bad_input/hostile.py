"""Bad runs as a person would hand them over: records of small sessions, and the doors they go through."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from core.analysis import Analysis
from core.options import Options
from core.pipeline import analyse
from core.replay.base import load_base
from core.trajectory.load import load_bytes
from storage.ingest import ingest
from storage.rows import RunMeta
from storage.save import stage
from tests.trajectory.sessions import CWD, assistant, call, numbered, result, to_lines, user

Records = list[dict[str, Any]]

FILE = f"{CWD}/a.py"
SOURCE = ["import os", "def f(a):", "    return g(a)", "", "def g(x):", "    return x"]
TEXT = "\n".join(SOURCE) + "\n"
TASK = user("Fix it.", 0)


def read(name: str, path: str, lines: list[str], second: float) -> Records:
    """A whole file read; ``name`` is the call's id."""
    count = len(lines) + 1
    rich = {
        "filePath": path,
        "content": "\n".join([*lines, ""]),
        "numLines": count,
        "startLine": 1,
        "totalLines": count,
    }
    return [
        assistant([call(name, "Read", file_path=path)], second, f"m-{name}"),
        result(name, numbered([*lines, ""]), second + 0.5, {"type": "text", "file": rich}),
    ]


def write(name: str, path: str, content: str, second: float) -> Records:
    """A file written whole."""
    rich = {"type": "create", "filePath": path, "content": content, "structuredPatch": []}
    return [
        assistant([call(name, "Write", file_path=path, content=content)], second, f"m-{name}"),
        result(name, f"File created successfully at: {path}", second + 0.5, rich),
    ]


def edit(name: str, path: str, old: str, new: str, second: float, everywhere: bool = False) -> Records:
    """A text replaced, as the client says it did."""
    rich = {"filePath": path, "oldString": old, "newString": new, "originalFile": None, "structuredPatch": []}
    fields = {"file_path": path, "old_string": old, "new_string": new, "replace_all": everywhere}
    return [
        assistant([call(name, "Edit", **fields)], second, f"m-{name}"),
        result(name, f"The file {path} has been updated.", second + 0.5, {**rich, "replaceAll": everywhere}),
    ]


def bash(name: str, command: str, output: str, second: float) -> Records:
    """A shell command and what it printed."""
    rich = {"stdout": output, "stderr": "", "interrupted": False}
    return [
        assistant([call(name, "Bash", command=command)], second, f"m-{name}"),
        result(name, output, second + 0.5, rich),
    ]


def analysed(*records: dict[str, Any] | str, base: str = "none") -> Analysis:
    """The analysis of a session of these records, staged too: what cannot be stored fails here."""
    trajectory = load_bytes("session.jsonl", to_lines(*records))
    analysis = analyse(trajectory, load_base(base, trajectory), Options())
    stage(analysis, RunMeta("session.jsonl"))
    return analysis


def taken(engine: Engine, folder: Path, name: str, data: bytes, **how: Any) -> dict[str, Any]:
    """The row of one file put through the public door."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    (row,) = ingest([folder / name], engine=engine, **how)
    return row


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """The block must not take more processor time: what is linear takes a tenth of it, what is not, minutes."""
    started = time.process_time()
    yield
    assert time.process_time() - started < seconds
