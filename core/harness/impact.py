"""Harness: the files that may have to follow an edit, ranked, each with its reason (StateHarness, change impact).

In: the graph and the names of the state after a write. Out: ``Impact``s: code that calls, inherits from, overrides or
imports what changed, tests, documentation, configuration and schemas. The order is by evidence, then by what release
patches show: files that are large, near and in the same language follow more often. ``firm`` ones rest on something
others depend on (a signature, a removed name, a test of the file): only those become open relations.

Cost: the edges at the edited file's symbols, and the files that hold the names in its changed lines.
Departs: the paper retrieves candidates for the working agent to inspect and does not say how they are ranked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.graph.symbols import Delta
from core.harness.edits import Edit, Graph, edit_of
from core.harness.evidence import Evidence, Gathered
from core.harness.names import NameIndex, NamesCache
from core.harness.project_state import RelationKind
from core.harness.target_kinds import target_kind

How = Literal["edited", "created", "deleted"]
# Chosen on the SWE-EVO patches of conan, dvc and requests (benchmarks/harness): size, folders apart, same suffix.
_SIZE, _FAR, _ALIKE = 0.5, 0.15, 0.8
MOST = 60  # candidates of one edit
# Firm candidates of one edit that become relations, by kind: a list nobody can work through is no help.
OPENED: Mapping[RelationKind, int] = {"caller": 8, "test": 4, "documentation": 3, "configuration": 2, "schema": 2}


@dataclass(frozen=True, slots=True)
class Written:
    """One file a step wrote: how, and the qualified names of the symbols that differ, those callers depend on first."""

    path: str
    how: How = "edited"
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Impact:
    """A change of ``source`` may have to be followed in ``path``; ``score`` orders the impacts of one edit."""

    source: str
    path: str
    kind: RelationKind
    why: str
    score: float
    firm: bool = False


def written_of(edit: Edit, before: str | None, after: str | None) -> Written:
    """What to say of an edit."""
    how: How = "created" if before is None else "deleted" if after is None else "edited"
    return Written(edit.path, how, edit.symbols if how == "edited" else ())


class ImpactIndex:
    """The names of one state, and from them and the graph the impact of each write; call ``update`` once a write."""

    def __init__(self, texts: Mapping[str, str], cache: NamesCache | None = None) -> None:
        self.names = NameIndex(texts, cache)

    def update(
        self, graph: Graph, delta: Delta, texts: Mapping[str, tuple[str | None, str | None]]
    ) -> tuple[tuple[Written, ...], tuple[Impact, ...]]:
        """What a write did and may affect, ``texts`` being those before and after by path; the graph has moved already.

        Impacts of several written files are merged: a file is named once a source, written files are not named.
        """
        self.names.update({path: after for path, (_, after) in texts.items()})
        written: list[Written] = []
        found: list[Impact] = []
        for path in sorted(texts):
            before, after = texts[path]
            edit = edit_of(graph, delta, path, before, after)
            written.append(written_of(edit, before, after))
            found += (i for i in impacts(edit, graph, self.names) if i.path not in texts)
        return tuple(written), tuple(sorted(found, key=lambda i: (-i.score, i.path, i.source)))


def impacts(edit: Edit, graph: Graph, names: NameIndex, most: int = MOST) -> tuple[Impact, ...]:
    """The candidates for one edit, at most ``most`` of each kind, by score and path."""
    gathered = Gathered(edit)
    gathered.from_graph(graph)
    gathered.from_names(names)
    gathered.from_path(names)
    files = gathered.files
    ranked = sorted((-_score(edit.path, path, files[path], names), path) for path in files if path in names)
    counts: dict[str, int] = {}
    kept = []
    for score, path in ranked:
        kind = target_kind(path)
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= most:
            evidence = files[path]
            kept.append(Impact(edit.path, path, kind, evidence.why(), -score, evidence.firm))
    return tuple(kept)


def without_size(found: Sequence[Impact], names: NameIndex) -> tuple[Impact, ...]:
    """The same candidates ordered as if all files were alike in size: what the order owes to that alone."""
    scored = ((round(i.score - _SIZE * math.log1p(names.size(i.path)), 9), i) for i in found)
    return tuple(i for _, i in sorted(scored, key=lambda pair: (-pair[0], pair[1].path)))


def to_open(found: Sequence[Impact], limits: Mapping[RelationKind, int] = OPENED) -> tuple[Impact, ...]:
    """The firm impacts that become open relations: of one source the first of each kind."""
    counts: dict[tuple[str, str], int] = {}
    kept = []
    for impact in found:
        key = (impact.source, impact.kind)
        if impact.firm and counts.get(key, 0) < limits[impact.kind]:
            counts[key] = counts.get(key, 0) + 1
            kept.append(impact)
    return tuple(kept)


def _score(source: str, path: str, evidence: Evidence, names: NameIndex) -> float:
    near, there = _place(source), _place(path)
    score = evidence.weight + _SIZE * math.log1p(names.size(path)) + _ALIKE * (near[1] == there[1])
    return score - _FAR * _distance(near[0], there[0])


@lru_cache(maxsize=65536)
def _place(path: str) -> tuple[tuple[str, ...], str]:
    """The folders and the suffix of a path."""
    *folders, name = path.split("/")
    return tuple(folders), name.rpartition(".")[2]


def _distance(one: tuple[str, ...], two: tuple[str, ...]) -> int:
    """Folders to leave and enter on the way from one to the other."""
    if one == two:
        return 0
    same = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return len(one) + len(two) - 2 * same
