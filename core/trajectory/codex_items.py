"""Stage 1, Codex: response items -> what was said and what was called.

In: the payload of a ``response_item`` (or an item older versions write without an envelope). Out: texts, and
``CallItem``s whose shell command, patch or fields later parts read without knowing which of Codex's many tools
it came from.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from core.trajectory.codex_answers import Answer
from core.trajectory.drafting import Place
from core.trajectory.file_paths import absolute
from core.trajectory.json_lines import Record, compact

# How the texts begin that the client puts into the user's place; they are part of the system prompt.
_CONTEXT = {
    "# AGENTS.md instructions": "AGENTS.md",
    "<INSTRUCTIONS>": "AGENTS.md",
    "<user_instructions>": "AGENTS.md",
    "<environment_context>": "environment",
    "<environments>": "environment",
    "<permissions instructions>": "permissions",
    "<collaboration_mode>": "collaboration mode",
    "<apps_instructions>": "apps",
    "<skills_instructions>": "skills",
    "<plugins_instructions>": "plugins",
    "<personality_spec>": "personality",
    "<model_switch>": "model",
}
_SHELLS = frozenset(("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh"))
_SHELL_TOOLS = frozenset(
    ("exec_command", "shell", "shell_command", "local_shell", "container.exec", "run_shell_command", "unified_exec")
)


@dataclass(slots=True)
class CallItem:
    """One call: its tool, what the model wrote, its id and fields, the folder it names ("" if none).

    ``command`` is the shell command, "" for other tools; ``answerable`` is false where the file never holds the
    answer; ``answer`` is filled for calls without an id, others are answered by it.
    """

    tool: str
    call: str
    call_id: str
    fields: dict[str, Any]
    cwd: str = ""
    command: str = ""
    answerable: bool = True
    answer: Answer | None = field(default=None)


def said_texts(item: Record, count: Callable[[str], None]) -> tuple[list[str], list[str]]:
    """The texts of a message, and the names of those left out because they belong to the system prompt.

    An image becomes ``[image]``; blocks without text are counted.
    """
    content = item.get("content")
    texts: list[str] = []
    context: list[str] = []
    by_user = item.get("role") == "user" or item.get("type") == "UserMessage"
    for block in [content] if isinstance(content, str) else content if isinstance(content, list) else []:
        text = block if isinstance(block, str) else block.get("text") if isinstance(block, dict) else None
        if isinstance(text, str):
            start = text.lstrip()
            name = next((name for head, name in _CONTEXT.items() if by_user and start.startswith(head)), "")
            if name:
                context.append(name)
            elif text:
                texts.append(text)
        elif isinstance(block, dict) and "image" in str(block.get("type")):
            texts.append("[image]")
        else:
            count(f"block:{block.get('type') if isinstance(block, dict) else type(block).__name__}")
    return texts, context


def read_call(item: Record, place: Place) -> CallItem | None:
    """The call an item is, None when it is none."""
    kind, call_id = item.get("type"), _string(item.get("call_id"))
    if kind in ("function_call", "custom_tool_call", "tool_call", "mcp_call"):
        return _function(item, call_id, place)
    if kind == "local_shell_call":
        action = item.get("action")
        fields = action if isinstance(action, dict) else {}
        return _shell("local_shell", fields, compact(fields), call_id or _string(item.get("id")), place)
    if kind == "web_search_call":
        action = item.get("action")
        fields = action if isinstance(action, dict) else {}
        found = next((v for key in ("query", "url", "pattern") if (v := _string(fields.get(key)))), "")
        call_id = call_id or _string(item.get("id"))
        return CallItem("web_search", compact(fields), call_id, {"query": found}, answerable=False)
    if kind == "tool_search_call":
        return CallItem("tool_search", compact(item.get("arguments")), call_id, {})
    if kind == "image_generation_call":
        wanted = _string(item.get("revised_prompt"))
        answer = Answer("[image]", False, place.time, place.line)
        return CallItem("image_generation", wanted, call_id or _string(item.get("id")), {}, answer=answer)
    return None


def _function(item: Record, call_id: str, place: Place) -> CallItem:
    function = item.get("function")
    name = _string(item.get("name")) or (_string(function.get("name")) if isinstance(function, dict) else "")
    given = item.get("arguments", item.get("input"))
    fields = given if isinstance(given, dict) else _object(given)
    written = given if isinstance(given, str) and not fields else compact(fields)
    tool = name or "tool"
    if tool in _SHELL_TOOLS:
        return _shell(tool, fields, written, call_id, place)
    cwd = absolute(_string(fields.get("workdir")), place.cwd) or place.cwd
    return CallItem(tool, written, call_id, fields, cwd)


def _shell(tool: str, fields: dict[str, Any], written: str, call_id: str, place: Place) -> CallItem:
    folder = next((v for key in ("workdir", "working_directory", "cwd") if (v := _string(fields.get(key)))), "")
    command = command_of(fields.get("cmd", fields.get("command")))
    return CallItem(tool, written, call_id, fields, absolute(folder, place.cwd) or place.cwd, command)


def command_of(given: object) -> str:
    """A shell command given as a text or as words; the script of ``bash -lc SCRIPT`` stands for the whole."""
    if isinstance(given, str):
        return given
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        return ""
    if len(given) == 3 and given[0] in _SHELLS and given[1] in ("-lc", "-c", "-ic"):
        return str(given[2])
    return shlex.join(given)


def _object(given: object) -> dict[str, Any]:
    """A JSON object written as a text, {} for anything else."""
    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return {}
    try:
        value = orjson.loads(given)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
