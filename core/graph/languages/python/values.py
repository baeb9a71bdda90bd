"""The values expressions can take when a Python program is linked: small tuples, sets of them, no numbers of lines.

("f", path, scope)  function        ("b", path, scope, receiver)  bound method     ("c", path, scope)  class
("i", path, class)  exactly an instance    ("o", path, class)  an instance of it or of a subclass
("s", path, class)  the receiver ``self``  ("t", path, class)  the receiver ``cls``
("m", path)  module                 ("n", folder)  namespace package               ("k", type, value)  constant
("x", dotted)  external thing       ("y", dotted)  what calling it gives           ("z", name)  builtin
("w", name)  instance of a builtin  ("u", path, class, receiver)  super()          ("r", values)  callable giving them
("e", path, scope, number)  container built there     ("l", elements, items)  container of known elements
("g", path, scope, receiver)  running generator        ("p", path, scope, name)  argument not known yet
("q", values)  property object      ("h", value, why)  what may have been put in the place of another
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from core.graph.languages.chains import rooted

Val = tuple[Any, ...]
Values = frozenset[Val]
NONE: Values = frozenset()
_DOTS = 10
_NESTED = frozenset("lrdaq")
_INSTANCES = frozenset("ios")


def is_instance(value: Val) -> bool:
    """Whether the value is an instance of a class of the repository."""
    return value[0] in _INSTANCES


def outside(v: Val) -> str:
    """The node id of an external thing or builtin."""
    return ("<external>::" if v[0] in "xy" else "<builtin>::") + str(v[1])


def external_attribute(dotted: str, name: str) -> str:
    """``dotted.name``, bounded: endless chains stay where they are."""
    return dotted if dotted.count(".") >= _DOTS else f"{dotted}.{name}"


def join(parts: Iterable[Values]) -> Values:
    """The union, in the one form that equal knowledge has."""
    found: set[Val] = set()
    for part in parts:
        found |= part
    return settled(found) if len(found) > 1 else frozenset(found)


def settled(found: set[Val]) -> Values:
    """``found`` with values that hold values merged into one a shape, so that growing parts leave no old copies."""
    found = rooted(found)
    nested = [v for v in found if v[0] in _NESTED]
    if len(nested) < 2:
        return frozenset(found)
    merged: dict[Any, list[Values]] = {}
    for v in nested:
        shape = (v[0], len(v), v[2] if v[0] == "a" else "")
        parts = merged.setdefault(shape, [NONE] * (len(v) - 1))
        for at, inner in enumerate(v[1:]):
            if isinstance(inner, frozenset):
                parts[at] = settled({*parts[at], *inner})
    whole = {(k, p[0], name) if k == "a" else (k, *p) for (k, _, name), p in merged.items()}
    return frozenset((found - set(nested)) | whole)


def elements(values: Values, items: Values | None = None) -> Val:
    """A container value; nesting is bounded so that no chain of containers grows without end."""
    items = values if items is None else items
    return ("l", _shallow(values), _shallow(items))


def _shallow(values: Values, depth: int = 2) -> Values:
    kept: set[Val] = set()
    for v in values:
        if v[0] in _NESTED:
            if depth == 0:
                continue
            kept.add((v[0], *(_shallow(p, depth - 1) if isinstance(p, frozenset) else p for p in v[1:])))
        else:
            kept.add(v)
    return settled(kept)


def substitute(
    values: Values, receiver: Val | None, argument: Callable[[str], Values | None], path: str, scope: str
) -> Values:
    """``values`` returned by function (path, scope) as its caller sees them: self and parameters filled in."""
    if all(v[0] not in "stpbldgu" for v in values):
        return values
    found: set[Val] = set()
    for v in values:
        kind = v[0]
        if kind == "p":
            if v[1] == path and v[2] == scope:
                given = argument(v[3])
                if given is not None:
                    found |= given
                    continue
            found.add(v)
        elif kind in "st":
            found.add(_received(v, receiver))
        elif kind in "bgu" and v[3] is not None and v[3][0] in "st":
            found.add((*v[:3], _received(v[3], receiver)))
        elif kind in "ld":
            found.add((kind, *(substitute(p, receiver, argument, path, scope) for p in v[1:])))
        else:
            found.add(v)
    return settled(found)


def _received(value: Val, receiver: Val | None) -> Val:
    if receiver is None:
        return value
    if value[0] == "s":
        return receiver if receiver[0] in _INSTANCES else _as_instance(receiver)
    return as_class(receiver)


def as_class(value: Val) -> Val:
    """The class of an instance; classes stay."""
    if value[0] == "i":
        return ("c", value[1], value[2])
    return ("t", value[1], value[2]) if value[0] in "os" else value


def _as_instance(value: Val) -> Val:
    if value[0] == "c":
        return ("i", value[1], value[2])
    return ("s", value[1], value[2]) if value[0] == "t" else value


def merge_c3(sequences: Sequence[Sequence[Val]]) -> list[Val]:
    """C3 linearisation of the given orders; where they contradict, depth first without repeats."""
    pending = [list(s) for s in sequences if s]
    found: list[Val] = []
    while pending:
        for sequence in pending:
            head = sequence[0]
            if not any(head in other[1:] for other in pending):
                break
        else:
            for sequence in pending:
                found += [c for c in sequence if c not in found]
            return found
        found.append(head)
        pending = [[c for c in s if c != head] for s in pending]
        pending = [s for s in pending if s]
    return found
