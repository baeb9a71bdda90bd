"""Harness: how a run went, by the words of its output: passed, failed or unknown, its summary and its first failure.

In: the output of a test, build, lint, type or code run. Out: ``Result``. Exit codes are not enough: in
``pytest | tail`` they are tail's. Lines of more than 400 characters are not looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.harness.project_state import Outcome
from core.trajectory.steps import Purpose

_LONGEST = 400
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_TAG = re.compile(r"</?[a-z_-]+>")  # what a client puts around an output
# A runner's last word: group 1 or 2 says which.
_FAILED_SUMMARY = re.compile(
    r"""(?x)
    ^=*\s*.*\b[1-9]\d*\ (?:failed|errors?)\b.*\bin\ [\d.:]+.*          # pytest
    | ^FAIL\b.*                                                        # go, jest
    | ^test\ result:\ FAILED\..*                                       # cargo
    | ^FAILED\ \((?:failures|errors).*                                 # unittest
    | ^\s*(?:Tests|Test\ Suites|Test\ Files):?\s+.*\b[1-9]\d*\ failed\b.*
    | ^\s*[1-9]\d*\ (?:failing|fail)\s*$                               # mocha, bun
    | ^.*[1-9]\d*\ tests?\ failed\ out\ of.*                           # ctest
    | ^(?:\[\w+\]\s*)?Tests\ run:.*(?:Failures|Errors):\ [1-9].*       # maven
    | ^\d+\ examples?,\ [1-9]\d*\ failures?.*
    | ^make.*\ \*\*\*\ .*
    | ^\[[\w:-]+\]\ ERROR\ task\ failed.*                              # mise
    | ^Found\ [1-9]\d*\ errors?\b.*                                    # mypy, ruff, tsc
    | ^✖\ [1-9]\d*\ problems?.*                                        # eslint
    | ^[1-9]\d*\ issues?\b.*                                           # golangci-lint
    | ^.*\bERR_PNPM_.*|^npm\ (?:ERR!|error)\ .*
    | ^error:\ could\ not\ compile.*
    """
)
_PASSED_SUMMARY = re.compile(
    r"""(?x)
    ^=*\s*.*\b\d+\ passed\b.*\bin\ [\d.:]+.*
    | ^ok\s+\S+\s+.*
    | ^test\ result:\ ok\..*
    | ^OK(?:\ \(.*\))?\s*$
    | ^\s*(?:Tests|Test\ Suites|Test\ Files):?\s+.*\b\d+\ (?:passed|total)\b.*
    | ^\s*\d+\ (?:passing|pass)\b.*
    | ^100%\ tests\ passed.*
    | ^(?:\[\w+\]\s*)?Tests\ run:.*
    | ^\d+\ examples?,\ 0\ failures?.*
    | ^DONE\ \d+\ tests?\b.*
    | ^0\ issues\.?
    | ^Success:\ no\ issues.*|^All\ checks\ passed!?.*
    """
)
# What a person would quote: the first of the strongest kind found.
_FAILURES = tuple(
    re.compile(pattern)
    for pattern in (
        r"^(?:FAILED|ERROR) \S+::\S+.*|^--- FAIL: .*|^test .* \.\.\. FAILED|^\s*● .*",
        r"^E\s{2,}\S.*|^\S*(?:Error|Exception)\b: .*|^panic: .*|^error(?:\[\w+\])?: .*",
        r"^\S+:\d+(?::\d+)?: .*|^\s*\d+:\d+\s+error\s.*|^\S+\(\d+,\d+\): error .*",
        r".*\b(?:[Nn]o such file or directory|command not found|[Pp]ermission denied|not found)\b.*",
    )
)
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):|^panic: |^Error: |^\w*(?:Error|Exception): ")
_COMPILER = re.compile(r"^\S+\.\w+:\d+(?::\d+)?: (?!warning|note)|^# \S+/\S+$|^\S+\(\d+,\d+\): error ")
# A tool that could not even start says so in its last lines.
_ABSENT = re.compile(r"(?:command not found|No module named|ModuleNotFoundError|ImportError while|No such file or)")


@dataclass(frozen=True, slots=True)
class Result:
    """``summary`` is the runner's own last word, ``failure`` the first line that says what failed; "" if none."""

    outcome: Outcome
    summary: str = ""
    failure: str = ""


def result_of(output: str, failed: bool, purpose: Purpose) -> Result:
    """How a run of that purpose went; ``failed`` is what the client said. O(length)."""
    text = _COLOUR.sub("", output) if "\x1b" in output else output
    lines = [line.strip("\r ") if len(line) <= _LONGEST else "" for line in text.split("\n")]
    lines = ["" if _TAG.fullmatch(line) else line for line in lines]
    bad = _last(_FAILED_SUMMARY, lines)
    good = _last(_PASSED_SUMMARY, lines)
    broken = bool(bad) or failed or _looks_broken(lines, purpose)
    if broken:
        return Result("failed", bad, _failure(lines, bad))
    if purpose == "test":
        return Result("passed" if good else "unknown", good)
    return Result("passed", good)


def _looks_broken(lines: list[str], purpose: Purpose) -> bool:
    if purpose == "run-code":
        return any(_TRACEBACK.match(line) for line in lines)
    if purpose in ("build", "types", "lint"):
        return any(_COMPILER.match(line) for line in lines)
    return purpose == "test" and any(_ABSENT.search(line) for line in lines[-3:])


def _last(pattern: re.Pattern[str], lines: list[str]) -> str:
    return next((line.strip("= ") for line in reversed(lines) if line and pattern.match(line)), "")


def _failure(lines: list[str], summary: str) -> str:
    for pattern in _FAILURES:
        found = next((line for line in lines if line and pattern.match(line)), "")
        if found:
            return re.sub(r"^E\s{2,}", "", found).strip()
    return summary or next((line.strip() for line in reversed(lines) if line.strip()), "")
