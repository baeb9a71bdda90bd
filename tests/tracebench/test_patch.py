"""Unified diffs as people and tools write them, and as nobody should."""

import difflib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.replay.lines import split_lines
from core.tracebench.hunks import Hunk, added_lines
from core.tracebench.patch import read_patch, reference_hunks

BASE = "".join(f"line {n}\n" for n in range(1, 31))


def hunks_of(patch: str, base: dict[str, str]) -> tuple[list[Hunk], list[str]]:
    read = read_patch(patch)
    hunks, misfits = reference_hunks(read, base.get)
    return hunks, [s.why for s in (*read.skipped, *misfits)]


GIT = """\
diff --git a/app/a.py b/app/a.py
index 111..222 100644
--- a/app/a.py
+++ b/app/a.py
@@ -3,8 +3,9 @@ def something():
 line 3
 line 4
-line 5
+LINE 5
 line 6
 line 7
+inserted
 line 8
 line 9
 line 10
"""


def test_the_blocks_of_one_hunk_stand_in_base_lines_and_share_its_span() -> None:
    hunks, whys = hunks_of(GIT, {"app/a.py": BASE})
    assert whys == []
    assert [(h.path, h.old_start, h.old_end, h.added, h.removed, h.span) for h in hunks] == [
        ("app/a.py", 5, 5, (5,), ("line 5",), (3, 10)),
        ("app/a.py", 8, 7, (8,), (), (3, 10)),
    ]
    assert hunks[0].new_text == BASE.replace("line 5\n", "LINE 5\n").replace("line 7\n", "line 7\ninserted\n")


def test_new_deleted_renamed_binary_and_quoted_files() -> None:
    patch = (
        "From abc Mon Sep 17 00:00:00 2001\nSubject: x\n---\n a | 2 +-\n\n"
        "diff --git a/new.py b/new.py\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new.py\n"
        "@@ -0,0 +1,2 @@\n+a\n+b\n"
        "diff --git a/empty.py b/empty.py\nnew file mode 100644\nindex 0..e69\n"
        "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n"
        "@@ -1,2 +0,0 @@\n-x\n-y\n"
        "diff --git a/old name.py b/new name.py\nsimilarity index 90%\nrename from old name.py\nrename to new name.py\n"
        "--- a/old name.py\t\n+++ b/new name.py\t\n@@ -1,2 +1,2 @@\n line 1\n-line 2\n+line two\n"
        "diff --git a/same.py b/moved.py\nsimilarity index 100%\nrename from same.py\nrename to moved.py\n"
        "diff --git a/x.png b/x.png\nindex 1..2\nBinary files a/x.png and b/x.png differ\n"
        'diff --git "a/caf\\303\\251.py" "b/caf\\303\\251.py"\n--- "a/caf\\303\\251.py"\n+++ "b/caf\\303\\251.py"\n'
        "@@ -1 +1 @@\n-line 1\n+line one\n-- \n2.40.0\n"
    )
    read = read_patch(patch)
    assert [(f.old_path, f.new_path, len(f.hunks)) for f in read.files] == [
        (None, "new.py", 1),
        (None, "empty.py", 0),
        ("gone.py", None, 1),
        ("old name.py", "new name.py", 1),
        ("same.py", "moved.py", 0),
        ("x.png", "x.png", 0),
        ("café.py", "café.py", 1),
    ]
    assert [s.why for s in read.skipped] == ["a binary file, its content is not read"]
    base = {"gone.py": "x\ny\n", "old name.py": BASE, "same.py": BASE, "x.png": "", "café.py": BASE}
    hunks, _ = reference_hunks(read, base.get)
    assert [(h.path, h.new_path, h.created, h.old_start, h.old_end, h.added, h.new_text is None) for h in hunks] == [
        ("café.py", "", False, 1, 1, (1,), False),
        ("gone.py", "", False, 1, 2, (), True),
        ("new.py", "", True, 1, 0, (1, 2), False),
        ("old name.py", "new name.py", False, 2, 2, (2,), False),
    ]


def test_plain_diffs_without_prefixes_and_without_context() -> None:
    patch = "--- app/a.py\t2024-01-01\n+++ app/a.py\t2024-01-02\n@@ -5 +5 @@\n-line 5\n+LINE 5\n@@ -9,0 +10 @@\n+new\n"
    hunks, whys = hunks_of(patch, {"app/a.py": BASE})
    assert whys == []
    assert [(h.old_start, h.old_end, h.added, h.span) for h in hunks] == [(5, 5, (5,), (5, 5)), (10, 9, (10,), (10, 9))]


def test_removed_lines_that_look_like_headers_stay_lines() -> None:
    base = "a\n-- b\n++ c\n"
    patch = "--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,2 @@\n a\n--- b\n-++ c\n+++ d\n"
    hunks, whys = hunks_of(patch, {"x.sql": base})
    assert whys == []
    assert [(h.removed, added_lines(h)) for h in hunks] == [(("-- b", "++ c"), ["++ d"])]


def test_the_no_newline_marker_decides_the_last_line_end() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    hunks, whys = hunks_of(patch, {"x": "a\nb"})
    assert (whys, hunks[0].new_text) == ([], "a\nc\n")
    patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"
    hunks, whys = hunks_of(patch, {"x": "a\nb\n"})
    assert (whys, hunks[0].new_text) == ([], "a\nc")


def test_windows_line_ends_in_the_patch_or_in_the_base() -> None:
    for base, patch in (
        (BASE.replace("\n", "\r\n"), GIT),
        (BASE, GIT.replace("\n", "\r\n")),
        (BASE.replace("\n", "\r\n"), GIT.replace("\n", "\r\n")),
    ):
        hunks, whys = hunks_of(patch, {"app/a.py": base})
        assert (len(hunks), whys) == (2, [])


def test_a_hunk_that_moved_is_found_near_its_line_and_one_that_fits_nowhere_is_counted() -> None:
    hunks, whys = hunks_of(GIT, {"app/a.py": "top\n" * 4 + BASE})
    assert ([h.old_start for h in hunks], whys) == ([9, 12], [])
    hunks, whys = hunks_of(GIT, {"app/a.py": BASE.replace("line 6", "other")})
    assert (hunks, whys) == ([], ["app/a.py: the hunk at line 3 does not fit the base"])
    hunks, whys = hunks_of(GIT, {})
    assert (hunks, whys) == ([], ["app/a.py is not known in the base"])


@pytest.mark.parametrize(
    ("patch", "files", "skipped"),
    [
        ("", 0, 0),
        ("hello\nworld\n", 0, 0),
        ("@@ -1 +1 @@\n-a\n+b\n", 0, 1),
        ("--- a/x\n+++ b/x\n@@ nonsense @@\n-a\n", 1, 1),
        ("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n", 1, 1),
        (
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            2,
            1,
        ),
        ("diff --git a/x b/x\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n", 1, 1),
        ("--- a/x\n+++ b/x\n@@ -99999999999 +1 @@\n-a\n+b\n", 1, 1),
    ],
)
def test_malformed_patches_are_counted(patch: str, files: int, skipped: int) -> None:
    read = read_patch(patch)
    assert (len(read.files), len(read.skipped)) == (files, skipped)


texts = st.lists(st.sampled_from(["a", "b", "c", "", "--- x", "+++ y", "@@ -1 +1 @@", "\\ z"]), max_size=14)


@given(texts, texts, st.integers(0, 4))
def test_reading_what_difflib_writes_gives_the_new_text(old: list[str], new: list[str], context: int) -> None:
    patch = "\n".join(difflib.unified_diff(old, new, "a/x", "b/x", lineterm="", n=context)) + "\n"
    hunks, whys = hunks_of(patch, {"x": "".join(f"{line}\n" for line in old)})
    assert whys == []
    if old == new:
        assert hunks == []
    else:
        assert {tuple(split_lines(h.new_text or "")) for h in hunks} == {tuple(new)}
        rebuilt, cursor = [], 1
        for hunk in hunks:
            rebuilt += old[cursor - 1 : hunk.old_start - 1] + added_lines(hunk)
            cursor = hunk.old_end + 1
        assert rebuilt + old[cursor - 1 :] == new


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_a_damaged_patch_never_raises(seed: int) -> None:
    shuffle = random.Random(seed)
    lines = GIT.split("\n")
    for _ in range(4):
        at = shuffle.randrange(len(lines))
        lines[at] = shuffle.choice(
            ["", "@@ -1,1", "--- ", "+++ ", '--- "a/\\', "diff --git ", 'diff --git "a" b', lines[at][1:]]
        )
    read = read_patch("\n".join(lines))
    reference_hunks(read, {"app/a.py": BASE}.get)
