"""Members of values: through prototype chains, interfaces, super, modules, objects and declared types.

jsorder(path, c)      a class and what it inherits from, nearest first     jsabove(path, c)  its bases' classes
jsancestors(path, c)  (path, class) of everything above, interfaces included
jsmember(path, c, n, static)  (values, getters, setters) of member n
jsfield(path, c, n)   what the methods of c store in this.n
jsbelow(path, c, n)   functions that take the place of n below c
"""

from __future__ import annotations

from typing import Any

import core.graph.languages.javascript.calls as calls
import core.graph.languages.javascript.objects as objects
from core.graph.languages.javascript.core import cell, ev
from core.graph.languages.javascript.hints import type_member, typed
from core.graph.languages.javascript.static import exported, static
from core.graph.languages.javascript.values import (
    NONE,
    Val,
    Values,
    dotted,
    is_instance,
    join,
    method_of,
    of_builtin,
    substitute,
)
from core.graph.lookups import Key, Lookups

Member = tuple[Values, Values, Values]
NOTHING: Member = (NONE, NONE, NONE)


def bases_of(q: Lookups, path: str, cls: str) -> tuple[Val, ...]:
    """The direct bases that are classes, external things or builtins, in order; for an interface those it extends."""
    facts = cell(q, path, "class", cls)
    if facts is None:
        return ()
    found: list[Val] = []
    for e in facts.bases:
        if facts.kind == "interface":
            held = frozenset(
                ("c", *v[1:]) if v[0] == "o" else ("x", v[1]) for v in typed(q, path, facts.parent, e) if v[0] in "oy"
            )
        else:
            held = static(q, path, facts.parent, e)
        for v in sorted(held, key=repr):
            if v[0] == "f" and cell(q, v[1], "class", v[2]) is not None:
                v = ("c", *v[1:])
            if v[0] in "cxz" and v not in found and v[1:] != (path, cls):
                found.append(v)
    return tuple(found)


def interfaces_of(q: Lookups, path: str, cls: str) -> tuple[Val, ...]:
    """What a class says it implements."""
    facts = cell(q, path, "class", cls)
    found: list[Val] = []
    for t in facts.implements if facts is not None else ():
        held = typed(q, path, facts.parent, t)
        found += [("c", *v[1:]) if v[0] == "o" else ("x", v[1]) for v in sorted(held, key=repr) if v[0] in "oy"]
    return tuple(dict.fromkeys(found))


def _rule_above(q: Lookups, key: Key) -> frozenset[Val]:
    found: set[Val] = set()
    for b in bases_of(q, key[1], key[2]):
        if b[0] == "c":
            found |= {b, *q.get(("jsabove", b[1], b[2]))}
    return frozenset(found)


def _rule_order(q: Lookups, key: Key) -> tuple[Val, ...]:
    """Depth first; a base that has the class above itself is left out, so no order is circular."""
    _, path, cls = key
    me: Val = ("c", path, cls)
    found = [me]
    for b in bases_of(q, path, cls):
        if b[0] != "c":
            found.append(b)
        elif me not in q.get(("jsabove", b[1], b[2])):
            found += q.get(("jsorder", b[1], b[2]))
    return tuple(dict.fromkeys(found))


def _rule_ancestors(q: Lookups, key: Key) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for b in (*bases_of(q, key[1], key[2]), *interfaces_of(q, key[1], key[2])):
        if b[0] == "c":
            found |= {(b[1], b[2]), *q.get(("jsancestors", b[1], b[2]))}
    return frozenset(found)


def _rule_field(q: Lookups, key: Key) -> Values:
    _, path, cls, name = key
    return join(ev(q, path, scope, e) for scope, e in cell(q, path, "field", cls, name) or ())


def _rule_member(q: Lookups, key: Key) -> Member:
    _, path, cls, name, fixed = key
    fields: list[Values] = []
    outside: Values = NONE
    found: Member | None = None
    for c in q.get(("jsorder", path, cls)):
        if c[0] != "c":
            if not outside and name != "constructor":
                outside = frozenset({(c[0], dotted(c[1], name))})
            continue
        if not fixed and cell(q, c[1], "field", c[2], name) is not None:
            fields.append(q.get(("jsfield", c[1], c[2], name)))
        if found is None:
            found = _own(q, c[1], c[2], name, fixed)
    if found is not None or fields:
        plain, getters, setters = found or NOTHING
        return join([plain, *fields]), getters, setters
    if outside:
        return outside, NONE, NONE
    if fixed or name == "constructor":
        return NOTHING
    below = [
        q.get(("jsfield", p, s, name))
        for p, s in q.input(("names", "jsfield", name))
        if (path, cls) in q.get(("jsancestors", p, s))
    ]
    return join(below), NONE, NONE


def _own(q: Lookups, path: str, cls: str, name: str, fixed: bool) -> Member | None:
    members = [m for m in cell(q, path, "member", cls, name) or () if m[1] == fixed]
    if members:
        parts: dict[str, list[Values]] = {"get": [], "set": []}
        for kind, _, e in members:
            parts.setdefault("get" if kind == "get" else "set" if kind == "set" else "", []).append(ev(q, path, cls, e))
        return join(parts.get("", [])), join(parts["get"]), join(parts["set"])
    if fixed:
        return None
    mixed = cell(q, path, "mixin", cls)
    for scope, e in mixed or ():
        held = static(q, path, scope, e)
        if any(_has(q, v, name) for v in held):
            return join(attribute(q, v, name) for v in held), NONE, NONE
    return None


def _has(q: Lookups, v: Val, name: str) -> bool:
    held = cell(q, v[1], "obj", v[2], v[3]) if v[0] == "e" else None
    return held is not None and held[0] == "object" and any(key == name for key, _ in held[1])


def _rule_below(q: Lookups, key: Key) -> tuple[Val, ...]:
    _, path, cls, name = key
    found: set[Val] = set()
    for p, s in q.input(("names", "jsmember", name)):
        if (path, cls) in q.get(("jsancestors", p, s)):
            for kind, _, e in cell(q, p, "member", s, name) or ():
                if kind in ("method", "get", "field"):
                    found.update(v for v in ev(q, p, s, e) if v[0] == "f")
    for p, place in q.input(("names", "jsobject", name)):
        scope, _, k = place.rpartition(" ")
        declared = typed(q, p, scope, cell(q, p, "otype", scope, k))
        if any(_fits(q, v, path, cls) for v in declared):
            found.update(v for v in q.get(("jsheld", p, scope, k, frozenset({("k", name)}))) if v[0] == "f")
    return tuple(sorted(found))


def _fits(q: Lookups, v: Val, path: str, cls: str) -> bool:
    if v[0] == "a":
        return any(_fits(q, x, path, cls) for x in v[1])
    return v[0] == "o" and (v[1:] == (path, cls) or (path, cls) in q.get(("jsancestors", v[1], v[2])))


# -- attributes ------------------------------------------------------------------------------------------


def attribute(q: Lookups, v: Val, name: str) -> Values:
    """The values of ``v.name``."""
    kind = v[0]
    if is_instance(v):
        plain, getters, _ = q.get(("jsmember", v[1], v[2], name, False))
        return join([instance_values(q, v, plain), *(calls.call(q, g, calls.Bare(frozenset({v}))) for g in getters)])
    if kind in "ct":
        if name == "prototype":
            return frozenset({("o", v[1], v[2])})
        values, getters, _ = q.get(("jsmember", v[1], v[2], name, True))
        return join([values, *(calls.call(q, g, calls.Bare(frozenset({v}))) for g in getters)])
    if kind == "m":
        return q.get(("jsexport", v[1], name))  # type: ignore[no-any-return]
    if kind in "xy":
        return frozenset({("x", dotted(v[1], name))})
    if kind == "e":
        return objects.attribute(q, v, name)
    if kind == "u":
        plain, getters, _ = super_member(q, v, name)
        return join([plain, *(calls.call(q, g, calls.Bare(frozenset())) for g in getters)])
    return _plain_attribute(q, v, name)


def _plain_attribute(q: Lookups, v: Val, name: str) -> Values:
    kind = v[0]
    if kind == "f":
        if name in ("call", "apply", "bind"):
            return frozenset({("h", v, name)})
        if cell(q, v[1], "class", v[2]) is not None and name == "prototype":
            return frozenset({("o", v[1], v[2])})
        members = cell(q, v[1], "member", v[2], name) or ()
        found = [ev(q, v[1], v[2], e) for _, fixed, e in members if fixed]
        if not members:
            mixed = cell(q, v[1], "mixin", v[2], "static") or ()
            found = [attribute(q, x, name) for scope, e in mixed for x in static(q, v[1], scope, e)]
        return join(found)
    if kind == "z":
        return frozenset({of_builtin(v[1], name)})
    if kind == "w":
        if v[1] == "Object" and name not in objects.OBJECT:
            return NONE
        return frozenset({of_builtin(v[1], name)})
    if kind == "k":
        return frozenset({("z", f"{'Number' if v[1][:1].isdigit() else 'String'}.{name}")})
    if kind == "l":
        if v[1] == "Object":  # Record<K, V>
            return v[2]  # type: ignore[no-any-return]
        return frozenset({method_of(f"{v[1]}.{name}", v[2])})
    if kind == "a":
        return frozenset({method_of(f"Promise.{name}", v[1])})
    if kind == "g":
        return frozenset({method_of(f"Generator.{name}", q.get(("jsyields", v[1], v[2])))})
    if kind == "j":
        return type_member(q, v, name)
    return NONE


def instance_values(q: Lookups, v: Val, values: Values) -> Values:
    """Values of an instance's member: arguments of its constructor and ``this`` filled in."""
    if all(x[0] not in "splab" for x in values):
        return values
    site = v[3] if v[0] == "i" else None
    receivers = frozenset({v})
    if site is None:
        return substitute(values, receivers, lambda _: None, "", "")
    path, scope, k = site
    made = cell(q, path, "obj", scope, k)
    if made is None or made[0] != "new":
        return substitute(values, receivers, lambda _: None, "", "")
    given = calls.Given(q, path, scope, made[2])
    plain, _, _ = q.get(("jsmember", v[1], v[2], "constructor", False))
    for c in sorted(x for x in plain if x[0] == "f"):
        values = substitute(values, receivers, calls.filled(q, c, given), c[1], c[2])
    return values


def super_member(q: Lookups, v: Val, name: str) -> Member:
    """``super.name``: the member found after the class."""
    _, path, cls, kind = v
    found: list[Member] = []
    for b in bases_of(q, path, cls):
        if b[0] == "c":
            found.append(q.get(("jsmember", b[1], b[2], name, kind == "t")))
        else:
            found.append((frozenset({(b[0], dotted(b[1], name))}), NONE, NONE))
    return join(m[0] for m in found), join(m[1] for m in found), join(m[2] for m in found)


def _rule_export(q: Lookups, key: Key) -> Values:
    return exported(q, key[1], key[2], "jsexport", ev, attribute)


RULES: dict[str, tuple[Any, Any]] = {
    "jsabove": (_rule_above, frozenset()),
    "jsorder": (_rule_order, ()),
    "jsancestors": (_rule_ancestors, frozenset()),
    "jsfield": (_rule_field, NONE),
    "jsmember": (_rule_member, NOTHING),
    "jsbelow": (_rule_below, ()),
    "jsexport": (_rule_export, NONE),
}
