"""Pass 2, annotations in quotes: string constants read as source text (see ``python.expressions``)."""

from __future__ import annotations

from core.graph.languages.python.expressions import Expressions, Node, Value


def unquote(builder: Expressions, value: Value, node: Node, depth: int) -> Value:
    """``value`` with the string constants of an annotation read as source text."""
    if value is None or depth > 8:
        return value
    if value[0] == "const" and value[1] == "str" and value[2] and len(value[2]) <= 80:
        root = builder.parse(value[2])
        statement = root.named_children[0] if root is not None and len(root.named_children) == 1 else None
        if statement is None or root.has_error or statement.type != "expression_statement":
            return value
        line, builder.fixed_line = builder.fixed_line, node.start_point[0] + 1
        before = len(builder.sites)
        inner = builder.last(statement)
        del builder.sites[before:], builder.lines[before:]
        builder.fixed_line = line
        return inner
    if value[0] == "new":
        stored = builder.containers[value[1]]
        if stored[0] in ("tuple", "list"):
            parts = tuple(unquote(builder, p, node, depth + 1) for p in stored[1])
            builder.containers[value[1]] = (stored[0], parts)
        return value
    if value[0] == "item":
        return ("item", value[1], unquote(builder, value[2], node, depth + 1))
    if value[0] == "operator":
        left, right = (unquote(builder, v, node, depth + 1) for v in value[2:4])
        return ("operator", value[1], left, right)
    return value
