"""Call sites, names read, imports and bases of Python scopes, linked (Eq. 5, E_t).

In: look-ups over the cells of ``python``. Out, as rules of their own:

    links(path, scope)   a tuple per part ("head", "sites") of (key, ((kind, target, tier, why), ...)) a site
    use(path, name)      (hash of what binds the name, target, why) or None
    reached(path, scope) ((kind, target, tier, why), ...): imports and bases

A target is ``(path, scope)`` in the repository, or the text ``<external>::...`` / ``<builtin>::...``.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr, Site, digest
from core.graph.languages.python_calls import Arguments, Bare, Values1, call
from core.graph.languages.python_containers import iterated
from core.graph.languages.python_core import cell, ev, known
from core.graph.languages.python_evaluate import RULES as EVALUATION
from core.graph.languages.python_members import attribute, bind, super_lookup
from core.graph.languages.python_static import bases_of
from core.graph.languages.python_values import Val, Values, is_instance
from core.graph.lookups import Key, Lookups

Link = tuple[str, Any, str, str]
SiteLinks = tuple[str, str, tuple[Link, ...]]
_PROTOCOLS = {
    "iter": (("__iter__", "__aiter__"), ("__next__", "__anext__")),
    "with": (("__enter__", "__aenter__"), ("__exit__", "__aexit__")),
}
_TAKES_CALLABLE = frozenset(["map", "filter", "sorted", "min", "max", "list.sort"])


class _Found:
    """Collects the links of one site, each target once."""

    def __init__(self, q: Lookups, tier: str) -> None:
        self.q = q
        self.tier = tier
        self.links: dict[tuple[str, Any], Link] = {}

    def add(self, kind: str, target: Any, why: str, tier: str = "") -> None:
        """Keep the first link of each (kind, target)."""
        self.links.setdefault((kind, target), (kind, target, tier or self.tier, why))

    def function(self, v: Val, why: str, name: str, receiver: Val | None = None, kind: str = "call") -> None:
        """A call of function ``v``, with the overrides a receiver of a known class may choose instead."""
        self.add(kind, v[1:3], why)
        if receiver is None or receiver[0] not in "ost" or not name:
            return
        for other in self.q.get(("overrides", receiver[1], receiver[2], name)):
            if other[1:3] != v[1:3]:
                self.add("override", other[1:3], f"override of {v[2]}", "possible")

    def constructor(self, v: Val, why: str) -> None:
        """A class is called: itself, and the ``__init__`` its MRO finds."""
        self.add("constructor", v[1:3], why)
        plain, _ = self.q.get(("member", v[1], v[2], "__init__"))
        for m in sorted(plain):
            if m[0] == "f":
                self.add("constructor", m[1:3], f"__init__ of {v[2]}")
            elif m[0] == "x":
                self.add("constructor", "<external>::" + m[1], f"__init__ of {v[2]}")
        new, _ = self.q.get(("member", v[1], v[2], "__new__"))
        for m in sorted(new):
            if m[0] == "f":
                self.add("call", m[1:3], f"__new__ of {v[2]}")

    def done(self) -> tuple[Link, ...]:
        """The links in a fixed order."""
        return tuple(sorted(self.links.values(), key=repr))


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
        if not q.input(("names?", "property", e[2])):
            return kind, key, ()
        found = _Found(q, "certain")
        _properties(q, path, scope, e, found)
        return kind, key, found.done()
    if kind in _PROTOCOLS:
        return kind, key, _protocol(q, path, scope, kind, e)
    if kind == "raise":
        found = _Found(q, _tier(q, path, e))
        for v in sorted(known(q, ev(q, path, scope, e)), key=repr):
            if v[0] == "c":
                found.constructor(v, "raised")
            elif v[0] in "xz":
                found.add("constructor", _outside(v), "raised")
        return kind, key, found.done()
    callee = e[1] if e[0] == "call" else e
    if e[0] == "super":
        return kind, key, (("call", "<builtin>::super", "certain", "builtin"),)
    found = _Found(q, _tier(q, path, callee))
    _callee(q, path, scope, callee, found)
    if q.flow and e[0] == "call":
        _callbacks(q, path, scope, e, found)
    return kind, key, found.done()


def _callee(q: Lookups, path: str, scope: str, callee: Expr | None, found: _Found) -> None:
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
    return {"local": "local variable", "closure": "enclosing scope", "call": "result of a call"}.get(kind, "value")


def _method(q: Lookups, v: Val, name: str, found: _Found, base: Expr) -> None:
    kind = v[0]
    if is_instance(v):
        plain, _ = q.get(("member", v[1], v[2], name))
        if any(_is_property(q, m) for m in plain):
            _property(q, v, plain, name, found)
        for value in sorted(known(q, attribute(q, v, name)), key=repr):
            _value(q, value, f"attribute of {v[2]}", name, found)
        if not plain and v[0] == "s":
            for other in q.get(("overrides", v[1], v[2], name)):
                found.add("override", other[1:3], f"defined in a subclass of {v[2]}", "possible")
    elif kind == "u":
        values, _ = super_lookup(q, v, name)
        for value in sorted(values, key=repr):
            _value(q, value, "super()", "", found)
    else:
        why = "attribute of a module" if kind in "mn" else f"attribute of {v[2]}" if kind in "ct" else "attribute"
        for value in sorted(known(q, attribute(q, v, name)), key=repr):
            _value(q, value, why, name if kind == "t" else "", found)


def _value(q: Lookups, v: Val, why: str, name: str, found: _Found) -> None:
    kind = v[0]
    if kind == "f":
        found.add("call", v[1:3], why)
    elif kind == "b":
        found.function(v, why, name, v[3])
    elif kind in "ct":
        found.constructor(v, why)
    elif is_instance(v):
        plain, _ = q.get(("member", v[1], v[2], "__call__"))
        for m in sorted(plain):
            if m[0] == "f":
                found.add("call", m[1:3], f"__call__ of {v[2]}")
            elif m[0] == "x":
                found.add("call", _outside(m), "external")
    elif kind in "xz":
        found.add("call", _outside(v), "external" if kind == "x" else "builtin")
    elif kind == "y":
        found.add("call", f"<external>::{v[1]}.__call__", "external")
    elif kind == "a":
        found.add("call", "<builtin>::" + v[2], "builtin")
    elif kind == "r":
        for inner in sorted(v[1], key=repr):
            if inner[0] in "fb":
                found.add("call", inner[1:3], why)


def _outside(v: Val) -> str:
    return ("<external>::" if v[0] in "xy" else "<builtin>::") + str(v[1])


def _is_property(q: Lookups, m: Val) -> bool:
    if m[0] == "q":
        return True
    if m[0] != "f":
        return False
    facts = cell(q, m[1], "function", m[2])
    return facts is not None and "property" in facts.flags


def _property(q: Lookups, v: Val, plain: Values, name: str, found: _Found) -> None:
    for m in sorted(plain, key=repr):
        getters = m[1] if m[0] == "q" else (m,) if _is_property(q, m) else ()
        for g in sorted(getters, key=repr):
            if g[0] == "f":
                found.function(g, f"property of {v[2]}", name, v, "property")


def _properties(q: Lookups, path: str, scope: str, e: Expr, found: _Found) -> None:
    """Reads of ``base.name`` that run a property."""
    if e[1] is None:
        return
    for v in known(q, ev(q, path, scope, e[1])):
        if is_instance(v):
            plain, _ = q.get(("member", v[1], v[2], e[2]))
            _property(q, v, plain, e[2], found)
        elif v[0] == "u":
            order = q.get(("order", v[3][1], v[3][2]))
            start = next((i for i, c in enumerate(order) if c[1:] == v[1:3]), None)
            for c in order[start + 1 :] if start is not None else ():
                if c[0] == "c" and cell(q, c[1], "name", c[2], e[2]) is not None:
                    for m in q.get(("own", c[1], c[2], e[2])):
                        if _is_property(q, m) and m[0] == "f":
                            found.add("property", m[1:3], "property through super()")
                    break


def _protocol(q: Lookups, path: str, scope: str, kind: str, e: Expr) -> tuple[Link, ...]:
    """``for`` and ``with`` over instances of repository classes call their protocol methods."""
    found = _Found(q, "certain")
    first, second = _PROTOCOLS[kind]
    for v in sorted(known(q, ev(q, path, scope, e)), key=repr):
        if not is_instance(v):
            continue
        entered = _dunder(q, v, first, found)
        if kind == "with":
            _dunder(q, v, second, found)
            continue
        for m in entered:
            for iterator in sorted(_called(q, m, v), key=repr):
                if is_instance(iterator):
                    _dunder(q, iterator, second, found)
    return found.done()


def _called(q: Lookups, m: Val, receiver: Val) -> Values:
    found: set[Val] = set()
    for bound in bind(q, m, receiver):
        found |= call(q, bound, Bare(receiver))
    return frozenset(found)


def _dunder(q: Lookups, v: Val, names: tuple[str, ...], found: _Found) -> list[Val]:
    entered: list[Val] = []
    for name in names:
        plain, _ = q.get(("member", v[1], v[2], name))
        for m in sorted(plain, key=repr):
            if m[0] == "f":
                found.function(m, f"{name} of {v[2]}", name, v)
                entered.append(m)
    return entered


def _callbacks(q: Lookups, path: str, scope: str, e: Expr, found: _Found) -> None:
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


def _rule_choice(q: Lookups, key: Key) -> bool:
    """Whether a module-level name has several definitions or imports, here or where it is imported from."""
    _, path, name = key
    seen: set[tuple[str, str]] = set()
    while (path, name) not in seen:
        seen.add((path, name))
        facts = cell(q, path, "name", "", name)
        if facts is None:
            return False
        if facts.choice:
            return True
        origin = _origin(q, path, facts)
        if origin is None:
            return False
        path, name = origin
    return False


def _origin(q: Lookups, path: str, facts: Any) -> tuple[str, str] | None:
    """Where the one import that binds a name takes it from: (module path, name)."""
    if len(facts.final) != 1:
        return None
    kind, e = facts.versions[facts.final[0]]
    if kind != "import" or e is None or e[0] != "from":
        return None
    module = q.get(("import", path, e[1], e[2]))
    return (module[1], e[3]) if module[0] == "m" else None


def _rule_use(q: Lookups, key: Key) -> tuple[str, Any, str] | None:
    """(hash of the binding, target, why) of a module-level name read in ``path``; dotted names go through modules."""
    _, path, name = key
    first, _, rest = name.partition(".")
    if not rest:
        return _use(q, path, first)
    for attribute_name in rest.split("."):
        values = q.get(("global", path, first)) if q.get(("binds", path, first)) else ()
        modules = [v for v in values if v[0] in "mn"]
        if len(modules) != 1:
            return None
        if modules[0][0] == "n":
            return None
        path, first = modules[0][1], attribute_name
    return _use(q, path, first)


def _use(q: Lookups, path: str, name: str) -> tuple[str, Any, str] | None:
    parts: list[str] = []
    targets: list[tuple[Any, str]] = []
    pending = [(path, name)]
    seen: set[tuple[str, str]] = set()
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        facts = cell(q, at[0], "name", "", at[1])
        if facts is None:
            for module in q.get(("starred", *at)):
                if module[0] == "m":
                    pending.append((module[1], at[1]))
                else:
                    parts.append("external " + module[1])
                    targets.append(("<external>::" + module[1], f"reads {at[1]}"))
            inner = q.get(("submodule", *at))
            if inner is not None and inner[0] == "m":
                parts.append("module " + inner[1])
                targets.append(((inner[1], ""), f"reads module {at[1]}"))
            continue
        text = cell(q, at[0], "text", "", at[1])
        for kind, e in facts.versions:
            _binding(q, at, kind, e, text, parts, targets, pending)
        if facts.extern and text is None:
            parts.append("assigned elsewhere")
    if not parts:
        return None
    target, why = min(targets, key=repr) if targets else ((path, ""), f"reads {name}")
    return digest(*sorted(set(parts))), target, why


def _binding(q: Lookups, at: Any, kind: str, e: Any, text: Any, parts: Any, targets: Any, pending: Any) -> None:
    path, name = at
    if kind in ("def", "class") and e is not None:
        parts.append(f"{kind} {path}::{e[1]}")
        targets.append(((path, e[1]), f"reads {name}"))
    elif kind == "import" and e is not None:
        module = q.get(("import", path, e[1], e[2])) if e[0] == "from" else q.get(("import", path, 0, e[1]))
        whole = e[3] if e[0] == "from" else ""
        inner = q.get(("submodule", path, whole)) if module == ("m", path) and whole else None
        if inner is not None:
            module, whole = inner, ""
        if module[0] == "m" and whole:
            if q.get(("binds", module[1], whole)) or q.get(("submodule", module[1], whole)) is None:
                parts.append(f"from {module[1]} {whole}")
            pending.append((module[1], whole))
        elif module[0] == "m":
            parts.append("module " + module[1])
            targets.append(((module[1], ""), f"reads module {name}"))
        else:
            dotted = f"{module[1]}.{whole}" if whole else module[1]
            parts.append("external " + dotted)
            targets.append(("<external>::" + dotted, f"reads {name}"))
    elif text is not None:
        parts.append("text " + path + " " + text)
        targets.append(((path, ""), f"reads {name}"))


def _rule_reached(q: Lookups, key: Key) -> tuple[Link, ...]:
    """Imports and bases of a scope, as relations."""
    _, path, scope = key
    facts = cell(q, path, "scope", scope)
    if facts is None:
        return ()
    found: dict[tuple[str, Any], Link] = {}
    for e in facts.imports:
        for target in import_targets(q, path, e):
            found.setdefault(("import", target), ("import", target, "certain", _import_words(e)))
    if facts.kind == "class":
        for v in bases_of(q, path, scope):
            target = v[1:3] if v[0] == "c" else _outside(v)
            found.setdefault(("inherits", target), ("inherits", target, "certain", "base class"))
    return tuple(sorted(found.values(), key=repr))


def _import_words(e: Expr) -> str:
    if e[0] == "module":
        return f"import {e[2]}"
    return f"from {'.' * e[1]}{e[2]} import {e[3]}"


def import_targets(q: Lookups, path: str, e: Expr) -> list[Any]:
    """What one imported name is: definitions, else the module that holds it, else an external name."""
    if e[0] == "module":
        module = q.get(("import", path, 0, e[2]))
        return [(module[1], "")] if module[0] == "m" else ["<external>::" + module[1]] if module[0] == "x" else []
    module = q.get(("import", path, e[1], e[2]))
    if e[3] == "*":
        return [(module[1], "")] if module[0] == "m" else ["<external>::" + module[1]] if module[0] == "x" else []
    if module[0] == "x":
        return ["<external>::" + (f"{module[1]}.{e[3]}" if module[1] else e[3])]
    found: list[Any] = []
    for v in ev(q, path, "", e):
        if v[0] in "fc":
            found.append(v[1:3])
        elif v[0] == "m":
            found.append((v[1], ""))
        elif v[0] == "x":
            found.append("<external>::" + v[1])
    if not found and module[0] == "m":
        found.append((module[1], ""))
    return sorted(set(found), key=repr)


def arguments_passed(q: Lookups, path: str, scope: str, site: Site) -> list[tuple[Key, Values]]:
    """For whole-program flow: (("argument", path, function, parameter), values) of one call site."""
    e = site.expr
    if e[0] != "call" or site.kind == "dec":  # decorators: see decorated_with
        return []
    given = Arguments(q, path, scope, e[2], e[3])
    found: list[tuple[Key, Values]] = []
    for v in known(q, ev(q, path, scope, e[1])):
        bound = v[0] == "b"
        targets = [v] if v[0] in "fb" else []
        if v[0] in "ct":
            plain, _ = q.get(("member", v[1], v[2], "__init__"))
            targets, bound = [m for m in plain if m[0] == "f"], True
        elif is_instance(v):
            plain, _ = q.get(("member", v[1], v[2], "__call__"))
            targets, bound = [m for m in plain if m[0] == "f"], True
        elif v == ("z", "map"):
            for f in (x for i in range(2) for x in known(q, given.at(i)) if x[0] in "fb"):
                rest = [iterated(q, x) for i in range(2) for x in known(q, given.at(i)) if x[0] not in "fb"]
                facts = cell(q, f[1], "function", f[2])
                if facts is not None and facts.params and rest:
                    found.append((("argument", f[1], f[2], facts.params[0].name), frozenset().union(*rest)))
        for target in targets:
            facts = cell(q, target[1], "function", target[2])
            if facts is None:
                continue
            for p in facts.params:
                values = given.named(facts, p.name, bound)
                if values:
                    found.append((("argument", target[1], target[2], p.name), known(q, values)))
    return found


def decorated_with(q: Lookups, path: str, scope: str) -> list[tuple[Key, Values]]:
    """For whole-program flow: what each decorator of a definition is given."""
    facts = cell(q, path, "function", scope)
    found: list[tuple[Key, Values]] = []
    if facts is None or not facts.decorators:
        return found
    current: Values = frozenset({("f", path, scope)})
    for decorator in reversed(facts.decorators):
        result: set[Val] = set()
        for v in known(q, ev(q, path, facts.parent, decorator)):
            if v[0] not in "fb":
                continue
            inner = cell(q, v[1], "function", v[2])
            if inner is None:
                continue
            plain = [p.name for p in inner.params if p.kind == ""]
            skip = 1 if v[0] == "b" else 0
            if len(plain) > skip:
                found.append((("argument", v[1], v[2], plain[skip]), current))
            result |= call(q, v, Values1(current))
        current = frozenset(x for x in result if x[0] != "p") or current
    return found


RULES: dict[str, tuple[Any, Any]] = {
    **EVALUATION,
    "links": (_rule_links, ((), ())),
    "choice": (_rule_choice, False),
    "use": (_rule_use, None),
    "reached": (_rule_reached, ()),
}
