"""Runs published together: stored as if one by one, all of a batch or nothing, and one bad run costs only itself."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from core.errors import StorageError
from storage import batch as module
from storage.analysing import Outcome
from storage.batch import Batch
from storage.database import open_engine, reading
from storage.save import publish, stage
from storage.schema import blobs, records, runs
from storage.staged import Staged
from tests.storage.test_crash import check
from tests.storage.test_save import META, everything
from tests.storage.tiny import HOSTILE, tiny

ROOT = Path(__file__).resolve().parents[2]
PUBLISH_FOREVER = """
import sys
from storage.database import open_engine
from storage.save import RunMeta, publish, stage
from tests.storage.test_crash import sized
engine, turn = open_engine(sys.argv[1]), 0
while True:
    several = [stage(sized(f"run-{n}", 200, f"turn {turn}"), RunMeta("p")) for n in range(3)]
    publish(engine, *several)
    print(turn, flush=True)
    turn += 1
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_engine(tmp_path / "t.duckdb")


def outcome(run_id: str, odd: str = "") -> Outcome:
    return Outcome({"path": f"{run_id}{odd}", "seconds": 1.0, "note": None}, stage(tiny(run_id, odd), META))


def test_together_they_are_stored_as_one_by_one(engine: Engine, tmp_path: Path) -> None:
    given = [("b", ""), ("a", "x"), ("c", HOSTILE)]
    publish(engine, *(stage(tiny(*of), META) for of in given))
    alone = open_engine(tmp_path / "alone.duckdb")
    for of in given:
        publish(alone, stage(tiny(*of), META))
    assert everything(engine) == everything(alone)
    again = [("a", "y"), ("d", ""), ("c", HOSTILE)]  # a is replaced and its texts leave, d is new
    publish(engine, *(stage(tiny(*of), META) for of in again))
    for of in again:
        publish(alone, stage(tiny(*of), META))
    assert everything(engine) == everything(alone)
    assert [run["run_id"] for run in everything(engine)["runs"]] == ["a", "b", "c", "d"]


class Door:
    """Stands for ``publish``: what was published together; runs called bad are refused."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, *several: Staged) -> None:
        self.calls.append([staged.run_id for staged in several])
        if "bad" in self.calls[-1]:
            raise StorageError("no")


@pytest.fixture
def door() -> Door:
    return Door()


def test_they_wait_until_enough_are_there(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RUNS", 3)
    settled: list[dict[str, Any]] = []
    batch = Batch(door, settled.append)
    for n in range(4):
        batch.add(n, outcome(f"r{n}"))
    batch.add(4, Outcome({"path": "refused", "seconds": 0.0}))
    assert door.calls == [["r0", "r1", "r2"]]
    assert [row["path"] for row in settled] == ["r0", "r1", "r2", "refused"]
    assert sorted(batch.rows) == [0, 1, 2, 4]
    batch.flush()
    batch.flush()
    assert door.calls == [["r0", "r1", "r2"], ["r3"]]
    assert sorted(batch.rows) == [0, 1, 2, 3, 4]
    assert all(row["seconds"] >= 1.0 for n, row in batch.rows.items() if n != 4)


def test_large_runs_do_not_wait(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BYTES", 1000)
    batch = Batch(door, lambda row: None)
    batch.add(0, outcome("large"))
    assert door.calls == [["large"]]


def test_none_waits_for_long(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Batch(door, lambda row: None)
    batch.tick()
    batch.add(0, outcome("a"))
    batch.tick()
    assert door.calls == []
    monkeypatch.setattr(module, "SECONDS", 0.0)
    batch.tick()
    assert door.calls == [["a"]]


@pytest.mark.parametrize(("cost", "wait"), [(0.01, 2.0), (0.5, 8.0), (30.0, 15.0)])
def test_where_publications_are_slow_more_runs_share_one(
    cost: float, wait: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    calls: list[list[str]] = []

    def publish(*several: Staged) -> None:
        nonlocal now
        now += cost
        calls.append([staged.run_id for staged in several])

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now, perf_counter=lambda: now))
    batch = Batch(publish, lambda row: None)
    batch.add(0, outcome("first"))
    now += 2.0
    batch.tick()
    assert calls == [["first"]]  # how slow they are is not known before
    batch.add(1, outcome("a"))
    now += wait - 0.001
    batch.tick()
    batch.add(2, outcome("b"))
    assert calls == [["first"]]
    now += 0.001
    batch.tick()
    assert calls == [["first"], ["a", "b"]]


def test_one_that_cannot_be_stored_costs_only_itself(door: Door) -> None:
    batch = Batch(door, lambda row: None)
    for n, name in enumerate(("a", "bad", "c")):
        batch.add(n, outcome(name))
    batch.flush()
    assert door.calls == [["a", "bad", "c"], ["a"], ["bad"], ["c"]]
    assert [row.get("error") for _, row in sorted(batch.rows.items())] == [None, "no", None]
    assert batch.rows[1]["status"] == "refused"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
def test_of_one_run_the_last_in_path_order_stays(engine: Engine, order: tuple[int, ...]) -> None:
    batch = Batch(lambda *several: publish(engine, *several), lambda row: None)
    for position in order:
        batch.add(position, outcome("same", f"-{position}-"))
    batch.flush()
    notes = [batch.rows[n]["note"] for n in range(3)]
    assert notes[2] is None
    assert all(note is not None and note.endswith(", which was kept") for note in notes[:2])
    with reading(engine) as connection:
        assert connection.execute(select(runs.c.task)).scalars().all() == ["Fix load -2-"]
    assert check_texts(engine)


def check_texts(engine: Engine) -> bool:
    """No text of a replaced run is left."""
    return not [b for b in everything(engine)["blobs"] if "-0-" in b["text"] or "-1-" in b["text"]]


def test_a_kill_leaves_whole_batches_only(tmp_path: Path) -> None:
    path, rng = tmp_path / "t.duckdb", random.Random(5)
    for _ in range(4):
        command = [sys.executable, "-c", PUBLISH_FOREVER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "0\n"
            time.sleep(rng.random() * 0.3)
            process.send_signal(signal.SIGKILL)
        engine = open_engine(path)
        assert check(engine) == {f"run-{n}": 200 for n in range(3)}
        with reading(engine) as connection:
            turns = select(func.left(blobs.c.text, 12)).join(records, blobs.c.hash == records.c.text).distinct()
            assert len(connection.execute(turns).all()) == 1  # the three are of one turn
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith("t.duckdb")] == []
