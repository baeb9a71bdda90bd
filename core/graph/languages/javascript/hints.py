"""Type expressions as values: what something declared to have a type may be (see ``types`` for the forms).

jsalias(path, q)  a type alias     jstype(path, n)  the type exported as n
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.javascript.core import cell
from core.graph.languages.javascript.facts import TypeExpr
from core.graph.languages.javascript.static import module_of, static
from core.graph.languages.javascript.values import NONE, Val, Values, collection, dotted, join, shallow
from core.graph.lookups import Key, Lookups


def typed(q: Lookups, path: str, scope: str, t: TypeExpr) -> Values:
    """The values a type stands for; nothing when the type says nothing."""
    if t is None:
        return NONE
    kind = t[0]
    if kind == "tn":
        return _named(q, path, scope, t)
    if kind == "ti":
        return frozenset({("o", path, t[1])})
    if kind == "ta":
        return q.get(("jsalias", path, t[1]))  # type: ignore[no-any-return]
    if kind == "tb":
        return frozenset({("w", t[1])})
    if kind == "tl":
        return frozenset({collection(t[1], typed(q, path, scope, t[2]))})
    if kind == "tp":
        return frozenset({("a", shallow(typed(q, path, scope, t[1])))})
    if kind == "tu":
        return join(typed(q, path, scope, part) for part in t[1:])
    if kind in ("tf", "to"):
        return frozenset({("j", path, scope, t)})
    if kind == "ts":
        return frozenset({("s", path, t[1])})
    return _derived(q, path, scope, t)


def _derived(q: Lookups, path: str, scope: str, t: Any) -> Values:
    kind = t[0]
    if kind == "tq":
        return join(_member_type(q, v, t[2]) for v in static(q, path, scope, t[1]))
    if kind == "tv":
        return static(q, path, scope, t[1])
    if kind == "tk":
        return join(type_member(q, v, t[2]) for v in typed(q, path, scope, t[1]))
    if kind == "tr":
        return join(_result(q, v) for v in typed(q, path, scope, t[1]))
    return NONE


def _named(q: Lookups, path: str, scope: str, t: Any) -> Values:
    e = t[1]
    place = scope if e[0] in ("local", "loop") else e[1] if e[0] == "closure" else ""
    name = e[2] if e[0] == "closure" else e[1]
    facts = cell(q, path, "name", place, name) if e[0] != "attr" else None
    first = facts.versions[0][0] if facts is not None and facts.versions else None
    if first is not None and first[0] == "import":
        return _imported(q, path, first[1], first[2])
    return as_instances(q, static(q, path, scope, e))


def _imported(q: Lookups, path: str, specifier: str, name: str) -> Values:
    module = module_of(q, path, specifier)
    if module[0] == "x":
        return frozenset({("y", module[1] if name == "default" else dotted(module[1], name))})
    return q.get(("jstype", module[1], name))  # type: ignore[no-any-return]


def as_instances(q: Lookups, values: Values) -> Values:
    """Instances of the classes among ``values``."""
    found: set[Val] = set()
    for v in values:
        if v[0] == "c" or (v[0] == "f" and cell(q, v[1], "class", v[2]) is not None):
            found.add(("o", v[1], v[2]))
        elif v[0] == "x":
            found.add(("y", v[1]))
        elif v[0] == "z":
            found.add(("w", v[1]))
    return frozenset(found)


def _member_type(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` where a type is meant."""
    if v[0] == "m":
        return q.get(("jstype", v[1], name))  # type: ignore[no-any-return]
    if v[0] == "x":
        return frozenset({("y", dotted(v[1], name))})
    if v[0] == "c":  # a member of an enumeration
        return frozenset({("o", v[1], v[2])})
    if v[0] == "e":
        held = cell(q, v[1], "obj", v[2], v[3])
        if held is not None and held[0] == "object":
            return as_instances(q, join(static(q, v[1], v[2], e) for key, e in held[1] if key == name))
    return NONE


def type_member(q: Lookups, v: Val, name: str) -> Values:
    """What the member ``name`` of a value of an object type is declared to be."""
    if v[0] == "j" and v[3][0] == "to":
        known = dict(v[3][1])
        return typed(q, v[1], v[2], known.get(name, known.get("*")))
    if v[0] == "l" and name == "*":
        return v[2]  # type: ignore[no-any-return]
    if v[0] == "o":
        members = cell(q, v[1], "member", v[2], name) or ()
        return join(typed(q, v[1], v[2], e[1]) for _, _, e in members if e is not None and e[0] == "typed")
    return frozenset({("y", dotted(v[1], name))}) if v[0] == "y" else NONE


def _result(q: Lookups, v: Val) -> Values:
    if v[0] == "f":
        facts = cell(q, v[1], "func", v[2])
        if facts is None or facts.returned is not None:
            return typed(q, v[1], v[2], facts.returned) if facts is not None else NONE
        made = [static(q, v[1], v[2], e[1]) for e in facts.returns if e[0] == "new"]
        plain = [static(q, v[1], v[2], e) for e in facts.returns if e[0] == "obj"]
        return join([as_instances(q, join(made)), *plain])
    if v[0] == "j" and v[3][0] == "tf":
        return typed(q, v[1], v[2], v[3][1])
    return as_instances(q, frozenset({v}))


def _rule_alias(q: Lookups, key: Key) -> Values:
    _, path, qual = key
    t = cell(q, path, "alias", qual)
    return shallow(typed(q, path, qual, t)) if t is not None else NONE


def _rule_type(q: Lookups, key: Key) -> Values:
    _, path, name = key
    t = cell(q, path, "texport", "", name)
    if t is not None:
        return typed(q, path, "", t)
    e = cell(q, path, "export", "", name)
    if e is not None:
        if e[0] == "import" and e[2] != "*":
            return _imported(q, path, e[1], e[2])
        if e[0] == "name":
            return _named(q, path, "", ("tn", e, name))
        return as_instances(q, static(q, path, "", e))
    found: list[Values] = []
    for module in q.get(("jsstarred", path, name)):
        if module[0] == "m":
            found.append(q.get(("jstype", module[1], name)))
        else:
            found.append(frozenset({("y", dotted(module[1], name))}))
    return join(found)


RULES: dict[str, tuple[Any, Any]] = {"jsalias": (_rule_alias, NONE), "jstype": (_rule_type, NONE)}
