"""Which bindings of a name reach a use, inside one scope: a few rules on blocks instead of a control-flow graph.

In: bindings with their place (``at``, growing along the text) and block. Out: indexes of the bindings that
may hold at a use. The latest binding whose block encloses the use ends the search; arms of one ``if``,
``match`` or loop-else exclude each other; an arm that leaves (return, raise, continue, break) does not flow
on; inside a loop later bindings of the loop reach too. Over-approximates where arms together cover all ways; of
the bindings on either side of a use only the ``FAR`` nearest are looked at: beyond that a text is a table.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from core.graph.facts import Expr

AT_END = 1 << 60
FAR = 256
_at = attrgetter("at")


@dataclass(slots=True)
class Block:
    """A suite: ``group`` is shared by suites that exclude each other; ``leaves`` = control does not fall out."""

    parent: int
    depth: int
    group: int = -1
    loop: bool = False
    leaves: bool = False


@dataclass(slots=True)
class Bind:
    """One binding of a name. ``real`` is false for updates of the object and for narrowings, which bind nothing."""

    name: str
    at: int
    block: int
    kind: str
    node: Any
    real: bool = True
    narrow: bool = False
    expr: Expr | None = None
    index: int = -1
    path: tuple[Any, ...] = field(default=())


def encloses(blocks: Sequence[Block], outer: int, inner: int) -> bool:
    """Whether block ``outer`` is ``inner`` or one of its ancestors."""
    depth = blocks[outer].depth
    while blocks[inner].depth > depth:
        inner = blocks[inner].parent
    return inner == outer


def reaching(blocks: Sequence[Block], binds: Sequence[Bind], at: int, block: int) -> tuple[int, ...]:
    """Ascending indexes of ``binds`` (statement by statement, places within one differ by at most 2) that may hold
    at ``at`` in ``block``."""
    if len(binds) == 1:
        only = binds[0]
        if only.narrow and not encloses(blocks, only.block, block):
            return ()
        return (0,) if only.at < at or _outer_loop(blocks, block) >= 0 else ()
    found: list[int] = []
    killer: Bind | None = None
    stop = bisect_left(binds, at + 2, key=_at) if len(binds) > 16 else len(binds)
    for index in range(stop - 1, max(stop - FAR, 0) - 1, -1):
        bind = binds[index]
        if bind.at >= at:
            continue
        over = encloses(blocks, bind.block, block)
        if over:
            found.append(index)
            killer = bind
            break
        if not bind.narrow and _flows(blocks, bind.block, block):
            found.append(index)
    loop = _outer_loop(blocks, block)
    if loop >= 0 and not (killer is not None and encloses(blocks, loop, killer.block)):
        first = bisect_left(binds, at - 1, key=_at) if len(binds) > 16 else 0
        later = enumerate(binds[first : first + FAR], first)
        found += [i for i, b in later if b.at > at and not b.narrow and encloses(blocks, loop, b.block)]
    return tuple(sorted(found))


def _outer_loop(blocks: Sequence[Block], block: int) -> int:
    loop = -1
    while block >= 0:
        if blocks[block].loop:
            loop = block
        block = blocks[block].parent
    return loop


def _flows(blocks: Sequence[Block], source: int, use: int) -> bool:
    """Whether control that ran ``source`` can come to ``use``, given that it does not enclose it."""
    below_source, below_use = -1, -1
    while source != use:
        if blocks[source].depth >= blocks[use].depth:
            if blocks[source].leaves and not blocks[source].loop:
                return False
            below_source, source = source, blocks[source].parent
        else:
            below_use, use = use, blocks[use].parent
    if below_source < 0 or below_use < 0:
        return True
    group = blocks[below_source].group
    return group < 0 or group != blocks[below_use].group
