"""E_t by its ends: what leaves each symbol, and who reaches it (Eq. 5).

In: the ``Linked`` of one symbol after the other. Out: edges from both sides, and what could not be resolved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from core.graph.link import NOTHING, Linked, split_id
from core.graph.symbols import Edge


class Edges:
    """What is linked now, with the reverse indexes kept up to date."""

    def __init__(self) -> None:
        self.linked: dict[str, Linked] = {}
        self._callers: dict[str, set[str]] = {}
        self._related: dict[str, set[str]] = {}
        self._asked: dict[tuple[str, str], tuple[Edge, ...]] = {}  # answers, until an edge at the symbol may differ

    def begin(self, linked: dict[str, Linked]) -> None:
        """Take what is linked as a whole, in place of nothing."""
        self.linked = linked
        for symbol, found in linked.items():
            for edge in found.edges:
                self._callers.setdefault(edge.target, set()).add(symbol)
            for edge in found.relations:
                self._related.setdefault(edge.target, set()).add(symbol)

    def of(self, symbol: str) -> Linked:
        """What leaves ``symbol``."""
        return self.linked.get(symbol, NOTHING)

    def put(self, symbol: str, new: Linked) -> None:
        """Let ``new`` be what leaves ``symbol``."""
        old = self.linked.get(symbol)
        if new is old:
            return
        self.linked[symbol] = new
        self._moved(symbol, old or NOTHING, new)

    def drop(self, symbol: str) -> None:
        """Forget ``symbol``."""
        old = self.linked.pop(symbol, None)
        if old is not None:
            self._moved(symbol, old, NOTHING)

    def _moved(self, symbol: str, old: Linked, new: Linked) -> None:
        _move(self._callers, symbol, old.edges, new.edges)
        _move(self._related, symbol, old.relations, new.relations)
        self._asked.pop(("relations", symbol), None)
        for edge in (*old.edges, *new.edges):
            self._asked.pop(("callers", edge.target), None)
        for edge in (*old.relations, *new.relations):
            self._asked.pop(("relations", edge.target), None)

    def size(self) -> tuple[int, int]:
        """(symbols, edges that leave them)."""
        return len(self.linked), sum(len(found.edges) for found in self.linked.values())

    def callers(self, symbol: str) -> tuple[Edge, ...]:
        """Edges that reach a symbol, sorted by source and kind."""
        found = self._asked.get(("callers", symbol))
        if found is None:
            sources = sorted(self._callers.get(symbol, ()))
            found = tuple([e for s in sources for e in self.linked[s].edges if e.target == symbol])
            self._asked["callers", symbol] = found
        return found

    def relations(self, symbol: str) -> tuple[Edge, ...]:
        """import, inherits and uses edges that leave or reach a symbol, leaving ones first."""
        found = self._asked.get(("relations", symbol))
        if found is None:
            sources = sorted(self._related.get(symbol, ()))
            reaching = [e for s in sources for e in self.linked[s].relations if e.target == symbol]
            found = self._asked["relations", symbol] = (*self.of(symbol).relations, *reaching)
        return found

    def bases(self, symbol: str) -> tuple[str, ...]:
        """Ids of the direct bases of a class, external ones included, sorted."""
        return tuple(e.target for e in self.of(symbol).relations if e.kind == "inherits")

    def subclasses(self, symbol: str) -> tuple[str, ...]:
        """Ids of the classes that name this class (or external id) as a base, sorted."""
        sources = sorted(self._related.get(symbol, ()))
        return tuple(
            s for s in sources if any(e.kind == "inherits" and e.target == symbol for e in self.linked[s].relations)
        )

    def unresolved(self) -> Mapping[str, int]:
        """Call sites that reach nothing, by path; files without any are absent."""
        return self._by_path("unresolved")

    def sites(self) -> Mapping[str, int]:
        """All call sites, by path; files without any are absent."""
        return self._by_path("sites")

    def _by_path(self, count: Literal["unresolved", "sites"]) -> dict[str, int]:
        found: dict[str, int] = {}
        for symbol in sorted(self.linked):
            number: int = getattr(self.linked[symbol], count)
            if number:
                path = split_id(symbol)[0]
                found[path] = found.get(path, 0) + number
        return found


def _move(index: dict[str, set[str]], source: str, before: tuple[Edge, ...], after: tuple[Edge, ...]) -> None:
    gone = {e.target for e in before}
    came = {e.target for e in after}
    for target in gone - came:
        found = index.get(target)
        if found is not None:
            found.discard(source)
            if not found:
                del index[target]
    for target in came - gone:
        index.setdefault(target, set()).add(source)
