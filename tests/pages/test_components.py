"""The parts pages are made of: numbers, escaping, diffs, lanes, the graph, downloads."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.replay.lines import split_lines
from pages.components import charts, code, graph_layout, graph_view, lanes, palette, record_text, words
from tests.pages.fabricate import HOSTILE


@pytest.mark.parametrize(
    ("value", "text"), [(61204, "61,204"), (None, "n/a"), (float("nan"), "n/a"), (0, "0"), (float("inf"), "n/a")]
)
def test_counts_read_as_people_write_them(value: Any, text: str) -> None:
    assert words.count(value) == text


def test_undefined_shares_are_not_zero() -> None:
    assert words.share(0, 0) == "n/a"
    assert words.share(None, 5) == "n/a"
    assert words.share(513, 1000) == "51.3%"


def test_clipping_keeps_what_tells_apart() -> None:
    assert words.clip("abcdef", 4) == "abc…"
    assert words.tail("a/very/long/path.py", 8) == "…path.py"
    assert words.clip("\u202eevil\x00", 10) == "\ufffdevil\ufffd"


@given(st.text(max_size=80))
def test_markdown_says_the_text_itself(text: str) -> None:
    escaped = words.markdown(text)
    assert re.sub(r"\\(.)", r"\1", escaped) == words.clean(text).replace("\n", " ")
    assert not re.search(r"(?<!\\)(\\\\)*[<*_`$:\[#]", escaped)


@given(st.text(alphabet="ab\n", max_size=60), st.text(alphabet="ab\n", max_size=60), st.integers(0, 4))
def test_a_diff_holds_every_changed_line_and_no_other(before: str, after: str, around: int) -> None:
    lines = code.diff_lines(before, after, around)
    old, new = split_lines(before), split_lines(after)
    assert all(old[int(n) - 1] == text for mark, n, text in lines if mark == "del")
    assert all(new[int(n) - 1] == text for mark, n, text in lines if mark in {"", "add"})
    removed = {int(n) for mark, n, _ in lines if mark == "del"}
    added = {int(n) for mark, n, _ in lines if mark == "add"}
    assert [t for n, t in enumerate(old, 1) if n not in removed] == [t for n, t in enumerate(new, 1) if n not in added]
    shown = [int(n) for mark, n, _ in lines if mark in {"", "add"}]
    assert shown == sorted(set(shown))


def test_code_is_escaped_and_clipped() -> None:
    body, rest = code.render(code.numbered("\n".join([HOSTILE] * 400)), limit=5000)
    assert "<script>" not in body
    assert "<img" not in body
    assert rest > 300
    assert body.count("<div") < 8


def test_numbers_shown_by_the_output_are_kept() -> None:
    assert code.as_shown("   12\talpha\n   13\tbeta") == [("", "12", "alpha"), ("", "13", "beta")]
    assert code.as_shown("     7→x") == [("", "7", "x")]
    assert code.as_shown("plain\ntext") == [("", "1", "plain"), ("", "2", "text")]


def row(**values: Any) -> dict[str, Any]:
    return {"kind": "read", "status": "text-stale", "stale_lines": [], "start": 1, "sights": [], **values}


def test_false_lines_are_struck_where_the_output_numbers_them() -> None:
    lines = record_text.struck("   12\ta\n   13\tb\n   14\tc", row(stale_lines=[[13, 13], [14, 13]]))
    assert lines == [
        ("", "12", "a"),
        ("false", "13", "b"),
        ("gap", "", "a later write put text in here"),
        ("", "14", "c"),
    ]


def test_unnumbered_reads_count_from_their_first_line() -> None:
    lines = record_text.struck("a\nb\nc", row(start=40, stale_lines=[[41, 42]]))
    assert [mark for mark, _, _ in lines] == ["", "false", "false"]


def test_an_edit_is_unfolded_and_its_new_text_numbered_where_it_landed() -> None:
    call = json.dumps({"file_path": "a.py", "old_string": "x\ny", "new_string": "p\nq\n"})
    lines = record_text.struck(call + "\ndone", row(kind="edit", sights=[["a.py", 5, 6, "new"]], stale_lines=[[6, 6]]))
    assert ("", "5", "p") in lines
    assert ("false", "6", "q") in lines
    assert ("", "", "x") in lines


def test_a_stale_test_result_stays_readable() -> None:
    assert {mark for mark, _, _ in record_text.struck("F.\nfailed", row(kind="test", status="state-stale"))} == {"old"}


records = st.lists(
    st.tuples(st.integers(1, 40), st.integers(1, 20), st.sampled_from(["a.py", "b.py", "search"]), st.integers(1, 900)),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(records, st.sampled_from([30.0, 300.0]))
def test_no_two_records_held_together_share_a_lane(born: list[tuple[int, int, str, int]], room: float) -> None:
    columns: dict[str, list[Any]] = {
        "record_id": [f"r{n}" for n in range(len(born))],
        "kind": ["read"] * len(born),
        "born": [b for b, *_ in born],
        "gone": [b + d for b, d, *_ in born],
        "path": [lane for *_, lane, _ in born],
        "start": [1] * len(born),
        "end": [2] * len(born),
        "tokens": [n for *_, n in born],
        "lane": [lane for *_, lane, _ in born],
    }
    order = sorted(range(len(born)), key=lambda i: columns["born"][i])
    columns = {name: [values[i] for i in order] for name, values in columns.items()}
    spans = {"record_id": columns["record_id"], "t": columns["born"], "until": [None] * len(born)}
    spans |= {"status": ["true"] * len(born), "since": [None] * len(born)}
    drawn = lanes.by_record(columns, spans, 60, room)
    assert np.count_nonzero(drawn.cells) == sum(columns["gone"][i] - columns["born"][i] for i in range(len(born)))
    assert drawn.edges == sorted(drawn.edges)
    assert set(drawn.at) == set(columns["record_id"])


def test_a_file_lane_shows_what_most_of_its_tokens_are() -> None:
    sizes = {"lane": ["a.py"], "records": [2], "born": [1], "path": ["a.py"], "tokens": [30]}
    changes = {"lane": ["a.py"] * 3, "bin": [0, 2, 2], "status": ["true", "true", "stale"], "tokens": [10, -10, 30]}
    drawn = lanes.by_file(sizes, changes, 40, 10, 100)
    assert drawn.cells.tolist() == [[lanes.TRUE, lanes.TRUE, lanes.STALE, lanes.STALE]]


def edge(a: str, b: str, old: bool = True, new: bool = True) -> dict[str, Any]:
    return {"source": a, "target": b, "kind": "call", "tier": "certain", "why": "name", "old": old, "new": new}


def test_a_graph_past_its_limit_becomes_files_and_says_so() -> None:
    edges = [edge("m.py::f", f"p{n % 20}.py::g{n}") for n in range(900)]
    graph = graph_view.build({"m.py::f": "changed"}, edges)
    assert len(graph.ids) == 21
    assert "drawn as their files" in graph.note
    assert graph.roles[graph.ids.index("m.py::f")] == "changed"
    huge = graph_view.build({f"q{n}.py::f": "changed" for n in range(700)}, [])
    assert len(huge.ids) == graph_view.MOST
    assert "300 of 700" in huge.note


def test_the_graph_file_asks_nothing_of_the_network() -> None:
    graph = graph_view.build({f"a.py::{HOSTILE}": "removed"}, [edge(f"a.py::{HOSTILE}", "b.py::g", new=False)])
    net = graph_view.network(graph, {}, None)
    text = graph_view.page(net).decode()
    assert not re.search(r"<(?:script|link)[^>]*(?:src|href)\s*=\s*[\"']https?:", text)
    assert "<script>window.pwned" not in text
    assert all(node["physics"] is False for node in net.nodes)


def test_layout_is_the_same_every_time_and_finite() -> None:
    edges = [(n, (n * 7) % 40) for n in range(40)]
    first, second = graph_layout.springs(40, edges), graph_layout.springs(40, edges)
    assert np.array_equal(first, second)
    assert np.isfinite(first).all()
    assert len({tuple(p) for p in first.round(1).tolist()}) == 40


def test_csv_cells_are_no_formulas() -> None:
    text = charts.csv(pd.DataFrame({"a": ["=cmd()", "+1", "fine", None], "n": [1, -2, 3, 4]})).decode()
    assert text.splitlines()[1:3] == ["'=cmd(),1", "'+1,-2"]
    assert text.splitlines()[3] == "fine,3"


def test_coarse_statuses() -> None:
    assert [palette.coarse(s) for s in ("true", "text-stale", "state-stale", "none", None)] == [
        "true",
        "stale",
        "stale",
        "none",
        "none",
    ]


def test_a_long_block_is_cut_down_to_what_is_marked() -> None:
    lines = code.numbered("\n".join(map(str, range(1, 301))), marks={150: "false"})
    cut = code.focus(lines, around=2)
    assert [n for _, n, _ in cut] == ["⋯", "148", "149", "150", "151", "152", "⋯"]
    assert (cut[0][2], cut[-1][2]) == ("147 lines", "148 lines")
    assert code.focus(code.numbered("a\nb")) == code.numbered("a\nb")


def test_decision_axis_has_round_amounts_on_both_sides() -> None:
    from pages.components.points_view import _axis

    for left, room in ((77_000, 46), (126, 126), (0, 1), (5, 90_000)):
        axis = _axis(left, room)
        assert 0 in axis["tickvals"]  # type: ignore[operator]
        assert 2 <= len(axis["tickvals"]) <= 12  # type: ignore[arg-type]
        assert not any("-" in text for text in axis["ticktext"])  # type: ignore[attr-defined]


def test_a_crowded_graph_leaves_out_untouched_outside_names_and_says_so() -> None:
    def edge(target: str, old: bool = True, new: bool = True) -> dict[str, object]:
        return {
            "source": "a.py::f",
            "target": target,
            "kind": "call",
            "tier": "certain",
            "why": "",
            "old": old,
            "new": new,
        }

    edges = [edge(f"<external>::lib.g{n}") for n in range(60)]
    edges += [edge("<external>::lib.gone", new=False), edge("b.py::h")]
    graph = graph_view.build({"a.py::f": "changed"}, edges)
    assert sorted(graph.ids) == ["<external>::lib.gone", "a.py::f", "b.py::h"]
    assert graph.note.startswith("60 names outside the repository")
    few = graph_view.build({"a.py::f": "changed"}, edges[:10])
    assert len(few.ids) == 11
    assert few.note == ""
