"""Stage 1, Claude Code: the threads of a run -> one numbered sequence of steps (CONTRACT, Steps).

In: for the main thread and each sub-agent, its ``Unit``s in the order of the file: a message with its
blocks, a user message, a compaction. Out: ``Step``s numbered 1..T, compactions placed between them.

The calls of one main message stay together, in the order they were issued. Sub-agent (hidden) steps are
merged by the time of their result, ties by file order; a thread's own order is never changed, so a
clock that runs backwards cannot reorder it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from core.trajectory.steps import Compaction, Purpose, Role, Shown, Step, StepKind, Write

# When (seconds, -inf if unknown), then where: number of the source file and line in it.
Key = tuple[float, int, int]
UNKNOWN_TIME = float("-inf")
_STARTS_AGENTS = frozenset(("Task", "Agent", "Workflow"))


@dataclass(slots=True)
class Draft:
    """A step before its number is known; ``fields`` is a call's input until its result has been read."""

    kind: StepKind
    role: Role
    key: Key
    tool: str = ""
    call: str = ""
    text: str = ""
    thinking: str = ""
    failed: bool = False
    empty: bool = False
    call_id: str = ""
    time: str = ""
    cwd: str = ""
    line: int = 0
    source: str = ""
    command: str = ""
    purpose: Purpose = ""
    shown: tuple[Shown, ...] = ()
    writes: tuple[Write, ...] = ()
    neutral: bool = False
    is_turn: bool = False
    fields: dict[str, Any] | None = None

    @property
    def is_call(self) -> bool:
        """Whether this is a tool call (of whatever kind), not something said or attached."""
        return self.role == "assistant" and self.kind != "say"


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction as the file states it."""

    kind: Literal["full", "micro"]
    trigger: str = ""
    pre_tokens: int | None = None
    removed: tuple[str, ...] = ()


@dataclass(slots=True)
class Unit:
    """What stays together: one message's blocks, one user message, or one compaction with its summary.

    ``thinking`` waits for the next draft. ``first`` is the number of its first step once numbered (of the
    next step, if it has none itself).
    """

    agent: str
    key: Key
    message_id: str = ""
    drafts: list[Draft] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    boundary: Boundary | None = None
    first: int = 0


def seconds(time: object) -> float:
    """An ISO 8601 time as seconds since 1970 (no zone means UTC); -inf for anything else."""
    if not isinstance(time, str):
        return UNKNOWN_TIME
    try:
        moment = datetime.fromisoformat(time)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return UNKNOWN_TIME


def number_steps(threads: Iterable[list[Unit]]) -> tuple[tuple[Step, ...], tuple[Compaction, ...]]:
    """The steps of all ``threads`` as one sequence, and the compactions of the main one; sets each unit's ``first``.

    O(n log n) in the number of steps.
    """
    entries = [entry for units in threads for entry in _placed(units)]
    entries.sort(key=lambda entry: entry[0])
    steps: list[Step] = []
    compactions: list[Compaction] = []
    turn = 0
    for _, unit, drafts in entries:
        unit.first = unit.first or len(steps) + 1
        if unit.boundary is not None:
            b = unit.boundary
            compactions.append(Compaction(len(steps), b.kind, b.trigger, b.pre_tokens, b.removed))
        for draft in drafts:
            turn += draft.is_turn
            steps.append(_step(len(steps) + 1, draft, unit, turn))
    return tuple(steps), tuple(compactions)


def _placed(units: list[Unit]) -> list[tuple[Key, Unit, list[Draft]]]:
    """One thread as pieces with keys that never fall: the calls of a main message together, any other draft alone."""
    entries: list[tuple[Key, Unit, list[Draft]]] = []
    now: Key = (UNKNOWN_TIME, -1, -1)
    for unit in units:
        if unit.boundary is not None or (unit.message_id and not unit.drafts):
            now = max(now, unit.key)
            entries.append((now, unit, unit.drafts))
            continue
        before, calls, after = _in_issue_order(unit.drafts)
        blocks = [calls] if calls and not unit.agent else [[draft] for draft in calls]
        for drafts in [*([draft] for draft in before), *blocks, *([draft] for draft in after)]:
            now = max(now, _ended(drafts))
            entries.append((now, unit, drafts))
    return entries


def _in_issue_order(drafts: list[Draft]) -> tuple[list[Draft], list[Draft], list[Draft]]:
    """A message's texts before its first call, its calls, its later texts."""
    calls = [draft for draft in drafts if draft.is_call]
    first = drafts.index(calls[0]) if calls else len(drafts)
    return drafts[:first], calls, [draft for draft in drafts[first:] if not draft.is_call]


def _ended(drafts: list[Draft]) -> Key:
    """When drafts that stay together happened: at the first result, but with the last agent they started.

    Reads and edits happen at once, whatever else their message waits for; a call that starts an agent is
    over when the agent's work is done, and that work comes before it.
    """
    agents = [draft.key for draft in drafts if draft.tool in _STARTS_AGENTS]
    return max(agents) if agents else min(draft.key for draft in drafts)


def _step(t: int, draft: Draft, unit: Unit, turn: int) -> Step:
    return Step(
        t=t,
        kind=draft.kind,
        role=draft.role,
        tool=draft.tool,
        call=draft.call,
        text=draft.text,
        thinking=draft.thinking,
        failed=draft.failed,
        empty=draft.empty,
        agent=unit.agent,
        call_id=draft.call_id,
        message_id=unit.message_id,
        time=draft.time,
        cwd=draft.cwd,
        line=draft.line,
        source=draft.source,
        command=draft.command,
        purpose=draft.purpose,
        shown=draft.shown,
        writes=draft.writes,
        neutral=draft.neutral,
        turn=turn,
    )
