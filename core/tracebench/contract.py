"""G4, the contract: the base method, interface, registry or schema a change must satisfy (Appendix E, METHOD 6).

In: a sweep of w_s and source hunks. Out: the methods that an edited or added method overrides, and the
statements outside definitions that list an edited definition by name, as a registry or a schema does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.graph.symbols import Symbol
from core.tracebench.hunks import Hunk
from core.tracebench.paths import path_kind
from core.tracebench.regions import GoldRegion, Sweep, short_name

_IMPORT = re.compile(r"\s*(import|from|use|using|#\s*include|require|package|export\s*\*)\b")
# Lists of exported names say nothing a change must satisfy.
_EXPORTS = re.compile(r"\s*(__all__\b|module\.exports\b|export\s*\{)")


def contracts(sweep: Sweep, hunks: Sequence[Hunk]) -> list[GoldRegion]:
    """The G4 regions of ``hunks``, in no particular order."""
    regions: list[GoldRegion] = []
    for symbol in edited(sweep, hunks):
        regions.extend(_base_methods(sweep, symbol.id, sweep.graph.overrides(symbol.id)[:1]))
        if symbol.parent is None or symbol.kind == "class":
            regions.extend(_registries(sweep, symbol))
    for id, bases in _added_methods(sweep, hunks):
        regions.extend(_base_methods(sweep, id, _overridden(sweep, _local_name(id), bases)))
    return regions


def edited(sweep: Sweep, hunks: Iterable[Hunk]) -> list[Symbol]:
    """The definitions of w_s whose own lines the hunks change or insert into, by id; nested ones rolled up."""
    found: dict[str, Symbol] = {}
    for hunk in hunks:
        if hunk.created:
            continue
        owners = [sweep.owner(hunk.path, n) for n in range(hunk.old_start, hunk.old_end + 1)]
        if hunk.old_end < hunk.old_start:
            around = sweep.around(hunk.path, hunk.old_start)
            owners = [around if around is not None and around.kind != "class" else None]
        found |= {s.id: s for s in owners if s is not None and s.kind != "module"}
    return [found[id] for id in sorted(found)]


def _base_methods(sweep: Sweep, id: str, bases: Iterable[str]) -> list[GoldRegion]:
    return [
        region
        for base in bases
        for region in sweep.definition("G4", base, f"base method {short_name(base)} that {short_name(id)} overrides")
    ]


def _added_methods(sweep: Sweep, hunks: Iterable[Hunk]) -> Iterator[tuple[str, list[str]]]:
    """(id, bases of its class in w_s) of each method the hunks add."""
    seen: set[str] = set()
    for hunk in hunks:
        if hunk.new_text is None or not hunk.added:
            continue
        path, added = hunk.new_path or hunk.path, frozenset(hunk.added)
        for symbol in sweep.symbols_in(path, hunk.new_text):
            new = symbol.kind == "method" and symbol.start in added and sweep.symbol(symbol.id) is None
            if new and symbol.parent is not None and symbol.id not in seen:
                seen.add(symbol.id)
                yield symbol.id, _bases(sweep, symbol.parent, path, hunk.new_text)


def _bases(sweep: Sweep, id: str, path: str, text: str) -> list[str]:
    """The bases of a class: those of w_s, else (a new class) those its new text names."""
    known = list(sweep.graph.bases(id))
    if known:
        return known
    by_line = sweep.references(path, text)
    return sorted({r.target for found in by_line.values() for r in found if r.source == id and r.kind == "inherits"})


def _overridden(sweep: Sweep, name: str, bases: Sequence[str]) -> list[str]:
    """The nearest methods called ``name`` up the bases of w_s, breadth first; cycles are walked once."""
    level, seen = list(bases), set(bases)
    while level:
        found = [id for base in level if sweep.symbol(id := f"{base}.{name}") is not None]
        if found:
            return found
        level = [up for base in level for up in sweep.graph.bases(base) if up not in seen]
        seen.update(level)
    return []


def _registries(sweep: Sweep, symbol: Symbol) -> list[GoldRegion]:
    """Statements outside definitions, in the symbol's file or one that imports it, that name it as a value."""
    name = _local_name(symbol.id)
    value = re.compile(rf"(?<![\w.$]){re.escape(name)}(?![\w$]|\s*\()|\.{re.escape(name)}(?![\w$]|\s*\()")
    linked = (*sweep.graph.relations(symbol.id), *sweep.graph.callers(symbol.id))
    files = {symbol.path, *(e.source.partition("::")[0] for e in linked if e.target == symbol.id)}
    regions: list[GoldRegion] = []
    for path in sorted(files):
        if path_kind(path) != "source":
            continue
        lines = sweep.lines(path)
        for number, line in enumerate(lines, 1):
            if name not in line or not value.search(line):
                continue
            owner = sweep.owner(path, number)
            if owner is None or owner.kind != "module" or _IMPORT.match(line):
                continue
            start, end = sweep.block(path, number)
            if _lists(lines[start - 1 : end]):
                regions.append(GoldRegion("G4", path, start, end, f"the statement that lists {short_name(symbol.id)}"))
    return regions


def _lists(block: Sequence[str]) -> bool:
    """Whether a statement block is a registry: something bracketed that is neither imports nor exports."""
    if _EXPORTS.match(block[0]) or all(_IMPORT.match(line) for line in block if line.strip()):
        return False
    return any(mark in line for line in block for mark in "[{(")


def _local_name(id: str) -> str:
    return short_name(id).rpartition(".")[2]
