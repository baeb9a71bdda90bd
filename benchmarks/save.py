"""How fast a run is stored: rows and megabytes a second, and how long the database is held for it.

``python -m benchmarks.save [STEPS]`` (40,000 by default). The run is made up, seeded, with the proportions of
long recorded ones; the time to make it is not counted. One JSON document on stdout.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import func, select

from core.analysis import ANALYSIS_VERSION, Analysis, CurvePoint, GraphStats, HeldAt
from core.context.actions import Action, Hit, Nomination
from core.context.maintain import MaintainedItem
from core.graph.chronicle import EdgeVersion, SymbolVersion
from core.options import Options
from core.records.record import Record, Symbols
from core.replay.world import BaseInfo, FileWrite, Observation, Replay, Sight
from core.tape.drift import Drift
from core.tape.staleness import StatusChange
from core.tracebench.points import DecisionPoint, HeldRecord, Region
from core.trajectory.steps import Step, Trajectory
from storage.database import open_engine, reading
from storage.rows import RunMeta
from storage.save import publish, stage
from storage.schema import runs

_FILES, _LINES = 400, 250


def made_up(steps: int, seed: int = 1) -> Analysis:
    """A run of ``steps`` steps: a third reads, a sixth edits, a point before each eighth edit."""
    rng = random.Random(seed)
    words = [rng.randbytes(rng.randint(1, 6)).hex() for _ in range(4000)]
    files = {f"src/p{n // 20}/m{n}.py": [_line(rng, words) for _ in range(_LINES)] for n in range(_FILES)}
    base = {path: "\n".join(lines) for path, lines in files.items()}
    paths = sorted(files)
    out: dict[str, list[object]] = {name: [] for name in ("steps", "records", "sights", "writes", "drifts", "points")}
    more: dict[str, list[object]] = {name: [] for name in ("statuses", "nominations", "held", "curve", "observations")}
    symbols, edges, actions, kept = [], [], [], []
    for t in range(1, steps + 1):
        path, kind = rng.choice(paths), rng.choice(("read", "read", "run", "search", "say", "edit"))
        start = rng.randrange(1, _LINES - 40)
        lines = tuple(files[path][start - 1 : start + rng.randint(5, 40)])
        text = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(lines, start))
        out["steps"].append(
            Step(t, kind, "assistant", kind.title(), json.dumps({"file_path": path}), text, line=t, cwd="/r")
        )
        sight = Sight(t, path, start, lines, "read")
        ids = tuple(f"{path}::f{n}" for n in sorted({start // 10, start // 10 + 1}))
        record = Record(
            f"r{t}", "read", t, text, len(text) // 4, Symbols(ids), path, start, start + len(lines) - 1, (sight,)
        )
        out["records"].append(record)
        out["sights"].append(sight)
        kept.append(MaintainedItem(record.id, record.id, "record", t, None, record.tokens, text))
        more["statuses"].append(StatusChange(record.id, t, "true"))
        more["held"].append(HeldAt(t, 40 * t, t, t, 30 * t, 0, t))
        if kind == "read":
            more["observations"].append(Observation(t, path, start, len(lines), len(lines), "read", "equal"))
        if kind != "edit":
            continue
        before = "\n".join(files[path])
        files[path][start] = _line(rng, words)
        after = "\n".join(files[path])
        out["writes"].append(FileWrite(t, t, path, before, after, "edit", "Edit"))
        out["drifts"].append(Drift(t, t, ids[:1], (), (), (), (), (), (path,)))
        symbols += [SymbolVersion(i, "function", path, t, None, start, start + 9, f"{t:016x}", "python") for i in ids]
        edges += [
            EdgeVersion(i, rng.choice(paths) + "::f1", "call", "certain", "from-import name", t, None) for i in ids
        ]
        for other in rng.sample(range(1, t + 1), min(t, 4)):
            action = Action(
                t, f"r{other}", "refresh", 400, 300, "\n".join(lines), f"an own line of f{start // 10} changed"
            )
            more["nominations"].append((Nomination(t, f"r{other}", (Hit(ids[0], "changed", "certain", (t,)),)), action))
            more["statuses"].append(StatusChange(f"r{other}", t, "text-stale", t, stale_lines=((start, start),)))
            actions.append(action)
        if len(out["writes"]) % 8 == 0:
            regions = tuple(Region(path, start + 9 * n, start + 9 * n + 8, "G1", "edit site", 90, 0) for n in range(9))
            near = range(max(1, t - 120), t)
            held = tuple(HeldRecord(f"r{n}", 300, n % 4 == 0, n % 3 == 0, 30, "no line of it is needed") for n in near)
            out["points"].append(DecisionPoint(t - 1, "P", t, t, "hindsight", 9, 6, 3, 3, 1, 9, 5, 4, t, regions, held))
            more["curve"].append(CurvePoint(t, t - 1, 9, 6, 3, 9, 4, 9, 6, 3))
    return Analysis(
        trajectory=Trajectory(
            "bench-1", "bench", "claude_code", "made up", (), "/r", "", "", "", "", tuple(out["steps"]), lines=steps
        ),
        replay=Replay(
            base, BaseInfo("none", "made up"), *(tuple(x) for x in (out["writes"], out["sights"], more["observations"]))
        ),
        options=Options(),
        version=ANALYSIS_VERSION,
        records=tuple(out["records"]),
        drifts=tuple(out["drifts"]),
        nominations=tuple(more["nominations"]),
        statuses=tuple({(s.record_id, s.t): s for s in more["statuses"]}.values()),
        points=tuple(out["points"]),
        curve=tuple(more["curve"]),
        held=tuple(more["held"]),
        actions=tuple(actions),
        maintained=tuple(kept),
        symbols=tuple({(s.id, s.from_t): s for s in symbols}.values()),
        edges=tuple(edges),
        graph=GraphStats(_FILES, len(symbols), len(edges), 0, (("python", _FILES),), ()),
    )  # type: ignore[arg-type]


def _line(rng: random.Random, words: list[str]) -> str:
    return " " * rng.choice((0, 4, 8)) + " ".join(rng.choices(words, k=rng.randint(2, 9)))


def measure(steps: int) -> dict[str, float | int]:
    """Store one made-up run in a new database, again over itself, and read it back."""
    analysis = made_up(steps)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.duckdb")
        engine = open_engine(path)
        clock = [time.perf_counter()]
        staged = stage(analysis, RunMeta("bench.jsonl"))
        clock.append(time.perf_counter())
        publish(engine, staged)
        clock.append(time.perf_counter())
        publish(engine, staged)
        clock.append(time.perf_counter())
        with reading(engine) as connection:
            connection.execute(select(func.count()).select_from(runs)).scalar()
        clock.append(time.perf_counter())
        staging, publishing, again, read = (b - a for a, b in itertools.pairwise(clock))
        return {
            "steps": steps,
            "rows": staged.rows,
            "megabytes": round(staged.size / 1e6, 1),
            "stage_seconds": round(staging, 2),
            "publish_seconds": round(publishing, 2),
            "publish_again_seconds": round(again, 2),
            "read_seconds": round(read, 3),
            "rows_per_second": round(staged.rows / (staging + publishing)),
            "megabytes_per_second": round(staged.size / 1e6 / (staging + publishing), 1),
            "file_megabytes": round(os.path.getsize(path) / 1e6, 1),
        }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000), indent=1))
