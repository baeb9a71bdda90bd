"""Stage 1: patch texts -> writes. Two grammars: Codex's ``apply_patch`` and unified diffs.

In: the text a model or a client wrote. Out: ``Write`` values with absolute paths: ``put`` for a new file,
``delete``, ``move``, ``patch`` with its hunks.

An ``apply_patch`` hunk carries no line numbers: its lines are looked for from the end of the hunk before it
on, after its ``@@`` header if it has one. Here the header becomes a hunk of one context line of its own, and
``old_start`` says where the search begins (line 1, or far behind the end for ``*** End of File``), so that
applying the hunks in order finds the same places.
"""

from __future__ import annotations

import posixpath
import re

from core.trajectory.file_paths import absolute
from core.trajectory.steps import Hunk, Write

BEGIN = "*** Begin Patch"
END = "*** End Patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"
_AT_END = 1 << 30
_RANGE = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


class NotAPatch(ValueError):
    """A text is no ``apply_patch`` patch; the message says where it stops being one."""


def patch_writes(text: str, cwd: str) -> tuple[Write, ...]:
    """The writes of an ``apply_patch`` text run in ``cwd``, in order; O(length).

    Text before ``*** Begin Patch`` and behind ``*** End Patch`` is passed over, a missing end is taken as given
    (the tool is as lenient). Raises NotAPatch when a line fits no place in the grammar: such a patch was refused
    as a whole.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip() == BEGIN), None)
    if start is None:
        raise NotAPatch(f"no line says {BEGIN!r}")
    end = next((i for i in range(start + 1, len(lines)) if lines[i].strip() == END), len(lines))
    body = lines[start + 1 : end]
    if end == len(lines) and body and body[-1] == "":
        body.pop()
    writes: list[Write] = []
    at = 0
    while at < len(body):
        header = _FILE.fullmatch(body[at].strip())
        if header is None:
            if body[at].strip():
                raise NotAPatch(f"patch line {start + at + 2}: expected a file, found {body[at][:60]!r}")
            at += 1
            continue
        after = next((i for i in range(at + 1, len(body)) if _FILE.fullmatch(body[i].strip())), len(body))
        path = absolute(header[2].strip(), cwd)
        writes.extend(_file(header[1], path, body[at + 1 : after], cwd, start + at + 3))
        at = after
    return tuple(writes)


def patch_writes_or_doubt(text: str, cwd: str) -> tuple[Write, ...]:
    """As ``patch_writes``; of a text that is no patch, the files it names may have changed."""
    try:
        return patch_writes(text, cwd)
    except NotAPatch:
        return tuple(Write(path, "opaque") for path in patch_paths(text, cwd))


def _file(verb: str, path: str, lines: list[str], cwd: str, first: int) -> list[Write]:
    """The writes of one file; ``first`` is the number of its first line, for messages."""
    if verb == "Delete":
        return [Write(path, "delete")]
    if verb == "Add":
        bad = next((i for i, line in enumerate(lines) if line and not line.startswith("+")), None)
        if bad is not None:
            raise NotAPatch(f"patch line {first + bad}: expected a line with '+', found {lines[bad][:60]!r}")
        added = [line[1:] for line in lines if line]
        return [Write(path, "put", new="".join(f"{line}\n" for line in added))]
    writes: list[Write] = []
    if lines and lines[0].startswith(_MOVE):
        target = absolute(lines[0][len(_MOVE) :].strip(), cwd)
        if target != path:
            writes.append(Write(path, "move", target=target))
            path = target
        lines, first = lines[1:], first + 1
    hunks = _update_hunks(lines, first)
    return [*writes, Write(path, "patch", hunks=hunks)] if hunks else writes


def _update_hunks(lines: list[str], first: int) -> tuple[Hunk, ...]:
    """The hunks of an update; those that only add lines go to the end of the file, so they come last."""
    found: list[Hunk] = []
    appended: list[Hunk] = []
    body: list[str] = []
    at_end = False

    def close() -> None:
        nonlocal body, at_end
        while body and not body[-1]:
            body.pop()  # a blank line between files is layout; as a last line of context it tells nothing
        body = [line or " " for line in body]
        if any(line[0] != " " for line in body):
            only_added = all(line[0] == "+" for line in body)
            hunk = Hunk(_AT_END if at_end or only_added else 1, 1, tuple(body))
            (appended if only_added else found).append(hunk)
        body, at_end = [], False

    for number, line in enumerate(lines, first):
        if line.startswith("@@"):
            close()
            header = line[2:].removeprefix(" ")
            if header.strip():
                found.append(Hunk(1, 1, (" " + header,)))
        elif line.strip() == _END_OF_FILE:
            at_end = True
        elif not line or line[0] in " +-":
            body.append(line)
        else:
            raise NotAPatch(f"patch line {number}: expected ' ', '-', '+' or '@@', found {line[:60]!r}")
    close()
    return tuple(found + appended)


def unified_hunks(diff: str) -> tuple[Hunk, ...]:
    """The hunks of a unified diff of ONE file, its file headers passed over; each ends when its counts are used up.

    ``old_start`` and ``new_start`` are those of the first line the hunk covers; a hunk without old lines gives
    the line before which its lines go (the header counts the line AFTER which). Other text is passed over; O(length).
    """
    lines = diff.split("\n")
    hunks: list[Hunk] = []
    at = 0
    while at < len(lines):
        match = _RANGE.match(lines[at])
        at += 1
        if match is None:
            continue
        old_left, new_left = (int(match[i]) if match[i] is not None else 1 for i in (2, 4))
        starts = int(match[1]) + (old_left == 0), int(match[3]) + (new_left == 0)
        body: list[str] = []
        while at < len(lines) and (old_left > 0 or new_left > 0 or lines[at].startswith("\\")):
            line = lines[at] or " "  # the space of an empty context line is easily lost
            if line[0] not in " +-\\":
                break
            old_left -= line[0] in " -"
            new_left -= line[0] in " +"
            body.append(line)
            at += 1
        hunks.append(Hunk(*starts, tuple(body)))
    return tuple(hunks)


def change_writes(path: str, change: object, cwd: str) -> tuple[Write, ...]:
    """The writes of one entry of a client's own list of changes (``patch_apply_end.changes`` of Codex).

    ``change`` is ``{type: add|delete|update, content|unified_diff[, move_path]}``; anything else leaves the file
    opaque, because the entry says that it changed.
    """
    path = absolute(path, cwd)
    if not path:
        return ()
    fields = change if isinstance(change, dict) else {}
    kind = fields.get("type")
    if isinstance(kind, dict):
        fields, kind = {**fields, **kind}, kind.get("type")
    content = fields.get("content", fields.get("diff"))
    if kind == "add" and isinstance(content, str):
        return (Write(path, "put", new=content),)
    if kind == "delete":
        return (Write(path, "delete"),)
    diff = fields.get("unified_diff", fields.get("diff"))
    if kind != "update" or not isinstance(diff, str):
        return (Write(path, "opaque"),)
    moved, target = fields.get("move_path"), path
    writes: list[Write] = []
    if isinstance(moved, str) and absolute(moved, cwd) not in ("", path):
        target = absolute(moved, cwd)
        writes.append(Write(path, "move", target=target))
    hunks = unified_hunks(diff)
    if hunks:
        writes.append(Write(target, "patch", hunks=hunks))
    elif diff.strip():
        writes.append(Write(target, "opaque"))
    return tuple(writes)


def patch_paths(text: str, cwd: str) -> tuple[str, ...]:
    """The sorted paths a patch names, whether or not the rest of it can be read."""
    found = (_FILE.fullmatch(line.strip()) for line in text.split("\n"))
    return tuple(sorted({posixpath.normpath(absolute(match[2].strip(), cwd)) for match in found if match}))
