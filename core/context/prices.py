"""What the API's reported tokens cost in money, by an editable table of prices (beside METHOD 5's priced tokens).

In: the usages of a run, prices a model. Out: cost a usage, by kind of token. A model without a price has no
cost: it is None, counted and shown as n/a, never zero and never another model's price.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.trajectory.steps import Usage

_MILLION = 1_000_000
_PROVIDER = re.compile(r"^(?:[\w.-]+/)+")
_WINDOW = re.compile(r"\[[^\]]*\]$")
_DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of one model, by kind; ``model`` without provider and date."""

    model: str
    input: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float
    output: float


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars of one or many usages, by kind of token."""

    input: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    output: float = 0.0

    @property
    def total(self) -> float:
        """All four together."""
        return self.input + self.cache_read + self.cache_write + self.output

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.input + other.input,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.output + other.output,
        )


def _claude(model: str, given: float, output: float, read: float = 0.1) -> Price:
    """A model whose cache prices follow the input price: writes 1.25 and 2, reads 0.1 where not said otherwise."""
    return Price(model, given, given * read, given * 1.25, given * 2, output)


def _openai(model: str, given: float, read: float, output: float) -> Price:
    """A model whose cache is written at the input price."""
    return Price(model, given, read, given, given, output)


# List prices as the vendors published them, October 2026; long-context and batch prices are not modelled. A model
# that is not here has no price until the reader gives it one.
DEFAULT_PRICES: tuple[Price, ...] = (
    _claude("claude-fable-5-1", 10, 50, 0.025),
    _claude("claude-fable-5", 10, 50),
    _claude("claude-opus-5-5", 4, 20, 0.05),
    _claude("claude-opus-5", 5, 25),
    _claude("claude-opus-4-8", 5, 25),
    _claude("claude-opus-4-7", 5, 25),
    _claude("claude-opus-4-6", 5, 25),
    _claude("claude-opus-4-5", 5, 25),
    _claude("claude-opus-4-1", 15, 75),
    _claude("claude-opus-4", 15, 75),
    _claude("claude-sonnet-5", 2, 10),
    _claude("claude-sonnet-4-6", 3, 15),
    _claude("claude-sonnet-4-5", 3, 15),
    _claude("claude-sonnet-4", 3, 15),
    _claude("claude-3-7-sonnet", 3, 15),
    _claude("claude-3-5-sonnet", 3, 15),
    _claude("claude-haiku-4-5", 1, 5),
    _claude("claude-3-5-haiku", 0.8, 4),
    _openai("gpt-5.4", 2.5, 0.25, 15),
    _openai("gpt-5.4-mini", 0.75, 0.075, 4.5),
    _openai("gpt-5.3-codex", 1.75, 0.175, 14),
    _openai("gpt-5.2-codex", 1.75, 0.175, 14),
    _openai("gpt-5.2", 1.75, 0.175, 14),
    _openai("gpt-5.1", 1.25, 0.125, 10),
    _openai("gpt-5", 1.25, 0.125, 10),
    _openai("gpt-5-mini", 0.25, 0.025, 2),
    _openai("gpt-4.1", 2, 0.5, 8),
    _openai("gpt-4o", 2.5, 1.25, 10),
    _openai("gpt-4o-mini", 0.15, 0.075, 0.6),
)


def plain_name(model: str) -> str:
    """A model's name without provider, context window and date: ``openai/gpt-5-2025-08-07`` is ``gpt-5``."""
    return _DATE.sub("", _WINDOW.sub("", _PROVIDER.sub("", model.strip()))).lower()


def price_of(model: str, prices: Iterable[Price]) -> Price | None:
    """The price of a model: that of its whole name, else of its plain name; None if it has none."""
    known = {p.model.lower(): p for p in prices}
    return known.get(model.strip().lower()) or known.get(plain_name(model))


def cost_of(usage: Usage, price: Price) -> Cost:
    """What one message cost."""
    written = usage.cache_write_5m * price.cache_write_5m + usage.cache_write_1h * price.cache_write_1h
    return Cost(
        usage.input * price.input / _MILLION,
        usage.cache_read * price.cache_read / _MILLION,
        written / _MILLION,
        usage.output * price.output / _MILLION,
    )


def costs_of(usages: Iterable[Usage], prices: Iterable[Price]) -> tuple[Cost | None, ...]:
    """What each message cost, in the order given; None where its model has no price."""
    known = tuple(prices)
    found: dict[str, Price | None] = {}
    costs: list[Cost | None] = []
    for usage in usages:
        if usage.model not in found:
            found[usage.model] = price_of(usage.model, known)
        price = found[usage.model]
        costs.append(cost_of(usage, price) if price is not None else None)
    return tuple(costs)


def problems(rows: Iterable[Mapping[str, object]]) -> tuple[str, ...]:
    """What is wrong with a table of prices, in words with its row (from 1): no name, one name twice, no number."""
    said, seen = [], set()
    for n, row in enumerate(rows, 1):
        name = str(row.get("model") or "").strip().lower()
        if not name:
            said.append(f"row {n}: a price needs the name of a model")
        elif name in seen:
            said.append(f"row {n}: {name} has a price already")
        seen.add(name)
        for kind in KINDS:
            value = row.get(kind)
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < 1e6:
                said.append(f"row {n}, {kind}: expected dollars for a million tokens, from 0 up")
    return tuple(said)


KINDS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
