"""Stage 8: the scores of policies over stored runs, pooled as the paper's Table 2 (CONTRACT ``score``).

In: run ids and policy names. Out: one row a (policy, gold source); ratios that do not exist are null with
their state beside them, intervals and means of points stand under ``detail``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Engine, select

from core.errors import InputError, OptionError
from core.policies import POLICIES
from core.policies import policy as policy_named
from core.tracebench.bootstrap import intervals
from core.tracebench.scores import (
    Interval,
    PointScore,
    Pooled,
    Ratio,
    Sums,
    by_run,
    cleared_share,
    f1,
    found_share,
    lost_share,
    net_ce,
    net_lost_share,
    pool,
    precision,
    ratio,
    recall,
)
from storage.database import reading
from storage.schema import SUMS, runs, scores

ORACLES = ("oracle-evict", "oracle-retrieve")
SCORE_COLUMNS = (
    "policy", "gold_source", "points", "ce", "ce_state", "re", "re_state", "cleared", "lost", "net_lost", "found",
    "added", "added_per_point", "added_per_point_state", "dropped", "unneeded", "held_needed", "missing", "detail",
)  # fmt: skip


def point_scores(
    connection: Connection, run_ids: Iterable[str] | None = None, policies: Iterable[str] | None = None
) -> dict[str, list[PointScore]]:
    """The stored scores by run id, in step order; None means all runs, or all policies."""
    wanted = select(scores).order_by(scores.c.run_id, scores.c.t, scores.c.policy)
    if run_ids is not None:
        wanted = wanted.where(scores.c.run_id.in_(list(run_ids)))
    if policies is not None:
        wanted = wanted.where(scores.c.policy.in_(list(policies)))
    found: dict[str, list[PointScore]] = {}
    for row in connection.execute(wanted).mappings():
        sums = Sums(1, *(row[name] for name in SUMS))
        score = PointScore(row["policy"], row["t"], row["gold_source"], row["state"], sums, row["note"])
        found.setdefault(row["run_id"], []).append(score)
    return found


def score_rows(engine: Engine, run_ids: Sequence[str] = (), policies: Sequence[str] = ()) -> list[dict[str, Any]]:
    """One pooled row a (policy, gold source), sorted by them; no runs means all, no policies all.

    Raises OptionError for a policy that does not exist or was not scored, InputError when no run is stored.
    """
    with reading(engine) as connection:
        if connection.execute(select(runs.c.run_id)).first() is None:
            raise InputError("no run is stored yet: ingest one first")
        found = point_scores(connection, run_ids or None)
    scored = {s.policy for points in found.values() for s in points}
    for name in policies:
        _check(name, scored)
    wanted = set(policies) or scored
    kept = {run: [s for s in points if s.policy in wanted] for run, points in found.items()}
    return [_row(pooled, kept) for pooled in pool(s for run in sorted(kept) for s in kept[run])]


def _check(name: str, scored: set[str]) -> None:
    if name in scored or name in ORACLES or name in POLICIES:
        return
    policy_named(name)  # says which names there are
    raise OptionError(f"policy {name!r} was not scored at ingest; scored are {', '.join(sorted(scored))}")


def _row(p: Pooled, by_runs: dict[str, list[PointScore]]) -> dict[str, Any]:
    s = p.sums
    of_source = {run: [x for x in points if x.gold_source == p.gold_source] for run, points in by_runs.items()}
    runs_of = by_run(of_source, p.policy)
    detail = {
        "state": p.state,
        "runs": len(runs_of),
        "intervals": {k: _interval(v) for k, v in intervals(runs_of).items()} if p.state == "ok" else {},
        "ce_mean_of_points": _ratio(p.ce_mean),
        "re_mean_of_points": _ratio(p.re_mean),
        "net_ce": _ratio(ratio(net_ce(s))),
        "shares": {
            "cleared": _ratio(ratio(cleared_share(s))),
            "lost": _ratio(ratio(lost_share(s))),
            "net_lost": _ratio(ratio(net_lost_share(s))),
            "found": _ratio(ratio(found_share(s))),
        },
        "precision_recall_f1": {
            side: [_ratio(ratio(measure(s, side))) for measure in (precision, recall, f1)]
            for side in ("record", "line", "file")
        },
        "sums": asdict(s),
    }
    row: dict[str, Any] = {"policy": p.policy, "gold_source": p.gold_source, "points": s.points}
    row |= {"ce": p.ce.value, "ce_state": p.ce.state, "re": p.re.value, "re_state": p.re.state}
    counted = {name: getattr(s, name) for name in ("cleared", "lost", "net_lost", "found", "added")}
    if p.state != "ok":
        counted = dict.fromkeys(counted)
    row |= counted
    row |= {"added_per_point": p.added_per_point.value, "added_per_point_state": p.added_per_point.state}
    row |= {"dropped": s.dropped if p.state == "ok" else None}
    row |= {name: getattr(s, name) for name in ("unneeded", "held_needed", "missing")}
    return row | {"detail": detail}


def _ratio(r: Ratio) -> dict[str, Any]:
    return {"value": r.value, "state": r.state}


def _interval(i: Interval) -> dict[str, Any]:
    ends = {"low": i.low, "high": i.high}
    shown = {name: None if end is None or math.isinf(end) else end for name, end in ends.items()}
    infinite = [name for name, end in ends.items() if end is not None and math.isinf(end)]
    return {**shown, "infinite": infinite, "runs": i.runs}
