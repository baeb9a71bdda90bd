"""Names of external things that grow in loops: which of a set of values are kept. Shared by languages without types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def rooted(found: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """``found`` without external values ("x" or "y", dotted) that go two or more names beyond another one in it.

    In a loop that takes attributes of what it put aside (``node = node.left``, ``d[k] = d[j].cumsum()``) every turn
    finds longer names, as many as there are sequences of the attributes; what they say is said by the first.
    """
    names = {v[1] for v in found if v[0] in "xy"}
    if len(names) < 2:
        return found
    beyond = {name for name in names if not names.isdisjoint(_heads(name))}
    return {v for v in found if v[0] not in "xy" or v[1] not in beyond} if beyond else found


def _heads(dotted: str) -> Iterable[str]:
    """What is left of ``dotted`` without two or more of its last names."""
    parts = dotted.split(".")
    return (".".join(parts[:n]) for n in range(1, len(parts) - 1))
