"""One instance from patch to scores: analysed, simulated, labelled, scored, each written below the output folder.

In: an instance and where things are. Out: ``Scored``. What was scored before and has not changed (session, labels,
policies with their parameters, analysis version, the graph's code) is read back.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.tracebench.agent import Simulated, simulate
from benchmarks.tracebench.checker import analyse_state
from benchmarks.tracebench.contenders import contenders
from benchmarks.tracebench.gold import Reference
from benchmarks.tracebench.instances import Instance, python_texts, task
from benchmarks.tracebench.labels import read_labels, write_labels
from benchmarks.tracebench.parameters import Parameters
from benchmarks.tracebench.scoring import Result, score
from core.analysis import ANALYSIS_VERSION
from core.graph.facts import FactsCache
from core.tracebench.scores import PointScore, Sums
from storage.facts_version import version

RULES = ("G1", "G2", "G3", "G4")
POINT = ("t", "edits", "held", "unneeded", "held_needed", "stale", "stale_needed", "needed", "gold_held", "missing")


@dataclass(frozen=True, slots=True)
class Work:
    """What one run needs; it travels to a worker process."""

    instance: Instance
    repository: Path
    out: Path
    parameters: Parameters
    seed: int
    policies: bool = True


@dataclass(frozen=True, slots=True)
class Scored:
    """One run: counts of its points, the points with gold, the scores by policy, and seconds by stage."""

    id: str
    repo: str
    points: tuple[Mapping[str, Any], ...]
    scores: tuple[PointScore, ...]
    facts: Mapping[str, Any]


def run(work: Work) -> Scored:
    """Everything for one instance; its session and labels are the same bytes every time."""
    started = time.perf_counter()
    given = task(work.instance, work.repository)
    cache = work.out / "cache"
    base = analyse_state(python_texts(given.texts), cache)
    reference = Reference(given, base, analyse_state(python_texts(given.patched), cache))
    checked = time.perf_counter()
    simulated = simulate(reference, work.parameters, work.seed)
    session = _write(work.out / "sessions" / f"{work.instance.id}.jsonl", simulated.session)
    labels = write_labels(simulated.labels, simulated.session)
    _write(work.out / "labels" / f"{work.instance.id}.jsonl", labels)
    written = time.perf_counter()
    kept = work.out / "scores" / f"{work.instance.id}.json"
    key = _key(simulated.session, labels, work.policies)
    document = json.loads(kept.read_text()) if kept.is_file() else {}
    if document.get("key") != key:
        policies = contenders() if work.policies else {}
        imported = read_labels(labels, simulated.session)
        result = score(session, given.spec, imported, policies, _facts(work.instance.repo))
        document = {"key": key, **_document(simulated, result)}
        document["facts"] |= {
            "seconds_checker": round(checked - started, 1),
            "seconds_simulation": round(written - checked, 1),
            "seconds_scoring": round(time.perf_counter() - written, 1),
        }
        _write(kept, json.dumps(document))
    return Scored(
        work.instance.id, work.instance.repo, tuple(document["points"]), _scores(document["scores"]), document["facts"]
    )


@lru_cache(maxsize=2)
def _facts(repo: str) -> FactsCache:
    """Per-file graph facts of one repository, shared by the runs of a worker."""
    return FactsCache()


def _document(simulated: Simulated, result: Result) -> dict[str, Any]:
    points = [
        {
            **{name: getattr(p, name) for name in POINT},
            "rules": {rule: sum(r.rule == rule for r in p.regions) for rule in RULES},
            "rule_tokens": {rule: sum(r.tokens for r in p.regions if r.rule == rule) for rule in RULES},
        }
        for p in result.points
        if not p.skip
    ]
    facts = {"run_id": result.run_id, "steps": result.steps, "candidates": len(result.points), "points": len(points)}
    facts |= {"made": simulated.made, "left": simulated.left, "fidelity": result.fidelity}
    scores = [[s.policy, s.t, s.state, list(asdict(s.sums).values())] for s in result.scores]
    return {"points": points, "scores": scores, "facts": facts}


def _scores(rows: list[list[Any]]) -> tuple[PointScore, ...]:
    return tuple(PointScore(policy, t, "imported", state, Sums(*sums)) for policy, t, state, sums in rows)


def _key(session: str, labels: str, policies: bool) -> str:
    named = [[name, sorted(p.parameters.items(), key=str)] for name, p in contenders().items()] if policies else []
    text = json.dumps([ANALYSIS_VERSION, version(), session, labels, named], default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)
    return path
