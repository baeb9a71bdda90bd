"""How fast a transcript becomes rows, by stage, and how much memory that takes; beside a log viewer.

``python -m benchmarks.ingest [MB] [--shape session|giant|agents] [--memory] [--peer PYTHON]``: a generated run of MB
megabytes (default 20; ``--megabytes MB`` says the same). ``python -m benchmarks.ingest --corpus FOLDER``: every run
under a folder, without a base, as far as it loads. ``python -m benchmarks.ingest MB --base FOLDER``: a generated run
over the Python files of that folder, which is its base, ingested twice into one database: the first finds nothing of
the repository there, the second its graph. Each measurement is a process of its own, so that its peak memory
is its own; figures are CPU seconds. ``--memory`` measures, instead of the stages, the peak memory of the two processes
in which a large run is ingested. ``--peer`` is the interpreter of an environment that has claude-code-log installed:
it renders the same file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.shapes import FILES, SHAPES, write_over
from benchmarks.synthetic import base_tree

_STAGES = ("parse", "tokenise", "analyse", "save")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _parts(folder: Path, with_base: bool) -> dict[str, float]:
    """CPU seconds of each stage over every run under ``folder``, megabytes, steps and peak memory of this process."""
    from core.errors import StateTapeError
    from core.options import Options
    from core.pipeline import analyse
    from core.replay.base import Base
    from core.tokens import count_many
    from core.trajectory.load import discover, load
    from storage.analysing import Outcome
    from storage.batch import Batch
    from storage.database import open_engine
    from storage.rows import RunMeta
    from storage.save import publish, stage

    found = dict.fromkeys(("mb", "runs", "steps", *_STAGES), 0.0)
    count_many([""])  # the encoding is loaded once a process
    with tempfile.TemporaryDirectory() as place:
        batch = Batch(partial(publish, open_engine(Path(place, "bench.duckdb"))), lambda row: None)
        for files in discover([folder]):
            marks = [time.process_time()]
            try:
                trajectory = load(files)
            except StateTapeError:
                continue
            marks.append(time.process_time())
            count_many([text for step in trajectory.steps for text in (step.call, step.text)])
            marks.append(time.process_time())
            none = Base("none", "none", complete=False)
            base = Base("generated", "generated", base_tree(FILES)) if with_base else none
            analysis = analyse(trajectory, base, Options())
            marks.append(time.process_time())
            row = {"path": files.path.name, "seconds": 0.0, "note": None}
            batch.add(int(found["runs"]), Outcome(row, stage(analysis, RunMeta(path=files.path.name))))
            batch.tick()
            marks.append(time.process_time())
            for n, name in enumerate(_STAGES):
                found[name] += marks[n + 1] - marks[n]
            found["mb"] += trajectory.size / 1e6
            found["runs"] += 1
            found["steps"] += len(trajectory.steps)
        last = time.process_time()
        batch.flush()
        found["save"] += time.process_time() - last
    return found | {"peak_mb": _peak()}


def _staged(folder: Path, out: Path) -> dict[str, float]:
    """Peak memory of the process that reads, analyses and stages a large run, and of the one that publishes it."""
    from storage.database import open_engine
    from storage.ingest import ingest

    (row,) = ingest([folder], engine=open_engine(out.with_suffix(".duckdb")))
    if row["status"] != "loaded":
        raise SystemExit(str(row))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"steps": row["steps"], "analyse_mb": children.ru_maxrss / 1024, "publish_mb": _peak()}


def _ingested(folder: Path, base: Path, database: Path) -> dict[str, float]:
    """CPU seconds and peak memory of one whole ingest on a base, this process from its start; the size of the run."""
    from storage.database import open_engine
    from storage.ingest import ingest

    (row,) = ingest([folder], engine=open_engine(database), base_spec=str(base))
    if row["status"] != "loaded" or row["fidelity"] != 1:
        raise SystemExit(str(row))
    mine, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = mine.ru_utime + mine.ru_stime + children.ru_utime + children.ru_stime
    return {"steps": row["steps"], "writes": row["writes"], "cpu": cpu, "peak_mb": _peak()}


def _peer(python: str, folder: Path) -> dict[str, float]:
    """CPU seconds and peak memory of claude-code-log rendering the same file."""
    transcript = folder / "bench.jsonl"
    command = [python, "-m", "claude_code_log.cli", str(transcript), "-o", str(transcript.with_suffix(".html"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"the peer failed: {done.stderr[-500:]}")
    return {"cpu": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}


def _child(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.ingest", "--child", *arguments]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": "0"}
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _answer(what: str, given: Sequence[str]) -> dict[str, float]:
    """What a child process measures."""
    from storage.analysing import collector_paused

    if what == "ingested":
        return _ingested(*map(Path, given))
    if what == "peer":
        return _peer(given[0], Path(given[1]))
    with collector_paused():
        if what == "stage":
            return _staged(Path(given[0]), Path(given[1]))
        return _parts(Path(given[0]), with_base=what == "parts")


def _speeds(parts: dict[str, float]) -> dict[str, Any]:
    light = parts["parse"] + parts["tokenise"] + parts["save"]
    row: dict[str, Any] = {name: round(value, 2) for name, value in parts.items()}
    row["parse_mb_per_s"] = round(parts["mb"] / parts["parse"], 1)
    row["parse_tokenise_save_mb_per_s"] = round(parts["mb"] / light, 1)
    row["whole_mb_per_s"] = round(parts["mb"] / (light + parts["analyse"]), 2)
    return row


def measure(megabytes: int, shape: str, memory: bool, peer: str | None) -> dict[str, Any]:
    """All figures for one generated run of about ``megabytes`` MB."""
    with tempfile.TemporaryDirectory() as place:
        folder, staged = Path(place, "run"), Path(place, "staged")
        folder.mkdir()
        row: dict[str, Any] = {"shape": shape, "mb": round(SHAPES[shape](folder, megabytes) / 1e6, 1)}
        if memory:
            row |= {k: round(v) for k, v in _child("stage", str(folder), str(staged)).items()}
        else:
            row |= _speeds(_child("parts", str(folder)))
        if peer:
            other = _child("peer", peer, str(folder))
            row["peer_mb_per_s"] = round(row["mb"] / other["cpu"], 2)
            row["peer_peak_mb"] = round(other["peak_mb"])
    return row


def measure_on(base: Path, megabytes: int) -> dict[str, Any]:
    """All figures for one generated run of about ``megabytes`` MB over the Python files of ``base``."""
    texts = {str(p.relative_to(base)): p.read_text(encoding="utf-8") for p in sorted(base.rglob("*.py"))}
    files = {path: text for path, text in texts.items() if text.strip()}
    with tempfile.TemporaryDirectory() as place:
        folder, database = Path(place, "run"), Path(place, "bench.duckdb")
        folder.mkdir()
        size = write_over(files, folder, megabytes) / 1e6
        row: dict[str, Any] = {"mb": round(size, 1), "files": len(files)}
        for name in ("cold", "warm"):
            found = _child("ingested", str(folder), str(base), str(database))
            row |= {"steps": found["steps"], "writes": found["writes"]}
            row |= {f"{name}_cpu": round(found["cpu"], 2), f"{name}_mb_per_s": round(size / found["cpu"], 2)}
            row[f"{name}_peak_mb"] = round(found["peak_mb"])
    return row


def main() -> None:
    """Print one JSON document."""
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(_answer(sys.argv[2], sys.argv[3:])))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", nargs="?", type=int, default=20, metavar="MB")
    parser.add_argument("--megabytes", type=int, help="the same")
    parser.add_argument("--shape", choices=sorted(SHAPES), default="session")
    parser.add_argument("--memory", action="store_true", help="the peak memory of an ingest")
    parser.add_argument("--corpus", type=Path, help="a folder of recorded runs")
    parser.add_argument("--base", type=Path, help="a folder of Python files the run starts from")
    parser.add_argument("--peer", help="python of an environment with claude-code-log")
    given = parser.parse_args()
    if given.corpus:
        found: dict[str, Any] = _speeds(_child("corpus", str(given.corpus)))
    elif given.base:
        found = measure_on(given.base, given.megabytes or given.size)
    else:
        found = measure(given.megabytes or given.size, given.shape, given.memory, given.peer)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
