"""Overlap at (file, token index): which lines of w_s a record shows, and how many tokens stand on lines (Appendix E).

In: texts, line ranges, records with their sights. Out: sorted disjoint line ranges and token counts. A file
is tokenized whole, once per content; a token belongs to the line it starts on, so that counts of disjoint
line sets add up. A shown line counts as held only while it stands in w_s unchanged.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.records.record import Record
from core.replay.lines import LineMap, line_map, split_lines
from core.replay.world import History, Sight
from core.tokens import count_tokens, token_starts

# Sorted, disjoint, non-adjacent line ranges, 1-based with both ends included.
Ranges = tuple[tuple[int, int], ...]


@lru_cache(maxsize=512)
def _prefix(text: str) -> list[int]:
    """How many tokens start before each line: item n is for line n + 1, the last is n(text)."""
    starts = token_starts(text)
    sums, at = [0], text.find("\n")
    while at >= 0:
        sums.append(bisect_right(starts, at))
        at = text.find("\n", at + 1)
    if sums[-1] != len(starts):
        sums.append(len(starts))
    return sums


def tokens_on(text: str, ranges: Iterable[tuple[int, int]]) -> int:
    """Tokens of ``text`` that start on the lines of disjoint ``ranges``; lines outside the text have none."""
    sums = _prefix(text)
    last = len(sums) - 1
    return sum(sums[min(end, last)] - sums[min(start - 1, last)] for start, end in ranges if end >= start)


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The lines in any of the ranges; empty ranges (end < start) vanish."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(r for r in ranges if r[1] >= r[0]):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def intersect(left: Ranges, right: Ranges) -> Ranges:
    """The lines in both."""
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if start <= end:
            found.append((start, end))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def subtract(left: Ranges, right: Ranges) -> Ranges:
    """The lines of ``left`` that are not in ``right``."""
    found: list[tuple[int, int]] = []
    for start, end in left:
        for a, b in right:
            if b < start or a > end:
                continue
            if a > start:
                found.append((start, a - 1))
            start = b + 1
        if start <= end:
            found.append((start, end))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Part:
    """Old lines ``old_start..old_end`` stand at ``new_start..new_end``: line by line if ``same``, else changed."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    same: bool


def through(lines: LineMap, start: int, end: int) -> list[Part]:
    """Where the old lines ``start..end`` went, in order; deleted lines are a part with an empty new side."""
    parts: list[Part] = []
    at, shift = start, 0
    for block in lines.blocks:
        if block.old_start > end:
            break
        if block.old_start > at:
            parts.append(Part(at, block.old_start - 1, at + shift, block.old_start - 1 + shift, True))
        if block.old_end >= max(at, block.old_start):
            stop = min(block.old_end, end)
            parts.append(Part(max(at, block.old_start), stop, block.new_start, block.new_end, False))
        at = max(at, block.old_end + 1)
        shift = block.new_end - block.old_end
    if at <= end:
        parts.append(Part(at, end, at + shift, end + shift, True))
    return parts


def carried(record: Record, history: History, t: int, paths: Container[str]) -> Iterator[tuple[Sight, Part]]:
    """Where the lines ``record`` shows of the files in ``paths`` stand in w_t, sight by sight.

    Sights are carried from w_born to w_t through the line map of the two texts; where the text at birth is
    not known they keep their numbers. Files that no longer exist carry nothing.
    """
    for sight in record.sights:
        if sight.path not in paths or not sight.lines:
            continue
        text = history.text(sight.path, t)
        if text is None:
            continue
        before = history.text(sight.path, record.born)
        lines = line_map(text if before is None else before, text)
        for part in through(lines, sight.start, sight.end):
            yield sight, part


@dataclass(frozen=True, slots=True)
class Showing:
    """The lines of one file of w_t that a record shows: ``true`` still as seen, ``about`` also those changed since."""

    path: str
    true: Ranges
    about: Ranges


def showings(record: Record, history: History, t: int, paths: Container[str]) -> list[Showing]:
    """What ``record`` shows of the files in ``paths`` as they are in w_t, sorted by path.

    A shown line that differs from the text even at birth (a view clipped or out of date) is about the line
    but does not show it.
    """
    true: dict[str, list[tuple[int, int]]] = {}
    about: dict[str, list[tuple[int, int]]] = {}
    for sight, part in carried(record, history, t, paths):
        ranges = about.setdefault(sight.path, [])
        if not part.same:
            ranges.append((part.new_start, part.new_end))
            continue
        target = lines_of(history.text(sight.path, t) or "")
        ranges.append((part.new_start, min(part.new_end, len(target))))
        true.setdefault(sight.path, []).extend(_equal_runs(sight, part, target))
    return [Showing(path, union(true.get(path, ())), union(about[path])) for path in sorted(about)]


def _equal_runs(sight: Sight, part: Part, target: Sequence[str]) -> list[tuple[int, int]]:
    """The lines of the part, in the new numbering, whose text is what the sight shows (trailing blanks aside)."""
    seen = sight.lines[part.old_start - sight.start : part.old_end - sight.start + 1]
    there = target[part.new_start - 1 : part.new_end]
    if seen == there:
        return [(part.new_start, part.new_end)]
    return [
        (part.new_start + n, part.new_start + n)
        for n, (a, b) in enumerate(zip(seen, there, strict=False))
        if a == b or a.rstrip() == b.rstrip()
    ]


def tokens_shown(record: Record, history: History, t: int, gold: Mapping[str, Ranges]) -> int:
    """Tokens of the record's text on lines that stand on ``gold`` lines of w_t, changed ones included.

    The lines are found in the text as shown, line-number prefixes counted; where a view cannot be found
    there (an edit's call) the lines are counted by themselves. At most the record's tokens.
    """
    wanted: dict[int, tuple[Sight, set[int]]] = {}
    for sight, part in carried(record, history, t, gold):
        ranges = gold[sight.path]
        if part.same:
            here = intersect(((part.new_start, part.new_end),), ranges)
            shift = part.old_start - part.new_start
            hit = {n + shift for a, b in here for n in range(a, b + 1)}
        else:
            met = intersect(union([(part.new_start, part.new_end)]), ranges)
            hit = set(range(part.old_start, part.old_end + 1)) if met else set()
        if hit:
            wanted.setdefault(id(sight), (sight, set()))[1].update(hit)
    text_lines = lines_of(record.text)
    found: set[int] = set()
    loose: dict[tuple[str, str], None] = {}
    for sight, numbers in wanted.values():
        place = _place(sight.lines, text_lines)
        if place is None:
            loose.update(dict.fromkeys((sight.path, sight.lines[n - sight.start]) for n in sorted(numbers)))
        else:
            found |= {place + n - sight.start + 1 for n in numbers}
    located = tokens_on(record.text, union((n, n) for n in found))
    return min(record.tokens, located + (count_tokens("\n".join(line for _, line in loose)) if loose else 0))


def _place(lines: Sequence[str], text: Sequence[str]) -> int | None:
    """The 0-based line of ``text`` from which each line ends with one of ``lines`` in turn, None if nowhere."""
    key = max(range(len(lines)), key=lambda n: len(lines[n]))
    for at in range(key, len(text) - (len(lines) - key) + 1):
        if not text[at].endswith(lines[key]):
            continue
        first = at - key
        if all(text[first + n].endswith(line) for n, line in enumerate(lines)):
            return first
    return None


@lru_cache(maxsize=2048)
def lines_of(text: str) -> tuple[str, ...]:
    """``split_lines``, once per content."""
    return tuple(split_lines(text))
