"""Harness: a typed step as the harness sees it: a call with the repository paths it reads and would write, or a saying.

In: a ``Step``, and how its paths become paths of the repository (``replay.paths.Roots.key`` for a recorded run, the
project's folder for a live one). Out: ``Act``, and the events of Table 4 it is made of. One step at a time, pure.
A sub-agent's calls are ``hidden``: its writes are the project's, its reads and counters are not the agent's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.harness.files import BRIEF
from core.harness.signals import Call, Done
from core.trajectory.steps import Purpose, Step, StepKind

KeyOf = Callable[[str], str | None]
STATE_FOLDER = ".project_state"
_SHELLS = frozenset(
    {
        "bash",
        "shell",
        "exec_command",
        "local_shell",
        "local_shell_call",
        "run_shell_command",
        "execute_bash",
        "run",
        "terminal",
    }
)
_SUMMARIES = ("compact", "summary")
_SUMMARY_STARTS = ("This session is being continued from a previous conversation",)
_PATH_FIELDS = ("file_path", "path", "notebook_path", "filename")


@dataclass(frozen=True, slots=True)
class Act:
    """One step in the harness's terms; paths are the repository's, those of the state's own folder left out.

    ``normal``: its completion came back without failure. ``reads`` are files whose text it showed, ``searched`` files
    of which a search showed lines, ``edits`` files it would write by name. ``todo`` is the item a to-do call has in
    progress (None: no such call). ``brief``: it reads the working brief.
    """

    t: int
    kind: StepKind
    call: bool = False
    user: bool = False
    hidden: bool = False
    summary: bool = False
    tool: str = ""
    shell: bool = False
    normal: bool = True
    purpose: Purpose = ""
    command: str = ""
    text: str = ""
    reads: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    todo: str | None = None
    brief: bool = False

    @property
    def test(self) -> bool:
        """Whether it is a recognised test command."""
        return self.purpose == "test"


def act_of(step: Step, key: KeyOf, state_folder: str = STATE_FOLDER) -> Act:
    """The act of a step; O(what it shows and writes)."""
    call = step.kind != "say" and step.role == "assistant" and bool(step.tool)
    shown = _sorted_keys((s.path for s in step.shown if s.seen and s.source not in ("snippet", "summary")), key)
    named = [w.path for w in step.writes if w.op not in ("git", "opaque")]
    if step.kind == "edit" and not named:
        named = _named_in(step.call)
    edits = _sorted_keys(named, key)
    own = {p for p in (*shown, *edits) if p.startswith(state_folder + "/")}
    reading = step.kind in ("read", "run")
    return Act(
        t=step.t,
        kind=step.kind,
        call=call,
        user=step.role == "user",
        hidden=bool(step.agent),
        summary=step.role == "user"
        and step.kind == "say"
        and (step.tool in _SUMMARIES or step.text.startswith(_SUMMARY_STARTS)),
        tool=step.tool,
        shell=call and step.tool.lower() in _SHELLS,
        normal=not step.failed,
        purpose=step.purpose,
        command=step.command,
        text=step.text,
        reads=tuple(p for p in shown if reading and p not in own),
        searched=tuple(p for p in shown if not reading and step.kind == "search" and p not in own),
        edits=tuple(p for p in edits if p not in own),
        todo=_in_progress(step),
        brief=f"{state_folder}/{BRIEF}" in shown or (call and step.kind == "read" and BRIEF in step.command),
    )


def signal_events(act: Act) -> tuple[Call | None, Done | None]:
    """The proposed call and its normal completion as Table 4 counts them; None where there is none."""
    if not act.call or act.hidden:
        return None, None
    call = Call(shell=act.shell, edits=act.edits, test=act.test, brief=act.brief)
    done = Done(shell=act.shell, reads=act.reads, test=act.test) if act.normal else None
    return call, done


def _sorted_keys(paths: Iterable[str], key: KeyOf) -> tuple[str, ...]:
    return tuple(sorted({found for path in paths if path and (found := key(path)) is not None}))


def _named_in(call: str) -> list[str]:
    """The path an editing call names: of one that failed nothing else is known."""
    try:
        fields = json.loads(call)
    except (ValueError, RecursionError):
        return []
    if not isinstance(fields, dict):
        return []
    return [value for name in _PATH_FIELDS if isinstance(value := fields.get(name), str)]


def _in_progress(step: Step) -> str | None:
    """What a to-do list says is being done; "" when it says nothing is."""
    if step.tool not in ("TodoWrite", "update_plan") or step.failed:
        return None
    try:
        fields = json.loads(step.call)
    except (ValueError, RecursionError):
        return None
    items = (fields.get("todos") or fields.get("plan")) if isinstance(fields, dict) else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and item.get("status") == "in_progress":
            said = (item.get(name) for name in ("activeForm", "content", "step"))
            return next((text for text in said if isinstance(text, str) and text), "")
    return ""
