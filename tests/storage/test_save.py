"""What goes into the database comes out the same, all of it or nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select

from core.errors import StorageError
from core.tokens import count_tokens
from core.trajectory.steps import Step
from storage.database import open_engine, reading, writing
from storage.rows import RunMeta, _title
from storage.save import _repeats, delete_run, save, set_tags, stage
from storage.schema import RUN_TABLES, blobs, metadata, runs, tags
from storage.text import clean, to_json
from tests.storage.tiny import HOSTILE, NEW, OLD, tiny

META = RunMeta("~/m.jsonl", "git:/x@HEAD", "--- a\n+++ b\n", 1.5, "2026-01-02T00:00:00+00:00")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_engine(tmp_path / "t.duckdb")


def everything(engine: Engine, *, without: str = "") -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables, sorted; ``without`` leaves one run out."""
    out = {}
    with reading(engine) as connection:
        for name, table in metadata.tables.items():
            rows = [dict(row._mapping) for row in connection.execute(select(table))]
            out[name] = sorted((r for r in rows if r.get("run_id") != without or not without), key=repr)
    return out


def rows(engine: Engine, name: str) -> list[dict[str, Any]]:
    table = metadata.tables[name]
    with reading(engine) as connection:
        return [dict(r._mapping) for r in connection.execute(select(table).order_by(*table.primary_key.columns))]


def texts(engine: Engine) -> dict[str, str]:
    return {row["hash"]: row["text"] for row in rows(engine, "blobs")}


def test_rows_made_in_pieces_are_those_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stage(tiny(), META)
    monkeypatch.setattr("storage.row_pieces.PIECE", 2)
    monkeypatch.setattr("storage.save.TEXTS", 20)
    monkeypatch.setattr("storage.row_pieces.TEXTS", 20)
    pieces = stage(tiny(), META)
    assert pieces.table("statuses").column(0).num_chunks > 1
    assert pieces.table("blobs").column(0).num_chunks > 1
    assert pieces.pile.names() == whole.pile.names() == {table.name for table in (*RUN_TABLES, blobs)}
    for name in whole.pile.names():
        assert pieces.table(name).to_pylist() == whole.table(name).to_pylist()
    assert len(set(pieces.table("blobs")["hash"].to_pylist())) == pieces.table("blobs").num_rows


def test_two_rows_with_one_key_are_refused_though_they_stand_in_two_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = tiny()
    monkeypatch.setattr("storage.row_pieces.PIECE", 2)
    first = analysis.statuses[0]
    with pytest.raises(StorageError, match="statuses: two rows of the run have the same key"):
        stage(replace(analysis, statuses=(*analysis.statuses, first)), META)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3) | st.sampled_from([-(2**31), 2**31 - 1]))))
def test_pairs_that_repeat_are_found(pairs: list[tuple[int, int]]) -> None:
    columns = [pa.array([pair[at] for pair in pairs], pa.int32()) for at in (0, 1)]
    assert _repeats(pa.table(columns, names=["t", "n"])) == (len(set(pairs)) < len(pairs))


def test_a_repeated_impact_is_refused() -> None:
    analysis = tiny()
    assert analysis.project is not None
    project = replace(analysis.project, steps=analysis.project.steps + analysis.project.steps[-1:])
    with pytest.raises(StorageError, match="two rows of the run have the same key"):
        stage(replace(analysis, project=project), META)


def test_a_run_comes_back_as_it_was_stored(engine: Engine) -> None:
    save(engine, tiny(), META)
    (run,) = rows(engine, "runs")
    expected = {
        "run_id": "run-0a1b2c3d", "path": "~/m.jsonl", "repository": "repo", "cwd": "/home/me/repo", "status": "loaded",
        "base_spec": "git:/x@HEAD", "patch": "--- a\n+++ b\n", "steps": 6, "writes": 1, "records": 5, "nominations": 3,
        "decision_points": 1, "skipped_lines": 1, "observations": 1,
        "compared_lines": 2, "equal_lines": 1, "fidelity": 0.5,
        "tokens_read": 46, "held_end": 93, "stale_end": 29, "compactions": 1, "gold_source": "hindsight",
        "seconds": 1.5,
        "ingested_at": "2026-01-02T00:00:00+00:00", "transcript": None, "size": 1234, "lines": 9,
    }  # fmt: skip
    assert {key: run[key] for key in expected} == expected
    assert json.loads(run["models"]) == ["model"]
    assert json.loads(run["options"])["edges"] == "outgoing"
    assert json.loads(run["graph_stats"])["languages"] == [["python", 2]]
    kept = texts(engine)
    steps = rows(engine, "steps")
    assert [s["title"] for s in steps] == [
        "User: Fix load", "Read src/a.py", "Bash pytest", "Grep src/b.py 1-1", "Edit src/a.py", "Said:",
    ]  # fmt: skip
    assert [json.loads(s["paths"]) for s in steps] == [[], ["src/a.py"], [], ["src/b.py"], ["src/a.py"], []]
    assert kept[steps[1]["text"]] == OLD
    assert steps[1]["tokens"] == 20  # the record's
    assert steps[5]["tokens"] == count_tokens("") == 0
    (write,) = rows(engine, "writes")
    assert (kept[write["before"]], kept[write["after"]], write["added"], write["deleted"]) == (OLD, NEW, 2, 2)
    (drift,) = rows(engine, "drift")
    assert (drift["falsified_records"], drift["falsified_tokens"]) == (2, 29)
    refresh, rerun, keep = rows(engine, "nominations")
    assert json.loads(refresh["symbols"]) == [
        {"id": "src/a.py::load", "why": "changed", "tier": "certain", "writes": [5]}
    ]
    assert (refresh["status"], rerun["status"], keep["status"]) == ("text-stale", "state-stale", "true")
    assert kept[refresh["text_after"]] == NEW
    assert keep["text_after"] is None
    assert [(f["path"], f["from_t"], f["until"], kept[f["text"]]) for f in rows(engine, "files")] == [
        ("src/a.py", 0, 5, OLD),
        ("src/a.py", 5, None, NEW),
        ("src/b.py", 0, None, "load()\n"),
    ]
    assert [(n["kind"], n["t"], n["what"], n["count"]) for n in rows(engine, "notes")] == [
        ("unknown", None, "type:latch", 3),
        ("unapplied", 5, "src/a.py: does not fit ", 1),
        ("outside", None, "/etc/", 2),
        ("opaque", 3, "data/ (until step 5)", 1),
    ]
    assert rows(engine, "usages")[1]["input"] is None  # no database number holds 10**30
    assert rows(engine, "segments")[0]["error"] is None  # not finite
    assert [(r["referent"], json.loads(r["symbols"])) for r in rows(engine, "records")] == [
        ("none", []), ("symbols", ["src/a.py::load"]), ("state", []), ("query", []), ("symbols", ["src/a.py::load"]),
    ]  # fmt: skip


def test_every_table_is_filled_and_every_text_is_kept(engine: Engine) -> None:
    save(engine, tiny(), META)
    stored = everything(engine)
    assert [t.name for t in RUN_TABLES if not stored[t.name]] == []
    pointers = {r[c.name] for t in RUN_TABLES for c in t.columns if c.info.get("blob") for r in stored[t.name]}
    assert pointers - {None} == {b["hash"] for b in stored["blobs"]}


def test_hostile_text_is_data(engine: Engine) -> None:
    save(engine, tiny("'; DROP TABLE runs; --\0\udfff", HOSTILE), replace(META, path=HOSTILE))
    stored = everything(engine)
    assert stored["runs"][0]["run_id"] == "'; DROP TABLE runs; --\u2400\ufffd"
    assert stored["runs"][0]["path"] == HOSTILE.replace("\0", "\u2400").replace("\ud800", "\ufffd")
    flat = json.dumps(stored, ensure_ascii=False)
    assert "\0" not in flat
    assert "u0000" not in flat
    flat.encode("utf-8")  # no lone surrogate anywhere
    assert "<script>alert(1)</script>" in stored["runs"][0]["task"]
    title = next(s["title"] for s in stored["steps"] if s["t"] == 3)
    assert title.isprintable()
    assert len(title) <= 120
    assert {c["run_id"] for c in stored["records"]} == {stored["runs"][0]["run_id"]}


def test_ingesting_again_replaces_and_keeps_tags(engine: Engine) -> None:
    save(engine, tiny("one"), META)
    save(engine, tiny("two", "other"), META)
    set_tags(engine, "one", {"good": "", " ": "blank", "note": "x\0"})
    before = everything(engine)
    assert before["tags"] == [
        {"run_id": "one", "tag": "good", "value": ""},
        {"run_id": "one", "tag": "note", "value": "x\u2400"},
    ]
    save(engine, tiny("one"), META)
    assert everything(engine) == before
    shorter = tiny("one")
    save(engine, replace(shorter, records=shorter.records[:1], nominations=(), points=()), META)
    after = everything(engine)
    assert len([r for r in after["records"] if r["run_id"] == "one"]) == 1
    assert [r for r in after["nominations"] if r["run_id"] == "one"] == []
    assert after["tags"] == before["tags"]
    assert [r for r in after["records"] if r["run_id"] == "two"] == [
        r for r in before["records"] if r["run_id"] == "two"
    ]


def test_texts_nobody_shows_are_removed(engine: Engine) -> None:
    save(engine, tiny("one"), META)
    one = everything(engine)
    save(engine, tiny("two", "other"), META)
    save(engine, tiny("two"), META)  # everything "other" is orphaned
    assert everything(engine)["blobs"] == one["blobs"]
    set_tags(engine, "two", {"x": ""})
    delete_run(engine, "two")
    assert everything(engine) == one
    delete_run(engine, "one")
    assert {name: len(r) for name, r in everything(engine).items() if r} == {"meta": 1}
    with pytest.raises(StorageError, match="no such run"):
        delete_run(engine, "one")


def test_a_failed_insert_leaves_the_earlier_version(engine: Engine) -> None:
    save(engine, tiny("one"), META)
    before = everything(engine)
    broken = tiny("one", "changed")
    with pytest.raises(StorageError, match="two rows of the run have the same key"):
        save(engine, replace(broken, maintained=broken.maintained * 2), META)
    assert everything(engine) == before


def test_staging_needs_no_database_and_says_its_size() -> None:
    staged = stage(tiny(), RunMeta("p"))
    assert staged.table("records").num_rows == 5
    assert staged.rows > 40
    assert staged.size > 1000
    assert staged.table("runs")["ingested_at"][0].as_py().endswith("+00:00")


def test_the_readers_connection_cannot_write(engine: Engine) -> None:
    save(engine, tiny(), META)
    with pytest.raises(StorageError, match="read-only"), reading(engine) as connection:
        connection.execute(runs.delete())
    with reading(engine) as connection:
        assert connection.execute(select(func.count()).select_from(runs)).scalar() == 1
        assert connection.execute(select(func.count()).select_from(tags)).scalar() == 0
    with writing(engine) as connection:
        assert connection.execute(select(func.count()).select_from(blobs)).scalar()


@given(st.text(st.characters()))
@settings(max_examples=300, deadline=None)
def test_clean_keeps_length_and_all_but_nul_and_lone_surrogates(text: str) -> None:
    out = clean(text)
    assert len(out) == len(text)
    out.encode("utf-8")
    assert "\0" not in out
    assert all(a == b or a == "\0" or "\ud800" <= a <= "\udfff" for a, b in zip(text, out, strict=True))
    assert json.loads(to_json({"k": [text]})) == {"k": [out]}
    assert json.loads(to_json([Tag(text, ("b", text))])) == [{"name": out, "more": ["b", out]}]


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    more: tuple[str, ...]


def test_only_what_json_knows_and_dataclasses_are_written() -> None:
    assert to_json((Tag("a", ()), None, 1.5, True)) == '[{"name":"a","more":[]},null,1.5,true]'
    for wrong in ({1}, object(), float("nan")):
        with pytest.raises((TypeError, ValueError)):
            to_json(wrong)


@given(
    st.text(st.characters(), max_size=80)
    | st.text(st.sampled_from("a \t\n\r\u2028\x1b\x00\u200b\u3000é"), max_size=200)
)
@settings(max_examples=300, deadline=None)
def test_a_title_is_one_printable_line(text: str) -> None:
    title = _title(Step(1, "say", "user", "", "", text), "")
    shown = " ".join("".join(c if c.isprintable() else " " for c in f"User: {text[:400]}").split())
    assert title == (shown if len(shown) <= 120 else shown[:119] + "…")
