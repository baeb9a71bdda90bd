"""Stage 1: the steps of one thread while they are read; what the parsers of the smaller formats share.

In: what was said, called and answered, in file order. Out: ``Unit``s for ``claude_threads.number_steps``, which
numbers them by the one rule of CONTRACT ("Steps"). A call stays open until it is answered; one whose answer is
not in the file keeps what it was and shows and writes nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.trajectory.claude_results import Outcome
from core.trajectory.claude_threads import UNKNOWN_TIME, Boundary, Draft, Unit, number_steps, seconds
from core.trajectory.json_lines import Record, Tally, make_run_id
from core.trajectory.steps import Role, Step, Trajectory, Usage, share_lines


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing stands: the number of its line or item in the file, when it happened, in which folder."""

    line: int
    time: str = ""
    cwd: str = ""


@dataclass(slots=True)
class Thread:
    """One thread of a run: ``source`` is its file's name, ``number`` that file's place, ``agent`` as in Step."""

    source: str
    number: int = 0
    agent: str = ""
    units: list[Unit] = field(default_factory=list)
    _messages: dict[str, Unit] = field(default_factory=dict)
    _thinking: list[str] = field(default_factory=list)

    def think(self, text: str) -> None:
        """Thinking goes with the next thing of the assistant."""
        if text.strip():
            self._thinking.append(text)

    def say(
        self, role: Role, text: str, place: Place, message_id: str = "", turn: bool = False, tool: str = ""
    ) -> None:
        """One text block or user message as one step; ``turn`` when it starts a turn of the user."""
        draft = Draft("say", role, self._key(place), tool=tool, text=text, empty=not text.strip(), neutral=True)
        draft.is_turn = turn and not self.agent
        self._add(draft, place, message_id)

    def call(self, tool: str, call: str, call_id: str, place: Place, message_id: str = "") -> Draft:
        """One tool call, open until ``answer``; ``call`` is the call as the model wrote it."""
        draft = Draft("run", "assistant", self._key(place), tool=tool, call=call, call_id=call_id, fields={})
        self._add(draft, place, message_id)
        return draft

    def compaction(self, boundary: Boundary, place: Place) -> None:
        """The context was cut here."""
        self.units.append(Unit(self.agent, self._key(place), boundary=boundary))

    def open_calls(self) -> list[Draft]:
        """The calls not yet answered, in order."""
        return [draft for unit in self.units for draft in unit.drafts if draft.fields is not None]

    def _add(self, draft: Draft, place: Place, message_id: str) -> None:
        draft.time, draft.line, draft.source, draft.cwd = place.time, place.line, self.source, place.cwd
        if draft.role == "assistant" and self._thinking:
            draft.thinking = "\n\n".join(self._thinking)
            self._thinking.clear()
        unit = self._messages.get(message_id) if message_id else None
        if unit is None:
            unit = Unit(self.agent, draft.key, message_id)
            self.units.append(unit)
            if message_id:
                self._messages[message_id] = unit
        unit.drafts.append(draft)

    def _key(self, place: Place) -> tuple[float, int, int]:
        return seconds(place.time), self.number, place.line


def answer(draft: Draft, outcome: Outcome, text: str, failed: bool, time: str = "") -> None:
    """Close a call with what it did and the result the model was given."""
    draft.kind, draft.shown, draft.writes = outcome.kind, share_lines(outcome.shown), outcome.writes
    draft.command, draft.purpose, draft.neutral = outcome.command, outcome.purpose, outcome.neutral
    draft.text, draft.failed, draft.fields = text, failed, None
    if time:
        draft.time, draft.key = time, (seconds(time), *draft.key[1:])


def unanswered(draft: Draft, outcome: Outcome) -> None:
    """Close a call whose result is not in the file: what it was is known, whether it did anything is not."""
    answer(draft, Outcome(outcome.kind, (), (), outcome.command, outcome.purpose, outcome.neutral), "", False)
    draft.empty = True


@dataclass(slots=True)
class About:
    """What describes a run as a whole; ``first`` is the record its id is made of."""

    format: str
    agent: str
    first: Record | None = None
    session_id: str = ""
    models: list[str] = field(default_factory=list)
    cwd: str = ""
    git_branch: str = ""
    started: tuple[float, str] | None = None
    ended: tuple[float, str] | None = None
    task: str = ""
    instance_id: str = ""
    base_hint: str = ""
    submission: str = ""

    def note_time(self, time: str) -> None:
        """Remember the earliest and the latest time of the run."""
        at = seconds(time)
        if at > UNKNOWN_TIME:
            if self.started is None or at < self.started[0]:
                self.started = (at, time)
            if self.ended is None or at > self.ended[0]:
                self.ended = (at, time)


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens of one request: the id of its message, the model, and input, cache read, cache write, output."""

    message_id: str
    model: str
    input: int
    cache_read: int
    cache_write: int
    output: int
    line: int
    agent: str = ""


def finish(about: About, threads: Sequence[Thread], usages: Sequence[Counted], tally: Tally) -> Trajectory:
    """The trajectory of ``threads``, the main one first; O(n log n) in the steps."""
    steps, compactions = number_steps(thread.units for thread in threads)
    return Trajectory(
        run_id=make_run_id(about.session_id, about.first or {}),
        session_id=about.session_id,
        format=about.format,
        agent=about.agent,
        models=tuple(dict.fromkeys(model for model in about.models if model)),
        cwd=about.cwd,
        git_branch=about.git_branch,
        started=about.started[1] if about.started else "",
        ended=about.ended[1] if about.ended else "",
        task=about.task,
        steps=steps,
        usages=_usages(usages, steps),
        compactions=compactions if steps else (),
        skipped=tuple(tally.skipped),
        unknown=tuple(sorted(tally.unknown.items())),
        sources=tuple(thread.source for thread in threads),
        lines=tally.lines,
        instance_id=about.instance_id,
        base_hint=about.base_hint,
        submission=about.submission,
    )


def _usages(counted: Sequence[Counted], steps: Sequence[Step]) -> tuple[Usage, ...]:
    """Each request at the first step of its message; one whose message left no step at the next one in the file."""
    first: dict[str, int] = {}
    for step in steps:
        if step.message_id:
            first.setdefault(step.message_id, step.t)
    lines = sorted((step.line, step.t) for step in steps)
    usages = []
    for item in counted:
        after = bisect_left(lines, (item.line, 0))
        t = first.get(item.message_id) or (lines[after][1] if after < len(lines) else len(steps))
        usages.append(
            Usage(
                t,
                item.message_id,
                item.model,
                item.input,
                item.cache_read,
                item.cache_write,
                0,
                item.output,
                item.agent,
            )
        )
    return tuple(sorted(usages, key=lambda usage: (usage.t, usage.message_id))) if steps else ()


def tokens(value: object) -> int:
    """``value`` if it is a count of tokens, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


def utc(value: object) -> str:
    """Seconds since 1970, or an ISO time, as an ISO time; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            return ""
    return ""
