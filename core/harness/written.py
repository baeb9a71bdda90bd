"""Harness: how free text stands in the files of the records, exactly and still editable by hand.

Two devices. Characters an editor or a terminal would lose or act on become entities (``&#13;``), in a one-line place
line ends and its own delimiters too. A line of a longer text that would read as structure gets a backslash in front,
which is Markdown's own way. ``read`` is the inverse of ``write`` for every text.
"""

from __future__ import annotations

import re

# Controls but tab and line feed, line separators other programs break lines at, lone surrogates.
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]|&(?=#)")
_ENTITY = re.compile(r"&#(\d{1,7});")
_GUARDED = re.compile(r"\\|#|- |<!--|\s*$")


def inline(text: str, delimiters: str = "") -> str:
    """``text`` for a place that is one line and ends at one of ``delimiters``."""
    written = _ODD.sub(lambda m: f"&#{ord(m[0])};", text)
    for mark in "\n" + delimiters:
        written = written.replace(mark, f"&#{ord(mark)};")
    # Blanks at the ends would be lost in the layout around them.
    body = written.strip()
    at = written.find(body) if body else 0
    return _blanks(written[:at]) + body + _blanks(written[at + len(body) :])


def _blanks(text: str) -> str:
    return "".join(f"&#{ord(c)};" for c in text)


def plain(written: str) -> str:
    """The text that ``inline`` wrote; entities that name no character stay as they are."""
    return _ENTITY.sub(lambda m: chr(int(m[1])) if int(m[1]) < 0x110000 else m[0], written)


def block(text: str) -> list[str]:
    """``text`` as lines that may stand under a heading or, indented, in a list item; [] for the empty text."""
    if not text:
        return []
    lines = _ODD.sub(lambda m: f"&#{ord(m[0])};", text).split("\n")
    last = len(lines) - 1
    return [_guard(line, edge=at in (0, last)) for at, line in enumerate(lines)]


def _guard(line: str, edge: bool) -> str:
    if line == "" and not edge:
        return ""
    return "\\" + line if _GUARDED.match(line) else line


def unblock(lines: list[str]) -> str:
    """The text that ``block`` wrote; blank lines around it are layout."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return plain("\n".join(line[1:] if line.startswith("\\") else line for line in lines[first:last]))


def code(text: str) -> str:
    """``text`` as inline code; ``codes`` reads it back."""
    return f"`{inline(text, '`')}`"


def codes(written: str) -> tuple[str, ...]:
    """Every inline code of a line, in order."""
    return tuple(plain(found) for found in re.findall(r"`([^`\n]*)`", written))
