"""Types and names of a Go text as small expressions, and the lexical scopes they are read in (no file but this one).

Type expressions, in which pointers vanish (selectors see through them):

    ("n", name)  ("q", package, name)  ("s", element) slice, array   ("m", key, value)   ("c", element) channel
    ("f", parameters, results, variadic)   ("k", key) a type written inside a function or without a name
    ("t", constraint) a type parameter     ("a", type name, position) a type parameter of a receiver
    ("e", type) the element of what ``type`` turns out to be
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import tree_sitter
import tree_sitter_go

from core.graph.facts import EMPTY, CellKey, Expr, Site

Node = Any
TypeExpr = Expr | None
BASIC = frozenset(
    [
        "any",
        "bool",
        "byte",
        "comparable",
        "complex128",
        "complex64",
        "error",
        "float32",
        "float64",
        "int",
        "int16",
        "int32",
        "int64",
        "int8",
        "rune",
        "string",
        "uint",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "uintptr",
    ]
)


class TypeFacts(NamedTuple):
    """Cell ("type", key, ""): ``kind`` struct | interface | alias | named; ``base`` of the last two; fields
    and embedded types by name; ``specs`` the names of an interface's own methods; ``open`` = has a union."""

    kind: str
    base: TypeExpr = None
    fields: tuple[tuple[str, TypeExpr], ...] = EMPTY
    embedded: tuple[tuple[str, TypeExpr], ...] = EMPTY
    specs: tuple[str, ...] = EMPTY
    params: tuple[TypeExpr, ...] = EMPTY
    open: bool = False


class FuncFacts(NamedTuple):
    """Cell ("func", qual, ""): what callers depend on; ``interface`` is the key of the interface of a spec."""

    params: tuple[TypeExpr, ...]
    results: tuple[TypeExpr, ...]
    variadic: bool
    interface: str = ""


@lru_cache(maxsize=1)
def language() -> tree_sitter.Language:
    """The grammar."""
    return tree_sitter.Language(tree_sitter_go.language())


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


class Reader:
    """What every part of a text is read with: names in scope, sites and reads of one graph scope, cells of the file.

    ``env`` maps a local name to ("local", name, k) or a type expression; ``undo`` restores it block by block.
    """

    def __init__(self, source: bytes, cells: dict[CellKey, Any], names: set[tuple[str, str, str]]) -> None:
        self.source = source
        self.cells = cells
        self.names = names
        self.start("")

    def start(self, scope: str) -> None:
        """Begin another graph scope."""
        self.scope = scope
        self.sites: list[Site] = []
        self.lines: list[int] = []
        self.reads: dict[str, list[int]] = {}
        self.env: dict[str, Expr] = {}
        self.undo: list[list[tuple[str, Expr | None]]] = [[]]
        self.counts: dict[str, int] = {}
        self.top: set[str] = set()

    # -- names ----------------------------------------------------------------------------------------

    def text(self, node: Node) -> str:
        """The text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def read(self, name: str, node: Node) -> None:
        """Record that a package-level name is read at the node's line."""
        found = self.reads.get(name)
        line = node.start_point[0] + 1
        if found is None:
            self.reads[name] = [line]
        else:
            found.append(line)

    def put(self, name: str, entry: Expr) -> None:
        """Bring a name into the innermost block."""
        self.undo[-1].append((name, self.env.get(name)))
        self.env[name] = entry

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
        """A local variable or constant, with the expression that gives its type."""
        if not name or name == "_":
            return
        k = str(self.ordinal(name))
        self.cells["local", self.scope, f"{name} {k}"] = value
        self.put(name, ("local", name, k))

    # -- types ----------------------------------------------------------------------------------------

    def type(self, node: Node | None) -> TypeExpr:
        """The type expression of a type node; records the names it reads."""
        if node is None:
            return None
        form = _type_forms().get(node.kind_id)
        if form is not None:
            return form(self, node)
        for child in node.named_children:
            self.type(child)
        return None

    def name_type(self, name: str, node: Node) -> TypeExpr:
        """The type a plain name stands for."""
        entry = self.env.get(name)
        if entry is not None:
            return entry if entry[0] != "local" else None
        if name not in BASIC:
            self.read(name, node)
        return ("n", name)

    def constant(self, node: Node) -> None:
        """An expression inside a type: the length of an array. Filled in by the reader of bodies."""

    def fresh(self, tag: str) -> str:
        """The key of a type without a name of its own."""
        return f"{self.scope}.<{tag}{self.ordinal('<' + tag)}>"

    def parameters(self, node: Node | None) -> tuple[list[tuple[str, TypeExpr]], bool]:
        """(name, type) of each parameter or result in order, "" without a name, and whether the last is variadic."""
        found: list[tuple[str, TypeExpr]] = []
        variadic = False
        if node is None:
            return found, variadic
        if node.type != "parameter_list":
            return [("", self.type(node))], False
        for child in node.named_children:
            if child.type not in ("parameter_declaration", "variadic_parameter_declaration"):
                continue
            kind = self.type(child.child_by_field_name("type"))
            if child.type[0] == "v":
                variadic, kind = True, ("s", kind)
            names = [self.text(n) for n in child.children_by_field_name("name")]
            found += [(name, kind) for name in names or ("",)]
        return found, variadic

    def type_parameters(self, node: Node | None) -> list[TypeExpr]:
        """Bring type parameters into scope; their constraints in order."""
        found: list[TypeExpr] = []
        for child in node.named_children if node is not None else ():
            if child.type != "type_parameter_declaration":
                continue
            names = [self.text(n) for n in child.children_by_field_name("name")]
            for name in names:
                self.put(name, ("t", None))
            bound = self.type(child.child_by_field_name("type"))
            for name in names:
                self.put(name, ("t", bound))
                found.append(bound)
        return found

    def struct(self, node: Node, key: str, params: tuple[TypeExpr, ...]) -> None:
        """The cell of a struct type."""
        fields: list[tuple[str, TypeExpr]] = []
        embedded: list[tuple[str, TypeExpr]] = []
        for listing in node.named_children:
            for child in listing.named_children:
                if child.type != "field_declaration":
                    continue
                kind = self.type(child.child_by_field_name("type"))
                names = [self.text(n) for n in child.children_by_field_name("name")]
                fields += [(name, kind) for name in names]
                if not names:
                    embedded.append((_last(kind), kind))
        self._typed(key, TypeFacts("struct", None, tuple(fields), tuple(embedded), (), params))

    def interface(self, node: Node, key: str, params: tuple[TypeExpr, ...]) -> None:
        """The cell of an interface type, and one function cell a method spec."""
        specs: list[str] = []
        embedded: list[tuple[str, TypeExpr]] = []
        union = False
        for child in node.named_children:
            if child.type == "method_elem":
                name = self.text(child.child_by_field_name("name"))
                given, variadic = self.parameters(child.child_by_field_name("parameters"))
                results, _ = self.parameters(child.child_by_field_name("result"))
                if name in specs:
                    continue
                specs.append(name)
                facts = FuncFacts(tuple(t for _, t in given), tuple(t for _, t in results), variadic, key)
                self.cells["func", f"{key}.{name}", ""] = facts
                if "<" not in key:
                    self.names |= {("gospec", name, key), ("method", name, key)}
            elif child.type == "type_elem":
                parts = child.named_children
                kind = self.type(parts[0]) if len(parts) == 1 else None
                for part in parts[1:]:
                    self.type(part)
                if kind is not None and kind[0] in "nqk" and not (kind[0] == "n" and kind[1] in BASIC - {"error"}):
                    embedded.append((_last(kind), kind))
                elif kind != ("n", "any"):
                    union = True
        self._typed(key, TypeFacts("interface", None, (), tuple(embedded), tuple(specs), params, union))

    def _typed(self, key: str, facts: TypeFacts) -> None:
        self.cells["type", key, ""] = facts
        if "<" not in key:
            self.names.update(("goembeds", name, key) for name, _ in facts.embedded)

    def definition(self, node: Node, key: str, params: tuple[TypeExpr, ...] = ()) -> None:
        """The cell of a type declared under ``key`` by a type_spec or type_alias."""
        body = node.child_by_field_name("type")
        if body is not None and body.type in ("struct_type", "interface_type"):
            (self.struct if body.type == "struct_type" else self.interface)(body, key, params)
        else:
            kind = "alias" if node.type == "type_alias" else "named"
            self._typed(key, TypeFacts(kind, self.type(body), params=params))


def _last(kind: TypeExpr) -> str:
    return str(kind[-1]).rpartition(".")[2].strip("<>") if kind is not None and kind[0] in "nqk" else ""


def _plain(r: Reader, node: Node) -> TypeExpr:
    return r.name_type(r.text(node), node)


def _qualified(r: Reader, node: Node) -> TypeExpr:
    package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
    base, last = r.text(package), r.text(name)
    r.read(f"{base}.{last}", node)
    return ("q", base, last)


def _inner(r: Reader, node: Node) -> TypeExpr:
    found = None
    for child in node.named_children:
        found = r.type(child) if found is None else (r.type(child), found)[1]
    return found


def _generic(r: Reader, node: Node) -> TypeExpr:
    found = r.type(node.child_by_field_name("type"))
    arguments = node.child_by_field_name("type_arguments")
    for child in arguments.named_children if arguments is not None else ():
        r.type(child)
    return found


def _element(r: Reader, node: Node) -> TypeExpr:
    length = node.child_by_field_name("length")
    if length is not None:
        r.constant(length)
    return ("s", r.type(node.child_by_field_name("element")))


def _map(r: Reader, node: Node) -> TypeExpr:
    return ("m", r.type(node.child_by_field_name("key")), r.type(node.child_by_field_name("value")))


def _channel(r: Reader, node: Node) -> TypeExpr:
    return ("c", r.type(node.child_by_field_name("value")))


def function_type(r: Reader, node: Node) -> TypeExpr:
    """The type of a function type, literal or declaration."""
    given, variadic = r.parameters(node.child_by_field_name("parameters"))
    results, _ = r.parameters(node.child_by_field_name("result"))
    return ("f", tuple(t for _, t in given), tuple(t for _, t in results), variadic)


def _struct(r: Reader, node: Node) -> TypeExpr:
    key = r.fresh("struct")
    r.struct(node, key, ())
    return ("k", key)


def _interface(r: Reader, node: Node) -> TypeExpr:
    if not node.named_children:
        return ("n", "any")
    key = r.fresh("interface")
    r.interface(node, key, ())
    return ("k", key)


@lru_cache(maxsize=1)
def _type_forms() -> dict[int, Callable[[Reader, Node], TypeExpr]]:
    forms: dict[str, Callable[[Reader, Node], TypeExpr]] = {
        "type_identifier": _plain, "identifier": _plain, "qualified_type": _qualified, "pointer_type": _inner,
        "parenthesized_type": _inner, "slice_type": _element, "array_type": _element,
        "implicit_length_array_type": _element, "map_type": _map, "channel_type": _channel,
        "function_type": function_type, "struct_type": _struct, "interface_type": _interface,
        "generic_type": _generic, "type_elem": _single, "type_constraint": _single,
    }  # fmt: skip
    return {i: form for name, form in forms.items() for i in kind_ids(name)}


def _single(r: Reader, node: Node) -> TypeExpr:
    found = [r.type(child) for child in node.named_children]
    return found[0] if len(found) == 1 else None
