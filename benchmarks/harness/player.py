"""A recorded Claude Code session played as the hook events its client would have sent.

In: a transcript and the base it started from. Out: a work tree, the transcript growing beside it, and events in order
with what has to be on disk before each: the transcript up to a line, the files a step wrote. The session's own root
is replaced by the work tree's path in everything, so that the recorded run and the played one say the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.harness.run import HarnessRun, follow
from core.replay.base import load_base
from core.replay.paths import find_roots
from core.replay.replay import replay
from core.replay.tree import names
from core.replay.world import FileWrite, Replay
from core.trajectory.load import discover, load
from core.trajectory.steps import Step, Trajectory

_COLD = ("", "none")
_STARTS_AGENTS = frozenset({"Task", "Agent", "Workflow"})


@dataclass(frozen=True, slots=True)
class Event:
    """One hook: its JSON, and what is to be on disk before it: ``lines`` of the transcript, ``writes``."""

    body: dict[str, Any]
    lines: int = 0
    writes: tuple[FileWrite, ...] = ()


@dataclass(frozen=True, slots=True)
class Play:
    """A session ready to be played in ``root``; ``trajectory`` holds what hooks can hear of it, numbered anew."""

    root: Path
    transcript: Path
    lines: tuple[bytes, ...]
    results: dict[str, tuple[object, str]]
    trajectory: Trajectory
    replayed: Replay
    spoken: bool

    def followed(self) -> HarnessRun:
        """What the offline pass makes of it."""
        return follow(self.trajectory, self.replayed)

    def write_base(self) -> None:
        """Put the files the session started from into the work tree."""
        for path, text in sorted(self.replayed.base.items()):
            _put(self.root, path, text)

    def prepare(self, event: Event) -> None:
        """Bring the disk to where the event finds it."""
        for write in event.writes:
            _put(self.root, write.path, write.after)
        if self.spoken:
            have = self.transcript.read_bytes().count(b"\n") if self.transcript.exists() else 0
            if event.lines > have:
                with self.transcript.open("ab") as file:
                    file.write(b"".join(self.lines[have : event.lines]))

    def events(self) -> Iterator[Event]:
        """The hooks of the session, in order."""
        writes: dict[int, list[FileWrite]] = {}
        for write in self.replayed.writes:
            writes.setdefault(write.known_at, []).append(write)
        yield Event(self._body("SessionStart", source="startup"))
        turn, cut, line = 0, {c.after for c in self.trajectory.compactions if c.kind == "full"}, 0
        waiting: list[FileWrite] = []
        last, begun = "", set[str]()
        for at, step in enumerate(self.trajectory.steps):
            waiting += writes.get(step.t, ())
            main = step.source == self.transcript.name
            if step.role == "user" and step.turn > turn and step.kind == "say":
                if turn:
                    yield Event(self._body("Stop", stop_hook_active=False, last_assistant_message=last), line)
                turn, last = step.turn, ""
                yield Event(self._body("UserPromptSubmit", prompt=step.text), line, tuple(waiting))
                waiting = []
            elif step.role == "assistant" and step.tool:
                for call in self._starting(at) if step.agent else ():
                    if call.call_id not in begun:
                        line = max(line, call.line)
                        yield Event(self._body("PreToolUse", **_own(call)), line)
                        begun.add(call.call_id)
                calls = list(self._call(step, max(line, step.line) if main else line, waiting))
                yield from calls[step.call_id in begun :]
                begun.add(step.call_id)
                waiting = []
            elif step.role == "assistant":
                last = step.text
            line = max(line, step.line) if main else line
            if step.t in cut:
                yield Event(self._body("PreCompact", trigger="auto", custom_instructions=""), line)
        yield Event(
            self._body("Stop", stop_hook_active=False, last_assistant_message=last), len(self.lines), tuple(waiting)
        )
        yield Event(self._body("SessionEnd", reason="other"), len(self.lines))

    def _starting(self, at: int) -> list[Step]:
        """The calls of the message that started the sub-agent of step ``at``: issued before what the agent does, they
        come back after it."""
        main = [s for s in self.trajectory.steps[at : at + 5000] if not s.agent and s.call_id]
        calls = [s for s in main if s.message_id == main[0].message_id] if main else []
        return calls if any(s.tool in _STARTS_AGENTS for s in calls) else []

    def _call(self, step: Step, line: int, waiting: list[FileWrite]) -> Iterator[Event]:
        own = _own(step)
        yield Event(self._body("PreToolUse", **own), line)
        rich, text = self.results.get(step.call_id, (None, ""))
        if step.empty and step.call_id not in self.results:
            return
        if step.failed and not (isinstance(rich, dict) and rich.get("interrupted") is True):
            yield Event(self._body("PostToolUseFailure", **own, error=text), line, tuple(waiting))
        else:
            response = rich if isinstance(rich, dict) else text
            yield Event(self._body("PostToolUse", **own, tool_response=response), line, tuple(waiting))

    def _body(self, name: str, **fields: object) -> dict[str, Any]:
        common = {"session_id": self.trajectory.session_id, "transcript_path": os.fspath(self.transcript)}
        return {**common, "cwd": os.fspath(self.root), "hook_event_name": name, **fields}


def _own(step: Step) -> dict[str, Any]:
    own = {"tool_name": step.tool, "tool_input": json.loads(step.call or "{}"), "tool_use_id": step.call_id}
    return own | {"cwd": step.cwd} | ({"agent_id": step.agent} if step.agent else {})


def play(source: Path, base: str, folder: Path, spoken: bool = True) -> Play:
    """The session ``source`` made ready below ``folder``. ``spoken``: hooks may read the transcript."""
    (files,) = discover([source])
    first = load(files)
    given = load_base(base, first)
    known = set(names(given.files)) if base not in _COLD else set()
    old, root = find_roots(first, known).main, folder / "work"
    root.mkdir(parents=True)
    copies = folder / "copy"
    copies.mkdir()
    for path in (p for p in (files.main, *files.agents) if p is not None):
        data = path.read_bytes()
        (copies / path.name).write_bytes(data.replace(old.encode(), os.fspath(root).encode()) if old else data)
    main = copies / source.name
    whole = load(next(f for f in discover([copies]) if f.main == main))
    lines = tuple(
        line if line.endswith(b"\n") else line + b"\n" for line in main.read_bytes().splitlines(keepends=True)
    )
    heard = numbered(whole, [s for s in whole.steps if _heard(s, whole.steps, spoken)])
    replayed = replay(heard, load_base(base, heard))
    known_writes = tuple(w for w in replayed.writes if not w.opaque)
    transcripts = folder / "transcripts"
    transcripts.mkdir()
    results = _results([p.read_bytes() for p in sorted(copies.iterdir())])
    return Play(
        root, transcripts / source.name, lines, results, heard, replace(replayed, writes=known_writes), spoken
    )  # fmt: skip


def _heard(step: Step, steps: tuple[Step, ...], spoken: bool) -> bool:
    """Whether hooks learn of a step: not of what a sub-agent says; without a transcript only of prompts and of the
    last words of a turn."""
    after = steps[step.t] if step.t < len(steps) else None
    if step.role == "assistant" and step.tool:
        return True
    if step.agent:
        return False
    if spoken:
        return True
    if step.role == "user":
        return step.kind == "say" and step.turn > (steps[step.t - 2].turn if step.t > 1 else 0)
    return after is None or after.turn > step.turn


def numbered(trajectory: Trajectory, steps: list[Step]) -> Trajectory:
    """The trajectory of these of its steps, numbered from 1."""
    new = {s.t: n for n, s in enumerate(steps, 1)}

    def before(t: int) -> int:
        return max((n for old, n in new.items() if old <= t), default=0)

    compactions = tuple(replace(c, after=before(c.after)) for c in trajectory.compactions)
    kept = tuple(replace(s, t=n) for n, s in enumerate(steps, 1))
    return replace(trajectory, steps=kept, compactions=compactions, usages=())


def _results(files: list[bytes]) -> dict[str, tuple[object, str]]:
    """(structured result, text) of each call, from the records themselves; the first one counts."""
    found: dict[str, tuple[object, str]] = {}
    for line in b"\n".join(files).split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        data = record.get("data") if isinstance(record, dict) else None
        if isinstance(data, dict) and isinstance(data.get("message"), dict):  # a sub-agent's record inside another
            record = data["message"]
        message = record.get("message") if isinstance(record, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
        results = [b for b in blocks if b.get("type") == "tool_result"]
        for block in results:
            text = block.get("content")
            if isinstance(text, list):
                text = "\n".join(b["text"] for b in text if isinstance(b, dict) and isinstance(b.get("text"), str))
            rich = record.get("toolUseResult") if len(results) == 1 else None
            found.setdefault(str(block.get("tool_use_id")), (rich, text if isinstance(text, str) else ""))
    return found


def _put(root: Path, path: str, text: str | None) -> None:
    file = root / path
    if text is None:
        file.unlink(missing_ok=True)
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
