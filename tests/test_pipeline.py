"""The wiring: what an analysis says about a whole run, recomputed from its parts in the plainest way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from core.analysis import Analysis
from core.graph.graph import CodeGraph
from core.graph.symbols import View
from core.options import Options
from core.pipeline import analyse
from core.records.record import State, Symbols
from core.replay.base import load_base
from core.replay.world import History
from core.tape.staleness import STALE
from core.trajectory.load import discover, load

SAMPLES = Path(__file__).parents[1] / "sample_runs"
RUNS = {"config_walk": "config_walk", "ledger_long": "ledger"}


def analysed(name: str, options: Options | None = None, **more: object) -> Analysis:
    trajectory = load(discover([SAMPLES / "runs" / f"{name}.jsonl"])[0])
    return analyse(trajectory, load_base(str(SAMPLES / "bases" / RUNS[name]), trajectory), options or Options(), **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=sorted(RUNS))
def run(request: pytest.FixtureRequest) -> Analysis:
    return analysed(request.param)


def texts_at(run: Analysis, t: int) -> dict[str, str]:
    history = History(run.replay, "known_at")
    return {path: text for path in history.paths(t) if (text := history.text(path, t)) is not None}


def test_held_tokens_are_the_records_by_their_latest_status(run: Analysis) -> None:
    for held in run.held:
        sums = {"true": 0, "stale": 0, "none": 0}
        for record in run.records:
            if record.held_at(held.t):
                status = [s.status for s in run.statuses if s.record_id == record.id and s.t <= held.t][-1]
                sums["stale" if status in STALE else status] += record.tokens
        assert sums == {"true": held.true, "stale": held.stale, "none": held.none}


def test_maintained_tokens_are_the_items_held(run: Analysis) -> None:
    for held in run.held:
        items = [i for i in run.maintained if i.from_t <= held.t and (i.until is None or held.t < i.until)]
        assert sum(i.tokens for i in items) == held.m_true + held.m_stale + held.m_none


def views_of_the_unnominated(run: Analysis) -> list[tuple[View, View]]:
    """(view at birth, view now) of what records never nominated cover, from graphs built from scratch at both ends."""
    steps = sorted({d.known_at for d in run.drifts})
    graphs = {t: CodeGraph(texts_at(run, t)) for t in {*steps[:: max(1, len(steps) // 6)], len(run.held)}}
    births: dict[int, CodeGraph] = {}
    found = []
    for t, now in graphs.items():
        nominated = {n.record_id for n, _ in run.nominations if n.t <= t}
        for record in run.records:
            if not record.held_at(t) or record.id in nominated or not isinstance(record.referent, Symbols):
                continue
            if record.born not in births:
                births[record.born] = CodeGraph(texts_at(run, record.born))
            for symbol in record.referent.ids:
                before, after = births[record.born].view(symbol), now.view(symbol)
                assert before is not None
                assert after is not None
                found.append((before, after))
    assert len(found) > 5
    return found


def test_a_record_not_nominated_has_equal_local_views_at_birth_and_now(run: Analysis) -> None:
    """Theorem 1(a); with the switch ``gain`` off a call site that reached nothing may have come to reach something."""
    for before, after in views_of_the_unnominated(run):
        assert (after.own, after.uses) == (before.own, before.uses)
        reached = {site for site, _ in before.calls}
        assert tuple(call for call in after.calls if call[0] in reached) == before.calls


@pytest.mark.parametrize("name", sorted(RUNS))
def test_with_gain_the_views_are_equal_without_exception(name: str) -> None:
    for before, after in views_of_the_unnominated(analysed(name, Options(gain=True), policies={})):
        assert after == before


def test_every_stale_record_was_nominated(run: Analysis) -> None:
    nominated: dict[str, int] = {}
    for nomination, _ in run.nominations:
        nominated.setdefault(nomination.record_id, nomination.t)
    stale = [s for s in run.statuses if s.status in STALE]
    assert stale
    assert all(s.record_id in nominated and nominated[s.record_id] <= s.t for s in stale)


def test_maintained_context_holds_nothing_stale(run: Analysis) -> None:
    """Theorem 2(c): the defaults keep no false record; kept ones show lines that stand."""
    assert {h.m_stale for h in run.held} == {0}


def test_drift_is_the_difference_of_two_graphs_built_from_scratch(run: Analysis) -> None:
    for drift in run.drifts[:: max(1, len(run.drifts) // 8)]:
        before, after = CodeGraph(texts_at(run, drift.known_at - 1)), CodeGraph(texts_at(run, drift.known_at))
        was, now = {s.id: s for s in before.symbols()}, {s.id: s for s in after.symbols()}
        same_step = [d for d in run.drifts if d.known_at == drift.known_at]
        changed = {i for i in was.keys() & now.keys() if was[i].own_hash != now[i].own_hash}
        assert {i for d in same_step for i in d.changed} == changed
        assert {i for d in same_step for i in d.removed} == was.keys() - now.keys()
        assert {i for d in same_step for i in d.created} == now.keys() - was.keys()


def test_symbol_and_edge_versions_are_those_of_graphs_built_from_scratch(run: Analysis) -> None:
    last = len(run.held)
    for t in (0, last // 3, 2 * last // 3, last):
        graph = CodeGraph(texts_at(run, t))
        versions = [v for v in run.symbols if v.from_t <= t and (v.until is None or t < v.until)]
        assert versions
        for v in versions:
            symbol = graph.symbol(v.id)
            assert symbol is not None
            assert (symbol.start, symbol.end, symbol.own_hash) == (v.start, v.end, v.own_hash)
        covered = {i for r in run.records if isinstance(r.referent, Symbols) for i in r.referent.ids}
        calls = {"call", "constructor", "property", "override"}
        kept = {
            (e.source, e.target, e.kind)
            for e in run.edges
            if e.kind in calls and e.from_t <= t and (e.until is None or t < e.until)
        }
        for symbol_id in sorted(covered):
            expected = {(e.source, e.target, e.kind) for e in (*graph.callees(symbol_id), *graph.callers(symbol_id))}
            assert expected <= kept
        everything = {(e.source, e.target, e.kind) for s in graph.symbols() for e in graph.callees(s.id)}
        assert kept <= everything


def test_points_stand_before_their_bursts_and_add_up(run: Analysis) -> None:
    for point in run.points:
        held = [r for r in run.records if r.held_at(point.t)]
        assert point.held == point.unneeded + point.held_needed == sum(r.tokens for r in held)
        assert point.held_needed == sum(r.tokens for r in point.records if r.needed)
        assert point.needed == point.gold_held + point.missing == sum(r.tokens for r in point.regions)
        assert {r.record_id for r in point.records} <= {r.id for r in held}
        if point.anchor == "P":
            assert point.first == point.t + 1
    scored = [p for p in run.points if p.anchor == "P" and not p.skip]
    assert [(c.edits, c.t, c.held, c.missing) for c in run.curve] == sorted(
        (p.edits, p.t, p.held, p.missing) for p in scored
    )


def test_tests_are_nominated_once_at_their_first_later_write(run: Analysis) -> None:
    for record in run.records:
        if isinstance(record.referent, State):
            rows = [n.t for n, _ in run.nominations if n.record_id == record.id]
            later = [
                d.known_at
                for d in run.drifts
                if d.known_at > record.born and not d.documentation and record.held_at(d.known_at)
            ]
            assert rows == later[:1]


def test_two_analyses_are_equal() -> None:
    assert analysed("config_walk") == analysed("config_walk")


def test_progress_runs_from_start_to_end_and_can_stop_the_work() -> None:
    told: list[float] = []
    analysed("ledger_long", progress=lambda part, what: told.append(part))
    assert told == sorted(told)
    assert told[0] == 0.0
    assert told[-1] <= 1.0
    assert len(told) > 3

    def stop(part: float, what: str) -> None:
        if part > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        analysed("ledger_long", progress=stop)


def counts(run: Analysis) -> dict[str, int]:
    actions = [a.name for _, a in run.nominations]
    return {
        "rows": len(run.nominations),
        "rewired": sum(len(d.rewired) for d in run.drifts),
        "uses": sum(len(d.uses) for d in run.drifts),
        "keep": actions.count("keep"),
        "pointers": sum(bool(a.pointer) for _, a in run.nominations),
        "actions": len(run.actions),
        "held": sum(h.true + h.stale + h.none for h in run.held),
        "kept": run.held[-1].m_true + run.held[-1].m_stale + run.held[-1].m_none,
    }


SWITCHES: dict[str, tuple[Options, Callable[[dict[str, int], dict[str, int]], bool]]] = {
    "module_symbol": (Options(module_symbol=False), lambda on, off: off["rows"] < on["rows"]),
    "uses": (Options(uses=False), lambda on, off: off["uses"] == 0 < on["uses"]),
    "edges": (Options(edges="both"), lambda on, off: off["rewired"] > on["rewired"]),
    "gain": (Options(gain=True), lambda on, off: off["rewired"] > on["rewired"]),
    "checked": (Options(checked=False), lambda on, off: off["actions"] > on["actions"]),
    "shown_lines": (Options(shown_lines=False), lambda on, off: off["keep"] < on["keep"]),
    "undo": (Options(undo=False, shown_lines=False), lambda on, off: off["keep"] < on["keep"]),
    "dedupe": (Options(dedupe=False), lambda on, off: off["pointers"] == 0 < on["pointers"]),
    "fresh": (Options(fresh="drifted"), lambda on, off: off["kept"] < on["kept"]),
    "queries": (Options(queries=True), lambda on, off: off["rows"] > on["rows"]),
    "thinking": (Options(thinking=True), lambda on, off: off["held"] > on["held"]),
    "batch": (Options(batch=1500), lambda on, off: off["kept"] >= on["kept"] or off["actions"] < on["actions"]),
}


@pytest.fixture(scope="module")
def default_counts() -> dict[str, int]:
    return counts(analysed("ledger_long"))


@pytest.mark.parametrize("switch", sorted(SWITCHES))
def test_each_switch_changes_what_it_says(switch: str, default_counts: dict[str, int]) -> None:
    options, differs = SWITCHES[switch]
    assert differs(default_counts, counts(analysed("ledger_long", options)))


def test_of_very_many_points_an_even_share_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = analysed("ledger_long")
    monkeypatch.setattr("core.pipeline._SCORED", 10)
    few = analysed("ledger_long")
    assert few.curve == whole.curve
    scored = sorted({s.t for s in few.scores})
    assert 0 < len(scored) <= 10
    everywhere = sorted(c.t for c in whole.curve)
    places = [everywhere.index(t) for t in scored]
    assert len({b - a for a, b in pairwise(places)}) == 1
    assert set(few.scores) <= set(whole.scores)
