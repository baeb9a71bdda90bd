"""Live: the state of a live project after each entry, a pure function of the entries so far.

In: ``Live`` and one ``Entry``. Out: the next ``Live`` and, for a step, its ``HarnessStep``. Steps go through the two
halves of ``core.harness.run``, so a recorded run played through hooks has the state ``follow`` gives it. Records are
the project's and go on from session to session; counters are each session's own.

What the agent wrote itself stands: its focus until it or a person says otherwise, its guidance until it is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.harness.acts import Act
from core.harness.brief import make_brief
from core.harness.derive import Derivation
from core.harness.project_state import Alert, Problem, ProjectState, Relation, StateChange, WorkingBrief
from core.harness.run import Harness, HarnessStep, complete, propose
from core.harness.signals import Diagnosed, SignalState, Synchronized, transition
from storage.live.entries import Began, Edited, Entry, Reviewed, Stepped

_SESSIONS = 16  # sessions whose counters are kept
_PROBLEMS = 200


@dataclass(frozen=True, slots=True)
class Live:
    """The state after step ``t``. ``seen`` is the last step at which each file was looked at, written or, as a test,
    run. ``problems`` is what the records' history shows that may not be; ``sessions`` the newest last."""

    t: int = 0
    derivation: Derivation = field(default_factory=Derivation)
    sessions: Mapping[str, Harness] = field(default_factory=lambda: MappingProxyType({}))
    seen: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    problems: tuple[Problem, ...] = ()

    @property
    def state(self) -> ProjectState:
        """The records."""
        return self.derivation.state

    @property
    def session(self) -> str:
        """The session that did something last, "" before the first."""
        return list(self.sessions)[-1] if self.sessions else ""

    def harness(self, session: str) -> Harness:
        """The harness of a session: its own counters, the project's records."""
        return replace(self.sessions.get(session, Harness()), derivation=self.derivation)

    def alerts(self, session: str = "") -> tuple[Alert, ...]:
        """The alerts that stand in a session, the last one unless said."""
        known = self.sessions.get(session or self.session)
        return known.signals.alerts if known is not None else ()

    def brief(self, session: str = "") -> WorkingBrief:
        """The working brief of a session, the last one unless said."""
        return make_brief(self.t, self.state, self.alerts(session))


def after(live: Live, entry: Entry) -> tuple[Live, HarnessStep | None]:
    """The state after one entry; O(what it changes)."""
    match entry:
        case Began():
            return _began(live, entry), None
        case Stepped():
            return _stepped(live, entry)
        case Edited():
            return _edited(live, entry), None
        case Reviewed():
            harness = live.harness(entry.session)
            signals, _ = transition(harness.signals, Diagnosed(entry.alerts))
            return _with(live, entry.session, replace(harness, signals=signals, recent=(), asked=False)), None


def _began(live: Live, entry: Began) -> Live:
    task = live.derivation.task
    if entry.environment and task.environment != entry.environment and (not task.environment or task.derived):
        derivation = replace(live.derivation, task=replace(task, environment=entry.environment, derived=True))
        live = replace(live, derivation=derivation)
    harness = live.harness(entry.session)
    if entry.fresh:
        harness = replace(harness, signals=SignalState(alerts=live.alerts()), recent=(), asked=False)
    return _with(live, entry.session, harness)


def _stepped(live: Live, entry: Stepped) -> tuple[Live, HarnessStep]:
    act = entry.act
    harness, step = complete(propose(live.harness(entry.session), act), act, entry.written, entry.impacts)
    harness = replace(harness, derivation=_standing(live.derivation, harness.derivation, act))
    seen = {**live.seen, **dict.fromkeys(_looked_at(act, entry, step), act.t)}
    return _with(replace(live, t=max(live.t, act.t), seen=seen), entry.session, harness), step


def _looked_at(act: Act, entry: Stepped, step: HarnessStep) -> list[str]:
    closed = [r.target for r in step.change.relations if r.state == "checked"]
    looked = [] if act.hidden else [*act.reads, *act.searched]
    return [*looked, *(w.path for w in entry.written), *closed]


def _standing(before: Derivation, now: Derivation, act: Act) -> Derivation:
    """``now`` with what the agent wrote itself and no person has replaced since."""
    written = before.task
    if now.task is not written and not written.derived and written.focus and not act.user:
        task = replace(now.task, focus=written.focus, hypothesis=written.hypothesis, since=written.since, derived=False)
        now = replace(now, task=task)
    changed = {
        name: replace(p, policy=old.policy, rationale=old.rationale, derived=False)
        for name, p in now.procedures.items()
        if (old := before.procedures.get(name)) is not None and not old.derived and p is not old
    }
    return replace(now, procedures={**now.procedures, **changed}) if changed else now


def _edited(live: Live, entry: Edited) -> Live:
    derivation = taken_over(live.derivation, entry.change)
    last = max((e.t for e in entry.change.events), default=0)
    live = replace(live, t=max(live.t, last), derivation=derivation)
    live = replace(live, problems=(*live.problems, *entry.problems)[-_PROBLEMS:])
    if not entry.change.events or not live.session:
        return live
    harness = live.harness(live.session)
    signals, _ = transition(harness.signals, Synchronized(entry.change.events[-1].is_progress))
    return _with(live, live.session, replace(harness, signals=signals, recent=harness.recent if signals.score else ()))


def taken_over(derivation: Derivation, change: StateChange) -> Derivation:
    """The derivation with records that were written from outside."""
    relations = {**derivation.relations, **{r.key: r for r in change.relations}}
    return replace(
        derivation,
        task=change.task if change.task is not None else derivation.task,
        events=(*derivation.events, *change.events),
        relations=relations,
        procedures={**derivation.procedures, **{p.name: p for p in change.procedures}},
        open_at=_open_at(derivation, relations) if change.relations else derivation.open_at,
    )


def _open_at(
    derivation: Derivation, relations: Mapping[tuple[str, str, str], Relation]
) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """The keys of open relations by target, those known to be open before first."""
    known = [key for keys in derivation.open_at.values() for key in keys]
    found: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for key in dict.fromkeys((*known, *sorted(relations))):
        if relations[key].state == "open":
            found[key[1]] = (*found.get(key[1], ()), key)
    return found


def _with(live: Live, session: str, harness: Harness) -> Live:
    """The state with a session's harness in it; the records in it are the project's."""
    kept = {name: known for name, known in live.sessions.items() if name != session}
    while len(kept) >= _SESSIONS:
        del kept[next(iter(kept))]
    own = replace(harness, derivation=Derivation())  # once is enough
    return replace(live, derivation=harness.derivation, sessions={**kept, session: own})
