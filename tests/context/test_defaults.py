"""Hand-worked cases of every default rule, of what stands in a record's place, and of the context they make."""

from __future__ import annotations

import math

import pytest

from core.context.actions import Action, Hit
from core.context.apply import apply_plan, replacement, stub, tomb
from core.context.cost import Rewrite, payback_requests, pays_back, priced_tokens, rewrites, run_cost, suffix_tokens
from core.context.fresh import LineFormat, image_of, line_format
from core.context.maintain import MaintainedItem
from core.options import Options
from core.records.record import Record
from core.replay.lines import line_map
from core.replay.world import Sight
from core.tokens import count_tokens
from tests.tape.driver import Driver

BODY = "".join(f"    x = {n}\n" for n in range(20))
TEXT = f"import os\n\n\ndef f(x):\n{BODY}\n\ndef g(x):\n    return x\n"


def last(run: Driver) -> tuple[str, str]:
    nomination, action = run.rows[-1]
    return nomination.record_id, action.name


def test_dedupe_points_to_the_newer_record_that_shows_the_present_lines() -> None:
    run = Driver({"a.py": TEXT})
    run.read("a.py")
    newer = run.read("a.py", 4, 26)
    run.write("a.py", TEXT.replace("x = 7", "x = 77"))
    by_record = {n.record_id: a for n, a in run.rows}
    assert by_record["r2"].name == "refresh"
    assert by_record["r1"].name == "drop"
    assert by_record["r1"].pointer == newer.id
    assert by_record["r1"].text is not None
    assert "step 2" in by_record["r1"].text
    maintained = {a.record_id: a for a in run.actions}
    assert (maintained["r1"].name, maintained["r1"].pointer) == ("drop", "r2@3")
    off = Driver({"a.py": TEXT}, Options(dedupe=False))
    off.read("a.py")
    off.read("a.py", 4, 26)
    off.write("a.py", TEXT.replace("x = 7", "x = 77"))
    assert [a.name for _, a in off.rows] == ["refresh", "refresh"]


def test_dedupe_needs_four_lines_of_five() -> None:
    run = Driver({"a.py": TEXT})
    run.read("a.py", 4, 13)  # ten lines, x = 0 .. x = 8
    run.read("a.py", 6, 13)  # eight of them, one of which the write changes: seven stay true
    run.write("a.py", TEXT.replace("x = 3\n", "x = 33\n"))
    assert {n.record_id: a.name for n, a in run.rows} == {"r1": "refresh", "r2": "refresh"}


def test_a_refresh_that_would_more_than_double_a_large_record_is_a_drop() -> None:
    run = Driver({"a.py": TEXT})
    run.read("a.py", 4, 26)
    grown = TEXT.replace("    x = 7\n", "".join(f"    value_{n} = compute(x, {n})\n" for n in range(300)))
    run.write("a.py", grown)
    assert last(run) == ("r1", "drop")
    assert "twice" in run.rows[-1][1].reason or "shows the present lines" in run.rows[-1][1].reason
    alone = Driver({"a.py": TEXT}, Options(dedupe=False))
    alone.read("a.py", 4, 26)
    alone.write("a.py", grown)
    assert "twice" in alone.rows[-1][1].reason
    small = Driver({"a.py": "def f():\n    return 1\n"}, Options(dedupe=False))
    small.read("a.py")
    small.write("a.py", "def f():\n" + "    x = 1\n" * 50 + "    return 2\n")
    assert last(small) == ("r1", "refresh")  # more than twice, but not large


def test_removed_symbols_drop_and_a_mixed_record_refreshes() -> None:
    run = Driver({"a.py": TEXT}, Options(dedupe=False))
    run.read("a.py", 27, 28)
    run.read("a.py")
    run.write("a.py", TEXT.replace("x = 7", "x = 77").replace("def g(x):\n    return x\n", ""))
    assert {n.record_id: a.name for n, a in run.rows} == {"r1": "drop", "r2": "refresh"}
    assert [(h.id, h.why) for h in run.rows[0][0].hits] == [("a.py::g", "removed")]


def test_undo_off_drops_what_is_back() -> None:
    for undo, name in ((True, "keep"), (False, "refresh")):
        run = Driver({"a.py": TEXT}, Options(undo=undo, shown_lines=False, dedupe=False, checked=False, batch=10**9))
        run.read("a.py", 4, 26)
        run.write("a.py", TEXT.replace("x = 7", "x = 77"))
        run.write("a.py", TEXT)
        acted = [a for a in run.actions if a.record_id == "r1"]
        assert [a.name for a in acted] == (["keep"] if undo else [])
        assert undo == (name == "keep")


def test_checked_settles_a_kept_record_until_it_drifts_again() -> None:
    for checked, times in ((True, 1), (False, 2)):
        run = Driver({"a.py": TEXT, "b.py": "X = 1\n"}, Options(checked=checked))
        run.read("a.py", 4, 6)
        run.write("a.py", TEXT.replace("x = 15", "x = 150"))
        run.write("b.py", "X = 2\n")
        assert [a.name for a in run.actions if a.record_id == "r1"] == ["keep"] * times
        run.write("a.py", TEXT.replace("x = 15", "x = 150").replace("x = 0", "x = 9"))
        assert [a.name for a in run.actions if a.record_id == "r1"] == ["keep"] * times + ["refresh"]


def test_batch_holds_rewrites_back_until_they_save_enough() -> None:
    def play(batch: int) -> list[tuple[int, str]]:
        run = Driver({"a.py": TEXT, "b.py": TEXT}, Options(batch=batch))
        run.test("make test", "F" * 400)
        run.write("a.py", TEXT.replace("x = 7", "x = 77"))
        run.test("other", "G" * 4000)
        run.write("b.py", TEXT.replace("x = 7", "x = 77"))
        return [(a.t, a.record_id) for a in run.actions]

    assert play(0) == [(2, "r1"), (4, "r3")]
    assert play(300) == [(4, "r1"), (4, "r3")]
    assert play(10**6) == []


def test_a_compaction_takes_every_form() -> None:
    run = Driver({"a.py": TEXT})
    run.read("a.py", 4, 26)
    run.test()
    run.write("a.py", TEXT.replace("x = 7", "x = 77"))
    run.maintained.compact(4, ["r1", "r2"])
    assert [r.id for r in run.maintained.records()] == ["r3"]
    assert {i.id: (i.form, i.from_t, i.until) for i in run.maintained.items()} == {
        "r1": ("record", 1, 3),
        "r2": ("record", 2, 3),
        "r3": ("record", 3, None),
        "r1@3": ("fresh", 3, 4),
        "r2@3": ("stub", 3, 4),
    }


def test_fresh_keeps_the_record_s_format_and_renumbers() -> None:
    for mark, first in (("→", "     5→"), ("\t", "     5\t")):
        run = Driver({"a.py": TEXT}, Options(dedupe=False))
        run.read("a.py", 4, 6, mark)
        run.write("a.py", "# top\n" + TEXT.replace("x = 0", "x = 00"))
        text = run.rows[0][1].text
        assert text == f"{first}def f(x):\n     6{mark}    x = 00\n     7{mark}    x = 1"
    run = Driver({"a.py": TEXT, "b.py": TEXT}, Options(dedupe=False))
    run.search(("a.py", 5), ("b.py", 6))
    run.write("a.py", "# top\n" + TEXT.replace("x = 0", "x = 00"))
    assert run.rows[0][1].text == "a.py:6:    x = 00\nb.py:6:    x = 1"


def test_fresh_drifted_shows_only_the_bodies_that_drifted() -> None:
    run = Driver({"a.py": TEXT}, Options(fresh="drifted", dedupe=False))
    run.read("a.py")
    run.write("a.py", TEXT.replace("return x", "return -x"))
    assert run.rows[0][1].text == "    27→def g(x):\n    28→    return -x"


def record(text: str, lines: tuple[str, ...], start: int) -> Record:
    return Record("r1", "read", 1, text, 1, None, "a.py", start, start, (Sight(1, "a.py", start, lines, "read"),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("     9→foo: 9:bar", LineFormat("", 6, "→", False)),
        ("9→foo: 9:bar", LineFormat("", 0, "→", False)),
        ("src/a1.py:9:foo: 9:bar", LineFormat("src/a1.py:", 0, ":", False)),
        ("src/a-9-b.py-9-foo: 9:bar", LineFormat("src/a-9-b.py-", 0, "-", False)),
        ("foo: 9:bar", LineFormat()),
        ("nothing of it", LineFormat()),
        ("", LineFormat()),
    ],
)
def test_formats(text: str, expected: LineFormat) -> None:
    assert line_format(record(text, ("", "foo: 9:bar"), 8), "a.py") == expected


def test_images_of_shown_lines() -> None:
    lmap = line_map("a\nb\nc\nd\ne\n", "new\na\nB\nB2\nc\ne\n")
    assert image_of(lmap, 1, 1) == (2, 2)
    assert image_of(lmap, 1, 2) == (2, 4)
    assert image_of(lmap, 2, 2) == (3, 4)
    assert image_of(lmap, 3, 5) == (5, 6)
    assert image_of(lmap, 4, 4) is None
    assert image_of(lmap, 4, 9) == (6, 6)
    assert image_of(lmap, 7, 9) is None


def test_tombs_have_bounded_size_whatever_they_are_of() -> None:
    ids = [f"{'deep/' * 99}a.py::" + "n" * 999 + f"\n]{n}" for n in range(50)]
    hits = tuple(Hit(i, "changed", "certain", (n + 2,)) for n, i in enumerate(ids))
    long = Record("r1", "read", 1, "x", 1, None, "p/" * 500 + "\n", 1, 10**9, command="c" * 5000)
    text = tomb(long, hits, None, "r9")
    assert len(text) < 900
    assert "\n" not in text
    assert text.count("changed") == 5
    assert "and 45 more" in text
    assert len(stub(long)) < 300


def test_a_plan_makes_equation_eight() -> None:
    held = [Record(f"r{n}", "read", n, "x", 1, None) for n in range(1, 7)]
    actions = [
        Action(9, "r1", "drop", 1, 1, "t", ""),
        Action(9, "r2", "keep", 1, 1, None, ""),
        Action(9, "r3", "refresh", 1, 1, "f", ""),
        Action(9, "r4", "drop", 1, 0, None, ""),
    ]
    new = {"r1": replacement(held[0], 9, "tomb"), "r3": replacement(held[2], 9, "fresh")}
    extra = Record("x1", "read", 9, "code", 1, None)
    result = apply_plan(held, actions, new, evicted={"r5"}, retrieved=[extra])
    assert [r.id for r in result] == ["r1@9", "r2", "r3@9", "r6", "x1"]


def test_cache_prices() -> None:
    assert payback_requests(100, 1000) == pytest.approx(11.5 * 10)
    assert payback_requests(100, 1000, "1h") == pytest.approx(19 * 10)
    assert payback_requests(0, 10) == math.inf
    assert payback_requests(-5, 10) == math.inf
    assert pays_back(100, 100, 12)
    assert not pays_back(100, 100, 11)
    assert priced_tokens(10, 100, 8, 4) == pytest.approx(10 + 10 + 10 + 8)


def test_a_rewrite_costs_the_suffix_once() -> None:
    def item(name: str, origin: str, from_t: int, until: int | None, tokens: int) -> MaintainedItem:
        return MaintainedItem(name, origin, "record", from_t, until, tokens, "")

    items = [
        item("r1", "r1", 1, None, 10),
        item("r2", "r2", 2, 4, 100),
        item("r2@4", "r2", 4, None, 20),
        item("r3", "r3", 3, None, 1000),
        item("r4", "r4", 4, None, 1),
    ]
    costs = run_cost(items, [2, 3, 4, 5, 6])
    assert [(c.t, c.sent, c.read, c.written) for c in costs] == [
        (2, 10, 0, 10),
        (3, 110, 10, 100),
        (4, 1110, 110, 1000),
        (5, 1031, 10, 1021),
        (6, 1031, 1031, 0),
    ]
    assert costs[3].priced == pytest.approx(0.1 * 10 + 1.25 * 1021)
    assert suffix_tokens(items, "r2", 4) == 1001
    act = Action(4, "r2", "drop", 100, 20, "", "")
    requests = [2, 3, 4, *range(5, 5 + 143)]
    assert rewrites([act], items, requests) == (Rewrite(4, "r2", 80, 1001, 143, False),)  # 11.5 * 1001 / 80 = 143.9
    assert rewrites([act], items, [*requests, 999])[0].pays
    gone = [*items[:2], item("r2@4", "r2", 4, 9, 20), *items[3:]]
    assert rewrites([act], gone, requests)[0].later == 5  # those that lead to steps 5 to 9
    assert rewrites([Action(4, "r1", "keep", 1, 1, None, "")], items, requests) == ()


def test_tokens_of_actions_are_those_of_their_texts() -> None:
    run = Driver({"a.py": TEXT})
    run.read("a.py", 4, 26)
    run.test()
    run.write("a.py", TEXT.replace("x = 7", "x = 77"))
    for _, action in run.rows:
        assert action.text is not None
        assert action.tokens_after == count_tokens(action.text)
