"""Where the definitions of a Python text stand, by the standard library's ``ast`` alone.

In: one text. Out: ``Outline``. Functions nested in functions belong to the outermost one. A text that does not
parse (Python 2, templates) has no outline, and nothing in it is ever gold.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or class: ``start`` counts decorators, ``line`` is its name's, ``head`` its interface."""

    name: str
    kind: Literal["function", "method", "class"]
    start: int
    line: int
    end: int
    parent: str
    head: str
    body: Spans

    @property
    def short(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Outline:
    """Definitions by start, their names once each, and the statements of the top level."""

    definitions: tuple[Definition, ...]
    by_name: dict[str, Definition]
    by_line: dict[int, Definition]
    statements: Spans
    imports: tuple[tuple[int, int, str, str, str], ...]

    def at(self, line: int) -> Definition | None:
        """The innermost definition around a line."""
        at = bisect_right(self.definitions, line, key=lambda d: d.start)
        around = [d for d in self.definitions[:at] if d.end >= line]
        return max(around, key=lambda d: d.start) if around else None

    def block(self, line: int, blank: Sequence[str]) -> tuple[int, int] | None:
        """The statements around a top-level line that no blank line separates; ``blank`` are the file's lines."""
        near = [s for s in self.statements if s[0] <= line <= s[1]]
        if not near:
            return None
        start, end = near[0]
        for low, high in reversed(self.statements):
            if high < start and all(blank[n - 1].strip() for n in range(high + 1, start)):
                start = low
        for low, high in self.statements:
            if low > end and all(blank[n - 1].strip() for n in range(end + 1, low)):
                end = high
        return start, end


@lru_cache(maxsize=4096)
def outline(text: str) -> Outline | None:
    """The outline of a Python text, None when it does not parse. One parse per content."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.split("\n")
    found = sorted(_definitions(tree.body, "", False, lines), key=lambda d: (d.start, d.end))
    by_name: dict[str, Definition] = {}
    for definition in found:
        by_name.setdefault(definition.name, definition)
    statements = tuple(
        (node.lineno, node.end_lineno or node.lineno)
        for node in tree.body
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    )
    imports = tuple(row for node in ast.walk(tree) for row in _imports(node))
    return Outline(tuple(found), by_name, {d.line: d for d in found}, statements, imports)


def _definitions(body: Sequence[ast.stmt], parent: str, in_class: bool, lines: Sequence[str]) -> Iterator[Definition]:
    for node in _flat(body):
        name = f"{parent}.{node.name}" if parent else node.name
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        end = node.end_lineno or node.lineno
        if isinstance(node, ast.ClassDef):
            inner = list(_definitions(node.body, name, True, lines))
            head = " ".join([*map(ast.unparse, node.bases), *(d.name for d in inner)])
            own = _without(start, end, [(d.start, d.end) for d in inner], lines)
            yield Definition(name, "class", start, node.lineno, end, parent, head, own)
            yield from inner
        else:
            head = f"{node.name}({ast.unparse(node.args)})"
            kind: Literal["method", "function"] = "method" if in_class else "function"
            yield Definition(name, kind, start, node.lineno, end, parent, head, ((start, end),))


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The definitions of a body, those inside ``if``, ``try`` and ``with`` too."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from _flat(handler.body)


def _without(start: int, end: int, holes: Sequence[tuple[int, int]], lines: Sequence[str]) -> Spans:
    """The lines of a class that are in none of its members, blank ones at the edges left out."""
    spans, at = [], start
    for low, high in [*sorted(holes), (end + 1, end + 1)]:
        first, last = at, low - 1
        while first <= last and not lines[first - 1].strip():
            first += 1
        while first <= last and not lines[last - 1].strip():
            last -= 1
        if first <= last:
            spans.append((first, last))
        at = max(at, high + 1)
    return tuple(spans)


def _imports(node: ast.AST) -> Iterator[tuple[int, int, str, str, str]]:
    """(line, level, module, name, bound name) of each imported name; name is "" for ``import module``."""
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.lineno, node.level, node.module or "", alias.name, alias.asname or alias.name
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.lineno, 0, alias.name, "", alias.asname or alias.name


def words(text: str) -> set[str]:
    """The identifiers in a text."""
    return set(re.findall(r"[A-Za-z_]\w*", text))
