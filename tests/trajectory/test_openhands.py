"""OpenHands runs: events joined by cause, editors, notebooks, rows; then whatever is done to the events."""

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NotATranscript
from core.trajectory.load import RunFiles, discover, load, load_bytes
from core.trajectory.steps import Hunk, Shown, Step, Trajectory, Write
from tests.trajectory.test_claude_properties import ANY_JSON, paths_of

A = "/workspace/shop/a.py"
TASK = "<uploaded_files>\n/workspace/shop\n</uploaded_files>\nFix it."


def response(number: int, *calls: tuple[str, str]) -> dict[str, Any]:
    """The model's response that calls come from."""
    listed = [{"id": call_id, "function": {"name": "x", "arguments": text}} for call_id, text in calls]
    usage = {"prompt_tokens": 50, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 20}}
    return {"id": f"resp-{number}", "model": "m-1", "usage": usage, "choices": [{"message": {"tool_calls": listed}}]}


def action(number: int, kind: str, call_id: str = "", answer: int = 0, **args: Any) -> dict[str, Any]:
    """An action of the agent; ``answer`` numbers the response it is part of."""
    event = {
        "id": number,
        "timestamp": f"2026-01-23T16:{number:02d}:00",
        "source": "agent",
        "action": kind,
        "args": args,
    }
    if call_id:
        model = response(answer or number, (call_id, json.dumps(args)))
        event["tool_call_metadata"] = {"function_name": f"do_{kind}", "tool_call_id": call_id, "model_response": model}
    return event


def observed(number: int, cause: int, kind: str, content: str, **extras: Any) -> dict[str, Any]:
    """What came back from the action ``cause``."""
    return {"id": number, "cause": cause, "source": "agent", "observation": kind, "content": content, "extras": extras}


def shell(code: int, folder: str = "/workspace/shop") -> dict[str, Any]:
    """The metadata of a shell's answer."""
    suffix = f"\n[The command completed with exit code {code}.]"
    return {"metadata": {"exit_code": code, "working_dir": folder, "prefix": "", "suffix": suffix}}


EVENTS = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": TASK}},
    {"id": 1, "source": "agent", "action": "system", "args": {"content": "You are OpenHands."}},
    action(2, "run", "c1", command="cat a.py", thought="Looking."),
    observed(3, 2, "run", "x\ny", **shell(0)),
    action(4, "read", "c2", path=A, view_range=None, start=0, end=-1),
    observed(5, 4, "read", f"Here's the result of running `cat -n` on {A}:\n     1\tx\n     2\ty\n     3\t\n", path=A),
    action(6, "edit", "c3", answer=9, command="str_replace", path=A, old_str="x", new_str="z", thought="Two things."),
    action(7, "run", "c4", answer=9, command="pytest -q"),
    observed(
        8,
        6,
        "edit",
        f"The file {A} has been edited. Here's the result of running `cat -n` on it:\n     1\tz\n     2\ty\n",
    ),
    observed(9, 7, "run", "1 failed", **shell(1)),
    action(10, "edit", "c5", command="str_replace", path=A, old_str="q", new_str="r"),
    observed(11, 10, "edit", "ERROR:\nNo replacement was performed"),
    action(12, "think", "c6", thought="Hm."),
    observed(13, 12, "think", "Your thought has been logged."),
    {"id": 14, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
    {"id": 15, "source": "agent", "action": "message", "args": {"content": "Almost."}},
    action(16, "finish", "c7", thought="All done."),
]
ROW = {
    "instance_id": "shop__shop-3",
    "instance": {"base_commit": "12b40c7", "repo": "shop/shop"},
    "test_result": {"git_patch": "diff --git a/a.py b/a.py\n"},
    "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m-1"}},
    "instruction": TASK,
    "history": EVENTS,
}


def loaded(value: Any) -> Trajectory:
    return load_bytes("output.jsonl", json.dumps(value).encode())


def only(*events: dict[str, Any]) -> Step:
    (step,) = (step for step in loaded({**ROW, "history": [EVENTS[0], *events]}).steps if step.kind != "say")
    return step


def test_a_row_becomes_steps():
    t = loaded(ROW)
    assert [(s.kind, s.call_id or s.text, s.failed) for s in t.steps] == [
        ("say", TASK, False),
        ("say", "Looking.", False),
        ("read", "c1", False),
        ("read", "c2", False),
        ("say", "Two things.", False),
        ("edit", "c3", False),
        ("run", "c4", True),
        ("edit", "c5", True),
        ("run", "c6", False),
        ("say", "Almost.", False),
        ("say", "All done.", False),
        ("run", "c7", False),
    ]
    assert t.steps[2].text == "x\ny\n[The command completed with exit code 0.]"
    assert t.steps[2].shown == (Shown(A, 1, ("x", "y"), "cat", whole=True),)
    assert t.steps[3].shown == (Shown(A, 1, ("x", "y"), "read", whole=True),)
    assert t.steps[5].writes == (Write(A, "edit", "z", "x", hunks=(Hunk(1, 1, ()),)),)
    assert t.steps[5].shown == (Shown(A, 1, ("z", "y"), "snippet"),)
    assert (t.steps[7].writes, t.steps[6].purpose) == ((), "test")
    assert [s.neutral for s in t.steps[8:]] == [True] * 4
    assert (t.instance_id, t.base_hint, t.submission) == ("shop__shop-3", "12b40c7", "diff --git a/a.py b/a.py\n")
    assert (t.cwd, t.agent, t.models) == ("/workspace/shop", "OpenHands CodeActAgent", ("m-1",))
    assert (t.lines, t.skipped, t.steps[-1].turn) == (17, (), 1)
    assert dict(t.unknown) == {"action:system": 1, "observation:agent_state_changed": 1}


def test_calls_of_one_response_share_its_message_and_its_usage():
    t = loaded(ROW)
    assert t.steps[4].message_id == t.steps[5].message_id == t.steps[6].message_id == "resp-9"
    assert [(u.message_id, u.t, u.input, u.cache_read, u.output) for u in t.usages if u.message_id == "resp-9"] == [
        ("resp-9", 5, 30, 20, 5)
    ]
    assert t.steps[5].call == json.dumps(EVENTS[6]["args"])


def test_a_running_command_is_gone_on_with():
    first = action(2, "run", "c1", command="pytest -q")
    more = action(4, "run", "c2", command="", is_input=True)
    t = loaded({**ROW, "history": [EVENTS[0], first, observed(3, 2, "run", "...", **shell(-1)), more]})
    later = loaded(
        {
            **ROW,
            "history": [
                EVENTS[0],
                first,
                observed(3, 2, "run", "..", **shell(-1)),
                more,
                observed(5, 4, "run", "ok", **shell(0)),
            ],
        }
    )
    assert [(s.command, s.purpose, s.failed, s.empty) for s in t.steps[1:]] == [
        ("pytest -q", "test", False, False),
        ("pytest -q", "test", False, True),
    ]
    assert [(s.command, s.purpose, s.empty) for s in later.steps[2:]] == [("pytest -q", "test", False)]


def test_the_shell_moves_and_the_next_command_starts_there():
    events = [
        action(2, "run", "c1", command="cd /workspace/shop/sub"),
        observed(3, 2, "run", "", **shell(0, "/workspace/shop/sub")),
        action(4, "run", "c2", command="cat b.py"),
        observed(5, 4, "run", "x", **shell(0, "/workspace/shop/sub")),
    ]
    start = [action(6, "run", "c0", command="ls"), observed(7, 6, "run", "sub", **shell(0))]
    t = loaded({**ROW, "history": [EVENTS[0], *start, *events]})
    assert t.steps[-1].shown[0].path == "/workspace/shop/sub/b.py"


@pytest.mark.parametrize(
    ("kind", "args", "content", "shown", "writes"),
    [
        ("write", {"path": A, "content": "x\n", "start": 0, "end": -1}, "I wrote", (), (Write(A, "put", new="x\n"),)),
        ("write", {"path": A, "content": "x\n", "start": 3, "end": 4}, "I wrote", (), (Write(A, "opaque"),)),
        ("write", {"path": "a.py", "content": "x"}, "ERROR: no", (), ()),
        ("read", {"path": A, "start": 0, "end": -1}, "x\ny\n", (Shown(A, 1, ("x", "y"), "read", whole=True),), ()),
        ("read", {"path": A, "start": 4, "end": 5}, "x\n", (Shown(A, 5, ("x",), "read"),), ()),
        (
            "read",
            {"path": A},
            f"Here's the result of running `cat -n` on {A}:\n     1\tx\n     2\ty<response clipped><NOTE>..</NOTE>",
            (Shown(A, 1, ("x",), "read"),),
            (),
        ),
        (
            "edit",
            {"path": A, "command": "create", "file_text": "x\n"},
            "File created successfully at: x",
            (),
            (Write(A, "put", new="x\n"),),
        ),
    ],
)
def test_files(kind: str, args: dict, content: str, shown: tuple, writes: tuple):
    step = only(action(2, kind, "c", **args), observed(3, 2, kind, content))
    assert (step.shown, step.writes) == (shown, writes)
    assert step.failed is content.startswith("ERROR")


def test_an_edit_drafted_by_another_model_shows_the_client_both_texts():
    given_back = observed(3, 2, "edit", "[File edited]", old_content="x\n", new_content="z\n", path=A)
    step = only(action(2, "edit", "c", path=A, content="...", start=1, end=-1), given_back)
    assert step.shown == (Shown(A, 1, ("x",), "original", whole=True, seen=False),)
    assert step.writes == (Write(A, "put", new="z\n"),)


OLD = [
    {"action": "message", "content": "Fix it."},
    {"action": "run", "command": "touch LICENSE", "thought": "First.", "keep_prompt": True},
    {
        "observation": "run",
        "command": "touch LICENSE",
        "command_id": -1,
        "exit_code": 0,
        "content": "\r\nroot@b1:/workspace # ",
    },
    {"action": "run_ipython", "code": "open_file('/workspace/a.css')", "thought": ""},
    {
        "observation": "run_ipython",
        "code": "open_file('/workspace/a.css')",
        "content": "[File: /workspace/a.css (2 lines total)]\n(this is the beginning of the file)\n1|a\n2|b\n"
        "(this is the end of the file)",
    },
    {"action": "run_ipython", "code": "edit_file_by_replace('a.css', to_replace='a', new_content='c')"},
    {
        "observation": "run_ipython",
        "code": "",
        "content": "[File: a.css (2 lines total after edit)]\n1|c\n2|b\n"
        "[Jupyter current working directory: /workspace]",
    },
    {"action": "run_ipython", "code": "edit_file_by_replace('a.css', to_replace='b', new_content='(')"},
    {
        "observation": "run_ipython",
        "code": "",
        "content": "[Your proposed edit has introduced new syntax error(s).]\n[File: a.css (2 lines total)]\n1|c\n2|(",
    },
    {"action": "run_ipython", "code": "with open('LICENSE', 'w') as f:\n    f.write('MIT')"},
    {"observation": "run_ipython", "code": "", "content": "[Code executed successfully with no output]"},
    {"action": "finish", "outputs": {}, "thought": "Done."},
]


def test_the_old_format_has_neither_ids_nor_causes():
    row = {"issue": {"owner": "o", "repo": "r", "number": 5}, "base_commit": "", "git_patch": "diff", "history": OLD}
    for history in (OLD, [OLD[:1], OLD[1:3], OLD[3:5], OLD[5:7], OLD[7:9], OLD[9:11], OLD[11:]]):
        t = loaded({**row, "history": history})
        assert [(s.kind, s.role, s.failed) for s in t.steps] == [
            ("say", "user", False),
            ("say", "assistant", False),
            ("run", "assistant", False),
            ("read", "assistant", False),
            ("edit", "assistant", False),
            ("edit", "assistant", True),
            ("run", "assistant", False),
            ("say", "assistant", False),
            ("run", "assistant", False),
        ]
        css = "/workspace/a.css"
        assert t.steps[3].shown == (Shown(css, 1, ("a", "b"), "read", whole=True),)
        assert t.steps[4].writes == (Write(css, "edit", "c", "a", hunks=(Hunk(1, 1, ()),)),)
        assert (t.steps[5].writes, t.steps[5].shown) == ((), ())
        assert t.steps[6].writes == (Write("/workspace/LICENSE", "put", new="MIT"),)
        assert (t.session_id, t.submission, t.cwd) == ("o-r-5", "diff", "/workspace")


def test_a_condensation_takes_away_the_results_it_names_and_gives_its_summary():
    cut = {"id": 20, "source": "agent", "action": "condensation"}
    by_range = {**cut, "args": {"forgotten_events_start_id": 2, "forgotten_events_end_id": 5, "summary": "Read a.py."}}
    by_name = {**cut, "args": {"forgotten_event_ids": [2, 3, 4, 5], "summary": "Read a.py."}}
    for event in (by_range, by_name):
        t = loaded({**ROW, "history": [*EVENTS[:6], event, *EVENTS[6:]]})
        (compaction,) = t.compactions
        assert (compaction.after, compaction.kind, compaction.removed) == (4, "micro", ("c1", "c2"))
        assert (t.steps[4].tool, t.steps[4].text) == ("summary", "Read a.py.")


def test_a_bare_list_of_events_is_a_run():
    t = loaded(EVENTS)
    assert (t.format, len(t.steps)) == ("openhands", 12)
    assert t.run_id.startswith("output-")


def test_a_file_of_rows_is_a_run_a_row(tmp_path: Path):
    rows = [ROW, {**ROW, "instance_id": "shop__shop-4", "history": EVENTS[:4]}, {**ROW, "instance_id": "shop__shop-5"}]
    lines = [json.dumps(row).encode() for row in rows]
    path = tmp_path / "output.jsonl"
    path.write_bytes(lines[0] + b"\n\n" + lines[1] + b"\n" + lines[2])
    runs = discover([tmp_path])
    assert runs == (
        RunFiles(path, (), "output.jsonl row 1", 1, 0),
        RunFiles(path, (), "output.jsonl row 3", 3, len(lines[0]) + 2),
        RunFiles(path, (), "output.jsonl row 4", 4, len(lines[0]) + len(lines[1]) + 3),
    )
    found = [load(run) for run in runs]
    assert [t.instance_id for t in found] == ["shop__shop-3", "shop__shop-4", "shop__shop-5"]
    assert [t.size for t in found] == [len(lines[0]) + 1, len(lines[1]) + 1, len(lines[2])]
    assert len({t.content_hash for t in found}) == len({t.run_id for t in found}) == 3
    whole = load_bytes("output.jsonl", path.read_bytes())
    assert whole.instance_id == "shop__shop-3"
    assert whole.skipped[0].why == "2 more JSON values behind the first, which alone is read"


def test_a_broken_row_is_refused_and_the_others_are_not(tmp_path: Path):
    path = tmp_path / "output.jsonl"
    line = json.dumps(ROW).encode()
    path.write_bytes(line + b"\n" + line[:-30] + b"\n" + line + b"\n")
    one, two, three = discover([path])
    assert load(one).steps == load(three).steps
    with pytest.raises(NotATranscript, match="one JSON document, but broken JSON") as raised:
        load(two)
    assert not raised.value.skip


def check(data: bytes) -> Trajectory | None:
    """What must hold of any bytes at all."""
    try:
        t = load_bytes("x.jsonl", data)
    except NotATranscript:
        return None
    assert [step.t for step in t.steps] == list(range(1, len(t.steps) + 1))
    assert len(t.skipped) <= t.lines + 1
    assert all(1 <= u.t <= len(t.steps) for u in t.usages)
    assert all(0 <= c.after <= len(t.steps) for c in t.compactions)
    json.dumps([step.text for step in t.steps], ensure_ascii=False).encode("utf-8")
    return t


WHOLE = loaded(ROW)
TEXTS = {step.text for step in WHOLE.steps} | {""}


@given(st.lists(st.integers(0, len(EVENTS) - 1), max_size=25))
@settings(max_examples=200, deadline=None)
def test_events_left_out_repeated_and_moved_invent_nothing(order: list[int]):
    t = check(json.dumps({**ROW, "history": [EVENTS[index] for index in order]}).encode())
    if t is not None:
        assert {step.text for step in t.steps} <= TEXTS
        calls = {index for index in order if EVENTS[index].get("action") not in (None, "message", "system")}
        ids = {EVENTS[index]["tool_call_metadata"]["tool_call_id"] for index in calls}
        assert Counter(step.call_id for step in t.steps if step.kind != "say") == Counter(ids)


@given(
    st.integers(0, len(json.dumps(ROW)) - 1),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_a_cut_or_corrupted_row_never_crashes(end: int, changes: list[tuple[int, int]]):
    data = bytearray(json.dumps(ROW).encode())
    for index, byte in changes:
        data[index % len(data)] = byte
    check(bytes(data))
    assert check(json.dumps(ROW).encode()[:end]) is None


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_any_value_in_any_place_never_crashes(data):
    value = copy.deepcopy(data.draw(st.sampled_from([ROW, {**ROW, "history": OLD}, EVENTS])))
    path = data.draw(st.sampled_from([path for path in paths_of(value) if path]))
    holder: Any = value
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = data.draw(ANY_JSON)
    check(json.dumps(value).encode())
