"""The paper's manager with a scripted model: what it is asked, what of its reply is used, what the defaults decide."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.context.plan import context_after
from core.manager import skills
from core.manager.model import manage_with_model
from core.manager.prompt import PREVIEWS, prompt
from core.manager.reply import Choice, read_reply
from core.policies.statetape import StateTape, StateTapeDefaults
from core.tokens import count_tokens
from tests.manager.scene import Scene
from tests.manager.scripted import Scripted
from tests.policies.contexts import FILES, named, worked


def defaults() -> dict[str, str]:
    return named(StateTapeDefaults().decide(worked().moment()))


def test_a_reply_is_carried_out() -> None:
    answer = {
        "actions": {"r2": "drop", "r6": "keep"},
        "evict": ["r4", "r9"],
        "retrieve": [{"symbol": "app/b.py::lone", "rule": "G3"}],
    }
    client = Scripted(["Here it is:\n```json\n" + json.dumps(answer) + "\n```"])
    moment = worked().moment()
    plan = StateTape(client=client).decide(moment)
    assert named(plan) == {"r2": "drop", "r5": "rerun", "r6": "keep", "r4": "drop", "r9": "drop"}
    tombs = {a.record_id: a.successor for a in plan.actions}
    assert tombs["r2"] is not None
    assert "two changed" in tombs["r2"].text
    assert tombs["r4"] is None
    # r3 shows lines 1-5 of app/b.py; `lone` stands at 8-9.
    assert [(r.path, r.start, r.end, r.rule) for r in plan.retrievals] == [("app/b.py", 8, 9, "G3")]
    assert plan.spent == count_tokens(client.asked[0]) + count_tokens(client.replies[0])
    assert client.limits == [2000]
    after = [r.id for r in context_after(plan, moment.records, moment.t)]
    assert after == ["r1", "r2@9", "r3", "r5@9", "r6", "r7", "r8", "m1@9"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would keep everything.",
        "[1, 2]",
        "{",
        '{"actions": 3, "evict": "r4", "retrieve": {}}',
        "{" + "x " * 3000 + "}",
    ],
)
def test_what_cannot_be_used_leaves_the_defaults(reply: str) -> None:
    plan = manage_with_model(worked().moment(), Scripted([reply]))
    assert named(plan) == defaults()
    assert plan.retrievals == ()
    assert plan.note != ""


def test_entries_are_judged_one_by_one() -> None:
    answer = {
        "actions": {"r2": "explode", "r3": "drop", "r6": "drop", "r99": "drop", "r5": "refresh"},
        "evict": ["r1", "r2", "r4", 7, "r4"],
        "retrieve": [{"symbol": "app/none.py::x", "rule": "G2"}, {"symbol": "app/b.py::lone"}, "app/b.py::three"],
    }
    plan = manage_with_model(worked().moment(), Scripted([json.dumps(answer)]))
    # r1 is the user's, r2 nominated (not to be evicted), r3 not nominated; a test cannot be refreshed: its default.
    assert named(plan) == {**defaults(), "r6": "drop", "r4": "drop"}
    assert plan.retrievals == ()


def test_the_model_is_not_asked_when_nothing_is_nominated() -> None:
    scene = Scene(FILES)
    scene.read("app/a.py")
    client = Scripted(["{}"])
    assert manage_with_model(scene.moment(), client).spent == 0
    assert client.asked == []


def test_a_retrieval_that_does_not_fit_is_left_out() -> None:
    answer = {"retrieve": [{"symbol": "app/b.py::lone", "rule": "G3"}]}
    assert manage_with_model(worked().moment(budget=5), Scripted([json.dumps(answer)])).retrievals == ()


def test_the_prompt_keeps_its_bounds() -> None:
    scene = Scene(FILES, task="x" * 5000)
    for _ in range(60):
        scene.run("ls", "y" * 4000)
    scene.read("app/a.py")
    few = prompt(scene.moment())
    assert few.count(" run ") <= PREVIEWS
    assert "x" * 1500 in few
    assert "x" * 1501 not in few
    assert "y" * 81 not in few
    scene.write("app/a.py", FILES["app/a.py"].replace("x", "z"))
    text = prompt(scene.moment())
    row = next(line for line in text.split("\n") if line.startswith("r61 "))
    assert row == f"r61 app/a.py:1-9, {scene.records['r61'].tokens} tokens, default drop: one changed, two changed"
    assert "LIMIT = 3" not in text.split("---")[1].split("Other records")[0]


def test_skills_answer_from_graph_and_tape() -> None:
    moment = worked().moment()
    rows = {row.record_id: row for row in skills.nominations(moment)}
    assert {i: row.default for i, row in rows.items()} == {"r2": "refresh", "r5": "rerun", "r6": "refresh"}
    assert rows["r6"].fresh is not None
    assert "2 * one(x)" in rows["r6"].fresh
    assert rows["r5"].fresh is None
    (two,) = skills.drift(moment)
    assert (two.symbol, two.step, two.callers) == ("app/a.py::two", 7, (("app/b.py::three", 1),))
    assert skills.callers(moment, "app/a.py::one") == (("app/a.py::two", 1), ("app/b.py::three", 2))
    assert skills.falsified(moment, "app/a.py::two") == ("r2", "r6")
    assert [row.record_id for row in skills.held(moment)] == [f"r{n}" for n in range(1, 10)]
    assert skills.held(moment)[4].action == "Bash {}"
    assert skills.source(moment, "app/a.py", 9, 9) == "    return 2 * one(x)"
    assert skills.source(moment, "app/none.py") is None
    assert skills.definition(moment, "app/b.py::lone") == "def lone(x):\n    return x"


words = st.sampled_from(["r1", "r2", "r3", "drop", "keep", "G2"])
keys = st.sampled_from(["actions", "evict", "retrieve", "symbol", "rule", "r2"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(json_values.map(json.dumps), st.text(max_size=60)))
def test_any_reply_is_read(text: str) -> None:
    choice = read_reply(text, {"r2"}, {"r3"})
    assert isinstance(choice, Choice)
    assert set(choice.actions) <= {"r2"}
    assert set(choice.evict) <= {"r3"}
    assert all(rule in ("G1", "G2", "G3", "G4") for _, rule in choice.retrieve)
