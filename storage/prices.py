"""The price table a person edits: kept in the database, the published list prices until it is changed.

In: rows of prices. Out: ``core.context.prices.Price`` values; and what the requests of a run cost by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select

from core.context.prices import DEFAULT_PRICES, KINDS, Price, problems
from core.errors import StorageError
from core.trajectory.steps import Usage
from storage.database import writing
from storage.schema import prices, usages


def read_prices(connection: Connection) -> tuple[Price, ...]:
    """The prices in force, by model name: the edited table, else the defaults."""
    rows = connection.execute(select(prices).order_by(prices.c.model)).mappings().all()
    return tuple(Price(**row) for row in rows) or tuple(sorted(DEFAULT_PRICES, key=lambda p: p.model))


def write_prices(engine: Engine, rows: Iterable[Mapping[str, Any]]) -> None:
    """Replace the table by ``rows`` (model and the five kinds); no row puts the defaults back in force.

    Raises StorageError with every row that is no price; nothing is stored then.
    """
    given = list(rows)
    if wrong := problems(given):
        raise StorageError("; ".join(wrong))
    clean = [{"model": str(r["model"]).strip().lower(), **{k: float(r[k]) for k in KINDS}} for r in given]
    with writing(engine) as connection:
        connection.execute(delete(prices))
        if clean:
            connection.execute(insert(prices), clean)


def list_usages(connection: Connection, run_id: str) -> tuple[Usage, ...]:
    """Every message of a run with the tokens the API reported for it, in order."""
    words = [func.coalesce(usages.c[name], "").label(name) for name in ("message_id", "model", "agent")]
    columns = [usages.c.t, *words, *(usages.c[kind] for kind in KINDS)]
    rows = connection.execute(select(*columns).where(usages.c.run_id == run_id).order_by(usages.c.n)).mappings()
    return tuple(Usage(**{**row, **{name: row[name] or 0 for name in ("t", *KINDS)}}) for row in rows)
