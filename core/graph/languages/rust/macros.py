"""Arguments of macros: tokens, in which what reads like an expression is read as one.

A macro may do anything with its tokens. Most pass them on as expressions, and an expression begins with a name, a
literal or a bracket and goes on with ``.name``, ``(...)``, ``[...]`` and ``?``; everything else stands between two of
them. In: a token tree. Out: sites, reads and locals in the ``Body``, as for a body that was parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.graph.facts import Expr
from core.graph.languages.rust.exprs import BOOL, INT, STR, Value, key_of
from core.graph.languages.rust.syntax import Node, TypeExpr

if TYPE_CHECKING:
    from core.graph.languages.rust.body import Body

_NAMES = frozenset(["identifier", "self", "super", "crate", "metavariable", "primitive_type"])
_TEXTS = frozenset(["format", "concat", "stringify", "include_str", "env", "file", "module_path", "line"])
_DEPTH = 180
_ARGUMENTS = 6


def invocation(b: Body, node: Node) -> Value:
    """A macro in the place of an expression, statement or item."""
    named = node.child_by_field_name("macro")
    tree = next((c for c in reversed(node.children) if c.type == "token_tree"), None)
    if named is None:
        return None
    return _use(b, b.segments(named), named, tree)


def _use(b: Body, segments: tuple[str, ...], node: Node, tree: Node | None) -> Value:
    """``a::b!(...)``; the value of the macros everybody knows."""
    if not segments:
        return None
    b.site("macro", ("path", b.module, segments), node, "::".join(segments) + "!")
    found = arguments(b, tree, None) if tree is not None and b.depth < _DEPTH else ()
    name = segments[-1]
    if name == "vec":
        return ("arr", found[0] if found else None)
    if name in _TEXTS:
        return STR
    if name == "matches":
        return BOOL
    return found[0] if name == "dbg" and found else None


def arguments(b: Body, tree: Node, callee: Value) -> tuple[Value, ...]:
    """Read a bracket's tokens as expressions between commas; their values, in order."""
    kids = tree.children[1:-1]
    found: list[Value] = []
    i, at = 0, 0
    b.depth += 1
    b.push()
    while i < len(kids):
        value: Value = None
        first = True
        opened = 0
        while i < len(kids) and kids[i].type not in (",", ";", "=>"):
            if first and kids[i].type in ("|", "||"):
                b.push()
                opened += 1
                i = _parameters(b, kids, i, callee, at)
                continue
            before = i
            held, i = chain(b, kids, i)
            if held is not None and first:
                value, first = held, False
            first = first and before + 1 == i and kids[before].type in ("&", "mut", "mutable_specifier", "*", "move")
        for _ in range(opened):
            value = ("clo", value)
            b.pop()
        if value is not None and value[0] in ("path", "ta"):
            b.site("value", value, kids[i - 1])
        found.append(value)
        i += 1
        at += 1
    b.pop()
    b.depth -= 1
    while found and found[-1] is None:
        found.pop()
    return tuple(found[:_ARGUMENTS])


def _parameters(b: Body, kids: list[Node], i: int, callee: Value, at: int) -> int:
    """The parameters of a closure; where they end."""
    if kids[i].type == "||":
        return i + 1
    i += 1
    j = 0
    while i < len(kids) and kids[i].type != "|":
        held: Value = ("cp", callee, at, j) if callee is not None else None
        end = i
        depth = 0
        while end < len(kids) and kids[end].type != "|" and (depth > 0 or kids[end].type != ","):
            depth += {"<": 1, ">": -1}.get(kids[end].type, 0)
            end += 1
        colon = next((k for k in range(i, end) if kids[k].type == ":"), end)
        kind = _type(b, kids, colon + 1, end)
        for k in range(i, colon):
            _declare(b, kids[k], ("of", kind) if kind is not None else held)
        i = end + 1 if end < len(kids) and kids[end].type == "," else end
        j += 1
    return i + 1


def _type(b: Body, kids: list[Node], i: int, end: int) -> TypeExpr:
    """The type that tokens ``i`` to ``end`` begin with, if it is a path."""
    while i < end and kids[i].type in ("&", "lifetime", "mutable_specifier", "mut", "dyn", "impl"):
        i += 1
    if i >= end or kids[i].type not in _NAMES:
        return None
    if kids[i].type == "primitive_type":
        return ("b", b.text(kids[i]))
    parts = [b.text(kids[i]).replace("$crate", "crate")]
    at = i + 1
    while at + 1 < end and kids[at].type == "::" and kids[at + 1].type in _NAMES:
        parts.append(b.text(kids[at + 1]))
        at += 2
    return b.path_type(tuple(parts), kids[i])


def _declare(b: Body, node: Node, value: Value) -> None:
    """A parameter that is a name or a tuple of names."""
    if node.type == "identifier":
        b.declare(b.text(node), value)
    elif node.type == "token_tree":
        names = [c for c in node.children if c.type == "identifier"]
        for k, child in enumerate(names):
            b.declare(b.text(child), ("tup", value, k) if value is not None else None)


def chain(b: Body, kids: list[Node], i: int) -> tuple[Value, int]:
    """One expression from token ``i`` on; its value and where it ends. Always moves on."""
    node = kids[i]
    kind = node.type
    value: Value = None
    if kind in _NAMES:
        value, i = _path(b, kids, i)
    elif kind == "token_tree":
        value, i = _bracket(b, node), i + 1
    elif kind in ("string_literal", "raw_string_literal"):
        value, i = STR, i + 1
    elif kind.endswith("_literal"):
        value, i = INT, i + 1
    elif kind == "let":
        return None, _let(b, kids, i + 1)
    elif kind in ("fn", "struct", "enum", "trait", "mod", "type", "const", "static"):
        return None, i + 2
    else:
        return None, i + 1
    return _suffixes(b, kids, i, value)


def _let(b: Body, kids: list[Node], i: int) -> int:
    """``let x = e``: the name is a local from here on."""
    while i < len(kids) and kids[i].type in ("mutable_specifier", "mut"):
        i += 1
    if i >= len(kids) or kids[i].type != "identifier":
        return i
    name = b.text(kids[i])
    i += 1
    if name[:1].isupper():
        return i
    value: Value = None
    if i < len(kids) and kids[i].type == ":":
        end = next((k for k in range(i, min(i + 40, len(kids))) if kids[k].type in ("=", ";")), i)
        kind = _type(b, kids, i + 1, end)
        value, i = ("of", kind) if kind is not None else None, end
    if i + 1 < len(kids) and kids[i].type == "=":
        found, i = chain(b, kids, i + 1)
        value = found if value is None else value
    b.declare(name, value)
    return i


def _bracket(b: Body, tree: Node) -> Value:
    found = arguments(b, tree, None) if b.depth < _DEPTH else ()
    opened = tree.children[0].type if tree.children else ""
    if opened == "(":
        return found[0] if len(found) == 1 else ("tuple", found) if found else None
    return ("arr", found[0] if found else None) if opened == "[" else None


def _generics(kids: list[Node], i: int) -> int:
    """Past ``<...>`` if it begins at ``i``."""
    if i >= len(kids) or kids[i].type != "<":
        return i
    depth = 0
    for at in range(i, min(i + 60, len(kids))):
        kind = kids[at].type
        depth += {"<": 1, "<<": 2, ">": -1, ">>": -2}.get(kind, 0)
        if depth <= 0:
            return at + 1
    return i


def _is(kids: list[Node], i: int, opening: str) -> bool:
    """Whether token ``i`` is a bracket of this kind."""
    return i < len(kids) and kids[i].type == "token_tree" and kids[i].children[0].type == opening


def _path(b: Body, kids: list[Node], i: int) -> tuple[Value, int]:
    """A path, called, filled in, or alone."""
    node = kids[i]
    parts = [b.text(node).replace("$crate", "crate")]
    i += 1
    while i + 1 < len(kids) and kids[i].type == "::":
        past = _generics(kids, i + 1)
        if past > i + 1:
            i = past
        elif kids[i + 1].type in _NAMES:
            parts.append(b.text(kids[i + 1]))
            i += 2
        else:
            break
    segments = tuple(parts)
    if i + 1 < len(kids) and kids[i].type == "!" and kids[i + 1].type == "token_tree":
        return _use(b, segments, node, kids[i + 1]), i + 2
    called = _is(kids, i, "(")
    value: Value = b.env.get(segments[0]) if len(segments) == 1 else None
    if node.type == "metavariable" and segments[0] != "crate":
        return None, i
    if value is None and segments != ("self",):
        if _is(kids, i, "{") and segments[-1][:1].isupper():
            kind = b.path_type(segments, node)
            if kind is not None:
                b.site("new", kind, node, "::".join(segments) + "{}")
            _bracket(b, kids[i])
            return ("of", kind) if kind is not None else None, i + 1
        value = b.path_value(segments, node, "()" if called else "")
    return value, i


def _suffixes(b: Body, kids: list[Node], i: int, value: Value) -> tuple[Value, int]:
    """Calls, fields, indexes and ``?`` after an expression."""
    types: tuple[TypeExpr, ...] = ()
    while i < len(kids):
        token = kids[i].type
        if token == "." and i + 1 < len(kids):
            name = kids[i + 1]
            i += 2
            if name.type == "await":
                value = ("await", value) if value is not None else None
            elif name.type in ("identifier", "integer_literal"):
                value = ("attr", value, b.text(name))
                if i < len(kids) and kids[i].type == "::":
                    end = _generics(kids, i + 1)
                    kind = _type(b, kids, i + 2, end)
                    types, i = ((kind,) if kind is not None else ()), end
        elif token == "?":
            value, i = ("try", value) if value is not None else None, i + 1
        elif _is(kids, i, "("):
            value, i = _call(b, kids[i], kids[i - 1], value, types), i + 1
            types = ()
        elif _is(kids, i, "["):
            _bracket(b, kids[i])
            value, i = ("idx", value) if value is not None else None, i + 1
        else:
            break
    return value, i


def _call(b: Body, tree: Node, node: Node, callee: Value, types: tuple[TypeExpr, ...]) -> Value:
    given = arguments(b, tree, callee) if b.depth < _DEPTH else ()
    found: Expr = ("call", callee, given, types)
    if callee is not None and not (b.quiet and _root(callee) is None):
        b.site("call", found, node, key_of(callee))
    return found


def _root(e: Value) -> Value:
    """The expression a chain begins with."""
    while e is not None and e[0] in ("attr", "call", "try", "await", "idx"):
        e = e[1]
    return e
