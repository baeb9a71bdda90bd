"""Stage 1, Claude Code: what accumulates while the records of a run are read.

In: drafts of steps, from ``claude_records`` and ``claude_said``. Out: the ``Reader`` that holds every
thread, call, usage and count, and gives each draft its place. Sub-agents are known by ``agentId``; the
inline sidechains of the 1.0 versions, which have none, by the first record of their chain. Parents are
looked up once, never walked, so a cycle in the chain cannot hang.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.trajectory.claude_results import ToolCall, no_information, read_outcome
from core.trajectory.claude_threads import UNKNOWN_TIME, Draft, Key, Unit, seconds
from core.trajectory.file_paths import absolute
from core.trajectory.json_lines import Record, Tally
from core.trajectory.steps import Skipped, share_lines


@dataclass(slots=True)
class About:
    """What describes the run as a whole, each from the first record that says it."""

    first: Record | None = None
    session_id: str = ""
    cwd: str = ""
    git_branch: str = ""
    versions: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    started: tuple[float, str] | None = None
    ended: tuple[float, str] | None = None
    task: str = ""
    slash_command: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result as found; ``rich`` is ``toolUseResult``."""

    call_id: str
    text: str
    failed: bool
    rich: object
    key: Key
    time: str
    cwd: str
    source: str


@dataclass(slots=True)
class Reader:
    """Everything read so far.

    ``calls`` holds every call by id, ``unnamed`` those without one by the uuid of their line, ``waiting``
    results met before their call (with the unit that takes one whose call never comes), ``seen`` the texts
    already counted, ``echoes`` the sub-agent records inside ``progress`` lines, ``queue`` messages typed
    while the model worked, ``taken`` those it took from there.
    """

    tally: Tally
    about: About = field(default_factory=About)
    threads: dict[tuple[str, int], list[Unit]] = field(default_factory=dict)
    messages: dict[tuple[str, int, str], Unit] = field(default_factory=dict)
    calls: dict[str, Draft] = field(default_factory=dict)
    unnamed: dict[str, list[Draft]] = field(default_factory=dict)
    waiting: dict[str, tuple[Result, Unit]] = field(default_factory=dict)
    seen: set[tuple[str, str, str]] = field(default_factory=set)
    usages: dict[str, tuple[Unit, str, Record]] = field(default_factory=dict)
    echoes: list[tuple[int, str, int, Record]] = field(default_factory=list)
    queue: deque[tuple[str, int]] = field(default_factory=deque)
    taken: list[tuple[int, Unit, Draft]] = field(default_factory=list)
    said: dict[str, int] = field(default_factory=dict)
    number: int = 0
    name: str = ""
    file_agent: str = ""
    _roots: dict[str, str] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)

    def start(self, number: int, name: str, file_agent: str) -> None:
        """Begin a source; ``file_agent`` is set for a sub-agent's own file, every record of which is hidden."""
        self.number, self.name, self.file_agent = number, name, file_agent

    def place(self, cwd: str) -> str:
        """A recorded working directory in the form paths are given in."""
        if cwd not in self._places:
            self._places[cwd] = absolute(cwd, cwd)
        return self._places[cwd]

    def agent(self, record: Record) -> str:
        """Whose record this is: "" for the main thread, else the sub-agent's id."""
        if not self.file_agent and record.get("isSidechain") is not True:
            return ""
        named = string(record.get("agentId")) or self.file_agent
        if named:
            return named[:80]
        uuid = string(record.get("uuid"))
        root = self._roots.get(string(record.get("parentUuid"))) or uuid or "unknown"
        self._roots[uuid] = root
        return f"side-{root[:8]}"

    def key(self, line: int, record: Record) -> Key:
        """When and where a record stands."""
        return seconds(record.get("timestamp")), self.number, line

    def unit(self, line: int, record: Record, message_id: str = "") -> Unit:
        """The unit of this message in the record's thread; without one, or without an id, a new one at its end."""
        thread = (self.agent(record), self.number)
        known = self.messages.get((*thread, message_id)) if message_id else None
        if known is not None:
            return known
        unit = Unit(thread[0], self.key(line, record), message_id)
        self.threads.setdefault(thread, []).append(unit)
        if message_id:
            self.messages[(*thread, message_id)] = unit
        return unit

    def units(self) -> Iterator[Unit]:
        """Every unit, thread by thread."""
        return (unit for units in self.threads.values() for unit in units)

    def is_new(self, kind: str, owner: str, text: str) -> bool:
        """Whether this text of this owner was not met before; remembers it."""
        mark = (kind, owner, text)
        if mark in self.seen:
            return False
        self.seen.add(mark)
        return True

    def add(self, unit: Unit, draft: Draft, line: int, record: Record) -> None:
        """Put ``draft`` at the end of ``unit`` with its place, time, folder and the thinking before it."""
        draft.key, draft.time = self.key(line, record), string(record.get("timestamp"))
        draft.line, draft.source = line, self.name
        draft.cwd = self.place(string(record.get("cwd")) or self.about.cwd)
        draft.thinking = "\n\n".join(unit.thinking)
        unit.thinking.clear()
        unit.drafts.append(draft)
        if draft.call_id in self.waiting and draft.fields is not None:
            close(draft, self.waiting.pop(draft.call_id)[0])

    def take_result(self, result: Result, line: int, record: Record) -> None:
        """Give a result to its call, or keep it until the call comes; a second result of one call is a copy."""
        draft = self.calls.get(result.call_id)
        if draft is None and result.call_id not in self.waiting:
            self.waiting[result.call_id] = (result, self.unit(line, record))
        elif draft is not None and draft.fields is not None:
            close(draft, result)

    def skip(self, line: int, why: str) -> None:
        """Count a line that could not be used."""
        self.tally.skipped.append(Skipped(self.name, line, why))

    def count(self, what: str) -> None:
        """Count a thing that was understood and has no meaning here."""
        self.tally.unknown[what[:80]] += 1

    def finish(self) -> None:
        """Close what is still open once every source was read."""
        for result, unit in self.waiting.values():
            self.count("result without a call")
            call_id = result.call_id if not result.call_id.startswith("\n") else ""
            draft = Draft("run", "assistant", result.key, call_id=call_id, cwd=result.cwd, fields={})
            draft.line, draft.source = result.key[2], result.source
            unit.drafts.append(draft)
            close(draft, result)
        for unit in self.units():
            for draft in unit.drafts:
                if draft.fields is not None:
                    self.count("call without a result")
                    _close_unanswered(draft, draft.fields)
            if unit.thinking and unit.drafts:
                last = unit.drafts[-1]
                last.thinking = "\n\n".join(filter(None, [last.thinking, *unit.thinking]))
            elif unit.thinking:
                self.count("thinking without a step")
        for queued_at, unit, draft in self.taken:
            # Newer versions also write such a message as an attachment, older ones nowhere else.
            if self.said.get(draft.text.strip(), 0) < queued_at:
                unit.drafts.append(draft)


def close(draft: Draft, result: Result) -> None:
    """Fill a call's draft from its result; its input is then no longer held."""
    rich = result.rich if isinstance(result.rich, dict) else {}
    error = isinstance(result.rich, str) and result.rich.startswith("Error:")
    draft.failed = (
        result.failed or error or rich.get("interrupted") is True or result.text.startswith("<tool_use_error>")
    )
    draft.empty = draft.failed and no_information(result.text)
    draft.text, draft.time = result.text, result.time or draft.time
    draft.key = (result.key[0] if result.key[0] > UNKNOWN_TIME else draft.key[0], *result.key[1:])
    call = ToolCall(draft.tool, draft.fields or {}, result.text, rich, draft.cwd or result.cwd, draft.failed)
    outcome = read_outcome(call)
    draft.kind, draft.shown, draft.writes = outcome.kind, share_lines(outcome.shown), outcome.writes
    draft.command, draft.purpose, draft.neutral = outcome.command, outcome.purpose, outcome.neutral
    draft.fields = None


def _close_unanswered(draft: Draft, fields: Record) -> None:
    """Close a call whose result is not in the files: what it was is known, whether it did anything is not."""
    outcome = read_outcome(ToolCall(draft.tool, fields, "", {}, draft.cwd, failed=True))
    draft.kind, draft.command, draft.purpose = outcome.kind, outcome.command, outcome.purpose
    draft.neutral, draft.empty, draft.fields = outcome.neutral, True, None


def string(value: object) -> str:
    """``value`` if it is a text, else ""."""
    return value if isinstance(value, str) else ""
