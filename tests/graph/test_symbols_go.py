"""Go: symbols, extents, own lines, statement blocks and bindings, worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.graph import CodeGraph
from core.graph.languages.go import functions
from core.graph.languages.go import language as go
from core.graph.languages.go import mod as go_mod
from core.graph.symbols import Symbol

TEXT = """\
// Package p.
package p

import (
	"fmt"

	x "y/z"
)

// Limit is
// documented.
const Limit = 3

var (
	a = 1
	b = `

c`
)

// T has
// fields.
type T struct {
	n int // trailing
	fmt.Stringer
}

type (
	// I is one.
	I interface {
		// Run runs.
		Run(n int) error
		Stop()
	}

	N int
)

/* Long
comment. */
func (t *T) Run(n int) error {

	return func() error { return nil }()
}

//go:noinline
func init() {}
func init() {}

// apart

func Map[K comparable](k K) (out K, err error) { return }
"""


def found() -> dict[str, Symbol]:
    graph = CodeGraph({"p.go": TEXT})
    return {s.id.removeprefix("p.go::"): s for s in graph.symbols()}


def test_symbols_by_hand() -> None:
    by = found()
    assert {k: (s.kind, s.start, s.end, s.own, s.parent) for k, s in by.items() if k != "<module>"} == {
        "T": ("class", 21, 26, ((21, 26),), None),
        "I": ("class", 29, 34, ((29, 30), (34, 34)), None),
        "I.Run": ("method", 31, 32, ((31, 32),), "p.go::I"),
        "I.Stop": ("method", 33, 33, ((33, 33),), "p.go::I"),
        "N": ("class", 36, 36, ((36, 36),), None),
        "T.Run": ("method", 39, 44, ((39, 41), (43, 44)), "p.go::T"),
        "init": ("function", 46, 47, ((46, 47),), None),
        "init#2": ("function", 48, 48, ((48, 48),), None),
        "Map": ("function", 52, 52, ((52, 52),), None),
    }
    assert by["<module>"].own == (
        (1, 2), (4, 5), (7, 8), (10, 12), (14, 19), (28, 28), (37, 37), (50, 50),
    )  # fmt: skip


def test_signatures() -> None:
    by = found()
    assert by["T"].signature == "T struct {fmt.Stringer}"
    assert by["I"].signature == "I interface"
    assert by["I.Run"].signature == "Run(n int) error"
    assert by["N"].signature == "N int"
    assert by["T.Run"].signature == "Run(n int) error"
    assert by["Map"].signature == "Map [K comparable](k K) (out K, err error)"


def test_blocks_and_bindings() -> None:
    graph = CodeGraph({"p.go": TEXT})
    assert graph.statement_at("p.go", 5) == (4, 5)
    assert graph.statement_at("p.go", 12) == (10, 12)
    assert graph.statement_at("p.go", 17) == (14, 19)  # a blank line inside a string is text
    assert graph.statement_at("p.go", 22) is None
    assert graph.binding("p.go", "Limit") == (12, 12)
    assert graph.binding("p.go", "b") == (16, 18)
    assert graph.binding("p.go", "fmt") == (5, 5)
    assert graph.binding("p.go", "x") == (7, 7)


def moved(old: str, new: str) -> set[str]:
    """The symbols whose own hash differs after an edit, new and gone ones included."""
    assert old in TEXT
    graph = CodeGraph({"p.go": TEXT})
    before = {s.id: s.own_hash for s in graph.symbols()}
    graph.update({"p.go": TEXT.replace(old, new)})
    after = {s.id: s.own_hash for s in graph.symbols()}
    return {k.removeprefix("p.go::") for k in before.keys() | after.keys() if before.get(k) != after.get(k)}


def test_own_text_drifts_alone() -> None:
    assert moved("return nil", "return err") == {"T.Run"}
    assert moved("Run(n int) error\n\t\tStop", "Run(n string) error\n\t\tStop") == {"I.Run"}
    assert moved("\t\tStop()\n", "") == {"I", "I.Stop"}
    assert moved("n int // trailing", "m int") == {"T"}
    assert moved("// documented.", "// said.") == {"<module>"}
    assert moved("Long\n", "Short\n") == {"T.Run"}
    assert moved("\n\nc`", "\nc`") == {"<module>"}
    assert moved("package p\n", "package p\n\n\n") == set()


def test_text_that_does_not_parse_keeps_its_symbols() -> None:
    whole = found()
    for old, new in (
        ("return func() error { return nil }()", "return ("),
        ("n int // trailing", "n struct {"),
        ("Limit = 3", "Limit = ("),
    ):
        graph = CodeGraph({"p.go": TEXT.replace(old, new)})
        assert graph.syntax_errors()
        left = {s.id.removeprefix("p.go::"): s for s in graph.symbols()}
        assert left.keys() == whole.keys()
        assert {k: (s.start, s.end) for k, s in left.items()} == {k: (s.start, s.end) for k, s in whole.items()}


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='func type{}()[]\n\t"`/*=:,.<-TGab1\udc80\ufeff\x00', max_size=200))
def test_any_text_has_facts(text: str) -> None:
    facts = go.facts("package p\n" + text)
    quals = [s.qual for s in facts.symbols]
    assert len(quals) == len(set(quals))
    assert all(a <= b for s in facts.symbols for a, b in s.own)
    graph = CodeGraph({"a.go": text})
    for s in graph.symbols():
        assert all(graph.symbol(e.target) is not None for e in graph.callees(s.id) if not e.target.startswith("<"))


def test_deep_nesting_is_read() -> None:
    text = (
        "package p\n\nfunc f() int {\n\treturn "
        + "(" * 3000
        + "g()"
        + ")" * 3000
        + " + h()\n}\n\nfunc g() int { return 1 }\n\nfunc h() int { return 2 }\n"
    )
    graph = CodeGraph({"p.go": text})
    assert {e.target for e in graph.callees("p.go::f")} == {"p.go::g", "p.go::h"}
    sums = (
        "package p\n\nfunc f() string {\n\treturn "
        + " + ".join(["g()"] * 3000)
        + "\n}\n\nfunc g() string { return `` }\n"
    )
    assert {e.target for e in CodeGraph({"p.go": sums}).callees("p.go::f")} == {"p.go::g"}
    chain = (
        "package p\n\ntype T struct{}\n\nfunc (t T) M() T { return t }\n\nfunc f(t T) {\n\tt" + ".M()" * 2000 + "\n}\n"
    )
    assert {e.target for e in CodeGraph({"p.go": chain}).callees("p.go::f")} == {"p.go::T.M"}


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("module a.b/c\n\ngo 1.22\n", "a.b/c"),
        ('// x\nmodule "a.b/c" // y\n', "a.b/c"),
        ("module (\n\ta.b/c\n)\n", "a.b/c"),
        ("go 1.22\n", None),
    ],
)
def test_go_mod(text: str, module: str | None) -> None:
    assert go_mod.facts(text).cells.get(("module", "", "")) == module


BODIES = """\
package p

type A[T any] struct{ v T }

func (a *A[T]) Get(n int) T {
	type pair struct{ x, y B }
	q := pair{}
	return a.v + q.x.of(Limit, fmt.Sprint(n))
}

func (b B) Get(n int) T {
	return other.Thing{n: cfg.Max}
}

func init() { run() }
func init() { stop() }
"""


@pytest.mark.parametrize("end", ["", "func ("])
@pytest.mark.parametrize("above", ["\n\n", "var cfg = load()\n", "func stop() { run() }\n"])
def test_a_function_read_before_says_what_it_says_when_read_anew(above: str, end: str) -> None:
    text = BODIES.replace("type A", above + "type A") + end
    functions._slot.cache_clear()
    alone = go.facts(text)
    for earlier in (BODIES, BODIES.replace("(b B)", "(b *B)").replace("Max", "Least"), BODIES.replace("run", "go")):
        go.facts(earlier)
    seen = functions._slot.cache_info().hits
    assert go.facts(text) == alone
    assert functions._slot.cache_info().hits - seen == (0 if end else 4 + above.count("func"))
