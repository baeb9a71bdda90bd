"""The numbers of the simulation, in one place, with where each comes from.

``FITTED`` were moved, by hand and on seven instances of the training half, until the mean shares of the contexts came
near the paper's (held a point, unneeded, stale of that, missing, regions a point); scores of policies took no part.
``ASSUMED`` were set once from what recorded sessions look like or from the paper's own account, and not moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameters:
    """Probabilities are 0..1, sizes are lines; ``FITTED`` and ``ASSUMED`` say what each is."""

    burst: float = 9.0
    join: float = 0.85
    whole: int = 300
    window: int = 12
    related: float = 0.03
    related_whole: float = 0.3
    reread: float = 0.9
    neighbour: float = 0.05
    search: float = 0.2
    search_lines: int = 24
    test: float = 0.95
    test_lines: int = 100
    read_test: float = 0.05
    follow: float = 1.0
    wrong: float = 0.06
    say: float = 0.35
    test_fails: float = 0.35
    documentation: bool = True
    most_steps: int = 356
    most_changes: int = 45
    ahead: float = 0.6
    version: str = "2.1.231"


FITTED: Mapping[str, str] = {
    "burst": "mean changes an edit burst: points a run, and about two edit sites a point",
    "most_changes": "changes after which the run ends, as agents leave large patches unfinished: held tokens",
    "join": "chance that a burst goes on into the next file: edit sites a point",
    "ahead": "chance that a file of a topic is read when the topic begins, not just before its edit: unneeded share",
    "whole": "files up to this long are read whole: held tokens, unneeded share",
    "window": "lines read on each side of a place in a longer file: held tokens, unneeded share",
    "related": "chance that a needed definition beside the edit site is read before the burst: missing share",
    "related_whole": "of those reads, how many are of the whole file: unneeded share",
    "reread": "chance that a file changed since it was read is read again before the next edit there: stale share",
    "neighbour": "mean reads before a burst of files nothing needs: unneeded share, stale share",
    "search": "chance of a search before a burst: stale share",
    "read_test": "chance that the test file of an edited module is read before a burst: unneeded share",
    "test": "chance of a test run after a burst: stale share",
    "test_lines": "lines of a test run that are kept: stale share, held tokens",
}
ASSUMED: Mapping[str, str] = {
    "search_lines": "lines of a search result; clients and agents cut them with head",
    "follow": "chance that a run goes by topics of linked changes, else file by file; the retrieval of related code "
    "depends on it, so shares and scores can be made for 0 as well",
    "wrong": "chance that an edit is made wrong first, seen to fail and undone",
    "say": "chance of a sentence before a call",
    "test_fails": "chance that a test run before the last shows failures with a traceback",
    "documentation": "documentation changes are made at the end",
    "most_steps": "the longest trajectory of the paper; what is not done by then stays undone",
    "version": "the client whose wire format is written: reads numbered with a tab, edits without a snippet",
}
