"""Go bodies: call sites, names read, and the type of every local (Eq. 5, E_t).

In: a function's or initialiser's nodes. Out, in the ``Reader``: sites, reads and local cells of one scope.
Function literals roll up. What each form means is in go.statements and go.expressions. Value expressions, beside
those of ``go.types``:

    ("name", n)  ("local", n, k)  ("attr", base, n)  ("call", callee[, first argument])  ("of", type) a value of it
    ("lit", type) a function literal  ("as", type) the type itself  ("idx", e)  ("recv", e)  ("res", e, i)
    ("key", e) ("item", e) what ``range`` gives  ("bin", left, right)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from core.graph.facts import Expr, Site
from core.graph.languages.go.keys import key_of
from core.graph.languages.go.types import Node, Reader, TypeExpr, kind_ids

DEPTH = 120
"""Nodes read inside each other; what is deeper is read afterwards."""
Value = Expr | None


class Body(Reader):
    """The reader of one scope's bodies."""

    depth = 0
    late: list[tuple[Node, dict[str, Expr]]]
    closures: bool

    def start(self, scope: str) -> None:
        """Begin another graph scope."""
        super().start(scope)
        self.late = []
        self.closures = False

    def finish(self) -> None:
        """Read what was nested too deep to be read in place; its values stay unknown."""
        while self.late:
            node, env = self.late.pop()
            self.env = env
            self.expr(node)

    def constant(self, node: Node) -> None:
        """An expression inside a type."""
        self.expr(node)

    def expr(self, node: Node) -> Value:
        """Read a node, statement or expression; the expression of its value if it has one that is known."""
        form = _forms().get(node.kind_id)
        if self.depth > DEPTH:
            self.late.append((node, dict(self.env)))
            return None
        self.depth += 1
        found = None
        if form is not None:
            found = form(self, node)
        else:
            self.children(node)
        self.depth -= 1
        return found

    def children(self, node: Node) -> None:
        """Read all named children."""
        for child in node.named_children:
            self.expr(child)

    def value(self, node: Node) -> Value:
        """Read an expression whose value goes somewhere: a function named there may be called later."""
        found = self.expr(node)
        if found is not None and (found[0] == "attr" or found[0] == "name"):
            self.site("value", found, node)
        return found

    def values(self, node: Node | None) -> list[Value]:
        """The values of an expression list."""
        if node is None:
            return []
        if node.type == "expression_list":
            return [self.value(c) for c in node.named_children if c.type != "comment"]
        return [self.value(node)]

    def site(self, kind: str, e: Expr, node: Node, key: str = "") -> None:
        """Record a site at the node's line."""
        self.sites.append(Site(kind, key or key_of(e), e))
        self.lines.append(node.start_point[0] + 1)

    # -- declarations ---------------------------------------------------------------------------------

    def assign_names(self, left: Node | None, values: list[Value]) -> None:
        """``left := values``: new names only, one call may give several values."""
        if left is None:
            return
        nodes = left.named_children if left.type == "expression_list" else [left]
        nodes = [n for n in nodes if n.type != "comment"]
        here = {name for name, _ in self.undo[-1]}
        for i, node in enumerate(nodes):
            if node.type != "identifier":
                self.expr(node)
                continue
            name = self.text(node)
            if name not in here:
                self.declare(name, part(values, i, len(nodes)))

    def function(self, node: Node) -> tuple[tuple[TypeExpr, ...], tuple[TypeExpr, ...], bool]:
        """Parameters, results and body of a function in a block of its own; types of the first two, variadic."""
        self.push()
        given, variadic = self.parameters(node.child_by_field_name("parameters"))
        results, _ = self.parameters(node.child_by_field_name("result"))
        for name, kind in (*given, *results):
            self.declare(name, ("of", kind) if kind is not None else None)
        body = node.child_by_field_name("body")
        if body is not None:
            self.children(body)
        self.pop()
        return tuple(t for _, t in given), tuple(t for _, t in results), variadic


def part(values: list[Value], i: int, count: int) -> Value:
    """The i-th of ``count`` names' value."""
    if len(values) == count:
        return values[i]
    if len(values) == 1 and values[0] is not None:
        return ("res", values[0], i)
    return None


@lru_cache(maxsize=1)
def _forms() -> dict[int, Callable[[Body, Node], Value]]:
    from core.graph.languages.go.expressions import EXPRESSIONS
    from core.graph.languages.go.statements import STATEMENTS

    forms = {**EXPRESSIONS, **STATEMENTS}
    return {i: form for name, form in forms.items() for i in kind_ids(name)}
