"""Symbols of a Python text that does not parse, by indentation alone.

An unclosed bracket or quote makes a parser lose what follows; the headers and their indentation are still
there. In: lines. Out: drafts whose extents equal those of a parsed text wherever the definition is intact.
A definition runs to the last line indented deeper than its header. Headers inside strings are taken for
definitions: in a text whose quotes may be broken nothing better can be known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.graph.languages.python.symbols import Draft

_HEADER = re.compile(r"([ \t\f]*)(?:(async)[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)")


@dataclass(slots=True)
class _Open:
    qual: str
    kind: str  # class | function
    owner: bool
    column: int
    draft: Draft | None
    counts: dict[str, int] = field(default_factory=dict)


def drafts(lines: Sequence[str]) -> list[Draft]:
    """One draft a definition outside functions, in text order."""
    found: list[Draft] = []
    top = _Open("", "module", True, -1, None)
    stack = [top]
    decorators = -1
    last_code = -1
    for row, line in enumerate(lines):
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        column = len(line) - len(line.lstrip())
        match = _HEADER.match(line)
        closing = body[0] in ")]}" or body.startswith(('"""', "'''"))
        if not closing:
            while stack[-1].column >= column:
                _close(stack.pop(), last_code)
        last_code = row
        if body.startswith("@"):
            decorators = row if decorators < 0 else decorators
            continue
        if match is not None:
            start = decorators if decorators >= 0 else row
            stack.append(_open(stack[-1], match, start, row, found, body))
        decorators = -1
    while len(stack) > 1:
        _close(stack.pop(), last_code)
    return found


def _open(parent: _Open, match: re.Match[str], start: int, row: int, found: list[Draft], body: str) -> _Open:
    column, name = len(match[1]), match[4]
    kind = "class" if match[3] == "class" else "function"
    count = parent.counts[name] = parent.counts.get(name, 0) + 1
    part = name if count == 1 else f"{name}#{count}"
    qual = f"{parent.qual}.{part}" if parent.qual else part
    owner = parent.owner and parent.kind != "function"
    draft = None
    if owner:
        shown = "class" if kind == "class" else "method" if parent.kind == "class" else "function"
        draft = Draft(qual, shown, name, start, row, column, body.rstrip(":"), parent.qual or None)
        found.append(draft)
    return _Open(qual, kind, owner, column, draft)


def _close(scope: _Open, last: int) -> None:
    if scope.draft is not None:
        scope.draft.last = max(scope.draft.last, last)
