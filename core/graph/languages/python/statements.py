"""Pass 1 over a Python syntax tree: the statements of every scope, without looking into expressions.

In: the tree of one file. Out: its ``Scope`` objects, parents first, each with its bindings in text order and
the ``items`` that pass 2 (``python.expressions``) turns into expressions. Walks with its own stack: nesting
depth costs memory, never recursion.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from core.graph.languages.python.flow import Bind, Block
from core.graph.languages.python.scopes import (
    MUTATORS,
    SIMPLE_NAMES,
    Item,
    Node,
    Scope,
    imported,
    parameter_names,
    text_of,
)

LEAVERS = {"return_statement", "raise_statement", "continue_statement", "break_statement"}


def collect(root: Node, walrus: bool) -> list[Scope]:
    """All scopes but lambdas, parents before children; ``walrus`` = the text holds ``:=`` somewhere."""
    module = Scope("module", "", "", None, root, root)
    done: list[Scope] = []
    waiting: deque[Scope] = deque([module])
    while waiting:
        scope = waiting.popleft()
        walker = _Walker(scope, walrus)
        walker.run()
        done.append(scope)
        waiting.extend(walker.children)
    for scope in done:
        _place_updates(scope)
    return done


def _place_updates(scope: Scope) -> None:
    """Hand updates of objects that live in an outer scope (``d[k] = v`` on a global) to that scope."""
    if scope.kind == "module":
        return
    for name, binds in list(scope.binds.items()):
        if scope.is_local(name):
            continue
        outer = scope.parent
        while outer is not None and (outer.kind == "class" or not outer.is_local(name)) and outer.parent is not None:
            outer = outer.parent
        updates = [b for b in binds if b.kind == "update"]
        if outer is not None and updates and outer.is_local(name):
            outer.extern.setdefault(name, []).extend((scope.qual, b) for b in updates)
        moved = [b for b in binds if b.real]  # ``global x; x = ...`` binds in the module
        if moved and name in scope.globals:
            top = scope
            while top.parent is not None:
                top = top.parent
            top.extern.setdefault(name, []).extend((scope.qual, b) for b in moved)
        elif moved and name in scope.nonlocals and outer is not None:
            outer.extern.setdefault(name, []).extend((scope.qual, b) for b in moved)


class _Walker:
    """Walks the statements of one scope in text order."""

    def __init__(self, scope: Scope, walrus: bool) -> None:
        self.scope = scope
        self.walrus = walrus
        self.children: list[Scope] = []

    def run(self) -> None:
        scope = self.scope
        if scope.kind == "module":
            body = scope.node
        else:
            if scope.kind == "function":
                self._parameters(scope.node.child_by_field_name("parameters"))
            body = scope.node.child_by_field_name("body")
        if body is None:
            return
        stack: list[tuple[Node, int]] = [(n, 0) for n in reversed(body.named_children)]
        while stack:
            node, block = stack.pop()
            scope.clock += 2
            handler = _STATEMENTS.get(node.type, _Walker._plain)
            inner = handler(self, node, block)
            if inner:
                stack.extend(reversed(inner))

    # -- parameters -----------------------------------------------------------------------------------

    def _parameters(self, node: Node | None) -> None:
        for name, _, _ in parameter_names(node):
            self.scope.bind(Bind(name, -1, 0, "parameter", node))
        first = next(iter(parameter_names(node)), None)
        parent = self.scope.parent
        if first is not None and first[1] == "" and parent is not None and parent.kind == "class":
            self.scope.self_name = first[0]

    # -- statements -----------------------------------------------------------------------------------

    def _item(self, kind: str, node: Node, block: int, binds: tuple[Bind, ...] = (), stores: Any = ()) -> None:
        if self.walrus:
            binds += self._walrus(node, block)
        self.scope.items.append(Item(kind, node, self.scope.clock, block, binds, tuple(stores)))

    def _walrus(self, node: Node, block: int) -> tuple[Bind, ...]:
        if b":=" not in node.text:
            return ()
        found: list[Bind] = []
        stack = [node]
        while stack:
            n = stack.pop()
            if n.type == "named_expression":
                name = n.child_by_field_name("name")
                if name is not None:
                    found.append(self.scope.bind(Bind(text_of(name), self.scope.clock - 1, block, "walrus", n)))
            if n.type not in ("lambda", "block"):
                stack.extend(reversed(n.named_children))
        return tuple(found)

    def _plain(self, node: Node, block: int) -> None:
        if node.type in LEAVERS:
            self.scope.blocks[block].leaves = True
        self._item("expression", node, block)

    def _expression(self, node: Node, block: int) -> None:
        for child in node.named_children:
            if child.type == "assignment":
                self._assignment(child, block)
            elif child.type == "augmented_assignment":
                self._augmented(child, block)
            else:
                if child.type == "call":
                    self._mutation(child, block)
                self._item("expression", child, block)

    def _assignment(self, node: Node, block: int) -> None:
        targets, statement = [], node
        annotation = node.child_by_field_name("type")
        while node is not None and node.type == "assignment":
            targets.append(node.child_by_field_name("left"))
            node = node.child_by_field_name("right")
        binds: list[Bind] = []
        stores: list[tuple[Node, tuple[Any, ...]]] = []
        for target in targets:
            self._target(target, (), block, statement, binds, stores)
        kind = "assign" if annotation is None else "annotated"
        self._item(kind, statement, block, tuple(binds), stores)

    def _augmented(self, node: Node, block: int) -> None:
        binds: list[Bind] = []
        stores: list[tuple[Node, tuple[Any, ...]]] = []
        self._target(node.child_by_field_name("left"), (), block, node, binds, stores)
        self._item("augmented", node, block, tuple(binds), stores)

    def _target(self, node: Node, path: Any, block: int, statement: Node, binds: Any, stores: Any) -> None:
        """Bindings and stores of an assignment target; ``path`` leads from the value to this part of it."""
        stack = [(node, path)]
        while stack:
            node, path = stack.pop(0)
            if node is None:
                continue
            kind = node.type
            if kind in SIMPLE_NAMES:
                bind = Bind(text_of(node), self.scope.clock + 1, block, "variable", statement, path=path)
                binds.append(self.scope.bind(bind))
            elif kind in ("pattern_list", "tuple_pattern", "list_pattern", "expression_list", "tuple", "list"):
                parts = [c for c in node.named_children if c.type != "comment"]
                star = next((i for i, c in enumerate(parts) if c.type in ("list_splat_pattern", "list_splat")), -1)
                stack = [(c, (*path, (i, len(parts), star))) for i, c in enumerate(parts)] + stack
            elif kind in ("list_splat_pattern", "list_splat", "parenthesized_expression", "as_pattern_target"):
                stack = [(c, path) for c in node.named_children] + stack
            elif kind == "attribute":
                stores.append((node, path))
            elif kind == "subscript":
                stores.append((node, path))
                root = node
                while root is not None and root.type == "subscript":
                    root = root.child_by_field_name("value")
                if root is not None and root.type == "identifier":
                    bind = Bind(text_of(root), self.scope.clock + 1, block, "update", node, real=False, path=path)
                    binds.append(self.scope.bind(bind))

    def _mutation(self, node: Node, block: int) -> None:
        function = node.child_by_field_name("function")
        if function is None or function.type != "attribute":
            return
        name, root = function.child_by_field_name("attribute"), function.child_by_field_name("object")
        if name is None or root is None or root.type != "identifier" or text_of(name) not in MUTATORS:
            return
        bind = Bind(text_of(root), self.scope.clock + 1, block, "update", node, real=False)
        self.scope.items.append(Item("mutation", node, self.scope.clock, block, (self.scope.bind(bind),)))

    def _delete(self, node: Node, block: int) -> None:
        self._item("expression", node, block)

    def _global(self, node: Node, block: int) -> None:
        names = {text_of(c) for c in node.named_children}
        (self.scope.globals if node.type == "global_statement" else self.scope.nonlocals).update(names)

    def _import(self, node: Node, block: int) -> None:
        for local, expr in imported(node):
            if local == "*":
                self.scope.items.append(Item("star", node, self.scope.clock, block))
                continue
            bind = Bind(local, self.scope.clock + 1, block, "import", node, expr=expr)
            self.scope.bind(bind)
        self.scope.items.append(Item("import", node, self.scope.clock, block))

    def _type_alias(self, node: Node, block: int) -> None:
        left = node.child_by_field_name("left")
        while left is not None and left.type != "identifier" and left.named_children:
            left = left.named_children[0]
        binds: tuple[Bind, ...] = ()
        if left is not None and left.type == "identifier":
            binds = (self.scope.bind(Bind(text_of(left), self.scope.clock + 1, block, "variable", node)),)
        self._item("alias", node, block, binds)

    def _definition(self, node: Node, block: int) -> None:
        outer = node
        if node.type == "decorated_definition":
            node = node.child_by_field_name("definition")
            if node is None:
                return self._plain(outer, block)
        name_node = node.child_by_field_name("name")
        name = text_of(name_node) if name_node is not None else "?"
        scope = self.scope
        kind = "class" if node.type == "class_definition" else "function"
        qual = scope.child_qual(name)
        rolled = scope.kind == "function" or (scope.kind == "class" and not scope.symbol)
        owner = scope.owner if rolled else qual
        self.children.append(Scope(kind, qual, owner, scope, node, outer, name))
        expr: tuple[str, ...] = ("def" if kind == "function" else "class", qual)
        if kind == "class" and outer is not node:
            expr = (*expr, "decorated")
        bind = scope.bind(
            Bind(name, scope.clock + 1, block, "def" if kind == "function" else "class", outer, expr=expr)
        )
        self._item("definition", outer, block, (bind,))
        return None

    # -- compound statements --------------------------------------------------------------------------

    def _block(self, parent: int, group: int = -1, loop: bool = False) -> int:
        blocks = self.scope.blocks
        blocks.append(Block(parent, blocks[parent].depth + 1, group, loop))
        return len(blocks) - 1

    def _suite(self, node: Node | None, block: int) -> list[tuple[Node, int]]:
        if node is None:
            return []
        if node.type == "block":
            return [(c, block) for c in node.named_children if c.type != "comment"]
        return [(node, block)]

    def _if(self, node: Node, block: int) -> list[tuple[Node, int]]:
        group, work = len(self.scope.blocks), []
        arms = [node, *(c for c in node.named_children if c.type in ("elif_clause", "else_clause"))]
        for arm in arms:
            inner = self._block(block, group)
            condition = arm.child_by_field_name("condition")
            if condition is not None:
                self._item("expression", condition, block)
                self._narrow(condition, inner)
            body = arm.child_by_field_name("consequence" if arm.type != "else_clause" else "body")
            work += self._suite(body, inner)
        return work

    def _narrow(self, condition: Node, block: int) -> None:
        """``if isinstance(x, C)``: inside the block x is a C."""
        stack = [condition]
        while stack:
            node = stack.pop()
            if node.type == "call" and node.named_child_count == 2:
                function, arguments = node.named_children
                parts = arguments.named_children
                if function.text == b"isinstance" and len(parts) == 2 and parts[0].type == "identifier":
                    bind = Bind(text_of(parts[0]), self.scope.clock + 1, block, "narrow", node, False, True)
                    bind.at = self.scope.clock - 1
                    item = Item("narrow", parts[1], self.scope.clock, block, (self.scope.bind(bind),))
                    self.scope.items.append(item)
            elif node.type == "parenthesized_expression" or (node.type == "boolean_operator" and _is_and(node)):
                stack.extend(node.named_children)

    def _while(self, node: Node, block: int) -> list[tuple[Node, int]]:
        inner = self._block(block, loop=True)
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self._item("expression", condition, inner)
        return self._suite(node.child_by_field_name("body"), inner) + self._else(node, block)

    def _for(self, node: Node, block: int) -> list[tuple[Node, int]]:
        binds: list[Bind] = []
        stores: list[tuple[Node, tuple[Any, ...]]] = []
        inner = self._block(block, loop=True)
        self._target(node.child_by_field_name("left"), (), block, node, binds, stores)
        self._item("for", node, block, tuple(binds), stores)
        return self._suite(node.child_by_field_name("body"), inner) + self._else(node, block)

    def _else(self, node: Node, block: int) -> list[tuple[Node, int]]:
        work: list[tuple[Node, int]] = []
        for child in node.named_children:
            if child.type == "else_clause":
                work += self._suite(child.child_by_field_name("body"), self._block(block))
        return work

    def _try(self, node: Node, block: int) -> list[tuple[Node, int]]:
        work = self._suite(node.child_by_field_name("body"), self._block(block))
        for clause in node.named_children:
            if clause.type in ("except_clause", "except_group_clause"):
                inner = self._block(block)
                for child in clause.named_children:
                    if child.type == "block":
                        work += self._suite(child, inner)
                    elif child.type != "comment":
                        work.append((_Except(child), inner))
            elif clause.type == "else_clause":
                work += self._suite(clause.child_by_field_name("body"), self._block(block))
            elif clause.type == "finally_clause":
                for child in clause.named_children:
                    if child.type == "block":
                        work += self._suite(child, block)
        return work

    def _except(self, wrapped: _Except, block: int) -> None:
        node = wrapped.node
        binds: list[Bind] = []
        if node.type == "as_pattern":
            self._target(node.child_by_field_name("alias"), (), block, node, binds, [])
        self._item("except", node, block, tuple(binds))

    def _with(self, node: Node, block: int) -> list[tuple[Node, int]]:
        for clause in node.named_children:
            if clause.type == "with_clause":
                for with_item in clause.named_children:
                    if with_item.type != "with_item":
                        continue
                    value = with_item.child_by_field_name("value")
                    binds: list[Bind] = []
                    stores: list[tuple[Node, tuple[Any, ...]]] = []
                    if value is not None and value.type == "as_pattern":
                        self._target(value.child_by_field_name("alias"), (), block, with_item, binds, stores)
                    if value is not None:
                        self._item("with", value, block, tuple(binds), stores)
        return self._suite(node.child_by_field_name("body"), block)

    def _match(self, node: Node, block: int) -> list[tuple[Node, int]]:
        work: list[tuple[Node, int]] = []
        for subject in node.children_by_field_name("subject"):
            self._item("expression", subject, block)
        body, group = node.child_by_field_name("body"), len(self.scope.blocks)
        subjects = node.children_by_field_name("subject")
        subject = subjects[0] if len(subjects) == 1 and subjects[0].type == "identifier" else None
        for clause in body.named_children if body is not None else ():
            if clause.type != "case_clause":
                continue
            inner = self._block(block, group)
            for pattern in clause.named_children:
                if pattern.type == "case_pattern":
                    self._pattern(pattern, inner, subject)
            guard = clause.child_by_field_name("guard")
            if guard is not None:
                self._item("expression", guard, inner)
            work += self._suite(clause.child_by_field_name("consequence"), inner)
        return work

    def _pattern(self, pattern: Node, block: int, subject: Node | None) -> None:
        """Captures of one case pattern; a class pattern gives ``as`` names and the subject its type."""
        stack = [pattern]
        while stack:
            node = stack.pop()
            kids = node.named_children
            if node.type == "dotted_name" and len(kids) == 1 and node.parent.type not in ("class_pattern",):
                name = text_of(kids[0])
                if name != "_":
                    self.scope.bind(Bind(name, self.scope.clock + 1, block, "variable", node))
                continue
            if node.type == "as_pattern" and kids and kids[-1].type == "identifier":
                bind = self.scope.bind(Bind(text_of(kids[-1]), self.scope.clock + 1, block, "variable", node))
                self._class_pattern(kids[0], block, bind)
            if node is pattern and subject is not None:
                bind = Bind(text_of(subject), self.scope.clock + 1, block, "narrow", node, False, True)
                self._class_pattern(node, block, bind)
            if node.type == "class_pattern" and kids:
                self._item("expression", kids[0], block)
            if node.type == "splat_pattern" and kids:
                self.scope.bind(Bind(text_of(kids[0]), self.scope.clock + 1, block, "variable", node))
            stack.extend(k for k in reversed(kids) if k.type not in ("identifier", "string"))

    def _class_pattern(self, node: Node, block: int, bind: Bind) -> None:
        while node.type == "case_pattern" and node.named_children:
            node = node.named_children[0]
        if node.type == "class_pattern" and node.named_children:
            if bind.narrow:
                self.scope.bind(bind)
            self.scope.items.append(Item("narrow", node.named_children[0], self.scope.clock, block, (bind,)))


def _is_and(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type == "and"


@dataclass(frozen=True, slots=True)
class _Except:
    """The head of an except clause, queued between suites."""

    node: Node
    type: str = "<except>"


_STATEMENTS: dict[str, Any] = {
    "expression_statement": _Walker._expression,
    "delete_statement": _Walker._delete,
    "global_statement": _Walker._global,
    "nonlocal_statement": _Walker._global,
    "import_statement": _Walker._import,
    "import_from_statement": _Walker._import,
    "future_import_statement": _Walker._import,
    "type_alias_statement": _Walker._type_alias,
    "function_definition": _Walker._definition,
    "class_definition": _Walker._definition,
    "decorated_definition": _Walker._definition,
    "if_statement": _Walker._if,
    "while_statement": _Walker._while,
    "for_statement": _Walker._for,
    "try_statement": _Walker._try,
    "<except>": _Walker._except,
    "with_statement": _Walker._with,
    "match_statement": _Walker._match,
    "block": lambda walker, node, block: walker._suite(node, block),
    "comment": lambda walker, node, block: None,
}
