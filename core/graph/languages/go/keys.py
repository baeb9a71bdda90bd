"""Expressions and types of Go as short texts: what a call site is listed under.

In: expressions of go.body, type expressions of go.types. Out: text.
"""

from __future__ import annotations

from core.graph.facts import Expr
from core.graph.languages.go.types import TypeExpr


def key_of(e: Expr | None) -> str:
    """The syntactic callee as text, arguments and indexes left out."""
    parts: list[str] = []
    while e is not None:
        kind = e[0]
        if kind == "attr":
            parts.append("." + e[2])
        elif kind == "call":
            parts.append("()")
        elif kind in ("idx", "recv", "item"):
            parts.append("[]")
        elif kind in ("name", "local"):
            parts.append(e[1])
            break
        elif kind in ("of", "as", "lit"):
            parts.append(type_key(e[1]))
            break
        elif kind not in ("res", "bin", "key"):
            break
        e = e[1]
    return "".join(reversed(parts))


def type_key(e: TypeExpr) -> str:
    """A type expression as text."""
    if e is None:
        return "?"
    kind = e[0]
    if kind == "n":
        return str(e[1])
    if kind == "q":
        return f"{e[1]}.{e[2]}"
    if kind in "sce":
        return {"s": "[]", "c": "chan ", "e": ""}[kind] + type_key(e[1])
    if kind == "m":
        return f"map[{type_key(e[1])}]{type_key(e[2])}"
    return "func" if kind == "f" else "{}"
