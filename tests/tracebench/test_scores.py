"""CE and RE (Eq. 3, 4) and what stands beside them: hand-worked numbers, the paper's own checks, intervals."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tracebench.bootstrap import MEASURES, difference, draws, interval, intervals
from core.tracebench.scores import (
    PointScore,
    Ratio,
    Sums,
    added_per_point,
    by_run,
    ce,
    ce_at,
    ce_curve,
    cleared_share,
    f1,
    found_share,
    lost_share,
    net_ce,
    pool,
    precision,
    ratio,
    re,
    recall,
    total,
)


def score(policy: str, t: int, state: str = "ok", source: str = "hindsight", **sums: int) -> PointScore:
    return PointScore(policy, t, source, state, Sums(points=1, **sums))  # type: ignore[arg-type]


def test_evict_all_gives_unneeded_over_needed_held() -> None:
    """The paper prints 73.4% unneeded and CE 2.75 for evict-all; its share gives 2.76."""
    sums = Sums(points=403, unneeded=734, held_needed=266, dropped=1000, cleared=734, lost=266)
    assert round(ce(sums), 2) == 2.76


def test_the_papers_retrieval_efficiency() -> None:
    """68.1% found with 6,502 tokens added a point prints as 10.47."""
    sums = Sums(points=403, missing=403_000, found=274_443, added=403 * 6502)
    assert found_share(sums) == pytest.approx(0.681)
    assert round(re(sums), 2) == 10.47


def test_sums_come_first_and_added_is_a_mean() -> None:
    one = score("p", 1, unneeded=100, held_needed=10, missing=50, cleared=90, lost=10, dropped=100, found=50, added=200)
    two = score("p", 5, unneeded=300, held_needed=90, missing=150, cleared=30, lost=2, dropped=32, found=0, added=600)
    (row,) = pool([one, two])
    assert row.sums.points == 2
    assert row.ce == Ratio(120 / 12, "ok")
    # (50 / 200) found with 800 / 2 added a point: 0.25 * 1e5 / 400.
    assert row.re.value == pytest.approx(62.5)
    assert row.added_per_point.value == 400
    # Mean of points: (9 + 15) / 2 and ((50/50) * 1e5 / 200 + 0) / 2.
    assert row.ce_mean.value == pytest.approx(12.0)
    assert row.re_mean.value == pytest.approx(250.0)


def test_undefined_is_not_infinite_is_not_zero() -> None:
    assert ratio(ce(Sums(points=1, unneeded=5, cleared=5))) == Ratio(None, "infinite")
    assert ratio(ce(Sums(points=1, unneeded=5))) == Ratio(None, "undefined")
    assert ratio(ce(Sums(points=1, held_needed=5, lost=5))) == Ratio(0.0, "ok")
    assert ratio(re(Sums(points=1, missing=5))) == Ratio(None, "undefined")  # nothing added
    assert ratio(re(Sums(points=1, missing=5, added=9))) == Ratio(0.0, "ok")
    assert ratio(re(Sums(points=1, added=9))) == Ratio(None, "undefined")  # nothing is missing
    assert ratio(added_per_point(Sums())) == Ratio(None, "undefined")
    assert math.isnan(precision(Sums(points=1)))
    assert ratio(net_ce(Sums(points=1, cleared=5, lost=3))) == Ratio(None, "infinite")


def test_precision_recall_f1_by_record_line_and_file() -> None:
    sums = Sums(
        points=1, unneeded=80, held_needed=20, dropped=50, cleared=40, lost=10,
        line_unneeded=95, line_needed=5, line_cleared=48, line_lost=2,
        file_unneeded=30, file_needed=20, file_cleared=10, file_lost=10,
    )  # fmt: skip
    assert (precision(sums), recall(sums), f1(sums)) == (0.8, 0.5, pytest.approx(2 * 0.8 * 0.5 / 1.3))
    assert (precision(sums, "line"), recall(sums, "line")) == (0.96, 48 / 95)
    assert (precision(sums, "file"), recall(sums, "file")) == (0.5, 10 / 30)
    assert (cleared_share(sums), lost_share(sums)) == (0.5, 0.5)


def test_rows_are_by_policy_and_source_of_gold_and_need_their_model() -> None:
    scores = [
        score("b", 1),
        score("a", 1),
        score("a", 1, source="reference"),
        score("c", 1, state="needs-model", unneeded=7),
    ]
    rows = pool(scores)
    assert [(r.policy, r.gold_source) for r in rows] == [
        ("a", "hindsight"),
        ("a", "reference"),
        ("b", "hindsight"),
        ("c", "hindsight"),
    ]
    assert rows[3].state == "needs-model"
    assert {rows[3].ce, rows[3].re, rows[3].added_per_point} == {Ratio(None, "needs-model")}
    assert rows[3].sums.unneeded == 7


def test_the_curve_and_equal_cleared() -> None:
    held = {"unneeded": 100, "held_needed": 50}
    rows = pool(
        [
            score("w2", 1, **held, cleared=100, lost=40, dropped=140),
            score("w1", 1, **held, cleared=50, lost=10, dropped=60),
            score("m", 1, state="needs-model", **held),
        ]
    )
    assert [(d.policy, d.cleared, d.lost, d.ce) for d in ce_curve(rows)] == [
        ("w1", 0.5, 0.2, 5.0),
        ("w2", 1.0, 0.8, 2.5),
    ]
    assert ce_at(rows, 0.5) == pytest.approx(5.0)
    assert ce_at(rows, 0.25) == pytest.approx(5.0)  # half of the way to w1: 25 cleared, 5 lost
    assert ce_at(rows, 0.75) == pytest.approx(75 / 25)  # midway: 75 cleared, 25 lost
    assert math.isnan(ce_at(rows, 1.01))
    assert math.isnan(ce_at([], 0.5))


def test_intervals_come_from_whole_runs_and_are_the_same_each_time() -> None:
    runs = {f"run{n}": Sums(points=1, unneeded=100, held_needed=100, cleared=10 * n, lost=10) for n in range(1, 9)}
    found = interval(runs, ce)
    assert found == interval(dict(reversed(runs.items())), ce)
    assert found.runs == 8
    assert found.low is not None
    assert found.high is not None
    assert 1.0 <= found.low < ce(sum(runs.values(), Sums())) < found.high <= 8.0
    assert interval(runs, ce, seed=1) != found
    assert intervals(runs).keys() == MEASURES.keys()
    assert intervals(runs)["ce"] == found
    one = interval({"run1": runs["run1"]}, ce)
    assert (one.low, one.high, one.runs) == (None, None, 1)
    assert interval({"a": Sums(points=1), "b": Sums(points=1)}, ce).low is None  # undefined in every draw


def test_a_paired_difference_is_narrower_than_the_intervals_suggest() -> None:
    first = {f"run{n}": Sums(points=1, unneeded=100, cleared=10 * n) for n in range(1, 9)}
    second = {i: Sums(points=1, unneeded=100, cleared=s.cleared - 5) for i, s in first.items()}
    found = difference(first, second, cleared_share)
    assert found.low == pytest.approx(0.05)
    assert found.high == pytest.approx(0.05)
    assert difference(first, {"other": Sums()}, cleared_share).runs == 0


def test_the_draws_are_spread_over_the_runs() -> None:
    counts: dict[str, int] = {}
    for drawn in draws(["a", "b", "c", "d"], 1000, 0):
        assert len(drawn) == 4
        for name in drawn:
            counts[name] = counts.get(name, 0) + 1
    assert all(900 < counts[name] < 1100 for name in "abcd")


def test_sums_by_run() -> None:
    scores = {"run1": [score("p", 1, cleared=2), score("p", 3, cleared=3), score("q", 1)], "run0": [score("q", 1)]}
    assert by_run(scores, "p") == {"run1": Sums(points=2, cleared=5)}


sums = st.builds(Sums, **{f.name: st.integers(0, 10_000) for f in fields(Sums)})


@given(st.lists(sums, max_size=5))
def test_totals_add_up_field_by_field(parts: list[Sums]) -> None:
    whole = total(PointScore("p", t, "hindsight", "ok", part) for t, part in enumerate(parts))
    assert all(getattr(whole, f.name) == sum(getattr(p, f.name) for p in parts) for f in fields(Sums))
