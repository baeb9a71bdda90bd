# ruff: noqa: E501
"""JavaScript and TypeScript: symbols, lines and own text, texts that do not parse, texts that are too much."""

from __future__ import annotations

import time

import pytest

from core.graph.graph import CodeGraph
from core.graph.languages.javascript import recover
from core.graph.languages.javascript.language import facts
from core.graph.languages.javascript.typescript import facts as typescript
from core.replay.lines import split_lines

TEXT = """\
// file
import x from 'x';

/** Doc of A. */
@Injectable()
export class A extends B {
  field = 1;

  // above
  @Get()
  method(a: string): void {
    const inner = () => a;

    return inner();
  }

  handler = async () => {
    await 1;
  };
  over(a: string): void;
  over(a: any) {}
}

export const arrow = (x: number) => x;
const one = 1, two = function () {};

// above api
export const api = {
  get() {},
  nested: { post: () => {} },
};
export const Wrapped = memo(() => {
  return 1;
});
interface I {
  run(): void;
  value: string;
}
type T = string;
enum E { X }
namespace N { export function f() {} }
describe('x', () => {
  function helper() {}
  it('y', () => { helper(); });
});
A.prototype.late = function () {};
export default function () {}
"""


def test_symbols_and_their_lines() -> None:
    assert {s.qual: (s.kind, s.start, s.end, s.own) for s in typescript(TEXT).symbols} == {
        "": ("module", 1, 47, ((1, 2), (27, 28), (31, 31), (42, 42), (44, 45))),
        "A": ("class", 4, 22, ((4, 7), (22, 22))),
        "A.method": ("method", 9, 15, ((9, 12), (14, 15))),
        "A.handler": ("method", 17, 19, ((17, 19),)),
        "A.over": ("method", 20, 21, ((20, 21),)),
        "arrow": ("function", 24, 24, ((24, 24),)),
        "two": ("function", 25, 25, ((25, 25),)),
        "api.get": ("method", 29, 29, ((29, 29),)),
        "api.nested.post": ("method", 30, 30, ((30, 30),)),
        "Wrapped": ("function", 32, 34, ((32, 34),)),
        "I": ("class", 35, 38, ((35, 35), (37, 38))),
        "I.run": ("method", 36, 36, ((36, 36),)),
        "T": ("class", 39, 39, ((39, 39),)),
        "E": ("class", 40, 40, ((40, 40),)),
        "N.f": ("function", 41, 41, ((41, 41),)),
        "helper": ("function", 43, 43, ((43, 43),)),
        "A.late": ("method", 46, 46, ((46, 46),)),
        "default": ("function", 47, 47, ((47, 47),)),
    }


def changed(old: str, new: str) -> set[str]:
    """The symbols whose own text differs when ``old`` becomes ``new`` in the text above."""
    assert old in TEXT
    before = {s.qual: s.own_hash for s in typescript(TEXT).symbols}
    after = {s.qual: s.own_hash for s in typescript(TEXT.replace(old, new)).symbols}
    return {q for q in before.keys() | after.keys() if before.get(q) != after.get(q)}


@pytest.mark.parametrize(
    ("old", "new", "symbols"),
    [
        ("return inner()", "return inner(1)", {"A.method"}),
        ("  // above\n", "  // other\n", {"A.method"}),
        ("field = 1", "field = 2", {"A"}),
        ("  over(a: any) {}", "  over(a: any) {}\n  more() {}", {"A", "A.more"}),
        ("=> x;", "=> x + 1;", {"arrow"}),
        ("get() {}", "get() { 1; }", {"api.get"}),
        ("return 1;", "return 2;", {"Wrapped"}),
        ("run(): void", "run(): string", {"I.run"}),
        ("import x", "import y", {""}),
        ("helper(); }", "helper(1); }", {""}),
        ("\ninterface", "\n\n\n\ninterface", set()),
    ],
)
def test_own_text_is_the_grain_of_change(old: str, new: str, symbols: set[str]) -> None:
    assert changed(old, new) == symbols


def test_text_of_a_binding_is_without_the_symbols_in_it() -> None:
    hashes = [typescript(t).cells["text", "", "api"] for t in (TEXT, TEXT.replace("get() {}", "get() { 1; }"))]
    assert hashes[0] == hashes[1]
    other = typescript(TEXT.replace("nested: {", "nested: { a: 1,")).cells["text", "", "api"]
    assert other != hashes[0]


def test_symbols_by_lines_are_those_of_a_parsed_text() -> None:
    text = """\
import x from 'x';

export class A extends B {
  constructor(private readonly a: string) {
    super(a);
  }

  async run<T>(
    a: T,
  ): Promise<void> {
    if (a) {
      go();
    }
  }

  handler = async (x: number) => {
    x;
  };
}

export async function f(a: string) {
  return a;
}

export const arrow = async (
  x: number,
) => {
  return x;
};

interface I {
  run(): void;
}

type T = string;
"""
    parsed = {s.qual: (s.kind, s.start, s.end) for s in typescript(text).symbols if s.qual}
    by_lines = {d.qual: (d.kind, d.first + 1, d.last + 1) for d in recover.drafts(split_lines(text))}
    assert by_lines == parsed
    broken = typescript(text + "const open = (\n")
    assert broken.error_line is not None
    assert {s.qual for s in broken.symbols} >= parsed.keys()


def test_a_text_with_an_error_in_the_middle_keeps_what_stands_around_it() -> None:
    good = (
        "export function before() {}\n\nexport function middle() {\n  call();\n}\n\nexport class After {\n  m() {}\n}\n"
    )
    bad = good.replace("  call();", "  call((;")
    assert {s.qual for s in facts(bad).symbols} == {s.qual for s in facts(good).symbols}


def test_flow_types_and_types_of_imports_are_read() -> None:
    assert facts("// @flow\nfunction f(a: string): void {}\n").error_line is None
    text = "let a: import('./a').B[];\nfunction f(x: readonly import(\"b\").C) { return import('c').then((m) => m.d()); }\n"
    assert typescript(text).error_line is None
    assert typescript("const a = <T,>(x: T) => <div>{x}</div>;\n").error_line is None
    assert typescript("const a = <any>b; const c = <T>(x: T) => x;\n").error_line is None


@pytest.mark.parametrize(
    "text",
    [
        "f(" * 5000 + ")" * 5000, "[" * 5000 + "]" * 5000, "{" * 5000, "a" + ".b()" * 5000, "(" * 3000 + "() => " + ")" * 3000,
        "!" * 20000 + "a", "a + " * 20000 + "a", "if (a) {} else " * 5000 + "{}", "class A {" * 2000, "x = " * 5000 + "1",
        "type A = " + "B | " * 5000 + "C", "type A = " + "B<" * 3000 + ">" * 3000, "<a>" * 3000, "`${" * 3000, "a => " * 3000,
        "function f() {" * 1500 + "}" * 1500, "switch (a) { case 1: " * 800, "a ? b : " * 5000 + "c", "\ud800", "a?.b" * 2000,
        "let [" * 3000, "const {a: " * 3000, "namespace A { " * 1500, "/*" * 5000, "export " * 5000, "new " * 5000 + "A",
    ],
)  # fmt: skip
def test_anything_is_read_in_bounded_time(text: str) -> None:
    start = time.process_time()
    graph = CodeGraph({"a.ts": text, "b.js": text, "c.tsx": text, "steady.ts": "export function steady() {}\n"})
    graph.update({"a.ts": text + "\nfunction last() {}\n"})
    assert time.process_time() - start < 20
    assert graph.symbol("steady.ts::steady") is not None


@pytest.mark.parametrize(
    "line",
    [
        "function f%d() { g%d(); }", "x%d = y; x%d();", "const a%d = () => b%d;", "let v; v = f%d; v(%d);", "}", ")", "class {", "d.a%d = f(%d);",
        "list.push(%d, %d);", "if (a) { x = f%d; } x(%d);", "export const o%d = { m() {}, n: %d };", "type T%d = { a: B%d };",
    ],
)  # fmt: skip
def test_facts_take_linear_time(line: str) -> None:
    def taken(count: int) -> float:
        text = "\n".join(line.replace("%d", str(i)) for i in range(count)) + "\n"
        start = time.process_time()
        typescript(text)
        return time.process_time() - start

    small = taken(2000)
    assert taken(8000) < 12 * small + 0.5


LINKED = {
    "pushes": lambda n: (
        "const l = [];\n" + "".join("l.push(g(l));\n" for _ in range(n)) + "function g(x) { return () => x; }\n"
    ),
    "stores": lambda n: (
        "const o = {};\n" + "".join(f"o.m{i} = function () {{ o.m{i - 1}(); this.m{i + 1}(); }};\n" for i in range(n))
    ),
    "keys": lambda n: "const o = {" + "".join(f"m{i}() {{ o.m{i + 1}(); }},\n" for i in range(n)) + "};\n",
    "methods": lambda n: "class A {" + "".join(f"m{i}() {{ return this.m{i + 1}().n; }}\n" for i in range(n)) + "}\n",
    "fields": lambda n: (
        "class A {" + "".join(f"m{i}() {{ this.f = this.g; this.g = this.f; this.f(); }}\n" for i in range(n)) + "}\n"
    ),
    "returns": lambda n: "".join(f"function f{i}(x) {{ return f{i + 1}(x); }}\n" for i in range(n)),
    "bases": lambda n: (
        "class C0 { m() {} }\n"
        + "".join(f"class C{i + 1} extends C{i % 40} {{ n() {{ this.m(); }} }}\n" for i in range(n))
    ),
    "branches": lambda n: (
        "let x;\n"
        + "".join(f"if (a) {{ x = f{i % 9}; }} x(x);\n" for i in range(n))
        + "".join(f"function f{i}() {{}}\n" for i in range(9))
    ),
    "walks": lambda n: (
        "import {p} from 'x'; let q = p;\n"
        + "while (q) { q = "
        + " || ".join(f"q.m{i}" for i in range(12))
        + "; q.go(); }\n" * 2
        + "f();\n" * n
    ),
    "chains": lambda n: "".join(f"const r{i} = a{'.b(1)' * 60};\n" for i in range(n // 10)) + "import a from 'a';\n",
    "nested": lambda n: (
        "function f(x) { return x; }\n"
        + "".join(f"const r{i} = {'f(' * 50}g{')' * 50};\n" for i in range(n // 10))
        + "function g() {}\n"
    ),
}


@pytest.mark.parametrize("form", LINKED)
def test_linking_takes_linear_time(form: str) -> None:
    def taken(count: int) -> float:
        text = LINKED[form](count)
        start = time.process_time()
        CodeGraph({"a.js": text})
        return time.process_time() - start

    small = taken(300)
    assert taken(1200) < 12 * small + 1


def test_a_minified_text_is_text() -> None:
    found = facts("function a(b){return b.c(d)};" * 2000)
    assert [s.qual for s in found.symbols] == [""]
