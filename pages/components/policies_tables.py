"""The small tables of the policies page: ablations (the paper's Table 3) and the benchmark at a glance (Table 5).

The paper's numbers stand in columns of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.tracebench.scores import Interval
from pages.components import tables, words
from pages.components.policy_numbers import MEASURED, NEEDS_MODEL, PAPER, Standing, differences, says, signed
from storage.queries import Row

# policy, what the ablation puts in the place of what, the paper's change of the resolve rate in points (Table 3)
ABLATIONS = (
    ("statetape", "the whole method", None),
    ("file-level", "files instead of symbols (no code graph)", -3.4),
    ("no-tape", "a text judgement instead of the tape", -3.1),
    ("statetape-defaults", "default actions instead of the manager", -2.0),
)
# The paper's Table 5 as its text gives it.
GLANCE_PAPER = {
    "points": "403",
    "runs": "48",
    "held": "18.1k",
    "unneeded": "73.4%",
    "stale": "72.3%",
    "missing": "58.5%",
    "missing_tokens": "1,013",
    "regions": "8.8",
    "elsewhere": "76.8%",
}


def ablations(rows: Sequence[Standing]) -> pd.DataFrame:
    """One row a component replaced, all measures in words, the paper's beside them."""
    by_name = {r.policy: r for r in rows}
    whole = by_name.get("statetape")
    told = []
    for policy, instead, resolve in ABLATIONS:
        mine = by_name.get(policy)
        theirs = PAPER.get(policy, {})
        row = {"policy": policy, "instead": instead}
        row |= {m.key: _cell(mine, m.key) for m in MEASURED}
        row["change"] = _change(whole, mine)
        row |= {f"paper {key}": says(key, theirs[key]) if key in theirs else "" for key in ("ce", "found")}
        told.append(row | {"paper resolve": "" if resolve is None else f"{resolve:+.1f}"})
    return pd.DataFrame(told)


def _cell(row: Standing | None, key: str) -> str:
    return row.says(key) if row is not None and row.state == "ok" else words.NA


def _change(whole: Standing | None, mine: Standing | None) -> str:
    """CE of the ablation minus CE of the whole method, or why there is none."""
    if mine is None:
        return "not scored"
    if whole is None or mine.policy == whole.policy:
        return ""
    if mine.state != "ok" or whole.state != "ok":
        return NEEDS_MODEL
    gap: Interval = differences(mine, whole)["ce"]
    if gap.low is None or gap.high is None:
        return "no interval (one run)"
    ends = f"{signed('ce', gap.low)} to {signed('ce', gap.high)}"
    if gap.low <= 0 <= gap.high:
        return f"none that these {gap.runs} runs can show ({ends})"
    return f"{'higher' if gap.low > 0 else 'lower'} ({ends})"


def ablation_columns() -> dict[str, Any]:
    """The heads of Table 3."""
    config: dict[str, Any] = {
        "policy": tables.text("policy", width=124),
        "instead": tables.text("what stands instead", width=222),
        "change": tables.text("CE: difference to statetape", "95% interval over runs, both on the same runs", 252),
        "paper ce": tables.text("paper CE", width=66),
        "paper found": tables.text("paper Found", width=82),
        "paper resolve": tables.text("paper resolved", "Change of the resolve rate in points, Table 3", 94),
    }
    return config | {m.key: tables.text(m.name, width=56) for m in MEASURED}


def glance(row: Row | None) -> pd.DataFrame:
    """Table 5: each count and share with what it is made of."""
    r = row or dict.fromkeys(
        ("points", "runs", "held", "unneeded", "stale", "needed", "missing", "regions", "elsewhere"), 0
    )
    points = r["points"]

    def part(a: str, b: str, what: str) -> str:
        return f"{words.count(r[a])} of {words.count(r[b])} {what}"

    def each(a: str, what: str) -> str:
        return f"{words.count(r[a])} {what} over {words.plural(points, 'point')}"

    def mean(a: str, digits: int = 0) -> str:
        return f"{r[a] / points:,.{digits}f}" if points else words.NA

    lines = [
        ("points", "Decision points scored", words.count(points), "P points whose edits have gold"),
        ("runs", "Runs", words.count(r["runs"]), "with such a point"),
        ("held", "Tokens held a point", mean("held"), each("held", "tokens")),
        ("unneeded", "Unneeded share of held", words.share(r["unneeded"], r["held"]),
         part("unneeded", "held", "tokens")),
        ("stale", "Falsified share of unneeded", words.share(r["stale"], r["unneeded"]),
         part("stale", "unneeded", "tokens")),
        ("missing", "Missing share of gold", words.share(r["missing"], r["needed"]),
         part("missing", "needed", "tokens")),
        ("missing_tokens", "Missing tokens a point", mean("missing"), each("missing", "tokens")),
        ("regions", "Needed regions a point", mean("regions", 1), each("regions", "regions")),
        ("elsewhere", "Regions that are not the edit site", words.share(r["elsewhere"], r["regions"]),
         part("elsewhere", "regions", "regions are G2, G3 or G4")),
    ]  # fmt: skip
    return pd.DataFrame(
        [{"quantity": name, "here": value, "made of": of, "paper": GLANCE_PAPER[k]} for k, name, value, of in lines]
    )


GLANCE_COLUMNS = {
    "quantity": tables.text("quantity", width=260),
    "here": tables.text("these runs", width=110),
    "made of": tables.text("made of", width=330),
    "paper": tables.text("paper (reference gold)", width=150),
}
