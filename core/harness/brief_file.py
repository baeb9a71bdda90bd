"""Harness: ``context_brief.md``, the working brief as a text for the agent, and read back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast

from core.harness.event_entries import event_lines, items, read_events
from core.harness.files import BRIEF, sections
from core.harness.project_state import (
    Alert,
    Event,
    Outside,
    Problem,
    Procedure,
    Relation,
    UsePolicy,
    WorkingBrief,
)
from core.harness.relation_entries import read_relation, relation_line
from core.harness.skills_file import POLICIES
from core.harness.written import block, code, codes, inline, plain, unblock

_TITLE = re.compile(r"# Working brief(?: \(step (\d{1,9})\))?")
_GUIDANCE = re.compile(r"- ([a-z]+) (`[^`]*`), (\d{1,9}) runs?, (\d{1,9}) failed(, derived)?:(?: (.*))?")
_FAILURE = re.compile(r"  - latest failure:(?: (.*))?")
_ALERT = re.compile(r"- step (\d{1,9})(?:, rests on ((?:`[^`]*`(?:, )?)+))?:(?: (.*))?")
_OUTSIDE = re.compile(r"- (\d{1,9}) ([^:]*): see (.*)")


def write_brief(brief: WorkingBrief) -> str:
    """The brief as Markdown; sections that hold nothing are left out."""
    lines = [f"# Working brief (step {brief.t})"]
    lines += _section("Current focus", block(brief.focus))
    lines += _section("Hypothesis", block(brief.hypothesis))
    lines += _section("Alerts", (_alert_line(a) for a in brief.alerts))
    lines += _section("May be affected, not looked at since", (relation_line(r, True) for r in brief.relations))
    lines += _section("Procedure guidance", (line for p in brief.guidance for line in _guidance_lines(p)))
    lines += _section("Recent events", (line for e in brief.events for line in event_lines(e)))
    lines += _section("Not shown here", (_outside_line(o) for o in brief.outside))
    return "\n".join([*lines, ""])


def _section(heading: str, lines: Iterable[str]) -> list[str]:
    under = list(lines)
    return ["", f"## {heading}", "", *under] if under else []


def _alert_line(alert: Alert) -> str:
    rests = f", rests on {', '.join(map(code, alert.rests))}" if alert.rests else ""
    return f"- step {alert.t}{rests}: {inline(alert.text)}".rstrip()


def _guidance_lines(p: Procedure) -> list[str]:
    derived = ", derived" if p.derived else ""
    head = f"- {p.policy} {code(p.name)}, {p.runs} run{'s' * (p.runs != 1)}, {p.failures} failed{derived}:"
    head = f"{head} {inline(p.rationale)}".rstrip()
    return [head, f"  - latest failure: {inline(p.latest_failure)}"] if p.latest_failure else [head]


def _outside_line(outside: Outside) -> str:
    return f"- {outside.count} {inline(outside.what, ':')}: see {inline(outside.where)}"


def read_brief(text: str) -> tuple[WorkingBrief, tuple[Problem, ...]]:
    """The brief of a text, and what breaks its form. Guidance has no history there: it is a view."""
    parts: dict[str, tuple[int, list[str]]] = {}
    problems: list[Problem] = []
    t = 0
    for number, heading, lines in sections(text):
        if heading is None:
            titles = [found for line in lines if (found := _TITLE.fullmatch(line.rstrip())) is not None]
            t = int(titles[0][1] or 0) if titles else 0
        elif heading in parts:
            problems.append(Problem(BRIEF, number, f"a second section {heading}; the first is kept"))
        else:
            parts[heading] = (number + 1, lines)
    reader = _Reader(parts, problems)
    brief = WorkingBrief(
        t=t,
        focus=unblock(reader.lines("Current focus")[1]),
        hypothesis=unblock(reader.lines("Hypothesis")[1]),
        guidance=reader.guidance(),
        events=reader.events(),
        relations=reader.relations(),
        alerts=reader.alerts(),
        outside=reader.outside(),
    )
    problems += [Problem(BRIEF, parts[h][0] - 1, "unknown section") for h in parts if h not in reader.read]
    return brief, tuple(sorted(problems, key=lambda p: p.line))


class _Reader:
    """The sections of one brief; what is wrong with them goes to ``problems``, their names to ``read``."""

    def __init__(self, parts: dict[str, tuple[int, list[str]]], problems: list[Problem]) -> None:
        self._parts, self._problems = parts, problems
        self.read: set[str] = set()

    def lines(self, heading: str) -> tuple[int, list[str]]:
        self.read.add(heading)
        return self._parts.get(heading, (0, []))

    def _items(self, heading: str) -> list[tuple[int, list[str]]]:
        number, lines = self.lines(heading)
        return list(items(lines, number))

    def _wrong(self, number: int, why: str) -> None:
        self._problems.append(Problem(BRIEF, number, why))

    def alerts(self) -> tuple[Alert, ...]:
        found = []
        for number, item in self._items("Alerts"):
            m = _ALERT.fullmatch(item[0])
            if m is None:
                self._wrong(number, "not an alert; expected '- step 2, rests on `E1`: what was overlooked'")
            else:
                found.append(Alert(int(m[1]), plain(m[3] or ""), codes(m[2] or "")))
        return tuple(found)

    def relations(self) -> tuple[Relation, ...]:
        found = []
        for number, item in self._items("May be affected, not looked at since"):
            read = read_relation(item[0], "")
            if isinstance(read, str):
                self._wrong(number, read)
            else:
                found.append(read)
        return tuple(found)

    def guidance(self) -> tuple[Procedure, ...]:
        found = []
        for number, item in self._items("Procedure guidance"):
            m = _GUIDANCE.fullmatch(item[0])
            if m is None or m[1] not in POLICIES:
                self._wrong(number, "not guidance; expected '- verify `pytest`, 3 runs, 1 failed: why'")
                continue
            failures = [f for line in item[1:] if (f := _FAILURE.fullmatch(line)) is not None]
            found.append(
                Procedure(
                    name=codes(m[2])[0],
                    runs=int(m[3]),
                    failures=int(m[4]),
                    latest_failure=plain(failures[0][1] or "") if failures else "",
                    policy=cast(UsePolicy, m[1]),
                    rationale=plain(m[6] or ""),
                    derived=m[5] is not None,
                )
            )
        return tuple(found)

    def events(self) -> tuple[Event, ...]:
        number, lines = self.lines("Recent events")
        found, problems = read_events(lines, BRIEF, number)
        self._problems.extend(problems)
        return found

    def outside(self) -> tuple[Outside, ...]:
        found = []
        for number, item in self._items("Not shown here"):
            m = _OUTSIDE.fullmatch(item[0])
            if m is None:
                self._wrong(number, "expected '- 3 earlier events: see breakthrough_log.md'")
            else:
                found.append(Outside(plain(m[2]), int(m[1]), plain(m[3])))
        return tuple(found)
