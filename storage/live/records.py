"""Live, EDGE: the paper's five files in the state folder, for the agent to read and to write.

In: the records to be shown, and the texts written last. Out: the files; what the agent wrote into them since. A file
whose form is broken is left alone until it is mended: what cannot be read cannot be kept otherwise. A file is replaced
whole; links and what is no regular file are never followed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.harness.files import RECORDS, read_state, write_state
from core.harness.project_state import Problem, ProjectState, StateChange
from storage.live.merge import merge
from storage.live.opened import regular

MOST = 8_000_000
"""Most bytes of a file that are read."""


@dataclass(frozen=True, slots=True)
class Read:
    """The record files: ``texts`` of those that can be used, ``problems`` of form by file and line."""

    texts: Mapping[str, str]
    problems: tuple[Problem, ...] = ()

    @property
    def broken(self) -> frozenset[str]:
        """Files that are left alone."""
        return frozenset(p.file for p in self.problems)


def read_file(name: str) -> str | None:
    """The text of a file of the state folder, None if there is none. Raises OSError for a link or a device."""
    try:
        _, data = regular(name, MOST + 1)
    except FileNotFoundError:
        return None
    if len(data) > MOST:
        raise OSError(0, f"longer than {MOST // 10**6} MB", name)
    return data.decode("utf-8", "replace")


def read_records() -> Read:
    """The four record files of the state folder; a missing one has no text."""
    texts, problems = {}, []
    for name in RECORDS:
        try:
            text = read_file(name)
        except OSError as error:
            problems.append(Problem(name, 0, f"cannot be read ({error.strerror})"))
            continue
        if text is not None:
            texts[name] = text
    return Read(texts, (*problems, *read_state(texts)[1]))


def edits(
    read: Read, written: Mapping[str, str], kept: ProjectState, t: int
) -> tuple[StateChange, tuple[Problem, ...]]:
    """What was written into the files since they were written last, as far as their form holds."""
    usable = {name: read.texts[name] for name in RECORDS if name in read.texts and name not in read.broken}
    was, now = (read_state({name: texts.get(name, "") for name in usable})[0] for texts in (written, usable))
    change, problems = merge(was, now, kept, t)
    deleted = [name for name in RECORDS if name in written and name not in read.texts and name not in read.broken]
    return change, (*problems, *(Problem(name, 0, "the file was deleted; it was written again") for name in deleted))


def differing(read: Read, written: Mapping[str, str]) -> bool:
    """Whether any usable file is not as it was written."""
    return any(read.texts.get(name) != written.get(name) for name in RECORDS if name not in read.broken)


def write_records(state: ProjectState, written: Mapping[str, str], read: Read) -> dict[str, str]:
    """Write the record files whose text changed; what was written, by name. Broken files are left alone."""
    fresh = {}
    for name, text in write_state(state).items():
        if name not in read.broken and (text != written.get(name) or text != read.texts.get(name)):
            write_file(name, text)
            fresh[name] = text
    return fresh


def write_file(name: str, text: str) -> None:
    """Replace a file of the state folder, whole or not at all."""
    new = f".{name}.new"
    if os.path.lexists(new):
        os.unlink(new)
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    if os.path.isdir(name) and not os.path.islink(name):
        os.unlink(new)
        raise OSError(0, "a folder stands in its place", name)
    os.replace(new, name)


def shown_in(problem: Problem, texts: Mapping[str, str]) -> Problem:
    """The problem with the line of the event or file it names, where it has none and the text has one."""
    if problem.line or problem.file not in texts:
        return problem
    for word in problem.why.split():
        mark = f"- {word.rstrip(',:')}," if word[:1] == "E" and word[1:2].isdigit() else f"`{word}`"
        for number, line in enumerate(texts[problem.file].split("\n"), 1):
            if line.startswith(mark) if mark.startswith("- ") else mark in line and line.startswith("- ["):
                return replace(problem, line=number)
    return problem
