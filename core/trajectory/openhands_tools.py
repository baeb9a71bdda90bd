"""Stage 1, OpenHands: one action and its observation -> what it shows and writes.

In: an ``Event`` of each. Out: a ``Done``. Actions: ``run`` (a shell that lives on; with ``is_input`` text for what
still runs in it), ``run_ipython`` (Python, and the file functions of the old ``agentskills``), ``read``, ``edit``
and ``write``. A failed edit is an edit observation too, one that begins with "ERROR:".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from core.trajectory.claude_results import Outcome
from core.trajectory.editor_tools import (
    before_clip,
    editor_failed,
    editor_outcome,
    found_lines,
    inserted,
    shell_outcome,
    where_stands,
    windows,
)
from core.trajectory.file_paths import absolute
from core.trajectory.json_lines import Record
from core.trajectory.shell import read_command
from core.trajectory.shell_python import parsed_script, python_writes
from core.trajectory.steps import Shown, Write

_PROMPT = re.compile(r"\r?\n?[\w.-]+@[\w.-]+:(\S+) [#$] ?$")
_JUPYTER = re.compile(r"\n?\[Jupyter current working directory: (.+?)\]")
_NOT_APPLIED = ("Your proposed edit has introduced", "Your changes have NOT been applied", "No changes made")
_NEUTRAL = frozenset(("think", "finish", "reject", "task_tracking", "add_task", "modify_task", "summarize"))
_SEARCHES = frozenset(("browse", "browse_interactive"))
_SKILLS_READ = frozenset(("open_file", "goto_line", "scroll_down", "scroll_up"))
_SKILLS_SEARCH = frozenset(("search_dir", "search_file", "find_file"))
_SKILLS_EDIT = frozenset(
    ("create_file", "edit_file_by_replace", "edit_file_by_line", "insert_content_at_line", "append_file", "edit_file")
)
_TAIL = 400  # a prompt is looked for only at the end of an output


@dataclass(frozen=True, slots=True)
class Event:
    """An event of either generation: fields stand in ``args``/``extras`` or, in the old format, beside ``action``."""

    action: str
    observation: str
    source: str
    given: Record
    content: str
    tool: str = ""
    call_id: str = ""
    written: str = ""
    response: Record = field(default_factory=dict)
    metadata: Record = field(default_factory=dict)

    @classmethod
    def of(cls, raw: Record) -> Event:
        """The event a record is; unknown fields are kept aside."""
        action, observation = _string(raw.get("action")), _string(raw.get("observation"))
        inner = raw.get("args") if action else raw.get("extras")
        given = inner if isinstance(inner, dict) else {key: raw[key] for key in raw if key not in ("action", "source")}
        call = _record(raw.get("tool_call_metadata"))
        response, call_id = _record(call.get("model_response")), _string(call.get("tool_call_id"))
        return cls(
            action if not observation else "",
            observation,
            _string(raw.get("source")),
            given,
            _string(raw.get("content")),
            _string(call.get("function_name")) or action,
            call_id,
            _arguments(response, call_id),
            response,
            _record(given.get("metadata")) if observation else {},
        )

    def text(self, key: str) -> str:
        """A field that is a text, "" if it is not."""
        return _string(self.given.get(key))

    @property
    def said(self) -> str:
        """The text the model was given."""
        return f"{_string(self.metadata.get('prefix'))}{self.content}{_string(self.metadata.get('suffix'))}"

    @property
    def exit_code(self) -> int:
        """The exit code, 0 where none is given; -1 stands for a command still running."""
        for holder in (self.metadata, self.given):
            code = holder.get("exit_code")
            if isinstance(code, int) and not isinstance(code, bool):
                return code
        return 0

    @property
    def folder(self) -> str:
        """The folder the shell or the notebook is in afterwards, "" if the event does not say."""
        folder = _string(self.metadata.get("working_dir"))
        if folder:
            return folder
        end = self.content[-_TAIL:] if self.observation else ""
        found = _JUPYTER.search(end) or _PROMPT.search(end)
        return found[1] if found and found[1].startswith("/") else ""

    @property
    def is_input(self) -> bool:
        """Whether a ``run`` only gives input to what runs already."""
        return self.given.get("is_input") is True

    @property
    def waits(self) -> bool:
        """Whether a message waits for an answer."""
        return self.given.get("wait_for_response") is True

    @property
    def ends_the_run(self) -> bool:
        """Whether an action needs no answer."""
        return self.action in ("finish", "reject")


@dataclass(frozen=True, slots=True)
class Done:
    """What an action did, and whether it failed."""

    failed: bool
    outcome: Outcome


def working_folder(raw: Record) -> str:
    """The folder an observation names, "" if none."""
    return Event.of(raw).folder if isinstance(raw.get("observation"), str) else ""


def outcome_of(action: Event, observed: Event | None, cwd: str, running: str) -> Done:
    """What one action did; ``observed`` is None when its observation is missing, ``running`` what still runs."""
    content = observed.content if observed is not None else ""
    failed = observed is None or observed.observation in ("error", "user_rejected")
    if action.action == "run":
        return _run(action, observed, cwd, running, failed)
    if action.action == "run_ipython":
        return _ipython(action.text("code"), content, cwd, failed)
    if action.action in ("read", "edit", "write"):
        failed = failed or editor_failed(content)
        reader: dict[str, Callable[[Event, Event | None, str, bool], Outcome]]
        reader = {"read": _read, "edit": _edit, "write": _write}
        return Done(failed, reader[action.action](action, observed, cwd, failed))
    kind = "search" if action.action in _SEARCHES else "run"
    return Done(
        failed and observed is not None,
        Outcome("search" if kind == "search" else "run", neutral=action.action in _NEUTRAL),
    )


def _run(action: Event, observed: Event | None, cwd: str, running: str, failed: bool) -> Done:
    command, content = action.text("command"), observed.content if observed is not None else ""
    failed = failed or (observed is not None and observed.exit_code not in (0, -1))
    output = content[:-_TAIL] + _PROMPT.sub("", content[-_TAIL:])
    body, cut = before_clip(output)
    if action.is_input:
        purpose = read_command(running, cwd, output, failed).purpose if running else ""
        return Done(failed, Outcome("run", command=running or command, purpose=purpose))
    outcome = shell_outcome(command, cwd, output, failed, body if cut else None)
    if observed is None:
        outcome = replace(outcome, shown=(), writes=())
    elif observed.exit_code == -1:
        outcome = replace(outcome, shown=tuple(replace(view, whole=False) for view in outcome.shown))
    return Done(failed and observed is not None, outcome)


def _read(action: Event, observed: Event | None, cwd: str, failed: bool) -> Outcome:
    path, content = action.text("path"), observed.content if observed is not None else ""
    if failed:
        return Outcome("read")
    if "`cat -n`" in content[:400]:
        fields = {"command": "view", "path": path, "view_range": action.given.get("view_range")}
        return editor_outcome(fields, content, cwd, False)
    start, end = action.given.get("start"), action.given.get("end")
    first = start if isinstance(start, int) and not isinstance(start, bool) and 0 <= start < 1 << 31 else 0
    body, cut = before_clip(content)
    lines = body.split("\n")
    if lines[-1] == "":
        lines.pop()
    whole = first == 0 and end in (-1, None) and not cut
    path = absolute(path, cwd)
    return Outcome("read", (Shown(path, first + 1, tuple(lines), "read", whole),) if path and (lines or whole) else ())


def _edit(action: Event, observed: Event | None, cwd: str, failed: bool) -> Outcome:
    content = observed.content if observed is not None else ""
    if action.text("command"):
        return editor_outcome(action.given, content, cwd, failed)
    path = absolute(action.text("path"), cwd)
    if failed or not path or observed is None:
        return Outcome("edit")
    # An edit drafted by another model: the client recorded the whole file before and after it.
    old, new = observed.given.get("old_content"), observed.given.get("new_content")
    shown: tuple[Shown, ...] = ()
    if isinstance(old, str):
        lines = old.split("\n")
        shown = (Shown(path, 1, tuple(lines[:-1] if lines[-1] == "" else lines), "original", True, False),)
    write = Write(path, "put", new=new) if isinstance(new, str) else Write(path, "opaque")
    return Outcome("edit", shown, (write,))


def _write(action: Event, observed: Event | None, cwd: str, failed: bool) -> Outcome:
    path, content = absolute(action.text("path"), cwd), action.given.get("content")
    if failed or not path:
        return Outcome("edit")
    everything = action.given.get("start") in (0, None) and action.given.get("end") in (-1, None)
    whole = everything and isinstance(content, str)
    return Outcome("edit", (), (Write(path, "put", new=action.text("content")) if whole else Write(path, "opaque"),))


def _ipython(code: str, content: str, cwd: str, failed: bool) -> Done:
    """A cell: the calls of ``agentskills`` it makes at its top level, else Python."""
    calls = _skill_calls(code)
    if not calls:
        failed = failed or "Traceback (most recent call last)" in content
        writes = tuple(python_writes(code, cwd)) if not failed else ()
        return Done(failed, Outcome("run", (), writes))
    refused = any(words in content for words in _NOT_APPLIED) or content.lstrip().startswith("ERROR")
    failed = failed or refused
    names = {name for name, _ in calls}
    if not names & _SKILLS_EDIT:
        kind = "read" if names & _SKILLS_READ else "search"
        shown = tuple(window.shown("read") for window in windows(content, cwd))
        if kind == "search":
            shown = _searched(calls, content, cwd)
        return Done(failed, Outcome("read" if kind == "read" else "search", () if failed else shown))
    snippet = tuple(window.shown("snippet") for window in windows(content, cwd)) if not failed else ()
    edits = [(name, fields) for name, fields in calls if name in _SKILLS_EDIT]
    writes = tuple(write for name, fields in edits for write in [_skill_write(name, fields, cwd, snippet)] if write)
    return Done(failed, Outcome("edit", snippet, () if failed else writes))


def _searched(calls: list[tuple[str, list[Any]]], content: str, cwd: str) -> tuple[Shown, ...]:
    found = [values for name, values in calls if name == "search_file" and len(values) > 1]
    path = absolute(found[0][1], cwd) if len(found) == 1 and isinstance(found[0][1], str) else ""
    return found_lines(content, path) if path and len(calls) == 1 else ()


def _skill_calls(code: str) -> list[tuple[str, list[Any]]]:
    """(Function, literal values of its arguments in order) of each known call in a cell; None for other values."""
    tree = parsed_script(code)
    if tree is None:
        return []
    known = _SKILLS_READ | _SKILLS_SEARCH | _SKILLS_EDIT
    calls = []
    for statement in tree.body:
        node = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in known:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            calls.append((node.func.id, [item.value if isinstance(item, ast.Constant) else None for item in given]))
    return calls


def _skill_write(name: str, values: list[Any], cwd: str, snippet: tuple[Shown, ...]) -> Write | None:
    path = absolute(values[0], cwd) if values and isinstance(values[0], str) else ""
    if not path:
        return None
    match name, values[1:]:
        case "create_file", _:
            return Write(path, "put", new="\n")
        case "edit_file_by_replace", [str(old), str(new)] if old:
            return Write(path, "edit", new, old, hunks=where_stands(new, snippet))
        case "insert_content_at_line", [int(line), str(text)] if line >= 1:
            return inserted(path, line - 1, text.removesuffix("\n").split("\n"))
    return Write(path, "opaque")


def _arguments(response: Record, call_id: str) -> str:
    """The arguments of a call as the model wrote them."""
    choices = response.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        calls = _record(_record(choice).get("message")).get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("id") == call_id and call_id:
                return _string(_record(call.get("function")).get("arguments"))
    return ""


def _record(value: object) -> Record:
    return value if isinstance(value, dict) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
