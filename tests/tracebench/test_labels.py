"""Labels carried from one analysis to another: the same bytes, the same numbers, and what is no label is said."""

from __future__ import annotations

import json
from pathlib import Path

from core.tracebench.labels import KEYS, labels_for, write_labels
from core.tracebench.regions import GoldRegion
from storage.database import open_engine
from storage.export import encode, export_rows
from storage.ingest import ingest
from storage.score import score_rows

ROOT = Path(__file__).resolve().parents[2] / "sample_runs"
ROW = {
    "t": 3, "path": "a.py", "start": 1, "end": 2, "rule": "G2", "why": "calls f\u2028", "symbol": "a.py::f",
    "source": "hindsight", "annotator": "me", "transcript": "abc",
}  # fmt: skip


def test_rows_are_sorted_and_keys_ordered_whatever_comes() -> None:
    other = {**ROW, "t": 2, "rule": "G4"}
    text = write_labels([dict(reversed(ROW.items())), other])
    assert text == write_labels([other, ROW])
    assert [tuple(json.loads(line)) for line in text.split("\n") if line] == [KEYS, KEYS]
    assert [json.loads(line)["t"] for line in text.split("\n") if line] == [2, 3]


def test_only_rows_of_the_transcript_are_taken_and_the_rest_is_counted() -> None:
    lines = [
        write_labels([ROW]).strip(),
        "",
        "{",
        "[1]",
        json.dumps({**ROW, "transcript": "other"}),
        json.dumps({**ROW, "transcript": "sha256:abc", "start": 0}),
        "[" * 5000,
    ]
    found = labels_for("\n".join(lines), "abc")
    assert found is not None
    imported, kept = found
    assert imported.regions == {3: (GoldRegion("G2", "a.py", 1, 2, "calls f\u2028", "a.py::f"),)}
    assert [s.line for s in imported.skipped[:3]] == [3, 4, 7]
    assert len(imported.skipped) == 4
    assert kept.count("\n") == 2
    assert labels_for("\n".join(lines), "nobody") is None


def test_exported_labels_give_the_same_numbers_and_the_same_bytes(tmp_path: Path) -> None:
    run, base = ROOT / "runs" / "config_walk.jsonl", str(ROOT / "bases" / "config_walk")
    first, second = open_engine(tmp_path / "a.duckdb"), open_engine(tmp_path / "b.duckdb")
    (row,) = ingest([run], engine=first, base_spec=base)
    labels = encode(export_rows(first, row["run_id"], "labels"), "labels", "jsonl")
    (again,) = ingest([run], engine=second, base_spec=base, labels=labels.decode())
    assert again["note"] is None
    carried = encode(export_rows(second, row["run_id"], "labels"), "labels", "jsonl")
    assert labels.count(b"\n") > 5
    assert len(labels.split(b"\n")) == len(carried.split(b"\n"))
    same = {"source": "", "annotator": ""}
    assert [json.loads(x) | same for x in labels.splitlines()] == [json.loads(x) | same for x in carried.splitlines()]
    assert {json.loads(x)["source"] for x in carried.splitlines()} == {"imported"}
    numbers = [
        [
            {k: v for k, v in r.items() if k != "gold_source"}
            for r in score_rows(engine, [row["run_id"]], ("evict-all",))
        ]
        for engine in (first, second)
    ]
    assert numbers[0] == numbers[1]


def test_labels_of_another_transcript_leave_the_runs_own_gold(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    run = ROOT / "runs" / "config_walk.jsonl"
    (row,) = ingest([run], engine=engine, labels=write_labels([ROW]))
    assert row["note"] == "the labels file has none for this transcript"
    sources = {r["gold_source"] for r in export_rows(engine, row["run_id"], "decisions")}
    assert sources == {"hindsight"}
