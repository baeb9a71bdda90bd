"""A long run of any size, for measuring: a seeded agent over a generated Python repository, or over a given one.

Every line is true to format and consistent: reads show what the files hold, edits apply. The content is
made up; it serves only to measure time and memory, never to report a figure about agents. The context is
compacted whenever it nears ``WINDOW`` characters, as a client would.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

CWD = "/home/dev/bench"
WINDOW = 600_000


def base_tree(files: int, seed: int = 1) -> dict[str, str]:
    """``files`` Python modules in packages of 20, each calling into three others; path -> text."""
    rng = random.Random(seed)
    return {_path(n): _module(n, files, rng) for n in range(files)}


def _path(n: int) -> str:
    return f"pkg{n // 20:03d}/mod{n:05d}.py"


def _module(n: int, files: int, rng: random.Random) -> str:
    others = sorted({rng.randrange(files) for _ in range(3)} - {n})
    lines = [f'"""Module {n}."""', ""]
    lines += [f"from pkg{o // 20:03d}.mod{o:05d} import run_{o}_0" for o in others]
    lines += ["", f"LIMIT_{n} = {rng.randrange(1000)}", "", f"class Worker{n}:"]
    for m in range(4):
        lines += [
            f"    def step_{m}(self, value):",
            f"        if value > LIMIT_{n}:",
            f"            return self.step_{(m + 1) % 4}(value - 1)",
        ]
        lines += [f"        return value * {rng.randrange(2, 99)}", ""]
    for f in range(4):
        lines += [f"def run_{n}_{f}(value):", f"    worker = Worker{n}()", f"    total = worker.step_{f}(value)"]
        lines += [f"    total += run_{o}_0(total)" for o in others] + ["    return total", ""]
    return "\n".join(lines)


def session(steps: int, files: dict[str, str], seed: int = 2, prose: int = 60) -> Iterator[str]:
    """The lines of a session of about ``steps`` steps over ``files``; ``prose`` words a text block."""
    rng = random.Random(seed)
    state = dict(files)
    paths = sorted(state)
    parent: str | None = None
    stamp = held = 0

    def record(kind: str, message: dict[str, object], **more: object) -> str:
        nonlocal parent, stamp, held
        stamp += 1
        held += len(str(message))
        uuid = f"00000000-0000-4000-8000-{stamp:012d}"
        line = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": CWD,
            "sessionId": "bench-session",
            "version": "2.1.7",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": uuid,
            "timestamp": _clock(stamp),
        } | more
        parent = uuid
        return json.dumps(line, ensure_ascii=False)

    def assistant(block: dict[str, object]) -> str:
        message = {
            "id": f"msg_{stamp:08d}",
            "type": "message",
            "role": "assistant",
            "model": "bench-model",
            "content": [block],
            "usage": {
                "input_tokens": 4,
                "cache_read_input_tokens": 15000 + stamp,
                "cache_creation_input_tokens": 300,
                "output_tokens": 90,
            },
        }
        return record("assistant", message, requestId=f"req_{stamp:08d}")

    def call(name: str, given: dict[str, object], result: str, extra: object) -> Iterator[str]:
        call_id = f"toolu_{stamp:010d}"
        yield assistant({"type": "tool_use", "id": call_id, "name": name, "input": given})
        content = [{"type": "tool_result", "tool_use_id": call_id, "content": result}]
        yield record("user", {"role": "user", "content": content}, toolUseResult=extra)

    yield record("user", {"role": "user", "content": "Make every worker validate its input and keep the tests green."})
    done = 1
    while done < steps:
        if held > WINDOW:
            compacted = {"trigger": "auto", "preTokens": held // 4}
            yield record(
                "system", {}, subtype="compact_boundary", content="Conversation compacted", compactMetadata=compacted
            )
            held = 0
            yield record(
                "user", {"role": "user", "content": "Summary: workers validate their input."}, isCompactSummary=True
            )
            done += 1
        kind = rng.random()
        path = rng.choice(paths)
        text = state[path]
        edit = _edited(text, rng) if 0.40 <= kind < 0.65 else None
        if kind < 0.65 and edit is None:
            yield from _read(call, path, text)
        elif edit is not None:
            new, old, fresh = edit
            state[path] = new
            yield from call(
                "Edit",
                {"file_path": f"{CWD}/{path}", "old_string": old, "new_string": fresh},
                f"The file {CWD}/{path} has been updated.",
                {
                    "filePath": f"{CWD}/{path}",
                    "oldString": old,
                    "newString": fresh,
                    "originalFile": text,
                    "structuredPatch": [],
                    "userModified": False,
                    "replaceAll": False,
                },
            )
        elif kind < 0.80:
            out = "\n".join(f"{CWD}/{p}:1:{state[p].splitlines()[0]}" for p in rng.sample(paths, min(8, len(paths))))
            yield from call(
                "Grep",
                {"pattern": "Module", "output_mode": "content", "-n": True},
                out,
                {"mode": "content", "filenames": [], "numFiles": 0, "content": out, "numLines": 8},
            )
        elif kind < 0.90:
            out = (
                "\n".join(f"tests/test_{n}.py::test_{n} PASSED" for n in rng.sample(range(10_000), 30))
                + "\n30 passed in 1.00s"
            )
            yield from call(
                "Bash",
                {"command": "python -m pytest -q"},
                out,
                {"stdout": out, "stderr": "", "interrupted": False, "isImage": False},
            )
        else:
            yield assistant(
                {
                    "type": "text",
                    "text": " ".join(
                        rng.choice(("the", "worker", "limit", "call", "edit", "value")) for _ in range(prose)
                    ),
                }
            )
        done += 1


def _clock(second: int) -> str:
    day, hour = 1 + second // 86400 % 28, second // 3600 % 24
    return f"2026-01-{day:02d}T{hour:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000Z"


def _read(call: object, path: str, text: str) -> Iterator[str]:
    lines = text.split("\n")
    shown = "\n".join(f"{n:6d}\u2192{line}" for n, line in enumerate(lines, 1))
    file = {
        "filePath": f"{CWD}/{path}",
        "content": text,
        "numLines": len(lines),
        "startLine": 1,
        "totalLines": len(lines),
    }
    yield from call("Read", {"file_path": f"{CWD}/{path}"}, shown, {"type": "text", "file": file})  # type: ignore[operator]


def _edited(text: str, rng: random.Random) -> tuple[str, str, str] | None:
    """(new text, old string, new string): a return statement gets another factor, or a comment in files not made here.

    None where no single line can be edited.
    """
    lines = [line for line in text.split("\n") if line.startswith("        return value * ")]
    if not lines:
        found = [line for line in text.split("\n") if line.startswith("        return ") and line[-1] not in "([{,\\"]
        once = [line for line in found if text.count(line) == 1]
        if not once:
            return None
        old = rng.choice(once)
        new = f"{old}  # {rng.randrange(100_000)}"
        return text.replace(old, new, 1), old, new
    old = rng.choice(lines)
    if text.count(old) > 1:  # make the old string unique by taking the definition with it
        at = text.index(old)
        start = text.rindex("    def ", 0, at)
        old = text[start : at + len(old)]
    new = old[: old.rindex("*") + 2] + str(rng.randrange(100, 100_000))
    return text.replace(old, new, 1), old, new


def write_session(path: Path, steps: int, files: dict[str, str], seed: int = 2, prose: int = 60) -> int:
    """Write a session file and return its size in bytes."""
    with path.open("w", encoding="utf-8") as out:
        for line in session(steps, files, seed, prose):
            out.write(line + "\n")
    return path.stat().st_size
