"""Harness: why a file may have to follow an edit elsewhere: the reasons of the code graph and of names, file by file.

In: an ``Edit`` and the graph after it. Out: per file the reasons in words, each with its weight and whether it rests
on something others depend on (``firm``). Of one aspect (being called, calling, relations in, out, overriding, names
...) the strongest reason counts. Cost: the edges at the edited file's symbols, the files that hold its names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from core.graph.link import split_id
from core.graph.symbols import Edge
from core.harness.edits import Edit, Graph
from core.harness.names import NameIndex
from core.harness.target_kinds import target_kind

Aspect = Literal[
    "called", "calls", "in", "out", "override", "moved", "imports", "imported", "near", "name", "word", "path"
]
_RARE = 20  # a name in more files than this points at none of them
_AT_EDGE: dict[str, str] = {
    "call": "calls",
    "constructor": "makes a",
    "property": "reads",
    "override": "may call",
    "uses": "reads",
    "import": "imports",
    "inherits": "inherits from",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One aspect's strongest reason."""

    weight: float
    why: str
    firm: bool = False


@dataclass(slots=True)
class Evidence:
    """The reasons to look at one file, one an aspect."""

    reasons: dict[Aspect, Reason] = field(default_factory=dict)

    def add(self, aspect: Aspect, weight: float, why: str, firm: bool = False) -> None:
        """Keep the reason if it is firmer, or as firm and weightier, than the aspect's so far."""
        held = self.reasons.get(aspect)
        if held is None or (firm, weight) > (held.firm, held.weight):
            best = max(weight, held.weight) if held is not None else weight
            self.reasons[aspect] = Reason(best, why, firm)

    @property
    def weight(self) -> float:
        """All aspects together."""
        return sum(reason.weight for reason in self.reasons.values())

    @property
    def firm(self) -> bool:
        """Whether a reason rests on something others depend on."""
        return any(reason.firm for reason in self.reasons.values())

    def why(self, most: int = 2) -> str:
        """The strongest firm reasons in words, or where there is none the strongest."""
        ranked = sorted(self.reasons.values(), key=lambda r: (not r.firm, -r.weight, r.why))
        return "; ".join(reason.why for reason in ranked[:most] if reason.firm == ranked[0].firm)


class Gathered:
    """Evidence by file for one edit."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.files: dict[str, Evidence] = {}
        self._contract = {*edit.removed, *edit.resigned}

    def at(self, path: str) -> Evidence:
        """The evidence for a file."""
        return self.files.setdefault(path, Evidence())

    def from_graph(self, graph: Graph) -> None:
        """Callers, callees, relations and overrides of what the edit touched; imports and calls of the whole file."""
        edit = self.edit
        lost: dict[str, list[Edge]] = {}
        for edge in edit.lost:
            lost.setdefault(edge.target, []).append(edge)
        for symbol in edit.touched:
            self._symbol(graph, symbol, lost.get(symbol, ()))
        for symbol in edit.elsewhere:
            path, qual = split_id(symbol)
            self.at(path).add("moved", 0.8, f"{qual or 'its top level'} reaches or reads something else since", True)
        counts: dict[tuple[str, bool], int] = {}
        for found in graph.symbols(edit.path):
            for edge in graph.callers(found.id):
                self._count(counts, edge.source, True)
            for edge in graph.callees(found.id):
                self._count(counts, edge.target, False)
            for edge in graph.relations(found.id):
                inward = edge.target == found.id
                other = split_id(edge.source if inward else edge.target)[0]
                if edge.kind == "import" and other != edit.path and not other.startswith("<"):
                    aspect: Aspect = "imports" if inward else "imported"
                    self.at(other).add(aspect, 0.3 if inward else 0.2, "imports it" if inward else "is imported by it")
        for (path, inward), count in counts.items():
            said = f"{'calls' if inward else 'is called by'} it in {count} place{'s' if count > 1 else ''}"
            self.at(path).add("near", (0.2 if inward else 0.1) * math.log1p(count), said)

    def _count(self, counts: dict[tuple[str, bool], int], symbol: str, inward: bool) -> None:
        path = split_id(symbol)[0]
        if path != self.edit.path and not symbol.startswith("<"):
            counts[path, inward] = counts.get((path, inward), 0) + 1

    def _symbol(self, graph: Graph, symbol: str, lost: Iterable[Edge]) -> None:
        name = split_id(symbol)[1] or "its top level"
        contract = symbol in self._contract
        since = (
            ", which was removed" if symbol in self.edit.removed else ", whose signature changed" if contract else ""
        )
        for edge in (*graph.callers(symbol), *lost):
            sure = edge.tier == "certain"
            said = f"{_AT_EDGE[edge.kind]} {name}{since}"
            self._other(edge.source, "called", 1.0 if sure else 0.5, said, contract and sure)
        for edge in graph.callees(symbol):
            sure = edge.tier == "certain"
            self._other(edge.target, "calls", 0.6 if sure else 0.3, f"{split_id(edge.target)[1]} is called by {name}")
        for edge in graph.relations(symbol):
            if edge.target == symbol:
                self._other(edge.source, "in", 0.6, f"{_AT_EDGE[edge.kind]} {name}{since}", contract)
            else:
                other = split_id(edge.target)[1] or "it"
                self._other(edge.target, "out", 0.5, f"{name} {_AT_EDGE[edge.kind]} {other}")
        for other in graph.overrides(symbol):
            self._other(other, "override", 0.8, f"{split_id(other)[1]} is overridden by {name}{since}", contract)
        for other in graph.overridden_by(symbol):
            self._other(other, "override", 0.8, f"{split_id(other)[1]} overrides {name}{since}", contract)

    def _other(self, symbol: str, aspect: Aspect, weight: float, why: str, firm: bool = False) -> None:
        path = split_id(symbol)[0]
        if path != self.edit.path and not symbol.startswith("<"):
            self.at(path).add(aspect, weight, why, firm)

    def from_names(self, index: NameIndex) -> None:
        """Files that mention what was touched, or share names with the lines that differ."""
        edit = self.edit
        last = {split_id(s)[1].rpartition(".")[2].split("#")[0] for s in edit.touched} - {""}
        broken = {split_id(s)[1].rpartition(".")[2].split("#")[0] for s in self._contract}
        for path, (weight, names) in index.weighed(last, most=1.0).items():
            if path == edit.path:
                continue
            rare = [n for n in names if n in broken and len(index.files(n)) <= _RARE and not n.startswith("__")]
            firm = bool(rare) and target_kind(path) in ("documentation", "configuration", "schema")
            self.at(path).add("name", 0.3 * math.log1p(weight), f"mentions {', '.join(rare or names)}", firm)
        for path, (weight, names) in index.weighed(edit.names, most=0.5).items():
            if path != edit.path:
                self.at(path).add("word", 0.3 * math.log1p(weight), f"shares {', '.join(names)} with the changed lines")

    def from_path(self, index: NameIndex) -> None:
        """Files named after the edited one or that name it, and those beside it."""
        edit = self.edit
        folder, _, name = edit.path.rpartition("/")
        stem = _stem(name)
        gone = any(s.endswith("::<module>") for s in edit.removed)
        mentions = set(index.files(stem)) if len(stem) >= 3 else set()
        for path in index.paths():
            if path == edit.path:
                continue
            there, _, other = path.rpartition("/")
            kind = target_kind(path)
            if kind == "test" and stem not in ("__init__", "index", "main") and _subject(other) == stem:
                # A test beside another file of that name is that one's.
                own = there == folder or f"{there}/{name}".lstrip("/") not in index
                self.at(path).add("path", 0.9 if own else 0.3, f"is named after {name}", firm=own)
            elif path in mentions and kind in ("documentation", "configuration", "schema"):
                self.at(path).add("path", 0.4, f"mentions {stem}", firm=gone)
            elif there == folder:
                self.at(path).add("path", 0.05, "stands in the same folder")


def _stem(name: str) -> str:
    return name.partition(".")[0] if not name.startswith(".") else name


def _subject(name: str) -> str:
    """What a test file's name says it tests: ``test_loader.py``, ``loader_test.go``, ``Loader.spec.ts`` -> loader."""
    stem = _stem(name)
    for mark in ("test_", "tests_"):
        stem = stem.removeprefix(mark)
    for mark in ("_test", "_tests", "_spec", "Tests", "Test", "Spec"):
        stem = stem.removesuffix(mark)
    return stem
