"""Following: a run is stored each time it grew, scored when it stops; what goes wrong is a row."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from storage.analysing import Setup
from storage.database import open_engine, reading
from storage.follow import follow
from storage.ingest import ingest
from storage.schema import runs, scores
from tests.trajectory.test_follow import LINES, WHOLE

SAMPLE = Path(__file__).resolve().parents[2] / "sample_runs" / "runs" / "config_walk.jsonl"


def stored(engine: Any) -> tuple[int, int]:
    with reading(engine) as connection:
        steps = connection.execute(select(runs.c.steps)).scalars().all()
        scored = connection.execute(select(func.count()).select_from(scores)).scalar()
    return sum(steps), int(scored or 0)


def test_each_growth_is_stored_and_the_end_equals_an_ingest(tmp_path: Path) -> None:
    data = SAMPLE.read_bytes().splitlines(keepends=True)
    path = tmp_path / SAMPLE.name
    path.write_bytes(b"".join(data[: len(data) // 2]) + data[len(data) // 2][:10])
    engine = open_engine(tmp_path / "a.duckdb")
    stop = threading.Event()
    rows: Iterator[dict[str, Any]] = follow([path], engine=engine, cancel=stop.is_set, poll=0.01)
    first = next(rows)
    assert first["status"] == "loaded"
    assert first["steps"] == stored(engine)[0]
    path.write_bytes(b"".join(data))
    second = next(rows)
    assert second["steps"] > first["steps"]
    stop.set()
    last = list(rows)
    assert [row["status"] for row in last] == ["loaded"]
    assert last[0]["steps"] == second["steps"]
    other = open_engine(tmp_path / "b.duckdb")
    ingest([path], engine=other)
    assert stored(engine) == stored(other)
    assert stored(engine)[1] > 0


def test_quiet_seconds_end_it_and_new_runs_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.follow.DISCOVER", 0.0)
    (tmp_path / "runs").mkdir()
    engine = open_engine(tmp_path / "a.duckdb")
    (tmp_path / "runs" / "one.jsonl").write_bytes(WHOLE)
    seen = []
    for row in follow([tmp_path / "runs"], engine=engine, idle=0.3, poll=0.01):
        seen.append(Path(row["path"]).name)
        if len(seen) == 1:
            (tmp_path / "runs" / "two.jsonl").write_bytes(WHOLE.replace(b'"s"', b'"t"'))
    assert seen == ["one.jsonl", "two.jsonl", "one.jsonl", "two.jsonl"]


def test_a_base_that_cannot_be_had_is_a_row_each_time(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(WHOLE)
    engine = open_engine(tmp_path / "a.duckdb")
    setup = Setup(base_spec=str(tmp_path / "nowhere"))
    rows = list(follow([path], engine=engine, setup=setup, idle=0.05, poll=0.01))
    assert {row["status"] for row in rows} == {"refused"}
    assert "nowhere" in rows[0]["error"]


def test_a_file_that_went_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(WHOLE + LINES[0][:5])
    engine = open_engine(tmp_path / "a.duckdb")
    waiting = []
    rows = follow(
        [path], engine=engine, idle=0.2, poll=0.01, told=lambda where, size: waiting.append((Path(where).name, size))
    )
    assert next(rows)["status"] == "loaded"
    path.unlink()
    assert [row["status"] for row in rows] == ["refused"]
    assert ("one.jsonl", 5) in waiting
