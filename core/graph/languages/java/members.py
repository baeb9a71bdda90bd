"""Fields and methods of Java classes: inheritance, overriding, and what a class without its own constructor runs.

javamethods(path, key, n)          ((path, MethodFacts), ...) of the methods n of a class, own first, inherited ones
                                   that none before overrides
javafield(path, key, n)            (path, key, FieldFacts) of the field n, own first, or None
javabelow(path, key)               all known subclasses and implementers, sorted
javaover(path, key, p, qual)       methods that a call of method qual on a value of the class may run instead
javasingle(path, key)              (path, MethodFacts) of the one abstract method of an interface, or None
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.java.classes import base_name
from core.graph.languages.java.jdk import METHODS
from core.graph.languages.java.packages import is_interface, type_facts
from core.graph.languages.java.types import FieldFacts, MethodFacts
from core.graph.languages.java.typing import Type, substituted, typed
from core.graph.lookups import Key, Lookups

Method = tuple[str, MethodFacts]


def owner_of_method(facts: MethodFacts) -> str:
    """The key of the class that declares a method."""
    return facts.qual if "i" in facts.flags else facts.qual.rpartition(".")[0]


def own_methods(q: Lookups, path: str, key: str, name: str) -> tuple[MethodFacts, ...]:
    """The methods of that name that a class declares itself."""
    return q.input(("cell", path, "methods", key, name)) or ()


def _rule_methods(q: Lookups, key: Key) -> tuple[Method, ...]:
    _, path, name, called = key
    found: list[Method] = [(path, m) for m in own_methods(q, path, name, called)]
    for t in q.get(("javaline", path, name)):
        if t[0] == "X":
            continue
        for m in own_methods(q, t[1], t[2], called):
            if "p" in m.flags and t[1] != path:
                continue  # seen in its own file only
            if not any(alike(q, one, (t[1], m)) for one in found):
                found.append((t[1], m))
    return tuple(found)


def alike(q: Lookups, left: Method, right: Method) -> bool:
    """Whether one method may override the other: as many parameters, none of them certainly of another type."""
    a, b = left[1].params, right[1].params
    if len(a) != len(b):
        return False
    if not a or left == right:
        return True
    return all(_same(typed(q, left[0], x), typed(q, right[0], y)) for x, y in zip(a, b, strict=True))


def _same(a: Type, b: Type) -> bool:
    if a is None or b is None or a[0] in "YW" or b[0] in "YW":
        return (a is None or a[0] != "B") and (b is None or b[0] != "B")
    if a[0] == "S" and b[0] == "S":
        return _same(a[1], b[1])
    if a[0] == "X" and b[0] == "X":
        return bool(a[1] == b[1])
    return a[0] == b[0] and a[1:3] == b[1:3]


def _rule_field(q: Lookups, key: Key) -> tuple[str, str, FieldFacts] | None:
    _, path, name, field = key
    found: FieldFacts | None = q.input(("cell", path, "field", name, field))
    if found is not None:
        return path, name, found
    for t in q.get(("javaline", path, name)):
        if t[0] == "N":
            found = q.input(("cell", t[1], "field", t[2], field))
            if found is not None:
                return t[1], t[2], found
    return None


def outside_of(q: Lookups, path: str, key: str, name: str) -> str:
    """The first supertype of a class that is declared elsewhere and may have a member of that name, "" without."""
    found = (t[1] for t in q.get(("javaline", path, key)) if t[0] == "X")
    return next((x for x in found if x not in METHODS or name in METHODS[x]), "")


def _direct(q: Lookups, path: str, key: str) -> list[tuple[str, str]]:
    found = q.input(("names", "jsub", base_name(key)))
    return [f for f in found if any(t[0] == "N" and t[1:3] == (path, key) for t in q.get(("javasupers", *f)))]


def _rule_below(q: Lookups, key: Key) -> tuple[tuple[str, str], ...]:
    _, path, name = key
    found: set[tuple[str, str]] = set()
    pending = [(path, name)]
    while pending:
        for below in _direct(q, *pending.pop()):
            if below not in found:
                found.add(below)
                pending.append(below)
    return tuple(sorted(found - {(path, name)}))


def method_of(q: Lookups, path: str, qual: str) -> MethodFacts | None:
    """The facts of a method by its qual, constructors too."""
    key, _, last = qual.rpartition(".")
    name = last.partition("#")[0]
    return next((m for n in (name, "<init>") for m in own_methods(q, path, key, n) if m.qual == qual), None)


def _rule_over(q: Lookups, key: Key) -> tuple[tuple[str, str], ...]:
    _, path, name, home, qual = key
    target = method_of(q, home, qual)
    if target is None:
        return ()
    called = qual.rpartition(".")[2].partition("#")[0]
    found: set[tuple[str, str]] = set()
    for below in q.get(("javabelow", path, name)):
        for p, m in q.get(("javamethods", *below, called)):
            if (p, m.qual) != (home, qual) and not set(m.flags) & set("sp") and alike(q, (p, m), (home, target)):
                found.add((p, m.qual))
    return tuple(sorted(found - _above(q, home, qual, called, target)))


def _above(q: Lookups, home: str, qual: str, called: str, target: MethodFacts) -> set[tuple[str, str]]:
    """The methods that a method overrides itself, and itself: no call of it runs them."""
    owner = owner_of_method(target)
    found = {(home, qual)}
    for t in q.get(("javaline", home, owner)):
        if t[0] == "N":
            found.update(
                (t[1], m.qual) for m in own_methods(q, t[1], t[2], called) if alike(q, (t[1], m), (home, target))
            )
    return found


def _rule_single(q: Lookups, key: Key) -> Method | None:
    _, path, name = key
    if not is_interface(q, ("N", path, name, ())):
        return None
    for p, k in [(path, name), *(t[1:3] for t in q.get(("javaline", path, name)) if t[0] == "N")]:
        for called in q.input(("cell", p, "abstract", k, "")) or ():
            for m in own_methods(q, p, k, called):
                if "a" in m.flags:
                    return p, m
    return None


def seen_as(q: Lookups, receiver: Type, path: str, key: str) -> tuple[Type, ...]:
    """The arguments a receiver's type has for the class that declares a member of it; () when unknown."""
    if receiver is None or receiver[0] != "N":
        return ()
    if receiver[1:3] == (path, key):
        return receiver[3]  # type: ignore[no-any-return]
    for t in q.get(("javaline", receiver[1], receiver[2])):
        if t[0] == "N" and t[1:3] == (path, key):
            return substituted(t, receiver[1], receiver[2], receiver[3])[3]  # type: ignore[no-any-return]
    return ()


def constructors(q: Lookups, path: str, key: str) -> tuple[Method, ...]:
    """The constructors a class declares."""
    return tuple((path, m) for m in own_methods(q, path, key, "<init>"))


def superclass(q: Lookups, path: str, key: str) -> Type:
    """What a class extends, None for none."""
    facts = type_facts(q, path, key)
    if facts is None or facts.extends is None:
        return None
    found = typed(q, path, facts.extends)
    return None if is_interface(q, found) else found


RULES: dict[str, tuple[Any, Any]] = {
    "javamethods": (_rule_methods, ()),
    "javafield": (_rule_field, None),
    "javabelow": (_rule_below, ()),
    "javaover": (_rule_over, ()),
    "javasingle": (_rule_single, None),
}
