"""Harness: structure and history checks of the records (StateHarness, Table 6, "Record-structure and history checks").

In: the records, an earlier version of them, and which files were seen when. Out: ``Problem``s in words, by file. A
record that breaks its form is found on reading (``files``); here it is what no single record shows: an event log
that was rewritten or cut, numbers that leave gaps, a relation closed though nobody looked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.graph.facts import digest
from core.harness.event_entries import event_lines
from core.harness.files import LOG, RELATIONS, TASK, read_state
from core.harness.project_state import Event, Problem, ProjectState
from core.harness.skills_file import FILE as SKILLS

_NAMED = 5  # problems of one kind that are spelt out


@dataclass(frozen=True, slots=True)
class LogMark:
    """An event log as it was: how many events, and a digest of them. Cheap to keep beside the files."""

    count: int = 0
    digest: str = ""


def mark_log(events: Sequence[Event]) -> LogMark:
    """The mark of a log; O(length)."""
    return LogMark(len(events), digest(*(line for event in events for line in event_lines(event))))


def check_log(mark: LogMark, events: Sequence[Event]) -> tuple[Problem, ...]:
    """Whether the log still begins with what was marked."""
    if len(events) < mark.count:
        return (Problem(LOG, 0, f"the event log was cut: {mark.count} events were recorded, {len(events)} are left"),)
    if mark.count and mark_log(events[: mark.count]) != mark:
        return (Problem(LOG, 0, f"the event log was rewritten: its first {mark.count} events are not those recorded"),)
    return ()


def check_texts(texts: Mapping[str, str]) -> tuple[Problem, ...]:
    """What is wrong with the four files by themselves: their form, then their structure."""
    state, problems = read_state(texts)
    return (*problems, *check_structure(state))


def check_structure(state: ProjectState) -> tuple[Problem, ...]:
    """What is wrong with records that each have their form; O(records)."""
    return (*_check_events(state.events), *_check_relations(state), *_check_procedures(state), *_check_task(state))


def _check_task(state: ProjectState) -> list[Problem]:
    if state.task.observation or not (state.events or state.task.focus):
        return []
    return [Problem(TASK, 0, "work has begun and there is no initial observation")]


def _check_events(events: Sequence[Event]) -> list[Problem]:
    found = []
    for place, event in enumerate(events, 1):
        if event.n != place:
            found.append(Problem(LOG, 0, f"event {place} is numbered {event.name}: events were taken out or moved"))
            break
    for before, event in pairwise(events):
        if event.t and event.t < before.t:
            found.append(Problem(LOG, 0, f"{event.name} (step {event.t}) stands after {before.name} (step {before.t})"))
    return found[:_NAMED]


def _check_relations(state: ProjectState) -> list[Problem]:
    found = []
    for r in state.relations:
        said = f"{r.kind} {r.target} of {r.source}"
        if r.state == "checked" and not r.how:
            found.append(Problem(RELATIONS, 0, f"{said} was closed without an observation"))
        elif r.state == "checked" and r.closed and r.closed < r.opened:
            found.append(Problem(RELATIONS, 0, f"{said} was closed at step {r.closed}, before it was opened"))
        elif r.state == "open" and (r.how or r.closed):
            found.append(Problem(RELATIONS, 0, f"{said} is open and says how it was closed"))
        if r.source == r.target:
            found.append(Problem(RELATIONS, 0, f"{r.source} is related to itself"))
    return found


def _check_procedures(state: ProjectState) -> list[Problem]:
    found = []
    for p in state.procedures:
        failed = sum(i.outcome == "failed" for i in p.history)
        if p.failures > p.runs or p.runs < len(p.history) or p.failures < failed:
            found.append(Problem(SKILLS, 0, f"{p.name}: its counts do not bear its history out"))
        if any(b.t < a.t for a, b in pairwise(p.history)):
            found.append(Problem(SKILLS, 0, f"{p.name}: its history is out of order"))
        if p.policy in ("avoid", "freeze") and not p.rationale:
            found.append(Problem(SKILLS, 0, f"{p.name}: {p.policy} without a rationale"))
    return found


def check_history(before: ProjectState, after: ProjectState) -> tuple[Problem, ...]:
    """What an update did that it may not: only the focus, relations' state and guidance are replaced."""
    found: list[Problem] = []
    same = next((i for i, (a, b) in enumerate(zip(before.events, after.events, strict=False)) if a != b), None)
    if same is not None:
        found.append(Problem(LOG, 0, f"the event log was rewritten from {before.events[same].name} on"))
    elif len(after.events) < len(before.events):
        first, last = before.events[len(after.events)], before.events[-1]
        found.append(Problem(LOG, 0, f"the event log was cut: {first.name} to {last.name} are gone"))
    if before.task.observation and after.task.observation != before.task.observation:
        found.append(Problem(TASK, 0, "the initial observation was replaced"))
    kept = {r.key for r in after.relations}
    gone = [r for r in before.relations if r.key not in kept]
    found += [Problem(RELATIONS, 0, f"{r.kind} {r.target} of {r.source} was taken out") for r in gone]
    runs = {p.name: p.runs for p in after.procedures}
    for p in before.procedures:
        if runs.get(p.name, 0) < p.runs:
            found.append(Problem(SKILLS, 0, f"{p.name}: invocations were taken out"))
    return tuple(found)


def check_closed(state: ProjectState, seen: Mapping[str, int]) -> tuple[Problem, ...]:
    """Relations closed though their target was not read, found or written since; ``seen`` is each file's last step."""
    found = []
    for r in state.relations:
        if r.state == "checked" and seen.get(r.target, 0) < max(r.opened, 1):
            said = f"{r.kind} {r.target} of {r.source} was closed without an observation"
            found.append(Problem(RELATIONS, 0, f"{said}: nothing has looked at it since step {r.opened}"))
    return tuple(found)
