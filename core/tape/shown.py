"""Which lines a record shows still stand, told by comparing texts, not by what the tape says.

In: the lines a record shows of one file, the file's text at birth and now, and the symbols as they are now.
Out: a ``Holding``. A shown line is stale when its symbol is gone, or when the symbol's own lines, compared
with those it has now, no longer hold it; text put between two adjacent shown lines of one symbol is stale
too. Lines are compared symbol by symbol because a diff of the whole file may blame the wrong one of two equal
lines, knows no moves, and cannot tell a definition put between two lines of module text from module text;
shown lines that no symbol owns (``module_symbol`` off) are compared by that diff. Blank lines and trailing
blanks belong to nothing, here as in b_t; indentation does not: a record shows it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.records.record import Record
from core.records.referents import line_runs
from core.replay.lines import Block, LineMap, common_ends, diff_lines, split_lines

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Holding:
    """How the shown lines of one file stand now; line numbers are those of w_born.

    ``stale`` are ranges of shown lines changed or deleted; text inserted after the shown line n of a symbol
    is the empty range (n + 1, n).  ``incomplete``: a whole-file read lacks something new that stands between
    what it shows.  ``moved``: all of it stands, some under other numbers.
    """

    stale: Ranges = ()
    incomplete: bool = False
    moved: bool = False


@dataclass(frozen=True, slots=True)
class OwnChange:
    """How a symbol's own lines at birth differ from those it has now.

    ``lost`` are line numbers at birth; ``inserted`` the adjacent pairs of own lines between which text was
    put; ``grown`` is true when text was put elsewhere: at either end, or where another symbol stands between;
    ``shifted`` is the first line that stands under another number.
    """

    lost: frozenset[int] = frozenset()
    inserted: Ranges = ()
    grown: bool = False
    shifted: int | None = None


_SAME = OwnChange()


@dataclass(frozen=True, slots=True)
class ShownLines:
    """What a record shows of one file: ``runs`` of consecutive lines, sorted and not touching.

    ``whole``: the whole file was shown; ``owners`` are the own lines of the covered symbols of this file.
    """

    runs: Ranges
    whole: bool
    owners: Mapping[str, Ranges]

    def shows(self, start: int, end: int) -> bool:
        """Whether any of the lines is shown."""
        at = bisect_left(self.runs, start, key=lambda run: run[1])
        return at < len(self.runs) and self.runs[at][0] <= end

    def run_of(self, line: int) -> int | None:
        """The index of the run that shows the line."""
        at = bisect_left(self.runs, line, key=lambda run: run[1])
        return at if at < len(self.runs) and self.runs[at][0] <= line else None


class Text:
    """A file text as it is compared: lines without trailing blanks, and the numbers of those that are not blank."""

    __slots__ = ("_unique", "lines", "solid")

    def __init__(self, text: str) -> None:
        self.lines = [line.rstrip() for line in split_lines(text)]
        self.solid = [n for n, line in enumerate(self.lines, 1) if line]
        self._unique: dict[str, int] | None = None

    @property
    def unique(self) -> Mapping[str, int]:
        """The lines that stand only once, with their index."""
        if self._unique is None:
            self._unique = _unique(self.lines)
        return self._unique

    def within(self, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """The numbers of the lines in the ranges that are not blank; the ranges are sorted."""
        solid = self.solid
        return [n for a, b in ranges for n in solid[bisect_left(solid, a) : bisect_right(solid, b)]]


@lru_cache(maxsize=256)
def text_lines(text: str) -> Text:
    """``text`` split for comparison."""
    return Text(text)


@lru_cache(maxsize=1024)
def soft_map(before: str, after: str) -> LineMap:
    """The line map between two texts in which trailing blanks do not count; about linear in their lines.

    Lines that are unique in both texts are matched first, in the longest order they share; only what is left
    between them is compared line against line.
    """
    first, second = text_lines(before), text_lines(after)
    old, new = first.lines, second.lines
    blocks: list[Block] = []
    i = j = 0
    for at, to in (*_anchors(first, second), (len(old), len(new))):
        if old[i:at] != new[j:to]:
            blocks.extend(
                Block(i + b.old_start, i + b.old_end, j + b.new_start, j + b.new_end)
                for b in diff_lines(old[i:at], new[j:to]).blocks
            )
        i, j = at + 1, to + 1
    return LineMap(tuple(blocks), len(old), len(new))


def _anchors(first: Text, second: Text) -> list[tuple[int, int]]:
    """Pairs (index in old, index in new) of lines unique in both, ascending in both, as many as can be.

    Of those in the common head, which every longest order holds, none is given, of the common tail the first: between
    them nothing differs.
    """
    old, new = first.lines, second.lines
    head, tail = common_ends(old, new)
    end, apart = len(old) - tail, len(new) - len(old)
    once, places = first.unique, second.unique
    pairs = [(i, places[line]) for i, line in enumerate(old[head:end], head) if line in once and line in places]
    behind = next(((i, i + apart) for i in range(end, len(old)) if old[i] in once and old[i] in places), None)
    tails: list[int] = []  # smallest last index of an ascending chain of each length
    chain: list[int] = []  # which pair ends it
    before: list[int] = []
    for k, (_, j) in enumerate(pairs):
        at = bisect_left(tails, j)
        before.append(chain[at - 1] if at else -1)
        tails[at : at + 1] = [j]
        chain[at : at + 1] = [k]
    found = []
    k = chain[-1] if chain else -1
    while k >= 0:
        found.append(pairs[k])
        k = before[k]
    return [*found[::-1], *([behind] if behind else [])]


def _unique(lines: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    twice: set[str] = set()
    for n, line in enumerate(lines):
        if line in places:
            twice.add(line)
        places[line] = n
    return {line: n for line, n in places.items() if line not in twice}


def shown_lines(record: Record, path: str) -> ShownLines:
    """What the record shows of ``path``; O(its sights and own line ranges)."""
    sights = [s for s in record.sights if s.path == path]
    owners: dict[str, list[tuple[int, int]]] = {}
    for part in record.owned:
        if part.path == path:
            owners.setdefault(part.id, []).append((part.start, part.end))
    runs = tuple((start, end) for _, start, end in line_runs(sights))
    return ShownLines(runs, any(s.whole for s in sights), {i: tuple(r) for i, r in owners.items()})


@lru_cache(maxsize=8192)
def own_change(was: Ranges, now: Ranges | None, before: str, after: str) -> OwnChange:
    """How the own lines ``was`` of a symbol in ``before`` differ from its own lines ``now`` in ``after`` (None: gone).

    Pure, and remembered for all records that show the same text.
    """
    old, old_lines = own_part(before, was)
    if now is None:
        return OwnChange(frozenset(old))
    new, new_lines = own_part(after, now)
    if old_lines == new_lines:
        if old == new:
            return _SAME
        return OwnChange(shifted=next(n for n, m in zip(old, new, strict=True) if n != m))
    lmap = diff_lines(old_lines, new_lines)
    lost: set[int] = set()
    inserted, grown = [], False
    for block in lmap.blocks:
        lost.update(old[block.old_start - 1 : block.old_end])
        if block.old_end >= block.old_start:
            continue
        left, right = block.old_end - 1, block.old_start - 1  # indexes into old
        if left >= 0 and right < len(old) and _adjacent(text_lines(before), old[left], old[right]):
            inserted.append((old[left], old[right]))
        else:
            grown = True
    images = zip(old, mapped(lmap, range(1, len(old) + 1)), strict=True)
    shifted = next((n for n, image in images if image is not None and new[image - 1] != n), None)
    return OwnChange(frozenset(lost), tuple(inserted), grown, shifted)


@lru_cache(maxsize=8192)
def own_part(text: str, ranges: Ranges) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The lines of the ranges that are not blank: their numbers and their texts."""
    split = text_lines(text)
    numbers = split.within(ranges)
    return tuple(numbers), tuple(split.lines[n - 1] for n in numbers)


def mapped(lmap: LineMap, lines: Iterable[int]) -> list[int | None]:
    """Where each of the ascending old lines stands now, None where it does not; O(lines + blocks)."""
    images: list[int | None] = []
    at, shift, blocks = 0, 0, lmap.blocks
    for line in lines:
        while at < len(blocks) and blocks[at].old_end < line:
            shift = blocks[at].new_end - blocks[at].old_end
            at += 1
        lost = at < len(blocks) and blocks[at].old_start <= line
        images.append(None if lost or line > lmap.old_count else line + shift)
    return images


def _adjacent(text: Text, left: int, right: int) -> bool:
    return bisect_left(text.solid, right) - bisect_left(text.solid, left) == 1


def judge(shown: ShownLines, before: str, after: str | None, own: Mapping[str, Ranges], loose: bool = False) -> Holding:
    """How the shown lines stand, given the file's text at birth and now (None: deleted).

    ``own`` are the own lines of the file's symbols now (those that have any). ``loose``: there may be lines
    that no symbol owns. Cost: the own lines of the covered symbols whose change is not remembered.
    """
    now = after or ""
    lost: set[int] = set()
    inserted: list[tuple[int, int]] = []
    grown = moved = False
    for symbol_id, was in shown.owners.items():
        change = own_change(was, own.get(symbol_id), before, now)
        if change is _SAME:
            continue
        lost.update(n for n in change.lost if shown.run_of(n) is not None)
        for left, right in change.inserted:
            run = shown.run_of(left)
            if run is not None and run == shown.run_of(right):
                inserted.append((left, right))
        grown = grown or change.grown
        moved = moved or (change.shifted is not None and shown.shows(change.shifted, was[-1][1]))
    if loose:
        free = unowned(shown, text_lines(before))
        images = mapped(soft_map(before, now), free)
        lost.update(n for n, image in zip(free, images, strict=True) if image is None)
        moved = moved or any(image not in (n, None) for n, image in zip(free, images, strict=True))
    stale = tuple(sorted((*_ranges(lost), *((left + 1, left) for left, _ in inserted))))
    incomplete = shown.whole and (grown or any(i not in shown.owners for i in own))
    return Holding(stale, incomplete, moved and not stale)


def stands(
    shown: ShownLines, changed: Iterable[str], before: str, after: str | None, own: Mapping[str, Ranges]
) -> bool:
    """Whether all shown lines of the symbols ``changed`` stand and nothing was put between two of them."""
    for symbol_id in changed:
        if symbol_id in shown.owners:
            change = own_change(shown.owners[symbol_id], own.get(symbol_id), before, after or "")
            if any(shown.run_of(n) is not None for n in change.lost):
                return False
            if any((run := shown.run_of(a)) is not None and run == shown.run_of(b) for a, b in change.inserted):
                return False
    return True


def unowned(shown: ShownLines, text: Text) -> list[int]:
    """The shown lines, blank ones aside, that no covered symbol owns."""
    owned = {n for ranges in shown.owners.values() for n in text.within(ranges)}
    return [n for n in text.within(shown.runs) if n not in owned]


def _ranges(lines: Iterable[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for n in sorted(set(lines)):
        if ranges and n == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], n)
        else:
            ranges.append((n, n))
    return ranges
