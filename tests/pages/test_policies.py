"""The policies page and the policy selector of the decision points: numbers, words, links, hostile and empty data."""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.tracebench.bootstrap import MEASURES
from core.tracebench.scores import Interval, Sums
from pages.components import policies_charts, policies_tables, policies_view, policy_numbers
from pages.components.policy_numbers import BINS, PAPER, Standing, says, signed, standings, verdict
from storage import queries
from storage.database import open_engine, reading
from storage.queries import Row
from storage.schema import SUMS
from tests.pages.conftest import Open, fine
from tests.pages.fabricate import HOSTILE, POLICY_SHARES

VIEWS = ("CE against Cleared", "Across edits", "Two policies", "Ablations", "At a glance")


def standing(policy: str, state: str = "ok", runs: dict[str, Sums] | None = None, **sums: int) -> Standing:
    whole = Sums(**sums)
    return Standing(policy, "reference", state, whole, runs or {"a": whole}, {})


def spec(app: AppTest, n: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(app.get("plotly_chart")[n].proto.spec)
    return found


def test_measures_are_those_of_the_core_in_words() -> None:
    row = standing("x", points=2, unneeded=80, held_needed=20, missing=50, cleared=60, lost=10, net_lost=5, found=10,
                   added=400)  # fmt: skip
    assert [row.says(m.key) for m in policy_numbers.MEASURED] == [
        "6.00", "75.0%", "50.0%", "25.0%", "100.00", "20.0%", "200",
    ]  # fmt: skip
    assert {m.key for m in policy_numbers.MEASURED} <= MEASURES.keys()


def test_undefined_infinite_and_needs_a_model_are_words() -> None:
    assert standing("keep", points=1, unneeded=5, held_needed=5).says("ce") == "n/a"
    assert standing("oracle", points=1, unneeded=5, held_needed=5, cleared=5).says("ce") == "infinite"
    assert standing("llm", "needs-model", points=1, unneeded=5).says("cleared") == "needs a model"
    assert standing("none", points=1).says("found") == "n/a"


def test_the_paper_is_the_paper() -> None:
    assert PAPER["statetape"] == {"ce": 6.18, "re": 10.47, "cleared": 0.742, "found": 0.681, "added_per_point": 6502}
    assert {p: v["ce"] for p, v in PAPER.items()} == {
        "statetape": 6.18, "evict-all": 2.75, "file-level": 3.14, "no-tape": 2.86, "statetape-defaults": 4.91,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (Interval(-1.0, 2.0, 4), "no difference that these 4 runs can show"),
        (Interval(0.0, 2.0, 4), "no difference that these 4 runs can show"),
        (Interval(0.5, math.inf, 4), "a is higher"),
        (Interval(-2.0, -0.5, 4), "a is lower"),
        (Interval(None, None, 1), "one run has no interval, so nothing is said"),
    ],
)
def test_a_verdict_says_no_more_than_the_runs_show(gap: Interval, words: str) -> None:
    one = standing("a", points=1, unneeded=10, held_needed=10, cleared=6, lost=2)
    two = standing("b", points=1, unneeded=10, held_needed=10, cleared=6, lost=3)
    assert words in verdict(one, two, "ce", gap)


def test_differences_carry_their_sign_and_zero_none() -> None:
    assert (signed("cleared", 0.0512), signed("ce", -0.001), signed("added_per_point", -1200.4)) == (
        "+5.1 points", "0.00", "-1,200",
    )  # fmt: skip
    assert says("ce", -math.inf) == "minus infinite"


def test_queries_add_up_to_the_stored_scores(databases: dict[str, Path]) -> None:
    ids = ["demo-one", "demo-two", "no-writes"]
    with reading(open_engine(databases["sample"])) as connection:
        found = standings(connection, ids)["hindsight"]
        bins = queries.edit_sums(connection, ids, "hindsight", BINS)
        asked = (ids, "hindsight", ("statetape", "evict-all"))
        first = queries.pair_sums(connection, *asked, 3, 0)
        rest = queries.pair_sums(connection, *asked, 1000, 3)
        glance = queries.glance(connection, ids)[0]
        assert queries.glance(connection, ["no-writes"]) == []
        assert standings(connection, []) == {}
    tape = next(r for r in found if r.policy == "statetape")
    assert [r.policy for r in found] == [*[*POLICY_SHARES][:-1], "no-tape", "oracle-evict"]
    assert set(tape.runs) == {"demo-one", "demo-two"}
    assert sum(s.points for s in tape.runs.values()) == tape.sums.points == glance["points"]
    for name in ("cleared", "unneeded", "found", "added"):
        of_bins = sum(r[name] for r in bins if r["policy"] == "statetape")
        of_points = sum(r[name] for r in (*first, *rest) if r["policy"] == "statetape")
        assert of_bins == of_points == getattr(tape.sums, name)
    assert (glance["unneeded"], glance["missing"], glance["runs"]) == (tape.sums.unneeded, tape.sums.missing, 2)
    assert glance["elsewhere"] == 2 * glance["regions"] // 3
    assert len(first) == 6
    assert not [r for r in bins if r["policy"] == "no-tape"]
    assert tape.intervals["ce"].runs == 2


def test_table_two_keeps_numbers_to_sort_and_words_to_read() -> None:
    rows = [
        standing("evict-all", points=1, unneeded=30, held_needed=10, cleared=30, lost=10),
        standing("no-tape", "needs-model", points=1, unneeded=30, held_needed=10),
        standing("oracle-evict", points=1, unneeded=30, held_needed=10, cleared=30),
    ]
    styled = policies_view.table(rows)
    assert list(styled.data["ce"][[0, 2]]) == [3.0, math.inf]
    shown = styled.to_html()
    for word in ("3.00", "infinite", "needs a model", "2.75", "2.86", "100.0%"):
        assert f">{word}<" in shown
    assert list(styled.data["decided"]) == ["rules", "needs a model", "labels"]


def test_windows_are_compared_at_equal_cleared() -> None:
    rows = [
        standing("recency-5", points=1, unneeded=100, held_needed=100, cleared=80, lost=40),
        standing("statetape", points=1, unneeded=100, held_needed=100, cleared=40, lost=10),
    ]
    told = policies_charts.at_equal_cleared(rows, rows[1])
    assert told == ["recency windows reach CE 2.00", "age windows do not reach that share"]


def test_ablations_name_what_needs_a_model() -> None:
    rows = [
        standing("statetape", points=1, unneeded=9, held_needed=3, cleared=6, lost=1),
        standing("no-tape", "needs-model", points=1, unneeded=9, held_needed=3),
    ]
    frame = policies_tables.ablations(rows).set_index("policy")
    assert frame.loc["no-tape", "change"] == "needs a model"
    assert frame.loc["no-tape", "ce"] == "n/a"
    assert frame.loc["file-level", "change"] == "not scored"
    assert list(frame["paper ce"]) == ["6.18", "3.14", "2.86", "4.91"]
    assert list(frame["paper resolve"]) == ["", "-3.4", "-3.1", "-2.0"]


def test_a_benchmark_without_points_is_not_zero() -> None:
    frame = policies_tables.glance(None).set_index("quantity")
    assert frame.loc["Unneeded share of held", "here"] == "n/a"
    assert frame.loc["Decision points scored", "here"] == "0"
    assert frame.loc["Unneeded share of held", "paper"] == "73.4%"


@pytest.mark.parametrize("database", ["sample", "hostile", "long"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws(open_page: Open, database: str, view: str) -> None:
    app = open_page("policies", database)
    app.segmented_control(key="policies_below").set_value(view).run()
    text = fine(app)
    assert "gold source: <b>hindsight</b>" in text
    for element in app.get("plotly_chart"):
        assert "<script" not in element.proto.spec
        assert "<img" not in element.proto.spec
    assert "<script>window" not in "".join(e.proto.body for e in app.get("html"))


def test_the_page_names_its_volume_and_its_verdict(open_page: Open) -> None:
    text = fine(open_page("policies"))
    assert "of <b>2 runs</b>" in text
    assert "needed tokens missing" in text
    assert "95% interval of the difference" in text
    assert "Needs a model" in text.replace("\\", "")


def test_one_run_has_no_interval_and_claims_nothing(open_page: Open) -> None:
    app = open_page("policies", run="demo-one")
    app.segmented_control(key="policies_scope").set_value("one").run()
    text = fine(app)
    assert "of <b>1 run</b>" in text
    assert "one run has no interval, so nothing is said about a difference" in text


def test_a_run_without_points_says_what_to_do(open_page: Open) -> None:
    app = open_page("policies", run="no-writes")
    assert "No decision point of the run chosen above" in fine(app)
    app.segmented_control(key="policies_scope").set_value("one").run()
    assert "analyse them again under Runs" in fine(app)


def test_the_policy_is_in_the_url_and_kept(open_page: Open) -> None:
    app = open_page("policies", policy="file-level")
    assert app.selectbox(key="policies_first").value == "file-level"
    app.selectbox(key="policies_first").set_value("recency-5").run()
    assert app.query_params["policy"] == "recency-5"
    app.selectbox(key="policies_second").set_value("no-tape").run()
    assert "no-tape needs a model, and none is connected" in fine(app)


def test_the_papers_values_can_be_left_out(open_page: Open) -> None:
    app = open_page("policies")
    assert any("paper" in t.get("name", "") for t in spec(app)["data"])
    app.toggle(key="policies_paper").set_value(False).run()
    fine(app)
    assert not any("paper" in t.get("name", "") for t in spec(app)["data"])


def test_bars_carry_their_point_and_a_chosen_one_can_be_opened(open_page: Open) -> None:
    app = open_page("policies", run="demo-two", policy="statetape")
    app.segmented_control(key="policies_below").set_value("Two policies").run()
    fine(app)
    custom = [c for t in spec(app, 1)["data"] for c in t.get("customdata", [])]
    assert {run for run, _ in custom} == {"demo-one", "demo-two"}
    assert len(custom) == len({tuple(c) for c in custom})
    t = next(t for run, t in custom if run == "demo-one")
    app = open_page("policies", run="demo-one", policy="statetape", point=f"P{t}")
    app.segmented_control(key="policies_below").set_value("Two policies").run()
    assert f"Open point P{t} under statetape" in fine(app)


def test_bars_are_differences_of_tokens() -> None:
    def row(policy: str, state: str, cleared: int) -> Row:
        sums = dict.fromkeys(SUMS, 0) | {"unneeded": 9, "cleared": cleared}
        return {"run_id": "r", "t": 4, "policy": policy, "gold_source": "imported", "state": state, **sums}

    both = policies_charts.pairs([row("a", "ok", 7), row("b", "ok", 2)], "a", "b")
    assert policies_charts.gaps_table(both)["difference_cleared"].to_list() == [5]
    assert policies_charts.pairs([row("a", "ok", 7), row("b", "needs-model", 0)], "a", "b") == []
    assert policies_charts.pairs([row("a", "ok", 7)], "a", "b") == []


def test_tags_choose_the_runs(open_page: Open) -> None:
    from pages.components import data
    from storage.save import set_tags

    app = open_page("policies")
    set_tags(data.engine(), "demo-two", {"arm": "tape"})
    app.run()
    app.segmented_control(key="policies_scope").set_value("tag").run()
    assert "of <b>1 run</b>" in fine(app)
    set_tags(data.engine(), "demo-two", {})


def test_a_decision_point_under_a_policy(open_page: Open) -> None:
    app = open_page("decisions", run="demo-one", policy="statetape")
    text = fine(app)
    assert "<b>statetape</b> drops or replaces" in text
    assert "added by the policy" in [t.get("name") for t in spec(app)["data"]]
    app.selectbox(key="point_policy").set_value("as recorded").run()
    assert "policy" not in app.query_params
    assert "drops or replaces" not in fine(app)
    assert "needed and missing" in [t.get("name") for t in spec(app)["data"]]


def test_a_policy_that_needs_a_model_leaves_the_points_as_recorded(open_page: Open) -> None:
    app = open_page("decisions", run="demo-one", policy="no-tape")
    assert "needs a model, and none is connected" in fine(app)
    assert "needed and missing" in [t.get("name") for t in spec(app)["data"]]


def test_bars_of_a_policy_are_its_sums(open_page: Open, databases: dict[str, Path]) -> None:
    app = open_page("decisions", run="demo-one", policy="evict-all")
    bars = {t["name"]: t for t in spec(app)["data"] if t["type"] == "bar"}
    with reading(open_engine(databases["sample"])) as connection:
        rows = queries.pair_sums(connection, ["demo-one"], "hindsight", ["evict-all"], 1000, 0)
    shown = values(bars["unneeded, cleared"]["x"])
    assert [-v for v in shown] == [r["unneeded"] for r in rows][: len(shown)]
    assert not any(values(bars["needed, stays"]["x"]))


def values(column: Any) -> list[float]:
    """A column of a chart, plain or packed."""
    if isinstance(column, dict):
        return [float(v) for v in np.frombuffer(base64.b64decode(column["bdata"]), dtype=column["dtype"])]
    return [float(v) for v in column]


def test_hostile_policies_are_escaped_everywhere(open_page: Open) -> None:
    for page in ("policies", "decisions"):
        app = open_page(page, "hostile", run="hostile", policy=HOSTILE)
        fine(app)
        for kind in ("caption", "markdown"):
            for element in app.get(kind):
                assert "**bold**" not in element.value
        assert "<img src=x" not in "".join(e.proto.body for e in app.get("html"))
