"""Small Claude Code sessions made by hand: one function a record, ids and times chosen by the test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.trajectory.load import load_bytes
from core.trajectory.steps import Step, Trajectory

CWD = "/srv/shop"
SESSION = "5e551000-0000-4000-8000-000000000001"


def at(second: float) -> str:
    """The time ``second`` seconds after the session's start."""
    minutes, seconds = divmod(second, 60)
    return f"2026-03-01T10:{int(minutes):02d}:{seconds:06.3f}Z"


def record(kind: str, second: float, uuid: str, **more: Any) -> dict[str, Any]:
    """A record with the fields every one carries."""
    common = {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": CWD,
        "sessionId": SESSION,
        "version": "2.1.7",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": at(second),
    }
    return {**common, **more}


def user(text: Any, second: float, uuid: str = "", **more: Any) -> dict[str, Any]:
    """What the person said."""
    return record("user", second, uuid or f"u{second}", message={"role": "user", "content": text}, **more)


def assistant(blocks: Any, second: float, mid: str, usage: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """One line of the assistant message ``mid``."""
    message = {"id": mid, "type": "message", "role": "assistant", "model": "claude-test-1", "content": blocks}
    if usage is not None:
        message["usage"] = usage
    return record("assistant", second, more.pop("uuid", f"a{mid}-{second}"), message=message, requestId=mid, **more)


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def call(call_id: str, name: str, **fields: Any) -> dict[str, Any]:
    """A tool_use block."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": fields}


def result(
    call_id: str, content: Any, second: float, rich: Any = None, error: bool = False, **more: Any
) -> dict[str, Any]:
    """The user line that carries one tool result; ``rich`` is toolUseResult."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    if error:
        block["is_error"] = True
    if rich is not None:
        more["toolUseResult"] = rich
    return record("user", second, more.pop("uuid", f"r{call_id}"), message={"role": "user", "content": [block]}, **more)


def numbered(lines: list[str], start: int = 1, mark: str = "→") -> str:
    """Lines as a read shows them."""
    return "\n".join(f"{number:>6}{mark}{line}" for number, line in enumerate(lines, start))


def to_lines(*records: dict[str, Any] | str) -> bytes:
    """Records (or raw lines) as the bytes of a file."""
    lines = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def parsed(*records: dict[str, Any] | str) -> Trajectory:
    """The trajectory of a session made of these records."""
    return load_bytes("session.jsonl", to_lines(*records))


def one_call(
    name: str, fields: dict[str, Any], content: Any, rich: Any = None, error: bool = False, **more: Any
) -> Step:
    """The single step of a session that holds this one call and its result."""
    lines = assistant([call("c1", name, **fields)], 1, "m1", **more), result("c1", content, 2, rich, error, **more)
    (step,) = parsed(*lines).steps
    return step


def written(folder: Path, name: str, *records: dict[str, Any] | str) -> Path:
    """A session file on disk."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_lines(*records))
    return path
