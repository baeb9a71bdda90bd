"""Pass 1 over a Python syntax tree: the statements of every scope, without looking into expressions.

In: the tree of one file. Out: its ``Scope`` objects, parents first, each with its bindings in text order and
the ``items`` that pass 2 (``python.expressions``) turns into expressions. Walks with its own stack: nesting
depth costs memory, never recursion.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from core.graph.languages.python.compound import COMPOUND
from core.graph.languages.python.flow import Bind
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

    def item(self, kind: str, node: Node, block: int, binds: tuple[Bind, ...] = (), stores: Any = ()) -> None:
        """Leave ``node`` to pass 2, with the bindings and stores that take their values from it."""
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
        self.item("expression", node, block)

    def _expression(self, node: Node, block: int) -> None:
        for child in node.named_children:
            if child.type == "assignment":
                self._assignment(child, block)
            elif child.type == "augmented_assignment":
                self._augmented(child, block)
            else:
                if child.type == "call":
                    self._mutation(child, block)
                self.item("expression", child, block)

    def _assignment(self, node: Node, block: int) -> None:
        targets, statement = [], node
        annotation = node.child_by_field_name("type")
        while node is not None and node.type == "assignment":
            targets.append(node.child_by_field_name("left"))
            node = node.child_by_field_name("right")
        binds: list[Bind] = []
        stores: list[tuple[Node, tuple[Any, ...]]] = []
        for target in targets:
            self.target(target, (), block, statement, binds, stores)
        kind = "assign" if annotation is None else "annotated"
        self.item(kind, statement, block, tuple(binds), stores)

    def _augmented(self, node: Node, block: int) -> None:
        binds: list[Bind] = []
        stores: list[tuple[Node, tuple[Any, ...]]] = []
        self.target(node.child_by_field_name("left"), (), block, node, binds, stores)
        self.item("augmented", node, block, tuple(binds), stores)

    def target(self, node: Node, path: Any, block: int, statement: Node, binds: Any, stores: Any) -> None:
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
        self.item("expression", node, block)

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
        self.item("alias", node, block, binds)

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
        self.item("definition", outer, block, (bind,))
        return None


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
    **COMPOUND,
    "comment": lambda walker, node, block: None,
}
