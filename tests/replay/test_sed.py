"""The sed interpreter against GNU sed (our own generated scripts and texts) and against a few lines of Python."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.replay.sed import NotUnderstood, run_sed

SED = shutil.which("sed")
GNU = SED is not None and b"GNU" in subprocess.run([SED, "--version"], capture_output=True, check=False).stdout
TEXT = "alpha\nbeta\n  gamma = 1\n\nbeta two\nomega\n"


@pytest.mark.parametrize(
    ("args", "after"),
    [
        (("s/beta/B/",), "alpha\nB\n  gamma = 1\n\nB two\nomega\n"),
        (("s/a/A/g",), "AlphA\nbetA\n  gAmmA = 1\n\nbetA two\nomegA\n"),
        (("s/a/A/2",), "alphA\nbeta\n  gammA = 1\n\nbeta two\nomega\n"),
        (("2d",), "alpha\n  gamma = 1\n\nbeta two\nomega\n"),
        (("$d",), "alpha\nbeta\n  gamma = 1\n\nbeta two\n"),
        (("2,4d",), "alpha\nbeta two\nomega\n"),
        (("/beta/,/beta/d",), "alpha\nomega\n"),
        (("2,+1d",), "alpha\n\nbeta two\nomega\n"),
        (("1~2d",), "beta\n\nomega\n"),
        (("/^$/d",), "alpha\nbeta\n  gamma = 1\nbeta two\nomega\n"),
        (("/beta/!d",), "beta\nbeta two\n"),
        (("-n", "/beta/p"), "beta\nbeta two\n"),
        (("1a after",), "alpha\nafter\nbeta\n  gamma = 1\n\nbeta two\nomega\n"),
        (("1a\\\n  after\\\nmore",), "alpha\n  after\nmore\nbeta\n  gamma = 1\n\nbeta two\nomega\n"),
        (("2i\\  before",), "alpha\n  before\nbeta\n  gamma = 1\n\nbeta two\nomega\n"),
        (("2,3c changed",), "alpha\nchanged\n\nbeta two\nomega\n"),
        (("s/\\(al\\)pha/[\\1&]/",), "[alalpha]\nbeta\n  gamma = 1\n\nbeta two\nomega\n"),
        (("-E", "s/^(b)(e)/\\2\\1/"), "alpha\nebta\n  gamma = 1\n\nebta two\nomega\n"),
        (("s|/|x|;s#alpha#/#",), "/\nbeta\n  gamma = 1\n\nbeta two\nomega\n"),
        (("1s/$/ end/", "s/^/> /"), "> alpha end\n> beta\n>   gamma = 1\n> \n> beta two\n> omega\n"),
        (("/beta/{s/b/X/;s/t/Y/}",), "alpha\nXeYa\n  gamma = 1\n\nXeYa two\nomega\n"),
        (("y/abc/xyz/",), "xlphx\nyetx\n  gxmmx = 1\n\nyetx two\nomegx\n"),
        (("2q",), "alpha\nbeta\n"),
        (("0,/beta/s/beta/first/",), "alpha\nfirst\n  gamma = 1\n\nbeta two\nomega\n"),
        (("s/a\\nb/x/",), TEXT),
        (("s/BETA/x/I",), "alpha\nx\n  gamma = 1\n\nx two\nomega\n"),
        (("s/[[:space:]]*=[[:space:]]*/=/",), "alpha\nbeta\n  gamma=1\n\nbeta two\nomega\n"),
    ],
)
def test_worked_by_hand(args: tuple[str, ...], after: str) -> None:
    assert run_sed(TEXT, args) == after


def test_a_missing_final_newline_stays_missing() -> None:
    assert run_sed("a\nb", ("s/b/c/",)) == "a\nc"
    assert run_sed("a\nb", ("$a c",)) == "a\nb\nc\n"
    assert run_sed("a\nb", ("$d",)) == "a\n"
    assert run_sed("", ("s/a/b/",)) == ""


@pytest.mark.parametrize(
    "script",
    [
        "N;P;D",
        "s/a/b/w out",
        "s/a/\\U&/",
        "e date",
        "r file",
        ":a;ba",
        "s/a",
        "{s/a/b/",
        "s/a/b/ c",
        "y/a/bc/",
        "k",
        "s/x\\(/b/",
        "",
    ],
)
def test_what_is_not_understood_says_so(script: str) -> None:
    if script == "":
        assert run_sed("a\n", (script,)) == "a\n"
        return
    with pytest.raises(NotUnderstood):
        run_sed("aaa\nb\n", (script,))


@pytest.mark.parametrize(
    "script",
    ["s/\\(a*\\)*b/x/", "s/\\(a\\|aa\\)*b/x/", "s/.*.*.*.*.*.*=/x/", "s/a?a?a?/x/;" * 400, "s/" + "a\\?" * 30 + "b/x/"],
)
def test_no_script_can_hang_the_replay(script: str) -> None:
    text = "a" * 3000 + "\n"
    began = time.perf_counter()
    for extended in ((), ("-E",)):
        with contextlib.suppress(NotUnderstood):
            run_sed(text * 20, (*extended, script))
    assert time.perf_counter() - began < 5


LINES = st.lists(
    st.sampled_from(["", "a", "b", "ab", "a b", "aab", "  x", "b=1", "a/b", "[a]", "a.b", "z"]), max_size=8
)
ATOM = st.sampled_from(
    ["a", "b", ".", "x*", "[ab]", "^a", "b$", "a\\+", "\\(a\\)", "^", "$", "[^a]", "a\\|b", "\\.", " *", "\\ba"]
)
ADDRESS = st.sampled_from(
    [
        "",
        "1",
        "2",
        "$",
        "/a/",
        "/^$/",
        "1,2",
        "2,$",
        "/a/,/b/",
        "2,1",
        "/b/,3",
        "2,+1",
        "0,/a/",
        "1~2",
        "$!",
        "2!",
        "/a/,$",
    ]
)
COMMAND = st.one_of(
    st.builds(
        "s/{}/{}/{}".format,
        ATOM,
        st.sampled_from(["", "Q", "[&]", "x\\&", "\\\\"]),
        st.sampled_from(["", "g", "2", "p", "I"]),
    ),
    st.sampled_from(["d", "p", "a text", "i text", "c text", "y/ab/ba/", "=", "{s/a/1/;s/b/2/}", "q", "a\\\n lead"]),
)


@pytest.mark.skipif(not GNU, reason="needs GNU sed")
@settings(max_examples=200, deadline=None)
@given(
    lines=LINES,
    ended=st.booleans(),
    quiet=st.booleans(),
    parts=st.lists(st.tuples(ADDRESS, COMMAND), min_size=1, max_size=3),
)
def test_equals_gnu_sed(lines: list[str], ended: bool, quiet: bool, parts: list[tuple[str, str]]) -> None:
    text = "\n".join(lines) + ("\n" if ended and lines else "")
    scripts = [address + command for address, command in parts]
    if any(command == "q" for _, command in parts) and any(a[-1:] and "," in a for a, c in parts if c == "q"):
        return  # q takes one address at most: sed refuses the script
    flags = (["-n"] if quiet else []) + [x for s in scripts for x in ("-e", s)]
    done = subprocess.run([str(SED), *flags], input=text, capture_output=True, text=True, timeout=10, check=False)
    args = (("-n",) if quiet else ()) + tuple(scripts)
    if done.returncode != 0:
        return
    assert run_sed(text, args) == done.stdout


@given(
    lines=LINES, old=st.sampled_from(["a", "b", "ab"]), new=st.sampled_from(["", "Q", "aa"]), everywhere=st.booleans()
)
def test_equals_a_tiny_interpreter(lines: list[str], old: str, new: str, everywhere: bool) -> None:
    text = "".join(line + "\n" for line in lines)
    expected = "".join(line.replace(old, new, -1 if everywhere else 1) + "\n" for line in lines)
    assert run_sed(text, (f"s/{old}/{new}/" + ("g" if everywhere else ""),)) == expected
    kept = "".join(line + "\n" for line in lines if old not in line)
    assert run_sed(text, (f"/{old}/d",)) == kept
