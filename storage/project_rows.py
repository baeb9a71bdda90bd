"""Stage 8: the project's state of a run as rows, and back. Pure: no database in here.

In: ``HarnessRun``. Out: rows of ``project`` and ``impacts``; from the rows the same value. A step at which nothing
of the state and no counter moved has no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.harness.impact import Impact, Written
from core.harness.project_state import (
    Alert,
    Event,
    Invocation,
    Procedure,
    ProjectState,
    Relation,
    StateChange,
    TaskState,
)
from core.harness.run import Counters, HarnessRun, HarnessStep
from core.harness.signals import Effect
from storage.text import to_json

Add = Callable[..., None]


def project_rows(add: Add, run: HarnessRun) -> None:
    """``add(table, *values)`` for every row of the run, in the schema's column order."""
    start = StateChange(0, run.start.task, run.start.events, run.start.relations, run.start.procedures)
    before = Counters()
    for step in (HarnessStep(0, start), *run.steps):
        moved = step.change or step.effects or step.written or step.counters != before
        if step.t and not moved and step.alerts is None:
            continue
        before = step.counters
        c = step.counters
        add(
            "project",
            step.t,
            to_json(step.change),
            to_json(step.effects),
            *(c.score, c.missing, c.window, c.cooldown),
            to_json(step.written),
            None if step.alerts is None else to_json(step.alerts),
            step.signal,
        )
        for n, i in enumerate(step.impacts):
            add("impacts", step.t, n, i.source, i.path, i.kind, i.why, i.score, i.firm)


def project_of(
    run_id: str, rows: Sequence[Mapping[str, Any]], impacts: Iterable[Mapping[str, Any]]
) -> HarnessRun | None:
    """The value of decoded rows, by step; None when the run has none. Steps without a row stay left out."""
    if not rows:
        return None
    found: dict[int, list[Impact]] = {}
    for i in impacts:
        impact = Impact(i["source"], i["path"], i["kind"], i["why"], i["score"], i["firm"])
        found.setdefault(i["t"], []).append(impact)
    steps = [_step(row, tuple(found.get(row["t"], ()))) for row in rows]
    start = steps[0].change if steps[0].t == 0 else StateChange(0)
    state = ProjectState(start.task or TaskState(), start.events, start.relations, start.procedures)
    return HarnessRun(run_id, state, tuple(s for s in steps if s.t))


def _step(row: Mapping[str, Any], impacts: tuple[Impact, ...]) -> HarnessStep:
    return HarnessStep(
        row["t"],
        _change(row["change"]),
        tuple(Effect(**e) for e in row["effects"]),
        Counters(row["score"], row["missing"], row["unread"], row["cooldown"]),
        tuple(Written(**{**w, "symbols": tuple(w["symbols"])}) for w in row["written"]),
        impacts,
        None if row["alerts"] is None else tuple(Alert(**{**a, "rests": tuple(a["rests"])}) for a in row["alerts"]),
        row["signal"] or "",
    )


def _change(said: Mapping[str, Any]) -> StateChange:
    return StateChange(
        said["t"],
        TaskState(**said["task"]) if said["task"] is not None else None,
        tuple(Event(**{**e, "paths": tuple(e["paths"])}) for e in said["events"]),
        tuple(Relation(**r) for r in said["relations"]),
        tuple(Procedure(**{**p, "history": tuple(Invocation(**i) for i in p["history"])}) for p in said["procedures"]),
    )
