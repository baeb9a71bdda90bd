"""Harness: relations as entries of a task list, in the relation notes and in the brief.

    - [ ] caller `core/cli.py`, step 4, derived: calls load
    - [x] test `tests/test_loader.py`, step 4, inspected step 9: named after it

The source stands in the heading above, or first in the entry: ``core/loader.py -> `` in code.
"""

from __future__ import annotations

import re
from typing import cast, get_args

from core.harness.project_state import Observed, Relation, RelationKind
from core.harness.written import code, codes, inline, plain

KINDS = get_args(RelationKind)
_ENTRY = re.compile(
    r"- \[([ xX])\] (?:(`[^`]*`) -> )?([a-z-]+) (`[^`]*`)(?:, step (\d{1,9}))?"
    r"(?:, (inspected|edited|run)(?: step (\d{1,9}))?)?(?:, closed step (\d{1,9}))?(, derived)?:(?: (.*))?"
)


def relation_line(relation: Relation, source: bool = False) -> str:
    """One relation as a line; ``source`` names the changed file in it."""
    r = relation
    of = f"{code(r.source)} -> " if source else ""
    opened = f", step {r.opened}" if r.opened else ""
    closed = f", {r.how}" if r.how else ""
    closed += f" step {r.closed}" if r.how and r.closed else f", closed step {r.closed}" if r.closed else ""
    derived = ", derived" if r.derived else ""
    why = f" {inline(r.why)}" if r.why else ""
    box = "x" if r.state == "checked" else " "
    return f"- [{box}] {of}{r.kind} {code(r.target)}{opened}{closed}{derived}:{why}"


def read_relation(line: str, source: str) -> Relation | str:
    """The relation of a line, or why it is none; ``source`` holds where the line names none."""
    found = _ENTRY.fullmatch(line.rstrip())
    if found is None:
        return "not a relation; expected '- [ ] caller `path`, step 2: why'"
    if found[3] not in KINDS:
        return f"unknown kind of relation; expected one of {', '.join(KINDS)}"
    return Relation(
        source=codes(found[2])[0] if found[2] else source,
        target=codes(found[4])[0],
        kind=cast(RelationKind, found[3]),
        why=plain(found[10] or ""),
        state="open" if found[1] == " " else "checked",
        opened=int(found[5] or 0),
        how=cast(Observed, found[6] or ""),
        closed=int(found[7] or found[8] or 0),
        derived=found[9] is not None,
    )
