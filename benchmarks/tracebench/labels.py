"""Gold labels as JSONL, one region a line, and what the product's import takes.

    {"t": 26, "path": "dvc/path_info.py", "start": 110, "end": 111, "rule": "G2", "why": "...", "symbol": "...",
     "source": "reference", "annotator": "...", "transcript": "sha256:..."}

``t`` is the decision point (CONTRACT.md), lines are those of w_t, 1-based and inclusive. Keys are in this order and
rows by (t, rule, place): the same labels are the same bytes. ``transcript`` is the hash of the session file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from benchmarks.tracebench.agent import Label
from benchmarks.tracebench.checker import VERSION
from core.errors import InputError
from core.tracebench.sources import Imported, read_imported

ANNOTATOR = f"benchmarks.tracebench, rules G1 to G4 over ast and pyrefly {VERSION}; simulated agent"


def write_labels(labels: Iterable[Label], session: str) -> str:
    """The labels of one session as JSONL."""
    rows = (
        {
            "t": label.t,
            "path": label.path,
            "start": label.start,
            "end": label.end,
            "rule": label.rule,
            "why": label.why,
            "symbol": label.symbol,
            "source": "reference",
            "annotator": ANNOTATOR,
            "transcript": transcript_hash(session),
        }
        for label in labels
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_labels(text: str, session: str) -> Imported:
    """The labels through the product's import; raises InputError when they are of another transcript."""
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    expected = transcript_hash(session)
    other = {row["transcript"] for row in rows} - {expected}
    if other:
        raise InputError(f"labels of transcript {sorted(other)[0]}, expected {expected}")
    return read_imported(json.dumps(rows))


def transcript_hash(session: str) -> str:
    """The hash that ties labels to a session."""
    return "sha256:" + hashlib.sha256(session.encode()).hexdigest()
