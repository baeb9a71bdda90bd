"""Readings that start from an expression: annotations (quoted ones too) and changes made to containers."""

from __future__ import annotations

from typing import Any

from core.graph.languages.python.callees import arguments_of
from core.graph.languages.python.expressions import Expressions, Node, Value
from core.graph.languages.python.quoted import unquote
from core.graph.languages.python.scopes import MUTATORS, text_of


def annotation(builder: Expressions, node: Node | None, at: int, block: int) -> Value:
    """The expression of an annotation; quoted ones are parsed."""
    if node is None:
        return None
    inner = _inner_type(node)
    running, builder.operators = builder.operators, False
    quoted = b'"' in inner.text or b"'" in inner.text
    value = _quoted(builder, inner, at, block) if quoted else builder.build(inner, at, block)
    builder.operators = running
    return value


def type_parameters(builder: Expressions, node: Node, at: int, block: int) -> dict[str, Value]:
    """The parameters in the brackets of a definition, each with its bound: a variable of that type may be any of it."""
    found: dict[str, Value] = {}
    listed = node.child_by_field_name("type_parameters")
    for child in listed.named_children if listed is not None else ():
        inner, bound = _inner_type(child), None
        if inner.type == "constrained_type" and len(inner.named_children) == 2:
            inner, right = (_inner_type(c) for c in inner.named_children)
            parts = right.named_children if right.type == "tuple" else [right]
            told = tuple(v for v in (annotation(builder, p, at, block) for p in parts if p.type != "comment") if v)
            bound = ("any", *told) if told else None
        while inner.type == "splat_type" and inner.named_children:
            inner = inner.named_children[0]
        if inner.type == "identifier":
            found[text_of(inner)] = bound
    return found


def _inner_type(node: Node) -> Node:
    while node.type == "type" and len(node.named_children) == 1:
        node = node.named_children[0]
    return node


def unplaced(e: Value) -> Value:
    """``e`` where it means the same in every scope, else None."""
    return None if e is None or not _means_the_same(e) else e


def _means_the_same(e: Any) -> bool:
    if not isinstance(e, tuple):
        return True
    return e[:1] not in (("local",), ("parameter",), ("new",)) and all(_means_the_same(part) for part in e)


def _quoted(builder: Expressions, node: Node, at: int, block: int) -> Value:
    value = builder.build(node, at, block)
    for _ in range(2):
        value = unquote(builder, value, node, 0)
    return value


def update_of(builder: Expressions, node: Node, base: Value, value: Value, at: int, block: int) -> Value:
    """The container ``base`` after ``node`` changed it: a store ``d[k] = value``, or a call such as ``d.update(x)``."""
    builder.at, builder.block = at, block
    sites, lines = len(builder.sites), len(builder.lines)
    result: Value = None
    if node.type == "subscript":
        keys: list[Value] = []
        current = node
        while current is not None and current.type == "subscript":
            parts = current.children_by_field_name("subscript")
            keys.append(builder.expr(parts[0]) if len(parts) == 1 and parts[0].type != "slice" else None)
            current = current.child_by_field_name("value")
        keys.reverse()
        bases = [base]
        for key in keys[:-1]:
            bases.append(("item", bases[-1], key) if bases[-1] is not None else None)
        for inner, key in zip(reversed(bases), reversed(keys), strict=True):
            value = builder.container(("store", inner, key, value))
        result = value
    elif node.type == "call":
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        name = text_of(function.child_by_field_name("attribute"))
        positional, named = arguments_of(builder, arguments)
        if name in ("append", "add", "appendleft", "insert", "setdefault") and positional:
            key = positional[0] if name == "setdefault" and len(positional) > 1 else None
            result = builder.container(("store", base, key, positional[-1]))
        elif name in MUTATORS:
            extra = positional[0] if positional else None
            pairs = tuple((("const", "str", k), v) for k, v in named if k != "**")
            if pairs:
                extra = builder.container(("dict", pairs))
            result = builder.container(("merge", base, extra))
    del builder.sites[sites:], builder.lines[lines:]
    return result
