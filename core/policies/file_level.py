"""Ablation: files in the place of symbols. A write to a file falsifies every view of it; neighbours are whole files.

Source: StateTape, Table 3, "w/o code graph", and the whole-file heuristics of Appendix E. Nominated are records that
show a file written since their birth (and test results after any write to code). Views are refreshed while the file
exists, edits and views of removed files leave a tombstone, tests follow the tape's rule. Records that are finished
with leave by the manager's rules as far as files can tell. Retrieved are whole files that share an edge with a file
written last and are not held, smallest first, within the manager's token budget.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.context.actions import Action, Hit, Nomination
from core.context.defaults import Decision
from core.context.moment import Moment
from core.context.plan import Plan, PlanAction, Retrieval, context_after, from_default, retrieval
from core.manager.candidates import is_test
from core.manager.deterministic import finished
from core.manager.settle import evict, settle
from core.manager.uses import Use
from core.manager.walk import neighbours
from core.manager.weights import WEIGHTS, Weights
from core.policies.policy import Parameters
from core.records.held import record_paths
from core.records.record import Record, State, Symbols
from core.replay.lines import lines_of
from core.tape.drift import is_documentation


@dataclass(frozen=True, slots=True)
class FileLevel:
    """StateTape without symbols."""

    weights: Weights = WEIGHTS
    name: ClassVar[str] = "file-level"
    source: ClassVar[str] = "StateTape, Table 3, ablation of the code graph"
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """The writes retrieval starts from, and its token budget."""
        return {"recent_writes": self.weights.recent_writes, "budget": self.weights.budget}

    def decide(self, moment: Moment, /) -> Plan:
        """Nominations by file, their actions, evictions and whole-file retrievals."""
        near = neighbouring(moment, recent_files(moment, self.weights.recent_writes))
        uses = _uses(moment, near)
        tape = {d.action.record_id: d for d in moment.defaults}
        actions: list[PlanAction] = []
        for record in moment.records:
            nomination, default = nominated(record, moment), tape.get(record.id)
            if default is not None and (isinstance(record.referent, State) or default.action.name == "refresh"):
                actions.append(from_default(default.action, default.successor))
            elif nomination is not None:
                actions.append(_act(moment, record, nomination))
            elif why := finished(uses[record.id], self.weights):
                actions.append(evict(record, why))
        kept = context_after(Plan(tuple(actions)), moment.records, moment.t)
        budget = min(self.weights.budget, moment.budget)
        return Plan(tuple(actions), whole_files(moment, near, kept, budget))


def nominated(record: Record, moment: Moment) -> Nomination | None:
    """The record's nomination by the files it shows, None if none was written since."""
    if not isinstance(record.referent, Symbols):
        return None
    hits = []
    for path in record_paths(record):
        steps = moment.tape.written_in(path, record.born, moment.t)
        if steps:
            exists = moment.text(path, moment.t) is not None
            hits.append(Hit(path, "changed" if exists else "removed", "certain", steps))
    return Nomination(moment.t, record.id, tuple(hits)) if hits else None


def _act(moment: Moment, record: Record, nomination: Nomination) -> PlanAction:
    why, nothing = "a file it shows was written", _keep(record, moment.t)
    if record.kind != "edit" and any(hit.why == "changed" for hit in nomination.hits):
        fresh = settle(moment, record, nomination, nothing, "refresh", why)
        if fresh.successor is not None:
            return fresh
    return settle(moment, record, nomination, nothing, "drop", why)


def _keep(record: Record, t: int) -> Decision:
    return Decision(Action(t, record.id, "keep", record.tokens, record.tokens, None, ""), None)


def recent_files(moment: Moment, writes: int) -> set[str]:
    """The files the last ``writes`` writes touched, 0 for all."""
    steps = moment.writes
    first = steps[-writes] if 0 < writes < len(steps) else 0
    return {path for d in moment.tape.drifts_in(first, moment.t) for path in d.paths}


def neighbouring(moment: Moment, paths: Iterable[str]) -> dict[str, int]:
    """Files by distance: 0 the given ones, 1 those that share an edge with one of them."""
    graph = moment.graph
    found = dict.fromkeys(sorted(paths), 0)
    for path in list(found):
        for symbol in graph.symbols(path):
            for edge, direction in neighbours(graph, symbol.id):
                other = (edge.target if direction == "out" else edge.source).partition("::")[0]
                found.setdefault(other, 1)
    return found


def whole_files(
    moment: Moment, near: Mapping[str, int], held: tuple[Record, ...], budget: int
) -> tuple[Retrieval, ...]:
    """Neighbouring source files nothing is held of, smallest first, within the budget."""
    found: list[Retrieval] = []
    showing: dict[str, list[Record]] = {}
    for record in held:
        for path in record_paths(record):
            showing.setdefault(path, []).append(record)
    for path, hop in sorted(near.items()):
        text = moment.text(path, moment.t)
        if hop == 0 or text is None or is_test(path) or is_documentation(path):
            continue
        if not text.strip() or moment.fresh.standing.shown(showing.get(path, ()), path, moment.t):
            continue
        found.append(retrieval(path, 1, len(lines_of(text)), text, "G2", "shares an edge with a written file", hop))
    chosen = []
    for one in sorted(found, key=lambda r: (r.tokens, r.path)):
        if one.tokens <= budget:
            budget -= one.tokens
            chosen.append(one)
    return tuple(chosen)


def _uses(moment: Moment, near: Mapping[str, int]) -> dict[str, Use]:
    """The use of each record as far as files can tell: no orphans, no superseded lines."""
    steps = moment.writes
    last: dict[str, int] = {}
    found: dict[str, Use] = {}
    for record in reversed(moment.records):
        paths = record_paths(record)
        touched = max([record.born, *(last[p] for p in paths if p in last)])
        for path in paths:
            last.setdefault(path, record.born)
        hop = min((near[p] for p in paths if p in near), default=None)
        writes = len(steps) - bisect_right(steps, record.born)
        age, idle = moment.t - record.born, moment.t - touched
        found[record.id] = Use(record, age, writes, idle, hop, None, 0.0)
    return found
