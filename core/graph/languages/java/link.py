"""Call sites, names read, imports and supertypes of Java scopes, linked (Eq. 5, E_t): see ``linkers.SHARED``.

A call reaches the method its static types choose, and (override, possible) every method of a known subclass or
implementer that may run instead. ``new T(...)`` reaches the class and the constructor; a method reference is a
possible call by whom passes it on; the accessor that a record implies is a property of the record.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import digest
from core.graph.languages.java.classes import base_name
from core.graph.languages.java.evaluate import RULES as EVALUATION
from core.graph.languages.java.evaluate import Evaluator
from core.graph.languages.java.members import alike, own_methods, owner_of_method
from core.graph.languages.java.packages import member_type
from core.graph.languages.java.resolve import Resolved
from core.graph.lookups import Key, Lookups

Link = tuple[str, Any, str, str]
Links = tuple[Link, ...]
_EXPLICIT = ("this", "super")
_MAKING = ("new", *_EXPLICIT)


def _rule_links(q: Lookups, key: Key) -> tuple[Any, Any]:
    _, path, scope = key
    facts = q.input(("cell", path, "scope", scope, ""))
    if facts is None:
        return (), ()
    evaluator = Evaluator(q, path, scope)
    return (), tuple(
        (site.kind, site.key, _links(q, evaluator.resolve(i), site.kind)) for i, site in enumerate(facts.sites)
    )


def _links(q: Lookups, made: Resolved, kind: str) -> Links:
    found: dict[tuple[str, Any], Link] = {}

    def add(link: Link) -> None:
        found.setdefault(link[:2], link)

    value, implied = kind == "value", kind in ("init", "iter", "with")
    tier = "possible" if value or not made.sure else "certain"
    if implied and not made.methods and (kind != "init" or made.receiver is None or made.receiver[0] != "N"):
        return ()
    if made.receiver is not None and (made.how == "new" or (made.how in _EXPLICIT and not made.methods)):
        target = made.receiver[1:3] if made.receiver[0] == "N" else f"<external>::{made.receiver[1]}"
        add(("constructor", target, "possible" if value else "certain", f"new {_shown(made.receiver)}"))
    elif made.outside and not made.methods:
        name = made.outside.rpartition(".")[2]
        add(("call", f"<external>::{made.outside}", tier, f"{name} is declared elsewhere"))
        for target in made.below:
            add(("override", target, "possible", f"override of {made.outside}"))
    for path, facts in made.methods:
        if "i" in facts.flags:
            if made.how not in _MAKING:
                add(("property", (path, facts.qual), tier, "accessor of a record component"))
            continue
        add(("call", (path, facts.qual), tier, _why(made, facts.qual, value)))
        if not made.fixed and not set(facts.flags) & set("spf"):
            why = f"override of {_last(owner_of_method(facts))}.{_name(facts.qual)}"
            for target in _overrides(q, made, path, facts.qual):
                add(("override", target, "possible", why))
    return tuple(found.values())


def _overrides(q: Lookups, made: Resolved, path: str, qual: str) -> tuple[tuple[str, str], ...]:
    t = made.receiver
    if made.how in _MAKING or t is None or t[0] != "N":
        return ()
    found: tuple[tuple[str, str], ...] = q.get(("javaover", t[1], t[2], path, qual))
    return found


def _why(made: Resolved, qual: str, value: bool) -> str:
    if made.how in _MAKING:
        text = f"constructor of {_last(qual.rpartition('.')[0])}"
    else:
        text = "method reference" if value else f"method {_name(qual)} {made.how}"
        owner = qual.rpartition(".")[0]
        if made.receiver is not None and made.receiver[0] == "N" and made.receiver[2] != owner:
            text += f", inherited from {_last(owner)}"
    return f"{text}, {made.by}" if made.by else text


def _shown(t: Any) -> str:
    return _last(t[2] if t[0] == "N" else t[1])


def _last(key: str) -> str:
    return base_name(key)


def _name(qual: str) -> str:
    return qual.rpartition(".")[2].partition("#")[0]


def _rule_use(q: Lookups, key: Key) -> tuple[str, Any, str] | None:
    """(hash of what declares the name, target, why) of a name read as ``name in Class``: a type, a static field."""
    _, path, name = key
    dotted, _, ctx = name.partition(" in ")
    base, _, rest = dotted.partition(".")
    place = q.get(("javaplace", path, ctx, base))
    if place is None:
        return None
    if place[0] == "F":
        return None if rest else _static(q, place[1], place[2], base)
    if place[0] == "P":
        found = q.get(("javadotted", path, dotted)) if rest else None
    elif place[0] == "T":
        found = place[1]
        for part in rest.split(".") if rest else ():
            if found is not None and found[0] == "N":
                held = q.get(("javafield", found[1], found[2], part))
                if held is not None:
                    return _static(q, held[0], held[1], part)
            found = member_type(q, found, [part])
    else:
        return None
    if found is None:
        return None
    if found[0] == "N":
        return digest(f"type {found[1]}::{found[2]}"), found[1:3], f"reads {_last(found[2])}"
    return digest(f"external {found[1]}"), f"<external>::{found[1]}", f"reads {_last(found[1])}"


def _static(q: Lookups, path: str, key: str, name: str) -> tuple[str, Any, str] | None:
    text = q.input(("cell", path, "text", key, name))
    return (digest(f"text {path}::{key} {text}"), (path, key), f"reads {name}") if text is not None else None


def _rule_reached(q: Lookups, key: Key) -> Links:
    """Imports; what a class extends and implements."""
    _, path, scope = key
    facts = q.input(("cell", path, "scope", scope, ""))
    if facts is None:
        return ()
    found: dict[tuple[str, Any], Link] = {}
    for e in facts.imports:
        for target in q.get(("imported", path, e)):
            found.setdefault(("import", target), ("import", target, "certain", f"import {e[1]}"))
    if facts.kind == "class":
        for t in q.get(("javasupers", path, scope)):
            target = t[1:3] if t[0] == "N" else f"<external>::{t[1]}"
            found.setdefault(("inherits", target), ("inherits", target, "certain", "extends or implements"))
    return tuple(sorted(found.values(), key=repr))


def _rule_imported(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The class an import names; on demand, those classes of a package that the file reads."""
    _, path, e = key
    _, dotted, static, star, read = e
    if not star:
        found = q.get(("javadotted", path, dotted.rpartition(".")[0] if static else dotted))
        if found is None and static:
            return (f"<external>::{dotted}",)
        return (found[1:3] if found is not None and found[0] == "N" else f"<external>::{dotted}",)
    found = q.get(("javadotted", path, dotted))
    if found is not None and found[0] == "N":
        return (found[1:3],)
    inside = [q.get(("javadotted", path, f"{dotted}.{name}")) for name in read] if not static else []
    targets = sorted({t[1:3] for t in inside if t is not None and t[0] == "N"})
    return tuple(targets) or (f"<external>::{dotted}",)


def _rule_bases(q: Lookups, key: Key) -> tuple[Any, ...]:
    return tuple(t[1:3] for t in q.get(("javasupers", key[1], key[2])) if t[0] == "N")


def _rule_overrides(q: Lookups, key: Key) -> tuple[Any, ...]:
    """Methods of known subclasses that take the place of a method."""
    _, path, owner, name = key
    found: set[tuple[str, str]] = set()
    for m in own_methods(q, path, owner, name):
        if not set(m.flags) & set("spi"):
            found.update(q.get(("javaover", path, owner, path, m.qual)))
    return tuple(("f", *target) for target in sorted(found))


def _rule_overridden(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The methods of supertypes that a method takes the place of, nearest first."""
    _, path, owner, name = key
    found: dict[tuple[str, str], None] = {}
    mine = [(path, m) for m in own_methods(q, path, owner, name) if not set(m.flags) & set("spi")]
    for t in q.get(("javaline", path, owner)) if mine else ():
        if t[0] == "N":
            for m in own_methods(q, t[1], t[2], name):
                if not set(m.flags) & set("spi") and any(alike(q, one, (t[1], m)) for one in mine):
                    found[t[1], m.qual] = None
    return tuple(found)


RULES: dict[str, tuple[Any, Any]] = {
    **EVALUATION,
    "links": (_rule_links, ((), ())),
    "use": (_rule_use, None),
    "reached": (_rule_reached, ()),
    "imported": (_rule_imported, ()),
    "bases": (_rule_bases, ()),
    "overrides": (_rule_overrides, ()),
    "overridden": (_rule_overridden, ()),
}
