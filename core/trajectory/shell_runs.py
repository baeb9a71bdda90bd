"""Trajectory, shell, part 3: which program a call really runs, and what it observes of the repository.

In: the words of a call; a run's output. Out: the words behind every wrapper (``env``, ``timeout``, ``uv run``,
``docker exec`` ...) and a ``Purpose`` (METHOD 1: tests by command, through wrappers, and by a runner's summary).
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys

from core.trajectory.shell_programs import (
    BUILD_TOOLS,
    CARGO,
    CONTAINERS,
    GO,
    INTERPRETERS,
    LINT_TOOLS,
    PACKAGE_VERBS,
    PYTHONS,
    RANK,
    RUNNERS,
    TASK_RUNNERS,
    TASK_WORDS,
    TEST_TOOLS,
    TYPE_TOOLS,
    WRAPPERS,
)
from core.trajectory.shell_python import parsed_script
from core.trajectory.shell_words import Word, program_name
from core.trajectory.steps import Purpose

UNKNOWN = "\ue010"  # stands for a word whose value the command line does not say

_SUMMARY = re.compile(
    r"""(?mx)
    ^=+\ .*\b(passed|failed|errors?|no\ tests\ ran|skipped|deselected|xfailed)\b.*\ in\ [\d.:]+ # pytest
    | ^\d+\ (passed|failed|errors?)\b.*\ in\ [\d.]+s                    # pytest -q
    | ^(ok|FAIL|---\ FAIL:|---\ PASS:|\?\ )\s*\t?\s*\S+\s+(\(cached\)|\(?[\d.]+s\)?|\[no\ test\ files\])  # go test
    | ^DONE\ \d+\ tests?\b                                             # gotestsum
    | ^test\ result:\ (ok|FAILED)\.                                    # cargo test
    | ^\s*Ran\ \d+\ tests?\ in\ [\d.]+s                                # unittest
    | ^\s*(Tests|Test\ Suites|Test\ Files):?\s+.*\b(passed|failed|total)\b  # jest, vitest
    | ^\s*\d+\ passing\b                                               # mocha
    | ^\s*\d+\ pass\n\s*\d+\ fail\b                                    # bun
    | ^\d+%\ tests\ passed,\ \d+\ tests?\ failed\ out\ of              # ctest
    | ^(\[\w+\]\s*)?Tests\ run:\ \d+,\ Failures                        # maven
    | ^\d+\ examples?,\ \d+\ failures?                                 # rspec
    | ^OK\ \(\d+\ tests?                                               # phpunit
    | ^\#\ tests\ \d+                                                  # tap
    """
)
_MAX_SUMMARY = 300
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def unwrap(words: list[str]) -> tuple[list[str], bool]:
    """The words of the program behind all wrappers, and whether it runs in a container (its paths are not ours)."""
    contained = False
    for _ in range(12):
        name = program_name(words[0]) if words else ""
        if name in WRAPPERS:
            rest = _skip_options(words[1:], WRAPPERS[name])
            if name in ("timeout", "gtimeout"):
                rest = rest[1:]
            while (
                name in ("env", "sudo", "time", "command") and rest and "=" in rest[0] and not rest[0].startswith("=")
            ):
                rest = rest[1:]
            if name == "pipx" and rest[:1] == ["run"]:
                rest = rest[1:]
            words = _skip_options(rest, frozenset()) if name == "env" else rest
        elif PYTHONS.match(name):
            module = _module(words)
            if module is None:
                return words, contained
            words = module
        elif name in RUNNERS:
            inner = _behind_runner(name, words)
            if inner is None:
                return words, contained
            contained = contained or name in CONTAINERS
            words = inner
        else:
            return words, contained
    return words, contained


def _behind_runner(name: str, words: list[str]) -> list[str] | None:
    verbs, takes = RUNNERS[name]
    rest = _skip_options(words[1:], takes)
    if name == "docker" and rest[:1] == ["compose"]:
        rest = _skip_options(rest[1:], takes | {"-f", "-p"})
    if not rest or rest[0] not in verbs:
        return None
    rest = _skip_options(rest[1:], takes)
    if name in CONTAINERS or name == "direnv":
        rest = rest[1:]
    if name == "mise":
        rest = rest[rest.index("--") + 1 :] if "--" in rest else []
    return _skip_options(rest, frozenset()) or None


def _skip_options(words: list[str], takes: frozenset[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if words[at] in takes else 1
    return words[at:]


def _module(words: list[str]) -> list[str] | None:
    """``python [-X ..] -m NAME ARGS`` as ``NAME ARGS``; None when it runs no module."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-m":
            return words[at + 1 :] or None
        if words[at] in ("-c", "-"):
            return None
        if words[at].startswith("-m") and len(words[at]) > 2:
            return [words[at][2:], *words[at + 1 :]]
        at += 2 if words[at] in ("-W", "-X") else 1
    return None


def texts_of(words: tuple[Word, ...]) -> list[str]:
    """The words as plain texts, ``UNKNOWN`` where a value is not known."""
    return [word.text if word.known else UNKNOWN for word in words]


def script_of(words: list[str], stdin: str | None) -> str | None:
    """The literal code given to an interpreter with ``-c``/``-e`` or on its input; None when it runs a file."""
    for at, word in enumerate(words[1:], 1):
        if word in ("-c", "-e", "--eval", "-p") or (word.startswith("-") and word.endswith("c") and word[1:2] != "-"):
            code = words[at + 1] if at + 1 < len(words) else ""
            return None if UNKNOWN in code else code
        if word == "-":
            return stdin
        if not word.startswith("-"):
            return None
    return stdin or None


def is_python(words: list[str]) -> bool:
    """Whether the program is a Python interpreter."""
    return bool(words) and PYTHONS.match(program_name(words[0])) is not None


def purpose_of(words: list[str], script: str | None, cwd: str) -> Purpose:
    """What the program behind the wrappers observes of the repository; ``script`` is literal code given to it."""
    if not words:
        return ""
    name, rest = program_name(words[0]), words[1:]
    if name in TEST_TOOLS or name.startswith(("test_", "pytest")):
        return "test"
    if name in ("go", "cargo"):
        return _go_cargo(name, rest)
    if name in TYPE_TOOLS:
        return "types"
    if name in TASK_RUNNERS:
        return _task(name, rest)
    if name in LINT_TOOLS:
        return "lint"
    if name in BUILD_TOOLS:
        return "build"
    if is_python(words) or name in INTERPRETERS:
        return _interpreter(words, script, cwd)
    if words[0].startswith(("./", "../", "scripts/", "bin/", "tools/")):
        return _by_words(name) or "run-code"
    return ""


def _go_cargo(name: str, rest: list[str]) -> Purpose:
    verb = next((w for w in rest if not w.startswith(("-", "+"))), "")
    table = GO if name == "go" else CARGO
    return next((purpose for purpose, verbs in table.items() if verb in verbs.split()), "")


def _task(name: str, rest: list[str]) -> Purpose:
    tasks = [w for w in rest if not w.startswith("-") and "=" not in w and w not in ("run", "run-script", "r")]
    if name in ("npm", "pnpm", "yarn", "bun") and tasks:
        if tasks[0] in PACKAGE_VERBS:
            return ""
        if name in ("pnpm", "yarn", "bun") and len(tasks) > 1 and tasks[0] in ("-r", "workspace"):
            tasks = tasks[2:]
        if name == "bun" and re.search(r"\.[cm]?[jt]sx?$", tasks[0]):
            return "run-code"
    if name == "docker":
        return "build" if tasks[:1] == ["build"] or tasks[:2] == ["compose", "build"] else ""
    if name in ("poetry", "uv", "hatch", "pdm", "pipenv") and tasks[:1] != ["build"] and tasks[:1] != ["test"]:
        return ""
    if name in ("tox", "nox"):
        return "test"
    found = [p for task in tasks[:3] for p in [_by_words(task)] if p]
    if found:
        return "test" if name in ("make", "gmake", "ninja") and "check" in tasks else min(found, key=RANK.index)
    if name == "manage.py":
        return "run-code"
    return "build" if name in BUILD_TOOLS and name not in ("turbo", "nx") else ""


def _by_words(task: str) -> Purpose:
    """The purpose a task's or script's name announces: ``test:integration``, ``run-lint.sh``."""
    parts = [p for p in re.split(r"[^a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1-\2", task).lower()) if p]
    found = [TASK_WORDS[p] for p in parts if p in TASK_WORDS]
    return min(found, key=RANK.index) if found else ""


def _interpreter(words: list[str], script: str | None, cwd: str) -> Purpose:
    if script is not None:
        return "run-code" if _uses_project(script, is_python(words)) else ""
    if "-n" in words[1:2] and words[0].endswith("sh"):
        return "lint"
    files = [w for w in words[1:] if not w.startswith("-")]
    if not files:
        return ""
    file = files[0]
    if file.startswith(("/tmp/", "/private/tmp/", "/var/tmp/", "~", "/usr/", "/opt/")):
        return ""
    base = posixpath.basename(file)
    if base.startswith("test_") or base.endswith(("_test.py", ".test.js", ".test.ts")):
        return "test"
    if base in ("manage.py", "setup.py", "runtests.py", "noxfile.py"):
        return purpose_of([base, *words[words.index(file) + 1 :]], None, cwd)
    return _by_words(posixpath.splitext(base)[0]) or "run-code"


def _uses_project(script: str, python: bool) -> bool:
    """Whether literal code imports something that is not the standard library, or reads a relative path."""
    if not python:
        return "require('." in script or 'require(".' in script or "from './" in script or 'from "./' in script
    tree = parsed_script(script)
    if tree is None:
        return False
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        if any(n.split(".")[0] not in sys.stdlib_module_names for n in names):
            return True
    return False


def purpose_of_output(output: str) -> Purpose:
    """``test`` when a runner's summary line stands in a run's output, else ""."""
    tail = output if len(output) < 400_000 else output[:200_000] + "\n" + output[-200_000:]
    tail = _COLOUR.sub("", tail) if "\x1b" in tail else tail
    # Summary lines are short; a pattern must not search back and forth in a line of megabytes.
    tail = "\n".join(line for line in tail.split("\n") if len(line) <= _MAX_SUMMARY)
    return "test" if _SUMMARY.search(tail) else ""


def strongest(purposes: list[Purpose]) -> Purpose:
    """The purpose of a command made of several: tests first, then builds, types, lint, code."""
    return min(purposes, key=RANK.index) if purposes else ""
