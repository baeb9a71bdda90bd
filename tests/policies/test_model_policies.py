"""The policies that need a model, with a scripted one."""

from __future__ import annotations

import json

from core.policies.agentdiet import AgentDiet
from core.policies.llm_summary import SECTIONS, LlmSummary, folded
from core.policies.no_tape import NoTape
from core.policies.text_only import TextOnly
from core.tokens import count_tokens
from tests.manager.scene import Scene
from tests.manager.scripted import Scripted
from tests.policies.contexts import FILES, named, worked


def test_folds_happen_when_enough_turns_have_accumulated() -> None:
    assert folded(30, 31, 10) == []
    assert folded(31, 31, 10) == [(1, 21)]
    assert folded(51, 31, 10) == [(1, 21)]
    assert folded(52, 31, 10) == [(1, 21), (22, 42)]
    assert folded(21, 21, 10) == [(1, 11)]  # the paper's sentence
    assert folded(100, 5, 5) == []


def test_the_summary_stands_where_the_folded_turns_stood() -> None:
    client = Scripted(["Summary one.", "Summary two."])
    # Eight turns (r2-r9), folded two at a time once four have accumulated: (1,2), (3,4); turns 5-8 stay.
    plan = LlmSummary(trigger=4, keep=2, client=client).decide(worked().moment())
    assert named(plan) == dict.fromkeys(["r2", "r3", "r4", "r5", "r6", "r7"], "summarise")
    assert [a.successor.text if a.successor else None for a in plan.actions] == [None] * 5 + ["Summary two."]
    assert len(client.asked) == 3
    assert all(section in client.asked[0] for section in SECTIONS)
    assert "Earlier summary:\n(none)" in client.asked[0]
    assert "Earlier summary:\nSummary one." in client.asked[1]
    assert "[step 2, read]" in client.asked[0]
    assert "[step 4, search]" not in client.asked[0]
    assert plan.spent == sum(count_tokens(t) for t in client.asked) + count_tokens("Summary one.") + 2 * count_tokens(
        "Summary two."
    )


def test_an_empty_summary_folds_nothing() -> None:
    assert LlmSummary(trigger=4, keep=2, client=Scripted([" \n"])).decide(worked().moment()).actions == ()


def test_text_only_may_delete_reads_and_searches() -> None:
    client = Scripted([json.dumps({"delete": ["r2", "r4", "r5", "r7", "r1", 3]})])
    assert named(TextOnly(client).decide(worked().moment())) == {"r2": "drop", "r4": "drop"}
    rows = client.asked[0].split("---")[1]
    assert [line.split()[0] for line in rows.split("\n")[2:]] == ["r2", "r3", "r4", "r6"]
    assert TextOnly(Scripted(["delete them all"])).decide(worked().moment()).actions == ()


def test_agentdiet_reduces_long_steps_that_are_old_enough() -> None:
    scene = Scene(FILES)
    words = " ".join(f"word{n}" for n in range(400))
    scene.run("a", words)  # r1
    scene.run("b", "short")  # r2
    scene.run("c", words)  # r3: the last two records are too young
    scene.run("d", words)  # r4
    client = Scripted(["word0 ... word399"])
    plan = AgentDiet(client=client).decide(scene.moment())
    assert named(plan) == {"r1": "summarise"}
    assert len(client.asked) == 1
    assert "[step 1, run TARGET]" in client.asked[0]
    assert "[step 3, run]" in client.asked[0]
    assert "[step 4, run]" not in client.asked[0]
    # Too little saved: neither 400 tokens nor a fifth of the length.
    assert AgentDiet(client=Scripted([words[:-20]])).decide(scene.moment()).actions == ()
    assert AgentDiet(client=Scripted([""])).decide(scene.moment()).actions == ()


def test_a_reduced_read_shows_what_is_left_of_it() -> None:
    scene = worked()
    scene.say("a")
    scene.say("b")
    client = Scripted(["     5\t    return x + LIMIT\n..."])
    plan = AgentDiet(threshold=20, ratio=0.99, client=client).decide(scene.moment())
    read = next(a.successor for a in plan.actions if a.record_id == "r2")
    assert read is not None
    assert [(s.start, s.lines) for s in read.sights] == [(5, ("    return x + LIMIT",))]


def test_no_tape_judges_previews_and_retrieves_by_name() -> None:
    answer = {"evict": ["r2", "r1"], "retrieve": [{"symbol": "app/a.py::one", "rule": "G2"}]}
    client = Scripted([json.dumps(answer)])
    plan = NoTape(client).decide(worked().moment())
    assert named(plan) == {"r2": "drop"}
    assert [(r.path, r.start, r.end) for r in plan.retrievals] == [("app/a.py", 4, 5)]
    assert "changed" not in client.asked[0]
