"""Harness: the five files of a project's state, written and read (StateHarness, Table 3, "Stored representation").

In: the records, or texts that a person or an agent may have edited. Out: the texts, or the records with a
``Problem`` for each record that breaks its form: it is left out, the rest is kept. What was written reads back
equal, for every text. All are small: a read costs their length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.harness.event_entries import event_lines, items, read_events
from core.harness.project_state import Event, Problem, ProjectState, Relation, TaskState
from core.harness.relation_entries import read_relation, relation_line
from core.harness.skills_file import FILE as SKILLS
from core.harness.skills_file import read_skills, write_skills
from core.harness.written import block, code, codes, unblock

TASK, LOG, RELATIONS, BRIEF = "task_state.md", "breakthrough_log.md", "file_relation_graph.md", "context_brief.md"
FILES = (TASK, LOG, RELATIONS, SKILLS, BRIEF)
RECORDS = (TASK, LOG, RELATIONS, SKILLS)  # those an agent writes; the brief is made from them

_SECTIONS = {
    "Initial observation": "observation",
    "Environment": "environment",
    "Current focus": "focus",
    "Hypothesis": "hypothesis",
}
_SINCE = re.compile(r"<!-- (?:since step (\d{1,9}))?(?:, )?(derived)? -->")


def write_state(state: ProjectState) -> dict[str, str]:
    """The four records as texts by file name."""
    return {
        TASK: write_task(state.task),
        LOG: write_log(state.events),
        RELATIONS: write_relations(state.relations),
        SKILLS: write_skills(state.procedures),
    }


def read_state(texts: Mapping[str, str]) -> tuple[ProjectState, tuple[Problem, ...]]:
    """The records of the four texts (a missing one is empty), and what breaks its form, by file and line."""
    task, task_problems = read_task(texts.get(TASK, ""))
    events, log_problems = read_log(texts.get(LOG, ""))
    relations, relation_problems = read_relations(texts.get(RELATIONS, ""))
    procedures, skill_problems = read_skills(texts.get(SKILLS, ""))
    problems = (*task_problems, *log_problems, *relation_problems, *skill_problems)
    return ProjectState(task, events, relations, procedures), problems


def write_task(task: TaskState) -> str:
    """``task_state.md``."""
    marks = [f"since step {task.since}"] if task.since else []
    marks += ["derived"] if task.derived else []
    lines = ["# Task state", ""]
    lines += [f"<!-- {', '.join(marks)} -->", ""] if marks else []
    for heading, name in _SECTIONS.items():
        lines += [f"## {heading}", "", *block(getattr(task, name)), ""]
    return "\n".join(lines)


def read_task(text: str) -> tuple[TaskState, tuple[Problem, ...]]:
    """The task state; a section with an unknown heading is a problem, a missing one is empty."""
    since, derived = 0, False
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for number, heading, lines in sections(text):
        if heading is None:
            for at, line in enumerate(lines, number):
                if (mark := _SINCE.fullmatch(line.strip())) is not None:
                    since, derived = int(mark[1] or 0), mark[2] is not None
                elif line.strip() and not line.startswith(("# ", "<!--")):
                    problems.append(Problem(TASK, at, "text outside the sections"))
        elif heading not in _SECTIONS:
            problems.append(Problem(TASK, number, f"unknown section; expected one of {', '.join(_SECTIONS)}"))
        elif _SECTIONS[heading] in found:
            problems.append(Problem(TASK, number, f"a second section {heading}; the first is kept"))
        else:
            found[_SECTIONS[heading]] = unblock(lines)
    observation, environment, focus, hypothesis = (found.get(name, "") for name in _SECTIONS.values())
    return TaskState(observation, environment, focus, hypothesis, since, derived), tuple(problems)


def sections(text: str) -> list[tuple[int, str | None, list[str]]]:
    """(line number, heading, lines under it) of each ``##`` section; what stands before has the heading None.

    The number of a section is its heading's line, that of the beginning is 1.
    """
    found: list[tuple[int, str | None, list[str]]] = [(1, None, [])]
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## "):
            found.append((number, line[3:].strip(), []))
        else:
            found[-1][2].append(line)
    return found


def write_log(events: Sequence[Event]) -> str:
    """``breakthrough_log.md``: the events in order."""
    lines = [line for event in events for line in event_lines(event)]
    return "\n".join(["# Breakthrough log", "", *lines, ""])


def read_log(text: str) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
    """The events in the order of the file, whatever their numbers: ``checks`` judges those."""
    lines = text.split("\n")
    # A heading is layout wherever it stands.
    lines = ["" if line.startswith("#") else line for line in lines]
    events, problems = read_events(lines, LOG)
    return events, tuple(problems)


def write_relations(relations: Sequence[Relation]) -> str:
    """``file_relation_graph.md``: the relations by key, those of one changed file under its heading."""
    lines = ["# File relation graph", ""]
    source: str | None = None
    for relation in sorted(relations, key=lambda r: r.key):
        if relation.source != source:
            source = relation.source
            lines += ["", f"## {code(source)}", ""] if lines[-1] else [f"## {code(source)}", ""]
        lines.append(relation_line(relation))
    return "\n".join([*lines, ""])


def read_relations(text: str) -> tuple[tuple[Relation, ...], tuple[Problem, ...]]:
    """The relations by key; of two with one key the later is kept and the earlier reported."""
    found: dict[tuple[str, str, str], Relation] = {}
    problems: list[Problem] = []
    for number, heading, lines in sections(text):
        source = ""
        if heading is not None:
            named = codes(heading)
            source = named[0] if named else heading
        for at, item in items(lines, number if heading is None else number + 1):
            if item[0].startswith("#"):
                continue
            read = read_relation(item[0], source)
            if isinstance(read, str):
                problems.append(Problem(RELATIONS, at, read))
                continue
            if heading is None and not read.source:
                problems.append(Problem(RELATIONS, at, "a relation of no file; expected a heading above it"))
                continue
            if read.key in found:
                problems.append(Problem(RELATIONS, at, f"a second {read.kind} {read.target}; the later one is kept"))
            found[read.key] = read
    return tuple(found[key] for key in sorted(found)), tuple(problems)
