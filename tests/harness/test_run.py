"""The harness over whole runs: the paper's example, what a step may know, and what state_at puts together."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.harness.brief import Limits, dropped, make_brief
from core.harness.brief_file import write_brief
from core.harness.checks import check_closed, check_history, check_structure
from core.harness.files import read_state, write_state
from core.harness.run import HarnessRun, follow
from core.replay.base import load_base
from core.replay.replay import replay
from core.trajectory.load import discover, load
from tests.harness.project import Script, table_5

SAMPLES = Path(__file__).parents[2] / "sample_runs"
RUNS = {"config_walk": "config_walk", "ledger_long": "ledger"}


@pytest.fixture(scope="module")
def example() -> HarnessRun:
    return table_5().run()


def test_the_change_opens_what_the_paper_names(example: HarnessRun) -> None:
    opened = {(r.target, r.kind, r.why) for r in example.state_at(3).relations}
    assert opened == {
        (
            "pkg/service.py",
            "caller",
            "calls load_table, whose signature changed; imports load_table, whose signature changed",
        ),
        (
            "pkg/cli.py",
            "caller",
            "calls load_table, whose signature changed; imports load_table, whose signature changed",
        ),
        ("tests/test_loader.py", "test", "calls load_table, whose signature changed; is named after loader.py"),
        ("README.md", "documentation", "mentions load_table"),
        ("settings.toml", "configuration", "mentions load_table"),
    }
    assert {r.state for r in example.state_at(3).relations} == {"open"}


def test_the_service_is_checked_when_it_is_read_and_the_cli_stays_open(example: HarnessRun) -> None:
    states = {
        r.target: (r.state, r.how, r.closed) for r in example.state_at(5).relations if r.source == "pkg/loader.py"
    }
    assert states["pkg/service.py"] == ("checked", "inspected", 4)
    assert states["pkg/cli.py"] == ("open", "", 0)


def test_focus_and_hypothesis_are_what_was_said(example: HarnessRun) -> None:
    task = example.state_at(7).task
    assert task.focus == "Check `loader.py` again"
    assert task.hypothesis == "I suspect encoding is still handled incorrectly."
    assert (task.observation, task.environment, task.since) == (
        "Make load_table take an encoding.", "Agent 1; m; branch main", 7,
    )  # fmt: skip


def test_repeated_reads_raise_the_score_and_the_diagnosis_brings_the_cli_back(example: HarnessRun) -> None:
    # Reads of loader.py at 9, 11, 13 and 15, 17, 19: a signal at the third and the sixth, the second reaches the
    # threshold. Edits of another file leave the count alone.
    signals = [(s.t, e.kind, e.path) for s in example.steps for e in s.effects]
    assert signals == [
        (13, "signal", "pkg/loader.py"),
        (19, "signal", "pkg/loader.py"),
        (19, "request-diagnosis", ""),
        (19, "deliver-brief", ""),
    ]
    step = example.steps[18]
    once = "pkg/loader.py was read three times without an edit"
    assert step.signal == f"{once}; {once}"
    assert (step.counters.score, step.counters.cooldown) == (0, 15)
    said = [(a.text, a.rests) for a in step.alerts or ()]
    assert (
        "pkg/loader.py changed and nothing has looked since at pkg/cli.py (calls load_table, whose signature changed), "
        "README.md (mentions load_table), settings.toml (mentions load_table) and 1 more",
        ("E1",),
    ) in said
    assert ("8 changes since a test last gave a verdict; no test has run yet", ("E9",)) in said
    assert ("pkg/loader.py was read 6 times and not changed: its text is already known", ("step 19",)) in said
    assert example.alerts_at(18) == ()
    assert example.alerts_at(19) == example.brief_at(19).alerts == step.alerts


def test_a_deferred_decision_out_of_the_window_is_brought_back() -> None:
    s = table_5()
    brief = s.run().brief_at(19)
    assert "E3" in {e.name for e in brief.events}  # changes of one file are one entry: still in the window
    s = Script().user("Go.").say("I'll leave the CLI as is for now.")
    for n in range(9):
        s.say(f"I found that part number {n} of the table is not what it should be.")
    for _ in range(6):
        s.read("pkg/loader.py")
    run = s.run()
    (deferred,) = [a for a in run.steps[-1].alerts or () if a.text.startswith("Deferred")]
    assert (deferred.text, deferred.rests) == (
        'Deferred and not taken up since: "I\'ll leave the CLI as is for now."', ("E1",),
    )  # fmt: skip
    assert [(o.what, o.count) for o in run.brief_at(11).outside] == [("other events", 2), ("deferred decisions", 1)]


def test_a_completed_test_clears_alerts_and_a_passed_one_closes_the_test_relation() -> None:
    s = table_5()
    s.edit("pkg/cli.py", "load_table('b')", "load_table('b', 'utf-8')")  # 20
    s.test("===== 3 passed in 0.10s =====")  # 21
    run = s.run()
    assert run.alerts_at(20) == run.alerts_at(19) != ()
    assert run.alerts_at(21) == ()
    assert [(s.t, e.why) for s in run.steps for e in s.effects if e.kind == "clear"] == [(21, "test-completed")]
    state = run.state_at(21)
    assert {r.target for r in state.open_relations} == {"README.md", "settings.toml"}
    closed = {r.target: (r.how, r.closed) for r in state.relations if r.state == "checked"}
    assert closed["pkg/cli.py"] == ("edited", 20)
    assert closed["tests/test_loader.py"] == ("run", 21)
    assert state.events[-1].tag == "test-passed"


def test_a_second_change_of_the_source_opens_a_checked_relation_again() -> None:
    s = Script().user("Go.").edit("pkg/loader.py", "load_table(path)", "load_table(path, encoding)").read("pkg/cli.py")
    s.edit("pkg/loader.py", "load_table(path, encoding)", "load_table(path, encoding, newline)")
    run = s.run()
    (cli,) = [r for r in run.state_at(3).relations if r.target == "pkg/cli.py"]
    assert cli.state == "checked"
    (cli,) = [r for r in run.state_at(4).relations if r.target == "pkg/cli.py"]
    assert (cli.state, cli.opened, cli.closed) == ("open", 4, 0)


def test_a_sub_agents_read_checks_nothing_and_its_write_is_a_change() -> None:
    s = Script().user("Go.").edit("pkg/loader.py", "load_table(path)", "load_table(path, encoding)")
    s.read("pkg/cli.py", agent="a1").edit("pkg/service.py", "'a'", "'z'", agent="a1")
    run = s.run()
    states = {r.target: r.state for r in run.state_at(4).relations if r.source == "pkg/loader.py"}
    assert states["pkg/cli.py"] == "open"
    assert states["pkg/service.py"] == "checked"
    assert [s.counters.window for s in run.steps] == [0, 1, 1, 1]  # its calls are not the agent's


def test_the_brief_names_what_it_leaves_out_and_loses_nothing(example: HarnessRun) -> None:
    state = example.state_at(19)
    brief = make_brief(19, state, limits=Limits(events=2, relations=1, procedures=0))
    shown = {e.n for e in brief.events}
    (other,) = [o for o in brief.outside if o.what == "other events"]
    assert other.count == len(state.events) - len(shown)
    (relations,) = [o for o in brief.outside if o.what == "more open relations"]
    assert relations.count == len(state.open_relations) - 1
    events, _ = dropped(example.brief_at(3), make_brief(19, state, limits=Limits(events=1)))
    assert [e.name for e in events] == ["E1"]


@pytest.fixture(scope="module", params=sorted(RUNS))
def recorded(request: pytest.FixtureRequest) -> tuple[HarnessRun, HarnessRun, int]:
    """A whole sample run and its first half, each followed by itself."""
    trajectory = load(discover([SAMPLES / "runs" / f"{request.param}.jsonl"])[0])
    base = load_base(str(SAMPLES / "bases" / RUNS[request.param]), trajectory)
    replayed = replay(trajectory, base)
    half = len(trajectory.steps) // 2
    part = type(trajectory)(
        **{name: getattr(trajectory, name) for name in trajectory.__dataclass_fields__ if name != "steps"},
        steps=trajectory.steps[:half],
    )
    return follow(trajectory, replayed), follow(part, replay(part, base)), half


def test_a_step_knows_nothing_of_what_comes_later(recorded: tuple[HarnessRun, HarnessRun, int]) -> None:
    whole, part, half = recorded
    assert whole.steps[:half] == part.steps


def test_records_of_every_step_are_sound_and_follow_from_those_before(
    recorded: tuple[HarnessRun, HarnessRun, int],
) -> None:
    whole, _, _ = recorded
    before = whole.start
    for step in whole.steps[:: max(1, len(whole.steps) // 25)]:
        state = whole.state_at(step.t)
        assert check_structure(state) == ()
        assert check_history(before, state) == ()
        assert read_state(write_state(state)) == (state, ())
        assert len(write_brief(whole.brief_at(step.t))) < 12_000
        before = state
    assert state.events, "a run that does something has events"


def test_relations_are_closed_only_by_what_the_run_did(recorded: tuple[HarnessRun, HarnessRun, int]) -> None:
    whole, _, _ = recorded
    final = whole.state_at(len(whole.steps))
    seen: dict[str, int] = {}
    for r in final.relations:
        seen[r.target] = max(seen.get(r.target, 0), r.closed)
    assert check_closed(final, seen) == ()
    assert len(check_closed(final, {})) == sum(r.state == "checked" for r in final.relations)


def test_a_long_run_is_followed_in_seconds() -> None:
    s = Script().user("Go.")
    for n in range(1500):
        s.read("pkg/cli.py").say(f"I found that `part_{n}` is not what it should be.")
    run = s.run()
    assert len(run.state_at(3001).events) == 1500
