"""Rust: the facts of one file, from its tree-sitter parse (error tolerant, the tree is not kept).

In: a text. Out: ``FileFacts``; its cells, read by ``rust.link`` (scope "" is the module: text outside definitions;
modules and type expressions as in ``rust.syntax``):

    ("scope", s, "")      ScopeFacts: owner symbol, sites, names read     ("func", q, "")   FuncFacts
    ("type", key, "")     TypeFacts    ("trait", key, "")  TraitFacts     ("impl", key, "")  ImplFacts
    ("item", m, n)        what ``n`` is in module m, one entry a declaration:
                          ("fn", q) ("type", key) ("trait", key) ("const", key) ("macro", q) ("mod", m) ("crate", name)
                          ("file", name, path attribute) a module in another file    ("use", m, segments)
    ("globs", m, "")      segments of each ``use ...::*``     ("anon", m, "")  the module around a block with items
    ("paths", m, "")      (name, path attribute) of its modules in files of another name
    ("home", key, "")     the module of a type, if it is not ""
    ("const", key, "")    (type, value, scope)    ("text", key, "")  hash of its item
    ("local", s, "n k")   the k-th n declared in s, by what it is given

Names (repository-wide sets): "rsmod" (file name of a module, m), "rsimpl" (type, impl), "rstrait" (trait, impl),
"rshas" (method, impl of a trait), "rsspec" (method, trait),
"rsblanket" (method, impl for any type), "rsmacro" and "rsexport" (macro, q),
"method". A text with a syntax error has symbols found by lines (``rust.recover``).
"""

from __future__ import annotations

from functools import lru_cache

import tree_sitter

from core.graph.facts import FileFacts
from core.graph.languages.drafts import comment_rows, grow, symbols_of
from core.graph.languages.rust import recover
from core.graph.languages.rust.expand import expanded
from core.graph.languages.rust.items import Items
from core.graph.languages.rust.syntax import Node, language
from core.replay.lines import split_lines

NAME = "rust"
EXTENSIONS = (".rs",)


@lru_cache(maxsize=1)
def _query() -> tree_sitter.Query:
    return tree_sitter.Query(
        language(),
        "(string_literal) @string (raw_string_literal) @string (line_comment) @comment (block_comment) @comment",
    )


def _walked(root: Node) -> dict[str, list[Node]]:
    """What the query captures, by a walk: a query takes quadratic time over a wide error node."""
    found: dict[str, list[Node]] = {"string": [], "comment": []}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in ("line_comment", "block_comment"):
            found["comment"].append(node)
        elif node.type in ("string_literal", "raw_string_literal"):
            found["string"].append(node)
        else:
            stack.extend(node.named_children)
    return found


def facts(text: str) -> FileFacts:
    """The facts of one Rust text; cost linear in it."""
    if text.startswith("\ufeff"):
        text = text[1:]
    source = text.encode("utf-8", "replace")
    root, opened = expanded(source)
    lines = split_lines(text)
    captured = _walked(root) if root.has_error else tree_sitter.QueryCursor(_query()).captures(root)
    comments = [(n.start_point[0], _last(n), n.start_point[1]) for n in captured.get("comment", ())]
    blank = {
        row
        for n in captured.get("string", ())
        if n.end_point[0] > n.start_point[0]
        for row in range(n.start_point[0], n.end_point[0])
        if row < len(lines) and not lines[row].strip()
    }
    error_line = _error_line(root) if root.has_error else None
    found = Items(source)
    found.file(root, opened)
    drafts = recover.drafts(lines) if error_line is not None else found.drafts
    grow(drafts, comment_rows(comments, lines))
    drafts.sort(key=lambda d: (d.first, -d.last))
    symbols, blocks = symbols_of(drafts, lines, blank, found.spans)
    known = {s.qual for s in symbols}
    if error_line is not None:
        found.keep(known)
    return FileFacts(
        language=NAME,
        symbols=symbols,
        cells=found.cells,
        names=frozenset(found.names),
        lines=found.sites_at,
        scopes={qual: tuple(scopes) for qual, scopes in found.scopes.items() if qual in known},
        blocks=blocks,
        bindings=found.bindings,
        error_line=error_line,
    )


def _last(node: Node) -> int:
    """The last row of a comment; a documentation comment ends where the next line begins."""
    row, column = node.end_point
    return int(row - 1 if column == 0 and row > node.start_point[0] else row)


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
