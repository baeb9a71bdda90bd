"""Which lines a record shows still stand in its file, told by the texts alone (no graph).

In: the lines a record shows of one file, the file's text at birth, its text now and the line map between
them. Out: a ``Holding``: shown lines that changed or went, insertions inside one covered symbol, and whether
the record is incomplete or only moved. Blank lines and trailing blanks belong to nothing, here as in b_t.

A line diff may blame the wrong one of two equal lines (a brace, a ``return``) and knows no moves; so where
it blames a symbol, the symbol's own lines are looked up as one run in the new text before it is believed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.records.record import OwnLines, Record
from core.replay.lines import Block, LineMap, diff_lines, split_lines


@dataclass(frozen=True, slots=True)
class Holding:
    """How the shown lines of one file stand now; line numbers are those of w_born.

    ``stale`` are ranges of shown lines changed or deleted; text inserted between two adjacent shown lines n
    and n + 1 of one symbol is the empty range (n + 1, n).
    """

    stale: tuple[tuple[int, int], ...] = ()
    incomplete: bool = False
    moved: bool = False


@dataclass(frozen=True, slots=True)
class ShownLines:
    """What a record shows of one file: ``lines`` are the numbers of its shown lines that are not blank, sorted.

    ``gaps`` holds each shown line that does not follow the one before it without unshown lines between;
    ``whole`` is true when the whole file was shown; ``owned`` are the own lines of covered symbols by start.
    """

    lines: tuple[int, ...]
    gaps: frozenset[int]
    whole: bool
    owned: tuple[OwnLines, ...]

    def owner(self, line: int) -> str | None:
        """The covered symbol whose own line this is."""
        at = bisect_right(self.owned, line, key=lambda r: r.start)
        return self.owned[at - 1].id if at and self.owned[at - 1].end >= line else None


class Text:
    """A file text as it is compared: lines without trailing blanks, and the numbers of those that are not blank."""

    __slots__ = ("_where", "lines", "solid")

    def __init__(self, text: str) -> None:
        self.lines = [line.rstrip() for line in split_lines(text)]
        self.solid = [n for n, line in enumerate(self.lines, 1) if line]
        self._where: dict[str, list[int]] | None = None

    def count(self, run: Sequence[str]) -> int:
        """How often the lines stand here one after another, blank lines between them not counted."""
        if self._where is None:
            self._where = {}
            for at, n in enumerate(self.solid):
                self._where.setdefault(self.lines[n - 1], []).append(at)
        return sum(self._stands(run, at) for at in self._where.get(run[0], ()))

    def _stands(self, run: Sequence[str], at: int) -> bool:
        return at + len(run) <= len(self.solid) and all(
            self.lines[n - 1] == line for n, line in zip(self.solid[at : at + len(run)], run, strict=True)
        )


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
    owned = tuple(r for r in record.owned if r.path == path)
    return ShownLines(tuple(solid), frozenset(gaps), whole, owned)


def holds(record: Record, path: str, before: str, after: str | None) -> Holding:
    """How what the record shows of ``path`` stands, given the file's text at birth and now (None: deleted)."""
    now = after or ""
    return judge(shown_lines(record, path), text_lines(before), text_lines(now), soft_map(before, now))


def judge(shown: ShownLines, before: Text, after: Text, lmap: LineMap) -> Holding:
    """How the shown lines stand under the line map; O(blocks log lines) where nothing shown is blamed."""
    lost: list[int] = []
    inserted: list[tuple[int, int]] = []
    incomplete = False
    for block in lmap.blocks:
        first, last = bisect_left(shown.lines, block.old_start), bisect_right(shown.lines, block.old_end)
        if first < last:
            lost.extend(shown.lines[first:last])
        elif _adds_text(block, after):
            left = shown.lines[first - 1] if first else None
            right = shown.lines[first] if first < len(shown.lines) else None
            if left is None or right is None:
                incomplete = incomplete or shown.whole
            elif right not in shown.gaps:
                owner = shown.owner(left)
                if owner is not None and owner == shown.owner(right):
                    inserted.append((left, right))
                else:
                    incomplete = incomplete or shown.whole
    moved = bool(shown.lines) and any(
        b.old_end < shown.lines[-1] and b.old_end - b.old_start != b.new_end - b.new_start for b in lmap.blocks
    )
    if lost or inserted:
        standing = _standing(shown, {*lost, *(n for pair in inserted for n in pair)}, before, after)
        moved = moved or any(n in standing for n in lost)
        lost = [n for n in lost if n not in standing]
        inserted = [(a, b) for a, b in inserted if not (a in standing and b in standing)]
    stale = (*_ranges(lost), *((left + 1, left) for left, _ in inserted))
    return Holding(tuple(sorted(stale)), incomplete, moved and not stale)


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


def _standing(shown: ShownLines, blamed: set[int], before: Text, after: Text) -> set[int]:
    """The old lines of those blamed runs of own lines that stand somewhere as one run, as often as they did."""
    standing: set[int] = set()
    owners = {owner for n in blamed if (owner := shown.owner(n)) is not None}
    for owner in sorted(owners):
        for run in _runs([r for r in shown.owned if r.id == owner], before):
            if blamed.isdisjoint(run):
                continue
            texts = [before.lines[n - 1] for n in run]
            if after.count(texts) >= before.count(texts):
                standing.update(run)
    return standing


def _runs(own: Sequence[OwnLines], before: Text) -> list[list[int]]:
    """Own lines that are not blank, joined where only blank lines stand between."""
    runs: list[list[int]] = []
    for part in own:
        first, last = bisect_left(before.solid, part.start), bisect_right(before.solid, part.end)
        lines = before.solid[first:last]
        if runs and lines and bisect_left(before.solid, lines[0]) == bisect_right(before.solid, runs[-1][-1]):
            runs[-1].extend(lines)
        elif lines:
            runs.append(lines)
    return runs
