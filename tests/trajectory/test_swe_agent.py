"""SWE-agent trajectories: windows, editors, state before and after, history; then whatever is done to the document."""

import copy
import json
import re
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NotATranscript
from core.replay.base import load_base
from core.replay.replay import replay
from core.trajectory.editor_tools import windows
from core.trajectory.load import load_bytes
from core.trajectory.steps import Hunk, Shown, Step, Trajectory, Write
from core.trajectory.swe_agent_tools import _words, outcome_of
from tests.trajectory.test_claude_properties import ANY_JSON, paths_of

CWD = "/shop"


def window(path: str, first: int, lines: list[str], total: int) -> str:
    """What the file viewer prints."""
    above = [f"({first - 1} more lines above)"] if first > 1 else []
    left = total - first - len(lines) + 1
    below = [f"({left} more lines below)"] if left else []
    rows = [f"{number}:{line}" for number, line in enumerate(lines, first)]
    return "\n".join([f"[File: {path} ({total} lines total)]", *above, *rows, *below]) + "\n"


def entry(action: str, observation: str, thought: str = "", opened: str = "n/a", **more: Any) -> dict[str, Any]:
    """One step, its state as the older versions write it."""
    state = json.dumps({"open_file": opened, "working_dir": CWD}) + "\n"
    return {
        "action": action,
        "observation": observation,
        "response": thought,
        "thought": thought,
        "state": state,
        **more,
    }


def document(*entries: dict[str, Any], history: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A trajectory with its history."""
    messages = [
        {"role": "system", "content": "SETTING: a shell.", "agent": "main"},
        {"role": "user", "content": "Here is a demonstration of ...", "agent": "main", "is_demo": True},
        {"role": "user", "content": "Fix it.", "agent": "main"},
    ]
    for item in entries:
        messages.append({"role": "assistant", "content": "", "action": item["action"], "thought": item["thought"]})
        messages.append({"role": "user", "content": f"{item['observation']}(Open file: n/a)\nbash-$"})
    info = {"exit_status": "submitted", "submission": "diff --git a/a.py b/a.py\n", "model_stats": {}}
    given = messages if history is None else history
    return {"environment": "swe_main", "trajectory": list(entries), "history": given, "info": info}


A = f"{CWD}/src/a.py"
TEN = [f"line {number}" for number in range(1, 11)]
RUN = document(
    entry("find_file a.py\n", f'Found 1 matches for "a.py" in {CWD}:\n{A}\n', "Where is it?"),
    entry("open src/a.py 5\n", window(A, 1, TEN, 10), "Open it."),
    entry("edit 2:3\nNEW\nend_of_edit\n", window(A, 1, ["line 1", "NEW", *TEN[3:]], 9), "Change it.", A),
    entry(
        "edit 2:2\n  bad\nend_of_edit\n",
        "Your proposed edit has introduced new syntax error(s).\n" + window(A, 1, TEN, 10),
        "",
        A,
    ),
    entry("python -m pytest\n", "1 passed in 0.1s\n", "Test it.", A),
    entry("submit\n", "diff --git a/a.py b/a.py\n", "Done.", A),
)


def loaded(value: Any, name: str = "shop__shop-7.traj") -> Trajectory:
    return load_bytes(name, json.dumps(value).encode())


def only(*entries: dict[str, Any]) -> Step:
    return [step for step in loaded(document(*entries)).steps if step.kind != "say"][-1]


def test_a_run_becomes_steps():
    t = loaded(RUN)
    assert [(s.kind, s.tool or s.text, s.failed) for s in t.steps] == [
        ("say", "Fix it.", False),
        ("say", "Where is it?", False),
        ("search", "find_file", False),
        ("say", "Open it.", False),
        ("read", "open", False),
        ("say", "Change it.", False),
        ("edit", "edit", False),
        ("edit", "edit", True),
        ("say", "Test it.", False),
        ("run", "bash", False),
        ("say", "Done.", False),
        ("run", "submit", False),
    ]
    assert t.steps[4].shown == (Shown(A, 1, tuple(TEN), "read", whole=True),)
    assert t.steps[6].writes == (Write(A, "edit", "NEW", "line 2\nline 3", hunks=(Hunk(2, 2, ()),)),)
    assert t.steps[6].shown == (Shown(A, 1, ("line 1", "NEW", *TEN[3:]), "snippet", whole=True),)
    assert (t.steps[7].shown, t.steps[7].writes) == ((), ())
    assert (t.steps[9].purpose, t.steps[11].neutral) == ("test", True)
    assert (t.cwd, t.task, t.instance_id) == (CWD, "Fix it.", "shop__shop-7")
    assert t.submission == "diff --git a/a.py b/a.py\n"
    assert dict(t.unknown) == {"message:system": 1, "message:demonstration": 1}
    assert (t.lines, t.skipped) == (6, ())
    assert t.steps[4].message_id == t.steps[3].message_id != t.steps[5].message_id


def test_the_text_held_is_the_message_that_carried_the_observation():
    t = loaded(RUN)
    assert t.steps[4].text == window(A, 1, TEN, 10) + "(Open file: n/a)\nbash-$"
    other = document(*RUN["trajectory"], history=[{"role": "assistant", "content": "", "action": "something else"}])
    assert loaded(other).steps[3].text == window(A, 1, TEN, 10)


def test_replay_of_the_windows_agrees_with_the_edits():
    t = loaded(RUN)
    result = replay(t, load_base("none", t))
    assert [(w.path, w.after) for w in result.writes] == [
        ("src/a.py", "".join(f"{line}\n" for line in ["line 1", "NEW", *TEN[3:]]))
    ]
    assert result.unapplied == ()
    assert result.fidelity == 1.0


def test_windows_end_where_the_numbers_do_and_lose_a_terminals_line_ends():
    text = window("a.py", 3, ["x", "", "5:y"], 9).replace("\n", "\r\n") + "7 more"
    assert [(w.path, w.start, w.lines, w.total) for w in windows(text, CWD)] == [
        (f"{CWD}/a.py", 3, ("x", "", "5:y"), 9)
    ]
    hands = (
        "[File: /w/b.css (3 lines total after edit)]\n(this is the beginning of the file)\n"
        "1|a\n2|\n3|b\n(this is the end of the file)\n"
    )
    assert [w.shown("read") for w in windows(hands, "/w")] == [Shown("/w/b.css", 1, ("a", "", "b"), "read", whole=True)]
    assert windows("[File: a (1 lines total)]\n5:beyond the end\n", CWD) == ()


def done(action: str, observation: str, opened: str = "", views: Any = None) -> Any:
    return outcome_of(action, observation, CWD, opened, views or {})


@pytest.mark.parametrize(
    ("action", "writes"),
    [
        ("create src/n.py", (Write(A, "put", new="\n"),)),
        ("edit 'line 2' 'it''s 2'", (Write(A, "edit", "its 2", "line 2", hunks=()),)),
        ("edit 'line 2' 'line 4' True", (Write(A, "edit", "line 4", "line 2", True, hunks=(Hunk(4, 4, ()),)),)),
        ("insert 'new\ntext\n' 3", (Write(A, "patch", hunks=(Hunk(4, 4, ("+new", "+text")),)),)),
        ("insert 'new\ntext\n'", (Write(A, "append", new="new\ntext"),)),
        ("edit 40:41\na\\b\n  c\nend_of_edit", (Write(A, "sed", args=("40,41c\\\na\\\\b\\\n  c",)),)),
        ("edit 40:41\nend_of_edit", (Write(A, "sed", args=("40,41d",)),)),
        ("edit 'unbalanced", (Write(A, "opaque"),)),
        ("edit 3:2\nx\nend_of_edit", (Write(A, "opaque"),)),
    ],
)
def test_edits_of_every_tool(action: str, writes: tuple[Write, ...]):
    result = done(action, window(A, 1, TEN, 10))
    assert (result.failed, result.outcome.kind, result.outcome.writes) == (False, "edit", writes)


def test_lines_go_with_their_line_end_and_a_range_ends_with_the_file():
    (view,) = windows(window(A, 1, TEN, 10), CWD)
    (gone,) = done("edit 2:3\nend_of_edit", window(A, 1, TEN, 10), A, {A: view}).outcome.writes
    assert (gone.old, gone.new) == ("line 2\nline 3\n", "")
    (last,) = done("edit 10:99\nx\nend_of_edit", window(A, 1, TEN, 10), A, {A: view}).outcome.writes
    assert (last.old, last.new) == ("line 10", "x")


def test_an_edit_that_prints_no_window_failed():
    assert done("edit 2:3\nx\nend_of_edit", "No file open. Use the open command first.").failed
    assert done("create a.py", "Error: File 'a.py' already exists.").failed
    assert done("open none.py", "File none.py not found").failed


def test_a_search_in_a_file_shows_lines_and_a_timeout_is_a_failure():
    text = f'Found 2 matches for "x" in {A}:\nLine 3:  x = 1\nLine 9:x\nEnd of matches for "x" in {A}\n'
    assert done("search_file x src/a.py", text).outcome.shown == (
        Shown(A, 3, ("  x = 1",), "search"),
        Shown(A, 9, ("x",), "search"),
    )
    assert done("./rock", "\nEXECUTION TIMED OUT").failed
    assert not done("ls", "a.py").failed


NUMBERED = "Here's the result of running `cat -n` on a snippet of /shop/src/a.py:\n"


@pytest.mark.parametrize(
    ("action", "observation", "kind", "failed", "shown", "writes"),
    [
        (
            f"str_replace_editor view {A}",
            f"Here's the result of running `cat -n` on {A}:\n     1\tx\n     2\t\n",
            "read",
            False,
            (Shown(A, 1, ("x",), "read", whole=True),),
            (),
        ),
        (
            f"str_replace_editor view {A} --view_range 3 4",
            f"Here's the result of running `cat -n` on {A}:\n     3\tx\n     4\ty\n",
            "read",
            False,
            (Shown(A, 3, ("x", "y"), "read"),),
            (),
        ),
        (
            f"str_replace_editor view {A}",
            f"Here's the result of running `cat -n` on {A}:\n     1\tx\n     2\ty<response clipped><NOTE>cut</NOTE>",
            "read",
            False,
            (Shown(A, 1, ("x",), "read"),),
            (),
        ),
        (
            f"str_replace_editor create {A} --file_text 'x\n'",
            f"File created successfully at: {A}",
            "edit",
            False,
            (),
            (Write(A, "put", new="x\n"),),
        ),
        (
            f"str_replace_editor str_replace {A} --old_str x --new_str 'y\nz'",
            f"The file {A} has been edited. {NUMBERED}     7\ta\n     8\ty\n     9\tz\nReview the changes",
            "edit",
            False,
            (Shown(A, 7, ("a", "y", "z"), "snippet"),),
            (Write(A, "edit", "y\nz", "x", hunks=(Hunk(8, 8, ()),)),),
        ),
        (
            f"str_replace_editor str_replace {A} --old_str x --new_str y",
            "No replacement was performed, old_str `x` did not appear verbatim",
            "edit",
            True,
            (),
            (),
        ),
        (
            f"str_replace_editor insert {A} --insert_line 2 --new_str 'y'",
            f"The file {A} has been edited. {NUMBERED}     2\ta\n     3\ty\n",
            "edit",
            False,
            (Shown(A, 2, ("a", "y"), "snippet"),),
            (Write(A, "patch", hunks=(Hunk(3, 3, ("+y",)),)),),
        ),
        (
            f"str_replace_editor undo_edit {A}",
            f"Last edit undone successfully. Here's the result of running `cat -n` on {A}:\n     1\tx\n     2\t\n",
            "edit",
            False,
            (Shown(A, 1, ("x",), "snippet", whole=True),),
            (Write(A, "opaque"),),
        ),
    ],
)
def test_the_str_replace_editor(action, observation, kind, failed, shown, writes):
    result = done(action, observation)
    assert (result.outcome.kind, result.failed) == (kind, failed)
    assert (result.outcome.shown, result.outcome.writes) == (shown, writes)


def test_state_is_before_the_action_as_a_text_and_after_it_as_an_object():
    before = document(
        entry("cd sub\n", ""), {**entry("cat a.py\n", "x\n"), "state": json.dumps({"working_dir": "/shop/sub"})}
    )
    assert [s.cwd for s in loaded(before).steps if s.kind != "say"] == [CWD, "/shop/sub"]
    after = document(
        {**entry("ls\n", "sub\n"), "state": {"working_dir": CWD}},
        {**entry("cd sub && cat a.py\n", "x\n"), "state": {"working_dir": "/shop/sub"}},
        {**entry("cat a.py\n", "x\n"), "state": {"working_dir": "/shop/sub"}},
    )
    calls = [s for s in loaded(after).steps if s.kind != "say"]
    assert [s.cwd for s in calls] == [CWD, CWD, "/shop/sub"]
    assert [s.shown[0].path for s in calls[1:]] == ["/shop/sub/a.py"] * 2


def test_a_file_of_messages_alone_is_a_run():
    history = [
        {"role": "system", "content": "SETTING", "agent": "primary"},
        {"role": "user", "content": "Fix it.", "agent": "primary"},
        {"role": "assistant", "content": "Look.\n```\nopen src/a.py\n```", "agent": "primary"},
        {"role": "user", "content": window(A, 1, ["x"], 1), "agent": "primary"},
        {"role": "assistant", "content": "", "thought": "Go on.", "action": "ls", "agent": "primary"},
    ]
    t = loaded({"history": history, "info": {}}, "x.traj")
    assert [(s.kind, s.tool or s.text, s.line) for s in t.steps] == [
        ("say", "Fix it.", 2),
        ("say", "Look.", 3),
        ("read", "open", 3),
        ("say", "Go on.", 5),
        ("search", "bash", 5),
    ]
    assert t.steps[2].shown == (Shown(A, 1, ("x",), "read", whole=True),)
    assert (t.steps[4].empty, t.lines) == (True, 5)


def test_the_base_and_the_model_are_named_by_the_replay_config():
    config = {"agent": {"model": {"name": "m-1"}}, "env": {"repo": {"base_commit": "bfd2593d4b41"}}}
    for form in (config, json.dumps(config)):
        t = loaded({**RUN, "replay_config": form})
        assert (t.base_hint, t.models) == ("bfd2593d4b41", ("m-1",))


def check(data: bytes) -> Trajectory | None:
    """What must hold of any bytes at all."""
    try:
        t = load_bytes("x.traj", data)
    except NotATranscript:
        return None
    assert [step.t for step in t.steps] == list(range(1, len(t.steps) + 1))
    assert len(t.skipped) <= t.lines + 1
    assert not t.compactions
    assert all(write.path or write.op == "opaque" for step in t.steps for write in step.writes)
    json.dumps([step.text for step in t.steps], ensure_ascii=False).encode("utf-8")
    return t


@given(st.lists(st.integers(0, len(RUN["trajectory"]) - 1), min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_entries_left_out_repeated_and_moved_are_one_call_each(order: list[int]):
    entries = [RUN["trajectory"][index] for index in order]
    t = check(json.dumps({**RUN, "trajectory": entries}).encode())
    assert t is not None
    assert sum(step.kind != "say" for step in t.steps) == t.lines == len(order)
    assert [step.call for step in t.steps if step.kind != "say"] == [item["action"] for item in entries]


@given(
    st.integers(0, len(json.dumps(RUN)) - 1),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_a_cut_or_corrupted_document_never_crashes(end: int, changes: list[tuple[int, int]]):
    data = bytearray(json.dumps(RUN).encode())
    for index, byte in changes:
        data[index % len(data)] = byte
    check(bytes(data))
    assert check(json.dumps(RUN).encode()[:end]) is None


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_any_value_in_any_place_never_crashes(data):
    value = copy.deepcopy(RUN)
    path = data.draw(st.sampled_from([path for path in paths_of(value) if path]))
    holder: Any = value
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = data.draw(ANY_JSON)
    check(json.dumps(value).encode())


@given(st.text(st.sampled_from("ab '\"\\\n\t$`=;é"), max_size=25))
@settings(max_examples=500, deadline=None)
def test_words_are_those_of_a_shell(line: str):
    try:
        expected = shlex.split(line)
    except ValueError:
        expected = []
    # shlex keeps the backslash before "$" and "`" in double quotes, which a shell takes off.
    if not re.search(r"\\[$`]", line):
        assert _words(line) == expected


@given(st.text(max_size=60), st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_action_and_observation_never_crash(action: str, observation: str):
    for form in (
        action,
        f"edit {action}",
        f"str_replace_editor {action}",
        f"insert {action}",
        f"edit 1:2\n{action}\nend_of_edit",
    ):
        for seen in (observation, window(A, 1, observation.split("\n"), 9)):
            outcome_of(form, seen, CWD, A, {})
