"""Symbols of a JavaScript or TypeScript text that does not parse, by lines alone.

An unclosed bracket or quote makes a parser lose what follows; in formatted code the headers at column 0, the members
one step further in, and the closing brackets at the column of their header are still there. In: lines. Out: drafts
whose extents equal those of a parsed text wherever the definition is intact and formatted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.graph.languages.drafts import Draft
from core.graph.languages.javascript.reader import safe

_EXPORT = r"(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?"
_FUNC = re.compile(_EXPORT + r"(?:async[ \t]+)?function[ \t]*\*?[ \t]*([\w$]*)[ \t]*[(<]")
_CLASS = re.compile(_EXPORT + r"(?:abstract[ \t]+)?(?:class|interface|enum|const[ \t]+enum)[ \t]+([\w$]+)")
_TYPE = re.compile(_EXPORT + r"type[ \t]+([\w$]+)[^=]{0,80}=")
_BOUND = re.compile(
    _EXPORT + r"(?:const|let|var)[ \t]+([\w$]+)[^=]{0,80}=[ \t]*(?:async[ \t]*)?(?:function\b|\(|[\w$]+[ \t]*=>)"
)
_ARROW = re.compile(r"=>|\bfunction\b")
_MEMBER = re.compile(
    r"(?:(?:public|private|protected|static|async|override|readonly|abstract|get|set)[ \t]+){0,5}\*?[ \t]*"
    r"(#?[\w$]+)[ \t]*(?:<[^>]{0,80}>)?(?:\(|=[ \t]*(?:async[ \t]*)?(?:\(|[\w$]+[ \t]*=>|function\b))"
)
_WORDS = frozenset(["if", "for", "while", "switch", "catch", "return", "function", "new", "await", "throw", "super"])
_WIDE = 400  # a header longer than this is not one that a person wrote


def drafts(text: Sequence[str]) -> list[Draft]:
    """One draft a definition, classes before their members, in text order."""
    lines = [line[:_WIDE] for line in text]
    found: list[Draft] = []
    counts: dict[str, int] = {}
    row = 0
    while row < len(lines):
        line = lines[row]
        klass, func, kind = _CLASS.match(line), _FUNC.match(line), _TYPE.match(line)
        bound = _BOUND.match(line)
        if bound is not None and not _ARROW.search(" ".join(lines[row : row + 8])):
            bound = None
        if klass is None and func is None and kind is None and bound is None:
            row += 1
            continue
        last = _end(lines, row, 0)
        if func is not None:
            _add(found, counts, func[1] or "default", "function", row, last, 0, line, None)
        elif bound is not None:
            _add(found, counts, bound[1], "function", row, last, 0, line, None)
        else:
            named = klass if klass is not None else kind
            assert named is not None
            owner = _add(found, counts, named[1], "class", row, last, 0, line, None)
            if klass is not None:
                _members(lines, row, last, owner, found, counts)
        row = max(last, row) + 1
    return found


def _add(
    found: list[Draft], counts: dict[str, int], qual: str, kind: str, first: int, last: int, column: int, line: str,
    parent: str | None,
) -> str:  # fmt: skip
    count = counts[qual] = counts.get(qual, 0) + 1
    shown = qual if count == 1 else f"{qual}#{count}"
    signature = " ".join(line.strip().rstrip("{ \t").split())
    found.append(Draft(shown, kind, qual.rpartition(".")[2], first, last, column, signature, parent))  # type: ignore[arg-type]
    return shown


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _end(lines: Sequence[str], row: int, column: int) -> int:
    """The last row of a definition: its closing bracket at the header's column, else before the next line there."""
    opened = lines[row].rstrip()
    if opened.endswith((";", "}")) and opened.count("{") == opened.count("}"):
        return row
    last = row
    for at in range(row + 1, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        if _indent(line) <= column:
            shown = line.lstrip()
            if shown.startswith(("}", ")", "]")) and _indent(line) == column:
                if shown.rstrip().endswith(("{", "(", "=>")):
                    last = at
                    continue
                return at
            return last
        last = at
    return last


def _members(lines: Sequence[str], row: int, last: int, owner: str, found: list[Draft], counts: dict[str, int]) -> None:
    column = next((_indent(x) for x in lines[row + 1 : last] if x.strip()), 0)
    at = row + 1
    while at < last and column:
        line = lines[at]
        match = _MEMBER.match(line, column) if _indent(line) == column else None
        if match is None or match[1] in _WORDS:
            at += 1
            continue
        end = min(_end(lines, at, column), last - 1)
        _add(found, counts, f"{owner}.{safe(match[1])}", "method", at, max(end, at), column, line, owner)
        at = max(end, at) + 1
