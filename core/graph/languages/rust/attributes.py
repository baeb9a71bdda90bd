"""Attributes of Rust items: derives, attribute macros, and the functions and types they name."""

from __future__ import annotations

import re

from core.graph.languages.rust.body import Body
from core.graph.languages.rust.macros import chain
from core.graph.languages.rust.prelude import words
from core.graph.languages.rust.syntax import Node

_BUILTIN = words(
    """
    allow automatically_derived cfg cold deny deprecated doc expect export_name feature forbid
    global_allocator ignore inline link link_name link_section macro_export macro_use must_use no_mangle
    no_std non_exhaustive path repr should_panic target_feature test track_caller warn
    """
)
_PATH = re.compile(r"[^\W\d]\w*(?:::[^\W\d]\w*)*")
_TEXTS = words(
    """
    default deserialize_with getter serialize_with skip_serializing_if validate value_parser with
    """
)
_DEPTH = 180
_PROCEDURAL = frozenset(["proc_macro", "proc_macro_attribute", "proc_macro_derive"])


def parts(b: Body, node: Node) -> tuple[str, Node | None, Node | None]:
    """(name, arguments, value) of an attribute_item."""
    inner = next((c for c in node.named_children if c.type == "attribute"), None)
    if inner is None or not inner.named_children:
        return "", None, None
    name = b.text(inner.named_children[0])
    return name, inner.child_by_field_name("arguments"), inner.child_by_field_name("value")


def read(b: Body, nodes: list[Node]) -> None:
    """Read attributes in the scope that is being read."""
    for node in nodes:
        name, tree, _ = parts(b, node)
        if not name or name in _BUILTIN:
            continue
        if name == "derive":
            for found, child in _paths(b, tree):
                b.read(found, child, "()")
            continue
        segments = tuple(name.split("::"))
        if name != "cfg_attr":
            b.read(segments, node, "()")
        if tree is not None:
            _named(b, tree)


def _paths(b: Body, tree: Node | None) -> list[tuple[tuple[str, ...], Node]]:
    """The paths between commas."""
    found: list[tuple[tuple[str, ...], Node]] = []
    parts: tuple[str, ...] = ()
    for child in tree.children if tree is not None else ():
        if child.type in ("identifier", "crate", "self", "super"):
            parts = (*parts, b.text(child))
        elif child.type in (",", ")") and parts:
            found.append((parts, child))
            parts = ()
    return found


def derived(b: Body, nodes: list[Node]) -> tuple[tuple[str, ...], ...]:
    """The paths in the derives of a type."""
    given = [parts(b, node) for node in nodes]
    return tuple(p for name, tree, _ in given if name == "derive" for p, _ in _paths(b, tree))


def _named(b: Body, tree: Node) -> None:
    """What the arguments of an attribute name: ``key = path``, ``key = "path"`` for some keys, paths of two parts."""
    kids = tree.children[1:-1]
    i = 0
    while i < len(kids):
        kind, following = kids[i].type, kids[i + 1].type if i + 1 < len(kids) else ""
        if kind == "token_tree" and b.depth < _DEPTH:
            b.depth += 1
            _named(b, kids[i])
            b.depth -= 1
            i += 1
        elif kind == "identifier" and following == "=" and i + 2 < len(kids):
            i = _value(b, b.text(kids[i]), kids, i + 2)
        elif kind in ("identifier", "crate", "self", "super") and following == "::":
            i = _value(b, "", kids, i)
        else:
            i += 1


def _value(b: Body, key: str, kids: list[Node], i: int) -> int:
    if kids[i].type == "string_literal":
        inner = next((c for c in kids[i].named_children if c.type == "string_content"), None)
        text = b.text(inner) if inner is not None and key in _TEXTS else ""
        if _PATH.fullmatch(text):
            b.site("value", ("path", b.module, tuple(text.split("::"))), kids[i])
        return i + 1
    found, end = chain(b, kids, i)
    if found is not None and found[0] in ("path", "ta"):
        b.site("value", found, kids[i])
    return end


def path_of(b: Body, nodes: list[Node]) -> str:
    """The file that ``#[path = "..."]`` names, else ""."""
    for node in nodes:
        name, _, value = parts(b, node)
        if name == "path" and value is not None:
            return b.text(value).strip('"')
    return ""


def exported(b: Body, nodes: list[Node]) -> bool:
    """Whether a macro is exported."""
    return any(parts(b, node)[0] == "macro_export" for node in nodes)


def procedural(b: Body, nodes: list[Node], name: str) -> str:
    """The macro that a function defines, else ""."""
    for node in nodes:
        found, tree, _ = parts(b, node)
        if found == "proc_macro_derive" and tree is not None:
            return next((b.text(c) for c in tree.named_children if c.type == "identifier"), "")
        if found in _PROCEDURAL:
            return name
    return ""
