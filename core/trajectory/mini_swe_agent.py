"""Stage 1, mini-swe-agent: ``.traj.json`` -> a Trajectory (FORMATS, mini-swe-agent; versions 1 and 2).

In: one JSON document: an object with ``messages``, or the bare list of them. Out: one Trajectory. The agent has
one tool, a shell: a call stands in ``extra.actions`` or ``tool_calls``, in older versions in the message's one
fenced block. Every command runs in a fresh shell in the same folder.

What the model was given is the text of the message after the call, ``<returncode>`` and ``<output>`` included.
What was printed is read from ``extra.raw_output`` where there is one; of an output that was cut only the whole
lines of its head are shown. The system message is part of the prompt and makes no step. Departs: in a bare list
nothing names the folder, so relative paths cannot be placed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from core.trajectory.claude_results import Outcome
from core.trajectory.claude_threads import Draft
from core.trajectory.drafting import About, Counted, Place, Thread, answer, finish, tokens, unanswered, utc
from core.trajectory.editor_tools import shell_outcome
from core.trajectory.json_lines import Record, Source, Tally, compact, read_document
from core.trajectory.steps import Skipped, Trajectory

FORMAT = "mini-swe-agent"

_MARKS = re.compile(rb'"(?:trajectory_format|agent_type)"\s*:\s*"mini-?swe-?agent|"mini_version"\s*:\s*"')
_MESSAGE = re.compile(rb'"role"\s*:\s*"(?:system|user|assistant)"')
_BASH = re.compile(rb"```(?:mswea_bash_command|bash)\\n|<returncode>")
_OTHERS = re.compile(rb'"(?:trajectory|history)"\s*:\s*\[|"(?:observation|sessionId|payload)"\s*:')
_FENCE = re.compile(r"```(?:mswea_bash_command|bash|sh)[ \t]*\n(.*?)\n?```", re.S)
_CODE = re.compile(r"<returncode>(-?\d{1,9})</returncode>")
_INSTANCE = re.compile(r"[A-Za-z0-9][\w.-]*__[\w.-]+-\d+")
_SUBMITTED = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def sniff(head: bytes) -> bool:
    """Whether ``head``, the first bytes of a file, is of a mini-swe-agent trajectory; decided by content alone."""
    start = head.lstrip()[:1]
    if start not in (b"{", b"[") or _OTHERS.search(head):
        return False
    if start == b"{" and _MARKS.search(head):
        return True
    return bool(_MESSAGE.search(head) and _BASH.search(head) and (start == b"[" or b'"messages"' in head))


@dataclass(slots=True)
class _Reader:
    thread: Thread
    tally: Tally
    about: About
    usages: list[Counted]
    waiting: list[Draft]
    commands: dict[int, str]
    ids: set[str]
    message: int = 0

    def count(self, what: str) -> None:
        """Count a thing that was understood and has no meaning here."""
        self.tally.unknown[what[:80]] += 1

    def skip(self, at: int, why: str) -> None:
        """Count a message that could not be used."""
        self.tally.skipped.append(Skipped(self.thread.source, at, why))


def parse(main: Source | None, agents: Sequence[Source] = ()) -> Trajectory:
    """The run of one document; ``agents`` never occur. Raises NoStep when the document is broken or too long.

    Messages count as lines, their position as the line number. Cost: O(bytes), the document in memory.
    """
    tally = Tally()
    source = main if main is not None else agents[0]
    document = read_document(source, tally)
    info = document.get("info") if isinstance(document, dict) else None
    about = _about(document if isinstance(document, dict) else {}, info if isinstance(info, dict) else {}, source.name)
    about.first = document if isinstance(document, dict) else {"messages": document}
    reader = _Reader(Thread(source.name), tally, about, [], [], {}, set())
    messages = document.get("messages") if isinstance(document, dict) else document
    for at, message in enumerate(messages if isinstance(messages, list) else (), 1):
        tally.lines += 1
        if isinstance(message, dict):
            _take(reader, at, message)
        else:
            reader.skip(at, "a message that is not an object")
    for draft in reader.waiting:
        _unanswered(reader, draft)
    return finish(about, [reader.thread], reader.usages, tally)


def instance_of(name: str) -> str:
    """The SWE-bench style instance id a file name consists of, "" if it is none."""
    stem = name.split(".traj")[0].split(".json")[0]
    return stem if _INSTANCE.fullmatch(stem) else ""


def _about(document: Record, info: Record, name: str) -> About:
    config = info.get("config")
    config = config if isinstance(config, dict) else {}
    environment, model = config.get("environment"), config.get("model")
    version = _string(info.get("mini_version"))
    instance = _string(document.get("instance_id")) or _string(info.get("instance_id")) or instance_of(name)
    return About(
        FORMAT,
        f"mini-swe-agent {version}".strip(),
        session_id=instance or name.split(".")[0],
        models=[_string(model.get("model_name"))] if isinstance(model, dict) else [],
        cwd=_string(environment.get("cwd")) if isinstance(environment, dict) else "",
        instance_id=instance,
        submission=_string(info.get("submission")),
    )


def _take(reader: _Reader, at: int, message: Record) -> None:
    role, extra = message.get("role"), message.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    time = utc(extra.get("timestamp"))
    reader.about.note_time(time)
    place = Place(at, time, reader.about.cwd)
    text = _text(reader, message.get("content"))
    if role == "assistant":
        _assistant(reader, message, extra, text, place)
    elif role in ("user", "tool"):
        _answer(reader, message, extra, text, place)
    elif role in ("system", "exit"):
        reader.count(f"message:{role}")
        if role == "exit":
            reader.about.submission = reader.about.submission or _string(extra.get("submission"))
    else:
        reader.skip(at, f"a message of an unknown role: {str(role)[:40]}")


def _assistant(reader: _Reader, message: Record, extra: Record, text: str, place: Place) -> None:
    for draft in reader.waiting:
        _unanswered(reader, draft)
    reader.waiting = []
    reader.message += 1
    message_id = f"message-{reader.message}"
    calls = _calls(message, extra)
    if not calls:
        fences = list(_FENCE.finditer(text))
        if len(fences) == 1:
            calls = [(fences[0][1], "")]
            text = (text[: fences[0].start()] + text[fences[0].end() :]).strip()
    reader.thread.think(_string(message.get("reasoning_content")))
    if text.strip():
        reader.thread.say("assistant", text, place, message_id)
    for command, call_id in calls:
        if call_id and call_id in reader.ids:
            reader.count("call again")
            continue
        reader.ids.add(call_id)
        written = compact({"command": command}) if call_id else command
        draft = reader.thread.call("bash", written, call_id, place, message_id)
        reader.commands[id(draft)] = command
        reader.waiting.append(draft)
    _usage(reader, extra, message_id, place)


def _calls(message: Record, extra: Record) -> list[tuple[str, str]]:
    """(Command, call id) of each call of a message."""
    actions = extra.get("actions")
    found = [
        (action["command"], _string(action.get("tool_call_id")))
        for action in (actions if isinstance(actions, list) else ())
        if isinstance(action, dict) and isinstance(action.get("command"), str)
    ]
    if found:
        return found
    given = message.get("tool_calls")
    for call in given if isinstance(given, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            found.append((_command(function.get("arguments")), _string(call.get("id"))))
    return found


def _command(arguments: object) -> str:
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return str(arguments)
    command = arguments.get("command") if isinstance(arguments, dict) else None
    return command if isinstance(command, str) else compact(arguments)


def _answer(reader: _Reader, message: Record, extra: Record, text: str, place: Place) -> None:
    """The answer to the oldest open call (or to the one it names); without one, something said."""
    call_id = _string(message.get("tool_call_id"))
    draft = next((draft for draft in reader.waiting if draft.call_id == call_id), None) if call_id else None
    if draft is None and reader.waiting and not call_id:
        draft = reader.waiting[0]
    if draft is None:
        if message.get("role") == "tool":
            reader.skip(place.line, "a result without a call")
            return
        # The first thing said is the task; what follows without a call before it is the harness's reminder.
        first = not reader.about.task
        reader.about.task = reader.about.task or text
        if text:
            reader.thread.say("user", text, place, turn=first)
        return
    reader.waiting = [other for other in reader.waiting if other is not draft]
    command = reader.commands[id(draft)]
    failed, printed, seen = _printed(text, extra)
    outcome = shell_outcome(command, draft.cwd, printed, failed, seen)
    if not text and not extra:
        outcome = Outcome(outcome.kind, command=command, purpose=outcome.purpose)
    answer(draft, outcome, text, failed, place.time)
    draft.neutral = _SUBMITTED in command
    if draft.neutral and text.startswith("diff --git"):
        reader.about.submission = reader.about.submission or text


def _printed(text: str, extra: Record) -> tuple[bool, str, str | None]:
    """Whether a command failed, what it printed, and which part of that was shown (None: all)."""
    found = _CODE.search(text[:2000])
    code = extra.get("returncode")
    if not isinstance(code, int):
        code = int(found[1]) if found else 0
    failed = code != 0 or bool(extra.get("exception_info"))
    raw = extra.get("raw_output")
    head = _between(text, "<output_head>", text.find("</output_head>"))
    if head is not None:
        # The template puts a line end behind the head, which itself ends anywhere in a line.
        seen = head.removesuffix("\n").rpartition("\n")[0]
        return failed, raw if isinstance(raw, str) else seen, seen
    body = _between(text, "<output>", text.rfind("</output>"))
    shown = body if body is not None else text if found is None else ""
    return failed, raw if isinstance(raw, str) else shown, None


def _between(text: str, start: str, end: int) -> str | None:
    """What stands between ``start`` and the position ``end``, a first line end cut; None when it does not."""
    at = text.find(start)
    return text[at + len(start) : end].removeprefix("\n") if 0 <= at < end else None


def _unanswered(reader: _Reader, draft: Draft) -> None:
    command = reader.commands[id(draft)]
    reader.count("submission" if _SUBMITTED in command else "call without a result")
    unanswered(draft, shell_outcome(command, draft.cwd, "", True))
    draft.neutral = _SUBMITTED in command


def _usage(reader: _Reader, extra: Record, message_id: str, place: Place) -> None:
    response = extra.get("response")
    usage = response.get("usage") if isinstance(response, dict) else None
    if not isinstance(response, dict) or not isinstance(usage, dict):
        return
    model = _string(response.get("model"))
    reader.about.models.append(model)
    reader.usages.append(counted(usage, message_id, model, place.line))


def counted(usage: Record, message_id: str, model: str, line: int) -> Counted:
    """The tokens of a chat-completions ``usage``, whose prompt tokens include the cached ones."""
    prompt, details = tokens(usage.get("prompt_tokens")), usage.get("prompt_tokens_details")
    cached = tokens(details.get("cached_tokens")) if isinstance(details, dict) else 0
    cached = min(cached or tokens(usage.get("prompt_cache_hit_tokens")), prompt)
    written = min(tokens(usage.get("cache_creation_input_tokens")), prompt - cached)
    output = tokens(usage.get("completion_tokens"))
    return Counted(message_id, model, prompt - cached - written, cached, written, output, line)


def _text(reader: _Reader, content: object) -> str:
    """The text of a message; blocks of other kinds are named in brackets or counted."""
    if isinstance(content, str):
        return content
    texts = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif isinstance(block, dict) and "image" in str(block.get("type")):
            texts.append("[image]")
        else:
            reader.count("block:unknown")
    return "\n".join(texts)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
