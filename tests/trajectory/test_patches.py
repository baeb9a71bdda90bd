"""Patch texts -> writes: worked cases, and patches made by difflib that must give back the text they were made of."""

import difflib
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.replay.apply import apply_write
from core.trajectory.patches import (
    NotAPatch,
    change_writes,
    patch_paths,
    patch_writes,
    patch_writes_or_doubt,
    unified_hunks,
)
from core.trajectory.shell import read_command
from core.trajectory.steps import Hunk, Write

PATCH = """\
*** Begin Patch
*** Add File: docs/new.md
+# New
+
+Text.
*** Delete File: old.py
*** Update File: src/a.py
*** Move to: src/b.py
@@ def f():
     x = 1
-    return x
+    return x + 1
@@
-last
+LAST
*** End of File
*** End Patch
"""


def test_a_patch_of_several_files_gives_one_write_a_change_in_order():
    assert patch_writes(PATCH, "/w") == (
        Write("/w/docs/new.md", "put", new="# New\n\nText.\n"),
        Write("/w/old.py", "delete"),
        Write("/w/src/a.py", "move", target="/w/src/b.py"),
        Write(
            "/w/src/b.py",
            "patch",
            hunks=(
                Hunk(1, 1, (" def f():",)),
                Hunk(1, 1, ("     x = 1", "-    return x", "+    return x + 1")),
                Hunk(1 << 30, 1, ("-last", "+LAST")),
            ),
        ),
    )


def test_the_header_of_a_hunk_says_behind_which_line_to_look():
    text = "def f():\n    return 1\ndef g():\n    return 1\n"
    (write,) = patch_writes(
        "*** Begin Patch\n*** Update File: a.py\n@@ def g():\n-    return 1\n+    return 2\n*** End Patch", "/w"
    )
    assert apply_write(text, write) == "def f():\n    return 1\ndef g():\n    return 2\n"


def test_end_of_file_means_the_last_place_and_added_lines_alone_go_to_the_end():
    text = "x\ny\nx\n"
    (last,) = patch_writes("*** Begin Patch\n*** Update File: a\n@@\n-x\n+z\n*** End of File\n*** End Patch", "/w")
    assert apply_write(text, last) == "x\ny\nz\n"
    (added,) = patch_writes("*** Begin Patch\n*** Update File: a\n@@\n+new\n@@\n-y\n+Y\n*** End Patch", "/w")
    assert apply_write(text, added) == "x\nY\nx\nnew\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no patch", "no line says"),
        ("*** Begin Patch\nnonsense\n*** End Patch", "patch line 2: expected a file"),
        ("*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch", r"patch line 3: expected a line with '\+'"),
        ("*** Begin Patch\n*** Update File: a\n@@\n?x\n*** End Patch", "patch line 4: expected ' ', '-'"),
    ],
)
def test_what_is_no_patch_says_where(text: str, why: str):
    with pytest.raises(NotAPatch, match=why):
        patch_writes(text, "/w")


def test_the_files_a_broken_patch_names_may_have_changed():
    text = "*** Begin Patch\n*** Update File: b/../a\n?\n*** Delete File: /abs\n*** End Patch"
    assert patch_paths(text, "/w") == ("/abs", "/w/a")
    assert patch_writes_or_doubt(text, "/w") == (Write("/abs", "opaque"), Write("/w/a", "opaque"))


@pytest.mark.parametrize(
    "command",
    [
        "apply_patch <<'EOF'\n{}EOF\n",
        "cat <<'EOF' | apply_patch\n{}EOF\n",
        "apply_patch '{}'",
        "cd /w && bash -lc \"apply_patch <<'EOF'\n{}EOF\"",
    ],
)
def test_a_patch_on_a_command_line_writes_the_same(command: str):
    action = read_command(command.replace("{}", PATCH), "/w", "Success.", False)
    assert action.writes == patch_writes(PATCH, "/w")


def test_unified_hunks_start_where_their_lines_do():
    assert unified_hunks("--- a\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+b\n") == (Hunk(1, 1, ("+a", "+b")),)
    assert unified_hunks("@@ -3,0 +4 @@\n+x\n") == (Hunk(4, 4, ("+x",)),)
    assert unified_hunks("@@ -2 +2 @@ f()\n-a\n\\ No newline at end of file\n+b\n") == (
        Hunk(2, 2, ("-a", "\\ No newline at end of file", "+b")),
    )
    assert unified_hunks("nothing\n") == ()


@pytest.mark.parametrize(
    ("change", "writes"),
    [
        ({"type": "add", "content": "a\n"}, (Write("/w/f", "put", new="a\n"),)),
        ({"type": "delete", "content": "a\n"}, (Write("/w/f", "delete"),)),
        (
            {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": None},
            (Write("/w/f", "patch", hunks=(Hunk(1, 1, ("-a", "+b")),)),),
        ),
        (
            {"type": "update", "unified_diff": "", "move_path": "/w/g"},
            (Write("/w/f", "move", target="/w/g"),),
        ),
        ({"type": "update", "unified_diff": "not a diff"}, (Write("/w/f", "opaque"),)),
        ({"type": "renamed"}, (Write("/w/f", "opaque"),)),
        (None, (Write("/w/f", "opaque"),)),
    ],
)
def test_changes_as_the_client_lists_them(change: object, writes: tuple[Write, ...]):
    assert change_writes("f", change, "/w") == writes


LINES = st.lists(st.text(string.ascii_letters + " {}", max_size=3), max_size=25)


def text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@given(LINES, LINES, st.integers(0, 3))
@settings(max_examples=300, deadline=None)
def test_a_unified_diff_gives_back_the_new_text(old: list[str], new: list[str], context: int):
    diff = "".join(f"{line}\n" for line in difflib.unified_diff(old, new, "a", "b", lineterm="", n=context))
    hunks = unified_hunks(diff)
    if not hunks:
        assert old == new
    elif new:  # an emptied file keeps no line end to tell it from one blank line
        assert apply_write(text_of(old), Write("f", "patch", hunks=hunks)) == text_of(new)


@given(st.lists(st.integers(0, 999), unique=True, min_size=1, max_size=30), st.data())
@settings(max_examples=300, deadline=None)
def test_an_apply_patch_gives_back_the_new_text(numbers: list[int], data):
    old = [f"line {number}" for number in numbers]
    new: list[str] = []
    for line in old:
        what = data.draw(st.sampled_from(["keep", "keep", "change", "drop", "insert"]))
        new += {"keep": [line], "change": [f"new {line}"], "drop": [], "insert": [f"put {line}", line]}[what]
    body: list[str] = []
    taken = 0  # lines of the old text up to here are in a hunk already: the next is looked for behind them
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        before = old[max(i1 - 1, taken) : i1]
        after = old[i2 : i2 + 1] if tag == "insert" and not before else []
        body += ["@@", *(f" {x}" for x in before), *(f"-{x}" for x in old[i1:i2]), *(f"+{x}" for x in new[j1:j2])]
        body += [f" {x}" for x in after]
        taken = i2 + len(after)
    if not body or not new:
        return
    patch = "\n".join(["*** Begin Patch", "*** Update File: f", *body, "*** End Patch", ""])
    (write,) = patch_writes(patch, "/w")
    assert apply_write(text_of(old), write) == text_of(new)


@given(st.text(max_size=200), st.lists(st.sampled_from([*PATCH.split("\n"), "", "+", "@@ x"]), max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_patch_or_says_why_not(noise: str, lines: list[str]):
    for text in (noise, "\n".join(["*** Begin Patch", *lines]), "\n".join([noise, *lines, noise])):
        try:
            writes = patch_writes(text, "/w")
        except NotAPatch:
            continue
        assert all(write.path for write in writes)
        assert {write.path for write in writes if write.op != "move"} <= set(patch_paths(text, "/w")) | {
            write.target for write in writes if write.op == "move"
        }
    unified_hunks(noise + "\n".join(lines))
