"""The hunks an edit burst makes, in the coordinates of the state it starts from (Appendix E, METHOD 6).

In: the writes of a replay and a burst. Out: ``Hunk``s, one a block of changed lines, with the text as the
burst leaves it so that its added lines can be linked before they exist. Reference patches give the same
``Hunk`` (``patch``). What other writers do during a burst is no part of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.replay.lines import line_map, split_lines
from core.replay.world import FileWrite, History
from core.tracebench.bursts import Burst
from core.tracebench.paths import path_kind
from core.tracebench.points import Skip

# Two files of one burst, one deleted and one created, are one renamed file from this share of common lines on.
RENAME_SHARE = 0.5
# Lines on each side of a hunk that an editor is sure to look at.
NEAR = 20


@dataclass(frozen=True, slots=True)
class Hunk:
    """Old lines ``old_start..old_end`` of ``path`` become the lines ``added`` of ``new_text``.

    Lines are 1-based. An insertion has old_end = old_start - 1 and stands before old line ``old_start``.
    ``removed`` are the old lines. ``new_text`` is the whole file afterwards, None when deleted;
    ``new_path`` differs from ``path`` in a rename. ``created``: there is no old file. ``span`` is the
    patch hunk the block belongs to, context included; by default the block itself.
    """

    path: str
    old_start: int
    old_end: int
    added: tuple[int, ...]
    removed: tuple[str, ...]
    new_text: str | None
    new_path: str = ""
    created: bool = False
    span: tuple[int, int] = (0, -1)

    @property
    def where(self) -> str:
        """The old lines in words: "lines 10-14", "line 3", "the insertion at line 8", "the new file"."""
        if self.created:
            return "the new file"
        if self.old_end < self.old_start:
            return f"the insertion at line {self.old_start}"
        return f"lines {self.old_start}-{self.old_end}" if self.old_end > self.old_start else f"line {self.old_start}"


def burst_writes(writes: Sequence[FileWrite], burst: Burst) -> tuple[FileWrite, ...]:
    """The burst's own writes: made by its edit calls on the main thread; ``writes`` ordered by t."""
    low = bisect_left(writes, burst.first, key=lambda w: w.t)
    high = bisect_right(writes, burst.last, key=lambda w: w.t)
    steps = frozenset(burst.steps)
    return tuple(w for w in writes[low:high] if w.t in steps and w.source == "edit" and not w.agent)


def burst_hunks(writes: Sequence[FileWrite], history: History, t: int, burst: Burst) -> tuple[Hunk, ...]:
    """What the burst changes, as hunks against w_t sorted by (path, line); ``writes`` as in the replay.

    A file somebody else changed in between contributes each stretch of own writes apart, its old lines
    mapped back to w_t. Opaque writes give no hunk. Cost: one line map a written file.
    """
    by_path: dict[str, list[FileWrite]] = {}
    for write in burst_writes(writes, burst):
        if not write.opaque:
            by_path.setdefault(write.path, []).append(write)
    stretches = [s for path in sorted(by_path) for s in _stretches(by_path[path])]
    hunks: list[Hunk] = []
    for old, new in _joined(stretches):
        hunks.extend(
            _against(history.text(old.path, t), old.before, diff_hunks(old.path, old.before, new.path, new.after))
        )
    return tuple(sorted(hunks, key=lambda h: (h.path, h.old_start, h.old_end, h.added)))


def diff_hunks(path: str, before: str | None, new_path: str, after: str | None) -> list[Hunk]:
    """The blocks in which two whole texts differ, in order; None stands for no file."""
    if before is None and after is None:
        return []
    old = split_lines(before or "")
    target = new_path if new_path != path else ""
    return [
        Hunk(
            path=path,
            old_start=block.old_start,
            old_end=block.old_end,
            added=tuple(range(block.new_start, block.new_end + 1)),
            removed=tuple(old[block.old_start - 1 : block.old_end]),
            new_text=after,
            new_path=target,
            created=before is None,
            span=(block.old_start, block.old_end),
        )
        for block in line_map(before or "", after or "").blocks
    ]


def added_lines(hunk: Hunk) -> list[str]:
    """The texts of the added lines."""
    new = split_lines(hunk.new_text or "")
    return [new[n - 1] for n in hunk.added if n <= len(new)]


def source_hunks(hunks: Iterable[Hunk]) -> tuple[Hunk, ...]:
    """The hunks that are neither test code nor documentation, in their order."""
    return tuple(h for h in hunks if path_kind(h.path) == "source")


def around(hunks: Iterable[Hunk]) -> tuple[tuple[str, int, int], ...]:
    """(path, start, end) of the old lines within ``NEAR`` lines of each hunk, sorted; a new file has none."""
    wide = {(h.path, max(1, h.old_start - NEAR), h.old_end + NEAR) for h in hunks if not h.created}
    return tuple(sorted(wide))


def skip_reason(hunks: Sequence[Hunk], opaque: bool = False) -> Skip:
    """Why a burst with these hunks is not scored: "" when it touches source.

    A burst of tests and documentation together is a test burst. ``opaque``: it wrote texts nobody knows.
    """
    kinds = {path_kind(h.path) for h in hunks}
    if "source" in kinds:
        return ""
    if opaque:
        return "opaque"
    if "test" in kinds:
        return "test-only"
    return "documentation-only" if kinds else "no-imminent-edit"


def _stretches(writes: Sequence[FileWrite]) -> list[FileWrite]:
    """Own writes of one file joined while each starts from the text the one before left."""
    joined = [writes[0]]
    for write in writes[1:]:
        if write.before == joined[-1].after:
            first = joined[-1]
            joined[-1] = FileWrite(
                first.t, first.known_at, first.path, first.before, write.after, first.source, first.how
            )
        else:
            joined.append(write)
    return joined


def _joined(stretches: Sequence[FileWrite]) -> list[tuple[FileWrite, FileWrite]]:
    """Each stretch with itself, a deleted file with the created one it most likely became."""
    created = [s for s in stretches if s.before is None and s.after is not None]
    taken: dict[int, FileWrite] = {}
    for gone in (s for s in stretches if s.after is None and s.before is not None):
        free = [c for c in created if id(c) not in taken]
        best = max(free, key=lambda c: _common(gone.before, c.after), default=None)
        if best is not None and _common(gone.before, best.after) >= RENAME_SHARE:
            taken[id(best)] = gone
    renamed = {id(gone) for gone in taken.values()}
    return [(taken.get(id(s), s), s) for s in stretches if id(s) not in renamed]


def _common(before: str | None, after: str | None) -> float:
    old, new = Counter(split_lines(before or "")), Counter(split_lines(after or ""))
    size = max(old.total(), new.total())
    return (old & new).total() / size if size else 0.0


def _against(text: str | None, before: str | None, hunks: list[Hunk]) -> list[Hunk]:
    """``hunks`` against ``before``, moved to where their old lines stand in ``text``."""
    if text == before or text is None or before is None:
        return hunks
    moves = line_map(text, before)
    moved: list[Hunk] = []
    for h in hunks:
        at = [line for n in range(h.old_start, h.old_end + 1) if (line := moves.to_old(n)) is not None]
        if h.old_end >= h.old_start and not at:
            continue  # it changes only lines another writer put there after t
        start = min(at) if at else (moves.to_old(h.old_start) or 1)
        end = max(at) if at else start - 1
        kept = {n - start for n in at}
        removed = tuple(line for n, line in enumerate(split_lines(text)[start - 1 : end]) if n in kept)
        moved.append(Hunk(h.path, start, end, h.added, removed, h.new_text, h.new_path, h.created, (start, end)))
    return moved
