"""Policies scored at one decision point: what each drops and adds, held against what is needed (Eq. 3, 4; METHOD 6).

In: the moment a policy sees, the measured point, the carrier of the run's line movement. Out: a ``PointScore`` a
policy, oracles included. Each point stands alone: C is the recorded C_t. Overlap is taken at (file, token index),
as ``overlap`` does it; what a successor or a retrieval shows counts only where it equals the labelled state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core.context.moment import Moment
from core.context.plan import Plan, Retrieval, added, removed
from core.policies import POLICIES
from core.policies.policy import Policy
from core.records.record import Record
from core.replay.world import Sight
from core.tracebench.carry import Carrier, Ranges
from core.tracebench.oracles import oracle_evict, oracle_retrieve
from core.tracebench.overlap import View, intersect, lines_about, lines_shown, shows, subtract, tokens_on, union, views
from core.tracebench.points import DecisionPoint, HeldRecord
from core.tracebench.scores import PointScore, Sums

Lines = Mapping[str, Ranges]


@dataclass(frozen=True, slots=True)
class Ground:
    """One point made ready for scoring, shared by all policies; lines are those of w_``state``.

    ``wanted`` are the needed lines, ``held`` those of them C_t truly shows, ``missing`` the rest. ``about`` and
    ``shown`` say the same of each record that meets a needed line. ``cells`` are the point's records by id,
    ``files`` the ids of those with repository lines; ``before`` are the sums of a policy that does nothing.
    """

    point: DecisionPoint
    carrier: Carrier
    state: int
    wanted: Lines
    held: Lines
    missing: Lines
    about: Mapping[str, Lines]
    shown: Mapping[str, Lines]
    cells: Mapping[str, HeldRecord]
    files: frozenset[str]
    before: Sums


def evaluate(
    moment: Moment, point: DecisionPoint, carrier: Carrier, policies: Mapping[str, Policy] = POLICIES
) -> tuple[PointScore, ...]:
    """The score of each policy at a measured P point, in the order given, then those of the oracles.

    ``moment`` must be of step ``point.t``, ``point.records`` of the moment's records, and the carrier's history
    on the clock the moment was made on. Cost: once the views of needed files, then what each policy looks at.
    """
    ground = prepare(moment, point, carrier)
    scores = [score_plan(ground, name, policy.decide(moment)) for name, policy in policies.items()]
    scores.append(score_plan(ground, "oracle-evict", oracle_evict(point)))
    retrieved = oracle_retrieve(ground.missing, carrier.history, ground.state)
    return (*scores, score_plan(ground, "oracle-retrieve", retrieved, ground.state))


def prepare(moment: Moment, point: DecisionPoint, carrier: Carrier) -> Ground:
    """What all policies are held against at the point."""
    state = 0 if point.gold_source == "reference" else point.t
    regions: dict[str, list[tuple[int, int]]] = {}
    for region in point.regions:
        regions.setdefault(region.path, []).append((region.start, region.end))
    wanted = {path: union(spans) for path, spans in regions.items()}
    about: dict[str, Lines] = {}
    shown: dict[str, Lines] = {}
    for record in moment.records:
        seen = views(record, carrier, state, wanted) if shows(record, wanted) else []
        if seen:
            about[record.id] = _within(lines_about(seen), wanted)
            shown[record.id] = _shown(seen, carrier, state, wanted)
    held = _union(shown.values())
    missing = {path: rest for path, lines in wanted.items() if (rest := subtract(lines, held.get(path, ())))}
    cells = {r.record_id: r for r in point.records}
    files = frozenset(r.id for r in moment.records if r.sights)
    return Ground(point, carrier, state, wanted, held, missing, about, shown, cells, files, _before(point, files))


def _before(point: DecisionPoint, files: frozenset[str]) -> Sums:
    of_files = [r for r in point.records if r.record_id in files]
    return Sums(
        points=1,
        unneeded=point.unneeded,
        held_needed=point.held_needed,
        missing=point.missing,
        stale_left=sum(r.tokens for r in point.records if r.stale),
        line_unneeded=sum(r.tokens - r.needed_tokens for r in point.records),
        line_needed=sum(r.needed_tokens for r in point.records),
        file_unneeded=_tokens_of(r for r in of_files if not r.needed),
        file_needed=_tokens_of(r for r in of_files if r.needed),
    )


def score_plan(ground: Ground, policy: str, plan: Plan, born: int | None = None) -> PointScore:
    """The plan's token sums; what it adds is born at the point, or in w_``born``."""
    point = ground.point
    if plan.needs_model:
        own = Sums(1, point.unneeded, point.held_needed, point.missing)
        return PointScore(policy, point.t, point.gold_source, "needs-model", own, plan.note)
    gone = removed(plan)
    new = added(plan, point.t) if born is None else _as_records(plan.retrievals, born)
    brought = _brought(ground, new)
    after = ground.held
    if not gone.isdisjoint(ground.shown):
        after = _union(lines for record_id, lines in ground.shown.items() if record_id not in gone)
    if brought:
        after = _union((after, brought))
    left = [ground.cells[i] for i in gone if i in ground.cells]
    needed = [r for r in left if r.needed]
    of_files = [r for r in left if r.record_id in ground.files]
    dropped, lost, line_lost = _tokens_of(left), _tokens_of(needed), sum(r.needed_tokens for r in left)
    file_lost = _tokens_of(r for r in of_files if r.needed)
    sums = replace(
        ground.before,
        dropped=dropped,
        cleared=dropped - lost,
        lost=lost,
        net_lost=_net_lost(ground, needed, after),
        found=_tokens(ground, _common(ground.missing, brought)),
        added=sum(r.tokens for r in new),
        retrieved=sum(r.tokens for r in plan.retrievals),
        gold_lost=_tokens(ground, _minus(ground.held, after)),
        stale_left=ground.before.stale_left - sum(r.tokens for r in left if r.stale),
        line_cleared=dropped - line_lost,
        line_lost=line_lost,
        file_cleared=_tokens_of(of_files) - file_lost,
        file_lost=file_lost,
        spent=plan.spent,
    )
    return PointScore(policy, point.t, point.gold_source, "ok", sums, plan.note)


def _tokens_of(records: Iterable[HeldRecord]) -> int:
    return sum([r.tokens for r in records])


def _net_lost(ground: Ground, left: Iterable[HeldRecord], after: Lines) -> int:
    """Of each needed record that ``left``, the share of its tokens whose needed lines the context does not show now."""
    lost = 0
    for record in left:
        about = ground.about.get(record.record_id, {})
        whole = _tokens(ground, about)
        lost += record.tokens * _tokens(ground, _minus(about, after)) // whole if whole else record.tokens
    return lost


def _brought(ground: Ground, new: Iterable[Record]) -> Lines:
    """The needed lines that what is added shows as they are in the labelled state."""
    return _union(
        _shown(views(r, ground.carrier, ground.state, ground.wanted), ground.carrier, ground.state, ground.wanted)
        for r in new
        if r.sights
    )


def _as_records(retrievals: Iterable[Retrieval], born: int) -> tuple[Record, ...]:
    """Retrievals given as lines of w_``born`` without a label."""
    return tuple(
        Record(
            f"m{n}@{born}",
            "read",
            born,
            r.text,
            r.tokens,
            None,
            sights=(Sight(born, r.path, r.start, tuple(r.text.split("\n")[:-1]), "read"),),
        )
        for n, r in enumerate(retrievals, 1)
    )


def _shown(seen: Iterable[View], carrier: Carrier, state: int, wanted: Lines) -> Lines:
    return _within(lines_shown(seen, carrier.history, state), wanted)


def _within(lines: Mapping[str, Iterable[tuple[int, int]]], wanted: Lines) -> dict[str, Ranges]:
    return {path: found for path, spans in lines.items() if (found := intersect(union(spans), wanted[path]))}


def _union(several: Iterable[Lines]) -> dict[str, Ranges]:
    spans: dict[str, list[tuple[int, int]]] = {}
    for lines in several:
        for path, ranges in lines.items():
            spans.setdefault(path, []).extend(ranges)
    return {path: union(found) for path, found in spans.items()}


def _minus(lines: Lines, taken: Lines) -> dict[str, Ranges]:
    return {path: rest for path, ranges in lines.items() if (rest := subtract(ranges, taken.get(path, ())))}


def _common(lines: Lines, others: Lines) -> dict[str, Ranges]:
    return {path: both for path, ranges in lines.items() if (both := intersect(ranges, others.get(path, ())))}


def _tokens(ground: Ground, lines: Lines) -> int:
    """Tokens of w_``state`` on the lines, each counted once."""
    history = ground.carrier.history
    return sum(tokens_on(history.text(path, ground.state) or "", ranges) for path, ranges in lines.items())
