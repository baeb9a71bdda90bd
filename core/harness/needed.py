"""Harness: evidence that had fallen out of the working brief when a later step came back to it.

In: a ``HarnessRun``. Out: ``Needed``, in step order: relations that were open and not in the brief when a step read or
edited their target, and recorded decisions, findings and rejected assumptions about a file, not in the brief when a
step changed it. Cost: one brief for each step that closes a relation or records a change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.harness.brief import make_brief
from core.harness.files import LOG, RELATIONS
from core.harness.project_state import Alert, Event, ProjectState, Relation, StateChange, apply_changes
from core.harness.run import HarnessRun

_TOLD = ("decision", "finding", "rejected-assumption")


@dataclass(frozen=True, slots=True)
class Needed:
    """At step ``t`` the run came back to ``path``; what was recorded of it at ``since`` stood in ``where`` only."""

    t: int
    path: str
    what: str
    text: str
    since: int
    where: str


def needed_later(run: HarnessRun) -> tuple[Needed, ...]:
    """All of a run; of one file and step the relations first, then events by number."""
    found: list[Needed] = []
    state, pending = run.start, list[StateChange]()
    alerts: tuple[Alert, ...] = ()
    for step in run.steps:
        closed = [r for r in step.change.relations if r.state == "checked" and r.closed == step.t]
        changed = {path for e in step.change.events if e.kind == "change" for path in e.paths}
        if closed or changed:
            state, pending = apply_changes(state, pending), []
            found += _needed(step.t, state, alerts, closed, changed)
        pending.append(step.change)
        if any(e.kind == "clear" for e in step.effects):
            alerts = ()
        alerts = step.alerts or alerts
    return tuple(found)


def _needed(
    t: int, state: ProjectState, alerts: Sequence[Alert], closed: Sequence[Relation], changed: set[str]
) -> list[Needed]:
    brief = make_brief(t - 1, state, alerts)
    shown = {r.target for r in brief.relations}
    before = {r.key: r for r in state.open_relations}
    found = []
    for relation in closed:
        was = before.get(relation.key)
        if was is not None and was.target not in shown:
            shown.add(was.target)  # one a file
            found.append(Needed(t, was.target, f"open relation: {was.kind}", was.why, was.opened, RELATIONS))
    seen = {e.n for e in brief.events}
    told = [e for e in state.events if e.kind in _TOLD and e.n not in seen]
    found += [_told(t, event, path) for event in told for path in _of(event, changed)]
    return found


def _of(event: Event, changed: set[str]) -> list[str]:
    return sorted(changed & set(event.paths))[:1]


def _told(t: int, event: Event, path: str) -> Needed:
    return Needed(t, path, event.kind.replace("-", " "), event.text, event.t, f"{LOG}, {event.name}")
