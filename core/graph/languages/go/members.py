"""Fields, methods and interfaces of Go types: promotion through embedding, and who implements what.

    gomem(path, key, n)     the field or method n of a type, own first, then promoted, shallowest first
    goembedded(path, key)   the types embedded in a struct or interface, in order
    gospecs(path, key)      (((method, path, qual), ...), known): every method spec of an interface, and whether all are
    gofits(path, key, ipath, ikey, strict)   whether a type has every method of an interface
    goimpl(ipath, ikey, n)  the methods of this repository that a call of n through an interface may run

Signatures are compared as types; where one is unknown it fits, unless ``strict``.
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.go.packages import folder_of, package_of
from core.graph.languages.go.types import TypeFacts
from core.graph.languages.go.typing import Type, Val, typed, under
from core.graph.lookups import Key, Lookups

_DEPTH = 6


def facts_of(q: Lookups, path: str, key: str) -> TypeFacts | None:
    """The facts of a declared or anonymous type."""
    return q.input(("cell", path, "type", key, ""))  # type: ignore[no-any-return]


def member(q: Lookups, t: Type, name: str) -> Val:
    """The field, method or method spec ``name`` of a value of type ``t``."""
    if t is None:
        return None
    if t[0] == "N":
        return q.get(("gomem", t[1], t[2], name))  # type: ignore[no-any-return]
    if t[0] == "X":
        return ("E", f"{t[1]}.{name}")
    return ("U", "error.Error") if t == ("B", "error") and name == "Error" else None


def own_methods(q: Lookups, path: str, key: str, name: str) -> tuple[tuple[str, str], ...]:
    """Where the method ``name`` is declared with receiver ``key``: one place, more under build constraints."""
    if "<" in key:
        return ()
    qual = f"{key}.{name}"
    folder, package = folder_of(path), package_of(q, path)
    found = q.input(("names", "gomethod", qual))
    return tuple((p, qual) for p, clause in found if clause == package and folder_of(p) == folder)


def _rule_embedded(q: Lookups, key: Key) -> tuple[tuple[str, Type], ...]:
    _, path, name = key
    facts = facts_of(q, path, name)
    return tuple((n, typed(q, path, e)) for n, e in facts.embedded) if facts is not None else ()


def _rule_mem(q: Lookups, key: Key) -> Val:
    _, path, key0, name = key
    level, seen = [(path, key0)], {(path, key0)}
    outside: Val = None
    for _ in range(_DEPTH):
        below: list[tuple[str, str]] = []
        for p, k in level:
            found = _own(q, p, k, name)
            if found is not None:
                return found
            for _, t in _layers(q, p, k):
                if t is None:
                    continue
                if t[0] == "N" and t[1:] not in seen:
                    seen.add((t[1], t[2]))
                    below.append((t[1], t[2]))
                elif t[0] == "X" and outside is None:
                    outside = ("E", f"{t[1]}.{name}")
                elif t == ("B", "error") and name == "Error":
                    outside = ("U", "error.Error")
        if not below:
            break
        level = below
    return outside


def _layers(q: Lookups, path: str, key: str) -> tuple[tuple[str, Type], ...]:
    """The embedded types of a type, those of what it is made of included."""
    facts = facts_of(q, path, key)
    if facts is not None and facts.kind in ("named", "alias"):
        made = under(q, ("N", path, key))
        if made is not None and made[0] == "N":
            return q.get(("goembedded", made[1], made[2]))  # type: ignore[no-any-return]
        return (("", made),) if made is not None and made[0] == "X" and facts.kind == "alias" else ()
    return q.get(("goembedded", path, key))  # type: ignore[no-any-return]


def _own(q: Lookups, path: str, key: str, name: str) -> Val:
    """A member that needs no promotion."""
    methods = own_methods(q, path, key, name)
    if methods:
        return ("F", methods)
    facts = facts_of(q, path, key)
    if facts is not None and facts.kind in ("named", "alias"):
        made = under(q, ("N", path, key))
        if made is None or made[0] != "N":
            return None
        path, key = made[1], made[2]
        facts = facts_of(q, path, key)
    if facts is None:
        return None
    if facts.kind == "interface":
        return ("F", ((path, f"{key}.{name}"),)) if name in facts.specs else None
    for field, e in facts.fields:
        if field == name:
            return ("V", typed(q, path, e))
    for field, e in facts.embedded:
        if field == name:
            return ("V", typed(q, path, e))
    return None


def _rule_specs(q: Lookups, key: Key) -> tuple[tuple[tuple[str, str, str], ...], bool]:
    _, path, name = key
    found: dict[str, tuple[str, str, str]] = {}
    known, seen, pending = True, {(path, name)}, [(path, name)]
    while pending:
        p, k = pending.pop()
        facts = facts_of(q, p, k)
        if facts is None:
            known = False
            continue
        if facts.kind != "interface":
            made = under(q, ("N", p, k))
            if made is None or made[0] != "N" or made[1:] in seen:
                known = False
            else:
                seen.add((made[1], made[2]))
                pending.append((made[1], made[2]))
            continue
        known = known and not facts.open
        for spec in facts.specs:
            found.setdefault(spec, (spec, p, f"{k}.{spec}"))
        for _, t in q.get(("goembedded", p, k)):
            if t is None or t[0] != "N":
                known = False
            elif t[1:] not in seen:
                seen.add((t[1], t[2]))
                pending.append((t[1], t[2]))
    return tuple(sorted(found.values())), known


def _rule_fits(q: Lookups, key: Key) -> bool:
    _, path, name, ipath, iname, strict = key
    specs, known = q.get(("gospecs", ipath, iname))
    if not specs or (strict and not known) or (path, name) == (ipath, iname):
        return False
    for spec, spath, qual in specs:
        found = q.get(("gomem", path, name, spec))
        if found is None or (found[0] != "F" and (strict or found[0] not in "EU")):
            return False
        if not spec[:1].isupper() and folder_of(path) != folder_of(spath):
            return False
        if found[0] == "F" and not _alike(q.get(("gosig", *found[1][0])), q.get(("gosig", spath, qual)), strict):
            return False
    return True


def _alike(a: Any, b: Any, strict: bool) -> bool:
    """Whether two signatures or types are the same; an unknown part fits anything unless ``strict``."""
    if a is None or b is None:
        return not strict
    if a == b:
        return not strict or not _unknown(a)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return all(_alike(x, y, strict) for x, y in zip(a, b, strict=True))
    return False


def _unknown(t: Any) -> bool:
    return t is None or (isinstance(t, tuple) and any(_unknown(x) for x in t))


def is_interface(q: Lookups, path: str, key: str) -> bool:
    """Whether a type is an interface, directly."""
    facts = facts_of(q, path, key)
    return facts is not None and facts.kind == "interface"


def _rule_impl(q: Lookups, key: Key) -> tuple[tuple[str, str], ...]:
    _, ipath, iname, name = key
    found: set[tuple[str, str]] = set()
    for path, owner in q.input(("names", "gohas", name)):
        home = type_home(q, path, owner)
        if home is not None and _reaches(q, home, owner, ipath, iname, name, (path, f"{owner}.{name}")):
            found.add((path, f"{owner}.{name}"))
    return tuple(sorted(found))


def type_home(q: Lookups, path: str, owner: str) -> str | None:
    """The file that declares the type ``owner`` that a method in ``path`` belongs to."""
    found = q.get(("gomember", folder_of(path), package_of(q, path), owner))
    return found[0] if found else None


def _reaches(q: Lookups, home: str, owner: str, ipath: str, iname: str, name: str, method: tuple[str, str]) -> bool:
    """Whether the type, or a type that embeds it and has the method from it, fits the interface."""
    pending, seen = [(home, owner)], {(home, owner)}
    while pending:
        path, key = pending.pop()
        if not is_interface(q, path, key) and q.get(("gofits", path, key, ipath, iname, False)):
            held = q.get(("gomem", path, key, name))
            if held is not None and held[0] == "F" and method in held[1]:
                return True
        for p, k in q.input(("names", "goembeds", key)):
            if (p, k) not in seen and any(t == ("N", path, key) for _, t in q.get(("goembedded", p, k))):
                seen.add((p, k))
                pending.append((p, k))
    return False


def embedders(q: Lookups, path: str, key: str) -> list[tuple[str, str]]:
    """The types that embed a type, at any depth, sorted."""
    pending, seen = [(path, key)], {(path, key)}
    while pending:
        at, name = pending.pop()
        for p, k in q.input(("names", "goembeds", name)):
            if (p, k) not in seen and any(t == ("N", at, name) for _, t in q.get(("goembedded", p, k))):
                seen.add((p, k))
                pending.append((p, k))
    return sorted(seen - {(path, key)})


RULES: dict[str, tuple[Any, Any]] = {
    "gomem": (_rule_mem, None),
    "goembedded": (_rule_embedded, ()),
    "gospecs": (_rule_specs, ((), False)),
    "gofits": (_rule_fits, False),
    "goimpl": (_rule_impl, ()),
}
