"""Scopes of one Python file into cells: what ``python.facts`` is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.graph.facts import CellKey, Expr, ScopeFacts, Site, digest
from core.graph.languages.python.expressions import Expressions, ParseCode, Value, makes_property
from core.graph.languages.python.facts import FunctionFacts, NameFacts, Parameter
from core.graph.languages.python.flow import AT_END, Bind, reaching
from core.graph.languages.python.forms import FORMS
from core.graph.languages.python.items import ScopeReader
from core.graph.languages.python.scopes import Node, Scope, imported, parameter_names, text_of
from core.graph.languages.python.updates import annotation


class Reader:
    """Turns scopes into cells."""

    def __init__(self, parse: ParseCode) -> None:
        self.parse = parse
        self.cells: dict[CellKey, Any] = {}
        self.names: set[tuple[str, str, str]] = set()
        self.lines: dict[tuple[str, str], tuple[int, ...]] = {}
        self.owned: dict[str, list[str]] = {}
        self.bindings: dict[str, tuple[int, int]] = {}
        self.hashes: dict[int, str] = {}  # of statements that bind, by node: one may bind thousands of names
        self.builders: dict[str, Expressions] = {}
        self.heads: dict[str, tuple[list[Site], list[int], dict[str, list[int]]]] = {}
        self.fields: dict[tuple[str, str], list[tuple[str, Value]]] = {}
        self.patches: dict[tuple[str, str], list[tuple[Expr, Expr]]] = {}
        self.definitions: dict[str, FunctionFacts] = {}
        self.lambdas: list[tuple[Scope, tuple[str, ...]]] = []

    def read(self, scopes: Sequence[Scope]) -> None:
        """All cells of the scopes (parents first)."""
        by_node = {s.outer.id: s for s in scopes if s.kind != "module"}
        inner: list[Scope] = []
        for scope in scopes:
            builder = self.builders[scope.qual] = Expressions(scope, self.parse, self.lambdas, FORMS)
            builder.env = {n: bound for n, bound in scope.generics.items() if not scope.is_local(n)}
            ScopeReader(self, scope, builder, by_node).read()
            while self.lambdas:
                found, hidden = self.lambdas.pop(0)
                self._lambda(found, hidden)
                inner.append(found)
        for scope in (*scopes, *inner):
            self._finish(scope)
        for (cls, name), stores in self.fields.items():
            self.cells["field", cls, name] = tuple(dict.fromkeys(stores))
            self.names.add(("field", name, cls))
        for (qual, name), assigned in self.patches.items():
            self.cells["patch", qual, name] = tuple(dict.fromkeys(assigned))
            self.names.add(("patch", name, qual))

    def _lambda(self, scope: Scope, hidden: tuple[str, ...]) -> None:
        builder = self.builders[scope.qual] = Expressions(scope, self.parse, self.lambdas, FORMS)
        builder.env = dict.fromkeys(n for n in hidden if n not in scope.binds)
        node = scope.node
        params = self.parameters(builder, node.child_by_field_name("parameters"), AT_END, 0)
        body = builder.build(node.child_by_field_name("body"))
        for binds in scope.binds.values():
            for bind in binds:
                bind.expr = ("parameter", bind.name)
        parent = scope.parent.qual if scope.parent is not None else ""
        flags = frozenset({"generator"} if builder.generator else ())
        returned = (body,) if body is not None else ()
        function = FunctionFacts(parent, "", params, flags, (), None, returned, tuple(builder.yields))
        self.cells["function", scope.qual, ""] = function

    def parameters(self, builder: Expressions, node: Node | None, at: int, block: int) -> tuple[Parameter, ...]:
        """The parameters with annotations and defaults, read by ``builder``."""
        found = []
        for name, kind, child in parameter_names(node):
            hint = default = None
            if child.type in ("typed_parameter", "typed_default_parameter"):
                hint = annotation(builder, child.child_by_field_name("type"), at, block)
            if child.type in ("default_parameter", "typed_default_parameter"):
                default = builder.build(child.child_by_field_name("value"), at, block)
            found.append(Parameter(name, kind, hint, default))
        return tuple(found)

    def _finish(self, scope: Scope) -> None:
        builder = self.builders[scope.qual]
        self.owned.setdefault(scope.owner, []).append(scope.qual)
        head_sites, head_lines, head_reads = self.heads.get(scope.qual, ([], [], {}))
        reads = dict(head_reads)
        for name, lines in builder.reads.items():
            reads[name] = reads.get(name, []) + lines
        imports: list[Expr] = []
        import_lines: list[int] = []
        for item in scope.items:
            if item.kind in ("import", "star"):
                for _, expr in imported(item.node):
                    imports.append(expr)
                    import_lines.append(item.node.start_point[0] + 1)
        parent = scope.parent.qual if scope.parent is not None else ""
        self.cells["scope", scope.qual, ""] = ScopeFacts(
            scope.kind,
            scope.owner,
            parent,
            tuple(builder.sites),
            tuple(head_sites),
            tuple(sorted(reads)),
            tuple(imports),
        )
        self.lines[scope.qual, "sites"] = tuple(builder.lines)
        self.lines[scope.qual, "head"] = tuple(head_lines)
        self.lines[scope.qual, "imports"] = tuple(import_lines)
        self.lines[scope.qual, "reads"] = tuple(n for name in sorted(reads) for n in (len(reads[name]), *reads[name]))
        for number, container in builder.containers.items():
            self.cells["new", scope.qual, number] = container
        for name in {*scope.binds, *scope.extern}:
            self._name(scope, name)

    def _name(self, scope: Scope, name: str) -> None:
        binds = scope.binds.get(name, [])
        if len(binds) == 1 and binds[0].real and name not in scope.extern:  # most names
            versions: tuple[tuple[str, Value], ...] = ((binds[0].kind, binds[0].expr),)
            self._named(scope, name, binds, NameFacts(versions, (0,), (), False))
            return
        extern = tuple((qual, b.expr) for qual, b in scope.extern.get(name, ()))
        if not extern and not any(b.real for b in binds):
            return
        final = reaching(scope.blocks, binds, AT_END, 0) if binds else ()
        if not final:
            final = tuple(i for i, b in enumerate(binds) if not b.narrow)
        defined = [i for i in final if binds[i].kind in ("def", "class", "import")]
        versions = tuple((b.kind, b.expr) for b in binds)
        self._named(scope, name, binds, NameFacts(versions, final, extern, len(defined) > 1))

    def _named(self, scope: Scope, name: str, binds: Sequence[Bind], facts: NameFacts) -> None:
        self.cells["name", scope.qual, name] = facts
        if scope.kind == "module":
            self._statement(name, binds)
        elif scope.kind == "class":
            if any(k == "def" for k, _ in facts.versions):
                self.names.add(("method", name, scope.qual))
            self.names.add(("member", name, scope.qual))
            if any(makes_property(e) for _, e in (*facts.versions, *facts.extern)):
                self.names.add(("property", name, scope.qual))

    def _statement(self, name: str, binds: Sequence[Bind]) -> None:
        texts, last = [], None
        for bind in binds:
            node = bind.node
            if bind.kind not in ("def", "class") and node is not None:
                if node.id not in self.hashes:
                    self.hashes[node.id] = _statement_hash(node)
                texts.append(self.hashes[node.id])
            if bind.real and node is not None:
                first = node.start_point[0] + 1
                last = (first, max(first, node.end_point[0] + 1))
        if texts:
            self.cells["text", "", name] = digest(*texts)
        if last is not None:
            self.bindings[name] = last


def _statement_hash(node: Node) -> str:
    """The hash of a statement's text without the body it may have, indentation aside."""
    body = node.child_by_field_name("body") if node.type in ("for_statement", "with_statement") else None
    text = text_of(node)
    head = text[: -len(text_of(body))] if body else text
    return digest("\n".join(line.strip() for line in head.split("\n")))
