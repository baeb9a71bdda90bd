"""What one write drifted: X_t and dX_t of Eq. 6, with created, uses and lost callers beside them.

In: the ``Delta`` of one graph update. Out: a ``Drift``.

Departs (each a switch): ``edges=outgoing`` compares a symbol's outgoing calls only (the paper's own
implementation remark); ``gain`` off: a call that only appears where it was unresolved or pointed at a
placeholder outside the repository is not rewiring; ``uses`` on: a changed module-level binding that a
symbol reads is reported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

from core.graph.symbols import Delta, Edge, View
from core.options import Options

CALL_KINDS = frozenset({"call", "constructor", "property", "override"})
_DOCUMENT = re.compile(r".*\.(md|mdx|markdown|rst|adoc|asciidoc|org|tex|pdf|textile|pod)", re.IGNORECASE)
_DOCUMENT_NAME = re.compile(
    r"(readme|license|licence|copying|notice|authors|contributors|contributing|changelog|changes|history|news|todo"
    r"|release[-_]?notes|upgrading|security|code_of_conduct|thanks|credits)(\.txt|\.html?)?",
    re.IGNORECASE,
)
_DOCUMENT_FOLDERS = frozenset({"doc", "docs", "documentation", "changelog.d", "newsfragments", "changes.d"})


@dataclass(frozen=True, slots=True)
class Drift:
    """The drift of one write step; all tuples are sorted symbol ids and pairwise disjoint (created aside).

    changed: own text differs (X_t without removed).  removed: no longer exists (X_t).  created: new, cannot
    falsify a record.  rewired: own text equal, an outgoing call reaches something else (dX_t, outgoing).
    uses: equal so far, but a module-level binding it reads differs.  lost_callers: surviving, unchanged
    symbols that lost an incoming call edge.  ``paths`` are the files written; ``opaque`` those whose text
    is not known; ``documentation`` is true when nothing but documentation was written.
    """

    t: int
    known_at: int
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    created: tuple[str, ...]
    rewired: tuple[str, ...]
    uses: tuple[str, ...]
    lost_callers: tuple[str, ...]
    paths: tuple[str, ...]
    opaque: tuple[str, ...] = ()
    documentation: bool = False


def drift_of(
    t: int, known_at: int, delta: Delta, paths: Iterable[str], opaque: Iterable[str], options: Options
) -> Drift:
    """The drift of the write at ``t``, made known at ``known_at``, from what it changed in the graph (Eq. 6).

    ``paths`` are all files written, ``opaque`` those of them whose text is not known. Cost: the size of the
    delta.
    """
    changed, removed, created, rewired, uses = set(), set(), set(), set(), set()
    for symbol_id, before in delta.before.items():
        after = delta.after.get(symbol_id)
        if before is None:
            if after is not None:
                created.add(symbol_id)
        elif after is None:
            removed.add(symbol_id)
        elif before.own != after.own:
            changed.add(symbol_id)
        elif calls_moved(before, after, options):
            rewired.add(symbol_id)
        elif options.uses and before.uses != after.uses:
            uses.add(symbol_id)
    if options.edges == "both":
        ends = {end for edge in (*delta.lost, *delta.gained) if edge.kind in CALL_KINDS for end in _ends(edge)}
        rewired |= ends - changed - removed - created
        uses -= rewired
    lost = _lost_callers(delta) - changed - removed - created - rewired - uses
    written = tuple(sorted(set(paths)))
    return Drift(
        t=t,
        known_at=known_at,
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(removed)),
        created=tuple(sorted(created)),
        rewired=tuple(sorted(rewired)),
        uses=tuple(sorted(uses)),
        lost_callers=tuple(sorted(lost)),
        paths=written,
        opaque=tuple(sorted(set(opaque))),
        documentation=bool(written) and all(is_documentation(path) for path in written),
    )


def calls_moved(before: View, after: View, options: Options) -> bool:
    """Whether an outgoing call reaches something else, call site by call site (dX, outgoing).

    With ``edges=both`` (Eq. 6 literally) and with ``gain`` on, any difference counts. Where the own text
    differs too, only sites that resolve in both views are compared: the others came or went with the text.
    """
    if before.calls == after.calls:
        return False
    was, now = dict(before.calls), dict(after.calls)
    if before.own != after.own:
        both = was.keys() & now.keys()
        was, now = {site: was[site] for site in both}, {site: now[site] for site in both}
    if options.gain or options.edges == "both":
        return was != now
    return any(_moved(was.get(site, ()), now.get(site, ())) for site in sorted(was.keys() | now.keys()))


def _moved(was: Collection[str], now: Collection[str]) -> bool:
    if set(was) == set(now) or not was:
        return False
    lost = set(was) - set(now)
    if not lost:
        return True  # it was resolved and now reaches something more: a new override
    return not (now and set(was) == lost and all(_placeholder(x, y) for x in was for y in now))


def _placeholder(was: str, now: str) -> bool:
    """Whether ``was``, outside the repository, named the place where ``now`` stands since it was written.

    ``<external>::pkg.io.load`` stands for ``src/pkg/io.py::load``; ``<external>::json.load`` does not: an
    import that moved from json to pkg.io is a retargeted call.
    """
    if not was.startswith("<external>::") or now.startswith("<"):
        return False
    module, _, name = was.removeprefix("<external>::").rpartition(".")
    path, _, qualified = now.partition("::")
    outer = set(re.split(r"[./:@]+", module)) - {""}
    inner = {part for folder in path.split("/") for part in (folder, folder.partition(".")[0])}
    return name in re.split(r"[.#]", qualified) and (not outer or bool(outer & inner))


def _ends(edge: Edge) -> tuple[str, ...]:
    return tuple(end for end in (edge.source, edge.target) if not end.startswith("<"))


def _lost_callers(delta: Delta) -> set[str]:
    """Symbols that an edge (source, target) of E reached before and none of that pair reaches now."""
    gained = {(e.source, e.target) for e in delta.gained if e.kind in CALL_KINDS}
    return {
        e.target
        for e in delta.lost
        if e.kind in CALL_KINDS and not e.target.startswith("<") and (e.source, e.target) not in gained
    }


@lru_cache(maxsize=8192)
def is_documentation(path: str) -> bool:
    """Whether a file is text for people, by its name: no test result depends on it."""
    *folders, name = path.split("/")
    if _DOCUMENT.fullmatch(name) or _DOCUMENT_NAME.fullmatch(name):
        return True
    in_docs = any(folder.lower() in _DOCUMENT_FOLDERS for folder in folders)
    return in_docs and name.lower().endswith((".txt", ".html", ".htm", ".inc"))
