"""Stage 1, Claude Code: the threads of a run -> one numbered sequence of steps (CONTRACT, Steps).

In: for the main thread and each sub-agent, its ``Unit``s in the order of the file: a message with its
blocks, a user message, a compaction. Out: ``Step``s numbered 1..T, compactions placed between them.

The calls of one message stay together, in the order they were issued. Sub-agent (hidden) steps are
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
    """Each unit of one thread with a key that never falls; a hidden unit's drafts are placed one by one."""
    entries: list[tuple[Key, Unit, list[Draft]]] = []
    now: Key = (UNKNOWN_TIME, -1, -1)
    for unit in units:
        drafts = _in_issue_order(unit.drafts)
        if not drafts and not unit.message_id and unit.boundary is None:
            continue
        if not unit.agent or not drafts:
            now = max(now, _unit_key(unit, drafts))
            entries.append((now, unit, drafts))
            continue
        for draft in drafts:
            now = max(now, draft.key)
            entries.append((now, unit, [draft]))
    return entries


def _in_issue_order(drafts: list[Draft]) -> list[Draft]:
    """A message's drafts with its calls together: texts before the first call, the calls, later texts."""
    is_call = [draft.role == "assistant" and draft.kind != "say" for draft in drafts]
    if True not in is_call:
        return drafts
    first = is_call.index(True)
    calls = [draft for draft, call in zip(drafts, is_call, strict=True) if call]
    later = [draft for draft, call in zip(drafts[first:], is_call[first:], strict=True) if not call]
    return drafts[:first] + calls + later


def _unit_key(unit: Unit, drafts: list[Draft]) -> Key:
    """When a main-thread unit happened: its first result, but a message that only starts agents ends with the last one.

    Reads and edits happen at once; a call that starts an agent is over when the agent's work is done, and
    that work must come before it.
    """
    calls = [draft for draft in drafts if draft.kind != "say"]
    if not calls:
        return drafts[0].key if drafts else unit.key
    at_once = [draft.key for draft in calls if draft.tool not in _STARTS_AGENTS]
    return min(at_once) if at_once else max(draft.key for draft in calls)


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
