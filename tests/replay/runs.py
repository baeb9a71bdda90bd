"""Small runs for the tests of replay: steps are numbered as they are listed."""

from __future__ import annotations

from dataclasses import replace

from core.replay.base import Base
from core.trajectory.shell import read_command
from core.trajectory.steps import Shown, Step, Trajectory, Write

CWD = "/home/dev/repo"
NONE = Base("none", "none", complete=False)


def base(files: dict[str, str]) -> Base:
    return Base("folder", "folder", files)


def run(*steps: Step, cwd: str = CWD) -> Trajectory:
    numbered = tuple(replace(step, t=t) for t, step in enumerate(steps, 1))
    return Trajectory("r-1", "r", "test", "", (), cwd, "main", "", "", "", numbered)


def path_of(name: str) -> str:
    return name if name.startswith("/") else f"{CWD}/{name}"


def read(name: str, text: str, start: int = 1, whole: bool | None = None, source: str = "read", **more: object) -> Step:
    lines = tuple(text.split("\n")[:-1]) if text.endswith("\n") else tuple(text.split("\n"))
    whole = start == 1 if whole is None else whole
    shown = Shown(path_of(name), start, lines, source, whole)  # type: ignore[arg-type]
    return Step(0, "read", "assistant", "Read", "", "", cwd=CWD, shown=(shown,), **more)  # type: ignore[arg-type]


def edit(name: str, old: str, new: str, shown: tuple[Shown, ...] = (), **more: object) -> Step:
    write = Write(path_of(name), "edit", old=old, new=new, **more)  # type: ignore[arg-type]
    return Step(0, "edit", "assistant", "Edit", "", "", cwd=CWD, shown=shown, writes=(write,))


def put(name: str, text: str) -> Step:
    return Step(0, "edit", "assistant", "Write", "", "", cwd=CWD, writes=(Write(path_of(name), "put", new=text),))


def shell(command: str, output: str = "", failed: bool = False, **more: object) -> Step:
    action = read_command(command, CWD, output, failed)
    done = Step(0, action.kind, "assistant", "Bash", "", output, cwd=CWD, command=command, failed=failed)
    return replace(done, purpose=action.purpose, shown=action.shown, writes=action.writes, **more)  # type: ignore[arg-type]


def say(text: str = "", turn: int = 0) -> Step:
    return Step(0, "say", "user" if turn else "assistant", "", "", text, turn=turn, neutral=True)
