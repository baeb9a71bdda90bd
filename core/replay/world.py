"""What replay produces: the file history, each sight of it, and how well the two agree (METHOD 4).

Paths are POSIX and relative to the repository root; another worktree's files carry its name in
front. Texts use "\\n" line ends as the file has them; "\\r\\n" files keep theirs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.trajectory.steps import ShownSource

WriteSource = Literal["edit", "shell", "observed", "agent", "external"]
Verdict = Literal["equal", "shifted", "stale-view", "client-changed", "unknown-write", "different"]


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One file changed at step ``t`` and known to the harness at ``known_at`` (>= t).

    ``before`` and ``after`` are whole texts, None where the file does not exist. ``opaque`` is true when
    the file changed but at least one of the texts is not known; both are then None or the last known.
    ``how`` is a few words for people ("Edit", "sed -i", "seen changed at step 40").
    """

    t: int
    known_at: int
    path: str
    before: str | None
    after: str | None
    source: WriteSource
    how: str
    agent: str = ""
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """Lines of a repository file that step ``t`` shows, as seen; ``start`` 1-based.

    ``new`` marks the lines an edit itself wrote (its referent): they sit where they landed in w_t.
    """

    t: int
    path: str
    start: int
    lines: tuple[str, ...]
    source: ShownSource | Literal["new"]
    whole: bool = False

    @property
    def end(self) -> int:
        """Last shown line, included."""
        return self.start + len(self.lines) - 1


@dataclass(frozen=True, slots=True)
class Observation:
    """One comparison of shown lines with w_t, made before any repair; fidelity = equal / compared.

    ``seen`` and ``expected`` hold the first differing line and its neighbours, clipped; ``suspect`` is
    the step thought to have changed the file.
    """

    t: int
    path: str
    start: int
    compared: int
    equal: int
    source: ShownSource
    verdict: Verdict
    seen: str = ""
    expected: str = ""
    suspect: int | None = None


@dataclass(frozen=True, slots=True)
class BaseInfo:
    """Which base was used and how much of what the run saw first it matches (``matched`` of ``compared`` files)."""

    spec: str
    label: str
    matched: int = 0
    compared: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """The whole history of a run's repository.

    ``base`` holds w_0 of every file known (path -> text). ``writes`` are ordered by (t, order of
    happening). ``sights`` are ordered by t. ``opaque`` lists (path, from step, until step or None).
    ``outside`` counts shown or written paths that are not in the repository.
    """

    base: Mapping[str, str]
    info: BaseInfo
    writes: tuple[FileWrite, ...]
    sights: tuple[Sight, ...]
    observations: tuple[Observation, ...]
    opaque: tuple[tuple[str, int, int | None], ...] = ()
    outside: tuple[tuple[str, int], ...] = ()
    unapplied: tuple[tuple[int, str, str], ...] = ()  # (t, path, why) writes that do not fit their file

    @property
    def compared(self) -> int:
        """Shown lines compared over the run."""
        return sum(o.compared for o in self.observations)

    @property
    def fidelity(self) -> float | None:
        """Equal shown lines over compared ones, None when nothing was compared."""
        compared = self.compared
        return sum(o.equal for o in self.observations) / compared if compared else None


class History:
    """Texts of files over time from a Replay; ``clock`` is "t" (what was) or "known_at" (what a policy may see)."""

    def __init__(self, replay: Replay, clock: Literal["t", "known_at"] = "t") -> None:
        self._base = replay.base
        self._steps: dict[str, list[int]] = {}
        self._texts: dict[str, list[str | None]] = {}
        for write in sorted(replay.writes, key=lambda w: getattr(w, clock)):
            self._steps.setdefault(write.path, []).append(getattr(write, clock))
            self._texts.setdefault(write.path, []).append(write.after)

    def text(self, path: str, t: int) -> str | None:
        """The text of ``path`` in w_t (after step ``t``), None if it does not exist or is not known; O(log writes)."""
        steps = self._steps.get(path)
        if steps is None:
            return self._base.get(path)
        at = bisect_right(steps, t)
        return self._texts[path][at - 1] if at else self._base.get(path)

    def version(self, path: str, t: int) -> int:
        """Which of ``versions(path)`` the text in w_t is; O(log writes)."""
        return bisect_right(self._steps.get(path, ()), t)

    def versions(self, path: str) -> list[str | None]:
        """The text of ``path`` in w_0 and after each of its writes, in order; neighbours may be equal."""
        return [self._base.get(path), *self._texts.get(path, ())]

    def paths(self, t: int) -> list[str]:
        """Sorted paths that exist in w_t; O(files)."""
        names = set(self._base) | set(self._steps)
        return sorted(p for p in names if self.text(p, t) is not None)
