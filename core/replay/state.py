"""Replay: everything known of the repository while the steps of a run pass by.

``State`` accumulates: the work tree, what is uncertain in it, git's own trees, and the results of replay. Keys are
those of paths.Roots; a path outside the repository keeps its absolute path as its key and is never reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.replay.base import Base
from core.replay.fidelity import Comparison
from core.replay.git_state import Git
from core.replay.partial import Partial
from core.replay.paths import Roots, clean_path
from core.replay.tree import Tree, names
from core.replay.world import FileWrite, Observation, Sight, Verdict, WriteSource
from core.trajectory.steps import Shown, Step

Status = Literal["text", "absent", "unknown"]
MAX_OLDER = 40


@dataclass(slots=True)
class State:
    """The moving state of one replay; ``learned`` holds w_0 texts that the run itself revealed."""

    base: Base
    roots: Roots
    learned: dict[str, str]
    tree: Tree
    git: Git
    opaque: dict[str, int] = field(default_factory=dict)  # key -> step since which its text is not certain
    known: dict[str, int] = field(default_factory=dict)  # opaque key -> step at which that came to light, if later
    certain: dict[str, Partial] = field(default_factory=dict)  # opaque key -> its lines that were seen since
    doubtful: dict[str, list[tuple[Shown, dict[int, str]]]] = field(default_factory=dict)  # views not yet believed
    unrepaired: dict[str, str] = field(default_factory=dict)  # what was claimed of files this step shows changed
    intervals: list[tuple[str, int, int | None]] = field(default_factory=list)
    partial: dict[str, Partial] = field(default_factory=dict)
    distrusted: set[str] = field(default_factory=set)  # held texts the run contradicted without giving the true one
    wrong: set[str] = field(default_factory=set)  # base texts the run contradicted
    written: set[str] = field(default_factory=set)  # keys some step may have written
    seen: dict[str, int] = field(default_factory=dict)  # key -> last step at which its text was certain
    begun: dict[str, int] = field(default_factory=dict)  # key -> step of its first sight
    folders: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)  # folders the run moved away or removed
    older: dict[str, list[str]] = field(default_factory=dict)
    fixers: list[tuple[int, bool]] = field(default_factory=list)  # (step, whether it only reformats)
    runs: list[tuple[int, str]] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    first: dict[str, bool] = field(default_factory=dict)  # key -> whether its first sight agreed with the base
    lacking: set[str] = field(default_factory=set)  # files seen that a complete base does not hold
    writes: list[FileWrite] = field(default_factory=list)
    sights: list[Sight] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    outside: Counter[str] = field(default_factory=Counter)
    unapplied: list[tuple[int, str, str]] = field(default_factory=list)

    def key(self, path: str) -> str | None:
        """The repository key of a transcript's path, None outside."""
        return self.roots.key(path)

    def any_key(self, path: str) -> str:
        """The key of a path, inside or outside; outside keys start with a slash."""
        return self.roots.key(path) or "/" + clean_path(path).lstrip("/")

    def status(self, key: str) -> Status:
        """Whether the file has a known text, is known not to exist, or is unknown."""
        if self.tree.get(key) is not None and key not in self.distrusted:
            return "text"
        if self.tree.touched(key) and key not in self.distrusted:
            return "absent"
        complete = self.base.complete and not key.startswith("/") and not self.roots.foreign(key)
        return "absent" if complete and key not in self.distrusted else "unknown"

    def text(self, key: str) -> str | None:
        """The text held of ``key``, None when it does not exist or is not known."""
        return self.tree.get(key) if key not in self.distrusted else None

    def set_text(self, key: str, text: str | None) -> None:
        """Moves the work tree on."""
        before = self.tree.get(key)
        if before is not None:
            kept = self.older.setdefault(key, [])
            kept.append(before)
            del kept[:-MAX_OLDER]
        self.distrusted.discard(key)
        self.partial.pop(key, None)
        self.certain.pop(key, None)
        self.tree = self.tree.without(key) if text is None else self.tree.with_text(key, text)

    def learn(self, key: str, text: str) -> None:
        """The w_0 text of a file nothing has written, given by the run itself."""
        self.learned[key] = text
        self.distrusted.discard(key)
        self.partial.pop(key, None)
        if self.tree.get(key) != text:
            self.tree = self.tree.with_text(key, text)

    def record(
        self, step: Step, key: str, after: str | None, how: str, opaque: bool = False, certain: bool = True
    ) -> None:
        """One write of ``step`` to a repository file; nothing when nothing changed.

        ``opaque``: what it wrote is not known; not ``certain``: it was worked out from texts that are not.
        """
        before = self.text(key)
        unsure = key in self.opaque
        self.written.add(key)
        if opaque or key.startswith("/"):
            if not key.startswith("/"):
                self.writes.append(FileWrite(step.t, step.t, key, before, before, _source(step), how, step.agent, True))
            return
        if before != after or unsure:
            self.set_text(key, after)
        if before != after:
            self.writes.append(FileWrite(step.t, step.t, key, before, after, _source(step), how, step.agent))
        if certain or after is None:
            self.settle(key, step.t)
        else:
            self.opaque.setdefault(key, step.t)

    def settle(self, key: str, t: int) -> None:
        """From step ``t`` on the text of ``key`` is certain."""
        since = self.opaque.pop(key, None)
        if since is not None:
            self.intervals.append((key, self.known.pop(key, since), t))
        self.certain.pop(key, None)
        self.seen[key] = t

    def doubt(self, step: Step, key: str, how: str) -> None:
        """After ``step`` the text of ``key`` may be another one, not known which."""
        if key.startswith("/"):
            self.tree = self.tree.without(key) if self.tree.get(key) is not None else self.tree
            return
        self.record(step, key, None, how, opaque=True)
        self.opaque.setdefault(key, step.t)
        self.certain.pop(key, None)
        if key in self.partial:
            self.partial[key] = Partial()

    def observe(
        self, step: Step, shown: Shown, key: str, result: Comparison, verdict: Verdict, suspect: int | None = None
    ) -> None:
        """Keeps a comparison, if it compared anything."""
        if result.compared:
            counts = (result.start, result.compared, result.equal)
            texts = (result.seen, result.expected)
            self.observations.append(Observation(step.t, key, *counts, shown.source, verdict, *texts, suspect))

    def below(self, key: str) -> list[str]:
        """Sorted keys of the files that exist in folder ``key``; "" is the whole repository."""
        prefix = key + "/" if key else ""
        return sorted(p for p in self.tree.paths() if p.startswith(prefix) and (key or not p.startswith("/")))

    def is_folder(self, key: str) -> bool:
        """Whether some file stands in ``key``, or the run made that folder."""
        if not key or key in self.folders:
            return True
        return any(p.startswith(key + "/") for p in self.tree.paths())

    def leave(self, key: str) -> None:
        """Folder ``key`` is no longer there."""
        self.folders.discard(key)
        self.gone.add(key)

    def is_gone(self, key: str) -> bool:
        """Whether ``key`` lies in a folder that the run took away: nothing can be written there."""
        return any(key.startswith(folder + "/") and not self.is_folder(folder) for folder in self.gone)

    def matching(self, key: str) -> list[str]:
        """The files a pattern of the shell stands for; the key itself when it is a file or no pattern."""
        if self.tree.get(key) is not None or not re.search(r"[*?\[]", key):
            return [key]
        regex = _glob(key)
        return sorted(p for p in self.tree.paths() if regex.fullmatch(p))


def _source(step: Step) -> WriteSource:
    if step.agent:
        return "agent"
    return "edit" if step.kind == "edit" else "shell"


def _glob(pattern: str) -> re.Pattern[str]:
    """``*`` and ``?`` stay inside a path part and do not match a leading dot; ``**`` crosses parts."""
    parts = []
    for part in re.sub(r"\*{3,}", "**", pattern).split("/"):
        if part == "**":
            parts.append("(?:[^/]+/)*")
            continue
        pieces = re.split(r"(\*+|\?|\[[^\]/]+\])", part)
        body = "".join(_glob_piece(piece) for piece in pieces)
        parts.append(("(?!\\.)" if part[:1] in "*?" else "") + body + "/")
    return re.compile("".join(parts).removesuffix("/"))


def _glob_piece(piece: str) -> str:
    if piece.startswith("*"):
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 2:
        # Also what a later Python may read as an operation on sets: -- && || ~~
        inner = re.sub(r"[\\\[&|~]|-(?=-)|(?<=-)-", r"\\\g<0>", piece[1:-1])
        inner = "^" + inner[1:] if inner.startswith("!") else inner
        try:
            re.compile(f"[{inner}]")
        except re.error:
            return re.escape(piece)
        return f"[{inner}]"
    return re.escape(piece)


class BaseTexts(Mapping[str, str]):
    """w_0 of every file known: what the run revealed over what the base holds, less what the run contradicted."""

    def __init__(self, files: Mapping[str, str], learned: Mapping[str, str], wrong: Iterable[str]) -> None:
        self._files, self._learned, self._wrong = files, learned, frozenset(wrong)

    def __getitem__(self, path: str) -> str:
        if path in self._learned:
            return self._learned[path]
        if path in self._wrong:
            raise KeyError(path)
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        yield from sorted({*self._learned, *(p for p in self._files if p not in self._wrong)})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def candidates(self) -> set[str]:
        """The paths, without reading any file: one may turn out to be binary."""
        return {*self._learned, *(p for p in names(self._files) if p not in self._wrong)}
