"""Span overlap: a read or edit leaves once a later one shows lines of the same span of the same file.

Source: StateTape, Appendix E, "Scoring": "a span-overlap supersession detector". Told from line numbers as the
transcript has them, without a graph or the texts: any overlap supersedes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.context.moment import Moment
from core.context.plan import Plan
from core.context.standing import Ranges, join, size, without
from core.policies.policy import Parameters, evictions


@dataclass(frozen=True, slots=True)
class SpanOverlap:
    """Drops what later spans overlap."""

    name: ClassVar[str] = "span-overlap"
    source: ClassVar[str] = "StateTape, Appendix E, Scoring"
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """None."""
        return {}

    def decide(self, moment: Moment, /) -> Plan:
        """Reads and edits overlapped by newer ones leave."""
        later: dict[str, Ranges] = {}
        old = []
        for record in reversed(moment.records):
            if record.kind not in ("read", "edit"):
                continue
            spans = [(s.path, s.start, s.end) for s in record.sights if s.lines]
            if any(size(without([(a, b)], later.get(p, ()))) <= b - a for p, a, b in spans):
                old.append(record)
            for path, start, end in spans:
                later[path] = join((*later.get(path, ()), (start, end)))
        return Plan(evictions(reversed(old), "a later read or edit covers its span"))
