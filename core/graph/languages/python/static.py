"""What names mean without running anything: classes, modules, functions and constants behind aliases.

Bases, metaclasses, annotations and constant keys are read with this evaluator only. It never looks at
instances or at members found through an MRO, so the order of classes does not depend on values that depend
on it, and every rule built on values grows with what it reads (see ``lookups``).

    static(path, s, n)      n at the end of scope s           slocal(path, s, n, versions)
    sattr(path, c, n)       attribute n of class c, own first, else of its bases
    sreturns(path, s)       classes a function returns
    order(path, c)  MRO     ancestors(path, c)                metaclass(path, c)
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.python.core import BUILTINS, cell
from core.graph.languages.python.values import NONE, Val, Values, external_attribute, join, merge_c3
from core.graph.lookups import Key, Lookups


def static(q: Lookups, path: str, scope: str, e: Expr | None) -> Values:
    """The classes, functions, modules, external things and constants ``e`` may be."""
    if e is None:
        return NONE
    kind = e[0]
    if kind == "name":
        return q.get(("static", path, "", e[1]))  # type: ignore[no-any-return]
    if kind == "closure":
        return q.get(("static", path, e[1], e[2]))  # type: ignore[no-any-return]
    if kind == "local":
        return q.get(("slocal", path, scope, e[1], e[2]))  # type: ignore[no-any-return]
    if kind == "attr":
        return join(_attribute(q, v, e[2]) for v in static(q, path, scope, e[1]))
    if kind == "class":
        return frozenset({("c", path, e[1])})
    if kind in ("def", "function"):
        return frozenset({("f", path, e[1])})
    if kind == "module":
        return frozenset({q.get(("import", path, 0, e[1]))})
    if kind == "from":
        module = q.get(("import", path, e[1], e[2]))
        inner = q.get(("submodule", path, e[3])) if module == ("m", path) else None
        return frozenset({inner}) if inner is not None else _member(q, module, e[3])
    if kind == "const":
        return frozenset({("k", e[1], e[2])}) if e[1] != "NoneType" else NONE
    if kind == "item":
        return frozenset(v for v in static(q, path, scope, e[1]) if v[0] in "cxz")
    if kind == "any":
        return join(static(q, path, scope, part) for part in e[1:])
    if kind == "typed":
        return static(q, path, scope, e[2])
    return _call(q, path, scope, e) if kind == "call" else NONE


def _call(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: list[Values] = []
    for v in static(q, path, scope, e[1]):
        if v[0] == "f":
            found.append(q.get(("sreturns", v[1], v[2])))
        elif v[0] == "x":
            if v[1].rsplit(".", 1)[-1] == "with_metaclass":
                found += [static(q, path, scope, a) for a in e[2][1:]]
            found.append(frozenset({("y", v[1])}))
    return join(found)


def _attribute(q: Lookups, v: Val, name: str) -> Values:
    if v[0] == "c":
        return q.get(("sattr", v[1], v[2], name))  # type: ignore[no-any-return]
    if v[0] in "mnx":
        return _member(q, v, name)
    return frozenset({("x", external_attribute(v[1], name))}) if v[0] == "y" else NONE


def _member(q: Lookups, v: Val, name: str) -> Values:
    """``name`` of a module, a namespace package or an external thing."""
    if v[0] == "m":
        if q.get(("binds", v[1], name)):
            return q.get(("static", v[1], "", name))  # type: ignore[no-any-return]
        inner = q.get(("submodule", v[1], name))
        if inner is not None:
            return frozenset({inner})
        return q.get(("static", v[1], "", name)) if name not in BUILTINS else NONE
    if v[0] == "n":
        entry = q.input(("file", f"{v[1]}/{name}" if v[1] else name))
        return frozenset({entry}) if entry is not None else NONE
    return frozenset({("x", external_attribute(v[1], name))})


def _chosen(q: Lookups, path: str, scope: str, facts: Any, chosen: tuple[int, ...]) -> Values:
    found = [static(q, path, scope, facts.versions[i][1]) for i in chosen if i < len(facts.versions)]
    return join([*found, *(static(q, path, inner, e) for inner, e in facts.extern)])


def _rule_static(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "name", scope, name)
    if facts is not None:
        return _chosen(q, path, scope, facts, facts.final)
    if scope:
        return NONE
    sources = q.get(("starred", path, name))
    if sources and sources[0][0] == "m":
        return join(q.get(("static", m[1], "", name)) for m in sources)
    if sources and name not in BUILTINS:
        return frozenset(("x", external_attribute(m[1], name)) for m in sources)
    return frozenset({("z", name)}) if name in BUILTINS else NONE


def _rule_slocal(q: Lookups, key: Key) -> Values:
    _, path, scope, name, chosen = key
    facts = cell(q, path, "name", scope, name)
    return _chosen(q, path, scope, facts, chosen) if facts is not None else NONE


def _rule_sattr(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    if cell(q, path, "name", scope, name) is not None:
        return q.get(("static", path, scope, name))  # type: ignore[no-any-return]
    return join(q.get(("sattr", b[1], b[2], name)) for b in bases_of(q, path, scope) if b[0] == "c")


def _rule_sreturns(q: Lookups, key: Key) -> Values:
    _, path, scope = key
    facts = cell(q, path, "function", scope)
    found = [static(q, path, scope, e) for e in facts.returns] if facts is not None else []
    return frozenset(v for v in join(found) if v[0] in "cx")


def bases_of(q: Lookups, path: str, scope: str) -> tuple[Val, ...]:
    """The direct bases of a class that are classes, external things or builtins, in order."""
    facts = cell(q, path, "class", scope)
    if facts is None:
        return ()
    found: list[Val] = []
    for e in facts.bases:
        for v in sorted(static(q, path, facts.parent, e)):
            base = ("x", v[1]) if v[0] == "y" else v
            if base[0] in "cxz" and base not in found and base[1:] != (path, scope):
                found.append(base)
    return tuple(found)


def _rule_above(q: Lookups, key: Key) -> frozenset[Val]:
    """All classes above a class, itself too where classes are each other's bases."""
    found: set[Val] = set()
    for b in bases_of(q, key[1], key[2]):
        if b[0] == "c":
            found |= {b, *q.get(("above", b[1], b[2]))}
    return frozenset(found)


def _rule_order(q: Lookups, key: Key) -> tuple[Val, ...]:
    """The MRO by C3; a base that has the class above itself is left out, so no order is circular."""
    _, path, scope = key
    me: Val = ("c", path, scope)
    bases = [b for b in bases_of(q, path, scope) if b[0] != "c" or me not in q.get(("above", b[1], b[2]))]
    if not bases:
        return (me,)
    orders = [q.get(("order", b[1], b[2])) if b[0] == "c" else (b,) for b in bases]
    return (me, *[c for c in merge_c3([*orders, bases]) if c != me])


def _rule_ancestors(q: Lookups, key: Key) -> frozenset[Val]:
    return frozenset(c[1:] for c in q.get(("order", key[1], key[2]))[1:] if c[0] == "c")


def _rule_metaclass(q: Lookups, key: Key) -> tuple[Val, ...]:
    for c in q.get(("order", key[1], key[2])):
        if c[0] != "c":
            continue
        facts = cell(q, c[1], "class", c[2])
        for name, e in facts.keywords if facts is not None else ():
            if name == "metaclass":
                return tuple(sorted(v for v in static(q, c[1], facts.parent, e) if v[0] == "c"))
    return ()


RULES: dict[str, tuple[Any, Any]] = {
    "static": (_rule_static, NONE),
    "slocal": (_rule_slocal, NONE),
    "sattr": (_rule_sattr, NONE),
    "sreturns": (_rule_sreturns, NONE),
    "above": (_rule_above, frozenset()),
    "order": (_rule_order, ()),
    "ancestors": (_rule_ancestors, frozenset()),
    "metaclass": (_rule_metaclass, ()),
}
