"""Which lines a record shows still stand, told by comparing texts, not by what the tape says.

In: the lines a record shows of one file, the file's text at birth and now, and the symbols as they are now.
Out: a ``Holding``. A shown line is stale when its symbol is gone, or when the symbol's own lines, compared
with those it has now, no longer hold it; text put between two adjacent shown lines of one symbol is stale
too. Lines are compared symbol by symbol because a diff of the whole file may blame the wrong one of two equal
lines, knows no moves, and cannot tell a definition put between two lines of module text from module text;
shown lines that no symbol owns are compared by that diff. Blank lines and trailing blanks belong to nothing,
here as in b_t; indentation does not: a record shows it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.graph.symbols import Symbol
from core.records.record import OwnLines, Record
from core.replay.lines import Block, LineMap, diff_lines, split_lines


@dataclass(frozen=True, slots=True)
class Holding:
    """How the shown lines of one file stand now; line numbers are those of w_born.

    ``stale`` are ranges of shown lines changed or deleted; text inserted after the shown line n of a symbol
    is the empty range (n + 1, n).  ``incomplete``: a whole-file read lacks something new that stands between
    what it shows.  ``moved``: all of it stands, under other numbers.
    """

    stale: tuple[tuple[int, int], ...] = ()
    incomplete: bool = False
    moved: bool = False


@dataclass(frozen=True, slots=True)
class OwnChange:
    """How a symbol's own lines at birth differ from those it has now.

    ``lost`` are line numbers at birth; ``inserted`` the adjacent pairs of own lines between which text was
    put; ``grown`` is true when text was put elsewhere: at either end, or where another symbol stands between.
    """

    lost: frozenset[int] = frozenset()
    inserted: tuple[tuple[int, int], ...] = ()
    grown: bool = False


SAME = OwnChange()


@dataclass(frozen=True, slots=True)
class ShownLines:
    """What a record shows of one file: ``lines`` are the numbers of its shown lines that are not blank, sorted.

    ``gaps`` holds each of them that unshown lines separate from the one before; ``whole``: the whole file was
    shown; ``owners`` are the covered symbols of this file; ``unowned`` those of ``lines`` no symbol owns.
    """

    lines: tuple[int, ...]
    gaps: frozenset[int]
    whole: bool
    owners: Mapping[str, tuple[tuple[int, int], ...]]
    unowned: tuple[int, ...]


class Text:
    """A file text as it is compared: lines without trailing blanks, and the numbers of those that are not blank."""

    __slots__ = ("lines", "solid")

    def __init__(self, text: str) -> None:
        self.lines = [line.rstrip() for line in split_lines(text)]
        self.solid = [n for n, line in enumerate(self.lines, 1) if line]

    def within(self, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """The numbers of the lines in the ranges that are not blank, ascending."""
        solid = self.solid
        return [n for a, b in sorted(ranges) for n in solid[bisect_left(solid, a) : bisect_right(solid, b)]]


@lru_cache(maxsize=512)
def text_lines(text: str) -> Text:
    """``text`` split for comparison."""
    return Text(text)


@lru_cache(maxsize=1024)
def soft_map(before: str, after: str) -> LineMap:
    """The line map between two texts in which trailing blanks do not count."""
    return diff_lines(text_lines(before).lines, text_lines(after).lines)


def shown_lines(record: Record, path: str) -> ShownLines:
    """What the record shows of ``path``; O(its shown lines)."""
    seen: dict[int, bool] = {}
    whole = False
    for sight in record.sights:
        if sight.path == path:
            whole = whole or sight.whole
            for n, line in enumerate(sight.lines, sight.start):
                seen[n] = bool(line.strip()) or seen.get(n, False)
    numbers = sorted(seen)
    solid, gaps, broken = [], set(), True
    for at, n in enumerate(numbers):
        broken = broken or (at > 0 and numbers[at - 1] != n - 1)
        if seen[n]:
            if broken:
                gaps.add(n)
            solid.append(n)
            broken = False
    owned = [r for r in record.owned if r.path == path]
    owners: dict[str, list[tuple[int, int]]] = {}
    for part in owned:
        owners.setdefault(part.id, []).append((part.start, part.end))
    unowned = tuple(n for n in solid if not _is_owned(owned, n))
    return ShownLines(tuple(solid), frozenset(gaps), whole, {i: tuple(r) for i, r in owners.items()}, unowned)


def _is_owned(owned: Sequence[OwnLines], line: int) -> bool:
    at = bisect_right(owned, line, key=lambda r: r.start)
    return at > 0 and owned[at - 1].end >= line


def own_change(
    was: Iterable[tuple[int, int]], now: Iterable[tuple[int, int]] | None, before: Text, after: Text
) -> OwnChange:
    """How the own lines ``was`` of a symbol differ from the own lines ``now`` (None: it is gone)."""
    old = before.within(was)
    if now is None:
        return OwnChange(frozenset(old))
    old_lines = [before.lines[n - 1] for n in old]
    new_lines = [after.lines[n - 1] for n in after.within(now)]
    if old_lines == new_lines:
        return SAME
    lost: set[int] = set()
    inserted, grown = [], False
    for block in diff_lines(old_lines, new_lines).blocks:
        lost.update(old[block.old_start - 1 : block.old_end])
        if block.old_end >= block.old_start:
            continue
        left, right = block.old_end - 1, block.old_start - 1  # indexes into old
        if left >= 0 and right < len(old) and _adjacent(before, old[left], old[right]):
            inserted.append((old[left], old[right]))
        else:
            grown = True
    return OwnChange(frozenset(lost), tuple(inserted), grown)


def _adjacent(text: Text, left: int, right: int) -> bool:
    return bisect_left(text.solid, right) - bisect_left(text.solid, left) == 1


def holds(record: Record, path: str, before: str, after: str | None, symbols: Sequence[Symbol]) -> Holding:
    """How what the record shows of ``path`` stands, given the file's text at birth and now (None: deleted).

    ``symbols`` are those of the file as it is now.
    """
    shown, was, now = shown_lines(record, path), text_lines(before), text_lines(after or "")
    own = {s.id: s.own for s in symbols if s.own}
    return judge(
        shown, now, soft_map(before, after or ""), lambda i: own_change(shown.owners[i], own.get(i), was, now), own
    )


def judge(
    shown: ShownLines, after: Text, lmap: LineMap, change_of: Callable[[str], OwnChange], present: Iterable[str]
) -> Holding:
    """How the shown lines stand: ``change_of`` says how a covered symbol's own lines changed since birth.

    ``present`` are the ids of the file's symbols now, ``lmap`` leads from its lines at birth to those now.
    """
    lines = set(shown.lines)
    lost: set[int] = set()
    inserted: set[tuple[int, int]] = set()
    grown = False
    for symbol_id in shown.owners:
        change = change_of(symbol_id)
        if change is SAME:
            continue
        lost |= change.lost & lines
        pairs = {p for p in change.inserted if lines.issuperset(p) and p[1] not in shown.gaps}
        inserted |= pairs
        grown = grown or change.grown
    for block in lmap.blocks if shown.unowned else ():
        first, last = bisect_left(shown.unowned, block.old_start), bisect_right(shown.unowned, block.old_end)
        lost.update(shown.unowned[first:last])
        grown = grown or (first == last and _adds_text(block, after))
    stale = tuple(sorted((*_ranges(lost), *((left + 1, left) for left, _ in inserted))))
    incomplete = shown.whole and (grown or any(i not in shown.owners for i in present))
    return Holding(stale, incomplete, not stale and _renumbers(shown, lmap))


def _renumbers(shown: ShownLines, lmap: LineMap) -> bool:
    last = shown.lines[-1] if shown.lines else 0
    return any(b.old_start <= last and b.old_end - b.old_start != b.new_end - b.new_start for b in lmap.blocks)


def _adds_text(block: Block, after: Text) -> bool:
    at = bisect_left(after.solid, block.new_start)
    return at < len(after.solid) and after.solid[at] <= block.new_end


def _ranges(lines: Iterable[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for n in sorted(set(lines)):
        if ranges and n == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], n)
        else:
            ranges.append((n, n))
    return ranges
