"""Stage 1, SWE-agent: ``.traj`` -> a Trajectory (FORMATS, SWE-agent; versions 0.5 to 1.1).

In: one JSON document with ``trajectory`` (an entry a step: action, observation, thought, state) and ``history``
(the messages); either may be missing. Out: one Trajectory: the thought is a text block, the action a call.

The text held is the message that carried the observation to the model, where ``history`` has it. ``state`` says
the folder and the open file: a text holds them as they were before the action, an object as they were after it.
The system prompt and demonstrations make no step. Departs: history processors that leave old observations out of
later requests are not recorded in the file and not modelled; there is no exit code, so a shell command counts as
failed only when it ran out of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import orjson

from core.trajectory.drafting import About, Place, Thread, answer, finish, unanswered
from core.trajectory.file_paths import absolute
from core.trajectory.json_lines import Record, Source, Tally, read_document
from core.trajectory.mini_swe_agent import instance_of
from core.trajectory.steps import Skipped, Trajectory
from core.trajectory.swe_agent_tools import Window, outcome_of, windows

FORMAT = "swe-agent"

_TRAJECTORY = re.compile(rb'"trajectory"\s*:\s*\[')
_HISTORY = re.compile(rb'"history"\s*:\s*\[')
_ENTRY = re.compile(rb'"(?:observation|thought|response|execution_time)"\s*:')
_MESSAGE = re.compile(rb'"role"\s*:\s*"system"')
_OURS = re.compile(rb'"(?:agent|action|thought|is_demo|message_type)"\s*:')
_FENCED = re.compile(r"```[a-z]*\n(.*?)\n?```", re.S)
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_DEMO = "Here is a demonstration of how to correctly accomplish this task"


def sniff(head: bytes) -> bool:
    """Whether ``head``, the first bytes of a file, is of a SWE-agent trajectory; decided by content alone."""
    if head.lstrip()[:1] != b"{":
        return False
    if _TRAJECTORY.search(head) and _ENTRY.search(head):
        return True
    return bool(_HISTORY.search(head) and _MESSAGE.search(head) and _OURS.search(head))


@dataclass(slots=True)
class _Entry:
    """One thought with its action and what came back; ``said`` is the message that carried it, "" if not known."""

    line: int
    thought: str
    action: str
    observation: str | None
    state: Record
    after: bool
    said: str = ""
    call_id: str = ""


@dataclass(slots=True)
class _Reader:
    thread: Thread
    tally: Tally
    about: About
    views: dict[str, Window] = field(default_factory=dict)

    def count(self, what: str) -> None:
        """Count a thing that was understood and has no meaning here."""
        self.tally.unknown[what[:80]] += 1

    def skip(self, at: int, why: str) -> None:
        """Count an entry that could not be used."""
        self.tally.skipped.append(Skipped(self.thread.source, at, why))


def parse(main: Source | None, agents: Sequence[Source] = ()) -> Trajectory:
    """The run of one document; ``agents`` never occur. Raises NoStep when the document is broken or too long.

    Entries (of a file without any, messages) count as lines, their position as the line number. Cost: O(bytes),
    the document in memory.
    """
    tally = Tally()
    source = main if main is not None else agents[0]
    document = read_document(source, tally)
    document = document if isinstance(document, dict) else {}
    about = _about(document, source.name)
    reader = _Reader(Thread(source.name), tally, about)
    history = [message for message in _list(document.get("history")) if isinstance(message, dict)]
    given = _list(document.get("trajectory"))
    entries = _entries(reader, given) if given else _entries_of_history(reader, history)
    if given:
        _attach(entries, history)
    _say_the_task(reader, history, by_message=not given)
    _steps(reader, entries)
    return finish(about, [reader.thread], (), tally)


def _about(document: Record, name: str) -> About:
    info = _record(document.get("info"))
    config = _object(document.get("replay_config"))
    model = _record(_record(config.get("agent")).get("model"))
    commit = _string(_record(_record(config.get("env")).get("repo")).get("base_commit"))
    instance = _string(_record(config.get("problem_statement")).get("id")) or instance_of(name)
    version = _string(info.get("swe_agent_version"))
    return About(
        FORMAT,
        f"SWE-agent {version}".strip(),
        first=document,
        session_id=instance or name.split(".traj")[0],
        models=[_string(model.get("name"))],
        instance_id=instance if instance == instance_of(instance) else "",
        base_hint=commit if _COMMIT.fullmatch(commit) else "",
        submission=_string(info.get("submission")),
    )


def _entries(reader: _Reader, given: Sequence[object]) -> list[_Entry]:
    entries = []
    for at, raw in enumerate(given, 1):
        reader.tally.lines += 1
        if not isinstance(raw, dict):
            reader.skip(at, "an entry that is not an object")
            continue
        action, observation = raw.get("action"), raw.get("observation")
        if not isinstance(action, str) and not isinstance(observation, str):
            reader.skip(at, "an entry without an action")
            continue
        thought = _string(raw.get("thought")) or ("" if action else _string(raw.get("response")))
        seen = observation if isinstance(observation, str) else None
        state = raw.get("state")
        entries.append(_Entry(at, thought, _string(action), seen, _object(state), isinstance(state, dict)))
    return entries


def _entries_of_history(reader: _Reader, history: Sequence[Record]) -> list[_Entry]:
    """The entries of a file that has only messages; the user's message after an action is what came back."""
    entries: list[_Entry] = []
    for at, message in enumerate(history, 1):
        reader.tally.lines += 1
        if _is_demo(message):
            continue
        role, text = message.get("role"), text_of(message)
        if role == "assistant":
            action, thought = message.get("action"), _string(message.get("thought"))
            if not isinstance(action, str):
                blocks = list(_FENCED.finditer(text))
                action = blocks[-1][1] if blocks else ""
                thought = (text[: blocks[-1].start()] + text[blocks[-1].end() :]).strip() if blocks else text
            entries.append(_Entry(at, thought, action, None, {}, False, call_id=_call_id(message)))
        elif role in ("user", "tool") and entries and entries[-1].observation is None:
            entries[-1].observation = entries[-1].said = text
        elif role in ("user", "tool") and entries:
            reader.skip(at, "a message that answers no action")
        elif role not in ("system", "user", "tool"):
            reader.skip(at, f"a message of an unknown role: {str(role)[:40]}")
    return entries


def _attach(entries: Sequence[_Entry], history: Sequence[Record]) -> None:
    """Give each entry the message that carried its observation to the model: the one after that of its action."""
    messages = [message for message in history if not _is_demo(message)]
    at = 0
    for entry in entries:
        while at < len(messages) and not (
            messages[at].get("role") == "assistant" and messages[at].get("action") == entry.action
        ):
            if messages[at].get("role") == "assistant":
                return  # the two disagree: from here on the entries speak for themselves
            at += 1
        if at >= len(messages):
            return
        entry.call_id = _call_id(messages[at])
        at += 1
        if at < len(messages) and messages[at].get("role") in ("user", "tool"):
            entry.said = text_of(messages[at])


def _say_the_task(reader: _Reader, history: Sequence[Record], by_message: bool) -> None:
    """The messages before the first action: the system prompt and demonstrations are counted, the task is said."""
    before = True
    for at, message in enumerate(history, 1):
        if message.get("role") == "system":
            reader.count("message:system")
        elif _is_demo(message):
            reader.count("message:demonstration")
        elif message.get("role") == "assistant":
            before = False
        elif before and message.get("role") == "user" and (text := text_of(message)):
            first = not reader.about.task
            reader.about.task = reader.about.task or text
            reader.thread.say("user", text, Place(at if by_message else 0), turn=first)


def _steps(reader: _Reader, entries: Sequence[_Entry]) -> None:
    folders = [_folder(entry.state) for entry in entries]
    reader.about.cwd = next((folder for folder in folders if folder), "")
    cwd = opened = ""
    for number, (entry, folder) in enumerate(zip(entries, folders, strict=True), 1):
        if not entry.after or not cwd:
            cwd = folder or cwd
        place = Place(entry.line, cwd=cwd)
        message_id = f"message-{number}"
        if entry.thought.strip():
            reader.thread.say("assistant", entry.thought, place, message_id)
        file = absolute(_string(entry.state.get("open_file")), cwd)
        if not entry.after and file and not file.endswith("/n/a"):
            opened = file
        if entry.action.strip() or entry.observation:
            opened = _call(reader, entry, place, message_id, opened)
        if entry.after:
            cwd = folder or cwd


def _call(reader: _Reader, entry: _Entry, place: Place, message_id: str, opened: str) -> str:
    """One action as one step; the file that is open after it."""
    words = entry.action.split(None, 1)
    draft = reader.thread.call(words[0][:60] if words else "", entry.action, entry.call_id, place, message_id)
    result = outcome_of(entry.action, entry.observation or "", place.cwd, opened, reader.views)
    draft.tool = result.tool
    if entry.observation is None:
        reader.count("call without a result")
        unanswered(draft, result.outcome)
        return opened
    answer(draft, result.outcome, entry.said or entry.observation, result.failed)
    if not result.failed:
        for window in windows(entry.observation, place.cwd):
            reader.views[window.path] = window
            opened = window.path
    return opened


def _folder(state: Record) -> str:
    return _string(state.get("working_dir"))


def _is_demo(message: Record) -> bool:
    return message.get("is_demo") is True or text_of(message).startswith(_DEMO)


def _call_id(message: Record) -> str:
    calls = [call for call in _list(message.get("tool_calls")) if isinstance(call, dict)]
    return _string(calls[0].get("id")) if calls else ""


def text_of(message: Record) -> str:
    """The text of a message, whether its content is a text or blocks."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(_blocks(content))


def _blocks(content: object) -> Iterator[str]:
    for block in _list(content):
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]
        elif isinstance(block, dict) and "image" in str(block.get("type")):
            yield "[image]"


def _object(value: object) -> Record:
    """An object, or one written as a JSON text; {} for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return _record(value)


def _record(value: object) -> Record:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
