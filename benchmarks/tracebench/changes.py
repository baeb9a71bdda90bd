"""The reference patch as a list of changes an agent makes one at a time.

In: the patch's blocks in w_0. Out: ``Change``s: the blocks of one patch hunk, a new file, a removed one, a rename.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.tracebench.instances import Task
from core.replay.lines import split_lines
from core.tracebench.hunks import Hunk

Kind = Literal["edit", "create", "delete", "move"]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines ``start..end`` of w_0 become ``lines``; an insertion has end = start - 1."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One edit call, or the creation, removal or move of a file. ``added`` are line numbers of the patched state."""

    kind: Kind
    path: str
    new_path: str
    start: int
    blocks: tuple[Block, ...]
    added: tuple[int, ...]

    @property
    def created(self) -> bool:
        """Whether w_0 does not have the file."""
        return self.kind == "create"

    def touched(self, lines: Sequence[str]) -> tuple[int, ...]:
        """The lines of w_0, given whole, that go; of an insertion those beside it that it directly continues."""
        found: set[int] = set()
        for block in self.blocks:
            if block.end >= block.start:
                gone = set(range(block.start, block.end + 1))
                # A removal with blank lines around it, a definition say, is not about the blank lines.
                found |= {n for n in gone if lines[n - 1].strip()} or gone
                continue
            for beside, edge in ((block.start - 1, block.lines[0]), (block.start, block.lines[-1])):
                if 1 <= beside <= len(lines) and lines[beside - 1].strip() and edge.strip():
                    found.add(beside)
        return tuple(sorted(found))


def changes(task: Task) -> tuple[Change, ...]:
    """The changes of the patch by (path, line)."""
    groups: dict[tuple[str, tuple[int, int]], list[Hunk]] = {}
    for hunk in task.hunks:
        whole = hunk.created or hunk.new_text is None
        groups.setdefault((hunk.path, (0, 0) if whole else hunk.span), []).append(hunk)
    found = [_change(path, group) for (path, _), group in sorted(groups.items())]
    found += [Change("move", old, new, 0, (), ()) for old, new in task.moves.items() if old in task.texts]
    return tuple(sorted(found, key=lambda c: (c.path, c.start, c.kind)))


def _change(path: str, hunks: list[Hunk]) -> Change:
    first = hunks[0]
    new_path = first.new_path or path
    if first.created:
        return Change("create", path, new_path, 0, (), tuple(_numbers(hunks)))
    if first.new_text is None:
        # Every line goes: whoever uses what stood there is concerned.
        return Change("delete", path, path, 0, (Block(1, max(h.old_end for h in hunks), ()),), ())
    blocks = tuple(Block(h.old_start, h.old_end, _added(h)) for h in hunks)
    return Change("edit", path, new_path, blocks[0].start, blocks, tuple(_numbers(hunks)))


def _numbers(hunks: Iterable[Hunk]) -> list[int]:
    return sorted(n for hunk in hunks for n in hunk.added)


def _added(hunk: Hunk) -> tuple[str, ...]:
    new = split_lines(hunk.new_text or "")
    return tuple(new[n - 1] for n in hunk.added)
