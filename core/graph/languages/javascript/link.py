"""Call sites, names read, imports and bases of JavaScript scopes, linked (Eq. 5, E_t): see ``linkers.SHARED``.

A call reaches the functions its callee may be; on an instance of a class or interface also (override, possible) what
takes the place of the method below it. ``new C`` reaches the class and the constructor its chain finds; reading a
property reaches its getter, storing into it its setter; ``<C/>`` runs the component C. A function named where it is
handed on is a possible call; one handed to a builtin that runs it, or inherited ``super(...)``, is certain.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr, Site
from core.graph.languages.javascript.calls import Bare, call
from core.graph.languages.javascript.core import cell, ev, known
from core.graph.languages.javascript.evaluate import RULES as EVALUATION
from core.graph.languages.javascript.facts import CALLBACKS
from core.graph.languages.javascript.members import attribute, bases_of, interfaces_of, super_member
from core.graph.languages.javascript.uses import RULES as USES
from core.graph.languages.javascript.values import NONE, Val, Values, is_instance, outside
from core.graph.lookups import Key, Lookups
from core.graph.symbols import HANDED_ON

Link = tuple[str, Any, str, str]
SiteLinks = tuple[str, str, tuple[Link, ...]]


class _Found:
    """Collects the links of one site, each target once."""

    def __init__(self, q: Lookups, tier: str = "certain") -> None:
        self.q = q
        self.tier = tier
        self.links: dict[tuple[str, Any], Link] = {}

    def add(self, kind: str, target: Any, why: str, tier: str = "") -> None:
        """Keep the first link of each (kind, target)."""
        self.links.setdefault((kind, target), (kind, target, tier or self.tier, why))

    def below(self, v: Val, name: str, direct: Values) -> None:
        """What may run instead when the receiver's class is only known from above."""
        if v[0] not in "ost":
            return
        for other in self.q.get(("jsbelow", v[1], v[2], name)):
            if other not in direct:
                self.add("override", other[1:3], f"override of {v[2]}.{name}", "possible")

    def constructor(self, v: Val, why: str) -> None:
        """A class is built: itself, and the constructor its chain finds."""
        self.add("constructor", v[1:3], why if v[0] != "f" else f"constructor of {v[2]}")
        plain, _, _ = self.q.get(("jsmember", v[1], v[2], "constructor", False))
        for m in sorted(plain):
            if m[0] == "f":
                self.add("constructor", m[1:3], f"constructor of {v[2]}")

    def done(self) -> tuple[Link, ...]:
        """The links in a fixed order."""
        return tuple(sorted(self.links.values(), key=repr))


def _rule_links(q: Lookups, key: Key) -> tuple[tuple[SiteLinks, ...], tuple[SiteLinks, ...]]:
    _, path, scope = key
    facts = cell(q, path, "scope", scope)
    if facts is None:
        return (), ()
    known_sites: dict[Site, SiteLinks] = {}
    parts: list[tuple[SiteLinks, ...]] = []
    for place, sites in ((facts.parent, facts.head), (scope, facts.sites)):
        found: list[SiteLinks] = []
        for site in sites:
            links = known_sites.get(site) if place == scope else None
            if links is None:
                links = known_sites[site] = _site(q, path, place, site)
            found.append(links)
        parts.append(tuple(found))
    return parts[0], parts[1]


def _site(q: Lookups, path: str, scope: str, site: Site) -> SiteLinks:
    kind, key, e = site
    found = _Found(q)
    if kind in ("attr", "set"):
        if q.input(("names?", "jsgetter" if kind == "attr" else "jssetter", e[2])):
            _accessor(q, path, scope, e, kind, found)
        return kind, key, found.done()
    if kind == "value":
        found.tier = "possible"
        for v in sorted(known(q, ev(q, path, scope, e)), key=repr):
            if v[0] == "f" and not q.flow:
                found.add("call", v[1:3], HANDED_ON)
        return kind, key, found.done()
    if kind == "iter":
        _iteration(q, path, scope, e, found)
        return kind, key, found.done()
    if kind == "super":
        _super_call(q, path, e, found)
    elif kind == "new":
        for v in sorted(known(q, ev(q, path, scope, e[1])), key=repr):
            _construct(q, v, found)
    else:
        _callee(q, path, scope, e[1], found)
        if kind == "call":
            _callbacks(q, path, scope, e, found)
    return "call", key, found.done()


def _callee(q: Lookups, path: str, scope: str, callee: Expr | None, found: _Found) -> None:
    if callee is None:
        return
    if callee[0] == "attr" and callee[1] is not None:
        name = callee[2]
        for v in sorted(known(q, ev(q, path, scope, callee[1])), key=repr):
            _method(q, v, name, found)
        return
    for v in sorted(known(q, ev(q, path, scope, callee)), key=repr):
        _value(q, v, _reason(callee), found)


def _reason(callee: Expr) -> str:
    kind = callee[0]
    if kind == "name":
        return f"name {callee[1]}"
    words = {
        "local": "local variable",
        "loop": "local variable",
        "closure": "enclosing scope",
        "func": "function literal",
    }
    return words.get(kind, "result of a call" if kind == "call" else "value")


def _method(q: Lookups, v: Val, name: str, found: _Found) -> None:
    kind = v[0]
    if is_instance(v):
        plain, getters, _ = q.get(("jsmember", v[1], v[2], name, False))
        for g in sorted(getters):
            if g[0] == "f":
                found.add("property", g[1:3], f"getter of {v[2]}")
        values = known(q, attribute(q, v, name))
        for value in sorted(values, key=repr):
            _value(q, value, f"member of {v[2]}", found)
        found.below(v, name, plain)
    elif kind == "u":
        plain, _, _ = super_member(q, v, name)
        for value in sorted(known(q, plain), key=repr):
            _value(q, value, "super", found)
    else:
        words = {
            "m": "member of a module",
            "c": f"static member of {v[-1]}",
            "t": f"static member of {v[-1]}",
            "e": "member of an object",
        }
        values = known(q, attribute(q, v, name))
        for value in sorted(values, key=repr):
            _value(q, value, words.get(kind, "member"), found)
        if kind == "t":
            found.below(v, name, values)


def _value(q: Lookups, v: Val, why: str, found: _Found) -> None:
    kind = v[0]
    if kind == "f":
        found.add("call", v[1:3], why)
    elif kind == "c":
        found.constructor(v, "class called")
    elif kind == "h":
        if v[2] != "bind":
            _value(q, v[1], f"through {v[2]}", found)
        else:
            found.add("call", "<builtin>::Function.bind", "builtin")
    elif kind in "xz":
        found.add("call", outside(v), "external" if kind == "x" else "builtin")
    elif kind == "y":
        found.add("call", f"<external>::{v[1]}", "external")
    elif kind == "b":
        found.add("call", f"<builtin>::{v[1]}", "builtin")
    elif kind == "m":
        for value in sorted(known(q, q.get(("jsexport", v[1], "default"))), key=repr):
            if value[0] == "f":
                found.add("call", value[1:3], "default export of a module")


def _construct(q: Lookups, v: Val, found: _Found) -> None:
    kind = v[0]
    if kind in "cft":
        found.constructor(v, "new")
    elif kind in "xyz":
        found.add("constructor", outside(v), "external" if kind != "z" else "builtin")
    elif kind == "m":
        for value in sorted(q.get(("jsexport", v[1], "default")), key=repr):
            if value[0] in "cf":
                found.constructor(value, "new of a module's default export")


def _super_call(q: Lookups, path: str, e: Expr, found: _Found) -> None:
    for b in bases_of(q, path, e[1]):
        if b[0] == "c":
            plain, _, _ = q.get(("jsmember", b[1], b[2], "constructor", False))
            for m in sorted(plain):
                if m[0] == "f":
                    found.add("constructor", m[1:3], f"constructor of {b[2]}")
            if not plain:
                found.add("constructor", b[1:3], "super")
        else:
            found.add("constructor", outside(b), "super")


def _accessor(q: Lookups, path: str, scope: str, e: Expr, kind: str, found: _Found) -> None:
    """Reads of a property with a getter, stores into one with a setter."""
    at = 1 if kind == "attr" else 2
    for v in sorted(known(q, ev(q, path, scope, e[1])), key=repr):
        if is_instance(v) or v[0] in "ct":
            held = q.get(("jsmember", v[1], v[2], e[2], v[0] in "ct"))[at]
        elif v[0] == "u":
            held = super_member(q, v, e[2])[at]
        else:
            continue
        for f in sorted(held):
            if f[0] == "f":
                found.add("property", f[1:3], f"{'getter' if at == 1 else 'setter'} of {v[2]}")
        if held and kind == "attr":
            found.below(v, e[2], held)


def _iteration(q: Lookups, path: str, scope: str, e: Expr, found: _Found) -> None:
    """``for (x of e)`` over an instance runs its iterator method, and the ``next`` of what that gives."""
    for v in sorted(known(q, ev(q, path, scope, e)), key=repr):
        if not is_instance(v):
            continue
        for name in ("@@iterator", "@@asyncIterator"):
            plain, _, _ = q.get(("jsmember", v[1], v[2], name, False))
            for f in sorted(plain):
                if f[0] != "f":
                    continue
                found.add("call", f[1:3], f"iterator of {v[2]}")
                for iterator in sorted(call(q, f, Bare(frozenset({v}))), key=repr):
                    steps = attribute(q, iterator, "next") if iterator[0] == "e" or is_instance(iterator) else NONE
                    for step in sorted(steps, key=repr):
                        if step[0] == "f":
                            found.add("call", step[1:3], "next of an iterator")


def _callbacks(q: Lookups, path: str, scope: str, e: Expr, found: _Found) -> None:
    """Functions handed to builtins that run them: ``list.map(f)``."""
    names = [t.removeprefix("<builtin>::") for _, t, _, _ in found.links.values() if isinstance(t, str) and t[1] == "b"]
    name = next((n for n in names if n.rpartition(".")[2] in CALLBACKS), "")
    if not name:
        return
    for argument in e[2]:
        for v in sorted(known(q, ev(q, path, scope, argument)), key=repr):
            if v[0] == "f":
                found.add("call", v[1:3], f"run by {name}")


def _rule_reached(q: Lookups, key: Key) -> tuple[Link, ...]:
    """Imports; bases and interfaces of a class."""
    _, path, scope = key
    facts = cell(q, path, "scope", scope)
    if facts is None:
        return ()
    found: dict[tuple[str, Any], Link] = {}
    for e in facts.imports:
        for target in q.get(("imported", path, e)):
            found.setdefault(("import", target), ("import", target, "certain", f"import {e[1]}"))
    if cell(q, path, "class", scope) is not None:
        for bases, why in ((bases_of(q, path, scope), "base class"), (interfaces_of(q, path, scope), "implements")):
            for b in bases:
                target = b[1:3] if b[0] == "c" else outside(b)
                found.setdefault(("inherits", target), ("inherits", target, "certain", why))
    return tuple(sorted(found.values(), key=repr))


def _rule_imported(q: Lookups, key: Key) -> tuple[Any, ...]:
    module = q.get(("jsmodule", key[1].rpartition("/")[0], key[2][1]))
    return ((module[1], ""),) if module[0] == "m" else (f"<external>::{module[1]}",)


def _rule_bases(q: Lookups, key: Key) -> tuple[Any, ...]:
    found = (*bases_of(q, key[1], key[2]), *interfaces_of(q, key[1], key[2]))
    return tuple(b[1:3] for b in found if b[0] == "c")


def _rule_overrides(q: Lookups, key: Key) -> tuple[Any, ...]:
    return q.get(("jsbelow", key[1], key[2], key[3]))  # type: ignore[no-any-return]


def _rule_overridden(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The methods of bases and interfaces that a method takes the place of, nearest bases first."""
    _, path, cls, name = key
    found: list[Any] = []
    above = [c[1:3] for c in q.get(("jsorder", path, cls))[1:] if c[0] == "c"]
    above += sorted(q.get(("jsancestors", path, cls)) - set(above))
    for p, c in above:
        for kind, _, e in cell(q, p, "member", c, name) or ():
            if kind in ("method", "field", "get"):
                found += [v[1:3] for v in sorted(ev(q, p, c, e)) if v[0] == "f"]
    return tuple(dict.fromkeys(found))


RULES: dict[str, tuple[Any, Any]] = {
    **EVALUATION,
    **USES,
    "links": (_rule_links, ((), ())),
    "reached": (_rule_reached, ()),
    "imported": (_rule_imported, ()),
    "bases": (_rule_bases, ()),
    "overrides": (_rule_overrides, ()),
    "overridden": (_rule_overridden, ()),
}
