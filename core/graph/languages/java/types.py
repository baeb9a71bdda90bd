"""Types and names of a Java text as small expressions, and the lexical scopes they are read in (no file but this one).

Type expressions:

    ("n", ctx, dotted name, arguments) a name as read in class ``ctx``     ("p", name) a primitive type or void
    ("s", element) array    ("k", key, arguments) a class of this file by its key
    ("y", key, i, bound) the i-th type parameter of a class               ("w", name, bound) one of a method

A wildcard is its bound. ``key`` of a class is its dotted name in the file; of one without a name, or inside a body,
``scope.<name n>``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import tree_sitter
import tree_sitter_java

from core.graph.facts import CellKey, Expr, Site

Node = Any
TypeExpr = Expr | None
_DEPTH = 60
OBJECT: Expr = ("n", "", "Object", ())


class TypeFacts(NamedTuple):
    """Cell ("type", key, ""): ``kind`` class | interface | enum | record | annotation; ``outer`` the class around it;
    bounds of its type parameters, what it extends and implements, its member types as (name, key)."""

    kind: str
    outer: str
    params: tuple[TypeExpr, ...]
    extends: TypeExpr
    implements: tuple[TypeExpr, ...]
    nested: tuple[tuple[str, str], ...]


class MethodFacts(NamedTuple):
    """One of cell ("methods", class key, name), in order of appearance; constructors are called ``<init>``.

    ``flags``: s static, p private, a without a body, f final, i implied (an accessor or a canonical constructor of
    a record: ``qual`` is the record). A variadic method's last parameter is the array."""

    qual: str
    params: tuple[TypeExpr, ...]
    result: TypeExpr
    variadic: bool
    flags: str


class FieldFacts(NamedTuple):
    """Cell ("field", class key, name)."""

    type: TypeExpr
    static: bool


@lru_cache(maxsize=1)
def language() -> tree_sitter.Language:
    """The grammar."""
    return tree_sitter.Language(tree_sitter_java.language())


@lru_cache(maxsize=1)
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(language())


def parse(source: bytes) -> Node:
    """The root node of ``source``; never raises for any bytes."""
    return _parser().parse(source).root_node


def kind_ids(*names: str) -> frozenset[int]:
    """The ids of node kinds by name."""
    found = (language().id_for_node_kind(name, True) for name in names)
    return frozenset(i for i in found if i is not None)


class Frame:
    """What is collected of one graph scope; ``late`` is what was nested too deep to be read in place."""

    __slots__ = ("counts", "ctx", "depth", "late", "lines", "owner", "reads", "returns", "scope", "sites")

    def __init__(self, scope: str, owner: str, ctx: str) -> None:
        self.scope = scope
        self.owner = owner
        self.ctx = ctx
        self.depth = 0
        self.sites: list[Site] = []
        self.lines: list[int] = []
        self.reads: dict[str, list[int]] = {}
        self.counts: dict[str, int] = {}
        self.late: list[tuple[Node, dict[str, Expr]]] = []
        self.returns: list[list[Any]] = []

    def ordinal(self, name: str) -> int:
        """How many times ``name`` was asked for before in this scope."""
        count = self.counts[name] = self.counts.get(name, -1) + 1
        return count


class Reader:
    """What every part of a text is read with: names in scope, the scope being read, cells of the file.

    ``env`` maps a local variable to ("local", scope, "name k"), and " T" to what a type name T means here; ``undo``
    restores it block by block.
    """

    def __init__(self, source: bytes, cells: dict[CellKey, Any]) -> None:
        self.source = source
        self.cells = cells
        self.frame = Frame("", "", "")
        self.env: dict[str, Expr] = {}
        self.undo: list[list[tuple[str, Expr | None]]] = [[]]
        self.type_depth = 0

    def text(self, node: Node | None) -> str:
        """The text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""

    def named(self, node: Node) -> str:
        """The text of a node's name."""
        return self.text(node.child_by_field_name("name"))

    def read(self, name: str, node: Node) -> None:
        """Record that a name of a class or static field is read at the node's line."""
        frame = self.frame
        key = f"{name} in {frame.ctx}" if frame.ctx else name
        found = frame.reads.get(key)
        line = node.start_point[0] + 1
        if found is None:
            frame.reads[key] = [line]
        else:
            found.append(line)

    # -- names ----------------------------------------------------------------------------------------

    def put(self, name: str, entry: Expr) -> None:
        """Bring a name into the innermost block."""
        self.undo[-1].append((name, self.env.get(name)))
        self.env[name] = entry

    def hide(self, name: str) -> None:
        """A name of the class being entered hides a local variable around the class."""
        entry = self.env.pop(name, None)
        if entry is not None:
            self.undo[-1].append((name, entry))

    def push(self) -> None:
        """Enter a block."""
        self.undo.append([])

    def pop(self) -> None:
        """Leave a block."""
        for name, entry in reversed(self.undo.pop()):
            if entry is None:
                self.env.pop(name, None)
            else:
                self.env[name] = entry

    def declare(self, name: str, value: Expr | None) -> None:
        """A local variable, with the expression that gives its type."""
        if not name or name == "_":
            return
        shown = f"{name} {self.frame.ordinal(name)}"
        self.cells["local", self.frame.scope, shown] = value
        self.put(name, ("local", self.frame.scope, shown))

    # -- types ----------------------------------------------------------------------------------------

    def type(self, node: Node | None) -> TypeExpr:
        """The type expression of a type node; records the names it reads."""
        if node is None:
            return None
        form = _forms().get(node.kind_id)
        if form is None or self.type_depth > _DEPTH:
            return None
        self.type_depth += 1
        found = form(self, node)
        self.type_depth -= 1
        return found

    def type_parameters(self, node: Node | None, key: str) -> tuple[TypeExpr, ...]:
        """Bring type parameters into scope, of the class ``key`` or ("") of a method; their bounds in order."""
        listed = [c for c in node.named_children if c.type == "type_parameter"] if node is not None else []
        names = [next((self.text(c) for c in p.named_children if c.type.endswith("identifier")), "") for p in listed]

        def enter(i: int, bound: TypeExpr) -> None:
            self.put(" " + names[i], ("y", key, i, bound) if key else ("w", names[i], bound))

        for i in range(len(listed)):
            enter(i, None)
        bounds: list[TypeExpr] = []
        for i, parameter in enumerate(listed):
            found = [self.type(c) for b in parameter.named_children if b.type == "type_bound" for c in b.named_children]
            bounds.append(found[0] if found else None)
            enter(i, bounds[-1])
        return tuple(bounds)

    def arrays(self, kind: TypeExpr, node: Node | None) -> TypeExpr:
        """``kind`` with the array dimensions of a node."""
        for _ in range(min(self.text(node).count("["), _DEPTH)):
            kind = ("s", kind)
        return kind

    def parameter(self, node: Node) -> tuple[str, TypeExpr, bool] | None:
        """(name, type, variadic) of a parameter node; None for what is none."""
        if node.type == "formal_parameter":
            kind = self.arrays(self.type(node.child_by_field_name("type")), node.child_by_field_name("dimensions"))
            return self.named(node), kind, False
        if node.type == "spread_parameter":
            kind = next((t for t in map(self.type, node.named_children) if t is not None), None)
            last = next((c for c in node.named_children if c.type == "variable_declarator"), None)
            return (self.named(last) if last is not None else ""), ("s", kind), True
        return None

    def parameters(self, node: Node | None) -> tuple[list[tuple[str, TypeExpr]], bool]:
        """(name, type) of each parameter, and whether the last takes any number."""
        found: list[tuple[str, TypeExpr]] = []
        variadic = False
        for child in node.named_children if node is not None else ():
            self.annotations(child)
            made = self.parameter(child)
            if made is not None:
                found.append(made[:2])
                variadic = made[2]
        return found, variadic

    def annotations(self, node: Node) -> None:
        """Read the annotations among a node's modifiers. Filled in by the reader of bodies."""


def _plain(r: Reader, node: Node) -> TypeExpr:
    name = r.text(node)
    entry = r.env.get(" " + name)
    if entry is not None:
        return entry
    if name == "var":
        return None
    r.read(name, node)
    return ("n", r.frame.ctx, name, ())


def _scoped(r: Reader, node: Node) -> TypeExpr:
    """``Outer.Inner``; arguments of the outer types are dropped, annotations skipped."""
    parts: list[str] = []
    current: Node | None = node
    while current is not None and current.type in ("scoped_type_identifier", "generic_type"):
        kids = [c for c in current.named_children if c.type not in ("annotation", "marker_annotation")]
        if current.type == "generic_type":
            for child in kids[1:]:
                _arguments(r, child)
            current = kids[0] if kids else None
            continue
        parts.append(r.text(kids[-1]) if kids else "")
        current = kids[0] if len(kids) > 1 else None
    first = r.text(current) if current is not None else ""
    dotted = ".".join([p for p in [first, *reversed(parts)] if p])
    entry = r.env.get(" " + first)
    if entry is not None and entry[0] == "k":
        return ("n", entry[1], dotted.partition(".")[2], ())
    r.read(dotted, node)
    return ("n", r.frame.ctx, dotted, ())


def _arguments(r: Reader, node: Node) -> tuple[TypeExpr, ...]:
    return tuple(r.type(c) for c in node.named_children if not c.type.endswith(("comment", "annotation")))


def _generic(r: Reader, node: Node) -> TypeExpr:
    kids = node.named_children
    found = r.type(kids[0]) if kids else None
    given = next((_arguments(r, c) for c in kids[1:] if c.type == "type_arguments"), ())
    if found is None or not given or found[0] not in "nk":
        return found
    return (*found[:-1], given)


def _array(r: Reader, node: Node) -> TypeExpr:
    return r.arrays(r.type(node.child_by_field_name("element")), node.child_by_field_name("dimensions"))


def _primitive(r: Reader, node: Node) -> TypeExpr:
    return ("p", r.text(node))


def _wildcard(r: Reader, node: Node) -> TypeExpr:
    found = [t for t in map(r.type, node.named_children) if t is not None]
    return found[0] if found else None


def _annotated(r: Reader, node: Node) -> TypeExpr:
    r.annotations(node)
    return _wildcard(r, node)


@lru_cache(maxsize=1)
def _forms() -> dict[int, Callable[[Reader, Node], TypeExpr]]:
    forms: dict[str, Callable[[Reader, Node], TypeExpr]] = {
        "type_identifier": _plain, "identifier": _plain, "scoped_type_identifier": _scoped,
        "scoped_identifier": _scoped_name,
        "generic_type": _generic, "array_type": _array, "integral_type": _primitive, "floating_point_type": _primitive,
        "boolean_type": _primitive, "void_type": _primitive, "wildcard": _wildcard, "annotated_type": _annotated,
        "catch_type": _wildcard,
    }  # fmt: skip
    return {i: form for name, form in forms.items() for i in kind_ids(name)}


def _scoped_name(r: Reader, node: Node) -> TypeExpr:
    dotted = "".join(r.text(node).split())
    r.read(dotted, node)
    return ("n", r.frame.ctx, dotted, ())
