"""The manager without a model: StateTape's three decisions told by the graph, the tape and the order of steps.

In: a moment. Out: a ``Plan``: (1) an action for each nominated record, the default refined by how long ago the
drift was; (2) D^m, records no write falsified that the task has finished with; (3) R^m, unread code within two
edges of what drifted last or was read since, and what those reads left out of the definitions they show. Departs:
the paper's manager is a small model; this one decides the same three things from the same evidence by rules whose
numbers stand in ``weights``. What the user and the assistant said is never evicted: no graph can tell when a plan
is finished with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.context.actions import Nomination
from core.context.defaults import Decision
from core.context.moment import Moment
from core.context.plan import Plan, PlanAction, Retrieval, context_after, from_default
from core.manager.candidates import candidates, choose, drifted, drifted_since, focused, rank, seeds
from core.manager.settle import evict, settle
from core.manager.uses import Use, uses
from core.manager.walk import Reach, distances, walk
from core.manager.weights import WEIGHTS, Weights
from core.records.record import Record, State

_PROTECTED = frozenset({"user", "say", "summary"})
_OUTPUT = frozenset({"run", "agent", "search"})
_NAME = re.compile(r"[\w./-]{3,}")


def manage(moment: Moment, weights: Weights = WEIGHTS) -> Plan:
    """The model-free manager's decisions at one moment.

    Cost: the symbols of the held records, the walk from its seeds, line maps of the files involved.
    """
    if not (moment.nominations or weights.unasked):
        return Plan(note="nothing is nominated")
    defaults = Plan(tuple(from_default(d.action, d.successor) for d in moment.defaults))
    near = walk(moment.graph, seeds(moment, weights))
    wide = distances(moment.graph, drifted(moment, weights.near_writes))
    use = uses(moment, wide, context_after(defaults, moment.records, moment.t))
    actions = (*settled(moment, use, weights), *evictions(moment, use, weights))
    kept = context_after(Plan(actions), moment.records, moment.t)
    found = retrievals(moment, near, kept, weights)
    return Plan(actions, found, _note(actions, found))


def settled(moment: Moment, use: Mapping[str, Use], weights: Weights) -> tuple[PlanAction, ...]:
    """Decision 1: one action for each nominated record, in their order."""
    records = {r.id: r for r in moment.records}
    return tuple(
        _settle(moment, records[n.record_id], n, d, use[n.record_id], weights)
        for n, d in zip(moment.nominations, moment.defaults, strict=True)
    )


def _settle(
    moment: Moment,
    record: Record,
    nomination: Nomination,
    default: Decision,
    use: Use,
    weights: Weights,
) -> PlanAction:
    name = default.action.name
    if isinstance(record.referent, State):
        why = finished_run(moment, record, use, weights)
        return evict(record, why) if why else from_default(default.action, default.successor)
    if name == "refresh" and weights.refresh_age and use.idle >= weights.refresh_age and use.hop != 0:
        return settle(moment, record, nomination, default, "drop", f"untouched for {use.idle} steps")
    why = finished(use, weights) if name == "keep" else ""
    if why:
        return settle(moment, record, nomination, default, "drop", why)
    return from_default(default.action, default.successor)


def evictions(moment: Moment, use: Mapping[str, Use], weights: Weights) -> tuple[PlanAction, ...]:
    """Decision 2, D^m: records no write falsified that the task has finished with, in order of birth."""
    nominated = {n.record_id for n in moment.nominations}
    reasons = [(r, finished(use[r.id], weights)) for r in moment.records if r.id not in nominated]
    return tuple(evict(record, why) for record, why in reasons if why)


def finished(use: Use, weights: Weights) -> str:
    """Why the task has finished with a record, "" if it has not; what the agent wrote itself stays longest."""
    record = use.record
    if record.kind in _PROTECTED:
        return ""
    if not record.sights:
        old = weights.output_age and record.kind in _OUTPUT and use.age >= weights.output_age
        return f"output of {use.age} steps ago" if old else ""
    if weights.orphan_writes and use.orphaned is not None and use.orphaned >= weights.orphan_writes:
        return "nothing calls what it shows any more"
    if weights.superseded and record.kind != "edit" and use.covered >= weights.superseded:
        return "newer records show its lines"
    if weights.idle and use.idle >= weights.idle:
        return f"untouched for {use.idle} steps"
    far = use.hop is None and use.writes >= weights.far_writes and use.idle >= weights.far_idle
    if weights.far_writes and far and record.kind != "edit":
        return f"more than two edges from anything that changed, over {use.writes} writes"
    return ""


def finished_run(moment: Moment, record: Record, use: Use, weights: Weights) -> str:
    """Why a test, build or lint result that writes have overtaken needs no stub, "" if it does.

    It needs none when it is old, or when nothing that drifted since it ran is near the files its command names.
    """
    if weights.test_age and use.age >= weights.test_age:
        return f"a result of {use.age} steps ago"
    tested = files_named(moment, record.command)
    if not tested:
        return ""
    reached = distances(moment.graph, drifted_since(moment, record.born + 1))
    if {symbol.partition("::")[0] for symbol in reached}.isdisjoint(tested):
        return "it tested a module that nothing written since is near"
    return ""


def files_named(moment: Moment, command: str) -> tuple[str, ...]:
    """The repository files a command names, as paths (tests/test_log.py) or dotted (tests.test_log), sorted."""
    words = {w.strip("./") for w in _NAME.findall(command)}
    named = words | {f"{w.replace('.', '/')}.py" for w in words if "." in w and "/" not in w}
    return tuple(sorted(named.intersection(moment.graph.paths())))


def retrievals(
    moment: Moment, near: Mapping[str, Reach], held: Sequence[Record], weights: Weights
) -> tuple[Retrieval, ...]:
    """Decision 3, R^m: the best candidates the context does not show, within the token budget."""
    ranked = rank(moment, candidates(moment, near, held, focused(moment, weights.focus)), weights)
    return choose(ranked, min(weights.budget, moment.budget))


def _note(actions: Sequence[PlanAction], found: Sequence[Retrieval]) -> str:
    gone = sum(1 for a in actions if a.name == "drop" and a.successor is None)
    return f"{len(actions) - gone} nominations settled, {gone} records evicted, {len(found)} regions retrieved"
