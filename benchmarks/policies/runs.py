"""Policies scored at the decision points of recorded runs, and the split of runs into two halves.

A manifest is a JSON list of {"run": path, "base": SPEC, "patch": path or null}; paths are relative to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core import pipeline
from core.context.moment import Moment, moment_at
from core.options import Options
from core.policies.policy import Policy
from core.replay.base import load_base
from core.replay.replay import replay
from core.tracebench.carry import Carrier
from core.tracebench.evaluate import evaluate
from core.tracebench.points import DecisionPoint, Point
from core.tracebench.scores import PointScore
from core.trajectory.load import discover, load

Half = Literal["train", "test"]
SAMPLES = Path(__file__).parents[2] / "sample_runs" / "samples.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """A run to score: its file, its base, the reference patch if there is one."""

    run: Path
    base: str
    patch: Path | None = None


def entries(manifests: Iterable[Path]) -> list[Entry]:
    """The runs of the manifests, in order; one with a patch is listed with it and without it (hindsight)."""
    found = []
    for manifest in manifests:
        for row in json.loads(manifest.read_text(encoding="utf-8")):
            base = row["base"]
            if base != "none" and not base.startswith(("git:", "auto:")):
                base = str(manifest.parent / base)
            found.append(Entry(manifest.parent / row["run"], base))
            if row.get("patch"):
                found.append(Entry(manifest.parent / row["run"], base, manifest.parent / row["patch"]))
    return found


def half(run_id: str) -> Half:
    """The half a run belongs to, by a hash of its id: the same on every machine."""
    return "test" if hashlib.blake2b(run_id.encode(), digest_size=8).digest()[0] % 2 else "train"


class _Listening(pipeline._Run):
    """A pass over a run that scores policies at every scored P point and measures nothing else."""

    hear: Callable[[Moment, DecisionPoint, Carrier], None]

    def _measure(self, points: Iterable[Point]) -> None:
        for point in points:
            if point.anchor != "P":
                continue
            held, labels = list(self.held), self._labels(point)
            measured = pipeline.measure(point, held, pipeline._stale(held, self.staleness), labels, self.carrier)
            if not measured.skip:
                t, text = point.t, self.history.text
                self.hear(
                    moment_at(t, held, self.trajectory, self.tape, self.graph, text, self.options),
                    measured,
                    self.carrier,
                )


def score(entry: Entry, policies: Mapping[str, Policy]) -> tuple[str, tuple[PointScore, ...]]:
    """The run's id and the scores of the policies (and oracles) at each of its points."""
    files = discover([entry.run])[0]
    trajectory = load(files)
    patch = entry.patch.read_text(encoding="utf-8") if entry.patch else None
    scores: list[PointScore] = []
    run = _Listening(trajectory, replay(trajectory, load_base(entry.base, trajectory)), Options(), patch, None)
    run.hear = lambda moment, point, carrier: scores.extend(evaluate(moment, point, carrier, policies))
    run.through(lambda part, what: None)
    return trajectory.run_id, tuple(scores)
