"""Stage 1, OpenHands: events -> a Trajectory (FORMATS, OpenHands).

In: a row of an evaluation's ``output.jsonl`` (an object with ``history``), or one JSON document: such an object, or
the bare list of events. Out: one Trajectory. Actions are calls, observations their answers, joined by ``cause``;
the old resolver format has no ids: there the next observation answers the last action. Old histories hold pairs
(action, observation).

A ``thought`` is the text block before its call. The text held is ``content`` with the prefix and suffix its
metadata gives. A ``condensation`` removes the results of exactly the events it names; its summary is a step.
Departs: the cwd is the folder named as ``<uploaded_files>`` in the task where there is one, because the shell
starts elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.trajectory.claude_threads import Boundary, Draft
from core.trajectory.drafting import About, Counted, Place, Thread, answer, finish, unanswered, utc
from core.trajectory.json_lines import Record, Source, Tally, compact, read_document
from core.trajectory.mini_swe_agent import counted, instance_of
from core.trajectory.openhands_tools import Event, outcome_of, working_folder
from core.trajectory.steps import Skipped, Trajectory

FORMAT = "openhands"

_HISTORY = re.compile(rb'"history"\s*:\s*\[')
_EVENT = re.compile(rb'"(?:action|observation)"\s*:\s*"[a-z_]+"')
_ROW = re.compile(rb'"(?:instance_id|git_patch|issue|metadata|test_result|instruction)"\s*:')
_LIST = re.compile(rb"\[\s*\{")
_SOURCE = re.compile(rb'"(?:source|args|cause|action_risk)"\s*:')
_NOT_OURS = re.compile(rb'"trajectory"\s*:\s*\[|"role"\s*:\s*"system"')
_UPLOADED = re.compile(r"<uploaded_files>\s*(/\S+)\s*</uploaded_files>")
# Actions that are the program's own: they are no call of the model.
_ANSWERS = frozenset(("run", "run_ipython", "read", "edit", "write", "think", "browse", "delegate", "mcp"))
_NO_CALL = frozenset(
    ("system", "recall", "change_agent_state", "null", "start", "pause", "resume", "stop", "finish_task")
)


def sniff(head: bytes) -> bool:
    """Whether ``head``, the first bytes of a file, is of an OpenHands run; decided by content alone."""
    if is_rows(head):
        return True
    start = head.lstrip()
    if _NOT_OURS.search(head) or not _EVENT.search(head):
        return False
    if start[:1] == b"{":
        return bool(_HISTORY.search(head) and _ROW.search(head))
    return bool(_LIST.match(start) and _SOURCE.search(head))


def is_rows(head: bytes) -> bool:
    """Whether a file that starts with ``head`` holds a run a row."""
    return any(_is_row(line) for line in head.split(b"\n") if line.lstrip()[:1] == b"{" and len(line) > 40)


def _is_row(line: bytes) -> bool:
    return bool(_HISTORY.search(line) and _EVENT.search(line) and _ROW.search(line) and not _NOT_OURS.search(line))


@dataclass(slots=True)
class _Reader:
    thread: Thread
    tally: Tally
    about: About
    usages: list[Counted] = field(default_factory=list)
    waiting: list[tuple[Draft, Event]] = field(default_factory=list)
    by_id: dict[int, tuple[Draft, Event]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    responses: set[str] = field(default_factory=set)
    cwd: str = ""
    running: str = ""

    def count(self, what: str) -> None:
        """Count a thing that was understood and has no meaning here."""
        self.tally.unknown[what[:80]] += 1

    def skip(self, at: int, why: str) -> None:
        """Count an event that could not be used."""
        self.tally.skipped.append(Skipped(self.thread.source, at, why))


def parse(main: Source | None, agents: Sequence[Source] = ()) -> Trajectory:
    """The run of one row or document; ``agents`` never occur. Raises NoStep when it is broken or too long.

    Events count as lines, their position as the line number. Cost: O(bytes), the row in memory.
    """
    tally = Tally()
    source = main if main is not None else agents[0]
    document = read_document(source, tally)
    row = document if isinstance(document, dict) else {}
    events = _events(row.get("history") if row else document)
    about = _about(row, source.name)
    about.first = row or {"history": document}
    reader = _Reader(Thread(source.name), tally, about)
    reader.cwd = next((folder for event in events if isinstance(event, dict) and (folder := working_folder(event))), "")
    for at, event in enumerate(events, 1):
        tally.lines += 1
        if isinstance(event, dict):
            _take(reader, at, event)
        else:
            reader.skip(at, "an event that is not an object")
    for draft, event in reader.waiting:
        if not event.ends_the_run:
            reader.count("call without a result")
        unanswered(draft, outcome_of(event, None, draft.cwd, reader.running).outcome)
    about.task = about.task or _string(row.get("instruction"))
    named = _UPLOADED.search(about.task)
    about.cwd = named[1].rstrip("/") if named else reader.thread.units[0].drafts[0].cwd if reader.thread.units else ""
    return finish(about, [reader.thread], reader.usages, tally)


def _events(history: object) -> list[object]:
    """The events in order; pairs (action, observation) are opened."""
    events: list[object] = []
    for item in history if isinstance(history, list) else ():
        events.extend(item if isinstance(item, list) else [item])
    return events


def _about(row: Record, name: str) -> About:
    instance, metadata, issue, result = (
        value if isinstance(value, dict) else {}
        for value in (row.get(key) for key in ("instance", "metadata", "issue", "test_result"))
    )
    config = metadata.get("llm_config")
    number = issue.get("number")
    of_issue = f"{issue.get('owner')}-{issue.get('repo')}-{number}" if isinstance(number, int) else ""
    instance_id = _string(row.get("instance_id")) or _string(instance.get("instance_id"))
    return About(
        FORMAT,
        f"OpenHands {_string(metadata.get('agent_class'))}".strip(),
        session_id=instance_id or of_issue or name.split(".")[0],
        models=[_string(config.get("model"))] if isinstance(config, dict) else [],
        instance_id=instance_id or instance_of(name),
        base_hint=_string(instance.get("base_commit")) or _string(row.get("base_commit")),
        submission=_string(result.get("git_patch")) or _string(row.get("git_patch")),
    )


def _take(reader: _Reader, at: int, raw: Record) -> None:
    event_id = raw.get("id")
    known_id = event_id if isinstance(event_id, int) and not isinstance(event_id, bool) else None
    if known_id is not None:
        if known_id in reader.seen:
            reader.count("event again")
            return
        reader.seen.add(known_id)
    time = utc(raw.get("timestamp"))
    reader.about.note_time(time)
    place = Place(at, time, reader.cwd)
    event = Event.of(raw)
    if event.observation:
        _observed(reader, event, place, raw.get("cause"))
    elif event.action in ("message", "condensation"):
        (_message if event.action == "message" else _condensed)(reader, event, place)
    elif event.action in _NO_CALL or (event.action and event.source == "environment"):
        reader.count(f"action:{event.action}")
    elif event.action:
        _acted(reader, event, place, known_id)
    else:
        reader.skip(at, "an event that is neither an action nor an observation")


def _message(reader: _Reader, event: Event, place: Place) -> None:
    text = event.text("content")
    by_agent = event.source == "agent" or (not event.source and reader.about.task != "" and event.waits)
    if by_agent:
        if text.strip():
            reader.thread.say("assistant", text, place, _response(reader, event, place))
    elif text:
        reader.about.task = reader.about.task or text
        reader.thread.say("user", text, place, turn=True)


def _acted(reader: _Reader, event: Event, place: Place, event_id: int | None) -> None:
    message_id = _response(reader, event, place) or f"event-{place.line}"
    thought = event.text("thought")
    if thought.strip() and event.action != "think":
        reader.thread.say("assistant", thought, place, message_id)
    draft = reader.thread.call(event.tool, event.written or compact(event.given), event.call_id, place, message_id)
    reader.waiting.append((draft, event))
    if event_id is not None:
        reader.by_id[event_id] = draft, event


def _observed(reader: _Reader, event: Event, place: Place, cause: object) -> None:
    """Give an observation to the action it names, or, where nothing is named, to the last one still open."""
    found = reader.by_id.get(cause) if isinstance(cause, int) else None
    if found is not None and found[0].fields is None:
        found = None
    elif cause is None and reader.waiting and event.observation in (reader.waiting[-1][1].action, "error"):
        found = reader.waiting[-1]
    if found is None:
        if event.observation in _ANSWERS:
            reader.skip(place.line, f"a result ({event.observation}) without its call")
        else:
            reader.count(f"observation:{event.observation}")
        return
    draft, action = found
    reader.waiting = [item for item in reader.waiting if item[0] is not draft]
    done = outcome_of(action, event, draft.cwd, reader.running)
    answer(draft, done.outcome, event.said, done.failed, place.time)
    if action.action == "run":
        still_running = event.exit_code == -1 and "command_id" not in event.given
        reader.running = (reader.running if action.is_input else action.text("command")) if still_running else ""
    reader.cwd = event.folder or reader.cwd


def _condensed(reader: _Reader, event: Event, place: Place) -> None:
    """Events that left the context; their summary, where there is one, is what came in."""
    ids = event.given.get("forgotten_event_ids")
    first, last = event.given.get("forgotten_events_start_id"), event.given.get("forgotten_events_end_id")
    gone = {item for item in ids if isinstance(item, int)} if isinstance(ids, list) else set()
    if isinstance(first, int) and isinstance(last, int):
        gone |= {number for number in reader.by_id if first <= number <= last}
    calls = [draft.call_id for number, (draft, _) in reader.by_id.items() if draft.call_id and number in gone]
    reader.thread.compaction(Boundary("micro", "condensation", removed=tuple(dict.fromkeys(calls))), place)
    summary = event.text("summary")
    if summary.strip():
        reader.thread.say("user", summary, place, tool="summary")


def _response(reader: _Reader, event: Event, place: Place) -> str:
    """The id of the model's response an event is part of, "" if none is recorded; its usage is counted once."""
    response = event.response
    response_id = _string(response.get("id"))[:200]
    usage = response.get("usage")
    if response_id and response_id not in reader.responses:
        reader.responses.add(response_id)
        model = _string(response.get("model"))
        reader.about.models.append(model)
        if isinstance(usage, dict):
            reader.usages.append(counted(usage, response_id, model, place.line))
    return response_id


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
