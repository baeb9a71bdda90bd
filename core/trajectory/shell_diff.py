"""Trajectory, shell: a unified diff given on a command line becomes writes (``patch``, ``git apply``).

In: the text of the diff, the folder it is applied in. Out: one ``Write`` a file: ``patch`` with its hunks,
``put`` for a new file, ``delete`` for a removed one, ``move`` before its hunks for a rename.
"""

from __future__ import annotations

import re

from core.trajectory.shell_literals import absolute
from core.trajectory.shell_words import Word
from core.trajectory.steps import Hunk, Write

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def diff_writes(diff: str, cwd: str, strip: int | None) -> list[Write]:
    """The writes of ``diff`` applied in ``cwd``, ``strip`` leading path parts cut (None: ``a/`` and ``b/`` only)."""
    lines = diff.split("\n")
    writes: list[Write] = []
    renamed, at = "", 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("rename from "):
            renamed = line[12:]
        elif line.startswith("rename to ") and renamed:
            old, new = absolute(Word(renamed), cwd), absolute(Word(line[10:]), cwd)
            if old and new:
                writes.append(Write(old, "move", target=new))
        elif line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            old_name, new_name = _name(line), _name(lines[at + 1])
            hunks, at = _hunks(lines, at + 2)
            writes.extend(_file(old_name, new_name, hunks, cwd, strip))
            continue
        at += 1
    return writes


def _name(header: str) -> str:
    return header[4:].split("\t")[0].strip().strip('"')


def _stripped(name: str, strip: int | None) -> str:
    if strip is None:
        return name[2:] if name.startswith(("a/", "b/")) else name
    return "/".join(name.split("/")[strip:])


def _file(old: str, new: str, hunks: list[Hunk], cwd: str, strip: int | None) -> list[Write]:
    kept = old if new == "/dev/null" else new
    path = absolute(Word(_stripped(kept, strip)), cwd)
    if path is None:
        return [Write("", "opaque")]
    if new == "/dev/null":
        return [Write(path, "delete")]
    if old == "/dev/null":
        added = [line[1:] for hunk in hunks for line in hunk.lines if line.startswith("+")]
        open_end = any(line.startswith("\\") for hunk in hunks for line in hunk.lines)
        return [Write(path, "put", new="\n".join(added) + ("" if open_end or not added else "\n"))]
    return [Write(path, "patch", hunks=tuple(hunks))] if hunks else []


def _hunks(lines: list[str], at: int) -> tuple[list[Hunk], int]:
    """The hunks from line ``at`` on and the index after them; each ends when its counts are used up."""
    hunks: list[Hunk] = []
    while at < len(lines) and (match := _HUNK.match(lines[at])):
        old_left = int(match[2]) if match[2] is not None else 1
        new_left = int(match[4]) if match[4] is not None else 1
        body: list[str] = []
        at += 1
        while at < len(lines) and (old_left > 0 or new_left > 0 or lines[at].startswith("\\")):
            line = lines[at] or " "  # editors cut the space of an empty context line
            if line[0] not in " +-\\":
                break
            old_left -= line[0] in " -"
            new_left -= line[0] in " +"
            body.append(line)
            at += 1
        hunks.append(Hunk(int(match[1]), int(match[3]), tuple(body)))
    return hunks, at
