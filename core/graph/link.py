"""From linked scopes to the edges and views of symbols (Eq. 5: E_t; section 3: local views).

In: look-ups over facts, through the rules of each language. Out: rule ``symbol(path, qual)`` -> ``Linked``:
everything that leaves one symbol, nested functions and lambdas rolled up. Pure; recomputed for exactly the
symbols whose look-ups moved.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from core.graph.facts import MODULE, ScopeFacts
from core.graph.languages import linkers
from core.graph.lookups import Key, Lookups
from core.graph.symbols import HANDED_ON, Edge

EXTERNAL = "<external>::"
BUILTIN = "<builtin>::"


class Linked(NamedTuple):
    """What leaves a symbol. ``calls`` and ``uses`` as in ``View``; ``weak`` are the attribute names of calls
    whose receiver is unknown, one a site; ``unresolved`` of the ``sites`` called from reach nothing."""

    edges: tuple[Edge, ...]
    calls: tuple[tuple[str, tuple[str, ...]], ...]
    uses: tuple[tuple[str, str], ...]
    relations: tuple[Edge, ...]
    weak: tuple[str, ...]
    unresolved: int
    sites: int


NOTHING = Linked((), (), (), (), (), 0, 0)


def symbol_id(path: str, qual: str) -> str:
    """``path::qual``; the empty qual is the module."""
    return f"{path}::{qual or MODULE}"


def split_id(symbol: str) -> tuple[str, str]:
    """The (path, qual) of a symbol id."""
    path, _, qual = symbol.rpartition("::")
    return path, "" if qual == MODULE else qual


def owner_of(q: Lookups, target: Any) -> str | None:
    """The id a link's target has in V: external texts stay, scopes roll up; None if the scope does not exist."""
    if isinstance(target, str):
        return target
    facts: ScopeFacts | None = q.input(("cell", target[0], "scope", target[1], ""))
    if facts is None:
        return symbol_id(target[0], "") if not target[1] else None
    return symbol_id(target[0], facts.owner)


def _rule_symbol(q: Lookups, key: Key) -> Linked:
    _, path, qual = key
    source = symbol_id(path, qual)
    edges: dict[tuple[str, str], Edge] = {}
    relations: dict[tuple[str, str], Edge] = {}
    calls: dict[str, set[str]] = {}
    reads: set[str] = set()
    weak: list[str] = []
    unresolved = called = 0
    for scope in q.input(("scopes", path, qual)):
        facts: ScopeFacts | None = q.input(("cell", path, "scope", scope, ""))
        if facts is None:
            continue
        reads.update(facts.reads)
        for sites, linked in zip((facts.head, facts.sites), q.get(("links", path, scope)), strict=True):
            for site, (kind, name, links) in zip(sites, linked, strict=True):
                called += kind == "call"
                if not links:
                    if kind == "call":
                        unresolved += 1
                        weak += _weak(site.expr)
                    continue
                for link in links:
                    found = calls.setdefault(_site_name(kind, name, link), set())
                    _edge(q, source, qual, scope, link, edges, found)
        for kind, target, tier, why in q.get(("reached", path, scope)):
            owner = owner_of(q, target)
            if owner is not None and owner != source:
                relations.setdefault((kind, owner), Edge(source, owner, kind, tier, why))
    uses: list[tuple[str, str]] = []
    for name in sorted(reads):
        used = q.get(("use", path, name))
        if used is None:
            continue
        uses.append((name, used[0]))
        owner = owner_of(q, used[1])
        if owner is not None and owner != source:
            relations.setdefault(("uses", owner), Edge(source, owner, "uses", "certain", used[2]))
    return Linked(
        tuple(sorted(edges.values(), key=_order)),
        tuple((name, tuple(sorted(targets))) for name, targets in sorted(calls.items()) if targets),
        tuple(uses),
        tuple(sorted(relations.values(), key=_order)),
        tuple(sorted(weak)),
        unresolved,
        called,
    )


def _site_name(kind: str, name: str, link: Any) -> str:
    """The site, and what it does with the target where that can change without the target: ``self.m()`` of a method
    that became a property, ``f(self.m)`` likewise."""
    if kind == "call" and link[0] == "property":
        return f"{name} (property)"
    return f"{name} (handed on)" if kind == "attr" and link[3] == HANDED_ON else name


def _edge(q: Lookups, source: str, qual: str, scope: str, link: Any, edges: Any, found: set[str]) -> None:
    kind, target, tier, why = link
    owner = owner_of(q, target)
    if owner is None:
        return
    if owner == source and not isinstance(target, str) and (target[1] != qual or scope != qual):
        return  # into or out of the symbol's own nested functions
    found.add(owner)
    old = edges.get((kind, owner))
    if old is None or (old.tier == "possible" and tier == "certain"):
        edges[kind, owner] = Edge(source, owner, kind, tier, why)


def _weak(e: Any) -> list[str]:
    callee = e[1] if e and e[0] == "call" else e
    return [callee[2]] if callee is not None and callee[0] == "attr" else []


def _order(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.kind


RULES: dict[str, tuple[Any, Any]] = {**linkers.RULES, "symbol": (_rule_symbol, NOTHING)}
