"""Gold regions: what the imminent hunks need, by rules G1 to G4 of Appendix E as METHOD 6 makes them exact.

In: the graph and texts of the state w_s the hunks start from (w_t for hindsight, w_0 for a reference
patch), and the hunks. Out: regions of w_s, each with the rule that admits it and one sentence why.

G1 edit site (here), G2 referenced definition (here), G3 blast radius (``blast``), G4 contract
(``contract``). Co-location without a dependency, licence headers, imports of outside modules, test code
and documentation are never gold. Hunks of test files get G2 only: the source symbols they reference.

Departs: G1 is the enclosing definition, but of a class its own lines, of module text the contiguous
statements, and an insertion between definitions has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.graph.symbols import Reference, Symbol
from core.replay.world import History
from core.tracebench.blast import blast_radius
from core.tracebench.boilerplate import is_imports_only, is_licence_header
from core.tracebench.contract import contracts
from core.tracebench.hunks import Hunk, added_lines
from core.tracebench.paths import path_kind
from core.tracebench.regions import GoldRegion, Graph, Sweep, short_name
from core.tracebench.slide import settled

_VERBS = {
    "call": "calls",
    "constructor": "constructs",
    "property": "reads",
    "import": "imports",
    "inherits": "subclasses",
}
# Which use of a definition is named when a burst uses it in several ways.
_STRENGTH = {kind: n for n, kind in enumerate(("inherits", "call", "constructor", "property", "import"))}


def gold(graph: Graph, history: History, t: int, hunks: Sequence[Hunk]) -> tuple[GoldRegion, ...]:
    """The gold regions of ``hunks`` in w_t, sorted by (rule, path, lines); the graph must stand at w_t.

    A span admitted by several rules is listed under the first; overlapping spans are all listed (tokens
    are deduplicated in ``measure``). Cost: one linking of each written file, the callers of the
    definitions whose interface changes.
    """
    return _sweep(Sweep(graph, history, t), hunks)


def gold_by_hunk(graph: Graph, history: History, t: int, hunks: Sequence[Hunk]) -> tuple[tuple[GoldRegion, ...], ...]:
    """``gold`` of each hunk alone, in their order, each file linked once."""
    sweep = Sweep(graph, history, t)
    return tuple(_sweep(sweep, [hunk]) for hunk in hunks)


def _sweep(sweep: Sweep, hunks: Sequence[Hunk]) -> tuple[GoldRegion, ...]:
    wanted = [settled(sweep, h) for h in hunks if not _boilerplate(sweep, h)]
    source = [h for h in wanted if path_kind(h.path) == "source"]
    found = edit_sites(sweep, source)
    found += referenced(sweep, [h for h in wanted if path_kind(h.new_path or h.path) != "documentation"])
    found += blast_radius(sweep, source)
    found += contracts(sweep, source)
    return unique(found)


def edit_sites(sweep: Sweep, hunks: Sequence[Hunk]) -> list[GoldRegion]:
    """G1: the definition around each hunk in its pre-edit state; a definition's hunks share one reason."""
    edits: dict[tuple[str, int, int, str], list[Hunk]] = {}
    for hunk in hunks:
        for symbol, start, end in _enclosing(sweep, hunk):
            places = edits.setdefault((hunk.path, start, end, symbol), [])
            if hunk not in places:
                places.append(hunk)
    regions: list[GoldRegion] = []
    for (path, start, end, symbol), places in edits.items():
        named = _places(places)
        why = f"encloses the {named}" if symbol else f"the statements around the {named}"
        regions.append(GoldRegion("G1", path, start, end, why, symbol))
    return regions


def referenced(sweep: Sweep, hunks: Sequence[Hunk]) -> list[GoldRegion]:
    """G2: definitions of w_s that the added lines call, construct, import or subclass, certainly."""
    best: dict[str, tuple[int, str, int, Reference]] = {}
    for hunk in hunks:
        if hunk.new_text is None or not hunk.added:
            continue
        path = hunk.new_path or hunk.path
        by_line = sweep.references(path, hunk.new_text)
        for line in hunk.added:
            for reference in by_line.get(line, ()):
                if reference.kind not in _VERBS or reference.tier != "certain":
                    continue
                key = (_STRENGTH[reference.kind], path, line, reference)
                if reference.target not in best or _order(key) < _order(best[reference.target]):
                    best[reference.target] = key
    regions: list[GoldRegion] = []
    for target in sorted(best):
        _, _, _, reference = best[target]
        name = short_name(target)
        plain = ("", f"name {name}", reference.kind)  # says nothing the sentence does not
        reason = "" if reference.why in plain else f" ({reference.why})"
        why = f"the added line {_VERBS[reference.kind]} {name}{reason}"
        regions.extend(sweep.definition("G2", target, why))
    return regions


def _order(key: tuple[int, str, int, Reference]) -> tuple[int, str, int, str]:
    strength, path, line, reference = key
    return strength, path, line, reference.why


def unique(found: Iterable[GoldRegion]) -> tuple[GoldRegion, ...]:
    """The regions in order, a span that several admit once, under the first rule."""
    kept: dict[tuple[str, int, int], GoldRegion] = {}
    for region in sorted(found):
        kept.setdefault((region.path, region.start, region.end), region)
    return tuple(kept.values())


def _boilerplate(sweep: Sweep, hunk: Hunk) -> bool:
    if is_licence_header(hunk):
        return True
    if not is_imports_only(hunk, [] if hunk.created else sweep.lines(hunk.path)):
        return False
    if hunk.new_text is None:
        return True
    by_line = sweep.references(hunk.new_path or hunk.path, hunk.new_text)
    return not any(sweep.symbol(r.target) for line in hunk.added for r in by_line.get(line, ()))


def _enclosing(sweep: Sweep, hunk: Hunk) -> list[tuple[str, int, int]]:
    """(symbol id or "", start, end) of what stands around the hunk's old lines."""
    if hunk.created:
        return []
    touched = [n for n in range(hunk.old_start, hunk.old_end + 1) if not sweep.blank(hunk.path, n)]
    if not touched:
        return _around_insertion(sweep, hunk)
    found: dict[tuple[str, int, int], None] = {}
    for line in touched:
        for piece in _home(sweep, hunk.path, line, sweep.owner(hunk.path, line)):
            found.setdefault(piece)
    return list(found)


def _home(sweep: Sweep, path: str, line: int, owner: Symbol | None) -> list[tuple[str, int, int]]:
    if owner is None or owner.kind == "module":
        return [("", *sweep.block(path, line))]
    return [(owner.id, start, end) for start, end in sweep.pieces(owner)]


def _around_insertion(sweep: Sweep, hunk: Hunk) -> list[tuple[str, int, int]]:
    """The function an insertion falls into, or the class or module lines it directly continues; else nothing."""
    block = added_lines(hunk)
    if not any(line.strip() for line in block):
        return []
    at = hunk.old_start
    inside = sweep.around(hunk.path, at)
    if inside is None or inside.kind == "class":
        inside = _continued(sweep, hunk.path, at, block) or inside
    if inside is not None and inside.kind != "class":
        return _home(sweep, hunk.path, at, inside)
    for neighbour, edge in ((at - 1, block[0]), (at, block[-1])):
        owner = sweep.owner(hunk.path, neighbour)
        if edge.strip() and owner is not None and owner.kind in ("class", "module"):
            return _home(sweep, hunk.path, neighbour, owner)
    return []


def _continued(sweep: Sweep, path: str, at: int, block: Sequence[str]) -> Symbol | None:
    """The function that ends just above line ``at`` and that the inserted lines, by their indent, continue."""
    above = at - 1
    while above >= 1 and sweep.blank(path, above):
        above -= 1
    owner = sweep.owner(path, above) if above else None
    if owner is None or owner.kind not in ("function", "method"):
        return None
    first = next(line for line in block if line.strip())
    return owner if _indent(first) > _indent(sweep.lines(path)[owner.start - 1]) else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _places(hunks: Sequence[Hunk]) -> str:
    """ "edit at lines 10-14", "edits at lines 3-4 and line 9", "insertion at line 8"."""
    if len(hunks) == 1 and hunks[0].old_end < hunks[0].old_start:
        return f"insertion at line {hunks[0].old_start}"
    places = [h.where.removeprefix("the ").replace("insertion at ", "") for h in hunks]
    if len(places) == 1:
        return f"edit at {places[0]}"
    shown = places if len(places) <= 4 else [*places[:3], f"{len(places) - 3} more places"]
    return f"edits at {', '.join(shown[:-1])} and {shown[-1]}"
