"""The calls of the simulated agent as a Claude Code session, each with the answer the client would give.

In: calls on the working tree. Out: the lines of one session file, and the number of the step each call made
(CONTRACT.md: one step a user message, a text block, a call). Ids and times come from the seed alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from benchmarks.tracebench.working import Edit, Working
from sample_runs.script import Script
from sample_runs.session import Clock, Session
from sample_runs.tools import Outcome

MODEL = "simulated-agent"
STARTED = "2026-01-05T09:00:00+00:00"
MOST_LINES = 2_000  # of a whole read, as the client cuts it


@dataclass(slots=True)
class Recording:
    """A session being written; ``t`` is the last step."""

    project: str
    session: Session
    working: Working
    t: int = 0
    sentence: str = ""
    last_was_edit: bool = field(default=False)

    @property
    def home(self) -> str:
        """The folder the session shows."""
        return f"/home/dev/{self.project}"

    def user(self, text: str) -> None:
        """A message of the user."""
        self.session.user(text)
        self.t += 1

    def say(self, text: str) -> None:
        """A sentence that goes out with the next call."""
        self.sentence = text

    def close(self, text: str) -> None:
        """The agent's last words."""
        message = self.session.begin([{"type": "text", "text": text}])
        self.session.block(message, {"type": "text", "text": text}, last=True)
        self.t += 1
        self.session.finish()

    def read(self, path: str, start: int = 1, end: int | None = None) -> tuple[int, int]:
        """Reads lines ``start..end`` (all: up to the client's limit); gives the lines shown."""
        lines = self.working.text(path).split("\n")
        last = min(len(lines), end if end is not None else MOST_LINES)
        chosen = lines[start - 1 : last]
        values: dict[str, Any] = {"file_path": f"{self.home}/{path}"}
        if end is not None:
            values |= {"offset": start, "limit": end - start + 1}
        file = {"filePath": values["file_path"], "content": "\n".join(chosen), "numLines": len(chosen)}
        file |= {"startLine": start, "totalLines": len(lines)}
        text = "\n".join(f"{n}\t{line}" for n, line in enumerate(chosen, start))
        self._call("Read", values, Outcome(text, {"type": "text", "file": file}))
        return start, last

    def grep(self, pattern: str, found: Sequence[str], limit: int) -> None:
        """A search whose matching lines are ``found``, as path:line:text."""
        values = {"pattern": pattern, "output_mode": "content", "-n": True, "head_limit": limit, "glob": "*.py"}
        content = "\n".join(found[:limit])
        result = {"mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": len(found[:limit])}
        self._call("Grep", values, Outcome(content or "No matches found", result))

    def bash(self, command: str, says: str, output: str) -> None:
        """A command with a given output."""
        result = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        self._call("Bash", {"command": command, "description": says}, Outcome(output, result, error=False))

    def edit(self, edit: Edit) -> None:
        """Makes an edit."""
        path = f"{self.home}/{edit.path}"
        values = {"replace_all": False, "file_path": path, "old_string": edit.old, "new_string": edit.new}
        old, new = edit.old.split("\n"), edit.new.split("\n")
        patch: dict[str, Any] = {
            "oldStart": edit.start,
            "oldLines": len(old),
            "newStart": edit.start,
            "newLines": len(new),
        }
        patch["lines"] = ["-" + line for line in old] + ["+" + line for line in new]
        result: dict[str, Any] = {"filePath": path, "oldString": edit.old, "newString": edit.new, "originalFile": None}
        result |= {"structuredPatch": [patch], "userModified": False, "replaceAll": False}
        self.working.apply(edit)
        self._call("Edit", values, Outcome(f"The file {path} has been updated successfully.", result))
        self.last_was_edit = True

    def write(self, path: str, text: str) -> None:
        """Creates a file."""
        full = f"{self.home}/{path}"
        result: dict[str, Any] = {
            "type": "create",
            "filePath": full,
            "content": text,
            "structuredPatch": [],
            "originalFile": None,
        }
        self.working.create(path, text)
        values = {"file_path": full, "content": text}
        self._call("Write", values, Outcome(f"File created successfully at: {full}", result))
        self.last_was_edit = True

    def _call(self, tool: str, values: Mapping[str, Any], outcome: Outcome) -> None:
        call = {"type": "tool_use", "id": self.session.clock.name("toolu_01", 22), "name": tool, "input": dict(values)}
        blocks: list[dict[str, Any]] = [{"type": "text", "text": self.sentence}] if self.sentence else []
        self.sentence = ""
        message = self.session.begin([*blocks, call])
        for block in blocks:
            self.session.block(message, block, last=False)
        line = self.session.block(message, call, last=True)
        self.session.result(str(call["id"]), line, outcome)
        self.t += len(blocks) + 1
        self.last_was_edit = False


def begin(name: str, project: str, version: str, working: Working, seed: int) -> Recording:
    """An empty session of the simulated agent."""
    clock = Clock(random.Random(f"{seed}:{name}:ids"), datetime.fromisoformat(STARTED))
    script = Script(
        name=name, base=name, project=project, version=version, model=MODEL, branch="main",
        slug="simulated-session", started=STARTED, events=(),
    )  # fmt: skip
    return Recording(project, Session(script, clock, clock.uuid()), working)
