"""Little input that asks for much work or memory: it is answered in a moment, and what was not done is said."""

from __future__ import annotations

import re

import pytest

from core.replay.apply import DoesNotFit, apply_hunks, apply_write
from core.trajectory.shell import read_command
from core.trajectory.steps import Hunk, Write
from tests.bad_input.hostile import FILE, TASK, analysed, bash, edit, read, within, write

BOMBS = [
    r"sed -i -E 's/(a|a|aa)+$/b/' a.py",
    r"sed -i 's/\(a*\)*$/b/' a.py",
    r"sed -i -E 's/a{1,5000}{1,5000}/b/' a.py",
    r"sed -i -E 's/(.*)(.*)(.*)(.*)(.*)(.*)x/b/' a.py",
    r"sed -i ':a;s/a/aa/;ta' a.py",
    "sed -i '" + "s/a/&&&&&&&&&&&&&&&&&&&&&&&&/g;" * 9 + "' a.py",
    "sed -i '" + "p;" * 400 + "s/a*/&&&&&&&&&&&&&&&&/;" * 6 + "' a.py",
    r"sed -i -E 's/^/aaaaaaaaaaaaaaaaaaaaaaaaaaaa/;s/a/&&&&&&&&&&&&&&&&&&&&/g;s/[a-z]*[a-z]*!?x/b/' a.py",
]


def test_sed_scripts_that_would_not_end_leave_the_file_unknown() -> None:
    with within(10):
        records = [record for n, bomb in enumerate(BOMBS) for record in bash(f"s{n}", bomb, "", 2 + n)]
        run = analysed(TASK, *write("w", FILE, "a" * 5000 + "!\n", 1), *records).replay
    assert [t for t, _, _ in run.unapplied] == list(range(3, 3 + len(BOMBS)))
    assert all(why.startswith("sed script not understood: ") for _, _, why in run.unapplied)
    assert run.opaque == (("a.py", 3, None),)


def test_texts_that_grow_without_bound_are_not_made() -> None:
    doubled = [record for n in range(40) for record in edit(f"e{n}", FILE, "a", "aa", 2 + n, everywhere=True)]
    with within(10):
        run = analysed(TASK, *write("w", FILE, "a\n" * 1000, 1), *doubled).replay
    why = {why for _, _, why in run.unapplied}
    assert why == {"the text would grow too large"}
    kept = max(len(w.after or "") for w in run.writes)
    assert 10_000_000 < kept < 20_000_000
    with within(1), pytest.raises(DoesNotFit, match="grow too large"):
        apply_write("a" * 1_000_000, Write("a", "edit", old="a", new="a" * 1_000_000, replace_all=True))
    assert apply_write("a" * 1_000_000, Write("a", "edit", old="a", new="", replace_all=True)) == ""


def test_a_patch_of_equal_lines_does_not_cost_their_product() -> None:
    hunk = Hunk(1, 1, (*["-a"] * 50_000, "-b", "+c"))
    with within(10), pytest.raises(DoesNotFit, match="takes too long to find"):
        apply_hunks("a\n" * 100_000, [hunk])
    many = [Hunk(n, n, ("-a", "+b")) for n in range(1, 20_001)]
    with within(10):
        assert apply_hunks("a\n" * 20_000, many) == "b\n" * 20_000


def test_of_two_places_as_near_a_hunk_takes_the_later_as_patch_does() -> None:
    assert apply_hunks("x\na\nx\n", [Hunk(2, 2, ("-x", "+y"))]) == "x\na\ny\n"
    assert apply_hunks("x\n\nb\n", [Hunk(1, 1, (" x", "", "-b", "+c"))]) == "x\n\nc\n"
    with pytest.raises(DoesNotFit, match="not a hunk"):
        apply_hunks("y\n", [Hunk(1, 1, ("xfoo", " y", "+z"))])


@pytest.mark.parametrize(
    ("command", "kind", "writes"),
    [
        ("a|" * 100_000 + "b", "run", []),
        ("a && " * 100_000 + "b", "run", []),
        ('echo "' + "x" * 1_000_000, "run", []),
        ("'" * 100_001, "run", []),
        ("cat > a.py <<'EOF'\nx = 1\n", "run", [("put", "/srv/shop/a.py", "x = 1\n")]),
        ("cat > a.py <<'EOF'\n" * 3, "run", [("put", "/srv/shop/a.py", "cat > a.py <<'EOF'\n" * 2)]),
        ("$(" * 5000 + ")" * 5000, "run", []),
        ("echo " + "{a,b}" * 30 + " > f", "run", [("opaque", "/srv/shop/f", "")]),
        ("if true; then " * 2000 + "x" + "; fi" * 2000, "run", []),
        ("head -n " + "9" * 5000 + " a.py", "read", []),
        ("head -n ² a.py", "read", []),
        ('python -c \'open("a","w").write("x"*10**12)\'', "run", [("opaque", "/srv/shop/a", "")]),
        ("python - <<'E'\n" + "(" * 3000 + "\nE\n", "run", []),
        ("\0 > a", "run", [("opaque", "/srv/shop/a", "")]),
    ],
    ids=lambda value: re.sub(r"\W+", "_", str(value)[:20]),
)
def test_shell_commands_of_any_size_and_shape_are_read_in_a_moment(
    command: str, kind: str, writes: list[tuple[str, str, str]]
) -> None:
    with within(10):
        action = read_command(command, "/srv/shop", "hello\n1 passed in 2s\n", failed=False)
    assert action.kind == kind
    assert [(w.op, w.path, w.new) for w in action.writes] == writes
    assert action.shown == ()


def test_a_regex_bomb_in_a_search_is_only_text() -> None:
    searches = [record for n in range(5) for record in bash(f"g{n}", "grep -E '(a|a|aa)+$' a.py", "", 2 + n)]
    with within(5):
        run = analysed(TASK, *read("r", FILE, ["a" * 5000 + "!"], 1), *searches, *edit("e", FILE, "!", "?", 9))
    assert [step.kind for step in run.trajectory.steps] == ["say", "read", *["search"] * 5, "edit"]
