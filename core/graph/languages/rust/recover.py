"""Symbols of a Rust text that does not parse, by lines alone.

An unclosed bracket or quote makes a parser lose what follows; in formatted code the headers and the closing brackets
still stand at their columns. In: lines. Out: drafts whose extents equal those of a parsed text wherever the definition
is intact and formatted. A definition runs to the first closing bracket at its column, else to the last line before the
next one that is not further in. Impl blocks, traits and modules are looked into; functions are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.graph.languages.drafts import Draft
from core.graph.symbols import SymbolKind

_WIDE = 400  # a header longer than this is not one that a person wrote
_VISIBLE = r"(?:pub(?:[ \t]*\([^)]*\))?[ \t]+)?"
_FUNCTION = re.compile(
    _VISIBLE + r"(?:(?:default|const|async|unsafe|safe|extern(?:[ \t]*\"[^\"]*\")?)[ \t]+)*fn[ \t]+((?:r#)?[^\W\d]\w*)"
)
_TYPE = re.compile(_VISIBLE + r"(struct|enum|union|type)[ \t]+((?:r#)?[^\W\d]\w*)")
_TRAIT = re.compile(_VISIBLE + r"(?:unsafe[ \t]+|auto[ \t]+)*trait[ \t]+((?:r#)?[^\W\d]\w*)")
_MODULE = re.compile(_VISIBLE + r"mod[ \t]+((?:r#)?[^\W\d]\w*)[ \t]*\{")
_MACRO = re.compile(r"macro_rules![ \t]*([^\W\d]\w*)")
_IMPL = re.compile(r"(?:default[ \t]+)?(?:unsafe[ \t]+)?impl\b(.*)")
_ATTRIBUTE = re.compile(r"#\[")
_OPEN = ("{", "(", "[", ",", "where", "=", "->", "+", ">")
Opened = tuple[str, str, int, str | None]  # what is put before names, before methods, last row, parent


def drafts(text: Sequence[str]) -> list[Draft]:
    """One draft a definition, containers before what is in them, in text order."""
    lines = [line[:_WIDE].rstrip() for line in text]
    closing = _closings(lines)
    found: list[Draft] = []
    counts: dict[str, int] = {}
    stack: list[Opened] = [("", "", len(lines), None)]
    row = 0
    while row < len(lines):
        while row > stack[-1][2]:
            stack.pop()
        first = row
        while row < len(lines) and _ATTRIBUTE.match(lines[row].lstrip()) and lines[row].endswith("]"):
            row += 1
        row = row if row < len(lines) else first
        line = lines[row].lstrip()
        column = len(lines[row]) - len(line)
        if not line or line.startswith(("//", "}", "*")):
            row += 1
            continue
        row = _definition(lines, closing, (first, row, column), line, stack, found, counts)
    return found


def _closings(lines: Sequence[str]) -> list[int]:
    """For each row, where a definition whose header begins there ends; linear by a stack of columns."""
    found = list(range(len(lines)))
    stack: list[tuple[int, int]] = []
    last = -1
    for row, line in enumerate(lines):
        text = line.lstrip()
        if not text:
            continue
        column = len(line) - len(text)
        closes = text[0] in "})]"
        while stack and (stack[-1][0] > column or (stack[-1][0] == column and not _continues(text, closes))):
            found[stack.pop()[1]] = last
        if closes and stack and stack[-1][0] == column:
            if text.endswith(("{", "(", "[")) or text in (")", "]", ")]"):
                last = row
                continue
            found[stack.pop()[1]] = row
        elif not closes and not (stack and stack[-1][0] == column):
            stack.append((column, row))
        last = row
    while stack:
        found[stack.pop()[1]] = last
    return found


def _continues(text: str, closes: bool) -> bool:
    return closes or text.startswith(("where", "{"))


def _definition(
    lines: Sequence[str], closing: Sequence[int], at: tuple[int, int, int], line: str, stack: list[Opened],
    found: list[Draft], counts: dict[str, int],
) -> int:  # fmt: skip
    """The definition whose header is ``line``, if it is one; the row to go on with."""
    first, row, column = at
    prefix, methods, _, parent = stack[-1]
    end = row if line.endswith((";", "}")) and line.count("{") == line.count("}") else closing[row]

    def draft(qual: str, kind: SymbolKind, held: str | None) -> str:
        count = counts[qual] = counts.get(qual, 0) + 1
        shown = qual if count == 1 else f"{qual}#{count}"
        signature = " ".join(line.rstrip("{ ;").split())
        name = qual.rpartition(".")[2]
        found.append(Draft(shown, kind, name, first, end, column, signature, held))
        return shown

    function, kind, trait = _FUNCTION.match(line), _TYPE.match(line), _TRAIT.match(line)
    module, macro, block = _MODULE.match(line), _MACRO.match(line), _IMPL.match(line)
    if function is not None:
        draft(methods + _plain(function[1]), "method" if parent is not None else "function", parent)
        return end + 1
    if kind is not None and not (kind[1] == "type" and parent is not None):
        draft(prefix + _plain(kind[2]), "class", None)
        return end + 1
    if macro is not None:
        draft(prefix + macro[1], "function", None)
        return end + 1
    if trait is not None:
        shown = draft(prefix + _plain(trait[1]), "class", None)
        stack.append((prefix, f"{shown}.", end, shown))
    elif module is not None:
        inner = f"{prefix}{_plain(module[1])}."
        stack.append((inner, inner, end, None))
    elif block is not None:
        base, name = _header(block[1])
        shown = draft(prefix + (f"impl {base} for {name}" if base else f"impl {name}"), "class", None)
        stack.append((prefix, f"{prefix}{name}.", end, shown))
    return row + 1


def _plain(name: str) -> str:
    return name.removeprefix("r#")


def _header(text: str) -> tuple[str, str]:
    """(trait or "", type) of what follows ``impl``."""
    flat: list[str] = []
    depth = 0
    before = ""
    for character in text:
        if character == "<":
            depth += 1
        elif character == ">" and before != "-":
            depth = max(depth - 1, 0)
        elif not depth:
            flat.append(character)
        before = character
    words = "".join(flat).replace("{", " ").partition(" where ")[0]
    base, split, name = words.partition(" for ")
    return (_last(base), _last(name)) if split else ("", _last(words))


def _last(text: str) -> str:
    words = text.replace("&", " ").replace("mut ", " ").replace("!", " ").split()
    words = [w for w in words if not w.startswith("'")]
    if not words:
        return "fn"
    if words[0] == "dyn" and len(words) > 1:
        return "dyn " + words[1].rpartition("::")[2]
    if words[0][0] in "[(":
        return "[]" if words[0][0] == "[" else "()"
    return words[0].rpartition("::")[2]
