"""What a context costs: tokens sent, and the same tokens at cache prices (METHOD 5).

In: the items held over a run and the steps at which requests were sent. Out: per request the tokens sent,
those read from the prompt cache and those written to it, priced in input tokens. Every request caches its
whole context; the next one reads the longest unchanged prefix of it and writes the rest anew, so an action
ahead of a long suffix costs that suffix once and saves its tokens at every later request.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.context.actions import Action

CacheLife = Literal["5m", "1h"]
CACHE_READ = 0.1
CACHE_WRITE: dict[CacheLife, float] = {"5m": 1.25, "1h": 2.0}


class Item(Protocol):
    """A piece of context: where it came from, from which step until before which it is held, its tokens."""

    @property
    def id(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def from_t(self) -> int: ...
    @property
    def until(self) -> int | None: ...
    @property
    def tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RequestCost:
    """The request before step ``t``: ``sent`` = ``read`` from cache + ``written`` to it; ``priced`` in input tokens."""

    t: int
    sent: int
    read: int
    written: int
    priced: float


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One action that changed the context at ``t``: tokens saved a request, cached tokens made cold, requests since.

    ``later`` counts the requests sent while what it left was held; ``pays`` whether they paid for it.
    """

    t: int
    record_id: str
    saved: int
    suffix: int
    later: int
    pays: bool


def priced_tokens(input_tokens: int, cache_read: int, cache_write_5m: int = 0, cache_write_1h: int = 0) -> float:
    """API usage in units of one uncached input token: reads count 0.1, writes 1.25 (5 minutes) or 2 (1 hour)."""
    return (
        input_tokens + CACHE_READ * cache_read + CACHE_WRITE["5m"] * cache_write_5m + CACHE_WRITE["1h"] * cache_write_1h
    )


def payback_requests(saved: int, suffix: int, life: CacheLife = "5m") -> float:
    """After how many later requests a rewrite pays that saves ``saved`` tokens ahead of ``suffix`` cached ones.

    (write - read) / read * S / d: 11.5 S/d for 5 minutes, 19 S/d for an hour; infinite when nothing is saved.
    """
    if saved <= 0:
        return math.inf
    return (CACHE_WRITE[life] - CACHE_READ) / CACHE_READ * suffix / saved


def pays_back(saved: int, suffix: int, later_requests: int, life: CacheLife = "5m") -> bool:
    """Whether the rewrite has paid for itself after ``later_requests`` requests."""
    return payback_requests(saved, suffix, life) <= later_requests


def suffix_tokens(items: Sequence[Item], origin: str, t: int) -> int:
    """Tokens held at ``t`` that stand after the item from ``origin``: what a rewrite of it makes cold; O(items)."""
    place = _place(origin)
    return sum(i.tokens for i in items if _place(i.origin) > place and _held(i, t))


def rewrites(
    actions: Iterable[Action], items: Sequence[Item], requests: Sequence[int], life: CacheLife = "5m"
) -> tuple[Rewrite, ...]:
    """Whether each action other than keep paid for itself, taken alone; ``requests`` as for ``run_cost``.

    Cost: actions times items.
    """
    until = {item.id: item.until for item in items}
    found = []
    for action in actions:
        if action.name == "keep":
            continue
        origin = action.record_id.partition("@")[0]
        end = until.get(f"{origin}@{action.t}")
        later = len(requests) if end is None else bisect_right(requests, end)
        later -= bisect_right(requests, action.t)
        saved, suffix = action.tokens_before - action.tokens_after, suffix_tokens(items, origin, action.t)
        pays = pays_back(saved, suffix, later, life)
        found.append(Rewrite(action.t, action.record_id, saved, suffix, later, pays))
    return tuple(found)


def run_cost(items: Sequence[Item], requests: Sequence[int], life: CacheLife = "5m") -> tuple[RequestCost, ...]:
    """The cost of each request of a run; ``requests`` are the steps they lead to, ascending.

    The request that leads to step ``t`` sends what is held after step t - 1, in order of origin. Cost:
    requests times items held.
    """
    ordered = sorted(items, key=lambda i: (i.from_t, _place(i.origin)))
    live: list[Item] = []
    before: list[str] = []
    costs, at = [], 0
    for t in requests:
        while at < len(ordered) and ordered[at].from_t < t:
            live.append(ordered[at])
            at += 1
        live = sorted((i for i in live if _held(i, t - 1)), key=lambda i: _place(i.origin))
        same, read = 0, 0
        while same < len(live) and same < len(before) and live[same].id == before[same]:
            read += live[same].tokens
            same += 1
        before = [i.id for i in live]
        sent = sum(i.tokens for i in live)
        priced = CACHE_READ * read + CACHE_WRITE[life] * (sent - read)
        costs.append(RequestCost(t, sent, read, sent - read, priced))
    return tuple(costs)


def _held(item: Item, t: int) -> bool:
    return item.from_t <= t and (item.until is None or t < item.until)


def _place(origin: str) -> int:
    return int(origin[1:])
