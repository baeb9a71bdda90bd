"""Replay, script, part 1: what an interpretation may cost, and the ways it can end early.

In: the work about to be done. Out: nothing, or ``NotKnown``. Work is counted, not timed: the same script always ends
at the same place.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_STEPS = 400_000
"""Most pieces of work of one script: a node evaluated, or 64 characters or 8 items looked at or made."""
MAX_SIZE = 4_000_000
"""Longest text, and the most items of a list, that may be made."""
MAX_INT = 1 << 62


class NotKnown(Exception):
    """The script does something the interpreter does not know, or too much: what it writes stays unknown."""


class Raised(Exception):
    """The script raised; ``kind`` is the name of its exception's class."""

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(kind)
        self.kind, self.text = kind, text


class Jump(Exception):
    """A ``return``, ``break`` or ``continue`` on its way to where it leads."""


class Exited(Exception):
    """The script ended itself; ``good`` tells whether with exit status 0."""

    def __init__(self, good: bool) -> None:
        super().__init__()
        self.good = good


@dataclass(slots=True)
class Meter:
    """The work a script may still do."""

    left: int = MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Count ``steps`` pieces of work."""
        self.left -= steps
        if self.left < 0:
            raise NotKnown("the script does too much")

    def text(self, size: int) -> None:
        """Count ``size`` characters looked at or about to be made."""
        if size > MAX_SIZE:
            raise NotKnown("a text would grow too large")
        self.spend(1 + size // 64)

    def items(self, size: int) -> None:
        """Count ``size`` items of a list looked at or about to be made."""
        if size > MAX_SIZE:
            raise NotKnown("a list would grow too large")
        self.spend(1 + size // 8)

    def number(self, value: int) -> int:
        """``value``, refused when it is larger than any script that edits text needs."""
        if not -MAX_INT < value < MAX_INT:
            raise NotKnown("a number too large")
        return value
