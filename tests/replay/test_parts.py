"""The pure parts of replay: lines, trees, hunks, roots, partial files; properties on generated texts."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.replay.apply import DoesNotFit, apply_hunks, apply_write, edit_offset
from core.replay.fidelity import agrees, compare, repaired
from core.replay.lines import line_map, split_lines
from core.replay.partial import Partial
from core.replay.paths import clean_path, find_roots
from core.replay.tree import Tree
from core.trajectory.shell_diff import diff_writes
from core.trajectory.steps import Hunk, Shown, Write
from tests.replay.runs import CWD, read, run

TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "  d", "}", "x = 1"]), max_size=14).map(
    lambda x: "".join(f"{y}\n" for y in x)
)


@given(TEXTS, TEXTS)
def test_line_maps_pair_equal_lines_both_ways(before: str, after: str) -> None:
    old, new, moved = split_lines(before), split_lines(after), line_map(before, after)
    for line in range(1, len(old) + 1):
        there = moved.to_new(line)
        if there is not None:
            assert old[line - 1] == new[there - 1]
            assert moved.to_old(there) == line
    back = [moved.to_old(line) for line in range(1, len(new) + 1)]
    assert [b for b in back if b is not None] == sorted(b for b in back if b is not None)
    kept = sum(b is not None for b in back)
    assert kept == sum(moved.to_new(line) is not None for line in range(1, len(old) + 1))


@given(TEXTS, TEXTS)
def test_blocks_rebuild_the_new_text(before: str, after: str) -> None:
    old, new, out, at = split_lines(before), split_lines(after), [], 1
    for block in line_map(before, after).blocks:
        out += old[at - 1 : block.old_start - 1] + new[block.new_start - 1 : block.new_end]
        at = block.old_end + 1
    assert out + old[at - 1 :] == new


@given(TEXTS, TEXTS)
def test_a_diff_applies_and_its_reverse_takes_it_back(before: str, after: str) -> None:
    a, b = split_lines(before), split_lines(after)
    diff = "\n".join(difflib.unified_diff(a, b, "a/f", "b/f", lineterm="", n=3))
    writes = diff_writes(diff, CWD, 1)
    assert (apply_write(before, writes[0]) if writes else before) == after
    if writes:
        turned = tuple(
            Hunk(h.new_start, h.old_start, tuple({"+": "-", "-": "+"}.get(x[0], x[0]) + x[1:] for x in h.lines))
            for h in writes[0].hunks
        )
        assert apply_hunks(after, turned) == before


@given(TEXTS, st.text("abc\n", min_size=1, max_size=5), st.text("abc\n", max_size=5))
def test_an_edit_is_one_replacement_or_does_not_fit(text: str, old: str, new: str) -> None:
    write = Write("f", "edit", old=old, new=new)
    if old not in text:
        with pytest.raises(DoesNotFit):
            apply_write(text, write)
        return
    after = apply_write(text, write)
    assert after == text.replace(old, new, 1)
    at = edit_offset(text, old, ())
    assert after[:at] + old + after[at + len(new) :] == text
    assert apply_write(text, Write("f", "edit", old=old, new=new, replace_all=True)) == text.replace(old, new)


def test_hunks_are_found_near_their_lines_and_with_loose_context() -> None:
    text = "".join(f"l{n}\n" for n in range(1, 11))
    moved = Hunk(2, 2, (" l6", "-l7", "+L7"))
    assert apply_hunks(text, (moved,)) == text.replace("l7\n", "L7\n")
    loose = Hunk(6, 6, (" other", " l6", "-l7", "+L7", " l8"))
    assert apply_hunks(text, (loose,)) == text.replace("l7\n", "L7\n")
    with pytest.raises(DoesNotFit):
        apply_hunks(text, (Hunk(1, 1, (" nothing", "-like", "+this")),))


def test_no_newline_at_the_end_is_a_property_of_the_line_before_the_mark() -> None:
    no_end = "\\ No newline at end of file"
    assert apply_hunks("a\nb\n", (Hunk(1, 1, (" a", "-b", "+c", no_end)),)) == "a\nc"
    assert apply_hunks("a\nb", (Hunk(1, 1, (" a", "-b", no_end, "+c")),)) == "a\nc\n"


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.one_of(st.none(), st.text(max_size=2))), max_size=200))
def test_a_tree_is_a_dict_that_keeps_its_past(changes: list[tuple[str, str | None]]) -> None:
    base = {"a": "1", "b": "2"}
    tree, plain = Tree(base), dict(base)
    past: list[tuple[Tree, dict[str, str]]] = []
    for path, text in changes:
        past.append((tree, dict(plain)))
        if text is None:
            tree, _ = tree.without(path), plain.pop(path, None)
        else:
            tree = tree.with_text(path, text)
            plain[path] = text
    for version, held in [*past[::20], (tree, plain)]:
        assert {p: version.get(p) for p in version.paths()} == held
        assert all(version.get(p) == held.get(p) for p in "abcdef")


@given(TEXTS, TEXTS, st.integers(1, 8), st.integers(1, 6))
def test_a_repaired_text_agrees_with_the_view_it_was_repaired_from(
    before: str, after: str, start: int, count: int
) -> None:
    lines = split_lines(after)[start - 1 : start - 1 + count]
    if not lines:
        return
    shown = Shown("f", start, tuple(lines), "read")
    fixed = repaired(shown, before)
    if fixed is not None:
        assert compare(shown, fixed).agrees
        assert split_lines(fixed)[: start - 1] == split_lines(before)[: start - 1]
    whole = Shown("f", 1, tuple(split_lines(after)), "read", whole=True)
    assert repaired(whole, before) == after


def test_partial_files_move_with_edits_they_hold() -> None:
    known = Partial().learn(Shown("f", 5, ("a", "bb", "c"), "read")).learn(Shown("f", 20, ("z",), "read"))
    after, start = known.edited(Write("f", "edit", old="bb\n", new="1\n2\n3\n"))
    assert (dict(after.lines), start) == ({5: "a", 6: "1", 7: "2", 8: "3", 9: "c", 22: "z"}, 6)
    assert known.edited(Write("f", "edit", old="nowhere", new="x")) == (Partial(), None)
    assert known.compare(Shown("f", 6, ("bb", "X", "new"), "read")).equal == 1


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("C:\\Users\\dev\\a.py", "/C:/Users/dev/a.py"),
        ("/private/tmp/x", "/tmp/x"),
        ("/a//b/./c", "/a/b/c"),
        ("/a/b", "/a/b"),
    ],
)
def test_paths_are_cleaned(path: str, clean: str) -> None:
    assert clean_path(path) == clean


def test_roots_follow_the_base_not_the_name_of_the_folder() -> None:
    files = {"pkg/a.py", "pkg/b.py", "README.md"}
    steps = (read("/x/deep/checkout/pkg/a.py", "1\n"), read("/x/deep/checkout/README.md", "1\n"))
    roots = find_roots(run(*steps, cwd="/x/deep/checkout/pkg"), files)
    assert roots.main == "/x/deep/checkout"
    keys = [
        "/x/deep/checkout/pkg/new.py",
        "/x/deep/other.py",
        "/x/deep/checkout/.git/HEAD",
        "/x/deep/checkout/a/../../b",
    ]
    assert [roots.key(k) for k in keys] == ["pkg/new.py", None, None, None]


def test_roots_without_a_base_are_the_working_folder() -> None:
    assert find_roots(run(read("a.py", "1\n")), ()).main == CWD


@pytest.mark.parametrize(
    ("seen", "held", "same"),
    [
        ('    "sdk": "REDACTED",', '    "sdk": "sha512-b6r3",', True),
        ("export REDACTED    # REDACTED key", "export A=b    # the key", True),
        ("key REDACTED/REDACTED==", "key a/b==", True),
        ("key REDACTED", "key ", False),
        ("key REDACTED", "kez abc", False),
        ("key REDACTED end", "key abc End", False),
        ("REDACTED", "anything", False),
        ("a REDACTED word here", "a REDACTED word there", False),
    ],
)
def test_a_line_the_recorder_took_a_secret_out_of_agrees_by_what_is_left(seen: str, held: str, same: bool) -> None:
    assert agrees(Shown("/r/a", 1, (seen,), "search"), f"{held}\nmore\n") is same
