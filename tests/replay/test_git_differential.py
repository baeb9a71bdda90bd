"""Replay of git commands equals what git does to a work tree; sequences are generated, objects are known."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.replay.base import load_base
from core.replay.replay import replay
from core.replay.world import History
from core.trajectory.shell import read_command
from core.trajectory.steps import Step, Trajectory

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="needs git")
CWD = "/home/dev/repo"
WHO = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
       for what, value in (("NAME", "x"), ("EMAIL", "x@example.com"), ("DATE", "1700000000 +0000"))}  # fmt: skip
ENV = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

COMMANDS = [
    "echo one >> a.txt",
    "echo two > b.txt",
    "echo new > new.txt",
    "rm -f a.txt",
    "mv b.txt c.txt",
    "echo deep >> sub/d.txt",
    "git add a.txt",
    "git add -A",
    "git add .",
    "git add -u",
    "git commit -q -m work",
    "git commit -qam all",
    "git checkout -- a.txt",
    "git checkout a.txt b.txt",
    "git checkout .",
    "git checkout HEAD -- a.txt",
    "git checkout HEAD~1 -- b.txt",
    "git restore a.txt",
    "git restore --staged a.txt",
    "git restore --staged --worktree a.txt",
    "git restore --source=HEAD~1 b.txt",
    "git reset -q",
    "git reset -q a.txt",
    "git reset --hard -q",
    "git reset --hard HEAD",
    "git reset --hard HEAD~1",
    "git reset --soft HEAD~1",
    "git reset -q HEAD~1",
    "git stash -q",
    "git stash -q -u",
    "git stash push -q -- a.txt",
    "git stash pop -q",
    "git stash apply -q",
    "git stash drop -q",
    "git rm -q a.txt",
    "git rm -q --cached b.txt",
    "git rm -rq sub",
    "git mv b.txt moved.txt",
    "git clean -fdq",
    "git checkout -q -b feature",
    "git checkout -q main",
    "git switch -q main",
    "git switch -qc other",
    "git stash -q; git stash pop -q",
    "git show HEAD:a.txt > shown.txt",
]


def git(root: Path, *args: str) -> None:
    subprocess.run([str(GIT), *args], cwd=root, check=True, capture_output=True, env=ENV, timeout=20)


def make_repository(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    (root / "sub").mkdir()
    for at, (a, b) in enumerate([("a1\n", "b1\n"), ("a1\na2\n", "b2\n"), ("a1\na2\na3\n", "b2\nb3\n")]):
        (root / "a.txt").write_text(a)
        (root / "b.txt").write_text(b)
        (root / "sub" / "d.txt").write_text(f"d{at}\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"c{at}")


def contents(root: Path) -> dict[str, str]:
    files = (p for p in root.rglob("*") if p.is_file() and ".git" not in p.relative_to(root).parts)
    return {p.relative_to(root).as_posix(): p.read_text() for p in files}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("origin")
    make_repository(root)
    return root


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=8))
def test_work_tree_equals_that_of_git(
    origin: Path, tmp_path_factory: pytest.TempPathFactory, commands: list[str]
) -> None:
    root = tmp_path_factory.mktemp("w") / "repo"
    shutil.copytree(origin, root)
    steps = []
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, env=ENV, timeout=20, check=False)
        failed = done.returncode != 0
        text = (done.stdout + done.stderr).decode()
        writes = read_command(command, CWD, text, failed).writes
        if any(not w.path for w in writes):
            return  # it stopped half-way: nothing is claimed
        t = len(steps) + 1
        steps.append(
            Step(t, "run", "assistant", "Bash", "", text, cwd=CWD, command=command, writes=writes, failed=failed)
        )
        run = Trajectory("r", "r", "test", "", (), CWD, "main", "", "", "", tuple(steps))
        result = replay(run, load_base(f"git:{origin}@main", run))
        history = History(result)
        uncertain = {path for path, _, until in result.opaque if until is None}
        held = {p: x for p in history.paths(t) if (x := history.text(p, t)) is not None and p not in uncertain}
        real = {p: x for p, x in contents(root).items() if p not in uncertain}
        assert held == real, commands[:t]
