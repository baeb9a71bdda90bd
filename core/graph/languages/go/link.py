"""Call sites, names read, imports and embeddings of Go scopes, linked (Eq. 5, E_t): see ``linkers.SHARED``.

A call reaches what its callee names: a function, a method found on the static type of the receiver, the method
spec of an interface and (override, possible) every method of the repository that may stand behind it. A literal
``T{}``, ``new(T)`` or ``T(x)`` is a constructor edge to the type; a function named as a value is a possible call.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Site, digest
from core.graph.languages.go.evaluate import RULES as EVALUATION
from core.graph.languages.go.evaluate import ev
from core.graph.languages.go.members import embedders, facts_of, is_interface, own_methods, type_home
from core.graph.languages.go.packages import folder_of, member_of, package_of
from core.graph.languages.go.typing import Val, typed, under
from core.graph.lookups import Key, Lookups

Link = tuple[str, Any, str, str]
Links = tuple[Link, ...]


def _rule_links(q: Lookups, key: Key) -> tuple[Any, Any]:
    _, path, scope = key
    facts = q.input(("cell", path, "scope", scope, ""))
    if facts is None:
        return (), ()
    known: dict[Site, Any] = {}
    found = []
    for site in facts.sites:
        links = known.get(site)
        if links is None:
            links = known[site] = (site.kind, site.key, _site(q, path, scope, site))
        found.append(links)
    return (), tuple(found)


def _site(q: Lookups, path: str, scope: str, site: Site) -> Links:
    kind, _, e = site
    if kind == "new":
        found = typed(q, path, e)
        return _construct(found, "composite literal") if found is not None and found[0] in "NX" else ()
    if kind == "value":
        v = ev(q, path, scope, e)
        return tuple(("call", t, "possible", "function value") for t in v[1]) if v is not None and v[0] == "F" else ()
    callee = e[1]
    return _called(q, path, ev(q, path, scope, callee), callee)


def _construct(t: Any, why: str) -> Links:
    if t[0] == "N":
        return (("constructor", t[1:], "certain", why),)
    return (("constructor", f"<external>::{t[1]}", "certain", why),) if t[0] == "X" else ()


def _called(q: Lookups, path: str, v: Val, callee: Any) -> Links:
    if v is None:
        return ()
    kind = v[0]
    if kind == "F":
        return _functions(q, path, v[1], callee)
    if kind == "E":
        return (("call", f"<external>::{v[1]}", "certain", "external"),)
    if kind == "U":
        return (("call", f"<builtin>::{v[1]}", "certain", "builtin"),)
    if kind == "L":
        return (("call", v[1:3], "certain", "function literal"),)
    if kind == "T":
        found = _construct(v[1], "conversion")
        return found or ((("call", f"<builtin>::{v[1][1]}", "certain", "conversion"),) if v[1][0] == "B" else ())
    if kind == "V":
        made = under(q, v[1])
        if made is not None and made[0] == "X":  # a value of a function type declared elsewhere
            return (("call", f"<external>::{made[1]}", "certain", "external"),)
    return ()


def _functions(q: Lookups, path: str, targets: Any, callee: Any) -> Links:
    direct = _direct(q, path, targets, callee)
    tier, why = ("certain", _reason(callee)) if direct else ("possible", "through a variable")
    found: dict[Any, Link] = {t: ("call", t, tier, why) for t in targets}
    for p, qual in targets:
        facts = q.input(("cell", p, "func", qual, ""))
        if facts is not None and facts.interface:
            name = qual.rpartition(".")[2]
            for target in q.get(("goimpl", p, facts.interface, name)):
                found.setdefault(target, ("override", target, "possible", f"implements {facts.interface}.{name}"))
    return tuple(found.values())


def _direct(q: Lookups, path: str, targets: Any, callee: Any) -> bool:
    """Whether the callee names the function itself rather than a variable that holds it."""
    while callee is not None and callee[0] == "idx":
        callee = callee[1]
    if callee is None or callee[0] not in ("name", "attr"):
        return False
    return any(qual.rpartition(".")[2] == callee[-1] for _, qual in targets)


def _reason(callee: Any) -> str:
    while callee[0] == "idx":
        callee = callee[1]
    return f"name {callee[1]}" if callee[0] == "name" else f"selector {callee[2]}"


def _rule_use(q: Lookups, key: Key) -> tuple[str, Any, str] | None:
    """(hash of what binds the name, target, why) of a name read; ``f()`` and ``T{}k`` as ``go.body`` writes them."""
    _, path, name = key
    kind, brace, field = name.partition("{}")
    if brace:
        found = typed(q, path, ("q", *kind.split(".", 1)) if "." in kind else ("n", kind))
        made = under(q, found)
        if made is None or made[0] not in "MS":
            return None
        name = field
    called = name.endswith("()")
    base, dot, last = name.removesuffix("()").partition(".")
    found = q.get(("godecl", path, base))
    if found is None:
        return None
    if found[0] == "P":
        return _bound(q, member_of(q, found[1], last), last) if dot else None
    if found[0] == "D":
        return _bound(q, found[1], base)
    dotted = f"{found[1]}.{last}" if found[0] == "I" else found[1]
    return None if called or (found[0] == "I" and not dot) else (
        digest(f"external {dotted}"), f"<external>::{dotted}", f"reads {last or base}"
    )  # fmt: skip


def _bound(q: Lookups, files: tuple[str, ...], name: str) -> tuple[str, Any, str] | None:
    if not files:
        return None
    path = files[0]
    top = q.input(("cell", path, "top", "", name))
    if top is None or top[0] == "func":  # calls and function values have edges
        return None
    if top[0] == "type":
        return digest(*(f"type {p}::{name}" for p in files)), (path, name), f"reads {name}"
    texts = [q.input(("cell", p, "text", "", name)) or "" for p in files]
    return digest(*(f"text {p} {t}" for p, t in zip(files, texts, strict=True))), (path, ""), f"reads {name}"


def _rule_reached(q: Lookups, key: Key) -> Links:
    """Imports; embedded types; interfaces that a type certainly implements."""
    _, path, scope = key
    facts = q.input(("cell", path, "scope", scope, ""))
    if facts is None:
        return ()
    found: dict[tuple[str, Any], Link] = {}
    for e in facts.imports:
        for target in q.get(("imported", path, e)):
            found.setdefault(("import", target), ("import", target, "certain", f"import {e[1]}"))
    if facts.kind == "class":
        for _, t in q.get(("goembedded", path, scope)):
            if t is not None and t[0] in "NX":
                target = t[1:] if t[0] == "N" else f"<external>::{t[1]}"
                found.setdefault(("inherits", target), ("inherits", target, "certain", "embedded"))
        for target in _interfaces(q, path, scope, True):
            found.setdefault(("inherits", target), ("inherits", target, "certain", "has all its methods"))
    return tuple(sorted(found.values(), key=repr))


def _interfaces(q: Lookups, path: str, scope: str, strict: bool) -> list[tuple[str, str]]:
    """The interfaces of this repository that a type fits, found by the methods declared on it; sorted."""
    if is_interface(q, path, scope):
        return []
    folder, package = folder_of(path), package_of(q, path)
    found: set[tuple[str, str]] = set()
    for p, method in q.input(("names", "goof", scope)):
        if folder_of(p) == folder and package_of(q, p) == package:
            found.update(q.input(("names", "gospec", method)))
    return sorted(i for i in found if q.get(("gofits", path, scope, *i, strict)))


def _rule_imported(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The files of a package that declare what is used of it, else its first; another module's import path."""
    e = key[2]
    folder = q.get(("gopackage", e[1]))
    if folder is None:
        return ("<external>::" + e[1],)
    found = {p for name in e[2] for p in member_of(q, folder, name)}
    files = q.input(("gofolder", folder))
    return tuple((p, "") for p in sorted(found or files[:1]))


def _rule_bases(q: Lookups, key: Key) -> tuple[Any, ...]:
    return tuple(t[1:] for _, t in q.get(("goembedded", key[1], key[2])) if t is not None and t[0] == "N")


def _rule_overrides(q: Lookups, key: Key) -> tuple[Any, ...]:
    """Methods behind a method spec; methods of embedding types that hide a method."""
    _, path, owner, name = key
    home = path if facts_of(q, path, owner) is not None else type_home(q, path, owner)
    if home is None:
        return ()
    found = set(q.get(("goimpl", home, owner, name))) if is_interface(q, home, owner) else set()
    for p, k in embedders(q, home, owner):
        found.update(own_methods(q, p, k, name))
        if is_interface(q, p, k) and name in getattr(facts_of(q, p, k), "specs", ()):
            found.add((p, f"{k}.{name}"))
    return tuple(("f", *target) for target in sorted(found - {(path, f"{owner}.{name}")}))


def _rule_overridden(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The method specs a method stands behind, then the promoted methods it hides."""
    _, path, owner, name = key
    me = (path, f"{owner}.{name}")
    home = path if facts_of(q, path, owner) is not None else type_home(q, path, owner)
    found: list[Any] = []
    if home is not None and not is_interface(q, home, owner):
        for p, k in q.input(("names", "gospec", name)):
            if me in q.get(("goimpl", p, k, name)):
                found.append((p, f"{k}.{name}"))
    for _, t in q.get(("goembedded", home, owner)) if home is not None else ():
        held = q.get(("gomem", t[1], t[2], name)) if t is not None and t[0] == "N" else None
        found += held[1] if held is not None and held[0] == "F" else ()
    return tuple(dict.fromkeys(t for t in found if t != me))


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
