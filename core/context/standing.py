"""Which lines of the present files records truly show, for deciding what is superseded and what is still unread.

In: records and the texts of their files at birth and now. Out: line ranges of w_t. A shown line stands when the
line map from its birth keeps it; nothing here is a measured verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from core.records.record import Record
from core.replay.lines import LineMap
from core.tape.shown import ShownLines, shown_lines, soft_map

TextAt = Callable[[str, int], str | None]
Ranges = tuple[tuple[int, int], ...]
_REMEMBERED = 8192


def standing(record: Record, path: str, t: int, text_at: TextAt) -> Ranges:
    """The lines of ``path`` in w_t that the record shows as they are, as sorted disjoint ranges."""
    before, now = text_at(path, record.born), text_at(path, t)
    if now is None:
        return ()
    spans = join((s.start, s.end) for s in record.sights if s.path == path and s.lines)
    return spans if before is None or before == now else _carried(spans, before, now)


@lru_cache(maxsize=4096)
def _carried(spans: Ranges, before: str, now: str) -> Ranges:
    lmap = soft_map(before, now)
    return join(piece for start, end in spans for piece in carried(lmap, start, end))


def carried(lmap: LineMap, start: int, end: int) -> list[tuple[int, int]]:
    """Where the unchanged ones of the old lines ``start..end`` stand now; O(changed blocks)."""
    found: list[tuple[int, int]] = []
    shift, at = 0, start
    for block in lmap.blocks:
        if block.old_start > end:
            break
        if block.old_start > at:
            found.append((at + shift, block.old_start - 1 + shift))
        at = max(at, block.old_end + 1)
        shift = block.new_end - block.old_end
    last = min(end, lmap.old_count)
    if at <= last:
        found.append((at + shift, last + shift))
    return found


class Standing:
    """What the records of one run show and, by ``standing``, what of it stands; told once for a text of the file."""

    def __init__(self, text_at: TextAt) -> None:
        self._text_at = text_at
        self._told: dict[tuple[str, str], tuple[Record, str | None, Ranges]] = {}
        self._lines: dict[tuple[str, str], tuple[Record, ShownLines]] = {}

    def of(self, record: Record, path: str, t: int) -> Ranges:
        """The lines of ``path`` in w_t that the record shows as they are, as sorted disjoint ranges."""
        now = self._text_at(path, t)
        told = self._told.get((record.id, path))
        if told is None or told[0] is not record or told[1] != now:
            if len(self._told) >= _REMEMBERED:
                self._told.clear()
            told = self._told[record.id, path] = record, now, standing(record, path, t, self._text_at)
        return told[2]

    def lines(self, record: Record, path: str) -> ShownLines:
        """What the record shows of ``path``."""
        lines = self._lines.get((record.id, path))
        if lines is None or lines[0] is not record:
            if len(self._lines) >= _REMEMBERED:
                self._lines.clear()
            lines = self._lines[record.id, path] = record, shown_lines(record, path)
        return lines[1]

    def shown(self, records: Iterable[Record], path: str, t: int) -> Ranges:
        """The lines of ``path`` in w_t that any of the records shows as they are."""
        return join(piece for record in records for piece in self.of(record, path, t))


def join(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sorted ranges that neither overlap nor touch; empty ones vanish."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(r for r in ranges if r[1] >= r[0]):
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return tuple(out)


def without(ranges: Iterable[tuple[int, int]], taken: Sequence[tuple[int, int]]) -> Ranges:
    """The lines of ``ranges`` that are not in ``taken``."""
    found: list[tuple[int, int]] = []
    for start, end in ranges:
        for a, b in taken:
            if b < start or a > end:
                continue
            if a > start:
                found.append((start, a - 1))
            start = b + 1
        if start <= end:
            found.append((start, end))
    return tuple(found)


def size(ranges: Iterable[tuple[int, int]]) -> int:
    """How many lines the ranges hold."""
    return sum(end - start + 1 for start, end in ranges)
