"""Context editing as today's clients offer it: past a limit, all but the newest tool results are cleared.

Source: Anthropic, "Context editing" (clear_tool_uses_20250919), with its defaults: trigger 100,000 input tokens, keep
3 tool uses, tool inputs stay, a placeholder tells the model what happened. The tokens that trigger are those the API
reported for the last request, else n(C_t).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.context.moment import Moment
from core.context.plan import Plan
from core.policies.masking import OUTPUTS, masked
from core.policies.policy import Parameters

_PLACEHOLDER = "[tool result cleared to save context]"


@dataclass(frozen=True, slots=True)
class ContextEditing:
    """Clears at ``trigger`` input tokens and keeps ``keep`` results."""

    trigger: int = 100_000
    keep: int = 3
    name: ClassVar[str] = "context-editing"
    source: ClassVar[str] = "Anthropic API, context editing, clear_tool_uses_20250919"
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """The trigger in tokens, and the tool results kept."""
        return {"trigger": self.trigger, "keep": self.keep}

    def decide(self, moment: Moment, /) -> Plan:
        """Nothing below the trigger; above it, all but the newest results become the placeholder."""
        size = moment.billed if moment.billed is not None else sum(r.tokens for r in moment.records)
        if size < self.trigger:
            return Plan(note=f"{size:,} input tokens, below the trigger")
        results = [r for r in moment.records if r.kind in OUTPUTS]
        old = results[: max(len(results) - self.keep, 0)]
        return Plan(tuple(masked(moment, r, _PLACEHOLDER, f"{size:,} input tokens") for r in old))
