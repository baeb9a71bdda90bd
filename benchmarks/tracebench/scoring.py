"""One simulated session through the product's pipeline, with imported gold.

In: the session file, its base, its labels. Out: ``Result``: the decision points and every policy's scores at each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.graph.facts import FactsCache
from core.options import Options
from core.pipeline import analyse
from core.policies.policy import Policy
from core.replay.base import load_base
from core.tracebench.points import DecisionPoint
from core.tracebench.scores import PointScore
from core.tracebench.sources import Imported
from core.trajectory.load import discover, load


@dataclass(frozen=True, slots=True)
class Result:
    """One run: its P points, the scores at those with gold, and what the parser and the replay made of it."""

    run_id: str
    steps: int
    points: tuple[DecisionPoint, ...]
    scores: tuple[PointScore, ...]
    fidelity: float


def score(
    session: Path, spec: str, labels: Imported, policies: Mapping[str, Policy], facts: FactsCache | None = None
) -> Result:
    """The session analysed and every policy scored at its P points; ``facts`` are shared by runs of one repository."""
    trajectory = load(discover([session])[0])
    base = load_base(spec, trajectory)
    analysis = analyse(trajectory, base, Options(harness=False), labels=labels, policies=policies, facts=facts)
    fidelity = analysis.replay.fidelity
    return Result(
        run_id=trajectory.run_id,
        steps=len(trajectory.steps),
        points=tuple(p for p in analysis.points if p.anchor == "P"),
        scores=analysis.scores,
        fidelity=float("nan") if fidelity is None else fidelity,
    )
