"""The walk through the code graph: what lies within two edges of the drifted symbols, and how it was reached.

In: seeds (drifted symbols with the step at which each last drifted) and the graph of w_t. Out: for every symbol
reached the shortest way to it. Followed both ways: calls, constructions, property reads, uses, imports and
inheritance. The number of edges followed from one symbol is bounded, so a walk never visits a whole repository.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.context.still import Graph
from core.graph.symbols import Edge, EdgeKind, Tier

Direction = Literal["self", "out", "in"]
_Rank = tuple[bool, bool, int, int, str, str]
HOPS = 2
# Symbols with more neighbours than this (a logger, a base error) say nothing about where work goes next.
_MOST = 60
_STRONG: dict[EdgeKind, int] = {
    "inherits": 0,
    "override": 1,
    "call": 2,
    "constructor": 2,
    "property": 3,
    "uses": 4,
    "import": 5,
}


@dataclass(frozen=True, slots=True)
class Reach:
    """How a symbol is reached: ``hop`` edges from ``seed`` (drifted at ``step``), the last one from ``via``.

    ``direction`` is that of the last edge: ``out`` when ``via`` depends on the symbol, ``in`` when the symbol
    depends on ``via``. ``straight`` is false when the way turned round (a caller of a callee).
    """

    symbol: str
    hop: int
    direction: Direction
    kind: EdgeKind | Literal[""]
    tier: Tier
    via: str
    seed: str
    step: int
    straight: bool = True


def walk(graph: Graph, seeds: Mapping[str, int], hops: int = HOPS) -> dict[str, Reach]:
    """Every symbol of the repository within ``hops`` edges of a seed that exists, by id, with its best way.

    A file with a syntax error keeps its last edges, so an id reached may name nothing in w_t.

    Best: fewest hops, then certain edges, straight ways, seeds drifted latest, stronger kinds of edge, then ids.
    Cost: the edges of the symbols reached, at most a bounded number of each.
    """
    reached = {
        seed: Reach(seed, 0, "self", "", "certain", seed, seed, step)
        for seed, step in sorted(seeds.items())
        if graph.symbol(seed) is not None
    }
    layer = list(reached.values())
    for hop in range(1, hops + 1):
        found: dict[str, tuple[_Rank, Reach, Edge, Direction]] = {}
        for origin in layer:
            for edge, direction in neighbours(graph, origin.symbol):
                target = edge.target if direction == "out" else edge.source
                if target in reached:
                    continue
                rank = _rank(origin, edge, direction)
                if target not in found or rank < found[target][0]:
                    found[target] = rank, origin, edge, direction
        layer = [_step(*found[i][1:], i, hop) for i in sorted(found)]
        reached.update((way.symbol, way) for way in layer)
    return reached


def neighbours(graph: Graph, symbol: str) -> list[tuple[Edge, Direction]]:
    """The edges at a symbol that stay in the repository, with their direction as seen from it; none if too many."""
    ahead: list[tuple[Edge, Direction]]
    behind: list[tuple[Edge, Direction]]
    ahead = [(e, "out") for e in graph.callees(symbol) if not e.target.startswith("<")]
    behind = [(e, "in") for e in graph.callers(symbol) if not e.source.startswith("<")]
    for edge in graph.relations(symbol):
        if edge.source != symbol:
            if not edge.source.startswith("<"):
                behind.append((edge, "in"))
        elif not edge.target.startswith("<"):
            ahead.append((edge, "out"))
    return [*_unless_many(ahead), *_unless_many(behind)]


def distances(graph: Graph, seeds: Iterable[str], hops: int = HOPS) -> dict[str, int]:
    """The edges from the nearest seed to every symbol within ``hops`` of one: ``walk`` without the ways."""
    reached = {seed: 0 for seed in sorted(seeds) if graph.symbol(seed) is not None}
    layer = list(reached)
    for hop in range(1, hops + 1):
        found = {e.target if d == "out" else e.source for i in layer for e, d in neighbours(graph, i)}
        layer = sorted(found - reached.keys())
        reached.update(dict.fromkeys(layer, hop))
    return reached


def nearest(reached: Mapping[str, int], symbols: Iterable[str]) -> int | None:
    """Edges from the nearest seed to the nearest of the symbols, None if none is reached."""
    return min((reached[i] for i in symbols if i in reached), default=None)


def _unless_many(pairs: Sequence[tuple[Edge, Direction]]) -> Sequence[tuple[Edge, Direction]]:
    return pairs if len(pairs) <= _MOST else ()


def _step(origin: Reach, edge: Edge, direction: Direction, target: str, hop: int) -> Reach:
    possible, turned, *_ = _rank(origin, edge, direction)
    tier: Tier = "possible" if possible else "certain"
    return Reach(target, hop, direction, edge.kind, tier, origin.symbol, origin.seed, origin.step, not turned)


def _rank(origin: Reach, edge: Edge, direction: Direction) -> _Rank:
    """Of the way on from ``origin`` over ``edge``: possible, turned, age, weakness, via, seed; the least is best."""
    possible = edge.tier != "certain" or origin.tier != "certain"
    turned = not origin.straight or origin.direction not in ("self", direction)
    return possible, turned, -origin.step, _STRONG[edge.kind], origin.symbol, origin.seed
