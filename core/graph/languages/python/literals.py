"""Pass 2, what stands in the text: constants, containers and comprehensions (see ``python.expressions``)."""

from __future__ import annotations

from core.graph.languages.python.expressions import Expressions, Node, Value, key_of
from core.graph.languages.python.scopes import text_of


def _string(builder: Expressions, node: Node) -> Value:
    kids = node.named_children
    if len(kids) == 3 and kids[1].type == "string_content" and not kids[1].named_children:
        text = text_of(kids[1])
        prefix = text_of(kids[0])
        if "b" in prefix.lower():
            return ("const", "bytes", "")
        return ("const", "str", text if len(text) <= 80 else "")
    for kid in kids:
        if kid.type == "interpolation":
            builder.children(kid)
    return ("const", "str", "")


def _concatenated(builder: Expressions, node: Node) -> Value:
    builder.children(node)
    return ("const", "str", "")


def _integer(builder: Expressions, node: Node) -> Value:
    text = text_of(node)
    return ("const", "int", text if len(text) < 20 else "")


def _sequence(builder: Expressions, node: Node) -> Value:
    kind = {"list": "list", "set": "set"}.get(node.type, "tuple")
    parts = tuple(_element(builder, c) for c in node.named_children if c.type != "comment")
    if len(parts) > 400:
        return ("const", kind, "")
    return builder.container((kind, parts))


def _element(builder: Expressions, node: Node) -> Value:
    if node.type in ("list_splat", "dictionary_splat"):
        inner = node.named_children
        return ("star", builder.expr(inner[0]) if inner else None)
    return builder.expr(node)


def _dictionary(builder: Expressions, node: Node) -> Value:
    pairs: list[tuple[Value, Value]] = []
    for child in node.named_children:
        if child.type == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            pairs.append((builder.expr(key) if key else None, builder.expr(value) if value else None))
        elif child.type == "dictionary_splat":
            pairs.append((("star",), _element(builder, child)))
    if len(pairs) > 400:
        return ("const", "dict", "")
    return builder.container(("dict", tuple(pairs)))


def _comprehension(builder: Expressions, node: Node) -> Value:
    saved = dict(builder.env)
    body = node.child_by_field_name("body")
    for child in node.named_children:
        if child.type == "for_in_clause":
            right = child.children_by_field_name("right")
            source = builder.expr(right[0]) if right else None
            left = child.child_by_field_name("left")
            _bind_pattern(builder, left, ("iterate", source) if source is not None else None)
            if source is not None:
                builder.site("iter", "for " + key_of(right[0]), source, child)
        elif child.type == "if_clause":
            builder.expr(child)
    value: Value = None
    if body is not None and body.type == "pair":
        parts = [builder.expr(c) for c in body.named_children]
        value = builder.container(("dict", ((None, parts[-1] if parts else None),)))
    elif body is not None:
        kind = {"list_comprehension": "list", "set_comprehension": "set"}.get(node.type, "generator")
        value = builder.container((kind + "*", (builder.expr(body),)))
    builder.env = saved
    return value


def _bind_pattern(builder: Expressions, node: Node | None, value: Value) -> None:
    if node is None:
        return
    if node.type == "identifier":
        builder.env[text_of(node)] = value
        return
    parts = [c for c in node.named_children if c.type != "comment"]
    star = next((i for i, c in enumerate(parts) if c.type == "list_splat_pattern"), -1)
    for i, child in enumerate(parts):
        inner = child.named_children[0] if child.type == "list_splat_pattern" and child.named_children else child
        _bind_pattern(builder, inner, ("part", value, i, len(parts), star) if value is not None else None)


def _true(builder: Expressions, node: Node) -> Value:
    return ("const", "bool", node.type)


def _none(builder: Expressions, node: Node) -> Value:
    return ("const", "NoneType", "None")


def _float(builder: Expressions, node: Node) -> Value:
    return ("const", "float", "")
