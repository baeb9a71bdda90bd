"""The vocabulary of a scripted agent: what it says, which tools it calls, when its context is cut.

A script states actions only. What a tool answers is never written down: the recorder carries each action
out on a copy of the base tree and records the true output. Paths in a script are relative to the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call; ``agent`` are the turns of the sub-agent a Task starts, ``fails`` states that it must fail."""

    tool: str
    input: Mapping[str, Any]
    agent: tuple[Turn, ...] = ()
    fails: bool = False


@dataclass(frozen=True, slots=True)
class User:
    """A message of the user, ``after`` seconds of silence."""

    text: str
    after: int = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """One assistant message: optional thinking, optional text, then calls issued together.

    ``interleaved``: each result is written before the next call of the same message, as clients sometimes do.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    interleaved: bool = False


@dataclass(frozen=True, slots=True)
class Compact:
    """The context is cut here and starts again from ``summary``."""

    summary: str
    trigger: str = "auto"


Event = User | Turn | Compact


@dataclass(frozen=True, slots=True)
class Script:
    """A whole scripted session on ``bases/<base>``, shown to live in /home/dev/<project>.

    ``snippets``: edits answer with numbered lines around the change. ``reminders``: reads end in a tail that
    is not file text. ``git``: the copy is a repository with one commit. All three follow client versions.
    """

    name: str
    base: str
    project: str
    version: str
    model: str
    branch: str
    slug: str
    started: str
    events: tuple[Event, ...]
    snippets: bool = False
    reminders: bool = False
    git: bool = False


def turn(*parts: str | Call, thinking: str = "", interleaved: bool = False) -> Turn:
    """A Turn from its parts: strings are its text (joined by a blank line), calls are its calls."""
    text = "\n\n".join(part for part in parts if isinstance(part, str))
    return Turn(text, tuple(part for part in parts if isinstance(part, Call)), thinking, interleaved)


def read(path: str, offset: int | None = None, limit: int | None = None) -> Call:
    """Read a file, whole or ``limit`` lines from line ``offset``."""
    span = {key: value for key, value in (("offset", offset), ("limit", limit)) if value is not None}
    return Call("Read", {"file_path": path, **span})


def edit(path: str, old: str, new: str, replace_all: bool = False, fails: bool = False) -> Call:
    """Replace ``old`` by ``new`` in a file that has been read."""
    values = {"replace_all": replace_all, "file_path": path, "old_string": old, "new_string": new}
    return Call("Edit", values, fails=fails)


def write(path: str, content: str) -> Call:
    """Create or overwrite a file."""
    return Call("Write", {"file_path": path, "content": content})


def bash(command: str, says: str, fails: bool = False) -> Call:
    """Run a shell command in the project's root."""
    return Call("Bash", {"command": command, "description": says}, fails=fails)


def grep(pattern: str, **options: Any) -> Call:
    """Search file contents; options: path, glob, output_mode, context (lines around), numbers (default on)."""
    values: dict[str, Any] = {"pattern": pattern}
    values.update({key: options[key] for key in ("path", "glob", "output_mode") if key in options})
    if values.get("output_mode") == "content":
        values["-n"] = options.get("numbers", True)
        if "context" in options:
            values["-C"] = options["context"]
    return Call("Grep", values)


def glob(pattern: str) -> Call:
    """List files by name."""
    return Call("Glob", {"pattern": pattern})


def todo(*items: tuple[str, str, str]) -> Call:
    """Set the to-do list: (content, active form, status) each."""
    return Call("TodoWrite", {"todos": [{"content": c, "status": s, "activeForm": a} for c, a, s in items]})


def task(description: str, prompt: str, *turns: Turn) -> Call:
    """Start a sub-agent that plays ``turns``; the text of the last one is what it returns."""
    values = {"description": description, "prompt": prompt, "subagent_type": "general-purpose"}
    return Call("Task", values, turns)
