"""Pass 2, what is called: attributes, calls and their arguments, items (see ``python.expressions``)."""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.python.expressions import DEPTH, Expressions, Node, Value, key_of
from core.graph.languages.python.quoted import unquote
from core.graph.languages.python.scopes import text_of


def _attribute(builder: Expressions, node: Node) -> Value:
    value = _attribute_value(builder, node)
    if value is not None and value[1] is not None:
        key = key_of(node)
        seen = (key, value, node.start_point[0])
        if seen not in builder.seen:
            builder.seen.add(seen)
            builder.site("attr", key, value, node)
    return value


def _attribute_value(builder: Expressions, node: Node) -> Value:
    base = node.child_by_field_name("object")
    name = node.child_by_field_name("attribute")
    if base is None or name is None:
        return builder.children(node)
    value = builder.expr(base)
    attribute = text_of(name)
    if value is not None and (base.type == "identifier" or base.type == "attribute") and _is_name_path(value):
        builder.note_read(_path_text(value) + "." + attribute, node)
    return ("attr", value, attribute) if value is not None else ("attr", None, attribute)


def _call(builder: Expressions, node: Node) -> Value:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return builder.children(node)
    if function.type == "attribute":
        callee = _attribute_value(builder, function)
    else:
        callee = builder.expr(function)
    positional, named = arguments_of(builder, arguments)
    if named and function.text.endswith(b"TypeVar"):
        named = tuple((k, unquote(builder, v, node, 0)) for k, v in named)
    value = _special(builder, callee, positional, named) or ("call", callee, positional, named)
    builder.site("call", key_of(function), value if value[0] == "call" else ("call", callee, positional, named), node)
    return value


def arguments_of(builder: Expressions, arguments: Node) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
    positional: list[Value] = []
    named: list[tuple[str, Value]] = []
    if arguments.type != "argument_list":  # f(x for x in y)
        return (builder.expr(arguments),), ()
    for child in arguments.named_children:
        kind = child.type
        if kind == "keyword_argument":
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is not None and value is not None:
                named.append((text_of(name), builder.expr(value)))
        elif kind == "list_splat":
            inner = child.named_children
            positional.append(("star", builder.expr(inner[0]) if inner else None))
        elif kind == "dictionary_splat":
            inner = child.named_children
            named.append(("**", builder.expr(inner[0]) if inner else None))
        elif kind != "comment":
            positional.append(builder.expr(child))
    return tuple(positional), tuple(named)


def _special(builder: Expressions, callee: Value, positional: tuple[Value, ...], named: Any) -> Value:
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
        return _code(builder, first[2])
    return None


def _code(builder: Expressions, code: str) -> Value:
    """The value of literal source text, read in this scope."""
    root = builder.parse(code)
    if root is None or root.has_error or builder._depth > DEPTH // 2:
        return None
    value: Value = None
    for statement in root.named_children:
        value = builder.last(statement)
    return value


def _subscript(builder: Expressions, node: Node) -> Value:
    base = node.child_by_field_name("value")
    keys = node.children_by_field_name("subscript")
    if base is None:
        return builder.children(node)
    value = builder.expr(base)
    if len(keys) == 1 and keys[0].type == "slice":
        parts = [builder.expr(c) for c in keys[0].named_children]
        text = text_of(keys[0]).strip()
        low = None if text.startswith(":") or not parts else parts[0]
        return ("slice", value, low, None) if value is not None else None
    built = tuple(builder.expr(k) for k in keys)
    if value is None:
        return None
    builder.operator_site("__getitem__", value, None, node)
    key = built[0] if len(built) == 1 else builder.container(("tuple", built))
    return ("item", value, key)


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
