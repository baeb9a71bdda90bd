"""Symbols of a Go text that does not parse, by lines alone.

An unclosed bracket or quote makes a parser lose what follows; in formatted code the headers at column 0 and
the closing brackets at column 0 are still there. In: lines. Out: drafts whose extents equal those of a parsed
text wherever the definition is intact and formatted. A definition runs to its closing bracket at column 0, else
to the last non-blank line before the next declaration at column 0. Method specs of interfaces are one line each.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from core.graph.languages.drafts import Draft

_FUNC = re.compile(r"func[ \t]*(?:\(([^()]*)\)[ \t]*)?([^\W\d]\w*)[ \t]*[\[(]")
_TYPE = re.compile(r"type[ \t]+([^\W\d]\w*)")
_GROUPED = re.compile(r"(\t| +)([^\W\d]\w*)(?:\[[^\]]*\])?[ \t]+=?[ \t]*[\w*\[(\.]")
_SPEC = re.compile(r"[ \t]+([^\W\d]\w*)\(")
_TOP = re.compile(r"(func|type|var|const|import|package)\b")
_WIDE = 400  # a header longer than this is not one that a person wrote
_RECEIVER = re.compile(r"[*\s(]*([^\W\d]\w*)[\s)]*(?:\[[^\]]*\])?$")


def drafts(text: Sequence[str]) -> list[Draft]:
    """One draft a definition, types before their specs, in text order."""
    lines = [line[:_WIDE] for line in text]
    found: list[Draft] = []
    counts: dict[str, int] = {}
    row = 0
    while row < len(lines):
        line = lines[row]
        func, kind = _FUNC.match(line), _TYPE.match(line)
        last = _end(lines, row) if func or kind else row
        if func is not None:
            _function(func, row, last, line, found, counts)
        elif kind is not None:
            found.append(_draft(kind[1], "class", kind[1], row, last, 0, line[4:], None, counts))
            _specs(lines, row, last, found, counts)
        elif line.startswith("type ("):
            last = _end(lines, row)
            _group(lines, row, last, found, counts)
        row = max(last, row) + 1
    return found


def _draft(
    qual: str, kind: str, name: str, first: int, last: int, column: int, text: str, parent: str | None,
    counts: dict[str, int],
) -> Draft:  # fmt: skip
    count = counts[qual] = counts.get(qual, 0) + 1
    shown = qual if count == 1 else f"{qual}#{count}"
    signature = " ".join(text.rstrip("{ \t").split())
    return Draft(shown, kind, name, first, last, column, signature, parent)  # type: ignore[arg-type]


def _function(match: re.Match[str], row: int, last: int, line: str, found: list[Draft], counts: dict[str, int]) -> None:
    receiver, name = match[1], match[2]
    base = _RECEIVER.search(receiver.strip()) if receiver is not None else None
    text = line[match.start(2) :]
    if base is None:
        found.append(_draft(name, "function", name, row, last, 0, text, None, counts))
        return
    parent = base[1] if any(d.qual == base[1] and d.kind == "class" for d in found) else None
    found.append(_draft(f"{base[1]}.{name}", "method", name, row, last, 0, text, parent, counts))


def _end(lines: Sequence[str], row: int) -> int:
    opened = lines[row].rstrip()
    if opened.endswith("}") and opened.count("{") == opened.count("}"):
        return row
    last = row
    for at in range(row + 1, len(lines)):
        line = lines[at]
        if line.startswith(("}", ")")):
            return at if not line.startswith(")") or not line.rstrip().endswith("{") else last
        if _TOP.match(line):
            break
        if line.strip() and not line.startswith(("//", "/*")):
            if not line[0].isspace() and not opened.endswith(("{", "(", ",")):
                break
            last = at
        if not opened.endswith(("{", "(", ",", "[")) and at == row + 1 and not line[:1].isspace():
            break
    return last


def _group(lines: Sequence[str], row: int, last: int, found: list[Draft], counts: dict[str, int]) -> None:
    column = next((len(x) - len(x.lstrip()) for x in lines[row + 1 : last] if x.strip()), 0)
    closings = [
        r for r in range(row + 1, last) if lines[r][column : column + 1] == "}" and not lines[r][:column].strip()
    ]
    at = row + 1
    while at < last:
        match = _GROUPED.match(lines[at])
        if match is None or len(match[1]) != column:
            at += 1
            continue
        end = at
        if lines[at].rstrip().endswith("{"):
            following = bisect_right(closings, at)
            end = closings[following] if following < len(closings) else at
        found.append(_draft(match[2], "class", match[2], at, end, column, lines[at], None, counts))
        _specs(lines, at, end, found, counts)
        at = end + 1


def _specs(lines: Sequence[str], row: int, last: int, found: list[Draft], counts: dict[str, int]) -> None:
    if "interface" not in lines[row]:
        return
    owner = found[-1].qual
    column = next((len(x) - len(x.lstrip()) for x in lines[row + 1 : last] if x.strip()), 0)
    for at in range(row + 1, last):
        match = _SPEC.match(lines[at])
        if match is not None and len(lines[at]) - len(lines[at].lstrip()) == column:
            text = lines[at].strip()
            found.append(_draft(f"{owner}.{match[1]}", "method", match[1], at, at, column, text, owner, counts))
