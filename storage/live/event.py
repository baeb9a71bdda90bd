"""Live: what a hook says, as a value; hostile text until here, clean and of known types behind.

In: the bytes a client wrote to a hook's stdin (the fields of Claude Code's hooks, versions 1.0 to 2.1; what is
missing is empty). Out: ``HookEvent``, and for a finished call the typed ``Step`` it is, read by the same rules as a
recorded one. Only the text the model saw differs: a hook gives the client's structured result, from which it is put
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import NoStep
from core.graph.facts import digest
from core.trajectory.claude_results import ToolCall, no_information, read_outcome
from core.trajectory.file_paths import absolute
from core.trajectory.json_lines import Source, Tally, compact, read_document
from core.trajectory.steps import Step

CALLS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"})
_ID = 200  # characters of an id that are kept


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One hook. ``call`` identifies a tool call; ``agent`` is "" on the main thread; ``error`` is set for a failed one.

    ``transcripts`` is the folder the command line allows transcripts to be read in, "" for none.
    """

    name: str
    session: str = ""
    cwd: str = ""
    transcript: str = ""
    transcripts: str = ""
    agent: str = ""
    tool: str = ""
    call: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    response: object = None
    error: str = ""
    prompt: str = ""
    source: str = ""
    last: str = ""
    model: str = ""


def read_event(data: bytes) -> HookEvent | str:
    """The event, or why it is none. ``data`` is a line with the folder of transcripts, then the JSON. O(bytes)."""
    transcripts, _, body = data.partition(b"\n")
    try:
        given = read_document(Source("stdin", [body]), Tally())
    except (NoStep, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(given, dict) or not isinstance(given.get("hook_event_name"), str):
        return "not a hook's JSON: no hook_event_name"

    def text(name: str) -> str:
        value = given.get(name)
        return value if isinstance(value, str) else ""

    fields = given.get("tool_input")
    fields = fields if isinstance(fields, dict) else {}
    tool = text("tool_name")
    name = text("hook_event_name")
    return HookEvent(
        name=name,
        session=text("session_id")[:_ID],
        cwd=text("cwd"),
        transcript=text("transcript_path"),
        transcripts=transcripts.decode("utf-8", "replace"),
        agent=text("agent_id")[:_ID],
        tool=tool[:_ID],
        call=text("tool_use_id")[:_ID] or (digest(tool, compact(fields)) if name in CALLS else ""),
        fields=fields,
        response=given.get("tool_response"),
        error=(text("error") or "failed") if name in ("PostToolUseFailure", "PermissionDenied") else "",
        prompt=text("prompt"),
        source=text("source"),
        last=text("last_assistant_message"),
        model=text("model")[:_ID],
    )


def step_of(event: HookEvent, t: int, done: bool = True) -> Step:
    """The step of a finished call, or with ``done`` false of one that never came back."""
    cwd = absolute(event.cwd, event.cwd)
    rich = event.response if isinstance(event.response, dict) else {}
    text = event.error or _seen(event.tool, event.response)
    failed = bool(event.error) or not done or rich.get("interrupted") is True or rich.get("is_error") is True
    failed = failed or (isinstance(event.response, str) and text.startswith(("<tool_use_error>", "Error:")))
    call = ToolCall(event.tool, dict(event.fields), text, rich, cwd, failed)
    outcome = read_outcome(call if done else ToolCall(event.tool, dict(event.fields), "", {}, cwd, True))
    return Step(
        t=t,
        kind=outcome.kind,
        role="assistant",
        tool=event.tool,
        call=compact(event.fields),
        text=text if done else "",
        failed=failed,
        empty=not done or (failed and no_information(text)),
        agent=event.agent,
        call_id=event.call,
        cwd=cwd,
        command=outcome.command,
        purpose=outcome.purpose,
        shown=outcome.shown if done else (),
        writes=outcome.writes if done else (),
        neutral=outcome.neutral,
    )


def _seen(tool: str, response: object) -> str:
    """The text the model was given, as far as a structured result tells."""
    if isinstance(response, str):
        return response
    if isinstance(response, list):
        return "\n".join(block["text"] for block in response if isinstance(block, dict) and _is_text(block))
    if not isinstance(response, dict):
        return ""
    file = response.get("file")
    if tool == "Read" and isinstance(file, dict) and isinstance(file.get("content"), str):
        start = file.get("startLine")
        first = start if isinstance(start, int) and 0 < start < 1 << 31 else 1
        return "\n".join(f"{n:>6}→{line}" for n, line in enumerate(file["content"].split("\n"), first))
    said = [response[key].strip("\n") for key in ("stdout", "stderr") if isinstance(response.get(key), str)]
    if said:
        return "\n".join(filter(None, said))
    content = response.get("content")
    return content if isinstance(content, str) else _seen(tool, content) if isinstance(content, list) else ""


def _is_text(block: Mapping[str, Any]) -> bool:
    return isinstance(block.get("text"), str)
