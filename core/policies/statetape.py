"""StateTape: the tape's nominations settled, finished records evicted, unread code retrieved (section 3.3).

Source: the paper's section 3.3. ``statetape-defaults`` is Algorithm 1 alone (the ablation without a manager);
``statetape`` adds the manager: the model-free one, or with a ``client`` the paper's.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

from core.context.moment import Moment
from core.context.plan import Plan, from_default
from core.manager.client_protocol import Client
from core.manager.deterministic import manage
from core.manager.model import manage_with_model
from core.manager.weights import WEIGHTS, Weights
from core.policies.policy import Parameters


@dataclass(frozen=True, slots=True)
class StateTapeDefaults:
    """Every nominated record gets its default action."""

    name: ClassVar[str] = "statetape-defaults"
    source: ClassVar[str] = "StateTape, Algorithm 1; ablation without the manager (Table 3)"
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """None: the switches of the run apply."""
        return {}

    def decide(self, moment: Moment, /) -> Plan:
        """The defaults; with the switch ``batch`` only once they save that many tokens."""
        saved = sum(d.action.tokens_before - d.action.tokens_after for d in moment.defaults)
        if moment.options.batch and saved < moment.options.batch:
            return Plan(note=f"{saved:,} tokens would be saved, fewer than a batch")
        return Plan(tuple(from_default(d.action, d.successor) for d in moment.defaults))


@dataclass(frozen=True, slots=True)
class StateTape:
    """The whole method."""

    weights: Weights = WEIGHTS
    client: Client | None = None
    name: ClassVar[str] = "statetape"
    source: ClassVar[str] = "StateTape, section 3.3"
    needs_model: ClassVar[bool] = False

    @property
    def parameters(self) -> Parameters:
        """The weights of the model-free manager; with a client the paper's bounds apply instead."""
        return {} if self.client is not None else asdict(self.weights)

    def decide(self, moment: Moment, /) -> Plan:
        """The manager's plan."""
        return manage(moment, self.weights) if self.client is None else manage_with_model(moment, self.client)
