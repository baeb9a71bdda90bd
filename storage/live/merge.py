"""Live: records that the agent or a person edited in their files, brought together with those kept since (pure).

In: the records as they were last written to the files, as the files have them now, and as they are kept now. Out: the
``StateChange`` that takes the edits over, and a ``Problem`` for each thing an edit may not do. Nothing of either side
is lost: an event that was changed in the log stays as it was, and its new wording is appended.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from core.harness.checks import check_history
from core.harness.project_state import Event, Problem, Procedure, ProjectState, Relation, StateChange, TaskState


def merge(
    written: ProjectState, found: ProjectState, kept: ProjectState, t: int
) -> tuple[StateChange, tuple[Problem, ...]]:
    """What to take over from ``found`` into ``kept``; O(records). Agent-written records are not marked derived."""
    change = StateChange(
        t,
        _task(written.task, found.task, kept.task),
        _events(written, found, kept, t),
        _relations(written, found),
        _procedures(written, found, kept),
    )
    return change, check_history(written, found)


def _task(written: TaskState, found: TaskState, kept: TaskState) -> TaskState | None:
    names = ("observation", "environment", "focus", "hypothesis")
    edits = {n: getattr(found, n) for n in names if getattr(found, n) != getattr(written, n)}
    if kept.observation:
        edits.pop("observation", None)  # it is set once
    return replace(kept, **edits, derived=False) if edits else None


def _events(written: ProjectState, found: ProjectState, kept: ProjectState, t: int) -> tuple[Event, ...]:
    """The events of the file that are not those written to it, numbered on from the last that is kept."""
    known = Counter(replace(e, n=0) for e in written.events)
    known |= Counter(replace(e, n=0) for e in kept.events)
    new = []
    for event in found.events:
        bare = replace(event, n=0)
        if known[bare] > 0:
            known[bare] -= 1
        else:
            new.append(event)
    # A step that is not known or lies in the past of what was recorded is the present one: the log only grows.
    latest, taken = max((e.t for e in kept.events), default=0), []
    for number, event in enumerate(new, len(kept.events) + 1):
        latest = event.t if latest <= event.t <= t else max(t, latest)
        taken.append(replace(event, n=number, t=latest, derived=False))
    return tuple(taken)


def _relations(written: ProjectState, found: ProjectState) -> tuple[Relation, ...]:
    was = {r.key: r for r in written.relations}
    return tuple(
        replace(r, derived=r.derived and r.key in was and r == was[r.key])
        for r in found.relations
        if r != was.get(r.key)
    )


def _procedures(written: ProjectState, found: ProjectState, kept: ProjectState) -> tuple[Procedure, ...]:
    was, now = ({p.name: p for p in state.procedures} for state in (written, kept))
    taken = []
    for p in found.procedures:
        if p == was.get(p.name):
            continue
        known = now.get(p.name)
        if known is not None and known.runs >= p.runs:  # the counts of what ran are not the agent's to write
            p = replace(known, policy=p.policy, rationale=p.rationale, latest_failure=p.latest_failure)
        taken.append(replace(p, derived=False))
    return tuple(taken)
