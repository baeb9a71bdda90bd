"""Expressions of Go bodies: names, calls, conversions, literals, operators (Eq. 5, E_t).

In: an expression's node. Out: the expression of its value if it has one that is known (go.body), and what the
``Body`` collects on the way: sites, reads, local cells.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from core.graph.facts import Expr
from core.graph.languages.go.body import DEPTH, Body, Value
from core.graph.languages.go.keys import key_of, type_key
from core.graph.languages.go.types import BASIC, Node, TypeExpr, kind_ids

_BY_ARGUMENT = frozenset(["new", "make", "append", "min", "max"])
_COMPARE = frozenset(["==", "!=", "<", "<=", ">", ">=", "&&", "||"])


def _identifier(b: Body, node: Node) -> Value:
    name = b.text(node)
    entry = b.env.get(name)
    if entry is not None:
        return entry if entry[0] == "local" else ("as", entry)
    if name == "_":
        return None
    if name not in BASIC:
        b.read(name, node)
    return ("name", name)


def _selector(b: Body, node: Node, called: str = "") -> Value:
    base = node.child_by_field_name("operand")
    field = node.child_by_field_name("field")
    if base is None or field is None:
        b.children(node)
        return None
    name = b.text(field)
    if base.kind_id in _names():
        first = b.text(base)
        entry = b.env.get(first)
        if entry is not None:
            return ("attr", entry if entry[0] == "local" else ("as", entry), name)
        b.read(first if first in b.top else f"{first}.{name}{called}", node)
        return ("attr", ("name", first), name)
    found = b.expr(base)
    return ("attr", found, name)


def _callee(b: Body, node: Node) -> Value:
    """The callee of a call: a name read only to be called is recorded as such (``name()``)."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    if node.type == "selector_expression":
        return _selector(b, node, "()")
    if node.kind_id in _names():
        name = b.text(node)
        entry = b.env.get(name)
        if entry is not None:
            return entry if entry[0] == "local" else ("as", entry)
        if name not in BASIC:
            b.read(name + "()", node)
        return ("name", name)
    if node.type in ("index_expression", "type_instantiation_expression") and node.named_children:
        found = _callee(b, node.named_children[0])
        for child in node.named_children[1:]:
            b.expr(child)
        return found if node.type[0] == "t" else ("idx", found)
    return b.expr(node)


def _call(b: Body, node: Node) -> Value:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    callee = _callee(b, function) if function is not None else None
    given = arguments.named_children if arguments is not None else []
    if callee is not None and callee[0] == "name" and callee[1] in _BY_ARGUMENT and given:
        first = given[0]
        kind: Value = None
        if callee[1] in ("new", "make"):
            kind = ("of", b.type(first))
            if callee[1] == "new" and kind[1] is not None:
                b.site("new", kind[1], first, type_key(kind[1]))
        else:
            kind = b.value(first)
        for child in given[1:]:
            b.value(child)
        found: Expr = ("call", callee, kind)
    else:
        for child in given:
            b.value(child)
        found = ("call", callee)
    if callee is None or callee[0] != "lit":
        b.site("call", found, node, key_of(callee))
    return found


def _conversion(b: Body, node: Node) -> Value:
    """``[]byte(x)``; ``F[int](x)`` looks the same and may be a call of a generic function."""
    kind, operand = node.child_by_field_name("type"), node.child_by_field_name("operand")
    callee: Value = None
    if kind is not None and kind.type == "generic_type":
        found = b.type(kind)
        if found is not None and found[0] == "n":
            callee = ("name", found[1])
        elif found is not None and found[0] == "q":
            callee = ("attr", ("name", found[1]), found[2])
        if callee is not None:
            b.site("call", ("call", callee), node, key_of(callee))
    if operand is not None:
        b.value(operand)
    if callee is not None:
        return ("call", callee)
    return ("of", b.type(kind))


def _composite(b: Body, node: Node) -> Value:
    kind = b.type(node.child_by_field_name("type"))
    body = node.child_by_field_name("body")
    if kind is not None and kind[0] in "nqk":
        b.site("new", kind, node, type_key(kind))
    if body is not None:
        _literal(b, body, kind)
    return ("of", kind) if kind is not None else None


def _literal(b: Body, node: Node, kind: TypeExpr) -> None:
    """The elements of a composite literal; types left out are those of its elements."""
    listed = kind is not None and kind[0] in "sm"
    element: TypeExpr = None
    if kind is not None:
        element = kind[-1] if listed else ("e", kind)
    for child in node.named_children:
        if child.type == "keyed_element":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None:
                inner = key.named_children[0] if key.named_children else None
                if inner is not None and inner.kind_id in _names() and not listed:
                    _field_or_key(b, inner, kind)
                elif inner is not None:
                    _literal_element(b, inner, kind[1] if kind is not None and kind[0] == "m" else None)
            if value is not None and value.named_children:
                _literal_element(b, value.named_children[0], element)
        elif child.type == "literal_element" and child.named_children:
            _literal_element(b, child.named_children[0], element)


def _literal_element(b: Body, node: Node, kind: TypeExpr) -> None:
    if node.type != "literal_value":
        b.value(node)
        return
    if kind is not None and kind[0] in "nqke":
        b.site("new", kind, node, type_key(kind) + "{}")
    if b.depth > DEPTH:
        return
    b.depth += 1
    _literal(b, node, kind)
    b.depth -= 1


def _field_or_key(b: Body, node: Node, kind: TypeExpr) -> None:
    """``T{name: v}``: a field if T is a struct, a name read if it is a map or an array; known when linked."""
    name = b.text(node)
    if name not in b.env and kind is not None and kind[0] in "nq":
        b.read(f"{type_key(kind)}{{}}{name}", node)


def _literal_function(b: Body, node: Node) -> Value:
    b.closures = True
    return ("lit", ("f", *b.function(node)))


def _unary(b: Body, node: Node) -> Value:
    operand = node.child_by_field_name("operand")
    if operand is None:
        b.children(node)
        return None
    operator = node.children[0].type
    if operator == "&" and operand.type == "composite_literal":
        return _composite(b, operand)
    found = b.value(operand) if operator == "&" else b.expr(operand)
    if operator == "<-":
        return ("recv", found) if found is not None else None
    return ("of", ("n", "bool")) if operator == "!" else found


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
    if compare:
        return ("of", ("n", "bool"))
    known = [f for f in found if f is not None]
    return ("bin", known[0], known[1]) if len(known) > 1 else known[0] if known else None


def _index(b: Body, node: Node) -> Value:
    operand, index = node.child_by_field_name("operand"), node.child_by_field_name("index")
    found = b.expr(operand) if operand is not None else None
    if index is not None:
        b.expr(index)
    return ("idx", found) if found is not None else None


def _first(b: Body, node: Node) -> Value:
    kids = node.named_children
    found = b.expr(kids[0]) if kids else None
    for child in kids[1:]:
        b.expr(child)
    return found


def _instance(b: Body, node: Node) -> Value:
    """``F[int, string]`` as a value."""
    kids = node.named_children
    for child in kids[1:]:
        b.type(child)
    if kids and kids[0].type == "type_identifier":
        return _identifier(b, kids[0])
    return b.expr(kids[0]) if kids else None


def _assertion(b: Body, node: Node) -> Value:
    operand = node.child_by_field_name("operand")
    if operand is not None:
        b.expr(operand)
    kind = b.type(node.child_by_field_name("type"))
    return ("of", kind) if kind is not None else None


def _string(b: Body, node: Node) -> Value:
    return ("of", ("n", "string"))


def _number(b: Body, node: Node) -> Value:
    return ("of", ("n", "int"))


def _nothing(b: Body, node: Node) -> Value:
    return None


def _as_type(b: Body, node: Node) -> Value:
    kind = b.type(node)
    return ("as", kind) if kind is not None else None


@lru_cache(maxsize=1)
def _names() -> frozenset[int]:
    return kind_ids("identifier")


EXPRESSIONS: dict[str, Callable[[Body, Node], Value]] = {
    "identifier": _identifier, "selector_expression": _selector, "call_expression": _call,
    "type_conversion_expression": _conversion, "composite_literal": _composite, "func_literal": _literal_function,
    "unary_expression": _unary, "binary_expression": _binary, "index_expression": _index,
    "slice_expression": _first, "parenthesized_expression": _first, "type_instantiation_expression": _instance,
    "type_assertion_expression": _assertion, "interpreted_string_literal": _string,
    "raw_string_literal": _string, "int_literal": _number, "float_literal": _number, "rune_literal": _number,
    "comment": _nothing, "label_name": _nothing, "nil": _nothing, "iota": _number,
    "pointer_type": _as_type, "slice_type": _as_type, "map_type": _as_type, "array_type": _as_type,
    "channel_type": _as_type, "function_type": _as_type, "struct_type": _as_type, "interface_type": _as_type,
    "generic_type": _as_type, "qualified_type": _as_type, "type_identifier": _as_type,
}  # fmt: skip
