"""A code graph of plain Python files for the tests of the gold rules: from-imports, names, ``self.m()``, bases.

It stands for ``CodeGraph`` where a test wants to see every edge at a glance. Syntax errors are not its business.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from core.graph.symbols import Edge, Reference, Symbol


class SmallGraph:
    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)

    def symbols(self, path: str) -> list[Symbol]:
        return self.symbols_in(path, self.files[path]) if path in self.files else []

    def symbol(self, id: str) -> Symbol | None:
        return next((s for s in self.symbols(id.partition("::")[0]) if s.id == id), None)

    def callers(self, id: str) -> list[Edge]:
        return [e for e in self._edges() if e.target == id and e.kind in ("call", "constructor")]

    def relations(self, id: str) -> list[Edge]:
        return [e for e in self._edges() if id in (e.source, e.target) and e.kind in ("import", "inherits")]

    def bases(self, id: str) -> list[str]:
        return sorted(e.target for e in self._edges() if e.source == id and e.kind == "inherits")

    def overrides(self, id: str) -> list[str]:
        owner, _, name = id.rpartition(".")
        return [b for base in self.bases(owner) if self.symbol(b := f"{base}.{name}") is not None]

    def overridden_by(self, id: str) -> list[str]:
        return sorted(s.id for p in self.files for s in self.symbols(p) if id in self.overrides(s.id))

    def statement_at(self, path: str, line: int) -> tuple[int, int] | None:
        return None

    def symbols_in(self, path: str, text: str) -> list[Symbol]:
        lines = text.split("\n")
        found: list[Symbol] = []
        taken: set[int] = set()

        def visit(body: list[ast.stmt], parent: Symbol | None) -> set[int]:
            inside: set[int] = set()
            for node in body:
                if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    continue
                start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                end = node.end_lineno or node.lineno
                name = node.name if parent is None else f"{parent.id.partition('::')[2]}.{node.name}"
                kind = "class" if isinstance(node, ast.ClassDef) else "method" if _in_class(parent) else "function"
                head = (
                    ast.unparse(node.args)
                    if isinstance(node, ast.FunctionDef)
                    else str([*map(ast.unparse, node.bases)])
                )
                shell = Symbol(
                    f"{path}::{name}", kind, path, node.name, start, end, (), "", head, parent.id if parent else None
                )
                nested = visit(node.body, shell)
                own = [n for n in range(start, end + 1) if n not in nested and lines[n - 1].strip()]
                found.append(
                    Symbol(
                        shell.id, kind, path, node.name, start, end, _runs(own), "", head, parent.id if parent else None
                    )
                )
                inside |= set(range(start, end + 1))
            return inside

        taken = visit(ast.parse(text).body, None)
        rest = [n for n in range(1, len(lines) + 1) if n not in taken and lines[n - 1].strip()]
        found.append(Symbol(f"{path}::<module>", "module", path, "<module>", 1, len(lines), _runs(rest), ""))
        return found

    def references(self, path: str, text: str) -> list[Reference]:
        tree = ast.parse(text)
        symbols = self.symbols_in(path, text)
        names = {s.name: s.id for s in symbols if s.parent is None and s.kind != "module"}
        found: list[Reference] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    target = f"{(node.module or '').replace('.', '/')}.py::{alias.name}"
                    if self.symbol(target):
                        names[alias.asname or alias.name] = target
                        found.append(Reference(node.lineno, f"{path}::<module>", target, "import", "certain", "import"))
        for symbol in symbols:
            for number in (n for a, b in symbol.own for n in range(a, b + 1)):
                for reference in self._on_line(text.split("\n")[number - 1], symbol, names):
                    found.append(Reference(number, symbol.id, *reference))
        return found

    def _on_line(self, line: str, symbol: Symbol, names: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
        source = line.strip()
        if source.startswith("class ") and "(" in source:
            base = source.partition("(")[2].partition(")")[0]
            if base in names:
                yield names[base], "inherits", "certain", "base class"
            return
        for name, target in names.items():
            if f"{name}(" in source.replace(f"def {name}(", "").replace(f".{name}(", "") and not source.startswith(
                "from"
            ):
                found = self.symbol(target)
                yield target, "constructor" if found and found.kind == "class" else "call", "certain", "by name"
        if "self." in source and "(" in source and symbol.parent:
            method = source.partition("self.")[2].partition("(")[0]
            if self.symbol(f"{symbol.parent}.{method}"):
                yield f"{symbol.parent}.{method}", "call", "certain", "method of its class"

    def _edges(self) -> Iterator[Edge]:
        for path, text in self.files.items():
            for r in self.references(path, text):
                yield Edge(r.source, r.target, r.kind, r.tier, r.why)


def _in_class(parent: Symbol | None) -> bool:
    return parent is not None and parent.kind == "class"


def _runs(lines: list[int]) -> tuple[tuple[int, int], ...]:
    runs: list[tuple[int, int]] = []
    for n in lines:
        if runs and runs[-1][1] == n - 1:
            runs[-1] = (runs[-1][0], n)
        else:
            runs.append((n, n))
    return tuple(runs)
