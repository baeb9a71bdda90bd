"""Live: what a hook answers: the brief when it is due, what a change may affect, reminders; never a decision.

In: the steps an event made, and the state after it. Out: JSON of the hooks' protocol. ``additionalContext`` reaches
the agent, ``systemMessage`` the person; nothing here blocks, denies or changes a call.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from core.harness.brief_file import write_brief
from core.harness.diagnosis import signal_words
from core.harness.files import BRIEF, LOG, RELATIONS, TASK
from core.harness.project_state import Problem, Relation
from core.harness.relation_entries import relation_line
from core.harness.run import HarnessStep
from core.harness.skills_file import FILE as SKILLS
from storage.live.client import FOLDER
from storage.live.live import Live

# Events whose output carries text for the agent (that of PreToolUse does in newer clients only).
HEARD = frozenset({"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"})
_OPENED = 6  # relations of one change that are named
_PROBLEMS = 5
_CONTEXT = 12_000  # characters of one answer
START = f"""\
The state of this project is kept in {FOLDER}/ while you work, by fixed rules from what you do. Read {FOLDER}/{BRIEF} \
when you have lost the thread. You may write into {TASK} (current focus, hypothesis), append to {LOG} (findings, \
decisions, assumptions given up, with reasons), add or tick relations in {RELATIONS} and set guidance in {SKILLS}: \
keep their form; what you write stands. Before you finish, look at what is still open there and run the tests that \
matter."""


def told(steps: Sequence[HarnessStep], live: Live, session: str, problems: Sequence[Problem]) -> list[str]:
    """What the steps of an event give to tell the agent, in order."""
    parts = []
    signals = [e for step in steps for e in step.effects if e.kind == "signal"]
    if signals:
        parts.append(f"Notice: {signal_words(signals)}.")
    opened = [r for step in steps for r in step.change.relations if r.state == "open" and r.opened == step.t]
    if opened:
        parts.append(_affected(opened))
    if problems:
        lines = [f"- {FOLDER}/{p.file}{f', line {p.line}' if p.line else ''}: {p.why}" for p in problems[:_PROBLEMS]]
        parts.append("\n".join(["The project's records have problems:", *lines]))
    if any(e.kind == "deliver-brief" for step in steps for e in step.effects):
        parts.append(write_brief(live.brief(session)))
    return parts


def _affected(opened: Sequence[Relation]) -> str:
    lines = [relation_line(r, True) for r in opened[:_OPENED]]
    if len(opened) > _OPENED:
        lines.append(f"- and {len(opened) - _OPENED} more in {FOLDER}/{RELATIONS}")
    return "\n".join(["This change may have to be followed in files not looked at since:", *lines])


def started(live: Live, session: str) -> list[str]:
    """What a session is told when it starts, or goes on after its context was cut."""
    recorded = bool(live.derivation.events or live.derivation.task.observation)
    return [START, write_brief(live.brief(session))] if recorded else [START]


def unfinished(live: Live) -> str:
    """For the person when the agent stops: what nothing has looked at; "" when there is nothing."""
    targets = sorted({r.target for r in live.state.open_relations})
    if not targets:
        return ""
    named = ", ".join(targets[:_OPENED]) + (f" and {len(targets) - _OPENED} more" if len(targets) > _OPENED else "")
    return f"Not looked at since a change that may affect it: {named}"


def encoded(event: str, parts: Sequence[str], message: str = "") -> bytes:
    """The answer as one line of JSON; ``{}`` when there is nothing to say."""
    answer: dict[str, object] = {}
    if parts and event in HEARD:
        text = "\n\n".join(parts)
        clipped = text if len(text) <= _CONTEXT else text[: _CONTEXT - 1] + "…"
        answer["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": clipped}
    if message:
        answer["systemMessage"] = message
    if answer:
        answer["suppressOutput"] = True
    return json.dumps(answer).encode() + b"\n"
