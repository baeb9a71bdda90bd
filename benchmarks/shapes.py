"""Transcripts that are large in other ways than a long session: one giant result, thousands of sub-agents."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.synthetic import CWD, base_tree, session

_STEP = 3400  # bytes of transcript a generated step
FILES = 200


def write_long(folder: Path, megabytes: int) -> int:
    """A session of about ``megabytes`` MB; the bytes written. As ``synthetic.session`` makes it."""
    return _write(folder / "bench.jsonl", session(megabytes * 1_000_000 // _STEP, base_tree(FILES)))


def write_over(files: dict[str, str], folder: Path, megabytes: int) -> int:
    """A session over ``files`` that ends with the line that fills ``megabytes`` MB; the bytes written."""
    size = 0

    def filling() -> Iterator[str]:
        nonlocal size
        for line in session(sys.maxsize, files):
            yield line
            size += len(line)
            if size >= megabytes * 1_000_000:
                return

    return _write(folder / "bench.jsonl", filling())


def write_giant(folder: Path, megabytes: int) -> int:
    """A session of 10 MB that ends by printing a file of ``megabytes`` - 10 MB of made-up words at once."""
    rng = random.Random(3)
    words = [f"word{n}" for n in range(5000)]
    line = " ".join(rng.choice(words) for _ in range(12))
    count = max(megabytes - 10, 1) * 1_000_000 // (len(line) + 1)
    printed = "\n".join(" ".join(rng.choice(words) for _ in range(12)) for _ in range(count))
    call = {"type": "tool_use", "id": "toolu_giant", "name": "Bash", "input": {"command": "cat big.log"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_giant", "content": printed}
    ends = [
        _record("assistant", {"id": "msg_giant", "role": "assistant", "model": "bench-model", "content": [call]}, "g1"),
        _record("user", {"role": "user", "content": [result]}, "g2"),
    ]
    return _write(folder / "bench.jsonl", [*session(10_000_000 // _STEP, base_tree(FILES)), *ends])


def write_agents(folder: Path, megabytes: int, agents: int = 2000) -> int:
    """A short session with ``agents`` sub-agents, each in a file of its own, ``megabytes`` MB together."""
    files = base_tree(FILES)
    size = _write(folder / "bench-session.jsonl", session(500, files))
    inside = folder / "bench-session" / "subagents"
    inside.mkdir(parents=True)
    steps = max(megabytes * 1_000_000 // agents // _STEP, 1)
    seeds = [list(session(steps, files, seed=100 + n)) for n in range(20)]
    for n in range(agents):
        lines = (
            line.replace('"isSidechain": false', f'"isSidechain": true, "agentId": "a{n:05d}"')
            .replace("toolu_", f"toolu_{n}_")
            .replace("msg_", f"msg_{n}_")
            .replace("00000000-0000-4000-8000", f"{n + 1:08d}-0000-4000-8000")
            for line in seeds[n % len(seeds)]
        )
        size += _write(inside / f"agent-a{n:05d}.jsonl", lines)
    return size


SHAPES = {"session": write_long, "giant": write_giant, "agents": write_agents}


def _record(kind: str, message: dict[str, object], uuid: str) -> str:
    line = {"isSidechain": False, "cwd": CWD, "sessionId": "bench-session", "version": "2.1.7", "type": kind}
    return json.dumps(line | {"message": message, "uuid": uuid, "timestamp": "2026-02-01T00:00:00.000Z"})


def _write(path: Path, lines: Iterable[str]) -> int:
    with path.open("w", encoding="utf-8") as out:
        for line in lines:
            out.write(line + "\n")
    return path.stat().st_size
