"""The values expressions can take when a program is linked: small tuples, sets of them, no numbers of lines.

("f", path, scope)  function     ("c", path, class)  class     ("m", path)  module
("i", path, class, site)  exactly an instance, made at (path, scope, k) or None
("o", path, class)  an instance of it or of what is below it     ("s", path, class)  the receiver ``this``
("t", path, class)  ``this`` of a static method     ("u", path, class, kind)  super
("e", path, scope, k)  object or array of the text     ("l", kind, values)  collection     ("a", values)  promise
("g", path, scope)  running generator     ("p", path, scope, number)  argument not known yet     ("k", text)  constant
("x", dotted)  external thing     ("y", dotted)  what calling it gives     ("z", name)  builtin
("w", name)  instance of a builtin     ("b", name, values)  method of a builtin that hands on what it holds
("h", value, method)  call, apply or bind of a function     ("j", path, scope, type)  of an object or function type
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from core.graph.languages.chains import rooted

Val = tuple[Any, ...]
Values = frozenset[Val]
NONE: Values = frozenset()
_DOTS = 4
_BUILTIN_DOTS = 2
_NESTED = frozenset("lab")
INSTANCES = frozenset("ios")


def is_instance(value: Val) -> bool:
    """Whether the value is an instance of a class of the repository."""
    return value[0] in INSTANCES


def outside(v: Val) -> str:
    """The node id of an external thing or builtin."""
    return ("<external>::" if v[0] in "xy" else "<builtin>::") + str(v[1])


def dotted(base: str, name: str) -> str:
    """``base.name``, bounded: endless chains stay where they are, so loops over them end."""
    return base if base.count(".") >= _DOTS else f"{base}.{name}"


def of_builtin(base: str, name: str) -> Val:
    """The member ``name`` of a builtin or of an instance of one, bounded likewise."""
    return ("z", base if base.count(".") >= _BUILTIN_DOTS else f"{base}.{name}")


def join(parts: Iterable[Values]) -> Values:
    """The union, in the one form that equal knowledge has."""
    found: set[Val] = set()
    for part in parts:
        found |= part
    return settled(found) if len(found) > 1 else frozenset(found)


def settled(found: Iterable[Val]) -> Values:
    """``found`` with collections of one kind merged, so that growing parts leave no old copies."""
    held = rooted(set(found))
    nested = [v for v in held if v[0] in _NESTED]
    if len(nested) < 2:
        return frozenset(held)
    merged: dict[Any, set[Val]] = {}
    for v in nested:
        merged.setdefault(v[:-1], set()).update(v[-1])
    whole = {(*shape, settled(inner)) for shape, inner in merged.items()}
    return frozenset((held - set(nested)) | whole)


def collection(kind: str, values: Values) -> Val:
    """A collection value; nesting is bounded so that no chain of collections grows without end."""
    return ("l", kind, shallow(values))


def method_of(name: str, values: Values) -> Val:
    """A method of a builtin that holds ``values``."""
    return ("b", name, shallow(values, 1))


def shallow(values: Values, depth: int = 2) -> Values:
    """``values`` with what is nested deeper than ``depth`` left out."""
    if all(v[0] not in _NESTED for v in values):
        return values
    kept: set[Val] = set()
    for v in values:
        if v[0] in _NESTED:
            if depth:
                kept.add((*v[:-1], shallow(v[-1], depth - 1)))
        else:
            kept.add(v)
    return settled(kept)


def substitute(
    values: Values, receivers: Values, argument: Callable[[int], Values | None], path: str, scope: str
) -> Values:
    """``values`` that function (path, scope) gives as its caller sees them: ``this`` and parameters filled in."""
    if all(v[0] not in "splab" for v in values):
        return values
    found: set[Val] = set()
    for v in values:
        kind = v[0]
        if kind == "p" and v[1] == path and v[2] == scope:
            given = argument(v[3])
            found |= given if given is not None else {v}
        elif kind == "s" and receivers:
            found |= {r for r in receivers if is_instance(r)} or {v}
        elif kind in _NESTED:
            found.add((*v[:-1], substitute(v[-1], receivers, argument, path, scope)))
        else:
            found.add(v)
    return settled(found)
