"""What the gold rules share: the graph they ask, the region they admit, and the lines a definition stands on.

In: the graph and the texts of one state w_s. Out: ``GoldRegion``s in the coordinates of that state.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.graph.symbols import Edge, Reference, Symbol
from core.replay.lines import split_lines
from core.replay.world import History
from core.tracebench.paths import path_kind
from core.tracebench.points import GoldSource, Rule, Skip


class Graph(Protocol):
    """What the rules ask of a ``CodeGraph`` standing at w_s; nothing here changes it."""

    def symbols(self, path: str, /) -> Sequence[Symbol]: ...
    def callers(self, id: str, /) -> Sequence[Edge]: ...
    def relations(self, id: str, /) -> Sequence[Edge]: ...
    def bases(self, id: str, /) -> Sequence[str]: ...
    def overrides(self, id: str, /) -> Sequence[str]: ...
    def overridden_by(self, id: str, /) -> Sequence[str]: ...
    def references(self, path: str, text: str, /) -> Sequence[Reference]: ...
    def statement_at(self, path: str, line: int, /) -> tuple[int, int] | None: ...
    def symbols_in(self, path: str, text: str, /) -> Sequence[Symbol]: ...


@dataclass(frozen=True, slots=True, order=True)
class GoldRegion:
    """Lines ``start..end`` of ``path`` are needed under ``rule``; ``why`` names the hunk or the edge."""

    rule: Rule
    path: str
    start: int
    end: int
    why: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """The gold of one point: its regions in the texts of w_``state``, where it comes from, why it is not scored.

    ``near`` are the lines around the hunks themselves, (path, start, end), for the share beside G1.
    """

    regions: tuple[GoldRegion, ...]
    source: GoldSource
    state: int
    skip: Skip = ""
    near: tuple[tuple[str, int, int], ...] = ()


@dataclass(slots=True)
class Sweep:
    """One state during one sweep of the rules, with what was looked up in it so far."""

    graph: Graph
    history: History
    t: int
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _symbols: dict[str, dict[str, Symbol]] = field(default_factory=dict)
    _owners: dict[str, list[tuple[int, int, Symbol]]] = field(default_factory=dict)
    _references: dict[tuple[str, str], dict[int, list[Reference]]] = field(default_factory=dict)
    _symbols_in: dict[tuple[str, str], Sequence[Symbol]] = field(default_factory=dict)

    def lines(self, path: str) -> list[str]:
        """The lines of ``path`` in w_s, none if it does not exist."""
        if path not in self._lines:
            self._lines[path] = split_lines(self.history.text(path, self.t) or "")
        return self._lines[path]

    def symbols(self, path: str) -> Sequence[Symbol]:
        """The symbols of ``path``, module symbol included."""
        return list(self._file(path).values())

    def symbol(self, id: str) -> Symbol | None:
        """The symbol with this id."""
        return self._file(id.partition("::")[0]).get(id)

    def blank(self, path: str, line: int) -> bool:
        """Whether ``line`` is blank or outside the file."""
        lines = self.lines(path)
        return not 1 <= line <= len(lines) or not lines[line - 1].strip()

    def owner(self, path: str, line: int) -> Symbol | None:
        """The definition ``line`` belongs to, nested functions rolled up; the module symbol; None for blank lines."""
        owners = self._own_ranges(path)
        at = bisect_right(owners, line, key=lambda o: o[0]) - 1
        if at >= 0 and owners[at][0] <= line <= owners[at][1]:
            return self.outermost(owners[at][2])
        return None

    def around(self, path: str, before: int) -> Symbol | None:
        """The innermost definition with text both above and at line ``before``, rolled up; None at module level."""
        inside = [s for s in self.symbols(path) if s.kind != "module" and s.start < before <= s.end]
        return self.outermost(min(inside, key=lambda s: (s.end - s.start, s.id))) if inside else None

    def outermost(self, symbol: Symbol) -> Symbol:
        """The outermost function around a symbol nested in functions, else the symbol itself."""
        top, parent = symbol, symbol.parent
        while parent is not None and (above := self.symbol(parent)) is not None:
            if above.kind in ("function", "method"):
                top = above
            parent = above.parent
        return top

    def references(self, path: str, text: str) -> dict[int, list[Reference]]:
        """The references of a text standing at ``path``, by line."""
        key = (path, text)
        if key not in self._references:
            by_line: dict[int, list[Reference]] = {}
            for reference in self.graph.references(path, text):
                by_line.setdefault(reference.line, []).append(reference)
            self._references[key] = by_line
        return self._references[key]

    def symbols_in(self, path: str, text: str) -> Sequence[Symbol]:
        """The definitions a text has when it stands at ``path``."""
        key = (path, text)
        if key not in self._symbols_in:
            self._symbols_in[key] = self.graph.symbols_in(path, text)
        return self._symbols_in[key]

    def pieces(self, symbol: Symbol) -> list[tuple[int, int]]:
        """The line ranges that show a definition: a function whole, of a class its own lines, of a module none."""
        if symbol.kind == "module":
            return []
        if symbol.kind != "class":
            return [(symbol.start, symbol.end)]
        pieces: list[tuple[int, int]] = []
        for start, end in sorted(symbol.own):
            if pieces and all(self.blank(symbol.path, line) for line in range(pieces[-1][1] + 1, start)):
                pieces[-1] = (pieces[-1][0], end)
            else:
                pieces.append((start, end))
        return pieces

    def block(self, path: str, line: int) -> tuple[int, int]:
        """The contiguous statements around a line: the graph's answer, else the owner's lines up to a blank."""
        found = self.graph.statement_at(path, line)
        if found is not None:
            return found
        start = end = line
        owner = self.owner(path, line)
        while not self.blank(path, start - 1) and self.owner(path, start - 1) == owner:
            start -= 1
        while not self.blank(path, end + 1) and self.owner(path, end + 1) == owner:
            end += 1
        return start, end

    def definition(self, rule: Rule, id: str, why: str) -> list[GoldRegion]:
        """The regions of a definition under ``rule``; none for tests, documentation, modules and unknown ids."""
        found = self.symbol(id)
        if found is None or path_kind(found.path) != "source":
            return []
        symbol = self.outermost(found)
        return [GoldRegion(rule, symbol.path, a, b, why, symbol.id) for a, b in self.pieces(symbol)]

    def _file(self, path: str) -> dict[str, Symbol]:
        if path not in self._symbols:
            self._symbols[path] = {s.id: s for s in self.graph.symbols(path)}
        return self._symbols[path]

    def _own_ranges(self, path: str) -> list[tuple[int, int, Symbol]]:
        if path not in self._owners:
            ranges = [(a, b, s) for s in self.symbols(path) for a, b in s.own]
            # An enclosing symbol may list lines a nested one owns too: the later, smaller range wins.
            self._owners[path] = _disjoint(ranges)
        return self._owners[path]


def _disjoint(ranges: Iterable[tuple[int, int, Symbol]]) -> list[tuple[int, int, Symbol]]:
    """Line ranges cut so that each line belongs to the smallest symbol that lists it, sorted by line."""
    owner: dict[int, Symbol] = {}
    for start, end, symbol in sorted(
        ranges, key=lambda r: (r[2].start - r[2].end, r[2].kind != "module", r[2].id, r[0])
    ):
        owner.update(dict.fromkeys(range(start, end + 1), symbol))
    cut: list[tuple[int, int, Symbol]] = []
    for line in sorted(owner):
        if cut and cut[-1][2] is owner[line] and cut[-1][1] == line - 1:
            cut[-1] = (cut[-1][0], line, owner[line])
        else:
            cut.append((line, line, owner[line]))
    return cut


def short_name(id: str) -> str:
    """The name in an id as people say it: ``app/a.py::A#2.m`` -> "A.m"; "the top level of app/a.py" for a module."""
    path, _, name = id.rpartition("::")
    if name == "<module>":
        return f"the top level of {path}"
    return re.sub(r"#\d+", "", name)
