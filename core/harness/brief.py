"""Harness: the working brief, made from the records by fixed rules (StateHarness, Table 3, "Working brief").

In: the records and the alerts of one step. Out: ``WorkingBrief``: focus and hypothesis, alerts, open relations, the
guidance that matters now, the newest events. Bounded whatever the records hold; what did not fit is counted with the
file and the place it stands in, so that nothing is lost from sight. Cost: linear in the records.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.harness.files import LOG, RELATIONS
from core.harness.project_state import DEFERRED, Alert, Event, Outside, Procedure, ProjectState, Relation, WorkingBrief
from core.harness.said import clip
from core.harness.skills_file import FILE as SKILLS

_VERDICT = re.compile(r" (?:passed|failed|ended without a verdict|works again).*", re.DOTALL)
_KINDS = ("caller", "test", "schema", "configuration", "documentation")
_NAMED = 12  # deferred decisions pointed at by name


@dataclass(frozen=True, slots=True)
class Limits:
    """How many of each a brief holds, and characters a text in it."""

    events: int = 8
    relations: int = 8
    procedures: int = 4
    alerts: int = 5
    text: int = 200


def make_brief(t: int, state: ProjectState, alerts: Sequence[Alert] = (), limits: Limits = Limits()) -> WorkingBrief:
    """The brief after step ``t``; of two events on one thing (a file's changes, a command's runs) the newer stands."""
    events = _recent(state.events, limits.events)
    opened = _opened(state)
    guidance = _relevant(state.procedures, limits.procedures)
    outside = (
        *_outside_events(state.events, events),
        *_rest("more open relations", len(state.open_relations) - min(len(opened), limits.relations), RELATIONS),
        *_rest("more procedures", len(state.procedures) - len(guidance), SKILLS),
        *_rest("older alerts", len(alerts) - limits.alerts, "the diagnosis"),
    )
    return WorkingBrief(
        t=t,
        focus=clip(state.task.focus, limits.text),
        hypothesis=clip(state.task.hypothesis, limits.text),
        guidance=tuple(_shown(p, limits.text) for p in guidance),
        events=tuple(_clipped(e, limits.text) for e in events),
        relations=tuple(replace(r, why=clip(r.why, limits.text)) for r in opened[: limits.relations]),
        alerts=tuple(replace(a, text=clip(a.text, limits.text)) for a in alerts[: limits.alerts]),
        outside=outside,
    )


def _opened(state: ProjectState) -> list[Relation]:
    """The open relations, one a target: code first, then tests, the newest first."""
    ranked = sorted(state.open_relations, key=lambda r: (_KINDS.index(r.kind), -r.opened, r.key))
    found: dict[str, Relation] = {}
    for relation in ranked:
        found.setdefault(relation.target, relation)
    return list(found.values())


def _recent(events: Sequence[Event], most: int) -> list[Event]:
    """The newest events in order, those left out that a newer one on the same thing takes the place of."""
    found: list[Event] = []
    seen: set[tuple[str, ...]] = set()
    for event in reversed(events):
        if len(found) == most:
            break
        about = _about(event)
        if about and about in seen:
            continue
        seen.add(about)
        found.append(event)
    return found[::-1]


def _about(event: Event) -> tuple[str, ...]:
    if event.kind == "change" and event.paths:
        return ("change", *event.paths)
    name = _VERDICT.sub("", event.text)
    return ("run", name) if name != event.text and event.derived else ()


def _relevant(procedures: Sequence[Procedure], most: int) -> list[Procedure]:
    """Those to be careful with, then those used last."""
    last = {p.name: p.history[-1].t if p.history else 0 for p in procedures}
    return sorted(procedures, key=lambda p: (p.policy == "use", -last[p.name], p.name))[:most]


def _outside_events(events: Sequence[Event], shown: Sequence[Event]) -> tuple[Outside, ...]:
    kept = {e.n for e in shown}
    left = [e for e in events if e.n not in kept]
    if not left:
        return ()
    deferred = [e.name for e in left if e.tag == DEFERRED]
    found = [Outside("other events", len(left), f"{LOG}, {left[0].name} to {left[-1].name}")]
    if deferred:
        more = ", …" if len(deferred) > _NAMED else ""
        found.append(Outside("deferred decisions", len(deferred), f"{LOG}, {', '.join(deferred[:_NAMED])}{more}"))
    return tuple(found)


def _rest(what: str, count: int, where: str) -> tuple[Outside, ...]:
    return (Outside(what, count, where),) if count > 0 else ()


def _shown(p: Procedure, size: int) -> Procedure:
    return replace(p, history=(), latest_failure=clip(p.latest_failure, size), rationale=clip(p.rationale, size))


def _clipped(event: Event, size: int) -> Event:
    paths = event.paths[:6]
    return replace(event, text=clip(event.text, size), reason=clip(event.reason, size), paths=paths)


def dropped(before: WorkingBrief, after: WorkingBrief) -> tuple[tuple[Event, ...], tuple[Relation, ...]]:
    """What the later of two briefs no longer shows: events, and relations that are not shown though still open."""
    events = {e.n for e in after.events}
    relations = {r.key for r in after.relations}
    return (
        tuple(e for e in before.events if e.n not in events),
        tuple(r for r in before.relations if r.key not in relations),
    )
