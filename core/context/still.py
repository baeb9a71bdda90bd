"""The code graph between two writes: what many stages and policies ask of one state is looked up once.

In: the graph of w_t. Out: the same answers, remembered until ``moved`` says which files a write changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from core.graph.symbols import Edge, Reference, Symbol, View

_TEXTS = 256  # hypothetical or earlier texts whose symbols are remembered


class Graph(Protocol):
    """What is asked of the code graph of w_t."""

    def paths(self) -> Collection[str]: ...
    def symbols(self, path: str, /) -> tuple[Symbol, ...]: ...
    def symbol(self, symbol: str, /) -> Symbol | None: ...
    def covering(self, path: str, start: int, end: int, /) -> Sequence[str]: ...
    def view(self, symbol: str, /) -> View | None: ...
    def callees(self, symbol: str, /) -> tuple[Edge, ...]: ...
    def callers(self, symbol: str, /) -> tuple[Edge, ...]: ...
    def relations(self, symbol: str, /) -> tuple[Edge, ...]: ...
    def statement_at(self, path: str, line: int, /) -> tuple[int, int] | None: ...
    def symbols_in(self, path: str, content: str, /) -> Sequence[Symbol]: ...
    def bases(self, symbol: str, /) -> Sequence[str]: ...
    def overrides(self, symbol: str, /) -> Sequence[str]: ...
    def overridden_by(self, symbol: str, /) -> Sequence[str]: ...
    def references(self, path: str, content: str, /) -> Sequence[Reference]: ...


class Still:
    """A ``Graph`` over another one; whoever changes that one says so with ``moved``."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._symbols: dict[str, tuple[Symbol, ...]] = {}
        self._by_id: dict[str, Mapping[str, Symbol]] = {}  # by path
        self._of_texts: dict[tuple[str, str], Sequence[Symbol]] = {}

    def moved(self, paths: Iterable[str]) -> None:
        """The graph was updated with new texts of ``paths``; symbols of other files stand."""
        for path in paths:
            self._symbols.pop(path, None)
            self._by_id.pop(path, None)

    def paths(self) -> Collection[str]:
        """The files of the state."""
        return self._graph.paths()

    def symbols(self, path: str, /) -> tuple[Symbol, ...]:
        """The symbols of a file, sorted by id."""
        found = self._symbols.get(path)
        if found is None:
            found = self._symbols[path] = self._graph.symbols(path)
        return found

    def symbol(self, symbol: str, /) -> Symbol | None:
        """The symbol with this id, None if there is none."""
        path = symbol.partition("::")[0]
        found = self._by_id.get(path)
        if found is None:
            found = self._by_id[path] = {s.id: s for s in self.symbols(path)}
        return found.get(symbol)

    def covering(self, path: str, start: int, end: int, /) -> Sequence[str]:
        """Ids of the symbols of ``path`` with an own line in ``start..end``, sorted."""
        return [s.id for s in self.symbols(path) if any(a <= end and b >= start for a, b in s.own)]

    def view(self, symbol: str, /) -> View | None:
        """The local view of a symbol, None if it does not exist."""
        return self._graph.view(symbol)

    def callees(self, symbol: str, /) -> tuple[Edge, ...]:
        """Call edges that leave a symbol."""
        return self._graph.callees(symbol)

    def callers(self, symbol: str, /) -> tuple[Edge, ...]:
        """Call edges that reach a symbol."""
        return self._graph.callers(symbol)

    def relations(self, symbol: str, /) -> tuple[Edge, ...]:
        """import, inherits and uses edges that leave or reach a symbol."""
        return self._graph.relations(symbol)

    def statement_at(self, path: str, line: int, /) -> tuple[int, int] | None:
        """The block of module-level statements that holds ``line``."""
        return self._graph.statement_at(path, line)

    def symbols_in(self, path: str, content: str, /) -> Sequence[Symbol]:
        """The symbols ``content`` would have as the file at ``path``, in whatever state."""
        key = (path, content)
        found = self._of_texts.get(key)
        if found is None:
            if len(self._of_texts) >= _TEXTS:
                self._of_texts.clear()
            found = self._of_texts[key] = self._graph.symbols_in(path, content)
        return found

    def bases(self, symbol: str, /) -> Sequence[str]:
        """Ids of the direct bases of a class."""
        return self._graph.bases(symbol)

    def overrides(self, symbol: str, /) -> Sequence[str]:
        """Ids of the methods of base classes that a method takes the place of."""
        return self._graph.overrides(symbol)

    def overridden_by(self, symbol: str, /) -> Sequence[str]:
        """Ids of the methods of subclasses that take the place of a method."""
        return self._graph.overridden_by(symbol)

    def references(self, path: str, content: str, /) -> Sequence[Reference]:
        """The references ``content`` would have as the file at ``path``."""
        return self._graph.references(path, content)
