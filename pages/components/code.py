"""Code on a page: plain, with marked lines, or as a diff. Few nodes, everything escaped, long texts clipped.

A block is a column of line numbers, a sign and the text per stretch of equally marked lines, so a
file of any length is a handful of nodes. Marks also carry a sign and a border: colour never stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

import streamlit as st

from core.replay.lines import line_map, split_lines
from pages.components import words

_NUMBERED = re.compile(r"\s{0,8}(\d{1,7})(?:\t|→)")
LIMIT = 20_000  # characters shown before the text is clipped
_SIGN = {"add": "+", "del": "-", "false": "×", "old": " ", "need": "○", "held": "●", "hunk": " ", "gap": "⌃", "": " "}
Line = tuple[str, str, str]  # mark, number, text


def numbered(text: str, start: int = 1, marks: Mapping[int, str] | None = None) -> list[Line]:
    """The lines of ``text`` numbered from ``start``; ``marks`` gives a line number its mark."""
    marks = marks or {}
    return [(marks.get(n, ""), str(n), line) for n, line in enumerate(split_lines(text), start)]


def loosely_numbered(text: str) -> list[Line]:
    """Lines with the number they show themselves, the others without one."""
    out: list[Line] = []
    for line in split_lines(text):
        found = _NUMBERED.match(line)
        out.append(("", found[1], line[found.end() :]) if found else ("", "", line))
    return out


def as_shown(text: str) -> list[Line]:
    """A tool result: where it numbers its lines itself (number, tab or arrow, text), those numbers are used."""
    out: list[Line] = []
    for n, line in enumerate(split_lines(text), 1):
        found = _NUMBERED.match(line)
        out.append(("", found[1], line[found.end() :]) if found else ("", str(n), line))
    own = sum(1 for line in split_lines(text) if _NUMBERED.match(line))
    return out if own * 2 > len(out) else numbered(text)


def diff_lines(before: str | None, after: str | None, around: int = 3) -> list[Line]:
    """A unified diff with ``around`` lines of context, numbered as in the text each line is from."""
    old, new = split_lines(before or ""), split_lines(after or "")
    blocks = line_map(before or "", after or "").blocks
    out: list[Line] = []
    at = 0  # new lines already told
    for block in blocks:
        out += _context(new, at + 1, block.new_start - 1, around if at or out else 0, around)
        out += [("del", str(n), old[n - 1]) for n in range(block.old_start, block.old_end + 1)]
        out += [("add", str(n), new[n - 1]) for n in range(block.new_start, block.new_end + 1)]
        at = block.new_end
    if blocks:
        out += _context(new, at + 1, len(new), around, 0)
    return out


def _context(new: list[str], first: int, last: int, head: int, tail: int) -> list[Line]:
    """The equal lines ``first..last`` between two changes: ``head`` after the one, ``tail`` before the other."""
    if last - first + 1 <= head + tail:
        return [("", str(n), new[n - 1]) for n in range(first, last + 1)]
    left = [("", str(n), new[n - 1]) for n in range(first, first + head)]
    right = [("", str(n), new[n - 1]) for n in range(last - tail + 1, last + 1)]
    return [*left, ("hunk", "⋯", f"{last - first + 1 - head - tail} equal lines"), *right]


def focus(lines: list[Line], around: int = 5, whole: int = 60) -> list[Line]:
    """A long block cut down to what is marked and ``around`` lines about it; as it is when short or unmarked."""
    marked = [n for n, (mark, _, _) in enumerate(lines) if mark not in {"", "hunk"}]
    if len(lines) <= whole or not marked:
        return lines
    keep = {k for n in marked for k in range(n - around, n + around + 1)} | {
        n for n, line in enumerate(lines) if line[0] == "hunk"
    }
    out: list[Line] = []
    hidden = 0
    for n, line in enumerate([*lines, ("hunk", "", "")]):
        if n < len(lines) and n not in keep:
            hidden += 1
            continue
        if hidden:
            out.append(("hunk", "⋯", f"{hidden} lines"))
            hidden = 0
        if n < len(lines):
            out.append(line)
    return out


def render(lines: Iterable[Line], limit: int = LIMIT, height: int = 420, wrap: bool = False) -> tuple[str, int]:
    """The block as HTML and how many lines were left out after ``limit`` characters."""
    kept: list[Line] = []
    size = 0
    rest = 0
    for line in lines:
        size += len(line[2]) + 1
        if size > limit and kept:
            rest += 1
        else:
            kept.append((line[0], line[1], line[2] if len(line[2]) <= 2000 else line[2][:2000] + " …"))
    parts = []
    for mark, group in groupby(kept, key=lambda line: line[0]):
        some = list(group)
        numbers = "\n".join(words.esc(n) for _, n, _ in some)
        text = "\n".join(words.esc(t) for _, _, t in some)
        signs = "\n".join([_SIGN.get(mark, " ")] * len(some))
        parts.append(
            f'<div class="seg {mark}"><div class="no">{numbers}</div><div '
            f'class="sg">{signs}</div><div class="tx">{text}</div></div>'
        )
    look = "tp-code wrap" if wrap else "tp-code"
    return f'<div class="{look}" style="max-height:{height}px">{"".join(parts)}</div>', rest


def show(
    lines: Iterable[Line], *, key: str, height: int = 420, empty: str = "Nothing to show.", wrap: bool = False
) -> None:
    """Draw a block; a long one is cut down to what is marked, then clipped, with a button for the rest."""
    everything = list(lines)
    if not everything:
        st.caption(empty)
        return
    whole = bool(st.session_state.get(f"whole:{key}"))
    shown = everything if whole else focus(everything)
    body, rest = render(shown, 400_000 if whole else LIMIT, height, wrap)
    st.html(body)
    hidden = rest + len(everything) - sum(1 for mark, _, _ in shown if mark != "hunk")
    hidden -= sum(1 for mark, _, _ in everything if mark == "hunk")
    if hidden > 0 and not whole:
        label = f"Show all {words.count(len(everything))} lines"
        st.button(label, key=f"more:{key}", type="tertiary", on_click=_show_all, args=(f"whole:{key}",))
    elif rest:
        st.caption(f"{words.plural(rest, 'more line')} not drawn; download the text to see all of it.")


def _show_all(name: str) -> None:
    st.session_state[name] = True


def head(place: str, note: str = "") -> None:
    """The line above a block: where it is (run text, escaped here) and a note (HTML the caller escaped)."""
    st.html(f'<div class="tp-head"><code>{words.esc(words.tail(place, 90))}</code> {note}</div>')


def slice_lines(text: str | None, start: int | None, end: int | None, around: int = 0) -> tuple[str, int]:
    """Lines ``start..end`` of ``text`` with ``around`` more on both sides, and the number of the first."""
    lines = split_lines(text or "")
    first = max(1, (start or 1) - around)
    last = min(len(lines), (end or len(lines)) + around)
    return "\n".join(lines[first - 1 : last]), first
