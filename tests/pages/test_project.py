"""Project state: what it says of the sample run, and that hostile texts stay texts."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.harness.impact import Impact
from core.harness.project_state import StateChange
from core.harness.run import Counters, HarnessStep
from pages.components import project_chart, project_efforts, project_impact
from storage.database import open_engine
from storage.ingest import ingest
from storage.save import RunMeta, save
from tests.pages.conftest import ROOT, fine
from tests.pages.fabricate import HOSTILE
from tests.storage.tiny import project, tiny


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("project") / "p.duckdb"
    engine = open_engine(path)
    samples = ROOT / "sample_runs"
    ingest([samples / "runs" / "ledger_long.jsonl"], engine=engine, base_spec=str(samples / "bases" / "ledger"))
    save(engine, tiny("hostile", HOSTILE), RunMeta("a.jsonl"))
    return path


def opened(database: Path, monkeypatch: pytest.MonkeyPatch, **params: str) -> AppTest:
    monkeypatch.setenv("STATETAPE_DB", str(database))
    st.cache_data.clear()
    st.cache_resource.clear()
    app = AppTest.from_file(str(ROOT / "pages" / "project.py"), default_timeout=60)
    for name, value in params.items():
        app.query_params[name] = value
    return app.run()


def sample(app: AppTest) -> str:
    options = [o for o in app.selectbox(key="choose_run").options if "hostile" not in o]
    return next(o for o in options if "pennybook" in o)


def test_the_sample_run_has_a_state_at_every_step(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(database, monkeypatch, run="hostile")
    app.selectbox(key="choose_run").select(sample(app)).run()
    text = fine(app)
    assert "Working brief after step 211" in text
    assert "Focus" in text
    app.button(key="previous_write").click().run()
    text = fine(app)
    assert "may have to follow" in text
    assert "wrote <b>" in text
    for view in ("relations", "guidance", "diagnoses"):
        app.segmented_control(key="project_view").set_value(view).run()
        fine(app)


def test_hostile_texts_stay_texts(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(database, monkeypatch, run="hostile", t="5")
    assert html.escape(HOSTILE[:30], quote=True) in fine(app)
    for view in ("relations", "guidance", "diagnoses"):
        app.segmented_control(key="project_view").set_value(view).run()
        fine(app)
        for element in app.get("html"):
            assert "<script>window" not in element.proto.body
            assert "<img src=x" not in element.proto.body
    for chart in app.get("plotly_chart"):
        assert "<script" not in chart.proto.spec


def test_open_relations_are_counted_as_they_open_and_close() -> None:
    run = project("r")
    closed = replace(run.steps[2].change.relations[0], state="checked", how="edited", closed=9)
    more = HarnessStep(9, StateChange(9, relations=(closed,)), counters=Counters(0, 0, 0, 12))
    table = project_chart.counts(replace(run, steps=(*run.steps, more)))
    assert table[["t", "test", "caller"]].values.tolist() == [[1, 0, 0], [3, 0, 0], [5, 1, 0], [9, 0, 0]]


@pytest.mark.parametrize(
    ("cooldowns", "found"),
    [([0, 0], []), ([15, 14, 0, 3], [(1, 3), (4, 10)]), ([0, 2, 1, 0, 0], [(2, 4)])],
)
def test_cooldowns_are_the_stretches_with_calls_left(cooldowns: list[int], found: list[tuple[int, int]]) -> None:
    steps = [HarnessStep(t, StateChange(t), counters=Counters(cooldown=c)) for t, c in enumerate(cooldowns, 1)]
    assert project_chart.cooldowns(steps, 10) == found


def test_a_candidate_is_edited_then_inspected_then_not_looked_at() -> None:
    touched = project_impact.Touched(
        [(2, "a.py", True), (4, "a.py", False), (6, "a.py", True), (7, "b.py", False), (1, "c.py", True)]
    )

    def since(path: str) -> tuple[str, int]:
        found = touched.since(Impact("x.py", path, "caller", "calls f", 1.0), 3)
        return found.how, found.t

    assert [since(p) for p in ("a.py", "b.py", "c.py")] == [("edited", 6), ("inspected", 7), ("", 0)]


def test_runs_with_a_kept_state_stand_beside_those_without() -> None:
    common = {"repository": "r", "started": "2026-01-01T00:00:00Z", "steps": 3, "output": 1, "calls": 2}
    efforts = [
        {**common, "run_id": "a", "kept": 1, "tokens": 10, "ended": "2026-01-01T00:30:00Z"},
        {**common, "run_id": "b", "kept": 0, "tokens": None, "ended": None},
        {**common, "run_id": "c", "kept": 1, "tokens": 30, "ended": "soon"},
    ]
    frame = project_efforts.table(efforts, {"c": {"harness": "off"}}, "a")
    assert frame["state"].tolist() == ["with", "without", "without"]
    assert frame["minutes"].tolist()[0] == 30.0
    assert frame["minutes"].isna().tolist() == [False, True, True]
