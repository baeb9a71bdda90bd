"""The tables: what the simulated contexts hold beside the paper's, and every policy on the held-back half.

In: the scored runs. Out: one JSON document, and the same as Markdown. Sums are pooled first; intervals are the
product's bootstrap over runs; each half is reported, only the test half is a result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from benchmarks.tracebench.contenders import family
from benchmarks.tracebench.instances import Half
from benchmarks.tracebench.parameters import ASSUMED, FITTED, Parameters
from benchmarks.tracebench.runs import Scored
from core.tracebench.bootstrap import MEASURES, difference, intervals
from core.tracebench.oracles import ORACLES
from core.tracebench.scores import (
    KAPPA,
    Interval,
    Pooled,
    Sums,
    by_run,
    ce,
    ce_at,
    cleared_share,
    found_share,
    pool,
    re,
)

PAPER = {
    "points": 403, "runs": 48, "held": 18_100, "unneeded": 0.734, "stale": 0.723, "missing": 0.585,
    "missing_a_point": 1_013, "regions": 8.8, "beside_site": 0.768, "ce": 6.18, "re": 10.47, "cleared": 0.742,
    "found": 0.681, "added": 6_502, "evict_all": 2.75, "file_level": 3.14, "no_tape": 2.86, "no_manager": 4.91,
}  # fmt: skip
SHARES = (0.3, 0.5, 0.6, 0.7, 0.8)


def report(
    runs: Sequence[Scored],
    half: Mapping[str, Half],
    parameters: Parameters,
    seed: int,
    known: int,
    absent: Sequence[str],
) -> dict[str, Any]:
    """Everything that was measured, as one document."""
    document: dict[str, Any] = {
        "what": "a simulation: sessions written by a reference-driven program, not by a coding agent",
        "seed": seed,
        "instances": {"known": known, "without_repository": list(absent), "run": len(runs)},
        "parameters": asdict(parameters),
        "fitted": dict(FITTED),
        "assumed": dict(ASSUMED),
        "paper": PAPER,
        "shares": {},
        "halves": {},
    }
    for name in ("train", "test"):
        mine = [r for r in runs if half[r.id] == name]
        document["shares"][name] = shares(mine)
        if any(s.policy == "statetape" for r in mine for s in r.scores):  # without policies only oracles are scored
            document["halves"][name] = policies(mine)
    document["shares"]["all"] = shares(runs)
    return document


def shares(runs: Sequence[Scored]) -> dict[str, Any]:
    """The contexts of the scored points: what they hold, what is missing."""
    points = [p for r in runs for p in r.points]

    def total(name: str) -> int:
        return sum(int(p[name]) for p in points)

    regions = sum(sum(p["rules"].values()) for p in points)
    sites = sum(p["rules"]["G1"] for p in points)
    rows = {
        "runs": len(runs),
        "points": len(points),
        "candidates": sum(r.facts["candidates"] for r in runs),
        "steps": sum(r.facts["steps"] for r in runs),
        "changes_made": sum(r.facts["made"] for r in runs),
        "changes_left": sum(r.facts["left"] for r in runs),
        "held": _part(total("held"), len(points)),
        "unneeded": _part(total("unneeded"), total("held")),
        "stale": _part(total("stale"), total("unneeded")),
        "missing": _part(total("missing"), total("needed")),
        "missing_a_point": _part(total("missing"), len(points)),
        "regions": _part(regions, len(points)),
        "beside_site": _part(regions - sites, regions),
        "least_fidelity": min((r.facts["fidelity"] for r in runs), default=math.nan),
    }
    growth = {}
    for low, high in ((0, 1), (1, 10), (10, 20), (20, 30), (30, 10_000)):
        near = [p for p in points if low <= p["edits"] < high]
        if near:
            growth[f"{low}-{high - 1}"] = [
                round(sum(p[k] for p in near) / len(near)) for k in ("held", "unneeded", "stale")
            ]
    return {**{name: _number(value) for name, value in rows.items()}, "growth": growth}


def policies(runs: Sequence[Scored]) -> dict[str, Any]:
    """One half: a row a policy with intervals, differences to StateTape, curves, and the checks."""
    scores = {r.id: r.scores for r in runs if r.scores}
    rows = pool(s for found in scores.values() for s in found)
    sums = {row.policy: by_run(scores, row.policy) for row in rows if row.state == "ok"}
    mine = next(row for row in rows if row.policy == "statetape")
    return {
        "points": mine.sums.points,
        "rows": [_row(row, sums.get(row.policy, {})) for row in rows],
        "differences": {
            policy: {name: _interval(difference(sums["statetape"], other, MEASURES[name])) for name in MEASURES}
            for policy, other in sorted(sums.items())
            if policy != "statetape" and ":" not in policy and policy not in ORACLES
        },
        "ce_at_equal_cleared": _equal_cleared(rows, mine),
        "net_ce_at_equal_cleared": _equal_cleared([net(row) for row in rows], net(mine)),
        "re_at_equal_found": _equal_found(rows),
        "checks": _checks(rows),
    }


def _row(row: Pooled, runs: Mapping[str, Sums]) -> dict[str, Any]:
    found: dict[str, Any] = {"policy": row.policy, "state": row.state, "sums": asdict(row.sums)}
    if row.state == "ok":
        found |= {name: _number(measure(row.sums)) for name, measure in MEASURES.items()}
        found["net_ce"] = _number(ce(net(row).sums))
        found["intervals"] = {name: _interval(i) for name, i in intervals(runs).items()}
    return found


def net(row: Pooled) -> Pooled:
    """The row with net Lost for Lost: what a refresh or a pointer still shows is not lost, its CE is the net one."""
    return replace(row, sums=replace(row.sums, lost=row.sums.net_lost))


def _equal_cleared(rows: Sequence[Pooled], mine: Pooled) -> dict[str, Any]:
    """CE of each family at the same shares cleared, StateTape's own share among them."""
    own = cleared_share(mine.sums)
    at = sorted({*SHARES, own})
    groups: dict[str, list[Pooled]] = {}
    for row in rows:
        if row.state == "ok" and row.policy not in ORACLES:
            groups.setdefault(_curve(row.policy), []).append(row)
    groups.setdefault("statetape:idle", []).append(mine)
    curves = {name: [_number(ce_at(group, share)) for share in at] for name, group in sorted(groups.items())}
    return {"statetape_cleared": own, "shares": at, "curves": curves}


def _curve(policy: str) -> str:
    name = family(policy)
    return "observation-masking" if name.startswith("observation-masking") else name


def _equal_found(rows: Sequence[Pooled]) -> list[dict[str, Any]]:
    """For each policy that finds something, StateTape's RE at the same share found.

    Between two of its budgets it mixes the two, below the smallest it mixes with adding nothing (the same RE).
    """
    budgets = [r.sums for r in rows if r.policy == "statetape" or r.policy.startswith("statetape:budget")]
    found = []
    for row in rows:
        other = ":" not in row.policy and row.policy not in ("statetape", *ORACLES)
        if row.state == "ok" and row.sums.found and other:
            share = found_share(row.sums)
            found.append(
                {
                    "policy": row.policy,
                    "found": share,
                    "re": _number(re(row.sums)),
                    "statetape": _number(re_at(budgets, share)),
                }
            )
    return found


def re_at(sums: Sequence[Sums], share: float) -> float:
    """The RE a family reaches at a share found, mixing the two neighbours; NaN beyond its reach."""
    dots = sorted((found_share(s), s.added / s.points) for s in sums)
    low_found = low_added = 0.0
    for found, added in dots:
        if found >= share > 0:
            part = (share - low_found) / (found - low_found)
            spent = low_added + part * (added - low_added)
            return KAPPA * share / spent if spent else math.inf
        if found > low_found:
            low_found, low_added = found, added
    return math.nan


def _checks(rows: Sequence[Pooled]) -> dict[str, Any]:
    """What must hold exactly, with both sides of it."""
    by_name = {row.policy: row.sums for row in rows if row.state == "ok"}
    everything, oracle, evict = by_name["evict-all"], by_name["oracle-retrieve"], by_name["oracle-evict"]
    mean = oracle.missing / oracle.points
    return {
        "evict_all_ce": [_number(ce(everything)), _number(_part(everything.unneeded, everything.held_needed))],
        "oracle_retrieve_re": [_number(re(oracle)), _number(KAPPA / mean) if mean else None],
        "oracle_retrieve_added": [oracle.added, oracle.missing],
        "oracle_evict_cleared": [evict.cleared, evict.unneeded, evict.lost],
        "cleared_plus_lost_is_dropped": all(s.cleared + s.lost == s.dropped for s in by_name.values()),
    }


def markdown(document: Mapping[str, Any]) -> str:
    """The document's tables for a person."""
    parts = [f"**Simulation.** {document['what']}. Seed {document['seed']}.", _shares_table(document)]
    for name in ("test", "train"):
        if name in document["halves"]:
            parts.append(_policy_table(name, document["halves"][name]))
    if "test" in document["halves"]:
        parts += [_difference_table(document["halves"]["test"]), _curve_table(document["halves"]["test"])]
    return "\n\n".join(parts) + "\n"


def _shares_table(document: Mapping[str, Any]) -> str:
    names = (
        ("runs", "{:,}"), ("points", "{:,}"), ("held", "{:,.0f}"), ("unneeded", "{:.1%}"), ("stale", "{:.1%}"),
        ("missing", "{:.1%}"), ("missing_a_point", "{:,.0f}"), ("regions", "{:.1f}"), ("beside_site", "{:.1%}"),
    )  # fmt: skip
    lines = ["| | " + " | ".join(name for name, _ in names) + " |", "|---" * (len(names) + 1) + "|"]
    for row, values in (*document["shares"].items(), ("the paper", document["paper"])):
        lines.append(f"| {row} | " + " | ".join(_shown(values[name], form) for name, form in names) + " |")
    return "\n".join(lines)


def _policy_table(name: str, half: Mapping[str, Any]) -> str:
    lines = [f"The {name} half, {half['points']} points:", ""]
    lines += ["| policy | CE (95%) | net CE | Cleared | Lost | net Lost | RE (95%) | Found | added a point |"]
    lines += ["|---" * 9 + "|"]
    for row in half["rows"]:
        if ":" in row["policy"]:
            continue  # a size of a family: its place is the curve
        if row["state"] != "ok":
            lines.append(f"| {row['policy']} | needs a model | | | | | | | |")
            continue
        cells = [_with_interval(row, "ce"), _shown(row["net_ce"], "{:.2f}")]
        cells += [_shown(row[k], "{:.1%}") for k in ("cleared", "lost", "net_lost")]
        cells += [_with_interval(row, "re"), _shown(row["found"], "{:.1%}"), _shown(row["added_per_point"], "{:,.0f}")]
        lines.append(f"| {row['policy']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _difference_table(half: Mapping[str, Any]) -> str:
    lines = ["StateTape minus the policy, 95% intervals over the same drawn runs (test half):", ""]
    names = ("ce", "cleared", "net_lost", "re", "found")
    lines += ["| policy | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for policy, found in half["differences"].items():
        lines.append(f"| {policy} | " + " | ".join(_span(found[name]) for name in names) + " |")
    return "\n".join(lines)


def _curve_table(half: Mapping[str, Any]) -> str:
    lines: list[str] = []
    for name, said in (("ce_at_equal_cleared", "CE"), ("net_ce_at_equal_cleared", "Net CE")):
        equal = half[name]
        lines += [f"{said} at equal Cleared (test half; a blank is beyond the reach of the family):", ""]
        lines += ["| family | " + " | ".join(f"{share:.1%}" for share in equal["shares"]) + " |"]
        lines += ["|---" * (len(equal["shares"]) + 1) + "|"]
        for curve, values in equal["curves"].items():
            if any(v is not None for v in values):
                cells = (_shown(v, "{:.2f}") if v is not None else "" for v in values)
                lines.append(f"| {curve} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += [
        "RE at equal Found (test half):",
        "",
        "| policy | Found | RE | StateTape at that Found |",
        "|---" * 4 + "|",
    ]
    for row in half["re_at_equal_found"]:
        cells = [_shown(row["found"], "{:.1%}"), _shown(row["re"], "{:.2f}"), _shown(row["statetape"], "{:.2f}")]
        lines.append(f"| {row['policy']} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", f"Checks: {half['checks']}"])


def _with_interval(row: Mapping[str, Any], name: str) -> str:
    value = _shown(row[name], "{:.2f}")
    return value if row[name] in (None, 0.0, "infinite") else f"{value} ({_span(row['intervals'][name])})"


def _span(interval: Sequence[Any]) -> str:
    return "n/a" if interval[0] is None else f"{_shown(interval[0], '{:.2f}')} to {_shown(interval[1], '{:.2f}')}"


def _shown(value: Any, form: str) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "n/a"
    return value if isinstance(value, str) else form.format(value)


def _number(value: float) -> float | str | None:
    """JSON has neither NaN nor infinity."""
    if math.isnan(value):
        return None
    return "infinite" if math.isinf(value) else value


def _interval(interval: Interval) -> list[float | str | None]:
    return [None if end is None else _number(end) for end in (interval.low, interval.high)]


def _part(value: float, whole: float) -> float:
    return value / whole if whole else math.nan
