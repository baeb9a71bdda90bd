"""Java: symbols, extents, own lines, statement blocks and bindings, worked out by hand; texts of every kind."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from core.graph.graph import CodeGraph
from core.graph.languages.java import language as java
from core.graph.symbols import Symbol

TEXT = '''\
// Licence.
package p.q;

import java.util.List;
import static p.Other.*;

/**
 * A is documented.
 */
@Deprecated
public class A<T> extends B implements I {
    /** Limit. */
    static final int LIMIT = 3;

    private String text = """
        a

        b""";

    // about run
    @Override
    public void run(int n) {

        call(new Runnable() {
            public void run() {}
        });
    }

    void run() {}

    A() {
        super();
    }

    enum Kind { ONE, TWO; int n() { return 1; } }

    interface Inner {
        void one();

        default int two() {
            return 2;
        }
    }
}

record R(int a) {}
'''


def found() -> dict[str, Symbol]:
    graph = CodeGraph({"p.java": TEXT})
    return {s.id.removeprefix("p.java::"): s for s in graph.symbols()}


def test_symbols_by_hand() -> None:
    by = found()
    assert {k: (s.kind, s.start, s.end, s.own) for k, s in by.items() if k != "<module>"} == {
        "A": ("class", 7, 44, ((7, 13), (15, 18), (44, 44))),
        "A.run": ("method", 20, 27, ((20, 22), (24, 27))),
        "A.run#2": ("method", 29, 29, ((29, 29),)),
        "A.A": ("method", 31, 33, ((31, 33),)),
        "A.Kind": ("class", 35, 35, ()),
        "A.Kind.n": ("method", 35, 35, ((35, 35),)),
        "A.Inner": ("class", 37, 43, ((37, 37), (43, 43))),
        "A.Inner.one": ("method", 38, 38, ((38, 38),)),
        "A.Inner.two": ("method", 40, 42, ((40, 42),)),
        "R": ("class", 46, 46, ((46, 46),)),
    }
    assert by["A.run"].parent == "p.java::A"
    assert by["A.Kind.n"].parent == "p.java::A.Kind"
    assert by["<module>"].own == ((1, 2), (4, 5))


def test_signatures() -> None:
    by = found()
    assert by["A"].signature == "public class A <T> extends B implements I"
    assert by["A.run"].signature == "public void run(int n)"
    assert by["A.Inner.two"].signature == "default int two()"
    assert by["R"].signature == "record R (int a)"


def test_blocks_and_bindings() -> None:
    graph = CodeGraph({"p.java": TEXT})
    assert graph.statement_at("p.java", 4) == (4, 5)
    assert graph.statement_at("p.java", 12) is None
    assert graph.binding("p.java", "LIMIT") == (13, 13)
    assert graph.binding("p.java", "List") == (4, 4)
    assert graph.symbol_at("p.java", 25) == "p.java::A.run"


def moved(old: str, new: str) -> set[str]:
    """The symbols whose own hash differs after an edit, new and gone ones included."""
    assert old in TEXT
    graph = CodeGraph({"p.java": TEXT})
    before = {s.id: s.own_hash for s in graph.symbols()}
    graph.update({"p.java": TEXT.replace(old, new)})
    after = {s.id: s.own_hash for s in graph.symbols()}
    return {k.removeprefix("p.java::") for k in before.keys() | after.keys() if before.get(k) != after.get(k)}


def test_own_text_drifts_alone() -> None:
    assert moved("return 2", "return 3") == {"A.Inner.two"}
    assert moved("void one();", "void one(int n);") == {"A.Inner.one"}
    assert moved("        void one();\n", "") == {"A.Inner", "A.Inner.one"}
    assert moved("public void run() {}\n", "public void run() { run(); }\n") == {"A.run"}
    assert moved("LIMIT = 3", "LIMIT = 4") == {"A"}
    assert moved("is documented", "was documented") == {"A"}
    assert moved("// about run", "// on run") == {"A.run"}
    assert moved("\n\n        b", "\n        b") == {"A"}  # a blank line inside a string is text
    assert moved("// Licence.", "// License.") == {"<module>"}
    assert moved("java.util.List;\n", "java.util.List;\n\n\n") == set()


def test_text_that_does_not_parse_keeps_its_symbols() -> None:
    whole = found()
    for old, new in (
        ("            return 2;", "            return (2;"),
        ("super();", "super( {"),
        ("LIMIT = 3;", "LIMIT = (3;"),
        ("call(new Runnable() {", "call(new Runnable( {"),
    ):
        graph = CodeGraph({"p.java": TEXT.replace(old, new)})
        assert graph.syntax_errors()
        left = {s.id.removeprefix("p.java::"): (s.start, s.end) for s in graph.symbols()}
        # what stands on one line with its class cannot be told apart by lines
        assert left == {k: (s.start, s.end) for k, s in whole.items() if k != "A.Kind.n"}


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='class enum{}()[]<>\n\t"@/*=:;,.->ab1\udc80\ufeff\x00', max_size=200))
def test_any_text_has_facts(text: str) -> None:
    facts = java.facts("class A {" + text)
    quals = [s.qual for s in facts.symbols]
    assert len(quals) == len(set(quals))
    assert all(a <= b for s in facts.symbols for a, b in s.own)
    graph = CodeGraph({"a.java": text})
    for s in graph.symbols():
        assert all(graph.symbol(e.target) is not None for e in graph.callees(s.id) if not e.target.startswith("<"))


def callees(body: str) -> set[str]:
    """What a method with this body calls in its file."""
    text = (
        "class A {\n    A m(Object... x) { return this; }\n    int n() { return 1; }\n    void f() {\n"
        + body
        + "\n    }\n}\n"
    )
    return {e.target for e in CodeGraph({"A.java": text}).callees("A.java::A.f") if e.target.startswith("A.java")}


def test_deep_nesting_is_read() -> None:
    both = {"A.java::A.m", "A.java::A.n"}
    assert callees("int x = " + "(" * 3000 + "n()" + ")" * 3000 + "; m();") == both
    assert callees("int x = " + " + ".join(["n()"] * 3000) + "; m();") == both
    assert callees("m()" + ".m()" * 2000 + ".n();") == both
    assert callees("m(" * 1500 + "n()" + ")" * 1500 + ";") == both
    assert callees("if (n() > 1) m(); " + "else if (n() > 2) m(); " * 2000) == both
    assert callees("{" * 2000 + "n();" + "}" * 2000 + " m();") == both
    assert callees("Runnable r = " + "() -> " * 1000 + "n(); m();") == both
    assert callees("new Object() { void g() { " * 30 + "n();" + "} };" * 30 + " m();") == both


def test_deep_nesting_never_fails() -> None:
    for text in (
        "class A {" * 1000 + "}" * 1000,
        "class A { void f() { new Object() { void g() { " * 150 + "} }; } }" * 150,
        "class A { " + "List<" * 2000 + "A" + ">" * 2000 + " x; }",
        "class A { void f() {" + "{" * 5000,
        "class A { int" + "[]" * 5000 + " x; }",
        "@A(" * 2000 + ")" * 2000 + "class B {}",
    ):
        graph = CodeGraph({"A.java": text})
        assert graph.symbols("A.java")


def test_time_is_linear_in_the_text() -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        java.facts(text)
        return time.process_time() - start

    for part, head in (
        ("  void f(int a) { g(a).h(); }\n", "class A {\n"),
        ("} x y ; { \" ' /* f( */\n", "class A {\n"),
        ("@A ", ""),
        ("f(a, ", "class A { void m() { "),
        ("x = new int[] {1, 2};\n", "class A { void m() { "),
    ):
        small, large = seconds(head + part * 1000), seconds(head + part * 8000)
        assert large < 24 * small + 0.5, part
