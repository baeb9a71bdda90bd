"""Every page with sample, empty, hostile and long data, and with links that make no sense."""

from __future__ import annotations

import html
import json

import pytest

from tests.pages.conftest import PAGES, Open, fine
from tests.pages.fabricate import HOSTILE

RUN_PAGES = PAGES[1:]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("database", ["sample", "hostile", "long"])
def test_page_draws(open_page: Open, page: str, database: str) -> None:
    assert fine(open_page(page, database))


@pytest.mark.parametrize("page", PAGES)
def test_empty_database_says_what_to_do(open_page: Open, page: str) -> None:
    text = fine(open_page(page, "empty"))
    assert "load" in text.lower()


@pytest.mark.parametrize("page", RUN_PAGES)
def test_run_without_writes_says_so(open_page: Open, page: str) -> None:
    text = fine(open_page(page, "sample", run="no-writes"))
    told = ("edits nothing", "writes no file", "No decision point", "without the project's state")
    assert any(words in text for words in told)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "params",
    [
        {"run": "<script>alert(1)</script>"},
        {"run": "demo-one", "t": "-5", "record": "../../etc/passwd", "symbol": "x" * 5000},
        {"run": "demo-one", "t": "99999999999999999999", "point": "Q7", "record": ""},
        {"run": "demo-one", "t": "1e3", "from": "50", "to": "10", "policy": "'; drop table runs; --"},
        {"run": "demo-one", "t": "119", "record": "r3", "symbol": "nowhere.py::gone", "from": "100000", "to": "200000"},
    ],
)
def test_links_that_make_no_sense(open_page: Open, page: str, params: dict[str, str]) -> None:
    text = fine(open_page(page, "sample", **params))
    assert "<script>alert" not in text


@pytest.mark.parametrize("page", PAGES)
def test_hostile_text_is_escaped_in_html(open_page: Open, page: str) -> None:
    app = open_page(page, "hostile", run="hostile", t="70")
    for element in app.get("html"):
        body = element.proto.body
        assert "<script>window" not in body
        assert "<img src=x" not in body
    for element in app.get("markdown"):
        assert "<script>window" not in element.value.replace("\\", "") or "\\<script" in element.value
        assert "**bold**" not in element.value


def test_hostile_text_is_shown_as_it_is(open_page: Open) -> None:
    app = open_page("run", "hostile", run="hostile", t="1")
    bodies = "".join(e.proto.body for e in app.get("html"))
    assert html.escape(HOSTILE[:40], quote=True) in bodies


def test_charts_hold_no_markup_of_the_run(open_page: Open) -> None:
    for page in ("run", "decisions", "drift", "tokens", "policies"):
        for element in open_page(page, "hostile", run="hostile").get("plotly_chart"):
            assert "<script" not in element.proto.spec
            assert "<img" not in element.proto.spec


def test_a_link_opens_the_step_and_the_record(open_page: Open) -> None:
    app = open_page("run", run="demo-one", t="57", record="r5")
    text = fine(app)
    assert "step 57" in text
    assert "held after step 57" in text
    assert "r5" in text
    assert app.query_params["run"] == "demo-one"


def test_keys_move_the_step(open_page: Open) -> None:
    app = open_page("run", run="demo-one", t="57")
    app.button(key="next_step").click().run()
    assert app.query_params["t"] == "58"
    app.button(key="previous_step").click().run()
    app.button(key="next_write").click().run()
    t = int(app.query_params["t"])
    assert t > 57
    assert f"step {t}" in fine(app)


def test_filters_narrow_the_steps(open_page: Open) -> None:
    app = open_page("run", run="demo-one", t="5")
    app.segmented_control(key="step_only").set_value("only writes").run()
    text = fine(app)
    assert "120 listed" not in text
    app.text_input(key="step_text").set_value("no such text anywhere").run()
    assert "No step matches" in fine(app)


def test_a_brush_narrows_everything_below(open_page: Open) -> None:
    text = fine(open_page("run", **{"run": "demo-one", "from": "10", "to": "19"}))
    assert "Only steps **10** to **19**" in text
    assert "10 listed" in text


def test_another_run_forgets_the_old_selection(open_page: Open) -> None:
    app = open_page("run", run="demo-one", t="57", record="r5")
    app.selectbox(key="choose_run").set_value("demo-two").run()
    assert app.query_params["run"] == "demo-two"
    assert "record" not in app.query_params
    fine(app)


def test_long_runs_are_binned_and_say_so(open_page: Open) -> None:
    app = open_page("run", "long", run="long")
    assert "one column is 3 steps, one lane a file" in fine(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    heat = next(t for t in spec["data"] if t["type"] == "heatmap")
    assert len(heat["y"]["bdata"] if isinstance(heat["y"], dict) else heat["y"]) < 2000


def test_decision_point_names_its_gold_source(open_page: Open) -> None:
    text = fine(open_page("decisions", run="demo-one"))
    assert "gold source: <b>hindsight</b>" in text
    assert "gold source: hindsight" in text


def test_points_move_and_stay_in_the_url(open_page: Open) -> None:
    app = open_page("decisions", run="demo-one")
    app.button(key="pointNext").click().run()
    assert app.query_params["point"].startswith("P")
    assert "**Point 2**" in fine(app)


def test_why_answers_both_questions(open_page: Open) -> None:
    app = open_page("why", run="demo-one")
    assert "tp-sentence" in fine(app)
    app.segmented_control(key="question").set_value("why not").run()
    assert "tp-sentence" in fine(app)
    app.selectbox(key="not_record").set_value("r1").run()
    assert "makes no claim" in fine(app)


def test_drift_walks_the_writes(open_page: Open) -> None:
    app = open_page("drift", run="demo-one")
    assert "Writing step 1 of" in fine(app)
    app.button(key="writeNext").click().run()
    assert "Writing step 2 of" in fine(app)
    app.button(key="writeFalsified most").click().run()
    fine(app)


def test_drift_draws_a_symbol_with_two_underscores(open_page: Open) -> None:
    assert "no held record covers it" in fine(open_page("drift", run="demo-one", symbol="core/a.py::Store.__init__"))


def test_pooled_tokens_say_n(open_page: Open) -> None:
    app = open_page("tokens", run="demo-one")
    app.segmented_control(key="scope").set_value("all").run()
    fine(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert any("n=" in a["text"] for a in spec["layout"]["annotations"])


def test_tags_are_saved_filtered_and_grouped(open_page: Open) -> None:
    app = open_page("runs", run="demo-two")
    app.session_state["group_by"] = None
    from pages.components import data
    from storage.save import set_tags

    set_tags(data.engine(), "demo-two", {"arm": "tape", "resolved": ""})
    app.run()
    app.multiselect(key="runs_tags").set_value(["arm=tape"]).run()
    assert "1 of 3 runs" in fine(app)
    app.multiselect(key="runs_tags").set_value([]).run()
    app.selectbox(key="group_by").set_value("arm").run()
    assert list(app.dataframe[0].value["group"]) == ["(none)", "tape"]
    set_tags(data.engine(), "demo-two", {})


def test_a_path_that_does_not_exist_is_a_message(open_page: Open) -> None:
    app = open_page("runs", "empty")
    app.text_input(key="load_path").set_value("/nowhere/at/all.jsonl").run()
    app.button(key="load_go").click().run()
    assert "there is no such file" in fine(app)
