"""Scores of policies: token sums a point, and the ratios CE and RE made of them (Eq. 3 and 4, METHOD 6).

In: ``PointScore``s, one a policy and decision point. Out: sums, ratios with their state, intervals over runs.

    Eq. 3   CE = n(D & (C - G)) / n(D & C & G)
    Eq. 4   RE = kappa [n(A & (G - C)) / n(G - C)] / n(A),   kappa = 1e5

Micro-averaged: sums first; RE is pooled recall over the MEAN number of tokens added a point. Both are precisions
in disguise and never stand without Cleared, Lost, net Lost, Found and Added. A ratio without a denominator is
undefined, one with nothing lost is infinite; neither is zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from core.tracebench.points import GoldSource

KAPPA = 100_000
State = Literal["ok", "undefined", "infinite", "needs-model"]
Side = Literal["record", "line", "file"]


@dataclass(frozen=True, slots=True)
class Sums:
    """Token sums over ``points`` decision points; they add up.

    Left side, whole records: unneeded + held_needed = n(C); dropped = cleared + lost = n(D). ``lost`` is gross (a
    refreshed needed record counts); ``net_lost`` leaves out the share of each lost record whose needed lines the
    context still shows. ``stale_left`` are tokens of stale records that stay. ``line_*``: the same cells by line,
    where of a needed record only its tokens on needed lines are needed. ``file_*``: the cells of records that
    show repository lines. Right side, deduplicated lines: ``missing`` = n(G - C), ``found`` of it in A,
    ``gold_lost`` was shown before and is not any more. ``added`` = n(A) = successors + ``retrieved``. ``spent``:
    tokens of the manager's prompts and replies.
    """

    points: int = 0
    unneeded: int = 0
    held_needed: int = 0
    missing: int = 0
    dropped: int = 0
    cleared: int = 0
    lost: int = 0
    net_lost: int = 0
    found: int = 0
    added: int = 0
    retrieved: int = 0
    gold_lost: int = 0
    stale_left: int = 0
    line_unneeded: int = 0
    line_needed: int = 0
    line_cleared: int = 0
    line_lost: int = 0
    file_unneeded: int = 0
    file_needed: int = 0
    file_cleared: int = 0
    file_lost: int = 0
    spent: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, name) + getattr(other, name) for name in _NAMES))


_NAMES = tuple(f.name for f in fields(Sums))


@dataclass(frozen=True, slots=True)
class PointScore:
    """What one policy did at one decision point; without a model (``needs-model``) only the point's own sums count."""

    policy: str
    t: int
    gold_source: GoldSource
    state: Literal["ok", "needs-model"]
    sums: Sums
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A number that may not exist: ``value`` is None unless ``state`` is ok."""

    value: float | None
    state: State


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% bootstrap interval over ``runs`` runs; the ends may be infinite, and are None below two runs."""

    low: float | None
    high: float | None
    runs: int


@dataclass(frozen=True, slots=True)
class Pooled:
    """One policy over many points with gold of one source."""

    policy: str
    gold_source: GoldSource
    state: Literal["ok", "needs-model"]
    sums: Sums
    ce: Ratio
    re: Ratio
    added_per_point: Ratio
    ce_mean: Ratio
    re_mean: Ratio


@dataclass(frozen=True, slots=True)
class CurveDot:
    """A policy on the curve of CE against Cleared: the share of unneeded tokens it clears, of needed ones it loses."""

    policy: str
    cleared: float
    lost: float
    ce: float


Measure = Callable[[Sums], float]


def ce(s: Sums) -> float:
    """Eq. 3: tokens cleared for each needed token lost; infinite when none is lost, NaN when nothing is dropped."""
    return _over(s.cleared, s.lost)


def net_ce(s: Sums) -> float:
    """Eq. 3 with net Lost below the line."""
    return _over(s.cleared, s.net_lost)


def re(s: Sums) -> float:
    """Eq. 4: percentage points of the missing tokens found for each thousand tokens added a point, pooled."""
    return _over(KAPPA * found_share(s), added_per_point(s))


def cleared_share(s: Sums) -> float:
    """Cleared: the part of the unneeded tokens that leaves (the recall of O1)."""
    return _part(s.cleared, s.unneeded)


def lost_share(s: Sums) -> float:
    """Lost: the part of the needed held tokens that leaves."""
    return _part(s.lost, s.held_needed)


def net_lost_share(s: Sums) -> float:
    """Net Lost as a part of the needed held tokens."""
    return _part(s.net_lost, s.held_needed)


def found_share(s: Sums) -> float:
    """Found: the part of the missing tokens that is retrieved."""
    return _part(s.found, s.missing)


def added_per_point(s: Sums) -> float:
    """Tokens added a decision point."""
    return _part(s.added, s.points)


def precision(s: Sums, side: Side = "record") -> float:
    """The part of what is dropped that was unneeded, counted by record, by line, or over file records alone."""
    cleared, lost, _ = _cells(s, side)
    return _part(cleared, cleared + lost)


def recall(s: Sums, side: Side = "record") -> float:
    """The part of the unneeded tokens that is dropped."""
    cleared, _, unneeded = _cells(s, side)
    return _part(cleared, unneeded)


def f1(s: Sums, side: Side = "record") -> float:
    """The harmonic mean of ``precision`` and ``recall``; it rewards indiscriminate deletion (Appendix E)."""
    cleared, lost, unneeded = _cells(s, side)
    return _part(2 * cleared, cleared + lost + unneeded)


def ratio(value: float) -> Ratio:
    """A float as a value with its state."""
    if math.isnan(value):
        return Ratio(None, "undefined")
    return Ratio(None, "infinite") if math.isinf(value) else Ratio(value, "ok")


def total(scores: Iterable[PointScore]) -> Sums:
    """The sums of the points together."""
    whole = Sums()
    for score in scores:
        whole = whole + score.sums
    return whole


def pool(scores: Iterable[PointScore]) -> tuple[Pooled, ...]:
    """One row a (policy, gold source), sorted by them."""
    groups: dict[tuple[str, GoldSource], list[PointScore]] = {}
    for score in scores:
        groups.setdefault((score.policy, score.gold_source), []).append(score)
    return tuple(_pooled(policy, source, group) for (policy, source), group in sorted(groups.items()))


def _pooled(policy: str, source: GoldSource, scores: Sequence[PointScore]) -> Pooled:
    sums = total(scores)
    if any(score.state == "needs-model" for score in scores):
        none = Ratio(None, "needs-model")
        return Pooled(policy, source, "needs-model", sums, none, none, none, none, none)
    return Pooled(
        policy,
        source,
        "ok",
        sums,
        ratio(ce(sums)),
        ratio(re(sums)),
        ratio(added_per_point(sums)),
        mean_of_points(scores, ce),
        mean_of_points(scores, re),
    )


def mean_of_points(scores: Sequence[PointScore], measure: Measure) -> Ratio:
    """The mean of a measure over the points at which it is defined; infinite if it is at one of them."""
    values = [v for s in scores if not math.isnan(v := measure(s.sums))]
    return ratio(sum(values) / len(values)) if values else Ratio(None, "undefined")


def ce_curve(rows: Iterable[Pooled]) -> tuple[CurveDot, ...]:
    """The rows as dots, by the share cleared: how selective each is at what volume (compare at equal Cleared)."""
    dots = [
        CurveDot(row.policy, cleared_share(row.sums), lost_share(row.sums), ce(row.sums))
        for row in rows
        if row.state == "ok" and row.sums.unneeded and row.sums.held_needed
    ]
    return tuple(sorted(dots, key=lambda d: (d.cleared, d.lost, d.policy)))


def ce_at(rows: Iterable[Pooled], share: float) -> float:
    """The CE a family of policies reaches at a share cleared, mixing the two neighbours; NaN outside its reach.

    Keeping everything clears nothing and loses nothing. ``rows`` are of one set of points.
    """
    given = [row for row in rows if row.state == "ok"]
    dots = ce_curve(given)
    if not dots or not 0 < share <= dots[-1].cleared:
        return math.nan
    scale = given[0].sums
    low_cleared = low_lost = 0.0
    for dot in dots:
        if dot.cleared >= share:
            part = (share - low_cleared) / (dot.cleared - low_cleared)
            lost = low_lost + part * (dot.lost - low_lost)
            return _over(share * scale.unneeded, lost * scale.held_needed)
        low_cleared, low_lost = dot.cleared, dot.lost
    return math.nan


def _cells(s: Sums, side: Side) -> tuple[int, int, int]:
    if side == "line":
        return s.line_cleared, s.line_lost, s.line_unneeded
    if side == "file":
        return s.file_cleared, s.file_lost, s.file_unneeded
    return s.cleared, s.lost, s.unneeded


def _part(value: float, whole: float) -> float:
    return value / whole if whole else math.nan


def _over(value: float, by: float) -> float:
    if math.isnan(value) or math.isnan(by):
        return math.nan
    if by:
        return value / by
    return math.inf if value else math.nan


def by_run(scores: Mapping[str, Iterable[PointScore]], policy: str) -> dict[str, Sums]:
    """The sums of one policy for each run that has a scored point of it, by run id."""
    found: dict[str, Sums] = {}
    for run_id in sorted(scores):
        mine = [s for s in scores[run_id] if s.policy == policy and s.state == "ok"]
        if mine:
            found[run_id] = total(mine)
    return found
