"""Reference rows by age alone: keep-all, evict-all, recency and age windows.

Source: StateTape, Appendix E, "Scoring". ``recency-N`` keeps the newest N records, ``age-N`` those at most N steps
old (CONTRACT); what the user said stays in both. ``evict-all`` is a bound and drops C_t whole: its CE is the
unneeded over the needed tokens held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.context.moment import Moment
from core.context.plan import Plan, PlanAction
from core.policies.policy import Parameters, evictions

_SOURCE = "StateTape, Appendix E, Scoring"


@dataclass(frozen=True, slots=True)
class KeepAll:
    """Does nothing: the unmodified agent (Control)."""

    name: ClassVar[str] = "keep-all"
    source: ClassVar[str] = _SOURCE
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """None."""
        return {}

    def decide(self, moment: Moment, /) -> Plan:
        """An empty plan."""
        return Plan()


@dataclass(frozen=True, slots=True)
class EvictAll:
    """Drops every record."""

    name: ClassVar[str] = "evict-all"
    source: ClassVar[str] = _SOURCE
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """None."""
        return {}

    def decide(self, moment: Moment, /) -> Plan:
        """Every record leaves, the user's words too."""
        return Plan(tuple(PlanAction(r.id, "drop", None, "everything goes") for r in moment.records))


@dataclass(frozen=True, slots=True)
class Recency:
    """Keeps the newest ``records`` records."""

    records: int
    source: ClassVar[str] = _SOURCE
    needs_model: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """recency-N."""
        return f"recency-{self.records}"

    @property
    def parameters(self) -> Parameters:
        """How many records stay."""
        return {"records": self.records}

    def decide(self, moment: Moment, /) -> Plan:
        """All but the newest leave."""
        older = len(moment.records) - self.records
        return Plan(evictions(moment.records[: max(older, 0)], f"not among the newest {self.records} records"))


@dataclass(frozen=True, slots=True)
class Age:
    """Keeps the records at most ``steps`` steps old."""

    steps: int
    source: ClassVar[str] = _SOURCE
    needs_model: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """age-N."""
        return f"age-{self.steps}"

    @property
    def parameters(self) -> Parameters:
        """How many steps old a record may be."""
        return {"steps": self.steps}

    def decide(self, moment: Moment, /) -> Plan:
        """The older ones leave."""
        old = (r for r in moment.records if moment.t - r.born > self.steps)
        return Plan(evictions(old, f"older than {self.steps} steps"))
