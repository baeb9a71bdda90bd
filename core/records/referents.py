"""From shown lines to the symbols they are about: the referent of reads, edits and searches (Appendix E).

In: the sights of one step and the code graph of w_t. Out: covered symbol ids and their own lines. Coverage
is any overlap between shown lines and a symbol's own lines, which is what makes nomination sound: a record
that shows one line of a symbol may be falsified by a change to that symbol.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from core.graph.symbols import Symbol, View
from core.records.record import OwnLines
from core.replay.world import Sight


class GraphView(Protocol):
    """What records, the tape and the context ask of the code graph of the current state."""

    def paths(self) -> Collection[str]: ...
    def symbols(self, path: str, /) -> Sequence[Symbol]: ...
    def symbol(self, symbol_id: str, /) -> Symbol | None: ...
    def covering(self, path: str, start: int, end: int, /) -> Sequence[str]: ...
    def view(self, symbol_id: str, /) -> View | None: ...


def symbols_covered(graph: GraphView, sights: Iterable[Sight]) -> tuple[str, ...]:
    """Sorted ids of the symbols whose own lines the sights overlap; lines the graph does not know add none.

    Cost: one graph look-up a run of consecutive lines.
    """
    return tuple(sorted({i for path, start, end in line_runs(sights) for i in graph.covering(path, start, end)}))


def line_runs(sights: Iterable[Sight]) -> list[tuple[str, int, int]]:
    """The shown lines as maximal runs (path, start, end), sorted; touching and overlapping sights are joined."""
    runs: list[tuple[str, int, int]] = []
    for path, start, end in sorted((s.path, s.start, s.end) for s in sights if s.lines):
        if runs and runs[-1][0] == path and start <= runs[-1][2] + 1:
            runs[-1] = (path, runs[-1][1], max(end, runs[-1][2]))
        else:
            runs.append((path, start, end))
    return runs


def own_lines(graph: GraphView, ids: Iterable[str]) -> tuple[OwnLines, ...]:
    """The own line ranges of the symbols in the graph's present state, sorted by (path, start)."""
    symbols = (graph.symbol(i) for i in ids)
    ranges = [OwnLines(s.id, s.path, start, end) for s in symbols if s is not None for start, end in s.own]
    return tuple(sorted(ranges, key=lambda r: (r.path, r.start, r.end, r.id)))


def unknown_paths(graph: GraphView, sights: Iterable[Sight]) -> tuple[str, ...]:
    """Sorted shown paths that the graph has no text for."""
    shown = sorted({s.path for s in sights})
    missing = [p for p in shown if not graph.symbols(p)]
    known = set(graph.paths()) if missing else set()
    return tuple(p for p in missing if p not in known)
