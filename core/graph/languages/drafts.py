"""V_t and b_t of a file of a language with braces: extents, own lines, own-text hashes, signatures (METHOD section 2).

In: drafts and the text. Out: ``SymbolFact`` in order of appearance. A symbol's extent runs from the
contiguous comment above it to its last line; its own lines are what nested symbols (the method specs of an
interface) leave, without blank lines (blank lines inside a raw string stay). The members of an interface are
its method specs; methods with a receiver are symbols of their own and drift alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.graph.facts import MODULE, SymbolFact, digest
from core.graph.symbols import SymbolKind

Span = tuple[int, int]


@dataclass(slots=True)
class Draft:
    """A symbol before its lines are settled; rows are 0-based, ``column`` is the header's indentation."""

    qual: str
    kind: SymbolKind
    name: str
    first: int
    last: int
    column: int
    signature: str
    parent: str | None


def comment_rows(spans: Iterable[tuple[int, int, int]], lines: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Last row of each comment that begins its line -> (first row, column); ``spans`` are (first, last, column)."""
    return {
        last: (first, column)
        for first, last, column in spans
        if first < len(lines) and not lines[first][:column].strip()
    }


def grow(drafts: Sequence[Draft], comments: Mapping[int, tuple[int, int]]) -> None:
    """Extend extents over the comments that stand right above, at the same column."""
    taken = {row for d in drafts for row in (d.first, d.last)}
    for draft in drafts:
        while True:
            above = comments.get(draft.first - 1)
            if above is None or above[1] != draft.column or draft.first - 1 in taken:
                break
            draft.first = above[0]


def symbols_of(
    drafts: Sequence[Draft], lines: Sequence[str], kept_blank: set[int], module_spans: Sequence[Span]
) -> tuple[tuple[SymbolFact, ...], tuple[Span, ...]]:
    """Symbols with own lines and hashes, and the module-level statement blocks (1-based).

    ``drafts``: types before their method specs. ``kept_blank``: blank rows that lie inside raw strings.
    ``module_spans``: rows of module-level statements (0-based).
    """
    owner: list[Draft | None] = [None] * len(lines)
    for draft in drafts:
        for row in range(draft.first, min(draft.last + 1, len(lines))):
            owner[row] = draft
    rows: dict[str, list[int]] = {d.qual: [] for d in drafts}
    module_rows: list[int] = []
    for row, holder in enumerate(owner):
        if row in kept_blank or lines[row].strip():
            (module_rows if holder is None else rows[holder.qual]).append(row)
    members: dict[str, list[str]] = {}
    spans = {d.qual: d for d in drafts if d.kind == "class"}
    for draft in drafts:
        above = spans.get(draft.parent or "")
        if above is not None and above.first <= draft.first and draft.last <= above.last:
            members.setdefault(above.qual, []).append(draft.name)
    found = [
        SymbolFact(
            "", "module", MODULE, 1, max(len(lines), 1), _ranges(module_rows), _hash(lines, module_rows, 0), "", None
        )
    ]
    for d in drafts:
        own_hash = _hash(lines, rows[d.qual], d.column, members.get(d.qual, ()))
        own = _ranges(rows[d.qual])
        found.append(SymbolFact(d.qual, d.kind, d.name, d.first + 1, d.last + 1, own, own_hash, d.signature, d.parent))
    blocked = set(module_rows)
    for first, last in module_spans:
        blocked.update(r for r in range(first, min(last + 1, len(lines))) if owner[r] is None)
    return tuple(found), _ranges(sorted(blocked))


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
