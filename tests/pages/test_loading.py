"""Loading through the pages: the sample runs, switches, base and patch later, cancel, delete; on the real pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.options import Options
from pages.components import data, first_run, jobs, settings
from storage.queries import Row
from tests.pages.conftest import ROOT, fine

WALK = ROOT / "sample_runs" / "runs" / "config_walk.jsonl"


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("STATETAPE_DB", str(tmp_path / "runs.duckdb"))
    st.cache_data.clear()
    st.cache_resource.clear()
    yield tmp_path / "runs.duckdb"
    done()


def done() -> jobs.Job | None:
    job = jobs.desk().job
    if job is not None:
        assert job.finished.wait(120)
    return job


def runs() -> list[Row]:
    st.cache_data.clear()
    return data.list_runs()


def test_first_visit_loads_the_samples_with_base_and_patch(database: Path) -> None:
    first_run.begin()
    job = done()
    assert job is not None
    assert (job.error, job.share) == ("", 1.0)
    assert [row["status"] for row in job.rows] == ["loaded", "loaded"]
    found = {Path(r["path"]).stem: r for r in runs()}
    assert set(found) == {"config_walk", "ledger_long"}
    assert found["ledger_long"]["has_patch"]
    assert found["ledger_long"]["gold_source"] == "reference"
    jobs.desk().job = None
    first_run.begin()
    assert jobs.desk().job is None


def test_every_page_draws_a_real_run(database: Path) -> None:
    assert jobs.start("Loading", [jobs.Load((WALK,), base_spec=str(ROOT / "sample_runs/bases/config_walk"))])
    done()
    for page in ("runs", "run", "decisions", "drift", "why", "tokens"):
        text = fine(AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60).run())
        assert text
    app = AppTest.from_file(str(ROOT / "pages" / "why.py"), default_timeout=60)
    app.query_params["t"], app.query_params["record"] = "11", "r3"
    assert "stopped being true at step 11" in fine(app.run())


def test_switches_base_and_patch_are_kept_or_replaced(database: Path, tmp_path: Path) -> None:
    assert jobs.start("Loading", [jobs.Load((WALK,))])
    done()
    (run,) = runs()
    assert settings.differing(run) == {}
    assert settings.analyse_again([run], options=Options(uses=False, edges="both"))
    done()
    (run,) = runs()
    assert settings.differing(run) == {"uses": False, "edges": "both"}
    assert settings.analyse_again([run], base_spec=str(ROOT / "sample_runs/bases/config_walk"))
    done()
    (run,) = runs()
    assert run["base_spec"].endswith("config_walk")
    assert settings.differing(run) == {"uses": False, "edges": "both"}


def test_what_cannot_be_loaded_is_named_with_its_reason(database: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("hello, this is no transcript\n")
    (tmp_path / "empty.jsonl").write_text("")
    assert jobs.start("Loading", [jobs.Load((tmp_path / "notes.jsonl", tmp_path / "empty.jsonl"))])
    job = done()
    assert job is not None
    assert {row["status"] for row in job.rows} <= {"skipped", "refused"}
    assert all(row["error"] for row in job.rows)
    text = fine(AppTest.from_file(str(ROOT / "pages" / "runs.py"), default_timeout=60).run())
    assert "Loading" in text


def test_only_the_runs_page_lists_what_was_not_loaded_unasked(database: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text('{"type":"system","uuid":"a","sessionId":"s"}\n')
    assert jobs.start("Loading", [jobs.Load((WALK, tmp_path / "notes.jsonl"))])
    done()
    for page, folded in (("runs", 0), ("tokens", 1)):
        app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60).run()
        fine(app)
        assert [e.label for e in app.expander].count("1 not loaded, and why") == folded
        assert any(list(t.value.get("why", [])) == ["no step in it: 1 line of types system"] for t in app.dataframe)


def test_a_cancelled_job_leaves_what_was_there(database: Path) -> None:
    assert jobs.start("Loading", [jobs.Load((WALK,))])
    done()
    before = runs()
    desk = jobs.desk()
    job = jobs.Job("again")
    job.cancel.set()
    jobs._work(job, (jobs.Load((WALK,)),), data.engine())
    assert job.rows == []
    assert runs() == before
    assert desk.job is not None


def test_one_job_at_a_time(database: Path) -> None:
    jobs.desk().job = jobs.Job("busy")
    assert not jobs.start("Loading", [jobs.Load((WALK,))])
    jobs.desk().job.finished.set()  # type: ignore[union-attr]


def test_a_transcript_that_is_gone_is_said(database: Path) -> None:
    def script() -> None:
        from pages.components import settings

        settings.analyse_again([{"run_id": "x", "path": "/gone/away.jsonl", "options": {}, "base_spec": "none"}])

    app = AppTest.from_function(script).run()
    assert "no longer where it was" in app.error[0].value


def test_deleting_asks_and_then_deletes(database: Path) -> None:
    assert jobs.start("Loading", [jobs.Load((WALK,))])
    done()
    (run,) = runs()
    app = AppTest.from_file(str(ROOT / "pages" / "runs.py"), default_timeout=60)
    app.query_params["run"] = run["run_id"]
    app.run()
    app.button(key="delete").click().run()
    assert runs() == [run]

    def script() -> None:
        from pages.components import data, runs_view

        shown = data.list_runs()
        if shown:
            runs_view.confirm(shown)

    app = AppTest.from_function(script).run()
    app.button(key="delete_not").click().run()
    assert runs() == [run]
    app.run()
    app.button(key="delete_really").click().run()
    assert runs() == []


def test_progress_counts_every_run_that_is_worked_on() -> None:
    job = jobs.Job("Loading", of=2)
    shares = []
    for said in (
        (0, 4, "a", 0.0),
        (0, 4, "a", 0.5),
        (0, 4, "b", 0.5),
        (0, 4, "a", 1.0),  # analysed, waits to be stored
        (1, 4, "a", 1.0),  # stored
        (1, 4, "b", 0.75),
        (2, 4, "b", 1.0),
        (3, 4, "c", 1.0),
        (4, 4, "d", 1.0),
    ):
        job.heard(*said)
        shares.append(job.share)
    assert shares == [0.0, 0.0625, 0.125, 0.1875, 0.1875, 0.21875, 0.25, 0.375, 0.5]
