"""Go: the facts of one file, from its tree-sitter parse (error tolerant, the tree is not kept).

In: a text. Out: ``FileFacts``; its cells, read by ``go.link`` (scope "" is the module: package-level text):

    ("scope", s, "")      ScopeFacts: owner symbol, sites, names read          ("package", "", "")  package name
    ("func", q, "")       FuncFacts of functions, methods, method specs        ("imports", "", "")  (alias, path)s
    ("type", key, "")     TypeFacts            ("local", s, "n k")  the k-th n declared in s, by what it is given
    ("top", "", n)        ("func",) | ("type",) | ("var", type, value)         ("text", "", n)  hash of its spec

Names (repository-wide sets): "go" (name, package), "gomethod" (Type.method, package), "gohas" (method, Type),
"goof" (Type, method), "gospec" (method, Interface), "goembeds" (name of the embedded type, Type), "method".
A text with a syntax error has symbols found by lines (``go.recover``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import tree_sitter

from core.graph.facts import CellKey, Expr, FileFacts, ScopeFacts, digest
from core.graph.languages.drafts import Draft, comment_rows, grow, symbols_of
from core.graph.languages.go import recover as go_recover
from core.graph.languages.go.body import Body, Value, part
from core.graph.languages.go.functions import receiver_of, said
from core.graph.languages.go.types import Node, TypeExpr, language, parse
from core.replay.lines import split_lines

NAME = "go"
EXTENSIONS = (".go",)


@lru_cache(maxsize=1)
def _query() -> tree_sitter.Query:
    return tree_sitter.Query(language(), "(raw_string_literal) @string (comment) @comment")


def _walked(root: Node) -> dict[str, list[Node]]:
    """What the query captures, by a walk: a query takes quadratic time over a wide error node."""
    found: dict[str, list[Node]] = {"string": [], "comment": []}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in ("comment", "raw_string_literal"):
            found["comment" if node.type == "comment" else "string"].append(node)
        else:
            stack.extend(node.named_children)
    return found


def facts(text: str) -> FileFacts:
    """The facts of one Go text; cost linear in it."""
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
    found = _File(source, not root.has_error)
    found.read(root)
    drafts = go_recover.drafts(lines) if error_line is not None else found.drafts
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
        scopes={qual: (qual,) for qual in found.scopes if qual in known},
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


class _File:
    """Turns the declarations of a file into cells and drafts."""

    def __init__(self, source: bytes, sound: bool) -> None:
        self.source, self.sound = source, sound
        self.cells: dict[CellKey, Any] = {}
        self.names: set[tuple[str, str, str]] = set()
        self.lines: dict[tuple[str, str], tuple[int, ...]] = {}
        self.scopes: list[str] = []
        self.drafts: list[Draft] = []
        self.spans: list[tuple[int, int]] = []
        self.bindings: dict[str, tuple[int, int]] = {}
        self.imports: list[tuple[str, str, int]] = []
        self.counts: dict[str, int] = {}
        self.package = ""
        self.body = Body(source, self.cells, self.names)
        self.used: dict[str, set[str]] = {}
        self.types: set[str] = set()

    def read(self, root: Node) -> None:
        """All declarations: what is at package level first, then the bodies."""
        declared = list(_declarations(root))
        self.body.top = self._top(declared)
        for node in declared:
            if node.type == "package_clause":
                self.package = next((self.body.text(c) for c in node.named_children), "")
                self.spans.append((node.start_point[0], node.end_point[0]))
            elif node.type == "import_declaration":
                self._imports(node)
        self.cells["package", "", ""] = self.package
        for node in declared:
            if node.type in ("var_declaration", "const_declaration"):
                self._bindings(node)
        module = (self.body.sites, self.body.lines, self.body.reads, self.body.closures)
        for node in declared:
            if node.type in ("function_declaration", "method_declaration"):
                self._function(node)
            elif node.type == "type_declaration":
                self._types(node)
        self._module(*module)

    def _top(self, declared: list[Node]) -> set[str]:
        found: set[str] = set()
        for node in declared:
            specs = [node] if node.type == "function_declaration" else _specs(node)
            for spec in specs if node.type != "import_declaration" else ():
                names = [self.body.text(n) for n in spec.children_by_field_name("name") if n.is_named]
                found.update(names)
                if node.type == "type_declaration":
                    self.types.update(names)
        return found

    # -- symbols --------------------------------------------------------------------------------------

    def _draft(self, qual: str, kind: Any, node: Node, name: str, signature: str, parent: str | None) -> str:
        count = self.counts[qual] = self.counts.get(qual, 0) + 1
        shown = qual if count == 1 else f"{qual}#{count}"
        first, last = node.start_point, node.end_point
        end = last[0] - 1 if last[1] == 0 and last[0] > first[0] else last[0]
        self.drafts.append(Draft(shown, kind, name, first[0], end, first[1], signature, parent))
        return shown

    def _words(self, node: Node, *fields: str) -> str:
        parts = [node.child_by_field_name(f) for f in fields]
        return " ".join(" ".join(self.body.text(p).split()) for p in parts if p is not None)

    def _scope(self, qual: str, kind: str) -> None:
        body = self.body
        body.finish()
        self.scopes.append(qual)
        reads = body.reads
        self._note(reads)
        self.cells["scope", qual, ""] = ScopeFacts(kind, qual, "", tuple(body.sites), (), tuple(sorted(reads)), ())
        self._lines(qual, body.lines, reads)
        if body.closures and not qual:  # literals of functions roll up; those of variables belong to the module
            inner = f"{qual}.<func>"
            self.cells["scope", inner, ""] = ScopeFacts("function", qual, qual, (), (), (), ())

    def _lines(self, qual: str, sites: list[int], reads: dict[str, list[int]], imports: tuple[int, ...] = ()) -> None:
        self.lines[qual, "sites"] = tuple(sites)
        self.lines[qual, "head"] = ()
        self.lines[qual, "imports"] = imports
        self.lines[qual, "reads"] = tuple(n for name in sorted(reads) for n in (len(reads[name]), *reads[name]))

    def _note(self, reads: dict[str, list[int]]) -> None:
        for name in reads:
            base, dot, last = name.removesuffix("()").partition(".")
            if dot:
                self.used.setdefault(base, set()).add(last.partition("{")[0])

    def _function(self, node: Node) -> None:
        body = self.body
        named = node.child_by_field_name("name")
        if named is None:
            return
        name = body.text(named)
        receiver = node.child_by_field_name("receiver")
        on = receiver_of(body, receiver)
        owner = on.owner
        qual = f"{owner}.{name}" if owner else name
        kind = "method" if receiver is not None else "function"
        signature = self._words(node, "name", "type_parameters") + self._words(node, "parameters", "result")
        parent = owner if owner in self.types else None
        qual = self._draft(qual, kind, node, name, signature, parent)
        known = said(self.source, node, qual, on, self.sound)
        self.cells.update(known.cells)
        self.scopes.append(qual)
        first = node.start_point[0]
        reads = {name: [row + first for row in rows] for name, rows in known.reads.items()}
        self._note(reads)
        self._lines(qual, [row + first for row in known.sites], reads)
        if owner:
            if "#" not in qual:
                self.names |= {("gomethod", qual, self.package), ("gohas", name, owner), ("goof", owner, name)}
                self.names.add(("method", name, owner))
        elif name not in ("_", "init") and "#" not in qual:
            self.cells["top", "", name] = ("func",)
            self.names.add(("go", name, self.package))

    def _types(self, node: Node) -> None:
        grouped = any(c.type == "(" for c in node.children)
        for spec in _specs(node):
            named = spec.child_by_field_name("name")
            if named is None:
                continue
            name = self.body.text(named)
            shown = self._draft(name, "class", spec if grouped else node, name, self._type_signature(spec), None)
            self.body.start(shown)
            params = tuple(self.body.type_parameters(spec.child_by_field_name("type_parameters")))
            self.body.definition(spec, shown, params)
            self._scope(shown, "class")
            self._method_specs(spec, shown)
            if name != "_" and "#" not in shown:
                self.cells["top", "", name] = ("type",)
                self.names.add(("go", name, self.package))

    def _type_signature(self, spec: Node) -> str:
        """Name, type parameters, and what a user of the type depends on: embedded types, else the whole of it."""
        text = self._words(spec, "name", "type_parameters")
        body = spec.child_by_field_name("type")
        if body is None or body.type not in ("struct_type", "interface_type"):
            return text + (" = " if spec.type == "type_alias" else " ") + self._words(spec, "type")
        listed = body.named_children[0].named_children if body.type == "struct_type" and body.named_children else ()
        parts = [c for c in listed if not c.children_by_field_name("name") and c.type == "field_declaration"]
        parts += [c for c in body.named_children if c.type == "type_elem"]
        inner = ", ".join(" ".join(self.body.text(p).split()) for p in parts)
        return f"{text} {body.type.partition('_')[0]}" + (f" {{{inner}}}" if inner else "")

    def _method_specs(self, spec: Node, owner: str) -> None:
        body = spec.child_by_field_name("type")
        if body is None or body.type != "interface_type":
            return
        for child in body.named_children:
            if child.type == "method_elem":
                name = self.body.text(child.child_by_field_name("name"))
                signature = self._words(child, "name") + self._words(child, "parameters", "result")
                qual = self._draft(f"{owner}.{name}", "method", child, name, signature, owner)
                self.body.start(qual)
                self.body.parameters(child.child_by_field_name("parameters"))
                self.body.parameters(child.child_by_field_name("result"))
                self._scope(qual, "function")

    # -- package level --------------------------------------------------------------------------------

    def _imports(self, node: Node) -> None:
        for spec in _specs(node):
            path, alias = spec.child_by_field_name("path"), spec.child_by_field_name("name")
            if path is None:
                continue
            text = self.body.text(path)[1:-1]
            local = self.body.text(alias) if alias is not None else ""
            self.imports.append((local, text, spec.start_point[0] + 1))
            self.spans.append((spec.start_point[0], spec.end_point[0]))
            name = local or text.rpartition("/")[2]
            if name not in ("_", "."):
                self.bindings[name] = (spec.start_point[0] + 1, spec.end_point[0] + 1)
        self.cells["imports", "", ""] = tuple((alias, path) for alias, path, _ in self.imports)

    def _bindings(self, node: Node) -> None:
        """Package-level constants and variables: types, values, sites of the initialisers, hashes of the specs."""
        body = self.body
        repeated = ""
        last: tuple[TypeExpr, list[Value]] = (None, [])
        for position, spec in enumerate(_specs(node)):
            given = (body.type(spec.child_by_field_name("type")), body.values(spec.child_by_field_name("value")))
            names = [body.text(n) for n in spec.children_by_field_name("name") if n.is_named]
            text = "\n".join(x.strip() for x in body.text(spec).split("\n"))
            if node.type == "const_declaration":  # an omitted value repeats the last one; iota counts the specs
                if spec.child_by_field_name("value") is not None:
                    repeated, last = text, given
                else:
                    text, given = f"{text}\n{repeated}", last
                if "iota" in text:
                    text += f"\n{position}"
            rows = (spec.start_point[0], spec.end_point[0])
            self.spans.append(rows)
            for i, name in enumerate(names):
                if name == "_":
                    continue
                self.bindings[name] = (rows[0] + 1, rows[1] + 1)
                self.cells["text", "", name] = digest(text)
                self.cells["top", "", name] = ("var", given[0], part(given[1], i, len(names)))
                self.names.add(("go", name, self.package))

    def _module(self, sites: list[Any], lines: list[int], reads: dict[str, list[int]], closures: bool) -> None:
        body = self.body
        body.start("")
        body.sites, body.lines, body.reads, body.closures = sites, lines, reads, closures
        self._scope("", "module")
        imports: list[Expr] = []
        for alias, path, _ in self.imports:
            guesses = [alias] if alias else import_names(path)
            used = {n for g in guesses for n in self.used.get(g, ())}
            imports.append(("import", path, tuple(sorted(used))))
        facts: ScopeFacts = self.cells["scope", "", ""]
        self.cells["scope", "", ""] = facts._replace(imports=tuple(imports))
        self._lines("", lines, reads, tuple(line for _, _, line in self.imports))

    def keep(self, known: set[str]) -> None:
        """Drop what belongs to no symbol of a text that does not parse."""
        for key in [k for k, v in self.cells.items() if k[0] == "scope" and v.owner not in known]:
            del self.cells[key]


def import_names(path: str) -> list[str]:
    """The package names an import path without alias may stand for, most likely first."""
    parts = [p for p in path.split("/") if p]
    if not parts:
        return []
    last = parts[-1]
    if len(parts) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = parts[-2]
    found = [last, last.partition(".v")[0]]
    for name in list(found):
        found += [name.removeprefix("go-"), name.removesuffix("-go"), name.removesuffix(".go"), name.replace("-", "")]
        found += [name.replace("-", "_"), name.rpartition("-")[2]]
    return list(dict.fromkeys(n for n in found if n))


def _declarations(root: Node) -> Iterator[Node]:
    """Top-level declarations in text order, those inside error nodes too."""
    for child in root.named_children:
        if child.is_error:
            yield from _declarations(child)
        else:
            yield child


def _specs(node: Node) -> list[Node]:
    """The specs of a declaration, grouped or not."""
    found: list[Node] = []
    for child in node.named_children:
        if child.type.endswith("_spec_list"):
            found += _specs(child)
        elif child.type.endswith(("_spec", "type_alias")):
            found.append(child)
    return found
