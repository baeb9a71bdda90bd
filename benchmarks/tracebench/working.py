"""The tree the simulated agent works on: every line remembers where it stood in w_0.

In: base texts, changes. Out: current texts, exact ``old_string``/``new_string`` of each edit, and where a region of
w_0 stands now. A file with carriage returns is left alone: edit strings of such files are a matter of the client.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.tracebench.changes import Change

_MOST_CONTEXT = 40


class Line(NamedTuple):
    """One line: its number in w_0, 0 for one the agent wrote, and its text."""

    origin: int
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit call: ``old`` occurs once in the file; lines are those of the file before it, ``after`` the new ones."""

    path: str
    old: str
    new: str
    start: int
    end: int
    after: tuple[Line, ...]


@dataclass(slots=True)
class Working:
    """The current state; ``version`` counts the writes of each path."""

    base: Mapping[str, str]
    files: dict[str, list[Line]] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    version: dict[str, int] = field(default_factory=dict)

    def exists(self, path: str) -> bool:
        """Whether the file is there now."""
        return path in self.files or (path in self.base and path not in self.gone)

    def lines(self, path: str) -> list[Line]:
        """The file's lines; a final newline leaves one empty last line."""
        if path not in self.files:
            self.files[path] = [Line(n, text) for n, text in enumerate(self.base[path].split("\n"), 1)]
        return self.files[path]

    def text(self, path: str) -> str:
        """The file as it is now."""
        return "\n".join(line.text for line in self.lines(path)) if path in self.files else self.base[path]

    def paths(self) -> list[str]:
        """All files, sorted."""
        return sorted((self.base.keys() - self.gone) | self.files.keys())

    def place(self, path: str, start: int, end: int) -> tuple[int, int] | None:
        """Where lines ``start..end`` of w_0 stand now, from the first that is left to the last."""
        now = next((new for new, old in self.origin.items() if old == path), path)
        if not self.exists(now):
            return None
        if now not in self.files:
            return start, end
        at = [n for n, line in enumerate(self.files[now], 1) if start <= line.origin <= end]
        return (at[0], at[-1]) if at else None

    def now(self, path: str) -> str:
        """The current path of a file of w_0."""
        return next((new for new, old in self.origin.items() if old == path), path)

    def edit(self, change: Change) -> Edit | None:
        """The call that makes the change; None when its place is gone or cannot be named uniquely."""
        path = self.now(change.path)
        if not self.exists(path) or "\r" in self.text(path):
            return None
        lines = self.lines(path)
        at = {line.origin: n for n, line in enumerate(lines) if line.origin}
        spots: list[tuple[int, int, tuple[str, ...]]] = []
        for block in change.blocks:
            if block.end >= block.start:
                if any(n not in at for n in range(block.start, block.end + 1)):
                    return None
                spots.append((at[block.start], at[block.end] + 1, block.lines))
            else:
                low = at.get(block.start, at.get(block.start - 1, -2) + 1)
                if low < 0:
                    return None
                spots.append((low, low, block.lines))
        return self._named(path, lines, sorted(spots))

    def _named(self, path: str, lines: list[Line], spots: list[tuple[int, int, tuple[str, ...]]]) -> Edit | None:
        """The edit with as few lines around it as make its old text unique."""
        text = self.text(path)
        first, last = spots[0][0], spots[-1][1]
        for context in range(1, _MOST_CONTEXT):
            low, high = max(0, first - context), min(len(lines), last + context)
            old = "\n".join(line.text for line in lines[low:high])
            if old and text.count(old) == 1:
                after = _replaced(lines, low, high, spots)
                new = "\n".join(line.text for line in after)
                return Edit(path, old, new, low + 1, high, after) if new != old else None
        return None

    def apply(self, edit: Edit) -> None:
        """Makes the edit."""
        self.lines(edit.path)[edit.start - 1 : edit.end] = list(edit.after)
        self._wrote(edit.path)

    def create(self, path: str, text: str) -> None:
        """Writes a new file."""
        self.files[path] = [Line(0, line) for line in text.split("\n")]
        self._wrote(path)

    def remove(self, path: str) -> None:
        """Removes a file."""
        self.files.pop(path, None)
        self.gone.add(path)
        self._wrote(path)

    def move(self, path: str, new: str) -> None:
        """Renames a file of w_0; its lines keep their origin."""
        self.files[new] = self.lines(path)
        self.files.pop(path)
        self.gone.add(path)
        self.origin[new] = path
        self._wrote(path)
        self._wrote(new)

    def _wrote(self, path: str) -> None:
        self.version[path] = self.version.get(path, 0) + 1


def _replaced(
    lines: list[Line], low: int, high: int, spots: Iterable[tuple[int, int, tuple[str, ...]]]
) -> tuple[Line, ...]:
    """Lines ``low..high`` with each spot replaced."""
    after: list[Line] = []
    at = low
    for start, end, new in spots:
        after += lines[at:start]
        gone = [line.origin for line in lines[start:end]]
        # What replaces lines stands for them, so that a region keeps its first and last line.
        kept = [*gone[: len(new) - 1], gone[-1]] if gone and new else []
        after += [Line(kept[n] if n < len(kept) else 0, text) for n, text in enumerate(new)]
        at = end
    return (*after, *lines[at:high])
