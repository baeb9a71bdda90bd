"""A code graph of plain Python files, rebuilt whole at every update: the reference the tape is tested against.

Top-level functions, classes with methods, ``path::<module>``; calls to names that are imported from another
file (``from a import f``), defined here or (else) outside; module-level assignments are bindings to be read.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping

from core.graph.symbols import Delta, Edge, Symbol, View


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


class ToyGraph:
    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files: dict[str, str] = {}
        self._symbols: dict[str, Symbol] = {}
        self._views: dict[str, View] = {}
        self.update(files or {})

    def paths(self) -> set[str]:
        return set(self.files)

    def symbols(self, path: str) -> list[Symbol]:
        return [s for s in self._symbols.values() if s.path == path]

    def symbol(self, symbol_id: str) -> Symbol | None:
        return self._symbols.get(symbol_id)

    def view(self, symbol_id: str) -> View | None:
        return self._views.get(symbol_id)

    def covering(self, path: str, start: int, end: int) -> list[str]:
        return sorted(s.id for s in self.symbols(path) if any(a <= end and start <= b for a, b in s.own))

    def update(self, changes: Mapping[str, str | None]) -> Delta:
        old_views, old_edges = self._views, set(self._edges())
        for path, text in changes.items():
            if text is None:
                self.files.pop(path, None)
            else:
                self.files[path] = text
        self._symbols = {s.id: s for path, text in sorted(self.files.items()) for s in _symbols(path, text)}
        self._views = {i: self._view(s) for i, s in self._symbols.items()}
        moved = [i for i in sorted(old_views.keys() | self._views.keys()) if old_views.get(i) != self._views.get(i)]
        edges = set(self._edges())
        key = lambda e: (e.source, e.target)  # noqa: E731
        return Delta(
            {i: old_views.get(i) for i in moved},
            {i: self._views.get(i) for i in moved},
            tuple(sorted(old_edges - edges, key=key)),
            tuple(sorted(edges - old_edges, key=key)),
        )

    def _view(self, symbol: Symbol) -> View:
        tree = ast.parse(self.files[symbol.path])
        names = _imports(tree)
        bindings = {
            t.id: digest(ast.unparse(n))
            for n in tree.body
            if isinstance(n, ast.Assign)
            for t in n.targets
            if isinstance(t, ast.Name)
        }
        node = next((n for n in _walk(symbol, tree)), None)
        calls: dict[str, tuple[str, ...]] = {}
        uses: dict[str, str] = {}
        for inner in ast.walk(node) if node is not None else ():
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
                target = self._target(symbol.path, inner.func.id, names)
                if target:
                    calls[inner.func.id] = (target,)
            elif isinstance(inner, ast.Name) and inner.id in bindings:
                uses[inner.id] = bindings[inner.id]
        return View(symbol.own_hash, tuple(sorted(calls.items())), tuple(sorted(uses.items())))

    def _target(self, path: str, name: str, names: Mapping[str, str]) -> str | None:
        if f"{path}::{name}" in self._symbols:
            return f"{path}::{name}"
        if name not in names:
            return None
        module = names[name]
        inside = f"{module}.py::{name}"
        if inside in self._symbols:
            return inside
        return f"<external>::{module}.{name}"

    def _edges(self) -> Iterator[Edge]:
        for source, view in self._views.items():
            for _, targets in view.calls:
                for target in targets:
                    yield Edge(source, target, "call", "certain", "by name")


def _imports(tree: ast.Module) -> dict[str, str]:
    return {
        alias.name: node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def _walk(symbol: Symbol, tree: ast.Module) -> Iterator[ast.AST]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and symbol.id == f"{symbol.path}::{node.name}":
            yield node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and symbol.id == f"{symbol.path}::{node.name}.{inner.name}":
                    yield inner


def _symbols(path: str, text: str) -> Iterator[Symbol]:
    lines = text.split("\n")
    taken: set[int] = set()
    for node in ast.parse(text).body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        start, end = node.lineno, node.end_lineno or node.lineno
        inside: set[int] = set()
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    span = range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)
                    inside.update(span)
                    yield _symbol(path, f"{node.name}.{inner.name}", "method", lines, span)
        members = ",".join(n.name for n in node.body if isinstance(n, ast.FunctionDef)) if inside else ""
        own = [n for n in range(start, end + 1) if n not in inside]
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        yield _symbol(path, node.name, kind, lines, own, members)
        taken.update(range(start, end + 1))
    rest = [n for n in range(1, len(lines) + 1) if n not in taken]
    yield _symbol(path, "<module>", "module", lines, rest)


def _symbol(path, name, kind, lines, numbers, more="") -> Symbol:  # type: ignore[no-untyped-def]
    solid = [n for n in numbers if lines[n - 1].strip()]
    runs: list[list[int]] = []
    for n in solid:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    own = tuple((a, b) for a, b in runs)
    text = "\n".join(lines[n - 1].rstrip() for n in solid) + "\0" + more
    ends = (own[0][0], own[-1][1]) if own else (1, 1)
    return Symbol(f"{path}::{name}", kind, path, name, ends[0], ends[1], own, digest(text))
