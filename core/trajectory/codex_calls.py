"""Stage 1, Codex: calls and their answers -> what they show and write.

In: every call of a run in order, every answer. Out: the drafts closed. A patch writes what the client says it
changed (``patch_apply_end``); only without that is the patch itself read. ``write_stdin`` goes on with a command
started earlier: its output is that command's, its writes were counted when it was started.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from core.trajectory.claude_results import Outcome
from core.trajectory.claude_threads import Draft
from core.trajectory.codex_answers import Answer, Frame, never_ran, read_frame
from core.trajectory.codex_items import CallItem
from core.trajectory.drafting import answer, unanswered
from core.trajectory.editor_tools import plain_lines, shell_outcome
from core.trajectory.file_paths import absolute
from core.trajectory.patches import change_writes, patch_writes_or_doubt
from core.trajectory.shell import read_command
from core.trajectory.steps import Shown, Write

_BOOKKEEPING = frozenset(
    (
        "update_plan",
        "request_user_input",
        "request_permissions",
        "tool_search",
        "wait",
        "wait_agent",
        "send_input",
        "send_message",
        "close_agent",
        "resume_agent",
        "list_agents",
        "followup_task",
        "interrupt_agent",
        "get_goal",
        "create_goal",
        "update_goal",
    )
)
_NUMBERED = re.compile(r"L(\d{1,9}): (.*)")
_INTERACTIVE = re.compile(r"\s*(?:/\S*/)?(?:ba|z|da)?sh(?: -[il]+)*\s*")
Started = dict[str, CallItem]


def close_calls(
    calls: Iterable[tuple[Draft, CallItem]],
    nameless: Iterable[tuple[Draft, CallItem]],
    answers: dict[str, Answer],
    count: Callable[[str], None],
) -> None:
    """Close every call; O(text)."""
    every = [(draft, item, answers.get(item.call_id, item.answer)) for draft, item in calls]
    every += [(draft, item, item.answer) for draft, item in nameless]
    frames: dict[int, Frame] = {}
    started: Started = {}
    for draft, item, given in every:
        if given is not None and given.text is not None and (item.command or item.tool == "write_stdin"):
            framed = frames[id(draft)] = read_frame(given.text)
            if item.command and framed.session:
                started.setdefault(framed.session, item)
    for draft, item, given in every:
        if given is None or given.text is None:
            known = given or Answer(None, False, "", 0)
            unanswered_outcome = _outcome(item, Answer("", False, "", 0), None, started)
            unanswered(draft, unanswered_outcome)
            draft.writes = _changed(known, item) if item.tool == "apply_patch" else ()
            count("call without a result" if item.answerable else f"{item.tool} without its result")
            continue
        frame = frames.get(id(draft))
        failed = _failed(item, given, frame)
        outcome = _outcome(item, replace(given, failed=failed), frame, started)
        answer(draft, outcome, given.text, failed, given.time)
        draft.cwd = given.cwd or draft.cwd


def _failed(item: CallItem, given: Answer, frame: Frame | None) -> bool:
    if item.tool == "apply_patch":
        text = given.text or ""
        return given.failed or not given.applied or never_ran(text) or read_frame(text).exit_code not in (None, 0)
    codes = (given.exit_code, frame.exit_code if frame else None)
    return given.failed or any(code not in (None, 0) for code in codes)


def _outcome(item: CallItem, given: Answer, frame: Frame | None, started: Started) -> Outcome:
    if item.tool == "apply_patch":
        return Outcome("edit", writes=_patched(item, given))
    if item.tool == "write_stdin":
        return _stdin(item, given, frame, started)
    if item.command:
        cwd = given.cwd or item.cwd
        if frame is None:
            return replace(shell_outcome(item.command, cwd, "", True), shown=(), writes=())
        outcome = shell_outcome(item.command, cwd, frame.body, given.failed, frame.seen)
        if never_ran(given.text or ""):
            return replace(outcome, shown=(), writes=())
        if frame.session:  # what is still running has not printed everything
            return replace(outcome, shown=tuple(replace(view, whole=False) for view in outcome.shown))
        return outcome
    if item.tool == "read_file":
        return Outcome("read", () if given.failed else _numbered(item, given.text or ""))
    if item.tool in ("list_dir", "grep_files", "web_search"):
        wanted = next((v for key in ("pattern", "query", "dir_path") if isinstance(v := item.fields.get(key), str)), "")
        return Outcome("search", command=wanted)
    return Outcome("read" if item.tool == "view_image" else "run", neutral=item.tool in _BOOKKEEPING)


def _patched(item: CallItem, given: Answer) -> tuple[Write, ...]:
    """The writes of a patch: the client's own list of changes, else the patch as written."""
    if given.failed:
        return ()
    if given.changes:
        return _changed(given, item)
    text = item.fields.get("input", item.fields.get("patch"))
    text = text if isinstance(text, str) else item.call
    return patch_writes_or_doubt(text, item.cwd) if given.text else ()


def _changed(given: Answer, item: CallItem) -> tuple[Write, ...]:
    if not given.changes or not given.applied:
        return ()
    return tuple(w for path, change in given.changes.items() for w in change_writes(path, change, item.cwd))


def _stdin(item: CallItem, given: Answer, frame: Frame | None, started: Started) -> Outcome:
    """A poll of a running command, or text typed into it."""
    session = item.fields.get("session_id")
    origin = started.get(str(session)) if isinstance(session, int | str) else None
    if origin is None:
        return Outcome("run")
    typed = item.fields.get("chars")
    if isinstance(typed, str) and typed.strip() and _INTERACTIVE.fullmatch(origin.command):
        outcome = shell_outcome(typed, origin.cwd, frame.body if frame else "", given.failed)
        return replace(outcome, kind="run", shown=(), writes=outcome.writes if frame else ())
    action = read_command(origin.command, origin.cwd, plain_lines(frame.body if frame else ""), given.failed)
    return Outcome("run", command=origin.command, purpose=action.purpose)


def _numbered(item: CallItem, text: str) -> tuple[Shown, ...]:
    """The ``L12: text`` lines of a ``read_file``."""
    path = item.fields.get("file_path", item.fields.get("path"))
    rows = [match for line in text.split("\n") if (match := _NUMBERED.fullmatch(line))]
    if not isinstance(path, str) or not path or not rows:
        return ()
    start = int(rows[0][1])
    kept = [row[2] for at, row in enumerate(rows) if int(row[1]) == start + at]
    return (Shown(absolute(path, item.cwd), start, tuple(kept), "read"),) if start else ()
