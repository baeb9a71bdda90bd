"""Python: the facts of one file, from its tree-sitter parse (error tolerant, the tree is not kept).

In: a text. Out: ``FileFacts``; its cells, read by ``python.link`` (scope "" is the module):

    ("scope", s, "")      ScopeFacts: owner symbol, sites, sites of the header, names read
    ("function", s, "")   FunctionFacts              ("class", s, "")  ClassFacts
    ("name", s, n)        NameFacts: every version of n bound in s, which of them hold at the end
    ("field", c, n)       ((method, expression), ...): assignments to ``self.n`` in the methods of class c
    ("patch", s, n)       ((object, expression), ...): assignments in s to attribute n of what may be elsewhere
    ("new", s, k)         a container built in s     ("star", "", "")  star imports
    ("all", "", "")       literal ``__all__``        ("text", "", n)   hash of the statements that bind n

A text with a syntax error has symbols found by indentation (``python.recover``): one unclosed bracket must
not make every later function disappear.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import tree_sitter
import tree_sitter_python

from core.graph.facts import FileFacts
from core.graph.languages.python import recover as python_recover
from core.graph.languages.python.reader import Reader
from core.graph.languages.python.statements import collect
from core.graph.languages.python.symbols import drafts_of, symbols_of
from core.replay.lines import split_lines

NAME = "python"
EXTENSIONS = (".py", ".pyi", ".pyw")


Node = Any


@lru_cache(maxsize=1)
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))


@lru_cache(maxsize=1)
def _query() -> tree_sitter.Query:
    return tree_sitter.Query(tree_sitter.Language(tree_sitter_python.language()), "(string) @string")


def strings(root: Node) -> list[Node]:
    """All strings below ``root``, unordered; linear, where a query takes quadratic time over a wide error node."""
    if not root.has_error:
        return tree_sitter.QueryCursor(_query()).captures(root).get("string", [])
    found: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "string":
            found.append(node)
        stack.extend(node.named_children)
    return found


def parse(text: str) -> Node:
    """The root node of ``text``; never raises for any text."""
    return _parser().parse(text.encode("utf-8", "replace")).root_node


def facts(text: str) -> FileFacts:
    """The facts of one Python text; cost linear in it."""
    if text.startswith("\ufeff"):
        text = " " + text[1:] if text[1:2] == "\n" else text[1:]
    root = parse(text)
    lines = split_lines(text)
    kept_blank = {
        row
        for node in strings(root)
        if node.end_point[0] > node.start_point[0]
        for row in range(node.start_point[0], node.end_point[0])
        if row < len(lines) and not lines[row].strip()
    }
    scopes = collect(root, ":=" in text)
    error_line = _error_line(root) if root.has_error else None
    drafts = python_recover.drafts(lines) if error_line is not None else drafts_of(scopes)
    spans = [(n.start_point[0], n.end_point[0]) for n in root.named_children if n.type not in _DEFINITIONS]
    symbols, blocks = symbols_of(drafts, lines, kept_blank, spans)
    reader = Reader(parse)
    reader.read(scopes)
    return FileFacts(
        language=NAME,
        symbols=symbols,
        cells=reader.cells,
        names=frozenset(reader.names),
        lines=reader.lines,
        scopes={k: tuple(v) for k, v in reader.owned.items()},
        blocks=blocks,
        bindings=reader.bindings,
        error_line=error_line,
    )


_DEFINITIONS = {"function_definition", "class_definition", "decorated_definition"}


def _error_line(root: Node) -> int:
    """The 1-based line of the first error or missing node."""
    best, stack = root.end_point[0], [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            best = min(best, node.start_point[0])
            continue
        stack.extend(c for c in node.children if c.has_error or c.is_missing)
    return int(best) + 1
