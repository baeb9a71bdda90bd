"""Loops over external things: what they put aside does not grow with the turns."""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from core.graph.languages.chains import rooted

PYTHON = """\
import lib

def walk(c):
    node = lib.make()
    while node:
        if c:
            node = node.left
        else:
            node = node.right
    return node.last()
"""
STORES = """\
import lib

def walk(keys):
    d = lib.make()
    for k in keys:
        d[k] = d[k].left()
        d[k] = d[k].right()
"""
JAVASCRIPT = """\
import { make } from 'lib';

export function walk(c) {
  let node = make();
  while (node) {
    if (c) node = node.left();
    else node = node.right();
  }
  return node.last();
}
"""


def outside(path: str, text: str) -> set[str]:
    graph = CodeGraph({path: text})
    return {e.target.removeprefix("<external>::") for e in graph.callees(f"{path}::walk")}


def test_a_walk_finds_the_first_names() -> None:
    assert outside("a.py", PYTHON) == {"lib.make", "lib.make.last", "lib.make.left.last", "lib.make.right.last"}


@pytest.mark.parametrize(("path", "text"), [("a.py", STORES), ("a.js", JAVASCRIPT)])
def test_calls_in_a_loop_go_two_names_far(path: str, text: str) -> None:
    (made,) = {name for name in outside(path, text) if name.endswith("make")}
    deep = {name.removeprefix(made).count(".") for name in outside(path, text)}
    assert deep == {0, 1, 2}


def test_names_one_beyond_another_are_both_kept() -> None:
    near = {("x", "numpy"), ("y", "numpy.random"), ("f", "a.py", "f")}
    assert rooted(near) == near
    assert rooted({*near, ("x", "numpy.random.rand"), ("y", "numpyx.a.b")}) == {*near, ("y", "numpyx.a.b")}
    lone = {("x", "a.b.c.d"), ("k", "str", "a")}
    assert rooted(lone) == lone
