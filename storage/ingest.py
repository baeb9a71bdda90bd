"""Stage 8: recorded runs into the database; what ``cli.py ingest`` and the Runs page both call.

In: paths, switches, base, reference patches. Out: one row a run, in path order. Analysis happens without the
database; runs are then published, several in one short transaction (``storage.batch``), so readers hardly notice and
a kill loses at most the runs not yet published. A file that cannot be used is a row that says why; the batch goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from core.options import Options
from core.trajectory.load import RunFiles, discover
from storage.analysing import INGEST_COLUMNS, Cancelled, Outcome, Setup, analyse_files
from storage.batch import Batch
from storage.facts import cache_of, fetch_from
from storage.instances import Instance
from storage.save import publish
from storage.staged import piles_beside
from storage.workers import analyse_all, jobs_for

__all__ = ["INGEST_COLUMNS", "Progress", "ingest"]

ALONE = 64 << 20
"""A run of so many bytes is analysed in a process of its own: what that takes is gone when the rows are published."""
# (runs finished, runs in all, path being worked on, part of it done)
Progress = Callable[[int, int, str, float], None]


def ingest(
    paths: Iterable[Path],
    *,
    engine: Engine,
    options: Options | None = None,
    base_spec: str = "none",
    patch: str | None = None,
    instances: Mapping[str, Instance] | None = None,
    labels: str | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> list[dict[str, Any]]:
    """Analyse and store every run under ``paths``; rows with INGEST_COLUMNS, in path order.

    ``patch`` is the text of one reference patch for all runs, ``labels`` that of a file of gold labels.
    With ``jobs`` > 1 the analysis happens in that many processes; that of a large run always does. None: as many as the
    machine has room for and the files are worth (``storage.workers.jobs_for``). ``cancel`` is asked often; once true,
    runs not yet stored are left out of the rows. Of files that hold the same run the last in path order is kept.
    """
    runs = discover(paths)
    setup = Setup(options or Options(), base_spec, patch, instances or {}, labels)

    def settled(row: dict[str, Any]) -> None:
        if progress is not None:
            progress(len(batch.rows), len(runs), row["path"], 1.0)

    def stopped() -> bool:
        batch.tick()
        return cancel is not None and cancel()

    batch = Batch(partial(publish, engine), settled)
    if jobs is None:
        jobs = jobs_for(len(runs), _bytes_of(runs))
    for position, outcome in _outcomes(runs, setup, jobs, engine, progress, stopped, batch.rows):
        batch.add(position, outcome)
    batch.flush()
    return [batch.rows[position] for position in sorted(batch.rows)]


def _outcomes(
    runs: Sequence[RunFiles],
    setup: Setup,
    jobs: int,
    engine: Engine,
    progress: Progress | None,
    cancel: Callable[[], bool],
    done: Mapping[int, object],
) -> Iterator[tuple[int, Outcome]]:
    def told(position: int, part: float) -> None:
        if progress is not None:
            progress(len(done), len(runs), str(runs[position].path), part)

    if jobs > 1 and len(runs) > 1:
        order = sorted(range(len(runs)), key=lambda position: -_size(runs[position]))  # no long one is left for the end
        work = [runs[position] for position in order]

        def told_in_order(number: int, part: float) -> None:
            told(order[number], part)

        for number, outcome in analyse_all(
            work, setup, jobs, fetch_from(engine), piles_beside(engine), told_in_order, cancel
        ):
            yield order[number], outcome
        return
    new_pile = piles_beside(engine)
    facts = cache_of(fetch_from(engine))
    for position, files in enumerate(runs):

        def tell(part: float, position: int = position) -> None:
            if cancel():
                raise Cancelled
            told(position, part)

        try:
            tell(0.0)
            if _size(files) < ALONE:
                yield position, analyse_files(files, setup, tell, facts, new_pile)
                continue
        except Cancelled:
            return
        told_of = partial(_told_of, told, position)
        for _, outcome in analyse_all([files], setup, 1, fetch_from(engine), new_pile, told_of, cancel):
            yield position, outcome


def _told_of(told: Callable[[int, float], None], position: int, only: int, part: float) -> None:
    """Progress of the only run that is worked on, as that of the run at ``position``."""
    told(position, part)


def _size(files: RunFiles) -> int:
    """Bytes of the files of a run; 0 for one that is a row of a file, whatever the others are."""
    return 0 if files.row else _bytes_of([files])


def _bytes_of(runs: Iterable[RunFiles]) -> int:
    """Bytes of all files of ``runs``, each once."""
    size = 0
    for path in {path for files in runs for path in (files.main, *files.agents) if path is not None}:
        with suppress(OSError):  # reading it will say so
            size += path.stat().st_size
    return size
