"""What scoring every policy costs: ``python -m benchmarks.policies.cost MANIFEST... [--jobs N]``.

Every run of the manifests is analysed twice in a process: once to fill the cache of graph facts, and once with it. One
JSON document: CPU seconds of the second a run, how many of them went into deciding and scoring (``evaluate``), the
points that were scored, and of all runs both for 400 points.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.policies.runs import Entry, entries, score
from core.graph.facts import FactsCache
from core.policies import POLICIES
from core.tracebench.evaluate import evaluate
from core.tracebench.scores import PointScore

_POINTS = 400


def cost(entry: Entry) -> dict[str, float | str]:
    """One run: its points, and the CPU seconds on warm facts of its policies and of its whole analysis."""
    facts = FactsCache()
    inside: list[float] = []

    def timed(*given: Any) -> tuple[PointScore, ...]:
        started = time.process_time()
        found = evaluate(*given)
        inside.append(time.process_time() - started)
        return found

    score(entry, {}, facts)
    started = time.process_time()
    with patch("core.pipeline.evaluate", timed):
        run_id, _ = score(entry, POLICIES, facts)
    return {"run": run_id, "points": len(inside), "policies": sum(inside), "whole": time.process_time() - started}


def main(arguments: Sequence[str]) -> None:
    """Measures every run of the manifests and prints the document."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.policies.cost", description=__doc__)
    parser.add_argument("manifests", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(cost, entries(options.manifests)))
    sums = {name: sum(float(run[name]) for run in runs) for name in ("points", "policies", "whole")}
    share = _POINTS / sums["points"] if sums["points"] else float("nan")
    of_all = {name: round(value * share, 1) for name, value in sums.items()}
    document = {"runs": runs, "points": sums["points"], f"cpu_seconds_for_{_POINTS}_points": of_all}
    print(json.dumps({**document, "jobs": options.jobs, "wall_seconds": time.perf_counter() - started}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
