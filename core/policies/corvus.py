"""CORVUS: every file read is registered, and its current whole text stands at the end of each request.

Source: Zheng et al., CORVUS: Context Optimization and Reduction via Underlying Synchronization (2026). Reads in the
history become a marker; nothing else leaves. The registry is that of the files whose reads are held: a compaction
empties it with the context.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.context.apply import clip
from core.context.moment import Moment
from core.context.plan import Plan, Retrieval, retrieval
from core.policies.masking import masked
from core.policies.policy import Parameters
from core.replay.lines import lines_of


@dataclass(frozen=True, slots=True)
class Corvus:
    """Re-injects whole files unconditionally."""

    name: ClassVar[str] = "corvus"
    source: ClassVar[str] = "Zheng et al. 2026, CORVUS (arXiv 2607.22711)"
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """None."""
        return {}

    def decide(self, moment: Moment, /) -> Plan:
        """A marker for each file read, and the present text of each registered file, sorted by path."""
        reads = [(r, r.path) for r in moment.records if r.kind == "read" and r.path is not None]
        actions = (masked(moment, record, _marker(path), "registered file") for record, path in reads)
        files = (found for path in sorted({path for _, path in reads}) if (found := _whole(moment, path)))
        return Plan(tuple(actions), tuple(files))


def _marker(path: str) -> str:
    return f"[{clip(path, 240)}: its current text stands at the end]"


def _whole(moment: Moment, path: str) -> Retrieval | None:
    text = moment.text(path, moment.t)
    count = len(lines_of(text)) if text is not None else 0
    if text is None or not count:
        return None
    return retrieval(path, 1, count, text, "", "current text")
