"""Prices: worked out by hand from the vendors' rules; what has no price costs nothing known, not nothing."""

from __future__ import annotations

import pytest

from core.context.prices import DEFAULT_PRICES, Cost, Price, cost_of, costs_of, plain_name, price_of, problems
from core.trajectory.steps import Usage

PRICE = Price("m", 10.0, 1.0, 12.5, 20.0, 50.0)


def usage(model: str = "m", **tokens: int) -> Usage:
    kinds = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    return Usage(1, "msg", model, *(tokens.get(kind, 0) for kind in kinds))


def test_each_kind_at_its_own_price() -> None:
    # 2m x 10 + 3m x 1 + (4m x 12.5 + 1m x 20) + 1m x 50
    cost = cost_of(
        usage(
            input=2_000_000, cache_read=3_000_000, cache_write_5m=4_000_000, cache_write_1h=1_000_000, output=1_000_000
        ),
        PRICE,
    )
    assert cost == Cost(20.0, 3.0, 70.0, 50.0)
    assert cost.total == 143.0
    assert cost + Cost(1, 2, 3, 4) == Cost(21.0, 5.0, 73.0, 54.0)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("openai/gpt-5-2025-08-07", "gpt-5"),
        ("us/anthropic/claude-opus-5[1m]", "claude-opus-5"),
        ("claude-3-5-haiku@20241022", "claude-3-5-haiku"),
        ("GPT-5.4", "gpt-5.4"),
        ("gpt-5-ca", "gpt-5-ca"),
    ],
)
def test_a_name_loses_provider_window_and_date_and_nothing_else(given: str, name: str) -> None:
    assert plain_name(given) == name


def test_no_model_takes_the_price_of_a_longer_or_shorter_name() -> None:
    assert price_of("gpt-5.3-codex-spark", DEFAULT_PRICES) is None
    assert price_of("gpt-5.5", DEFAULT_PRICES) is None
    opus = price_of("claude-opus-4-20250514", DEFAULT_PRICES)
    assert opus is not None
    assert (opus.input, opus.output) == (15, 75)


def test_the_whole_name_wins_over_the_plain_one() -> None:
    dated = Price("m-2025-01-01", 1, 1, 1, 1, 1)
    assert price_of("m-2025-01-01", (PRICE, dated)) is dated
    assert price_of("m-2025-01-02", (PRICE, dated)) is PRICE


def test_an_unpriced_message_has_no_cost() -> None:
    costs = costs_of([usage(input=1_000_000), usage("other", input=5), usage(output=0)], [PRICE])
    assert costs == (Cost(10.0, 0, 0, 0), None, Cost())


def test_list_prices_name_every_model_once_and_keep_the_cache_rules() -> None:
    assert len({p.model for p in DEFAULT_PRICES}) == len(DEFAULT_PRICES)
    assert all(p.cache_read < p.input <= p.cache_write_5m <= p.cache_write_1h < p.output for p in DEFAULT_PRICES)


def test_rows_that_are_no_price_are_named() -> None:
    good = {"model": "m", "input": 1, "cache_read": 0, "cache_write_5m": 1.5, "cache_write_1h": 2, "output": 3}
    assert problems([good]) == ()
    said = problems([good, {**good, "model": " M "}, {**good, "model": None, "output": -1}, {**good, "input": None}])
    assert [s.split(":")[0] for s in said] == ["row 2", "row 3", "row 3, output", "row 4", "row 4, input"]
