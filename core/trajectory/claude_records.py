"""Stage 1, Claude Code: one record at a time -> drafts in the unit it belongs to.

In: a record in file order. Out: changes to the ``Reader``. One handler a record type; a type without a
handler is counted. What people and attachments say is read in ``claude_said``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.trajectory.claude_reader import Reader, Result, string
from core.trajectory.claude_said import add_attachment, add_queue_operation, add_said, texts_of
from core.trajectory.claude_threads import UNKNOWN_TIME, Boundary, Draft, Unit
from core.trajectory.json_lines import Record, compact

_NO_KEY = (UNKNOWN_TIME, 0, 0)
_SYNTHETIC = "<synthetic>"  # the client's own messages: errors, interruptions


def take_record(reader: Reader, line: int, record: Record) -> None:
    """Put one record where it belongs; what has no meaning here is counted, what is malformed is skipped."""
    reader.agent(record)  # every record of an inline sidechain hands its root on, also those that make no step
    handler = _HANDLERS.get(record["type"])
    if handler is not None:
        handler(reader, line, record)
    else:
        reader.count(f"type:{record['type']}")


def agent_echo(record: Record) -> Record:
    """The sub-agent's record inside a ``progress`` record, as it would stand in the agent's own file."""
    data = record["data"]
    agent = string(data.get("agentId")) or string(record.get("parentToolUseID")) or "unknown"
    context = {key: record[key] for key in ("cwd", "sessionId", "version", "timestamp") if key in record}
    return {**context, **data["message"], "isSidechain": True, "agentId": agent}


def _assistant(reader: Reader, line: int, record: Record) -> None:
    message = record.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | list):
        reader.skip(line, "an assistant line without content")
        return
    uuid = string(record.get("uuid"))
    message_id = string(message.get("id")) or uuid or f"{reader.name}:{line}"
    unit = reader.unit(line, record, message_id)
    _take_usage(reader, unit, message)
    content = message["content"]
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        kind = block.get("type") if isinstance(block, dict) else type(block).__name__
        draft: Draft | None = None
        if kind == "thinking" and isinstance(block.get("thinking"), str):
            if block["thinking"] and reader.is_new("thinking", message_id, block["thinking"]):
                unit.thinking.append(block["thinking"])
        elif kind == "text" and isinstance(block.get("text"), str):
            draft = _text(reader, message_id, block["text"])
        elif kind == "tool_use" and isinstance(block.get("name"), str):
            draft = _call(reader, message_id, uuid, block)
        else:
            reader.count(f"block:{kind}")
        if draft is not None:
            reader.add(unit, draft, line, record)


def _text(reader: Reader, message_id: str, text: str) -> Draft | None:
    if not text or not reader.is_new("text", message_id, text):
        return None
    return Draft("say", "assistant", _NO_KEY, text=text, empty=not text.strip(), neutral=True)


def _call(reader: Reader, message_id: str, uuid: str, block: Record) -> Draft | None:
    """The draft of a call, None if it was met before; it stays open until its result is read."""
    name, call_id, given = block["name"], string(block.get("id")), block.get("input")
    fields: Record = given if isinstance(given, dict) else {}
    if call_id in reader.calls:
        return None
    call = compact(fields)
    if not call_id and not reader.is_new("call", message_id, name + call):
        return None
    draft = Draft("run", "assistant", _NO_KEY, tool=name, call=call, call_id=call_id, fields=fields)
    if call_id:
        reader.calls[call_id] = draft
    else:
        reader.unnamed.setdefault(uuid, []).append(draft)
    return draft


def _take_usage(reader: Reader, unit: Unit, message: Record) -> None:
    """Keep one usage a message, of the line that reports most output: the last written, wherever it stands."""
    model, usage = string(message.get("model")), message.get("usage")
    if model == _SYNTHETIC:
        return
    if model and model not in reader.about.models:
        reader.about.models.append(model)
    if not isinstance(usage, dict) or not unit.message_id:
        return
    known = reader.usages.get(unit.message_id)
    if known is None:
        reader.usages[unit.message_id] = (unit, model, usage)
    elif tokens(usage.get("output_tokens")) >= tokens(known[2].get("output_tokens")):
        reader.usages[unit.message_id] = (known[0], model, usage)


def _user(reader: Reader, line: int, record: Record) -> None:
    message = record.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | list):
        reader.skip(line, "a user line without content")
        return
    content = message["content"]
    said: list[Any] = []
    results: list[Any] = []
    for block in [content] if isinstance(content, str) else content:
        is_result = isinstance(block, dict) and block.get("type") == "tool_result"
        (results if is_result else said).append(block)
    for at, block in enumerate(results):
        rich = record.get("toolUseResult") if len(results) == 1 else None
        _result(reader, line, record, block, f"\n{reader.number}:{line}:{at}", rich)
    if said:
        add_said(reader, line, record, texts_of(reader, said))


def _result(reader: Reader, line: int, record: Record, block: Record, spare_id: str, rich: object) -> None:
    """Hand one tool result to its call: by id, else to the first open call of the line it says it answers."""
    call_id = string(block.get("tool_use_id")) or string(record.get("sourceToolUseID"))
    for uuid in (record.get("sourceToolAssistantUUID"), record.get("parentUuid")):
        if call_id in reader.calls:
            break
        open_calls = [draft for draft in reader.unnamed.get(string(uuid), ()) if draft.fields is not None]
        if open_calls:
            call_id = spare_id
            reader.calls[spare_id] = open_calls[0]
    content = block.get("content")
    text = (
        content
        if isinstance(content, str)
        else "\n".join(texts_of(reader, content if isinstance(content, list) else []))
    )
    result = Result(
        call_id=call_id or spare_id,
        text=text,
        failed=block.get("is_error") is True,
        rich=rich,
        key=reader.key(line, record),
        time=string(record.get("timestamp")),
        cwd=reader.place(string(record.get("cwd")) or reader.about.cwd),
        source=reader.name,
    )
    reader.take_result(result, line, record)


def _system(reader: Reader, line: int, record: Record) -> None:
    subtype = record.get("subtype")
    if subtype not in ("compact_boundary", "microcompact_boundary") or reader.agent(record):
        reader.count(f"system:{subtype}")
        return
    if not reader.is_new("boundary", string(record.get("uuid")), string(record.get("timestamp"))):
        return
    full = subtype == "compact_boundary"
    about = record.get("compactMetadata" if full else "microcompactMetadata")
    about = about if isinstance(about, dict) else {}
    removed = [
        item
        for key in ("compactedToolIds", "clearedAttachmentUUIDs")
        for item in (about[key] if isinstance(about.get(key), list) else ())
        if isinstance(item, str)
    ]
    reader.unit(line, record).boundary = Boundary(
        kind="full" if full else "micro",
        trigger=string(about.get("trigger")),
        pre_tokens=reported(about.get("preTokens")),
        removed=tuple(removed),
    )


def _progress(reader: Reader, line: int, record: Record) -> None:
    data = record.get("data")
    kind = data.get("type") if isinstance(data, dict) else None
    message = data.get("message") if isinstance(data, dict) else None
    if kind == "agent_progress" and isinstance(message, dict) and message.get("type") in ("user", "assistant"):
        reader.echoes.append((reader.number, reader.name, line, record))
    else:
        reader.count(f"progress:{kind}")


def tokens(value: object) -> int:
    """A token count as reported; 0 for anything that cannot be one."""
    return reported(value) or 0


def reported(value: object) -> int | None:
    """A count as reported; None for anything that cannot be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


_HANDLERS: dict[str, Callable[[Reader, int, Record], None]] = {
    "assistant": _assistant,
    "user": _user,
    "system": _system,
    "progress": _progress,
    "attachment": add_attachment,
    "queue-operation": add_queue_operation,
}
