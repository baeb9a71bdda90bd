"""mini-swe-agent trajectories: calls, framing, cut outputs, the bare list; then whatever is done to the document."""

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NotATranscript
from core.trajectory.load import load_bytes
from core.trajectory.mini_swe_agent import instance_of
from core.trajectory.steps import Shown, Step, Trajectory, Write
from tests.trajectory.test_claude_properties import ANY_JSON, paths_of

PATCH = "diff --git a/a.py b/a.py\n"


def act(call_id: str, command: str, text: str = "", at: int = 0) -> dict[str, Any]:
    """An assistant message with one call."""
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}}
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [{"id": call_id, "function": {"name": "bash", "arguments": json.dumps({"command": command})}}],
        "extra": {
            "actions": [{"command": command, "tool_call_id": call_id}],
            "response": {"model": "m-1", "usage": usage},
            "timestamp": 1775815293.5 + at,
        },
    }


def back(call_id: str, printed: str, code: int = 0, **more: Any) -> dict[str, Any]:
    """The message that answers a call."""
    text = f"<returncode>{code}</returncode>\n<output>\n{printed}</output>"
    extra = {"raw_output": printed, "returncode": code, "exception_info": ""}
    return {"role": "tool", "tool_call_id": call_id, "content": text, "extra": {**extra, **more}}


def document(*messages: dict[str, Any]) -> dict[str, Any]:
    """A trajectory of version 2."""
    return {
        "info": {
            "config": {"model": {"model_name": "m-1"}, "environment": {"cwd": "/testbed"}},
            "mini_version": "2.2.7",
            "exit_status": "Submitted",
            "submission": PATCH,
        },
        "messages": [
            {"role": "system", "content": "You are helpful."},
            {"role": "user", "content": "Fix it."},
            *messages,
            {"role": "exit", "content": PATCH, "extra": {"submission": PATCH}},
        ],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "shop__shop-12",
    }


RUN = document(
    act("c1", "cat a.py", "Looking.", 0),
    back("c1", "x\ny\n"),
    act("c2", "cat > b.py <<'EOF'\nz\nEOF", "", 1),
    back("c2", ""),
    act("c3", "python -m pytest -q", "Testing.", 2),
    back("c3", "1 failed\n", 1),
    act("c4", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt", "", 3),
)


def loaded(value: Any, name: str = "x.traj.json") -> Trajectory:
    return load_bytes(name, json.dumps(value).encode())


def only(*messages: dict[str, Any]) -> Step:
    (step,) = (step for step in loaded(document(*messages)).steps if step.kind != "say")
    return step


def test_a_run_becomes_steps():
    t = loaded(RUN)
    assert [(s.kind, s.call_id or s.text, s.purpose, s.failed) for s in t.steps] == [
        ("say", "Fix it.", "", False),
        ("say", "Looking.", "", False),
        ("read", "c1", "", False),
        ("run", "c2", "", False),
        ("say", "Testing.", "", False),
        ("run", "c3", "test", True),
        ("read", "c4", "", False),
    ]
    assert t.steps[2].shown == (Shown("/testbed/a.py", 1, ("x", "y"), "cat", whole=True),)
    assert t.steps[3].writes == (Write("/testbed/b.py", "put", new="z\n"),)
    assert t.steps[2].text == "<returncode>0</returncode>\n<output>\nx\ny\n</output>"
    assert (t.steps[6].neutral, t.steps[6].empty) == (True, True)
    assert (t.instance_id, t.submission, t.cwd, t.task) == ("shop__shop-12", PATCH, "/testbed", "Fix it.")
    assert (t.agent, t.models, t.format) == ("mini-swe-agent 2.2.7", ("m-1",), "mini-swe-agent")
    assert t.run_id.startswith("shop__shop-12-")
    assert (t.lines, t.skipped) == (10, ())
    assert (t.started[:19], t.ended[:19]) == ("2026-04-10T10:01:33", "2026-04-10T10:01:36")
    assert [(u.t, u.input, u.cache_read, u.output) for u in t.usages] == [(n, 40, 60, 7) for n in (2, 4, 5, 7)]
    assert t.steps[1].message_id == t.steps[2].message_id != t.steps[3].message_id


def test_a_cut_output_shows_the_whole_lines_of_its_head():
    printed = "".join(f"line {n}\n" for n in range(2000))
    text = (
        "<returncode>0</returncode>\n<warning>\nToo long.\n</warning>"
        "<output_head>\nline 0\nline 1\nlin\n</output_head>\n"
        "<elided_chars>\n90 characters elided\n</elided_chars>\n<output_tail>\nne 1999\n</output_tail>"
    )
    answer = {**back("c1", printed), "content": text}
    step = only(act("c1", "cat a.py"), answer)
    assert step.shown == (Shown("/testbed/a.py", 1, ("line 0", "line 1"), "cat"),)
    assert step.text == text


def test_a_command_that_timed_out_failed():
    step = only(act("c1", "sleep 99; cat a.py"), back("c1", "x\n", 0, exception_info="timed out"))
    assert (step.failed, step.shown) == (True, ())


BARE = [
    {"role": "system", "content": "You can interact with a computer."},
    {"role": "user", "content": "Fix it."},
    {"role": "assistant", "content": "THOUGHT: look.\n\n```mswea_bash_command\ncat /r/a.py\n```"},
    {"role": "user", "content": "<returncode>0</returncode>\n<output>\nx\n</output>"},
    {"role": "assistant", "content": "No command here."},
    {"role": "user", "content": "Please give exactly one action."},
    {"role": "assistant", "content": "```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff --cached\n```"},
    {"role": "user", "content": PATCH},
]


def test_a_bare_list_has_its_calls_in_fences():
    t = loaded(BARE)
    assert [(s.kind, s.role, s.command or s.text) for s in t.steps] == [
        ("say", "user", "Fix it."),
        ("say", "assistant", "THOUGHT: look."),
        ("read", "assistant", "cat /r/a.py"),
        ("say", "assistant", "No command here."),
        ("say", "user", "Please give exactly one action."),
        ("search", "assistant", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff --cached"),
    ]
    assert t.steps[2].shown == (Shown("/r/a.py", 1, ("x",), "cat", whole=True),)
    assert [s.turn for s in t.steps] == [1] * 6
    assert (t.submission, t.instance_id) == (PATCH, "")
    assert loaded(BARE, "shop__shop-12.traj.json").instance_id == "shop__shop-12"


def test_an_instance_id_is_all_of_a_file_name_or_none_of_it():
    assert instance_of("django__django-11564.traj.json") == "django__django-11564"
    assert instance_of("pvlib__pvlib-python-1707.traj") == "pvlib__pvlib-python-1707"
    assert instance_of("testdata-local.traj.json") == instance_of("../a__b-1.traj") == ""


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (json.dumps(RUN).encode()[:-400], "one JSON document, but broken JSON at character"),
        (json.dumps({**RUN, "messages": []}).encode(), "no step in it: 0 lines"),
        (json.dumps({**RUN, "messages": None}).encode(), "no step in it: 0 lines"),
    ],
)
def test_a_document_that_cannot_be_used_is_refused_with_the_reason(data: bytes, why: str):
    with pytest.raises(NotATranscript, match=why) as raised:
        load_bytes("x.traj.json", data)
    assert not raised.value.skip


def test_what_stands_behind_the_document_is_said():
    t = load_bytes("x.json", json.dumps(RUN).encode() + b"\n" + json.dumps(BARE).encode())
    assert [(s.line, s.why) for s in t.skipped] == [(1, "1 more JSON values behind the first, which alone is read")]
    assert len(t.steps) == 7


def check(data: bytes) -> Trajectory | None:
    """What must hold of any bytes at all."""
    try:
        t = load_bytes("x.traj.json", data)
    except NotATranscript:
        return None
    assert [step.t for step in t.steps] == list(range(1, len(t.steps) + 1))
    ids = Counter(step.call_id for step in t.steps if step.call_id)
    assert all(count == 1 for count in ids.values())
    assert all(1 <= u.t <= len(t.steps) for u in t.usages)
    assert len(t.skipped) <= t.lines + 1
    json.dumps([step.text for step in t.steps], ensure_ascii=False).encode("utf-8")
    return t


WHOLE = loaded(RUN)
TEXTS = {step.text for step in WHOLE.steps} | {""}


@given(st.lists(st.integers(0, len(RUN["messages"]) - 1), max_size=25))
@settings(max_examples=200, deadline=None)
def test_messages_left_out_repeated_and_moved_invent_nothing(order: list[int]):
    t = check(json.dumps({**RUN, "messages": [RUN["messages"][index] for index in order]}).encode())
    if t is not None:
        assert {step.text for step in t.steps} <= TEXTS
        assert t.lines == len(order)
        calls = {order[i] for i in range(len(order)) if RUN["messages"][order[i]]["role"] == "assistant"}
        assert sum(step.kind != "say" for step in t.steps) == len(calls)


@given(
    st.integers(0, len(json.dumps(RUN))), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=20)
)
@settings(max_examples=200, deadline=None)
def test_a_cut_or_corrupted_document_never_crashes(end: int, changes: list[tuple[int, int]]):
    data = bytearray(json.dumps(RUN).encode())
    for index, byte in changes:
        data[index % len(data)] = byte
    check(bytes(data))
    assert check(bytes(json.dumps(RUN).encode()[: min(end, len(json.dumps(RUN)) - 1)])) is None


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_any_value_in_any_place_never_crashes(data):
    value = copy.deepcopy(data.draw(st.sampled_from([RUN, BARE])))
    path = data.draw(st.sampled_from([path for path in paths_of(value) if path]))
    holder: Any = value
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = data.draw(ANY_JSON)
    check(json.dumps(value).encode())
