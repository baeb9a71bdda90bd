"""Searches asked again of written files: what they find, and which ones are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.options import Options
from core.records.queries import answer, question
from core.trajectory.steps import Step
from tests.tape.driver import Driver

TEXT = "def load():\n    return 1\n"


@pytest.mark.parametrize(
    ("command", "path", "before", "after", "differs"),
    [
        ("rg -l 'def load' src", "src/a.py", TEXT, TEXT.replace("load", "save"), True),
        ("rg -l 'def load' src", "src/a.py", TEXT, TEXT.replace("1", "2"), False),
        ("rg -l 'def load' src", "lib/a.py", TEXT, TEXT.replace("load", "save"), False),
        ("rg -l 'def load' /home/x/repo/src", "lib/a.py", TEXT, TEXT.replace("load", "save"), True),
        ("rg -n 'return' ", "a.py", TEXT, TEXT.replace("1", "2"), True),
        ("rg --glob '**/*.go' -l 'load'", "a.py", TEXT, None, False),
        ("rg --glob '**/*.py' -l 'load'", "a.py", TEXT, None, True),
        ("grep -rn 'load\\|save' .", "a.py", TEXT, TEXT.replace("load", "store"), True),
        ("grep -rn 'load()' .", "a.py", TEXT, TEXT.replace("load", "store"), True),
        ("grep -rl 'load' . | head -5", "a.py", TEXT, TEXT + "x", False),
        ('rg -l "save|load" src 2>/dev/null', "src/a.py", TEXT, TEXT.replace("load", "store"), True),
        ("find . -name '*.py' -type f", "a.py", None, TEXT, True),
        ("find . -name '*.py' -type f", "a.py", TEXT, "", False),
        ("find . -name '*.go'", "a.py", None, TEXT, False),
        ("fd --glob '**/*.py' /x/src", "a/b.py", TEXT, None, True),
        ("ls src", "src/new.py", None, TEXT, True),
        ("ls src", "lib/new.py", None, TEXT, False),
        ("git status --short", "a.py", TEXT, TEXT + "x", True),
    ],
)
def test_a_search_differs_where_its_answer_does(
    command: str, path: str, before: str | None, after: str | None, differs: bool
) -> None:
    asked = question(command)
    assert asked is not None
    assert (answer(asked, path, before) != answer(asked, path, after)) is differs


@pytest.mark.parametrize(
    "command",
    [
        "",
        "git log -3",
        "https://example.org",
        "rg '(a+)+b' .",
        "rg 'a.*b.*c' .",
        "rg '(?<=x)y' .",
        "rg '[' .",
        "rg 'unclosed",
        "wc -l a",
    ],
)
def test_what_cannot_be_asked_again_is_left_untracked(command: str) -> None:
    assert question(command) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_breaks_it(command: str, text: str) -> None:
    for prefix in ("", "rg ", "grep -rn ", "find . -name ", "ls "):
        asked = question(prefix + command)
        if asked is not None:
            assert answer(asked, "a.py", text) == answer(asked, "a.py", text)


def test_a_query_is_nominated_only_with_the_switch() -> None:
    for on in (True, False):
        run = Driver({"a.py": TEXT}, Options(queries=on))
        run.step(Step(1, "search", "assistant", "Grep", "{}", "a.py", command="rg -l 'def load'"), ())
        run.write("a.py", TEXT.replace("1", "2"))
        run.write("a.py", TEXT.replace("load", "save"))
        rows = [(n.t, n.hits[0].why, n.hits[0].writes, a.name) for n, a in run.rows if n.record_id == "r1"]
        assert rows == ([(3, "query", (3,), "rerun")] if on else [])
        acted = [a.text for a in run.actions if a.record_id == "r1"]
        assert len(acted) == int(on)
        assert all(text is not None and "rg -l 'def load'" in text for text in acted)
