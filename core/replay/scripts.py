"""Replay: the scripts that a step runs are worked out on the state (METHOD 4).

In: the ``State``, a step, the script that its opaque writes carry. Out: the state moved on, or the writes that the
script's text alone states where the interpreter (replay.script) does not know it or the transcript speaks against it:
another exit status than the command's, or lines it would have printed that the output does not show.
"""

from __future__ import annotations

from typing import Literal

from core.replay.script.run import Outcome, run_script
from core.replay.state import State
from core.trajectory.shell import read_command, scripts_run
from core.trajectory.shell_python import SCRIPT, SCRIPT_FAILED, literal_writes, python_writes
from core.trajectory.steps import Step, Write

HOW = "python"


def is_script(write: Write) -> bool:
    """Whether an opaque write carries the script that made it."""
    return write.op == "opaque" and write.args[:1] in ((SCRIPT,), (SCRIPT_FAILED,))


def run_files(state: State, step: Step) -> list[Write]:
    """The writes of the scripts that ``step`` runs and the run wrote itself, as their text states them."""
    if step.kind != "run" or not step.command:
        return []
    found: list[Write] = []
    for path, cwd in scripts_run(step.command, step.cwd):
        key = state.any_key(path)
        known = key in state.written or key.startswith("/")
        text = state.text(key) if known else None
        if text is None and known:  # removed again after it ran
            text = next(reversed(state.older.get(key, [])), None)
        if text is None:
            continue
        if path.endswith(".py"):
            found += python_writes(text, cwd)
        elif cwd is not None:
            found += read_command(text, cwd, "", False).writes
    if not step.failed:
        return found
    return [
        Write(w.path, "opaque", args=(SCRIPT_FAILED, *w.args[1:]))
        if is_script(w)
        else Write(w.target or w.path, "opaque")
        for w in found
    ]


def perform_script(state: State, step: Step, args: tuple[str, ...]) -> list[Write]:
    """Carries out a script, or says which writes stand for it; bounded work, the script itself is never run."""
    kind, cwd, source = args
    uncertain: set[str] = set()

    def reader(path: str) -> str | Literal[False] | None:
        key = state.any_key(path)
        status = state.status(key)
        if key in state.opaque:
            uncertain.add(key)
        if status == "text":
            return state.text(key)
        return None if status == "unknown" or key in state.opaque or state.is_folder(key) else False

    outcome = run_script(source, cwd, reader)
    if outcome is None or not _agrees(outcome, step, kind):
        writes = literal_writes(source, cwd)
        return [Write(w.target or w.path, "opaque") for w in writes] if kind == SCRIPT_FAILED else writes
    for path, text in outcome.files:
        key = state.any_key(path)
        if key.startswith("/"):
            state.outside[path] += 1
            state.set_text(key, text)
        elif state.is_gone(key):
            state.unapplied.append((step.t, key, "its folder is gone"))
        else:
            state.record(step, key, text, HOW, certain=not uncertain)
    return []


def _agrees(outcome: Outcome, step: Step, kind: str) -> bool:
    """Whether the transcript shows the script ending as it was worked out."""
    said = {line.strip() for line in step.text.split("\n")}
    printed = [line.strip() for line in outcome.printed if line.strip()]
    piped = "|" in step.command or ">" in step.command.replace("<<", "")
    shown = [line in said for line in printed]
    if printed and not (shown[-1] if piped else all(shown)):
        return False
    traced = "Traceback (most recent call last)" in step.text
    if outcome.raised:
        return traced
    if kind == SCRIPT_FAILED and outcome.good:
        return bool(printed) and shown[-1] and not traced
    return True
