"""What a policy decides at one moment, and the context that leaves: C_t^+ = (C_t - D_t) + A_t (Eq. 8).

In: a ``Plan``: an action for each record that does not simply stay, and retrievals. Out: the records held
afterwards. D_t are the records with an action other than ``keep``; A_t their successors and the retrievals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.context.actions import Action
from core.context.apply import clip
from core.records.record import Record, Symbols
from core.replay.lines import lines_of
from core.replay.world import Sight
from core.tokens import count_tokens

PlanActionName = Literal["keep", "drop", "refresh", "rerun", "mask", "summarise"]
# G1 edit site, G2 referenced definition, G3 blast radius, G4 contract (Appendix D); "" admits without a rule.
RetrievalRule = Literal["", "G1", "G2", "G3", "G4"]


@dataclass(frozen=True, slots=True)
class PlanAction:
    """What happens to one held record; ``successor`` stands in its place, None leaves nothing (an eviction, D^m).

    ``reason`` is one sentence for people; ``pointer`` the held record that already shows the present lines.
    """

    record_id: str
    name: PlanActionName
    successor: Record | None = None
    reason: str = ""
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Lines ``start..end`` of ``path`` in w_t put into the context (one of R^m), with the rule that admits them.

    ``text`` is what is added, ``tokens`` its length; ``hop`` counts edges from where the walk started.
    """

    path: str
    start: int
    end: int
    text: str
    tokens: int
    rule: RetrievalRule
    why: str
    hop: int
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A policy's whole decision: records without an action stay.

    ``note`` is for people. ``needs_model`` says that nothing was decided for want of a model; ``spent`` are the
    tokens of prompts and replies that deciding cost.
    """

    actions: tuple[PlanAction, ...] = ()
    retrievals: tuple[Retrieval, ...] = ()
    note: str = ""
    needs_model: bool = False
    spent: int = 0


_KEPT = 1 << 15  # characters of a file of which retrievals are remembered
NEEDS_MODEL = Plan(note="decided by a model; none is connected", needs_model=True)


def from_default(action: Action, successor: Record | None) -> PlanAction:
    """The plan's action for a default one."""
    return PlanAction(action.record_id, action.name, successor, action.reason, action.pointer)


def retrieval(
    path: str, start: int, end: int, file_text: str, rule: RetrievalRule, why: str, hop: int = 0, symbol: str = ""
) -> Retrieval:
    """Lines ``start..end`` of ``file_text`` under a line that says where they stand and why they are shown."""
    if len(file_text) > _KEPT:
        return _retrieval(path, start, end, file_text, rule, why, hop, symbol)
    return _kept(path, start, end, file_text, rule, why, hop, symbol)


def _retrieval(
    path: str, start: int, end: int, file_text: str, rule: RetrievalRule, why: str, hop: int, symbol: str
) -> Retrieval:
    label = f"{rule}: {why}" if rule else why
    body = "\n".join(lines_of(file_text)[start - 1 : end])
    text = f"[{clip(path, 240)} lines {start}-{end} ({clip(label, 240)})]\n{body}"
    return Retrieval(path, start, end, text, count_tokens(text), rule, why, hop, symbol)


# Moments near each other ask for the same lines of the same texts.
_kept = lru_cache(maxsize=1024)(_retrieval)


def retrieved_record(found: Retrieval, t: int, number: int) -> Record:
    """The record a retrieval becomes, born at ``t`` (id ``m2@31``); it shows its lines as they are in w_t."""
    lines = _kept_lines(found.text) if len(found.text) <= _KEPT else _lines(found.text)
    return Record(
        id=f"m{number}@{t}",
        kind="read",
        born=t,
        text=found.text,
        tokens=found.tokens,
        referent=Symbols((found.symbol,) if found.symbol else ()),
        path=found.path,
        start=found.start,
        end=found.end,
        sights=(Sight(t, found.path, found.start, lines, "read"),),
    )


def _lines(text: str) -> tuple[str, ...]:
    """The lines of a retrieval's text below the one that says where they stand."""
    return tuple(text.split("\n")[1:])


_kept_lines = lru_cache(maxsize=1024)(_lines)


def removed(plan: Plan) -> frozenset[str]:
    """D_t: the ids of the records that leave or are replaced."""
    return frozenset(a.record_id for a in plan.actions if a.name != "keep")


def added(plan: Plan, t: int) -> tuple[Record, ...]:
    """A_t: successors in the order of the actions, then retrievals."""
    successors = [a.successor for a in plan.actions if a.name != "keep" and a.successor is not None]
    return (*successors, *(retrieved_record(r, t, n) for n, r in enumerate(plan.retrievals, 1)))


def context_after(plan: Plan, records: Iterable[Record], t: int) -> tuple[Record, ...]:
    """C_t^+ (Eq. 8): each record itself, its successor in its place, or nothing; retrievals at the end."""
    acted = {a.record_id: a for a in plan.actions if a.name != "keep"}
    kept: list[Record] = []
    for record in records:
        action = acted.get(record.id)
        if action is None:
            kept.append(record)
        elif action.successor is not None:
            kept.append(action.successor)
    return (*kept, *(retrieved_record(r, t, n) for n, r in enumerate(plan.retrievals, 1)))
