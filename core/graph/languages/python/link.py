"""Call sites of Python scopes, linked (Eq. 5, E_t).

In: look-ups over the cells of ``python``. Out, a rule of its own:

    links(path, scope)   a tuple per part ("head", "sites") of (key, ((kind, target, tier, why), ...)) a site

A target is ``(path, scope)`` in the repository, or the text ``<external>::...`` / ``<builtin>::...``.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr, Site
from core.graph.languages.python.core import cell, ev, known
from core.graph.languages.python.evaluate import RULES as EVALUATION
from core.graph.languages.python.found import Found
from core.graph.languages.python.members import OBJECT, attribute, super_lookup
from core.graph.languages.python.patches import somewhere
from core.graph.languages.python.protocols import BUILTINS, PROTOCOLS, of_builtin, operator, protocol
from core.graph.languages.python.uses import RULES as USES
from core.graph.languages.python.uses import Link
from core.graph.languages.python.values import NONE, Val, Values, is_instance, outside
from core.graph.lookups import Key, Lookups
from core.graph.symbols import HANDED_ON

SiteLinks = tuple[str, str, tuple[Link, ...]]
_TAKES_CALLABLE = frozenset(["map", "filter", "sorted", "min", "max", "list.sort"])


def _rule_links(q: Lookups, key: Key) -> tuple[tuple[SiteLinks, ...], tuple[SiteLinks, ...]]:
    _, path, scope = key
    facts = cell(q, path, "scope", scope)
    if facts is None:
        return (), ()
    head = tuple(_site(q, path, facts.parent, s) for s in facts.head)
    return head, tuple(_site(q, path, scope, s) for s in facts.sites)


def _site(q: Lookups, path: str, scope: str, site: Site) -> SiteLinks:
    kind, key, e = site
    if kind == "attr":
        return kind, key, _read(q, path, scope, e)
    if kind in PROTOCOLS:
        return kind, key, protocol(q, path, scope, kind, e)
    if kind == "op":
        return kind, key, operator(q, path, scope, e)
    if kind == "raise":
        found = Found(q, _tier(q, path, e))
        for v in sorted(known(q, ev(q, path, scope, e)), key=repr):
            if v[0] == "c":
                found.constructor(v, "raised")
            elif v[0] in "xz":
                found.add("constructor", outside(v), "raised")
        return kind, key, found.done()
    callee = e[1] if e[0] == "call" else e
    if e[0] == "super":
        return kind, key, (("call", "<builtin>::super", "certain", "builtin"),)
    found = Found(q, _tier(q, path, callee))
    _callee(q, path, scope, callee, found)
    if callee is not None and callee[0] == "name" and callee[1] in BUILTINS and e[0] == "call":
        asked = e[2] and ("call", "<builtin>::" + callee[1]) in found.links
        of_builtin(q, path, scope, callee[1], e[2][0] if asked else None, found)
    if q.flow and e[0] == "call":
        _callbacks(q, path, scope, e, found)
    return kind, key, found.done()


def _callee(q: Lookups, path: str, scope: str, callee: Expr | None, found: Found) -> None:
    """Links of calling ``callee``: by attribute on each possible receiver, or by value."""
    if callee is None:
        return
    if callee[0] == "attr" and callee[1] is not None:
        name = callee[2]
        for v in sorted(known(q, ev(q, path, scope, callee[1])), key=repr):
            _method(q, v, name, found, callee[1])
        return
    for v in sorted(known(q, ev(q, path, scope, callee)), key=repr):
        _value(q, v, _reason(callee), "", found)


def _reason(callee: Expr) -> str:
    kind = callee[0]
    if kind == "name":
        return f"name {callee[1]}"
    return {
        "local": "local variable",
        "parameter": "local variable",
        "closure": "enclosing scope",
        "call": "result of a call",
    }.get(kind, "value")


def _method(q: Lookups, v: Val, name: str, found: Found, base: Expr) -> None:
    kind = v[0]
    if is_instance(v):
        plain, _ = q.get(("member", v[1], v[2], name))
        known_before = len(found.links)
        if any(_is_property(q, m) for m in plain):
            _property(q, v, plain, name, found)
        for value in sorted(known(q, attribute(q, v, name)), key=repr):
            _value(q, value, f"attribute of {v[2]}", name, found)
        if len(found.links) == known_before:
            _guessed(q, v, found)
        if v[0] == "s" or (plain and v[0] == "o"):  # in a subclass the name may also stand for something else
            for other in q.get(("overrides", v[1], v[2], name)):
                if ("call", other[1:3]) not in found.links:
                    found.add("override", other[1:3], f"defined in a subclass of {v[2]}", "possible")
    elif kind == "u":
        values, _ = super_lookup(q, v, name)
        for value in sorted(values, key=repr):
            _value(q, value, "super()", "", found)
    else:
        why = "attribute of a module" if kind in "mn" else f"attribute of {v[2]}" if kind in "ct" else "attribute"
        for value in sorted(known(q, attribute(q, v, name)), key=repr):
            _value(q, value, why, name if kind == "t" else "", found)


def _value(q: Lookups, v: Val, why: str, name: str, found: Found) -> None:
    kind = v[0]
    if kind == "f":
        found.add("call", v[1:3], why)
    elif kind == "b":
        found.function(v, why, name, v[3])
    elif kind == "h":
        instead = Found(q, "possible")
        _value(q, v[1], v[2], "", instead)
        found.take(instead)
    elif kind in "ct":
        found.constructor(v, why)
    elif is_instance(v):
        plain, _ = q.get(("member", v[1], v[2], "__call__"))
        for m in sorted(plain):
            if m[0] == "f":
                found.add("call", m[1:3], f"__call__ of {v[2]}")
            elif m[0] == "h":
                found.instead(m)
            elif m[0] == "x":
                found.add("call", outside(m), "external")
    elif kind in "xz":
        found.add("call", outside(v), "external" if kind == "x" else "builtin")
    elif kind == "y":
        found.add("call", f"<external>::{v[1]}.__call__", "external")
    elif kind == "a":
        found.add("call", "<builtin>::" + v[2], "builtin")
    elif kind == "r":
        for inner in sorted(v[1], key=repr):
            if inner[0] in "fb":
                found.add("call", inner[1:3], why)


def _is_property(q: Lookups, m: Val) -> bool:
    if m[0] == "h":
        return _is_property(q, m[1])
    if m[0] == "q":
        return True
    if m[0] != "f":
        return False
    facts = cell(q, m[1], "function", m[2])
    return facts is not None and "property" in facts.flags


def _property(q: Lookups, v: Val, plain: Values, name: str, found: Found) -> None:
    for m in sorted(plain, key=repr):
        inner = m[1] if m[0] == "h" else m
        getters = inner[1] if inner[0] == "q" else (inner,) if _is_property(q, inner) else ()
        for g in sorted(getters, key=repr):
            if g[0] == "f" and m is inner:
                found.function(g, f"property of {v[2]}", name, v, "property")
            elif g[0] == "f":
                found.add("property", g[1:3], m[2], "possible")


def _read(q: Lookups, path: str, scope: str, e: Expr) -> tuple[Link, ...]:
    """What a read of ``base.name`` runs: a property, or ``__getattr__`` where there is no such attribute. A method
    that is read is handed on: whoever gets it may call it."""
    properties = q.input(("names?", "property", e[2]))
    guessed = e[2] not in OBJECT and somewhere(q, "__getattr__")
    methods = somewhere(q, e[2])
    if not (properties or guessed or methods) or e[1] is None:
        return ()
    found = Found(q, "certain")
    for v in sorted(known(q, ev(q, path, scope, e[1])), key=repr):
        if methods:
            _handed(q, v, e[2], found)
        if is_instance(v):
            if guessed and q.get(("member", v[1], v[2], "__getattr__"))[0] and not _has(q, v, e[2]):
                _guessed(q, v, found)
            if properties:
                _property(q, v, q.get(("member", v[1], v[2], e[2]))[0], e[2], found)
        elif v[0] == "u" and properties:
            order = q.get(("order", v[3][1], v[3][2]))
            start = next((i for i, c in enumerate(order) if c[1:] == v[1:3]), None)
            for c in order[start + 1 :] if start is not None else ():
                if c[0] == "c" and cell(q, c[1], "name", c[2], e[2]) is not None:
                    for m in q.get(("own", c[1], c[2], e[2])):
                        if _is_property(q, m) and m[0] == "f":
                            found.add("property", m[1:3], "property through super()")
                    break
    return found.done()


def _handed(q: Lookups, v: Val, name: str, found: Found) -> None:
    """Methods that ``v.name`` gives without calling them, and the overrides that may be meant instead."""
    if is_instance(v) or v[0] in "ct":
        plain: Values = q.get(("member", v[1], v[2], name))[0]
    else:
        plain = super_lookup(q, v, name)[0] if v[0] == "u" else NONE
    handed = Found(q, "possible")
    for m in sorted(plain, key=repr):
        if m[0] == "h":
            handed.instead(m)
        elif m[0] in "fb" and not _is_property(q, ("f", *m[1:3])):
            handed.function(m, HANDED_ON, name, v)
    found.take(handed)


def _has(q: Lookups, v: Val, name: str) -> bool:
    """Whether the class of an instance may have ``name``, known values or not."""
    return any(q.get(("member", v[1], v[2], name))) or bool(q.get(("has", v[1], v[2], name)))


def _guessed(q: Lookups, v: Val, found: Found) -> None:
    """``__getattr__``, which runs for names that are not found."""
    for m in q.get(("member", v[1], v[2], "__getattr__"))[0]:
        if m[0] == "f":
            found.add("call", m[1:3], f"__getattr__ of {v[2]}", "possible")
        elif m[0] == "h":
            found.instead(m)


def _callbacks(q: Lookups, path: str, scope: str, e: Expr, found: Found) -> None:
    """Functions handed to builtins that call them: ``map(f, xs)``."""
    if not any(
        link[1] == "<builtin>::" + n for link in found.links.values() for n in _TAKES_CALLABLE if link[0] == "call"
    ):
        return
    for argument in (*e[2], *(v for _, v in e[3])):
        for v in sorted(known(q, ev(q, path, scope, argument)), key=repr):
            if v[0] in "fb":
                found.add("call", v[1:3], "passed to a builtin that calls it")


def _tier(q: Lookups, path: str, callee: Expr | None) -> str:
    """possible, when the name at the root of ``callee`` has several definitions to choose from."""
    while callee is not None and callee[0] == "attr":
        callee = callee[1]
    if callee is not None and callee[0] == "name" and q.get(("choice", path, callee[1])):
        return "possible"
    return "certain"


RULES: dict[str, tuple[Any, Any]] = {**EVALUATION, **USES, "links": (_rule_links, ((), ()))}
