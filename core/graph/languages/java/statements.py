"""Statements of Java bodies: the blocks that bound names, and the declarations that bring names in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.graph.languages.java.types import Node, TypeExpr

if TYPE_CHECKING:
    from core.graph.languages.java.body import Body, Value


def _block(b: Body, node: Node) -> Value:
    b.push()
    b.children(node)
    b.pop()
    return None


def _local(b: Body, node: Node) -> Value:
    """``T a = x, b[];`` and ``var a = x;``"""
    b.annotations(node)
    kind = b.type(node.child_by_field_name("type"))
    for declarator in node.children_by_field_name("declarator"):
        declared(b, declarator, kind)
    return None


def declared(b: Body, node: Node, kind: TypeExpr) -> None:
    """One variable of a local declaration; without a type it is what it is given."""
    made = b.arrays(kind, node.child_by_field_name("dimensions")) if kind is not None else None
    value = node.child_by_field_name("value")
    found = b.expr(value, ("fn", made) if made is not None else None) if value is not None else None
    b.declare(b.named(node), ("of", made) if made is not None else found)


def _each(b: Body, node: Node) -> Value:
    b.push()
    kind = b.type(node.child_by_field_name("type"))
    found = b.field(node, "value")
    item: Value = ("item", found) if found is not None else None
    b.implied("iter", found, "iterator", node)
    b.declare(b.named(node), ("of", kind) if kind is not None else item)
    b.field(node, "body")
    b.pop()
    return None


def _resource(b: Body, node: Node) -> Value:
    named, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if named is None:
        b.implied("with", _expression(b, node), "close", node)
        return None
    kind = b.type(node.child_by_field_name("type"))
    found = b.expr(value) if value is not None else None
    made = ("of", kind) if kind is not None else found
    b.implied("with", made, "close", node)
    b.declare(b.text(named), made)
    return None


def _catch(b: Body, node: Node) -> Value:
    b.push()
    for child in node.named_children:
        if child.type == "catch_formal_parameter":
            kind = next((b.type(c) for c in child.named_children if c.type == "catch_type"), None)
            b.declare(b.named(child), ("of", kind) if kind is not None else None)
        else:
            b.expr(child)
    b.pop()
    return None


def _switch(b: Body, node: Node) -> Value:
    """A switch, statement or expression; its value is the first known value of an arrow or a yield."""
    b.field(node, "condition")
    body = node.child_by_field_name("body")
    b.frame.returns.append([])
    found: list[Value] = []
    for group in body.named_children if body is not None else ():
        b.push()
        for child in group.named_children:
            if child.type == "switch_label":
                _label(b, child)
                continue
            value = b.expr(child)
            if child.type == "expression_statement":
                found.append(value)
        b.pop()
    found += b.frame.returns.pop()
    return ("or", tuple(v for v in found[:8] if v is not None))


def _label(b: Body, node: Node) -> None:
    """A case: constants of an enum are found through the type switched on, so a bare name is no read."""
    for child in node.named_children:
        if child.type != "identifier" or b.text(child) in b.env:
            b.expr(child)


def _return(b: Body, node: Node) -> Value:
    for child in node.named_children:
        found = b.expr(child)
        if b.frame.returns:
            b.frame.returns[-1].append(found)
    return None


def _expression(b: Body, node: Node) -> Value:
    found: Value = None
    for child in node.named_children:
        found = b.expr(child)
    return found


def _if(b: Body, node: Node) -> Value:
    """A chain of ``else if`` read without nesting; names of patterns live on behind it."""
    current: Node | None = node
    while current is not None:
        following = None
        for child in current.named_children:
            if child.type == "if_statement" and child.prev_sibling is not None and child.prev_sibling.type == "else":
                following = child
            else:
                b.expr(child)
        current = following
    return None


def _class(b: Body, node: Node) -> Value:
    b.local_class(node)
    return None


def _skip(b: Body, node: Node) -> Value:
    """``break label``, ``continue label``: a label is no name."""
    return None


def _labelled(b: Body, node: Node) -> Value:
    for child in node.named_children[1:]:
        b.expr(child)
    return None


STATEMENTS: dict[str, Callable[[Body, Node], Value]] = {
    "block": _block, "local_variable_declaration": _local, "enhanced_for_statement": _each, "for_statement": _block,
    "try_statement": _block, "try_with_resources_statement": _block, "resource": _resource, "catch_clause": _catch,
    "switch_expression": _switch, "return_statement": _return, "yield_statement": _return,
    "expression_statement": _expression, "if_statement": _if, "class_declaration": _class,
    "interface_declaration": _class, "enum_declaration": _class, "record_declaration": _class,
    "break_statement": _skip, "continue_statement": _skip, "labeled_statement": _labelled,
}  # fmt: skip
