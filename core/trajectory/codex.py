"""Stage 1, Codex CLI: ``rollout-*.jsonl`` -> a Trajectory (FORMATS, Codex; versions 0.140 to 0.149).

In: JSON lines ``{timestamp, type, payload}``, the main file first, then those of sub-agents (hidden). Out: one
Trajectory whose steps follow CONTRACT. ``response_item`` lines are what the model was given and said; most
``event_msg`` lines repeat them for the screen and are counted, not read, unless nothing else has the text.

What is held: user and assistant messages. Instructions the client puts in front (developer messages, AGENTS.md,
environment context) belong to the system prompt: counted in ``unknown`` as ``context:...``, no steps. After a
``compacted`` line the context is exactly its ``replacement_history``: a full compaction, and ONE step (tool
"compact") whose text is every surviving message; each survived as a whole or not at all, and repeating them as
user messages would count what the user said twice. An encrypted summary has no text and is counted.

Usage is taken from ``token_count`` events, once per request: an event with the totals of one before it, or
without tokens of its own, is no request. ``input`` is without the cached tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.trajectory.claude_threads import Boundary
from core.trajectory.codex_answers import Answer, text_of_output
from core.trajectory.codex_calls import close_calls
from core.trajectory.codex_events import place_late, take_event
from core.trajectory.codex_items import CallItem, read_call, said_texts
from core.trajectory.codex_reader import Reader, string
from core.trajectory.drafting import About, Place, Thread, finish
from core.trajectory.json_lines import Record, Source, read_records, whole_objects
from core.trajectory.steps import Skipped, Trajectory

FORMAT = "codex"

_TYPES = frozenset(("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"))
_TYPE = re.compile(rb'"type"\s*:\s*"(?:session_meta|turn_context|response_item|event_msg|compacted|world_state)"')
_PAYLOAD = re.compile(rb'"payload"\s*:\s*\{')
_PARENT = re.compile(rb'"parent_thread_id"\s*:\s*"([^"\\]+)"')
_ID = re.compile(rb'"id"\s*:\s*"([^"\\]+)"')
# Items that older versions write without an envelope around them.
_BARE = frozenset(("message", "function_call", "function_call_output", "function_result", "reasoning"))
_ANSWERS = frozenset(
    (
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "mcp_tool_call_output",
        "tool_search_output",
        "tool_result",
        "function_result",
    )
)


def sniff(head: bytes) -> bool:
    """Whether ``head``, the first bytes of a file, comes from a Codex rollout; decided by content alone."""
    lines = head.split(b"\n")
    for record in whole_objects(lines[:50]):
        if string(record.get("type")) in _TYPES and isinstance(record.get("payload"), dict):
            return True
    return any(line.lstrip().startswith(b"{") and _TYPE.search(line) and _PAYLOAD.search(line) for line in lines[:50])


def is_agent_file(head: bytes) -> tuple[bool, str, str]:
    """Whether ``head`` is of a sub-agent's own rollout, the id of the thread that started it, and its own id."""
    line = next((line for line in head.split(b"\n") if b'"session_meta"' in line), b"")
    parent, own = _PARENT.search(line), _ID.search(line)
    if parent is None:
        return False, own[1].decode("utf-8", "replace") if own else "", ""
    return True, parent[1].decode("utf-8", "replace"), own[1].decode("utf-8", "replace") if own else "agent"


def parse(main: Source | None, agents: Sequence[Source] = ()) -> Trajectory:
    """The run of one rollout; ``agents`` are the rollouts of its sub-agents, every step of which is hidden.

    Lines that cannot be used are in ``skipped``, records without a meaning here are counted in ``unknown``. Cost:
    O(bytes); one record is in memory at a time, besides what the steps keep.
    """
    reader = Reader(About(FORMAT, "Codex"))
    for number, source in enumerate([source for source in (main, *agents) if source is not None]):
        agent = "" if source is main else source.name.removesuffix(".jsonl")[-36:]
        reader.threads.append(Thread(source.name, number, agent))
        reader.in_message = False
        for line, record in read_records(source, reader.tally):
            _take(reader, line, record)
    place_late(reader)
    close_calls(reader.calls.values(), reader.nameless, reader.answers, reader.count)
    return finish(reader.about, reader.threads, reader.usages, reader.tally)


def _take(reader: Reader, line: int, record: Record) -> None:
    kind, payload = record["type"], record.get("payload")
    reader.about.first = reader.about.first or record
    reader.about.note_time(string(record.get("timestamp")))
    if not isinstance(payload, dict):
        if kind in _BARE:
            _item(reader, line, record, record)
        elif kind in _TYPES:
            reader.tally.skipped.append(Skipped(reader.thread.source, line, f"a {kind} line without a payload"))
        else:
            reader.count(f"type:{kind}")
    elif kind == "response_item":
        _item(reader, line, record, payload)
    elif kind == "event_msg":
        take_event(reader, line, record, payload)
    elif kind == "session_meta":
        _session(reader, payload)
    elif kind == "turn_context":
        reader.cwd = string(payload.get("cwd")) or reader.cwd
        reader.model = string(payload.get("model")) or reader.model
        if reader.model not in reader.about.models:
            reader.about.models.append(reader.model)
    elif kind == "compacted":
        _compacted(reader, line, record, payload)
    else:
        reader.count(f"type:{kind}")


def _session(reader: Reader, payload: Record) -> None:
    """The head of a rollout; a resumed or forked one has several, the first describes the run."""
    about, git = reader.about, payload.get("git")
    cwd = string(payload.get("cwd"))
    reader.cwd = reader.cwd or cwd
    if reader.thread.agent and reader.is_new("agent", reader.thread.source):
        reader.cwd, reader.thread.agent = cwd or reader.cwd, string(payload.get("id"))[:80] or reader.thread.agent
        for unit in reader.thread.units:
            unit.agent = reader.thread.agent
    if about.session_id:
        reader.count("type:session_meta again")
        return
    parent = string(payload.get("parent_thread_id")) if reader.thread.agent else ""
    about.session_id = parent or string(payload.get("id")) or string(payload.get("session_id"))
    about.cwd = cwd
    about.agent = f"Codex {string(payload.get('cli_version'))}".strip()
    if isinstance(git, dict):
        about.git_branch = string(git.get("branch"))
        about.base_hint = string(git.get("commit_hash"))


def _item(reader: Reader, line: int, record: Record, item: Record) -> None:
    """A response item: something said, thought, called or answered."""
    kind, place = string(item.get("type")), reader.place(line, record)
    if kind == "message":
        _message(reader, item, place)
        return
    if kind == "reasoning":
        _reasoning(reader, item, place)
        return
    if kind == "agent_message":
        texts, _ = said_texts(item, reader.count)
        if texts and reader.is_new("agent_message", string(item.get("id")) or place.time, *texts):
            reader.in_message = False
            reader.thread.say("user", "\n".join(texts), place)
        return
    call = read_call(item, place)
    if call is not None:
        _call(reader, call, place)
    elif kind in _ANSWERS:
        _answered(reader, item, kind, place)
    else:
        reader.count(f"item:{kind or 'without a type'}")


def _message(reader: Reader, item: Record, place: Place) -> None:
    role = item.get("role")
    if role not in ("user", "assistant"):
        reader.count(f"context:{role} message")
        return
    texts, context = said_texts(item, reader.count)
    for name in context:
        reader.count(f"context:{name}")
    text = "\n".join(texts)
    if not text:
        return
    reader.said.update((role, part) for part in (text, *texts))
    mark = string(item.get("id")) or place.time
    if not reader.is_new("message", role, mark, text):
        return
    _say(reader, role, text, place)


def _say(reader: Reader, role: str, text: str, place: Place) -> None:
    if role == "assistant":
        reader.thread.say("assistant", text, place, reader.message_id())
    else:
        by_client = text.lstrip().startswith(("<turn_aborted>", "<subagent_notification>"))
        if not by_client and not reader.thread.agent:
            reader.about.task = reader.about.task or text
        reader.in_message = False
        reader.thread.say("user", text, place, turn=not by_client)


def _reasoning(reader: Reader, item: Record, place: Place) -> None:
    """The readable part of the model's thinking: summaries, and the raw text where it is given."""
    blocks = [block for key in ("summary", "content") for block in _blocks(item.get(key))]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    if not reader.is_new("reasoning", string(item.get("id")) or place.time, *texts):
        return
    reader.message_id()
    if texts:
        reader.thread.think("\n\n".join(texts))
    else:
        reader.count("thinking not readable")


def _call(reader: Reader, call: CallItem, place: Place) -> None:
    known = (
        call.call_id in reader.calls if call.call_id else not reader.is_new("call", place.time, call.tool, call.call)
    )
    if known:
        return
    draft = reader.thread.call(call.tool, call.call, call.call_id, place, reader.message_id())
    draft.cwd = call.cwd or place.cwd
    if call.call_id:
        reader.calls[call.call_id] = draft, call
    else:
        reader.nameless.append((draft, call))


def _answered(reader: Reader, item: Record, kind: str, place: Place) -> None:
    call_id = string(item.get("call_id"))
    text, failed = text_of_output(item, reader.count)
    reader.in_message = False
    answer = Answer(text, failed, place.time, place.line)
    if call_id:
        known = reader.answers.get(call_id)
        if known is None:
            reader.late.append((reader.thread, len(reader.thread.units), "call", call_id, place))
        if known is None or known.text is None:
            reader.answers[call_id] = answer if known is None else known.with_text(answer)
    elif reader.is_new("answer", place.time, text):
        named = [(d, c) for d, c in reader.nameless if d.fields is not None and c.answer is None]
        wanted = [(d, c) for d, c in named if c.tool == string(item.get("name"))] or named
        if wanted:
            wanted[0][1].answer = answer
        else:
            reader.count("result without a call")


def _compacted(reader: Reader, line: int, record: Record, payload: Record) -> None:
    """The context from here on is the replacement history, in one step; without any text only the cut remains."""
    place = reader.place(line, record)
    history = payload.get("replacement_history")
    texts: list[str] = []
    for item in history if isinstance(history, list) else ():
        if not isinstance(item, dict):
            continue
        if item.get("type") == "message" and item.get("role") in ("user", "assistant"):
            texts += said_texts(item, reader.count)[0]
        elif isinstance(item.get("output"), str | list | dict):
            texts.append(text_of_output(item, reader.count)[0])
        elif isinstance(item.get("arguments", item.get("input")), str):
            texts.append(f"{item.get('name')} {item.get('arguments', item.get('input'))}")
        elif item.get("type") in ("compaction", "context_compaction", "compaction_summary"):
            reader.count("compaction:encrypted summary")
    message = string(payload.get("message"))
    if message and not any(message in text for text in texts):
        texts.append(message)
    text = "\n\n".join(text for text in texts if text)
    if not reader.is_new("compacted", place.time, text) or reader.thread.agent:
        return
    reader.in_message = False
    reader.thread.compaction(Boundary("full", pre_tokens=reader.last_total), place)
    if text:
        reader.thread.say("user", text, place, tool="compact")


def _blocks(value: object) -> list[Record]:
    return [block for block in value if isinstance(block, dict)] if isinstance(value, list) else []
