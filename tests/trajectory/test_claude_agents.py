"""Sub-agents: their steps are hidden, found in all five places, merged by time, and never counted twice (FORMATS)."""

from pathlib import Path

import pytest

from core.trajectory.load import discover, load
from core.trajectory.steps import Trajectory, Write
from tests.trajectory.sessions import CWD, SESSION, assistant, at, call, parsed, result, text, user, written

FILE = f"{CWD}/a.py"
EDIT = {"file_path": FILE, "old_string": "x", "new_string": "y"}


def hidden(line: dict, agent: str | None = "ag1") -> dict:
    return {**line, "isSidechain": True} | ({"agentId": agent} if agent else {})


def main_lines(reply: float = 9) -> list[dict]:
    return [
        user("Delegate.", 0, "u0"),
        assistant([call("task", "Task", prompt="Edit it.")], 1, "m1"),
        result("task", "Done by the agent.", reply, {"status": "completed", "agentId": "ag1", "content": []}),
        assistant([text("It is done.")], 10, "m2"),
    ]


def agent_lines(agent: str | None = "ag1", start: float = 2) -> list[dict]:
    chain = [
        user("Edit it.", start, "h0", parentUuid=None),
        assistant([call("e1", "Edit", **EDIT)], start + 1, "hm1", uuid="h1", parentUuid="h0"),
        result("e1", "updated", start + 2, parentUuid="h1", uuid="h2"),
        assistant([text("I edited it.")], start + 3, "hm2", uuid="h3", parentUuid="h2"),
    ]
    return [hidden(line, agent) for line in chain]


def echoes(lines: list[dict]) -> list[dict]:
    return [
        {
            **{key: line[key] for key in ("cwd", "sessionId", "version")},
            "type": "progress",
            "isSidechain": False,
            "uuid": f"echo-{line['uuid']}",
            "timestamp": line["timestamp"],
            "parentToolUseID": "task",
            "data": {
                "type": "agent_progress",
                "agentId": line["agentId"],
                "message": {key: line[key] for key in ("type", "message", "uuid", "timestamp")},
            },
        }
        for line in lines
    ]


def order(t: Trajectory) -> list[tuple[str, str]]:
    return [(step.agent, step.call_id or step.text) for step in t.steps]


EXPECTED = [
    ("", "Delegate."),
    ("ag1", "Edit it."),
    ("ag1", "e1"),
    ("ag1", "I edited it."),
    ("", "task"),
    ("", "It is done."),
]


def check(t: Trajectory, agent: str = "ag1") -> None:
    assert order(t) == [(agent if who else "", what) for who, what in EXPECTED]
    assert t.steps[2].writes == (Write(FILE, "edit", "y", "x"),)
    assert [step.turn for step in t.steps] == [1] * 6


@pytest.mark.parametrize(
    "place",
    [
        "agent-ag1.jsonl",
        f"{SESSION}/subagents/agent-ag1.jsonl",
        f"{SESSION}/subagents/workflows/wf_1/agent-ag1.jsonl",
    ],
)
def test_agent_files_are_found_with_the_folder_and_with_the_session_alone(tmp_path: Path, place: str):
    main = written(tmp_path, f"{SESSION}.jsonl", *main_lines())
    agent = written(tmp_path, place, *agent_lines())
    for given in ([tmp_path], [main], [main, agent], [agent, tmp_path]):
        (run,) = discover(given)
        assert (run.main, run.agents) == (main, (agent,))
        t = load(run)
        check(t)
        assert t.sources == (main.name, agent.name)
        assert t.size == main.stat().st_size + agent.stat().st_size


def test_echoes_in_the_main_file_may_be_the_only_trace():
    lines = main_lines()
    check(parsed(*lines[:2], *echoes(agent_lines()), *lines[2:]))


def test_inline_sidechains_of_old_versions_are_one_agent_by_the_root_of_their_chain():
    lines = main_lines()
    check(parsed(*lines[:2], *agent_lines(None), *lines[2:]), "side-h0")


def test_an_agent_that_stands_in_its_own_file_and_in_echoes_is_counted_once(tmp_path: Path):
    lines = main_lines()
    main = written(tmp_path, "main.jsonl", *lines[:2], *echoes(agent_lines()), *lines[2:])
    written(tmp_path, "agent-ag1.jsonl", *agent_lines())
    t = load(*discover([main]))
    check(t)
    assert t.steps[2].source == "agent-ag1.jsonl"


def test_an_echo_of_a_call_the_file_lacks_is_added(tmp_path: Path):
    lines = main_lines()
    main = written(tmp_path, "main.jsonl", *lines[:2], *echoes(agent_lines()), *lines[2:])
    written(tmp_path, "agent-ag1.jsonl", *agent_lines()[3:])
    assert order(load(*discover([main]))) == EXPECTED


def test_hidden_steps_merge_by_the_time_of_their_result():
    t = parsed(
        assistant([text("a")], 1, "m1"),
        assistant([call("c1", "LS", path=".")], 2, "m2"),
        result("c1", "x", 4),
        *[hidden(line) for line in [assistant([call("h1", "LS"), call("h2", "LS")], 1.5, "hm")]],
        *[hidden(line) for line in [result("h1", "p", 3), result("h2", "q", 6)]],
        assistant([text("b")], 5, "m3"),
        assistant([text("end")], 7, "m4"),
    )
    assert [what for _, what in order(t)] == ["a", "h1", "c1", "b", "h2", "end"]


def test_main_calls_of_one_message_stay_together_behind_the_work_of_the_agents_they_start():
    t = parsed(
        assistant([text("Both."), call("c1", "LS", path="."), call("c2", "Task", prompt="p")], 1, "m1"),
        result("c1", "a", 2),
        *[hidden(line) for line in [assistant([call("h1", "LS", path=".")], 1.5, "hm"), result("h1", "b", 5)]],
        result("c2", "agent ran", 6),
        assistant([text("end")], 7, "m2"),
    )
    assert order(t) == [("", "Both."), ("ag1", "h1"), ("", "c1"), ("", "c2"), ("", "end")]


def test_work_of_agents_started_together_comes_before_the_calls_that_end_with_it():
    first = [hidden(line, "ag1") for line in [assistant([call("h1", "LS")], 2, "hm1"), result("h1", "a", 3)]]
    second = [hidden(line, "ag2") for line in [assistant([call("h2", "LS")], 2, "hm2"), result("h2", "b", 8)]]
    t = parsed(
        assistant([call("t1", "Task", prompt="p"), call("t2", "Task", prompt="q")], 1, "m1"),
        *first,
        result("t1", "one", 4),
        *second,
        result("t2", "two", 9),
    )
    assert order(t) == [("ag1", "h1"), ("ag2", "h2"), ("", "t1"), ("", "t2")]


def test_ties_go_by_file_order_and_records_without_a_time_stay_where_they_stand():
    tie = parsed(user("a", 1), hidden(user("h", 1, "h")), user("b", 1, "b"))
    assert [step.text for step in tie.steps] == ["a", "h", "b"]
    timeless = [{**line, "timestamp": None} for line in (user("a", 1), hidden(user("h", 0, "h")), user("b", 2))]
    assert [step.text for step in parsed(*timeless).steps] == ["a", "h", "b"]


def test_an_asynchronous_agent_works_on_after_its_call_returned():
    lines = main_lines(reply=1.5)
    assert [what for _, what in order(parsed(*lines, *agent_lines(start=2)))] == [
        "Delegate.",
        "task",
        "Edit it.",
        "e1",
        "I edited it.",
        "It is done.",
    ]


def test_nested_agents_each_keep_their_id(tmp_path: Path):
    main = written(tmp_path, f"{SESSION}.jsonl", *main_lines())
    folder = f"{SESSION}/subagents"
    outer = [assistant([call("t2", "Agent", prompt="q")], 2, "hm"), result("t2", "inner done", 6)]
    inner = [assistant([call("e1", "Edit", **EDIT)], 3, "im"), result("e1", "updated", 4)]
    written(tmp_path, f"{folder}/agent-out.jsonl", *[hidden(line, "out") for line in outer])
    written(tmp_path, f"{folder}/agent-in.jsonl", *[hidden(line, "in") for line in inner])
    t = load(*discover([main]))
    assert order(t)[1:4] == [("in", "e1"), ("out", "t2"), ("", "task")]


def test_agent_files_without_their_parent_form_one_run_of_their_session(tmp_path: Path):
    one = written(tmp_path, "agent-ag1.jsonl", *agent_lines())
    two = written(tmp_path, "agent-ag2.jsonl", hidden(user("Look.", 20, "x"), "ag2"))
    other = written(tmp_path, "agent-ag3.jsonl", hidden(user("Other.", 1, "y"), "ag3") | {"sessionId": "other"})
    runs = discover([tmp_path])
    assert [(run.main, run.agents) for run in runs] == [(None, (one, two)), (None, (other,))]
    t = load(runs[0])
    assert t.session_id == SESSION
    assert [step.agent for step in t.steps] == ["ag1", "ag1", "ag1", "ag2"]


def test_an_agents_own_compaction_does_not_empty_the_main_context():
    boundary = {"type": "system", "subtype": "compact_boundary", "timestamp": at(3), "uuid": "b"}
    t = parsed(user("a", 0), hidden(boundary), hidden(user("sum", 4, "s", isCompactSummary=True)), user("b", 5))
    assert t.compactions == ()
    assert [step.agent for step in t.steps] == ["", "ag1", ""]


def test_an_agents_usage_is_its_own():
    t = parsed(user("a", 0), hidden(assistant([text("h")], 1, "hm", {"output_tokens": 7})))
    assert [(usage.t, usage.agent, usage.output) for usage in t.usages] == [(2, "ag1", 7)]
