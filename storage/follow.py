"""Stage 8: runs that are still being written, analysed again as they grow: ``ingest --follow`` and the Run page.

In: paths, and what a batch is analysed with. Out: a row each time a run was stored. While a run grows its policies
are not scored, which is most of the work; when it stops they are. An analysis is of the whole run so far, so the
pause after one is at least as long as it took: following costs at most half a core.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from core.errors import InputError, StorageError
from core.graph.facts import FactsCache
from core.trajectory.follow import Follower
from core.trajectory.load import RunFiles, discover
from core.trajectory.steps import Trajectory
from storage.analysing import Cancelled, Setup, analyse_trajectory, refusal
from storage.facts import cache_of, fetch_from
from storage.save import publish
from storage.staged import piles_beside

POLL = 1.0
"""Seconds between looks at the files that are followed."""
DISCOVER = 10.0
"""Seconds between looks for new ones."""


@dataclass(slots=True)
class _Followed:
    follower: Follower
    growing: bool = False  # stored since it last was scored
    resume: float = 0.0  # not analysed again before
    gone: bool = False


def follow(
    paths: Iterable[Path],
    *,
    engine: Engine,
    setup: Setup | None = None,
    cancel: Callable[[], bool] = lambda: False,
    idle: float | None = None,
    told: Callable[[str, int], None] | None = None,
    poll: float = POLL,
) -> Iterator[dict[str, Any]]:
    """Rows with INGEST_COLUMNS, one each time a run was stored, until ``cancel()`` or ``idle`` seconds without news.

    Runs that appear under ``paths`` later are followed too. ``told`` hears, at each look, the path of a run and
    how many bytes of a line without an end wait there. At the end every run that grew is scored. Holds the lines
    of all followed runs in memory.
    """
    chosen, places = setup or Setup(), list(paths)
    live, facts = replace(chosen, scored=False), cache_of(fetch_from(engine))
    followed: dict[RunFiles, _Followed] = {}
    quiet, looked = time.monotonic(), -DISCOVER
    while not cancel():
        if time.monotonic() - looked >= DISCOVER:
            looked = time.monotonic()
            for files in discover(places):
                named = RunFiles(files.main, () if files.main else files.agents, "", files.row, files.offset)
                followed.setdefault(named, _Followed(Follower(files)))
        for one in followed.values():
            if one.gone or cancel() or time.monotonic() < one.resume:
                continue
            began = time.monotonic()
            row = _look(one, engine, live, facts, cancel)
            if row is not None:
                now = quiet = time.monotonic()
                one.resume = now + (now - began)
                yield row
            if told is not None:
                told(str(one.follower.path), one.follower.waiting)
        if idle is not None and time.monotonic() - quiet >= idle:
            break
        _wait(poll, cancel)
    for one in followed.values():
        if one.growing and not one.gone:
            yield _end(one, engine, chosen, facts)


def _look(
    one: _Followed, engine: Engine, setup: Setup, facts: FactsCache, cancel: Callable[[], bool]
) -> dict[str, Any] | None:
    """The row of a run that grew, None if it did not; a file that is gone is said once."""
    path = str(one.follower.path)
    try:
        trajectory = one.follower.poll()
    except InputError as error:
        one.gone = True
        return refusal(path, str(error), time.perf_counter())
    if trajectory is None:
        return None
    one.growing = True
    try:
        return _store(path, trajectory, engine, setup, facts, cancel)
    except Cancelled:
        return None


def _end(one: _Followed, engine: Engine, setup: Setup, facts: FactsCache) -> dict[str, Any]:
    """The row of a run that is followed no more, its policies scored."""
    path = str(one.follower.path)
    try:
        return _store(path, one.follower.finish(), engine, setup, facts, lambda: False)
    except InputError as error:
        return refusal(path, str(error), time.perf_counter())


def _store(
    path: str,
    trajectory: Trajectory | None,
    engine: Engine,
    setup: Setup,
    facts: FactsCache,
    cancel: Callable[[], bool],
) -> dict[str, Any]:
    def tell(part: float) -> None:
        if cancel():
            raise Cancelled

    if trajectory is None:
        return refusal(path, "no step in it yet", time.perf_counter(), "skipped")
    known = trajectory
    outcome = analyse_trajectory(path, lambda: known, setup, tell, facts, piles_beside(engine))
    if outcome.staged is not None:
        try:
            publish(engine, outcome.staged)
        except StorageError as error:
            return outcome.row | {"status": "refused", "error": str(error)}
        finally:
            outcome.staged.close()
    return outcome.row


def _wait(seconds: float, cancel: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while not cancel() and (left := until - time.monotonic()) > 0:
        time.sleep(min(0.1, left))
