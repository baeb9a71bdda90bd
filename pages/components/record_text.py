"""A record's text as lines people can read, its false lines marked.

Numbered output keeps the numbers it shows; an edit's call is unfolded into its fields, its new text numbered
where it landed. Stale ranges are in w_born; an empty one (end = start - 1) is a place where text came in
between two shown lines.
"""

from __future__ import annotations

import json
from typing import Any

from pages.components import code
from storage.queries import Row


def struck(text: str, row: Row) -> list[code.Line]:
    """The lines of the record with what is false of them now."""
    if row["status"] == "state-stale":
        return [("old", n, line) for _, n, line in code.as_shown(text)]
    wrong, gaps = _ranges(row)
    out: list[code.Line] = []
    for mark, number, line in _lines(text, row):
        n = int(number) if number.isdecimal() else None
        if n is not None and n in gaps:
            gaps.discard(n)
            out.append(("gap", "", "a later write put text in here"))
        out.append(("false" if n is not None and n in wrong else mark, number, line))
    return out


def _ranges(row: Row) -> tuple[set[int], set[int]]:
    wrong: set[int] = set()
    gaps: set[int] = set()
    for first, last in row.get("stale_lines") or ():
        wrong.update(range(first, min(last, first + 100_000) + 1))
        if last < first:
            gaps.add(first)
    return wrong, gaps


def _lines(text: str, row: Row) -> list[code.Line]:
    """Lines with numbers only where the number is the file's."""
    first, _, rest = text.partition("\n")
    call = _object(first) if row["kind"] == "edit" else None
    if call is not None:
        return _unfolded(call, rest, row)
    shown = code.as_shown(text)
    if shown != code.numbered(text) or row["kind"] != "read":
        return [(m, n if shown != code.numbered(text) else "", line) for m, n, line in shown]
    at = row["start"] or 1
    return [(mark, str(int(n) + at - 1), line) for mark, n, line in shown]


def _unfolded(call: dict[str, Any], result: str, row: Row) -> list[code.Line]:
    """An edit: its short fields on one line, its texts unfolded, then the result."""
    fresh = [s[1] for s in row.get("sights") or () if s[3] == "new"]
    short = {k: v for k, v in call.items() if not isinstance(v, str) or "\n" not in v}
    out: list[code.Line] = [("", "", f"{k}: {v}") for k, v in short.items() if k not in _TEXTS]
    for name, value in call.items():
        if name in short and name not in _TEXTS:
            continue
        out.append(("hunk", "", name))
        start = fresh[0] if fresh and name in _NEW else None
        lines = str(value).removesuffix("\n").split("\n")
        out += [("", str(start + n) if start else "", line) for n, line in enumerate(lines)]
    if result.strip():
        out.append(("hunk", "", "result"))
        out += code.loosely_numbered(result)
    return out


_NEW = {"new_string", "content", "new_str", "file_text"}
_TEXTS = _NEW | {"old_string", "old_str"}


def _object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
