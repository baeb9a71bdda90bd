"""Trajectory, shell: a command becomes what it read, searched, ran and wrote (METHOD 1 and 4).

In: the command as the model wrote it, its working folder, what it printed. Out: ``ShellAction``. The command is
parsed with the tree-sitter grammar of bash (shell_calls, shell_words), every call is looked through its wrappers
(shell_runs), its writes (shell_writes, shell_python, shell_fixers) and shown lines (shell_output) are read off.
Nothing from a transcript is ever run.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from functools import lru_cache

from core.trajectory.shell_calls import read_pipelines
from core.trajectory.shell_fixers import FIXER, left_alone
from core.trajectory.shell_literals import Call, Pipeline, absolute
from core.trajectory.shell_output import shown_lines
from core.trajectory.shell_python import SCRIPT, SCRIPT_FAILED
from core.trajectory.shell_runs import (
    UNKNOWN,
    is_python,
    purpose_of,
    purpose_of_output,
    script_of,
    strongest,
    texts_of,
    unwrap,
)
from core.trajectory.shell_search import parse_search_output
from core.trajectory.shell_words import Word, names, program_name
from core.trajectory.shell_writes import pipeline_writes
from core.trajectory.steps import Purpose, Shown, StepKind, Write

__all__ = ["ShellAction", "parse_search_output", "read_command", "scripts_run"]

MAX_COMMAND = 2_000_000
_MAX_KEPT = 2_000  # a longer command is seldom run twice
_READS = names("cat nl head tail less more bat batcat tac sed gsed awk gawk od xxd hexdump strings jq yq")
_SEARCHES = names(
    "grep egrep fgrep rg ag ack find fd fdfind ls tree wc du stat file which type whereis locate diff cmp comm exa eza "
    "realpath readlink md5sum sha1sum sha256sum"
)
_GIT_SEARCHES = names(
    "status diff log show grep blame ls-files ls-tree branch tag rev-parse rev-list describe shortlog remote config "
    "for-each-ref cat-file reflog check-ignore merge-base name-rev whatchanged show-ref diff-tree count-objects"
)
_NEUTRAL = names(
    "cd pushd popd echo printf true false : export set unset source . pwd test [ sleep wait exit date alias shopt trap "
    "basename dirname env whoami hostname uname read return local declare clear history ulimit"
)
_STOPS_HALFWAY = names("revert cherry-pick merge rebase pull am stash")
_SHELLS = names("bash sh zsh dash (eval) -bash -zsh")
_FOREIGN = names("gh curl wget ssh scp git cat echo printf grep rg less head tail sed awk ls find")


@dataclass(frozen=True, slots=True)
class ShellAction:
    """What one command did: ``shown`` in output order, ``writes`` in the order they happen, paths absolute."""

    kind: StepKind
    purpose: Purpose
    shown: tuple[Shown, ...]
    writes: tuple[Write, ...]


def read_command(command: str, cwd: str, stdout: str, failed: bool) -> ShellAction:
    """What ``command`` did when run in ``cwd`` and printed ``stdout``; linear in its length, never raises on text.

    A ``failed`` command shows nothing and its last write, the likely culprit, is not believed.
    """
    if len(command) > MAX_COMMAND or not command.strip():
        return ShellAction("run", "", (), ())
    try:
        reading = _reading(command, cwd)
    except RecursionError:  # nested deeper than any real command
        return ShellAction("run", "", (), (Write("", "opaque"),))
    writes = _writes(reading, failed, stdout)
    purpose = strongest([run.purpose for run in reading.runs])
    kind = _kind(reading.runs, writes, purpose)
    if kind == "run" and purpose != "test" and any(run.name not in _FOREIGN for run in reading.runs):
        purpose = purpose_of_output(stdout) or purpose
    shown = () if failed or not stdout else shown_lines(reading.pipelines, stdout)
    return ShellAction(kind, purpose, shown, writes)


@dataclass(frozen=True, slots=True)
class _Reading:
    """All that a command line says before its output is looked at; ``writes`` are each pipeline's."""

    pipelines: tuple[Pipeline, ...]
    understood: bool
    runs: tuple[_Run, ...]
    writes: tuple[tuple[Write, ...], ...]


def _reading(command: str, cwd: str) -> _Reading:
    return _kept_reading(command, cwd) if len(command) <= _MAX_KEPT else _read(command, cwd)


def _read(command: str, cwd: str) -> _Reading:
    pipelines, understood = read_pipelines(command, cwd)
    runs = tuple(run for p in pipelines for run in [_Run.of(p)] if run is not None)
    return _Reading(pipelines, understood, runs, tuple(tuple(pipeline_writes(p)) for p in pipelines))


# Agents run the same commands again, and what was printed may be cut in two ways, each read.
_kept_reading = lru_cache(maxsize=1024)(_read)


def scripts_run(command: str, cwd: str) -> tuple[tuple[str, str | None], ...]:
    """The Python and shell (``.sh``) files ``command`` runs, absolute, each with its folder (None when not known).

    What such a file writes is known only to who knows its text: replay, when the run wrote it itself.
    """
    if (".py" not in command and ".sh" not in command) or len(command) > MAX_COMMAND:
        return ()
    try:
        pipelines = _reading(command, cwd).pipelines
    except RecursionError:
        return ()
    found = []
    for call in (call for pipeline in pipelines if pipeline.sure for call in pipeline.calls):
        words, contained = unwrap(texts_of(call.words))
        file = "" if contained else _script_file(words)
        if file:
            path = absolute(Word(file), call.cwd)
            if path is not None and UNKNOWN not in file:
                found.append((path, call.cwd))
    return tuple(found)


def _script_file(words: list[str]) -> str:
    """The script that a program's words run, "" when they run none that is known by its name."""
    if not words:
        return ""
    given = next((w for w in words[1:] if not w.startswith("-")), "")
    if is_python(words):
        return given if given.endswith(".py") and not {"-c", "-"} & set(words[1:]) else ""
    if program_name(words[0]) in _SHELLS or words[0] in ("source", "."):
        return given if given.endswith(".sh") and not {"-c", "-s", "-n"} & set(words[1:]) else ""
    return words[0] if words[0].endswith(".sh") and "/" in words[0] else ""


@dataclass(frozen=True, slots=True)
class _Run:
    """What one pipeline is, by its first program that matters: its name, kind and purpose."""

    name: str
    kind: StepKind
    purpose: Purpose

    @classmethod
    def of(cls, pipeline: Pipeline) -> _Run | None:
        found: list[_Run] = []
        for at, call in enumerate(pipeline.calls):
            run = _of_call(call, piped=at > 0)
            if run is not None:
                found.append(run)
        if not found:
            return None
        purpose = strongest([run.purpose for run in found])
        kinds = {run.kind for run in found}
        kind: StepKind = "run" if "run" in kinds else "search" if "search" in kinds else "read"
        return cls(found[0].name, kind, purpose)


def _of_call(call: Call, piped: bool) -> _Run | None:
    words, _ = unwrap(texts_of(call.words))
    if not words:
        return None
    name = program_name(words[0])
    if name in _NEUTRAL or name == "tee":
        return None
    if name in _READS or name in ("sort", "uniq", "cut", "tr", "column", "paste", "fold", "fmt", "base64"):
        if piped or (name == "cat" and call.heredoc):
            return None  # a filter of what came before, or text on its way to a file
        return _Run(name, "read", "")
    if name in _SEARCHES:
        return _Run(name, "search", "") if not piped or name != "wc" else None
    if name == "git":
        verbs = [w for w in words[1:] if not w.startswith("-")]
        return _Run(name, "search" if verbs[:1] and verbs[0] in _GIT_SEARCHES else "run", "")
    if name == "xargs":
        body = [w for w in words[1:] if not w.startswith("-") and not w.isdigit() and w != "{}"]
        reading = bool(body) and body[0] in _READS | _SEARCHES | {"basename", "dirname", "echo"}
        return _Run(name, "search" if reading else "run", "")
    script = (
        script_of(words, call.stdin) if is_python(words) or name in ("node", "ruby", "perl", "deno", "bun") else None
    )
    if is_python(words) and piped and not call.heredoc and script and "open(" not in script:
        return _Run(name, "run", "")  # formats what is piped into it
    return _Run(name, "run", purpose_of(words, script, call.cwd or ""))


def _kind(runs: tuple[_Run, ...], writes: tuple[Write, ...], purpose: Purpose) -> StepKind:
    if writes or purpose or not runs or any(run.kind == "run" for run in runs):
        return "run"
    return "search" if any(run.kind == "search" for run in runs) else "read"


def _writes(reading: _Reading, failed: bool, stdout: str) -> tuple[Write, ...]:
    pipelines, found = reading.pipelines, [list(writes) for writes in reading.writes]
    if failed and found:
        # The last thing run is what most likely failed: what it would have written is not believed.
        last = max((i for i, p in enumerate(pipelines) if p.visible or found[i]), default=len(found) - 1)
        half = _half_patched(found[last], stdout)
        found[last] = [w for w in map(_when_failed, found[last]) if w is not None] + half
    writes = _without_missing([w for group in found for w in group], stdout)
    fixers = sum(w.args == (FIXER,) for w in writes)
    if fixers and not failed and left_alone(fixers, stdout):
        writes = [w for w in writes if w.args != (FIXER,)]
    if not reading.understood:
        writes = [w if w.op in ("delete", "git", "opaque") else Write(w.target or w.path, "opaque") for w in writes]
    return tuple(writes)


def _when_failed(write: Write) -> Write | None:
    """What is left of a write whose command failed: nothing, or an unknown change where git stops half-way."""
    if write.op == "git" and write.args[:1] and write.args[0] in _STOPS_HALFWAY:
        return Write("", "opaque")
    if write.args[:1] == (SCRIPT,):
        return replace(write, args=(SCRIPT_FAILED, *write.args[1:]))
    return write if write.op == "opaque" else None


def _half_patched(writes: list[Write], output: str) -> list[Write]:
    """The files that a failed ``patch`` says it worked on: some of their hunks may be in."""
    if "patching file" not in output:
        return []
    found = []
    for line in output.split("\n")[:2000]:
        name = line.removeprefix("patching file ").strip().strip("'")
        if not line.startswith("patching file ") or not name:
            continue
        for write in writes:
            if write.op == "git" and write.args[:1] == ("apply",):
                found.append(Write(posixpath.normpath(posixpath.join(write.path, name)), "opaque"))
            elif write.op in ("patch", "put", "delete") and write.path.endswith("/" + name):
                found.append(Write(write.path, "opaque"))
    return found


def _without_missing(writes: list[Write], output: str) -> list[Write]:
    """Redirects into a folder that is not there, as the shell's own message says, wrote nothing."""
    if "o such file or directory" not in output:
        return writes
    # bash: "bash: line 2: sub/x: No such file or directory"; zsh: "(eval):1: no such file or directory: sub/x"
    bad = []
    for line in output.split("\n")[:2000]:
        parts = [part.strip() for part in line.split(":")]
        if len(parts) < 3 or program_name(parts[0]) not in _SHELLS:
            continue
        if parts[-1] == "No such file or directory":
            bad.append("/" + parts[-2].lstrip("/"))
        elif parts[-2] == "no such file or directory":
            bad.append("/" + parts[-1].lstrip("/"))
    return [w for w in writes if w.op not in ("put", "append") or not w.path.endswith(tuple(bad))]
