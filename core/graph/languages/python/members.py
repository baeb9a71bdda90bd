"""Attributes of values: through MROs, metaclasses, descriptors, super() and modules.

member(path, c, n)      (values of the class attribute the MRO finds, values assigned to self.n)
has(path, c, n)         whether the MRO has such an attribute at all
own(path, c, n)         class c's own attribute n         field(path, c, n)  assigned in c's methods
overrides(path, c, n)   functions and classes that take the place of n in known subclasses of c
definers(kind, n)       by class, the classes below it with a member or field n
defined(path, s)        a definition's value, decorators applied      decorated(path, c)  a class statement's
"""

from __future__ import annotations

from typing import Any

import core.graph.languages.python.calls as calls
import core.graph.languages.python.containers as containers
from core.graph.languages.python.core import BUILTINS, cell, ev, known, versions_of
from core.graph.languages.python.expressions import makes_property
from core.graph.languages.python.patches import patched, patches_below
from core.graph.languages.python.static import static
from core.graph.languages.python.values import (
    NONE,
    Val,
    Values,
    as_class,
    external_attribute,
    is_instance,
    join,
    substitute,
)
from core.graph.lookups import Key, Lookups

OBJECT = frozenset(dir(object))
_ENUMERATIONS = frozenset(f"enum.{n}" for n in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"))


def attribute(q: Lookups, v: Val, name: str) -> Values:
    """The values of ``v.name``."""
    kind = v[0]
    if kind in "ios":
        return instance_member(q, v, name)
    if kind in "ct":
        return class_member(q, v, name)
    if kind in "mn":
        return module_member(q, v, name)
    if kind in "xy":
        return frozenset({("x", external_attribute(v[1], name))})
    if kind == "u":
        return _super_member(q, v, name)
    if kind in "kw":
        return frozenset({("z", f"{v[1]}.{name}")}) if v[1].count(".") < 2 else NONE
    if kind in "el" or kind == "v":
        return containers.container_member(q, v, name)
    if kind == "z":
        return frozenset({("z", f"{v[1]}.{name}")}) if v[1].count(".") < 2 else NONE
    if kind == "f" and name in ("__wrapped__", "__func__"):
        return frozenset({v})
    if kind == "b" and name == "__func__":
        return frozenset({("f", v[1], v[2])})
    if kind == "b" and name == "__self__":
        return frozenset({v[3]})
    return NONE


def instance_member(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` of an instance: methods are bound, properties read."""
    if name == "__class__":
        return frozenset({as_class(v)})
    plain, fields = q.get(("member", v[1], v[2], name))
    found: set[Val] = set()
    for m in plain:
        found |= bind(q, m, v)
    if fields:
        found |= substitute(fields, v, lambda _: None, "", "")
    return frozenset(found)


def bind(q: Lookups, m: Val, receiver: Val) -> Values:
    """A class attribute's value as read through ``receiver``."""
    if m[0] == "q":
        return join(calls.call(q, g, calls.Bare(receiver)) for g in m[1])
    if m[0] == "f":
        facts = cell(q, m[1], "function", m[2])
        flags = facts.flags if facts is not None else ()
        if "static" in flags:
            return frozenset({m})
        if "property" in flags:
            if receiver[0] in "ct":
                return NONE
            return calls.call(q, ("b", m[1], m[2], receiver), calls.Bare(receiver))
        if "class" in flags:
            return frozenset({("b", m[1], m[2], as_class(receiver))})
        return frozenset({m if receiver[0] in "ct" else ("b", m[1], m[2], receiver)})
    if m[0] in "st":
        return substitute(frozenset({m}), receiver, lambda _: None, "", "")
    return frozenset({m})


def class_member(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` of a class: through its MRO, then its metaclass."""
    plain, fields = q.get(("member", v[1], v[2], name))
    found: set[Val] = set()
    for m in plain:
        found |= bind(q, m, v)
    found |= fields
    if not q.get(("has", v[1], v[2], name)):
        for meta in q.get(("metaclass", v[1], v[2])):
            values, _ = q.get(("member", meta[1], meta[2], name))
            for m in values:
                found.add(("b", m[1], m[2], v) if m[0] == "f" else m)
    return frozenset(found)


def _super_member(q: Lookups, v: Val, name: str) -> Values:
    found, _ = super_lookup(q, v, name)
    return found


def super_lookup(q: Lookups, v: Val, name: str) -> tuple[Values, bool]:
    """(values, whether a repository class gives them) of ``super().name``: the MRO after the class."""
    receiver = v[3]
    order = q.get(("order", receiver[1], receiver[2]))
    start = next((i for i, c in enumerate(order) if c[1:] == v[1:3]), None)
    if start is None:
        order, start = q.get(("order", v[1], v[2])), 0
    given: Values = NONE
    for c in order[start + 1 :]:
        if c[0] == "c":
            given |= patched(q, c[1], c[2], name)
            facts = cell(q, c[1], "name", c[2], name)
            if facts is not None:
                values = q.get(("own", c[1], c[2], name))
                return given | join(_bind_super(q, m, receiver) for m in values), True
    for c in order[start + 1 :]:
        if c[0] == "x" and not c[1].startswith("typing."):
            return given | {("x", external_attribute(c[1], name))}, False
    for c in order[start + 1 :]:
        if c[0] == "z":
            return given | {("z", f"{c[1]}.{name}")}, False
    return given | {("z", f"object.{name}")} if name in OBJECT else given, False


def _bind_super(q: Lookups, m: Val, receiver: Val) -> Values:
    if m[0] == "f" and receiver[0] in "ct":
        facts = cell(q, m[1], "function", m[2])
        if facts is not None and "static" not in facts.flags:
            return frozenset({("b", m[1], m[2], receiver)})
    return bind(q, m, receiver)


def module_member(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` of a module, a namespace package or an external thing: its names, then its submodules."""
    if v[0] == "m":
        if not q.get(("binds", v[1], name)):
            inner = q.get(("submodule", v[1], name))
            if inner is not None:
                return frozenset({inner})
            if name in BUILTINS:
                return patched(q, v[1], "", name)  # a module does not have builtins as attributes
        found: Values = q.get(("global", v[1], name))
        return found
    if v[0] == "n":
        entry = q.input(("file", f"{v[1]}/{name}" if v[1] else name))
        return frozenset({entry}) if entry is not None else NONE
    return frozenset({("x", external_attribute(v[1], name))})


def _rule_defined(q: Lookups, key: Key) -> Values:
    """The value of a definition: the function itself, or what its decorators of this repository make of it."""
    _, path, scope = key
    plain: Values = frozenset({("f", path, scope)})
    facts = cell(q, path, "function", scope)
    if facts is None or not facts.decorators:
        return plain
    current = plain
    for decorator in reversed(facts.decorators):
        made: list[Values] = []
        for v in known(q, ev(q, path, facts.parent, decorator)):
            if v[0] in "fbr":
                made.append(calls.call(q, v, calls.Values1(current)))
            elif is_instance(v):
                made.append(calls.call_method(q, v, "__call__", calls.Values1(current)))
            elif v[0] == "c" and "property" not in facts.flags:
                made.append(frozenset({("i", v[1], v[2])}))
        result = frozenset(v for v in join(made) if v[0] not in "pkw")
        if q.flow:
            current = current if result & current or any(_wraps(q, v) for v in result) else result or current
        else:
            others = (v for v in result - current if v[0] in "fb" and v[1:3] != (path, scope))
            instead = frozenset(("h", ("f", *v[1:3]), "put in place by a decorator") for v in others)
            current = current | frozenset(v for v in result if is_instance(v)) | instead
    return current


def _rule_decorated(q: Lookups, key: Key) -> Values:
    """The value of a class statement: the class itself, and the classes its decorators give in its place."""
    _, path, scope = key
    current: Values = frozenset({("c", path, scope)})
    facts = cell(q, path, "class", scope)
    for decorator in reversed(facts.decorators) if facts is not None else ():
        for v in known(q, ev(q, path, facts.parent, decorator)):
            if v[0] in "fb":
                made = calls.call(q, v, calls.Values1(current))
                current = current | frozenset(m for m in made if m[0] == "c")
    return current


def _wraps(q: Lookups, v: Val) -> bool:
    """Whether a function says with ``functools.wraps`` that it stands for another."""
    facts = cell(q, v[1], "function", v[2]) if v[0] == "f" else None
    made = [static(q, v[1], facts.parent, d[1]) for d in facts.decorators if d and d[0] == "call"] if facts else []
    return any(("x", "functools.wraps") in values for values in made)


def _rule_own(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "name", scope, name)
    if facts is None:
        return NONE
    if is_enumeration(q, path, scope) and _is_member(q, path, scope, name, facts):
        return frozenset({("i", path, scope)})
    values = versions_of(q, path, scope, facts, facts.final)
    accessors = [facts.versions[i][1] for i in facts.final if facts.versions[i][0] == "def"]
    if accessors and len(facts.versions) > 1:  # @x.setter rebinds x: the getter is what a read runs
        getters = [e for k, e in facts.versions if k == "def" and e is not None]
        last = cell(q, path, "function", accessors[-1][1])
        if last is not None and "accessor" in last.flags:
            return frozenset({("f", path, getters[0][1])})
    return values


def _is_member(q: Lookups, path: str, scope: str, name: str, facts: Any) -> bool:
    """Whether a name in the body of an enumeration is a member of it: set to anything but functions and classes."""
    if name.startswith("__") or (name.startswith("_") and name.endswith("_")):
        return False
    final = [facts.versions[i] for i in facts.final]
    return all(
        kind == "variable" and not makes_property(e) and not any(v[0] in "fc" for v in static(q, path, scope, e))
        for kind, e in final
    )


def is_enumeration(q: Lookups, path: str, scope: str) -> bool:
    """Whether a class is an ``Enum``: what its body assigns and what a loop over it takes are its instances."""
    return any(c[0] == "x" and c[1] in _ENUMERATIONS for c in q.get(("order", path, scope)))


def _rule_field(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    stores = cell(q, path, "field", scope, name)
    return join(ev(q, path, method, e) for method, e in stores) if stores else NONE


def _rule_member(q: Lookups, key: Key) -> tuple[Values, Values]:
    _, path, scope, name = key
    order = q.get(("order", path, scope))
    plain: Values = NONE
    found = False
    fields: list[Values] = []
    given: Values = NONE
    assigned = q.input(("names?", "patch", name))
    for c in order:
        if c[0] != "c":
            continue
        if not found and assigned:
            given |= patched(q, c[1], c[2], name)
        if not found and cell(q, c[1], "name", c[2], name) is not None:
            plain, found = q.get(("own", c[1], c[2], name)), True
        if cell(q, c[1], "field", c[2], name) is not None:
            fields.append(q.get(("field", c[1], c[2], name)))
    if found or fields:
        return plain | given, join(fields)
    for c in order:
        if c[0] == "x" and not c[1].startswith(("typing.", "abc.")):
            return given | {("x", external_attribute(c[1], name))}, NONE
    for c in order:
        if c[0] == "z" and c[1] != "object" and name != "__init__":
            return given | {("z", f"{c[1]}.{name}")}, NONE
    below = q.get(("definers", "field", name)).get((path, scope), ())
    return given, join(q.get(("field", p, s, name)) for p, s in below)


def _rule_definers(q: Lookups, key: Key) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """By class, the classes below it that have a member or field of one name: read once a name, not once a class."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for p, s in q.input(("names", *key[1:])):
        for above in q.get(("ancestors", p, s)):
            found.setdefault(above, []).append((p, s))
    return found


def _rule_overrides(q: Lookups, key: Key) -> tuple[Val, ...]:
    _, path, scope, name = key
    found: set[Val] = set()
    for p, s in q.get(("definers", "member", name)).get((path, scope), ()):
        found.update(v for v in q.get(("own", p, s, name)) if v[0] in "fc")
    found.update(patches_below(q, path, scope, name))
    return tuple(sorted(found))


def _rule_has(q: Lookups, key: Key) -> bool:
    _, path, scope, name = key
    return any(
        c[0] == "c"
        and (cell(q, c[1], "name", c[2], name) is not None or cell(q, c[1], "field", c[2], name) is not None)
        for c in q.get(("order", path, scope))
    )


RULES: dict[str, tuple[Any, Any]] = {
    "defined": (_rule_defined, NONE),
    "decorated": (_rule_decorated, NONE),
    "has": (_rule_has, False),
    "own": (_rule_own, NONE),
    "field": (_rule_field, NONE),
    "member": (_rule_member, (NONE, NONE)),
    "overrides": (_rule_overrides, ()),
    "definers": (_rule_definers, {}),
}
