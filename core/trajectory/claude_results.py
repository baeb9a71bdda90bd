"""Stage 1, Claude Code: one tool call with its result -> what it shows and what it writes.

In: the tool's name and input, the text the model was given, and the client's own structured result
(``toolUseResult``), which is richer but absent in some files, a string for failed calls and a list for
MCP tools. Out: an ``Outcome``. Files shown or written come from the structured result where there is
one, else from the call and the text.

Departs from real files, by the documented shape only: NotebookEdit, ``file_unchanged`` reads and
Windows paths were never seen in a recorded run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from core.trajectory import shell
from core.trajectory.file_paths import absolute
from core.trajectory.steps import Hunk, Purpose, Shown, ShownSource, StepKind, Write

Fields = dict[str, Any]

_NUMBERED = re.compile(r" *(\d{1,9})[→\t](.*)")
_PREVIEW = re.compile(r"Preview \(first [^)]*\):\n(.*?)(?:\n\.\.\.)?\n?</persisted-output>", re.S)
_CUT = re.compile(r"\n\n\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\.")
_CWD_RESET = re.compile(r"\n?Shell cwd was reset to [^\n]*\s*$")
# Results of calls that were refused before they ran: such a call can have changed nothing.
_NEVER_RAN = ("The user doesn't want to", "<tool_use_error>", "Permission to use", "[Request interrupted")
_NO_INFORMATION = ("Sibling tool call errored", "Cancelled: parallel tool call")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call and everything known about its result; ``rich`` is ``toolUseResult``, {} when it is not an object."""

    name: str
    fields: Fields
    text: str
    rich: Fields
    cwd: str
    failed: bool = False

    @property
    def never_ran(self) -> bool:
        """Whether the result says that the call was refused before it did anything."""
        return self.failed and self.text.startswith(_NEVER_RAN)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call was and did; ``command`` is the shell command, or a search written as one."""

    kind: StepKind
    shown: tuple[Shown, ...] = ()
    writes: tuple[Write, ...] = ()
    command: str = ""
    purpose: Purpose = ""
    neutral: bool = False


def read_outcome(call: ToolCall) -> Outcome:
    """The outcome of ``call``; a failed one shows and writes nothing, unless it is a shell command that did run."""
    reader = _TOOLS.get(call.name) or _by_shape(call.rich)
    if reader is None:
        return Outcome("run", neutral=call.name in _BOOKKEEPING)
    outcome = reader(call)
    if call.failed and reader not in (_shell, _shell_output):
        return replace(outcome, shown=(), writes=())
    return outcome


def no_information(text: str) -> bool:
    """Whether a failed call's result only says that another call of the same message failed."""
    return any(phrase in text[:200] for phrase in _NO_INFORMATION)


def numbered_runs(text: str) -> list[tuple[int, list[str]]]:
    """Each run of consecutively numbered lines in ``text``, as (first number, lines without their numbers), in order.

    Both marks are known, ``     1→`` and ``1<tab>``. A run ends at the first line that does not carry the
    next number, which leaves out the reminders behind it.
    """
    runs: list[tuple[int, list[str]]] = []
    following = 0
    for line in text.split("\n"):
        match = _NUMBERED.fullmatch(line)
        if match is None:
            following = 0
            continue
        number = int(match[1])
        if number == following:
            runs[-1][1].append(match[2])
        else:
            runs.append((number, [match[2]]))
        following = number + 1
    return runs


def file_view(file: Fields, text: str | None, cwd: str, source: ShownSource) -> tuple[Shown, ...]:
    """What a ``{filePath, content, startLine, numLines, totalLines}`` shows, at most one item.

    A view that reaches the end of a file with a final newline carries one empty line that is not in the
    file; it is left out. With ``text`` (the numbered lines the model was given), only lines that also
    stand there are shown: a result can be cut shorter than the client's own copy.
    """
    path, content = file.get("filePath"), file.get("content")
    if not isinstance(path, str) or not isinstance(content, str):
        return ()
    start = max(1, _int(file.get("startLine"), 1))
    lines = content.split("\n")
    if text is not None and lines != [""]:
        last = start + len(lines) - 1
        if f"{last}→" not in text and f"{last}\t" not in text:
            lines = next((lines for first, lines in numbered_runs(text)[:1] if first == start), [])
    total = _int(file.get("totalLines"), 1 << 31)
    reached_end = start + len(lines) - 1 >= total
    if reached_end and lines and lines[-1] == "":
        lines.pop()
    whole = reached_end and start == 1
    return (Shown(absolute(path, cwd), start, tuple(lines), source, whole),) if lines or whole else ()


def _read(call: ToolCall) -> Outcome:
    if call.rich:
        file = call.rich.get("file")
        if call.rich.get("type") == "text" and isinstance(file, dict):
            return Outcome("read", file_view(file, call.text, call.cwd, "read"))
        return Outcome("read")  # an image, a notebook, a file said to be unchanged: no lines of text
    path, limit, offset = _path(call), _int(call.fields.get("limit"), 0), _int(call.fields.get("offset"), 0)
    runs = numbered_runs(call.text)[:1]
    if not path or not runs or (offset > 0 and runs[0][0] != offset):
        return Outcome("read")
    start, lines = runs[0]
    # Without the structured result nothing says how long the file is: fewer lines than asked for (2,000
    # when nothing was asked) means its end was reached, and an empty line there is the phantom one.
    reached_end = len(lines) < (limit or 2000)
    if lines[-1] == "":
        lines.pop()
    shown = Shown(absolute(path, call.cwd), start, tuple(lines), "read", reached_end and start == 1)
    return Outcome("read", (shown,))


def _edit(call: ToolCall) -> Outcome:
    path = _path(call)
    old = _text(call.rich, "oldString") or _text(call.fields, "old_string")
    new = _text(call.rich, "newString") if "newString" in call.rich else _text(call.fields, "new_string")
    everywhere = bool(call.rich.get("replaceAll", call.fields.get("replace_all", False)))
    hunks = read_hunks(call.rich.get("structuredPatch"))
    if call.rich.get("userModified") is True and hunks:
        write = Write(path, "patch", new=new, hunks=hunks)
    elif not old:
        write = Write(path, "put", new=new, hunks=hunks)
    else:
        write = Write(path, "edit", new=new, old=old, replace_all=everywhere, hunks=hunks)
    return Outcome("edit", _original(call, path) + _snippet(call, path), (write,) if path else ())


def _multi_edit(call: ToolCall) -> Outcome:
    path = _path(call)
    given = call.rich.get("edits") or call.fields.get("edits")
    edits = [edit for edit in given if isinstance(edit, dict)] if isinstance(given, list) else []
    # The patch is of all edits together: it can place a write only when there is one.
    hunks = read_hunks(call.rich.get("structuredPatch")) if len(edits) == 1 else ()
    writes = tuple(
        Write(path, "edit", new, old, bool(edit.get("replace_all")), hunks=hunks) if old else Write(path, "put", new)
        for edit in edits
        for old, new in [(_text(edit, "old_string"), _text(edit, "new_string"))]
    )
    return Outcome("edit", _original(call, path) + _snippet(call, path), writes if path else ())


def _write(call: ToolCall) -> Outcome:
    path = _path(call)
    source = call.rich if isinstance(call.rich.get("content"), str) else call.fields
    write = Write(path, "put", new=_text(source, "content"), hunks=read_hunks(call.rich.get("structuredPatch")))
    known = isinstance(source.get("content"), str)
    return Outcome("edit", _original(call, path) + _snippet(call, path), (write,) if path and known else ())


def _notebook_edit(call: ToolCall) -> Outcome:
    path = _path(call)
    updated = call.rich.get("updated_file")
    if not path or call.rich.get("error"):
        return Outcome("edit")
    if isinstance(updated, str) and updated:
        return Outcome("edit", _original(call, path), (Write(path, "put", new=updated),))
    new = _text(call.rich, "new_source") or _text(call.fields, "new_source")
    return Outcome("edit", (), (Write(path, "opaque", new=new),))


def _shell(call: ToolCall) -> Outcome:
    command = _text(call.fields, "command")
    action = shell.read_command(command, call.cwd, _stdout(call), call.failed)
    if call.never_ran:
        return Outcome(action.kind, command=command, purpose=action.purpose)
    shown, seen = action.shown, _before_cut(call.text)
    if seen is not None:
        cut = shell.read_command(command, call.cwd, seen, call.failed)
        shown = tuple(replace(item, whole=False) for item in cut.shown)
    return Outcome(action.kind, shown, action.writes, command, action.purpose)


def _shell_output(call: ToolCall) -> Outcome:
    """Output of a command started earlier in the background; its writes were counted when it was started."""
    command = _text(call.rich, "command")
    if not command:
        return Outcome("run")
    action = shell.read_command(command, call.cwd, _text(call.rich, "stdout"), call.failed)
    return Outcome("run", command=command, purpose=action.purpose)


def _stdout(call: ToolCall) -> str:
    """What the command printed, as whole as the transcript has it."""
    stdout = call.rich.get("stdout")
    if isinstance(stdout, str) and (stdout.strip() in call.text or "<persisted-output>" in call.text):
        return stdout
    return _CWD_RESET.sub("", call.text)


def _before_cut(text: str) -> str | None:
    """The whole lines a shortened output starts with, None if the model was given all of it.

    A preview and a cut in the middle both end at a character count, so their last line may be part of one.
    """
    preview = _PREVIEW.search(text) if "<persisted-output>" in text else None
    mark = None if preview else _CUT.search(text)
    if preview is None and mark is None:
        return "" if "<persisted-output>" in text else None
    seen = preview[1] if preview else text[: mark.start() if mark else 0]
    return seen.rpartition("\n")[0]


def _grep(call: ToolCall) -> Outcome:
    fields, path = call.fields, _text(call.fields, "path")
    words = ["rg"]
    for flag in ("-i", "-n"):
        words += [flag] if fields.get(flag) is True else []
    for flag in ("-A", "-B", "-C"):
        words += [flag, str(fields[flag])] if isinstance(fields.get(flag), int) else []
    for option in ("glob", "type"):
        words += [f"--{option}", _text(fields, option)] if fields.get(option) else []
    mode = call.rich.get("mode", fields.get("output_mode", "files_with_matches"))
    words += {"count": ["-c"], "content": []}.get(str(mode), ["-l"])
    command = shlex.join([*words, _text(fields, "pattern"), *([path] if path else [])])
    if mode != "content":
        return Outcome("search", command=command)
    content = call.rich.get("content")
    output = content if isinstance(content, str) and call.text.startswith(content) else call.text
    shown = shell.parse_search_output(output, call.cwd, default_path=absolute(path, call.cwd))
    return Outcome("search", shown, command=command)


def _glob(call: ToolCall) -> Outcome:
    path = _text(call.fields, "path")
    words = ["fd", "--glob", _text(call.fields, "pattern"), *([path] if path else [])]
    return Outcome("search", command=shlex.join(words))


def _ls(call: ToolCall) -> Outcome:
    return Outcome("search", command=shlex.join(["ls", _text(call.fields, "path") or "."]))


def _search_elsewhere(call: ToolCall) -> Outcome:
    return Outcome("search", command=_text(call.fields, "query") or _text(call.fields, "url"))


def _by_shape(rich: Fields) -> Callable[[ToolCall], Outcome] | None:
    """The reader for a result whose call is not in the file, judged by the fields only that tool writes."""
    if isinstance(rich.get("file"), dict) and isinstance(rich.get("type"), str):
        return _read
    if "structuredPatch" in rich and "filePath" in rich:
        return _multi_edit if "edits" in rich else _edit if "newString" in rich else _write
    return None


def read_hunks(patch: object) -> tuple[Hunk, ...]:
    """The hunks of a ``structuredPatch``; items of another shape are left out."""
    hunks = []
    for item in patch if isinstance(patch, list) else ():
        if not isinstance(item, dict) or not isinstance(item.get("lines"), list):
            continue
        lines = tuple(
            line or " " for line in item["lines"] if isinstance(line, str) and line[:1] in (" ", "-", "+", "")
        )
        hunks.append(Hunk(_int(item.get("oldStart"), 1), _int(item.get("newStart"), 1), lines))
    return tuple(hunks)


def _original(call: ToolCall, path: str) -> tuple[Shown, ...]:
    """The whole file before the write, which the client recorded and the model was not shown."""
    for key in ("originalFile", "originalFileContents", "original_file"):
        text = call.rich.get(key)
        if isinstance(text, str) and path:
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            return (Shown(path, 1, tuple(lines), "original", whole=True, seen=False),)
    return ()


def _snippet(call: ToolCall, path: str) -> tuple[Shown, ...]:
    """The numbered lines some versions put into the result of a successful edit.

    Near the end of a file the last one is the empty line that is not in it, as in a read; nothing in the
    result tells it from a blank line of the file, so an empty last line is never claimed.
    """
    at = call.text.find("`cat -n`")
    if at < 0 or not path:
        return ()
    for start, lines in numbered_runs(call.text[at:])[:1]:
        kept = lines[:-1] if lines[-1] == "" else lines
        return (Shown(path, start, tuple(kept), "snippet"),) if kept else ()
    return ()


def _path(call: ToolCall) -> str:
    for fields, key in (
        (call.rich, "filePath"),
        (call.rich, "notebook_path"),
        (call.fields, "file_path"),
        (call.fields, "notebook_path"),
        (call.fields, "path"),
    ):
        path = fields.get(key)
        if isinstance(path, str) and path:
            return absolute(path, call.cwd)
    return ""


def _text(fields: Fields, key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _int(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31 else default


# To-do lists, plans, questions and the client's own housekeeping: they touch no file and observe none.
_BOOKKEEPING = frozenset(
    (
        "TodoWrite",
        "TodoRead",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "TaskGet",
        "EnterPlanMode",
        "ExitPlanMode",
        "exit_plan_mode",
        "AskUserQuestion",
        "ToolSearch",
        "Skill",
        "SlashCommand",
        "ScheduleWakeup",
        "CronCreate",
        "CronDelete",
        "CronList",
        "TeamCreate",
        "TeamDelete",
        "SendMessage",
        "StructuredOutput",
    )
)
_TOOLS: dict[str, Callable[[ToolCall], Outcome]] = {
    "Read": _read,
    "NotebookRead": _read,
    "Edit": _edit,
    "MultiEdit": _multi_edit,
    "Write": _write,
    "NotebookEdit": _notebook_edit,
    "Bash": _shell,
    "bash": _shell,
    "BashOutput": _shell_output,
    "Grep": _grep,
    "Glob": _glob,
    "LS": _ls,
    "WebSearch": _search_elsewhere,
    "WebFetch": _search_elsewhere,
}
