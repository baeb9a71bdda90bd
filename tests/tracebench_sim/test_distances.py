"""Distances of gold from what was edited, on the small shop."""

from __future__ import annotations

from benchmarks.tracebench.agent import Label
from benchmarks.tracebench.distances import distance, edges, measure
from tests.tracebench_sim.small import reference

TAX, PRICE, TOTAL = "shop/tax.py::tax", "shop/shop.py::Shop.price", "shop/shop.py::Shop.total"


def label(t: int, rule: str, symbol: str, lines: int) -> Label:
    return Label(t, rule, symbol.partition("::")[0] or "x.py", 1, lines, "", symbol)  # type: ignore[arg-type]


def test_uses_and_base_classes_are_edges_both_ways() -> None:
    near = edges(reference())
    assert near[PRICE] == {TAX, TOTAL}
    assert PRICE in near[TAX]
    assert near["shop/base.py::Base"] == {"shop/shop.py::Shop"}
    assert [distance(near, {TAX}, name) for name in (TAX, PRICE, TOTAL, "", "shop/base.py::Base")] == [
        "0", "1", "2", "no definition", "far",
    ]  # fmt: skip


def test_each_burst_is_measured_from_those_before_it() -> None:
    labels = [label(3, "G1", TAX, 2), label(3, "G3", PRICE, 2), label(8, "G1", TOTAL, 5), label(8, "G2", PRICE, 2)]
    table = measure(edges(reference()), labels)
    assert table["the last burst", "G1"] == {"far": 2, "2": 5}
    assert table["the last burst", "G3"] == {"far": 2}
    assert table["the last burst", "G2"] == {"1": 2}
    assert table["the imminent sites", "G3"] == {"1": 2}
    assert ("the imminent sites", "G1") not in table
