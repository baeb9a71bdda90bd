"""What names of Java mean: packages, imports, member types, fields and methods seen from a class.

    javadotted(path, dotted)    the type of a whole name: ("N", path, key, ()) declared here, or None
    javatype(path, ctx, name)   the type a simple name means in class ``ctx`` ("": outside of all classes)
    javanested(path, key, name) the member type of a class, inherited ones too
    javasupers(path, key)       what a class extends, then what it implements, resolved
    javaline(path, key)         all supertypes of a class, classes before interfaces, nearest first, each once

A whole name may be declared in several files (source sets, copies): the one whose folder is nearest is meant.
Types are those of ``java.typing``.
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.java.jdk import JAVA_LANG, JAVA_UTIL
from core.graph.languages.java.types import TypeFacts
from core.graph.languages.java.typing import Type, substituted, typed
from core.graph.lookups import Key, Lookups


def type_facts(q: Lookups, path: str, key: str) -> TypeFacts | None:
    """The facts of a declared class."""
    return q.input(("cell", path, "type", key, ""))  # type: ignore[no-any-return]


def around(q: Lookups, path: str, ctx: str) -> list[str]:
    """A class and the classes around it, innermost first."""
    found: list[str] = []
    while ctx and ctx not in found:
        found.append(ctx)
        facts = type_facts(q, path, ctx)
        ctx = facts.outer if facts is not None else ""
    return found


def top(q: Lookups, path: str, dotted: str) -> Type:
    """The type of a package-level declaration, the nearest of several."""
    found = q.input(("names", "jtype", dotted))
    if not found:
        return None
    if len(found) > 1:
        here = path.split("/")
        found = sorted(found, key=lambda f: (-_shared(here, f[0].split("/")), f))
    return ("N", found[0][0], found[0][1], ())


def _shared(left: list[str], right: list[str]) -> int:
    count = 0
    for a, b in zip(left[:-1], right[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def _rule_dotted(q: Lookups, key: Key) -> Type:
    _, path, dotted = key
    parts = dotted.split(".")
    for i in range(len(parts), 0, -1):
        found = top(q, path, ".".join(parts[:i]))
        if found is not None:
            return member_type(q, found, parts[i:])
    return None


def member_type(q: Lookups, found: Type, parts: list[str]) -> Type:
    """The member type of a type, by the names that lead to it."""
    for part in parts:
        if found is None:
            return None
        if found[0] == "X":
            found = ("X", f"{found[1]}.{part}", ())
        elif found[0] == "N":
            found = q.get(("javanested", found[1], found[2], part))
        else:
            return None
    return found


def _rule_nested(q: Lookups, key: Key) -> Type:
    _, path, name, last = key
    facts = type_facts(q, path, name)
    if facts is None:
        return None
    for shown, inner in facts.nested:
        if shown == last:
            return ("N", path, inner, ())
    for t in q.get(("javasupers", path, name)):
        if t[0] == "N":
            found: Type = q.get(("javanested", t[1], t[2], last))
            if found is not None:
                return found
    return None


def _rule_type(q: Lookups, key: Key) -> Type:
    _, path, ctx, name = key
    for inner in around(q, path, ctx):
        found = q.get(("javanested", path, inner, name))
        if found is not None:
            return found  # type: ignore[no-any-return]
    found = q.get(("javafile", path, name))
    if found is None and ctx:
        outside = _inherited(q, path, ctx)
        if outside and name == "Entry":
            return ("X", f"{outside}.{name}", ())
    return found  # type: ignore[no-any-return]


def _inherited(q: Lookups, path: str, ctx: str) -> str:
    for inner in around(q, path, ctx):
        for t in q.get(("javaline", path, inner)):
            if t[0] == "X" and "Map" in t[1]:
                return str(t[1])
    return ""


def _rule_file(q: Lookups, key: Key) -> Type:
    """A name outside of all classes: imports, the file, the package, imports on demand, java.lang."""
    _, path, name = key
    dotted = q.input(("cell", path, "import", "", name))
    if dotted is not None:
        return q.get(("javadotted", path, dotted)) or ("X", dotted, ())
    if type_facts(q, path, name) is not None:
        return ("N", path, name, ())
    for base in q.input(("cell", path, "static", "", name)) or ():
        found = member_type(q, q.get(("javadotted", path, base)), [name])
        if found is not None:
            return found
    package = q.input(("cell", path, "package", "", ""))
    found = top(q, path, f"{package}.{name}" if package else name)
    if found is not None:
        return found
    stars = q.input(("cell", path, "stars", "", "")) or ()
    for star in stars:
        found = top(q, path, f"{star}.{name}") or member_type(q, q.get(("javadotted", path, star)), [name])
        if found is not None:
            return found
    for star in q.input(("cell", path, "static", "", "")) or ():
        found = member_type(q, q.get(("javadotted", path, star)), [name])
        if found is not None and found[0] == "N":
            return found
    if name in JAVA_LANG:
        return ("X", f"java.lang.{name}", ())
    return _outside(q, path, name, stars)


def _outside(q: Lookups, path: str, name: str, stars: tuple[str, ...]) -> Type:
    if not name[:1].isupper():
        return None
    if name in JAVA_UTIL and "java.util" in stars:
        return ("X", f"java.util.{name}", ())
    unknown = [s for s in stars if not (s == "java.util" and len(stars) > 1) and not q.input(("names?", "jpkg", s))]
    if len(unknown) == 1:
        return ("X", f"{unknown[0]}.{name}", ())
    return ("X", name, ()) if unknown else None


def _rule_supers(q: Lookups, key: Key) -> tuple[Any, ...]:
    _, path, name = key
    facts = type_facts(q, path, name)
    if facts is None:
        return ()
    found = [typed(q, path, e) for e in (facts.extends, *facts.implements) if e is not None]
    return tuple(t for t in found if t is not None and t[0] in "NX")


def is_interface(q: Lookups, t: Type) -> bool:
    """Whether a type of this repository is an interface."""
    if t is None or t[0] != "N":
        return False
    facts = type_facts(q, t[1], t[2])
    return facts is not None and facts.kind in ("interface", "annotation")


def _rule_line(q: Lookups, key: Key) -> tuple[Any, ...]:
    _, path, name = key
    classes: list[Any] = []
    interfaces: list[Any] = []
    seen: set[Any] = {(path, name)}
    pending = list(q.get(("javasupers", path, name)))
    while pending:
        t = pending.pop(0)
        place = t[1:3] if t[0] == "N" else t[1]
        if place in seen:
            continue
        seen.add(place)
        if t[0] == "X":
            interfaces.append(t)
            continue
        (interfaces if is_interface(q, t) else classes).append(t)
        above = [substituted(s, t[1], t[2], t[3]) for s in q.get(("javasupers", t[1], t[2]))]
        if is_interface(q, t):
            pending += above
        else:  # the chain of classes is followed to its end first
            pending = [s for s in above if not is_interface(q, s)] + pending + [s for s in above if is_interface(q, s)]
    return (*classes, *interfaces)


RULES: dict[str, tuple[Any, Any]] = {
    "javadotted": (_rule_dotted, None),
    "javanested": (_rule_nested, None),
    "javatype": (_rule_type, None),
    "javafile": (_rule_file, None),
    "javasupers": (_rule_supers, ()),
    "javaline": (_rule_line, ()),
}
