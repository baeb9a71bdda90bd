"""Overlap at (file, token index): which lines of w_s a record shows, and how many tokens stand on lines (Appendix E).

In: texts, line ranges, records with their sights. Out: sorted disjoint line ranges and token counts. A file
is tokenized whole, once per content; a token belongs to the line it starts on, so that counts of disjoint
line sets add up. A shown line counts as held only while it stands in w_s unchanged.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.records.record import Record
from core.replay.lines import lines_of
from core.replay.world import History, Sight
from core.tokens import count_tokens, tokens_before_lines
from core.tracebench.carry import Carrier, Part, Ranges

# Places tried for a view in a record's text; a text made of one line repeated must not cost quadratic time.
_TRIES = 50


_before = lru_cache(maxsize=2048)(tokens_before_lines)


def tokens_on(text: str, ranges: Iterable[tuple[int, int]]) -> int:
    """Tokens of ``text`` that start on the lines of disjoint ``ranges``; lines outside the text have none."""
    sums = _before(text)
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
class View:
    """Shown lines of one sight that stand on gold lines: those of ``part``, which lie within the sight."""

    sight: Sight
    part: Part


def shows(record: Record, paths: Container[str]) -> bool:
    """Whether the record shows anything of one of the files."""
    return any(sight.path in paths for sight in record.sights)


def views(record: Record, carrier: Carrier, t: int, gold: Mapping[str, Ranges]) -> list[View]:
    """What ``record`` shows of the ``gold`` lines of w_t, sight by sight; files gone by w_t show nothing."""
    found: list[View] = []
    for sight in record.sights:
        wanted = gold.get(sight.path)
        if not wanted or not sight.lines:
            continue
        for part in carrier.onto(sight.path, record.born, t, wanted):
            low, high = max(part.old_start, sight.start), min(part.old_end, sight.end)
            if low > high:
                continue
            new = (part.new_start, part.new_end)
            if part.same:
                new = (part.new_start + low - part.old_start, part.new_start + high - part.old_start)
            found.append(View(sight, Part(low, high, *new, part.same)))
    return found


def lines_about(seen: Iterable[View]) -> dict[str, list[tuple[int, int]]]:
    """By path the line ranges of w_t that the views are about, changed ones included."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for view in seen:
        ranges.setdefault(view.sight.path, []).append((view.part.new_start, view.part.new_end))
    return ranges


def lines_shown(seen: Iterable[View], history: History, t: int) -> dict[str, list[tuple[int, int]]]:
    """By path the line ranges of w_t that the views show as they are.

    A shown line that differs from the text even at birth (a view clipped or out of date) does not count.
    """
    ranges: dict[str, list[tuple[int, int]]] = {}
    for view in seen:
        if view.part.same:
            target = lines_of(history.text(view.sight.path, t) or "")
            ranges.setdefault(view.sight.path, []).extend(_equal_runs(view.sight, view.part, target))
    return ranges


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


def tokens_shown(record: Record, seen: Iterable[View]) -> int:
    """Tokens of the record's text on the lines of ``seen``, its views of gold lines, changed ones included.

    The lines are found in the text as shown, line-number prefixes counted; where a sight cannot be found
    there (an edit's call) its lines are counted by themselves. At most the record's tokens.
    """
    wanted: dict[int, tuple[Sight, set[int]]] = {}
    for view in seen:
        numbers = wanted.setdefault(id(view.sight), (view.sight, set()))[1]
        numbers.update(range(view.part.old_start, view.part.old_end + 1))
    found: set[int] = set()
    loose: dict[tuple[str, str], None] = {}
    for sight, numbers in wanted.values():
        place = _place(sight.lines, record.text)
        if place is None:
            loose.update(dict.fromkeys((sight.path, sight.lines[n - sight.start]) for n in sorted(numbers)))
        else:
            found |= {place + n - sight.start + 1 for n in numbers}
    located = tokens_on(record.text, union((n, n) for n in found)) if found else 0
    return min(record.tokens, located + (count_tokens("\n".join(line for _, line in loose)) if loose else 0))


@lru_cache(maxsize=4096)
def _place(lines: tuple[str, ...], record_text: str) -> int | None:
    """The 0-based line of a record's text from which each line ends with one of ``lines`` in turn, None if nowhere."""
    text = lines_of(record_text)
    tries = 0
    key = max(range(len(lines)), key=lambda n: len(lines[n]))
    for at in range(key, len(text) - (len(lines) - key) + 1):
        if not text[at].endswith(lines[key]):
            continue
        first, tries = at - key, tries + 1
        if all(text[first + n].endswith(line) for n, line in enumerate(lines)):
            return first
        if tries == _TRIES:
            break
    return None
