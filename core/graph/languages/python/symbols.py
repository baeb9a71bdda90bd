"""V_t and b_t of one Python file: extents, own lines, own-text hashes, signatures (METHOD section 2).

In: the scopes of pass 1 and the text. Out: ``SymbolFact`` in id order of appearance. A symbol's extent runs
from the contiguous comment above its decorators to its last line, comments indented below its header
included; its own lines are what nested symbols leave, without blank lines (blank lines inside a string stay).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.facts import MODULE, SymbolFact, digest
from core.graph.languages.python.scopes import Scope, text_of

Span = tuple[int, int]


@dataclass(slots=True)
class Draft:
    """A symbol before its lines are settled; rows are 0-based, ``column`` is the header's indentation."""

    qual: str
    kind: str
    name: str
    first: int
    last: int
    column: int
    signature: str
    parent: str | None


def drafts_of(scopes: Iterable[Scope]) -> list[Draft]:
    """One draft a symbol scope, parents first."""
    found: list[Draft] = []
    for scope in scopes:
        if scope.kind == "module" or not scope.symbol:
            continue
        parent = scope.parent
        method = parent is not None and parent.kind == "class"
        kind = "class" if scope.kind == "class" else "method" if method else "function"
        first, last = scope.outer.start_point, scope.node.end_point
        end = last[0] - 1 if last[1] == 0 and last[0] > first[0] else last[0]
        above = parent.qual if parent is not None and parent.kind != "module" else None
        found.append(Draft(scope.qual, kind, scope.name, first[0], end, first[1], _signature(scope), above))
    return found


def _signature(scope: Scope) -> str:
    node = scope.node
    fields = ("name", "superclasses") if scope.kind == "class" else ("name", "parameters", "return_type")
    parts = [node.child_by_field_name(f) for f in fields]
    texts = [" ".join(text_of(p).split()) if p is not None else "" for p in parts]
    if scope.kind == "class":
        return "".join(texts)
    return texts[0] + texts[1] + (f" -> {texts[2]}" if texts[2] else "")


def symbols_of(
    drafts: Sequence[Draft], lines: Sequence[str], kept_blank: set[int], module_spans: Sequence[Span]
) -> tuple[tuple[SymbolFact, ...], tuple[Span, ...]]:
    """Symbols with own lines and hashes, and the module-level statement blocks (1-based).

    ``kept_blank``: blank rows that lie inside strings. ``module_spans``: rows of module-level statements.
    """
    stripped = [line.strip() for line in lines]
    by_qual = {d.qual: d for d in drafts}
    _grow(drafts, lines, stripped, by_qual)
    owner: list[Draft | None] = [None] * len(lines)
    for draft in drafts:  # parents first: nested symbols take their lines from them
        for row in range(draft.first, min(draft.last + 1, len(lines))):
            owner[row] = draft
    rows: dict[str, list[int]] = {d.qual: [] for d in drafts}
    module_rows: list[int] = []
    for row, holder in enumerate(owner):
        if stripped[row] or row in kept_blank:
            (module_rows if holder is None else rows[holder.qual]).append(row)
    members: dict[str, list[str]] = {}
    for draft in sorted(drafts, key=lambda d: d.first):
        if draft.parent is not None:
            members.setdefault(draft.parent, []).append(draft.name)
    found = [
        SymbolFact(
            "", "module", MODULE, 1, max(len(lines), 1), _ranges(module_rows), _hash(lines, module_rows, 0), "", None
        )
    ]
    for d in drafts:
        extra = members.get(d.qual, []) if d.kind == "class" else []
        own_hash = _hash(lines, rows[d.qual], d.column, extra)
        kind: Any = d.kind
        own = _ranges(rows[d.qual])
        found.append(SymbolFact(d.qual, kind, d.name, d.first + 1, d.last + 1, own, own_hash, d.signature, d.parent))
    blocked = set(module_rows)
    for first, last in module_spans:
        blocked.update(r for r in range(first, min(last + 1, len(lines))) if owner[r] is None)
    return tuple(found), _ranges(sorted(blocked))


def _grow(drafts: Sequence[Draft], lines: Sequence[str], stripped: Sequence[str], by_qual: dict[str, Draft]) -> None:
    """Extend extents over the comment above and the indented comments below, never into a neighbour."""
    ordered = sorted(drafts, key=lambda d: (d.first, -d.last))
    taken = _code_rows(ordered)
    for draft in ordered:
        row = draft.last + 1
        while row < len(lines) and (not stripped[row] or stripped[row].startswith("#")):
            if stripped[row]:
                if _indent(lines[row]) <= draft.column or row in taken:
                    break
                draft.last = row
            row += 1
        parent = by_qual.get(draft.parent or "")
        if parent is not None and parent.last < draft.last:
            parent.last = draft.last
        bound = parent.first if parent is not None else -1
        row = draft.first - 1
        while (
            row > bound and row not in taken and stripped[row].startswith("#") and _indent(lines[row]) == draft.column
        ):
            draft.first = row
            row -= 1


def _code_rows(drafts: Sequence[Draft]) -> set[int]:
    return {row for d in drafts for row in (d.first, d.last)}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _ranges(rows: Sequence[int]) -> tuple[Span, ...]:
    """Ascending 0-based rows as 1-based inclusive ranges."""
    found: list[list[int]] = []
    for row in rows:
        if found and found[-1][1] == row:
            found[-1][1] = row + 1
        else:
            found.append([row + 1, row + 1])
    return tuple((a, b) for a, b in found)


def _hash(lines: Sequence[str], rows: Sequence[int], column: int, members: Sequence[str] = ()) -> str:
    parts = []
    for row in rows:
        line = lines[row].rstrip()
        parts.append(line[column:] if column and not line[:column].strip() else line)
    return digest("\n".join(parts), *members)
