"""Stage 1, Codex: the lines for the screen: usage, outcomes of patches and commands, texts that nothing else has.

In: ``event_msg`` payloads, in order. Out, in the ``Reader``: usage, answers made fuller, and, once the file is read,
the steps that only events tell of.
"""

from __future__ import annotations

from core.trajectory.codex_answers import Answer
from core.trajectory.codex_items import CallItem, said_texts
from core.trajectory.codex_reader import Reader, string
from core.trajectory.drafting import Counted, Place, Thread, tokens
from core.trajectory.json_lines import Record, compact


def take_event(reader: Reader, line: int, record: Record, event: Record) -> None:
    """An event for the screen: usage, the outcome of patches and commands, and texts nothing else has."""
    kind, place = string(event.get("type")), reader.place(line, record)
    if kind == "token_count":
        _token_count(reader, event, place)
    elif kind in ("user_message", "agent_message"):
        role = "user" if kind == "user_message" else "assistant"
        _repeat(reader, role, string(event.get("message")), place)
    elif kind in ("patch_apply_end", "exec_command_end"):
        _enrich(reader, string(event.get("call_id")), event, place)
        reader.count(f"event:{kind}")
    elif kind == "item_completed" and isinstance(event.get("item"), dict):
        item = event["item"]
        name = string(item.get("type"))
        if name in ("UserMessage", "AgentMessage"):
            texts, _ = said_texts(item, reader.count)
            _repeat(reader, "user" if name == "UserMessage" else "assistant", "\n".join(texts), place)
        elif name in ("FileChange", "CommandExecution"):
            _enrich(reader, string(item.get("id")), item, place)
        reader.count(f"event:item_completed {name}")
    else:
        reader.count(f"event:{kind}")


def _enrich(reader: Reader, call_id: str, event: Record, place: Place) -> None:
    """Keep what the client itself says about a call; the last such event counts."""
    if call_id:
        if call_id not in reader.answers:
            reader.late.append((reader.thread, len(reader.thread.units), "call", call_id, place))
        known = reader.answers.get(call_id, Answer(None, False, "", 0))
        changes = event.get("changes")
        reader.answers[call_id] = known.enriched(
            changes if isinstance(changes, dict) else None,
            event.get("success") is not False and event.get("status") not in ("failed", "declined"),
            event.get("exit_code"),
            string(event.get("cwd")),
        )


def _repeat(reader: Reader, role: str, text: str, place: Place) -> None:
    """Remember a text an event has, and where it would stand if no response item says the same."""
    if text and reader.is_new("event", role, place.time, text):
        reader.late.append((reader.thread, len(reader.thread.units), role, text, place))


def place_late(reader: Reader) -> None:
    """Steps for what the whole file had to be read for: texts only events have, answers whose call is not there.

    Each stands where it was met; the last is put in first, so that the places before it hold.
    """
    late = [item for item in reader.late if _is_alone(reader, item[2], item[3])]
    for thread, at, role, text, place in reversed(late):
        apart = Thread(thread.source, thread.number, thread.agent)
        if role == "call":
            tool = "apply_patch" if reader.answers[text].changes else ""
            reader.calls[text] = apart.call(tool, "", text, place), CallItem(tool, "", text, {}, place.cwd)
            reader.count("result without a call")
        else:
            apart.say("user" if role == "user" else "assistant", text, place, turn=role == "user")
        thread.units[at:at] = apart.units
    first = next((text for thread, _, role, text, _ in late if role == "user" and not thread.agent), "")
    reader.about.task = reader.about.task or first


def _is_alone(reader: Reader, role: str, text: str) -> bool:
    if role != "call":
        return (role, text) not in reader.said
    answer = reader.answers[text]
    return text not in reader.calls and (answer.text is not None or bool(answer.changes))


def _token_count(reader: Reader, event: Record, place: Place) -> None:
    info = event.get("info")
    last = info.get("last_token_usage") if isinstance(info, dict) else None
    total = info.get("total_token_usage") if isinstance(info, dict) else None
    if not isinstance(last, dict):
        reader.count("event:token_count without usage")
        return
    mark = (compact(total) if isinstance(total, dict) else "") or place.time
    used, output = tokens(last.get("input_tokens")), tokens(last.get("output_tokens"))
    if mark in reader.totals or used + output == 0:
        reader.count("event:token_count again")
        return
    reader.totals.add(mark)
    reader.last_total = tokens(last.get("total_tokens")) or used + output
    cached = min(tokens(last.get("cached_input_tokens")), used)
    written = min(tokens(last.get("cache_write_input_tokens")), used - cached)
    message = f"response-{reader.message}" if reader.message else ""
    reader.usages.append(
        Counted(
            message, reader.model, used - cached - written, cached, written, output, place.line, reader.thread.agent
        )
    )
    reader.in_message = False
