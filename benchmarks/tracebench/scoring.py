"""One simulated session through the product's pipeline, with imported gold.

In: the session file, its base, its labels. Out: ``Result``: the decision points and every policy's scores at each.
``analyse`` takes a patch or nothing; the one thing changed here is where a point's labels come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.graph.facts import FactsCache
from core.options import Options
from core.pipeline import _Run
from core.policies.policy import Policy
from core.replay.base import load_base
from core.replay.replay import replay
from core.tracebench.points import DecisionPoint, Point
from core.tracebench.regions import Labels
from core.tracebench.scores import PointScore
from core.tracebench.sources import Imported, imported
from core.trajectory.load import discover, load


@dataclass(frozen=True, slots=True)
class Result:
    """One run: its P points, the scores at those with gold, and what the parser and the replay made of it."""

    run_id: str
    steps: int
    points: tuple[DecisionPoint, ...]
    scores: tuple[PointScore, ...]
    fidelity: float


class _Labelled(_Run):
    """A run whose gold is imported."""

    given: Imported

    def _labels(self, point: Point) -> Labels:
        return imported(self.given, point)


def score(
    session: Path, spec: str, labels: Imported, policies: Mapping[str, Policy], facts: FactsCache | None = None
) -> Result:
    """The session analysed and every policy scored at its P points; ``facts`` are shared by runs of one repository."""
    trajectory = load(discover([session])[0])
    replayed = replay(trajectory, load_base(spec, trajectory))
    run = _Labelled(trajectory, replayed, Options(), None, policies, facts)
    run.given = labels
    analysis = run.through(lambda part, what: None)
    return Result(
        run_id=trajectory.run_id,
        steps=len(trajectory.steps),
        points=tuple(p for p in analysis.points if p.anchor == "P"),
        scores=analysis.scores,
        fidelity=float("nan") if replayed.fidelity is None else replayed.fidelity,
    )
