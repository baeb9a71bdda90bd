"""Statements of Rust bodies: the blocks that bound names, and the declarations that bring names in."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from core.graph.languages.rust.exprs import Value, either
from core.graph.languages.rust.macros import invocation
from core.graph.languages.rust.patterns import bind
from core.graph.languages.rust.syntax import Node, kind_ids

if TYPE_CHECKING:
    from core.graph.languages.rust.body import Body

ITEMS = (
    "use_declaration", "function_item", "struct_item", "enum_item", "union_item", "trait_item", "impl_item",
    "const_item", "static_item", "type_item", "mod_item", "macro_definition", "foreign_mod_item",
    "extern_crate_declaration", "function_signature_item",
)  # fmt: skip


@lru_cache(maxsize=1)
def item_ids() -> frozenset[int]:
    """The kinds of nodes that declare items."""
    return kind_ids(*ITEMS)


def _block(b: Body, node: Node) -> Value:
    kids = node.named_children
    ids = item_ids()
    declared = [k for k in kids if k.kind_id in ids]
    outer = b.module
    b.push()
    if declared:
        b.items(kids, node)
    found: Value = None
    for child in kids:
        if child.kind_id in ids:
            continue
        found = b.expr(child)
        if child.type == "expression_statement" and child.children and child.children[-1].type == ";":
            found = None
    if not kids or kids[-1].type in ("let_declaration", "empty_statement"):
        found = None
    b.pop()
    b.module = outer
    return found


def _let(b: Body, node: Node) -> Value:
    kind = node.child_by_field_name("type")
    declared = b.type(kind) if kind is not None else None
    value = node.child_by_field_name("value")
    found = b.value(value) if value is not None else None
    otherwise = node.child_by_field_name("alternative")
    if otherwise is not None:
        b.expr(otherwise)
    if declared is not None:
        found = ("of", declared) if found is None else ("ann", declared, found)
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        bind(b, pattern, found)
    return None


def _condition(b: Body, node: Node) -> Value:
    """``let P = e`` in a condition: its names live in the block around it."""
    value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
    found = b.expr(value) if value is not None else None
    if pattern is not None:
        bind(b, pattern, found)
    return None


def _if(b: Body, node: Node) -> Value:
    """Chains of ``else if`` are followed, not nested."""
    found: Value = None
    current: Node | None = node
    opened = 0
    while current is not None:
        b.push()
        opened += 1
        condition, then = current.child_by_field_name("condition"), current.child_by_field_name("consequence")
        if condition is not None:
            b.expr(condition)
        if then is not None:
            found = either(found, b.expr(then)) if found is None or found[0] != "or" else (found, b.expr(then))[0]
        b.pop()
        opened -= 1
        other = current.child_by_field_name("alternative")
        inner = other.named_children[-1] if other is not None and other.named_children else None
        current = None
        if inner is not None and inner.type == "if_expression":
            current = inner
        elif inner is not None:
            last = b.expr(inner)
            found = either(found, last) if found is None or found[0] != "or" else found
    return found


def _while(b: Body, node: Node) -> Value:
    b.push()
    for name in ("condition", "body"):
        child = node.child_by_field_name(name)
        if child is not None:
            b.expr(child)
    b.pop()
    return None


def _for(b: Body, node: Node) -> Value:
    value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
    found = b.expr(value) if value is not None else None
    if found is not None and value is not None and found[0] != "of":
        b.site("iter", found, value)
    b.push()
    if pattern is not None:
        bind(b, pattern, ("item", found) if found is not None else None)
    body = node.child_by_field_name("body")
    if body is not None:
        b.expr(body)
    b.pop()
    return None


def _match(b: Body, node: Node) -> Value:
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    held = b.expr(value) if value is not None else None
    found: Value = None
    for arm in body.named_children if body is not None else ():
        if arm.type != "match_arm":
            continue
        b.push()
        pattern, then = arm.child_by_field_name("pattern"), arm.child_by_field_name("value")
        if pattern is not None:
            bind(b, pattern, held)
        given = b.value(then) if then is not None else None
        if found is None or found[0] != "or":
            found = either(found, given)
        b.pop()
    return found


def _leave(b: Body, node: Node) -> Value:
    for child in node.named_children:
        if child.type != "label":
            b.value(child)
    return None


def _assignment(b: Body, node: Node) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if right is not None:
        b.value(right)
    found = b.expr(left) if left is not None else None
    operator = node.child_by_field_name("operator")
    if operator is not None and found is not None and found[0] != "of":
        b.site("op", ("attr", found, operator.type), node)
    return None


def _macro(b: Body, node: Node) -> Value:
    return invocation(b, node)


def _attribute(b: Body, node: Node) -> Value:
    return None


STATEMENTS: dict[str, Callable[[Body, Node], Value]] = {
    "block": _block, "let_declaration": _let, "let_condition": _condition, "if_expression": _if,
    "while_expression": _while, "for_expression": _for, "match_expression": _match, "return_expression": _leave,
    "break_expression": _leave, "yield_expression": _leave, "assignment_expression": _assignment,
    "compound_assignment_expr": _assignment, "macro_invocation": _macro, "attribute_item": _attribute,
    "inner_attribute_item": _attribute,
}  # fmt: skip
