"""Pass 2, names and what is done to values: operators, choices, lambdas (see ``python.expressions``)."""

from __future__ import annotations

from core.graph.languages.python.expressions import Expressions, Node, Value
from core.graph.languages.python.flow import Bind
from core.graph.languages.python.scopes import Scope, parameter_names, text_of

OPERATORS = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "%": "__mod__",
    "|": "__or__", "&": "__and__", "^": "__xor__", "@": "__matmul__", "**": "__pow__", "<<": "__lshift__",
    ">>": "__rshift__",
}  # fmt: skip
_COMPARISONS = {
    "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__", "!=": "__ne__", "in": "__contains__",
    "not in": "__contains__",
}  # fmt: skip
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


def _identifier(builder: Expressions, node: Node) -> Value:
    return builder.name(text_of(node), node)


def _dotted(builder: Expressions, node: Node) -> Value:
    """``a.b`` in a pattern, which the grammar reads as one name."""
    first, *rest = node.named_children or [node]
    value = builder.name(text_of(first), first)
    for part in rest:
        value = ("attr", value, text_of(part))
    return value


def _either(builder: Expressions, node: Node) -> Value:
    kids = [c for c in node.named_children if c.type != "comment"]
    values = [builder.expr(c) for c in kids]
    if node.type == "conditional_expression" and len(values) == 3:
        builder.truth(kids[1], values.pop(1))
    elif node.type == "boolean_operator" and values:
        builder.truth(kids[0], values[0])
    known = tuple(v for v in values if v is not None)
    return known[0] if len(known) == 1 else ("any", *known) if known else None


def _binary(builder: Expressions, node: Node) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    first = builder.expr(left) if left is not None else None
    second = builder.expr(right) if right is not None else None
    method = OPERATORS.get(text_of(operator)) if operator is not None else None
    if method is None or (first is None and second is None):
        return None
    builder.operator_site(method, first, second, node)
    return ("operator", method, first, second)


def _first(builder: Expressions, node: Node) -> Value:
    kids = [c for c in node.named_children if c.type != "comment"]
    values = [builder.expr(c) for c in kids]
    return values[0] if values else None


def _await(builder: Expressions, node: Node) -> Value:
    value = _first(builder, node)
    return ("await", value) if value is not None else None


def _named(builder: Expressions, node: Node) -> Value:
    value = node.child_by_field_name("value")
    return builder.expr(value) if value is not None else None


def _yield(builder: Expressions, node: Node) -> Value:
    value = _first(builder, node)
    builder.generator = True
    if value is not None:
        delegated = any(c.type == "from" for c in node.children)
        builder.yields.append(("iterate", value) if delegated else value)
    return None


def _lambda(builder: Expressions, node: Node) -> Value:
    scope = builder.scope
    scope.lambdas += 1
    part = f"<lambda{scope.lambdas}>"
    qual = f"{scope.qual}.{part}" if scope.qual else part
    inner = Scope("lambda", qual, scope.owner, scope, node, node, part)
    parameters = node.child_by_field_name("parameters")
    for name, _, _ in parameter_names(parameters):
        inner.bind(Bind(name, -1, 0, "parameter", parameters))
    builder.lambdas.append((inner, tuple(builder.env)))
    return ("function", qual)


def _comparison(builder: Expressions, node: Node) -> Value:
    values = [builder.expr(child) for child in node.named_children if child.type != "comment"]
    signs = [text_of(sign) for sign in node.children_by_field_name("operators")]
    for sign, left, right in zip(signs, values, values[1:], strict=False):
        method = _COMPARISONS.get(" ".join(sign.split()))
        if method == "__contains__":
            left, right = right, left
        if method is not None:
            builder.operator_site(method, left, right, node)
    return ("const", "bool", "")


def _not(builder: Expressions, node: Node) -> Value:
    """``not x``, and the condition of a comprehension or a case."""
    for child in node.named_children:
        builder.truth(child, builder.expr(child))
    return ("const", "bool", "")


def _unary(builder: Expressions, node: Node) -> Value:
    value = _first(builder, node)
    sign = node.child_by_field_name("operator")
    method = _UNARY.get(text_of(sign)) if sign is not None else None
    if method is not None:
        builder.operator_site(method, value, None, node)
    return value


def _nothing(builder: Expressions, node: Node) -> Value:
    return None


def _type(builder: Expressions, node: Node) -> Value:
    return _first(builder, node)


def _generic(builder: Expressions, node: Node) -> Value:
    """``List[int]`` in a type position, which the grammar reads as a generic type."""
    kids = node.named_children
    if not kids:
        return None
    base = builder.expr(kids[0])
    keys = tuple(builder.expr(c) for c in kids[1].named_children) if len(kids) > 1 else ()
    if base is None or not keys:
        return base
    return ("item", base, keys[0] if len(keys) == 1 else builder.container(("tuple", keys)))
