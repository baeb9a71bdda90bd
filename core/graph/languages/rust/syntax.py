"""Names and types of a Rust text as small expressions, and the scopes they are read in (no file but this one).

A module of a file is a text: "" the file itself, "a.b" inline modules, "f{0}" the first block of ``f`` that declares
items. Type expressions, in which references and raw pointers vanish:

    ("n", module, segments, arguments)  a path; an argument ("=", name, type) is a binding (``Item = T``)
    ("g", name, bounds)  a type parameter    ("self", trait)  Self of a trait    ("b", name)  a primitive type
    ("u", types)  tuple   ("s", type)  slice, array   ("f", parameters, result)   ("d", bounds)  impl, dyn
    ("proj", type, trait or None, name)  an associated type
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import tree_sitter
import tree_sitter_rust

from core.graph.facts import EMPTY, CellKey, Expr, Site

Node = Any
TypeExpr = Expr | None
UNIT: Expr = ("u", ())


class TypeFacts(NamedTuple):
    """Cell ("type", key, ""): ``kind`` struct | enum | union | alias; ``params`` the names of type parameters; fields
    (tuple fields are called "0", "1"); ``numbered`` whether they have no names; variants as (name, tuple, fields);
    ``base`` of an alias; ``derived`` the paths in its derives."""

    kind: str
    params: tuple[str, ...] = EMPTY
    fields: tuple[tuple[str, TypeExpr], ...] = EMPTY
    numbered: bool = False
    variants: tuple[tuple[str, bool, tuple[tuple[str, TypeExpr], ...]], ...] = EMPTY
    base: TypeExpr = None
    derived: tuple[tuple[str, ...], ...] = EMPTY


class TraitFacts(NamedTuple):
    """Cell ("trait", key, ""): supertraits, methods as (name, qual), names of constants, bounds of types."""

    supers: tuple[TypeExpr, ...] = EMPTY
    methods: tuple[tuple[str, str], ...] = EMPTY
    consts: tuple[str, ...] = EMPTY
    params: tuple[str, ...] = EMPTY
    types: tuple[tuple[str, TypeExpr], ...] = EMPTY


class ImplFacts(NamedTuple):
    """Cell ("impl", key, ""): the type, the trait or None, methods as (name, qual), associated types, constants."""

    self_type: TypeExpr
    trait: TypeExpr = None
    methods: tuple[tuple[str, str], ...] = EMPTY
    types: tuple[tuple[str, TypeExpr], ...] = EMPTY
    consts: tuple[str, ...] = EMPTY


class FuncFacts(NamedTuple):
    """Cell ("func", qual, ""): what callers depend on; ``within`` ("impl" | "trait" | "", key); ``receiver`` whether
    it takes self, which is not among ``params``; ``generics`` the names of its type parameters."""

    params: tuple[TypeExpr, ...]
    result: TypeExpr
    receiver: bool
    within: tuple[str, str] = ("", "")
    generics: tuple[str, ...] = EMPTY


@lru_cache(maxsize=1)
def language() -> tree_sitter.Language:
    """The grammar."""
    return tree_sitter.Language(tree_sitter_rust.language())


@lru_cache(maxsize=1)
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(language())


def parse(source: bytes) -> Node:
    """The root node of ``source``; never raises for any bytes."""
    return _parser().parse(source).root_node


def kind_ids(*names: str) -> frozenset[int]:
    """The ids of node kinds by name, named ones and keywords."""
    found = [language().id_for_node_kind(name, named) for name in names for named in (True, False)]
    return frozenset(i for i in found if i is not None)


class Reader:
    """What every part of a text is read with: names in scope, sites and reads of one graph scope, cells of the file.

    ``env`` maps a local variable to ("local", name, k), ``kinds`` a type parameter or Self to a type expression;
    ``undo`` restores the variables block by block.
    """

    depth = 0

    def __init__(self, source: bytes, cells: dict[CellKey, Any], names: set[tuple[str, str, str]]) -> None:
        self.source = source
        self.cells = cells
        self.names = names
        self.kinds: dict[str, TypeExpr] = {}
        self.assoc: dict[str, TypeExpr] = {}
        self.start("", "")

    def start(self, scope: str, module: str) -> None:
        """Begin another graph scope, in a module."""
        self.scope = scope
        self.module = module
        self.sites: list[Site] = []
        self.lines: list[int] = []
        self.reads: dict[str, list[int]] = {}
        self.imports: list[tuple[Expr, int]] = []
        self.env: dict[str, Expr] = {}
        self.undo: list[list[tuple[str, Expr | None]]] = [[]]
        self.counts: dict[str, int] = {}

    # -- names ----------------------------------------------------------------------------------------

    def text(self, node: Node) -> str:
        """The text of a node, raw identifiers without their mark."""
        found = self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return found[2:] if found.startswith("r#") else found

    def read(self, segments: tuple[str, ...], node: Node, suffix: str = "") -> None:
        """Record that a path is read at the node's line; ``()`` after it: only to be called."""
        if self.module:
            name = f"{self.module}|{'::'.join(segments)}{suffix}"
        else:
            name = "::".join(segments) + suffix
        line = node.start_point[0] + 1
        found = self.reads.get(name)
        if found is None:
            self.reads[name] = [line]
        else:
            found.append(line)

    def push(self) -> None:
        """Enter a block."""
        self.undo.append([])

    def pop(self) -> None:
        """Leave a block."""
        for name, entry in reversed(self.undo.pop()):
            if entry is None:
                del self.env[name]
            else:
                self.env[name] = entry

    def ordinal(self, name: str) -> int:
        """How many times ``name`` was declared before in this scope."""
        count = self.counts[name] = self.counts.get(name, -1) + 1
        return count

    def declare(self, name: str, value: Expr | None) -> None:
        """A local variable, with the expression that gives its type."""
        if not name or name == "_":
            return
        k = str(self.ordinal(name))
        self.cells["local", self.scope, f"{name} {k}"] = value
        self.undo[-1].append((name, self.env.get(name)))
        self.env[name] = ("local", name, k)

    # -- paths ----------------------------------------------------------------------------------------

    def segments(self, node: Node) -> tuple[str, ...]:
        """The segments of a path written with names alone; () for ``<T as U>::x`` and the like."""
        parts: list[str] = []
        current: Node | None = node
        while current is not None:
            kind = current.type
            if kind in ("scoped_identifier", "scoped_type_identifier"):
                name = current.child_by_field_name("name")
                if name is None:
                    return ()
                parts.append(self.text(name))
                inner = current.child_by_field_name("path")
                if inner is None:
                    parts.append("")
                current = inner
            elif kind in ("generic_type", "generic_type_with_turbofish"):
                current = current.child_by_field_name("type")
            elif kind in ("identifier", "type_identifier", "self", "super", "crate", "metavariable", "primitive_type"):
                parts.append(self.text(current).replace("$crate", "crate"))
                break
            else:
                return ()
        return tuple(reversed(parts))

    # -- types ----------------------------------------------------------------------------------------

    def type(self, node: Node | None) -> TypeExpr:
        """The type expression of a type node; records the names it reads."""
        if node is None:
            return None
        if self.depth > 200:
            return None
        self.depth += 1
        form = _type_forms().get(node.kind_id)
        found: TypeExpr = None
        if form is not None:
            found = form(self, node)
        else:
            for child in node.named_children:
                self.type(child)
        self.depth -= 1
        return found

    def constant(self, node: Node) -> None:
        """An expression inside a type: the length of an array. Filled in by the reader of bodies."""

    def path_type(self, segments: tuple[str, ...], node: Node, arguments: tuple[TypeExpr, ...] = ()) -> TypeExpr:
        """The type a path stands for."""
        if not segments:
            return None
        first = segments[0]
        if first in self.kinds:
            base = self.kinds[first]
            if len(segments) == 1:
                return base
            if first == "Self" and len(segments) == 2 and segments[1] in self.assoc:
                return self.assoc[segments[1]]
            return ("proj", base, None, segments[1]) if len(segments) == 2 else None
        self.read(segments, node)
        return ("n", self.module, segments, arguments)

    def arguments(self, node: Node | None) -> tuple[TypeExpr, ...]:
        """The type arguments of a path, lifetimes left out."""
        found: list[TypeExpr] = []
        for child in node.named_children if node is not None else ():
            kind = child.type
            if kind == "type_binding":
                name = child.child_by_field_name("name")
                inner = self.type(child.child_by_field_name("type"))
                if name is not None:
                    found.append(("=", self.text(name), inner))
            elif kind == "block" or kind.endswith("_literal"):
                self.constant(child)
                found.append(None)
            elif kind not in ("lifetime", "line_comment", "block_comment"):
                found.append(self.type(child))
        return tuple(found)

    def bounds(self, node: Node | None) -> tuple[TypeExpr, ...]:
        """The traits of a bound, lifetimes left out."""
        found = [self.type(c) for c in node.named_children if c.type != "lifetime"] if node is not None else []
        return tuple(b for b in found if b is not None)

    def type_parameters(self, node: Node) -> tuple[str, ...]:
        """Bring the type parameters of an item into scope, with all their bounds; their names in order."""
        listed = node.child_by_field_name("type_parameters")
        where = next((c for c in node.named_children if c.type == "where_clause"), None)
        names: list[str] = []
        bounds: dict[str, tuple[TypeExpr, ...]] = {}
        given = [c for c in listed.named_children if c.type == "type_parameter"] if listed is not None else []
        for child in given:
            name = child.child_by_field_name("name")
            if name is not None:
                names.append(self.text(name))
                self.kinds[names[-1]] = ("g", names[-1], ())
        for child in given:
            name = child.child_by_field_name("name")
            if name is not None:
                bounds[self.text(name)] = self.bounds(child.child_by_field_name("bounds"))
                self.type(child.child_by_field_name("default_type"))
        for child in where.named_children if where is not None else ():
            left = child.child_by_field_name("left")
            found = self.bounds(child.child_by_field_name("bounds"))
            if left is not None and left.type == "type_identifier" and self.text(left) in bounds:
                bounds[self.text(left)] += found
            else:
                self.type(left)
        for name in names:
            self.kinds[name] = ("g", name, bounds.get(name, ()))
        return tuple(names)


def _plain(r: Reader, node: Node) -> TypeExpr:
    return None if r.text(node) == "_" else r.path_type((r.text(node),), node)


def _primitive(r: Reader, node: Node) -> TypeExpr:
    return ("b", r.text(node))


def _scoped(r: Reader, node: Node) -> TypeExpr:
    found = r.segments(node)
    if found:
        return r.path_type(found, node)
    inner, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    base = qualified(r, inner) if inner is not None else None
    if base is None or name is None:
        return None
    return ("proj", base[0], base[1], r.text(name))


def qualified(r: Reader, node: Node) -> tuple[TypeExpr, TypeExpr] | None:
    """``<T as U>``: the type and the trait."""
    kids = node.named_children if node.type == "bracketed_type" else []
    if not kids:
        return (r.type(node), None) if node.type == "scoped_type_identifier" else None
    if kids[0].type != "qualified_type":
        return r.type(kids[0]), None
    return r.type(kids[0].child_by_field_name("type")), r.type(kids[0].child_by_field_name("alias"))


def _generic(r: Reader, node: Node) -> TypeExpr:
    arguments = r.arguments(node.child_by_field_name("type_arguments"))
    named = node.child_by_field_name("type")
    found = r.segments(named) if named is not None else ()
    if not found:
        return r.type(named)
    return r.path_type(found, node, arguments)


def _element(r: Reader, node: Node) -> TypeExpr:
    length = node.child_by_field_name("length")
    if length is not None:
        r.constant(length)
    return ("s", r.type(node.child_by_field_name("element")))


def _tuple(r: Reader, node: Node) -> TypeExpr:
    return ("u", tuple(r.type(c) for c in node.named_children))


def _inner(r: Reader, node: Node) -> TypeExpr:
    return r.type(node.child_by_field_name("type"))


def _function(r: Reader, node: Node) -> TypeExpr:
    """``fn(A) -> B`` and the bounds ``Fn(A) -> B``."""
    listed = node.child_by_field_name("parameters")
    given: list[TypeExpr] = []
    for child in listed.named_children if listed is not None else ():
        given.append(r.type(child.child_by_field_name("type") if child.type == "parameter" else child))
    result = node.child_by_field_name("return_type")
    return ("f", tuple(given), r.type(result) if result is not None else UNIT)


def _bounded(r: Reader, node: Node) -> TypeExpr:
    """``dyn A + Send``: the traits of all its parts."""
    found: list[TypeExpr] = []
    for child in node.named_children:
        if child.type == "lifetime":
            continue
        inner = r.type(child)
        if inner is not None:
            found += inner[1] if inner[0] == "d" else (inner,)
    return ("d", tuple(found))


def _object(r: Reader, node: Node) -> TypeExpr:
    inner = r.type(node.child_by_field_name("trait"))
    return ("d", inner[1] if inner is not None and inner[0] == "d" else (inner,) if inner is not None else ())


def _last(r: Reader, node: Node) -> TypeExpr:
    found = [r.type(c) for c in node.named_children if c.type not in ("lifetime", "for_lifetimes")]
    return found[-1] if found else None


def _unit(r: Reader, node: Node) -> TypeExpr:
    return UNIT


@lru_cache(maxsize=1)
def _type_forms() -> dict[int, Callable[[Reader, Node], TypeExpr]]:
    forms: dict[str, Callable[[Reader, Node], TypeExpr]] = {
        "type_identifier": _plain, "identifier": _plain, "primitive_type": _primitive,
        "scoped_type_identifier": _scoped, "scoped_identifier": _scoped, "generic_type": _generic,
        "generic_type_with_turbofish": _generic, "reference_type": _inner, "pointer_type": _inner,
        "array_type": _element, "tuple_type": _tuple, "function_type": _function, "dynamic_type": _object,
        "abstract_type": _object, "bounded_type": _bounded, "higher_ranked_trait_bound": _inner,
        "removed_trait_bound": _unit, "unit_type": _unit, "bracketed_type": _last, "qualified_type": _last,
    }  # fmt: skip
    return {i: form for name, form in forms.items() for i in kind_ids(name)}
