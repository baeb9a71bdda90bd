"""The project's state over a run: what page Project state is made of."""

from __future__ import annotations

import json

from sqlalchemy import Connection, case, func, or_, select

from core.harness.files import BRIEF, LOG, RELATIONS, TASK
from core.harness.run import HarnessRun
from storage.project_rows import project_of
from storage.queries.rows import Row, rows_of
from storage.schema import impacts, project, runs, steps, usages, writes

_JSON = ("change", "effects", "written", "alerts")


def project_run(connection: Connection, run_id: str) -> HarnessRun | None:
    """The state at every step that moved it, None for a run analysed without it."""
    found = rows_of(connection, select(project).where(project.c.run_id == run_id).order_by(project.c.t), _JSON)
    affected = select(impacts).where(impacts.c.run_id == run_id).order_by(impacts.c.t, impacts.c.n)
    return project_of(run_id, found, rows_of(connection, affected))


def touched_paths(connection: Connection, run_id: str) -> list[tuple[int, str, bool]]:
    """(step, path, whether it was written) of every file a step showed or wrote, by step; sub-agents' steps too."""
    shown = select(steps.c.t, steps.c.paths).where(steps.c.run_id == run_id, steps.c.paths != "[]")
    found = {(t, path, False) for t, paths in connection.execute(shown) for path in json.loads(paths or "[]")}
    wrote = connection.execute(select(writes.c.t, writes.c.path).where(writes.c.run_id == run_id)).all()
    written = {(t, path) for t, path in wrote}
    found = {(t, path, (t, path) in written) for t, path, _ in found} | {(t, path, True) for t, path in written}
    return sorted(found)


def run_efforts(connection: Connection) -> list[Row]:
    """What each run took: tokens the API reported, tool calls, first and last time; and whether it kept state files.

    A run that wrote or showed one of the paper's state files is one "with" StateHarness.
    """
    tokens = usages.c.input + usages.c.cache_read + usages.c.cache_write_5m + usages.c.cache_write_1h + usages.c.output
    spent = select(usages.c.run_id, func.sum(tokens).label("tokens"), func.sum(usages.c.output).label("output"))
    spent_by_run = spent.group_by(usages.c.run_id).cte("spent")
    kept = or_(*(steps.c.paths.like(f"%{name}%") for name in (TASK, LOG, RELATIONS, BRIEF)))
    counted = select(
        steps.c.run_id,
        func.sum(case((steps.c.tool != "", 1), else_=0)).label("calls"),
        func.max(case((kept, 1), else_=0)).label("kept"),
    )
    by_run = counted.group_by(steps.c.run_id).cte("counted")
    joined = runs.outerjoin(spent_by_run, spent_by_run.c.run_id == runs.c.run_id)
    joined = joined.outerjoin(by_run, by_run.c.run_id == runs.c.run_id)
    wanted = select(runs.c.run_id, runs.c.repository, runs.c.started, runs.c.ended, runs.c.steps)
    wanted = wanted.add_columns(spent_by_run.c.tokens, spent_by_run.c.output, by_run.c.calls, by_run.c.kept)
    return rows_of(connection, wanted.select_from(joined).order_by(runs.c.started.desc(), runs.c.run_id))
