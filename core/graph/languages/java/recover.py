"""Symbols of a Java text that does not parse, by lines alone.

An unclosed bracket or quote makes a parser lose what follows; in indented code the headers and the closing brackets
still stand in their columns. In: lines. Out: drafts whose extents equal those of a parsed text wherever the
definition is intact and indented. A definition runs to its closing bracket in the column of its header, else to the
last non-blank line before the next line at that column or left of it. Headers inside methods are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.graph.languages.drafts import Draft

_WORDS = (
    r"(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp|default|native|synchronized)\s+)*"
)
_CLASS = re.compile(_WORDS + r"(?:class|@?interface|enum|record)\s+([^\W\d]\w*)")
_METHOD = re.compile(_WORDS + r"(?:<[^()]*?>\s*)?((?:[\w$.@]+(?:<[^()]*>)?(?:\[\])*\s+)?)([^\W\d]\w*)\s*\(")
_NONE = frozenset(
    ["if", "for", "while", "switch", "catch", "return", "new", "else", "throw", "try", "do", "assert", "super", "this"]
)
_WIDE = 400  # a header longer than this is not one that a person wrote


class _Open:
    __slots__ = ("column", "draft", "kind", "members")

    def __init__(self, draft: Draft, column: int, kind: str) -> None:
        self.draft = draft
        self.column = column
        self.kind = kind
        self.members = -1  # the column of its members


def drafts(text: Sequence[str]) -> list[Draft]:
    """One draft a definition, classes before their members, in text order."""
    found: list[Draft] = []
    counts: dict[str, int] = {}
    stack: list[_Open] = []
    above = -1
    comment = False
    annotated = -1
    for row, whole in enumerate(text):
        line = whole[:_WIDE]
        shown = line.strip()
        if comment or not shown or shown.startswith(("//", "/*", "*")):
            comment = (comment or shown.startswith("/*")) and "*/" not in whole
            continue
        column = len(line) - len(line.lstrip())
        while stack and column <= stack[-1].column:
            if shown.startswith(("}", ")")) and column == stack[-1].column:
                stack[-1].draft.last = row
                if shown.startswith(")") and shown.endswith("{"):  # the end of a wrapped header
                    break
            elif row > stack[-1].draft.first and shown in ("{",):
                break
            else:
                stack[-1].draft.last = max(stack[-1].draft.last, above)
            stack.pop()
        if not shown.startswith("}"):
            first = annotated if annotated >= 0 and shown[0] != "@" else row
            if shown[0] == "@" and not shown.startswith("@interface") and not _after(shown):
                annotated = row if annotated < 0 else annotated
            else:
                _open(_after(shown) or shown, first, row, column, stack, found, counts)
                annotated = -1
        above = row
    for left in stack:
        left.draft.last = max(left.draft.last, above)
    return found


def _after(shown: str) -> str:
    """What follows annotations without arguments on the line of a header."""
    match = re.match(r"(?:@(?!interface\b)[\w.]+(?:\([^()]*\))?\s+)+(?=\S)", shown)
    return shown[match.end() :] if match is not None else ""


def _open(
    shown: str, first: int, row: int, column: int, stack: list[_Open], found: list[Draft], counts: dict[str, int]
) -> None:
    around = stack[-1] if stack else None
    if around is not None and around.kind == "method":
        return
    kind, method = _CLASS.match(shown), None
    if around is not None and kind is None:
        if around.members >= 0 and column != around.members:
            return
        method = _METHOD.match(shown)
        if method is not None and not _is_header(method, shown, around):
            method = None
    if around is not None and around.members < 0:
        around.members = column
    if kind is None and method is None:
        return
    name = kind[1] if kind is not None else method[2] if method is not None else ""
    qual = f"{around.draft.qual}.{name}" if around is not None else name
    count = counts[qual] = counts.get(qual, 0) + 1
    shown_qual = qual if count == 1 else f"{qual}#{count}"
    signature = " ".join(shown.rstrip("{; \t").split())
    parent = around.draft.qual if around is not None else None
    draft = Draft(shown_qual, "class" if kind else "method", name, first, row, column, signature, parent)
    found.append(draft)
    if not (shown.endswith((";", "}")) and shown.count("{") == shown.count("}")):
        stack.append(_Open(draft, column, "class" if kind else "method"))


def _is_header(method: re.Match[str], shown: str, around: _Open) -> bool:
    """Whether a line that looks like a method begins one: a type and a name, or the name of the class."""
    kind, name = method[1].strip(), method[2]
    if name in _NONE or kind in _NONE:
        return False
    if not kind:
        return name == around.draft.name and not shown.endswith(";")
    return "=" not in shown[: method.end()]
