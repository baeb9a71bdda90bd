"""The code graph while it stands still: what many policies ask at one moment is looked up once.

In: the graph of w_t. Out: the same answers, remembered. To be thrown away before the next write.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from core.graph.symbols import Edge, Symbol, View


class Graph(Protocol):
    """What a policy asks of the code graph of w_t."""

    def paths(self) -> Collection[str]: ...
    def symbols(self, path: str, /) -> Sequence[Symbol]: ...
    def symbol(self, symbol: str, /) -> Symbol | None: ...
    def covering(self, path: str, start: int, end: int, /) -> Sequence[str]: ...
    def view(self, symbol: str, /) -> View | None: ...
    def callees(self, symbol: str, /) -> Sequence[Edge]: ...
    def callers(self, symbol: str, /) -> Sequence[Edge]: ...
    def relations(self, symbol: str, /) -> Sequence[Edge]: ...
    def statement_at(self, path: str, line: int, /) -> tuple[int, int] | None: ...
    def symbols_in(self, path: str, content: str, /) -> Sequence[Symbol]: ...


class Still:
    """A ``Graph`` over another one that must not change while this is in use."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._symbols: dict[str, Sequence[Symbol]] = {}
        self._by_id: dict[str, Symbol] = {}
        self._callees: dict[str, Sequence[Edge]] = {}
        self._callers: dict[str, Sequence[Edge]] = {}
        self._relations: dict[str, Sequence[Edge]] = {}

    def paths(self) -> Collection[str]:
        """The files of the state."""
        return self._graph.paths()

    def symbols(self, path: str, /) -> Sequence[Symbol]:
        """The symbols of a file, sorted by id."""
        if path not in self._symbols:
            found = self._symbols[path] = self._graph.symbols(path)
            self._by_id.update((symbol.id, symbol) for symbol in found)
        return self._symbols[path]

    def symbol(self, symbol: str, /) -> Symbol | None:
        """The symbol with this id, None if there is none."""
        self.symbols(symbol.partition("::")[0])
        return self._by_id.get(symbol)

    def covering(self, path: str, start: int, end: int, /) -> Sequence[str]:
        """Ids of the symbols of ``path`` with an own line in ``start..end``, sorted."""
        return [s.id for s in self.symbols(path) if any(a <= end and b >= start for a, b in s.own)]

    def view(self, symbol: str, /) -> View | None:
        """The local view of a symbol, None if it does not exist."""
        return self._graph.view(symbol)

    def callees(self, symbol: str, /) -> Sequence[Edge]:
        """Call edges that leave a symbol."""
        if symbol not in self._callees:
            self._callees[symbol] = self._graph.callees(symbol)
        return self._callees[symbol]

    def callers(self, symbol: str, /) -> Sequence[Edge]:
        """Call edges that reach a symbol."""
        if symbol not in self._callers:
            self._callers[symbol] = self._graph.callers(symbol)
        return self._callers[symbol]

    def relations(self, symbol: str, /) -> Sequence[Edge]:
        """import, inherits and uses edges that leave or reach a symbol."""
        if symbol not in self._relations:
            self._relations[symbol] = self._graph.relations(symbol)
        return self._relations[symbol]

    def statement_at(self, path: str, line: int, /) -> tuple[int, int] | None:
        """The block of module-level statements that holds ``line``."""
        return self._graph.statement_at(path, line)

    def symbols_in(self, path: str, content: str, /) -> Sequence[Symbol]:
        """The symbols ``content`` would have as the file at ``path``."""
        return self._graph.symbols_in(path, content)
