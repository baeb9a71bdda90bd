"""What policies were scored: token sums by run, by edits so far and by point, and the benchmark at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Integer, Select, and_, case, cast, func, select

from storage.queries.rows import Row, rows_of
from storage.schema import SUMS, points, regions, scores

_AT_POINT = and_(points.c.run_id == scores.c.run_id, points.c.t == scores.c.t, points.c.anchor == "P")


def _summed() -> list[ColumnElement[Any]]:
    """The columns of core.tracebench.scores.Sums over a group, in its order."""
    whole = [cast(func.sum(scores.c[name]), BigInteger).label(name) for name in SUMS]
    return [cast(func.count(), Integer).label("points"), *whole]


def policy_sums(connection: Connection, run_ids: Sequence[str]) -> list[Row]:
    """Sums by run, policy and gold source, in that order; ``state`` is needs-model where any point of it is."""
    by = (scores.c.run_id, scores.c.policy, scores.c.gold_source)
    statement = select(*by, func.min(scores.c.state).label("state"), *_summed())
    return rows_of(connection, statement.where(scores.c.run_id.in_(run_ids)).group_by(*by).order_by(*by))


def edit_sums(connection: Connection, run_ids: Sequence[str], gold_source: str, bins: Sequence[int]) -> list[Row]:
    """Sums of the policies that decided, by policy and bin of edits so far; ``bins`` are the least edits of each."""
    place = case(*((points.c.edits >= least, least) for least in sorted(bins, reverse=True)), else_=min(bins))
    by = place.label("edits")
    statement: Select[Any] = select(scores.c.policy, by, *_summed()).select_from(scores.join(points, _AT_POINT))
    wanted = (scores.c.run_id.in_(run_ids), scores.c.gold_source == gold_source, scores.c.state == "ok")
    return rows_of(connection, statement.where(*wanted).group_by(scores.c.policy, by).order_by(scores.c.policy, by))


def pair_sums(
    connection: Connection, run_ids: Sequence[str], gold_source: str, policies: Sequence[str], limit: int, skip: int
) -> list[Row]:
    """The stored sums of the given policies at ``limit`` points from the ``skip``-th on, by run, step and policy."""
    place = func.dense_rank().over(order_by=(scores.c.run_id, scores.c.t)).label("place")
    wanted = (scores.c.run_id.in_(run_ids), scores.c.gold_source == gold_source, scores.c.policy.in_(policies))
    known = select(scores, place).where(*wanted).cte("known")
    statement = select(known).where(known.c.place > skip, known.c.place <= skip + limit)
    return rows_of(connection, statement.order_by(known.c.run_id, known.c.t, known.c.policy))


def scored_policies(connection: Connection, run_id: str) -> list[str]:
    """The names of the policies scored in a run, sorted."""
    statement = select(scores.c.policy).where(scores.c.run_id == run_id).distinct().order_by(scores.c.policy)
    return [row[0] for row in connection.execute(statement)]


def glance(connection: Connection, run_ids: Sequence[str]) -> list[Row]:
    """The scored P points of the runs by gold source: how many, their token sums, their regions, those beside G1."""
    scored = (points.c.run_id.in_(run_ids), points.c.anchor == "P", points.c.skip == "")
    names = ("held", "unneeded", "stale", "needed", "missing")
    sums = [cast(func.sum(points.c[name]), BigInteger).label(name) for name in names]
    counted = [func.count().label("points"), func.count(points.c.run_id.distinct()).label("runs")]
    sides = select(points.c.gold_source, *counted, *sums).where(*scored).group_by(points.c.gold_source)
    at = and_(points.c.run_id == regions.c.run_id, points.c.t == regions.c.t, points.c.anchor == regions.c.anchor)
    beside = cast(func.sum(case((regions.c.rule == "G1", 0), else_=1)), Integer).label("elsewhere")
    wanted = select(points.c.gold_source, func.count().label("regions"), beside)
    wanted = wanted.select_from(regions.join(points, at)).where(*scored).group_by(points.c.gold_source)
    found = {row["gold_source"]: row for row in rows_of(connection, wanted)}
    none = {"regions": 0, "elsewhere": 0}
    rows = rows_of(connection, sides.order_by(points.c.gold_source))
    return [row | none | found.get(row["gold_source"], {}) for row in rows]
