"""What JavaScript expressions evaluate to: one small function a form (see ``reader`` for the forms).

    jsname(path, n)  a module-level name at the end of its module     jsvar(path, s, n)  a name at the end of scope s
    jslocal(path, s, n, chosen, loop)  one that holds the chosen versions

Every rule is a union of what it reads: choices between alternatives are made on cells or on the static
evaluator, never on values. So circles have one least solution, whichever member is asked first.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.javascript import calls as javascript_calls
from core.graph.languages.javascript import hints as javascript_hints
from core.graph.languages.javascript import members as javascript_members
from core.graph.languages.javascript import objects as javascript_objects
from core.graph.languages.javascript import packages as javascript_packages
from core.graph.languages.javascript import static as javascript_static
from core.graph.languages.javascript.calls import Given, awaited, call
from core.graph.languages.javascript.core import FORMS, cell, ev, evaluated, known
from core.graph.languages.javascript.hints import as_instances, typed
from core.graph.languages.javascript.members import attribute
from core.graph.languages.javascript.objects import constants, item, iterated
from core.graph.languages.javascript.static import imported, module_of, required, static
from core.graph.languages.javascript.values import NONE, Val, Values, collection, join
from core.graph.lookups import Key, Lookups

_COLLECTIONS = {"Map": "Map", "WeakMap": "Map", "Set": "Set", "WeakSet": "Set", "Array": "Array"}


def _name(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return q.get(("jsname", path, e[1]))  # type: ignore[no-any-return]


def _global(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    if cell(q, path, "name", "", e[1]) is not None:
        return q.get(("jsname", path, e[1]))  # type: ignore[no-any-return]
    return frozenset({("z", e[1])})


def _closure(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return q.get(("jsvar", path, e[1], e[2]))  # type: ignore[no-any-return]


def _local(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return q.get(("jslocal", path, scope, e[1], e[2], -1))  # type: ignore[no-any-return]


def _loop(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return q.get(("jslocal", path, scope, e[1], e[2], e[3]))  # type: ignore[no-any-return]


def _attr(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return join(attribute(q, v, e[2]) for v in known(q, ev(q, path, scope, e[1])))


def _item(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    base = known(q, ev(q, path, scope, e[1]))
    keys = constants(q, path, scope, e[2]) if base else None
    return join(item(q, v, keys) for v in base)


def _rest(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: list[Values] = []
    for v in known(q, ev(q, path, scope, e[1])):
        built = cell(q, v[1], "obj", v[2], v[3]) if v[0] == "e" else None
        if built is not None and built[0] == "array":
            found += [ev(q, v[1], v[2], part) for part in built[1][e[2] :]]
        else:
            found.append(iterated(q, v))
    return frozenset({collection("Array", join(found))})


def _call(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    callee = e[1]
    given = Given(q, path, scope, e[2])
    if callee is not None and callee[0] == "attr":
        base = known(q, ev(q, path, scope, callee[1]))
        given.receivers = frozenset(v if v[0] != "u" else ("s", v[1], v[2]) for v in base)
        callees = known(q, join(attribute(q, v, callee[2]) for v in base))
    else:
        callees = known(q, ev(q, path, scope, callee))
    return join(call(q, v, given) for v in callees)


def _new(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: set[Val] = set()
    site = (path, scope, e[3]) if cell(q, path, "obj", scope, e[3]) is not None else None
    for v in known(q, ev(q, path, scope, e[1])):
        kind = v[0]
        if kind == "c" or (kind == "f" and cell(q, v[1], "class", v[2]) is not None):
            found.add(("i", v[1], v[2], site))
        elif kind == "t":
            found.add(("s", v[1], v[2]))
        elif kind in "xy":
            found.add(("y", v[1]))
        elif kind == "z":
            if v[1] in _COLLECTIONS:
                given = Given(q, path, scope, e[2])
                inner = join(iterated(q, x) for x in known(q, given.at(0)))
                held = join(item(q, x, None) for x in inner) if _COLLECTIONS[v[1]] == "Map" else inner
                found.add(collection(_COLLECTIONS[v[1]], held))
            else:
                found.add(("a", NONE) if v[1] == "Promise" else ("w", v[1]))
    return frozenset(found)


def _function(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("f", path, e[1])})


def _class(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("c", path, e[1])})


def _obj(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("e", path, scope, e[1])})


def _ref(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("e", path, e[1], e[2])})


def _const(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("k", e[1])})


def _lit(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("w", e[1])})


def _any(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return join(ev(q, path, scope, part) for part in e[1:])


def _import(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return imported(q, path, e[1], e[2], "jsexport")


def _require(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return required(q, path, e[1], ev)


def _loaded(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("a", frozenset({module_of(q, path, e[1])}))})


def _param(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return q.get(("jsparam", path, scope, e[1]))  # type: ignore[no-any-return]


def _this(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    if e[2] == "f":
        return frozenset({("s", path, e[1])}) if cell(q, path, "class", e[1]) is not None else NONE
    return frozenset({(e[2], path, e[1])})


def _super(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("u", path, e[1], e[2])})


def _await(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return awaited(known(q, ev(q, path, scope, e[1])))


def _iter(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return join(iterated(q, v) for v in known(q, ev(q, path, scope, e[1])))


def _typed(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    """A constructor says more than the annotation; else the annotation, where it says anything."""
    value = e[2]
    if value is not None and value[0] == "new" and any(v[0] == "c" for v in static(q, path, scope, value[1])):
        return ev(q, path, scope, value)
    if value is not None and value[0] in ("func", "class", "obj"):
        return ev(q, path, scope, value)
    hint = typed(q, path, scope, e[1])
    if e[1] is not None and e[1][0] == "tf":  # a type of functions does not say which
        return join([hint, ev(q, path, scope, value)])
    return hint if any(v[0] != "w" for v in hint) else hint | ev(q, path, scope, value)


def _wrapped(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    """``const f = wrap(() => ...)``: what the call gives, and the function that has the name."""
    found = ev(q, path, scope, e[1])
    if q.flow and any(v[0] in "fc" for v in found):
        return found
    return join([found, ev(q, path, scope, e[2])])


def _in(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return ev(q, path, e[1], e[2])


def _grown(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({collection("Array", ev(q, path, scope, e[1]))})


def _instance(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return as_instances(q, ev(q, path, scope, e[1]))


def _rule_name(q: Lookups, key: Key) -> Values:
    _, path, name = key
    facts = cell(q, path, "name", "", name)
    return evaluated(q, path, "", facts, facts.final) if facts is not None else NONE


def _rule_var(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "name", scope, name)
    return evaluated(q, path, scope, facts, facts.final) if facts is not None else NONE


def _rule_local(q: Lookups, key: Key) -> Values:
    _, path, scope, name, chosen, loop = key
    facts = cell(q, path, "name", scope, name)
    return evaluated(q, path, scope, facts, chosen, loop) if facts is not None else NONE


FORMS.update({
    "name": _name, "global": _global, "closure": _closure, "local": _local, "loop": _loop, "attr": _attr,
    "item": _item, "rest": _rest, "call": _call, "new": _new, "func": _function, "class": _class, "obj": _obj,
    "ref": _ref, "const": _const, "lit": _lit, "any": _any, "import": _import, "require": _require, "loaded": _loaded,
    "param": _param, "this": _this, "super": _super, "await": _await, "iter": _iter, "spread": _iter, "typed": _typed,
    "in": _in, "wrapped": _wrapped, "grown": _grown, "instance": _instance,
})  # fmt: skip

RULES: dict[str, tuple[Any, Any]] = {
    **javascript_packages.RULES,
    **javascript_static.RULES,
    **javascript_hints.RULES,
    **javascript_members.RULES,
    **javascript_objects.RULES,
    **javascript_calls.RULES,
    "jsname": (_rule_name, NONE),
    "jsvar": (_rule_var, NONE),
    "jslocal": (_rule_local, NONE),
}
