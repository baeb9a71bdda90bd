"""Replay: what git commands of the run do to files, as far as the objects are known (METHOD 4).

In: the words of a git command, the work tree. Out: the files it changes. ``Git`` follows HEAD, the index, the
stashes and the branches the run itself made; a branch whose commit is not known leaves the result unknown, since
a repository's branches have moved on since the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from core.replay.tree import Tree, names

_HEX = re.compile(r"[0-9a-f]{7,40}")
_REVISION = re.compile(r"([^~^]+)((?:[~^]\d{0,5})*)")


@dataclass(frozen=True, slots=True)
class Stash:
    """Texts put away, and what each file held in HEAD at that time."""

    saved: Mapping[str, str | None]
    under: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Changes:
    """Files a command sets (text) or removes (None); ``unsure`` may have changed; ``unknown``: anything may have."""

    files: tuple[tuple[str, str | None], ...] = ()
    unsure: tuple[str, ...] = ()
    unknown: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Commit:
    """A commit of the run, with its parent, or one of the base's repository, found there by ``anchor``."""

    tree: Tree
    parent: Commit | None = None
    anchor: str = ""


@dataclass(slots=True)
class Git:
    """HEAD, index, stashes, and the commits that branches and ids mean as far as the run told."""

    at: Commit
    index: Tree
    branch: str = ""
    names: dict[str, Commit] = field(default_factory=dict)
    stashes: list[Stash] = field(default_factory=list)

    @property
    def head(self) -> Tree:
        """The tree of HEAD."""
        return self.at.tree

    def tracked(self, path: str) -> bool:
        """Whether git knows ``path``, in the index or in HEAD."""
        return self.index.get(path) is not None or self.head.get(path) is not None

    def commit(self) -> None:
        """The index becomes a new commit on HEAD."""
        self.at = Commit(self.index, self.at)

    def settle(self, work: Tree, paths: Iterable[str]) -> None:
        """HEAD and index hold the work tree's text of ``paths``: a clean status showed that they were committed."""
        for path in paths:
            self.index = set_text(self.index, path, work.get(path))
        if differing(self.index, self.head):
            self.commit()


@dataclass(frozen=True, slots=True)
class Command:
    """A git command in its surroundings: ``spec`` maps a path argument to a key, None outside the repository."""

    args: tuple[str, ...]
    work: Tree
    spec: Callable[[str], str | None]
    at: Callable[[str], Mapping[str, str] | None]
    output: str = ""

    @property
    def flags(self) -> list[str]:
        """The options of the command."""
        return [a for a in self._before if a.startswith("-")]

    @property
    def operands(self) -> list[str]:
        """The arguments before ``--`` that are no options."""
        return [a for a in self._before if not a.startswith("-")]

    @property
    def _before(self) -> tuple[str, ...]:
        rest = self.args[1:]
        return rest[: rest.index("--")] if "--" in rest else rest

    @property
    def paths(self) -> list[str]:
        """The arguments after ``--``."""
        rest = self.args[1:]
        return list(rest[rest.index("--") + 1 :]) if "--" in rest else []

    def has(self, *flags: str) -> bool:
        """Whether one of ``flags`` is given; a one-letter flag also counts inside a cluster."""
        clusters = [f[1:] for f in self.flags if not f.startswith("--")]
        return any(f in self.flags or (len(f) == 2 and any(f[1] in c for c in clusters)) for f in flags)


def differing(a: Tree, b: Tree) -> list[str]:
    """Sorted paths whose texts differ; files of two commits are compared by their ids."""
    paths = set(a.changes()) | set(b.changes())
    if a.base is not b.base:
        ids_a, ids_b = getattr(a.base, "candidates", None), getattr(b.base, "candidates", None)
        if ids_a is not None and ids_b is not None:
            paths |= {p for p in {*ids_a, *ids_b} if ids_a.get(p) != ids_b.get(p) or ids_a.get(p) is None}
        else:
            paths |= {*names(a.base), *names(b.base)}
    return sorted(p for p in paths if a.get(p) != b.get(p))


def set_text(tree: Tree, path: str, text: str | None) -> Tree:
    """``tree`` with ``path`` holding ``text``, or without it when that is None."""
    return tree.without(path) if text is None else tree.with_text(path, text)


def revision(git: Git, command: Command, rev: str) -> Commit | None:
    """The commit a revision names: HEAD, a branch or id the run told, or one the base knows; with ``~n`` and ``^``."""
    match = _REVISION.fullmatch(rev)
    if match is None:
        return None
    commit = _named(git, command, match[1])
    for step in re.findall(r"~\d*|\^\d*", match[2]):
        if step[0] == "^" and step[1:] not in ("", "1"):
            return None
        count = int(step[1:] or 1) if step[0] == "~" else 1
        for _ in range(min(count, 10_000)):
            commit = parent_of(command, commit)
    return commit


def _named(git: Git, command: Command, name: str) -> Commit | None:
    if name in ("HEAD", "@", git.branch):
        return git.at
    if name in git.names:
        return git.names[name]
    if _HEX.fullmatch(name):  # ids are abbreviated to any length
        known = [commit for told, commit in git.names.items() if _HEX.fullmatch(told) and _same_id(told, name)]
        if known:
            return known[0]
    files = command.at(name)
    return Commit(Tree(files), anchor=name) if files is not None else None


def parent_of(command: Command, commit: Commit | None) -> Commit | None:
    """The first parent of ``commit``, None when it has none or it is not known."""
    if commit is None or commit.parent is not None or not commit.anchor:
        return commit.parent if commit is not None else None
    anchor = f"{commit.anchor}~1"
    files = command.at(anchor)
    return Commit(Tree(files), anchor=anchor) if files is not None else None


def _same_id(a: str, b: str) -> bool:
    return a.startswith(b) or b.startswith(a)
