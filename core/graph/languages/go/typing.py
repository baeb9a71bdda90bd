"""What Go types are: type expressions resolved, through packages and declarations (see ``go.evaluate`` for values).

gotype(path, n)  what a declared type's name stands for     gounder(path, key)  what it is made of
gosig(path, q)   (parameters, results, variadic) of a function
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.go.packages import member_of
from core.graph.languages.go.types import FuncFacts, TypeFacts
from core.graph.lookups import Key, Lookups

Type = tuple[Any, ...] | None
Val = tuple[Any, ...] | None


def typed(q: Lookups, path: str, e: Expr | None) -> Type:
    """The type a type expression of ``path`` stands for."""
    if e is None:
        return None
    kind = e[0]
    if kind == "n":
        return _as_type(q.get(("goname", path, e[1])))
    if kind == "s":
        return ("S", typed(q, path, e[1]))
    if kind == "q":
        return _as_type(of_package(q, q.get(("goname", path, e[1])), e[2]))
    if kind == "m":
        return ("M", typed(q, path, e[1]), typed(q, path, e[2]))
    if kind == "c":
        return ("C", typed(q, path, e[1]))
    if kind == "f":
        return ("F", tuple(typed(q, path, p) for p in e[1]), tuple(typed(q, path, r) for r in e[2]), e[3])
    if kind == "k":
        return ("N", path, e[1])
    if kind == "t":
        return typed(q, path, e[1])
    if kind == "e":
        return element(q, typed(q, path, e[1]))
    if kind == "a":
        owner = typed(q, path, ("n", e[1]))
        if owner is not None and owner[0] == "N":
            facts: TypeFacts | None = q.input(("cell", owner[1], "type", owner[2], ""))
            if facts is not None and e[2] < len(facts.params):
                return typed(q, owner[1], facts.params[e[2]])
    return None


def _as_type(v: Val) -> Type:
    if v is None:
        return None
    if v[0] == "T":
        return v[1]  # type: ignore[no-any-return]
    return ("X", v[1]) if v[0] == "E" else None


def type_of(q: Lookups, v: Val) -> Type:
    """The type of a value."""
    if v is None:
        return None
    kind = v[0]
    if kind == "V":
        return v[1]  # type: ignore[no-any-return]
    if kind == "F":
        return ("F", *q.get(("gosig", *v[1][0])))
    if kind == "L":
        return v[3]  # type: ignore[no-any-return]
    return ("X", v[1]) if kind == "E" else None


def under(q: Lookups, t: Type) -> Type:
    """What a type is made of: never a declared name, but for structs and interfaces."""
    return q.get(("gounder", t[1], t[2])) if t is not None and t[0] == "N" else t


def element(q: Lookups, t: Type) -> Type:
    """What indexing, ranging over (second variable) or receiving from a value of a type gives."""
    found = under(q, t)
    if found is None:
        return None
    kind = found[0]
    if kind in "SC":
        return found[1]  # type: ignore[no-any-return]
    if kind == "M":
        return found[2]  # type: ignore[no-any-return]
    if kind == "X":
        return ("X", found[1] + "[]")
    if kind == "F" and found[1]:  # range over a function: what it yields
        yielded = under(q, found[1][0])
        return yielded[1][-1] if yielded is not None and yielded[0] == "F" and yielded[1] else None
    return ("B", "rune") if found == ("B", "string") else None


def of_package(q: Lookups, package: Val, name: str) -> Val:
    """``name`` of a package or of something of another module."""
    if package is None:
        return None
    if package[0] == "P":
        return declared(q, member_of(q, package[1], name), name)
    return ("E", f"{package[1]}.{name}") if package[0] in "IE" else None


def declared(q: Lookups, files: tuple[str, ...], name: str) -> Val:
    """The value of a package-level name declared in ``files``."""
    if not files:
        return None
    path = files[0]
    top = q.input(("cell", path, "top", "", name))
    if top is None:
        return None
    if top[0] == "func":
        return ("F", tuple((p, name) for p in files))
    if top[0] == "type":
        found = q.get(("gotype", path, name))
        return ("T", found) if found is not None else None
    return q.get(("govar", path, name))  # type: ignore[no-any-return]


def _rule_type(q: Lookups, key: Key) -> Type:
    """An alias of a name is what the name is; an alias of anything else is taken for a type of its own."""
    _, path, name = key
    facts: TypeFacts | None = q.input(("cell", path, "type", name, ""))
    if facts is not None and facts.kind == "alias" and facts.base is not None and facts.base[0] in "nq":
        return typed(q, path, facts.base)
    return ("N", path, name) if facts is not None else None


def _rule_under(q: Lookups, key: Key) -> Type:
    _, path, name = key
    facts: TypeFacts | None = q.input(("cell", path, "type", name, ""))
    if facts is None:
        return None
    if facts.kind in ("struct", "interface"):
        return ("N", path, name)
    return under(q, typed(q, path, facts.base))


def _rule_sig(q: Lookups, key: Key) -> tuple[Any, ...]:
    _, path, qual = key
    facts: FuncFacts | None = q.input(("cell", path, "func", qual, ""))
    if facts is None:
        return (), (), False
    return (
        tuple(typed(q, path, p) for p in facts.params),
        tuple(typed(q, path, r) for r in facts.results),
        facts.variadic,
    )


RULES: dict[str, tuple[Any, Any]] = {
    "gotype": (_rule_type, None),
    "gounder": (_rule_under, None),
    "gosig": (_rule_sig, ((), (), False)),
}
