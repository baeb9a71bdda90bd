"""What Go expressions are: static types, one value an expression.

A value is ("V", type) something of a type, ("T", type) a type itself, ("P", folder) or ("I", path) a package,
("F", targets) functions or methods, ("L", path, scope, type) a function literal, ("E", dotted) a name of another
module, ("U", name) a builtin function. Types, with pointers left out:

    ("N", path, key) declared here  ("X", dotted) elsewhere  ("B", name) predeclared
    ("S", element)  ("M", key, value)  ("C", element)  ("F", parameters, results, variadic)

    goname(path, n)  a package-level name    golocal(path, s, n)  a local    govar(path, n)  a variable or constant

None is unknown. Every rule is a function of single values, so circles end at None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.go import members as go_members
from core.graph.languages.go import packages as go_packages
from core.graph.languages.go import typing as go_typing
from core.graph.languages.go.members import member
from core.graph.languages.go.packages import UNIVERSE
from core.graph.languages.go.types import BASIC
from core.graph.languages.go.typing import Val, declared, element, of_package, type_of, typed, under
from core.graph.lookups import Key, Lookups

BOOL: Val = ("V", ("B", "bool"))
INT: Val = ("V", ("B", "int"))


def ev(q: Lookups, path: str, scope: str, e: Expr | None) -> Val:
    """The value of expression ``e`` read in ``scope`` of ``path``."""
    if e is None:
        return None
    form = _FORMS.get(e[0])
    return form(q, path, scope, e) if form is not None else None


def _name(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return q.get(("goname", path, e[1]))  # type: ignore[no-any-return]


def _local(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return q.get(("golocal", path, scope, f"{e[1]} {e[2]}"))  # type: ignore[no-any-return]


def _attr(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return attribute(q, ev(q, path, scope, e[1]), e[2])


def attribute(q: Lookups, base: Val, name: str) -> Val:
    """``base.name``."""
    if base is None:
        return None
    kind = base[0]
    if kind == "V":
        return member(q, base[1], name)
    if kind in "PI":
        return of_package(q, base, name)
    if kind == "E":
        return ("E", f"{base[1]}.{name}")
    return member(q, base[1], name) if kind == "T" else None


def _call(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return result(q, path, scope, e, 0)


def result(q: Lookups, path: str, scope: str, e: Expr, i: int) -> Val:
    """The i-th result of a call."""
    callee = ev(q, path, scope, e[1])
    if callee is None:
        return None
    kind = callee[0]
    if kind == "E":
        return ("V", ("X", f"{callee[1]}()" + (f"[{i}]" if i else "")))
    if kind == "T":
        return ("V", callee[1])
    if kind == "U":
        if len(e) > 2:
            return ev(q, path, scope, e[2])
        return INT if callee[1] in ("len", "cap", "copy") else None
    found = under(q, type_of(q, callee))
    if found is None:
        return None
    if found[0] == "F":
        return ("V", found[2][i]) if i < len(found[2]) else None
    return ("V", ("X", found[1] + "()")) if found[0] == "X" else None


def _of(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    found = typed(q, path, e[1])
    return ("V", found) if found is not None else None


def _as(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    found = typed(q, path, e[1])
    return ("T", found) if found is not None else None


def _lit(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return ("L", path, f"{scope}.<func>", typed(q, path, e[1]))


def _idx(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    base = ev(q, path, scope, e[1])
    if base is not None and base[0] in "FTE" and (base[0] != "E"):
        return base  # type arguments
    found = element(q, type_of(q, base))
    if found == ("B", "rune"):
        return ("V", ("B", "byte"))
    return ("V", found) if found is not None else None


def _item(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    found = element(q, type_of(q, ev(q, path, scope, e[1])))
    return ("V", found) if found is not None else None


def _key(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    found = under(q, type_of(q, ev(q, path, scope, e[1])))
    if found is None:
        return None
    if found[0] == "M":
        return ("V", found[1]) if found[1] is not None else None
    if found[0] == "C":
        return ("V", found[1]) if found[1] is not None else None
    if found[0] == "F" and found[1]:
        yielded = under(q, found[1][0])
        return ("V", yielded[1][0]) if yielded is not None and yielded[0] == "F" and yielded[1] else None
    return ("V", ("X", found[1] + "[key]")) if found[0] == "X" else INT


def _res(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    inner = e[1]
    if inner is not None and inner[0] == "call":
        return result(q, path, scope, inner, e[2])
    return ev(q, path, scope, inner) if e[2] == 0 else BOOL


def _bin(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    left = ev(q, path, scope, e[1])
    return left if left is not None and type_of(q, left) != ("B", "int") else ev(q, path, scope, e[2])


_FORMS: dict[str, Callable[[Lookups, str, str, Expr], Val]] = {
    "name": _name, "local": _local, "attr": _attr, "call": _call, "of": _of, "as": _as, "lit": _lit, "idx": _idx,
    "recv": _item, "item": _item, "key": _key, "res": _res, "bin": _bin,
}  # fmt: skip


def _rule_name(q: Lookups, key: Key) -> Val:
    _, path, name = key
    found = q.get(("godecl", path, name))
    if found is None:
        if name in BASIC:
            return ("T", ("B", name))
        if name in ("true", "false"):
            return BOOL
        return ("U", name) if name in UNIVERSE else None
    value: Val = declared(q, found[1], name) if found[0] == "D" else found
    return value


def _rule_local(q: Lookups, key: Key) -> Val:
    _, path, scope, name = key
    return ev(q, path, scope, q.input(("cell", path, "local", scope, name)))


def _rule_var(q: Lookups, key: Key) -> Val:
    _, path, name = key
    top = q.input(("cell", path, "top", "", name))
    if top is None or top[0] != "var":
        return None
    if top[1] is not None:
        found = typed(q, path, top[1])
        value = ev(q, path, "", top[2]) if found is not None and found[0] == "F" else None
        return value if value is not None and value[0] in "FLE" else ("V", found) if found is not None else None
    return ev(q, path, "", top[2])


RULES: dict[str, tuple[Any, Any]] = {
    **go_packages.RULES,
    **go_typing.RULES,
    **go_members.RULES,
    "goname": (_rule_name, None),
    "golocal": (_rule_local, None),
    "govar": (_rule_var, None),
}
