"""Java: the facts of one file, from its tree-sitter parse (error tolerant, the tree is not kept).

In: a text. Out: ``FileFacts``; its cells, read by ``java.link`` (scope "" is the module: package and imports):

    ("scope", s, "")       ScopeFacts: methods, classes (initialisers), the module    ("package", "", "")  its name
    ("type", key, "")      TypeFacts                       ("methods", key, n)  (MethodFacts, ...) of the name n
    ("abstract", key, "")  names of methods without a body ("text", key, n)  hash of a static field's declaration
    ("field", key, n)      FieldFacts
    ("local", s, "n k")    the k-th n declared in s, by what it is given
    ("import", "", n)      the dotted name imported as n   ("stars", "", "")  packages and types imported on demand
    ("static", "", n)      types a static n is imported of, "" on demand

Names (repository-wide sets): "jtype" (package.Type, key), "jsub" (last name of what it extends, key), "jpkg"
(package), "method".
A text with a syntax error has symbols found by lines (``java.recover``).
"""

from __future__ import annotations

from functools import lru_cache

import tree_sitter

from core.graph.facts import Expr, FileFacts
from core.graph.languages.drafts import comment_rows, grow, symbols_of
from core.graph.languages.java import recover as java_recover
from core.graph.languages.java.classes import KINDS, Classes
from core.graph.languages.java.types import Node, language, parse
from core.replay.lines import split_lines

NAME = "java"
EXTENSIONS = (".java",)
_COMMENTS = ("line_comment", "block_comment")


@lru_cache(maxsize=1)
def _query() -> tree_sitter.Query:
    return tree_sitter.Query(language(), "(string_literal) @string [(line_comment) (block_comment)] @comment")


def _walked(root: Node) -> dict[str, list[Node]]:
    """What the query captures, by a walk: a query takes quadratic time over a wide error node."""
    found: dict[str, list[Node]] = {"string": [], "comment": []}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _COMMENTS:
            found["comment"].append(node)
        elif node.type == "string_literal":
            found["string"].append(node)
        else:
            stack.extend(node.named_children)
    return found


def facts(text: str) -> FileFacts:
    """The facts of one Java text; cost linear in it."""
    if text.startswith("\ufeff"):
        text = text[1:]
    source = text.encode("utf-8", "replace")
    root = parse(source)
    lines = split_lines(text)
    captured = _walked(root) if root.has_error else tree_sitter.QueryCursor(_query()).captures(root)
    comments = [(n.start_point[0], n.end_point[0], n.start_point[1]) for n in captured.get("comment", ())]
    blank = {
        row
        for n in captured.get("string", ())
        if n.end_point[0] > n.start_point[0]
        for row in range(n.start_point[0], n.end_point[0])
        if row < len(lines) and not lines[row].strip()
    }
    error_line = _error_line(root) if root.has_error else None
    found = _File(source)
    found.file(root)
    drafts = java_recover.drafts(lines) if error_line is not None else found.drafts
    grow(drafts, comment_rows(comments, lines))
    symbols, blocks = symbols_of(drafts, lines, blank, found.spans)
    known = {s.qual for s in symbols}
    if error_line is not None:
        found.keep(known)
    return FileFacts(
        language=NAME,
        symbols=symbols,
        cells=found.cells,
        names=frozenset(found.names),
        lines=found.lines,
        scopes={qual: tuple(scopes) for qual, scopes in found.scopes.items() if qual in known},
        blocks=blocks,
        bindings=found.bindings,
        error_line=error_line,
    )


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


class _File(Classes):
    """Turns a whole file into cells and drafts."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.spans: list[tuple[int, int]] = []
        self.imported: list[tuple[Expr, int]] = []
        self.stars: list[str] = []
        self.statics: dict[str, list[str]] = {}

    def file(self, root: Node) -> None:
        """All declarations in text order."""
        declared = _declarations(root)
        for node in declared:
            if node.type == "package_declaration":
                parts = [c for c in node.named_children if c.type.endswith("identifier")]
                self.package = "".join(self.text(parts[-1]).split()) if parts else ""
                self.annotations(node)
                self.spans.append((node.start_point[0], node.end_point[0]))
            elif node.type == "import_declaration":
                self._import(node)
        self.cells["package", "", ""] = self.package
        self.names.add(("jpkg", self.package, ""))
        self.cells["stars", "", ""] = tuple(self.stars)
        for name, types in self.statics.items():
            self.cells["static", "", name] = tuple(types)
        for node in declared:
            if node.type in KINDS:
                self.declaration(node, None)
            elif node.type == "method_declaration":
                self._function(node)
            elif node.type == "module_declaration":
                self.spans.append((node.start_point[0], node.end_point[0]))
        imports = tuple(self._wanted(e) for e, _ in self.imported)
        self.leave(self.frame, "module", "", imports)
        self.lines["", "imports"] = tuple(line for _, line in self.imported)

    def _import(self, node: Node) -> None:
        named = next((c for c in node.named_children if c.type.endswith("identifier")), None)
        if named is None:
            return
        dotted = "".join(self.text(named).split())
        static = any(c.type == "static" for c in node.children)
        star = any(c.type == "asterisk" for c in node.named_children)
        rows = (node.start_point[0], node.end_point[0])
        self.spans.append(rows)
        self.imported.append((("import", dotted, static, star), rows[0] + 1))
        base, _, last = dotted.rpartition(".")
        if static:
            self.statics.setdefault("" if star else last, []).append(dotted if star else base)
        elif star:
            self.stars.append(dotted)
        else:
            self.cells["import", "", last] = dotted
        if not star:
            self.bindings[last] = (rows[0] + 1, rows[1] + 1)

    def _wanted(self, e: Expr) -> Expr:
        """An import on demand with the names that may be meant by it."""
        if not e[3]:
            return (*e, ())
        read = {n.partition(" in ")[0].partition(".")[0] for s in self.cells.values() if _is_scope(s) for n in s.reads}
        return (*e, tuple(sorted(n for n in read if n[:1].isupper() and ("import", "", n) not in self.cells)))

    def _function(self, node: Node) -> None:
        """A method outside of any class."""
        name = self.named(node)
        signature = self._words(node, "type", "name") + self._words(node, "parameters")
        qual = self.draft(name, "function", node, name, signature, None)
        self.push()
        outer = self.enter(qual, qual, "")
        facts = self.function(node, None, qual, ["static"], False)
        self.cells["methods", "", name] = (*self.cells.get(("methods", "", name), ()), facts)
        self.leave(outer, "function", "")
        self.pop()

    def keep(self, known: set[str]) -> None:
        """Drop what belongs to no symbol of a text that does not parse."""
        for key in [k for k, v in self.cells.items() if k[0] == "scope" and v.owner not in known]:
            del self.cells[key]


def _is_scope(cell: object) -> bool:
    return hasattr(cell, "reads")


def _declarations(root: Node) -> list[Node]:
    """Top-level declarations in text order, those inside error nodes too."""
    found: list[Node] = []
    stack = root.named_children[::-1]
    while stack:
        node = stack.pop()
        if node.is_error:
            stack.extend(node.named_children[::-1])
        else:
            found.append(node)
    return found
