"""Policies scored at the decision points of recorded runs, and the split of runs into two halves.

A manifest is a JSON list of {"run": path, "base": SPEC, "patch": path or null}; paths are relative to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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


def score(entry: Entry, policies: Mapping[str, Policy]) -> tuple[str, tuple[PointScore, ...]]:
    """The run's id and the scores of the policies (and oracles) at each of its points."""
    trajectory = load(discover([entry.run])[0])
    patch = entry.patch.read_text(encoding="utf-8") if entry.patch else None
    base = load_base(entry.base, trajectory)
    return trajectory.run_id, analyse(trajectory, base, Options(), patch=patch, policies=policies).scores
