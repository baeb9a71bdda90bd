"""Value expressions of Rust (``body`` lists them): the common ones, and what they are called."""

from __future__ import annotations

from core.graph.facts import Expr
from core.graph.languages.rust.syntax import TypeExpr

Value = Expr | None
BOOL: Expr = ("of", ("b", "bool"))
STR: Expr = ("of", ("b", "str"))
INT: Expr = ("of", ("b", "int"))
OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "bitand", "|": "bitor", "^": "bitxor", "<<": "shl",
    ">>": "shr", "+=": "add_assign", "-=": "sub_assign", "*=": "mul_assign", "/=": "div_assign", "%=": "rem_assign",
    "&=": "bitand_assign", "|=": "bitor_assign", "^=": "bitxor_assign", "<<=": "shl_assign", ">>=": "shr_assign",
    "==": "eq", "!=": "eq", "<": "partial_cmp", ">": "partial_cmp", "<=": "partial_cmp", ">=": "partial_cmp",
    "not": "not", "neg": "neg", "[]": "index",
}  # fmt: skip


def key_of(e: Value) -> str:
    """The syntactic callee as text, arguments and indexes left out."""
    parts: list[str] = []
    while e is not None:
        kind = e[0]
        if kind == "attr":
            parts.append("." + e[2])
        elif kind == "call":
            parts.append("()")
        elif kind in ("idx", "item", "arr"):
            parts.append("[]")
        elif kind == "local":
            parts.append(e[1])
            break
        elif kind == "path":
            parts.append("::".join(e[2]))
            break
        elif kind == "ta":
            parts.append(f"{type_key(e[1])}::{e[3]}")
            break
        elif kind in ("of", "as"):
            parts.append(type_key(e[1]))
            break
        elif kind not in ("try", "await", "or", "tup"):
            break
        e = e[1]
    return "".join(reversed(parts))


def type_key(e: TypeExpr) -> str:
    """A type expression as text, arguments left out."""
    if e is None:
        return "?"
    kind = e[0]
    if kind == "n":
        return "::".join(e[2])
    if kind in "gb":
        return str(e[1])
    return {"self": "Self", "u": "()", "s": "[]", "f": "fn", "d": "dyn"}.get(kind, "<>")


def holes(e: TypeExpr) -> bool:
    """Whether a part of a type expression is unknown (``Vec<_>``)."""
    return e is None or any(holes(x) for x in (e[3] if e[0] == "n" else e[1] if e[0] == "u" else ()))


def either(a: Value, b: Value) -> Value:
    """The first that turns out to be known."""
    return b if a is None else a if b is None or a == b else ("or", a, b)
