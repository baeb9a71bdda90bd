"""Hunks that need no knowledge of the code: licence headers and imports of other people's modules (Appendix E).

In: a hunk, the old lines around it. Out: whether it is mechanical boilerplate, which is never gold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.tracebench.hunks import Hunk, added_lines

_IMPORT = re.compile(
    r"\s*(import\b|from\s+\S+\s+import\b|#\s*include\b|using\s+[\w.:]+\s*;|use\s+[\w:]+|package\s+\w+|require(_relative)?\s*\(?['\"]"
    r"|(const|let|var)\s.*=\s*require\(|export\s.*\sfrom\s+['\"]|extern\s+crate\b|pub\s+use\b)"
)
# Inside a bracketed import: names, aliases, quoted paths, the brackets.
_IMPORT_PART = re.compile(
    r"\s*([()\[\]{};,]*|[\w.*]+(\s+as\s+\w+)?,?\s*\)?|([\w.]+\s+)?[\"'`][^\"'`]+[\"'`];?|\}\s*from\s+['\"].*)\s*(#.*|//.*)?"
)
_COMMENT = re.compile(r"\s*(#|//|/\*|\*|--|;|<!--|\"\"\"|''')")
_LICENCE = re.compile(r"copyright|licen[sc]e|spdx|all rights reserved", re.IGNORECASE)
_HEADER_LINES = 40
# No import line is longer; a hostile line of spaces must not cost quadratic time.
_LINE_LIMIT = 300


def is_licence_header(hunk: Hunk) -> bool:
    """Whether the hunk changes only a licence comment at the head of the file."""
    lines = _changed_lines(hunk)
    head = hunk.old_start <= _HEADER_LINES and all(n <= _HEADER_LINES for n in hunk.added)
    return bool(lines) and head and all(map(_COMMENT.match, lines)) and any(map(_LICENCE.search, lines))


def is_imports_only(hunk: Hunk, old: Sequence[str]) -> bool:
    """Whether the hunk changes nothing but import statements; ``old`` are the lines of the old file."""
    lines = _changed_lines(hunk)
    if not lines:
        return False
    if all(map(_IMPORT.match, lines)):
        return True
    if not all(_IMPORT.match(line) or _IMPORT_PART.fullmatch(line) for line in lines):
        return False
    return _inside_import(old, hunk.old_start) or bool(_IMPORT.match(lines[0]))


def _changed_lines(hunk: Hunk) -> list[str]:
    """The texts of the removed and of the added lines, clipped."""
    return [line[:_LINE_LIMIT] for line in (*hunk.removed, *added_lines(hunk)) if line.strip()]


def _inside_import(old: Sequence[str], line: int) -> bool:
    """Whether the nearest import line at or above ``line`` opens a bracket that is still open there."""
    for at in range(min(line, len(old)) - 1, -1, -1):
        if _IMPORT.match(old[at][:_LINE_LIMIT]):
            between = "".join(old[at : line - 1])
            return sum(map(between.count, "([{")) > sum(map(between.count, ")]}"))
        if not _IMPORT_PART.fullmatch(old[at][:_LINE_LIMIT]):
            return False
    return False
