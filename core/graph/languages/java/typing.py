"""What Java types are: type expressions resolved, type parameters replaced by arguments.

Types: ("N", path, key, arguments) declared here   ("X", dotted, arguments) declared elsewhere   ("B", name) primitive
("S", element) array   ("Y", path, key, i, bound) a type parameter of a class   ("W", name, bound) one of a method
("O", dotted) whatever an unknown method of something elsewhere gives; ("O", dotted, True) a static field there, whose
type is elsewhere too. None is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.graph.facts import Expr
from core.graph.lookups import Lookups

Type = tuple[Any, ...] | None
OBJECT: Type = ("X", "java.lang.Object", ())
STRING: Type = ("X", "java.lang.String", ())
BOOLEAN: Type = ("B", "boolean")
INT: Type = ("B", "int")


def typed(q: Lookups, path: str, e: Expr | None) -> Type:
    """The type a type expression of ``path`` stands for."""
    if e is None:
        return None
    kind = e[0]
    if kind == "n":
        return _named(q, path, e)
    if kind == "p":
        return ("B", e[1])
    if kind == "s":
        return ("S", typed(q, path, e[1]))
    if kind == "k":
        return ("N", path, e[1], tuple(typed(q, path, a) for a in e[2]))
    if kind == "y":
        return ("Y", path, e[1], e[2], typed(q, path, e[3]))
    return ("W", e[1], typed(q, path, e[2])) if kind == "w" else None


def _named(q: Lookups, path: str, e: Expr) -> Type:
    _, ctx, dotted, given = e
    first, *rest = dotted.split(".")
    found: Type = q.get(("javatype", path, ctx, first))
    if found is None and rest:
        found = q.get(("javadotted", path, dotted))
        if found is None and first[:1].islower():
            found = ("X", dotted, ())
    else:
        for part in rest:
            if found is None:
                break
            if found[0] == "X":
                found = ("X", f"{found[1]}.{part}", ())
            else:
                found = q.get(("javanested", found[1], found[2], part)) if found[0] == "N" else None
    if found is None or not given:
        return found
    return (*found[:-1], tuple(typed(q, path, a) for a in given))


def erased(t: Type) -> Type:
    """A type with its type parameter replaced by what bounds it."""
    for _ in range(8):
        if t is None or t[0] not in "YW":
            return t
        t = t[-1] if t[-1] is not None else OBJECT
    return OBJECT


def substituted(t: Any, path: str, key: str, given: tuple[Type, ...]) -> Any:
    """``t`` with the type parameters of a class replaced by arguments; without arguments as it is."""
    if t is None or not given:
        return t
    kind = t[0]
    if kind == "Y":
        if t[1:3] == (path, key):
            return given[t[3]] if t[3] < len(given) else t
        return t
    if kind in "NX" and t[-1]:
        return (*t[:-1], tuple(substituted(a, path, key, given) for a in t[-1]))
    return ("S", substituted(t[1], path, key, given)) if kind == "S" else t


def bound_to(t: Any, found: Mapping[str, Type]) -> Any:
    """``t`` with the type parameters of a method replaced by what they were found to be, unknown without."""
    if t is None:
        return None
    kind = t[0]
    if kind == "W":
        given = found.get(t[1])
        return given if given is not None else t[2]
    if kind in "NX" and t[-1]:
        return (*t[:-1], tuple(bound_to(a, found) for a in t[-1]))
    return ("S", bound_to(t[1], found)) if kind == "S" else t


def unify(pattern: Any, given: Type, found: dict[str, Type]) -> None:
    """Learn from an argument what the type parameters of a method are."""
    if pattern is None or given is None:
        return
    kind = pattern[0]
    if kind == "W":
        if given[0] != "O" and found.get(pattern[1]) is None:
            found[pattern[1]] = boxed(given)
    elif kind == "S":
        if given[0] == "S":
            unify(pattern[1], given[1], found)
    elif kind in "NX" and given[0] == kind:
        for p, g in zip(pattern[-1], given[-1], strict=False):
            unify(p, g, found)


_BOXES = {
    "int": "Integer", "char": "Character", "boolean": "Boolean", "long": "Long", "double": "Double", "float": "Float",
    "short": "Short", "byte": "Byte",
}  # fmt: skip


def boxed(t: Type) -> Type:
    """The class of a primitive; anything else as it is."""
    if t is None or t[0] != "B" or t[1] not in _BOXES:
        return t
    return ("X", f"java.lang.{_BOXES[t[1]]}", ())


def unboxed(t: Type) -> str:
    """The primitive of a box, "" for anything else."""
    if t is None or t[0] != "X":
        return ""
    return next((p for p, b in _BOXES.items() if t[1] == f"java.lang.{b}"), "")


def element(t: Type) -> Type:
    """What ``for`` takes from a value of a type: an element of an array or a collection."""
    found = erased(t)
    if found is None:
        return None
    if found[0] == "S":
        return found[1]  # type: ignore[no-any-return]
    if found[0] == "X":
        return found[2][0] if len(found[2]) == 1 else ("O", f"{found[1]}[]") if not found[2] else None
    return None
