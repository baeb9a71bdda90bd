"""Exports: the promised columns, the same values in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import Engine

from core.errors import InputError
from storage.database import open_engine
from storage.export import COLUMNS, WHATS, encode, export_rows, find_run, list_runs, number
from storage.save import RunMeta, save, set_tags
from tests.storage.tiny import HOSTILE, NEW, OLD, tiny

META = RunMeta("m.jsonl", seconds=1.0, ingested_at="2026-01-02T00:00:00+00:00")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = open_engine(tmp_path / "t.duckdb")
    save(engine, tiny("abc-1"), META)
    save(engine, tiny("abd-2", HOSTILE), META)
    return engine


def from_csv(data: bytes, what: str) -> list[dict[str, Any]]:
    """Decode by the column types: what a reader of the README does."""
    rows = []
    for raw in csv.DictReader(io.StringIO(data.decode(), newline="")):
        row: dict[str, Any] = {}
        for field in COLUMNS[what]:
            text = raw[field.name]
            if pa.types.is_list(field.type):
                row[field.name] = json.loads(text) if text else None
            elif pa.types.is_boolean(field.type):
                row[field.name] = {"true": True, "false": False, "": None}[text]
            elif pa.types.is_integer(field.type):
                row[field.name] = int(text) if text else None
            else:
                row[field.name] = text or None  # CSV cannot tell "" from null
        rows.append(row)
    return rows


@pytest.mark.parametrize("what", WHATS)
@pytest.mark.parametrize("run", ["abc-1", "abd-2"])
def test_all_formats_hold_the_same_rows(engine: Engine, what: str, run: str) -> None:
    rows = export_rows(engine, run, what, ("P", "T", "F"))
    assert rows
    assert all(list(row) == COLUMNS[what].names for row in rows)
    assert json.loads(encode(rows, what, "json")) == rows
    assert pq.read_table(io.BytesIO(encode(rows, what, "parquet"))).to_pylist() == rows
    blank = [{k: None if v == "" else v for k, v in row.items()} for row in rows]
    assert from_csv(encode(rows, what, "csv"), what) == blank


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_no_rows_still_have_columns(form: str) -> None:
    data = encode([], "drift", form)
    if form == "json":
        assert json.loads(data) == []
    elif form == "csv":
        assert data.decode().strip().split(",") == COLUMNS["drift"].names
    else:
        assert pq.read_table(io.BytesIO(data)).schema.names == COLUMNS["drift"].names


def test_drift_rows(engine: Engine) -> None:
    assert export_rows(engine, "abc-1", "drift") == [
        {
            "t": 5, "changed": ["src/a.py::load"], "removed": [], "created": ["src/a.py::new"],
            "rewired": ["src/b.py::go"], "uses": [], "lost_callers": ["src/a.py::load"], "known_at": 5,
            "paths": ["src/a.py"], "opaque": [], "documentation": False,
        }
    ]  # fmt: skip


def test_nominations_carry_text_only_where_it_changes(engine: Engine) -> None:
    rows = export_rows(engine, "abc-1", "nominations")
    assert [(r["record_id"], r["action"], r["tokens_before"], r["tokens_after"], r["text_after"]) for r in rows] == [
        ("r2", "refresh", 20, 24, NEW),
        ("r3", "rerun", 9, 5, "run pytest again"),
        ("r4", "keep", 7, 7, None),
    ]
    assert rows[0]["symbols"] == [{"id": "src/a.py::load", "why": "changed", "tier": "certain", "writes": [5]}]
    assert (rows[0]["path"], rows[0]["start"], rows[0]["end"], rows[0]["born"]) == ("src/a.py", 1, 2, 2)
    assert rows[1]["path"] is None


def test_decisions_are_chosen_by_anchor(engine: Engine) -> None:
    (point,) = export_rows(engine, "abc-1", "decisions")
    assert (point["t"], point["anchor"], point["burst"]) == (4, "P", [5, 5])
    assert point["held"] == point["unneeded"] + point["held_needed"] == 40
    assert point["needed"] == point["missing"] + point["gold_held"] == 12
    assert point["regions"][1] == {
        "path": "src/b.py", "start": 1, "end": 1, "rule": "G3", "why": "calls load", "tokens": 3, "held_tokens": 0,
        "symbol": "",
    }  # fmt: skip
    both = export_rows(engine, "abc-1", "decisions", ("F", "P"))
    assert [(p["t"], p["burst"]) for p in both] == [(4, [5, 5]), (6, None)]


def test_steps_and_writes_carry_their_texts(engine: Engine) -> None:
    steps = export_rows(engine, "abc-1", "steps")
    assert [s["t"] for s in steps] == [1, 2, 3, 4, 5, 6]
    assert (steps[1]["text"], steps[1]["paths"], steps[0]["call"]) == (OLD, ["src/a.py"], None)
    (write,) = export_rows(engine, "abc-1", "writes")
    assert (write["before"], write["after"]) == (OLD, NEW)
    records = export_rows(engine, "abc-1", "records")
    assert [r["record_id"] for r in records] == ["r1", "r2", "r3", "r4", "r5"]
    assert records[1]["sights"] == [{"path": "src/a.py", "start": 1, "end": 2, "source": "read"}]


def test_a_run_is_found_by_id_or_unique_beginning(engine: Engine) -> None:
    assert find_run(engine, "abc") == "abc-1"
    assert find_run(engine, "abd-2") == "abd-2"
    for name, why in (("ab", "begins 2 runs"), ("x", "no such run"), ("", "no such run"), ("%", "no such run")):
        with pytest.raises(InputError, match=why):
            find_run(engine, name)
    save(engine, tiny("abc-10"), META)
    assert find_run(engine, "abc-1") == "abc-1"  # a whole id wins over being a beginning


def test_runs_are_listed_with_tags(engine: Engine) -> None:
    set_tags(engine, "abc-1", {"good": "", "by": "me"})
    first, second = list_runs(engine)
    assert (first["run_id"], first["tags"], second["tags"]) == ("abc-1", ["by=me", "good"], [])
    assert (first["fidelity"], first["fidelity_state"], first["models"]) == (0.5, "ok", ["model"])
    json.dumps([first, second], allow_nan=False)


def test_undefined_is_not_zero() -> None:
    assert number("f", None) == {"f": None, "f_state": "undefined"}
    assert number("f", float("nan")) == {"f": None, "f_state": "undefined"}
    assert number("f", float("-inf")) == {"f": None, "f_state": "infinite"}
    assert number("f", 0.0) == {"f": 0.0, "f_state": "ok"}
