"""A long session on a small bookkeeping package: a five-part feature request, parts of work in four files.

What it holds: searches, whole and partial reads, parallel and interleaved calls, edits in bursts, tests that
fail and pass, shell writes (heredocs, redirects, ``sed -i``, ``mv``, ``git checkout``), an edit the user has
undone, a moved function, a removed helper, an override that rewires an unchanged caller, an import that rewires
one, a changed constant, a failed edit, a sub-agent that writes, a compaction with re-reads after it,
documentation.
"""

from __future__ import annotations

from sample_runs.script import Script
from sample_runs.scripts.ledger import budgets, currencies, formats, prices, readers

SCRIPT = Script(
    name="ledger_long",
    base="ledger",
    project="pennybook",
    version="2.1.14",
    model="claude-opus-4-5-20251101",
    branch="main",
    slug="steady-counting-otter",
    started="2026-03-02T13:30:00",
    events=readers.EVENTS + currencies.EVENTS + prices.EVENTS + budgets.EVENTS + formats.EVENTS,
    snippets=True,
    reminders=True,
    git=True,
)
