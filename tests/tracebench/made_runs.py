"""Small runs put together by hand for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.records.record import Record, Symbols
from core.replay.world import BaseInfo, FileWrite, History, Replay, Sight
from core.trajectory.steps import Step, Trajectory

KINDS = {"r": "read", "e": "edit", "x": "run", "s": "search", "y": "say"}


def trajectory(script: str) -> Trajectory:
    """One step a word: r read, e edit, x run, s search, y say, n to-do; T test run; e! fails; (e) a sub-agent's."""
    steps = []
    for t, word in enumerate(script.split(), 1):
        agent = "a1" if word.startswith("(") else ""
        letter = word.strip("()!")
        kind = "run" if letter == "T" else "say" if letter == "n" else KINDS[letter]
        steps.append(
            Step(
                t=t,
                kind="run" if letter == "n" else kind,
                role="assistant",
                tool=letter,
                call="",
                text="",
                failed="!" in word,
                agent=agent,
                purpose="test" if letter == "T" else "",
                neutral=letter in "yn",
            )
        )
    return Trajectory("run", "run", "made", "none", (), "", "", "", "", "", tuple(steps))


def write(t: int, path: str, before: str | None, after: str | None, source: str = "edit", agent: str = "") -> FileWrite:
    return FileWrite(t, t, path, before, after, source, source, agent)


def replay(base: Mapping[str, str], writes: Sequence[FileWrite] = ()) -> Replay:
    return Replay(dict(base), BaseInfo("none", "made"), tuple(writes), (), ())


def history(base: Mapping[str, str], writes: Sequence[FileWrite] = ()) -> History:
    return History(replay(base, writes))


def record(born: int, text: str, tokens: int, *sights: Sight, name: str = "") -> Record:
    return Record(name or f"r{born}", "read", born, text, tokens, Symbols(()) if sights else None, sights=sights)


def sight(t: int, path: str, start: int, *lines: str) -> Sight:
    return Sight(t, path, start, lines, "read")


def numbered(start: int, lines: Sequence[str]) -> str:
    """The lines as a read shows them."""
    return "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, start))
