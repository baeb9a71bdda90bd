"""Stage 1, SWE-agent: one action and its observation -> what it shows and writes.

In: the action as the shell was given it, the observation, the folder, the open file and the windows seen last.
Out: a ``Done``. Besides a shell the agent has a file viewer with a window (``open goto scroll_up scroll_down``),
searches (``search_dir search_file find_file``) and editors: ``edit 10:12 ... end_of_edit`` by line numbers,
``edit OLD NEW`` by text, ``insert``, ``create``, and ``str_replace_editor``.

An edit by line numbers becomes a replacement of the lines last seen there, which replay can also place in a file
it knows only in part; where they were not seen it is a ``sed`` ``c`` command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.trajectory.claude_results import Outcome
from core.trajectory.editor_tools import (
    Window,
    before_clip,
    editor_failed,
    editor_outcome,
    found_lines,
    inserted,
    placed,
    shell_outcome,
    where_stands,
    windows,
)
from core.trajectory.file_paths import absolute
from core.trajectory.steps import Shown, Write

__all__ = ["Done", "Window", "outcome_of", "windows"]

_BY_LINES = re.compile(r"edit\s+(\d{1,9}):(\d{1,9})[^\n]*\n(.*?)\n?end_of_edit\s*", re.S)
_READS = frozenset(("open", "goto", "scroll_up", "scroll_down", "filemap", "view_image"))
_SEARCHES = frozenset(("search_dir", "search_file", "find_file"))
_NEUTRAL = frozenset(("submit", "exit_forfeit", "exit_cost", "exit_context", "skip", "think"))
_NOT_APPLIED = ("Your changes have NOT been applied", "Your proposed edit has introduced", "No changes made")
_TIMED_OUT = re.compile(r"EXECUTION TIMED OUT\s*$|was cancelled because it took more than \d+ seconds")
_WORD_PART = re.compile(
    r"(?P<blank>[ \t\r\n]+)|'(?P<single>[^']*)'"
    r'|"(?P<double>(?:[^"\\]++|\\.)*+)"'
    r"""|\\(?P<escaped>.)|(?P<plain>[^ \t\r\n'"\\]+)""",
    re.S,
)
_ESCAPED = re.compile(r"\\([\\\"$`])")
_SEARCHED = re.compile(r'^Found \d+ matches for ".*" in (.+?):\r?$', re.M)


@dataclass(frozen=True, slots=True)
class Done:
    """The tool an action used, whether it failed, and what it did."""

    tool: str
    failed: bool
    outcome: Outcome


def outcome_of(action: str, observation: str, cwd: str, opened: str, views: Mapping[str, Window]) -> Done:
    """What one action did; ``opened`` is the file open before it, ``views`` the window last seen of each file."""
    words = action.split(None, 1)
    name = words[0] if words else ""
    if name in _READS:
        seen = windows(observation, cwd)
        failed = not seen and name not in ("filemap", "view_image")
        return Done(name, failed, Outcome("read", tuple(window.shown("read") for window in seen)))
    if name in _SEARCHES:
        found = _SEARCHED.search(observation[:2000]) if name == "search_file" else None
        shown = found_lines(observation, absolute(found[1], cwd)) if found else ()
        return Done(name, False, Outcome("search", shown, command=action.strip()))
    if name == "str_replace_editor":
        failed = editor_failed(observation)
        return Done(name, failed, editor_outcome(_editor_fields(action), observation, cwd, failed))
    if name in ("edit", "insert", "create", "append"):
        return _edited(name, action, observation, cwd, opened, views)
    if name in _NEUTRAL:
        return Done(name, False, Outcome("run", neutral=True))
    failed = bool(_TIMED_OUT.search(observation[-400:]))
    body, cut = before_clip(observation)
    return Done("bash", failed, shell_outcome(action, cwd, observation, failed, body if cut else None))


def _edited(name: str, action: str, observation: str, cwd: str, opened: str, views: Mapping[str, Window]) -> Done:
    """An edit with the tools of the window; it succeeded when the window is shown and nothing says otherwise."""
    seen = windows(observation, cwd)
    refused = any(words in observation for words in _NOT_APPLIED) or observation.lstrip().startswith(("Error", "Usage"))
    if refused or not seen:
        return Done(name, True, Outcome("edit"))
    snippet = tuple(window.shown("snippet") for window in seen)
    path = _open_path(seen[-1].path, opened)
    write = _write(name, action, path, snippet, views.get(path) or views.get(seen[-1].path))
    return Done(name, False, Outcome("edit", snippet, (write or Write(path, "opaque"),)))


def _open_path(shown: str, opened: str) -> str:
    """The path of the window; the open file when the window names it relative to another folder."""
    return opened if opened and not shown.startswith("/") and opened.endswith(shown) else shown


def _write(name: str, action: str, path: str, snippet: tuple[Shown, ...], view: Window | None) -> Write | None:
    """The write an edit states, None when its command is not understood."""
    if name == "create":
        return Write(path, "put", new="\n")
    by_lines = _BY_LINES.fullmatch(action.strip() + "\n") if name == "edit" else None
    if by_lines is not None:
        return _by_lines(path, int(by_lines[1]), int(by_lines[2]), by_lines[3], view)
    words = _words(action)
    if name == "edit" and len(words) in (3, 4) and words[1]:
        everywhere = len(words) == 4 and words[3].lower() in ("true", "yes", "1", "--replace-all", "replace-all")
        return Write(path, "edit", words[2], words[1], everywhere, hunks=where_stands(words[2], snippet))
    if name in ("insert", "append") and len(words) in (2, 3):
        text = words[1].removesuffix("\n")
        if len(words) == 2:
            return Write(path, "append", new=text)
        return inserted(path, int(words[2]), text.split("\n")) if words[2].isdecimal() and len(words[2]) < 10 else None
    return None


def _by_lines(path: str, start: int, end: int, text: str, view: Window | None) -> Write | None:
    """Lines ``start`` to ``end`` (at most the last) become ``text``."""
    if start < 1 or end < start:
        return None
    if view is not None and view.total:
        end = min(end, view.total)
        first, last = start - view.start, end - view.start + 1
        if first >= 0 and last <= len(view.lines) and first < last:
            old, new = "\n".join(view.lines[first:last]), text
            if not new:  # the lines go, not only their text
                old = f"{old}\n"
            if old:
                return Write(path, "edit", new, old, hunks=placed(start))
    if not text:
        return Write(path, "sed", args=(f"{start},{end}d",))
    lines = text.replace("\\", "\\\\").split("\n")
    return Write(path, "sed", args=(f"{start},{end}c\\\n" + "\\\n".join(lines),))


def _editor_fields(action: str) -> dict[str, object]:
    """The fields of ``str_replace_editor COMMAND PATH --option VALUE ...``; {} when it cannot be read."""
    words = _words(action)
    if len(words) < 3:
        return {}
    fields: dict[str, object] = {"command": words[1], "path": words[2]}
    at = 3
    while at < len(words):
        name = words[at].removeprefix("--")
        if not words[at].startswith("--"):
            return {}
        if name == "view_range" and at + 2 < len(words):
            fields[name] = words[at + 1 : at + 3]
            at += 3
        elif at + 1 < len(words):
            fields[name] = words[at + 1]
            at += 2
        else:
            return {}
    return fields


def _words(action: str) -> list[str]:
    """The words of a command line, quotes taken off; [] when a quote is not closed. O(length)."""
    words: list[str] = []
    parts: list[str] = []
    at, inside = 0, False
    while at < len(action):
        match = _WORD_PART.match(action, at)
        if match is None:
            return []
        if match.lastgroup == "blank":
            if inside:
                words.append("".join(parts))
                parts.clear()
            inside = False
        else:
            inside = True
            text = match[match.lastgroup or 0]
            parts.append(_ESCAPED.sub(r"\1", text) if match.lastgroup == "double" else text)
        at = match.end()
    return [*words, "".join(parts)] if inside else words
