"""Rust: symbols, extents, own lines, statement blocks and bindings, worked out by hand."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.graph import CodeGraph
from core.graph.languages.rust import cargo as rust_cargo
from core.graph.languages.rust import language as rust
from core.graph.symbols import Symbol

TEXT = """\
//! A crate.
use std::fmt;
use std::{
    io,
    str as text,
};

/// Limit is
/// documented.
const LIMIT: u8 = 3;

static NAMES: &str = "

c";

/// T has
/// fields.
#[derive(Clone)]
pub struct T<K: Copy> {
    n: K, // trailing
}

pub enum E {
    A,
    B(u8),
}

type N = T<u8>;

pub trait Run: Clone {
    const ID: u8;

    /// Runs.
    fn run(&self, n: u8) -> u8;
    fn stop(&self) {}
}

// apart

impl<K: Copy> Run for T<K> {
    const ID: u8 = 1;

    /* Long
    comment. */
    fn run(&self, n: u8) -> u8 {

        let f = || 1;
        fn inner() {}
        f()
    }
}

impl fmt::Display for E {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

impl fmt::Debug for E {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

macro_rules! twice {
    ($x:expr) => { $x; $x };
}

mod tests {
    use super::*;

    async fn it<A, B>(a: A, b: B) -> io::Result<()> where A: Copy { Ok(()) }
}
"""


def found() -> dict[str, Symbol]:
    graph = CodeGraph({"p.rs": TEXT})
    return {s.id.removeprefix("p.rs::"): s for s in graph.symbols()}


def test_symbols_by_hand() -> None:
    by = found()
    assert {k: (s.kind, s.start, s.end, s.own, s.parent) for k, s in by.items() if k != "<module>"} == {
        "T": ("class", 16, 21, ((16, 21),), None),
        "E": ("class", 23, 26, ((23, 26),), None),
        "N": ("class", 28, 28, ((28, 28),), None),
        "Run": ("class", 30, 36, ((30, 31), (36, 36)), None),
        "Run.run": ("method", 33, 34, ((33, 34),), "p.rs::Run"),
        "Run.stop": ("method", 35, 35, ((35, 35),), "p.rs::Run"),
        "impl Run for T": ("class", 40, 51, ((40, 41), (51, 51)), None),
        "T.run": ("method", 43, 50, ((43, 45), (47, 50)), "p.rs::impl Run for T"),
        "impl Display for E": ("class", 53, 56, ((53, 53), (56, 56)), None),
        "E.fmt": ("method", 54, 55, ((54, 55),), "p.rs::impl Display for E"),
        "impl Debug for E": ("class", 58, 60, ((58, 58), (60, 60)), None),
        "E.fmt#2": ("method", 59, 59, ((59, 59),), "p.rs::impl Debug for E"),
        "twice": ("function", 62, 64, ((62, 64),), None),
        "tests.it": ("function", 69, 69, ((69, 69),), None),
    }
    assert by["<module>"].own == ((1, 6), (8, 10), (12, 14), (38, 38), (66, 67), (70, 70))


def test_signatures() -> None:
    by = found()
    assert by["T"].signature == "struct T <K: Copy>"
    assert by["N"].signature == "type N = T<u8>"
    assert by["Run"].signature == "trait Run: Clone"
    assert by["Run.run"].signature == "run(&self, n: u8) -> u8"
    assert by["impl Run for T"].signature == "impl<K: Copy> Run for T<K>"
    assert by["tests.it"].signature == "it <A, B>(a: A, b: B) -> io::Result<()>"


def test_blocks_and_bindings() -> None:
    graph = CodeGraph({"p.rs": TEXT})
    assert graph.statement_at("p.rs", 4) == (1, 6)
    assert graph.statement_at("p.rs", 10) == (8, 10)
    assert graph.statement_at("p.rs", 13) == (12, 14)  # a blank line inside a string is text
    assert graph.statement_at("p.rs", 17) is None
    assert graph.binding("p.rs", "LIMIT") == (10, 10)
    assert graph.binding("p.rs", "NAMES") == (12, 14)
    assert graph.binding("p.rs", "text") == (3, 6)
    assert graph.binding("p.rs", "fmt") == (2, 2)


def moved(old: str, new: str) -> set[str]:
    """The symbols whose own hash differs after an edit, new and gone ones included."""
    assert old in TEXT
    graph = CodeGraph({"p.rs": TEXT})
    before = {s.id: s.own_hash for s in graph.symbols()}
    graph.update({"p.rs": TEXT.replace(old, new, 1)})
    after = {s.id: s.own_hash for s in graph.symbols()}
    return {k.removeprefix("p.rs::") for k in before.keys() | after.keys() if before.get(k) != after.get(k)}


def test_own_text_drifts_alone() -> None:
    assert moved("let f = || 1", "let f = || 2") == {"T.run"}
    assert moved("fn inner() {}", "fn inner() { 1 }") == {"T.run"}
    assert moved("    fn stop(&self) {}\n", "") == {"Run", "Run.stop"}
    assert moved("const ID: u8 = 1", "const ID: u8 = 2") == {"impl Run for T"}
    assert moved("n: K, // trailing", "m: K,") == {"T"}
    assert moved("derive(Clone)", "derive(Copy)") == {"T"}
    assert moved("// documented.", "// said.") == {"<module>"}
    assert moved("    #[inline]\n", "") == {"E.fmt"}
    assert moved("Ok(()) }\n}\n\nimpl fmt::Debug", "Ok(()) }\n\n    fn more() {}\n}\n\nimpl fmt::Debug") == {
        "E.more", "impl Display for E",
    }  # fmt: skip
    assert moved("$x; $x", "$x") == {"twice"}
    assert moved('\n\nc"', '\nc"') == {"<module>"}
    assert moved("use std::fmt;\n", "use std::fmt;\n\n\n") == set()


def test_text_that_does_not_parse_keeps_its_symbols() -> None:
    whole = found()
    for old, new in (
        ("let f = || 1;", "let f = (;"),
        ("n: K, // trailing", "n: struct {"),
        ("LIMIT: u8 = 3;", "LIMIT: u8 = (;"),
        ("    A,\n", "    A(,\n"),
    ):
        graph = CodeGraph({"p.rs": TEXT.replace(old, new)})
        assert graph.syntax_errors()
        left = {s.id.removeprefix("p.rs::"): s for s in graph.symbols()}
        assert left.keys() == whole.keys()
        assert {k: (s.start, s.end, s.kind, s.parent) for k, s in left.items()} == {
            k: (s.start, s.end, s.kind, s.parent) for k, s in whole.items()
        }


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="fn impl{}()[]<>\n\t\"'#!|&;:,.=->TGab1use mod\udc80\ufeff\x00", max_size=200))
def test_any_text_has_facts(text: str) -> None:
    facts = rust.facts("fn f() {}\n" + text)
    quals = [s.qual for s in facts.symbols]
    assert len(quals) == len(set(quals))
    assert all(a <= b for s in facts.symbols for a, b in s.own)
    graph = CodeGraph({"a.rs": text})
    for s in graph.symbols():
        assert all(graph.symbol(e.target) is not None for e in graph.callees(s.id) if not e.target.startswith("<"))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(TEXT.splitlines(keepends=True)), max_size=30), st.integers(0, 400))
def test_pieces_of_a_text_have_facts(lines: list[str], at: int) -> None:
    graph = CodeGraph({"a.rs": "".join(lines), "b.rs": TEXT[:at] + TEXT[at + 1 :]})
    assert len({s.id for s in graph.symbols()}) == len(graph.symbols())


DEEP = 3000


@pytest.mark.parametrize(
    ("body", "targets"),
    [
        ("(" * DEEP + "g()" + ")" * DEEP + " + h()", {"g", "h"}),
        (" + ".join(["g()"] * DEEP), {"g"}),
        ("T" + ".m()" * 1500, {"T.m"}),
        ("{" * DEEP + "g();" + "}" * DEEP, {"g"}),
        ("if a { g() } else " * DEEP + "{ h() }", {"g", "h"}),
        ("x!" + "(" * DEEP + ")" * DEEP + "; h()", {"h"}),
        ("let v: " + "Vec<" * DEEP + "T" + ">" * DEEP + " = h()", {"h"}),
        ("match x { " + "Some(" * DEEP + "y" + ")" * DEEP + " => h() }", {"h"}),
    ],
)
def test_deep_nesting_is_read(body: str, targets: set[str]) -> None:
    rest = "\n}\n\nfn g() -> u8 { 1 }\n\nfn h() -> u8 { 2 }\n\nstruct T;\n\nimpl T {\n    fn m(self) -> T { self }\n}\n"
    graph = CodeGraph({"p.rs": f"fn f() {{\n    {body}{rest}"})
    got = {e.target.removeprefix("p.rs::") for e in graph.callees("p.rs::f") if not e.target.startswith("<")}
    assert targets <= got


@pytest.mark.parametrize(
    "text",
    [
        "fn f( {\n" * 4000,
        "impl A {\n" * 4000,
        "use a::{" * 8000,
        "}" * 8000,
        "#[a]\n" * 8000,
        "mod a {\n" * 4000,
        "x!(" * 8000,
    ],
)
def test_time_is_linear_in_a_broken_text(text: str) -> None:
    start = time.process_time()
    rust.facts(text)
    assert time.process_time() - start < 6


@pytest.mark.parametrize(
    ("text", "package", "lib", "targets", "deps"),
    [
        ('[package]\nname = "a-b"\n', "a-b", ("", ""), (), ()),
        ('[lib]\nname = "x"\npath = "y.rs"\n[package]\nname = "a" # b\n', "a", ("x", "y.rs"), (), ()),
        ('[[bin]]\nname = "a"\npath = "z.rs"\n', "", ("", ""), ("z.rs",), ()),
        (
            '[dependencies]\nb-c = "1"\nd = { path = "../d", package = "e" }\n[dev-dependencies.f]\npath = "g"\n',
            "", ("", ""), (), (("b_c", "b-c", ""), ("d", "e", "../d"), ("f", "f", "g")),
        ),
        ('[target."cfg(unix)".dependencies]\nh.workspace = true\n', "", ("", ""), (), (("h", "h", ""),)),
        ("[[[", "", ("", ""), (), ()),
    ],
)  # fmt: skip
def test_cargo_toml(text: str, package: str, lib: object, targets: object, deps: object) -> None:
    cells = rust_cargo.facts(text).cells
    assert cells["package", "", ""] == package
    assert cells["lib", "", ""] == lib
    assert cells["targets", "", ""] == targets
    assert cells["deps", "", ""] == deps


@pytest.mark.parametrize(
    "line",
    [
        "cfg_rt! { fn f() { a.b(c!(d)); } }\n",
        "impl A { fn f(&self) { a.b(); }\n fn g(&self) {} }\n",
        "use a::b::{c, d as e};\n",
        "fn f() { x.y(1, |a| a.b()); z!(a.b(), c) }\n",
        "fn f() { x.y(1, |a| a.b()); z!(a.b(), c) \n",
    ],
)
def test_time_is_linear_in_what_repeats(line: str) -> None:
    def seconds(count: int) -> float:
        start = time.process_time()
        rust.facts(line * count)
        return time.process_time() - start

    small, large = (min(seconds(count) for _ in range(3)) for count in (2000, 8000))  # a collection hits one of them
    assert large < 4 * 2.2 * small + 0.3
