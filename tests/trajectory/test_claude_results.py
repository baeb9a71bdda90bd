"""One call and its result -> shown lines and writes, by tool and by the shapes each version writes (FORMATS)."""

import pytest

from core.trajectory.claude_results import absolute, numbered_runs
from core.trajectory.steps import Hunk, Shown, Write
from tests.trajectory.sessions import CWD, numbered, one_call

FILE = f"{CWD}/a.py"
REMINDER = "\n\n<system-reminder>\nWhether this file is malware is to be considered.\n</system-reminder>\n"


def read_result(content: str, start: int = 1, total: int | None = None, **more):
    lines = content.split("\n")
    file = {"filePath": FILE, "content": content, "numLines": len(lines), "startLine": start}
    return {"type": "text", "file": {**file, "totalLines": total if total is not None else len(lines), **more}}


@pytest.mark.parametrize("mark", ["→", "\t"])
@pytest.mark.parametrize("tail", ["", REMINDER])
def test_a_full_read_shows_the_file_without_the_phantom_line_and_the_reminder(mark: str, tail: str):
    seen = numbered(["def f():", "    return 1", ""], mark=mark) + tail
    step = one_call("Read", {"file_path": FILE}, seen, read_result("def f():\n    return 1\n"))
    assert step.kind == "read"
    assert step.text == seen
    assert step.shown == (Shown(FILE, 1, ("def f():", "    return 1"), "read", whole=True),)


def test_a_full_read_of_a_file_without_a_final_newline_keeps_its_last_line():
    step = one_call("Read", {"file_path": FILE}, numbered(["a", "b"]), read_result("a\nb"))
    assert step.shown == (Shown(FILE, 1, ("a", "b"), "read", whole=True),)


def test_a_blank_last_line_of_a_partial_read_is_real_and_at_the_end_of_the_file_it_is_not():
    middle = one_call("Read", {"file_path": FILE}, numbered(["x", ""], 3), read_result("x\n", 3, total=9))
    assert middle.shown == (Shown(FILE, 3, ("x", ""), "read"),)
    end = one_call("Read", {"file_path": FILE}, numbered(["x", ""], 8), read_result("x\n", 8, total=9))
    assert end.shown == (Shown(FILE, 8, ("x",), "read"),)


def test_an_empty_file_is_seen_whole_with_no_line():
    step = one_call("Read", {"file_path": FILE}, "<system-reminder>empty</system-reminder>", read_result(""))
    assert step.shown == (Shown(FILE, 1, (), "read", whole=True),)


def test_a_read_cut_by_the_token_cap_is_not_whole():
    rich = read_result("a\nb", total=50, truncatedByTokenCap=True)
    assert one_call("Read", {"file_path": FILE}, numbered(["a", "b"]), rich).shown[0].whole is False


def test_only_lines_that_stand_in_the_result_text_are_shown():
    step = one_call("Read", {"file_path": FILE}, numbered(["a", "b"]), read_result("a\nb\nc\nd"))
    assert step.shown == (Shown(FILE, 1, ("a", "b"), "read"),)
    cleared = one_call("Read", {"file_path": FILE}, "[Old tool result content cleared]", read_result("a\nb\nc\nd"))
    assert cleared.shown == ()


def test_a_read_without_structured_result_comes_from_the_numbered_text():
    whole = one_call("Read", {"file_path": FILE}, numbered(["a", "b", ""]) + REMINDER)
    assert whole.shown == (Shown(FILE, 1, ("a", "b"), "read", whole=True),)
    part = one_call("Read", {"file_path": FILE, "offset": 5, "limit": 2}, numbered(["e", "f"], 5))
    assert part.shown == (Shown(FILE, 5, ("e", "f"), "read"),)


@pytest.mark.parametrize("kind", ["image", "notebook", "pdf", "file_unchanged"])
def test_reads_that_show_no_lines(kind: str):
    step = one_call("Read", {"file_path": FILE}, "see above", {"type": kind, "file": {"filePath": FILE}})
    assert (step.kind, step.shown) == ("read", ())


def edit_result(**more):
    patch = [{"oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 2, "lines": [" a", "-old", "+new"]}]
    rich = {"filePath": FILE, "oldString": "old", "newString": "new", "originalFile": None, "structuredPatch": patch}
    return {**rich, "userModified": False, "replaceAll": False, **more}


def test_an_edit_is_written_as_edit_with_its_hunks():
    step = one_call("Edit", {"file_path": FILE, "old_string": "old", "new_string": "new"}, "updated.", edit_result())
    assert step.kind == "edit"
    assert step.shown == ()
    assert step.writes == (Write(FILE, "edit", "new", "old", hunks=(Hunk(3, 3, (" a", "-old", "+new")),)),)


def test_the_original_file_is_evidence_the_model_did_not_see_and_the_snippet_is_what_it_saw():
    seen = f"The file {FILE} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"
    seen += numbered(["a", "new"], 3)
    rich = edit_result(originalFile="1\n2\na\nold\n")
    step = one_call("Edit", {"file_path": FILE, "old_string": "old", "new_string": "new"}, seen + "\n", rich)
    original = Shown(FILE, 1, ("1", "2", "a", "old"), "original", whole=True, seen=False)
    assert step.shown == (original, Shown(FILE, 3, ("a", "new"), "snippet"))


def test_an_empty_last_line_of_a_snippet_may_not_be_in_the_file():
    seen = f"The file {FILE} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"
    fields = {"file_path": FILE, "old_string": "old", "new_string": "new"}
    step = one_call("Edit", fields, seen + numbered(["", "new", ""], 3) + REMINDER, edit_result())
    assert step.shown == (Shown(FILE, 3, ("", "new"), "snippet"),)


def test_an_edit_the_person_changed_is_applied_as_the_patch_says():
    patch = [{"oldStart": 1, "newStart": 1, "lines": ["-old", "+mine", "\\ No newline at end of file"]}]
    rich = edit_result(userModified=True, structuredPatch=patch)
    step = one_call("Edit", {"file_path": FILE, "old_string": "old", "new_string": "new"}, "ok", rich)
    assert step.writes == (Write(FILE, "patch", "new", hunks=(Hunk(1, 1, ("-old", "+mine")),)),)


def test_an_edit_without_structured_result_comes_from_the_call():
    fields = {"file_path": "a.py", "old_string": "x", "new_string": "", "replace_all": True}
    step = one_call("Edit", fields, "The file has been updated.")
    assert step.writes == (Write(FILE, "edit", "", "x", replace_all=True),)


def test_an_edit_of_nothing_creates_the_file():
    step = one_call("Edit", {"file_path": FILE, "old_string": "", "new_string": "new\n"}, "ok")
    assert step.writes == (Write(FILE, "put", "new\n"),)


def test_multi_edit_writes_its_edits_in_order():
    edits = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "b", "new_string": "c", "replace_all": True},
        "nonsense",
    ]
    rich = {
        "filePath": FILE,
        "edits": edits,
        "originalFileContents": "a\n",
        "structuredPatch": [],
        "userModified": False,
    }
    step = one_call("MultiEdit", {"file_path": FILE, "edits": edits}, "Applied 2 edits", rich)
    assert step.writes == (Write(FILE, "edit", "b", "a"), Write(FILE, "edit", "c", "b", replace_all=True))
    assert step.shown == (Shown(FILE, 1, ("a",), "original", whole=True, seen=False),)


def test_write_puts_the_whole_text_and_an_update_shows_the_original():
    created = {"type": "create", "filePath": FILE, "content": "x\n", "structuredPatch": [], "originalFile": None}
    step = one_call("Write", {"file_path": FILE, "content": "x\n"}, f"File created successfully at: {FILE}", created)
    assert (step.kind, step.writes, step.shown) == ("edit", (Write(FILE, "put", "x\n"),), ())
    updated = {**created, "type": "update", "originalFile": "w\n"}
    step = one_call("Write", {"file_path": FILE, "content": "x\n"}, "updated", updated)
    assert step.shown == (Shown(FILE, 1, ("w",), "original", whole=True, seen=False),)


def test_notebook_edit_by_its_documented_shape_makes_the_notebook_opaque_unless_the_text_is_given():
    book = f"{CWD}/n.ipynb"
    rich = {"notebook_path": book, "cell_id": "c1", "new_source": "x = 1", "edit_mode": "replace"}
    fields = {"notebook_path": book, "new_source": "x = 1"}
    assert one_call("NotebookEdit", fields, "ok", rich).writes == (Write(book, "opaque", "x = 1"),)
    given = {**rich, "updated_file": "{}"}
    assert one_call("NotebookEdit", fields, "ok", given).writes == (Write(book, "put", "{}"),)


@pytest.mark.parametrize(
    ("content", "rich", "error"),
    [
        ("<tool_use_error>String to replace not found</tool_use_error>", "Error: String to replace not found", True),
        ("The user doesn't want to proceed with this tool use.", "Error: The user doesn't want to", True),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", None, False),
    ],
)
def test_a_failed_call_writes_nothing(content: str, rich: object, error: bool):
    step = one_call("Edit", {"file_path": FILE, "old_string": "a", "new_string": "b"}, content, rich, error)
    assert (step.failed, step.empty, step.writes, step.text) == (True, False, (), content)


@pytest.mark.parametrize("why", ["Sibling tool call errored", "Cancelled: parallel tool call Bash(x) errored"])
def test_a_call_cancelled_with_its_sibling_carries_no_information(why: str):
    step = one_call("Read", {"file_path": FILE}, f"<tool_use_error>{why}</tool_use_error>", f"Error: {why}", True)
    assert (step.failed, step.empty) == (True, True)


def test_a_plain_string_result_of_a_successful_call_is_not_a_failure():
    step = one_call("LS", {"path": CWD}, "- /srv/shop/\n  - a.py", "- /srv/shop/\n  - a.py")
    assert (step.kind, step.failed, step.command) == ("search", False, f"ls {CWD}")


def test_a_list_result_of_an_mcp_tool_is_read_as_text():
    blocks = [{"type": "text", "text": "one"}, {"type": "image", "source": {}}, {"type": "text", "text": "two"}]
    step = one_call("mcp__tracker__create", {"title": "x"}, blocks, blocks)
    assert (step.kind, step.text, step.writes) == ("run", "one\n[image]\ntwo", ())


def shell(command: str, content: str, error: bool = False, **rich):
    given = {"stdout": content, "stderr": "", "interrupted": False, "isImage": False, **rich}
    return one_call("Bash", {"command": command}, content, f"Error: {content}" if error else given, error)


def test_a_shell_read_shows_the_lines_and_a_shell_write_writes():
    step = shell("cat a.py", "x = 1\ny = 2")
    assert (step.kind, step.command) == ("read", "cat a.py")
    assert [(s.path, s.start, s.lines) for s in step.shown] == [(FILE, 1, ("x = 1", "y = 2"))]
    assert [(w.path, w.op) for w in shell("rm a.py", "").writes] == [(FILE, "delete")]


def test_a_command_the_person_rejected_did_nothing():
    step = shell("rm a.py", "The user doesn't want to proceed with this tool use.", error=True)
    assert (step.failed, step.writes) == (True, ())


def test_an_interrupted_command_is_failed():
    assert shell("sleep 100", "", interrupted=True).failed


def test_of_a_persisted_output_the_model_saw_whole_lines_of_the_preview_only():
    seen = "<persisted-output>\nOutput too large (35.8KB). Full output saved to: /x.txt\n\n"
    seen += "Preview (first 2KB):\none\ntwo\nthr\n...\n</persisted-output>"
    everything = "one\ntwo\nthree\nfour\n"
    rich = {"stdout": everything, "stderr": "", "interrupted": False, "persistedOutputPath": "/x.txt"}
    step = one_call("Bash", {"command": "cat a.py"}, seen, rich)
    assert step.text == seen
    assert [line for shown in step.shown for line in shown.lines] == ["one", "two"]
    assert not any(shown.whole for shown in step.shown)


@pytest.mark.parametrize("unit", ["lines", "characters"])
def test_an_output_cut_in_the_middle_shows_its_whole_lines_before_the_cut_and_keeps_its_purpose(unit: str):
    seen = f"one\ntwo\nthr\n\n... [269 {unit} truncated] ...\n\nnine"
    (shown,) = shell("cat a.py", seen).shown
    assert (shown.lines, shown.whole) == (("one", "two"), False)
    assert shell("./check.sh", f"{seen}\n==== 3 passed in 0.1s ====").purpose == "test"


def test_the_reset_notice_is_no_output_of_the_command():
    step = one_call("Bash", {"command": "cat a.py"}, "x = 1\nShell cwd was reset to /srv/shop")
    assert [line for shown in step.shown for line in shown.lines] == ["x = 1"]


def test_output_of_a_background_command_has_its_purpose_and_not_its_writes():
    rich = {"shellId": "b1", "command": "pytest > out.txt", "status": "completed", "stdout": "1 passed", "stderr": ""}
    step = one_call("BashOutput", {"bash_id": "b1"}, "<status>completed</status>", rich)
    assert (step.kind, step.purpose, step.writes) == ("run", "test", ())


def test_grep_content_shows_numbered_lines_of_one_file_and_of_several():
    fields = {"pattern": "x", "path": "a.py", "output_mode": "content", "-n": True, "-A": 1}
    rich = {"mode": "content", "numFiles": 0, "filenames": [], "content": "3:x = 1\n4-y = 2", "numLines": 2}
    step = one_call("Grep", fields, "3:x = 1\n4-y = 2", rich)
    assert (step.kind, step.command) == ("search", "rg -n -A 1 x a.py")
    assert [(s.path, s.start, s.lines) for s in step.shown] == [(FILE, 3, ("x = 1", "y = 2"))]
    several = "a.py:3:x = 1\nb.py:9:x = 2"
    step = one_call("Grep", {"pattern": "x", "output_mode": "content"}, several, {**rich, "content": several})
    assert [(s.path, s.start, s.lines) for s in step.shown] == [(FILE, 3, ("x = 1",)), (f"{CWD}/b.py", 9, ("x = 2",))]


def test_grep_and_glob_that_list_files_show_no_lines():
    rich = {"mode": "files_with_matches", "filenames": ["a.py"], "numFiles": 1}
    step = one_call("Grep", {"pattern": "it's", "glob": "*.py"}, "Found 1 file\na.py", rich)
    assert (step.kind, step.shown, step.command) == ("search", (), "rg --glob '*.py' -l 'it'\"'\"'s'")
    rich = {"filenames": ["a.py"], "durationMs": 3, "numFiles": 1, "truncated": False}
    step = one_call("Glob", {"pattern": "**/*.py", "path": "src"}, "a.py", rich)
    assert (step.kind, step.shown, step.command) == ("search", (), "fd --glob '**/*.py' src")


@pytest.mark.parametrize("name", ["TodoWrite", "TaskUpdate", "ExitPlanMode", "AskUserQuestion"])
def test_bookkeeping_is_neutral_and_agents_and_commands_are_not(name: str):
    assert one_call(name, {}, "ok").neutral is True
    assert one_call("Task", {"prompt": "look"}, "found").neutral is False
    assert shell("make", "").neutral is False


def test_numbered_runs_end_where_the_numbers_do():
    text = "intro\n 1→a\n 2→b\n...\n 9→c\n\n<system-reminder>\n10 is not\n11\tx"
    assert numbered_runs(text) == [(1, ["a", "b"]), (9, ["c"]), (11, ["x"])]


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("a.py", "/srv", "/srv/a.py"),
        ("../b/./a.py", "/srv/x", "/srv/b/a.py"),
        ("/x/../a.py", "/srv", "/a.py"),
        ("/srv/.git/a", "/srv", "/srv/.git/a"),
        ("~/a.py", "/srv", "~/a.py"),
        ("src\\a.py", "e:\\Work\\shop", "e:/Work/shop/src/a.py"),
        ("E:\\Work\\a.py", "/work", "E:/Work/a.py"),
        ("", "/work", ""),
    ],
)
def test_paths_are_made_absolute_also_windows_ones_never_seen_in_a_real_run(path: str, cwd: str, expected: str):
    assert absolute(path, cwd) == expected


@pytest.mark.parametrize("name", ["Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "Bash", "Grep", "Glob", "LS"])
@pytest.mark.parametrize("rich", [{}, [], "x", 7, {"file": 3, "type": []}, {"edits": 1, "structuredPatch": {"a": 1}}])
@pytest.mark.parametrize(
    "fields", [{}, {"file_path": 3, "edits": "x", "command": None, "pattern": ["a"], "limit": "x"}]
)
def test_any_shape_gives_a_step(name: str, rich: object, fields: dict):
    step = one_call(name, fields, None, rich)
    assert (step.tool, step.text) == (name, "")
