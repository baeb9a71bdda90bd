"""Replay, rule by rule on runs worked out by hand (METHOD 4)."""

from __future__ import annotations

import pytest

from core.replay.base import Base
from core.replay.replay import replay
from core.replay.world import FileWrite, History, Replay
from core.trajectory.steps import Hunk, Shown, Step, Write
from tests.replay.runs import CWD, NONE, base, edit, path_of, put, read, run, say, shell


def text(result: Replay, path: str, t: int) -> str | None:
    return History(result).text(path, t)


def changes(result: Replay) -> list[tuple[int, int, str, str | None, str | None, str, bool]]:
    return [(w.t, w.known_at, w.path, w.before, w.after, w.source, w.opaque) for w in result.writes]


def test_first_whole_sight_is_the_base_and_no_observation() -> None:
    result = replay(run(read("a.py", "x\ny\n"), read("a.py", "x\ny\n")), NONE)
    assert dict(result.base) == {"a.py": "x\ny\n"}
    assert [(o.t, o.compared, o.equal, o.verdict) for o in result.observations] == [(2, 2, 2, "equal")]
    assert result.fidelity == 1.0


def test_with_a_base_the_first_sight_is_compared() -> None:
    result = replay(run(read("a.py", "x\ny\n")), base({"a.py": "x\ny\n"}))
    assert (result.compared, result.fidelity) == (2, 1.0)
    assert (result.info.matched, result.info.compared, result.info.note) == (1, 1, "")


def test_nothing_compared_is_not_zero() -> None:
    assert replay(run(say("hello")), NONE).fidelity is None


def test_an_edit_moves_the_state_and_its_new_text_is_a_sight() -> None:
    result = replay(run(edit("a.py", "b\n", "B\nC\n")), base({"a.py": "a\nb\nc\n"}))
    assert changes(result) == [(1, 1, "a.py", "a\nb\nc\n", "a\nB\nC\nc\n", "edit", False)]
    assert [(s.path, s.start, s.lines, s.source, s.whole) for s in result.sights] == [
        ("a.py", 2, ("B", "C"), "new", False)
    ]


def test_an_edit_of_a_part_of_a_line_shows_the_whole_line() -> None:
    result = replay(run(edit("a.py", "b", "BB")), base({"a.py": "a = 1\nx = b + 1\n"}))
    assert [(s.start, s.lines) for s in result.sights] == [(2, ("x = BB + 1",))]


def test_the_patch_says_which_of_several_occurrences_was_edited() -> None:
    hunk = Hunk(4, 4, (" z", "-x", "+y"))
    result = replay(run(edit("a", "x", "y", hunks=(hunk,))), base({"a": "x\nz\nx\nz\nx\n"}))
    assert text(result, "a", 1) == "x\nz\nx\nz\ny\n"


def test_replace_all_shows_every_place() -> None:
    result = replay(run(edit("a", "x", "yy", replace_all=True)), base({"a": "x\nz\nx\n"}))
    assert [(s.start, s.lines) for s in result.sights] == [(1, ("yy",)), (3, ("yy",))]


def test_several_edits_of_one_step_are_one_write_and_land_in_its_final_text() -> None:
    writes = (
        Write(path_of("a"), "edit", old="one", new="ONE"),
        Write(path_of("a"), "edit", old="zero\n", new="z1\nz2\n"),
    )
    step = Step(0, "edit", "assistant", "MultiEdit", "", "", cwd=CWD, writes=writes)
    result = replay(run(step), base({"a": "zero\none\n"}))
    assert changes(result) == [(1, 1, "a", "zero\none\n", "z1\nz2\nONE\n", "edit", False)]
    assert [(s.start, s.lines) for s in result.sights] == [(3, ("ONE",)), (1, ("z1", "z2"))]


def test_an_edit_that_does_not_fit_is_reported_and_makes_the_file_opaque() -> None:
    result = replay(run(edit("a", "nowhere", "x"), read("a", "new\n")), base({"a": "old\n"}))
    assert result.unapplied == ((1, "a", "old text not found"),)
    assert changes(result) == [
        (1, 1, "a", "old\n", "old\n", "edit", True),
        (1, 2, "a", "old\n", "new\n", "edit", False),
    ]
    assert result.opaque == (("a", 1, 2),)
    assert result.compared == 0  # nothing was claimed, so nothing was wrong


def test_the_original_of_an_edit_is_evidence_the_model_did_not_see() -> None:
    original = Shown(path_of("a"), 1, ("x", "y"), "original", True, seen=False)
    result = replay(run(edit("a", "y", "z", shown=(original,))), NONE)
    assert dict(result.base) == {"a": "x\ny\n"}
    assert text(result, "a", 1) == "x\nz\n"
    assert [s.source for s in result.sights] == ["new"]


def test_a_snippet_is_compared_with_the_text_after_the_edit_without_its_phantom_line() -> None:
    snippet = Shown(path_of("a"), 1, ("x", "z", ""), "snippet")
    result = replay(run(edit("a", "y", "z", shown=(snippet,))), base({"a": "x\ny\n"}))
    assert [(o.compared, o.equal, o.source) for o in result.observations] == [(2, 2, "snippet")]
    assert [(s.source, s.lines) for s in result.sights] == [("snippet", ("x", "z")), ("new", ("z",))]


def test_a_base_the_run_contradicts_is_said_and_left() -> None:
    result = replay(
        run(read("a", "mine\n"), read("b", "b\n"), edit("a", "mine", "ours")), base({"a": "other\n", "b": "b\n"})
    )
    assert (result.info.matched, result.info.compared) == (1, 2)
    assert result.info.note == "1 of 2 first-seen files differ from it; what the run saw is used for them"
    assert result.base["a"] == "mine\n"
    assert changes(result) == [(3, 3, "a", "mine\n", "ours\n", "edit", False)]
    assert [(o.equal, o.compared) for o in result.observations] == [(0, 1), (1, 1)]


def test_an_unknown_write_is_placed_at_the_fixer_and_known_when_seen() -> None:
    steps = (read("a", "x=1\n"), shell("ruff format"), say("fine"), read("a", "x = 1\n"))
    result = replay(run(*steps), base({"a": "x=1\n"}))
    assert changes(result) == [(2, 4, "a", "x=1\n", "x = 1\n", "observed", False)]
    assert [(o.t, o.verdict, o.suspect, o.equal) for o in result.observations] == [
        (1, "equal", None, 1),
        (4, "unknown-write", 2, 0),
    ]
    assert History(result).text("a", 2) == "x = 1\n"
    assert History(result, "known_at").text("a", 3) == "x=1\n"  # no policy sees the future


def test_an_unknown_write_with_no_run_between_lies_at_the_start_of_a_users_turn() -> None:
    result = replay(run(read("a", "1\n"), say("I changed it", turn=1), read("a", "2\n", turn=1)), base({"a": "1\n"}))
    assert changes(result) == [(2, 3, "a", "1\n", "2\n", "observed", False)]


def test_an_unknown_write_with_nothing_between_is_external() -> None:
    result = replay(run(read("a", "1\n"), read("a", "2\n")), base({"a": "1\n"}))
    assert changes(result) == [(2, 2, "a", "1\n", "2\n", "external", False)]
    assert [o.suspect for o in result.observations] == [None, None]


def test_a_partial_view_repairs_its_own_lines() -> None:
    old = "".join(f"l{n}\n" for n in range(1, 21))
    view = "l9\nl10\nNEW\nl11\nl12\n"
    result = replay(run(read("a", old), read("a", view, start=9)), base({"a": old}))
    assert text(result, "a", 2) == old.replace("l10\n", "l10\nNEW\n")


def test_a_partial_view_that_moved_leaves_the_file_opaque() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 21))
    result = replay(run(read("a", old), read("a", "line 9\nline 10\n", start=12)), base({"a": old}))
    assert [o.verdict for o in result.observations] == ["equal", "shifted"]
    assert result.opaque == (("a", 2, None),)
    assert [w.opaque for w in result.writes] == [True]


def test_a_partial_view_of_an_earlier_text_puts_it_back() -> None:
    old, new = "a\nb\nc\n", "a\nX\nc\n"
    result = replay(run(edit("f", "b", "X"), read("f", "b\n", start=2, whole=False)), base({"f": old}))
    assert changes(result)[-1][:5] == (2, 2, "f", new, old)


def test_files_known_in_part_are_compared_where_known_and_move_with_edits() -> None:
    steps = (
        read("big", "e10\ne11\ne12\n", start=10),
        edit("big", "e11\n", "E11\nE11b\n"),
        read("big", "e10\nE11\nE11b\ne12\ne13\n", start=10),
    )
    result = replay(run(*steps), NONE)
    assert [(o.t, o.compared, o.equal) for o in result.observations] == [(3, 4, 4)]
    assert changes(result) == [(2, 2, "big", None, None, "edit", True)]
    assert [(s.start, s.lines) for s in result.sights if s.source == "new"] == [(11, ("E11", "E11b"))]


def test_a_named_fixer_makes_its_file_opaque_until_seen() -> None:
    same = replay(run(shell("black a.py"), read("a.py", "x\n")), base({"a.py": "x\n"}))
    assert (same.opaque, [w.opaque for w in same.writes]) == ((("a.py", 1, 2),), [True])
    other = replay(run(shell("black a.py"), read("a.py", "y\n")), base({"a.py": "x\n"}))
    assert [(w.t, w.known_at, w.after, w.opaque) for w in other.writes] == [(1, 1, "x\n", True), (1, 2, "y\n", False)]


def test_hidden_writes_move_the_state_and_say_whose_they_are() -> None:
    step = Step(
        0,
        "edit",
        "assistant",
        "Edit",
        "",
        "",
        agent="a1",
        cwd=CWD,
        writes=(Write(path_of("a"), "edit", old="x", new="y"),),
    )
    result = replay(run(step, read("a", "y\n")), base({"a": "x\n"}))
    assert (changes(result)[0][5], result.writes[0].agent, result.fidelity) == ("agent", "a1", 1.0)


def test_a_whole_view_counts_lines_it_does_not_show() -> None:
    result = replay(run(read("a", "x\n", whole=True)), base({"a": "x\ny\nz\n"}))
    assert [(o.compared, o.equal) for o in result.observations] == [(3, 1)]


def test_cat_loses_blank_lines_at_both_ends_and_still_agrees() -> None:
    step = shell("cat a", "x\n\ny")
    result = replay(run(step), base({"a": "\n\nx\n\ny\n\n\n"}))
    assert [(o.start, o.compared, o.equal) for o in result.observations] == [(3, 3, 3)]


def test_crlf_files_keep_their_ends_and_agree_with_views_without_them() -> None:
    steps = (read("a", "x\ny\n"), edit("a", "x\ny", "x\nz"), read("a", "x\nz\n"))
    result = replay(run(*steps), base({"a": "x\r\ny\r\n"}))
    assert (text(result, "a", 3), result.fidelity) == ("x\r\nz\r\n", 1.0)


def test_paths_outside_are_counted_and_never_written() -> None:
    step = Step(0, "edit", "assistant", "Write", "", "", cwd=CWD, writes=(Write("/etc/passwd", "put", new="x"),))
    up = Step(0, "edit", "assistant", "Write", "", "", cwd=CWD, writes=(Write(f"{CWD}/../../x", "put", new="x"),))
    git = put(".git/config", "x")
    result = replay(run(step, up, git, read("/etc/hosts", "h\n")), base({"a": "x\n"}))
    assert result.writes == ()
    assert [n for _, n in result.outside] == [1, 1, 1, 1]
    assert [s for s in result.sights if s.source != "new"] == []


def test_a_file_made_outside_can_come_in() -> None:
    steps = (shell("printf 'hi\\n' > /tmp/x.txt"), shell("cp /tmp/x.txt in.txt"))
    assert text(replay(run(*steps), base({})), "in.txt", 2) == "hi\n"


def test_a_diff_written_outside_can_be_applied() -> None:
    diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n"
    steps = (
        shell(f"cat > /tmp/p.diff <<'EOF'\n{diff}EOF\n"),
        shell("git apply /tmp/p.diff"),
        shell("git apply -R /tmp/p.diff"),
    )
    result = replay(run(*steps), base({"f": "a\nb\n"}))
    assert [text(result, "f", t) for t in (1, 2, 3)] == ["a\nb\n", "a\nB\n", "a\nb\n"]


def test_a_script_the_run_wrote_and_runs_is_read_for_its_writes() -> None:
    script = "s = open('a').read()\ns = s.replace('x', 'y')\nopen('a', 'w').write(s)\n"
    steps = (shell(f"cat > /tmp/fix.py <<'E'\n{script}E\n"), shell("python /tmp/fix.py"), read("a", "y\n"))
    result = replay(run(*steps), base({"a": "x\n"}))
    assert ([(w.t, w.path, w.after) for w in result.writes], result.fidelity) == ([(2, "a", "y\n")], 1.0)
    one = shell(f"cat > fix.py <<'E'\n{script}E\npython fix.py && rm fix.py")
    assert text(replay(run(one), base({"a": "x\n"})), "a", 1) == "y\n"


def test_a_stash_popped_in_the_same_command_is_net_zero() -> None:
    steps = (edit("a", "x", "y"), shell("git stash && make test; git stash pop"), read("a", "y\n"))
    result = replay(run(*steps), base({"a": "x\n"}))
    assert ([w.t for w in result.writes], result.fidelity) == ([1], 1.0)


def test_checkout_after_a_commit_restores_what_was_committed() -> None:
    steps = (
        edit("a", "x", "y"),
        shell("git commit -qam one"),
        edit("a", "y", "z"),
        shell("git checkout -- a"),
        read("a", "y\n"),
    )
    result = replay(run(*steps), base({"a": "x\n"}))
    assert ([(w.t, w.after) for w in result.writes], result.fidelity) == ([(1, "y\n"), (3, "z\n"), (4, "y\n")], 1.0)


def test_a_clean_status_means_head_moved() -> None:
    clean = shell("git status", "On branch main\nnothing to commit, working tree clean\n")
    steps = (edit("a", "x", "y"), clean, edit("a", "y", "z"), shell("git checkout a"), read("a", "y\n"))
    assert replay(run(*steps), base({"a": "x\n"})).fidelity == 1.0


def test_a_branch_of_unknown_content_is_the_likeliest_author_of_later_changes() -> None:
    steps = (read("a", "x\n"), shell("git checkout feature"), shell("ls"), read("a", "other\n"))
    result = replay(run(*steps), base({"a": "x\n"}))
    assert changes(result) == [(2, 4, "a", "x\n", "other\n", "observed", False)]


def test_every_certain_write_is_a_real_change() -> None:
    steps = (put("a", "x\n"), shell("echo x > a"), shell("cp a b"), shell("mv b b"), shell("touch a"))
    result = replay(run(*steps), base({"a": "x\n"}))
    assert [(w.t, w.path) for w in result.writes] == [(3, "b")]


def test_another_worktree_has_its_own_files() -> None:
    other = "/home/dev/repo.worktrees/fix"
    steps = (
        read("a/b.py", "x\n"),
        read(f"{other}/a/b.py", "x\n"),
        Step(
            0,
            "edit",
            "assistant",
            "Edit",
            "",
            "",
            cwd=other,
            writes=(Write(f"{other}/a/b.py", "edit", old="x", new="y"),),
        ),
        read("a/b.py", "x\n"),
        read(f"{other}/a/b.py", "y\n"),
    )
    result = replay(run(*steps), base({"a/b.py": "x\n"}))
    assert ([w.path for w in result.writes], result.fidelity) == (["fix/a/b.py"], 1.0)


def test_the_run_maps_to_the_base_by_the_longest_suffix() -> None:
    step = read("/home/dev/repo/packages/app/src/x.py", "x\n")
    assert replay(run(step), base({"src/x.py": "x\n", "x.py": "y\n"})).fidelity == 1.0
    inner = replay(run(read("/home/dev/repo/src/x.py", "x\n"), cwd="/home/dev/repo/src"), base({"src/x.py": "x\n"}))
    assert [s.path for s in inner.sights] == ["src/x.py"]


@pytest.mark.parametrize("source", ["search", "read"])
def test_a_search_line_its_client_changed_is_not_repaired(source: str) -> None:
    step = read("a", "/ Note: here\n", start=2, whole=False, source=source)
    result = replay(run(step), base({"a": "x\n// Note: here\n"}))
    verdict, held = ("client-changed", "// Note: here") if source == "search" else ("different", "/ Note: here")
    assert result.observations[0].verdict == verdict
    assert (text(result, "a", 1) or "").split("\n")[1] == held


def test_progress_and_order() -> None:
    told: list[tuple[int, int]] = []
    steps = (read("a", "1\n"), shell("ruff format"), edit("b", "x", "y"), read("a", "2\n"))
    result = replay(run(*steps), base({"a": "1\n", "b": "x\n"}), lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [w.t for w in result.writes] == [2, 3]
    assert [s.t for s in result.sights] == sorted(s.t for s in result.sights)


def test_a_hostile_run_is_survived() -> None:
    bad = (
        Step(
            0,
            "edit",
            "assistant",
            "Edit",
            "",
            "",
            writes=(Write("", "edit", old="", new=""), Write("///", "put", new="x")),
        ),
        Step(
            0,
            "run",
            "assistant",
            "Bash",
            "",
            "",
            cwd="\0",
            writes=(Write("\0", "delete"), Write("/", "delete", args=("-r",))),
        ),
        Step(
            0,
            "run",
            "assistant",
            "Bash",
            "",
            "",
            cwd=CWD,
            writes=(Write(CWD, "git"), Write(f"{CWD}/[", "sed", args=("s/(/",))),
        ),
        Step(
            0,
            "read",
            "assistant",
            "Read",
            "",
            "",
            cwd=CWD,
            shown=(Shown("", -5, ("x",), "read"), Shown(f"{CWD}/a", 0, (), "cat", True)),
        ),
        Step(
            0,
            "edit",
            "assistant",
            "Edit",
            "",
            "",
            cwd=CWD,
            writes=(Write(f"{CWD}/a", "patch", hunks=(Hunk(-3, 9, ("?",)),)),),
        ),
    )
    assert replay(run(*bad), base({"a": "x\n"})) is not None
    assert replay(run(*bad), NONE) is not None


def test_writes_hold_their_kind() -> None:
    result = replay(run(put("n.py", "x\n"), shell("rm n.py")), Base("folder", "folder", {}))
    assert [(w.before, w.after, w.how, w.source) for w in result.writes] == [
        (None, "x\n", "Write", "edit"),
        ("x\n", None, "rm", "shell"),
    ]
    assert isinstance(result.writes[0], FileWrite)
