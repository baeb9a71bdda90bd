"""Replay: shown lines against the text replay holds, and what a difference teaches (METHOD 4, fidelity).

In: a ``Shown`` and the text of its file. Out: a ``Comparison`` with a verdict, and, for a view that does not agree,
the text with those lines put right where they can be aligned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from core.replay.lines import line_map, split_lines
from core.replay.world import Verdict
from core.trajectory.steps import Shown

CLIP = 200
_LONG = 1500  # clients cut lines longer than about 2,000 characters (searches: 500)
_OMITTED = ("[Omitted long", "[truncated")
MAX_ALIGN = 6000
REDACTED = "REDACTED"
"""What recorders write in the place of what looks like a secret."""
_LEFT = 4  # characters that must be left of a line for it to say anything


@dataclass(frozen=True, slots=True)
class Comparison:
    """``equal`` of ``compared`` lines agree; ``start`` is where the view really begins in the file."""

    compared: int
    equal: int
    start: int
    verdict: Verdict = "equal"
    seen: str = ""
    expected: str = ""

    @property
    def agrees(self) -> bool:
        """Whether every compared line is equal."""
        return self.equal == self.compared


def normal(line: str) -> str:
    """A line as clients show it: without the CR of a CRLF end and without a byte order mark."""
    return line.rstrip("\r").removeprefix("\ufeff")


def compare(shown: Shown, text: str, older: Sequence[str] = ()) -> Comparison:
    """``shown`` against ``text``; ``older`` texts of the file tell a stale view from an unknown write.

    A whole view must have as many lines as the file, except blank ones at the end that a shell's output loses.
    """
    lines = split_lines(text)
    view = list(shown.lines)
    start = _real_start(shown, lines)
    compared, equal, at = _count(view, lines, start, shown)
    if equal == compared:
        return Comparison(compared, equal, start)
    seen = _around(view, at - start)
    expected = _around(lines, at - 1)
    verdict = _verdict(view, lines, start, shown, older)
    return Comparison(compared, equal, start, verdict, seen, expected)


def agrees(shown: Shown, text: str) -> bool:
    """Whether ``shown`` is a true view of ``text``; cheaper than ``compare`` when it is not."""
    lines = split_lines(text)
    compared, equal, _ = _count(list(shown.lines), lines, _real_start(shown, lines), shown)
    return compared == equal


def clipped(shown: Shown, text: str) -> Shown:
    """``shown`` without the empty line that numbered views add after a final newline; it is not in the file."""
    numbered = shown.source in ("snippet", "read", "attachment") and not shown.whole
    if not numbered or len(shown.lines) < 2 or shown.lines[-1] != "":
        return shown
    beyond = shown.start + len(shown.lines) - 1 == len(split_lines(text)) + 1
    return replace(shown, lines=shown.lines[:-1]) if beyond and text.endswith("\n") else shown


def _real_start(shown: Shown, lines: list[str]) -> int:
    """Clients trim a command's output: blank lines at its start are lost, so the view begins after them."""
    start = shown.start
    if shown.source != "cat" or not shown.lines or not shown.lines[0].strip():
        return start
    while start - 1 < len(lines) and not lines[start - 1].strip():
        start += 1
    fits = start - 1 < len(lines) and _same_line(shown.lines[0], lines[start - 1], True)
    return start if fits else shown.start


def _count(view: list[str], lines: list[str], start: int, shown: Shown) -> tuple[int, int, int]:
    """(compared, equal, number of the first differing line or 0)."""
    compared = equal = first = 0
    loose = shown.source == "cat"
    for i, line in enumerate(view):
        if line.startswith(_OMITTED) and shown.source == "search":
            continue
        number = start + i
        compared += 1
        beyond = number > len(lines)
        if not beyond and _same_line(line, lines[number - 1], loose and i == 0):
            equal += 1
        elif not first:
            first = number
    if shown.whole:
        rest = lines[start - 1 + len(view) :]
        if loose or shown.source == "original":
            while rest and not rest[-1].strip():
                rest = rest[:-1]
        compared += len(rest)
        if rest and not first:
            first = start + len(view)
    return compared, equal, first


def _same_line(seen: str, held: str, trimmed: bool = False) -> bool:
    seen, held = normal(seen), normal(held)
    if seen == held:
        return True
    if trimmed and seen == held.lstrip():
        return True
    if REDACTED in seen and REDACTED not in held:
        return _redacted(seen, held)
    cut = seen.removesuffix("... [truncated]").removesuffix("…")
    return len(held) > len(seen) >= 500 and len(cut) < len(seen) and held.startswith(cut[:_LONG])


def learned(shown: Shown, text: str) -> dict[int, str]:
    """The lines that ``shown`` tells for certain, by their number; ``text`` gives those that a client cut or changed.

    A line of which a part is missing tells nothing when ``text`` has another one in its place.
    """
    lines = split_lines(text)
    start = _real_start(shown, lines)
    found: dict[int, str] = {}
    for number, line in enumerate(shown.lines, start):
        held = lines[number - 1] if number <= len(lines) else None
        if held is not None and _same_line(line, held, shown.source == "cat" and number == start):
            found[number] = held
        elif not (REDACTED in line or line.startswith(_OMITTED) or line.endswith(("... [truncated]", "…"))):
            found[number] = line
    return found


def encloses(shown: Shown, before: str, after: str) -> bool:
    """Whether a view of ``after`` shows, of all changes since ``before`` that it touches, the lines around them too."""
    start = _real_start(shown, split_lines(after))
    first, last = start, start + len(shown.lines) - 1
    touched = [b for b in line_map(before, after).blocks if b.new_end >= first - 1 and b.new_start <= last + 1]
    return bool(touched) and all(first < b.new_start and b.new_end < last for b in touched)


def _redacted(seen: str, held: str) -> bool:
    """Whether ``held`` is ``seen`` with something in the place of what the recorder took out; the rest must agree."""
    first, *pieces = seen.split(REDACTED)
    last = pieces.pop()
    at, end = len(first), len(held) - len(last)
    if len((first + "".join(pieces) + last).strip()) < _LEFT or not held.startswith(first) or not held.endswith(last):
        return False
    for piece in pieces:
        found = held.find(piece, at + 1, end)
        if found < 0:
            return False
        at = found + len(piece)
    return at < end


def _verdict(view: list[str], lines: list[str], start: int, shown: Shown, older: Sequence[str]) -> Verdict:
    if _loosely(view, lines, start, shown):
        return "client-changed"
    if any(agrees(shown, text) for text in older):
        return "stale-view"
    if not shown.whole and _block_at(view, lines) is not None:
        return "shifted"
    return "different"


def _loosely(view: list[str], lines: list[str], start: int, shown: Shown) -> bool:
    """Equal but for what clients and terminals change: tabs, trailing blanks, doubled slashes."""
    if shown.whole and len(lines) != len(view) + start - 1:
        return False
    part = lines[start - 1 : start - 1 + len(view)]
    return len(part) == len(view) and all(_as_client(a, b, shown) for a, b in zip(view, part, strict=True))


def _as_client(seen: str, held: str, shown: Shown) -> bool:
    """One client's search treats a content line as a path: it doubles no slash and ends no name with one."""
    if seen.split() == held.split():
        return True
    return shown.source == "search" and _as_path(seen) == _as_path(held)


def _as_path(line: str) -> str:
    return re.sub(r"/+(?=:)", "", re.sub(r"/(\./)*/+", "/", line))


def _block_at(view: list[str], lines: list[str]) -> int | None:
    """The 1-based line at which ``view`` stands as a block, when it stands exactly once and is not trivial."""
    if not any(len(line.strip()) > 3 for line in view):
        return None
    plain = [normal(line) for line in lines]
    block = [normal(line) for line in view]
    found: int | None = None
    for at in range(len(plain) - len(block) + 1):
        if plain[at] == block[0] and plain[at : at + len(block)] == block:
            if found is not None:
                return None
            found = at + 1
    return found


def _around(lines: Sequence[str], at: int) -> str:
    if at < 0:
        return ""
    return "\n".join(line[:CLIP] for line in lines[max(at - 1, 0) : at + 2])


def repaired(shown: Shown, text: str | None) -> str | None:
    """The text after believing ``shown``: all of a whole view, the aligned lines of another; None if unaligned.

    A partial view is aligned when its first line continues what stands above it and its last lines are found
    below; a view that merely moved says that something above it changed, but not what.
    """
    if shown.whole:
        end = "\n" if shown.lines and (text is None or not text or text.endswith("\n")) else ""
        crlf = text is not None and "\r\n" in text
        view = [line + "\r" if crlf and not line.endswith("\r") else line for line in shown.lines]
        return "\n".join(view) + end
    if text is None or not shown.lines:
        return None
    lines = split_lines(text)
    start = _real_start(shown, lines)
    if start - 1 > len(lines) or _block_at(list(shown.lines), lines) is not None:
        return None
    span = _aligned_span(shown.lines, lines, start)
    if span is None:
        return None
    ended = text.endswith("\n") or not text
    after = [*lines[: start - 1], *shown.lines, *lines[span:]]
    return "\n".join(after) + ("\n" if ended and after else "")


def _aligned_span(view: Sequence[str], lines: list[str], start: int) -> int | None:
    """How many lines of the file, from the top, the view replaces: found from its own last lines."""
    if len(view) > MAX_ALIGN:
        return None
    window = lines[start - 1 : start - 1 + 2 * len(view) + 20]
    matcher = SequenceMatcher(None, [normal(x) for x in window], [normal(x) for x in view], autojunk=False)
    blocks = [b for b in matcher.get_matching_blocks() if b.size]
    if not blocks:
        return start - 1 + len(view) if start - 1 + len(view) <= len(lines) else None
    top_anchored = blocks[0].a == 0 and blocks[0].b == 0
    last = blocks[-1]
    bottom_anchored = last.b + last.size == len(view)
    if bottom_anchored and (top_anchored or last.a - last.b == 0):
        return start - 1 + last.a + last.size
    if top_anchored or all(b.a == b.b for b in blocks):
        # Only the end differs: taken as changed in place.
        return min(start - 1 + len(view) + (last.a - last.b), len(lines))
    return None
