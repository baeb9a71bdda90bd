"""Patterns of Rust bodies: the names they declare, each with the expression that gives its type."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from core.graph.languages.rust.exprs import Value
from core.graph.languages.rust.syntax import Node, kind_ids

if TYPE_CHECKING:
    from core.graph.languages.rust.body import Body

_DEPTH = 100
_COMMENTS = frozenset(["line_comment", "block_comment"])


def bind(b: Body, node: Node, value: Value) -> None:
    """Declare the names of a pattern that is matched with ``value``."""
    form = _patterns().get(node.kind_id)
    if b.depth > _DEPTH:
        return
    b.depth += 1
    if form is not None:
        form(b, node, value)
    else:
        for child in node.named_children:
            bind(b, child, None)
    b.depth -= 1


def _name(b: Body, node: Node, value: Value) -> None:
    """A variable; a constant, unit struct or variant when it is written like one."""
    name = b.text(node)
    if name[:1].isupper():
        b.read((name,), node)
    else:
        b.declare(name, value)


def _self(b: Body, node: Node, value: Value) -> None:
    b.declare("self", value)


def _inside(b: Body, node: Node, value: Value) -> None:
    for child in node.named_children:
        if child.type != "mutable_specifier":
            bind(b, child, value)


def _captured(b: Body, node: Node, value: Value) -> None:
    kids = node.named_children
    if kids:
        b.declare(b.text(kids[0]), value)
    for child in kids[1:]:
        bind(b, child, value)


def elements(node: Node) -> list[Node]:
    """The patterns between the brackets of one, ``_`` too."""
    return [c for c in node.children if c.type == "_" or (c.is_named and c.type not in _COMMENTS)]


def _tuple(b: Body, node: Node, value: Value) -> None:
    kids = elements(node)
    rest = next((i for i, c in enumerate(kids) if c.type == "remaining_field_pattern"), len(kids))
    for i, child in enumerate(kids):
        at = i if i < rest else i - len(kids)
        bind(b, child, ("tup", value, at) if value is not None else None)


def _tuple_struct(b: Body, node: Node, value: Value) -> None:
    named = node.child_by_field_name("type")
    path = _named(b, named)
    kids = [c for c in elements(node) if named is None or c.id != named.id]
    rest = next((i for i, c in enumerate(kids) if c.type == "remaining_field_pattern"), len(kids))
    for i, child in enumerate(kids):
        at = i if i < rest else i - len(kids)
        bind(b, child, ("tf", path, value, at) if path is not None else None)


def _struct(b: Body, node: Node, value: Value) -> None:
    path = _named(b, node.child_by_field_name("type"))
    for child in node.named_children:
        if child.type != "field_pattern":
            continue
        name, pattern = child.child_by_field_name("name"), child.child_by_field_name("pattern")
        if name is None:
            continue
        held: Value = ("sf", path, value, b.text(name)) if path is not None else None
        if pattern is not None:
            bind(b, pattern, held)
        else:
            b.declare(b.text(name), held)


def _named(b: Body, node: Node | None) -> Value:
    """The path of a pattern."""
    if node is None:
        return None
    if node.type.startswith(("generic", "type_", "scoped_type")) or node.type == "bracketed_type":
        segments = b.segments(node)
        if node.type.startswith("generic"):
            b.type(node)
        return b.path_value(segments, node)
    return b.path_value(b.segments(node), node)


def _slice(b: Body, node: Node, value: Value) -> None:
    for child in node.named_children:
        bind(b, child, ("idx", value) if value is not None else None)


def _guarded(b: Body, node: Node, value: Value) -> None:
    condition = node.child_by_field_name("condition")
    for child in node.named_children:
        if condition is None or child.id != condition.id:
            bind(b, child, value)
    if condition is not None:
        b.expr(condition)


def _path(b: Body, node: Node, value: Value) -> None:
    b.path(node)


def _skip(b: Body, node: Node, value: Value) -> None:
    if node.type == "macro_invocation" or node.type == "const_block":
        b.expr(node)


@lru_cache(maxsize=1)
def _patterns() -> dict[int, Callable[[Body, Node, Value], None]]:
    forms: dict[str, Callable[[Body, Node, Value], None]] = {
        "identifier": _name, "self": _self, "mut_pattern": _inside, "ref_pattern": _inside,
        "reference_pattern": _inside, "parenthesized_pattern": _inside, "captured_pattern": _captured,
        "tuple_pattern": _tuple, "tuple_struct_pattern": _tuple_struct, "struct_pattern": _struct,
        "slice_pattern": _slice, "or_pattern": _inside, "match_pattern": _guarded, "scoped_identifier": _path,
        "macro_invocation": _skip, "const_block": _skip, "string_literal": _skip, "remaining_field_pattern": _skip,
    }  # fmt: skip
    return {i: form for name, form in forms.items() for i in kind_ids(name)}
