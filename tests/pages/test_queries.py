"""The SQL of the pages against the same questions answered in plain Python over whole tables."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from storage import queries, recall, schema
from storage.database import open_engine, reading
from storage.queries import StepFilter

RUN = "demo-one"


@pytest.fixture(scope="module")
def tables(databases: dict[str, Path]) -> dict[str, list[dict[str, Any]]]:
    with reading(open_engine(databases["sample"])) as c:
        return {
            t.name: [dict(r) for r in c.execute(select(t).where(t.c.run_id == RUN)).mappings()]
            for t in schema.RUN_TABLES
        }


@pytest.fixture
def connection(databases: dict[str, Path]) -> Any:
    with reading(open_engine(databases["sample"])) as c:
        yield c


def held(tables: dict[str, Any], t: int) -> dict[str, dict[str, Any]]:
    return {r["record_id"]: r for r in tables["records"] if r["born"] <= t and (r["gone"] is None or t < r["gone"])}


def status(tables: dict[str, Any], record: str, t: int) -> str:
    return max((s for s in tables["statuses"] if s["record_id"] == record and s["t"] <= t), key=lambda s: s["t"])[
        "status"
    ]


@pytest.mark.parametrize("t", [1, 17, 60, 119, 120])
def test_context_is_what_is_held_with_its_status(connection: Any, tables: dict[str, Any], t: int) -> None:
    rows = queries.context(connection, RUN, t)
    expected = held(tables, t)
    assert {r["record_id"] for r in rows} == set(expected)
    assert all(r["status"] == status(tables, r["record_id"], t) for r in rows)
    assert [r["tokens"] for r in rows] == sorted((r["tokens"] for r in rows), reverse=True)
    assert queries.context_sum(connection, RUN, t)["records"] == len(expected)


@pytest.mark.parametrize("width", [1, 7, 50])
def test_running_sums_of_lane_changes_are_the_tokens_held(connection: Any, tables: dict[str, Any], width: int) -> None:
    columns = queries.lane_changes(connection, RUN, width)
    for t in (width, 2 * width, 120 // width * width):
        got: dict[str, int] = defaultdict(int)
        for b, s, tokens in zip(columns["bin"], columns["status"], columns["tokens"], strict=True):
            if b < t // width:
                got[s] += tokens
        want: dict[str, int] = defaultdict(int)
        for name, row in held(tables, t).items():
            now = status(tables, name, t)
            want["stale" if now.endswith("stale") else now] += row["tokens"]
        assert {k: v for k, v in got.items() if v} == dict(want)


def test_held_bins_end_with_the_last_step(connection: Any) -> None:
    columns = queries.held_by_status(connection, RUN, 50)
    assert columns["t"] == [50, 100, 120]
    assert queries.held_by_status(connection, RUN, 1)["t"] == list(range(1, 121))


@pytest.mark.parametrize(
    "wanted",
    [
        StepFilter(),
        StepFilter(kinds=("edit", "say")),
        StepFilter(tools=("Bash",)),
        StepFilter(path="src/core/save_1.py"),
        StepFilter(text="passed"),
        StepFilter(text="100%_"),
        StepFilter(only="writes", first=30, last=90),
        StepFilter(only="nominations"),
    ],
)
def test_steps_match_their_filter(connection: Any, tables: dict[str, Any], wanted: StepFilter) -> None:
    texts = queries.texts(connection, [s[c] for s in tables["steps"] for c in ("text", "call")])

    def fits(s: dict[str, Any]) -> bool:
        return (
            (not wanted.kinds or s["kind"] in wanted.kinds)
            and (not wanted.tools or s["tool"] in wanted.tools)
            and (not wanted.path or wanted.path in s["paths"])
            and (not wanted.text or any(wanted.text in texts.get(s[c], "") for c in ("text", "call")))
            and (not wanted.only or s["t"] in {r["t"] for r in tables[wanted.only]})
            and (wanted.first or 1) <= s["t"] <= (wanted.last or 10**9)
        )

    expected = sorted(s["t"] for s in tables["steps"] if fits(s))
    assert queries.count_steps(connection, RUN, wanted) == len(expected)
    assert [r["t"] for r in queries.list_steps(connection, RUN, wanted, 3, 20)] == expected[3:23]
    assert queries.count_steps(connection, RUN, wanted, 60) == sum(1 for t in expected if t < 60)
    near = queries.neighbours(connection, RUN, 60, wanted)
    assert near["previous_step"] == max((t for t in expected if t < 60), default=None)
    assert near["next_step"] == min((t for t in expected if t > 60), default=None)


def test_file_text_follows_the_writes(connection: Any, tables: dict[str, Any]) -> None:
    write = tables["writes"][-1]
    before = queries.file_text(connection, RUN, write["path"], write["t"] - 1)
    after = queries.file_text(connection, RUN, write["path"], write["t"])
    assert before == queries.texts(connection, [write["before"]])[write["before"]]
    assert after == queries.texts(connection, [write["after"]])[write["after"]]
    assert queries.file_text(connection, RUN, "no/such.py", 5) is None


def test_edges_know_on_which_side_of_the_write_they_stood(connection: Any, tables: dict[str, Any]) -> None:
    drift = tables["drift"][0]
    symbol = queries.get_drift(connection, RUN, drift["t"])["changed"][0]  # type: ignore[index]
    rows = queries.edges_around(connection, RUN, drift["t"], [symbol])
    assert rows
    assert all(symbol in (r["source"], r["target"]) and r["old"] and r["new"] for r in rows)


def test_questions_about_nothing_have_empty_answers(connection: Any) -> None:
    assert queries.get_run(connection, "none") is None
    assert queries.context(connection, "none", 3) == []
    assert queries.lane_changes(connection, "none", 4)["lane"] == []
    assert queries.list_points(connection, "none") == []
    assert queries.get_record(connection, RUN, "r99999") is None
    assert queries.texts(connection, [None, "zz"]) == {}
    assert recall.explained(connection, RUN, "r99999") is None


def test_a_recalled_tape_says_what_the_drifts_say(connection: Any, tables: dict[str, Any]) -> None:
    row = next(n for n in tables["nominations"] if '"changed"' in n["symbols"])
    known = recall.explained(connection, RUN, row["record_id"])
    assert known is not None
    record, nominated, drifts, tape = known
    assert record.id == row["record_id"]
    assert len(drifts) == len(tables["drift"])
    symbol = nominated[0][0].hits[0].id
    steps = [d.known_at for d in drifts if symbol in d.changed and record.born < d.known_at <= row["t"]]
    assert tape.changed_in(symbol, record.born, row["t"]) == tuple(steps)
    assert not tape.same_view(symbol, steps[0] - 1, steps[0])
