"""Harness: what fixed rules find overlooked in the records, the diagnosis that needs no model.

In: the input of a diagnosis, with what deriving knows of reads, writes and tests. Out: alerts, the graver first: a
procedure that keeps failing, decisions deferred and forgotten, relations nobody looked at, edits no test has followed,
files read again and again. Each rests on events or steps that can be looked up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.harness.diagnosis import MOST, DiagnosisInput
from core.harness.project_state import DEFERRED, Alert, Event, Relation
from core.harness.said import clip

_READ_AGAIN = 3
_RECENT = 60  # steps after which a dead end that was left is no way of working any more
_SOURCES = 2  # changed files whose open relations are spoken of
_TARGETS = 3
_NAME = re.compile(
    r"`([^`]{3,80})`|\b([A-Za-z_]*(?:_[A-Za-z]+|[a-z][A-Z])[A-Za-z0-9_]*|[\w/-]+\.[a-z]{1,4})\b|\b([A-Z]{3,})\b"
)


def overlooked(
    given: DiagnosisInput,
    relations: Sequence[Relation] = (),
    reads: Mapping[str, tuple[int, int]] | None = None,
    written: int = 0,
    tested: int = 0,
) -> tuple[Alert, ...]:
    """At most ``MOST`` alerts; ``reads`` is (times read since the last write, last step) by file. O(records)."""
    found = [
        *_failing(given),
        *_forgotten(given),
        *_unvisited(given, relations),
        *_untested(given, written, tested),
        *_reread(given, reads or {}),
    ]
    return tuple(found[:MOST])


def _failing(given: DiagnosisInput) -> list[Alert]:
    found = []
    for p in given.procedures:
        if p.policy in ("avoid", "freeze") and given.t - p.history[-1].t <= _RECENT:
            steps = [i.t for i in p.history if i.outcome == "failed"][-3:]
            latest = f" Latest: {p.latest_failure}" if p.latest_failure else ""
            rests = tuple(_event_at(given.events, t, p.name) for t in steps)
            found.append(Alert(given.t, clip(f"{p.name}: {p.rationale}.{latest}", 300), rests))
    return found


def _event_at(events: Sequence[Event], t: int, name: str) -> str:
    return next((e.name for e in events if e.t == t and e.text.startswith(name)), f"step {t}")


def _forgotten(given: DiagnosisInput) -> list[Alert]:
    """Deferred decisions out of the brief's sight, about something no later change or decision has named."""
    shown = {e.n for e in given.brief.events}
    found = []
    for event in given.events:
        if event.tag != DEFERRED or event.n in shown:
            continue
        about = _names(event.text)
        later = (e for e in given.events if e.n > event.n and e.kind in ("change", "decision"))
        if not any(about & _names(" ".join((e.text, *e.paths))) for e in later):
            found.append(Alert(given.t, clip(f'Deferred and not taken up since: "{event.text}"', 300), (event.name,)))
    return found[-2:]


def _names(text: str) -> set[str]:
    """What a text is about: names in code marks, compound names, files; a file also by its stem."""
    found = {next(filter(None, groups)).lower() for groups in _NAME.findall(text)}
    return found | {name.rsplit("/", 1)[-1].partition(".")[0] for name in found}


def _unvisited(given: DiagnosisInput, relations: Sequence[Relation]) -> list[Alert]:
    by_source: dict[str, list[Relation]] = {}
    for relation in relations:
        if relation.state == "open":
            by_source.setdefault(relation.source, []).append(relation)
    # Code before the rest, and the longest open first: the newest are still in the brief.
    ranked = sorted(
        by_source.items(),
        key=lambda item: (all(r.kind != "caller" for r in item[1]), min(r.opened for r in item[1]), item[0]),
    )
    found = []
    for source, opened in ranked[:_SOURCES]:
        first = sorted(opened, key=lambda r: (r.kind != "caller", r.opened, r.target))
        named = ", ".join(f"{r.target} ({r.why.partition(';')[0]})" for r in first[:_TARGETS])
        more = f" and {len(first) - _TARGETS} more" if len(first) > _TARGETS else ""
        text = f"{source} changed and nothing has looked since at {named}{more}"
        changed = [e.name for e in given.events if e.kind == "change" and source in e.paths and e.t == first[0].opened]
        found.append(Alert(given.t, clip(text, 300), tuple(changed[-1:]) or (f"step {first[0].opened}",)))
    return found


def _untested(given: DiagnosisInput, written: int, tested: int) -> list[Alert]:
    if not written or written <= tested:
        return []
    changes = [e for e in given.events if e.kind == "change" and e.paths and e.t > tested]
    tests = [e for e in given.events if e.kind == "test"]
    last = f"the last test is {tests[-1].name}, at step {tests[-1].t}" if tests else "no test has run yet"
    text = f"{len(changes)} changes since a test last gave a verdict; {last}"
    return [Alert(given.t, text, tuple(e.name for e in (*tests[-1:], *changes[-1:])))] if changes else []


def _reread(given: DiagnosisInput, reads: Mapping[str, tuple[int, int]]) -> list[Alert]:
    again = sorted(((n, t, p) for p, (n, t) in reads.items() if n >= _READ_AGAIN), key=lambda r: (-r[0], r[2]))
    return [
        Alert(given.t, f"{path} was read {n} times and not changed: its text is already known", (f"step {t}",))
        for n, t, path in again[:2]
    ]
