"""Harness: the project's state over a run, step by step: records, signals, impacts, briefs, diagnoses.

In: typed steps with the writes replay found, and the code graph. Out: ``HarnessRun``. ``Harness`` is the state a live
run keeps between two hooks; ``propose`` and ``complete`` are its two halves of a step, pure, so that a recorded run
played through hooks gives what ``follow`` gives. Only what a step changed is kept a step: ``state_at`` puts the
records of any step together.

Cost of ``follow``: one graph, then per write the written files and what they reach; a step without a write costs
its own text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.graph.symbols import Delta
from core.harness.acts import Act, act_of, signal_events
from core.harness.brief import make_brief
from core.harness.derive import Derivation, advance, begin
from core.harness.diagnosis import DiagnosisInput, assemble
from core.harness.impact import Impact, ImpactIndex, Written
from core.harness.names import NamesCache
from core.harness.overlooked import overlooked
from core.harness.project_state import Alert, ProjectState, StateChange, WorkingBrief, apply_changes
from core.harness.signals import (
    DEFAULTS,
    Diagnosed,
    Effect,
    HarnessEvent,
    Settings,
    SignalState,
    Synchronized,
    transition,
)
from core.options import Options
from core.replay.paths import find_roots
from core.replay.tree import names
from core.replay.world import FileWrite, History, Replay
from core.trajectory.steps import Step, Trajectory

Diagnose = Callable[[DiagnosisInput, Derivation], tuple[Alert, ...]]


@dataclass(frozen=True, slots=True)
class Counters:
    """The signals' counters after a step."""

    score: int = 0
    missing: int = 0
    window: int = 0
    cooldown: int = 0


@dataclass(frozen=True, slots=True)
class HarnessStep:
    """What one step did to the state. ``alerts`` are those of a diagnosis made after it, None when there was none;
    ``signal`` says what asked for it. ``impacts`` are all candidates of its writes, by score."""

    t: int
    change: StateChange
    effects: tuple[Effect, ...] = ()
    counters: Counters = Counters()
    written: tuple[Written, ...] = ()
    impacts: tuple[Impact, ...] = ()
    alerts: tuple[Alert, ...] | None = None
    signal: str = ""


@dataclass(frozen=True, slots=True)
class Harness:
    """The state between two steps. ``recent`` are the signals since the score was last cleared; ``asked``: a diagnosis
    is due at the end of this step; ``effects`` are those of the call under way."""

    derivation: Derivation = field(default_factory=Derivation)
    signals: SignalState = field(default_factory=SignalState)
    recent: tuple[Effect, ...] = ()
    asked: bool = False
    effects: tuple[Effect, ...] = ()


def by_rules(given: DiagnosisInput, known: Derivation) -> tuple[Alert, ...]:
    """The diagnosis of ``overlooked``."""
    return overlooked(given, tuple(known.relations.values()), known.reads, known.written, known.tested)


def propose(harness: Harness, act: Act, settings: Settings = DEFAULTS) -> Harness:
    """The state once a call was proposed (a saying changes nothing here)."""
    call, _ = signal_events(act)
    return _signal(replace(harness, effects=()), call, settings) if call is not None else replace(harness, effects=())


def complete(
    harness: Harness,
    act: Act,
    written: Sequence[Written] = (),
    impacts: Sequence[Impact] = (),
    settings: Settings = DEFAULTS,
    diagnose: Diagnose = by_rules,
) -> tuple[Harness, HarnessStep]:
    """The state once the step is over, with what it wrote and what that may affect."""
    _, done = signal_events(act)
    if done is not None:
        harness = _signal(harness, done, settings)
    derivation, change = advance(harness.derivation, act, written, impacts)
    harness = replace(harness, derivation=derivation)
    if change.events:
        harness = _signal(harness, Synchronized(change.events[-1].is_progress), settings)
    alerts: tuple[Alert, ...] | None = None
    signal = ""
    if harness.asked:
        state = derivation.state
        brief = make_brief(act.t, state, harness.signals.alerts)
        given = assemble(act.t, harness.recent, state, brief)
        alerts, signal = diagnose(given, derivation), given.signal
        harness = _signal(replace(harness, asked=False), Diagnosed(alerts), settings)
    s = harness.signals
    step = HarnessStep(
        act.t,
        change,
        harness.effects,
        Counters(s.score, s.missing, s.window, s.cooldown),
        tuple(written),
        tuple(impacts),
        alerts,
        signal,
    )
    return harness, step


def _signal(harness: Harness, event: HarnessEvent, settings: Settings) -> Harness:
    signals, effects = transition(harness.signals, event, settings)
    if signals is harness.signals and not effects:
        return harness
    recent = (*harness.recent, *(e for e in effects if e.kind == "signal"))
    return replace(
        harness,
        signals=signals,
        effects=(*harness.effects, *effects),
        recent=recent if signals.score else (),
        asked=(harness.asked or any(e.kind == "request-diagnosis" for e in effects)) and signals.score > 0,
    )


@dataclass(frozen=True, slots=True)
class HarnessRun:
    """The project's state over a run: one ``HarnessStep`` a step, in order; ``start`` is the state before the first."""

    run_id: str
    start: ProjectState
    steps: tuple[HarnessStep, ...]

    def state_at(self, t: int) -> ProjectState:
        """The records after step ``t``; O(what changed until then)."""
        return apply_changes(self.start, (s.change for s in self.steps[: self._upto(t)] if s.change))

    def alerts_at(self, t: int) -> tuple[Alert, ...]:
        """The alerts that stand after step ``t``; O(steps since the last diagnosis)."""
        for step in reversed(self.steps[: self._upto(t)]):
            # In one step a clearing comes before the diagnosis that replaces what was cleared.
            if step.alerts:
                return step.alerts
            if any(e.kind == "clear" for e in step.effects):
                return ()
        return ()

    def brief_at(self, t: int) -> WorkingBrief:
        """The working brief after step ``t``."""
        return make_brief(t, self.state_at(t), self.alerts_at(t))

    def _upto(self, t: int) -> int:
        return bisect_right(self.steps, t, key=lambda s: s.t)


def environment_of(trajectory: Trajectory) -> str:
    """What a run says of where it works: the agent, its models, the branch; never a path."""
    models = ", ".join(sorted(trajectory.models))
    parts = [trajectory.agent, models, f"branch {trajectory.git_branch}" if trajectory.git_branch else ""]
    return "; ".join(part for part in parts if part)


class Project:
    """The state of a recorded run while the graph moves beside it: ``wrote`` an update, ``step`` a step, in turn."""

    def __init__(
        self,
        trajectory: Trajectory,
        replayed: Replay,
        graph: CodeGraph,
        *,
        cache: NamesCache | None = None,
        settings: Settings = DEFAULTS,
        diagnose: Diagnose = by_rules,
    ) -> None:
        """``graph`` stands at the state before the first step and is moved by the caller."""
        known = set(names(replayed.base)) if replayed.info.spec not in ("", "none") else set()
        self._roots = find_roots(trajectory, known)
        self._graph, self._settings, self._diagnose = graph, settings, diagnose
        self._index = ImpactIndex(replayed.base, cache)
        self._harness = Harness(begin(environment_of(trajectory)))
        self._start = self._harness.derivation.state
        self._run_id = trajectory.run_id
        self._steps: list[HarnessStep] = []
        self._written: list[Written] = []
        self._impacts: list[Impact] = []
        self._same: dict[Impact, Impact] = {}

    def wrote(
        self, delta: Delta, texts: Mapping[str, tuple[str | None, str | None]], unknown: Iterable[str] = ()
    ) -> None:
        """The graph has moved by ``delta``; ``texts`` are those before and after, ``unknown`` have no known text."""
        self._written += [Written(path) for path in sorted(unknown)]
        moved = {path: texts[path] for path in sorted(texts) if texts[path][0] != texts[path][1]}
        if moved:
            written, impacts = self._index.update(self._graph, delta, moved)
            self._written += written
            self._impacts += impacts

    def step(self, step: Step) -> None:
        """The step is over; what was written since the one before is its doing."""
        act = act_of(step, self._roots.key)
        harness = propose(self._harness, act, self._settings)
        written = _once(self._written)
        # Writes of one file reach much the same again and again: equal impacts are one in memory.
        ordered = sorted(self._impacts, key=lambda i: (-i.score, i.path, i.source))
        impacts = [self._same.setdefault(i, i) for i in ordered]
        self._harness, done = complete(harness, act, written, impacts, self._settings, self._diagnose)
        self._steps.append(done)
        self._written, self._impacts = [], []

    def finish(self) -> HarnessRun:
        """The state over the steps so far."""
        return HarnessRun(self._run_id, self._start, tuple(self._steps))


def _once(written: Iterable[Written]) -> tuple[Written, ...]:
    """Each file once, by path: a step can come to know of several writes of one file."""
    found: dict[str, Written] = {}
    for write in written:
        known = found.get(write.path, write)
        created = known.how == "created" and write.how == "edited"
        symbols = tuple(dict.fromkeys((*known.symbols, *write.symbols)))
        how = "created" if created else write.how
        found[write.path] = Written(write.path, how, symbols if how == "edited" else ())
    return tuple(found[path] for path in sorted(found))


def follow(
    trajectory: Trajectory,
    replayed: Replay,
    options: Options | None = None,
    *,
    facts: FactsCache | None = None,
    cache: NamesCache | None = None,
    settings: Settings = DEFAULTS,
    diagnose: Diagnose = by_rules,
    progress: Callable[[int, int], None] | None = None,
) -> HarnessRun:
    """The project's state at every step of a recorded run, on the clock of what was known."""
    history = History(replayed, "known_at")
    graph = CodeGraph(replayed.base, options, facts)
    project = Project(trajectory, replayed, graph, cache=cache, settings=settings, diagnose=diagnose)
    writes: dict[int, list[FileWrite]] = {}
    for write in replayed.writes:
        writes.setdefault(write.known_at, []).append(write)
    for step in trajectory.steps:
        _move(project, graph, history, step.t, writes.get(step.t, ()))
        project.step(step)
        if progress is not None:
            progress(step.t, len(trajectory.steps))
    return project.finish()


def _move(project: Project, graph: CodeGraph, history: History, t: int, writes: Iterable[FileWrite]) -> None:
    """Move the graph by the writes known at ``t``, one update for each step they are placed at."""
    texts: dict[str, str | None] = {}
    for placed in sorted({w.t for w in writes}):
        group = [w for w in writes if w.t == placed]
        known = {w.path: w.after for w in group if not w.opaque}
        unknown = {w.path for w in group if w.opaque}
        pairs = {p: (texts[p] if p in texts else history.text(p, t - 1), after) for p, after in known.items()}
        project.wrote(graph.update(known), pairs, unknown - known.keys())
        texts |= known
