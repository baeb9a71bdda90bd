"""Expressions of Java bodies: what each form of the grammar reads, and what gives its value (see ``java.body``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.graph.facts import Expr
from core.graph.languages.java.keys import key_of
from core.graph.languages.java.types import Node, TypeExpr

if TYPE_CHECKING:
    from core.graph.languages.java.body import Body, Value

_COMPARE = frozenset(["==", "!=", "<", "<=", ">", ">=", "&&", "||"])
_BOOLEAN: Expr = ("of", ("p", "boolean"))


def _identifier(b: Body, node: Node) -> Value:
    return b.name(node)


def _field_access(b: Body, node: Node) -> Value:
    base, field = node.child_by_field_name("object"), node.child_by_field_name("field")
    if base is None or field is None:
        b.children(node)
        return None
    if field.type == "this":
        return ("of", _name_type(b, base))
    if any(c.type == "super" for c in node.children[1:]) and field.type != "super":
        found: Value = ("super", b.frame.ctx, _name_type(b, base))
    else:
        found = b.expr(base)
    name = b.text(field)
    if base.type == "identifier" and found is not None and found[0] == "name":
        b.read(f"{found[2]}.{name}", node)
    return ("attr", found, name)


def _name_type(b: Body, node: Node) -> TypeExpr:
    """The type that an expression of names and dots stands for."""
    dotted = "".join(b.text(node).split())
    first, _, rest = dotted.partition(".")
    entry = b.env.get(" " + first)
    if entry is not None:
        return ("n", entry[1], rest, ()) if rest and entry[0] == "k" else entry
    b.read(dotted, node)
    return ("n", b.frame.ctx, dotted, ())


def _call(b: Body, node: Node) -> Value:
    """A chain of calls, from its first to its last."""
    chain = [node]
    base = node.child_by_field_name("object")
    while base is not None and base.type == "method_invocation":
        chain.append(base)
        base = base.child_by_field_name("object")
    found: Value = None
    for link in reversed(chain):
        called = link.child_by_field_name("name")
        name = b.text(called)
        if link is chain[-1]:
            found = _receiver(b, link, base)
        callee: Expr = ("attr", found, name) if base is not None else ("name", b.frame.ctx, name)
        for child in link.named_children:
            if child.type == "type_arguments":
                b.expr(child)
        number = b.reserve(called if called is not None else link)
        key = key_of(callee, b.frame.sites)
        given = b.arguments(link.child_by_field_name("arguments"), number)
        found = b.fill(number, "call", key, ("call", callee, given))
        base = link
    return found


def _receiver(b: Body, node: Node, base: Node | None) -> Value:
    if base is None:
        return None
    if any(c.type == "super" for c in node.children[1:] if c.id != base.id):
        return ("super", b.frame.ctx, _name_type(b, base))
    return b.expr(base)


def _creation(b: Body, node: Node) -> Value:
    """``new T(...) {...}``, ``outer.new T(...)``."""
    kind_node = node.child_by_field_name("type")
    outer = node.named_children[0] if node.named_children else None
    if (
        outer is not None
        and kind_node is not None
        and outer.id != kind_node.id
        and outer.start_byte < kind_node.start_byte
    ):
        b.expr(outer) if not outer.type.endswith(("annotation", "type_arguments")) else None
    kind = b.type(kind_node)
    shown = "new " + (b.text(kind_node).partition("<")[0] if kind_node is not None else "")
    found = b.construct(node, kind, node.child_by_field_name("arguments"), shown)
    body = next((c for c in node.named_children if c.type == "class_body"), None)
    if body is None:
        return found
    key = f"{b.frame.scope}.<new {b.frame.ordinal('<new')}>"
    b.class_body(body, key, kind)
    return ("of", ("k", key, ()))


def _explicit(b: Body, node: Node) -> Value:
    """``this(...)`` and ``super(...)`` at the beginning of a constructor."""
    which = b.text(node.child_by_field_name("constructor"))
    b.field(node, "object")
    number = b.reserve(node)
    given = b.arguments(node.child_by_field_name("arguments"), number)
    return b.fill(number, "call", which, ("init", b.frame.ctx, which, given))


def _lambda(b: Body, node: Node) -> Value:
    want = b.want
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    b.push()
    listed = [parameters] if parameters is not None and parameters.type == "identifier" else []
    if parameters is not None and not listed:
        listed = [
            c for c in parameters.named_children if c.type in ("identifier", "formal_parameter", "spread_parameter")
        ]
    for j, parameter in enumerate(listed):
        made = b.parameter(parameter)
        kind = made[1] if made is not None else None
        guess = (*want, j) if want is not None else None
        b.declare(made[0] if made is not None else b.text(parameter), ("of", kind) if kind is not None else guess)
    value: Value = None
    if body is not None and body.type == "block":
        b.frame.returns.append([])
        b.expr(body)
        value = next((v for v in b.frame.returns.pop() if v is not None), None)
    elif body is not None:
        value = b.expr(body)
    b.pop()
    return ("lam", len(listed), value)


def _reference(b: Body, node: Node) -> Value:
    """``Foo::bar``, ``x::bar``, ``Foo::new``: passed on here, called somewhere else."""
    kids = [c for c in node.children if c.type not in ("::", "type_arguments")]
    if not kids:
        return None
    name = b.text(kids[-1]) if len(kids) > 1 and kids[-1].type == "identifier" else "new"
    first = kids[0]
    if first.type == "super":
        base: Value = ("super", b.frame.ctx, None)
    elif first.type.endswith("type"):
        base = ("is", b.type(first))
    else:
        base = b.expr(first)
    number = b.reserve(node)
    b.fill(number, "value", f"{key_of(base, b.frame.sites)}::{name}", ("ref", base, name))
    return ("ref", base, name)


def _instance_of(b: Body, node: Node) -> Value:
    found = b.field(node, "left")
    kind_node, named = node.child_by_field_name("right"), node.child_by_field_name("name")
    kind = b.type(kind_node)
    if named is not None:
        b.declare(b.text(named), ("of", kind) if kind is not None else found)
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        b.expr(pattern)
    return _BOOLEAN


def _type_pattern(b: Body, node: Node) -> Value:
    """``T name`` in a label or a record pattern."""
    kids = [c for c in node.named_children if c.type != "modifiers"]
    if kids and kids[-1].type == "identifier" and len(kids) > 1:
        kind = b.type(kids[0])
        b.declare(b.text(kids[-1]), ("of", kind) if kind is not None else None)
    else:
        b.children(node)
    return None


def _record_pattern(b: Body, node: Node) -> Value:
    for i, child in enumerate(node.named_children):
        if i == 0 and child.type != "record_pattern_body":
            b.type(child)
        else:
            b.expr(child)
    return None


def _cast(b: Body, node: Node) -> Value:
    kinds = [b.type(c) for c in node.children_by_field_name("type")]
    kind = kinds[0] if kinds else None
    value = node.child_by_field_name("value")
    if value is not None:
        b.expr(value, ("fn", kind) if kind is not None else None)
    return ("of", kind) if kind is not None else None


def _binary(b: Body, node: Node) -> Value:
    """Read from the right end leftwards, so that long sums do not nest."""
    parts: list[Node] = []
    compare = False
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        operator = current.child_by_field_name("operator")
        compare = compare or (operator is not None and operator.type in _COMPARE)
        right = current.child_by_field_name("right")
        if right is not None:
            parts.append(right)
        current = current.child_by_field_name("left")
    found = [b.expr(p) for p in ([current] if current is not None else []) + parts[::-1]]
    return _BOOLEAN if compare else ("bin", tuple(found[:8]))


def _unary(b: Body, node: Node) -> Value:
    found = None
    for child in node.named_children:
        found = b.expr(child)
    return _BOOLEAN if node.children and node.children[0].type == "!" else ("bin", (found,))


def _ternary(b: Body, node: Node) -> Value:
    want = b.want
    b.field(node, "condition")
    both = [c for c in map(node.child_by_field_name, ("consequence", "alternative")) if c is not None]
    return ("or", tuple(b.expr(c, want) for c in both))


def _inside(b: Body, node: Node) -> Value:
    want, found = b.want, None
    for child in node.named_children:
        found = b.expr(child, want)
    return found


def _assign(b: Body, node: Node) -> Value:
    found = b.field(node, "left")
    right = node.child_by_field_name("right")
    if right is not None:
        b.expr(right)
    return found


def _index(b: Body, node: Node) -> Value:
    found = b.field(node, "array")
    b.field(node, "index")
    return ("idx", found) if found is not None else None


def _new_array(b: Body, node: Node) -> Value:
    kind = b.type(node.child_by_field_name("type"))
    for child in node.children_by_field_name("dimensions"):
        if child.type == "dimensions_expr":
            b.children(child)
            kind = ("s", kind)
        else:
            kind = b.arrays(kind, child)
    b.field(node, "value")
    return ("of", kind)


def _class_literal(b: Body, node: Node) -> Value:
    kind = b.type(node.named_children[0]) if node.named_children else None
    return ("of", ("n", "", "java.lang.Class", (kind,)))


def _annotation(b: Body, node: Node) -> Value:
    b.type(node.child_by_field_name("name"))
    given = node.child_by_field_name("arguments")
    for child in given.named_children if given is not None else ():
        value = child.child_by_field_name("value") if child.type == "element_value_pair" else child
        if value is not None:
            b.expr(value)
    return None


def _as_type(b: Body, node: Node) -> Value:
    return ("is", b.type(node))


def _this(b: Body, node: Node) -> Value:
    return ("this", b.frame.ctx)


def _super(b: Body, node: Node) -> Value:
    return ("super", b.frame.ctx, None)


def _null(b: Body, node: Node) -> Value:
    return ("null",)


def _nothing(b: Body, node: Node) -> Value:
    return None


def _literal(kind: str) -> Callable[[Body, Node], Value]:
    found: Expr = ("of", ("p", kind))
    return lambda b, node: found


def _string(b: Body, node: Node) -> Value:
    b.children(node)
    return ("of", ("n", "", "java.lang.String", ()))


def _number(b: Body, node: Node) -> Value:
    text = b.text(node)
    whole = node.type != "decimal_floating_point_literal" and node.type != "hex_floating_point_literal"
    kind = ("long" if text[-1:] in "lL" else "int") if whole else "float" if text[-1:] in "fF" else "double"
    return ("of", ("p", kind))


def _type_arguments(b: Body, node: Node) -> Value:
    for child in node.named_children:
        b.type(child)
    return None


EXPRESSIONS: dict[str, Callable[[Body, Node], Value]] = {
    "identifier": _identifier, "field_access": _field_access, "method_invocation": _call,
    "object_creation_expression": _creation, "explicit_constructor_invocation": _explicit,
    "lambda_expression": _lambda, "method_reference": _reference, "instanceof_expression": _instance_of,
    "type_pattern": _type_pattern, "record_pattern_component": _type_pattern, "record_pattern": _record_pattern,
    "cast_expression": _cast, "binary_expression": _binary, "unary_expression": _unary,
    "update_expression": _unary, "ternary_expression": _ternary, "parenthesized_expression": _inside,
    "assignment_expression": _assign, "array_access": _index, "array_creation_expression": _new_array,
    "class_literal": _class_literal, "annotation": _annotation, "marker_annotation": _annotation,
    "this": _this, "super": _super, "null_literal": _null, "true": _literal("boolean"),
    "false": _literal("boolean"), "character_literal": _literal("char"), "string_literal": _string,
    "string_fragment": _nothing, "escape_sequence": _nothing, "multiline_string_fragment": _nothing,
    "decimal_integer_literal": _number, "hex_integer_literal": _number, "octal_integer_literal": _number,
    "binary_integer_literal": _number, "decimal_floating_point_literal": _number,
    "hex_floating_point_literal": _number, "line_comment": _nothing, "block_comment": _nothing,
    "type_identifier": _as_type, "scoped_type_identifier": _as_type, "generic_type": _as_type,
    "array_type": _as_type, "integral_type": _as_type, "floating_point_type": _as_type,
    "boolean_type": _as_type, "void_type": _as_type, "type_arguments": _type_arguments,
}  # fmt: skip
