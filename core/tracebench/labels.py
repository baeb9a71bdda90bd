"""Gold labels to carry from one tool to another: JSONL, one region a line (METHOD 6, "imported").

    {"t": 26, "path": "core/a.py", "start": 110, "end": 111, "rule": "G2", "why": "...", "symbol": "core/a.py::f",
     "source": "hindsight", "annotator": "...", "transcript": "<hash>"}

``t`` is the step after which the decision point stands, lines are those of w_t, 1-based and inclusive. Keys are in
this order, rows by ``t``, rule and place: the same labels are the same bytes. ``transcript`` is the content hash of
the run they belong to; rows of another run are left out and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from core.tracebench.sources import Imported, read_imported
from core.trajectory.steps import Skipped

KEYS = ("t", "path", "start", "end", "rule", "why", "symbol", "source", "annotator", "transcript")


def write_labels(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as JSONL, sorted, with exactly KEYS; a missing one is null."""
    ordered = sorted(rows, key=lambda r: (r["t"], r["rule"], r["path"], r["start"], r["end"], r.get("why") or ""))
    return "".join(json.dumps({k: row.get(k) for k in KEYS}, ensure_ascii=False) + "\n" for row in ordered)


def labels_for(text: str, transcript: str, name: str = "labels") -> tuple[Imported, str] | None:
    """The labels of one transcript out of a whole file, and their lines; None when the file has none for it.

    What is no row is counted in ``Imported.skipped`` with its line.
    """
    rows: list[Any] = []
    lines: list[str] = []
    skipped: list[Skipped] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            skipped.append(Skipped(name, number, f"not JSON: {str(error)[:80]}"))
            continue
        if not isinstance(row, dict) or not isinstance(row.get("transcript"), str):
            skipped.append(Skipped(name, number, "expected an object with the hash of its transcript"))
        elif row["transcript"].removeprefix("sha256:") == transcript:
            rows.append(row)
            lines.append(line)
    if not rows:
        return None
    found = read_imported(json.dumps(rows), name)
    return replace(found, skipped=(*skipped, *found.skipped)), "\n".join(lines) + "\n"
