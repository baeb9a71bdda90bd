"""Lines and tokens: what a record shows, carried to another state, and counted without counting twice."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from core.records.record import Record
from core.replay.lines import line_map, split_lines
from core.replay.world import History
from core.tokens import count_tokens, token_starts
from core.tracebench.carry import Carrier, Part, Ranges
from core.tracebench.overlap import (
    intersect,
    lines_about,
    lines_shown,
    subtract,
    tokens_on,
    tokens_shown,
    union,
    views,
)
from tests.tracebench.made_runs import history, numbered, record, sight, write

FIVE = "alpha beta\ngamma\n\ndelta = 1\nepsilon\n"

ranges = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=6)
texts = st.lists(st.sampled_from(["x = 1", "", "def f():", "    return x", "é日本", "}"]), max_size=12)


def lines_in(spans: object) -> set[int]:
    return {n for a, b in spans for n in range(a, b + 1)}  # type: ignore[attr-defined]


@given(ranges, ranges)
def test_range_operations_are_set_operations(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    a, b = union(left), union(right)
    assert lines_in(a) == lines_in(left)
    assert lines_in(intersect(a, b)) == lines_in(a) & lines_in(b)
    assert lines_in(subtract(a, b)) == lines_in(a) - lines_in(b)
    for result in (a, intersect(a, b), subtract(a, b)):
        assert list(result) == sorted(result)
        assert len(lines_in(result)) == sum(end - start + 1 for start, end in result)


def test_tokens_of_lines_by_hand() -> None:
    # alpha| beta|\n  gamma|\n\n  delta| =| |1|\n  epsilon: a token belongs to the line it starts on.
    starts = token_starts(FIVE)
    for number, line in enumerate(FIVE.splitlines(keepends=True), 1):
        before = sum(len(x) for x in FIVE.splitlines(keepends=True)[: number - 1])
        assert tokens_on(FIVE, [(number, number)]) == sum(before <= s < before + len(line) for s in starts)
    assert tokens_on(FIVE, [(1, 5)]) == count_tokens(FIVE)
    assert tokens_on(FIVE, [(3, 3)]) == 0
    assert tokens_on(FIVE, [(6, 9)]) == 0
    assert tokens_on(FIVE, [(2, 1)]) == 0
    assert tokens_on("", [(1, 5)]) == 0


@given(texts, st.booleans(), st.integers(0, 12))
def test_tokens_of_two_halves_add_up(lines: list[str], ended: bool, cut: int) -> None:
    text = "\n".join(lines) + ("\n" if ended else "")
    assert tokens_on(text, [(1, cut)]) + tokens_on(text, [(cut + 1, 20)]) == count_tokens(text)


def shown(record: Record, history: History, t: int, path: str, *gold: tuple[int, int]) -> tuple[Ranges, Ranges]:
    """(lines shown as they are, lines it is about) of the gold lines of ``path`` in w_t."""
    seen = views(record, Carrier(history), t, {path: union(gold)})
    return union(lines_shown(seen, history, t).get(path, ())), union(lines_about(seen).get(path, ()))


def test_only_unchanged_lines_are_shown_but_changed_ones_are_still_spoken_of() -> None:
    after = "top\n" + FIVE.replace("delta = 1\n", "delta = 2\n")
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, after)])
    read = record(1, numbered(1, split_lines(FIVE)), 40, sight(1, "a.py", 1, *split_lines(FIVE)))
    assert shown(read, texts, 2, "a.py", (1, 9)) == (((2, 4), (6, 6)), ((2, 6),))
    assert shown(read, texts, 1, "a.py", (1, 9)) == (((1, 5),), ((1, 5),))
    assert shown(read, texts, 2, "a.py", (3, 4)) == (((3, 4),), ((3, 4),))
    assert shown(read, texts, 2, "a.py", (5, 5)) == ((), ((5, 5),))
    assert shown(read, texts, 2, "b.py", (1, 9)) == ((), ())


def test_a_part_view_shows_only_its_lines_and_a_deleted_line_nothing() -> None:
    after = FIVE.replace("gamma\n", "")
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, after)])
    read = record(1, "", 9, sight(1, "a.py", 2, "gamma", ""), sight(1, "a.py", 5, "epsilon"))
    assert shown(read, texts, 2, "a.py", (1, 4)) == (((2, 2), (4, 4)), ((2, 2), (4, 4)))


def test_lines_seen_differently_than_they_are_do_not_count_as_shown() -> None:
    texts = history({"a.py": FIVE})
    read = record(1, "", 5, sight(1, "a.py", 1, "alpha beta  ", "GAMMA", "", "delta = 1", "epsilon", "phantom"))
    assert shown(read, texts, 1, "a.py", (1, 9)) == (((1, 1), (3, 5)), ((1, 5),))


def test_a_sight_is_carried_back_to_an_earlier_state_too() -> None:
    after = "top\nmore\n" + FIVE
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, after)])
    read = record(3, "", 5, sight(3, "a.py", 2, "more", "alpha beta", "gamma"))
    assert shown(read, texts, 0, "a.py", (1, 9)) == (((1, 2),), ((1, 2),))


def test_what_is_undone_is_shown_again() -> None:
    other = FIVE.replace("delta = 1\n", "delta = 2\nmore\n")
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, other), write(4, "a.py", other, "top\n" + FIVE)])
    read = record(1, "", 5, sight(1, "a.py", 3, "", "delta = 1", "epsilon"))
    assert shown(read, texts, 2, "a.py", (1, 9)) == (((3, 3), (6, 6)), ((3, 6),))
    assert shown(read, texts, 4, "a.py", (1, 9)) == (((4, 6),), ((4, 6),))


def test_files_deleted_or_unknown() -> None:
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, None), write(3, "a.py", None, FIVE)])
    read = record(1, "", 5, sight(1, "a.py", 1, "alpha beta"))
    assert shown(read, texts, 2, "a.py", (1, 9)) == ((), ())
    assert shown(read, texts, 3, "a.py", (1, 9)) == (((1, 1),), ((1, 1),))
    late = history({}, [write(2, "a.py", None, FIVE)])  # not known when it was seen: the numbers are believed
    assert shown(read, late, 2, "a.py", (1, 9)) == (((1, 1),), ((1, 1),))


@given(st.lists(texts, min_size=2, max_size=5), st.data())
def test_carried_lines_are_equal_lines_in_order(versions: list[list[str]], data: st.DataObject) -> None:
    bodies = ["".join(f"{line}\n" for line in v) for v in versions]
    writes = [write(t, "a.py", bodies[t - 1], bodies[t]) for t in range(1, len(bodies))]
    carrier = Carrier(history({"a.py": bodies[0]}, writes))
    born, t = (data.draw(st.integers(0, len(bodies) - 1)) for _ in range(2))
    old, new = versions[born], versions[t]
    parts = carrier.onto("a.py", born, t, ((1, 20),))
    same = [(p.old_start + n, p.new_start + n) for p in parts if p.same for n in range(p.old_end - p.old_start + 1)]
    assert all(old[a - 1] == new[b - 1] for a, b in same)
    for (a, b), (c, d) in itertools.pairwise(same):
        assert a < c
        assert b < d
    if old == new:
        solid = [n for n, line in enumerate(old, 1) if line]
        assert {a for a, b in same if a == b} >= set(solid)
    if abs(born - t) == 1:
        lmap = line_map(bodies[min(born, t)], bodies[max(born, t)])
        move = lmap.to_new if born < t else lmap.to_old
        assert dict(same).items() >= {n: move(n) for n in range(1, len(old) + 1) if move(n)}.items()


@given(texts, texts, ranges)
def test_a_cut_is_the_whole_answer_kept_where_wanted(
    old: list[str], new: list[str], wanted: list[tuple[int, int]]
) -> None:
    before, after = ("".join(f"{line}\n" for line in v) for v in (old, new))
    carrier = Carrier(history({"a.py": before}, [write(1, "a.py", before, after)]))
    keep = union(wanted)
    whole, some = carrier.onto("a.py", 0, 1, ((1, 99),)), carrier.onto("a.py", 0, 1, keep)

    def pairs(parts: list[Part]) -> set[tuple[int, int]]:
        return {(p.old_start + n, p.new_start + n) for p in parts if p.same for n in range(p.old_end - p.old_start + 1)}

    assert pairs(some) == {(a, b) for a, b in pairs(whole) if b in lines_in(keep)}
    met = [p for p in whole if not p.same and intersect(((p.new_start, p.new_end),), keep)]
    assert [p for p in some if not p.same] == met


def share(record: Record, history: History, t: int, gold: dict[str, Ranges]) -> int:
    return tokens_shown(record, views(record, Carrier(history), t, gold))


def test_the_share_of_a_read_counts_its_lines_as_they_stand_in_the_record() -> None:
    text = "Here it is:\n" + numbered(1, split_lines(FIVE))
    texts = history({"a.py": FIVE})
    read = record(1, text, count_tokens(text), sight(1, "a.py", 1, *split_lines(FIVE)))
    assert share(read, texts, 1, {"a.py": ((2, 2), (4, 4))}) == tokens_on(text, [(3, 3), (5, 5)])
    assert share(read, texts, 1, {"a.py": ((1, 5),)}) == tokens_on(text, [(2, 6)])
    assert share(read, texts, 1, {"b.py": ((1, 5),)}) == 0


def test_the_share_of_a_view_not_found_in_the_text_is_its_lines_once_and_never_more_than_the_record() -> None:
    texts = history({"a.py": FIVE})
    call = record(1, '{"new":"gamma\\n"}', 100, sight(1, "a.py", 2, "gamma"), sight(1, "a.py", 2, "gamma"))
    assert share(call, texts, 1, {"a.py": ((1, 5),)}) == count_tokens("gamma")
    tiny = record(1, "x", 1, sight(1, "a.py", 1, "alpha beta", "gamma"))
    assert share(tiny, texts, 1, {"a.py": ((1, 5),)}) == 1


def test_the_share_includes_lines_whose_place_changed_since() -> None:
    after = FIVE.replace("delta = 1\n", "delta = 2\n")
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, after)])
    text = numbered(1, split_lines(FIVE))
    read = record(1, text, count_tokens(text), sight(1, "a.py", 1, *split_lines(FIVE)))
    assert share(read, texts, 2, {"a.py": ((4, 4),)}) == tokens_on(text, [(4, 4)])
