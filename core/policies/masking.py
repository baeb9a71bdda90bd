"""Observation masking: tool outputs older than the last turns become a placeholder.

Source: Lindenbauer et al., The Complexity Trap (2025), as StateTape's Appendix D sets it: window of 10 turns,
placeholder "(K lines omitted)". A turn is one assistant message with all its results; the calls themselves stay,
and so does what the user and the assistant said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.context.moment import Moment
from core.context.plan import Plan, PlanAction
from core.policies.policy import Parameters
from core.policies.turns import last_turns
from core.records.record import Record
from core.tokens import count_tokens

OUTPUTS = frozenset({"read", "edit", "search", "test", "run", "agent"})


@dataclass(frozen=True, slots=True)
class ObservationMasking:
    """Keeps the outputs of the last ``window`` turns."""

    window: int = 10
    name: ClassVar[str] = "observation-masking"
    source: ClassVar[str] = "Lindenbauer et al. 2025, The Complexity Trap (arXiv 2508.21433)"
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """The window in turns."""
        return {"window": self.window}

    def decide(self, moment: Moment, /) -> Plan:
        """Masks the outputs of all turns but the last ``window``."""
        first = last_turns(moment.steps, self.window)
        old = [r for r in moment.records if r.kind in OUTPUTS and r.born < first and _in_turn(moment, r)]
        why = f"older than {self.window} turns"
        return Plan(tuple(masked(moment, r, omitted(output_of(moment, r)), why) for r in old))


def _in_turn(moment: Moment, record: Record) -> bool:
    """Whether the agent made the call; a command the user typed is of no turn."""
    step = moment.step_of(record)
    return step is not None and step.role == "assistant"


def omitted(output: str) -> str:
    """The placeholder of an output."""
    count = output.count("\n") + 1
    return f"({count} line{'s' if count != 1 else ''} omitted)"


def call_of(moment: Moment, record: Record) -> str:
    """The call that stays when a record's output is masked: an edit's; a record of other kinds is its output alone."""
    step = moment.step_of(record)
    return step.call if step is not None and record.kind == "edit" else ""


def output_of(moment: Moment, record: Record) -> str:
    """The text that masking takes away."""
    step = moment.step_of(record)
    return step.text if step is not None and record.kind == "edit" else record.text


def masked(moment: Moment, record: Record, placeholder: str, reason: str) -> PlanAction:
    """The output of a record replaced; of an edit the call stays, and with it the lines it wrote."""
    call = call_of(moment, record)
    text = f"{call}\n{placeholder}" if call else placeholder
    sights = tuple(s for s in record.sights if s.source == "new") if call else ()
    origin = record.id.partition("@")[0]
    successor = record.instead(
        id=f"{origin}@{moment.t}",
        born=record.born,
        text=text,
        tokens=count_tokens(text),
        referent=record.referent if sights else None,
        sights=sights,
        owned=record.owned if sights else (),
    )
    return PlanAction(record.id, "mask", successor, reason)
