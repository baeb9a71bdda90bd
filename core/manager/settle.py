"""Carrying out what a manager chose: a record's action with the text that replaces it (3.3.3, Appendix C).

In: a moment and, for a nominated record, the name of one of the four actions. Out: a ``PlanAction``. The manager
never writes text: tombstones, stubs and fresh views come from the context stage, so Theorem 1(b) holds whatever
a manager answers.
"""

from __future__ import annotations

from core.context.actions import ActionName, Nomination
from core.context.apply import replacement, stub, tomb
from core.context.defaults import Decision
from core.context.moment import Moment
from core.context.plan import PlanAction, from_default
from core.records.record import Record, State


def settle(
    moment: Moment, record: Record, nomination: Nomination, default: Decision, name: ActionName, reason: str = ""
) -> PlanAction:
    """The chosen action on a nominated record; where it cannot be done (nothing left to refresh), the default."""
    why = reason or "chosen by the manager"
    if name == default.action.name:
        return from_default(default.action, default.successor)
    if name == "keep":
        return PlanAction(record.id, "keep", None, why)
    if name == "drop":
        return PlanAction(record.id, "drop", replacement(record, moment.t, _tomb(moment, record, nomination)), why)
    if name == "rerun" and isinstance(record.referent, State):
        return PlanAction(record.id, "rerun", replacement(record, moment.t, stub(record)), why)
    if name == "refresh":
        drifted = [hit.id for hit in nomination.hits if hit.why == "changed"]
        fresh = moment.fresh.record(record, moment.t, drifted)
        if fresh is not None and record.kind != "edit":
            return PlanAction(record.id, "refresh", fresh, why)
    return from_default(default.action, default.successor)


def _tomb(moment: Moment, record: Record, nomination: Nomination) -> str:
    return stub(record) if isinstance(record.referent, State) else tomb(record, nomination.hits, moment.tape)


def evict(record: Record, reason: str) -> PlanAction:
    """A record leaves without a trace (D^m)."""
    return PlanAction(record.id, "drop", None, reason)
