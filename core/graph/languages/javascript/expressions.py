"""Expressions as they are read: call sites, property reads, functions handed on, and what the value is."""

from __future__ import annotations

from core.graph.facts import Expr
from core.graph.languages.javascript import patterns
from core.graph.languages.javascript.classes import klass
from core.graph.languages.javascript.facts import CALLBACKS, Value
from core.graph.languages.javascript.functions import LITERALS, Made, function
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.literals import array, described, named, obj
from core.graph.languages.javascript.modules import commonjs
from core.graph.languages.javascript.reader import FORMS, Reader, constant, either, key_of, string_of
from core.graph.languages.javascript.scopes import find
from core.graph.languages.javascript.types import type_of

_HANDED = frozenset(["name", "local", "closure", "loop", "attr"])
_MIXERS = frozenset(["mixin", "extend", "merge", "assign", "defaults", "mergeDescriptors", "setPrototypeOf"])
_COLLECTIONS = frozenset(["Map", "Set", "Array", "WeakMap", "WeakSet", "Promise"])


def _identifier(b: Reader, node: Node) -> Value:
    name = b.text(node)
    if name.startswith("import("):
        b.imports.append((name[8:-2], node.start_point[0] + 1))
        return ("import", name[8:-2], "*")
    return b.name(name, node) if name != "undefined" else None


def _member(b: Reader, node: Node, called: str = "") -> Value:
    base_node, field = node.child_by_field_name("object"), node.child_by_field_name("property")
    if base_node is None or field is None:
        b.children(node)
        return None
    name = b.text(field)
    if base_node.type == "identifier":
        first = b.text(base_node)
        found = find(b.env, first)
        if found is not None and found[1].kind == "namespace":
            b.read(f"{found[1].name}.{name}{called}", node)
    base = b.expr(base_node)
    if base is None:
        return ("attr", None, name) if called else None
    e = ("attr", base, name)
    if not called:
        b.site("attr", "." + name, e, node)
    return e


def _subscript(b: Reader, node: Node) -> Value:
    base = b.expr(node.child_by_field_name("object"))
    key = b.expr(node.child_by_field_name("index"))
    return ("item", base, key) if base is not None else None


def _callee(b: Reader, node: Node) -> Value:
    while node.type in ("parenthesized_expression", "non_null_expression", "instantiation_expression"):
        if node.named_child_count < 1:
            break
        node = node.named_children[0]
    if node.type == "member_expression":
        return _member(b, node, "()")
    if node.type == "identifier":
        return b.name(b.text(node), node, "()")
    return b.expr(node)


def _call(b: Reader, node: Node) -> Value:
    return call(b, node)


def call(b: Reader, node: Node, name: str = "", outer: Node | None = None) -> Value:
    """A call; ``name``, when the result is bound to a name at module level, is what functions handed to it take."""
    target, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if target is None or listed is None:
        b.children(node)
        return None
    for child in node.children_by_field_name("type_arguments"):
        type_of(b, child)
    special = _loading(b, target, listed)
    if special is not None:
        return special
    if target.type == "super":
        given = arguments(b, listed)
        if b.frame.cls:
            b.site("super", "super", ("supercall", b.frame.cls, tuple(v for _, v in given)), node)
        return None
    callee = _callee(b, target)
    if callee is not None and callee[-1] in CALLBACKS:  # what a builtin runs is not what the name stands for
        name = ""
    if listed.type == "template_string":
        b.children(listed)
        given = []
    else:
        given = arguments(b, listed, name, outer)
    for index, (argument, value) in enumerate(given):
        if value is not None and value[0] == "func" and argument.type in LITERALS and callee is not None:
            b.cells["context", value[1], ""] = (b.frame.qual, callee, index)
    found: Expr = ("call", callee, tuple(v for _, v in given))
    b.site("call", key_of(callee), found, node)
    if callee is not None and target.type == "member_expression":
        patterns.grown_by_call(b, callee, target, given)
    elif target.type == "identifier" and len(given) > 1 and b.text(target) in _MIXERS:
        patterns.mixed(b, given)
    wrapped = next((v for n, v in given if name and n.type in LITERALS and v is not None), None)
    return ("wrapped", found, wrapped) if wrapped is not None else found


def _loading(b: Reader, target: Node, listed: Node) -> Value:
    """``require("x")`` and ``import("x")``."""
    kind = target.type
    if kind not in ("import", "identifier") or listed.type != "arguments":
        return None
    name = b.text(target)
    if name not in ("require", "import") or (name == "require" and find(b.env, "require") is not None):
        return None
    first = listed.named_children[0] if listed.named_children else None
    if first is None or first.type != "string":
        return None
    text = string_of(b, first)
    b.imports.append((text, target.start_point[0] + 1))
    return ("require", text) if name == "require" else ("loaded", text)


def arguments(b: Reader, node: Node, name: str = "", outer: Node | None = None) -> list[tuple[Node, Value]]:
    """The arguments of a call in order; functions named among them are handed on."""
    found: list[tuple[Node, Value]] = []
    for child in node.named_children:
        kind = child.type
        if kind == "comment":
            continue
        value: Value
        if kind == "spread_element" and child.named_children:
            held = b.expr(child.named_children[0])
            value = ("spread", held)
        elif name and kind in (*LITERALS, "object", "class"):
            value = named(b, child, name, outer if kind in LITERALS else None)
            name, outer = ("", None) if kind in LITERALS else (name, outer)
        else:
            value = b.expr(child)
            if value is not None and value[0] in _HANDED:
                b.site("value", key_of(value), value, child)
        found.append((child, value))
    return found


def _new(b: Reader, node: Node) -> Value:
    target, listed = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
    callee = _callee(b, target) if target is not None else None
    typed = node.child_by_field_name("type_arguments")
    kind = None
    if typed is not None and target is not None and b.text(target) in _COLLECTIONS:
        parts = [type_of(b, c) for c in typed.named_children]
        word = b.text(target)
        kind = (
            ("tp", parts[0]) if word == "Promise" else ("tl", word.removeprefix("Weak"), parts[-1] if parts else None)
        )
    elif typed is not None:
        type_of(b, typed)
    given = arguments(b, listed) if listed is not None else []
    b.frame.objects += 1
    k = str(b.frame.objects)
    found: Expr = ("new", callee, tuple(v for _, v in given), k)
    if any(v is not None for _, v in given):
        b.cells["obj", b.frame.qual, k] = found
    b.site("new", key_of(callee), found, node)
    return ("typed", kind, found) if kind is not None else found


def _assignment(b: Reader, node: Node) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        b.children(node)
        return None
    while left.type in ("parenthesized_expression", "non_null_expression") and left.named_children:
        left = left.named_children[0]
    outer = b.take_outer(node)
    if left.type == "identifier":
        name = b.text(left)
        value = named(b, right, name, None, symbol=False) if right.type in (*LITERALS, "class") else b.expr(right)
        b.assign(name, value)
        if b.frame is b.module and name in b.top.names:
            b.statement(name, outer)
        return value
    handled, value = commonjs(b, left, right, outer)
    if handled:
        return value
    if left.type == "member_expression":
        value = _into_member(b, left, right, outer)
    else:
        value = b.expr(right)
    patterns.assign(b, left, value)
    return value


def _into_member(b: Reader, left: Node, right: Node, outer: Node) -> Value:
    """``A.prototype.m = function``, ``A.m = function``, ``api.m = function`` are definitions called A.m, api.m."""
    inner = right
    while inner.type in ("parenthesized_expression", "as_expression") and inner.named_children:
        inner = inner.named_children[0]
    if inner.type not in (*LITERALS, "class"):
        return b.expr(right)
    name = b.text(left.child_by_field_name("property"))
    path = b.text(left.child_by_field_name("object")).removesuffix(".prototype")
    base = left.child_by_field_name("object")
    owner = ""
    if base is not None:
        root = base.child_by_field_name("object") if base.type == "member_expression" else base
        owner = patterns.declared_by(b, root)
    plain = path.replace(".", "").replace("$", "").replace("_", "").isalnum()
    symbol = plain and path != "this" and not path.startswith("this.")
    if inner.type == "class":
        return ("class", klass(b, inner, f"{path}.{name}" if symbol else name, outer, symbol))
    this: Value = None
    if owner and base is not None and base.type == "member_expression":
        this = ("this", owner, "s")
    elif base is not None and base.type == "identifier":
        held = find(b.env, b.text(base))
        this = held[0].whole(held[1]) if held is not None and not owner else None
    made = Made("method", symbol, outer, this, owner, False, frozenset())
    qual = function(b, inner, f"{path}.{name}" if symbol else name, made)
    if owner and qual == f"{owner}.{name}":
        b.names.add(("method", name, owner))
    return ("func", qual)


def _augmented(b: Reader, node: Node) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = b.text(node.child_by_field_name("operator"))
    value = b.expr(right)
    if operator not in ("??=", "||=", "&&="):
        b.expr(left)
        return ("lit", "String") if value == ("lit", "String") else None
    before = b.expr(left)
    found = either([before, value])
    if left is not None:
        patterns.assign(b, left, found)
    return found


def _binary(b: Reader, node: Node) -> Value:
    """Read from the right end leftwards, so that long sums do not nest."""
    parts: list[Node] = []
    operators: set[str] = set()
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        operators.add(b.text(current.child_by_field_name("operator")))
        right = current.child_by_field_name("right")
        if right is not None:
            parts.append(right)
        current = current.child_by_field_name("left")
    found = [b.expr(p) for p in ([current] if current is not None else []) + parts[::-1]]
    if operators <= {"&&", "||", "??"}:
        return either(found)
    if operators == {"+"} and any(f in (("lit", "String"),) or (f is not None and f[0] == "const") for f in found):
        return ("lit", "String")
    return None


def _ternary(b: Reader, node: Node) -> Value:
    b.expr(node.child_by_field_name("condition"))
    parts = [b.expr(node.child_by_field_name(f)) for f in ("consequence", "alternative")]
    return either(parts)


def _literal_function(b: Reader, node: Node) -> Value:
    own = node.child_by_field_name("name")
    return ("func", function(b, node, b.text(own), Made(symbol=False)))


def _class(b: Reader, node: Node) -> Value:
    own = node.child_by_field_name("name")
    return ("class", klass(b, node, b.text(own) or "<class>", node, symbol=own is not None))


def _object(b: Reader, node: Node) -> Value:
    return obj(b, node)


def _this(b: Reader, node: Node) -> Value:
    return b.frame.this


def _super(b: Reader, node: Node) -> Value:
    return ("super", b.frame.cls, "t" if b.frame.static else "s") if b.frame.cls else None


def _await(b: Reader, node: Node) -> Value:
    found = b.expr(node.named_children[0]) if node.named_children else None
    return ("await", found) if found is not None else None


def _yield(b: Reader, node: Node) -> Value:
    found = b.expr(node.named_children[0]) if node.named_children else None
    b.frame.flags.add("generator")
    if found is not None:
        b.frame.yields.append(("iter", found) if any(c.type == "*" for c in node.children) else found)
    return None


def _last(b: Reader, node: Node) -> Value:
    found: Value = None
    for child in node.named_children:
        if child.type != "comment":
            found = b.expr(child)
    return found


def _first(b: Reader, node: Node) -> Value:
    found: Value = None
    for i, child in enumerate(c for c in node.named_children if c.type != "comment"):
        value = b.expr(child)
        found = value if i == 0 else found
    return found


def _cast(b: Reader, node: Node) -> Value:
    kids = [c for c in node.named_children if c.type != "comment"]
    value = b.expr(kids[0]) if kids else None
    return described(b, type_of(b, kids[1]), value) if len(kids) > 1 else value


def _assertion(b: Reader, node: Node) -> Value:
    """``<Type>value``."""
    kids = [c for c in node.named_children if c.type != "comment"]
    if len(kids) < 2:
        return b.expr(kids[0]) if kids else None
    kind = type_of(
        b, kids[0].named_children[0] if kids[0].type == "type_arguments" and kids[0].named_children else kids[0]
    )
    return described(b, kind, b.expr(kids[1]))


def _string(b: Reader, node: Node) -> Value:
    return constant(string_of(b, node))


def _number(b: Reader, node: Node) -> Value:
    return constant(b.text(node))


def _template(b: Reader, node: Node) -> Value:
    b.children(node)
    return ("lit", "String")


def _regex(b: Reader, node: Node) -> Value:
    return ("lit", "RegExp")


def _nothing(b: Reader, node: Node) -> Value:
    return None


def _element(b: Reader, node: Node) -> Value:
    """A JSX element runs its component; functions in its attributes are handed on."""
    named_by = node.child_by_field_name("name")
    if named_by is not None and named_by.type != "jsx_namespace_name":
        name = b.text(named_by)
        if named_by.type == "member_expression" or not name[:1].islower():
            component = _callee(b, named_by)
            if component is not None:
                b.site("jsx", key_of(component), ("call", component, ()), node)
    for child in node.named_children:
        kind = child.type
        if kind == "jsx_attribute":
            for part in child.named_children[1:]:
                _embedded(b, part)
        elif kind == "jsx_expression":
            _embedded(b, child)
    return None


def _embedded(b: Reader, node: Node) -> Value:
    if node.type != "jsx_expression":
        return b.expr(node)
    for child in node.named_children:
        value = b.expr(child)
        if value is not None and value[0] in _HANDED:
            b.site("value", key_of(value), value, child)
    return None


FORMS.update({
    "identifier": _identifier, "member_expression": _member, "subscript_expression": _subscript,
    "call_expression": _call, "new_expression": _new, "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented, "binary_expression": _binary, "ternary_expression": _ternary,
    "function_expression": _literal_function, "generator_function": _literal_function,
    "arrow_function": _literal_function, "class": _class, "object": _object, "array": array, "this": _this,
    "super": _super, "await_expression": _await, "yield_expression": _yield, "sequence_expression": _last,
    "parenthesized_expression": _first, "non_null_expression": _first, "instantiation_expression": _first,
    "as_expression": _cast, "satisfies_expression": _cast, "type_assertion": _assertion, "string": _string,
    "number": _number, "template_string": _template, "regex": _regex, "comment": _nothing,
    "property_identifier": _nothing,
    "jsx_opening_element": _element, "jsx_self_closing_element": _element, "jsx_closing_element": _nothing,
    "jsx_expression": _embedded, "jsx_text": _nothing, "null": _nothing, "true": _nothing, "false": _nothing,
    "undefined": _nothing, "meta_property": _nothing, "statement_identifier": _nothing,
})  # fmt: skip
