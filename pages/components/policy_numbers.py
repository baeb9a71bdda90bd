"""The numbers of the policies page: token sums pooled by policy, their measures in words, and the paper's own values.

Every measure is the core's function of token sums (Eq. 3 and 4); here are only its name, unit, colour and the words
for its numerator and denominator. The paper's values stand apart and are never mixed with ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from core.policies import POLICIES
from core.tracebench.bootstrap import MEASURES, difference, intervals
from core.tracebench.oracles import ORACLES
from core.tracebench.scores import Interval, Pooled, Ratio, Sums, added_per_point, ce, ratio, re
from pages.components import palette, words
from storage import queries
from storage.queries import Row
from storage.schema import SUMS

NEEDS_MODEL = "needs a model"
ORDER = {name: n for n, name in enumerate((*POLICIES, *ORACLES))}
BINS = (0, 1, 5, 10, 20, 30)
BIN_NAMES = ("0", "1–4", "5–9", "10–19", "20–29", "30+")


@dataclass(frozen=True, slots=True)
class Measured:
    """How one measure is shown: its name, unit, colour, and what it counts in words."""

    key: str
    name: str
    unit: str
    kind: str
    colour: str
    counted: Callable[[Sums], str]


def _of(part: int, whole: int, says: str) -> str:
    return f"{words.count(part)} of {words.count(whole)} {says}"


MEASURED = (
    Measured(
        "ce", "CE", "cleared / lost", "ratio", "ink",
        lambda s: f"{words.count(s.cleared)} unneeded tokens cleared, {words.count(s.lost)} needed tokens lost",
    ),
    Measured(
        "cleared", "Cleared", "% of unneeded", "share", palette.UNNEEDED.colour,
        lambda s: _of(s.cleared, s.unneeded, "unneeded tokens held"),
    ),
    Measured(
        "lost", "Lost", "% of needed held", "share", palette.HELD_NEEDED.colour,
        lambda s: _of(s.lost, s.held_needed, "needed tokens held"),
    ),
    Measured(
        "net_lost", "Net lost", "% of needed held", "share", palette.HELD_NEEDED.colour,
        lambda s: _of(s.net_lost, s.held_needed, "needed tokens held, and nothing left shows them"),
    ),
    Measured(
        "re", "RE", "points / 1k added", "ratio", "ink",
        lambda s: f"{_of(s.found, s.missing, 'missing tokens found')}, {words.count(added_per_point(s))} tokens added "
        "a point",
    ),
    Measured(
        "found", "Found", "% of missing", "share", palette.MISSING.colour,
        lambda s: _of(s.found, s.missing, "missing tokens"),
    ),
    Measured(
        "added_per_point", "Added", "tokens a point", "tokens", "policy",
        lambda s: f"{words.count(s.added)} tokens added over {words.plural(s.points, 'point')}",
    ),
)  # fmt: skip

# The paper's Tables 2 and 3 and the sentences of section 4 (403 points, 48 runs, reference gold).
PAPER: Mapping[str, Mapping[str, float]] = {
    "statetape": {"ce": 6.18, "re": 10.47, "cleared": 0.742, "found": 0.681, "added_per_point": 6_502},
    "evict-all": {"ce": 2.75},
    "file-level": {"ce": 3.14, "found": 0.443},
    "no-tape": {"ce": 2.86, "found": 0.217},
    "statetape-defaults": {"ce": 4.91, "found": 0.312},
}


@dataclass(frozen=True, slots=True)
class Standing:
    """One policy over the chosen runs with gold of one source; ``runs`` are the sums of each run."""

    policy: str
    gold_source: str
    state: str
    sums: Sums
    runs: Mapping[str, Sums]
    intervals: Mapping[str, Interval]

    def value(self, key: str) -> float:
        """The pooled measure; NaN where it is undefined or needs a model."""
        return MEASURES[key](self.sums) if self.state == "ok" else math.nan

    def says(self, key: str) -> str:
        """The measure in words: a number with its unit, n/a, infinite, or that it needs a model."""
        return NEEDS_MODEL if self.state != "ok" else says(key, self.value(key))


def says(key: str, value: float) -> str:
    """A value of measure ``key`` as people read it."""
    kind = next((m.kind for m in MEASURED if m.key == key), "ratio")
    if math.isnan(value):
        return words.NA
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if kind == "share":
        return f"{100 * value:.1f}%"
    return words.count(value) if kind == "tokens" else f"{value:,.2f}"


def sums_of(row: Row) -> Sums:
    """The token sums of a stored or grouped row."""
    return Sums(row.get("points", 1), *(row[name] or 0 for name in SUMS))


def place_of(policy: str) -> tuple[int, str]:
    """Policies stand in the order they are declared, then the oracles, then any other by name: never by result."""
    return ORDER.get(policy, len(ORDER)), policy


def standings(connection: Connection, run_ids: Sequence[str]) -> dict[str, list[Standing]]:
    """Every scored policy by gold source, with its intervals over the runs. O(policies x rounds x runs)."""
    groups: dict[tuple[str, str], dict[str, tuple[str, Sums]]] = {}
    for row in queries.policy_sums(connection, run_ids):
        mine = groups.setdefault((row["gold_source"], row["policy"]), {})
        mine[row["run_id"]] = row["state"], sums_of(row)
    found: dict[str, list[Standing]] = {}
    for (source, policy), by_run in sorted(groups.items(), key=lambda g: (g[0][0], place_of(g[0][1]))):
        ok = all(state == "ok" for state, _ in by_run.values())
        sums = {run: s for run, (_, s) in by_run.items()}
        whole = Sums()
        for one in sums.values():
            whole = whole + one
        ends = intervals(sums) if ok else {}
        found.setdefault(source, []).append(Standing(policy, source, "ok" if ok else "needs-model", whole, sums, ends))
    return found


def pooled(rows: Sequence[Standing]) -> list[Pooled]:
    """The rows that decided, as the core's curve takes them."""
    none = Ratio(None, "undefined")
    return [
        Pooled(r.policy, r.gold_source, "ok", r.sums, ratio(ce(r.sums)), ratio(re(r.sums)),  # type: ignore[arg-type]
               ratio(added_per_point(r.sums)), none, none)
        for r in rows
        if r.state == "ok"
    ]  # fmt: skip


def differences(first: Standing, second: Standing) -> dict[str, Interval]:
    """The interval of first - second for every measure, both on the same drawn runs."""
    return {m.key: difference(first.runs, second.runs, MEASURES[m.key]) for m in MEASURED}


def verdict(first: Standing, second: Standing, key: str, gap: Interval) -> str:
    """One sentence: what the two policies reach, and whether these runs can tell them apart."""
    name = next(m.name for m in MEASURED if m.key == key)
    if NEEDS_MODEL in (first.says(key), second.says(key)):
        return f"{name}: no comparison, because a model is needed."
    head = f"{name}: {first.policy} {first.says(key)}, {second.policy} {second.says(key)}"
    if gap.low is None or gap.high is None:
        why = "one run has no interval" if gap.runs < 2 else "the difference is undefined"
        return f"{head}; {why}, so nothing is said about a difference."
    ends = f"95% interval of the difference {signed(key, gap.low)} to {signed(key, gap.high)}"
    if gap.low <= 0 <= gap.high:
        return f"{head}: no difference that these {gap.runs} runs can show ({ends})."
    return f"{head}: {first.policy} is {'higher' if gap.low > 0 else 'lower'} ({ends}, {gap.runs} runs)."


def signed(key: str, value: float) -> str:
    """A difference with its sign, shares in percentage points."""
    kind = next(m.kind for m in MEASURED if m.key == key)
    if math.isnan(value) or math.isinf(value):
        return says(key, value)
    if kind == "share":
        text = f"{100 * value:+.1f} points"
    else:
        text = f"{value:+,.0f}" if kind == "tokens" else f"{value:+,.2f}"
    return text if any(c in "123456789" for c in text) else text[1:]
