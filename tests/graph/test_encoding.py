"""Facts as bytes and back: exactly the same facts, and never anything from bytes that are no entry."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph.encoding import BadEntry, decode, encode, seal, unseal
from core.graph.facts import FileFacts
from core.graph.languages import language_of
from core.graph.languages.python import language as python
from core.graph.languages.python.facts import NameFacts
from tests.graph.go_programs import dense_module
from tests.graph.programs import dense_repository, repositories
from tests.graph.test_incremental import THOROUGH

CASES = Path(__file__).parent / "cases"
FILES = sorted(p for p in CASES.rglob("*") if p.is_file())
LANGUAGES = sorted({p.relative_to(CASES).parts[0] for p in FILES})


def shape(value: Any) -> Any:
    """A value with the type of every part: what ``==`` does not tell apart (True and 1, a tuple and a NamedTuple)."""
    if isinstance(value, tuple):
        return type(value), tuple(shape(v) for v in value)
    if isinstance(value, frozenset):
        return type(value), frozenset(shape(v) for v in value)
    if isinstance(value, Mapping):
        return tuple((shape(k), shape(v)) for k, v in value.items())
    return type(value), value


def assert_same(found: FileFacts, facts: FileFacts) -> None:
    assert found == facts
    for field in ("symbols", "cells", "names", "lines", "scopes", "blocks", "bindings", "error_line"):
        assert shape(getattr(found, field)) == shape(getattr(facts, field)), field


def assert_round_trip(path: str, text: str) -> FileFacts:
    facts = language_of(path).facts(text)
    entry = encode(path, facts)
    assert_same(decode(path, entry), facts)
    assert encode(path, facts) == entry
    return facts


@pytest.mark.parametrize("language", LANGUAGES)
def test_facts_of_every_language_come_back_as_they_were(language: str) -> None:
    read = {assert_round_trip(p.name, p.read_text(encoding="utf-8")).language for p in FILES if language in p.parts}
    assert read - {"text"}


@THOROUGH
@given(repositories())
def test_facts_of_random_python_come_back(texts: dict[str, str]) -> None:
    for path, text in texts.items():
        assert_round_trip(path, text)


@THOROUGH
@given(st.integers(0, 2**32))
def test_facts_of_random_programs_come_back(seed: int) -> None:
    for texts in (dense_repository(Random(seed)), dense_module(Random(seed))):
        for path, text in texts.items():
            assert_round_trip(path, text)


@THOROUGH
@given(st.text(alphabet=st.characters(codec="utf-8")), st.sampled_from(["a.py", "a.go", "a.md"]))
def test_facts_of_any_text_come_back(text: str, path: str) -> None:
    assert_round_trip(path, text)


def test_a_lone_surrogate_is_said_to_fit_no_entry() -> None:
    facts = python.facts("x = 1\n")
    with pytest.raises(ValueError, match=r"^m\.py: "):
        encode("m.py", FileFacts("python", facts.symbols, {("name", "", "x"): ("\ud800",)}))


@pytest.mark.parametrize("value", [1.5j, b"x", object(), (1, b"x")])
def test_what_facts_do_not_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^m\.py: "):
        encode("m.py", FileFacts("python", (), {("name", "", "x"): value}))


ENTRY = encode("m.py", python.facts("class A:\n    def m(self):\n        return self.m()\n"))


@pytest.mark.parametrize("name", ["n.py", "", "m.py\0"])
def test_an_entry_moved_to_another_name_is_none(name: str) -> None:
    with pytest.raises(BadEntry):
        decode(name, ENTRY)


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, len(ENTRY) // 2, len(ENTRY) - 1])
def test_an_entry_cut_short_is_none(length: int) -> None:
    with pytest.raises(BadEntry):
        decode("m.py", ENTRY[:length])


@THOROUGH
@given(st.integers(0, len(ENTRY) - 1), st.integers(1, 255))
def test_an_altered_entry_is_none(at: int, by: int) -> None:
    altered = bytearray(ENTRY)
    altered[at] ^= by
    with pytest.raises(BadEntry):
        decode("m.py", bytes(altered))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"[]\n",
        b"[]\n[]",
        b"[]\n{}",
        b"not\njson",
        b'["os.system"]\n["python",[],[],[],[],[],[],[],[],[],null]',
        b'["facts.FactsCache"]\n["python",[],[],[],[],[],[],[],[],[],null]',
        b'[]\n["python",[["q","kind","n",1,1,[],"h","s",null]],[],[],[],[],[],[],[],[],null]',
        b'[]\n["python",[["q","class","n",1,true,[],"h","s",null]],[],[],[],[],[],[],[],[],null]',
        b'[]\n["python",[["q","class","n",1,1,[[1]],"h","s",null]],[],[],[],[],[],[],[],[],null]',
        b'[]\n["python",[],[["a"],["b"]],[1],[],[],[],[],[],[],null]',
        b'[]\n["python",[],[["a"],["b"],[1]],[1],[],[],[],[],[],[],null]',
        b'[]\n["python",[],[["a"],["b"],["c","d"]],[1],[],[],[],[],[],[],null]',
        b'[]\n["python",[],[["a"],["b"],["c"]],[],[],[],[],[],[],[],null]',
        b'[]\n["python",[],[["a"],["b"],["c"]],[1,2],[],[],[],[],[],[],null]',
        b'[]\n["python",[],[],[],[["a"]],[],[],[],[],[],null]',
        b'[]\n["python",[],[],[],[],[],[],[["q",1]],[],[],null]',
        b'[]\n["python",[],[],[],[],[],[],[],[1],[],null]',
        b'[]\n["python",[],[],[],[],[],[],[],[],[["n",[1]]],null]',
        b'[]\n["python",[],[],[],[],[],[],[],[],[],"1"]',
        b'[]\n["python",[],[],[],[],[["a"],["b"]],[["1"]],[],[],[],null]',
        b'[]\n["python",[],[],[],[],[["a"],["b"]],[],[],[],[],null]',
    ],
)
def test_a_sealed_document_of_another_shape_is_none(body: bytes) -> None:
    """Even who knows how to seal gets no other object than facts."""
    with pytest.raises(BadEntry):
        decode("m.py", seal("m.py", body))


@pytest.mark.parametrize(
    "cell", [b'{"7":[]}', b"{}", b'{"0":[1]}', b'{"0":1}', b'{"":[[],1],"0":[]}', b"[" * 900 + b"]" * 900]
)
def test_a_cell_of_another_shape_is_none(cell: bytes) -> None:
    body = (
        b'["languages.python.facts.NameFacts"]\n["python",[],[["a"],["b"],["c"]],['
        + cell
        + b"],[],[],[],[],[],[],null]"
    )
    found = decode("m.py", seal("m.py", body)).cells
    with limited(400):
        assert found["a", "b", "c"] is None
    assert found.get(("a", "b", "c"), 1) is None
    assert found.get(("a", "b", "d"), 1) == 1


@contextmanager
def limited(depth: int) -> Iterator[None]:
    """So little room for recursion that deep documents do not fit in."""
    before = sys.getrecursionlimit()
    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    sys.setrecursionlimit(used + depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def test_types_are_the_ones_of_the_graph() -> None:
    facts = FileFacts("python", (), {("name", "", "x"): NameFacts((), (0,), (), True)})
    found = decode("m.py", encode("m.py", facts)).cells["name", "", "x"]
    assert type(found) is NameFacts
    assert found.choice is True


def test_a_seal_holds_for_its_name() -> None:
    assert unseal("a", seal("a", b"body")) == b"body"
    with pytest.raises(BadEntry):
        unseal("b", seal("a", b"body"))
