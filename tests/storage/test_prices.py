"""The price table in the database: defaults until edited, replaced as a whole, refused with its rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.context.prices import DEFAULT_PRICES, KINDS, Price
from core.errors import StorageError
from storage.database import open_engine, reading
from storage.prices import list_usages, read_prices, write_prices
from tests.pages.fabricate import fabricate

ROW = {"model": "My-Model", **dict.fromkeys(KINDS, 2.5)}


def test_edited_prices_replace_the_defaults_and_can_be_forgotten(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    with reading(engine) as connection:
        assert set(read_prices(connection)) == set(DEFAULT_PRICES)
    write_prices(engine, [ROW])
    with reading(engine) as connection:
        assert read_prices(connection) == (Price("my-model", 2.5, 2.5, 2.5, 2.5, 2.5),)
    write_prices(engine, [])
    with reading(engine) as connection:
        assert len(read_prices(connection)) == len(DEFAULT_PRICES)


def test_a_bad_row_stores_nothing(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    write_prices(engine, [ROW])
    with pytest.raises(StorageError, match=r"row 2: my-model has a price already; row 3, output"):
        write_prices(engine, [ROW, ROW, {**ROW, "model": "x", "output": "much"}])
    with reading(engine) as connection:
        assert [p.model for p in read_prices(connection)] == ["my-model"]


def test_usages_come_back_in_order(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "a.duckdb")
    fabricate(engine, "one", 40)
    with reading(engine) as connection:
        found = list_usages(connection, "one")
        assert list_usages(connection, "none") == ()
    assert found
    assert [u.t for u in found] == sorted(u.t for u in found)
