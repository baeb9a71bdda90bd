"""The policies that are scored: the product's own by name, and families of each along its one size.

A single number says nothing at another volume (METHOD 6), so baselines get as many sizes as their curve needs, and
StateTape, besides its weights as they are, some at which it clears less or more and adds less or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.context.moment import Moment
from core.context.plan import Plan
from core.manager.weights import WEIGHTS
from core.policies import POLICIES
from core.policies.masking import ObservationMasking
from core.policies.policy import Parameters, Policy
from core.policies.statetape import StateTape
from core.policies.windows import Age, Recency


@dataclass(frozen=True, slots=True)
class Sized:
    """A policy at a size of its own, under a name that says it."""

    name: str
    policy: Policy

    @property
    def source(self) -> str:
        """The policy's own."""
        return self.policy.source

    @property
    def needs_model(self) -> bool:
        """As the policy."""
        return self.policy.needs_model

    @property
    def parameters(self) -> Parameters:
        """The policy's, at this size."""
        return self.policy.parameters

    def decide(self, moment: Moment, /) -> Plan:
        """The policy's plan."""
        return self.policy.decide(moment)


def contenders() -> Mapping[str, Policy]:
    """Every policy by the name its row has."""
    sized: list[Policy] = [Recency(n) for n in (2, 40, 80)]
    sized += [Age(n) for n in (2, 40, 80)]
    sized += [Sized(f"observation-masking:{n}", ObservationMasking(n)) for n in (1, 2, 5, 20, 40)]
    sized += [Sized(f"statetape:idle={n}", StateTape(replace(WEIGHTS, idle=n))) for n in (5, 10, 30, 60)]
    sized += [Sized(f"statetape:budget={n}", StateTape(replace(WEIGHTS, budget=n))) for n in (500, 1500, 3000)]
    return {**POLICIES, **{policy.name: policy for policy in sized}}


def family(policy: str) -> str:
    """The curve a row belongs to: windows by their kind, sized policies by what is sized."""
    head, colon, size = policy.partition(":")
    if colon:
        return head + (f":{size.partition('=')[0]}" if "=" in size else "")
    return head.rpartition("-")[0] if head.startswith(("recency-", "age-")) else head
