"""Policies scored at the decision points of recorded runs, and the split of runs into two halves.

A manifest is a JSON list of {"run": path, "base": SPEC, "patch": path or null}, with "labels": path where the gold is
imported and "half" where it is decided already (``benchmarks.tracebench`` writes such a one); paths are relative to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.tracebench.labels import read_labels
from core.graph.facts import FactsCache
from core.options import Options
from core.pipeline import analyse
from core.policies.policy import Policy
from core.replay.base import load_base
from core.tracebench.scores import PointScore
from core.trajectory.load import discover, load

Half = Literal["train", "test"]
SAMPLES = Path(__file__).parents[2] / "sample_runs" / "samples.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """A run to score: its file, its base, the reference patch or labels if there are any, its half if it is given."""

    run: Path
    base: str
    patch: Path | None = None
    labels: Path | None = None
    half: Half | None = None


def entries(manifests: Iterable[Path]) -> list[Entry]:
    """The runs of the manifests, in order; one with a patch is listed with it and without it (hindsight)."""
    found = []
    for manifest in manifests:
        for row in json.loads(manifest.read_text(encoding="utf-8")):
            base = row["base"]
            if base != "none" and not base.startswith(("git:", "auto:")):
                base = str(manifest.parent / base)
            run, labels = manifest.parent / row["run"], row.get("labels")
            found.append(Entry(run, base, None, manifest.parent / labels if labels else None, row.get("half")))
            if row.get("patch"):
                found.append(Entry(run, base, manifest.parent / row["patch"]))
    return found


def half(run_id: str) -> Half:
    """The half a run belongs to, by a hash of its id: the same on every machine."""
    return "test" if hashlib.blake2b(run_id.encode(), digest_size=8).digest()[0] % 2 else "train"


def half_of(entry: Entry) -> Half:
    """The half an entry belongs to: the one it names, else that of its run."""
    return entry.half or half(load(discover([entry.run])[0]).run_id)


def score(
    entry: Entry, policies: Mapping[str, Policy], facts: FactsCache | None = None
) -> tuple[str, tuple[PointScore, ...]]:
    """The run's id and the scores of the policies (and oracles) at each of its points."""
    trajectory = load(discover([entry.run])[0])
    patch = entry.patch.read_text(encoding="utf-8") if entry.patch else None
    labels = None
    if entry.labels is not None:
        session = entry.run.read_text(encoding="utf-8")
        labels = read_labels(entry.labels.read_text(encoding="utf-8"), session)
    analysis = analyse(
        trajectory,
        load_base(entry.base, trajectory),
        Options(harness=False),
        patch=patch,
        labels=labels,
        policies=policies,
        facts=facts,
    )
    return trajectory.run_id, analysis.scores
