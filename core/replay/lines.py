"""Lines of a text, and where each line of one text stands in another.

Line numbers are 1-based everywhere. Lines are split at "\\n" only: form feeds and the exotic
separators of ``str.splitlines`` are ordinary characters to every tool whose output we compare with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` without their ends; a final newline adds no empty line; "" has none."""
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


@lru_cache(maxsize=1024)
def lines_of(text: str) -> tuple[str, ...]:
    """``split_lines``, once per content."""
    return tuple(split_lines(text))


@dataclass(frozen=True, slots=True)
class Block:
    """Old lines ``old_start..old_end`` became new lines ``new_start..new_end``; an empty side has end = start - 1."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class LineMap:
    """Where lines went between two texts: the changed ``blocks`` in order; all other lines are equal pairs."""

    blocks: tuple[Block, ...]
    old_count: int
    new_count: int

    def to_new(self, line: int) -> int | None:
        """The new number of old ``line``, None if it was changed or deleted."""
        shift = 0
        for b in self.blocks:
            if line < b.old_start:
                break
            if line <= b.old_end:
                return None
            shift = b.new_end - b.old_end
        return line + shift

    def to_old(self, line: int) -> int | None:
        """The old number of new ``line``, None if it is new or changed."""
        shift = 0
        for b in self.blocks:
            if line < b.new_start:
                break
            if line <= b.new_end:
                return None
            shift = b.old_end - b.new_end
        return line + shift


@lru_cache(maxsize=1024)
def line_map(before: str, after: str) -> LineMap:
    """The line map from ``before`` to ``after``: common head and tail first, a longest-match diff between.

    Cost: linear where the texts agree at both ends; the middle is quadratic at worst.
    """
    return diff_lines(split_lines(before), split_lines(after))


def common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines the two begin with in common, and how many of the others they end with."""
    head, tail = 0, 0
    limit = min(len(old), len(new))
    while head < limit and old[head] == new[head]:
        head += 1
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def diff_lines(old: Sequence[str], new: Sequence[str]) -> LineMap:
    """As ``line_map``, for lines already split."""
    head, tail = common_ends(old, new)
    if head + tail == min(len(old), len(new)):  # one side has nothing left: all that is left of the other is one block
        left = len(old) != len(new)
        block = Block(head + 1, len(old) - tail, head + 1, len(new) - tail)
        return LineMap((block,) if left else (), len(old), len(new))
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    blocks = tuple(
        Block(head + i1 + 1, head + i2, head + j1 + 1, head + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )
    return LineMap(blocks, len(old), len(new))
