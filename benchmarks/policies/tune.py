"""Chooses the weights of the model-free manager on one half of the runs and reports them on the other.

``python -m benchmarks.policies.tune MANIFEST... [--rounds N] [--no-report]`` (the recorded runs of this project always
take part). The halves are given by the manifest, else told by a hash of the run id. Coordinate descent: from the
weights in the code, each weight is tried at the values of ``GRID``, all in one pass over the training runs; the best
single change is taken, until none helps. The aim, summed over the runs of one source of gold (recorded runs with
hindsight, simulated ones with labels, ...) and averaged over the sources, is in shares of tokens:

    (cleared - added) / unneeded  -  net lost / held and needed  +  found / missing

so that a token added costs what a token cleared saves, and what was refreshed is not lost. One JSON document on
stdout, progress on stderr.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from itertools import repeat
from pathlib import Path

from benchmarks.policies.runs import SAMPLES, Entry, entries, half_of, score
from core.manager.weights import WEIGHTS, Weights
from core.policies import POLICIES
from core.policies.statetape import StateTape
from core.tracebench.scores import PointScore, Sums, pool, total

GRID: Mapping[str, tuple[float, ...]] = {
    "unasked": (0, 1),
    "output_age": (0, 5, 10, 20, 40),
    "test_age": (0, 5, 10, 30, 60),
    "refresh_age": (0, 5, 10, 20, 40),
    "near_writes": (0, 1, 2, 4, 8),
    "far_writes": (0, 1, 4, 8),
    "far_idle": (0, 5, 10, 20),
    "idle": (0, 10, 15, 20, 40),
    "orphan_writes": (0, 1, 4),
    "superseded": (0, 0.5, 0.9, 1.0),
    "recent_writes": (1, 2, 4, 8),
    "focus": (0, 5, 10, 20, 40),
    "budget": (1500, 3000, 6000),
    "largest": (400, 1000, 2000, 6000),
    "least": (0.5, 1.0, 1.5, 2.0, 2.5),
    "site": (-1, 0, 1, 2),
    "rest": (-1, 1, 2, 3),
    "late": (0, 0.5, 1),
    "shared": (0, 0.5, 1, 2),
    "first_hop": (0, 0.5, 1, 2),
    "second_hop": (-2, -1, 0),
    "callee": (0, 0.5, 1),
    "caller": (-1, -0.5, 0, 0.5),
    "signature": (0, 0.5, 1.5),
    "contract": (0, 0.5, 1),
    "older": (-2, -1, 0),
    "edited": (-1, 0, 0.5),
    "named": (0, 0.5, 1, 2),
    "turned": (-2, -1, 0),
    "imported": (-1, -0.5, 0),
    "module_seed": (-1, -0.5, 0),
    "possible": (-2, -1, 0),
}
_ROUNDS = 12
_JOBS = 2
_GAIN = 0.002


def aim(sums: Sums) -> float:
    """How good the maintenance was, in shares of tokens."""
    value = (sums.cleared - sums.added) / sums.unneeded if sums.unneeded else 0.0
    value -= sums.net_lost / sums.held_needed if sums.held_needed else 0.0
    return value + (sums.found / sums.missing if sums.missing else 0.0)


def variants(weights: Weights) -> dict[str, Weights]:
    """The weights themselves and every single change of ``GRID``, by a name that says it."""
    found = {"as it is": weights}
    for name, values in GRID.items():
        kind = type(getattr(WEIGHTS, name))
        for value in values:
            if value != getattr(weights, name):
                found[f"{name}={value}"] = replace(weights, **{name: kind(value)})
    return found


def trial(runs: Sequence[Entry], candidates: Mapping[str, Weights]) -> dict[str, float]:
    """The aim of each candidate, the mean over the sources of gold."""
    policies = {name: StateTape(weights) for name, weights in candidates.items()}
    found: dict[tuple[str, str], list[PointScore]] = defaultdict(list)
    with ProcessPoolExecutor(_JOBS) as pool:
        for one in pool.map(score, runs, repeat(policies)):
            for row in one[1]:
                if row.policy in candidates:
                    found[row.policy, row.gold_source].append(row)
    values: dict[str, list[float]] = defaultdict(list)
    for (name, _), rows in sorted(found.items()):
        values[name].append(aim(total(rows)))
    return {name: sum(values[name]) / len(values[name]) if values[name] else math.nan for name in candidates}


def tune(runs: Sequence[Entry], weights: Weights, rounds: int = _ROUNDS) -> tuple[Weights, list[tuple[str, float]]]:
    """The weights after coordinate descent, and the changes taken with the aim each reached."""
    taken: list[tuple[str, float]] = []
    for _ in range(rounds):
        candidates = variants(weights)
        values = trial(runs, candidates)
        best = max(values, key=lambda name: (values[name], name))
        for name in sorted(values, key=lambda name: -values[name])[:8]:
            print(f"    {values[name]:.4f} {name}", file=sys.stderr)
        print(f"{values['as it is']:.4f} -> {values[best]:.4f} {best}", file=sys.stderr, flush=True)
        if values[best] < values["as it is"] + _GAIN:
            break
        weights = candidates[best]
        taken.append((best, round(values[best], 4)))
    return weights, taken


def report(runs: Sequence[Entry], weights: Weights) -> list[dict[str, object]]:
    """One row a policy, pooled over the runs."""
    policies = {**POLICIES, "statetape": StateTape(weights)}
    scores: list[PointScore] = [s for entry in runs for s in score(entry, policies)[1]]
    return [
        {"policy": row.policy, "gold_source": row.gold_source, "ce": row.ce.value, "ce_state": row.ce.state,
         "re": row.re.value, "re_state": row.re.state, "aim": round(aim(row.sums), 4), **asdict(row.sums)}
        for row in pool(scores) if row.state == "ok"
    ]  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    """Tunes, then prints weights, changes and both halves."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.policies.tune", description=__doc__)
    parser.add_argument("manifests", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--no-report", action="store_true", help="only the weights and the changes")
    options = parser.parse_args(arguments)
    halves: dict[str, list[Entry]] = {"train": [], "test": []}
    for entry in entries([SAMPLES, *options.manifests]):
        halves[half_of(entry)].append(entry)
    weights, taken = tune(halves["train"], WEIGHTS, options.rounds)
    document: dict[str, object] = {"weights": asdict(weights), "changes": taken}
    for name, runs in halves.items() if not options.no_report else ():
        document[name] = {"runs": len(runs), "rows": report(runs, weights)}
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
