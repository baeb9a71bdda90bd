"""How fast a transcript becomes rows: parse, tokenise and save; the whole analysis; memory; beside a log viewer.

``python -m benchmarks.ingest [MB] [--peer PYTHON]``: a generated session of MB megabytes (default 20). Each
measurement is a process of its own, so that its peak memory is its own; figures are CPU seconds. ``--peer``
is the interpreter of an environment that has claude-code-log installed: it renders the same file.
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
from itertools import pairwise
from pathlib import Path

from benchmarks.synthetic import base_tree, write_session
from storage.analysing import collector_paused

_STEP = 3400  # bytes of transcript a generated step
_FILES = 200


def _parts(transcript: Path, whole: bool) -> dict[str, float]:
    """CPU seconds of each stage of ingesting ``transcript``, in this process."""
    from core.options import Options
    from core.pipeline import analyse
    from core.replay.base import Base
    from core.tokens import count_many
    from core.trajectory.load import discover, load
    from storage.database import open_engine
    from storage.rows import RunMeta
    from storage.save import save

    count_many([""])  # the encoding is loaded once a process
    marks = [time.process_time()]
    trajectory = load(discover([transcript])[0])
    marks.append(time.process_time())
    count_many([text for step in trajectory.steps for text in (step.call, step.text)])
    marks.append(time.process_time())
    base = Base("generated", "generated", base_tree(_FILES)) if whole else Base("none", "none", complete=False)
    analysis = analyse(trajectory, base, Options())
    marks.append(time.process_time())
    save(open_engine(transcript.with_suffix(".duckdb")), analysis, RunMeta(path=transcript.name))
    marks.append(time.process_time())
    names = ("parse", "tokenise", "analyse", "save")
    found = {name: after - before for name, (before, after) in zip(names, pairwise(marks), strict=True)}
    found["steps"] = len(trajectory.steps)
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def _peer(python: str, transcript: Path) -> dict[str, float]:
    """CPU seconds and peak memory of claude-code-log rendering the same file."""
    out = transcript.with_suffix(".html")
    command = [python, "-m", "claude_code_log.cli", str(transcript), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"the peer failed: {done.stderr[-500:]}")
    return {"cpu": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}


def _child(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.ingest", "--child", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": "0"})
    result: dict[str, float] = json.loads(done.stdout)
    return result


def measure(megabytes: int, peer: str | None) -> dict[str, object]:
    """All figures for one generated session of about ``megabytes`` MB."""
    with tempfile.TemporaryDirectory() as folder:
        transcript = Path(folder, "bench.jsonl")
        size = write_session(transcript, megabytes * 1_000_000 // _STEP, base_tree(_FILES)) / 1e6
        parts = _child("parts", str(transcript))
        row: dict[str, object] = {"mb": round(size, 1), **{k: round(v, 2) for k, v in parts.items()}}
        light = parts["parse"] + parts["tokenise"] + parts["save"]
        row["parse_tokenise_save_mb_per_s"] = round(size / light, 1)
        row["whole_mb_per_s"] = round(size / (light + parts["analyse"]), 2)
        if peer:
            other = _child("peer", peer, str(transcript))
            row["peer_mb_per_s"] = round(size / other["cpu"], 2)
            row["peer_peak_mb"] = round(other["peak_mb"])
    return row


def main() -> None:
    """Print one JSON document."""
    if sys.argv[1:2] == ["--child"]:
        what, *rest = sys.argv[2:]
        with collector_paused():
            found = _parts(Path(rest[0]), whole=True) if what == "parts" else _peer(rest[0], Path(rest[1]))
        print(json.dumps(found))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", nargs="?", type=int, default=20)
    parser.add_argument("--peer", help="python of an environment with claude-code-log")
    given = parser.parse_args()
    print(json.dumps(measure(given.megabytes, given.peer), indent=1))


if __name__ == "__main__":
    main()
