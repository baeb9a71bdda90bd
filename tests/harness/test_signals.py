"""Table 4, row by row, with every trace worked out by hand from the paper's words; then its order properties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.harness.project_state import Alert
from core.harness.signals import (
    Call,
    Diagnosed,
    Done,
    Effect,
    HarnessEvent,
    Settings,
    SignalState,
    Synchronized,
    due,
    transition,
)

DEFAULTS = Settings()
SHELL, SHELL_DONE = Call(shell=True), Done(shell=True)
TEST, TEST_DONE = Call(shell=True, test=True), Done(shell=True, test=True)
ALERTS = (Alert(9, "the CLI was deferred", ("E3",)),)


def read(path: str) -> Done:
    return Done(reads=(path,))


NEW = SignalState()


def run(events: Iterable[HarnessEvent], state: SignalState = NEW) -> tuple[SignalState, list[list[str]]]:
    """The last state, and for each event the effects in short."""
    said = []
    for event in events:
        state, effects = transition(state, event)
        said.append([short(e) for e in effects])
    return state, said


def short(e: Effect) -> str:
    return f"{e.kind} {e.why}{' ' + e.path if e.path else ''}{' +1' if e.scored else ''}"


def test_the_defaults_are_the_papers() -> None:
    assert (DEFAULTS.completions, DEFAULTS.reads, DEFAULTS.neglect, DEFAULTS.cooldown) == (3, 3, 25, 15)


# Row 1: "At the next shell call, count a missing normal completion callback. Three such events produce a signal and
# reset the streak; a normal shell completion clears the streak."


def test_three_missing_completions_are_a_signal_at_the_fourth_shell_call() -> None:
    # call 1: nothing is missing yet.  2: that of 1.  3: that of 2.  4: that of 3, the third: signal, streak 0.
    state, said = run([SHELL] * 4)
    assert said == [[], [], [], ["signal missing-completions +1"]]
    assert (state.missing, state.score, state.shell_open) == (0, 1, True)
    # 5 and 6 count anew, 7 is the third again: score 2 is the threshold.
    state, said = run([SHELL] * 3, state)
    assert said == [[], [], ["signal missing-completions +1", "request-diagnosis threshold"]]
    assert (state.missing, state.score) == (0, 2)


def test_a_normal_completion_clears_the_streak() -> None:
    # 1 open; 2: one missing; 3: two missing, then completes: streak 0; 4 sees nothing missing.
    state, said = run([SHELL, SHELL, SHELL, SHELL_DONE, SHELL])
    assert said == [[]] * 5
    assert (state.missing, state.score) == (0, 0)


def test_completions_of_other_tools_leave_the_streak_alone() -> None:
    state, _ = run([SHELL, SHELL, Call(), Done(), Call(edits=("a",)), read("a")])
    assert (state.missing, state.shell_open) == (1, True)


# Row 2: "Three counted reads produce a signal and reset that path's count. A proposed edit to the path clears the
# count before the edit outcome is known."


def test_three_reads_of_one_path_are_a_signal_and_its_count_is_reset() -> None:
    state, said = run([read("a"), read("b"), read("a"), read("a"), read("b")])
    assert said == [[], [], [], ["signal repeated-reads a +1"], []]
    assert (dict(state.reads), state.score) == ({"b": 2}, 1)
    state, said = run([read("a"), read("b")], state)  # a counts from one again, b has its third
    assert said == [[], ["signal repeated-reads b +1", "request-diagnosis threshold"]]
    assert dict(state.reads) == {"a": 1}


def test_a_proposed_edit_clears_the_count_of_its_path_only() -> None:
    state, said = run([read("a"), read("a"), read("b"), Call(edits=("a",)), read("a"), read("a")])
    assert said == [[]] * 6  # the edit's outcome is never told
    assert dict(state.reads) == {"a": 2, "b": 1}


def test_a_call_that_shows_a_path_twice_is_one_read_of_it() -> None:
    assert dict(run([Done(reads=("a", "a", "b"))])[0].reads) == {"a": 1, "b": 1}


# Row 3: "Deliver the brief and restart the window. Add diagnostic score only when no non-state edit or recognized
# test was proposed during that window. Recognized brief access restarts the window."


def test_at_the_25th_call_without_the_brief_it_is_delivered_and_scored() -> None:
    state, said = run([Call()] * 25)
    assert said[:24] == [[]] * 24
    assert said[24] == ["signal neglected-brief +1", "deliver-brief neglected-brief"]
    assert (state.window, state.score) == (0, 1)
    state, said = run([Call()] * 25, state)
    assert said[24] == ["signal neglected-brief +1", "deliver-brief neglected-brief", "request-diagnosis threshold"]


@pytest.mark.parametrize("productive", [Call(edits=("a",)), Call(test=True)])
@pytest.mark.parametrize("at", [0, 12, 24])
def test_an_edit_or_a_test_proposed_in_the_window_adds_no_score(productive: Call, at: int) -> None:
    calls = [Call()] * 25
    calls[at] = productive
    state, said = run(calls)
    assert said[24] == ["deliver-brief neglected-brief"]
    assert (state.window, state.score) == (0, 0)
    # The next window begins without it.
    assert run([Call()] * 25, state)[0].score == 1


def test_reading_the_brief_restarts_the_window() -> None:
    state, said = run([*[Call(edits=("a",))] * 24, Call(brief=True), *[Call()] * 24])
    assert said == [[]] * 49
    assert (state.window, state.productive) == (24, False)
    assert run([Call()], state)[1] == [["signal neglected-brief +1", "deliver-brief neglected-brief"]]


# Row 4: "Clear diagnostic score and diagnostic alerts on the normal post-event, without parsing whether the test
# passed. A proposed test alone does not perform this reset."


def test_a_completed_test_clears_score_and_alerts_a_proposed_one_does_not() -> None:
    before = SignalState(score=1, alerts=ALERTS, window=3, reads={"a": 2}, cooldown=4)
    state, said = run([TEST], before)
    assert (said, state.score, state.alerts) == ([[]], 1, ALERTS)
    state, said = run([TEST_DONE], state)
    assert said == [["clear test-completed"]]
    # Reads, window and cooldown are not mentioned: the call moved the last two, nothing the completion.
    assert state == SignalState(window=4, productive=True, reads={"a": 2}, cooldown=3)


def test_a_test_that_is_the_third_read_of_a_path_clears_that_score_too() -> None:
    state, said = run([Done(shell=True, reads=("a",), test=True)], SignalState(reads={"a": 2}))
    assert said == [["signal repeated-reads a +1", "clear test-completed"]]
    assert state.score == 0


# Row 5: "Synchronization clears the diagnostic score and alerts when the latest event indicates recognized progress".


def test_synchronization_clears_only_with_progress() -> None:
    before = SignalState(score=1, alerts=ALERTS, window=3, reads={"a": 2}, cooldown=4, missing=1)
    assert run([Synchronized()], before) == (before, [[]])
    state, said = run([Synchronized(progress=True)], before)
    assert said == [["clear progress"]]
    assert state == replace(before, score=0, alerts=())


# Row 6: "Replace diagnostic alerts, clear diagnostic score and the brief-neglect count, start a 15-call cooldown, and
# return the updated brief."


def test_a_diagnosis_replaces_alerts_clears_score_and_neglect_and_starts_the_cooldown() -> None:
    before = SignalState(score=2, alerts=(Alert(1, "old"),), window=20, reads={"a": 2}, missing=2, shell_open=True)
    state, said = run([Diagnosed(ALERTS)], before)
    assert said == [["deliver-brief diagnosis"]]
    assert state == SignalState(alerts=ALERTS, cooldown=15, reads={"a": 2}, missing=2, shell_open=True)


@pytest.mark.parametrize("blank", [(), (Alert(3, " \n"),)])
def test_a_blank_diagnosis_changes_nothing(blank: tuple[Alert, ...]) -> None:
    before = SignalState(score=2, alerts=ALERTS, window=20)
    assert run([Diagnosed(blank)], before) == (before, [[]])


def test_during_the_cooldown_signals_add_up_and_the_request_waits_for_its_end() -> None:
    # Two files read three times each inside the cooldown: score 2 at the sixth completion, nothing asked.
    state, _ = run([Diagnosed(ALERTS)])
    reads = [e for path in "aaabbb" for e in (Call(), read(path))]  # six calls
    state, said = run(reads, state)
    assert said[5] == ["signal repeated-reads a +1"]
    assert said[11] == ["signal repeated-reads b +1"]
    assert (state.score, state.cooldown, due(state)) == (2, 9, False)
    # Calls 7 to 15 use the cooldown up; the first event after the fifteenth asks, once.
    state, said = run([Call()] * 9, state)
    assert said == [[]] * 9
    assert (state.cooldown, due(state)) == (0, True)
    state, said = run([Done(), Call(), Call()], state)
    assert said == [["request-diagnosis threshold"], [], []]


def test_what_a_test_cleared_during_the_cooldown_is_not_asked_for_after_it() -> None:
    state = SignalState(cooldown=2, reads={"a": 2, "b": 2})
    state, _ = run([read("a"), read("b"), TEST_DONE], state)
    assert run([Call()] * 4, state)[1] == [[]] * 4


def test_a_diagnosis_that_failed_is_asked_for_again_at_the_next_signal() -> None:
    state, said = run([read("a")] * 3 + [read("b")] * 3)
    assert said[5][-1] == "request-diagnosis threshold"
    state, said = run([Diagnosed(), Call(), Done(), read("c"), read("c"), read("c")], state)
    assert said == [[], [], [], [], [], ["signal repeated-reads c +1", "request-diagnosis threshold"]]


def test_the_papers_table_5() -> None:
    """The loader's signature changes; service and loader are updated, the CLI is deferred and forgotten.

    Repeated reads of loader.py raise the score to the threshold; the diagnosis surfaces the deferred CLI; after the
    CLI is updated and the regression test completes, ordinary execution continues with nothing outstanding.
    """
    events: list[HarnessEvent] = [
        Call(edits=("loader.py",)), Done(), Synchronized(),  # calls 1 and 2 of the window: the change and the service
        Call(edits=("service.py",)), Done(), Synchronized(),
    ]  # fmt: skip
    for _ in range(6):  # calls 3 to 8: loader.py is read again and again
        events += [Call(), read("loader.py")]
    state, said = run(events)
    # Third read: signal, count reset, score 1.  Sixth read: signal, score 2 = threshold: a diagnosis is asked for.
    assert [s for s in said if s] == [
        ["signal repeated-reads loader.py +1"],
        ["signal repeated-reads loader.py +1", "request-diagnosis threshold"],
    ]
    assert (state.score, state.window, dict(state.reads)) == (2, 8, {})
    state, said = run([Diagnosed(ALERTS)], state)
    assert said == [["deliver-brief diagnosis"]]
    assert (state.alerts, state.score, state.window, state.cooldown) == (ALERTS, 0, 0, 15)
    # The CLI is updated (1 call), the test runs (1 call) and completes: the alert goes; the cooldown has 13 left.
    state, said = run([Call(edits=("cli.py",)), Done(), Synchronized(), TEST, TEST_DONE, Synchronized(True)], state)
    assert said == [[], [], [], [], ["clear test-completed"], []]
    assert state == SignalState(window=2, productive=True, cooldown=13)


# -- properties ---------------------------------------------------------------------------------------------------

PATHS = st.sampled_from(["a", "b", "c"])
SOME = st.lists(PATHS, max_size=2).map(tuple)
EVENTS = st.one_of(
    st.builds(Call, st.booleans(), SOME, st.booleans(), st.booleans()),
    st.builds(Done, st.booleans(), SOME, st.booleans()),
    st.builds(Synchronized, st.booleans()),
    st.builds(Diagnosed, st.sampled_from([(), ALERTS])),
)


@given(st.lists(EVENTS, max_size=80))
def test_counters_stay_in_their_bounds(events: list[HarnessEvent]) -> None:
    state = SignalState()
    for event in events:
        state, effects = transition(state, event)
        assert 0 <= state.missing < 3
        assert 0 <= state.window < 25
        assert 0 <= state.cooldown <= 15
        assert state.score >= 0
        assert all(0 < n < 3 for n in state.reads.values())
        assert not state.held or state.score >= DEFAULTS.threshold
        asked = [e for e in effects if e.kind == "request-diagnosis"]
        assert not asked or due(state)


def cells(event: HarnessEvent, state: SignalState) -> tuple[set[str], set[str]]:
    """What an event reads and what it writes in ``state``, from Table 4's words."""
    seen: set[str] = set()
    wrote: set[str] = set()
    if isinstance(event, Call):
        wrote = {"window", *(["cooldown"] if state.cooldown else []), *(f"reads {p}" for p in event.edits)}
        wrote |= {"shell"} if event.shell else set()
        fires = state.window + 1 >= 25 or (event.shell and state.shell_open and state.missing + 1 >= 3)
    elif isinstance(event, Done):
        wrote = {*(f"reads {p}" for p in event.reads), *(["shell"] if event.shell else [])}
        wrote |= {"score"} if event.test else set()
        fires = any(state.reads.get(p, 0) + 1 >= 3 for p in event.reads)
    elif isinstance(event, Synchronized):
        return set(), {"score"} if event.progress else set()
    else:
        return set(), {"score", "window", "cooldown"} if event.alerts else set()
    if fires or state.held:
        wrote.add("score")
        seen.add("cooldown")
    return seen, wrote


@settings(max_examples=400)
@given(st.lists(EVENTS, max_size=30), EVENTS, EVENTS)
def test_order_matters_only_where_the_table_says(
    before: list[HarnessEvent], one: HarnessEvent, two: HarnessEvent
) -> None:
    """Two events of which neither writes what the other reads or writes commute, effects included."""
    state, _ = run(before)
    (r1, w1), (r2, w2) = cells(one, state), cells(two, state)
    if w1 & (r2 | w2) or w2 & r1:
        return
    first, said_first = run([one, two], state)
    second, said_second = run([two, one], state)
    assert first == second
    assert sorted(e for said in said_first for e in said) == sorted(e for said in said_second for e in said)


@given(st.lists(PATHS, max_size=12), PATHS, st.integers(0, 12))
def test_an_edit_moved_across_a_read_of_its_path_matters_and_of_another_does_not(
    reads: list[str], edited: str, at: int
) -> None:
    events: list[HarnessEvent] = [read(p) for p in reads]
    at = min(at, len(events))
    here, _ = run([*events[:at], Call(edits=(edited,)), *events[at:]])
    after, _ = run([*events[: at + 1], Call(edits=(edited,)), *events[at + 1 :]])
    if at < len(reads) and reads[at] != edited:
        assert here == after
    elif at < len(reads):
        # Later means one read of the path fewer is left standing, unless a signal reset it in between.
        assert here != after or dict(here.reads) == dict(after.reads)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (SHELL, SHELL_DONE),  # a completion before or after the next call
        (read("a"), Call(edits=("a",))),
        (Call(brief=True), Call()),
        (TEST_DONE, read("a")),
        (Synchronized(True), read("a")),
        (Diagnosed(ALERTS), read("a")),
        (Diagnosed(ALERTS), Call()),
        (Diagnosed(ALERTS), TEST_DONE),
    ],
)
def test_order_does_matter_where_the_table_says(one: HarnessEvent, two: HarnessEvent) -> None:
    before = SignalState(shell_open=True, missing=1, reads={"a": 2}, window=7, score=1)
    assert run([one, two], before)[0] != run([two, one], before)[0]
