"""Harness: events as entries of a list, in the event log and in the brief.

    - E3, step 12, test (test-passed), derived: pytest tests/test_loader.py: 4 passed
      - reason: the signature changed
      - paths: `core/loader.py`, `tests/test_loader.py`

Further lines of a text are indented under its first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import cast, get_args

from core.harness.project_state import Event, EventKind, Problem
from core.harness.written import block, code, codes, inline, plain, unblock

KINDS = get_args(EventKind)
_HEAD = re.compile(r"- E(\d{1,9}), step (\d{1,9}), ([a-z-]+)(?: \(([^()]*)\))?(, derived)?:(?: (.*))?")
_FIELD = re.compile(r"- (reason|paths):(?: (.*))?")


def event_lines(event: Event) -> list[str]:
    """One event as lines."""
    tag = f" ({inline(event.tag, '()')})" if event.tag else ""
    derived = ", derived" if event.derived else ""
    lines = _under(f"- E{event.n}, step {event.t}, {event.kind}{tag}{derived}:", event.text, "  ")
    if event.reason:
        lines += _under("  - reason:", event.reason, "    ")
    if event.paths:
        lines.append(f"  - paths: {', '.join(map(code, event.paths))}")
    return lines


def _under(head: str, text: str, indent: str) -> list[str]:
    first, *rest = block(text) or [""]
    return [f"{head} {first}" if first else head, *(indent + line if line else "" for line in rest)]


def items(lines: Sequence[str], first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Each list item at the left edge with its indented lines, and each other line that says something, by number."""
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].startswith("- "):
            while end < len(lines) and (lines[end].startswith((" ", "\t")) or not lines[end].strip()):
                end += 1
        if lines[at].strip() and not lines[at].startswith("<!--"):
            yield first + at, list(lines[at:end])
        at = end


def read_events(lines: Sequence[str], file: str, first: int = 1) -> tuple[tuple[Event, ...], list[Problem]]:
    """The events of list items, and a problem for each that breaks its form; ``first`` numbers the first line."""
    events: list[Event] = []
    problems: list[Problem] = []
    for number, item in items(lines, first):
        head = _HEAD.fullmatch(item[0])
        if head is None:
            problems.append(Problem(file, number, "not an event; expected '- E1, step 2, change: what happened'"))
        elif head[3] not in KINDS:
            problems.append(Problem(file, number, f"unknown kind of event; expected one of {', '.join(KINDS)}"))
        else:
            events.append(_event(head, item[1:]))
    return tuple(events), problems


def _event(head: re.Match[str], rest: Iterable[str]) -> Event:
    parts: dict[str, list[str]] = {"text": [head[6] or ""]}
    part, indent = "text", 2
    for line in rest:
        inner = _outdent(line, 2)
        field = _FIELD.fullmatch(inner)
        if field is not None:
            part, indent = field[1], 4
            parts[part] = [field[2] or ""]
        else:
            parts[part].append(_outdent(line, indent))
    return Event(
        n=int(head[1]),
        t=int(head[2]),
        kind=cast(EventKind, head[3]),
        text=unblock(parts["text"]),
        reason=unblock(parts.get("reason", [])),
        tag=plain(head[4] or ""),
        paths=codes(" ".join(parts.get("paths", []))),
        derived=head[5] is not None,
    )


def _outdent(line: str, by: int) -> str:
    """``line`` without its indentation of at most ``by`` blanks, a tab counting for all."""
    if line.startswith("\t"):
        return line[1:]
    return line[min(by, len(line) - len(line.lstrip(" "))) :]
