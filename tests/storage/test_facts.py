"""The second run on a repository starts warm: what graphs leave is stored with the run, read at once, never trusted."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import Engine, func, select, text, update

from core.graph.languages.python import language as python
from core.graph.lookups import Lookups
from storage import facts as module
from storage import facts_version
from storage.database import open_engine, reading, writing
from storage.facts import entries_table, fetch_from, publish_entries, version
from storage.ingest import ingest
from storage.schema import SCHEMA_VERSION, facts, meta
from tests.storage.test_ingest import SAMPLES, SHORT, stable, user

BASE = str(SAMPLES / "bases" / "config_walk")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_engine(tmp_path / "t.duckdb")


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done while a test runs: "read" for each text read, "link" for each symbol linked."""
    done: list[str] = []
    read, link = python.facts, Lookups._compute

    def reading_(content: str) -> Any:
        done.append("read")
        return read(content)

    def linking(self: Lookups, key: Any) -> Any:
        if key[0] == "symbol":
            done.append("link")
        return link(self, key)

    monkeypatch.setattr(python, "facts", reading_)
    monkeypatch.setattr(Lookups, "_compute", linking)
    return done


def publish(engine: Engine, entries: dict[str, bytes]) -> None:
    with writing(engine) as connection:
        publish_entries(connection, entries_table(entries))


def kept(engine: Engine) -> set[str]:
    with reading(engine) as connection:
        return {key.partition("/")[2] for (key,) in connection.execute(select(facts.c.key))}


# -- runs ------------------------------------------------------------------------------------------------


def test_the_second_run_reads_and_links_only_what_is_written(engine: Engine, work: list[str]) -> None:
    first = ingest([SHORT], engine=engine, base_spec=BASE)
    cold, once = list(work), stable(engine)
    work.clear()
    assert ingest([SHORT], engine=engine, base_spec=BASE)[0]["note"] is None
    assert stable(engine) == once
    assert first[0]["status"] == "loaded"
    files = len({p.read_bytes() for p in Path(BASE).rglob("*.py")})
    assert cold.count("read") > files  # the versions that were written, too
    assert cold.count("read") - work.count("read") == files
    assert cold.count("link") > work.count("link")


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs on the same files."""
    text = SHORT.read_text(encoding="utf-8")
    session = json.loads(text.split("\n")[1])["sessionId"]
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(text.replace(session, f"session-{name}"), encoding="utf-8")
    return [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]


def test_runs_in_processes_of_their_own_start_warm_and_leave_entries(engine: Engine, runs: list[Path]) -> None:
    rows = ingest(runs, engine=engine, base_spec=BASE, jobs=2)
    assert [row["status"] for row in rows] == ["loaded", "loaded"]
    assert {name.split(":")[0] for name in kept(engine)} == {"graph", "python", "text"}
    once, entries = stable(engine), kept(engine)
    ingest(runs, engine=engine, base_spec=BASE, jobs=2)
    assert (stable(engine), kept(engine)) == (once, entries)
    with reading(engine) as connection:
        assert connection.execute(select(func.count()).select_from(facts)).scalar_one() == len(entries)


@pytest.mark.parametrize("jobs", [1, 2])
def test_broken_entries_cost_time_and_are_said(engine: Engine, runs: list[Path], jobs: int) -> None:
    ingest(runs, engine=engine, base_spec=BASE)
    once, entries = stable(engine), kept(engine)
    with writing(engine) as connection:
        connection.execute(update(facts).values(data=b"cos\nsystem\n(S'true'\ntR."))
    rows = ingest(runs, engine=engine, base_spec=BASE, jobs=jobs)
    assert f"{len(entries)} stored graph entries were broken and made anew" in [row["note"] for row in rows]
    assert stable(engine) == once
    assert [row["note"] for row in ingest(runs, engine=engine, base_spec=BASE, jobs=jobs)] == [None, None]


def test_a_database_that_is_busy_or_gone_is_a_miss(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(engine, {"python:1": b"x"})
    fetch = fetch_from(engine)
    assert fetch(["python:1", "python:2"]) == {"python:1": b"x"}
    monkeypatch.setattr("storage.database.READ_WAIT", 0.05)
    with writing(engine):
        assert fetch(["python:1"]) == {}
    with writing(engine) as connection:
        connection.execute(text("DROP TABLE facts"))
    assert fetch(["python:1"]) == {}


# -- the table -------------------------------------------------------------------------------------------


def test_entries_are_replaced_and_read_in_bulk(engine: Engine) -> None:
    many = {f"python:{n}": str(n).encode() * 10 for n in range(5000)}
    publish(engine, many)
    assert fetch_from(engine)([*many, "python:none"]) == many
    publish(engine, {"python:7": b"seven", "graph:1": bytes(range(256))})
    assert fetch_from(engine)(["python:7", "graph:1"]) == {"python:7": b"seven", "graph:1": bytes(range(256))}
    with reading(engine) as connection:
        assert connection.execute(select(func.count()).select_from(facts)).scalar_one() == 5001


def test_the_newest_are_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT", 100)
    publish(engine, {"python:1": b"x" * 40, "python:2": b"x" * 20})
    publish(engine, {"python:3": b"x" * 40})
    assert kept(engine) == {"python:1", "python:2", "python:3"}
    publish(engine, {"python:2": b"y" * 10})  # written again: new once more
    publish(engine, {"python:4": b"x" * 20})
    assert kept(engine) == {"python:2", "python:3", "python:4"}
    publish(engine, {"python:5": b"x" * 101})
    assert kept(engine) == set()


def test_nothing_to_store_stores_nothing(engine: Engine) -> None:
    publish(engine, {})
    assert kept(engine) == set()
    assert pa.types.is_large_binary(entries_table({}).schema.field("data").type)


def test_entries_of_another_program_are_not_seen(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(engine, {"python:1": b"x"})
    monkeypatch.setattr(module, "version", lambda: "0123456789abcdef")
    assert fetch_from(engine)(["python:1"]) == {}
    publish(engine, {"python:1": b"y"})
    assert fetch_from(engine)(["python:1"]) == {"python:1": b"y"}
    monkeypatch.undo()
    assert fetch_from(engine)(["python:1"]) == {"python:1": b"x"}


def test_a_database_with_the_old_table_gets_the_new_one(tmp_path: Path) -> None:
    with writing(open_engine(tmp_path / "t.duckdb")) as connection:
        connection.execute(text("DROP TABLE facts"))
        connection.execute(text("CREATE TABLE facts (key VARCHAR PRIMARY KEY, version VARCHAR, data BLOB)"))
        connection.execute(meta.update().values(value="2"))
    engine = open_engine(tmp_path / "t.duckdb")
    publish(engine, {"python:1": b"x"})
    assert fetch_from(engine)(["python:1"]) == {"python:1": b"x"}
    with reading(engine) as connection:
        assert connection.execute(meta.select()).all() == [("schema_version", str(SCHEMA_VERSION))]


# -- the version -----------------------------------------------------------------------------------------


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_the_version_covers_all_code_that_entries_depend_on() -> None:
    covered = {path for pattern in facts_version.READERS for path in ROOT.glob(pattern)}
    assert len(covered) > 40
    # Switches are part of a picture's name; facts do not depend on them.
    known = covered | {ROOT / "core" / "options.py"}
    for path in covered:
        for name in imported(path):
            if name.split(".")[0] in {"core", "storage"}:
                file = ROOT / (name.replace(".", "/") + ".py")
                assert (file if file.exists() else ROOT / name.replace(".", "/") / "__init__.py") in known, (path, name)


def test_the_version_differs_when_that_code_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert version() == facts_version.version.__wrapped__()
    for name in ("core/graph/facts.py", "core/graph/languages/python/link.py", "core/replay/lines.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(facts_version, "_ROOT", tmp_path)
    seen = {facts_version.version.__wrapped__()}
    for name in ("core/graph/facts.py", "core/graph/languages/python/link.py", "core/replay/lines.py"):
        (tmp_path / name).write_text(name + "\n")
        seen.add(facts_version.version.__wrapped__())
    (tmp_path / "core" / "graph" / "more.py").write_text("")
    seen.add(facts_version.version.__wrapped__())
    monkeypatch.setattr("importlib.metadata.version", lambda name: "9")
    seen.add(facts_version.version.__wrapped__())
    assert len(seen) == 6


def test_a_run_without_a_known_file_leaves_nothing(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(user("first", "s-a") + "\n")
    assert ingest([tmp_path / "a.jsonl"], engine=engine)[0]["status"] == "loaded"
    assert kept(engine) == set()
