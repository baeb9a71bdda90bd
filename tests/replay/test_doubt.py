"""Files that changed unseen: of their lines those are claimed that were seen since, and no others (METHOD 4)."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.replay.partial import Partial
from core.replay.replay import replay
from core.replay.world import History, Replay
from core.trajectory.steps import Hunk, Shown, Step, Write
from tests.replay.runs import CWD, NONE, base, edit, path_of, read, run, shell

OLD = "".join(f"line {n}\n" for n in range(1, 13))
FIXED = shell("black a.py", "reformatted a.py\n\nAll done!\n1 file reformatted.\n")


def seen(text: str, first: int, last: int) -> Step:
    return read("a.py", "".join(f"{x}\n" for x in text.split("\n")[first - 1 : last]), start=first, whole=False)


def compared(result: Replay) -> list[tuple[int, int, int]]:
    return [(o.t, o.compared, o.equal) for o in result.observations]


def test_lines_that_were_not_shown_since_an_unseen_change_are_not_claimed() -> None:
    new = OLD.replace("line 2\n", "LINE 2\n").replace("line 9\n", "LINE 9\n")
    steps = (FIXED, seen(new, 1, 4), seen(new, 3, 10), seen(new, 1, 12), read("a.py", new))
    result = replay(run(*steps), base({"a.py": OLD}))
    # 1..4 are learned, 3..4 claimed and 5..10 learned, 1..10 claimed and 11..12 learned: now every line was seen.
    assert compared(result) == [(3, 2, 2), (4, 10, 10), (5, 12, 12)]
    assert result.opaque == (("a.py", 1, 4),)
    assert History(result).text("a.py", 5) == new


def test_a_view_that_agrees_says_nothing_about_other_lines() -> None:
    new = OLD.replace("line 9\n", "LINE 9\n")
    result = replay(run(FIXED, seen(new, 1, 4), seen(new, 8, 12)), base({"a.py": OLD}))
    assert (compared(result), result.opaque) == ([], (("a.py", 1, None),))


def test_an_edit_of_known_lines_moves_what_is_known_below() -> None:
    new = OLD.replace("line 9\n", "LINE 9\n")
    patched = new.replace("line 3\n", "three\nand more\n")
    patch = Write(path_of("a.py"), "patch", hunks=(Hunk(1, 1, (" line 2", "-line 3", "+three", "+and more")),))
    step = Step(0, "edit", "assistant", "apply_patch", "", "", cwd=CWD, writes=(patch,))
    result = replay(run(FIXED, seen(new, 1, 5), step, seen(patched, 1, 12)), base({"a.py": OLD}))
    assert compared(result) == [(4, 6, 6)]  # lines 1, 2, three, and more, 4, 5; behind them nothing was seen
    assert result.opaque == (("a.py", 1, None),)


def test_an_edit_behind_the_known_lines_leaves_nothing_known() -> None:
    new = OLD.replace("line 9\n", "LINE 9\n")
    edited = new.replace("line 11\n", "eleven\n")
    result = replay(
        run(FIXED, seen(new, 1, 5), edit("a.py", "line 11", "eleven"), seen(edited, 1, 5)), base({"a.py": OLD})
    )
    assert compared(result) == []


def test_lines_known_below_a_change_stay_where_they_were_seen() -> None:
    new = OLD.replace("line 2\n", "").replace("line 7\n", "seven\nand a half\n")
    steps = (FIXED, seen(new, 9, 12), seen(new, 1, 4), seen(new, 9, 12))
    result = replay(run(*steps), base({"a.py": OLD}))
    assert compared(result) == [(4, 4, 4)]


def test_what_is_seen_changed_is_placed_behind_the_writes_it_was_seen_after() -> None:
    new = OLD.replace("line 9\n", "LINE 9\n").replace("line 2\n", "two\n")
    result = replay(run(FIXED, edit("a.py", "line 2", "two"), seen(new, 8, 10)), base({"a.py": OLD}))
    assert [(w.t, w.known_at, w.opaque) for w in result.writes] == [(1, 1, True), (2, 2, False), (2, 3, False)]
    assert History(result).text("a.py", 2) == new


def test_all_views_of_one_step_are_compared_with_what_was_claimed_before_it() -> None:
    new = OLD.replace("line 2\n", "two\n").replace("line 9\n", "nine\n")
    shown = tuple(Shown(path_of("a.py"), n, (new.split("\n")[n - 1],), "search") for n in (2, 5, 9))
    step = Step(0, "search", "assistant", "Grep", "", "", cwd=CWD, shown=shown)
    result = replay(run(seen(OLD, 1, 12), step, step), base({"a.py": OLD}))
    assert [(o.t, o.start, o.equal) for o in result.observations] == [
        (1, 1, 12), (2, 2, 0), (2, 5, 1), (2, 9, 0), (3, 2, 1), (3, 5, 1), (3, 9, 1)
    ]  # fmt: skip


@pytest.mark.parametrize(("last", "until"), [(4, 3), (2, None)])
def test_a_change_whose_ends_are_shown_leaves_the_rest_claimed(last: int, until: int | None) -> None:
    new = OLD.replace("line 2\n", "two\n")
    result = replay(run(seen(OLD, 1, 12), seen(new, 1, last), seen(new, 6, 9)), base({"a.py": OLD}))
    assert result.opaque == (() if until else (("a.py", 2, None),))
    assert compared(result)[2:] == ([(3, 4, 4)] if until else [])


def test_the_doubt_is_known_only_from_when_the_change_was_seen() -> None:
    new = OLD.replace("line 1\n", "one\n")
    result = replay(run(seen(OLD, 1, 12), shell("make x"), shell("ls"), seen(new, 1, 1)), base({"a.py": OLD}))
    assert [(w.t, w.known_at) for w in result.writes] == [(2, 4)]
    assert result.opaque == (("a.py", 4, None),)


def test_of_a_file_known_in_part_nothing_is_known_after_an_unseen_change() -> None:
    steps = (seen(OLD, 1, 3), seen(OLD, 7, 9), FIXED, seen(OLD, 8, 9), seen(OLD, 1, 9))
    result = replay(run(*steps), NONE)
    assert compared(result) == [(5, 2, 2)]  # lines 8 and 9; those seen before the formatter ran may be others now


@pytest.mark.parametrize(
    ("command", "output", "doubted"),
    [
        ("ruff format a.py", "1 file left unchanged", False),
        ("black a.py b.py", "All done!\n2 files left unchanged.", False),
        ("black a.py b.py", "All done!\n1 file reformatted, 1 file left unchanged.", True),
        ("ruff format a.py && ruff format b.py", "1 file left unchanged", True),
        ("npx biome check --write a.py", "Checked 1 file in 64ms. No fixes applied.", False),
        ("npx biome check --write a.py", "Checked 1 file in 64ms. Fixed 1 file.", True),
        ("npx prettier --write a.py", "a.py 38ms (unchanged)", False),
        ("ruff format src/", "12 files left unchanged", False),
        ("ruff format a.py", "", True),
    ],
)
def test_a_formatter_that_says_it_changed_nothing_is_believed(command: str, output: str, doubted: bool) -> None:
    assert bool(shell(command, output).writes) is doubted


def test_the_hunks_of_a_patch_are_found_in_known_lines_once_or_not_at_all() -> None:
    known = Partial({1: "a", 2: "b", 4: "a", 5: "c"})
    assert known.patched((Hunk(1, 1, ("-b", "+x", "+y")),)) == Partial({1: "a", 2: "x", 3: "y", 5: "a", 6: "c"})
    assert known.patched((Hunk(1, 1, ("-c",)),)) == Partial({1: "a", 2: "b", 4: "a"})
    for lines in (("-a",), ("-b", "-a"), ("+z",)):
        assert known.patched((Hunk(1, 1, lines),)) == Partial()


# The last line tells that it is the last: a view that ends with the file cannot say so.
LINES = st.lists(st.sampled_from(["", "a", "b", "}", "x = 1", "  y"]), min_size=1, max_size=12).map(
    lambda lines: [*lines, "the end"]
)
PIECES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 11), st.integers(1, 6)), max_size=14)


@settings(max_examples=300, deadline=None)
@given(LINES, LINES, PIECES)
def test_nothing_false_is_claimed_of_a_file_that_a_formatter_rewrote(
    old: list[str], new: list[str], pieces: list[tuple[int, int, int]]
) -> None:
    """Views in any order, and edits of a line that stands once, by a client that says where: each claim is true."""
    now, steps = list(new), [replace(FIXED)]
    for kind, at, count in pieces:
        first = at % len(now)
        if kind == 3 and now.count(now[first]) == 1 and now[first] and first + 1 < len(now):
            steps.append(edit("a.py", f"{now[first]}\n", f"n{len(steps)}\nm\n"))
            if sum(now[first] in line for line in now) > 1:  # the client refuses a text that stands twice
                steps.pop()
                continue
            now[first : first + 1] = [f"n{len(steps) - 1}", "m"]
        else:
            part = now[first : first + count]
            steps.append(read("a.py", "".join(f"{x}\n" for x in part), start=first + 1, whole=False))
    steps.append(read("a.py", "".join(f"{x}\n" for x in now)))
    steps.append(read("a.py", "".join(f"{x}\n" for x in now)))
    result = replay(run(*steps), base({"a.py": "".join(f"{x}\n" for x in old)}))
    assert result.fidelity == 1.0
    assert History(result).text("a.py", len(steps)) == "".join(f"{x}\n" for x in now)


def test_many_views_of_a_long_file_cost_no_more_than_their_lines() -> None:
    count = 10_000
    shown = tuple(Shown(path_of("a.py"), n, (f"other {n}",), "search") for n in range(1, count, 5))
    step = Step(0, "search", "assistant", "Grep", "", "", cwd=CWD, shown=shown)
    began = time.process_time()
    result = replay(run(FIXED, step, step), base({"a.py": "".join(f"line {n}\n" for n in range(1, count + 1))}))
    assert time.process_time() - began < 10
    assert (result.compared, result.fidelity) == (len(shown), 1.0)
    assert len(result.writes) == 2  # the formatter's, and what one step's views showed of it
