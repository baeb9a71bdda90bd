"""The project's state comes back from the database as it was, whatever its texts hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from storage.database import open_engine, reading
from storage.queries import project_run, run_efforts, touched_paths
from storage.save import RunMeta, save
from tests.storage.tiny import project, tiny


def test_it_is_the_same_value(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    save(engine, tiny(), RunMeta("a.jsonl"))
    with reading(engine) as connection:
        assert project_run(connection, "run-0a1b2c3d") == project("run-0a1b2c3d")
        assert project_run(connection, "another") is None


@pytest.mark.parametrize("odd", ["'; DROP TABLE runs; --", "a\u2028b\r\n<script>", "\U0001f9e0 ü"])
def test_hostile_texts_come_back_as_they_are(tmp_path: Path, odd: str) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    save(engine, tiny("odd", odd), RunMeta("a.jsonl"))
    with reading(engine) as connection:
        assert project_run(connection, "odd") == project("odd", odd)


def test_a_run_analysed_without_it_has_none(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    save(engine, replace(tiny(), project=None), RunMeta("a.jsonl"))
    with reading(engine) as connection:
        assert project_run(connection, "run-0a1b2c3d") is None


def test_what_was_touched_and_what_it_took(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    save(engine, tiny(), RunMeta("a.jsonl"))
    with reading(engine) as connection:
        touched = touched_paths(connection, "run-0a1b2c3d")
        (effort,) = run_efforts(connection)
    assert (5, "src/a.py", True) in touched
    assert (2, "src/a.py", False) in touched
    assert (effort["calls"], effort["kept"], effort["steps"]) == (4, 0, 6)
