"""What stands in a record's place after an action, and the context an action plan makes (Eq. 8).

In: records, hits, actions. Out: tombstones and stubs (short texts of bounded size), and
C_t^+ = (C_t - D_t) + A_t with D = N^drop + N^refresh + N^rerun + D^m and
A = {tomb(r)} + {fresh(r)} + {stub(r)} + R^m.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from core.context.actions import Action, Hit, Why
from core.records.record import Record
from core.tape.tape import Tape
from core.tokens import count_tokens

_NAMED = 5
_CLIP = 60
_WORDS: dict[Why, str] = {
    "changed": "changed",
    "removed": "removed",
    "rewired": "calls something else now",
    "uses": "reads a changed name",
    "state": "the repository changed",
    "query": "the matches changed",
    "opaque": "written in a way not shown",
}


def tomb(record: Record, hits: Sequence[Hit], tape: Tape | None = None, pointer: str = "") -> str:
    """tomb(r): the referent, at most five symbols and why they falsify it, in one line of bounded length.

    ``tape`` lets it say where a removed symbol went, ``pointer`` which held record shows the present lines.
    """
    named = [f"{symbol_name(hit.id)} {_why(hit, tape)}" for hit in hits[:_NAMED]]
    if len(hits) > _NAMED:
        named.append(f"and {len(hits) - _NAMED} more")
    steps = sorted({step for hit in hits for step in hit.writes})
    when = f" by step {steps[-1]}" if steps else ""
    then = "Read it again if needed."
    if pointer:
        then = f"The present text is in the result of step {pointer[1:].replace('@', ' as refreshed at step ')}."
    return f"[{_what(record)} was dropped, out of date{when}: {'; '.join(named)}. {then}]"


def stub(record: Record) -> str:
    """stub(r): asks for a test, build or lint run to be done again; makes no claim about the repository."""
    command = clip(record.command or record.tool, 2 * _CLIP)
    return f"[Result of `{command}` at step {record.id[1:]} is out of date after later writes: run it again.]"


def outrun(record: Record, newer: Record) -> str:
    """The tombstone of a test, build or lint result whose command a held record ran again later."""
    command = clip(record.command or record.tool, 2 * _CLIP)
    return f"[Result of `{command}` at step {record.id[1:]} was dropped: step {newer.id[1:]} ran it again.]"


def replacement(record: Record, t: int, text: str) -> Record:
    """The record that a tombstone or stub is: no referent, so nothing can falsify it."""
    origin = record.id.partition("@")[0]
    return record.instead(id=f"{origin}@{t}", born=t, text=text, tokens=count_tokens(text))


def apply_plan(
    context: Iterable[Record],
    actions: Iterable[Action],
    replacements: Mapping[str, Record],
    evicted: Collection[str] = (),
    retrieved: Iterable[Record] = (),
) -> tuple[Record, ...]:
    """C_t^+ (Eq. 8): replaced records in place, ``evicted`` ones (D^m) gone, ``retrieved`` ones (R^m) at the end.

    ``replacements`` gives the record that stands for each one refreshed, dropped or rerun; a record without
    one simply leaves.
    """
    acted = {action.record_id: action for action in actions}
    kept = []
    for record in context:
        action = acted.get(record.id)
        if record.id in evicted:
            continue
        if action is None or action.name == "keep":
            kept.append(record)
        elif record.id in replacements:
            kept.append(replacements[record.id])
    return (*kept, *retrieved)


def symbol_name(symbol_id: str) -> str:
    """A symbol as people name it: the qualified name, for module text the file."""
    path, _, name = symbol_id.partition("::")
    return clip(name if name and name != "<module>" else path, _CLIP)


def clip(text: str, size: int) -> str:
    """One line of at most ``size`` characters."""
    line = re.sub(r"\s+", " ", text).strip()
    return line if len(line) <= size else line[: size - 3] + "..."


def _why(hit: Hit, tape: Tape | None) -> str:
    target = tape.moved_to(hit.id) if tape and hit.why == "removed" else None
    return f"moved to {clip(target, 2 * _CLIP)}" if target else _WORDS[hit.why]


def _what(record: Record) -> str:
    lines = f" lines {record.start}-{record.end}" if record.start is not None else ""
    place = f" of {clip(record.path, 2 * _CLIP)}{lines}" if record.path else ""
    return f"{record.kind.capitalize()}{place} at step {record.id[1:].partition('@')[0]}"
