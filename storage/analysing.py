"""Stage 8: one run from its files to rows ready to publish. Needs no database; runs in any process.

In: the files of a run and a ``Setup``, the same for a whole batch. Out: an ``Outcome``: the row the user
sees, and the staged rows when there are any. No file makes this raise: what cannot be used is an Outcome
that says why.
"""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from core.errors import NotATranscript, StateTapeError
from core.graph.facts import FactsCache
from core.options import Options
from core.pipeline import analyse
from core.policies import POLICIES
from core.replay.base import load_base
from core.replay.base_git import split_spec
from core.tracebench.labels import labels_for
from core.tracebench.sources import Imported
from core.trajectory.load import RunFiles, load
from core.trajectory.steps import Trajectory
from storage.instances import Instance
from storage.rows import RunMeta
from storage.save import stage_into
from storage.staged import Pile, Sink, Staged

INGEST_COLUMNS = (
    "run_id", "path", "format", "status", "error", "steps", "writes", "records", "nominations", "decision_points",
    "skipped_lines", "observations", "fidelity", "seconds", "note",
)  # fmt: skip
_COUNTS = INGEST_COLUMNS[5:13]
# Reading the transcript is this part of the work, for the progress shown.
_READING = 0.15


@dataclass(frozen=True, slots=True)
class Setup:
    """What holds for every run of a batch: the switches, the base, one reference patch, or patches by instance, labels.

    Without ``scored`` no policy is held against the decision points, which is most of the work.
    """

    options: Options = field(default_factory=Options)
    base_spec: str = "none"
    patch: str | None = None
    instances: Mapping[str, Instance] = field(default_factory=dict)
    labels: str | None = None
    scored: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row with INGEST_COLUMNS, and what to publish (None: skipped or refused)."""

    row: dict[str, Any]
    staged: Staged | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """A row with INGEST_COLUMNS, and the id of the run whose rows are complete (None: skipped or refused)."""

    row: dict[str, Any]
    run_id: str | None = None


class Cancelled(Exception):
    """Raised out of a progress callback to stop the analysis; nothing of the run is kept."""


def analyse_files(
    files: RunFiles,
    setup: Setup,
    tell: Callable[[float], None],
    facts: FactsCache | None = None,
    new_pile: Callable[[], Pile] = Pile,
) -> Outcome:
    """Load, replay, analyse and stage one run; ``tell`` hears the part done, 0 to 1, and may raise Cancelled.

    ``facts`` spares runs on the same files the reading of them; what it has not on its shelf is staged with the run.
    """
    return analyse_trajectory(str(files.path), reader_of(files, tell), setup, tell, facts, new_pile)


def reader_of(files: RunFiles, tell: Callable[[float], None]) -> Callable[[], Trajectory]:
    """Loads the run when called; that is the first part of the work."""
    return lambda: load(files, lambda part: tell(part * _READING))


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cyclic garbage collection inside: an analysis makes millions of values that live to its end and no
    cycles worth finding; walking them again and again cost a quarter of the time.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def analyse_trajectory(
    path: str,
    read: Callable[[], Trajectory],
    setup: Setup,
    tell: Callable[[float], None],
    facts: FactsCache | None,
    new_pile: Callable[[], Pile] = Pile,
) -> Outcome:
    """As ``analyse_files``, for a run that ``read`` gives; ``path`` is where it is from, for people."""
    pile = new_pile()
    run_id = None
    try:
        done = analyse_into(pile, path, read, setup, tell, facts)
        run_id = done.run_id
    finally:
        if run_id is None:
            pile.close()
    return Outcome(done.row, Staged(run_id, pile) if run_id is not None else None)


def analyse_into(
    sink: Sink,
    path: str,
    read: Callable[[], Trajectory],
    setup: Setup,
    tell: Callable[[float], None],
    facts: FactsCache | None,
) -> Done:
    """As ``analyse_trajectory``, its rows into ``sink``; those of a run that is then refused are of no use."""
    with collector_paused():
        return _analyse(sink, path, read, setup, tell, facts)


def _analyse(
    sink: Sink,
    path: str,
    read: Callable[[], Trajectory],
    setup: Setup,
    tell: Callable[[float], None],
    facts: FactsCache | None,
) -> Done:
    started = time.perf_counter()
    try:
        trajectory = read()
        tell(_READING)
        base_spec, patch = _given(trajectory, setup)
        base = load_base(base_spec, trajectory)
        given = labels_for(setup.labels, trajectory.content_hash) if setup.labels else None
        analysis = analyse(
            trajectory,
            base,
            setup.options,
            patch=patch,
            labels=given[0] if given else None,
            policies=POLICIES if setup.scored else {},
            facts=facts,
            progress=lambda part, _: tell(_READING + part * (1 - _READING)),
        )
        seconds = time.perf_counter() - started
        shelf = facts.shelf if facts is not None else None
        meta = RunMeta(path, base_spec, patch, seconds, labels=given[1] if given else None)
        run = stage_into(sink, analysis, meta, shelf.take() if shelf is not None else None)
    except Cancelled:
        raise
    except NotATranscript as error:
        return Done(refusal(path, str(error), started, "skipped" if error.skip else "refused"))
    except StateTapeError as error:
        return Done(refusal(path, str(error), started))
    except Exception as error:
        return Done(refusal(path, _internal(error), started))
    broken = f"{shelf.rejected} stored graph entries were broken and made anew" if shelf and shelf.rejected else None
    notes = [broken, _labels_note(setup, given)]
    row = {
        **{name: run[name] for name in ("run_id", "format", "status", *_COUNTS)},
        "path": path,
        "error": None,
        "note": "; ".join(n for n in notes if n) or None,
        "seconds": round(seconds, 3),
    }
    return Done({name: row[name] for name in INGEST_COLUMNS}, run["run_id"])


def _labels_note(setup: Setup, given: tuple[Imported, str] | None) -> str | None:
    """What a person has to know of the labels: that there were none for this run, or some that are none."""
    if setup.labels is None:
        return None
    if given is None:
        return "the labels file has none for this transcript"
    skipped = given[0].skipped
    if not skipped:
        return None
    return f"{len(skipped)} labels could not be used, the first in line {skipped[0].line}: {skipped[0].why}"


def refusal(path: str, why: str, started: float, status: str = "refused") -> dict[str, Any]:
    """The row of a file that gave no run; ``started`` is on the clock of ``time.perf_counter``."""
    row = dict.fromkeys(INGEST_COLUMNS)
    seconds = round(time.perf_counter() - started, 3)
    return {**row, "path": path, "status": status, "error": why, "seconds": seconds}


def _given(trajectory: Trajectory, setup: Setup) -> tuple[str, str | None]:
    """Base and patch of this run: an instance gives its patch, and its commit to a git base that names none."""
    instance = setup.instances.get(trajectory.instance_id) if trajectory.instance_id else None
    spec, patch = setup.base_spec, setup.patch
    if instance is not None:
        patch = patch or instance.patch or None
        kind, _, rest = spec.partition(":")
        if kind == "git" and instance.base_commit and split_spec(rest)[0] == rest:
            spec = f"{spec}@{instance.base_commit}"
    return spec, patch


def _internal(error: BaseException) -> str:
    """An error of ours, not of the file's: said with its place, so that it can be reported."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else ""
    text = (str(error).strip().splitlines() or [""])[0][:200]
    return f"internal error{place}: {type(error).__name__}: {text}"
