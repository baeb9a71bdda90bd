"""The five files: what was written reads back equal, and a hand that breaks one record costs that record only."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.harness.brief_file import read_brief, write_brief
from core.harness.files import LOG, RELATIONS, SKILLS, TASK, read_state, write_state
from core.harness.project_state import (
    Event,
    Invocation,
    Procedure,
    ProjectState,
    Relation,
    StateChange,
    TaskState,
    WorkingBrief,
    apply_changes,
    invoked,
)
from core.harness.written import block, code, codes, inline, plain, unblock
from tests.harness.state_strategies import briefs, states, texts

STATE = ProjectState(
    TaskState("Make load() take an encoding.", "Python 3.11", "Checking loader.py", "encoding is lost", 7, True),
    (
        Event(1, 4, "change", "edited core/loader.py", "the signature changes", "", ("core/loader.py",), True),
        Event(2, 6, "test", "pytest tests/test_loader.py:\n1 failed", "", "test-failed", (), True),
        Event(3, 6, "decision", "the CLI comes later", "one thing at a time", "deferred"),
    ),
    (
        Relation("core/loader.py", "cli.py", "caller", "calls load", "open", 4, derived=True),
        Relation("core/loader.py", "tests/test_loader.py", "test", "named after it", "checked", 4, "inspected", 5),
    ),
    (Procedure("pytest", 2, 1, (Invocation(2, "passed"), Invocation(6, "failed")), "1 failed", "verify", "flaky"),),
)
WRITTEN = {
    TASK: """# Task state

<!-- since step 7, derived -->

## Initial observation

Make load() take an encoding.

## Environment

Python 3.11

## Current focus

Checking loader.py

## Hypothesis

encoding is lost
""",
    LOG: """# Breakthrough log

- E1, step 4, change, derived: edited core/loader.py
  - reason: the signature changes
  - paths: `core/loader.py`
- E2, step 6, test (test-failed), derived: pytest tests/test_loader.py:
  1 failed
- E3, step 6, decision (deferred): the CLI comes later
  - reason: one thing at a time
""",
    RELATIONS: """# File relation graph

## `core/loader.py`

- [ ] caller `cli.py`, step 4, derived: calls load
- [x] test `tests/test_loader.py`, step 4, inspected step 5: named after it
""",
    SKILLS: """{
 "pytest": {"policy": "verify", "rationale": "flaky", "latest_failure": "1 failed", "runs": 2, "failures": 1, \
"history": [[2, "passed"], [6, "failed"]]}
}
""",
}


def test_the_files_are_what_a_person_would_write() -> None:
    assert write_state(STATE) == WRITTEN
    assert read_state(WRITTEN) == (STATE, ())


@settings(max_examples=300)
@given(states)
def test_records_read_back_equal(state: ProjectState) -> None:
    assert read_state(write_state(state)) == (state, ())


@settings(max_examples=300)
@given(briefs)
def test_a_brief_reads_back_equal(brief: WorkingBrief) -> None:
    assert read_brief(write_brief(brief)) == (brief, ())


@given(texts, st.text("`(): \n", max_size=3))
def test_texts_read_back_equal(text: str, marks: str) -> None:
    written = inline(text, marks)
    assert plain(written) == text
    assert not set("\n" + marks.replace(" ", "")) & set(written) - set("&#;")
    assert unblock(["", *block(text), ""]) == text
    assert codes(f"{code(text)}, {code('b')}") == (text, "b")


@given(st.dictionaries(st.sampled_from(sorted(WRITTEN)), st.text('#- `[]x\n{}":,E1step', max_size=60)))
def test_no_text_breaks_the_reader(files: dict[str, str]) -> None:
    read_state(files)
    read_brief("\n".join(files.values()))


@given(st.sampled_from(sorted(WRITTEN)), st.integers(0, 400), st.text('#- `[]x\n{}":,E1', max_size=3))
def test_an_edit_anywhere_costs_at_most_its_file(name: str, at: int, typed: str) -> None:
    changed = {**WRITTEN, name: WRITTEN[name][:at] + typed + WRITTEN[name][at:]}
    state, problems = read_state(changed)
    assert {p.file for p in problems} <= {name}
    kept = {TASK: state.task, LOG: state.events, RELATIONS: state.relations, SKILLS: state.procedures}
    whole = {TASK: STATE.task, LOG: STATE.events, RELATIONS: STATE.relations, SKILLS: STATE.procedures}
    assert {k: v for k, v in kept.items() if k != name} == {k: v for k, v in whole.items() if k != name}


def test_a_broken_entry_is_named_by_its_line_and_the_rest_is_kept() -> None:
    log = (
        WRITTEN[LOG]
        .replace("E2, step 6, test", "E2, step six, test")
        .replace("E3, step 6, decision", "E3, step 6, idea")
    )
    (first,), problems = read_state({LOG: log})[0].events, read_state({LOG: log})[1]
    assert first == STATE.events[0]
    assert [(p.file, p.line) for p in problems] == [(LOG, 6), (LOG, 8)]
    assert "unknown kind" in problems[1].why


def test_a_stray_line_of_the_log_is_reported() -> None:
    _, problems = read_state({LOG: WRITTEN[LOG] + "something a person typed\n"})
    assert [(p.line, p.why.split(";")[0]) for p in problems] == [(10, "not an event")]


def test_a_hand_may_reindent_an_entry() -> None:
    log = WRITTEN[LOG].replace("  - reason", "\t- reason").replace("\n\n", "\n\n\n")
    assert read_state({LOG: log})[0].events == STATE.events


def test_a_relation_without_a_file_or_of_no_kind_is_reported() -> None:
    text = (
        "# File relation graph\n\n- [ ] caller `a.py`: x\n\n## b.py\n\n- [X] friend `c.py`: y\n- [x] test `t.py`: z\n"
    )
    state, problems = read_state({RELATIONS: text})
    assert state.relations == (Relation("b.py", "t.py", "test", "z", "checked"),)
    assert [p.line for p in problems] == [3, 7]


def test_of_two_relations_of_one_key_the_later_is_kept_and_said() -> None:
    text = "## `b.py`\n\n- [ ] test `t.py`: one\n- [x] test `t.py`: two\n"
    state, problems = read_state({RELATIONS: text})
    assert [r.why for r in state.relations] == ["two"]
    assert [p.line for p in problems] == [4]


def test_a_broken_procedure_costs_its_own_entry() -> None:
    rows = ('"a": {"policy": "use"}', '"b": {"policy": "never"}', '"c": {"policy": }', '"d": {"runs": -1}', '"e": {}')
    text = "{\n" + ",\n".join(rows) + "\n}"
    state, problems = read_state({SKILLS: text})
    assert [p.name for p in state.procedures] == ["a", "e"]
    assert [p.line for p in problems] == [3, 4, 5]


def test_what_is_no_object_of_procedures_is_said_once() -> None:
    assert [p.line for p in read_state({SKILLS: "nonsense"})[1]] == [1]
    assert read_state({SKILLS: ""})[1] == ()


def test_changes_append_replace_and_keep_the_order_of_keys() -> None:
    pytest = Procedure("pytest", runs=1)
    changes = (
        StateChange(1, events=STATE.events[:1], procedures=(Procedure("make"), pytest)),
        StateChange(
            2, TaskState(focus="b"), STATE.events[1:], STATE.relations[::-1], (invoked(pytest, 2, "failed", "x"),)
        ),
    )
    state = apply_changes(ProjectState(), changes)
    assert state.events == STATE.events
    assert state.relations == STATE.relations
    assert state.task.focus == "b"
    assert [(p.name, p.runs, p.failures, p.latest_failure) for p in state.procedures] == [
        ("make", 0, 0, ""), ("pytest", 2, 1, "x"),
    ]  # fmt: skip
    assert [bool(c) for c in (*changes, StateChange(3))] == [True, True, False]
    assert state.open_relations == STATE.relations[:1]


def test_history_is_bounded_and_counts_are_not() -> None:
    procedure = Procedure("pytest")
    for t in range(1, 31):
        procedure = invoked(procedure, t, "passed")
    assert (procedure.runs, len(procedure.history), procedure.history[0].t) == (30, 20, 11)
