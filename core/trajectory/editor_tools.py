"""Stage 1: what tools shared by several agents show and write: a shell, the ``str_replace`` editor, file windows.

In: a call's fields and the text the model was given. Out: an ``Outcome``.

- The editor (``str_replace_editor`` in SWE-agent and OpenHands): ``view | create | str_replace | insert |
  undo_edit``; it numbers lines as ``cat -n`` does and shows a snippet after an edit.
- Windows: ``[File: PATH (N lines total)]`` and numbered lines, ``12:text`` in SWE-agent, ``12|text`` in OpenHands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.trajectory import shell
from core.trajectory.claude_results import Fields, Outcome, numbered_runs
from core.trajectory.file_paths import absolute
from core.trajectory.steps import Hunk, Shown, ShownSource, Write

_CLIPPED = re.compile(
    r"<response clipped>|\[\.\.\. Observation truncated due to length \.\.\.\]|<NOTE>To save on context"
)
_WINDOW = re.compile(r"\[File: (.+?) \((\d{1,9}) lines total(?: after edit)?\)\]\r?")
_ROW = re.compile(r"(\d{1,9})([:|])(.*)", re.S)
_LAYOUT = re.compile(r"\(?(?:\d+ more lines (?:above|below)|this is the (?:beginning|end) of the file)\)?\r?")
_EDITOR_FAILED = (
    *("ERROR:", "Error", "No replacement was performed", "Invalid ", "The path ", "Usage:", "usage:"),
    *("File not found", "File already exists", "No edit history found"),
)
_SNIPPET_LEAD = 200


def shell_outcome(command: str, cwd: str, output: str, failed: bool, seen: str | None = None) -> Outcome:
    """What a shell command did; ``seen`` is the part of ``output`` the model was given from its start, None if all.

    A cut output shows only whole lines, and never a whole file.
    """
    action = shell.read_command(command, cwd, plain_lines(output), failed)
    shown = action.shown
    if seen is not None:
        cut = shell.read_command(command, cwd, plain_lines(seen), failed)
        shown = tuple(replace(item, whole=False) for item in cut.shown)
    return Outcome(action.kind, shown, action.writes, command, action.purpose)


def plain_lines(output: str) -> str:
    """``output`` as the program printed it where a terminal put a CR before every line end."""
    if "\r\n" not in output or output.count("\n") != output.count("\r\n"):
        return output
    return output.replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class Window:
    """A view of one file: its lines from ``start``; ``total`` is the file's own number of lines."""

    path: str
    start: int
    lines: tuple[str, ...]
    total: int

    def shown(self, source: ShownSource) -> Shown:
        """As a ``Shown``; whole when it begins at line 1 and ends at the last."""
        whole = self.start == 1 and len(self.lines) == self.total
        return Shown(self.path, self.start, self.lines, source, whole)


def windows(text: str, cwd: str) -> tuple[Window, ...]:
    """Each ``[File: ...]`` window in ``text``, in order, its path made absolute against ``cwd``; O(length).

    A window ends at the first line that does not carry the next number.
    """
    found: list[Window] = []
    lines = plain_lines(text).split("\n")
    at = 0
    while at < len(lines):
        header = _WINDOW.fullmatch(lines[at])
        at += 1
        if header is None:
            continue
        while at < len(lines) and _LAYOUT.fullmatch(lines[at]):
            at += 1
        rows: list[str] = []
        first = 0
        while at < len(lines) and (row := _ROW.fullmatch(lines[at])) and (not rows or int(row[1]) == first + len(rows)):
            first = first or int(row[1])
            rows.append(row[3])
            at += 1
        path, total = absolute(header[1].strip(), cwd), int(header[2])
        if path and rows and first >= 1 and first + len(rows) - 1 <= max(total, 1):
            found.append(Window(path, first, tuple(rows), total))
    return tuple(found)


def found_lines(text: str, path: str) -> tuple[Shown, ...]:
    """The ``Line 12:text`` rows of a ``search_file``."""
    rows = re.findall(r"(?m)^Line (\d{1,9}):(.*?)\r?$", text)
    return tuple(Shown(path, int(number), (line,), "search") for number, line in rows if path and int(number))


def placed(start: int) -> tuple[Hunk, ...]:
    """A hunk without lines: it only says at which line an edit lands."""
    return (Hunk(start, start, ()),)


def inserted(path: str, after: int, lines: Sequence[str]) -> Write:
    """``lines`` put behind line ``after`` (0: before the first)."""
    return Write(path, "patch", hunks=(Hunk(after + 1, after + 1, tuple(f"+{line}" for line in lines)),))


def editor_outcome(fields: Fields, text: str, cwd: str, failed: bool) -> Outcome:
    """What a call of the ``str_replace`` editor did; a failed one shows and writes nothing."""
    command, path = _text(fields, "command"), absolute(_text(fields, "path"), cwd)
    if command == "view":
        return Outcome("read", () if failed else _viewed(fields, text, path))
    if not path or failed:
        return Outcome("edit")
    snippet = _snippet(text, path)
    if command == "create":
        content = fields.get("file_text")
        write = Write(path, "put", new=content) if isinstance(content, str) else Write(path, "opaque")
        return Outcome("edit", (), (write,))
    if command == "str_replace":
        old, new = _text(fields, "old_str"), _text(fields, "new_str")
        write = Write(path, "edit", new, old, hunks=where_stands(new, snippet)) if old else Write(path, "opaque")
        return Outcome("edit", snippet, (write,))
    if command == "insert":
        after, added = _number(fields.get("insert_line")), fields.get("new_str")
        if after is not None and isinstance(added, str):
            return Outcome("edit", snippet, (inserted(path, after, added.split("\n")),))
        return Outcome("edit", snippet, (Write(path, "opaque"),))
    if command == "undo_edit":
        # What the file was before is shown whole behind the call; the call alone does not say it.
        shown = tuple(replace(view, source="snippet") for view in _viewed({}, text, path))
        return Outcome("edit", shown, (Write(path, "opaque"),))
    return Outcome("run")


def editor_failed(text: str) -> bool:
    """Whether the editor's answer says that it did nothing."""
    return text.lstrip().startswith(_EDITOR_FAILED)


def _viewed(fields: Fields, text: str, path: str) -> tuple[Shown, ...]:
    """The numbered lines of a view.

    The editor splits at every newline, so a view of a whole file ends with an empty line that is not in it; where
    a range was asked for nothing tells that line from a blank one, so an empty last line is never claimed.
    """
    body, cut = before_clip(text)
    runs = numbered_runs(plain_lines(body))[:1]
    if not path or not runs:
        return ()
    start, lines = runs[0]
    asked = fields.get("view_range")
    whole = start == 1 and not cut and not (isinstance(asked, list) and asked)
    if lines[-1] == "":
        lines = lines[:-1]
    return (Shown(path, start, tuple(lines), "read", whole),) if lines or whole else ()


def _snippet(text: str, path: str) -> tuple[Shown, ...]:
    at = text.find("`cat -n`")
    if at < 0:
        return ()
    body, _ = before_clip(text[at:])
    return tuple(
        Shown(path, start, tuple(kept), "snippet")
        for start, lines in numbered_runs(plain_lines(body))[:1]
        for kept in [lines[:-1] if lines[-1] == "" else lines]
        if kept
    )


def before_clip(text: str) -> tuple[str, bool]:
    """``text`` up to its last whole line before a mark that says it was cut, and whether there is one."""
    mark = _CLIPPED.search(text)
    return (text[: mark.start()].rpartition("\n")[0], True) if mark else (text, False)


def where_stands(new: str, snippet: Sequence[Shown]) -> tuple[Hunk, ...]:
    """The line at which ``new`` stands in a snippet, () when nothing says; a snippet starts not far before it."""
    wanted = new.split("\n")
    for view in snippet:
        for at in range(min(len(view.lines) - len(wanted) + 1, _SNIPPET_LEAD)):
            part = view.lines[at : at + len(wanted)]
            if len(wanted) == 1:
                fits = bool(new) and new in part[0]
            else:
                inner = list(part[1:-1]) == wanted[1:-1]
                fits = inner and part[0].endswith(wanted[0]) and part[-1].startswith(wanted[-1])
            if fits:
                return placed(view.start + at)
    return ()


def _number(value: object) -> int | None:
    """A line number given as a number or as a text, None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else None


def _text(fields: Fields, key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""
