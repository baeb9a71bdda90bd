"""Pass 2 over a Python syntax tree: expressions as small tuples with every name resolved to its scope.

In: nodes, inside one ``Scope`` of pass 1. Out: expressions, and on the way the call sites and the names
read. The forms (first element):

    ("name", n)  module-level or builtin    ("closure", scope, n)       ("local", n, (version, ...))
    ("attr", e, a)  ("call", f, args, ((k, e), ...))  ("item", e, key)  ("slice", e, lo, hi)
    ("const", type, value)  ("new", n)  a container, see cell "E"       ("any", e, ...)  one of these
    ("updated", new, e)  e after something was put into it
    ("function", scope)  lambda   ("iterate", e)  ("part", e, i, n, star)  ("enter", e)  ("instance", e)
    ("module", dotted, whole)  ("from", level, module, name)  ("def", scope)  ("class", scope[, "decorated"])
    ("parameter", n)  ("super",)  ("yielded", e)  ("await", e)  ("operator", method, left, right)

None stands for "cannot be said". Depth is bounded: deeper nodes are read as expressions of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.graph.facts import Expr, Site, digest
from core.graph.languages.python.flow import AT_END, Bind, reaching
from core.graph.languages.python.scopes import Scope, parameter_names, text_of

Node = Any
Value = Expr | None
DEPTH = 60
_KEY_LIMIT = 160
_CHAIN_LIMIT = 4096
OPERATORS = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "%": "__mod__",
    "|": "__or__", "&": "__and__", "^": "__xor__", "@": "__matmul__", "**": "__pow__", "<<": "__lshift__",
    ">>": "__rshift__",
}  # fmt: skip
_COMPARISONS = {
    "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__", "!=": "__ne__", "in": "__contains__",
    "not in": "__contains__",
}  # fmt: skip
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_PLAIN = frozenset(["const", "new", "function", "def", "class", "module"])  # no instances of repository classes
ParseCode = Callable[[str], Node]


class Expressions:
    """Builds expressions for one scope; ``sites``, ``lines`` and ``reads`` grow as a side effect."""

    def __init__(self, scope: Scope, parse: ParseCode, lambdas: list[tuple[Scope, tuple[str, ...]]]) -> None:
        self.scope = scope
        self.parse = parse
        self.lambdas = lambdas
        self.at, self.block = AT_END, 0
        self.env: dict[str, Value] = {}
        self.sites: list[Site] = []
        self.lines: list[int] = []
        self.reads: dict[str, list[int]] = {}
        self.containers: dict[str, Expr] = {}
        self.label = "."  # the name being bound: containers are numbered per name, so that edits elsewhere move none
        self._numbers: dict[str, int] = {}
        self.yields: list[Value] = []
        self.generator = False
        self._seen_attr: set[tuple[str, Value, int]] = set()
        self._depth = 0
        self._late: list[tuple[Node, int, int, dict[str, Value]]] = []
        self._fixed_line = 0
        self.operators = True  # whether operators run anything here; in annotations they do not

    # -- entry ----------------------------------------------------------------------------------------

    def build(self, node: Node | None, at: int = AT_END, block: int = 0) -> Value:
        """The expression of ``node`` as seen at ``at`` in ``block``."""
        if node is None:
            return None
        self.at, self.block = at, block
        value = self._expr(node)
        while self._late:
            late, self.at, self.block, env = self._late.pop()
            saved, self.env, self._depth = self.env, env, 0
            self._expr(late)
            self.env = saved
        return value

    def site(self, kind: str, key: str, expr: Value, node: Node) -> None:
        """Record a site at the node's line."""
        self.sites.append(Site(kind, key, expr if expr is not None else ("unknown",)))
        self.lines.append(self._fixed_line or node.start_point[0] + 1)

    def operator_site(self, method: str, left: Value, right: Value, node: Node) -> None:
        """Record that an operator may run ``method`` of ``left``, or the reflected one of ``right``."""
        told = [v for v in (left, right) if v is not None and v[0] not in _PLAIN]
        text = left is not None and left[:2] == ("const", "str")  # a text that is formatted asks for no operand
        if self.operators and told and not text:
            self.site("op", _key(node), ("operator", method, left, right), node)

    def _expr(self, node: Node) -> Value:
        if self._depth > DEPTH:
            self._late.append((node, self.at, self.block, dict(self.env)))
            return None
        self._depth += 1
        handler = _FORMS.get(node.type)
        value = handler(self, node) if handler is not None else self._children(node)
        self._depth -= 1
        return value

    def _children(self, node: Node) -> Value:
        for child in node.named_children:
            self._expr(child)
        return None

    # -- names ----------------------------------------------------------------------------------------

    def name(self, name: str, node: Node | None = None) -> Value:
        """What ``name`` refers to here."""
        if name in self.env:
            return self.env[name]
        scope: Scope | None = self.scope
        assert scope is not None
        if name not in scope.globals:
            if scope.is_local(name):
                value = self._local(scope, name, node)
                if value is not None:
                    return value
            outer = scope.parent
            while outer is not None and outer.parent is not None:
                if outer.kind in ("function", "lambda") and outer.is_local(name):
                    return ("closure", outer.qual, name)
                if name in outer.globals:
                    break
                outer = outer.parent
        self._read(name, node)
        return ("name", name)

    def _local(self, scope: Scope, name: str, node: Node | None) -> Value:
        binds = scope.binds[name]
        versions = reaching(scope.blocks, binds, self.at, self.block)
        if scope.kind == "module":
            self._read(name, node)
            if not versions or self.at == AT_END or versions == reaching(scope.blocks, binds, AT_END, 0):
                return ("name", name)
        elif scope.kind == "class" and not versions:
            return None
        if not versions:
            versions = tuple(i for i, b in enumerate(binds) if not b.narrow)
        return ("local", name, versions)

    def _read(self, name: str, node: Node | None) -> None:
        line = self._fixed_line or (node.start_point[0] + 1 if node is not None else 0)
        lines = self.reads.setdefault(name, [])
        if line and (not lines or lines[-1] != line):
            lines.append(line)

    def _identifier(self, node: Node) -> Value:
        return self.name(text_of(node), node)

    def _dotted(self, node: Node) -> Value:
        """``a.b`` in a pattern, which the grammar reads as one name."""
        first, *rest = node.named_children or [node]
        value = self.name(text_of(first), first)
        for part in rest:
            value = ("attr", value, text_of(part))
        return value

    # -- attributes, calls, items ---------------------------------------------------------------------

    def _attribute(self, node: Node) -> Value:
        value = self._attribute_value(node)
        if value is not None and value[1] is not None:
            key = _key(node)
            seen = (key, value, node.start_point[0])
            if seen not in self._seen_attr:
                self._seen_attr.add(seen)
                self.site("attr", key, value, node)
        return value

    def _attribute_value(self, node: Node) -> Value:
        base = node.child_by_field_name("object")
        name = node.child_by_field_name("attribute")
        if base is None or name is None:
            return self._children(node)
        value = self._expr(base)
        attribute = text_of(name)
        if value is not None and (base.type == "identifier" or base.type == "attribute") and _is_name_path(value):
            self._read(_path_text(value) + "." + attribute, node)
        return ("attr", value, attribute) if value is not None else ("attr", None, attribute)

    def _call(self, node: Node) -> Value:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return self._children(node)
        if function.type == "attribute":
            callee = self._attribute_value(function)
        else:
            callee = self._expr(function)
        positional, named = self._arguments(arguments)
        if named and function.text.endswith(b"TypeVar"):
            named = tuple((k, unquote(self, v, node, 0)) for k, v in named)
        value = self._special(callee, positional, named) or ("call", callee, positional, named)
        self.site("call", _key(function), value if value[0] == "call" else ("call", callee, positional, named), node)
        return value

    def _arguments(self, arguments: Node) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
        positional: list[Value] = []
        named: list[tuple[str, Value]] = []
        if arguments.type != "argument_list":  # f(x for x in y)
            return (self._expr(arguments),), ()
        for child in arguments.named_children:
            if child.type == "keyword_argument":
                name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
                if name is not None and value is not None:
                    named.append((text_of(name), self._expr(value)))
            elif child.type == "list_splat":
                inner = child.named_children
                positional.append(("star", self._expr(inner[0]) if inner else None))
            elif child.type == "dictionary_splat":
                inner = child.named_children
                named.append(("**", self._expr(inner[0]) if inner else None))
            elif child.type != "comment":
                positional.append(self._expr(child))
        return tuple(positional), tuple(named)

    def _special(self, callee: Value, positional: tuple[Value, ...], named: Any) -> Value:
        """Calls whose meaning is fixed by their text: ``super()``, ``getattr`` with a literal, ``eval`` of one."""
        if callee is None or callee[0] != "name":
            return None
        name, first = callee[1], positional[0] if positional else None
        if name == "super":
            return ("super", first, positional[1] if len(positional) > 1 else None)
        if name == "getattr" and len(positional) >= 2 and first is not None:
            attribute = positional[1]
            if attribute is not None and attribute[0] == "const" and attribute[1] == "str":
                return ("attr", first, attribute[2])
        if name in ("eval", "exec") and first is not None and first[:2] == ("const", "str") and first[2]:
            return self._code(first[2])
        return None

    def _code(self, code: str) -> Value:
        """The value of literal source text, read in this scope."""
        root = self.parse(code)
        if root is None or root.has_error or self._depth > DEPTH // 2:
            return None
        value: Value = None
        for statement in root.named_children:
            value = self._children_last(statement)
        return value

    def _children_last(self, node: Node) -> Value:
        value: Value = None
        for child in node.named_children:
            value = self._expr(child)
        return value

    def _subscript(self, node: Node) -> Value:
        base = node.child_by_field_name("value")
        keys = node.children_by_field_name("subscript")
        if base is None:
            return self._children(node)
        value = self._expr(base)
        if len(keys) == 1 and keys[0].type == "slice":
            parts = [self._expr(c) for c in keys[0].named_children]
            text = text_of(keys[0]).strip()
            low = None if text.startswith(":") or not parts else parts[0]
            return ("slice", value, low, None) if value is not None else None
        built = tuple(self._expr(k) for k in keys)
        if value is None:
            return None
        self.operator_site("__getitem__", value, None, node)
        key = built[0] if len(built) == 1 else self._container(("tuple", built))
        return ("item", value, key)

    # -- literals and containers ----------------------------------------------------------------------

    def _container(self, expr: Expr) -> Value:
        count = self._numbers[self.label] = self._numbers.get(self.label, 0) + 1
        number = f"{self.label}{count}"
        self.containers[number] = expr
        return ("new", number)

    def _string(self, node: Node) -> Value:
        kids = node.named_children
        if len(kids) == 3 and kids[1].type == "string_content" and not kids[1].named_children:
            text = text_of(kids[1])
            prefix = text_of(kids[0])
            if "b" in prefix.lower():
                return ("const", "bytes", "")
            return ("const", "str", text if len(text) <= 80 else "")
        for kid in kids:
            if kid.type == "interpolation":
                self._children(kid)
        return ("const", "str", "")

    def _concatenated(self, node: Node) -> Value:
        self._children(node)
        return ("const", "str", "")

    def _integer(self, node: Node) -> Value:
        text = text_of(node)
        return ("const", "int", text if len(text) < 20 else "")

    def _sequence(self, node: Node) -> Value:
        kind = {"list": "list", "set": "set"}.get(node.type, "tuple")
        parts = tuple(self._element(c) for c in node.named_children if c.type != "comment")
        if len(parts) > 400:
            return ("const", kind, "")
        return self._container((kind, parts))

    def _element(self, node: Node) -> Value:
        if node.type in ("list_splat", "dictionary_splat"):
            inner = node.named_children
            return ("star", self._expr(inner[0]) if inner else None)
        return self._expr(node)

    def _dictionary(self, node: Node) -> Value:
        pairs: list[tuple[Value, Value]] = []
        for child in node.named_children:
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                pairs.append((self._expr(key) if key else None, self._expr(value) if value else None))
            elif child.type == "dictionary_splat":
                pairs.append((("star",), self._element(child)))
        if len(pairs) > 400:
            return ("const", "dict", "")
        return self._container(("dict", tuple(pairs)))

    def _comprehension(self, node: Node) -> Value:
        saved = dict(self.env)
        body = node.child_by_field_name("body")
        for child in node.named_children:
            if child.type == "for_in_clause":
                right = child.children_by_field_name("right")
                source = self._expr(right[0]) if right else None
                left = child.child_by_field_name("left")
                self._bind_pattern(left, ("iterate", source) if source is not None else None)
                if source is not None:
                    self.site("iter", "for " + _key(right[0]), source, child)
            elif child.type == "if_clause":
                self._children(child)
        value: Value = None
        if body is not None and body.type == "pair":
            parts = [self._expr(c) for c in body.named_children]
            value = self._container(("dict", ((None, parts[-1] if parts else None),)))
        elif body is not None:
            kind = {"list_comprehension": "list", "set_comprehension": "set"}.get(node.type, "generator")
            value = self._container((kind + "*", (self._expr(body),)))
        self.env = saved
        return value

    def _bind_pattern(self, node: Node | None, value: Value) -> None:
        if node is None:
            return
        if node.type == "identifier":
            self.env[text_of(node)] = value
            return
        parts = [c for c in node.named_children if c.type != "comment"]
        star = next((i for i, c in enumerate(parts) if c.type == "list_splat_pattern"), -1)
        for i, child in enumerate(parts):
            inner = child.named_children[0] if child.type == "list_splat_pattern" and child.named_children else child
            self._bind_pattern(inner, ("part", value, i, len(parts), star) if value is not None else None)

    # -- operators ------------------------------------------------------------------------------------

    def _either(self, node: Node) -> Value:
        values = [self._expr(c) for c in node.named_children if c.type != "comment"]
        if node.type == "conditional_expression" and len(values) == 3:
            del values[1]
        known = tuple(v for v in values if v is not None)
        return known[0] if len(known) == 1 else ("any", *known) if known else None

    def _binary(self, node: Node) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        first = self._expr(left) if left is not None else None
        second = self._expr(right) if right is not None else None
        method = OPERATORS.get(text_of(operator)) if operator is not None else None
        if method is None or (first is None and second is None):
            return None
        self.operator_site(method, first, second, node)
        return ("operator", method, first, second)

    def _first(self, node: Node) -> Value:
        kids = [c for c in node.named_children if c.type != "comment"]
        values = [self._expr(c) for c in kids]
        return values[0] if values else None

    def _await(self, node: Node) -> Value:
        value = self._first(node)
        return ("await", value) if value is not None else None

    def _named(self, node: Node) -> Value:
        value = node.child_by_field_name("value")
        return self._expr(value) if value is not None else None

    def _yield(self, node: Node) -> Value:
        value = self._first(node)
        self.generator = True
        if value is not None:
            delegated = any(c.type == "from" for c in node.children)
            self.yields.append(("iterate", value) if delegated else value)
        return None

    def _lambda(self, node: Node) -> Value:
        scope = self.scope
        scope.lambdas += 1
        part = f"<lambda{scope.lambdas}>"
        qual = f"{scope.qual}.{part}" if scope.qual else part
        inner = Scope("lambda", qual, scope.owner, scope, node, node, part)
        parameters = node.child_by_field_name("parameters")
        for name, _, _ in parameter_names(parameters):
            inner.bind(Bind(name, -1, 0, "parameter", parameters))
        self.lambdas.append((inner, tuple(self.env)))
        return ("function", qual)

    def _true(self, node: Node) -> Value:
        return ("const", "bool", node.type)

    def _none(self, node: Node) -> Value:
        return ("const", "NoneType", "None")

    def _float(self, node: Node) -> Value:
        return ("const", "float", "")

    def _comparison(self, node: Node) -> Value:
        values = [self._expr(child) for child in node.named_children if child.type != "comment"]
        signs = [text_of(sign) for sign in node.children_by_field_name("operators")]
        for sign, left, right in zip(signs, values, values[1:], strict=False):
            method = _COMPARISONS.get(" ".join(sign.split()))
            if method == "__contains__":
                left, right = right, left
            if method is not None:
                self.operator_site(method, left, right, node)
        return ("const", "bool", "")

    def _unary(self, node: Node) -> Value:
        value = self._first(node)
        sign = node.child_by_field_name("operator")
        method = _UNARY.get(text_of(sign)) if sign is not None else None
        if method is not None:
            self.operator_site(method, value, None, node)
        return value

    def _nothing(self, node: Node) -> Value:
        return None

    def _type(self, node: Node) -> Value:
        return self._first(node)

    def _generic(self, node: Node) -> Value:
        """``List[int]`` in a type position, which the grammar reads as a generic type."""
        kids = node.named_children
        if not kids:
            return None
        base = self._expr(kids[0])
        keys = tuple(self._expr(c) for c in kids[1].named_children) if len(kids) > 1 else ()
        if base is None or not keys:
            return base
        return ("item", base, keys[0] if len(keys) == 1 else self._container(("tuple", keys)))


def unquote(builder: Expressions, value: Value, node: Node, depth: int) -> Value:
    """``value`` with the string constants of an annotation read as source text."""
    if value is None or depth > 8:
        return value
    if value[0] == "const" and value[1] == "str" and value[2] and len(value[2]) <= 80:
        root = builder.parse(value[2])
        statement = root.named_children[0] if root is not None and len(root.named_children) == 1 else None
        if statement is None or root.has_error or statement.type != "expression_statement":
            return value
        line, builder._fixed_line = builder._fixed_line, node.start_point[0] + 1
        before = len(builder.sites)
        inner = builder._children_last(statement)
        del builder.sites[before:], builder.lines[before:]
        builder._fixed_line = line
        return inner
    if value[0] == "new":
        stored = builder.containers[value[1]]
        if stored[0] in ("tuple", "list"):
            parts = tuple(unquote(builder, p, node, depth + 1) for p in stored[1])
            builder.containers[value[1]] = (stored[0], parts)
        return value
    if value[0] == "item":
        return ("item", value[1], unquote(builder, value[2], node, depth + 1))
    if value[0] == "operator":
        left, right = (unquote(builder, v, node, depth + 1) for v in value[2:4])
        return ("operator", value[1], left, right)
    return value


def _is_name_path(value: Expr) -> bool:
    while value[0] == "attr" and value[1] is not None:
        value = value[1]
    return bool(value[0] == "name")


def _path_text(value: Expr) -> str:
    parts: list[str] = []
    while value[0] == "attr":
        parts.append(value[2])
        value = value[1]
    parts.append(value[1])
    return ".".join(reversed(parts))


def _key(node: Node) -> str:
    """The text of a callee, on one line, bounded; each of a long chain of calls has all before it in its text."""
    size = node.end_byte - node.start_byte
    if size > _CHAIN_LIMIT:
        return f"{node.type} of {size} bytes"
    text = text_of(node)
    if "\n" in text or "  " in text:
        text = " ".join(text.split())
    if len(text) <= _KEY_LIMIT:
        return text
    return f"{text[: _KEY_LIMIT // 2]}…{digest(text)}"


_FORMS: dict[str, Any] = {
    "identifier": Expressions._identifier,
    "dotted_name": Expressions._dotted,
    "attribute": Expressions._attribute,
    "call": Expressions._call,
    "subscript": Expressions._subscript,
    "string": Expressions._string,
    "concatenated_string": Expressions._concatenated,
    "integer": Expressions._integer,
    "float": Expressions._float,
    "true": Expressions._true,
    "false": Expressions._true,
    "none": Expressions._none,
    "list": Expressions._sequence,
    "tuple": Expressions._sequence,
    "set": Expressions._sequence,
    "expression_list": Expressions._sequence,
    "pattern_list": Expressions._sequence,
    "tuple_pattern": Expressions._sequence,
    "list_pattern": Expressions._sequence,
    "dictionary": Expressions._dictionary,
    "list_comprehension": Expressions._comprehension,
    "set_comprehension": Expressions._comprehension,
    "dictionary_comprehension": Expressions._comprehension,
    "generator_expression": Expressions._comprehension,
    "conditional_expression": Expressions._either,
    "boolean_operator": Expressions._either,
    "binary_operator": Expressions._binary,
    "comparison_operator": Expressions._comparison,
    "not_operator": Expressions._comparison,
    "parenthesized_expression": Expressions._first,
    "unary_operator": Expressions._unary,
    "await": Expressions._await,
    "named_expression": Expressions._named,
    "yield": Expressions._yield,
    "lambda": Expressions._lambda,
    "type": Expressions._type,
    "generic_type": Expressions._generic,
    "union_type": Expressions._either,
    "comment": Expressions._nothing,
    "ellipsis": Expressions._nothing,
    "keyword_separator": Expressions._nothing,
    "assignment": lambda self, node: self._children_last(node),
}
