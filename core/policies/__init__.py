"""Stage 8: policies, each one file, all ``decide(Moment) -> Plan`` (METHOD 7). A new policy is one file and one line.

``POLICIES`` holds every policy by name with its default parameters; those that need a model say so instead of deciding
until they are given a client. ``policy`` also makes windows of any size. Oracles are not policies: they see labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.errors import OptionError
from core.policies.agentdiet import AgentDiet
from core.policies.context_editing import ContextEditing
from core.policies.corvus import Corvus
from core.policies.file_level import FileLevel
from core.policies.llm_summary import LlmSummary
from core.policies.masking import ObservationMasking
from core.policies.no_tape import NoTape
from core.policies.policy import Policy
from core.policies.span_overlap import SpanOverlap
from core.policies.statetape import StateTape, StateTapeDefaults
from core.policies.text_only import TextOnly
from core.policies.windows import Age, EvictAll, KeepAll, Recency

_ALL: tuple[Policy, ...] = (
    KeepAll(), EvictAll(), *(Recency(n) for n in (5, 10, 20)), *(Age(n) for n in (5, 10, 20)), SpanOverlap(),
    ObservationMasking(), LlmSummary(), Corvus(), TextOnly(), AgentDiet(), ContextEditing(),
    StateTapeDefaults(), StateTape(), FileLevel(), NoTape(),
)  # fmt: skip
POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in _ALL}
_WINDOW = re.compile(r"(recency|age)-(\d{1,6})")


def policy(name: str) -> Policy:
    """The policy of this name; ``recency-N`` and ``age-N`` take any N. Raises OptionError for an unknown one."""
    if name in POLICIES:
        return POLICIES[name]
    match = _WINDOW.fullmatch(name)
    if match is None:
        raise OptionError(f"policy {name!r}: expected one of {', '.join(sorted(POLICIES))}, recency-N or age-N")
    size = int(match[2])
    return Recency(size) if match[1] == "recency" else Age(size)
