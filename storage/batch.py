"""Stage 8: analysed runs wait for each other a moment and are published together.

In: each run's ``Outcome``. Out: its row once it is settled: the run stored, or why not. A publication of twenty small
runs takes hardly longer than one of one. Nothing waits longer than ``SECONDS``, or where publications are slow
``SHARE`` times the last one up to ``LONGEST``, nor beyond ``RUNS`` and ``BYTES``. A kill loses what waited, never part
of a run. If several cannot be published together each is tried alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.errors import StorageError
from storage.analysing import Outcome
from storage.staged import Staged

RUNS, BYTES, SECONDS = 32, 32 << 20, 2.0
SHARE, LONGEST = 16.0, 15.0

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Waiting:
    position: int
    row: Row
    staged: Staged


class Batch:
    """The runs of one ingest on their way into the database; of several with one id the last in path order stays."""

    def __init__(self, publish: Callable[..., None], settled: Callable[[Row], None]) -> None:
        """``publish(*staged)`` stores runs or raises StorageError; ``settled`` hears each row once it is final."""
        self._publish, self._settled = publish, settled
        self._waiting: dict[str, _Waiting] = {}
        self._since = self._last = 0.0
        self._best: dict[str, int] = {}
        self.rows: dict[int, Row] = {}
        """The settled rows by position."""

    def add(self, position: int, outcome: Outcome) -> None:
        """Take a run in; publishes when enough wait."""
        if outcome.staged is None:
            self._settle(position, outcome.row)
            return
        staged = outcome.staged
        other = self._best.get(staged.run_id)
        if other is not None and staged.run_id in self._waiting:
            self.flush()
        if other is None or other < position:
            self._best[staged.run_id] = position
            if not self._waiting:
                self._since = time.monotonic()
            self._waiting[staged.run_id] = _Waiting(position, outcome.row, staged)
        else:
            staged.close()
            self._settle(position, outcome.row)
        if other is not None:
            lost, kept = sorted((other, position))
            named = outcome.row if kept == position else self.rows[kept]
            (outcome.row if lost == position else self.rows[lost])["note"] = (
                f"the same run as {named['path']}, which was kept"
            )
        if len(self._waiting) >= RUNS or sum(w.staged.pile.packed for w in self._waiting.values()) >= BYTES:
            self.flush()

    def tick(self) -> None:
        """Publish what has waited long enough; to be called often."""
        if self._waiting and time.monotonic() - self._since >= max(SECONDS, min(SHARE * self._last, LONGEST)):
            self.flush()

    def flush(self) -> None:
        """Publish what waits, now."""
        waiting, self._waiting = list(self._waiting.values()), {}
        if not waiting:
            return
        started = time.perf_counter()
        try:
            self._publish(*(w.staged for w in waiting))
        except StorageError as error:
            if len(waiting) == 1:
                waiting[0].row.update(status="refused", error=str(error))
            else:
                for one in waiting:
                    self._alone(one)
        self._last = time.perf_counter() - started
        share = self._last / len(waiting)
        for one in waiting:
            one.staged.close()
            one.row["seconds"] = round(one.row["seconds"] + share, 3)
            self._settle(one.position, one.row)

    def _alone(self, one: _Waiting) -> None:
        try:
            self._publish(one.staged)
        except StorageError as error:
            one.row.update(status="refused", error=str(error))

    def _settle(self, position: int, row: Row) -> None:
        self.rows[position] = row
        self._settled(row)
