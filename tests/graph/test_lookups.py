"""The look-up machinery against the definition: least solutions of random circular systems, changed at random."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.lookups import Key, Lookups

System = dict[int, tuple[tuple[int, ...], frozenset[int], tuple[tuple[int, int], ...]]]


def random_node(random: Random, size: int) -> tuple[tuple[int, ...], frozenset[int], tuple[tuple[int, int], ...]]:
    """(nodes read, own elements, (element, node): read that node too once the element is there)."""
    reads = tuple(random.randrange(size) for _ in range(random.choice((0, 1, 1, 2, 3))))
    own = frozenset(random.randrange(6) for _ in range(random.choice((0, 0, 1))))
    more = tuple((random.randrange(6), random.randrange(size)) for _ in range(random.choice((0, 0, 1, 2))))
    return reads, own, more


def value_of(node: Any, read: Any) -> frozenset[int]:
    """A rule that only grows with what it reads, and whose reads depend on values."""
    reads, own, more = node
    found = set(own)
    for other in reads:
        found |= read(other)
    for element, other in more:
        if element in found:
            found |= {(x + 1) % 6 for x in read(other)}
    return frozenset(found)


def least(system: System) -> dict[int, frozenset[int]]:
    """The least solution, by going round until nothing moves."""
    values: dict[int, frozenset[int]] = dict.fromkeys(system, frozenset())
    while True:
        new = {i: value_of(node, values.__getitem__) for i, node in system.items()}
        if new == values:
            return values
        values = new


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32))
def test_values_are_the_least_solution_after_every_change(seed: int) -> None:
    random = Random(seed)
    size = random.randint(2, 9)
    system: System = {i: random_node(random, size) for i in range(size)}
    computed: list[Key] = []

    def rule(q: Lookups, key: Key) -> frozenset[int]:
        computed.append(key)
        return value_of(q.input(("node", key[1])), lambda i: q.get(("v", i)))

    def top(q: Lookups, key: Key) -> tuple[frozenset[int], ...]:
        return tuple(q.get(("v", i)) for i in q.input(("watched", key[1])))

    watched = {i: tuple(random.randrange(size) for _ in range(2)) for i in range(3)}

    def read(key: Key) -> Any:
        return system.get(key[1]) if key[0] == "node" else watched[key[1]]

    lookups = Lookups({"v": (rule, frozenset()), "top": (top, ())}, read)
    stale: set[Key] = {("top", i) for i in watched}
    last: dict[Key, Any] = {}
    for _ in range(8):
        expected = least(system)
        asked = list(stale if random.random() < 0.7 else {*stale, *last})
        random.shuffle(asked)
        if random.random() < 0.3:
            asked = [*asked[:1], ("v", random.randrange(size)), *asked[1:]]
        for key in asked:
            found = lookups.get(key)
            wanted = expected[key[1]] if key[0] == "v" else tuple(expected[i] for i in watched[key[1]])
            assert found == wanted
            last[key] = found
        for key, found in last.items():  # what was not marked must still be right
            if key[0] == "top":
                assert found == tuple(expected[i] for i in watched[key[1]])
        changed = random.sample(range(size), random.randint(1, min(3, size)))
        for i in changed:
            system[i] = random_node(random, size)
        stale = lookups.change([("node", i) for i in changed], frozenset({"top"})) | {k for k in stale if k not in last}


def test_equal_values_stop_the_recomputation() -> None:
    inputs: dict[Key, Any] = {("in", "a"): 3, ("in", "b"): 5}
    computed: list[str] = []

    def parity(q: Lookups, key: Key) -> Any:
        computed.append("parity")
        return q.input(("in", "a")) % 2

    def above(q: Lookups, key: Key) -> Any:
        computed.append("above")
        return q.get(("parity",)) + q.input(("in", "b"))

    lookups = Lookups({"parity": (parity, 0), "above": (above, 0)}, inputs.__getitem__)
    assert lookups.get(("above",)) == 6
    inputs["in", "a"] = 7
    assert lookups.change([("in", "a")], frozenset({"above"})) == {("above",)}
    computed.clear()
    assert lookups.get(("above",)) == 6
    assert computed == ["parity"]
    inputs["in", "b"] = 1
    lookups.change([("in", "b")], frozenset())
    assert lookups.get(("above",)) == 2
    assert computed == ["parity", "above"]


def test_a_miss_is_a_dependency() -> None:
    inputs: dict[Key, Any] = {}
    lookups = Lookups({"v": (lambda q, key: q.input(("in", key[1])) or "nothing", None)}, inputs.get)
    assert lookups.get(("v", "x")) == "nothing"
    inputs["in", "x"] = "there"
    assert lookups.change([("in", "x"), ("in", "y")], frozenset({"v"})) == {("v", "x")}
    assert lookups.get(("v", "x")) == "there"


def test_an_error_leaves_no_half_finished_circle() -> None:
    broken = [True]

    def rule(q: Lookups, key: Key) -> Any:
        other = q.get(("v", (key[1] + 1) % 3))
        if broken[0] and key[1] == 1:
            raise ValueError("once")
        return other | {key[1]}

    lookups = Lookups({"v": (rule, frozenset())}, lambda key: None)
    try:
        lookups.get(("v", 0))
    except ValueError:
        broken[0] = False
    assert lookups.get(("v", 2)) == {0, 1, 2}
    assert lookups.get(("v", 0)) == {0, 1, 2}
