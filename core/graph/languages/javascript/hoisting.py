"""What a block declares, before any of its statements is read."""

from __future__ import annotations

from collections.abc import Sequence

from core.graph.languages.javascript import patterns
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.modules import hoist_import
from core.graph.languages.javascript.reader import Reader

FUNCTIONS = frozenset(["function_declaration", "generator_function_declaration", "function_signature"])
CLASSES = frozenset(["class_declaration", "abstract_class_declaration"])


def hoist(b: Reader, nodes: Sequence[Node]) -> None:
    """Declare what the statements of a block declare, before any of them is read."""
    for node in nodes:
        kind = node.type
        if kind == "export_statement":
            inner = node.child_by_field_name("declaration")
            if inner is None:
                continue
            node, kind = inner, inner.type
        if kind == "ambient_declaration":
            hoist(b, node.named_children)
        elif kind == "import_statement":
            hoist_import(b, node)
        elif kind in FUNCTIONS or kind in CLASSES or kind == "enum_declaration":
            name = node.child_by_field_name("name")
            if name is not None:
                b.frame.slot(b.env, b.text(name), "let")
        elif kind in ("interface_declaration", "type_alias_declaration"):
            _hoist_type(b, node)
        elif kind in ("lexical_declaration", "variable_declaration"):
            _hoist_variables(b, node)
        elif kind in ("internal_module", "module"):
            name = node.child_by_field_name("name")
            if name is not None and name.type != "string":
                b.frame.slot(b.env, b.text(name).partition(".")[0], "let")
        elif kind == "expression_statement" and node.named_children:
            if node.named_children[0].type == "internal_module":
                hoist(b, node.named_children)
        elif kind == "ERROR":
            hoist(b, node.named_children)


def _hoist_variables(b: Reader, node: Node) -> None:
    keyword = b.text(node.children[0]) if node.children else "let"
    for child in node.named_children:
        target = child.child_by_field_name("name") if child.type == "variable_declarator" else None
        if target is not None:
            for name in patterns.names_in(b, target):
                b.frame.slot(b.env, b.text(name), keyword)


def _hoist_type(b: Reader, node: Node) -> None:
    """The qual a type will have is known before it is read."""
    named_by = node.child_by_field_name("name")
    if named_by is None:
        return
    name = b.text(named_by)
    frame = b.frame
    base = frame.prefix if frame.prefix is not None else frame.qual
    shown = f"{base}.{name}" if base else name
    body = node.child_by_field_name("value")
    alias = node.type == "type_alias_declaration" and (body is None or body.type != "object_type")
    b.env.types.setdefault(name, ("ta" if alias else "ti", shown))
