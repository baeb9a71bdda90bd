"""Reference gold: which hunks of a patch are outstanding at a point, and which the imminent burst makes.

In: the hunks of a reference patch in base coordinates, the writes of the run. Out: for each hunk the steps
that touch its base span, and the selection at a point (Appendix E, Outstanding hunks). A hunk is outstanding
at t while no write at or before t overlaps its span; the imminent burst selects the outstanding hunks it
overlaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.replay.lines import LineMap, line_map
from core.replay.world import FileWrite, History
from core.tracebench.bursts import Burst
from core.tracebench.hunks import Hunk


def touches(hunks: Sequence[Hunk], history: History, writes: Iterable[FileWrite]) -> tuple[tuple[int, ...], ...]:
    """For each hunk the sorted steps whose writes overlap its base span.

    Changed lines of a write are carried back to w_0 through the line map; a place between two lines touches
    both. Writes of anybody count, since the hunk is then no longer to be made. Cost: two line maps a write
    of a file the patch touches.
    """
    by_path: dict[str, list[int]] = {}
    for n, hunk in enumerate(hunks):
        for path in {hunk.path, hunk.new_path or hunk.path}:
            by_path.setdefault(path, []).append(n)
    steps: list[set[int]] = [set() for _ in hunks]
    for write in writes:
        for n in by_path.get(write.path, ()):
            if _overlaps(hunks[n], history, write):
                steps[n].add(write.t)
    return tuple(tuple(sorted(found)) for found in steps)


def selected(hunks: Sequence[Hunk], touched: Sequence[Sequence[int]], t: int, burst: Burst) -> tuple[Hunk, ...]:
    """The hunks outstanding at ``t`` that ``burst`` makes, in their order; ``touched`` as ``touches`` gives it."""
    return tuple(
        hunk
        for hunk, steps in zip(hunks, touched, strict=True)
        if not any(step <= t for step in steps) and any(step in burst.steps for step in steps)
    )


def outstanding(hunks: Sequence[Hunk], touched: Sequence[Sequence[int]], t: int) -> tuple[Hunk, ...]:
    """The hunks no write at or before ``t`` overlaps, in their order."""
    return tuple(h for h, steps in zip(hunks, touched, strict=True) if not any(step <= t for step in steps))


def _overlaps(hunk: Hunk, history: History, write: FileWrite) -> bool:
    base = history.text(hunk.path, 0)
    if hunk.created or base is None or write.path != hunk.path or write.before is None or write.after is None:
        return True  # a file made, removed, renamed or not known: the write concerns it as a whole
    start, end = _place(*hunk.span)
    back = line_map(base, write.before)
    for block in line_map(write.before, write.after).blocks:
        first, last = _base_side(back, *_place(block.old_start, block.old_end))
        if first <= end and start <= last:
            return True
    return False


def _place(start: int, end: int) -> tuple[int, int]:
    """A range that is never empty: an insertion stands for the lines on both its sides."""
    return (start, end) if end >= start else (end, start)


def _base_side(back: LineMap, start: int, end: int) -> tuple[int, int]:
    """The base lines that ``start..end`` of a later text came from: of changed text the block it replaced."""
    lines: list[int] = []
    for number in (start, end):
        line = back.to_old(number)
        if line is not None:
            lines += [line, line]
            continue
        block = next(b for b in back.blocks if b.new_start <= number <= b.new_end)
        lines += _place(block.old_start, block.old_end)
    return min(lines), max(lines)
