"""Objects and arrays that stand in the text, and what keys, loops and spreads take out of them.

jsheld(path, s, k, keys)  what object k of scope s holds at constant keys (None: at any)
jskind(path, s, k)        the builtin it is an instance of: Array, Map, Set, Object
"""

from __future__ import annotations

from typing import Any

import core.graph.languages.javascript.calls as calls
import core.graph.languages.javascript.members as members
from core.graph.facts import Expr
from core.graph.languages.javascript.core import cell, ev, known
from core.graph.languages.javascript.hints import type_member
from core.graph.languages.javascript.static import static
from core.graph.languages.javascript.values import NONE, Val, Values, collection, is_instance, join, method_of
from core.graph.lookups import Key, Lookups

OBJECT = frozenset(["hasOwnProperty", "toString", "valueOf", "propertyIsEnumerable", "isPrototypeOf", "toLocaleString"])
_LISTS = frozenset(["Array", "Set", "Map"])


def constants(q: Lookups, path: str, scope: str, e: Expr | None) -> Values | None:
    """The constants a key may be; None when it may be anything."""
    found = known(q, ev(q, path, scope, e)) if q.flow else static(q, path, scope, e)
    return found if found and all(v[0] == "k" for v in found) else None


def item(q: Lookups, v: Val, keys: Values | None) -> Values:
    """The values of ``v[key]``."""
    kind = v[0]
    if kind == "e":
        return q.get(("jsheld", *v[1:], keys))  # type: ignore[no-any-return]
    if kind == "l":
        return v[2]  # type: ignore[no-any-return]
    if kind in "xy":
        return frozenset({v})
    if kind == "j" and keys is None:
        return type_member(q, v, "*")
    if keys is None:
        return NONE
    return join(members.attribute(q, v, k[1]) for k in keys)


def attribute(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` of an object or array of the text."""
    _, path, scope, k = v
    found: Values = q.get(("jsheld", path, scope, k, frozenset({("k", name)})))
    kind = q.get(("jskind", path, scope, k))
    if kind in _LISTS:
        return found | {method_of(f"{kind}.{name}", q.get(("jsheld", path, scope, k, None)))}
    if kind == "Object" and name in OBJECT:
        return found | {("z", f"Object.{name}")}
    return found


def iterated(q: Lookups, v: Val) -> Values:
    """The values a loop over ``v`` takes."""
    kind = v[0]
    if kind == "e":
        found: Values = q.get(("jsheld", *v[1:], None))
        return frozenset({collection("Pair", found)}) if q.get(("jskind", *v[1:])) == "Map" else found
    if kind == "l":
        return frozenset({collection("Pair", v[2])}) if v[1] == "Map" else v[2]
    if kind == "g":
        return q.get(("jsyields", v[1], v[2]))  # type: ignore[no-any-return]
    if kind == "a":
        return join(iterated(q, x) for x in v[1] if x[0] in "el")
    if is_instance(v):
        return join(_stepped(q, it) for it in calls.method(q, v, "@@iterator") | calls.method(q, v, "@@asyncIterator"))
    if kind in "kw" and (kind == "k" or v[1] == "String"):
        return frozenset({("w", "String")})
    return NONE


def _stepped(q: Lookups, iterator: Val) -> Values:
    if iterator[0] in "gl":
        return iterated(q, iterator)
    if iterator[0] != "e":
        return NONE
    found: list[Values] = []
    for step in members.attribute(q, iterator, "next"):
        for result in calls.call(q, step, calls.Bare(frozenset({iterator}))):
            if result[0] == "e":
                found.append(members.attribute(q, result, "value"))
    return join(found)


def _rule_held(q: Lookups, key: Key) -> Values:
    _, path, scope, k, wanted = key
    built = cell(q, path, "obj", scope, k)
    if built is None:
        return NONE
    kind = built[0]
    if kind == "object":
        return _literal(q, path, scope, built, wanted)
    if kind == "array":
        return _array(q, path, scope, built[1], wanted)
    if kind == "store":
        stored = constants(q, path, scope, built[2])
        found: list[Values] = []
        if wanted is None or stored is None or wanted & stored:
            found.append(ev(q, path, scope, built[3]))
        if not (wanted is not None and stored is not None and wanted <= stored and len(stored) == 1):
            found.append(_from(q, path, scope, built[1], wanted))
        return join(found)
    if kind == "bag":
        return _bag(q, path, scope, k, built, wanted)
    if kind == "merge":
        added = _from(q, path, scope, built[2], wanted)
        if wanted is not None and len(wanted) == 1:
            (only,) = wanted
            sources = static(q, path, scope, built[2])
            if sources and all(_listed(q, v, only[1]) for v in sources):
                return added
        return added | _from(q, path, scope, built[1], wanted)
    return NONE


def _bag(q: Lookups, path: str, scope: str, k: str, built: Expr, wanted: Values | None) -> Values:
    keys = built[2] if wanted is None else sorted(v[1] for v in wanted)
    found = [ev(q, path, scope, e) for key in (*keys, "*") for e in cell(q, path, "bag", f"{scope} {k}", key) or ()]
    return join([*found, *(_from(q, path, scope, e, wanted) for e in (built[1], *built[3]))])


def _listed(q: Lookups, v: Val, name: str) -> bool:
    held = cell(q, v[1], "obj", v[2], v[3]) if v[0] == "e" else None
    return held is not None and held[0] == "object" and any(key == name for key, _ in held[1])


def _from(q: Lookups, path: str, scope: str, e: Expr | None, wanted: Values | None) -> Values:
    found: list[Values] = []
    for v in known(q, ev(q, path, scope, e)):
        found.append(item(q, v, wanted))
    return join(found)


def _literal(q: Lookups, path: str, scope: str, built: Expr, wanted: Values | None) -> Values:
    if wanted is None:
        found = [ev(q, path, scope, e) for _, e in built[1]]
    else:
        found = []
        for k in wanted:
            last = next((e for key, e in reversed(built[1]) if key == k[1]), None)
            found.append(ev(q, path, scope, last))
        found += [ev(q, path, scope, e) for key, e in built[1] if key is None]
        if all(any(key == k[1] for key, _ in built[1]) for k in wanted):
            return join(found)
    return join([*found, *(_from(q, path, scope, e, wanted) for e in built[2])])


def _array(q: Lookups, path: str, scope: str, parts: tuple[Expr | None, ...], wanted: Values | None) -> Values:
    if wanted is not None and not any(p is not None and p[0] == "spread" for p in parts):
        numbers = [int(k[1]) for k in wanted if k[1].isdecimal() and len(k[1]) < 8]
        return join(ev(q, path, scope, parts[n]) for n in numbers if n < len(parts))
    if wanted is not None and not any(k[1].isdecimal() for k in wanted):
        return NONE
    return join(ev(q, path, scope, p) for p in parts)


def _rule_kind(q: Lookups, key: Key) -> str:
    _, path, scope, k = key
    built = cell(q, path, "obj", scope, k)
    if built is None:
        return ""
    if built[0] in ("array", "object"):
        return "Array" if built[0] == "array" else "Object"
    if built[0] not in ("store", "merge", "bag"):
        return ""
    found = {_kind_of(q, v) for v in static(q, path, scope, built[1])} - {""}
    return min(found, default="")


def _kind_of(q: Lookups, v: Val) -> str:
    if v[0] == "e":
        return q.get(("jskind", *v[1:]))  # type: ignore[no-any-return]
    return str(v[1]).removeprefix("Weak") if v[0] == "w" else ""


RULES: dict[str, tuple[Any, Any]] = {"jsheld": (_rule_held, NONE), "jskind": (_rule_kind, "")}
