"""Records -> numbered steps: messages, users, compactions, queue, attachments (CONTRACT, Steps; FORMATS)."""

import pytest

from core.trajectory.steps import Compaction, Shown, Usage
from tests.trajectory.sessions import CWD, assistant, at, call, numbered, parsed, record, result, text, user

FILE = f"{CWD}/a.py"


def says(t):
    """(t, kind, text or call id) of each step: enough to see order and numbering."""
    return [(step.t, step.kind, step.call_id or step.text) for step in t.steps]


def test_steps_are_calls_texts_and_user_messages_and_thinking_makes_none():
    t = parsed(
        user("Fix it.", 0),
        assistant([{"type": "thinking", "thinking": "Hm.", "signature": "x"}, text("I look.")], 1, "m1"),
        assistant([call("c1", "Read", file_path=FILE)], 2, "m1"),
        result("c1", "gone", 3),
    )
    assert says(t) == [(1, "say", "Fix it."), (2, "say", "I look."), (3, "read", "c1")]
    user_step, said, read = t.steps
    assert (user_step.role, user_step.call, user_step.neutral, user_step.turn) == ("user", "", True, 1)
    assert (said.role, said.thinking, said.neutral, said.message_id) == ("assistant", "Hm.", True, "m1")
    assert (read.tool, read.call, read.text) == ("Read", f'{{"file_path":"{FILE}"}}', "gone")
    assert (read.thinking, read.neutral, read.line, read.source, read.time) == ("", False, 3, "session.jsonl", at(3))


def test_a_call_issued_with_another_stays_with_it_though_the_first_result_stands_between():
    t = parsed(
        assistant([text("Both.")], 1, "m1"),
        assistant([call("c1", "Glob", pattern="*")], 2, "m1"),
        result("c1", "one", 3),
        assistant([call("c2", "Glob", pattern="*")], 4, "m1"),
        result("c2", "two", 5),
        assistant([text("Done.")], 6, "m2"),
    )
    assert says(t) == [(1, "say", "Both."), (2, "search", "c1"), (3, "search", "c2"), (4, "say", "Done.")]


def test_calls_keep_their_issue_order_when_results_come_back_the_other_way_round():
    t = parsed(
        assistant([call("c1", "Bash", command="ls"), text("and"), call("c2", "Bash", command="ls")], 1, "m1"),
        result("c2", "two", 2),
        result("c1", "one", 3),
    )
    assert says(t) == [(1, "search", "c1"), (2, "search", "c2"), (3, "say", "and")]


def test_a_result_that_stands_before_its_call_in_the_file_finds_it():
    t = parsed(result("c1", "found", 2), assistant([call("c1", "LS", path=".")], 1, "m1"))
    assert [(step.call_id, step.text) for step in t.steps] == [("c1", "found")]
    assert t.unknown == ()


def test_usage_is_counted_once_a_message_with_the_last_numbers_and_the_parts_of_cache_apart():
    partial = {"input_tokens": 3, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 30, "output_tokens": 1}
    final = {**partial, "output_tokens": 90, "cache_creation": {"ephemeral_5m_input_tokens": 10}}
    final["cache_creation"]["ephemeral_1h_input_tokens"] = 20
    t = parsed(
        user("go", 0),
        assistant([text("a")], 1, "m1", partial),
        assistant([text("b")], 2, "m1", final),
        assistant([text("c")], 3, "m2", partial),
        assistant([text("error")], 4, "m3", partial)
        | {"message": {"model": "<synthetic>", "content": "x", "id": "m3"}},
    )
    assert t.usages == (
        Usage(2, "m1", "claude-test-1", 3, 50, 10, 20, 90),
        Usage(4, "m2", "claude-test-1", 3, 50, 30, 0, 1),
    )
    assert t.models == ("claude-test-1",)


def test_a_result_without_a_call_is_a_step_judged_by_its_shape():
    file = {"filePath": FILE, "content": "x", "numLines": 1, "startLine": 1, "totalLines": 1}
    t = parsed(user("a", 0), result("lost", numbered(["x"]), 1, {"type": "text", "file": file}), user("b", 2))
    assert says(t) == [(1, "say", "a"), (2, "read", "lost"), (3, "say", "b")]
    assert t.steps[1].shown == (Shown(FILE, 1, ("x",), "read", whole=True),)
    assert dict(t.unknown) == {"result without a call": 1}


def test_a_call_without_a_result_is_a_step_that_carries_nothing():
    t = parsed(assistant([call("c1", "Write", file_path=FILE, content="x")], 1, "m1"))
    (step,) = t.steps
    assert (step.kind, step.text, step.empty, step.failed, step.writes) == ("edit", "", True, False, ())
    assert dict(t.unknown) == {"call without a result": 1}


def test_results_are_linked_by_the_line_they_answer_when_they_carry_no_id():
    bare = {"type": "tool_use", "name": "bash", "input": {"command": "ls"}}
    answer = user([{"type": "tool_result", "content": "a.py"}], 2, sourceToolAssistantUUID="line-1")
    t = parsed(assistant([bare], 1, "m1", uuid="line-1"), answer)
    assert [(step.kind, step.call_id, step.text) for step in t.steps] == [("search", "", "a.py")]


def test_a_resumed_session_repeats_its_lines_and_no_step_is_counted_twice():
    first = [
        user("go", 0, "u1"),
        assistant([text("ok"), call("c1", "LS", path=".")], 1, "m1", {"output_tokens": 5}),
        result("c1", "a.py", 2),
        record("attachment", 3, "at1", attachment={"type": "edited_text_file", "filename": FILE, "snippet": " 1→x"}),
        record("system", 4, "s1", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9}),
    ]
    resumed = [{**line, "sessionId": "another", "version": "2.1.9"} for line in first]
    t = parsed(*first, *resumed, user("more", 9, "u2"))
    once = parsed(*first, user("more", 9, "u2"))
    assert says(t) == says(once)
    assert t.usages == once.usages
    assert t.compactions == once.compactions
    assert t.agent == "Claude Code 2.1.7 to 2.1.9"
    assert t.run_id == once.run_id


def test_a_cycle_in_the_chain_of_parents_does_not_hang():
    a = user("a", 1, "u1") | {"parentUuid": "u2", "isSidechain": True}
    b = user("b", 2, "u2") | {"parentUuid": "u1", "isSidechain": True}
    assert len(parsed(a, b, user("self", 3, "u3") | {"parentUuid": "u3", "isSidechain": True}).steps) == 3


def test_both_arms_of_a_fork_are_steps():
    lines = [
        user(name, second, name, parentUuid=parent)
        for name, second, parent in [("a", 1, None), ("b", 2, "a"), ("c", 3, "a")]
    ]
    assert [step.text for step in parsed(*lines).steps] == ["a", "b", "c"]


def test_the_task_is_the_first_thing_the_person_said_and_turns_count_what_the_person_did():
    t = parsed(
        user("<local-command-caveat>Caveat: generated</local-command-caveat>", 0, isMeta=True),
        user("<command-name>/clear</command-name>\n<command-args></command-args>", 1),
        user("<local-command-stdout></local-command-stdout>", 2),
        user([text("<ide_opened_file>x</ide_opened_file>"), text("Rename it.")], 3),
        user("<task-notification>done</task-notification>", 4),
        user("And test.", 5),
    )
    assert t.task == "Rename it."
    assert [step.turn for step in t.steps] == [0, 1, 1, 2, 2, 3]
    assert t.steps[3].text == "<ide_opened_file>x</ide_opened_file>\nRename it."


def test_a_slash_command_is_the_task_when_nothing_else_was_said():
    command = "<command-name>/review</command-name>\n<command-args>PR 2</command-args>"
    t = parsed(user(command, 0), user("# Review\nLong instructions", 1, isMeta=True))
    assert t.task == "/review PR 2"
    assert len(t.steps) == 2


def test_a_compaction_stands_before_its_summary():
    t = parsed(
        user("go", 0),
        assistant([text("ok")], 1, "m1"),
        record("system", 2, "s1", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 155000}),
        record("progress", 2, "p1", data={"type": "hook_progress"}),
        user("This session is being continued.", 3, isCompactSummary=True),
        user("on", 4),
    )
    assert t.compactions == (Compaction(2, "full", "auto", 155000),)
    assert t.steps[2].text.startswith("This session")
    assert [step.turn for step in t.steps] == [1, 1, 1, 2]


def test_a_summary_without_a_boundary_is_a_compaction():
    t = parsed(user("go", 0), user("Continued.", 1, isCompactSummary=True))
    assert t.compactions == (Compaction(1, "full"),)


def test_a_microcompaction_names_exactly_what_left():
    about = {
        "trigger": "auto",
        "preTokens": 60497,
        "compactedToolIds": ["c1", "c9"],
        "clearedAttachmentUUIDs": ["at1", 3],
    }
    t = parsed(
        assistant([call("c1", "LS", path=".")], 1, "m1"),
        result("c1", "a.py", 2),
        record("system", 3, "s1", subtype="microcompact_boundary", microcompactMetadata=about),
        user("on", 4),
    )
    assert t.compactions == (Compaction(1, "micro", "auto", 60497, ("c1", "c9", "at1")),)


def queued(operation: str, second: float, content: str | None = None):
    line = {"type": "queue-operation", "operation": operation, "timestamp": at(second), "sessionId": "s"}
    return line if content is None else {**line, "content": content}


def test_a_message_the_model_took_from_the_queue_is_a_user_message_even_if_written_nowhere_else():
    t = parsed(user("go", 0), queued("enqueue", 1, "stop"), queued("remove", 3), assistant([text("I stop.")], 4, "m1"))
    assert [(step.role, step.text, step.turn) for step in t.steps] == [
        ("user", "go", 1),
        ("user", "stop", 2),
        ("assistant", "I stop.", 2),
    ]


@pytest.mark.parametrize(
    "delivery",
    [
        [queued("dequeue", 2), user("stop", 3)],
        [queued("remove", 2), record("attachment", 3, "x", attachment={"type": "queued_command", "prompt": "stop"})],
        [queued("remove", 2, "stop"), user([text("stop")], 3)],
    ],
)
def test_a_queued_message_that_is_written_as_a_line_counts_once(delivery: list):
    t = parsed(user("go", 0), queued("enqueue", 1, "stop"), *delivery)
    assert [(step.role, step.text) for step in t.steps] == [("user", "go"), ("user", "stop")]


def test_a_message_taken_back_for_editing_was_never_said():
    t = parsed(user("go", 0), queued("enqueue", 1, "sto"), queued("popAll", 2, "sto"), queued("remove", 3))
    assert [step.text for step in t.steps] == ["go"]


@pytest.mark.parametrize(
    ("attachment", "shown"),
    [
        (
            {
                "type": "file",
                "filename": FILE,
                "content": {
                    "type": "text",
                    "file": {"filePath": FILE, "content": "x\ny\n", "numLines": 3, "startLine": 1, "totalLines": 3},
                },
            },
            (Shown(FILE, 1, ("x", "y"), "attachment", whole=True),),
        ),
        (
            {"type": "edited_text_file", "filename": FILE, "snippet": " 3→x\n 4→y\n...\n 9→z"},
            (Shown(FILE, 3, ("x", "y"), "attachment"), Shown(FILE, 9, ("z",), "attachment")),
        ),
        (
            {"type": "nested_memory", "path": FILE, "content": {"content": "x\n", "contentDiffersFromDisk": False}},
            (Shown(FILE, 1, ("x",), "attachment", whole=True),),
        ),
        ({"type": "nested_memory", "path": FILE, "content": {"content": "x", "contentDiffersFromDisk": True}}, ()),
        (
            {"type": "selected_lines_in_ide", "filename": FILE, "lineStart": 7, "lineEnd": 8, "content": "x\ny"},
            (Shown(FILE, 7, ("x", "y"), "attachment"),),
        ),
    ],
)
def test_an_attachment_with_file_text_is_a_read(attachment: dict, shown: tuple):
    (step,) = parsed(record("attachment", 1, "at1", attachment=attachment)).steps
    assert (step.kind, step.tool, step.role, step.call_id) == ("read", "attachment", "user", "at1")
    assert step.shown == shown


def test_what_has_no_meaning_here_is_counted_and_lines_not_understood_are_skipped():
    t = parsed(
        user("go", 0),
        {"type": "mode", "mode": "plan", "sessionId": "s"},
        {"type": "mode", "mode": "code", "sessionId": "s"},
        record("progress", 1, "p", data={"type": "bash_progress"}),
        record("attachment", 1, "x", attachment={"type": "skill_listing", "content": "many"}),
        record("system", 1, "s", subtype="turn_duration"),
        record("user", 2, "b", message="error"),
        record("assistant", 2, "c", message={"role": "assistant", "contenst": []}),
        record("attachment", 2, "d", attachment=3),
        assistant(["wow", {"type": "redacted_thinking"}, {"type": "text", "text": 3}], 3, "m1"),
    )
    assert [step.text for step in t.steps] == ["go"]
    assert dict(t.unknown) == {
        "type:mode": 2,
        "progress:bash_progress": 1,
        "attachment:skill_listing": 1,
        "system:turn_duration": 1,
        "block:str": 1,
        "block:redacted_thinking": 1,
        "block:text": 1,
    }
    assert [(skipped.line, skipped.why) for skipped in t.skipped] == [
        (7, "a user line without content"),
        (8, "an assistant line without content"),
        (9, "an attachment line without an attachment"),
    ]
    assert t.lines == 10


def test_thinking_goes_to_the_next_step_of_its_message_and_is_not_lost_behind_the_last():
    def thought(words: str):
        return {"type": "thinking", "thinking": words}

    t = parsed(
        assistant([thought("one")], 1, "m1"),
        assistant([thought("two")], 2, "m1"),
        assistant([call("c1", "LS", path=".")], 3, "m1"),
        assistant([thought("three")], 4, "m1"),
        assistant([thought("alone")], 5, "m2"),
    )
    assert [step.thinking for step in t.steps] == ["one\n\ntwo\n\nthree"]
    assert dict(t.unknown)["thinking without a step"] == 1


def test_the_run_is_described_by_what_its_records_say_first():
    t = parsed(
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        user("go", 5, cwd="e:\\Work\\shop", gitBranch="feature"),
        user("on", 3),
    )
    assert (t.format, t.agent, t.cwd, t.git_branch) == ("claude-code", "Claude Code 2.1.7", "e:/Work/shop", "feature")
    assert (t.started, t.ended, t.sources, t.lines) == (at(3), at(5), ("session.jsonl",), 3)
    assert t.steps[0].cwd == "e:/Work/shop"
    assert t.steps[1].cwd == CWD
