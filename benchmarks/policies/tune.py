"""Chooses the weights of the model-free manager on one half of the runs and reports them on the other.

``python -m benchmarks.policies.tune MANIFEST...`` (the recorded runs of this project always take part). The halves are
told by a hash of the run id. Coordinate descent: from the weights in the code, each weight is tried at the values
of ``GRID``, all in one pass over the training runs; the best single change is taken, until none helps. The aim, per
run and averaged over runs, is in shares of tokens:

    (cleared - added) / unneeded  -  net lost / held and needed  +  found / missing

so that a token added costs what a token cleared saves, and what was refreshed is not lost. A run without missing
tokens has no third term. One JSON document on stdout, progress on stderr.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.policies.runs import SAMPLES, Entry, entries, half, score
from core.manager.weights import WEIGHTS, Weights
from core.policies import POLICIES
from core.policies.statetape import StateTape
from core.tracebench.scores import PointScore, Sums, pool, total
from core.trajectory.load import discover, load

GRID: Mapping[str, tuple[float, ...]] = {
    "output_age": (0, 5, 10, 20, 40),
    "test_age": (0, 5, 10, 30, 60),
    "refresh_age": (0, 5, 10, 20, 40),
    "near_writes": (0, 1, 2, 4, 8, 16),
    "far_writes": (0, 1, 2, 4, 8),
    "far_idle": (0, 5, 10, 20, 40),
    "idle": (0, 10, 20, 40, 80),
    "orphan_writes": (0, 1, 4),
    "superseded": (0, 0.5, 0.9, 1.0),
    "recent_writes": (1, 2, 4, 8),
    "focus": (0, 2, 5, 10),
    "budget": (250, 500, 1000, 1500, 3000),
    "largest": (100, 200, 400, 800),
    "least": (0.5, 1.0, 1.5, 2.0),
    "site": (-1, 0, 1, 2),
    "first_hop": (0, 0.5, 1, 2),
    "second_hop": (-2, -1, 0, 1),
    "callee": (0, 0.5, 1, 2),
    "caller": (-1, 0, 0.5, 1),
    "signature": (0, 0.5, 1.5),
    "contract": (-1, 0, 0.5, 1),
    "older": (-2, -1, 0),
    "edited": (-1, 0, 0.5, 1),
    "named": (0, 0.5, 1, 2),
    "turned": (-2, -1, 0),
    "imported": (-1, -0.5, 0),
    "module_seed": (-1, -0.5, 0),
    "possible": (-1, 0),
}
_ROUNDS = 12
_GAIN = 0.002


def aim(sums: Sums) -> float:
    """How good a run's maintenance is, in shares of tokens."""
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
    """The mean aim over the runs of each candidate."""
    policies = {name: StateTape(weights) for name, weights in candidates.items()}
    values: dict[str, list[float]] = {name: [] for name in candidates}
    for entry in runs:
        scores = score(entry, policies)[1]
        for name in candidates:
            sums = total(s for s in scores if s.policy == name)
            if sums.points:
                values[name].append(aim(sums))
    return {name: sum(found) / len(found) if found else math.nan for name, found in values.items()}


def tune(runs: Sequence[Entry], weights: Weights) -> tuple[Weights, list[tuple[str, float]]]:
    """The weights after coordinate descent, and the changes taken with the aim each reached."""
    taken: list[tuple[str, float]] = []
    for _ in range(_ROUNDS):
        candidates = variants(weights)
        values = trial(runs, candidates)
        best = max(values, key=lambda name: (values[name], name))
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


def main(manifests: Sequence[str]) -> None:
    """Tunes, then prints weights, changes and both halves."""
    halves: dict[str, list[Entry]] = {"train": [], "test": []}
    for entry in entries([SAMPLES, *map(Path, manifests)]):
        files = discover([entry.run])[0]
        halves[half(load(files).run_id)].append(entry)
    weights, taken = tune(halves["train"], WEIGHTS)
    document = {
        "weights": asdict(weights),
        "changes": taken,
        "train": {"runs": len(halves["train"]), "rows": report(halves["train"], weights)},
        "test": {"runs": len(halves["test"]), "rows": report(halves["test"], weights)},
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
