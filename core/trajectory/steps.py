"""The vocabulary of a recorded run: what every parser produces and every later stage reads.

A trajectory is a numbered list of steps (section 3.2; METHOD 1). Paths are as the transcript gives
them, made absolute against the step's working directory; ``replay`` maps them into the repository.
Everything here is hostile text from a file: nothing is opened, executed or trusted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

StepKind = Literal["read", "edit", "run", "search", "say"]
Role = Literal["assistant", "user"]
# What a run observes of the repository; "" is a plain run. Non-empty purposes are State referents.
Purpose = Literal["", "test", "build", "lint", "types", "run-code"]
ShownSource = Literal["read", "cat", "search", "snippet", "original", "attachment", "summary"]
WriteOp = Literal["put", "append", "edit", "patch", "delete", "move", "copy", "sed", "git", "opaque"]


@dataclass(frozen=True, slots=True)
class Span:
    """Lines ``start..end`` of one file, 1-based, both ends included."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Shown:
    """Consecutive lines of one file that a step reveals.

    ``lines`` have no line ends. ``whole`` is true when they are the entire file. ``seen`` is false for
    evidence in the transcript that the model was not shown (``originalFile`` of an edit).
    """

    path: str
    start: int
    lines: tuple[str, ...]
    source: ShownSource
    whole: bool = False
    seen: bool = True


MOST_SHOWN = 32 << 20
"""Most characters of one view that are taken for lines of a file: a model's whole context holds far less."""


def share_lines(shown: Iterable[Shown]) -> tuple[Shown, ...]:
    """The same views with equal lines as one string in memory: most of a long run re-reads what it read before.

    One of more than ``MOST_SHOWN`` characters is left out.
    """
    return tuple(
        Shown(view.path, view.start, tuple(map(sys.intern, view.lines)), view.source, view.whole, view.seen)
        for view in shown
        if sum(map(len, view.lines)) <= MOST_SHOWN
    )


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of a structured or unified patch: ``lines`` start with ' ', '-' or '+'."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """One change of one file as the transcript states it, before replay works out the text.

    put: the file becomes ``new``.  append: ``new`` at the end.  edit: ``old`` -> ``new``, once or
    everywhere.  patch: ``hunks``.  delete.  move/copy: to ``target``.  sed: ``args`` is the in-place
    script, one expression an item.  git: ``args`` is the git command line after ``git``, ``path`` its
    working directory.  opaque: the file may have changed in a way the transcript does not say.
    """

    path: str
    op: WriteOp
    new: str = ""
    old: str = ""
    replace_all: bool = False
    target: str = ""
    args: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call with its result, one text block, or one user message; ``t`` is 1-based.

    ``text`` is what entered the context (the result, or what was said); ``call`` the call as the model
    wrote it (compact JSON; "" for ``say``). ``empty`` marks results that carry no information.
    ``agent`` is "" on the main thread, else the sub-agent's id: such a step is hidden (never held).
    ``thinking`` is the thinking text that preceded this step in its message. ``line`` and ``source``
    say where it stands in the files read.
    """

    t: int
    kind: StepKind
    role: Role
    tool: str
    call: str
    text: str
    thinking: str = ""
    failed: bool = False
    empty: bool = False
    agent: str = ""
    call_id: str = ""
    message_id: str = ""
    time: str = ""
    cwd: str = ""
    line: int = 0
    source: str = ""
    command: str = ""
    purpose: Purpose = ""
    shown: tuple[Shown, ...] = ()
    writes: tuple[Write, ...] = ()
    neutral: bool = False  # say, to-do and bookkeeping calls: do not break an edit burst
    turn: int = 0  # number of user messages up to and including this step


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens the API reported for one assistant message, counted once; ``t`` is that message's first step."""

    t: int
    message_id: str
    model: str
    input: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int
    output: int
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Compaction:
    """The context was cut between step ``after`` and the next.

    full: everything up to ``after`` left, the summary is the next step.  micro: exactly the results of
    the calls in ``removed`` left.
    """

    after: int
    kind: Literal["full", "micro"]
    trigger: str = ""
    pre_tokens: int | None = None
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line that could not be used, and why; ``line`` is 1-based in ``source``."""

    source: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A whole recorded run; ``steps[i].t == i + 1``.

    ``unknown`` counts what was understood as a record but has no meaning here ("type:latch" -> 3).
    ``sources`` are the files read, the main one first, as names without their folder.
    """

    run_id: str
    session_id: str
    format: str
    agent: str  # "Claude Code 2.1.7"
    models: tuple[str, ...]
    cwd: str
    git_branch: str
    started: str
    ended: str
    task: str  # the first thing the user said
    steps: tuple[Step, ...]
    usages: tuple[Usage, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()
    sources: tuple[str, ...] = ()
    lines: int = 0  # lines read, blank and // lines not counted
    size: int = 0  # bytes read
    content_hash: str = ""  # of everything read: an analysis of the same bytes need not be done again
    instance_id: str = ""  # benchmark instance the run names, if any
    base_hint: str = ""  # commit the transcript itself names as its start, if any
    submission: str = ""  # final patch the transcript itself carries, if any
