"""The simulated agent's tree: exact edits in any order, and regions that keep their place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.tracebench.changes import Block, Change
from benchmarks.tracebench.working import Working


def edit_of(*blocks: Block) -> Change:
    return Change("edit", "a.py", "a.py", blocks[0].start, blocks, ())


def test_the_old_text_is_as_long_as_it_takes_to_be_unique() -> None:
    working = Working({"a.py": "x\ny\nz\nx\ny\nw\n"})
    edit = working.edit(edit_of(Block(5, 5, ("Y",))))
    assert edit is not None
    assert (edit.old, edit.new, edit.start, edit.end) == ("x\ny\nw", "x\nY\nw", 4, 6)


def test_a_region_keeps_its_place_when_its_first_line_is_replaced() -> None:
    working = Working({"a.py": "one\ndef f(a):\n    return a\nlast\n"})
    first = working.edit(edit_of(Block(1, 0, ("new", "newer"))))
    assert first is not None
    working.apply(first)
    assert working.place("a.py", 2, 3) == (4, 5)
    second = working.edit(edit_of(Block(2, 2, ("def f(a, b):",))))
    assert second is not None
    working.apply(second)
    assert working.place("a.py", 2, 3) == (4, 5)
    third = working.edit(edit_of(Block(2, 3, ())))
    assert third is not None
    working.apply(third)
    assert working.place("a.py", 2, 3) is None
    assert working.text("a.py") == "new\nnewer\none\nlast\n"


def test_a_move_keeps_the_lines_origin() -> None:
    working = Working({"a.py": "x\ny\n"})
    working.move("a.py", "b.py")
    assert working.paths() == ["b.py"]
    assert working.place("a.py", 2, 2) == (2, 2)
    assert working.now("a.py") == "b.py"


def test_carriage_returns_and_lost_places_give_no_edit() -> None:
    assert Working({"a.py": "x\r\ny\r\n"}).edit(edit_of(Block(1, 1, ("z",)))) is None
    working = Working({"a.py": "x\ny\n"})
    working.remove("a.py")
    assert working.edit(edit_of(Block(1, 1, ("z",)))) is None


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], list[Block], list[int]]:
    """Distinct lines, disjoint blocks with a line kept between any two, and an order to make them in."""
    count = draw(st.integers(3, 30))
    lines = [f"line {n}" for n in range(1, count + 1)]
    blocks, at = [], 1
    while at <= count:
        size = draw(st.integers(0, 3))
        end = min(at + size - 1, count)
        new = draw(st.lists(st.sampled_from(["a", "b", "c d"]), max_size=3))
        if (end >= at or new) and draw(st.booleans()):
            blocks.append(Block(at, end, tuple(new)))
        at = max(end, at) + 2
    return lines, blocks, draw(st.permutations(range(len(blocks))))


@given(files())
def test_blocks_made_in_any_order_give_the_patched_text(drawn: tuple[list[str], list[Block], list[int]]) -> None:
    lines, blocks, order = drawn
    working = Working({"a.py": "\n".join(lines) + "\n"})
    for n in order:
        edit = working.edit(edit_of(blocks[n]))
        assert edit is not None
        before = working.text("a.py")
        assert before.count(edit.old) == 1
        working.apply(edit)
        assert working.text("a.py") == before.replace(edit.old, edit.new)
    expected = list(lines)
    for block in reversed(blocks):
        expected[block.start - 1 : block.end] = block.lines
    assert working.text("a.py") == "".join(f"{line}\n" for line in expected)
