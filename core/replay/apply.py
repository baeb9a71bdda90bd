"""Replay: one write carried out on the text of its file (METHOD 4).

In: the text before, a ``Write``. Out: the text after, or ``DoesNotFit`` with the reason. Pure; no paths, no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.replay.lines import split_lines
from core.replay.sed import MAX_TEXT, NotUnderstood, run_sed
from core.trajectory.steps import Hunk, Write

MAX_COMPARED = 20_000_000
"""Most lines compared while one patch is placed."""


class DoesNotFit(Exception):
    """A write cannot have happened to this text as stated; the message says why."""


def apply_write(text: str, write: Write) -> str:
    """``text`` after an ``edit``, ``append``, ``patch`` or ``sed`` write; raises DoesNotFit when it does not apply."""
    if write.op == "append":
        after = text + write.new
    elif write.op == "edit":
        after = _edited(text, write)
    elif write.op == "patch":
        after = apply_hunks(text, write.hunks)
    elif write.op == "sed":
        after = _sed(text, write.args)
    else:
        raise DoesNotFit(f"{write.op} is not a change of one text")
    if len(after) > MAX_TEXT:
        raise DoesNotFit("the text would grow too large")
    return after


def _sed(text: str, args: Sequence[str]) -> str:
    try:
        return run_sed(text, args)
    except (NotUnderstood, RecursionError) as error:
        raise DoesNotFit(f"sed script not understood: {error}") from error


def _edited(text: str, write: Write) -> str:
    old, new = write.old, write.new
    if not old:
        raise DoesNotFit("nothing to replace was given")
    if old not in text and "\r\n" in text and "\r" not in old:
        # Clients match line ends loosely and keep those of the file.
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    if old not in text:
        raise DoesNotFit("old text not found")
    if write.replace_all:
        if len(text) + text.count(old) * (len(new) - len(old)) > MAX_TEXT:
            raise DoesNotFit("the text would grow too large")
        return text.replace(old, new)
    at = edit_offset(text, old, write.hunks)
    return text[:at] + new + text[at + len(old) :]


def edit_offset(text: str, old: str, hunks: Sequence[Hunk]) -> int:
    """Where ``old`` stands in ``text``: the occurrence nearest to where the patch says, else the first."""
    first = text.find(old)
    if not hunks or text.find(old, first + 1) < 0:
        return first
    wanted = hunks[0].old_start + next((i for i, line in enumerate(hunks[0].lines) if line[:1] != " "), 0)
    best, best_distance, at, seen = first, 1 << 60, first, 0
    line, counted, height = 1, 0, old.count("\n")
    while at >= 0 and seen < 10_000:
        line += text.count("\n", counted, at)
        counted = at
        # The patch leaves out lines that stay the same at the start of ``old``.
        distance = min(abs(line - wanted), abs(line + height - wanted) + 1)
        if distance < best_distance:
            best, best_distance = at, distance
        at, seen = text.find(old, at + 1), seen + 1
    return best


def apply_hunks(text: str, hunks: Sequence[Hunk]) -> str:
    """``text`` with unified hunks applied in order, each at its line or the nearest place where it fits.

    Like ``patch``, up to two context lines at either end may differ. Raises DoesNotFit.
    """
    lines = split_lines(text)
    ends = "\n" if text.endswith("\n") or not text else ""
    crlf = bool(lines) and lines[0].endswith("\r")
    out: list[str] = []
    done, effort = 0, _Effort()
    for hunk in hunks:
        body = [line or " " for line in hunk.lines if not line.startswith("\\")]
        if any(line[0] not in " +-" for line in body):
            raise DoesNotFit("not a hunk: a line that is neither kept, nor removed, nor added")
        at, body = _place(lines, body, hunk.old_start - 1, done, effort)
        out += lines[done:at]
        for line in body:
            if line[0] == " ":
                out.append(lines[at])
            elif line[0] == "+":
                out.append(line[1:] + ("\r" if crlf and not line.endswith("\r") else ""))
            at += line[0] != "+"
        done = at
        for before, line in pairwise(hunk.lines):
            if line.startswith("\\"):  # "No newline at end of file" speaks of the line before it
                ends = "\n" if before.startswith("-") else ""
    out += lines[done:]
    return "\n".join(out) + (ends if out else "")


@dataclass(slots=True)
class _Effort:
    """Lines that may still be compared: a file and a patch of equal lines must not cost their product."""

    left: int = MAX_COMPARED

    def spend(self, lines: int) -> None:
        """Count ``lines`` compared."""
        self.left -= lines
        if self.left < 0:
            raise DoesNotFit("a hunk's place takes too long to find")


def _place(lines: list[str], body: list[str], wanted: int, low: int, effort: _Effort) -> tuple[int, list[str]]:
    for fuzz in (0, 1, 2):
        trimmed, cut = body, 0
        if fuzz:
            start = 0
            while start < fuzz and start < len(trimmed) and trimmed[start][:1] == " ":
                start += 1
            end = len(trimmed)
            while len(trimmed) - end < fuzz and end > start and trimmed[end - 1][:1] == " ":
                end -= 1
            trimmed, cut = trimmed[start:end], start
        old = [line[1:] for line in trimmed if line[:1] in (" ", "-")]
        at = _find(lines, old, max(wanted + cut, 0), low, effort)
        if at is not None and (old or fuzz == 0):
            return at, trimmed
    raise DoesNotFit("a hunk's lines were not found")


def _find(lines: list[str], old: list[str], wanted: int, low: int, effort: _Effort) -> int | None:
    """The index nearest to ``wanted``, not before ``low``, where ``old`` stands, the later of two as near.

    Trailing CR and blanks are loose.
    """
    if not old:
        return min(max(wanted, low), len(lines))
    limit = len(lines) - len(old)
    wanted = max(min(wanted, limit), low)
    for distance in range(limit - low + 1):
        for at in (wanted + distance, wanted - distance) if distance else (wanted,):
            if low <= at <= limit:
                same = next((i for i, line in enumerate(old) if not _same(lines[at + i], line)), len(old))
                if same == len(old):
                    return at
                effort.spend(same + 1)
    return None


def _same(a: str, b: str) -> bool:
    return a == b or a.rstrip() == b.rstrip()
