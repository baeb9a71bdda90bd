"""Harness: procedure guidance as JSON, one procedure a line, so that a line that breaks costs only itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, cast, get_args

from core.harness.project_state import Invocation, Outcome, Problem, Procedure, UsePolicy

FILE = "skill_states.json"
POLICIES = get_args(UsePolicy)
_OUTCOMES = get_args(Outcome)
_DECODER = json.JSONDecoder()
_START = re.compile(r'[ \t]*"(?:[^"\\\n]|\\.)*"\s*:\s*\{')
_BLANK = re.compile(r"[\s,]*")
_TEXTS = ("latest_failure", "rationale")


def write_skills(procedures: Iterable[Procedure]) -> str:
    """The file's text."""
    rows = [f" {json.dumps(p.name)}: {json.dumps(_fields(p))}" for p in procedures]
    return "{\n" + ",\n".join(rows) + ("\n}\n" if rows else "}\n")


def _fields(p: Procedure) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "policy": p.policy,
        "rationale": p.rationale,
        "latest_failure": p.latest_failure,
        "runs": p.runs,
        "failures": p.failures,
        "history": [[i.t, i.outcome] for i in p.history],
    }
    return {**fields, "derived": True} if p.derived else fields


def read_skills(text: str) -> tuple[tuple[Procedure, ...], tuple[Problem, ...]]:
    """The procedures by name, and a problem for each entry that breaks its form. O(length)."""
    found: dict[str, Procedure] = {}
    problems: list[Problem] = []
    for line, name, value in _entries(text, problems):
        try:
            found[name] = _procedure(name, value)
        except ValueError as error:
            problems.append(Problem(FILE, line, str(error)))
    return tuple(found[name] for name in sorted(found)), tuple(problems)


def _entries(text: str, problems: list[Problem]) -> Iterable[tuple[int, str, Any]]:
    """(line, name, value) of every entry; after one that breaks, from the next line that begins an entry."""
    at = text.find("{") + 1
    if not at:
        if text.strip():
            problems.append(Problem(FILE, 1, "not a JSON object of procedures"))
        return
    while True:
        at = _past(text, at)
        if at >= len(text) or text[at] == "}":
            return
        line = text.count("\n", 0, at) + 1
        try:
            name, after = _DECODER.raw_decode(text, at)
            after = _past(text, after)
            if not isinstance(name, str) or text[after : after + 1] != ":":
                raise ValueError("expected a name and a colon")
            value, at = _DECODER.raw_decode(text, _past(text, after + 1))
            yield line, name, value
        except (ValueError, RecursionError) as error:
            what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            problems.append(Problem(FILE, line, f"not a JSON entry: {what}"))
            end = text.find("\n", at)
            start = _START.search(text, end) if end >= 0 else None
            while start is not None and start.start() and text[start.start() - 1] != "\n":
                start = _START.search(text, start.end())
            if start is None:
                return
            at = start.start()


def _past(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at


def _procedure(name: str, value: Any) -> Procedure:
    if not isinstance(value, dict):
        raise ValueError("a procedure must be an object")
    if value.get("policy", "use") not in POLICIES:
        raise ValueError(f"unknown policy; expected one of {', '.join(POLICIES)}")
    texts = {key: value.get(key, "") for key in _TEXTS}
    if any(not isinstance(text, str) for text in texts.values()):
        raise ValueError(f"{' and '.join(_TEXTS)} must be texts")
    history = value.get("history", [])
    if not isinstance(history, list):
        raise ValueError("history must be a list of [step, outcome]")
    invocations = tuple(map(_invocation, history))
    return Procedure(
        name=name,
        runs=_count(value, "runs", len(invocations)),
        failures=_count(value, "failures", sum(i.outcome == "failed" for i in invocations)),
        history=invocations,
        latest_failure=texts["latest_failure"],
        policy=cast(UsePolicy, value.get("policy", "use")),
        rationale=texts["rationale"],
        derived=value.get("derived") is True,
    )


def _count(value: dict[str, Any], key: str, default: int) -> int:
    number = value.get(key, default)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{key} must be a number, 0 or more")
    return number


def _invocation(item: Any) -> Invocation:
    step, outcome = item if isinstance(item, list) and len(item) == 2 else (None, None)
    if isinstance(step, bool) or not isinstance(step, int) or step < 0 or outcome not in _OUTCOMES:
        raise ValueError(f"history must hold [step, outcome], an outcome being one of {', '.join(_OUTCOMES)}")
    return Invocation(step, cast(Outcome, outcome))
