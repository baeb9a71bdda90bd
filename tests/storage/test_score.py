"""Scores as the command line gives them: over stored runs, against the same sums taken from the analysis."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.errors import InputError, OptionError
from storage.database import open_engine
from storage.ingest import ingest
from storage.score import SCORE_COLUMNS, score_rows

SAMPLES = Path(__file__).parents[2] / "sample_runs"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = open_engine(str(tmp_path_factory.mktemp("score") / "a.duckdb"))
    for run, base, patch in (("config_walk", "config_walk", None), ("ledger_long", "ledger", "ledger_long.patch")):
        text = (SAMPLES / "runs" / patch).read_text(encoding="utf-8") if patch else None
        (row,) = ingest(
            [SAMPLES / "runs" / f"{run}.jsonl"], engine=engine, base_spec=str(SAMPLES / "bases" / base), patch=text
        )
        assert row["status"] == "loaded"
    return engine


def test_rows_are_pooled_by_policy_and_gold_source(engine: Engine) -> None:
    rows = score_rows(engine)
    keys = [(row["policy"], row["gold_source"]) for row in rows]
    assert keys == sorted(set(keys))
    assert {source for _, source in keys} == {"hindsight", "reference"}
    assert all(tuple(row) == SCORE_COLUMNS for row in rows)


def test_evict_all_clears_and_loses_everything(engine: Engine) -> None:
    for row in score_rows(engine, policies=["evict-all"]):
        assert (row["cleared"], row["lost"], row["dropped"]) == (
            row["unneeded"], row["held_needed"], row["unneeded"] + row["held_needed"],
        )  # fmt: skip
        assert row["ce"] == pytest.approx(row["unneeded"] / row["held_needed"])
        assert (row["re"], row["re_state"]) == (None, "undefined")


def test_the_oracles_bound_every_policy(engine: Engine) -> None:
    rows = {(r["policy"], r["gold_source"]): r for r in score_rows(engine)}
    for source in ("hindsight", "reference"):
        evict, retrieve = rows["oracle-evict", source], rows["oracle-retrieve", source]
        assert (evict["cleared"], evict["lost"], evict["ce_state"]) == (evict["unneeded"], 0, "infinite")
        assert retrieve["found"] == retrieve["missing"] > 0
        for (_, of), row in rows.items():
            if of == source and row["detail"]["state"] == "ok":
                assert row["cleared"] <= evict["cleared"]
                assert row["found"] <= retrieve["found"]


def test_a_policy_without_its_model_gives_no_number(engine: Engine) -> None:
    for row in score_rows(engine, policies=["llm-summary"]):
        assert (row["ce"], row["ce_state"], row["cleared"], row["added"]) == (None, "needs-model", None, None)
        assert row["unneeded"] > 0


def test_re_is_pooled_recall_over_mean_added(engine: Engine) -> None:
    for row in score_rows(engine, policies=["statetape"]):
        mean_added = row["added"] / row["points"]
        assert row["added_per_point"] == pytest.approx(mean_added)
        assert math.isclose(row["re"], 100_000 * (row["found"] / row["missing"]) / mean_added)


def test_an_unknown_policy_and_an_empty_database_are_said(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="expected one of"):
        score_rows(engine, policies=["nonsense"])
    with pytest.raises(OptionError, match="was not scored at ingest"):
        score_rows(engine, policies=["recency-7"])
    with pytest.raises(InputError, match="ingest one first"):
        score_rows(open_engine(str(tmp_path / "empty.duckdb")))
