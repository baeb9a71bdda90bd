"""Items inside macros that only say when they count (``cfg_rt! { ... }``, ``cfg_if! { if #[cfg(..)] { ... } }``).

In: the bytes of a text. Out: the tree in which such items stand as if no macro were around them, rows and columns kept:
the macro's own tokens are blanked out before parsing again. A macro is opened where it stands in the place of an item
and what is in its braces parses as items without an error. Names of macros that the grammar takes for types (``str!``)
are exchanged for others of the same length.
"""

from __future__ import annotations

import re

from core.graph.languages.rust.statements import ITEMS
from core.graph.languages.rust.syntax import Node, parse

_PRIMITIVE = re.compile(rb"\b(str|char|bool|[iuf](?:8|16|32|64|128|size))(?=![\[({])")
_BODIES = frozenset(["declaration_list", "impl_item", "trait_item", "mod_item", "foreign_mod_item", "source_file"])
_HELD = frozenset([*ITEMS, "attribute_item", "inner_attribute_item", "line_comment", "block_comment"])
_DEPTH = 8


def expanded(source: bytes) -> tuple[Node, list[tuple[int, int]]]:
    """The root of the tree, and the spans of the names of the macros that were opened, in order; cost linear in the
    text and in how deep opened macros stand in each other."""
    text = _PRIMITIVE.sub(lambda m: b"x" + m[1][1:], source)
    root = parse(text)
    blanks: list[tuple[int, int]] = []
    names: list[tuple[int, int]] = []
    _open(text, root, 0, blanks, names, 0)
    if not blanks:
        return root, []
    changed = bytearray(text)
    for start, end in blanks:
        changed[start:end] = re.sub(rb"[^\n]", b" ", bytes(changed[start:end]))
    again = parse(bytes(changed))
    return (again, sorted(names)) if root.has_error or not again.has_error else (root, [])


def _open(
    text: bytes, root: Node, offset: int, blanks: list[tuple[int, int]], names: list[tuple[int, int]], depth: int
) -> None:
    """Find the macros in the places of items and open those that hold items."""
    pending = [root]
    while pending:
        node = pending.pop()
        kind = node.type
        if kind in _BODIES:
            pending += node.named_children
        elif kind == "macro_invocation" or (kind == "expression_statement" and node.named_child_count):
            inner = node if kind[0] == "m" else node.named_children[0]
            if inner.type == "macro_invocation":
                _try(text, node, inner, offset, blanks, names, depth)


def _try(
    text: bytes, outer: Node, node: Node, offset: int, blanks: list[tuple[int, int]], names: list[tuple[int, int]],
    depth: int,
) -> None:  # fmt: skip
    tree = next((c for c in reversed(node.children) if c.type == "token_tree"), None)
    named = node.child_by_field_name("macro")
    if tree is None or named is None or depth > _DEPTH or not tree.children or tree.children[0].type != "{":
        return
    held = [(t.start_byte + 1, t.end_byte - 1) for t in _branches(tree)]
    opened: list[tuple[int, int, Node]] = []
    for start, end in held:
        root = parse(text[offset + start : offset + end])
        if root.has_error or not all(c.type in _HELD or _macro(c) for c in root.named_children):
            return
        opened.append((start, end, root))
    if not any(c.type in ITEMS or _macro(c) for _, _, root in opened for c in root.named_children):
        return
    at = outer.start_byte
    for start, end, root in opened:
        blanks.append((offset + at, offset + start))
        _open(text, root, offset + start, blanks, names, depth + 1)
        at = end
    blanks.append((offset + at, offset + outer.end_byte))
    names.append((offset + named.start_byte, offset + named.end_byte))


def _macro(node: Node) -> bool:
    """Whether a node is a macro in the place of an item."""
    if node.type == "expression_statement" and node.named_child_count:
        node = node.named_children[0]
    return bool(node.type == "macro_invocation")


def _branches(tree: Node) -> list[Node]:
    """The braces that hold the items: those of ``if #[cfg(..)] { } else { }``, else the whole."""
    kids = tree.children[1:-1]
    if not kids or kids[0].type != "if":
        return [tree]
    return [c for c in kids if c.type == "token_tree" and c.children and c.children[0].type == "{"]
