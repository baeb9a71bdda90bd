"""From shown lines to the symbols they are about: the referent of reads, edits and searches (Appendix E).

In: the sights of one step and the code graph of w_t. Out: covered symbol ids and their own lines. Coverage
is any overlap between shown lines and a symbol's own lines, which is what makes nomination sound: a record
that shows one line of a symbol may be falsified by a change to that symbol.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from core.graph.symbols import Symbol, View
from core.records.record import OwnLines
from core.replay.world import Sight


class GraphView(Protocol):
    """What records, the tape and the context ask of the code graph of the current state."""

    def paths(self) -> Collection[str]: ...
    def symbols(self, path: str, /) -> Sequence[Symbol]: ...
    def covering(self, path: str, start: int, end: int, /) -> Sequence[str]: ...
    def view(self, symbol_id: str, /) -> View | None: ...


def symbols_covered(graph: GraphView, sights: Iterable[Sight]) -> tuple[str, ...]:
    """Sorted ids of the symbols whose own lines the sights overlap; lines the graph does not know add none.

    Cost: the symbols of each shown file, times the logarithm of the runs shown of it.
    """
    runs: dict[str, list[tuple[int, int]]] = {}
    for path, start, end in line_runs(sights):
        runs.setdefault(path, []).append((start, end))
    return tuple(sorted(s.id for path in runs for s in graph.symbols(path) if overlap(s.own, runs[path])))


def overlap(own: Iterable[tuple[int, int]], runs: Sequence[tuple[int, int]]) -> bool:
    """Whether one of the ranges has a line in ``runs``, which are sorted and do not overlap."""
    for start, end in own:
        at = bisect_left(runs, start, key=lambda run: run[1])  # the first run that does not end before
        if at < len(runs) and runs[at][0] <= end:
            return True
    return False


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
    wanted = set(ids)
    paths = sorted({i.partition("::")[0] for i in wanted})
    symbols = [s for path in paths for s in graph.symbols(path) if s.id in wanted]
    ranges = [OwnLines(s.id, s.path, start, end) for s in symbols for start, end in s.own]
    return tuple(sorted(ranges, key=lambda r: (r.path, r.start, r.end, r.id)))


def unknown_paths(graph: GraphView, sights: Iterable[Sight]) -> tuple[str, ...]:
    """Sorted shown paths that the graph has no text for."""
    shown = sorted({s.path for s in sights})
    missing = [p for p in shown if not graph.symbols(p)]
    known = set(graph.paths()) if missing else set()
    return tuple(p for p in missing if p not in known)
