"""Statements as they are read: blocks of names and declarations."""

from __future__ import annotations

from collections.abc import Sequence

from core.graph.facts import Expr
from core.graph.languages.javascript import patterns
from core.graph.languages.javascript.classes import enum, interface, klass
from core.graph.languages.javascript.facts import Value
from core.graph.languages.javascript.functions import Made, function, type_parameters
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.hoisting import FUNCTIONS, hoist
from core.graph.languages.javascript.literals import described, named
from core.graph.languages.javascript.reader import FORMS, Reader
from core.graph.languages.javascript.types import type_of


def block(b: Reader, node: Node) -> Value:
    """A block of statements with names of its own."""
    back = b.push()
    statements(b, node.named_children)
    b.env = back
    return None


def statements(b: Reader, nodes: Sequence[Node]) -> None:
    """The statements of a block, in order."""
    hoist(b, nodes)
    for node in nodes:
        if node.type in FUNCTIONS:  # functions hold before anything runs
            _early(b, node)
        elif node.type == "export_statement":
            inner = node.child_by_field_name("declaration")
            if inner is not None and inner.type in FUNCTIONS:
                _early(b, inner)
    for node in nodes:
        b.outer = None
        b.expr(node)
    for place in [k for k in b.overloads if k[0] == b.frame.qual]:  # declared here, written elsewhere
        extents = b.overloads.pop(place)
        qual = function(b, b.signatures[place], place[1], Made("function", True, extents[0]))
        slot = b.env.names.get(place[1])
        if slot is not None and not slot.binds:
            slot.of = qual
            b.frame.bind(slot, ("func", qual), at=0)
        if qual in b.drafted:
            b.drafted[qual].last = max(b.drafted[qual].last, extents[-1].end_point[0])


def _early(b: Reader, node: Node) -> None:
    """Bind a function's name before the block runs; its qual is the one ``_function`` will give it."""
    name = b.text(node.child_by_field_name("name"))
    slot = b.env.names.get(name)
    if slot is None or slot.binds:
        return
    frame = b.frame
    base = frame.prefix if frame.prefix is not None else frame.qual
    shown = f"{base}.{name}" if base else name
    count = b.counts.get(shown, 0) + 1
    qual = shown if count == 1 else f"{shown}#{count}"
    slot.of = qual
    frame.bind(slot, ("func", qual), at=0)


def _function(b: Reader, node: Node) -> Value:
    named_by = node.child_by_field_name("name")
    if named_by is None:
        b.children(node)
        return None
    name = b.text(named_by)
    outer = b.take_outer(node)
    frame = b.frame
    if node.type == "function_signature":
        b.overloads.setdefault((frame.qual, name), []).append(outer)
        b.signatures[frame.qual, name] = node
        return None
    before = b.overloads.pop((frame.qual, name), None)
    qual = function(b, node, name, Made("function", True, outer))
    if before is not None and qual in b.drafted:
        b.drafted[qual].first = before[0].start_point[0]
    slot = b.env.names.get(name)
    if slot is not None and not any(x.expr == ("func", qual) for x in slot.binds[:2]):
        frame.bind(slot, ("func", qual))
        slot.of = qual
    return None


def _class(b: Reader, node: Node) -> Value:
    named_by = node.child_by_field_name("name")
    outer = b.take_outer(node)
    name = b.text(named_by) or "default"
    frame, env = b.frame, b.env
    slot = env.names.get(name)
    if slot is not None:
        base = frame.prefix if frame.prefix is not None else frame.qual
        shown = f"{base}.{name}" if base else name
        count = b.counts.get(shown, 0) + 1
        slot.of = shown if count == 1 else f"{shown}#{count}"
    qual = klass(b, node, name, outer)
    if slot is not None:
        slot.of = qual
        frame.bind(slot, ("class", qual))
    return None


def _enum(b: Reader, node: Node) -> Value:
    named_by = node.child_by_field_name("name")
    outer = b.take_outer(node)
    if named_by is None:
        return None
    name = b.text(named_by)
    qual = enum(b, node, name, outer)
    slot = b.env.names.get(name)
    if slot is not None:
        b.frame.bind(slot, ("class", qual))
    return None


def _interface(b: Reader, node: Node) -> Value:
    named_by = node.child_by_field_name("name")
    outer = b.take_outer(node)
    if named_by is not None:
        interface(b, node, b.text(named_by), outer, node.child_by_field_name("body"))
    return None


def _alias(b: Reader, node: Node) -> Value:
    named_by, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    outer = b.take_outer(node)
    if named_by is None:
        return None
    name = b.text(named_by)
    if value is not None and value.type == "object_type":
        interface(b, node, name, outer, value)
        return None
    from core.graph.languages.javascript.classes import declare

    back, env = b.frame, b.env
    inner = declare(b, node, name, "class", outer, b.text(node))
    b.frame = inner
    b.push()
    type_parameters(b, node)
    kind = type_of(b, value)
    b.frame, b.env = back, env
    b.cells["alias", inner.qual, ""] = kind
    return None


def _namespace(b: Reader, node: Node) -> Value:
    """``namespace N { ... }``: its definitions are called N.x."""
    named_by, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named_by is None or body is None:
        b.children(node)
        return None
    if named_by.type == "string":  # declare module "m"
        return block(b, body)
    frame, env = b.frame, b.env
    name = b.text(named_by).replace(" ", "")
    prefix = frame.prefix
    if prefix is not None:
        frame.prefix = f"{prefix}.{name}" if prefix else name
    b.push()
    statements(b, body.named_children)
    inner, b.env = b.env, env
    frame.prefix = prefix
    slot = env.names.get(name.partition(".")[0])
    if slot is not None:
        held = tuple((n, frame.whole(s)) for n, s in inner.names.items())
        value: Expr = patterns.built(b, ("object", held, ()))
        frame.bind(slot, value)
    return None


def _variables(b: Reader, node: Node) -> Value:
    declarators = [c for c in node.named_children if c.type == "variable_declarator"]
    outer = b.take_outer(node)
    keyword = node.children[0].type if node.children else "let"
    for child in declarators:
        _declarator(b, child, outer if len(declarators) == 1 else child, outer, keyword)
    return None


def _declarator(b: Reader, node: Node, extent: Node, whole: Node, keyword: str) -> None:
    target, value_node = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None:
        return
    kind = type_of(b, node.child_by_field_name("type"))
    if target.type != "identifier":
        value = described(b, kind, b.expr(value_node))
        patterns.bind(b, target, value, keyword)
        if b.frame is b.module:
            for n in patterns.names_in(b, target):
                b.statement(b.text(n), whole)
        return
    name = b.text(target)
    slot = b.frame.slot(b.env, name, keyword)
    exports = len(b.commonjs)
    value = described(b, kind, named(b, value_node, name, extent))
    if len(b.commonjs) > exports and b.frame is b.module:  # ``var app = module.exports = {}`` names what is exported
        b.commonjs[-1] = ("name", slot.name)
    if value is None and slot.binds and keyword == "var":
        return
    b.frame.bind(slot, value)
    inner = value
    while inner is not None and inner[0] == "typed":
        inner = inner[2]
    if inner is not None and inner[0] in ("func", "class") and len(slot.binds) == 1:
        slot.of = inner[1]
    if b.frame is b.module and (inner is None or inner[0] not in ("func", "class")):
        b.statement(name, whole)


def _plain(b: Reader, node: Node) -> Value:
    """An expression statement: what it assigns may be a definition that fills it."""
    b.outer = node
    for child in node.named_children:
        b.expr(child)
        b.outer = None
    return None


def _error(b: Reader, node: Node) -> Value:
    for child in node.named_children:
        b.outer = None
        b.expr(child)
    return None


FORMS.update({
    "statement_block": block, "function_declaration": _function, "generator_function_declaration": _function,
    "function_signature": _function, "class_declaration": _class, "abstract_class_declaration": _class,
    "enum_declaration": _enum, "interface_declaration": _interface, "type_alias_declaration": _alias,
    "internal_module": _namespace, "module": _namespace, "lexical_declaration": _variables,
    "variable_declaration": _variables, "expression_statement": _plain, "ERROR": _error,
})  # fmt: skip
