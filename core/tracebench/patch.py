"""Reference patches: a unified diff read, and its hunks against the base texts (Appendix E, Outstanding hunks).

In: the text of a patch, git's or plain. Out: the files it changes, and ``Hunk``s in base coordinates whose
``new_text`` is the base file with its whole patch applied. New, deleted, renamed and binary files, quoted
names and the no-newline marker are understood; what is not is counted with its line, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.replay.lines import split_lines
from core.tracebench.hunks import Hunk
from core.trajectory.steps import Hunk as PatchHunk
from core.trajectory.steps import Skipped

_HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_GIT = re.compile(r'diff --git (?:"(?P<qa>(?:[^"\\]|\\.)*)"|(?P<a>\S.*?)) (?:"(?P<qb>(?:[^"\\]|\\.)*)"|(?P<b>[^"]*))')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file: ``old_path`` None creates it, ``new_path`` None deletes it."""

    old_path: str | None
    new_path: str | None
    hunks: tuple[PatchHunk, ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """The files of a patch in its order, and the lines that could not be used."""

    files: tuple[FilePatch, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(slots=True)
class _Open:
    """A file section being read."""

    old: str | None = None
    new: str | None = None
    created: bool = False
    deleted: bool = False
    hunks: list[PatchHunk] = field(default_factory=list)

    def closed(self) -> FilePatch | None:
        """The section as a value; None when it names no file."""
        old = None if self.created else self.old
        new = None if self.deleted else self.new
        return FilePatch(old, new, tuple(self.hunks)) if old is not None or new is not None else None


def read_patch(text: str, name: str = "patch") -> Patch:
    """The files and hunks of a unified diff; ``name`` stands in the counted lines. Never raises; O(length)."""
    lines = text.split("\n")
    files: list[FilePatch] = []
    skipped: list[Skipped] = []
    section: _Open | None = None

    def close() -> None:
        if section is not None and (closed := section.closed()) is not None:
            files.append(closed)

    at = 0
    while at < len(lines):
        line = lines[at].rstrip("\r")
        if line.startswith("diff --git "):
            close()
            section = _from_git(line)
        elif line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            old, new = _file_names(line, lines[at + 1].rstrip("\r"))
            if section is None or section.hunks:
                close()
                section = _Open()
            section.old, section.new = old, new
            section.created, section.deleted = old is None, new is None
            at += 1
        elif line.startswith("@@"):
            hunk, at, why = _read_hunk(lines, at)
            if hunk is None or section is None:
                skipped.append(Skipped(name, at + 1, why or "a hunk before any file name"))
            else:
                section.hunks.append(hunk)
        elif section is not None and not section.hunks and not _note(section, line):
            skipped.append(Skipped(name, at + 1, "a binary file, its content is not read"))
        at += 1
    close()
    return Patch(tuple(files), tuple(skipped))


def reference_hunks(
    patch: Patch, base: Callable[[str], str | None], name: str = "patch"
) -> tuple[list[Hunk], list[Skipped]]:
    """The blocks a patch changes in the base texts, by (path, line), and what does not fit them.

    ``base`` gives the text of a path in w_0. A hunk is searched near its line when it does not stand there.
    Blocks of one patch hunk share its ``span`` in the base, context included.
    """
    hunks: list[Hunk] = []
    skipped: list[Skipped] = []
    for file in patch.files:
        old = None if file.old_path is None else base(file.old_path)
        path = file.old_path or file.new_path or ""
        if file.old_path is not None and old is None:
            skipped.append(Skipped(name, 0, f"{path} is not known in the base"))
            continue
        placed, misfits = _place_all(split_lines(old or ""), file.hunks)
        skipped.extend(
            Skipped(name, 0, f"{path}: the hunk at line {h.old_start} does not fit the base") for h in misfits
        )
        hunks.extend(_blocks(file, path, old, placed))
    return sorted(hunks, key=lambda h: (h.path, h.old_start, h.old_end, h.added)), skipped


def _blocks(file: FilePatch, path: str, old: str | None, placed: Sequence[tuple[int, PatchHunk]]) -> list[Hunk]:
    """Each changed block, added lines numbered in the text that all placed hunks together give."""
    before = split_lines(old or "")
    after: list[str] = []
    blocks: list[Hunk] = []
    cursor = 0
    ends_open = False
    for start, hunk in placed:
        after.extend(before[cursor:start])
        body = [line for line in hunk.lines if not line.startswith("\\")]
        size = sum(not line.startswith("+") for line in body)
        span = (start + 1, start + size)
        at, place = start, 0
        while place < len(body):
            if body[place].startswith(" "):
                after.append(before[at])
                at, place = at + 1, place + 1
                continue
            first_old, first_new = at, len(after)
            while place < len(body) and not body[place].startswith(" "):
                if body[place].startswith("+"):
                    after.append(body[place][1:])
                else:
                    at += 1
                place += 1
            added = tuple(range(first_new + 1, len(after) + 1))
            blocks.append(Hunk(path, first_old + 1, at, added, tuple(before[first_old:at]), None, span=span))
        cursor = start + size
        ends_open = _ends_without_newline(hunk)
    after.extend(before[cursor:])
    text = "\n".join(after) + ("" if ends_open or not after else "\n")
    new_text = None if file.new_path is None else text
    new_path = file.new_path if file.new_path not in (None, path) else None
    return [replace(b, new_text=new_text, new_path=new_path or "", created=old is None) for b in blocks]


def _ends_without_newline(hunk: PatchHunk) -> bool:
    last = ""
    for line in hunk.lines:
        if line.startswith("\\") and last != "-":
            return True
        last = line[:1]
    return False


def _place_all(
    before: Sequence[str], hunks: Iterable[PatchHunk]
) -> tuple[list[tuple[int, PatchHunk]], list[PatchHunk]]:
    """(0-based old line, hunk) of the hunks that fit, in order, and those that do not."""
    placed: list[tuple[int, PatchHunk]] = []
    misfits: list[PatchHunk] = []
    places: dict[str, list[int]] = {}
    for n, line in enumerate(before):
        places.setdefault(line.rstrip("\r"), []).append(n)
    cursor = drift = 0
    for hunk in sorted(hunks, key=lambda h: h.old_start):
        want = [line[1:].rstrip("\r") for line in hunk.lines if line[:1] in (" ", "-")]
        # An empty old side names the line before the insertion.
        stated = hunk.old_start - 1 if want else hunk.old_start
        found = _find(before, places, want, stated + drift, cursor)
        if found is None:
            misfits.append(hunk)
            continue
        drift = found - stated
        placed.append((found, hunk))
        cursor = found + len(want)
    return placed, misfits


def _find(
    before: Sequence[str], places: Mapping[str, Sequence[int]], want: Sequence[str], near: int, low: int
) -> int | None:
    """The place at or after ``low`` nearest to ``near`` where ``want`` stands; ``places`` are the lines' positions."""
    if not want:
        return near if low <= near <= len(before) else None
    rarest = min(range(len(want)), key=lambda n: (len(places.get(want[n], ())), n))
    starts = (at - rarest for at in places.get(want[rarest], ()))
    fits = [
        at
        for at in starts
        if low <= at <= len(before) - len(want)
        and all(before[at + n].rstrip("\r") == line for n, line in enumerate(want))
    ]
    return min(fits, key=lambda at: (abs(at - near), at), default=None)


def _read_hunk(lines: Sequence[str], at: int) -> tuple[PatchHunk | None, int, str]:
    """The hunk whose header is line ``at``, the last line it takes, and why there is none."""
    header = _HEADER.match(lines[at])
    if header is None:
        return None, at, "a hunk header that cannot be read"
    old_left = int(header[2]) if header[2] is not None else 1
    new_left = int(header[4]) if header[4] is not None else 1
    body: list[str] = []
    while (old_left > 0 or new_left > 0) and at + 1 < len(lines):
        line = lines[at + 1]
        sign = line[:1] or " "  # an editor may have stripped the blank of an empty context line
        if sign not in " +-\\" or (not line and at + 2 == len(lines)):
            break
        old_left -= sign in " -"
        new_left -= sign in " +"
        body.append(line or " ")
        at += 1
    if at + 1 < len(lines) and lines[at + 1].startswith("\\"):
        body.append(lines[at + 1])
        at += 1
    if old_left or new_left:
        return None, at, "a hunk with fewer or more lines than its header says"
    return PatchHunk(int(header[1]), int(header[3]), tuple(body)), at, ""


def _note(section: _Open, line: str) -> bool:
    """Take up a line of git's extended header; False for binary content, which is not read."""
    if line.startswith("new file mode"):
        section.created = True
    elif line.startswith("deleted file mode"):
        section.deleted = True
    elif line.startswith("rename from "):
        section.old = _unquote(line.removeprefix("rename from "))
    elif line.startswith("rename to "):
        section.new = _unquote(line.removeprefix("rename to "))
    elif line.startswith("copy to "):
        section.created, section.new = True, _unquote(line.removeprefix("copy to "))
    return not (line.startswith("GIT binary patch") or (line.startswith("Binary files ") and line.endswith(" differ")))


def _from_git(line: str) -> _Open:
    match = _GIT.fullmatch(line)
    names = line.removeprefix("diff --git ")
    middle = len(names) // 2
    if names[:middle].removeprefix("a/") == names[middle + 1 :].removeprefix("b/"):  # the same name, blanks and all
        return _Open(names[:middle].removeprefix("a/"), names[middle + 1 :].removeprefix("b/"))
    if match is None:
        return _Open()
    old = _unquote(f'"{match["qa"]}"') if match["qa"] is not None else match["a"]
    new = _unquote(f'"{match["qb"]}"') if match["qb"] is not None else match["b"]
    return _Open(old.removeprefix("a/"), new.removeprefix("b/"))


def _file_names(old_line: str, new_line: str) -> tuple[str | None, str | None]:
    old, new = _unquote(old_line[4:].split("\t")[0].rstrip()), _unquote(new_line[4:].split("\t")[0].rstrip())
    prefixed = (old.startswith("a/") or old == "/dev/null") and (new.startswith("b/") or new == "/dev/null")
    if prefixed:
        old, new = old.removeprefix("a/"), new.removeprefix("b/")
    return (None if old == "/dev/null" else old), (None if new == "/dev/null" else new)


def _unquote(name: str) -> str:
    """A name as git quotes it: C escapes, octal bytes of UTF-8."""
    if len(name) < 2 or not (name.startswith('"') and name.endswith('"')):
        return name

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _PLAIN.get(code, code)

    return _ESCAPE.sub(plain, name[1:-1].encode("utf-8", "replace")).decode("utf-8", "replace")
