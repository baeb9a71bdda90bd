"""Harness: the procedure a command invokes ("pytest", "go test", "mise run lint") and what it is given.

In: a command line. Out: as its name the program that gives the command its purpose, looked up behind its wrappers,
with the words that choose what it does and without its options and files, so that two invocations of one procedure
have one name.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from core.trajectory.shell_calls import read_pipelines
from core.trajectory.shell_programs import INTERPRETERS, RANK, TASK_RUNNERS
from core.trajectory.shell_runs import UNKNOWN, is_python, purpose_of, script_of, texts_of, unwrap
from core.trajectory.steps import Purpose

_LONGEST = 20_000  # of a command that is looked into
_VERBS = {"go": 1, "cargo": 1, "dotnet": 1, "swift": 1}


@dataclass(frozen=True, slots=True)
class Invoked:
    """The name of a procedure, "" where a command names none, and the words after its program."""

    name: str = ""
    arguments: tuple[str, ...] = ()


def procedure_of(command: str, purpose: Purpose) -> Invoked:
    """The procedure of that purpose that a command invokes. O(length of the command)."""
    if not command or len(command) > _LONGEST:
        return Invoked()
    try:
        pipelines, _ = read_pipelines(command, "")
    except RecursionError:
        return Invoked()
    named: list[tuple[int, list[str]]] = []
    for call in (call for pipeline in pipelines for call in pipeline.calls):
        words, _ = unwrap(texts_of(call.words))
        if not words or words[0] == UNKNOWN:
            continue
        found = purpose_of(words, script_of(words, call.stdin) if is_python(words) else None, "")
        if found:
            named.append((RANK.index(found), words))
    exact = [words for rank, words in named if RANK[rank] == purpose]
    # Of several the last: in `a && b` it is the one whose output and failure are seen.
    words = exact[-1] if exact else min(named)[1] if named else []
    return Invoked(_name(words), tuple(words[1:])) if words else Invoked()


def covers(arguments: tuple[str, ...], test: str) -> bool:
    """Whether a test run with these arguments runs the file ``test``: it names it, a folder above, or nothing."""
    named = [w for w in arguments if not w.startswith("-") and ("/" in w or w.endswith((".py", ".ts", ".js", ".go")))]
    places = [w.partition("::")[0].removeprefix("./").removesuffix("...").rstrip("/") for w in named]
    return not places or any(
        not p or p == "." or f"/{test}/".startswith(f"/{p}/") or p.endswith(f"/{test}") for p in places
    )


def _name(words: list[str]) -> str:
    program = posixpath.basename(words[0])
    rest = [w for w in words[1:] if w != UNKNOWN]
    if is_python(words) or program in INTERPRETERS:
        file = next((w for w in rest if not w.startswith("-")), "")
        inline = (bool(rest) and rest[0] in ("-c", "-e", "-")) or not file
        return f"{program} -c" if inline else f"{program} {posixpath.basename(file)}"
    most = _VERBS.get(program, 2 if program in TASK_RUNNERS else 0)
    verbs: list[str] = []
    for word in rest:
        if len(verbs) == most or word.startswith((".", "/")) or "=" in word:
            break
        if not word.startswith("-"):
            verbs.append(word)
    return " ".join([program, *verbs])
