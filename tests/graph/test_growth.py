"""Reading a Python text takes time in proportion to it, whatever its shape; and the rules that make it so."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest
import tree_sitter
from hypothesis import given
from hypothesis import strategies as st

from core.graph.languages.python import flow, language
from core.graph.languages.python.flow import AT_END, Bind, Block, reaching
from tests.graph.test_incremental import THOROUGH

SMALL, LARGE = 800, 3200  # four times as much: quadratic work grows 16 times
SHAPES: dict[str, Callable[[int], str]] = {
    "brackets that stay open": lambda n: "{ " * 20 * n,
    "errors with strings": lambda n: ") '''x\n\n''' " * n,
    "unclosed call": lambda n: "f(\n" + "'a' 'b'\n" * n,
    "one name, many lines": lambda n: "x = x + 1\n" * n,
    "one name, many branches": lambda n: "def f(c):\n" + " if c: x = g(x)\n" * n,
    "one name, many arms": lambda n: "if a: x = 1\n" + "elif b: x = f(x)\n" * n,
    "one name, many handlers": lambda n: "try:\n x = 1\nexcept E: x = f(x)\n" * n,
    "one name, many cases": lambda n: "match x:\n" + " case A(): y = f(y)\n" * n,
    "one name in a loop": lambda n: "def f():\n for i in y:\n" + "  x = g(x)\n" * n,
    "one dict, many stores": lambda n: "d = {}\n" + "d['k'] = f(d)\n" * n,
    "a global, many stores": lambda n: "d = {}\ndef f():\n" + " d['k'] = f(d)\n" * n,
    "many names at once": lambda n: ", ".join(f"a{i}" for i in range(n)) + " = x\n",
    "many names imported": lambda n: "from a import " + ", ".join(f"a{i}" for i in range(n)) + "\n",
    "a chain of assignments": lambda n: "a = " * n + "1\n",
    "a chain of attributes": lambda n: "x = a" + ".b" * 10 * n,
    "a chain of calls": lambda n: "x = a" + ".b()" * 5 * n,
    "a chain of ands": lambda n: "if a" + " and b" * 5 * n + ":\n pass\n",
    "a sum": lambda n: "x = a" + " + b" * n,
    "walrus": lambda n: "if (y := f(y)): pass\n" * n,
    "__all__": lambda n: "__all__ = []\n" + "__all__ += ['a']\n" * n,
}


def seconds(text: str) -> float:
    """CPU seconds of reading ``text``, at least a millisecond."""
    start = time.process_time()
    language.facts(text)
    return max(time.process_time() - start, 0.001)


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_reading_grows_with_the_text(shape: str) -> None:
    for _ in range(3):  # the machine may have been busy with something else
        if seconds(SHAPES[shape](LARGE)) < 9 * seconds(SHAPES[shape](SMALL)):
            return
    raise AssertionError(f"{shape}: four times the text takes over nine times as long")


@pytest.mark.parametrize("text", [shape(40) for shape in SHAPES.values()] + ["f'{\"a\" + 'b'}' 'c'", "x = 'a'\n(\n'b'"])
def test_strings_are_found_with_and_without_errors(text: str) -> None:
    root = language.parse(text)
    asked = tree_sitter.QueryCursor(language._query()).captures(root).get("string", [])
    assert {n.id for n in language.strings(root)} == {n.id for n in asked}


# -- bindings that reach a use ---------------------------------------------------------------------------


def every(blocks: Sequence[Block], binds: Sequence[Bind], at: int, block: int) -> tuple[int, ...]:
    """As ``reaching``, looking at every binding."""
    found: list[int] = []
    killed = -1
    for index in reversed(range(len(binds))):
        bind = binds[index]
        if bind.at < at:
            over = flow.encloses(blocks, bind.block, block)
            if over or (not bind.narrow and flow._flows(blocks, bind.block, block)):
                found.append(index)
            if over:
                killed = bind.block
                break
    loop = flow._outer_loop(blocks, block)
    if loop >= 0 and not (killed >= 0 and flow.encloses(blocks, loop, killed)):
        for index, bind in enumerate(binds):
            if bind.at > at and not bind.narrow and flow.encloses(blocks, loop, bind.block):
                found.append(index)
    return tuple(sorted(found))


@st.composite
def scopes(draw: st.DrawFn) -> tuple[list[Block], list[Bind]]:
    """Blocks, and bindings of one name statement by statement, as pass 1 makes them."""
    blocks = [Block(-1, 0)]
    for _ in range(draw(st.integers(0, 6))):
        parent = draw(st.integers(0, len(blocks) - 1))
        group = draw(st.sampled_from([-1, 1, 2]))
        loop, leaves = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
        blocks.append(Block(parent, blocks[parent].depth + 1, group, loop, leaves))
    binds = []
    for clock in range(2, 2 * draw(st.integers(2, 60)), 2):
        for _ in range(draw(st.sampled_from([0, 1, 1, 1, 3]))):
            block = draw(st.integers(0, len(blocks) - 1))
            narrow = draw(st.booleans()) and draw(st.booleans())
            at = clock + draw(st.sampled_from([-1, 1]))
            binds.append(Bind("x", at, block, "narrow" if narrow else "variable", None, not narrow, narrow))
    return blocks, binds


@THOROUGH
@given(scopes(), st.data())
def test_looking_from_the_use_finds_what_looking_at_all_finds(
    scope: tuple[list[Block], list[Bind]], data: st.DataObject
) -> None:
    blocks, binds = scope
    if len(binds) < 2:
        return
    block = data.draw(st.integers(0, len(blocks) - 1))
    for at in (*range(binds[-1].at + 4), AT_END):
        assert reaching(blocks, binds, at, block) == every(blocks, binds, at, block)


def test_far_bindings_are_left_out() -> None:
    blocks = [Block(-1, 0), *(Block(0, 1) for _ in range(1000))]
    binds = [Bind("x", 2 * n + 3, n + 1, "variable", None) for n in range(1000)]
    assert reaching(blocks, binds, AT_END, 0) == tuple(range(1000 - flow.FAR, 1000))
