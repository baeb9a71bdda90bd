"""A batch of transcripts: one row each, in path order, whatever the files are and whoever dies."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from core.errors import InputError, StorageError
from storage import ingest as ingest_module
from storage import workers
from storage.database import open_engine
from storage.export import list_runs
from storage.ingest import INGEST_COLUMNS, ingest
from storage.instances import read_instances
from storage.staged import Pile
from tests.storage.test_save import everything

SAMPLES = Path(__file__).resolve().parents[2] / "sample_runs"
SHORT = SAMPLES / "runs" / "config_walk.jsonl"
# Runs in every worker before anything else: a file called *poison* kills it, *clumsy* only the first time, *half* when
# part of its rows were handed over, *talkative* prints, *slow* takes its time.
TROUBLE = """
import os, signal, time
import core.trajectory.load as door
load = door.load
def troubled(files, progress=None):
    name = files.path.name
    if "poison" in name or ("clumsy" in name and not os.path.exists(str(files.path) + ".died")):
        open(str(files.path) + ".died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    if "talkative" in name:
        print("hello from a library", flush=True)
        os.system("echo and from below")
    if "slow" in name:
        time.sleep(60)
    names.append(name)
    return load(files, progress)
names = []
door.load = troubled
import storage.save as save
pack = save.pack
def packed(name, table):
    if name == "blobs" and "half" in names[-1]:
        os.kill(os.getpid(), signal.SIGKILL)
    return pack(name, table)
save.pack = packed
"""


def user(text: str, session: str) -> str:
    return json.dumps(
        {
            "type": "user", "uuid": f"u-{session}", "parentUuid": None, "sessionId": session, "cwd": "/home/me/demo",
            "version": "2.1.7", "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": text},
        }
    )  # fmt: skip


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_engine(tmp_path / "t.duckdb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    (made / "a.jsonl").write_text(user("first", "s-a") + "\n")
    (made / "b_empty.jsonl").write_text("")
    (made / "c_binary.jsonl").write_bytes(b"\x00\x01\x02" * 500)
    (made / "d_other.json").write_text('{"name": "package"}')
    (made / "e_summary.jsonl").write_text('{"type":"summary","summary":"done","leafUuid":"x"}\n')
    (made / "f.jsonl").write_text("{broken\n" + user("second", "s-f") + "\n" + '{"type":"user"')
    return made


def test_every_file_gives_a_row(engine: Engine, folder: Path) -> None:
    told: list[tuple[int, int]] = []
    rows = ingest([folder], engine=engine, progress=lambda done, total, path, part: told.append((done, total)))
    assert [Path(r["path"]).name for r in rows] == [
        "a.jsonl", "b_empty.jsonl", "c_binary.jsonl", "d_other.json", "e_summary.jsonl", "f.jsonl",
    ]  # fmt: skip
    assert [r["status"] for r in rows] == ["loaded", "skipped", "skipped", "skipped", "skipped", "loaded"]
    assert all(tuple(r) == INGEST_COLUMNS for r in rows)
    assert all((r["error"] is None) == (r["status"] == "loaded") for r in rows)
    assert all((r["run_id"] is None) == (r["status"] != "loaded") for r in rows)
    assert rows[0]["run_id"].startswith("s-a-")
    assert (rows[0]["steps"], rows[5]["skipped_lines"], rows[0]["fidelity"]) == (1, 2, None)
    assert told[-1] == (6, 6)
    stored = {r["run_id"]: r for r in list_runs(engine)}
    assert set(stored) == {rows[0]["run_id"], rows[5]["run_id"]}
    for row in (rows[0], rows[5]):
        shared = set(INGEST_COLUMNS) & set(stored[row["run_id"]]) - {"seconds"}
        assert {k: row[k] for k in shared} == {k: stored[row["run_id"]][k] for k in shared}


def stable(engine: Engine) -> dict[str, Any]:
    """What is stored, without the clock and without what only saves time."""
    stored = everything(engine)
    del stored["facts"]
    for run in stored["runs"]:
        run.update(seconds=0, ingested_at="")
    return stored


def test_again_and_with_more_hands_the_rows_are_the_same(engine: Engine, folder: Path, tmp_path: Path) -> None:
    shutil.copy(SHORT, folder / "z.jsonl")
    rows = ingest([folder], engine=engine)
    once = stable(engine)
    assert len(once["runs"]) == 3
    again = ingest([folder], engine=engine)
    assert stable(engine) == once
    other = open_engine(tmp_path / "other.duckdb")
    many = ingest([folder], engine=other, jobs=3)
    assert stable(other) == once
    for batch in (again, many):
        assert [{**r, "seconds": 0} for r in batch] == [{**r, "seconds": 0} for r in rows]


@pytest.mark.parametrize(
    ("runs", "megabytes", "cores", "gibibytes", "jobs"),
    [
        (9, 100, 2, 16, 2),  # a core each
        (9, 100, 64, 64, 4),  # the rows have one writer
        (3, 100, 64, 64, 3),
        (1, 100, 64, 64, 1),
        (9, 100, 8, 7, 3),  # 2 GiB each
        (9, 100, 8, 1, 1),
        (9, 7, 8, 16, 3),  # 2 MB are worth a process
        (9, 1, 8, 16, 1),
        (0, 0, 8, 16, 1),
    ],
)
def test_a_batch_is_given_the_processes_it_is_worth(
    monkeypatch: pytest.MonkeyPatch, runs: int, megabytes: int, cores: int, gibibytes: int, jobs: int
) -> None:
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    monkeypatch.setattr(workers, "_memory", lambda: gibibytes << 30)
    assert workers.jobs_for(runs, megabytes * 1_000_000) == jobs


@pytest.mark.parametrize(
    ("machine", "container", "jobs"),
    [
        (8 << 30, None, 4),
        (8 << 30, "max\n", 4),
        (8 << 30, f"{5 << 30}\n", 2),
        (5 << 30, f"{8 << 30}\n", 2),
        (None, None, 2),
    ],
)
def test_a_container_has_its_own_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: int | None, container: str | None, jobs: int
) -> None:
    def sysconf(name: str) -> int:
        if machine is None:
            raise ValueError(name)
        return {"SC_PHYS_PAGES": machine >> 12, "SC_PAGE_SIZE": 1 << 12}[name]

    if container is not None:
        (tmp_path / "memory.max").write_text(container)
    monkeypatch.setattr(workers, "_CONTAINER", tmp_path / "memory.max")
    monkeypatch.setattr(workers.os, "sysconf", sysconf)
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    assert workers.jobs_for(9, 100_000_000) == jobs


def test_files_worth_it_are_analysed_in_processes_the_largest_first(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(SHORT, folder / "z.jsonl")
    rows = ingest([folder], engine=engine)
    once = stable(engine)
    asked: list[tuple[int, int]] = []
    given: list[list[str]] = []

    def jobs_for(runs: int, size: int) -> int:
        asked.append((runs, size))
        return 2

    def analyse_all(runs: Any, *rest: Any) -> Any:
        given.append([files.path.name for files in runs])
        return workers.analyse_all(runs, *rest)

    monkeypatch.setattr(ingest_module, "jobs_for", jobs_for)
    monkeypatch.setattr(ingest_module, "analyse_all", analyse_all)
    again = ingest([folder], engine=engine)
    assert stable(engine) == once
    assert [{**r, "seconds": 0} for r in again] == [{**r, "seconds": 0} for r in rows]
    paths = list(folder.iterdir())
    assert asked == [(len(paths), sum(path.stat().st_size for path in paths))]
    assert given == [sorted((p.name for p in sorted(paths)), key=lambda name: -(folder / name).stat().st_size)]


def test_large_runs_are_analysed_apart_and_stored_the_same(
    engine: Engine, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(SHORT, folder / "z.jsonl")
    rows = ingest([folder], engine=engine)
    monkeypatch.setattr(ingest_module, "ALONE", 1000)
    other = open_engine(tmp_path / "other.duckdb")
    told: list[tuple[int, int, str, float]] = []
    again = ingest([folder], engine=other, progress=lambda *news: told.append(news))
    assert [{**r, "seconds": 0} for r in again] == [{**r, "seconds": 0} for r in rows]
    assert stable(other) == stable(engine)
    parts = [part for _, _, path, part in told if path.endswith("z.jsonl")]
    assert parts == sorted(parts)
    assert len(parts) >= 3
    assert told[-1] == (7, 7, str(folder / "z.jsonl"), 1.0)


@pytest.mark.usefixtures("trouble")
def test_a_large_run_that_kills_its_process_costs_only_itself(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_module, "ALONE", 1000)
    (folder / "c_poison.jsonl").write_text(user("x" * 2000, "s-p") + "\n")
    rows = {Path(r["path"]).stem: r for r in ingest([folder], engine=engine)}
    assert "killed, twice" in rows["c_poison"]["error"]
    assert [name for name, row in rows.items() if row["status"] == "loaded"] == ["a", "f"]


def test_a_missing_path_is_refused_and_the_rest_done(engine: Engine, folder: Path) -> None:
    rows = ingest([folder / "a.jsonl", folder / "nowhere.jsonl"], engine=engine)
    assert [r["status"] for r in rows] == ["loaded", "refused"]
    assert "nowhere.jsonl" in rows[1]["error"]


def test_a_base_that_cannot_be_read_refuses_each_run(engine: Engine, folder: Path) -> None:
    rows = ingest([folder / "a.jsonl", folder / "f.jsonl"], engine=engine, base_spec=str(folder / "no-base"))
    assert [r["status"] for r in rows] == ["refused", "refused"]
    assert "no-base" in rows[0]["error"]
    assert list_runs(engine) == []


def test_an_error_of_ours_is_a_row_with_its_place(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops\nmore")

    monkeypatch.setattr("storage.analysing.analyse", broken)
    (row,) = ingest([folder / "a.jsonl"], engine=engine)
    assert row["status"] == "refused"
    assert row["error"].startswith("internal error at test_ingest.py:")
    assert row["error"].endswith("ZeroDivisionError: oops")


def test_a_run_that_cannot_be_stored_is_refused(engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(ingest_module, "publish", full)
    rows = ingest([folder / "a.jsonl", folder / "b_empty.jsonl"], engine=engine)
    assert [(r["status"], r["error"]) for r in rows] == [("refused", "the disk is full"), ("skipped", "empty file")]


def test_two_files_of_one_run_keep_the_last(engine: Engine, folder: Path) -> None:
    (folder / "a2.jsonl").write_text((folder / "a.jsonl").read_text() + user("more", "s-a") + "\n")
    rows = ingest([folder / "a2.jsonl", folder / "a.jsonl"], engine=engine, jobs=2)
    assert [r["status"] for r in rows] == ["loaded", "loaded"]
    assert rows[0]["run_id"] == rows[1]["run_id"]
    assert "a2.jsonl, which was kept" in rows[0]["note"]
    assert rows[1]["note"] is None
    (run,) = list_runs(engine)
    assert run["path"].endswith("a2.jsonl")


@pytest.fixture
def trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(TROUBLE)
    root = Path(__file__).resolve().parents[2]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "site"), str(root)]))


@pytest.mark.usefixtures("trouble")
def test_a_killed_worker_costs_only_its_own_file(engine: Engine, folder: Path) -> None:
    for n, name in enumerate(("poison", "g_clumsy", "h_talkative", "i_half")):
        (folder / f"{name}.jsonl").write_text(user(name, f"s-{n}") + "\n")
    rows = {Path(r["path"]).stem: r for r in ingest([folder], engine=engine, jobs=2)}
    assert list(rows) == sorted(rows)
    assert len(rows) == 10
    for name in ("poison", "i_half"):
        assert rows[name]["status"] == "refused"
        assert "killed, twice" in rows[name]["error"]
    for name in ("a", "f", "g_clumsy", "h_talkative"):
        assert rows[name]["status"] == "loaded", rows[name]
    assert len(list_runs(engine)) == 4


def test_no_room_for_the_rows_costs_the_run(
    engine: Engine, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = tmp_path / "nowhere"
    monkeypatch.setattr(ingest_module, "piles_beside", lambda engine: lambda: Pile(nowhere, 0))
    for jobs in (1, 2):
        rows = ingest([folder], engine=engine, jobs=jobs)
        assert [r["status"] for r in rows] == ["refused", "skipped", "skipped", "skipped", "skipped", "refused"]
        assert "nowhere: the rows of the run cannot be kept there" in rows[0]["error"]
    assert list_runs(engine) == []


@pytest.mark.usefixtures("trouble")
def test_cancelling_kills_the_workers_and_keeps_what_is_stored(engine: Engine, folder: Path) -> None:
    for n in range(2):
        (folder / f"slow{n}.jsonl").write_text(user("slow", f"s-{n}") + "\n")
    started, finished = time.monotonic(), []
    rows = ingest(
        [folder],
        engine=engine,
        jobs=4,  # two for the slow ones, which may come first
        progress=lambda done, total, path, part: finished.append(done),
        cancel=lambda: len(finished) > 0 and finished[-1] >= 6,
    )
    assert time.monotonic() - started < 30
    assert len(rows) == 6
    assert len(list_runs(engine)) == 2


def test_cancelling_in_the_same_process(engine: Engine, folder: Path) -> None:
    asked = []

    def cancel() -> bool:
        asked.append(1)
        return len(asked) > 3

    rows = ingest([SHORT, folder], engine=engine, cancel=cancel)
    assert len(rows) < 7
    assert {r["run_id"] for r in rows if r["run_id"]} == {r["run_id"] for r in list_runs(engine)}


ROW = {"instance_id": "i-1", "patch": "--- a\n", "base_commit": "c0ffee"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROW),
        json.dumps([ROW, {"instance_id": "i-2"}]),
        json.dumps({"i-1": {"patch": "--- a\n", "base_commit": "c0ffee"}}),
        "\n" + json.dumps(ROW) + "\n\n" + json.dumps({"instance_id": "i-2", "patch": None}) + "\n",
    ],
)
def test_instances_in_every_shape(tmp_path: Path, text: str) -> None:
    (tmp_path / "i.json").write_text(text)
    instance = read_instances(tmp_path / "i.json")["i-1"]
    assert (instance.patch, instance.base_commit) == ("--- a\n", "c0ffee")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no instance"),
        ("[]", "no instance"),
        ("[1]", "expected an object"),
        (json.dumps(ROW) + '\n{"a"', r"i.json:2: not JSON"),
        ('{"patch": "x"}\n{"patch": "y"}', "no instance_id"),
        (json.dumps({**ROW, "patch": 3}), "must be texts"),
    ],
)
def test_instances_that_cannot_be_read(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "i.json").write_text(text)
    with pytest.raises(InputError, match=why):
        read_instances(tmp_path / "i.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_instances(tmp_path / "none.json")


def test_an_instance_gives_patch_and_commit() -> None:
    from dataclasses import replace

    from storage.analysing import Setup, _given
    from storage.instances import Instance
    from tests.storage.tiny import tiny

    run = replace(tiny().trajectory, instance_id="i-1")
    setup = Setup(base_spec="git:/r", instances={"i-1": Instance("i-1", "--- a\n", "c0ffee")})
    assert _given(run, setup) == ("git:/r@c0ffee", "--- a\n")
    assert _given(run, replace(setup, base_spec="git:/r@v1", patch="mine")) == ("git:/r@v1", "mine")
    assert _given(run, replace(setup, base_spec="git:/r@HEAD@{1}")) == ("git:/r@HEAD@{1}", "--- a\n")
    assert _given(run, replace(setup, base_spec="/folder")) == ("/folder", "--- a\n")
    assert _given(tiny().trajectory, setup) == ("git:/r", None)
