"""Statements of Go bodies: the blocks that bound names, and the declarations that bring names in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.graph.facts import Expr
from core.graph.languages.go.types import Node

if TYPE_CHECKING:
    from core.graph.languages.go.body import Body, Value


def _block(b: Body, node: Node) -> Value:
    b.push()
    b.children(node)
    b.pop()
    return None


def _short(b: Body, node: Node) -> Value:
    values = b.values(node.child_by_field_name("right"))
    b.assign_names(node.child_by_field_name("left"), values)
    return None


def _assignment(b: Body, node: Node) -> Value:
    b.values(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    if left is not None:
        b.expr(left)
    return None


def _var(b: Body, node: Node) -> Value:
    """var_spec and const_spec inside a function."""
    kind = b.type(node.child_by_field_name("type"))
    values = b.values(node.child_by_field_name("value"))
    names = [b.text(n) for n in node.children_by_field_name("name") if n.is_named]
    for i, name in enumerate(names):
        if kind is not None:
            b.declare(name, ("of", kind))
        elif len(values) == len(names):
            b.declare(name, values[i])
        else:
            b.declare(name, ("res", values[0], i) if len(values) == 1 and values[0] is not None else None)
    return None


def _type(b: Body, node: Node) -> Value:
    """A type declared inside a function."""
    named = node.child_by_field_name("name")
    if named is None:
        return None
    name = b.text(named)
    key = f"{b.scope}.<{name} {b.ordinal('type ' + name)}>"
    b.put(name, ("k", key))
    b.push()
    b.type_parameters(node.child_by_field_name("type_parameters"))
    b.definition(node, key)
    b.pop()
    return None


def _return(b: Body, node: Node) -> Value:
    for child in node.named_children:
        b.values(child)
    return None


def _send(b: Body, node: Node) -> Value:
    for child in node.named_children:
        b.value(child)
    return None


def _for(b: Body, node: Node) -> Value:
    b.push()
    for child in node.named_children:
        if child.type == "range_clause":
            _range(b, child)
        else:
            b.expr(child)
    b.pop()
    return None


def _range(b: Body, node: Node) -> None:
    right, left = node.child_by_field_name("right"), node.child_by_field_name("left")
    found = b.expr(right) if right is not None else None
    if left is None:
        return
    if any(c.type == ":=" for c in node.children):
        values: list[Value] = [None, None] if found is None else [("key", found), ("item", found)]
        nodes = [n for n in left.named_children if n.type != "comment"]
        for n, value in zip(nodes, values, strict=False):
            if n.type == "identifier":
                b.declare(b.text(n), value)
    else:
        b.expr(left)


def _if(b: Body, node: Node) -> Value:
    b.push()
    b.children(node)
    b.pop()
    return None


def _type_switch(b: Body, node: Node) -> Value:
    b.push()
    first = node.child_by_field_name("initializer")
    if first is not None:
        b.expr(first)
    operand = node.child_by_field_name("value")
    value = b.expr(operand) if operand is not None else None
    alias = node.child_by_field_name("alias")
    name = b.text(alias).strip() if alias is not None else ""
    for case in node.named_children:
        if case.type not in ("type_case", "default_case"):
            continue
        kinds = case.children_by_field_name("type")
        types = [b.type(k) if k.type != "nil" else None for k in kinds if k.is_named]
        held: Expr | None = value
        if len(types) == 1:
            held = ("of", types[0]) if types[0] is not None else value
        b.push()
        if name:
            b.declare(name, held)
        ids = {k.id for k in kinds}
        for child in case.named_children:
            if child.id not in ids:
                b.expr(child)
        b.pop()
    b.pop()
    return None


def _receive(b: Body, node: Node) -> Value:
    """``x := <-c`` of a select."""
    values = b.values(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    if any(c.type == ":=" for c in node.children):
        b.assign_names(left, values)
    elif left is not None:
        b.expr(left)
    return None


STATEMENTS: dict[str, Callable[[Body, Node], Value]] = {
    "block": _block, "short_var_declaration": _short, "assignment_statement": _assignment, "var_spec": _var,
    "const_spec": _var, "type_spec": _type, "type_alias": _type, "return_statement": _return,
    "send_statement": _send, "for_statement": _for, "if_statement": _if, "expression_switch_statement": _if,
    "type_switch_statement": _type_switch, "expression_case": _block, "default_case": _block,
    "communication_case": _block, "receive_statement": _receive,
}  # fmt: skip
