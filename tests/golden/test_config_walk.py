"""The whole analysis of the small run against what was worked out by hand (config_walk.md, config_walk.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.analysis import Analysis
from core.options import parse_options
from core.pipeline import analyse
from core.records.record import Referent, State, Symbols
from core.replay.base import load_base
from core.trajectory.load import discover, load

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "sample_runs"
GOLDEN: dict[str, Any] = json.loads((HERE / "config_walk.json").read_text(encoding="utf-8"))
DRIFT = ("changed", "removed", "created", "rewired", "uses", "lost_callers")


def analysed(*switches: str) -> Analysis:
    (files,) = discover([SAMPLES / "runs" / "config_walk.jsonl"])
    trajectory = load(files)
    return analyse(trajectory, load_base(str(SAMPLES / "bases" / "config_walk"), trajectory), parse_options(switches))


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analysed()


def test_steps(analysis: Analysis) -> None:
    assert [step.kind for step in analysis.trajectory.steps] == GOLDEN["steps"]


def test_replay_is_exact(analysis: Analysis) -> None:
    assert analysis.replay.fidelity == 1.0
    assert analysis.replay.unapplied == ()


def covered(referent: Referent) -> Any:
    if isinstance(referent, State):
        return "state"
    return sorted(referent.ids) if isinstance(referent, Symbols) else None


def test_referents(analysis: Analysis) -> None:
    found = {record.id: covered(record.referent) for record in analysis.records}
    assert {id_: found[id_] for id_ in GOLDEN["referents"]} == GOLDEN["referents"]
    # Whatever else is a record makes no claim that a write could falsify here.
    others = {id_: ids for id_, ids in found.items() if id_ not in GOLDEN["referents"] and ids}
    assert others in ({}, {"r23": ["README.md::<module>"]})


def drift_rows(analysis: Analysis) -> list[dict[str, Any]]:
    return [{"t": drift.t, **{key: list(getattr(drift, key)) for key in DRIFT}} for drift in analysis.drifts]


def expected_drift(differing: dict[str, dict[str, list[str]]]) -> list[dict[str, Any]]:
    rows = [{"t": row["t"], **{key: row.get(key, []) for key in DRIFT}} for row in GOLDEN["drift"]]
    return [row | differing.get(str(row["t"]), {}) for row in rows]


def test_drift(analysis: Analysis) -> None:
    assert drift_rows(analysis) == expected_drift({})
    assert [drift.known_at for drift in analysis.drifts] == [drift.t for drift in analysis.drifts]


def test_nominations(analysis: Analysis) -> None:
    records = {record.id: record for record in analysis.records}
    found = []
    for nomination, action in analysis.nominations:
        record, row = records[nomination.record_id], {"t": nomination.t, "record_id": nomination.record_id}
        if isinstance(record.referent, State):
            row["symbols"] = "state"
        else:
            row["symbols"] = [[hit.id, hit.why, list(hit.writes)] for hit in nomination.hits]
        if record.kind in ("read", "edit"):
            row |= {"path": record.path, "start": record.start, "end": record.end}
        row["action"] = action.name
        if action.pointer:
            row["pointer"] = action.pointer
        found.append(row)
    order = lambda row: (row["t"], int(row["record_id"][1:]))  # noqa: E731
    assert sorted(found, key=order) == sorted(GOLDEN["nominations"], key=order)
    assert {hit.tier for nomination, _ in analysis.nominations for hit in nomination.hits} == {"certain"}


def test_statuses_at_the_end(analysis: Analysis) -> None:
    last: dict[str, list[Any]] = {record.id: ["true", None] for record in analysis.records}
    for change in analysis.statuses:
        last[change.record_id] = [change.status, None if change.status == "true" else change.since]
    assert {id_: last[id_] for id_ in GOLDEN["statuses"]} == GOLDEN["statuses"]


def test_decision_points(analysis: Analysis) -> None:
    points = [point for point in analysis.points if point.anchor == "P"]
    found = []
    for point in points:
        row: dict[str, Any] = {"t": point.t, "burst": [point.first, point.last]}
        if point.skip:
            row["skip"] = point.skip
        else:
            row["regions"] = sorted(([r.path, r.start, r.end, r.rule] for r in point.regions), key=lambda r: (r[3], r))
            assert point.gold_source == "hindsight"
        found.append(row)
    assert found == GOLDEN["decisions"]


def test_what_is_held_adds_up(analysis: Analysis) -> None:
    for point in analysis.points:
        assert point.held == point.unneeded + point.held_needed
        assert point.needed == point.gold_held + point.missing
        assert point.held == sum(record.tokens for record in analysis.records if record.held_at(point.t))


@pytest.mark.parametrize("switch", sorted(GOLDEN["switches"]))
def test_departures_turned_off(switch: str) -> None:
    """Every nomination as (step, record) -> (action, symbols): the default ones, with what the switch changes."""
    differing = GOLDEN["switches"][switch]
    analysis = analysed(*switch.split())
    assert drift_rows(analysis) == expected_drift(differing.get("drift", {}))
    expected = {}
    for row in GOLDEN["nominations"]:
        ids = ["<repository>"] if row["symbols"] == "state" else [symbol[0] for symbol in row["symbols"]]
        expected[row["t"], row["record_id"]] = (row["action"], ids)
    for t, record_id, action, ids in differing.get("changes", []):
        expected[t, record_id] = (action, ids)
    for t, record_id in differing.get("gone", []):
        del expected[t, record_id]
    found = {(n.t, n.record_id): (a.name, [hit.id for hit in n.hits]) for n, a in analysis.nominations}
    assert found == expected
