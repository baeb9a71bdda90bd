"""Methods that syntax and builtins run without naming them: operators, items, loops, ``with``, ``len(x)``.

In: look-ups over the cells of ``python``. Out: links of the sites of kind op, iter and with, and what calls of
builtins run beside them. What an operator runs also depends on the other operand and on what the method gives
back, so these links are ``possible``; a loop and a ``with`` always run theirs.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.python.calls import Bare, call
from core.graph.languages.python.core import ev, known
from core.graph.languages.python.found import Found
from core.graph.languages.python.members import bind
from core.graph.languages.python.patches import somewhere
from core.graph.languages.python.uses import Link
from core.graph.languages.python.values import Val, Values, is_instance
from core.graph.lookups import Lookups

_PROTOCOLS = {
    "iter": (("__iter__", "__aiter__"), ("__next__", "__anext__")),
    "with": (("__enter__", "__aenter__"), ("__exit__", "__aexit__")),
}
PROTOCOLS = frozenset(_PROTOCOLS)
_ITERATED = ("__iter__", "__getitem__")
BUILTINS: dict[str, tuple[str, ...]] = {
    "len": ("__len__",), "iter": _ITERATED, "next": ("__next__",), "repr": ("__repr__",), "hash": ("__hash__",),
    "str": ("__str__", "__repr__"), "bool": ("__bool__", "__len__"), "int": ("__int__", "__index__"),
    "float": ("__float__",), "abs": ("__abs__",), "bytes": ("__bytes__", "__iter__"), "reversed": ("__reversed__",),
    "format": ("__format__",), "round": ("__round__",), "dir": ("__dir__",), "list": _ITERATED, "tuple": _ITERATED,
    "set": _ITERATED, "frozenset": _ITERATED, "sorted": _ITERATED, "sum": _ITERATED, "any": _ITERATED,
    "all": _ITERATED, "enumerate": _ITERATED,
}  # fmt: skip
# What runs when the first is missing; an augmented assignment falls back to the plain operator.
_INSTEAD = {"__contains__": _ITERATED, "__ne__": ("__eq__",), "__bool__": ("__len__",)}
_REFLECTED = {
    "__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__", "__eq__": "__eq__",
    "__ne__": "__ne__",
}  # fmt: skip
_NO_REFLECTION = frozenset(["__contains__", "__getitem__", "__setitem__", "__delitem__"])


def protocol(q: Lookups, path: str, scope: str, kind: str, e: Expr) -> tuple[Link, ...]:
    """``for`` and ``with`` over instances of repository classes call their protocol methods."""
    found = Found(q, "certain")
    first, second = _PROTOCOLS[kind]
    for v in sorted(known(q, ev(q, path, scope, e)), key=repr):
        if not is_instance(v):
            continue
        entered = _methods(q, v, first, found)
        if kind == "with":
            _methods(q, v, second, found)
            continue
        for m in entered:
            for iterator in sorted(_called(q, m, v), key=repr):
                if is_instance(iterator):
                    _methods(q, iterator, second, found)
    return found.done()


def operator(q: Lookups, path: str, scope: str, e: Expr) -> tuple[Link, ...]:
    """What ``a + b``, ``a < b``, ``a in b``, ``-a``, ``a[k]``, ``a[k] = v``, ``del a[k]`` and ``if a`` run."""
    name, left, right = ("__getitem__", e[1], None) if e[0] == "item" else e[1:4]
    names = _alternatives(name)
    back = "" if name in _NO_REFLECTION or right is None else _REFLECTED.get(name, f"__r{name[2:]}")
    found = Found(q, "possible")
    if any(somewhere(q, n) for n in names):
        _run(q, known(q, ev(q, path, scope, left)), names, found)
    if back and somewhere(q, back):
        _run(q, known(q, ev(q, path, scope, right)), (back,), found)
    return found.done()


def _alternatives(name: str) -> tuple[str, ...]:
    if name.startswith("__i") and name not in ("__invert__", "__index__"):
        return (name, f"__{name[3:]}")
    return (name, *_INSTEAD.get(name, ()))


def of_builtin(q: Lookups, path: str, scope: str, name: str, argument: Expr | None, found: Found) -> None:
    """What the builtin ``name`` runs of its first argument."""
    names = BUILTINS[name]
    if argument is not None and any(somewhere(q, n) for n in names):
        inner = Found(q, "possible")
        _run(q, known(q, ev(q, path, scope, argument)), names, inner)
        found.take(inner)


def _run(q: Lookups, values: Values, names: tuple[str, ...], found: Found) -> None:
    """The first of ``names`` that each instance has; ``__class_getitem__`` for classes."""
    for v in sorted(values, key=repr):
        if is_instance(v):
            for name in names:
                if _methods(q, v, (name,), found):
                    break
        elif v[0] in "ct" and names[0] == "__getitem__" and q.input(("names?", "method", "__class_getitem__")):
            _methods(q, v, ("__class_getitem__",), found)


def _called(q: Lookups, m: Val, receiver: Val) -> Values:
    found: set[Val] = set()
    for bound in bind(q, m, receiver):
        found |= call(q, bound, Bare(receiver))
    return frozenset(found)


def _methods(q: Lookups, v: Val, names: tuple[str, ...], found: Found) -> list[Val]:
    entered: list[Val] = []
    for name in names:
        plain: Any = q.get(("member", v[1], v[2], name))[0]
        for m in sorted(plain, key=repr):
            if m[0] == "f":
                found.function(m, f"{name} of {v[2]}", name, v)
                entered.append(m)
            elif m[0] == "h":
                found.instead(m)
    return entered
