"""Source files no editor would make: the graph reads what is there, the replay keeps every byte, nothing recurses."""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from tests.bad_input.hostile import FILE, TASK, analysed, edit, read, within, write
from tests.trajectory.sessions import CWD


def symbols(text: str, path: str = "a.py") -> list[str]:
    """Ids behind the path, modules left out."""
    return [s.id.removeprefix(f"{path}::") for s in CodeGraph({path: text}).symbols() if s.kind != "module"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\r\n    pass\r\ndef g():\r\n    f()\r\n", ["f", "g"]),
        ("def f():\r\n    pass\ndef g():\r\n    f()\n", ["f", "g"]),
        ("\ufeffdef f():\n    pass\n", ["f"]),
        ("def f():\n\x0c    pass\n\x0cdef g():\n    f()\n", ["f", "g"]),
        ("def f():\n\tif x:\n\t\tpass\ndef g():\n        f()\n", ["f", "g"]),
        ("def f():\n    return '\0'\n\ndef g():\n    f()\n", ["f", "g"]),
        ("def f():\n    return '\ud800'\n", ["f"]),
        ("def f():\n    # \u202e\u2066 }if\n    pass\n", ["f"]),
        ("x = '\x0b\x1c\x1d\x1e\x85\u2028\u2029'\ndef f(): pass\n", ["f"]),
        ("def Ünï(): pass\nclass Ñ: pass\n", ["Ñ", "Ünï"]),
        ("<|endoftext|>\ndef f(): pass\n", ["f"]),
        ("def f(): pass\ndef f(): pass\nclass f: pass\n", ["f", "f#2", "f#3"]),
        ("", []),
        ("\n" * 10_000, []),
    ],
)
def test_odd_text_has_the_symbols_that_stand_in_it(text: str, expected: list[str]) -> None:
    assert symbols(text) == expected


def test_a_syntax_error_half_way_leaves_the_definitions_around_it() -> None:
    broken = "def f():\n    return 1\n\ndef g(:\n  ((((\nclass\n\ndef h():\n    f()\n"
    assert {"f"} <= set(symbols(broken))
    graph = CodeGraph({"a.py": broken})
    assert list(graph.syntax_errors()) == ["a.py"]
    graph.update({"a.py": "def f():\n    return 1\n\ndef h():\n    f()\n"})
    assert graph.syntax_errors() == {}
    assert [e.target for e in graph.callees("a.py::h")] == ["a.py::f"]


@pytest.mark.parametrize(
    "text",
    [
        "import os\r\ndef f(a):\r\n    return g(a)\r\n", "a\r\nb\nc\r\nd\n", "\ufeffdef f():\n    pass\n",
        "def f():\n\x0c    pass\n", "x = '\x0b\x1c\x85\u2028'\n", "no end", "\n\n\n", "\t \t\n",
        "x = '</script><script>alert(1)</script>'\n", "x = '\u202e\u2066😀e\u0301'\n",
    ],
)  # fmt: skip
def test_written_text_is_kept_to_the_byte_and_edits_apply(text: str) -> None:
    run = analysed(TASK, *write("w", FILE, text, 1), *edit("e", FILE, text[:3], "zz", 2)).replay
    assert [w.after for w in run.writes] == [text, "zz" + text[3:]]
    assert run.unapplied == ()


def test_a_read_of_a_crlf_file_agrees_with_what_was_written() -> None:
    text = "import os\r\ndef f(a):\r\n    return g(a)\r\n"
    lines = text.replace("\r\n", "\n").split("\n")[:-1]
    run = analysed(TASK, *write("w", FILE, text, 1), *read("r", FILE, lines, 2)).replay
    assert (run.compared, run.fidelity) == (3, 1.0)
    assert [w.after for w in run.writes] == [text]


NESTED = {
    "parentheses": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "calls": lambda n: "x = " + "f(" * n + ")" * n,
    "lists": lambda n: "x = " + "[" * n + "]" * n,
    "attributes": lambda n: "x = a" + ".b()" * n,
    "lambdas": lambda n: "x = " + "lambda: " * n + "1",
    "nots": lambda n: "x = " + "not " * n + "1",
    "sums": lambda n: "x = " + "1+" * n + "1",
    "ifs": lambda n: "\n".join(" " * i + "if x:" for i in range(n)) + "\n" + " " * n + "pass",
    "defs": lambda n: "\n".join(" " * i + f"def f{i}():" for i in range(n)) + "\n" + " " * n + "pass",
    "classes": lambda n: "\n".join(" " * i + f"class C{i}:" for i in range(n)) + "\n" + " " * n + "pass",
    "elifs": lambda n: "if x: pass\n" + "elif x: f()\n" * n,
    "decorators": lambda n: "@a\n" * n + "def f(): pass",
    "aliases": lambda n: "\n".join(f"a{i + 1} = a{i}" for i in range(n)),
    "bases": lambda n: "\n".join(f"class C{i + 1}(C{i}): pass" for i in range(n)),
    "returns": lambda n: "\n".join(f"def f{i}(): return f{i + 1}()" for i in range(n)),
    "unfinished": lambda n: "(" * n + "def f(: " * n,
}


@pytest.mark.parametrize("form", NESTED)
def test_deeply_nested_python_is_read_in_bounded_time(form: str) -> None:
    make = NESTED[form]
    with within(20):
        text = make(600) + "\n"
        graph = CodeGraph({"a.py": text, "b.py": "def steady():\n    pass\n"})
        graph.update({"a.py": text + "def last():\n    pass\n"})
    with within(20):
        CodeGraph({"a.py": make(20_000 if form not in ("ifs", "defs", "classes", "bases", "returns") else 800)})
    assert "b.py::steady" in {s.id for s in graph.symbols()}
    if form not in ("unfinished", "elifs", "decorators", "ifs", "defs", "classes"):
        assert "a.py::last" in {s.id for s in graph.symbols()}


def test_a_minified_line_of_2_megabytes() -> None:
    line = "function a(b){return b.c(d)};" * 70_000
    path = f"{CWD}/min.js"
    with within(30):
        run = analysed(
            TASK, *read("r", path, [line], 1), *edit("n", path, "zzz", "y", 2), *edit("e", path, "a(", "b(", 3)
        )
    assert [(t, why) for t, _, why in run.replay.unapplied] == [(3, "old text not found")]
    record = run.records[1]
    assert record.tokens > 500_000


def test_a_file_of_200000_lines() -> None:
    lines = [f"line {n}" for n in range(200_000)]
    path = f"{CWD}/data.txt"
    with within(30):
        run = analysed(TASK, *read("r", path, lines, 1), *edit("e", path, "line 777\n", "changed\n", 2))
    (write_,) = run.replay.writes
    assert write_.after is not None
    assert write_.after.split("\n")[777] == "changed"
    assert len(write_.after.split("\n")) == 200_001
    assert run.drifts[0].changed == ("data.txt::<module>",)


def test_2000_functions_in_a_file_are_looked_up_not_searched() -> None:
    text = "\n".join(f"def f{n}(g): return g(f{n + 1})" for n in range(2000)) + "\n"
    with within(10):
        run = analysed(TASK, *write("w", FILE, text, 1), *edit("e", FILE, "def f7(g)", "def f7(h)", 2))
    assert len(run.symbols) >= 2000
