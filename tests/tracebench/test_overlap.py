"""Lines and tokens: what a record shows, carried to another state, and counted without counting twice."""

from hypothesis import given
from hypothesis import strategies as st
from made_runs import history, numbered, record, sight, write

from core.replay.lines import line_map, split_lines
from core.tokens import count_tokens, token_starts
from core.tracebench.overlap import Part, intersect, showings, subtract, through, tokens_on, tokens_shown, union

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


@given(texts, texts, st.integers(1, 12), st.integers(1, 12))
def test_through_agrees_with_the_line_map_line_by_line(old: list[str], new: list[str], a: int, b: int) -> None:
    start, end = min(a, b), min(max(a, b), len(old))
    lmap = line_map("".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))
    seen: list[int] = []
    for part in through(lmap, start, end):
        for n in range(part.old_start, part.old_end + 1):
            seen.append(n)
            assert lmap.to_new(n) == (part.new_start + n - part.old_start if part.same else None)
    assert seen == list(range(start, end + 1))


def test_a_changed_line_stands_for_the_block_it_became() -> None:
    after = FIVE.replace("delta = 1\n", "delta = 2\ndelta = 3\n").replace("alpha beta\n", "")
    assert through(line_map(FIVE, after), 1, 5) == [
        Part(1, 1, 1, 0, False),
        Part(2, 3, 1, 2, True),
        Part(4, 4, 3, 4, False),
        Part(5, 5, 5, 5, True),
    ]


def test_only_unchanged_lines_are_shown_but_changed_ones_are_still_spoken_of() -> None:
    after = "top\n" + FIVE.replace("delta = 1\n", "delta = 2\n")
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, after)])
    read = record(1, numbered(1, split_lines(FIVE)), 40, sight(1, "a.py", 1, *split_lines(FIVE)))
    (now,) = showings(read, texts, 2, {"a.py"})
    assert (now.true, now.about) == (((2, 4), (6, 6)), ((2, 6),))
    (then,) = showings(read, texts, 1, {"a.py"})
    assert (then.true, then.about) == (((1, 5),), ((1, 5),))
    assert showings(read, texts, 2, {"b.py"}) == []


def test_lines_seen_differently_than_they_are_do_not_count_as_shown() -> None:
    texts = history({"a.py": FIVE})
    read = record(1, "", 5, sight(1, "a.py", 1, "alpha beta  ", "GAMMA", "", "delta = 1", "epsilon", "phantom"))
    (now,) = showings(read, texts, 1, {"a.py"})
    assert (now.true, now.about) == (((1, 1), (3, 5)), ((1, 5),))


def test_a_sight_is_carried_back_to_an_earlier_state_too() -> None:
    after = "top\nmore\n" + FIVE
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, after)])
    read = record(3, "", 5, sight(3, "a.py", 2, "more", "alpha beta", "gamma"))
    (now,) = showings(read, texts, 0, {"a.py"})
    assert now.true == ((1, 2),)


def test_a_deleted_file_is_shown_by_nothing() -> None:
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, None)])
    assert showings(record(1, "", 5, sight(1, "a.py", 1, "alpha beta")), texts, 2, {"a.py"}) == []


def test_the_share_of_a_read_counts_its_lines_as_they_stand_in_the_record() -> None:
    text = "Here it is:\n" + numbered(1, split_lines(FIVE))
    texts = history({"a.py": FIVE})
    read = record(1, text, count_tokens(text), sight(1, "a.py", 1, *split_lines(FIVE)))
    assert tokens_shown(read, texts, 1, {"a.py": ((2, 2), (4, 4))}) == tokens_on(text, [(3, 3), (5, 5)])
    assert tokens_shown(read, texts, 1, {"a.py": ((1, 5),)}) == tokens_on(text, [(2, 6)])
    assert tokens_shown(read, texts, 1, {"b.py": ((1, 5),)}) == 0


def test_the_share_of_a_view_not_found_in_the_text_is_its_lines_once_and_never_more_than_the_record() -> None:
    texts = history({"a.py": FIVE})
    call = record(1, '{"new":"gamma\\n"}', 100, sight(1, "a.py", 2, "gamma"), sight(1, "a.py", 2, "gamma"))
    assert tokens_shown(call, texts, 1, {"a.py": ((1, 5),)}) == count_tokens("gamma")
    tiny = record(1, "x", 1, sight(1, "a.py", 1, "alpha beta", "gamma"))
    assert tokens_shown(tiny, texts, 1, {"a.py": ((1, 5),)}) == 1


def test_the_share_includes_lines_whose_place_changed_since() -> None:
    after = FIVE.replace("delta = 1\n", "delta = 2\n")
    texts = history({"a.py": FIVE}, [write(2, "a.py", FIVE, after)])
    text = numbered(1, split_lines(FIVE))
    read = record(1, text, count_tokens(text), sight(1, "a.py", 1, *split_lines(FIVE)))
    assert tokens_shown(read, texts, 2, {"a.py": ((4, 4),)}) == tokens_on(text, [(4, 4)])
