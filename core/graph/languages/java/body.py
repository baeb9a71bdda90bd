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
from core.graph.languages.java.types import Frame, Node, Reader, TypeExpr, kind_ids

_DEPTH = 100
_COMPARE = frozenset(["==", "!=", "<", "<=", ">", ">=", "&&", "||"])
_EMPTY = Site("", "", ())
_BOOLEAN: Expr = ("of", ("p", "boolean"))
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


def key_of(e: Value, sites: list[Site]) -> str:
    """The syntactic callee as text, arguments and indexes left out."""
    parts: list[str] = []
    while e is not None:
        kind = e[0]
        if kind == "attr":
            parts.append("." + e[2])
            e = e[1]
        elif kind == "site":
            parts.append("()")
            parts.append(sites[e[1]].key)
            break
        elif kind in ("idx", "item"):
            parts.append("[]")
            e = e[1]
        elif kind in ("of", "is"):
            parts.append(type_key(e[1]))
            break
        else:
            parts.append(str(e[-1]).partition(" ")[0] if kind in ("name", "local") else str(kind))
            break
    return "".join(reversed(parts))


def type_key(e: TypeExpr) -> str:
    """A type expression as text, without arguments."""
    if e is None:
        return "?"
    if e[0] == "s":
        return type_key(e[1]) + "[]"
    return str({"n": e[-2], "k": e[1], "y": "T"}.get(e[0], e[1]))


def _identifier(b: Body, node: Node) -> Value:
    return b.name(node)


def _field_access(b: Body, node: Node) -> Value:
    base, field = node.child_by_field_name("object"), node.child_by_field_name("field")
    if base is None or field is None:
        b.children(node)
        return None
    if field.type == "this":
        return ("of", _name_type(b, base))
    if any(c.type == "super" for c in node.children[1:]) and field.type != "super":
        found: Value = ("super", b.frame.ctx, _name_type(b, base))
    else:
        found = b.expr(base)
    name = b.text(field)
    if base.type == "identifier" and found is not None and found[0] == "name":
        b.read(f"{found[2]}.{name}", node)
    return ("attr", found, name)


def _name_type(b: Body, node: Node) -> TypeExpr:
    """The type that an expression of names and dots stands for."""
    dotted = "".join(b.text(node).split())
    first, _, rest = dotted.partition(".")
    entry = b.env.get(" " + first)
    if entry is not None:
        return ("n", entry[1], rest, ()) if rest and entry[0] == "k" else entry
    b.read(dotted, node)
    return ("n", b.frame.ctx, dotted, ())


def _call(b: Body, node: Node) -> Value:
    """A chain of calls, from its first to its last."""
    chain = [node]
    base = node.child_by_field_name("object")
    while base is not None and base.type == "method_invocation":
        chain.append(base)
        base = base.child_by_field_name("object")
    found: Value = None
    for link in reversed(chain):
        called = link.child_by_field_name("name")
        name = b.text(called)
        if link is chain[-1]:
            found = _receiver(b, link, base)
        callee: Expr = ("attr", found, name) if base is not None else ("name", b.frame.ctx, name)
        for child in link.named_children:
            if child.type == "type_arguments":
                b.expr(child)
        number = b.reserve(called if called is not None else link)
        key = key_of(callee, b.frame.sites)
        given = b.arguments(link.child_by_field_name("arguments"), number)
        found = b.fill(number, "call", key, ("call", callee, given))
        base = link
    return found


def _receiver(b: Body, node: Node, base: Node | None) -> Value:
    if base is None:
        return None
    if any(c.type == "super" for c in node.children[1:] if c.id != base.id):
        return ("super", b.frame.ctx, _name_type(b, base))
    return b.expr(base)


def _creation(b: Body, node: Node) -> Value:
    """``new T(...) {...}``, ``outer.new T(...)``."""
    kind_node = node.child_by_field_name("type")
    outer = node.named_children[0] if node.named_children else None
    if (
        outer is not None
        and kind_node is not None
        and outer.id != kind_node.id
        and outer.start_byte < kind_node.start_byte
    ):
        b.expr(outer) if not outer.type.endswith(("annotation", "type_arguments")) else None
    kind = b.type(kind_node)
    shown = "new " + (b.text(kind_node).partition("<")[0] if kind_node is not None else "")
    found = b.construct(node, kind, node.child_by_field_name("arguments"), shown)
    body = next((c for c in node.named_children if c.type == "class_body"), None)
    if body is None:
        return found
    key = f"{b.frame.scope}.<new {b.frame.ordinal('<new')}>"
    b.class_body(body, key, kind)
    return ("of", ("k", key, ()))


def _explicit(b: Body, node: Node) -> Value:
    """``this(...)`` and ``super(...)`` at the beginning of a constructor."""
    which = b.text(node.child_by_field_name("constructor"))
    b.field(node, "object")
    number = b.reserve(node)
    given = b.arguments(node.child_by_field_name("arguments"), number)
    return b.fill(number, "call", which, ("init", b.frame.ctx, which, given))


def _lambda(b: Body, node: Node) -> Value:
    want = b.want
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    b.push()
    listed = [parameters] if parameters is not None and parameters.type == "identifier" else []
    if parameters is not None and not listed:
        listed = [
            c for c in parameters.named_children if c.type in ("identifier", "formal_parameter", "spread_parameter")
        ]
    for j, parameter in enumerate(listed):
        made = b.parameter(parameter)
        kind = made[1] if made is not None else None
        guess = (*want, j) if want is not None else None
        b.declare(made[0] if made is not None else b.text(parameter), ("of", kind) if kind is not None else guess)
    value: Value = None
    if body is not None and body.type == "block":
        b.frame.returns.append([])
        b.expr(body)
        value = next((v for v in b.frame.returns.pop() if v is not None), None)
    elif body is not None:
        value = b.expr(body)
    b.pop()
    return ("lam", len(listed), value)


def _reference(b: Body, node: Node) -> Value:
    """``Foo::bar``, ``x::bar``, ``Foo::new``: passed on here, called somewhere else."""
    kids = [c for c in node.children if c.type not in ("::", "type_arguments")]
    if not kids:
        return None
    name = b.text(kids[-1]) if len(kids) > 1 and kids[-1].type == "identifier" else "new"
    first = kids[0]
    if first.type == "super":
        base: Value = ("super", b.frame.ctx, None)
    elif first.type.endswith("type"):
        base = ("is", b.type(first))
    else:
        base = b.expr(first)
    number = b.reserve(node)
    b.fill(number, "value", f"{key_of(base, b.frame.sites)}::{name}", ("ref", base, name))
    return ("ref", base, name)


def _instance_of(b: Body, node: Node) -> Value:
    found = b.field(node, "left")
    kind_node, named = node.child_by_field_name("right"), node.child_by_field_name("name")
    kind = b.type(kind_node)
    if named is not None:
        b.declare(b.text(named), ("of", kind) if kind is not None else found)
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        b.expr(pattern)
    return _BOOLEAN


def _type_pattern(b: Body, node: Node) -> Value:
    """``T name`` in a label or a record pattern."""
    kids = [c for c in node.named_children if c.type != "modifiers"]
    if kids and kids[-1].type == "identifier" and len(kids) > 1:
        kind = b.type(kids[0])
        b.declare(b.text(kids[-1]), ("of", kind) if kind is not None else None)
    else:
        b.children(node)
    return None


def _record_pattern(b: Body, node: Node) -> Value:
    for i, child in enumerate(node.named_children):
        if i == 0 and child.type != "record_pattern_body":
            b.type(child)
        else:
            b.expr(child)
    return None


def _cast(b: Body, node: Node) -> Value:
    kinds = [b.type(c) for c in node.children_by_field_name("type")]
    kind = kinds[0] if kinds else None
    value = node.child_by_field_name("value")
    if value is not None:
        b.expr(value, ("fn", kind) if kind is not None else None)
    return ("of", kind) if kind is not None else None


def _binary(b: Body, node: Node) -> Value:
    """Read from the right end leftwards, so that long sums do not nest."""
    parts: list[Node] = []
    compare = False
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        operator = current.child_by_field_name("operator")
        compare = compare or (operator is not None and operator.type in _COMPARE)
        right = current.child_by_field_name("right")
        if right is not None:
            parts.append(right)
        current = current.child_by_field_name("left")
    found = [b.expr(p) for p in ([current] if current is not None else []) + parts[::-1]]
    return _BOOLEAN if compare else ("bin", tuple(found[:8]))


def _unary(b: Body, node: Node) -> Value:
    found = None
    for child in node.named_children:
        found = b.expr(child)
    return _BOOLEAN if node.children and node.children[0].type == "!" else ("bin", (found,))


def _ternary(b: Body, node: Node) -> Value:
    want = b.want
    b.field(node, "condition")
    both = [c for c in map(node.child_by_field_name, ("consequence", "alternative")) if c is not None]
    return ("or", tuple(b.expr(c, want) for c in both))


def _inside(b: Body, node: Node) -> Value:
    want, found = b.want, None
    for child in node.named_children:
        found = b.expr(child, want)
    return found


def _assign(b: Body, node: Node) -> Value:
    found = b.field(node, "left")
    right = node.child_by_field_name("right")
    if right is not None:
        b.expr(right)
    return found


def _index(b: Body, node: Node) -> Value:
    found = b.field(node, "array")
    b.field(node, "index")
    return ("idx", found) if found is not None else None


def _new_array(b: Body, node: Node) -> Value:
    kind = b.type(node.child_by_field_name("type"))
    for child in node.children_by_field_name("dimensions"):
        if child.type == "dimensions_expr":
            b.children(child)
            kind = ("s", kind)
        else:
            kind = b.arrays(kind, child)
    b.field(node, "value")
    return ("of", kind)


def _class_literal(b: Body, node: Node) -> Value:
    kind = b.type(node.named_children[0]) if node.named_children else None
    return ("of", ("n", "", "java.lang.Class", (kind,)))


def _annotation(b: Body, node: Node) -> Value:
    b.type(node.child_by_field_name("name"))
    given = node.child_by_field_name("arguments")
    for child in given.named_children if given is not None else ():
        value = child.child_by_field_name("value") if child.type == "element_value_pair" else child
        if value is not None:
            b.expr(value)
    return None


def _as_type(b: Body, node: Node) -> Value:
    return ("is", b.type(node))


def _this(b: Body, node: Node) -> Value:
    return ("this", b.frame.ctx)


def _super(b: Body, node: Node) -> Value:
    return ("super", b.frame.ctx, None)


def _null(b: Body, node: Node) -> Value:
    return ("null",)


def _nothing(b: Body, node: Node) -> Value:
    return None


def _literal(kind: str) -> Callable[[Body, Node], Value]:
    found: Expr = ("of", ("p", kind))
    return lambda b, node: found


def _string(b: Body, node: Node) -> Value:
    b.children(node)
    return ("of", ("n", "", "java.lang.String", ()))


def _number(b: Body, node: Node) -> Value:
    text = b.text(node)
    whole = node.type != "decimal_floating_point_literal" and node.type != "hex_floating_point_literal"
    kind = ("long" if text[-1:] in "lL" else "int") if whole else "float" if text[-1:] in "fF" else "double"
    return ("of", ("p", kind))


@lru_cache(maxsize=1)
def _forms() -> dict[int, Callable[[Body, Node], Value]]:
    from core.graph.languages.java.statements import STATEMENTS

    forms: dict[str, Callable[[Body, Node], Value]] = {
        "identifier": _identifier, "field_access": _field_access, "method_invocation": _call,
        "object_creation_expression": _creation, "explicit_constructor_invocation": _explicit,
        "lambda_expression": _lambda, "method_reference": _reference, "instanceof_expression": _instance_of,
        "type_pattern": _type_pattern, "record_pattern_component": _type_pattern, "record_pattern": _record_pattern,
        "cast_expression": _cast, "binary_expression": _binary, "unary_expression": _unary,
        "update_expression": _unary, "ternary_expression": _ternary, "parenthesized_expression": _inside,
        "assignment_expression": _assign, "array_access": _index, "array_creation_expression": _new_array,
        "class_literal": _class_literal, "annotation": _annotation, "marker_annotation": _annotation,
        "this": _this, "super": _super, "null_literal": _null, "true": _literal("boolean"),
        "false": _literal("boolean"), "character_literal": _literal("char"), "string_literal": _string,
        "string_fragment": _nothing, "escape_sequence": _nothing, "multiline_string_fragment": _nothing,
        "decimal_integer_literal": _number, "hex_integer_literal": _number, "octal_integer_literal": _number,
        "binary_integer_literal": _number, "decimal_floating_point_literal": _number,
        "hex_floating_point_literal": _number, "line_comment": _nothing, "block_comment": _nothing,
        "type_identifier": _as_type, "scoped_type_identifier": _as_type, "generic_type": _as_type,
        "array_type": _as_type, "integral_type": _as_type, "floating_point_type": _as_type,
        "boolean_type": _as_type, "void_type": _as_type, "type_arguments": _type_arguments,
        **STATEMENTS,
    }  # fmt: skip
    return {i: form for name, form in forms.items() for i in kind_ids(name)}


def _type_arguments(b: Body, node: Node) -> Value:
    for child in node.named_children:
        b.type(child)
    return None
