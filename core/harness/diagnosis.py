"""Harness: a diagnosis, the pass over the recorded history that brings back what was overlooked (Table 7).

In: what the paper lists: the triggering signal, the task state, the procedure guidance, the full event log and the
current working brief. Out: at most ``MOST`` alerts, each with the events or steps it rests on. ``diagnostic_prompt``
is the exact input a fresh session of a model gets, ``read_reply`` its answer, ``ask`` the two around a ``Client``.
``core.harness.overlooked`` finds what fixed rules can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.harness.brief_file import write_brief
from core.harness.files import BRIEF, LOG, TASK, write_log, write_task
from core.harness.project_state import Alert, Event, Procedure, ProjectState, TaskState, WorkingBrief
from core.harness.said import clip
from core.harness.signals import Effect
from core.harness.skills_file import FILE as SKILLS
from core.harness.skills_file import write_skills
from core.manager.client_protocol import Client

MOST = 5
REPLY_TOKENS = 600
_TEXT = 300
_LINE = re.compile(r"\s*[-*]\s+(.*\S)")
_RESTS = re.compile(r"\b(E\d{1,9}|step \d{1,9})\b", re.IGNORECASE)
_INSTRUCTIONS = f"""\
You review the recorded state of a coding task that another agent is working on. You have not seen its conversation.
Point at evidence in the record that the agent seems to have overlooked, or at a way of working that leads nowhere.
At most {MOST} lines, each beginning with "- ", one or two sentences, each naming the events (E12) or steps (step 40)
it rests on in parentheses. Say nothing that the record does not show. If nothing was overlooked, answer: none.
"""


@dataclass(frozen=True, slots=True)
class DiagnosisInput:
    """What a diagnosis sees; ``t`` is the step after which it runs."""

    t: int
    signal: str
    task: TaskState
    procedures: tuple[Procedure, ...]
    events: tuple[Event, ...]
    brief: WorkingBrief


def assemble(t: int, signals: Sequence[Effect], state: ProjectState, brief: WorkingBrief) -> DiagnosisInput:
    """The input of a diagnosis asked for by these signals, the newest last."""
    return DiagnosisInput(t, signal_words(signals), state.task, state.procedures, state.events, brief)


def signal_words(signals: Sequence[Effect]) -> str:
    """The triggering signals in words."""
    words = {
        "missing-completions": "shell commands did not complete normally three times in a row",
        "repeated-reads": "was read three times without an edit",
        "neglected-brief": "no edit and no test for a whole window of calls, and the brief was not read",
    }
    said = [f"{s.path} {words[s.why]}" if s.path else words[s.why] for s in signals if s.why in words]
    return "; ".join(said) if said else "the diagnostic score reached its threshold"


def diagnostic_prompt(given: DiagnosisInput) -> str:
    """The whole input of a fresh diagnostic session: instructions, then the five parts, each under its file's name."""
    parts = (
        ("Triggering signal", given.signal),
        (TASK, write_task(given.task)),
        (SKILLS, write_skills(given.procedures)),
        (LOG, write_log(given.events)),
        (BRIEF, write_brief(given.brief)),
    )
    return "\n".join([_INSTRUCTIONS, *(f'<record name="{name}">\n{text.strip()}\n</record>' for name, text in parts)])


def read_reply(given: DiagnosisInput, reply: str) -> tuple[Alert, ...]:
    """The alerts of a reply: its list items that name evidence there is, clipped; () for a blank reply or "none"."""
    numbers = {e.name for e in given.events}
    found = []
    for line in reply[:20_000].split("\n"):
        item = _LINE.match(line)
        if item is None:
            continue
        named = dict.fromkeys(r[0].upper() + r[1:] if r[0] in "eE" else r.lower() for r in _RESTS.findall(item[1]))
        rests = tuple(r for r in named if r in numbers or (r[0] == "s" and 1 <= int(r.split()[1]) <= given.t))
        if rests:
            found.append(Alert(given.t, clip(item[1], _TEXT), rests))
    return tuple(found[:MOST])


def ask(client: Client, given: DiagnosisInput) -> tuple[Alert, ...]:
    """The alerts of a fresh session of a model; what the client raises is the caller's to handle."""
    return read_reply(given, client.complete(diagnostic_prompt(given), REPLY_TOKENS))
