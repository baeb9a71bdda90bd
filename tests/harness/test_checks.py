"""The checks speak when a record was tampered with, and the diagnosis says only what the record bears out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.harness.brief import make_brief
from core.harness.checks import check_closed, check_history, check_log, check_structure, check_texts, mark_log
from core.harness.diagnosis import MOST, DiagnosisInput, ask, assemble, diagnostic_prompt, read_reply
from core.harness.files import LOG, RELATIONS, SKILLS, TASK, write_state
from core.harness.project_state import Alert, Invocation, Procedure, ProjectState
from core.harness.signals import Effect
from tests.harness.test_files import STATE

EVENTS = STATE.events
CLI = "caller cli.py of core/loader.py"


def whys(state: ProjectState) -> list[tuple[str, str]]:
    return [(p.file, p.why) for p in check_structure(state)]


def test_sound_records_have_no_problem() -> None:
    assert check_texts(write_state(STATE)) == ()
    assert check_history(STATE, STATE) == ()


def test_a_log_with_a_gap_or_out_of_order_is_reported() -> None:
    assert whys(replace(STATE, events=(EVENTS[0], EVENTS[2]))) == [
        (LOG, "event 2 is numbered E3: events were taken out or moved")
    ]
    late = replace(EVENTS[2], t=5)
    assert whys(replace(STATE, events=(*EVENTS[:2], late))) == [(LOG, "E3 (step 5) stands after E2 (step 6)")]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"state": "checked"}, f"{CLI} was closed without an observation"),
        ({"state": "checked", "how": "edited", "closed": 2}, f"{CLI} was closed at step 2, before it was opened"),
        ({"how": "edited"}, f"{CLI} is open and says how it was closed"),
        ({"target": "core/loader.py"}, "core/loader.py is related to itself"),
    ],
)  # fmt: skip
def test_relations_that_cannot_be_are_reported(changes: dict[str, object], why: str) -> None:
    broken = replace(STATE.relations[0], **changes)  # type: ignore[arg-type]
    assert whys(replace(STATE, relations=(broken,))) == [(RELATIONS, why)]


def test_a_box_ticked_by_hand_is_a_relation_closed_without_an_observation() -> None:
    texts = write_state(STATE)
    texts[RELATIONS] = texts[RELATIONS].replace("- [ ]", "- [x]")
    assert [p.why for p in check_texts(texts)] == ["caller cli.py of core/loader.py was closed without an observation"]


def test_procedures_whose_counts_do_not_hold_are_reported() -> None:
    late = Procedure("a", 2, 0, (Invocation(5, "passed"), Invocation(3, "passed")))
    bad = (late, Procedure("b", runs=1, failures=2), Procedure("c", policy="freeze"))
    assert whys(replace(STATE, procedures=bad)) == [
        (SKILLS, "a: its history is out of order"),
        (SKILLS, "b: its counts do not bear its history out"),
        (SKILLS, "c: freeze without a rationale"),
    ]


def test_history_is_only_ever_added_to() -> None:
    rewritten = (replace(EVENTS[0], text="edited nothing"), *EVENTS[1:])
    found = check_history(
        STATE,
        ProjectState(replace(STATE.task, observation="Something else."), rewritten, STATE.relations[1:], ()),
    )
    assert [(p.file, p.why) for p in found] == [
        (LOG, "the event log was rewritten from E1 on"),
        (TASK, "the initial observation was replaced"),
        (RELATIONS, "caller cli.py of core/loader.py was taken out"),
        (SKILLS, "pytest: invocations were taken out"),
    ]
    cut = check_history(STATE, replace(STATE, events=EVENTS[:1]))
    assert [p.why for p in cut] == ["the event log was cut: E2 to E3 are gone"]
    grown = replace(STATE, events=(*EVENTS, replace(EVENTS[0], n=4, t=9)))
    assert check_history(STATE, grown) == ()


def test_a_mark_tells_a_log_that_grew_from_one_that_was_changed() -> None:
    mark = mark_log(EVENTS)
    assert check_log(mark, (*EVENTS, replace(EVENTS[0], n=4))) == ()
    assert "was cut" in check_log(mark, EVENTS[:2])[0].why
    assert "was rewritten" in check_log(mark, (*EVENTS[:2], replace(EVENTS[2], text="x")))[0].why


def test_a_relation_closed_by_words_alone_is_found_out() -> None:
    assert check_closed(STATE, {"tests/test_loader.py": 5}) == ()
    (problem,) = check_closed(STATE, {"tests/test_loader.py": 3})
    assert problem.why == (
        "test tests/test_loader.py of core/loader.py was closed without an observation: "
        "nothing has looked at it since step 4"
    )


class Scripted:
    """A model that always answers the same; it keeps what it was asked."""

    def __init__(self, reply: str) -> None:
        self.reply, self.asked = reply, ""

    def complete(self, prompt: str, max_tokens: int, /) -> str:
        self.asked = prompt
        return self.reply


@pytest.fixture
def given_input() -> DiagnosisInput:
    signals = (Effect("signal", "repeated-reads", "core/loader.py", True),)
    return assemble(9, signals, STATE, make_brief(9, STATE))


def test_the_prompt_holds_the_five_parts_the_paper_lists_in_order(given_input: DiagnosisInput) -> None:
    prompt = diagnostic_prompt(given_input)
    names = ["Triggering signal", TASK, SKILLS, LOG, "context_brief.md"]
    places = [prompt.index(f'<record name="{name}">') for name in names]
    assert places == sorted(places)
    assert prompt.count("<record ") == 5
    assert "core/loader.py was read three times without an edit" in prompt
    texts = write_state(STATE)
    for name in (TASK, SKILLS, LOG):
        assert texts[name].strip() in prompt  # the full log, not a selection
    assert RELATIONS not in prompt.replace(f"see {RELATIONS}", "")


def test_a_reply_is_read_for_what_it_can_prove(given_input: DiagnosisInput) -> None:
    client = Scripted(
        "Here:\n- The CLI was deferred (E3) and cli.py calls load (step 4).\n"
        "- Because I say so.\n- See E99.\n* Step 9: e2"
    )
    assert ask(client, given_input) == (
        Alert(9, "The CLI was deferred (E3) and cli.py calls load (step 4).", ("E3", "step 4")),
        Alert(9, "Step 9: e2", ("step 9", "E2")),
    )
    assert client.asked == diagnostic_prompt(given_input)
    assert len(read_reply(given_input, "- E1\n" * 20)) == MOST
    for blank in ("", "none", "None.\n", "- none"):
        assert read_reply(given_input, blank) == ()
