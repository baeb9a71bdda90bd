"""Killed in the middle, or out of disk: a run is wholly there or wholly not."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from core.analysis import Analysis
from core.records.record import Record
from storage.database import open_engine, probe, reading
from storage.save import RunMeta, save
from storage.schema import RUN_TABLES, blobs, records, runs
from tests.storage.tiny import tiny

ROOT = Path(__file__).resolve().parents[2]
SAVE_FOREVER = """
import sys
from storage.database import open_engine
from tests.storage.test_crash import store
engine, turn = open_engine(sys.argv[1]), 0
while True:
    store(engine, turn % 3, 300 + turn % 5 * 100, f"turn {turn}")
    print(turn, flush=True)
    turn += 1
"""
SAVE_ON_A_FULL_DISK = """
import os, resource, sys
from core.errors import StorageError
from storage.database import open_engine
from tests.storage.test_crash import store
path = sys.argv[1]
engine = open_engine(path)
store(engine, 0, 10, "first")
limit = os.path.getsize(path) + int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
for run in (0, 1):
    try:
        store(engine, run, 8000, "second")
    except StorageError as error:
        print(f"refused: {error}")
    else:
        print("stored")
"""


def sized(run_id: str, count: int, odd: str) -> Analysis:
    """The tiny run with ``count`` records whose texts do not compress."""
    rng = random.Random(f"{run_id}{count}{odd}")
    many = tuple(Record(f"q{n}", "run", 6, f"{odd:<12}{rng.randbytes(150).hex()}", n, None) for n in range(count))
    return replace(tiny(run_id), records=many, nominations=(), statuses=())


def store(engine: Engine, run: int, count: int, odd: str) -> None:
    save(engine, sized(f"run-{run}", count, odd), RunMeta("p"))


def check(engine: Engine) -> dict[str, int]:
    """Records by run; fails when any run is there in part or a text is missing."""
    with reading(engine) as connection:
        said = {row.run_id: row.records for row in connection.execute(select(runs))}
        kept = dict(connection.execute(select(records.c.run_id, func.count()).group_by(records.c.run_id)).all())
        assert kept == said
        for table in RUN_TABLES:
            ids = set(connection.execute(select(table.c.run_id)).scalars())
            assert ids <= set(said), table.name
            for column in table.columns:
                if column.info.get("blob"):
                    lost = select(func.count()).where(column.is_not(None), column.not_in(select(blobs.c.hash)))
                    assert connection.execute(lost.select_from(table)).scalar() == 0, column
        turns = select(records.c.run_id, func.left(blobs.c.text, 12)).join(blobs, blobs.c.hash == records.c.text)
        assert len(connection.execute(turns.distinct()).all()) == len(said)  # never two turns in one run
    return said


def test_a_kill_leaves_whole_runs_only(tmp_path: Path) -> None:
    path, rng, turns = tmp_path / "t.duckdb", random.Random(3), 0
    for _ in range(5):
        command = [sys.executable, "-c", SAVE_FOREVER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "0\n"
            time.sleep(rng.random() * 0.25)
            process.send_signal(signal.SIGKILL)
            turns += 1 + len(process.stdout.readlines())
        assert check(open_engine(path))
        assert probe(path).state == "free"
    assert turns >= 5
    store(open_engine(path), 0, 5, "after")
    assert check(open_engine(path))["run-0"] == 5


@pytest.mark.parametrize("room", [20_000, 700_000])
def test_a_full_disk_stores_nothing_of_the_run(tmp_path: Path, room: int) -> None:
    pytest.importorskip("resource")
    path = tmp_path / "t.duckdb"
    done = subprocess.run(
        [sys.executable, "-c", SAVE_ON_A_FULL_DISK, str(path), str(room)], capture_output=True, text=True, cwd=ROOT
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    assert all(line.startswith("refused: ") and "disk is full, nothing was stored" in line for line in lines)
    assert check(open_engine(path)) == {"run-0": 10}
    store(open_engine(path), 1, 3, "room again")
    assert check(open_engine(path)) == {"run-0": 10, "run-1": 3}
