"""Expressions of Java bodies: call sites, names read, and what gives the type of every local (Eq. 5, E_t).

In: nodes. Out, in the ``Reader``: sites, reads and local cells of the scope being read. Lambdas roll up; the methods
of classes inside bodies are scopes of their own that roll up to the symbol around them. Value expressions:

    ("name", ctx, n)  ("local", scope, "n k")  ("attr", base, n)  ("site", i) what the i-th site of the scope gives
    ("of", type) a value of it  ("is", type) the type itself  ("this", ctx)  ("super", ctx, type or None)
    ("item", e) element for ``for``  ("idx", e)  ("bin", parts)  ("or", parts) the first that is known
    ("lam", parameters, value)  ("ref", base, n)  ("null",)
    ("given", i, a, j) the j-th parameter of the lambda that is argument a of site i   ("fn", type, j) of a ``type``

Site expressions: ("call", callee, arguments)  ("new", type, arguments)  ("init", ctx, this | super, arguments)
("ref", base, n), all with arguments as value expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from core.graph.facts import Expr, Site
from core.graph.languages.java.keys import key_of
from core.graph.languages.java.types import Frame, Node, Reader, TypeExpr, kind_ids

_DEPTH = 100
_EMPTY = Site("", "", ())
Value = Expr | None


class Body(Reader):
    """The reader of bodies; ``classes`` reads a class body, set by ``java.classes``."""

    def __init__(self, source: bytes, cells: dict[tuple[str, str, str], object]) -> None:
        super().__init__(source, cells)
        self.want: Value = None

    def class_body(self, node: Node, key: str, extends: TypeExpr, name: str = "") -> None:
        """Read the body of a class without a symbol of its own. Filled in by the reader of classes."""

    def local_class(self, node: Node) -> None:
        """Read a class declared in a body. Filled in by the reader of classes."""

    def finish(self) -> None:
        """Read what was nested too deep to be read in place; its values stay unknown."""
        frame = self.frame
        while frame.late:
            node, env = frame.late.pop()
            kept, self.env, undo, self.undo = self.env, env, self.undo, [[]]
            self.expr(node)
            self.env, self.undo = kept, undo

    def expr(self, node: Node, want: Value = None) -> Value:
        """Read a node, statement or expression; what gives its value. ``want`` is what a lambda here stands for."""
        frame: Frame = self.frame
        if frame.depth > _DEPTH:
            frame.late.append((node, dict(self.env)))
            return None
        form = _forms().get(node.kind_id)
        frame.depth += 1
        self.want = want
        found = None
        if form is not None:
            found = form(self, node)
        else:
            self.children(node)
        frame.depth -= 1
        return found

    def children(self, node: Node) -> None:
        """Read all named children."""
        for child in node.named_children:
            self.expr(child)

    def field(self, node: Node, name: str) -> Value:
        """Read the child that is the field ``name``, if there is one."""
        child = node.child_by_field_name(name)
        return self.expr(child) if child is not None else None

    def annotations(self, node: Node) -> None:
        """Read the annotations among a node's modifiers: uses of their types."""
        for child in node.named_children:
            if child.type == "modifiers":
                self.annotations(child)
            elif child.type in ("annotation", "marker_annotation"):
                self.expr(child)

    def implied(self, kind: str, value: Value, name: str, node: Node) -> None:
        """A call that is not written: of ``iterator`` by a loop, of ``close`` behind a try."""
        if value is not None:
            number = self.reserve(node)
            key = key_of(("attr", value, name), self.frame.sites)
            self.fill(number, kind, key, ("call", ("attr", value, name), ()))

    # -- sites ----------------------------------------------------------------------------------------

    def reserve(self, node: Node) -> int:
        """The number of a site whose arguments are read next."""
        self.frame.sites.append(_EMPTY)
        self.frame.lines.append(node.start_point[0] + 1)
        return len(self.frame.sites) - 1

    def fill(self, number: int, kind: str, key: str, e: Expr) -> Value:
        """Set a reserved site; the expression of what it gives."""
        self.frame.sites[number] = Site(kind, key, e)
        return ("site", number)

    def arguments(self, node: Node | None, number: int) -> tuple[Value, ...]:
        """The values of the arguments of site ``number``."""
        found: list[Value] = []
        for child in node.named_children if node is not None else ():
            if child.type not in ("line_comment", "block_comment"):
                found.append(self.expr(child, ("given", number, len(found))))
        return tuple(found)

    def construct(self, node: Node, kind: TypeExpr, given: Node | None, why: str) -> Value:
        """A constructor call of a type at a node."""
        number = self.reserve(node)
        return self.fill(number, "call", why, ("new", kind, self.arguments(given, number)))

    def name(self, node: Node) -> Value:
        """An identifier as a value."""
        name = self.text(node)
        entry = self.env.get(name)
        if entry is not None:
            return entry
        entry = self.env.get(" " + name)
        if entry is not None:
            return ("is", entry)
        self.read(name, node)
        return ("name", self.frame.ctx, name)


@lru_cache(maxsize=1)
def _forms() -> dict[int, Callable[[Body, Node], Value]]:
    from core.graph.languages.java.expressions import EXPRESSIONS
    from core.graph.languages.java.statements import STATEMENTS

    return {i: form for name, form in {**EXPRESSIONS, **STATEMENTS}.items() for i in kind_ids(name)}
