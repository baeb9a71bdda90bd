"""The links of one Python site while they are collected."""

from __future__ import annotations

from typing import Any

from core.graph.languages.python.uses import Link
from core.graph.languages.python.values import Val
from core.graph.lookups import Lookups

_MANY = 8  # definitions one site may reach by what its values may be


class Found:
    """Collects the links of one site, each target once."""

    def __init__(self, q: Lookups, tier: str) -> None:
        self.q = q
        self.tier = tier
        self.links: dict[tuple[str, Any], Link] = {}

    def add(self, kind: str, target: Any, why: str, tier: str = "") -> None:
        """Keep the first link of each (kind, target)."""
        self.links.setdefault((kind, target), (kind, target, tier or self.tier, why))

    def function(self, v: Val, why: str, name: str, receiver: Val | None = None, kind: str = "call") -> None:
        """A call of function ``v``, with the overrides a receiver of a known class may choose instead."""
        self.add(kind, v[1:3], why)
        if receiver is None or receiver[0] not in "ost" or not name:
            return
        for other in self.q.get(("overrides", receiver[1], receiver[2], name)):
            if other[1:3] != v[1:3]:
                self.add("override", other[1:3], f"override of {v[2]}", "possible")

    def constructor(self, v: Val, why: str) -> None:
        """A class is called: itself, and the ``__init__`` its MRO finds."""
        self.add("constructor", v[1:3], why)
        plain, _ = self.q.get(("member", v[1], v[2], "__init__"))
        for m in sorted(plain):
            if m[0] == "f":
                self.add("constructor", m[1:3], f"__init__ of {v[2]}")
            elif m[0] == "h":
                self.instead(m, "constructor")
            elif m[0] == "x":
                self.add("constructor", "<external>::" + m[1], f"__init__ of {v[2]}")
        new, _ = self.q.get(("member", v[1], v[2], "__new__"))
        for m in sorted(new):
            if m[0] == "f":
                self.add("call", m[1:3], f"__new__ of {v[2]}")

    def instead(self, v: Val, kind: str = "call") -> None:
        """What may have been put in the place of a method that is called without being named."""
        if v[1][0] == "f":
            self.add(kind, v[1][1:3], v[2], "possible")

    def take(self, other: Found) -> None:
        """Keep what was found apart, with its tiers."""
        for kind, target, tier, why in other.links.values():
            self.add(kind, target, why, tier)

    def done(self) -> tuple[Link, ...]:
        """The links in a fixed order; of very many alternatives none is certain."""
        if not self.links:
            return ()
        inside = {t for _, t, tier, _ in self.links.values() if tier == "certain" and not isinstance(t, str)}
        if len(inside) > _MANY:
            return tuple(sorted(((k, t, "possible", why) for k, t, _, why in self.links.values()), key=repr))
        return tuple(sorted(self.links.values(), key=repr))
