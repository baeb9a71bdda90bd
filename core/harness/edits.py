"""Harness: what one write of one file changed for the rest of the repository.

In: the graph after the write with its ``Delta``, and the file's texts before and after. Out: ``Edit``: which symbols
went, came, changed what callers depend on, or changed inside; the names in the lines that differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.graph.link import split_id
from core.graph.symbols import Delta, Edge, Symbol
from core.harness.names import names_in

_SHOWN = 12  # symbol names an edit keeps for people


class Graph(Protocol):
    """What change impact asks of the code graph of w_t."""

    def paths(self) -> Sequence[str]: ...
    def symbols(self, path: str, /) -> Sequence[Symbol]: ...
    def symbols_in(self, path: str, content: str, /) -> Sequence[Symbol]: ...
    def callers(self, symbol: str, /) -> Sequence[Edge]: ...
    def callees(self, symbol: str, /) -> Sequence[Edge]: ...
    def relations(self, symbol: str, /) -> Sequence[Edge]: ...
    def overrides(self, symbol: str, /) -> Sequence[str]: ...
    def overridden_by(self, symbol: str, /) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Edit:
    """One write of ``path``; symbol ids, each in one tuple only, sorted.

    removed, created; ``resigned`` changed what a caller depends on (name, parameters, bases); ``inside`` changed in
    their own text or calls only. ``elsewhere`` are symbols of other files that reach or read something else since.
    ``names`` are those in differing lines. ``lost`` are edges that reached this file before and no longer do.
    """

    path: str
    removed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    resigned: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    lost: tuple[Edge, ...] = ()

    @property
    def symbols(self) -> tuple[str, ...]:
        """Qualified names of the symbols touched, those that matter to callers first; modules and members left out."""
        ids = (*self.resigned, *self.removed, *self.created, *self.inside)
        quals = dict.fromkeys(q for symbol in ids if (q := split_id(symbol)[1]))
        # A class that came or went, or changed its members, stands for those.
        return tuple(q for q in quals if q.rpartition(".")[0] not in quals)[:_SHOWN]

    @property
    def touched(self) -> tuple[str, ...]:
        """All ids, sorted."""
        return tuple(sorted({*self.removed, *self.created, *self.resigned, *self.inside}))


def edit_of(graph: Graph, delta: Delta, path: str, before: str | None, after: str | None) -> Edit:
    """The edit of one file of an update. Cost: the symbols and lines of the file."""
    was = {s.id: s for s in graph.symbols_in(path, before)} if before is not None else {}
    now = {s.id: s for s in graph.symbols(path)} if after is not None else {}
    resigned, inside = set(), set()
    for symbol in was.keys() & now.keys():
        if was[symbol].signature != now[symbol].signature or was[symbol].kind != now[symbol].kind:
            resigned.add(symbol)
        elif was[symbol].own_hash != now[symbol].own_hash or symbol in delta.before:
            inside.add(symbol)
    return Edit(
        path,
        removed=tuple(sorted(was.keys() - now.keys())),
        created=tuple(sorted(now.keys() - was.keys())),
        resigned=tuple(sorted(resigned)),
        inside=tuple(sorted(inside)),
        elsewhere=tuple(sorted(s for s in delta.before if s not in was and s not in now and s in delta.after)),
        names=names_in("\n".join(differing_lines(before or "", after or ""))),
        lost=tuple(e for e in delta.lost if split_id(e.target)[0] == path and split_id(e.source)[0] != path),
    )


def differing_lines(before: str, after: str) -> list[str]:
    """The lines one text has more often than the other; O(lines). A moved line does not differ."""
    was, now = Counter(before.split("\n")), Counter(after.split("\n"))
    return [*(was - now), *(now - was)]
