"""Where symbols stood and which edges existed, over a whole run: what the symbol graph is drawn from.

In: the graph before and after each update. Out: ``SymbolVersion`` and ``EdgeVersion`` rows with the steps
between which each held, restricted to the symbols a reader can ask about (drifted or covered by a record)
and their direct neighbours. Cost: per update the symbols of the written files; at the end the degree of
the asked-for symbols.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from core.graph.symbols import Delta, Edge, Symbol


@dataclass(frozen=True, slots=True)
class SymbolVersion:
    """Where a symbol stood from step ``from_t`` until before ``until`` (None = to the end)."""

    id: str
    kind: str
    path: str
    from_t: int
    until: int | None
    start: int
    end: int
    own_hash: str
    language: str


@dataclass(frozen=True, slots=True)
class EdgeVersion:
    """From which step until before which an edge of the graph existed."""

    source: str
    target: str
    kind: str
    tier: str
    why: str
    from_t: int
    until: int | None


class _Graph(Protocol):
    def symbols(self, path: str | None = None) -> tuple[Symbol, ...]: ...
    def symbol(self, symbol_id: str, /) -> Symbol | None: ...
    def callers(self, symbol_id: str, /) -> tuple[Edge, ...]: ...
    def callees(self, symbol_id: str, /) -> tuple[Edge, ...]: ...
    def relations(self, symbol_id: str, /) -> tuple[Edge, ...]: ...
    def language(self, path: str, /) -> str: ...


_Key = tuple[str, str, str]


class Chronicle:
    """The log of one run's graph; call ``before`` and ``after`` around every update, then ``finish``."""

    def __init__(self, graph: _Graph) -> None:
        self._graph = graph
        self._before: dict[str, Symbol] = {}
        self._open: dict[str, int] = {}  # symbol -> step its current place dates from
        self._closed: list[SymbolVersion] = []
        self._edge_open: dict[_Key, int] = {}
        self._edge_closed: list[EdgeVersion] = []

    def before(self, paths: Iterable[str]) -> None:
        """Remember the symbols of the files about to be written."""
        self._before = {s.id: s for path in sorted(set(paths)) for s in self._graph.symbols(path)}

    def after(self, t: int, paths: Iterable[str], delta: Delta) -> None:
        """Close the versions step ``t`` ended and open those it began."""
        now = {s.id: s for path in sorted(set(paths)) for s in self._graph.symbols(path)}
        for symbol_id, old in self._before.items():
            new = now.get(symbol_id)
            if new is None or _place(new) != _place(old):
                self._closed.append(self._version(old, self._open.pop(symbol_id, 0), t))
        for symbol_id, new in now.items():
            previous = self._before.get(symbol_id)
            if previous is None or _place(new) != _place(previous):
                self._open[symbol_id] = t
        for edge in delta.lost:
            self._edge_closed.append(_edge_version(edge, self._edge_open.pop(_key(edge), 0), t))
        for edge in delta.gained:
            self._edge_open[_key(edge)] = t

    def finish(self, asked: Iterable[str]) -> tuple[tuple[SymbolVersion, ...], tuple[EdgeVersion, ...]]:
        """All versions of the ``asked`` symbols and their neighbours, and the edges between them; sorted."""
        wanted = set(asked)
        current: dict[_Key, Edge] = {}
        for symbol_id in sorted(wanted):
            if self._graph.symbol(symbol_id) is None:
                continue
            groups = (self._graph.callees(symbol_id), self._graph.callers(symbol_id), self._graph.relations(symbol_id))
            current.update({_key(edge): edge for group in groups for edge in group})
        edges = [_edge_version(edge, self._edge_open.get(key, 0), None) for key, edge in current.items()]
        edges += [e for e in self._edge_closed if e.source in wanted or e.target in wanted]
        near = wanted | {e.source for e in edges} | {e.target for e in edges}
        symbols = [v for v in self._closed if v.id in near and v.from_t < (v.until or 0)]
        for symbol_id in near:
            symbol = self._graph.symbol(symbol_id)
            if symbol is not None:
                symbols.append(self._version(symbol, self._open.get(symbol_id, 0), None))
        return (
            tuple(sorted(symbols, key=lambda v: (v.id, v.from_t))),
            tuple(sorted(set(edges), key=lambda e: (e.source, e.target, e.kind, e.from_t))),
        )

    def _version(self, symbol: Symbol, from_t: int, until: int | None) -> SymbolVersion:
        return SymbolVersion(
            id=symbol.id,
            kind=symbol.kind,
            path=symbol.path,
            from_t=from_t,
            until=until,
            start=symbol.start,
            end=symbol.end,
            own_hash=symbol.own_hash,
            language=self._graph.language(symbol.path),
        )


def _place(symbol: Symbol) -> tuple[int, int, str]:
    return symbol.start, symbol.end, symbol.own_hash


def _key(edge: Edge) -> _Key:
    return edge.source, edge.target, edge.kind


def _edge_version(edge: Edge, from_t: int, until: int | None) -> EdgeVersion:
    return EdgeVersion(edge.source, edge.target, edge.kind, edge.tier, edge.why, from_t, until)
