"""The grammars of JavaScript, TypeScript and both with JSX, and which of them reads a text.

In: a text and the name of its language (its path is not known here). Out: the root node and the bytes parsed.
A text that one grammar cannot read is tried with the other (Flow types in JavaScript, JSX in TypeScript).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import tree_sitter
import tree_sitter_javascript
import tree_sitter_typescript

Node = Any
# ``import("x").T`` as a type, which the grammar does not know; read as a name of the same length.
_LOADED = r"""import\((?:'[^'\n]*'|"[^"\n]*")\)"""
_IMPORTED = re.compile(rf"(?<=typeof ){_LOADED}|(?<!await ){_LOADED}(?=\.[A-Z])".encode())
_QUERY = "(template_string) @string (comment) @comment"


@lru_cache(maxsize=3)
def _language(name: str) -> tree_sitter.Language:
    made = {
        "js": tree_sitter_javascript.language,
        "ts": tree_sitter_typescript.language_typescript,
        "tsx": tree_sitter_typescript.language_tsx,
    }
    return tree_sitter.Language(made[name]())


@lru_cache(maxsize=3)
def _parser(name: str) -> tree_sitter.Parser:
    return tree_sitter.Parser(_language(name))


@lru_cache(maxsize=3)
def _query(name: str) -> tree_sitter.Query:
    return tree_sitter.Query(_language(name), _QUERY)


def parse(text: str, language: str) -> tuple[Node, bytes, str]:
    """Root node, bytes and grammar of a text; never raises for any text. Cost: one parse, up to four if it fails."""
    source = text.encode("utf-8", "replace")
    if language == "javascript":
        order = ("js", "tsx")
    else:
        order = ("tsx", "ts") if "</" in text or "/>" in text else ("ts", "tsx")
    first = _parser(order[0]).parse(source).root_node
    if not first.has_error:
        return first, source, order[0]
    plain = _IMPORTED.sub(lambda m: b"import" + b"_" * (len(m[0]) - 6), source)
    for name, text_of_it in ((order[1], source), *((n, plain) for n in order if plain != source)):
        other = _parser(name).parse(text_of_it).root_node
        if not other.has_error:
            return other, source, name
    return first, source, order[0]


def marked(root: Node, grammar: str) -> dict[str, list[Node]]:
    """The comments and template strings of a tree; by a walk where it has errors: a query is quadratic there."""
    if not root.has_error:
        return tree_sitter.QueryCursor(_query(grammar)).captures(root)
    found: dict[str, list[Node]] = {"string": [], "comment": []}
    stack = [root]
    while stack:
        node = stack.pop()
        kind = node.type
        if kind == "comment":
            found["comment"].append(node)
            continue
        if kind == "template_string":
            found["string"].append(node)
        stack.extend(node.named_children)
    return found


def error_line(root: Node) -> int:
    """The 1-based line of the first error or missing node."""
    best, stack = root.end_point[0], [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            best = min(best, node.start_point[0])
            continue
        stack.extend(c for c in node.children if c.has_error or c.is_missing)
    return int(best) + 1
