"""Decision points measured: the four cells, the deduplicated gold, the curve, and the sums that must hold."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.replay.lines import split_lines
from core.tokens import count_tokens
from core.tracebench.bursts import Burst
from core.tracebench.carry import Carrier
from core.tracebench.measure import curve, measure, measure_regions
from core.tracebench.overlap import tokens_on, union
from core.tracebench.points import Point
from core.tracebench.regions import GoldRegion, Labels
from tests.tracebench.made_runs import history, numbered, record, sight, write

TWENTY = "".join(f"name_{n} = value({n})\n" for n in range(1, 21))
LINES = split_lines(TWENTY)
POINT = Point(4, "P", Burst(5, 7, (5, 7)), edits=2, merged=1)


def read(born: int, start: int, end: int, path: str = "app/a.py"):  # type: ignore[no-untyped-def]
    shown = LINES[start - 1 : end]
    text = numbered(start, shown)
    return record(born, text, count_tokens(text), sight(born, path, start, *shown))


def gold(rule: str, start: int, end: int, path: str = "app/a.py") -> GoldRegion:
    return GoldRegion(rule, path, start, end, f"why {rule}")  # type: ignore[arg-type]


def labels(*regions: GoldRegion, state: int = 4) -> Labels:
    return Labels(regions, "hindsight", state)


def test_the_four_cells_by_hand() -> None:
    texts = history({"app/a.py": TWENTY, "app/b.py": TWENTY})
    records = [
        read(1, 1, 5),  # meets the gold on one line: needed whole
        read(2, 6, 9),  # same file, other lines
        read(3, 1, 20, "app/b.py"),
        record(4, "ok", 7, name="r4"),
    ]
    point = measure(POINT, records, {"r1", "r3"}, labels(gold("G1", 5, 5), gold("G2", 15, 16)), Carrier(texts))
    n1, n2, n3 = (r.tokens for r in records[:3])
    assert [(c.record_id, c.needed, c.stale) for c in point.records] == [
        ("r1", True, True),
        ("r2", False, False),
        ("r3", False, True),
        ("r4", False, False),
    ]
    assert (point.held, point.held_needed, point.unneeded) == (n1 + n2 + n3 + 7, n1, n2 + n3 + 7)
    assert (point.stale, point.stale_needed) == (n3, n1)
    assert point.needed == tokens_on(TWENTY, [(5, 5), (15, 16)])
    assert point.gold_held == tokens_on(TWENTY, [(5, 5)])
    assert point.missing == tokens_on(TWENTY, [(15, 16)])
    assert point.records[0].needed_tokens == tokens_on(records[0].text, [(5, 5)])
    assert [c.why for c in point.records] == [
        "on app/a.py, which this burst needs at line 5 (G1)",
        "on app/a.py, but no line it shows there is needed by the edit of steps 5-7",
        "",
        "",
    ]
    assert (point.t, point.anchor, point.first, point.last, point.edits, point.merged) == (4, "P", 5, 7, 2, 1)
    assert (point.skip, point.gold_source) == ("", "hindsight")


def test_a_partly_read_region_contributes_only_its_unread_tokens() -> None:
    texts = history({"app/a.py": TWENTY})
    point = measure(POINT, [read(1, 3, 6), read(2, 5, 8)], set(), labels(gold("G1", 1, 10)), Carrier(texts))
    assert point.gold_held == tokens_on(TWENTY, [(3, 8)])
    assert point.missing == tokens_on(TWENTY, [(1, 2), (9, 10)])


def test_the_lines_near_the_hunks_are_counted_beside_the_gold() -> None:
    texts = history({"app/a.py": TWENTY})
    wide = replace(labels(gold("G1", 1, 20)), near=(("app/a.py", 2, 4), ("app/a.py", 4, 6)))
    point = measure(POINT, [read(1, 5, 9)], set(), wide, Carrier(texts))
    assert (point.near, point.near_held) == (tokens_on(TWENTY, [(2, 6)]), tokens_on(TWENTY, [(5, 6)]))
    assert point.needed == count_tokens(TWENTY)


def test_a_stale_line_is_not_held_but_its_record_is_needed() -> None:
    after = TWENTY.replace("name_5 = value(5)", "name_5 = other(5)")
    texts = history({"app/a.py": TWENTY}, [write(3, "app/a.py", TWENTY, after)])
    point = measure(POINT, [read(1, 5, 5)], {"r1"}, labels(gold("G1", 5, 6)), Carrier(texts))
    assert (point.stale_needed, point.stale, point.unneeded) == (point.held, 0, 0)
    assert (point.gold_held, point.missing) == (0, point.needed)


def test_reference_regions_stand_in_the_base_and_records_are_carried_there() -> None:
    after = "import x\n" + TWENTY
    texts = history({"app/a.py": TWENTY}, [write(1, "app/a.py", TWENTY, after)])
    late = record(2, "", 30, sight(2, "app/a.py", 6, LINES[4]))
    point = measure(POINT, [late], set(), labels(gold("G1", 5, 5), state=0), Carrier(texts))
    assert (point.gold_held, point.missing) == (point.needed, 0)


def test_a_token_counts_for_the_first_rule() -> None:
    texts = history({"app/a.py": TWENTY})
    regions = [gold("G3", 1, 20), gold("G2", 4, 8), gold("G1", 5, 6), gold("G4", 7, 8)]
    measured = measure_regions(regions, {"app/a.py": ((6, 7),)}, texts, 0)
    assert [(r.rule, r.tokens, r.held_tokens) for r in measured] == [
        ("G1", tokens_on(TWENTY, [(5, 6)]), tokens_on(TWENTY, [(6, 6)])),
        ("G2", tokens_on(TWENTY, [(4, 4), (7, 8)]), tokens_on(TWENTY, [(7, 7)])),
        ("G3", tokens_on(TWENTY, [(1, 3), (9, 20)]), 0),
    ]  # G4 has no token of its own left


def test_points_without_gold_are_marked_and_keep_their_held_side() -> None:
    texts = history({"app/a.py": TWENTY})
    point = measure(POINT, [read(1, 1, 5)], set(), labels(), Carrier(texts))
    assert (point.skip, point.needed, point.missing) == ("no-gold", 0, 0)
    assert point.unneeded == point.held > 0
    gone = measure(POINT, [], set(), labels(gold("G1", 1, 2, "app/none.py")), Carrier(texts))
    assert (gone.skip, gone.regions) == ("no-gold", ())
    skipped = measure(POINT, [], set(), replace(labels(), skip="test-only"), Carrier(texts))
    assert skipped.skip == "test-only"
    last = measure(
        Point(9, "F", None, 3, 2), [read(1, 1, 1)], set(), replace(labels(), skip="no-imminent-edit"), Carrier(texts)
    )
    assert (last.first, last.last, last.records[0].why) == (
        None,
        None,
        "",
    )


def test_the_curve_holds_scored_pre_edit_points_by_edits() -> None:
    texts = history({"app/a.py": TWENTY})
    good = measure(POINT, [read(1, 1, 5)], {"r1"}, labels(gold("G1", 7, 7)), Carrier(texts))
    points = [
        replace(good, t=9, edits=5),
        good,
        replace(good, t=6, anchor="T"),
        replace(good, t=7, skip="no-gold"),
        replace(good, t=8, anchor="F"),
    ]
    assert [(c.edits, c.t, c.held, c.unneeded, c.stale, c.needed, c.missing) for c in curve(points)] == [
        (2, 4, good.held, good.held, good.held, good.needed, good.needed),
        (5, 9, good.held, good.held, good.held, good.needed, good.needed),
    ]


spans = st.tuples(st.sampled_from(["app/a.py", "app/b.py"]), st.integers(1, 20), st.integers(1, 20))
some_gold = st.lists(st.tuples(st.sampled_from(["G1", "G2", "G3", "G4"]), spans), max_size=6)


@settings(max_examples=80)
@given(some_gold, st.lists(spans, max_size=6), st.sets(st.integers(1, 6)), st.randoms(use_true_random=False))
def test_the_sums_hold_and_no_order_matters(wanted, shown, stale, shuffle) -> None:  # type: ignore[no-untyped-def]
    changed = "new\n" + TWENTY.replace("name_9 = value(9)\n", "").replace("name_3 =", "name_3 +=")
    texts = history({"app/a.py": TWENTY, "app/b.py": TWENTY}, [write(4, "app/a.py", TWENTY, changed)])
    regions = [gold(rule, min(a, b), max(a, b), path) for rule, (path, a, b) in wanted]
    records = [read(n, min(a, b), max(a, b), path) for n, (path, a, b) in enumerate(shown, 1)]
    records = [replace(r, born=1, id=f"r{n}") for n, r in enumerate(records, 1)]
    ids = {f"r{n}" for n in stale}
    carrier = Carrier(texts)
    point = measure(POINT, records, ids, labels(*regions), carrier)
    assert point.held == point.unneeded + point.held_needed == sum(r.tokens for r in records)
    assert point.stale <= point.unneeded
    assert point.stale_needed <= point.held_needed
    assert point.needed == point.gold_held + point.missing
    by_path = {p: union((r.start, r.end) for r in regions if r.path == p) for p in ("app/a.py", "app/b.py")}
    assert point.needed == sum(tokens_on(texts.text(p, 4) or "", s) for p, s in by_path.items())
    assert all(0 <= r.held_tokens <= r.tokens for r in point.regions)
    assert all(0 <= c.needed_tokens <= c.tokens and (c.needed or not c.needed_tokens) for c in point.records)
    shuffle.shuffle(regions)
    mixed = list(records)
    shuffle.shuffle(mixed)
    again = measure(POINT, mixed, ids, labels(*regions), carrier)
    assert again.regions == point.regions
    assert {c.record_id: c for c in again.records} == {c.record_id: c for c in point.records}
