"""Live, EDGE: the state of a live project read from its folder, beside a resident process or without one.

In: the state folder, which ``entered`` makes the working directory. Out: the state, what a diagnosis finds in it, and
everything wrong with the records, by file and line. Nothing is written.
"""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import InputError
from core.harness.brief import make_brief
from core.harness.checks import check_closed, check_structure
from core.harness.diagnosis import DiagnosisInput, assemble
from core.harness.files import read_state
from core.harness.project_state import Alert, Problem, ProjectState
from core.harness.run import by_rules
from storage.live.client import enter
from storage.live.journal import open_journal
from storage.live.keeper import folded
from storage.live.live import Live
from storage.live.records import edits, read_records, shown_in


def entered(project: Path) -> None:
    """Make the project's state folder the working directory. Raises InputError where there is none."""
    if why := enter(os.fspath(project)):
        raise InputError(f"{project}: {why}")


def state_now() -> Live:
    """The state after the last event taken in. Raises StorageError when nothing was recorded."""
    return folded(open_journal(create=False))


def diagnosis_of(live: Live) -> DiagnosisInput:
    """What a diagnosis made now is given."""
    state = live.state
    recent = live.harness(live.session).recent if live.session else ()
    return assemble(live.t, recent, state, make_brief(live.t, state, live.alerts()))


def overlooked_now(live: Live) -> tuple[Alert, ...]:
    """What fixed rules find overlooked."""
    return by_rules(diagnosis_of(live), live.derivation)


def problems_now() -> tuple[Problem, ...]:
    """Everything wrong with the record files and their history, by file and line.

    Their form and structure; what they have lost or changed since they were written; what was found of that kind
    before; relations closed though nothing looked at their target.
    """
    journal = open_journal(create=False)
    live = folded(journal)
    read = read_records()
    found, form = read_state(read.texts)
    whole = {name: text for name, text in read.texts.items() if name not in read.broken}
    written = {name: text for name, text in (journal.note("written") or {}).items() if name not in read.broken}
    _, history = edits(read, written, live.state, live.t)
    state = read_state(whole)[0] if read.broken else found
    unreadable = [p for p in read.problems if p not in form]
    structure = [p for p in check_structure(state) if p.file not in read.broken]
    closed = check_closed(state, live.seen) if state != ProjectState() else ()
    every = dict.fromkeys((*unreadable, *form, *structure, *history, *live.problems, *closed))
    located = dict.fromkeys(shown_in(problem, read.texts) for problem in every)
    return tuple(sorted(located, key=lambda p: (p.file, p.line, p.why)))
