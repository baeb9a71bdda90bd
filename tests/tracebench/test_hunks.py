"""The hunks of bursts, path kinds, and why a burst is not scored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.replay.lines import split_lines
from core.replay.world import FileWrite
from core.tracebench.bursts import Burst
from core.tracebench.hunks import Hunk, added_lines, burst_hunks, diff_hunks, skip_reason, source_hunks
from core.tracebench.paths import path_kind
from tests.tracebench.made_runs import history, write

TEN = "".join(f"line {n}\n" for n in range(1, 11))


def at(hunks: tuple[Hunk, ...] | list[Hunk]) -> list[tuple[str, int, int, tuple[int, ...]]]:
    return [(h.path, h.old_start, h.old_end, h.added) for h in hunks]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("app/config.py", "source"),
        ("setup.cfg", "source"),
        ("pyproject.toml", "source"),
        ("requirements.txt", "source"),
        ("app/latest.py", "source"),
        ("app/contest.go", "source"),
        ("src/Latest.java", "source"),
        ("app/attestation/x.py", "source"),
        ("docs/conf.py", "source"),
        ("tests/test_a.py", "test"),
        ("app/test_a.py", "test"),
        ("pkg/a_test.go", "test"),
        ("src/a.test.ts", "test"),
        ("src/a.spec.tsx", "test"),
        ("src/__tests__/a.ts", "test"),
        ("conftest.py", "test"),
        ("src/test/java/A.java", "test"),
        ("src/FooTest.java", "test"),
        ("spec_helper/a_spec.rb", "test"),
        ("pkg/testdata/a.json", "test"),
        ("tests/README.md", "test"),
        ("README.md", "documentation"),
        ("LICENSE", "documentation"),
        ("CHANGES.txt", "documentation"),
        ("docs/usage.txt", "documentation"),
        ("docs/a/guide.rst", "documentation"),
        ("notes.txt", "source"),
    ],
)
def test_path_kind(path: str, kind: str) -> None:
    assert path_kind(path) == kind


def test_two_edits_of_one_burst_are_hunks_against_the_state_before_it() -> None:
    mid = TEN.replace("line 2\n", "line 2\nnew\n")
    end = mid.replace("line 9\n", "LINE 9\n")
    writes = (write(2, "a.py", TEN, mid), write(3, "a.py", mid, end))
    hunks = burst_hunks(writes, history({"a.py": TEN}, writes), 1, Burst(2, 3, (2, 3)))
    assert at(hunks) == [("a.py", 3, 2, (3,)), ("a.py", 9, 9, (10,))]
    assert added_lines(hunks[1]) == ["LINE 9"]
    assert hunks[1].removed == ("line 9",)
    assert all(h.new_text == end for h in hunks)
    assert hunks[0].where == "the insertion at line 3"
    assert hunks[1].where == "line 9"


def test_what_others_write_during_a_burst_is_no_part_of_it() -> None:
    mine = TEN.replace("line 8\n", "line eight\n")
    writes = (
        write(2, "a.py", TEN, TEN, "edit"),
        write(2, "a.py", TEN, "header\n" + TEN, "external"),
        write(3, "a.py", "header\n" + TEN, "header\n" + mine),
        write(3, "b.py", "", "x\n", "edit", agent="sub"),
        write(4, "c.py", None, "y\n", "shell"),
    )
    hunks = burst_hunks(writes, history({"a.py": TEN}, writes), 1, Burst(2, 4, (2, 3, 4)))
    assert at(hunks) == [("a.py", 8, 8, (9,))]
    assert hunks[0].removed == ("line 8",)


def test_an_edit_of_lines_another_writer_added_meanwhile_has_no_place_before() -> None:
    writes = (
        write(2, "a.py", TEN, "extra\n" + TEN, "external"),
        write(2, "a.py", "extra\n" + TEN, "more\n" + TEN),
    )
    assert burst_hunks(writes, history({"a.py": TEN}, writes), 1, Burst(2, 2, (2,))) == ()


def test_new_deleted_and_renamed_files() -> None:
    moved = TEN.replace("line 5\n", "line five\n")
    writes = (
        write(2, "new.py", None, "a\nb\n"),
        write(2, "gone.py", "x\ny\n", None),
        write(2, "old/name.py", TEN, None),
        write(2, "new/name.py", None, moved),
    )
    base = {"gone.py": "x\ny\n", "old/name.py": TEN}
    hunks = burst_hunks(writes, history(base, writes), 1, Burst(2, 2, (2,)))
    assert at(hunks) == [("gone.py", 1, 2, ()), ("new.py", 1, 0, (1, 2)), ("old/name.py", 5, 5, (5,))]
    assert [(h.created, h.new_text is None, h.new_path) for h in hunks] == [
        (False, True, ""),
        (True, False, ""),
        (False, False, "new/name.py"),
    ]


def test_opaque_writes_give_no_hunk() -> None:
    writes = (FileWrite(2, 2, "a.py", TEN, None, "edit", "Edit", opaque=True),)
    assert burst_hunks(writes, history({"a.py": TEN}, writes), 1, Burst(2, 2, (2,))) == ()


@pytest.mark.parametrize(
    ("paths", "opaque", "reason"),
    [
        (["a.py"], False, ""),
        (["a.py", "tests/test_a.py", "README.md"], False, ""),
        (["tests/test_a.py"], False, "test-only"),
        (["tests/test_a.py", "README.md"], False, "test-only"),
        (["README.md"], False, "documentation-only"),
        ([], False, "no-imminent-edit"),
        ([], True, "opaque"),
        (["a.py"], True, ""),
    ],
)
def test_skip_reason(paths: list[str], opaque: bool, reason: str) -> None:
    hunks = [h for path in paths for h in diff_hunks(path, "a\n", path, "b\n")]
    assert skip_reason(hunks, opaque) == reason
    assert [h.path for h in source_hunks(hunks)] == [p for p in paths if p == "a.py"]


lines = st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=8)


@given(lines, lines)
def test_hunks_say_exactly_what_changed(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new)
    hunks = diff_hunks("a.py", before, "a.py", after)
    rebuilt, cursor = [], 1
    for hunk in hunks:
        rebuilt += split_lines(before)[cursor - 1 : hunk.old_start - 1] + added_lines(hunk)
        assert list(hunk.removed) == split_lines(before)[hunk.old_start - 1 : hunk.old_end]
        cursor = hunk.old_end + 1
    assert rebuilt + split_lines(before)[cursor - 1 :] == new
