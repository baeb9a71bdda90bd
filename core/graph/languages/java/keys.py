"""The syntactic callee of a call site as text: what a view shows it under."""

from __future__ import annotations

from core.graph.facts import Expr, Site
from core.graph.languages.java.types import TypeExpr


def key_of(e: Expr | None, sites: list[Site]) -> str:
    """The syntactic callee as text, arguments and indexes left out."""
    parts: list[str] = []
    while e is not None:
        kind = e[0]
        if kind == "attr":
            parts.append("." + e[2])
            e = e[1]
        elif kind == "site":
            parts.append("()")
            parts.append(sites[e[1]].key)
            break
        elif kind in ("idx", "item"):
            parts.append("[]")
            e = e[1]
        elif kind in ("of", "is"):
            parts.append(type_key(e[1]))
            break
        else:
            parts.append(str(e[-1]).partition(" ")[0] if kind in ("name", "local") else str(kind))
            break
    return "".join(reversed(parts))


def type_key(e: TypeExpr) -> str:
    """A type expression as text, without arguments."""
    if e is None:
        return "?"
    if e[0] == "s":
        return type_key(e[1]) + "[]"
    return str({"n": e[-2], "k": e[1], "y": "T"}.get(e[0], e[1]))
