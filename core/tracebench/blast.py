"""G3, the blast radius: existing sites that must stay consistent with the change (Appendix E, METHOD 6).

In: a sweep of w_s and source hunks. Out: the users of each definition the hunks remove or whose signature
they change, the overrides of such a method, and the users of a changed type that mention a changed member.

Departs: not every caller of an edited definition is gold. Overrides of a method whose signature changes
are counted among its users, since they must keep its shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.graph.symbols import Edge, Symbol
from core.tracebench.hunks import Hunk, added_lines
from core.tracebench.paths import path_kind
from core.tracebench.regions import GoldRegion, Sweep, short_name

_USES = {
    "call": "calls",
    "constructor": "constructs",
    "property": "reads",
    "import": "imports",
    "inherits": "subclasses",
    "uses": "uses",
}
# The name a declaration line of a class body introduces: "x: int = 3", "x = 3", "name?: string", "Name string".
_MODIFIER = (
    r"(?:(?:pub(?:\([^)]*\))?|public|private|protected|internal|static|final|readonly|declare|val|var|const|let|mut)"
    r"\s+)*"
)
_MEMBER = re.compile(rf"\s*{_MODIFIER}(?:[\w<>\[\],.?*]+\s+)??([A-Za-z_$][\w$]*)\s*[?!]?\s*(?:[:=;](?!=)|$)")
# A declaration is found at the head of its line; a hostile line of spaces must not cost quadratic time.
_LINE_LIMIT = 300
_GO_MEMBER = re.compile(r"\s*([A-Za-z_]\w*(?:\s*,\s*\w+)*)\s+[\w*\[\].(]|\s*([A-Za-z_]\w*)\(")


def blast_radius(sweep: Sweep, hunks: Sequence[Hunk]) -> list[GoldRegion]:
    """The G3 regions of ``hunks``, in no particular order."""
    regions: list[GoldRegion] = []
    for path, new_path, new_text, group in _files(hunks):
        touched = [s for s in sweep.symbols(path) if s.kind != "module" and _touches(s, group)]
        after = {_local(s.id): s for s in sweep.symbols_in(new_path, new_text)} if new_text is not None else {}
        for symbol in touched:
            if sweep.outermost(symbol).id != symbol.id:
                continue
            change = _change(symbol, after.get(_local(symbol.id)), moved=path != new_path)
            if change:
                regions.extend(_users(sweep, symbol, change))
            elif symbol.kind == "class":
                regions.extend(_member_users(sweep, symbol, _changed_members(sweep, symbol, group)))
    return regions


def _files(hunks: Sequence[Hunk]) -> Iterator[tuple[str, str, str | None, list[Hunk]]]:
    groups: dict[tuple[str, str, str | None], list[Hunk]] = {}
    for hunk in hunks:
        if not hunk.created:
            groups.setdefault((hunk.path, hunk.new_path or hunk.path, hunk.new_text), []).append(hunk)
    return ((*key, group) for key, group in groups.items())


def _touches(symbol: Symbol, hunks: Iterable[Hunk]) -> bool:
    """Whether a hunk changes a line of the symbol or inserts next to one (a signature may grow at its edge)."""
    return any(h.old_start <= symbol.end + 1 and max(h.old_end, h.old_start) >= symbol.start for h in hunks)


def _local(id: str) -> str:
    return id.rpartition("::")[2]


def _change(before: Symbol, after: Symbol | None, moved: bool) -> str:
    if after is None:
        return "is removed"
    if moved:
        return "moves to another file"
    return "" if before.signature == after.signature else "changes its signature"


def _users(sweep: Sweep, symbol: Symbol, change: str) -> list[GoldRegion]:
    reshaped = change == "changes its signature"
    clause = "whose signature changes" if reshaped else f"which {change}"
    regions: list[GoldRegion] = []
    for edge in {*sweep.graph.callers(symbol.id), *sweep.graph.relations(symbol.id)}:
        if edge.target == symbol.id and edge.source != symbol.id and edge.kind in _USES and edge.tier == "certain":
            if reshaped and edge.kind == "import":
                continue  # an import names the definition, it does not depend on its shape
            why = f"{_USES[edge.kind]} {short_name(symbol.id)}, {clause}"
            regions.extend(_site(sweep, edge, why))
    for id in sweep.graph.overridden_by(symbol.id):
        regions.extend(sweep.definition("G3", id, f"overrides {short_name(symbol.id)}, {clause}"))
    return regions


def _site(sweep: Sweep, edge: Edge, why: str) -> list[GoldRegion]:
    """The regions of the edge's source: a function whole, of a class or module the statements that use it."""
    user = sweep.symbol(edge.source)
    if user is None or path_kind(user.path) != "source":
        return []
    user = sweep.outermost(user)
    if user.kind not in ("class", "module"):
        return sweep.definition("G3", user.id, why)
    text = sweep.history.text(user.path, sweep.t)
    by_line = sweep.references(user.path, text) if text is not None else {}
    same = (edge.source, edge.target, edge.kind)
    lines = [line for line, found in by_line.items() for r in found if (r.source, r.target, r.kind) == same]
    symbol = user.id if user.kind == "class" else ""
    return [
        GoldRegion("G3", user.path, a, b, why, symbol) for a, b in sorted({sweep.block(user.path, n) for n in lines})
    ]


def _changed_members(sweep: Sweep, symbol: Symbol, hunks: Iterable[Hunk]) -> frozenset[str]:
    """Names that the hunks' removed class-level lines declare and no added line declares just the same."""
    go = symbol.path.endswith(".go")
    names: set[str] = set()
    for hunk in hunks:
        kept = {line.split("//")[0].strip() for line in added_lines(hunk)}
        for n in range(hunk.old_start, hunk.old_end + 1):
            line = sweep.lines(symbol.path)[n - 1]
            if sweep.owner(symbol.path, n) == symbol and line.strip() not in kept:
                names |= _declared(line, go)
    return frozenset(names)


def _declared(line: str, go: bool) -> set[str]:
    line = line[:_LINE_LIMIT]
    if line.lstrip().startswith(("#", "//", "/*", "*", "@", '"', "'")):
        return set()
    match = (_GO_MEMBER if go else _MEMBER).match(line)
    if match is None:
        return set()
    return {name.strip() for name in next(g for g in match.groups() if g).split(",")}


def _member_users(sweep: Sweep, symbol: Symbol, members: frozenset[str]) -> list[GoldRegion]:
    """Functions that know the type and mention a changed member: by an edge, or by its name where it is known."""
    if not members:
        return []
    mention = re.compile(
        rf"\.\s*({'|'.join(map(re.escape, sorted(members)))})\b|\b({'|'.join(map(re.escape, sorted(members)))})\s*[:=]"
    )
    name = re.compile(rf"\b{re.escape(short_name(symbol.id).rpartition('.')[2])}\b")
    linked, files = _knowing(sweep, symbol)
    regions: list[GoldRegion] = []
    for path in sorted(files):
        lines = sweep.lines(path)
        for user in sweep.symbols(path):
            if user.kind not in ("function", "method") or sweep.outermost(user).id != user.id:
                continue
            text = "\n".join(lines[user.start - 1 : user.end])
            own = user.parent == symbol.id
            found = mention.search(text)
            if found and (own or user.id in linked or name.search(text)):
                why = f"mentions {short_name(symbol.id)}.{found.group(1) or found.group(2)}, which changes"
                regions.extend(sweep.definition("G3", user.id, why))
    return regions


def _knowing(sweep: Sweep, symbol: Symbol) -> tuple[set[str], set[str]]:
    """Ids with an edge to the type or a method of it, and the source files that know the type."""
    methods = [s.id for s in sweep.symbols(symbol.path) if s.parent == symbol.id]
    linked: set[str] = set()
    for id in (symbol.id, *methods):
        linked |= {e.source for e in (*sweep.graph.callers(id), *sweep.graph.relations(id)) if e.target == id}
    files = {symbol.path, *(source.partition("::")[0] for source in linked)}
    if symbol.path.endswith(".go"):  # one package: files of a folder see each other without imports
        folder = symbol.path.rpartition("/")[0]
        files |= {p for p in sweep.history.paths(sweep.t) if p.endswith(".go") and p.rpartition("/")[0] == folder}
    return linked, {path for path in files if path_kind(path) == "source"}
