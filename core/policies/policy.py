"""What every policy is, and the little they share.

In: a ``Moment``. Out: a ``Plan``. A policy sees what the harness sees and no label (section 3.2). What the user said
is counted and never dropped (METHOD 1); only ``evict-all``, a bound and no policy, drops it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from core.context.moment import Moment
from core.context.plan import Plan, PlanAction
from core.records.record import Record

Parameters = Mapping[str, bool | int | float | str]


class Policy(Protocol):
    """One way to maintain a context; ``source`` says where it comes from."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> Parameters: ...
    @property
    def source(self) -> str: ...
    @property
    def needs_model(self) -> bool: ...
    def decide(self, moment: Moment, /) -> Plan: ...


def evictions(records: Iterable[Record], reason: str) -> tuple[PlanAction, ...]:
    """The records leave, what the user said excepted."""
    return tuple(PlanAction(r.id, "drop", None, reason) for r in records if r.kind != "user")
