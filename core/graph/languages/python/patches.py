"""What other code puts into classes and modules: ``Cls.m = g``, ``mod.f = g`` (Eq. 5, E_t).

In: the cells "patch" of all files, found by the attribute's name. Out, rules:

    patches(n)            by (path, class), "" for the module, the assignments to its attribute n: (path, scope, value)
    patched(path, c, n)   what they may put there: the values of kind "h"

When such an assignment runs is not known: what was defined stays possible, and what was put there is. Only what can be
called counts (functions, classes, properties), as far as the assigned expression alone says it.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.python.core import cell, ev, known
from core.graph.languages.python.static import static
from core.graph.languages.python.values import NONE, Val, Values
from core.graph.lookups import Key, Lookups

Assigned = tuple[str, str, Expr]


def somewhere(q: Lookups, name: str) -> bool:
    """Whether any class has a method of this name, or is given something under it."""
    return bool(q.input(("names?", "method", name)) or q.input(("names?", "patch", name)))


def patched(q: Lookups, path: str, cls: str, name: str) -> Values:
    """What other code may have put into attribute ``name`` of a class, or of a module (``cls`` is "")."""
    if not q.input(("names?", "patch", name)):
        return NONE
    found: Values = q.get(("patched", path, cls, name))
    return found


def patches_below(q: Lookups, path: str, cls: str, name: str) -> list[Val]:
    """The functions and classes that other code may have put into ``name`` of known subclasses of a class."""
    if not q.input(("names?", "patch", name)):
        return []
    below = [at for at in q.get(("patches", name)) if at[1] and (path, cls) in q.get(("ancestors", *at))]
    return [v[1] for at in below for v in q.get(("patched", *at, name)) if v[1][0] in "fc"]


def _rule_patches(q: Lookups, key: Key) -> dict[tuple[str, str], list[Assigned]]:
    name = key[1]
    found: dict[tuple[str, str], list[Assigned]] = {}
    for path, scope in q.input(("names", "patch", name)):
        for base, value in cell(q, path, "patch", scope, name) or ():
            for v in sorted(static(q, path, scope, base)):
                if v[0] in "cm":
                    found.setdefault((v[1], v[2] if v[0] == "c" else ""), []).append((path, scope, value))
    return found


def _rule_patched(q: Lookups, key: Key) -> Values:
    _, path, cls, name = key
    found: set[Val] = set()
    for file, scope, value in q.get(("patches", name)).get((path, cls), ()):
        for v in known(q, ev(q, file, scope, value)):
            if v[0] in "fcxq":
                found.add(("h", v, f"assigned in {file}"))
            elif v[0] == "b":
                found.add(("h", ("f", *v[1:3]), f"assigned in {file}"))
    return frozenset(found)


RULES: dict[str, tuple[Any, Any]] = {"patches": (_rule_patches, {}), "patched": (_rule_patched, NONE)}
