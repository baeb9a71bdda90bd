"""Codex rollouts: what is a step, what is held, what is counted once; then whatever is done to their lines."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NotATranscript
from core.trajectory.codex_answers import read_frame
from core.trajectory.codex_items import command_of
from core.trajectory.load import discover, load, load_bytes
from core.trajectory.steps import Hunk, Shown, Trajectory, Write
from tests.trajectory.test_claude_properties import ANY_JSON, paths_of

CWD = "/w/shop"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+z\n*** End Patch\n"


def record(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    """One line ``second`` seconds after the start."""
    return {
        "timestamp": f"2026-06-18T04:{int(second) // 60:02d}:{second % 60:06.3f}Z",
        "type": kind,
        "payload": payload,
    }


def meta(second: float = 0, **more: Any) -> dict[str, Any]:
    """The head of a rollout."""
    git = {"branch": "main", "commit_hash": "195acb2f", "repository_url": "x"}
    head = {"id": "0199-abcd", "cwd": CWD, "cli_version": "0.142.0", "git": git, "source": "cli", **more}
    return record(second, "session_meta", **head)


def item(second: float, kind: str, **fields: Any) -> dict[str, Any]:
    """A response item."""
    return record(second, "response_item", type=kind, **fields)


def said(second: float, role: str, *texts: str) -> dict[str, Any]:
    """A message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item(second, "message", role=role, content=[{"type": kind, "text": text} for text in texts])


def event(second: float, kind: str, **fields: Any) -> dict[str, Any]:
    """An event for the screen."""
    return record(second, "event_msg", type=kind, **fields)


def call(second: float, call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A function call, its arguments as JSON text."""
    return item(second, "function_call", name=name, arguments=json.dumps(arguments), call_id=call_id)


def result(second: float, call_id: str, output: Any) -> dict[str, Any]:
    """What came back."""
    return item(second, "function_call_output", call_id=call_id, output=output)


def framed(body: str, code: int | None = 0, session: int = 0) -> str:
    """A shell's output with the head Codex gives it."""
    ended = f"Process exited with code {code}" if code is not None else f"Process running with session ID {session}"
    return f"Chunk ID: 056982\nWall time: 0.0100 seconds\n{ended}\nOriginal token count: 3\nOutput:\n{body}"


def usage(second: float, total: int, used: int, cached: int, output: int) -> dict[str, Any]:
    """A token_count event."""
    last = {"input_tokens": used, "cached_input_tokens": cached, "output_tokens": output, "total_tokens": used + output}
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
    return event(second, "token_count", info=info, rate_limits={})


def to_bytes(records: Any) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in records)


def parsed(*records: Any) -> Trajectory:
    return load_bytes("rollout-1.jsonl", to_bytes(records))


def only(*records: Any) -> Any:
    """The one call of a run."""
    (step,) = (step for step in parsed(meta(), *records).steps if step.kind != "say")
    return step


CONTEXT = "<environment_context>\n  <cwd>/w/shop</cwd>\n</environment_context>"
SESSION = [
    meta(),
    event(0.1, "task_started", turn_id="t1"),
    said(0.2, "developer", "<permissions instructions>\nAll."),
    said(0.3, "user", "# AGENTS.md instructions for /w/shop\n\nBe kind.", CONTEXT),
    record(0.4, "turn_context", turn_id="t1", cwd=CWD, model="gpt-5.5"),
    said(1, "user", "Fix it."),
    event(1.1, "user_message", message="Fix it."),
    item(2, "reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="x"),
    event(2.1, "agent_message", message="Looking."),
    said(2.2, "assistant", "Looking."),
    call(3, "c1", "exec_command", cmd="sed -n 1,2p a.py", workdir=CWD),
    call(3.1, "c2", "exec_command", cmd="pytest -q", workdir=CWD),
    result(3.2, "c1", framed("x\ny\n")),
    result(3.3, "c2", framed("", None, 77)),
    usage(3.4, 100, 90, 40, 10),
    usage(3.5, 100, 90, 40, 10),
    call(4, "c3", "write_stdin", session_id=77, chars=""),
    result(5, "c3", framed("1 failed\n", 1)),
    usage(5.1, 200, 95, 90, 5),
    item(6, "custom_tool_call", name="apply_patch", input=PATCH, call_id="c4", status="completed"),
    event(
        6.1,
        "patch_apply_end",
        call_id="c4",
        success=True,
        status="completed",
        changes={f"{CWD}/a.py": {"type": "update", "unified_diff": "@@ -1,2 +1,2 @@\n-x\n+z\n y\n", "move_path": None}},
    ),
    item(6.2, "custom_tool_call_output", call_id="c4", output="Exit code: 0\nOutput:\nSuccess."),
    call(6.5, "c5", "update_plan", plan=[]),
    result(6.6, "c5", "Plan updated"),
    record(
        7, "compacted", message="", replacement_history=[said(0, "user", "Fix it.")["payload"], {"type": "compaction"}]
    ),
    usage(7.1, 300, 0, 0, 0),
    event(7.2, "context_compacted"),
    said(8, "user", "<turn_aborted>\nOn purpose."),
    event(8.1, "turn_aborted", reason="interrupted"),
    said(9, "assistant", "Done."),
    event(9.1, "task_complete", last_agent_message="Done."),
]


def test_a_session_becomes_the_steps_that_were_held():
    t = parsed(*SESSION)
    assert [(s.kind, s.tool, s.call_id or s.text) for s in t.steps] == [
        ("say", "", "Fix it."),
        ("say", "", "Looking."),
        ("read", "exec_command", "c1"),
        ("run", "exec_command", "c2"),
        ("run", "write_stdin", "c3"),
        ("edit", "apply_patch", "c4"),
        ("run", "update_plan", "c5"),
        ("say", "compact", "Fix it."),
        ("say", "", "<turn_aborted>\nOn purpose."),
        ("say", "", "Done."),
    ]
    assert [s.turn for s in t.steps] == [1] * 10
    assert t.steps[1].thinking == "Hm."
    assert t.task == "Fix it."
    assert (t.cwd, t.git_branch, t.base_hint, t.agent) == (CWD, "main", "195acb2f", "Codex 0.142.0")
    assert (t.models, t.session_id, t.format) == (("gpt-5.5",), "0199-abcd", "codex")
    assert (t.started[11:19], t.ended[11:19]) == ("04:00:00", "04:00:09")
    unknown = dict(t.unknown)
    assert (unknown["context:AGENTS.md"], unknown["context:environment"], unknown["context:developer message"]) == (
        1,
        1,
        1,
    )
    assert unknown["compaction:encrypted summary"] == 1
    assert t.skipped == ()
    assert t.lines == len(SESSION)


def test_a_compaction_ends_the_context_and_what_survives_it_is_the_next_step():
    t = parsed(*SESSION)
    (compaction,) = t.compactions
    assert (compaction.after, compaction.kind, compaction.pre_tokens) == (7, "full", 100)
    assert (t.steps[7].tool, t.steps[7].role) == ("compact", "user")


def test_usage_is_counted_once_a_request_without_what_was_cached():
    t = parsed(*SESSION)
    assert [(u.t, u.model, u.input, u.cache_read, u.output) for u in t.usages] == [
        (2, "gpt-5.5", 50, 40, 10),
        (5, "gpt-5.5", 5, 90, 5),
    ]


def test_calls_of_one_response_share_its_message():
    messages = [step.message_id for step in parsed(*SESSION).steps]
    assert messages[1] == messages[2] == messages[3] != ""
    assert messages[4] not in ("", messages[3])
    assert messages[0] == ""


def test_the_head_of_an_output_is_no_line_of_the_file_but_is_what_the_model_saw():
    step = parsed(*SESSION).steps[2]
    assert step.shown == (Shown(f"{CWD}/a.py", 1, ("x", "y"), "cat"),)
    assert step.text.startswith("Chunk ID: 056982\n")
    assert step.command == "sed -n 1,2p a.py"


def test_a_poll_goes_on_with_the_command_it_polls():
    t = parsed(*SESSION)
    assert [(s.purpose, s.command, s.failed) for s in t.steps[3:5]] == [
        ("test", "pytest -q", False),
        ("test", "pytest -q", True),
    ]


def test_a_patch_writes_what_the_client_says_it_changed():
    step = parsed(*SESSION).steps[5]
    assert step.writes == (Write(f"{CWD}/a.py", "patch", hunks=(Hunk(1, 1, ("-x", "+z", " y")),)),)
    assert step.call == PATCH
    assert not step.failed


@pytest.mark.parametrize(
    ("output", "end", "failed", "writes"),
    [
        ("Exit code: 0\nOutput:\nSuccess.", None, False, 1),
        ("apply_patch verification failed: Failed to find", None, True, 0),
        ("Exit code: 1\nOutput:\nno", None, True, 0),
        ("Success.", {"success": False, "status": "failed", "changes": {f"{CWD}/a.py": {"type": "delete"}}}, True, 0),
        (None, {"success": True, "changes": {f"{CWD}/a.py": {"type": "delete"}}}, False, 1),
        (None, None, False, 0),
    ],
)
def test_only_a_patch_that_was_applied_writes(output: Any, end: Any, failed: bool, writes: int):
    lines = [item(6, "custom_tool_call", name="apply_patch", input=PATCH, call_id="c4")]
    lines += [event(6.1, "patch_apply_end", call_id="c4", **end)] if end else []
    lines += [item(6.2, "custom_tool_call_output", call_id="c4", output=output)] if output is not None else []
    step = only(*lines)
    assert (step.kind, step.failed, len(step.writes), step.empty) == ("edit", failed, writes, output is None)


def test_a_patch_without_the_clients_list_is_read_itself():
    lines = [item(6, "custom_tool_call", name="apply_patch", input=PATCH, call_id="c"), result(7, "c", "Success.")]
    assert only(*lines).writes == (Write(f"{CWD}/a.py", "patch", hunks=(Hunk(1, 1, ("-x", "+z")),)),)
    given = call(6, "c", "apply_patch", input=PATCH)
    assert only(given, result(7, "c", "Success.")).writes == only(*lines).writes


def test_a_change_whose_call_is_lost_is_still_a_write():
    changes = {f"{CWD}/n.py": {"type": "add", "content": "a\n"}}
    t = parsed(meta(), said(1, "user", "Go."), event(2, "patch_apply_end", call_id="c9", success=True, changes=changes))
    assert [(s.kind, s.call_id, s.writes) for s in t.steps[1:]] == [
        ("edit", "c9", (Write(f"{CWD}/n.py", "put", new="a\n"),))
    ]


def test_a_result_whose_call_is_lost_stands_where_it_was():
    t = parsed(meta(), said(1, "user", "Go."), result(2, "c9", framed("out")), said(3, "assistant", "Hm."))
    assert [(s.kind, s.text) for s in t.steps] == [("say", "Go."), ("run", framed("out")), ("say", "Hm.")]


def test_a_cut_output_shows_its_whole_lines_only():
    body = "Total output lines: 90\n\none\ntwo\nthr…500 tokens truncated…ee\nninety\n"
    step = only(call(1, "c", "exec_command", cmd="cat a.py"), result(2, "c", framed(body)))
    assert step.shown == (Shown(f"{CWD}/a.py", 1, ("one", "two"), "cat"),)


def test_a_failed_command_shows_nothing_and_a_running_one_no_whole_file():
    lines = [call(1, "c", "exec_command", cmd="cat a.py"), result(2, "c", framed("cat: a.py: No such file\n", 1))]
    assert (only(*lines).failed, only(*lines).shown) == (True, ())
    running = only(lines[0], result(2, "c", framed("x\n", None, 5)))
    assert running.shown == (Shown(f"{CWD}/a.py", 1, ("x",), "cat"),)
    whole = only(lines[0], result(2, "c", framed("x\n")))
    assert whole.shown == (Shown(f"{CWD}/a.py", 1, ("x",), "cat", whole=True),)


def test_events_name_the_exit_code_and_the_folder_where_the_output_does_not():
    lines = [call(1, "c", "shell", command=["bash", "-lc", "cat a.py"]), result(3, "c", "no such file")]
    end = event(2, "exec_command_end", call_id="c", exit_code=1, cwd="/w/other", stdout="", aggregated_output="")
    assert only(lines[0], end, lines[1]).failed
    ok = only(lines[0], {**end, "payload": {**end["payload"], "exit_code": 0}}, result(3, "c", "x\n"))
    assert ok.shown == (Shown("/w/other/a.py", 1, ("x",), "cat", whole=True),)


@pytest.mark.parametrize(
    ("text", "body", "code", "session"),
    [
        (framed("a\n"), "a\n", 0, ""),
        (framed("", None, 12), "", None, "12"),
        ("Exit code: 3\nWall time: 0.1 seconds\nOutput:\nb", "b", 3, ""),
        ("Exit code: 0\nWall time: 1 seconds\nTotal output lines: 9\nOutput:\nb", "b", 0, ""),
        (json.dumps({"output": "c\n", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}), "c\n", 2, ""),
        ("Output:\nnot framed is framed too", "not framed is framed too", None, ""),
        ("plain", "plain", None, ""),
        ('{"output": broken', '{"output": broken', None, ""),
    ],
)
def test_every_frame_of_a_shell_is_taken_off(text: str, body: str, code: int | None, session: str):
    frame = read_frame(text)
    assert (frame.body, frame.exit_code, frame.session) == (body, code, session)


def test_commands_are_texts_or_words():
    assert command_of("ls -l") == "ls -l"
    assert command_of(["bash", "-lc", "cd x && ls"]) == "cd x && ls"
    assert command_of(["git", "log", "--format=%h %s"]) == "git log '--format=%h %s'"
    assert command_of(["bash", 1]) == command_of(None) == ""


def test_texts_that_only_events_have_are_steps_in_their_place():
    t = parsed(
        meta(),
        event(1, "user_message", message="Go."),
        call(2, "c", "exec_command", cmd="ls"),
        result(3, "c", framed("a.py\n")),
        event(4, "agent_message", message="Done."),
    )
    assert [(s.kind, s.role, s.text[:5]) for s in t.steps] == [
        ("say", "user", "Go."),
        ("search", "assistant", "Chunk"),
        ("say", "assistant", "Done."),
    ]
    assert (t.task, t.steps[-1].turn) == ("Go.", 1)


def test_older_items_without_an_envelope_are_read():
    lines = [
        {
            "id": "old",
            "timestamp": "2025-07-01T00:00:00Z",
            "type": "session_meta",
            "payload": {"id": "old", "cwd": CWD},
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"a.py","metadata":{"exit_code":0}}'},
    ]
    assert [(s.kind, s.command) for s in parsed(*lines).steps] == [("say", ""), ("search", "ls")]


def test_other_tools_are_what_they_do():
    image = [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]
    viewed = only(call(1, "c", "view_image", path="/tmp/a.png"), result(2, "c", image))
    assert (viewed.kind, viewed.text) == ("read", "[image]")
    searched = only(item(1, "web_search_call", status="completed", action={"type": "search", "query": "q"}))
    assert (searched.kind, searched.tool, searched.command, searched.empty) == ("search", "web_search", "q", True)
    listed = only(call(1, "c", "read_file", file_path="a.py", offset=3), result(2, "c", "L3: x\nL4: y"))
    assert listed.shown == (Shown(f"{CWD}/a.py", 3, ("x", "y"), "read"),)


def test_the_rollout_of_a_sub_agent_goes_with_its_parent_and_is_hidden(tmp_path: Path):
    (tmp_path / "rollout-a.jsonl").write_bytes(to_bytes(SESSION))
    thread = {"subagent": {"thread_spawn": {"parent_thread_id": "0199-abcd", "depth": 1}}}
    child = meta(4, id="child-1", parent_thread_id="0199-abcd", source=thread)
    lines = [
        child,
        said(4.1, "user", "Look."),
        call(4.2, "k1", "exec_command", cmd="ls"),
        result(4.3, "k1", framed("")),
    ]
    (tmp_path / "rollout-b.jsonl").write_bytes(to_bytes(lines))
    (run,) = discover([tmp_path])
    t = load(run)
    hidden = [step for step in t.steps if step.agent]
    assert [(s.agent, s.call_id) for s in hidden] == [("child-1", ""), ("child-1", "k1")]
    assert len(t.steps) == len(parsed(*SESSION).steps) + 2
    assert t.session_id == "0199-abcd"
    (tmp_path / "rollout-a.jsonl").unlink()
    (orphan,) = discover([tmp_path])
    assert (load(orphan).session_id, {s.agent for s in load(orphan).steps}) == ("0199-abcd", {"child-1"})


LINES = [json.dumps(line).encode() for line in SESSION]


def attempt(data: bytes) -> Trajectory | None:
    try:
        return load_bytes("r.jsonl", data)
    except NotATranscript:
        return None


def check(data: bytes) -> Trajectory | None:
    """What must hold of any bytes at all."""
    t = attempt(data)
    if t is None:
        return None
    assert [step.t for step in t.steps] == list(range(1, len(t.steps) + 1))
    ids = Counter(step.call_id for step in t.steps if step.call_id)
    assert all(count == 1 for count in ids.values())
    assert t.lines == sum(bool(line.strip()) and not line.strip().startswith(b"//") for line in data.split(b"\n"))
    assert len(t.skipped) <= t.lines
    assert all(0 <= c.after <= len(t.steps) for c in t.compactions)
    assert all(1 <= u.t <= len(t.steps) and min(u.input, u.cache_read, u.output) >= 0 for u in t.usages)
    assert [step.turn for step in t.steps] == sorted(step.turn for step in t.steps)
    json.dumps([step.text for step in t.steps], ensure_ascii=False).encode("utf-8")
    return t


def facts(t: Trajectory) -> Counter:
    """What every step says, whatever its place."""
    return Counter((s.kind, s.tool, s.call_id, s.text, s.failed, s.shown, s.writes, s.purpose) for s in t.steps)


WHOLE = parsed(*SESSION)


@given(st.permutations(LINES))
@settings(max_examples=150, deadline=None)
def test_shuffled_lines_give_the_same_steps(lines: list[bytes]):
    t = check(b"\n".join(lines))
    assert t is not None
    assert facts(t) == facts(WHOLE)
    assert sum(u.output for u in t.usages) == 15


@given(st.lists(st.integers(0, len(LINES) - 1), max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_repeated_lines_give_the_same_steps(repeats: list[int], random):
    lines = list(LINES)
    for index in repeats:
        lines.insert(random.randrange(len(lines) + 1), LINES[index])
    t = check(b"\n".join(lines))
    assert t is not None
    assert facts(t) == facts(WHOLE)
    assert len(t.usages) == len(WHOLE.usages)


@given(st.sets(st.integers(0, len(LINES) - 1)))
@settings(max_examples=150, deadline=None)
def test_missing_lines_never_add_a_step(missing: set[int]):
    t = check(b"\n".join(line for index, line in enumerate(LINES) if index not in missing))
    if t is not None:
        assert {step.call_id for step in t.steps} <= {"", "c1", "c2", "c3", "c4", "c5"}
        assert {step.text for step in t.steps} <= {step.text for step in WHOLE.steps} | {""}
        assert len(t.steps) <= len(WHOLE.steps)


@given(st.integers(0, len(b"\n".join(LINES))))
@settings(max_examples=150, deadline=None)
def test_a_file_cut_anywhere_loses_only_the_cut_line(end: int):
    t = check(b"\n".join(LINES)[:end])
    if t is not None:
        assert len(t.skipped) <= 1
        assert {step.text for step in t.steps} <= {step.text for step in WHOLE.steps} | {""}


@given(st.lists(st.tuples(st.integers(0, len(b"\n".join(LINES)) - 1), st.integers(0, 255)), max_size=40))
@settings(max_examples=200, deadline=None)
def test_corrupted_bytes_never_crash(changes: list[tuple[int, int]]):
    data = bytearray(b"\n".join(LINES))
    for index, byte in changes:
        data[index] = byte
    check(bytes(data))


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_any_value_in_any_place_never_crashes(data):
    index = data.draw(st.integers(0, len(SESSION) - 1))
    line = json.loads(LINES[index])
    path = data.draw(st.sampled_from([path for path in paths_of(line) if path]))
    holder = line
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = data.draw(ANY_JSON)
    lines = list(LINES)
    lines[index] = json.dumps(line).encode()
    check(b"\n".join(lines))


def test_characters_the_shell_grammar_cannot_take_are_doubted_not_fatal():
    step = only(
        call(1, "c", "exec_command", cmd="\U0006b1a9\U000dabae{\U000f6ccf; echo \U0002c776 > a.py"), result(2, "c", "")
    )
    assert step.writes == (Write(f"{CWD}/a.py", "opaque"),)
