"""Intervals by the bootstrap over runs, and paired differences between two policies (METHOD 6).

In: the sums of each run. Out: 95% percentile intervals. Points of one run are not independent, so whole runs are
drawn. The draws come from a fixed generator (SplitMix64) and a seed: the same runs give the same interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple

from core.tracebench.scores import (
    Interval,
    Measure,
    Sums,
    added_per_point,
    ce,
    cleared_share,
    found_share,
    lost_share,
    net_ce,
    net_lost_share,
    re,
)

ROUNDS = 1_000
MEASURES: Mapping[str, Measure] = {
    "ce": ce,
    "net_ce": net_ce,
    "re": re,
    "cleared": cleared_share,
    "lost": lost_share,
    "net_lost": net_lost_share,
    "found": found_share,
    "added_per_point": added_per_point,
}
_MASK = (1 << 64) - 1


def interval(runs: Mapping[str, Sums], measure: Measure, rounds: int = ROUNDS, seed: int = 0) -> Interval:
    """The interval of a pooled measure; rounds at which it is undefined do not count. O(rounds x runs)."""
    names = sorted(runs)
    if len(names) < 2:
        return Interval(None, None, len(names))
    return _middle([measure(whole) for whole in _samples(runs, names, rounds, seed)], len(names))


def intervals(runs: Mapping[str, Sums], rounds: int = ROUNDS, seed: int = 0) -> dict[str, Interval]:
    """The interval of every measure that is shown with one, by name; the runs are drawn once for all of them."""
    names = sorted(runs)
    if len(names) < 2:
        return dict.fromkeys(MEASURES, Interval(None, None, len(names)))
    samples = list(_samples(runs, names, rounds, seed))
    return {name: _middle([measure(whole) for whole in samples], len(names)) for name, measure in MEASURES.items()}


def difference(
    first: Mapping[str, Sums], second: Mapping[str, Sums], measure: Measure, rounds: int = ROUNDS, seed: int = 0
) -> Interval:
    """The interval of measure(first) - measure(second), both on the same drawn runs; runs of only one are left out."""
    names = sorted(first.keys() & second.keys())
    if len(names) < 2:
        return Interval(None, None, len(names))
    pairs = zip(_samples(first, names, rounds, seed), _samples(second, names, rounds, seed), strict=True)
    return _middle([measure(one) - measure(other) for one, other in pairs], len(names))


def draws(names: Sequence[str], rounds: int, seed: int) -> Iterator[list[str]]:
    """``rounds`` samples of ``names`` with replacement, each as large as ``names``."""
    state = seed & _MASK
    for _ in range(rounds):
        drawn = []
        for _ in names:
            state = (state + 0x9E3779B97F4A7C15) & _MASK
            drawn.append(names[_mixed(state) % len(names)])
        yield drawn


def _mixed(state: int) -> int:
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def _samples(runs: Mapping[str, Sums], names: Sequence[str], rounds: int, seed: int) -> Iterator[Sums]:
    """The sums of each draw."""
    counts = {name: astuple(runs[name]) for name in names}
    for drawn in draws(names, rounds, seed):
        yield Sums(*map(sum, zip(*(counts[name] for name in drawn), strict=True)))


def _middle(values: Sequence[float], runs: int) -> Interval:
    """The 2.5% and 97.5% percentiles (nearest rank) of the values that exist."""
    known = sorted(v for v in values if not math.isnan(v))
    if not known:
        return Interval(None, None, runs)
    low, high = math.ceil(0.025 * len(known)), math.ceil(0.975 * len(known))
    return Interval(known[max(low - 1, 0)], known[high - 1], runs)
