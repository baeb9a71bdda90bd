"""Pass 1, statements that hold statements: their blocks, and what they bind (see ``python.statements``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.graph.languages.python.flow import Bind, Block
from core.graph.languages.python.patterns import read_patterns
from core.graph.languages.python.scopes import Item, Node, Scope, text_of

Work = list[tuple[Node, int]]  # statements still to be walked, with their blocks


class Walker(Protocol):
    """Who walks the statements of a scope."""

    scope: Scope

    def item(self, kind: str, node: Node, block: int, binds: tuple[Bind, ...] = (), stores: Any = ()) -> None:
        """Leave ``node`` to pass 2."""

    def target(self, node: Node, path: Any, block: int, statement: Node, binds: Any, stores: Any) -> None:
        """Bindings and stores of an assignment target."""


@dataclass(frozen=True, slots=True)
class Except:
    """The head of an except clause, queued between suites."""

    node: Node
    type: str = "<except>"


def _block(walker: Walker, parent: int, group: int = -1, loop: bool = False) -> int:
    blocks = walker.scope.blocks
    blocks.append(Block(parent, blocks[parent].depth + 1, group, loop))
    return len(blocks) - 1


def _suite(walker: Walker, node: Node | None, block: int) -> Work:
    if node is None:
        return []
    if node.type == "block":
        return [(c, block) for c in node.named_children if c.type != "comment"]
    return [(node, block)]


def _if(walker: Walker, node: Node, block: int) -> Work:
    group, work = len(walker.scope.blocks), []
    arms = [node, *(c for c in node.named_children if c.type in ("elif_clause", "else_clause"))]
    for arm in arms:
        inner = _block(walker, block, group)
        condition = arm.child_by_field_name("condition")
        if condition is not None:
            walker.item("condition", condition, block)
            _narrow(walker, condition, inner)
        body = arm.child_by_field_name("consequence" if arm.type != "else_clause" else "body")
        work += _suite(walker, body, inner)
    return work


def _narrow(walker: Walker, condition: Node, block: int) -> None:
    """``if isinstance(x, C)``: inside the block x is a C."""
    stack = [condition]
    while stack:
        node = stack.pop()
        if node.type == "call" and node.named_child_count == 2:
            function, arguments = node.named_children
            parts = arguments.named_children
            if function.text == b"isinstance" and len(parts) == 2 and parts[0].type == "identifier":
                bind = Bind(text_of(parts[0]), walker.scope.clock + 1, block, "narrow", node, False, True)
                bind.at = walker.scope.clock - 1
                item = Item("narrow", parts[1], walker.scope.clock, block, (walker.scope.bind(bind),))
                walker.scope.items.append(item)
        elif node.type == "parenthesized_expression" or (node.type == "boolean_operator" and _is_and(node)):
            stack.extend(node.named_children)


def _while(walker: Walker, node: Node, block: int) -> Work:
    inner = _block(walker, block, loop=True)
    condition = node.child_by_field_name("condition")
    if condition is not None:
        walker.item("condition", condition, inner)
    return _suite(walker, node.child_by_field_name("body"), inner) + _else(walker, node, block)


def _for(walker: Walker, node: Node, block: int) -> Work:
    binds: list[Bind] = []
    stores: list[tuple[Node, tuple[Any, ...]]] = []
    inner = _block(walker, block, loop=True)
    walker.target(node.child_by_field_name("left"), (), block, node, binds, stores)
    walker.item("for", node, block, tuple(binds), stores)
    return _suite(walker, node.child_by_field_name("body"), inner) + _else(walker, node, block)


def _else(walker: Walker, node: Node, block: int) -> Work:
    work: Work = []
    for child in node.named_children:
        if child.type == "else_clause":
            work += _suite(walker, child.child_by_field_name("body"), _block(walker, block))
    return work


def _try(walker: Walker, node: Node, block: int) -> Work:
    work = _suite(walker, node.child_by_field_name("body"), _block(walker, block))
    for clause in node.named_children:
        if clause.type in ("except_clause", "except_group_clause"):
            inner = _block(walker, block)
            for child in clause.named_children:
                if child.type == "block":
                    work += _suite(walker, child, inner)
                elif child.type != "comment":
                    work.append((Except(child), inner))
        elif clause.type == "else_clause":
            work += _suite(walker, clause.child_by_field_name("body"), _block(walker, block))
        elif clause.type == "finally_clause":
            for child in clause.named_children:
                if child.type == "block":
                    work += _suite(walker, child, block)
    return work


def _except(walker: Walker, wrapped: Except, block: int) -> None:
    node = wrapped.node
    binds: list[Bind] = []
    if node.type == "as_pattern":
        walker.target(node.child_by_field_name("alias"), (), block, node, binds, [])
    walker.item("except", node, block, tuple(binds))


def _with(walker: Walker, node: Node, block: int) -> Work:
    for clause in node.named_children:
        if clause.type == "with_clause":
            for with_item in clause.named_children:
                if with_item.type != "with_item":
                    continue
                value = with_item.child_by_field_name("value")
                binds: list[Bind] = []
                stores: list[tuple[Node, tuple[Any, ...]]] = []
                if value is not None and value.type == "as_pattern":
                    walker.target(value.child_by_field_name("alias"), (), block, with_item, binds, stores)
                if value is not None:
                    walker.item("with", value, block, tuple(binds), stores)
    return _suite(walker, node.child_by_field_name("body"), block)


def _match(walker: Walker, node: Node, block: int) -> Work:
    work: Work = []
    subjects = node.children_by_field_name("subject")
    for subject in subjects:
        walker.item("expression", subject, block)
    body, group = node.child_by_field_name("body"), len(walker.scope.blocks)
    for clause in body.named_children if body is not None else ():
        if clause.type != "case_clause":
            continue
        inner = _block(walker, block, group)
        read_patterns(walker.scope, clause, inner, subjects)
        guard = clause.child_by_field_name("guard")
        if guard is not None:
            walker.item("expression", guard, inner)
        work += _suite(walker, clause.child_by_field_name("consequence"), inner)
    return work


def _is_and(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type == "and"


COMPOUND: Mapping[str, Callable[[Any, Any, int], Work | None]] = {
    "if_statement": _if,
    "while_statement": _while,
    "for_statement": _for,
    "try_statement": _try,
    "<except>": _except,
    "with_statement": _with,
    "match_statement": _match,
    "block": _suite,
}
