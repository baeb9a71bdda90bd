"""Where the lines of a file at one step stand at another: line maps of single writes, composed (METHOD 6).

In: a ``History``, a path and two steps. Out: ``Runs``, the stretches of lines equal in both texts. Composing
the small maps between neighbouring versions costs a fraction of comparing two distant texts, and follows
what happened instead of guessing it; lines that were changed and changed back are found again inside the
gaps, and a whole text that came back stands where it stood.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.replay.lines import LineMap, diff_lines, line_map, lines_of
from core.replay.world import History

# Sorted, disjoint, non-adjacent line ranges, 1-based with both ends included.
Ranges = tuple[tuple[int, int], ...]
# (old line, new line, length) of equal stretches, ascending in both, 1-based.
Runs = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Old lines ``old_start..old_end`` stand at ``new_start..new_end``: line by line if ``same``, else changed."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    same: bool


@dataclass(slots=True)
class Carrier:
    """Line movement through one history. Remembers, for each path, the maps into the last state asked for."""

    history: History
    _into: dict[str, tuple[int, list[Runs]]] = field(default_factory=dict)
    _onto: dict[str, tuple[int, Ranges, dict[int, list[Part]]]] = field(default_factory=dict)

    def onto(self, path: str, born: int, t: int, wanted: Ranges) -> list[Part]:
        """The lines of ``path`` in w_born that stand on the ``wanted`` lines of w_t, in order; t may lie before born.

        Equal parts are cut to the wanted lines; a changed stretch that meets them is given whole. The file
        must exist in w_t; where it is not known at birth its lines keep their numbers.
        """
        version = self.history.version(path, t)
        known = self._onto.get(path)
        if known is None or known[:2] != (version, wanted):
            known = self._onto[path] = (version, wanted, {})
        origin = self.history.version(path, born)
        parts = known[2].get(origin)
        if parts is None:
            texts = self.history.versions(path)
            old, new = (len(lines_of(texts[n] or "")) for n in (origin, version))
            parts = known[2][origin] = cut(self._runs(path, texts, origin, version), wanted, old, new)
        return parts

    def _runs(self, path: str, texts: Sequence[str | None], a: int, b: int) -> Runs:
        if a > b:
            forward = self._walk(path, texts, b, a)
            return tuple((new, old, size) for old, new, size in forward)
        if texts[a] is None:
            count = len(lines_of(texts[b] or ""))
            return ((1, 1, count),) if count else ()
        return self._walk(path, texts, a, b)

    def _walk(self, path: str, texts: Sequence[str | None], a: int, b: int) -> Runs:
        """The runs from version ``a`` to version ``b`` >= a."""
        state, back = self._into.get(path, (-1, []))
        if state != b:
            count = len(lines_of(texts[b] or ""))
            back = [((1, 1, count),) if count else ()]
            self._into[path] = (b, back)
        target = lines_of(texts[b] or "")
        standing = _solid(texts[b] or "")
        for version in range(b - len(back), a - 1, -1):
            before, after = texts[version], texts[version + 1]
            if before == texts[b]:
                back.append(back[0])
                continue
            step, lost = _step(before or "", after) if after is not None else ((), _solid(before or ""))
            runs = compose(step, back[-1])
            # Only a line this write took away can be one that came back later.
            back.append(runs if lost.isdisjoint(standing) else refine(runs, lines_of(before or ""), target))
        return back[b - a]


def compose(first: Runs, second: Runs) -> Runs:
    """The lines equal through both maps; O(runs)."""
    found: list[tuple[int, int, int]] = []
    i = j = 0
    while i < len(first) and j < len(second):
        old, middle, size = first[i]
        start, new, length = second[j]
        low, high = max(middle, start), min(middle + size, start + length)
        if low < high:
            found.append((old + low - middle, new + low - start, high - low))
        if middle + size < start + length:
            i += 1
        else:
            j += 1
    return _merged(found)


def refine(runs: Runs, old: Sequence[str], new: Sequence[str]) -> Runs:
    """The runs with equal lines found again inside the gaps, where a gap has a line with text on both sides."""
    found: list[tuple[int, int, int]] = []
    at_old = at_new = 1
    for start, place, size in (*runs, (len(old) + 1, len(new) + 1, 0)):
        if start > at_old and place > at_new:
            left, right = old[at_old - 1 : start - 1], new[at_new - 1 : place - 1]
            common = set(left).intersection(right)
            if any(line and not line.isspace() for line in common):
                found.extend((at_old + a - 1, at_new + b - 1, n) for a, b, n in _equal(diff_lines(left, right)))
        if size:
            found.append((start, place, size))
        at_old, at_new = start + size, place + size
    return _merged(found)


def cut(runs: Runs, wanted: Ranges, old_count: int, new_count: int) -> list[Part]:
    """The parts that stand on ``wanted`` new lines: equal stretches cut to them, gaps that meet them whole."""
    parts: list[Part] = []
    bounds = ((0, 0, 1), *runs, (old_count + 1, new_count + 1, 1))
    for low, high in wanted:
        at = max(bisect_right(bounds, low, key=lambda r: r[1]) - 1, 0)
        while at < len(bounds) and bounds[at][1] <= high:
            old, new, size = bounds[at]
            first, last = max(new, low), min(new + size - 1, high)
            if first <= last and 0 < at < len(bounds) - 1:
                parts.append(Part(old + first - new, old + last - new, first, last, True))
            if at + 1 < len(bounds):
                next_old, next_new, _ = bounds[at + 1]
                gap = Part(old + size, next_old - 1, new + size, next_new - 1, False)
                meets = gap.new_start <= high and gap.new_end >= low and gap.new_start <= gap.new_end
                if meets and gap.old_start <= gap.old_end and (not parts or parts[-1] != gap):
                    parts.append(gap)
            at += 1
    return parts


def _merged(runs: Sequence[tuple[int, int, int]]) -> Runs:
    merged: list[tuple[int, int, int]] = []
    for old, new, size in runs:
        if merged:
            last_old, last_new, last_size = merged[-1]
            if last_old + last_size == old and last_new + last_size == new:
                merged[-1] = (last_old, last_new, last_size + size)
                continue
        merged.append((old, new, size))
    return tuple(merged)


def _equal(lines: LineMap) -> list[tuple[int, int, int]]:
    """The equal stretches between the changed blocks of a line map."""
    found: list[tuple[int, int, int]] = []
    at_old = at_new = 1
    for block in lines.blocks:
        if block.old_start > at_old:
            found.append((at_old, at_new, block.old_start - at_old))
        at_old, at_new = block.old_end + 1, block.new_end + 1
    if lines.old_count >= at_old:
        found.append((at_old, at_new, lines.old_count - at_old + 1))
    return found


@lru_cache(maxsize=2048)
def _step(before: str, after: str) -> tuple[Runs, frozenset[str]]:
    """The equal stretches of two neighbouring texts, and the lines with text that the first loses."""
    lines = line_map(before, after)
    old = lines_of(before)
    lost = (line for block in lines.blocks for line in old[block.old_start - 1 : block.old_end])
    return tuple(_equal(lines)), frozenset(line for line in lost if line and not line.isspace())


@lru_cache(maxsize=512)
def _solid(text: str) -> frozenset[str]:
    return frozenset(line for line in lines_of(text) if line and not line.isspace())
