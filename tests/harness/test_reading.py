"""What one step says: its outcome, its procedure, its words, its paths."""

from __future__ import annotations

import pytest

from core.harness.acts import act_of, signal_events
from core.harness.outcomes import Result, result_of
from core.harness.procedure_names import covers, procedure_of
from core.harness.said import clip, first_sentence, statements
from core.harness.signals import Call, Done
from core.harness.target_kinds import target_kind
from core.trajectory.steps import Shown, Step, Write

ABSENT = "ModuleNotFoundError: No module named 'respx'"


@pytest.mark.parametrize(
    ("output", "failed", "purpose", "result"),
    [
        ("==== 4 passed in 0.21s ====", False, "test", Result("passed", "4 passed in 0.21s")),
        (
            "FAILED t.py::test_a - assert 1 == 2\n==== 1 failed, 3 passed in 1s ====", False, "test",
            Result("failed", "1 failed, 3 passed in 1s", "FAILED t.py::test_a - assert 1 == 2"),
        ),
        (
            "--- FAIL: TestX (0.01s)\nFAIL\nFAIL\tpkg\t0.1s", False, "test",
            Result("failed", "FAIL\tpkg\t0.1s", "--- FAIL: TestX (0.01s)"),
        ),
        ("ok  \tpkg/a\t0.2s\nok  \tpkg/b\t(cached)", False, "test", Result("passed", "ok  \tpkg/b\t(cached)")),
        (ABSENT, False, "test", Result("failed", "", ABSENT)),
        ("collected 3 items", False, "test", Result("unknown")),
        ("a.go:4:2: undefined: x", False, "build", Result("failed", "", "a.go:4:2: undefined: x")),
        ("", False, "build", Result("passed")),
        ("<output>\nsomething odd\n</output>", True, "run-code", Result("failed", "", "something odd")),
        ("0 issues.", False, "lint", Result("passed", "0 issues.")),
        (
            "a.py:1: error: no\nFound 1 error in 1 file", True, "types",
            Result("failed", "Found 1 error in 1 file", "a.py:1: error: no"),
        ),
        ("Traceback (most recent call last):\nValueError: x", False, "run-code", Result("failed", "", "ValueError: x")),
        ("x" * 500 + " 1 failed in 2s", False, "run-code", Result("passed")),
    ],
)  # fmt: skip
def test_outcomes(output: str, failed: bool, purpose: str, result: Result) -> None:
    assert result_of(output, failed, purpose) == result  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "purpose", "name", "arguments"),
    [
        ("cd x && python -m pytest tests/a.py -q | tail -3", "test", "pytest", ("tests/a.py", "-q")),
        ("go build ./... 2>&1 | head", "build", "go build", ("build", "./...")),
        ("mise run fmt && mise run lint", "lint", "mise run lint", ("run", "lint")),
        ("uv run mypy", "types", "mypy", ()),
        ("python scripts/x.py --n 3", "run-code", "python x.py", ("scripts/x.py", "--n", "3")),
        ("python -c 'import pkg'", "run-code", "python -c", ("-c", "import pkg")),
        ("echo hello", "test", "", ()),
        ("", "test", "", ()),
    ],
)
def test_procedures(command: str, purpose: str, name: str, arguments: tuple[str, ...]) -> None:
    found = procedure_of(command, purpose)  # type: ignore[arg-type]
    assert (found.name, found.arguments) == (name, arguments)


@pytest.mark.parametrize(
    ("arguments", "covered"),
    [
        ((), True), (("-q",), True), (("tests/",), True), (("tests/unit/test_a.py::test_x",), True), (("./...",), True),
        (("tests/unit/test_b.py",), False), (("./other/...",), False), (("tests/unit/test_b.py", "tests/unit"), True),
        (("-k", "name"), True),
    ],
)  # fmt: skip
def test_which_tests_a_run_covers(arguments: tuple[str, ...], covered: bool) -> None:
    assert covers(arguments, "tests/unit/test_a.py") is covered


@pytest.mark.parametrize(
    ("text", "kind", "stated"),
    [
        ("Let me look at the loader.", "intention", "Look at the loader"),
        ("Good, that works. Now I'll update the callers first. Let me start.", "intention", "Update the callers first"),
        ("The root cause is the missing flush in `write_all`.", "root-cause", ""),
        ("The problem is probably the cache.", "hypothesis", ""),
        ("I found that `load` is called twice.", "finding", ""),
        ("I'll update the CLI later, in a separate PR.", "deferred", ""),
        ("I'll use a tuple here.", "decision", ""),
        ("I was wrong about the encoding.", "rejected", ""),
    ],
)
def test_statements(text: str, kind: str, stated: str) -> None:
    assert [(s.kind, s.text) for s in statements(text)] == [(kind, stated or text)]


@pytest.mark.parametrize(
    "text",
    [
        "I see the issue.",
        "```\nLet me not read code.\n```\n| let me | see |\n# Let me",
        "Should I look at the loader?",
        "The goal is to leave normal execution unchanged.",
        "The projection could skip the final text.",
        "to " * 200 + "x",
        "now " * 90 + "x",
        "since a " * 45 + "x",
    ],
)
def test_what_states_nothing(text: str) -> None:
    assert statements(text) == ()


def test_texts_are_clipped_to_one_line() -> None:
    assert clip("a\n b  c") == "a b c"
    assert clip("x" * 300, 10) == "x" * 9 + "…"
    assert first_sentence("```\ncode\n```\nDo this. Then that.") == "Do this."


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("pkg/a.py", "caller"), ("tests/test_a.py", "test"), ("docs/a.rst", "documentation"),
        ("README", "documentation"), ("pyproject.toml", "configuration"), (".github/workflows/ci.yml", "configuration"),
        ("Dockerfile", "configuration"),
        ("api/user.proto", "schema"), ("app/migrations/0001_first.py", "schema"), ("openapi.yaml", "schema"),
        ("requirements-dev.txt", "configuration"), ("cmd/main.go", "caller"),
    ],
)  # fmt: skip
def test_kinds_of_targets(path: str, kind: str) -> None:
    assert target_kind(path) == kind


def key(path: str) -> str | None:
    return path.removeprefix("/p/") if path.startswith("/p/") else None


def step(**fields: object) -> Step:
    values: dict[str, object] = {"t": 1, "kind": "run", "role": "assistant", "tool": "Bash", "call": "", "text": ""}
    return Step(**{**values, **fields})  # type: ignore[arg-type]


def test_a_shell_call_that_reads_is_a_counted_read_and_a_completion() -> None:
    shown = (Shown("/p/a.py", 1, ("x",), "cat"), Shown("/else/b.py", 1, ("x",), "cat"))
    act = act_of(step(kind="read", shown=shown), key)
    assert signal_events(act) == (Call(shell=True), Done(shell=True, reads=("a.py",)))


def test_a_failed_call_has_no_completion_and_still_names_what_it_would_edit() -> None:
    act = act_of(step(kind="edit", tool="Edit", call='{"file_path":"/p/a.py","old_string":"x"}', failed=True), key)
    assert signal_events(act) == (Call(edits=("a.py",)), None)


def test_the_states_own_files_are_no_edits_and_reading_the_brief_is_seen() -> None:
    state = "/p/.project_state"
    edit = act_of(step(kind="edit", tool="Write", writes=(Write(f"{state}/task_state.md", "put", "x"),)), key)
    assert signal_events(edit)[0] == Call()
    shown = (Shown(f"{state}/context_brief.md", 1, ("x",), "read", whole=True),)
    assert signal_events(act_of(step(kind="read", tool="Read", shown=shown), key)) == (Call(brief=True), Done())


def test_sayings_and_sub_agents_are_no_calls() -> None:
    assert signal_events(act_of(step(kind="say", tool="", text="hello"), key)) == (None, None)
    assert signal_events(act_of(step(agent="a1"), key)) == (None, None)


def test_a_to_do_call_says_what_is_being_done() -> None:
    call = '{"todos":["broken",{"status":"in_progress","activeForm":"Fixing it"},{"status":"pending"}]}'
    assert act_of(step(tool="TodoWrite", call=call), key).todo == "Fixing it"
    assert act_of(step(tool="TodoWrite", call="{}"), key).todo == ""
    assert act_of(step(tool="TodoWrite", call="not json"), key).todo is None
    assert act_of(step(), key).todo is None


def test_a_compaction_summary_is_not_the_persons_word() -> None:
    text = "This session is being continued from a previous conversation that ran out of context."
    assert act_of(step(kind="say", role="user", tool="", text=text), key).summary
    assert not act_of(step(kind="say", role="user", tool="", text="Go on."), key).summary
