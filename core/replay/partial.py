"""Replay: what is known of a file that was never seen whole.

In: views and edits of such a file. Out: ``Partial``: known lines by number, compared with later views, moved by edits
that can be found in them. An edit that cannot be found leaves nothing known. A file that may have changed unseen is
one of these as well (replay.doubt).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.replay.fidelity import Comparison, normal
from core.replay.lines import split_lines
from core.trajectory.steps import Hunk, Shown, Write

MAX_COMPARED = 20_000_000
"""Most lines compared while the hunks of one patch are looked for."""


@dataclass(frozen=True, slots=True)
class Partial:
    """Known lines of a file by 1-based number; all others are unknown.

    ``ended``: the last line of the text held beside them, if any, has not been changed by what was seen.
    """

    lines: Mapping[int, str] = field(default_factory=dict)
    ended: bool = True

    def compare(self, shown: Shown, lines: Mapping[int, str] | None = None) -> Comparison:
        """The lines of ``shown`` that are known here, compared; ``compared`` is 0 when none is.

        ``lines`` are those of the view where they are not simply its lines from ``shown.start`` on.
        """
        compared = equal = 0
        seen = expected = ""
        for number, line in lines.items() if lines is not None else enumerate(shown.lines, shown.start):
            held = self.lines.get(number)
            if held is None:
                continue
            compared += 1
            if normal(held) == normal(line):
                equal += 1
            elif not seen:
                seen, expected = line[:200], held[:200]
        return Comparison(compared, equal, shown.start, "equal" if equal == compared else "different", seen, expected)

    def joined(self, lines: Mapping[int, str]) -> Partial:
        """With ``lines`` known; where they contradict what was known, all older lines are forgotten."""
        same = all(self.lines.get(number, line) == line for number, line in lines.items())
        return replace(self, lines={**self.lines, **lines} if same else lines)

    def fits(self, text: Sequence[str]) -> bool:
        """Whether every known line stands in ``text`` where it was seen."""
        return all(n <= len(text) and text[n - 1] == line for n, line in self.lines.items())

    def is_all(self, text: str) -> bool:
        """Whether the known lines are all of ``text``, to its end."""
        return self.ended and len(self.lines) >= text.count("\n") and self._are(split_lines(text))

    def _are(self, lines: Sequence[str]) -> bool:
        return len(self.lines) == len(lines) and self.fits(lines)

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
        return self._replaced(first, last - first + 1, new), first

    def patched(self, hunks: Sequence[Hunk]) -> Partial:
        """After a ``patch``: nothing is known when one of its hunks does not stand just once in the known lines."""
        known = self
        for hunk in hunks:
            old = [line[1:] for line in hunk.lines if line[:1] in (" ", "-")]
            if len(old) == len(hunk.lines) and all(line[:1] == " " for line in hunk.lines):
                continue  # a header: it says where to look
            if len(old) * len(known.lines) * len(hunks) > MAX_COMPARED:
                return Partial()
            places = [n for n in known.lines if all(known.lines.get(n + i) == line for i, line in enumerate(old))]
            if not old or len(places) != 1:
                return Partial()
            known = known._replaced(places[0], len(old), [line[1:] for line in hunk.lines if line[:1] in (" ", "+")])
        return known

    def _replaced(self, first: int, count: int, new: Sequence[str]) -> Partial:
        """With ``new`` for the known lines ``first..first+count-1``; what stands below moves."""
        shift = len(new) - count
        kept = {n if n < first else n + shift: text for n, text in self.lines.items() if not first <= n < first + count}
        return replace(self, lines={**kept, **dict(enumerate(new, first))})

    def _find(self, old: str) -> list[tuple[int, str, int, str]]:
        """Places of ``old`` in runs of known lines: (first line, what precedes it there, last line, what follows)."""
        found: list[tuple[int, str, int, str]] = []
        for start, text in self.runs():
            at = text.find(old)
            while at >= 0 and len(found) < 2:
                head, tail = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(old))
                first = start + text.count("\n", 0, at)
                last = first + old.count("\n")
                found.append((first, text[head:at], last, text[at + len(old) : tail if tail >= 0 else len(text)]))
                at = text.find(old, at + 1)
        return found

    def runs(self) -> list[tuple[int, str]]:
        """The known lines as stretches: (first line, text), from the top."""
        runs: list[tuple[int, list[str]]] = []
        previous = 0
        for number in sorted(self.lines):
            if not runs or number != previous + 1:
                runs.append((number, []))
            runs[-1][1].append(self.lines[number])
            previous = number
        return [(start, "\n".join(lines)) for start, lines in runs]
