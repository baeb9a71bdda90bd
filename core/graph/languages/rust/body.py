"""Expressions of Rust bodies: call sites, names read, and the type of every local (Eq. 5, E_t).

In: the nodes of a function or initialiser. Out, in the ``Reader``: sites, reads and local cells of one scope.
Closures roll up. Value expressions (``syntax`` has those of types):

    ("path", module, segments)  ("local", n, k)  ("attr", base, n)  ("call", callee, arguments, types)
    ("of", type) a value of it  ("as", type) the type itself, to be called
    ("ta", type, trait, n) ``<type as trait>::n``
    ("clo", value) a closure    ("cp", callee, i, j) the j-th parameter of the closure that is argument i of a call
    ("try", e)  ("await", e)  ("idx", e)  ("item", e) what a loop gives  ("tuple", es)  ("arr", e)  ("or", e, e)
    ("tup", e, i)  ("tf", path, e, i) a field of a tuple pattern  ("sf", path, e, n) of a struct pattern
    ("ann", type, e) a value whose declared type has holes
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from core.graph.facts import Expr, Site
from core.graph.languages.rust.exprs import BOOL, INT, STR, Value, either, holes, key_of, type_key
from core.graph.languages.rust.patterns import bind, elements
from core.graph.languages.rust.statements import STATEMENTS
from core.graph.languages.rust.syntax import Node, Reader, TypeExpr, kind_ids, qualified

_DEPTH = 120
_ARGUMENTS = 6  # arguments after these are not followed
_OPERANDS = 4  # nor what operators give after so many
_COMPARE = frozenset(["==", "!=", "<", "<=", ">", ">="])


class Body(Reader):
    """The reader of one scope's bodies."""

    late: list[tuple[Node, dict[str, Expr], str]]
    quiet = False  # in the rules of a macro, where most receivers are what the user writes

    def start(self, scope: str, module: str) -> None:
        """Begin another graph scope."""
        super().start(scope, module)
        self.late = []

    def finish(self) -> None:
        """Read what was nested too deep to be read in place; its values stay unknown."""
        while self.late:
            node, env, module = self.late.pop()
            self.env, self.module = env, module
            self.expr(node)

    def constant(self, node: Node) -> None:
        """An expression inside a type."""
        self.expr(node)

    def items(self, nodes: list[Node], block: Node) -> None:
        """Items declared in a block. Filled in by the reader of items."""

    def expr(self, node: Node) -> Value:
        """Read a node, statement or expression; the expression of its value if it has one that is known."""
        form = _forms().get(node.kind_id)
        if self.depth > _DEPTH:
            self.late.append((node, dict(self.env), self.module))
            return None
        self.depth += 1
        found = None
        if form is not None:
            found = form(self, node)
        else:
            for child in node.named_children:
                self.expr(child)
        self.depth -= 1
        return found

    def value(self, node: Node) -> Value:
        """Read an expression whose value goes somewhere: a function named there may be called later."""
        found = self.expr(node)
        if found is not None and found[0] in ("path", "ta"):
            self.site("value", found, node)
        return found

    def site(self, kind: str, e: Expr, node: Node, key: str = "") -> None:
        """Record a site at the node's line."""
        self.sites.append(Site(kind, key or key_of(e), e))
        self.lines.append(node.start_point[0] + 1)

    def path(self, node: Node, called: str = "") -> Value:
        """The expression of a path in a value's place."""
        if node.kind_id in _names():
            name = self.text(node)
            entry = self.env.get(name)
            if entry is not None:
                return entry
        found = self.segments(node)
        inner = node.child_by_field_name("path")
        if inner is not None and (not found or inner.type.startswith("generic")):
            return self._qualified(node, inner)
        return self.path_value(found, node, called)

    def path_value(self, segments: tuple[str, ...], node: Node, called: str = "") -> Value:
        """The expression of a path given by its segments, which begins with no local variable."""
        if not segments:
            return None
        base = self.kinds.get(segments[0])
        if base is not None:
            if len(segments) == 1:
                return ("as", base)
            for middle in segments[1:-1]:
                known = self.assoc.get(middle) if segments[0] == "Self" else None
                base = known if known is not None else ("proj", base, None, middle)
            if len(segments) == 2 and base is not None and base[0] == "n":
                self.read((*base[2], segments[1]), node, called)
            return ("ta", base, None, segments[-1])
        self.read(segments, node, called)
        return ("path", self.module, segments)

    def _qualified(self, node: Node, inner: Node) -> Value:
        """``<T as U>::f`` and ``Vec::<T>::new``."""
        name = node.child_by_field_name("name")
        if inner.type == "bracketed_type":
            found = qualified(self, inner)
        elif inner.type in ("scoped_identifier", "scoped_type_identifier"):
            found = (self.type(inner), None)
        else:
            found = (self.type(inner), None)
        if found is None or name is None:
            return None
        return ("ta", found[0], found[1], self.text(name))

    def arguments(self, node: Node | None) -> tuple[TypeExpr, ...]:
        """The type arguments of a path."""
        return super().arguments(node) if node is None or node.type != "arguments" else ()

    def call_arguments(self, node: Node | None, callee: Value) -> tuple[Value, ...]:
        """Read the arguments of a call; closures get the types of their parameters from the callee."""
        found: list[Value] = []
        at = 0
        for child in node.named_children if node is not None else ():
            if child.type in ("line_comment", "block_comment", "attribute_item"):
                continue
            closed = child.type == "closure_expression" and self.depth <= _DEPTH
            found.append(closure(self, child, callee, at) if closed else self.value(child))
            at += 1
        while found and found[-1] is None:
            found.pop()
        return tuple(found[:_ARGUMENTS])


def _callee(b: Body, node: Node) -> tuple[Value, tuple[TypeExpr, ...]]:
    """A callee and the type arguments written with it; a path read only to be called is recorded as such."""
    types: tuple[TypeExpr, ...] = ()
    while node.type in ("parenthesized_expression", "generic_function"):
        if node.type == "generic_function":
            types = Reader.arguments(b, node.child_by_field_name("type_arguments"))
        inner = node.child_by_field_name("function") or (node.named_children[0] if node.named_children else None)
        if inner is None:
            return None, types
        node = inner
    if node.type == "field_expression":
        return _field(b, node), types
    if node.kind_id in _paths():
        return b.path(node, "()"), types
    return b.expr(node), types


def _call(b: Body, node: Node) -> Value:
    function = node.child_by_field_name("function")
    callee, types = _callee(b, function) if function is not None else (None, ())
    given = b.call_arguments(node.child_by_field_name("arguments"), callee)
    found: Expr = ("call", callee, given, types)
    if callee is None or callee[0] != "clo":
        at = function.child_by_field_name("field") if function is not None else None
        b.site("call", found, at or node, key_of(callee))
    return found


def _field(b: Body, node: Node) -> Value:
    base, field = node.child_by_field_name("value"), node.child_by_field_name("field")
    found = b.expr(base) if base is not None else None
    return ("attr", found, b.text(field)) if field is not None else None


def _path(b: Body, node: Node) -> Value:
    return b.path(node)


def _self(b: Body, node: Node) -> Value:
    return b.env.get("self")


def _generic_value(b: Body, node: Node) -> Value:
    """``f::<T>`` as a value."""
    found, _ = _callee(b, node)
    return found


def closure(b: Body, node: Node, callee: Value, at: int) -> Value:
    """A closure, which belongs to the scope around it."""
    b.push()
    listed = node.child_by_field_name("parameters")
    for j, child in enumerate(elements(listed) if listed is not None else ()):
        held: Value = ("cp", callee, at, j) if callee is not None else None
        if child.type == "parameter":
            kind = b.type(child.child_by_field_name("type"))
            pattern = child.child_by_field_name("pattern")
            if pattern is not None:
                bind(b, pattern, ("of", kind) if kind is not None and not holes(kind) else held)
        else:
            bind(b, child, held)
    result = b.type(node.child_by_field_name("return_type"))
    body = node.child_by_field_name("body")
    found = b.value(body) if body is not None else None
    b.pop()
    return ("clo", ("of", result) if result is not None and not holes(result) else found)


def _closure(b: Body, node: Node) -> Value:
    return closure(b, node, None, 0)


def _struct(b: Body, node: Node) -> Value:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    kind: TypeExpr = None
    if named is not None:
        kind = Reader.type(b, named) if named.type.startswith("generic") else None
        if kind is None:
            kind = b.path_type(b.segments(named), named)
    if kind is not None:
        b.site("new", kind, node, type_key(kind) + "{}")
    for child in body.named_children if body is not None else ():
        if child.type == "field_initializer":
            value = child.child_by_field_name("value")
            if value is not None:
                b.value(value)
        elif child.type in ("shorthand_field_initializer", "base_field_initializer"):
            for inner in child.named_children:
                b.value(inner)
    return ("of", kind) if kind is not None else None


def _tuple(b: Body, node: Node) -> Value:
    return ("tuple", tuple(b.value(c) for c in node.named_children))


def _array(b: Body, node: Node) -> Value:
    found: Value = None
    for child in node.named_children:
        found = either(found, b.value(child)) if found is None else (b.value(child), found)[1]
    return ("arr", found)


def _through(b: Body, node: Node) -> Value:
    """What has the value of what is inside: references, parentheses, blocks with a word before them."""
    found: Value = None
    for child in node.named_children:
        if child.type not in ("mutable_specifier", "label", "line_comment", "block_comment"):
            found = b.expr(child)
    return found


def _reference(b: Body, node: Node) -> Value:
    inner = node.child_by_field_name("value")
    return b.value(inner) if inner is not None else None


def _unary(b: Body, node: Node) -> Value:
    found = _through(b, node)
    operator = node.children[0].type if node.children else ""
    if operator in "!-" and found is not None and found[0] != "of":
        callee = ("attr", found, "not" if operator == "!" else "neg")
        b.site("op", callee, node)
        return ("call", callee, (), ())
    return found


def _try(b: Body, node: Node) -> Value:
    found = _through(b, node)
    return ("try", found) if found is not None else None


def _await(b: Body, node: Node) -> Value:
    found = _through(b, node)
    return ("await", found) if found is not None else None


def _binary(b: Body, node: Node) -> Value:
    """Read from the right end leftwards, so that long sums do not nest."""
    parts: list[tuple[str, Node]] = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        operator, right = current.child_by_field_name("operator"), current.child_by_field_name("right")
        if right is not None:
            parts.append((operator.type if operator is not None else "", right))
        current = current.child_by_field_name("left")
    left = b.expr(current) if current is not None else None
    for count, (operator_type, right) in enumerate(reversed(parts)):
        found = b.expr(right)
        if operator_type in ("&&", "||"):
            left = BOOL
            continue
        if left is not None and left[0] != "of":
            b.site("op", ("attr", left, operator_type), right)
        if operator_type in _COMPARE:
            left = BOOL
        elif left is not None and left[0] != "of" and count < _OPERANDS:
            left = ("call", ("attr", left, operator_type), (found,) if found is not None else (), ())
    return left


def _index(b: Body, node: Node) -> Value:
    kids = node.named_children
    found = b.expr(kids[0]) if kids else None
    for child in kids[1:]:
        b.expr(child)
    if len(kids) > 1 and kids[1].type == "range_expression":
        return found
    if found is None:
        return None
    b.site("op", ("attr", found, "[]"), node)
    return ("idx", found)


def _cast(b: Body, node: Node) -> Value:
    inner = node.child_by_field_name("value")
    if inner is not None:
        b.value(inner)
    kind = b.type(node.child_by_field_name("type"))
    return ("of", kind) if kind is not None else None


def _string(b: Body, node: Node) -> Value:
    return STR


def _number(b: Body, node: Node) -> Value:
    return INT


def _boolean(b: Body, node: Node) -> Value:
    return BOOL


def _nothing(b: Body, node: Node) -> Value:
    return None


def _as_type(b: Body, node: Node) -> Value:
    b.type(node)
    return None


@lru_cache(maxsize=1)
def _names() -> frozenset[int]:
    return kind_ids("identifier")


@lru_cache(maxsize=1)
def _paths() -> frozenset[int]:
    return kind_ids("identifier", "scoped_identifier")


@lru_cache(maxsize=1)
def _forms() -> dict[int, Callable[[Body, Node], Value]]:
    forms: dict[str, Callable[[Body, Node], Value]] = {
        "identifier": _path, "scoped_identifier": _path, "self": _self, "call_expression": _call,
        "field_expression": _field, "generic_function": _generic_value, "closure_expression": _closure,
        "struct_expression": _struct, "tuple_expression": _tuple, "array_expression": _array,
        "parenthesized_expression": _through, "reference_expression": _reference, "unsafe_block": _through,
        "async_block": _through, "const_block": _through, "gen_block": _through, "try_block": _through,
        "expression_statement": _through, "unary_expression": _unary, "try_expression": _try,
        "await_expression": _await, "binary_expression": _binary, "index_expression": _index,
        "type_cast_expression": _cast, "string_literal": _string, "raw_string_literal": _string,
        "integer_literal": _number, "float_literal": _number, "char_literal": _number, "boolean_literal": _boolean,
        "line_comment": _nothing, "block_comment": _nothing, "label": _nothing, "lifetime": _nothing,
        "generic_type": _as_type, "scoped_type_identifier": _as_type, "type_identifier": _as_type,
        "reference_type": _as_type, "primitive_type": _as_type, "crate": _nothing, "super": _nothing,
        **STATEMENTS,
    }  # fmt: skip
    return {i: form for name, form in forms.items() for i in kind_ids(name)}
