"""Usage and prices on the Tokens page: sums by hand, no price is no number."""

from __future__ import annotations

import math

from core.context.prices import Price, costs_of
from core.trajectory.steps import Usage
from pages.components import usage_view

M = 1_000_000
PRICES = (Price("a", 1, 1, 1, 1, 2),)
USAGES = (
    Usage(1, "x", "a", M, 0, 0, 0, M),
    Usage(5, "y", "a", 0, M, 0, 0, 0, agent="sub"),
    Usage(7, "z", "b", 9, 0, 0, 0, 9),
)


def test_sums_by_model_and_thread_with_the_unpriced_last() -> None:
    frame = usage_view.by_model(USAGES, costs_of(USAGES, PRICES))
    assert frame[["model", "thread"]].values.tolist() == [["a", "main"], ["a", "sub-agents"], ["b", "main"]]
    assert frame["cost"].tolist()[:2] == [3.0, 1.0]
    assert math.isnan(frame["cost"].tolist()[2])


def test_the_stack_ends_at_the_total_of_what_is_priced() -> None:
    fig = usage_view.growth(USAGES, costs_of(USAGES, PRICES))
    assert [trace.y[-1] for trace in fig.data] == [1.0, 1.0, 0.0, 2.0]
    assert all(list(trace.x) == [1, 5] for trace in fig.data)


def test_money_in_words() -> None:
    assert [usage_view.dollars(v) for v in (None, 0.0, 0.0123, 1234.5)] == ["n/a", "$0.00", "$0.0123", "$1,234.50"]
