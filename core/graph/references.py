"""Every reference of one file text, with its line: what gold rules and previews ask for."""

from __future__ import annotations

from collections.abc import Iterable

from core.graph.facts import FileFacts, ScopeFacts
from core.graph.link import owner_of, symbol_id
from core.graph.lookups import Lookups
from core.graph.symbols import EdgeKind, Reference


def find_references(q: Lookups, path: str, facts: FileFacts) -> tuple[Reference, ...]:
    """One ``Reference`` a line and target, sorted by line, target and kind."""
    found: dict[tuple[int, str, str], Reference] = {}
    for owner, scopes in facts.scopes.items():
        source = symbol_id(path, owner)

        def add(line: int, target: object, kind: EdgeKind, tier: str, why: str, source: str = source) -> None:
            name = owner_of(q, target)
            if name is not None:
                reference = Reference(line, source, name, kind, "certain" if tier == "certain" else "possible", why)
                found.setdefault((line, name, "uses" if kind == "uses" else ""), reference)

        for scope in scopes:
            cell = facts.cells.get(("scope", scope, ""))
            if cell is not None:
                _scope(q, path, scope, cell, facts, add)
    return tuple(sorted(found.values(), key=lambda r: (r.line, r.target, r.kind)))


def _scope(q: Lookups, path: str, scope: str, cell: ScopeFacts, facts: FileFacts, add: object) -> None:
    assert callable(add)
    for part, linked in zip(("head", "sites"), q.get(("links", path, scope)), strict=True):
        for line, (_, _, links) in zip(facts.lines[scope, part], linked, strict=True):
            for kind, target, tier, why in links:
                add(line, target, kind, tier, why)
    for line, e in zip(facts.lines[scope, "imports"], cell.imports, strict=True):
        for target in q.get(("imported", path, e)):
            add(line, target, "import", "certain", "import")
    lines = iter(facts.lines[scope, "reads"])
    bases = set(q.get(("bases", path, scope))) if cell.kind == "class" else set()
    for name in cell.reads:
        used = q.get(("use", path, name))
        for line in _take(lines):
            if used is not None:
                kind = "inherits" if used[1] in bases else "uses"
                add(line, used[1], kind, "certain", "base class" if kind == "inherits" else used[2])


def _take(lines: Iterable[int]) -> list[int]:
    iterator = iter(lines)
    return [next(iterator) for _ in range(next(iterator))]
