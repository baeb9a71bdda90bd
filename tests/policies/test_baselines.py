"""Every policy that needs no model, on a context small enough to work out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OptionError
from core.manager.weights import WEIGHTS
from core.policies import POLICIES, policy
from core.policies.context_editing import ContextEditing
from core.policies.masking import ObservationMasking
from core.policies.statetape import StateTape
from core.policies.turns import last_turns, turns
from core.tokens import count_tokens
from core.trajectory.steps import Role, Step
from tests.manager.scene import Scene
from tests.policies.contexts import FILES, gone, named, worked

NAMES = [
    "keep-all", "evict-all", "recency-5", "recency-10", "recency-20", "age-5", "age-10", "age-20", "span-overlap",
    "observation-masking", "llm-summary", "corvus", "text-only", "agentdiet", "context-editing",
    "statetape-defaults", "statetape", "file-level", "no-tape",
]  # fmt: skip
NEED_A_MODEL = {"llm-summary", "text-only", "agentdiet", "no-tape"}


def test_the_names() -> None:
    assert list(POLICIES) == NAMES
    assert {name for name, p in POLICIES.items() if p.needs_model} == NEED_A_MODEL
    assert all(p.source for p in POLICIES.values())


@pytest.mark.parametrize("name", sorted(NEED_A_MODEL))
def test_without_a_model_nothing_is_decided(name: str) -> None:
    plan = POLICIES[name].decide(worked().moment())
    assert plan.needs_model
    assert plan.actions == ()
    assert plan.retrievals == ()


def test_windows_of_any_size_by_name() -> None:
    assert policy("recency-7").parameters == {"records": 7}
    assert policy("age-0").parameters == {"steps": 0}
    assert policy("corvus") is POLICIES["corvus"]
    for unknown in ("recency", "age-x", "recency--1", "oracle-evict", ""):
        with pytest.raises(OptionError, match="expected one of"):
            policy(unknown)


def test_keep_all_and_evict_all() -> None:
    moment = worked().moment()
    assert POLICIES["keep-all"].decide(moment).actions == ()
    assert gone(POLICIES["evict-all"].decide(moment)) == {f"r{n}" for n in range(1, 10)}


def test_recency_keeps_the_newest_and_the_users_words() -> None:
    moment = worked().moment()
    assert gone(policy("recency-3").decide(moment)) == {"r2", "r3", "r4", "r5", "r6"}
    assert gone(policy("recency-9").decide(moment)) == set()
    assert gone(policy("recency-0").decide(moment)) == {f"r{n}" for n in range(2, 10)}


def test_age_keeps_what_is_at_most_n_steps_old() -> None:
    moment = worked().moment()
    assert moment.t == 9
    assert gone(policy("age-3").decide(moment)) == {"r2", "r3", "r4", "r5"}
    assert gone(policy("age-0").decide(moment)) == {f"r{n}" for n in range(2, 9)}


def test_span_overlap_supersedes_by_line_numbers() -> None:
    # r7 wrote line 9, which r2 and r6 show; r6 shows lines 8-9, which r2 shows. r3 is another file.
    assert gone(POLICIES["span-overlap"].decide(worked().moment())) == {"r2", "r6"}


def test_a_turn_is_one_assistant_message() -> None:
    scene = worked()
    assert turns(scene.steps) == {t: t - 1 for t in range(2, 10)}
    scene.message = "one message"
    scene.read("app/b.py")
    scene.read("app/a.py")
    assert turns(scene.steps)[10] == turns(scene.steps)[11] == 9


@given(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.sampled_from(["assistant", "user"]), st.booleans())))
def test_the_last_turns_begin_where_counting_all_of_them_says(made: list[tuple[str, Role, bool]]) -> None:
    steps = [
        Step(t, "say", role, "", "", "x", message_id=message, agent="sub" if hidden else "")
        for t, (message, role, hidden) in enumerate(made, 1)
    ]
    number = turns(steps)
    newest = max(number.values(), default=0)
    for count in range(newest + 2):
        first = last_turns(steps, count)
        assert [t for t in number if t < first] == [t for t, n in number.items() if n <= newest - count]


def test_masking_by_turns() -> None:
    scene = worked()
    plan = ObservationMasking(window=4).decide(scene.moment())
    # Eight turns; the outputs of the first four (r2-r5) are masked: two reads, the search, the test.
    assert named(plan) == dict.fromkeys(["r2", "r3", "r4", "r5"], "mask")
    texts = {a.record_id: a.successor.text for a in plan.actions if a.successor}
    assert texts == {
        "r2": "(9 lines omitted)",
        "r3": "(5 lines omitted)",
        "r4": "(2 lines omitted)",
        "r5": "(1 line omitted)",
    }
    assert ObservationMasking(window=8).decide(scene.moment()).actions == ()
    assert POLICIES["observation-masking"].decide(scene.moment()).actions == ()


def test_masking_leaves_a_command_the_user_typed() -> None:
    scene = worked()
    scene.step(Step(scene.t + 1, "run", "user", "Bash", "{}", "typed", command="ls"), [])  # r10
    for _ in range(3):
        scene.say("On.")
    plan = ObservationMasking(window=1).decide(scene.moment())
    assert named(plan) == dict.fromkeys(["r2", "r3", "r4", "r5", "r6", "r7", "r9"], "mask")


def test_masking_leaves_the_call_of_an_edit() -> None:
    scene = worked()
    (edit,) = (a for a in ObservationMasking(window=2).decide(scene.moment()).actions if a.record_id == "r7")
    assert edit.successor is not None
    assert edit.successor.text == f"{scene.steps[6].call}\n(1 line omitted)"
    assert [(s.start, s.lines) for s in edit.successor.sights] == [(9, ("    return 2 * one(x)",))]
    assert edit.successor.tokens == count_tokens(edit.successor.text)


def test_corvus_puts_whole_present_files_at_the_end() -> None:
    scene = worked()
    plan = POLICIES["corvus"].decide(scene.moment())
    assert named(plan) == dict.fromkeys(["r2", "r3", "r6"], "mask")
    assert [(r.path, r.start, r.end) for r in plan.retrievals] == [("app/a.py", 1, 9), ("app/b.py", 1, 9)]
    assert plan.retrievals[0].text.endswith("def two(x):\n    return 2 * one(x)")
    scene.write("app/b.py", None)
    plan = POLICIES["corvus"].decide(scene.moment())
    assert [r.path for r in plan.retrievals] == ["app/a.py"]
    assert named(plan)["r3"] == "mask"


def test_context_editing_waits_for_its_trigger() -> None:
    scene = worked()
    assert POLICIES["context-editing"].decide(scene.moment()).actions == ()
    tokens = sum(r.tokens for r in scene.held)
    plan = ContextEditing(trigger=tokens).decide(scene.moment())
    # Seven tool results; the newest three are r6, r7, r9.
    assert named(plan) == dict.fromkeys(["r2", "r3", "r4", "r5"], "mask")
    scene.billed(100_000)
    scene.say("One more request.")
    assert set(named(POLICIES["context-editing"].decide(scene.moment()))) == {"r2", "r3", "r4", "r5"}


def test_defaults_follow_algorithm_1() -> None:
    plan = POLICIES["statetape-defaults"].decide(worked().moment())
    # r2 and r6 show line 9, which changed; r7 shows the whole new `two` to neither. r5 is a test before a write.
    assert named(plan) == {"r2": "refresh", "r5": "rerun", "r6": "refresh"}
    refreshed = {a.record_id: a.successor for a in plan.actions}
    assert refreshed["r6"] is not None
    assert refreshed["r6"].text.endswith("return 2 * one(x)")


def test_the_manager_retrieves_without_a_nomination_unless_told_not_to() -> None:
    scene = Scene(FILES)
    scene.read("app/a.py")
    plan = POLICIES["statetape"].decide(scene.moment())
    assert plan.actions == ()
    assert [r.symbol for r in plan.retrievals] == ["app/b.py::three"]
    assert StateTape(replace(WEIGHTS, unasked=False)).decide(scene.moment()).retrievals == ()


def test_file_level_cannot_tell_one_definition_from_another() -> None:
    scene = Scene(FILES)
    scene.read("app/a.py", 4, 5)  # r1: only `one`
    scene.write("app/a.py", FILES["app/a.py"].replace("return one(x)", "return 2 * one(x)"))  # r2: only `two`
    assert named(POLICIES["statetape-defaults"].decide(scene.moment())) == {}
    plan = POLICIES["file-level"].decide(scene.moment())
    assert named(plan) == {"r1": "refresh"}
    # app/b.py imports from the written file and is not held: the whole file comes.
    assert [(r.path, r.start, r.end, r.hop) for r in plan.retrievals] == [("app/b.py", 1, 9, 1)]


def test_file_level_drops_views_of_a_removed_file() -> None:
    scene = Scene(FILES)
    scene.read("app/b.py")
    scene.write("app/b.py", None)
    (action,) = POLICIES["file-level"].decide(scene.moment()).actions
    assert action.name == "drop"
    assert action.successor is not None
    assert action.successor.referent is None
