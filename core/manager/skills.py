"""The manager's read-only skills: four kinds of evidence, answered by the graph and the tape without a model (Table 7).

In: a moment. Out: nominations (reasons, defaults, the text a refresh would inject), drift (changed symbols, callers
within two hops, records a symbol falsifies), held context (text, step, action), source. No skill returns a reference
patch or a staleness verdict. Source is that of w_t (Departs: the paper's is the base state).
"""

from __future__ import annotations

from dataclasses import dataclass

from core.context.actions import ActionName, Hit
from core.context.apply import clip
from core.context.moment import Moment
from core.manager.walk import HOPS
from core.records.record import Record
from core.replay.lines import split_lines

# Neighbours of one symbol that are followed; a symbol of thousands of callers must not cost thousands of look-ups.
_FOLLOWED = 200


@dataclass(frozen=True, slots=True)
class NominationRow:
    """A nominated record: where it is, why, its default, and the text a refresh would inject (None without one)."""

    record_id: str
    location: str
    hits: tuple[Hit, ...]
    default: ActionName
    reason: str
    tokens: int
    fresh: str | None


@dataclass(frozen=True, slots=True)
class DriftRow:
    """A symbol that drifted last at ``step``; ``callers`` are its callers within two hops with their distance."""

    symbol: str
    step: int
    callers: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A held record: its text, the step and the action (tool and call) that produced it."""

    record_id: str
    step: int
    action: str
    location: str
    tokens: int
    text: str


def nominations(moment: Moment) -> tuple[NominationRow, ...]:
    """Every nomination, in order of birth."""
    records = {r.id: r for r in moment.records}
    rows = []
    for nomination, decision in zip(moment.nominations, moment.defaults, strict=True):
        record, action = records[nomination.record_id], decision.action
        fresh = action.text if action.name == "refresh" else None
        where = location(record)
        rows.append(NominationRow(record.id, where, nomination.hits, action.name, action.reason, record.tokens, fresh))
    return tuple(rows)


def drift(moment: Moment, writes: int = 1) -> tuple[DriftRow, ...]:
    """The symbols in X or dX of the last ``writes`` writes (0: of all) with their callers, sorted by symbol."""
    steps = moment.writes
    first = steps[-writes] if 0 < writes < len(steps) else 0
    last: dict[str, int] = {}
    for one in moment.drifts:
        if one.known_at >= first:
            last.update((i, one.known_at) for i in (*one.changed, *one.removed, *one.rewired))
    return tuple(DriftRow(i, last[i], callers(moment, i)) for i in sorted(last))


def callers(moment: Moment, symbol: str, hops: int = HOPS) -> tuple[tuple[str, int], ...]:
    """(caller, hops) of all that reaches ``symbol`` by at most ``hops`` calls, nearest first."""
    found: dict[str, int] = {symbol: 0}
    layer = [symbol]
    for hop in range(1, hops + 1):
        reached = {e.source for i in layer[:_FOLLOWED] for e in moment.graph.callers(i)}
        layer = sorted(i for i in reached - found.keys() if not i.startswith("<"))
        found.update((i, hop) for i in layer)
    del found[symbol]
    return tuple(sorted(found.items(), key=lambda pair: (pair[1], pair[0])))


def falsified(moment: Moment, symbol: str) -> tuple[str, ...]:
    """The nominated records that cover a symbol which drifted after they were born, in order of birth."""
    return tuple(n.record_id for n in moment.nominations if any(hit.id == symbol for hit in n.hits))


def held(moment: Moment) -> tuple[HeldRow, ...]:
    """Every held record, in order of birth."""
    return tuple(_held(moment, record) for record in moment.records)


def source(moment: Moment, path: str, start: int = 1, end: int | None = None) -> str | None:
    """Lines ``start..end`` of a file in w_t, None when it does not exist or is not known."""
    text = moment.text(path, moment.t)
    return None if text is None else "\n".join(split_lines(text)[max(start, 1) - 1 : end])


def definition(moment: Moment, symbol: str) -> str | None:
    """The text of a symbol in w_t, None when it does not exist."""
    found = moment.graph.symbol(symbol)
    return None if found is None else source(moment, found.path, found.start, found.end)


def location(record: Record) -> str:
    """Where a record comes from, on one line: its file and lines, else its command or tool."""
    if record.path is None:
        return clip(record.command or record.tool or record.kind, 120)
    lines = f":{record.start}-{record.end}" if record.start is not None else ""
    return f"{clip(record.path, 120)}{lines}"


def _held(moment: Moment, record: Record) -> HeldRow:
    step = moment.step_of(record)
    action = clip(f"{step.tool} {step.call}" if step is not None else record.kind, 120)
    return HeldRow(record.id, record.born, action, location(record), record.tokens, record.text)
