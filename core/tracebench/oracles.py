"""The oracles: what a policy could reach if it were given the labels. Reference rows, outside POLICIES.

In: a measured point and the state its regions stand in. Out: plans. ``oracle-evict`` drops every unneeded record
and nothing else: it clears all and loses nothing. ``oracle-retrieve`` adds the missing lines and nothing else: no
policy can find more, and only the labels on its pieces cost it tokens that find nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.context.plan import Plan, PlanAction, Retrieval
from core.replay.lines import lines_of
from core.replay.world import History
from core.tokens import count_tokens
from core.tracebench.carry import Ranges
from core.tracebench.points import DecisionPoint

ORACLES = ("oracle-evict", "oracle-retrieve")


def oracle_evict(point: DecisionPoint) -> Plan:
    """Every unneeded record leaves."""
    return Plan(tuple(PlanAction(r.record_id, "drop", None, r.why) for r in point.records if not r.needed))


def oracle_retrieve(missing: Mapping[str, Ranges], history: History, state: int) -> Plan:
    """The lines of w_``state`` that are needed and not held, as they are there, without a word around them."""
    found = []
    for path in sorted(missing):
        lines = lines_of(history.text(path, state) or "")
        for start, end in missing[path]:
            text = "".join(f"{line}\n" for line in lines[start - 1 : end])
            found.append(Retrieval(path, start, end, text, count_tokens(text), "", "needed and not held", 0))
    return Plan(retrievals=tuple(found))
