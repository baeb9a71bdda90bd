"""analyse(): one run, one base, one set of switches -> everything the dashboard shows. The only wiring.

Time runs once, left to right. At each step: what a compaction removed leaves; the writes the step makes
known update the graph and the tape; the step's own record is born of w_t; the tape nominates in both
contexts (the recorded C_t and the one the default actions maintain); decision points are measured.
Measuring stages (staleness, tracebench) only ever read what the others decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from core.analysis import ANALYSIS_VERSION, Analysis, CurvePoint, GraphStats, HeldAt
from core.context.actions import Action, Nomination
from core.context.defaults import Surroundings, default_action
from core.context.fresh import FreshViews
from core.context.maintain import Maintained
from core.context.moment import Moment, moment_at
from core.context.still import Still
from core.graph.chronicle import Chronicle
from core.graph.facts import FactsCache, FileFacts
from core.graph.graph import CodeGraph
from core.harness.run import Project
from core.options import Options
from core.policies import POLICIES
from core.policies.policy import Policy
from core.records.held import Held
from core.records.inventory import build_record, gone_steps
from core.records.queries import falsified_queries
from core.records.reconcile import Segment, reconcile
from core.records.record import Record, Symbols
from core.replay.base import Base
from core.replay.replay import replay
from core.replay.world import FileWrite, History, Replay, Sight
from core.tape.drift import Drift, drift_of
from core.tape.nominate import Listing
from core.tape.staleness import STALE, Staleness, StatusChange
from core.tape.tape import Tape
from core.tracebench.bursts import Burst
from core.tracebench.carry import Carrier
from core.tracebench.evaluate import evaluate
from core.tracebench.measure import measure
from core.tracebench.points import DecisionPoint, Point, find_points
from core.tracebench.regions import Labels
from core.tracebench.scores import PointScore
from core.tracebench.sources import Imported, Reference, hindsight, imported, prepare_reference, reference
from core.trajectory.steps import Step, Trajectory

# Policies are scored at no more than about this many points of a run, evenly spread; only runs of many
# thousands of steps have more.
_SCORED = 400
_VERSIONS = 200  # superseded file versions whose graph facts are kept, for what is undone
Progress = Callable[[float, str], None]
K = TypeVar("K")
V = TypeVar("V")


def analyse(
    trajectory: Trajectory,
    base: Base,
    options: Options,
    *,
    patch: str | None = None,
    labels: Imported | None = None,
    policies: Mapping[str, Policy] = POLICIES,
    facts: FactsCache | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """The whole analysis of a run; gold is ``imported`` with labels, ``reference`` with a patch, else ``hindsight``.

    ``policies`` are scored at every scored point (of some thousands at an even share), beside the oracles.
    ``facts`` carries per-file graph facts between runs. ``progress`` is told the part done (0..1) and what is
    being done; an exception it raises stops the analysis. Cost: linear in the steps, and per write in the
    written files, what they reach in the graph and the records they concern.
    """
    tell = progress or (lambda part, what: None)
    tell(0.0, "replaying")
    replayed = replay(trajectory, base)
    tell(0.1, "building the graph")
    run = _Run(trajectory, replayed, options, None if labels is not None else patch, policies, facts)
    run.imported = labels
    return run.through(tell)


class _RunFacts(FactsCache):
    """Facts of files for one run: those of its base are shared with other runs, of its own versions few are kept."""

    def __init__(self, shared: FactsCache) -> None:
        super().__init__(_VERSIONS)
        self.shelf = shared.shelf
        self._shared = shared
        self.in_base = True

    def get(self, key: tuple[str, str]) -> FileFacts | None:
        """The facts of a version of the run, else of the base or another run."""
        return self._entries.get(key) or self._shared.get(key)

    def put(self, key: tuple[str, str], facts: FileFacts) -> None:
        """Remember facts where they belong."""
        if self.in_base:
            self._shared.put(key, facts)
        else:
            super().put(key, facts)


class _Run:
    """One pass over a run: the stages that accumulate, and what they have given so far."""

    def __init__(
        self,
        trajectory: Trajectory,
        replayed: Replay,
        options: Options,
        patch: str | None,
        policies: Mapping[str, Policy],
        facts: FactsCache | None,
    ) -> None:
        self.trajectory, self.replayed, self.options, self.policies = trajectory, replayed, options, policies
        # Everything runs on the clock of what is known: no stage sees a change before the run did.
        self.history = History(replayed, "known_at")
        of_run = _RunFacts(facts if facts is not None else FactsCache())
        self.graph = CodeGraph(replayed.base, options, of_run)
        of_run.in_base = False
        self.still = Still(self.graph)
        self.chronicle = Chronicle(self.graph)
        self.tape = Tape(options, self.graph.view)
        self.held = Held()
        self.listing = Listing(self.tape, self.held)
        self.fresh = FreshViews(self.history.text, self.still, options)
        self.around = Surroundings(self.tape, self.still, self.history.text, self.held, options, self.fresh)
        self.staleness = Staleness(self.tape, self.still, self.history.text)
        self.m_staleness = Staleness(self.tape, self.still, self.history.text)
        self.maintained = Maintained(self.tape, self.still, self.history.text, options, self.m_staleness, self.fresh)
        self.carrier = Carrier(self.history)
        self.reference: Reference | None = None
        self.imported: Imported | None = None
        self.hindsight: tuple[tuple[Burst | None, int], Labels] | None = None  # the last ones made
        if patch:
            self.reference = prepare_reference(self.still, self.history, replayed.writes, patch)
        self.records: list[Record] = []
        self.drifts: list[Drift] = []
        self.nominations: list[tuple[Nomination, Action]] = []
        self.statuses: list[StatusChange] = []
        self.actions: list[Action] = []
        self.points: list[DecisionPoint] = []
        self.curve: list[CurvePoint] = []
        self.scores: list[PointScore] = []
        self.every = 1  # of how many scored points one is scored under every policy
        self.held_at: list[HeldAt] = []
        self.project = Project(trajectory, replayed, self.graph) if options.harness else None

    def through(self, tell: Progress) -> Analysis:
        """Every step in order, then what can only be told at the end."""
        gone = gone_steps(self.trajectory)
        leaving = _by(((t, record_id) for record_id, t in gone.items()))
        sights = _by((s.t, s) for s in self.replayed.sights)
        writes = _by((w.known_at, w) for w in self.replayed.writes)
        found = find_points(self.trajectory)
        points = _by((p.t, p) for p in found)
        self.every = 1 + sum(p.anchor == "P" for p in found) // _SCORED
        unknown = _Unknown(self.replayed)
        self._measure(points.get(0, ()))
        steps = self.trajectory.steps
        for step in steps:
            t = step.t
            self._leave(t, leaving.get(t, ()))
            self._write(t, writes.get(t, ()))
            self._born(step, sights.get(t, ()), gone, unknown)
            if t in writes:
                self.nominations += [(n, self._default(n)) for n in self.listing.at(t)]
                self.actions += self.maintained.act(t)
            if self.project is not None:
                self.project.step(step)
            self.held_at.append(HeldAt(t, *self.staleness.tokens(), *self.m_staleness.tokens()))
            self._measure(points.get(t, ()))
            if t % 200 == 0:
                tell(0.1 + 0.85 * t / len(steps), f"step {t:,} of {len(steps):,}")
        tell(0.95, "finishing")
        return self._finish()

    def _leave(self, t: int, record_ids: Iterable[str]) -> None:
        leaving = list(record_ids)
        for record_id in leaving:
            self.held.remove(record_id)
            self.staleness.remove(record_id)
        self.maintained.compact(t, leaving)

    def _write(self, t: int, writes: Iterable[FileWrite]) -> None:
        """Bring graph, tape and statuses to what is known after step ``t``; one drift for each step that wrote."""
        texts: dict[str, str | None] = {}
        opaque: set[str] = set()
        for placed, group in sorted(_by((w.t, w) for w in writes).items()):
            known = {w.path: w.after for w in group if not w.opaque}
            unknown = {w.path for w in group if w.opaque}
            self.chronicle.before(known)
            delta = self.graph.update(known)
            self.still.moved(known)
            self.chronicle.after(t, known, delta)
            drift = drift_of(placed, t, delta, known.keys() | unknown, unknown, self.options)
            self.tape.append(drift, delta)
            self.drifts.append(drift)
            if self.project is not None:
                pairs = {p: (texts[p] if p in texts else self.history.text(p, t - 1), new) for p, new in known.items()}
                self.project.wrote(delta, pairs, unknown - known.keys())
            texts |= known
            opaque = (opaque - known.keys()) | unknown
        if texts or opaque:
            touched = self.tape.touched(t)
            if self.options.queries:
                pairs = {path: (self.history.text(path, t - 1), text) for path, text in texts.items()}
                self.tape.note_queries(falsified_queries(self.held.queries(), pairs), t)
            self.statuses += self.staleness.write(t, texts, opaque, touched)
            self.m_staleness.write(t, texts, opaque, touched)

    def _born(self, step: Step, sights: Iterable[Sight], gone: Mapping[str, int], unknown: _Unknown) -> None:
        shown = list(sights)
        record = build_record(step, shown, self.still, self.options, unknown.at(step.t, shown))
        if record is None:
            return
        self.records.append(replace(record, gone=gone.get(record.id)))
        self.held.add(record)  # what is held does not say when it will leave
        self.statuses.append(self.staleness.add(record))
        self.maintained.enter(record)

    def _default(self, nomination: Nomination) -> Action:
        record = self.held.get(nomination.record_id)
        assert record is not None  # the listing names held records only
        return default_action(record, nomination, self.around)

    def _measure(self, points: Iterable[Point]) -> None:
        for point in points:
            labels = self._labels(point)
            held = list(self.held)
            measured = measure(point, held, _stale(held, self.staleness), labels, self.carrier)
            self.points.append(replace(measured, records=tuple(r for r in measured.records if r.why)))
            if point.anchor == "P" and not measured.skip:
                kept = self.maintained.records()
                m = measure(point, kept, _stale(kept, self.m_staleness), labels, self.carrier)
                self.curve.append(_curve_point(measured, m))
                if len(self.curve) % self.every == 0:
                    self.scores += evaluate(self._moment(point.t, held), measured, self.carrier, self.policies)

    def _moment(self, t: int, held: list[Record]) -> Moment:
        return moment_at(
            t,
            held,
            self.trajectory,
            self.tape,
            self.still,
            self.history.text,
            self.options,
            nominations=self.listing.current(t),
            fresh=self.fresh,
        )

    def _labels(self, point: Point) -> Labels:
        if self.imported is not None:
            return imported(self.imported, point)
        if self.reference is not None:
            return reference(self.reference, self.history, self.replayed.writes, point)
        # No write since the labels of the same burst were made: they are the same, in the same texts.
        key = (point.burst, len(self.drifts))
        if self.hindsight is None or self.hindsight[0] != key:
            self.hindsight = key, hindsight(self.still, self.history, self.replayed.writes, point)
        return replace(self.hindsight[1], state=point.t)

    def _finish(self) -> Analysis:
        held = {h.t: h.true + h.stale + h.none for h in self.held_at}
        segments = reconcile(self.trajectory.usages, held, self.trajectory.compactions, len(held))
        asked = {i for r in self.records if isinstance(r.referent, Symbols) for i in r.referent.ids}
        for d in self.drifts:
            asked.update(d.changed, d.removed, d.created, d.rewired, d.uses, d.lost_callers)
        symbols, edges = self.chronicle.finish(asked)
        return Analysis(
            trajectory=self.trajectory,
            replay=self.replayed,
            options=self.options,
            version=ANALYSIS_VERSION,
            records=tuple(self.records),
            drifts=tuple(self.drifts),
            nominations=tuple(self.nominations),
            statuses=tuple(self.statuses),
            points=tuple(replace(p, context_complete=_complete(segments, p.t)) for p in self.points),
            curve=tuple(sorted(self.curve, key=lambda c: (c.edits, c.t))),
            held=tuple(self.held_at),
            actions=tuple(self.actions),
            maintained=self.maintained.items(),
            scores=tuple(self.scores),
            symbols=symbols,
            edges=edges,
            graph=_graph_stats(self.graph),
            segments=segments,
            project=self.project.finish() if self.project is not None else None,
        )


class _Unknown:
    """Which shown paths have a text that is not known at a step (replay's opaque stretches)."""

    def __init__(self, replayed: Replay) -> None:
        self._stretches = _by((path, (since, until)) for path, since, until in replayed.opaque)

    def at(self, t: int, sights: Iterable[Sight]) -> frozenset[str]:
        paths = {s.path for s in sights}
        return frozenset(
            p
            for p in paths
            for since, until in self._stretches.get(p, ())
            if since <= t and (until is None or t < until)
        )


def _by(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    grouped: dict[K, list[V]] = {}
    for key, value in pairs:
        grouped.setdefault(key, []).append(value)
    return grouped


def _stale(records: Iterable[Record], staleness: Staleness) -> frozenset[str]:
    return frozenset(r.id for r in records if (now := staleness.status(r.id)) and now.status in STALE)


def _curve_point(recorded: DecisionPoint, kept: DecisionPoint) -> CurvePoint:
    return CurvePoint(
        edits=recorded.edits,
        t=recorded.t,
        held=recorded.held,
        unneeded=recorded.unneeded,
        stale=recorded.stale,
        needed=recorded.needed,
        missing=recorded.missing,
        m_held=kept.held,
        m_unneeded=kept.unneeded,
        m_stale=kept.stale,
    )


def _complete(segments: Iterable[Segment], t: int) -> bool:
    """Whether nothing speaks against the context held at ``t`` being all there was."""
    return all(s.complete is not False for s in segments if s.first <= t <= s.last)


def _graph_stats(graph: CodeGraph) -> GraphStats:
    paths = graph.paths()
    symbols, edges = graph.size()
    unresolved = dict(graph.unresolved())
    languages: dict[str, int] = {}
    for path in paths:
        language = graph.language(path)
        languages[language] = languages.get(language, 0) + 1
    return GraphStats(
        files=len(paths),
        symbols=symbols,
        edges=edges,
        unresolved=sum(unresolved.values()),
        languages=tuple(sorted(languages.items())),
        syntax_errors=tuple(sorted(graph.syntax_errors().items())),
        unresolved_by_path=tuple(sorted(unresolved.items())),
        sites_by_path=tuple(sorted(graph.call_sites().items())),
    )
