"""What CONTRACT promises of the exports, held on whole runs: the recorded samples, and others' where they are."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import Engine

from storage.database import open_engine
from storage.export import export_rows, list_runs
from storage.ingest import ingest

SAMPLES = Path(__file__).resolve().parents[2] / "sample_runs"
CORPUS = Path(os.environ.get("STATETAPE_CORPUS", "/nowhere"))
OTHERS = ("pup-mcp-py_2.1.37_c461850b", "entire-cli-go_2.1.31_cc90f6622c5b-1", "entire-cli-go_2.1.14_89e8867f9092-0")


@pytest.fixture(scope="module", params=["samples", pytest.param("corpus", marks=pytest.mark.corpus)])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = open_engine(tmp_path_factory.mktemp("db") / "t.duckdb")
    if request.param == "corpus":
        paths = [CORPUS / "claude_code" / f"{name}.jsonl" for name in OTHERS]
        if not CORPUS.is_dir():
            pytest.skip("STATETAPE_CORPUS is not set")
    else:
        paths = [SAMPLES / "runs"]
    rows = ingest(paths, engine=engine)
    assert rows
    assert [row["error"] for row in rows if row["status"] != "loaded"] == []
    return engine


def test_counts_and_order(engine: Engine) -> None:
    for run in list_runs(engine):
        steps, records = (export_rows(engine, run["run_id"], what) for what in ("steps", "records"))
        assert [s["t"] for s in steps] == list(range(1, run["steps"] + 1))
        assert len(records) == run["records"]
        assert sum(r["tokens"] for r in records) == run["tokens_read"]
        assert len(export_rows(engine, run["run_id"], "writes")) == run["writes"]
        assert len(export_rows(engine, run["run_id"], "decisions")) == run["decision_points"]
        assert run["fidelity_state"] == ("ok" if run["compared_lines"] else "undefined")


def test_drift_sets_are_sorted_and_apart(engine: Engine) -> None:
    for run in list_runs(engine):
        rows = export_rows(engine, run["run_id"], "drift")
        writes = {(w["t"], w["known_at"]) for w in export_rows(engine, run["run_id"], "writes")}
        assert {(d["t"], d["known_at"]) for d in rows} == writes
        for d in rows:
            sets = [d[name] for name in ("changed", "removed", "created", "rewired", "uses", "lost_callers")]
            assert all(ids == sorted(set(ids)) for ids in sets)
            together = Counter(i for name, ids in zip("crxwul", sets, strict=True) if name != "x" for i in ids)
            assert [i for i, count in together.items() if count > 1] == []
            assert d["known_at"] >= d["t"]


def test_nominations_are_of_held_records_after_a_write(engine: Engine) -> None:
    for run in list_runs(engine):
        records = {r["record_id"]: r for r in export_rows(engine, run["run_id"], "records")}
        known = {d["known_at"] for d in export_rows(engine, run["run_id"], "drift")}
        listed: dict[str, set[str]] = {}
        rows = export_rows(engine, run["run_id"], "nominations")
        assert len(rows) == run["nominations"]
        for n in rows:
            record = records[n["record_id"]]
            assert n["t"] in known
            assert record["born"] == n["born"] < n["t"]
            assert record["gone"] is None or n["t"] < record["gone"]
            names = {hit["id"] for hit in n["symbols"]}
            assert names - listed.get(n["record_id"], set()), n  # each row adds a symbol
            listed.setdefault(n["record_id"], set()).update(names)
            assert n["tokens_before"] == record["tokens"]
            if n["action"] == "keep":
                assert (n["tokens_after"], n["text_after"]) == (n["tokens_before"], None)
            for hit in n["symbols"]:
                assert hit["why"] in {"changed", "removed", "rewired", "uses", "state", "query", "opaque"}
                assert hit["tier"] in {"certain", "possible"}
                assert hit["writes"] == sorted(hit["writes"])
                assert all(n["born"] < t <= n["t"] for t in hit["writes"])


def test_decisions_add_up(engine: Engine) -> None:
    for run in list_runs(engine):
        for point in export_rows(engine, run["run_id"], "decisions", ("P", "T", "F")):
            assert point["held"] == point["unneeded"] + point["held_needed"]
            assert point["stale"] <= point["unneeded"]
            assert point["stale_needed"] <= point["held_needed"]
            assert point["needed"] == point["missing"] + point["gold_held"]
            assert point["needed"] == sum(region["tokens"] for region in point["regions"])
            assert point["gold_held"] == sum(region["held_tokens"] for region in point["regions"])
            assert point["burst"] is None or point["burst"][0] <= point["burst"][1]
