"""Replay: what is known of a file that was never seen whole.

In: views and edits of such a file. Out: ``Partial``: known lines by number, compared with later views, moved by edits
that can be found in them. An edit that cannot be found leaves nothing known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.replay.fidelity import Comparison, normal
from core.trajectory.steps import Shown, Write


@dataclass(frozen=True, slots=True)
class Partial:
    """Known lines of a file by 1-based number; all others are unknown."""

    lines: Mapping[int, str] = field(default_factory=dict)

    def compare(self, shown: Shown) -> Comparison:
        """The lines of ``shown`` that are known here, compared; ``compared`` is 0 when none is."""
        compared = equal = 0
        seen = expected = ""
        for number, line in enumerate(shown.lines, shown.start):
            held = self.lines.get(number)
            if held is None:
                continue
            compared += 1
            if normal(held) == normal(line):
                equal += 1
            elif not seen:
                seen, expected = line[:200], held[:200]
        return Comparison(compared, equal, shown.start, "equal" if equal == compared else "different", seen, expected)

    def learn(self, shown: Shown) -> Partial:
        """With the lines of ``shown`` known; where they contradict what was known, all older lines are forgotten."""
        kept = self.lines if self.compare(shown).agrees else {}
        return Partial({**kept, **dict(enumerate(shown.lines, shown.start))})

    def edited(self, write: Write) -> tuple[Partial, int | None]:
        """After an ``edit``: the lines moved, and where its new text starts; (nothing known, None) if not found."""
        spans = [] if write.replace_all else self._find(write.old)
        if len(spans) != 1:
            return Partial(), None
        first, prefix, last, suffix = spans[0]
        new = (prefix + write.new + suffix).split("\n")
        shift = len(new) - (last - first + 1)
        moved = {n + shift if n > last else n: text for n, text in self.lines.items() if not first <= n <= last}
        return Partial({**moved, **dict(enumerate(new, first))}), first

    def _find(self, old: str) -> list[tuple[int, str, int, str]]:
        """Places of ``old`` in runs of known lines: (first line, what precedes it there, last line, what follows)."""
        found: list[tuple[int, str, int, str]] = []
        for start, text in self._runs():
            at = text.find(old)
            while at >= 0 and len(found) < 2:
                head, tail = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(old))
                first = start + text.count("\n", 0, at)
                last = first + old.count("\n")
                found.append((first, text[head:at], last, text[at + len(old) : tail if tail >= 0 else len(text)]))
                at = text.find(old, at + 1)
        return found

    def _runs(self) -> list[tuple[int, str]]:
        runs: list[tuple[int, list[str]]] = []
        previous = 0
        for number in sorted(self.lines):
            if not runs or number != previous + 1:
                runs.append((number, []))
            runs[-1][1].append(self.lines[number])
            previous = number
        return [(start, "\n".join(lines)) for start, lines in runs]
