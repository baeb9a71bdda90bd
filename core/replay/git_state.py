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
_NOW_AT = re.compile(r"HEAD is now at ([0-9a-f]{7,40})\b")
_COMMITTED = re.compile(r"(?m)^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ")


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


@dataclass(slots=True)
class Git:
    """HEAD (the last of ``log``), index, stashes and branches, as trees."""

    log: list[Tree]
    index: Tree
    branch: str = ""
    branches: dict[str, Tree] = field(default_factory=dict)
    stashes: list[Stash] = field(default_factory=list)

    @property
    def head(self) -> Tree:
        """The tree of HEAD."""
        return self.log[-1]

    def tracked(self, path: str) -> bool:
        """Whether git knows ``path``, in the index or in HEAD."""
        return self.index.get(path) is not None or self.head.get(path) is not None

    def settle(self, work: Tree, paths: Iterable[str]) -> None:
        """HEAD and index hold the work tree's text of ``paths``: a clean status showed that they were committed."""
        for path in paths:
            self.index = _set(self.index, path, work.get(path))
        if differing(self.index, self.head):
            self.log.append(self.index)

    def named(self, name: str, tree: Tree) -> None:
        """From now on ``name``, a branch or a commit id the run was told, means ``tree``."""
        self.branches[name] = tree


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


def run_git(git: Git, command: Command) -> Changes:
    """What ``command`` changes in the work tree; moves ``git`` on. Cost: the files that differ, never all files."""
    handler = _COMMANDS.get(command.args[0] if command.args else "")
    return handler(git, command) if handler is not None else Changes(unknown=True)


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


def _set(tree: Tree, path: str, text: str | None) -> Tree:
    return tree.without(path) if text is None else tree.with_text(path, text)


def _under(path: str, specs: Iterable[str]) -> bool:
    return any(not s or path == s or path.startswith(s.rstrip("/") + "/") for s in specs)


def _specs(command: Command, given: list[str]) -> list[str] | None:
    """Path arguments as keys; None when one of them cannot be understood."""
    keys = [command.spec(path) for path in given]
    known = [k for k in keys if k is not None]
    return known if len(known) == len(keys) and not any(c in p for p in given for c in "*?[:") else None


def revision(git: Git, command: Command, rev: str) -> Tree | None:
    """The tree a revision names: HEAD and its ancestors, a branch this run made, or a commit the base knows."""
    name, _, count = rev.partition("~")
    if name.endswith("^"):
        name, count = name.rstrip("^"), str(len(name) - len(name.rstrip("^")))
    if name in ("HEAD", "@") and (not count or count.isdigit()):
        back = int(count or ("1" if "~" in rev else "0"))
        if back < len(git.log):
            return git.log[-1 - back]
        files = command.at(f"HEAD~{back - len(git.log) + 1}")
        return Tree(files) if files is not None else None
    if rev in git.branches:
        return git.branches[rev]
    if _HEX.fullmatch(rev):  # ids are abbreviated to any length
        known = [tree for name, tree in git.branches.items() if _HEX.fullmatch(name) and _same_id(name, rev)]
        if known:
            return known[0]
    files = command.at(rev)
    return Tree(files) if files is not None else None


def _same_id(a: str, b: str) -> bool:
    return a.startswith(b) or b.startswith(a)


def _restore(git: Git, command: Command, source: Tree, given: list[str]) -> Changes:
    """Sets the named paths to what ``source`` holds."""
    specs = _specs(command, given)
    if specs is None:
        return Changes(unknown=True)
    files = [
        (path, source.get(path))
        for path in differing(command.work, source)
        if _under(path, specs) and (source.get(path) is not None or git.tracked(path))
    ]
    return Changes(tuple(files))


def _move_to(git: Git, command: Command, target: Tree, hard: bool) -> Changes:
    """Switches the work tree from HEAD to ``target``: local changes stay, unless ``hard``."""
    files, unsure = [], []
    for path in differing(command.work, target):
        held, wanted, before = command.work.get(path), target.get(path), git.head.get(path)
        if wanted is None and not git.tracked(path):
            continue
        if hard or held == before:
            files.append((path, wanted))
        elif before != wanted:
            unsure.append(path)
    return Changes(tuple(files), tuple(unsure))


def _checkout(git: Git, command: Command) -> Changes:
    operands = command.operands
    if command.has("-p", "--patch", "--ours", "--theirs", "-m", "--merge"):
        return Changes(unknown=True)
    if command.paths:
        source = revision(git, command, operands[0]) if operands else git.index
        changes = _restore(git, command, source, command.paths) if source is not None else None
        if changes is not None and operands:
            for path, text in changes.files:
                git.index = _set(git.index, path, text)
        return changes if changes is not None else _unsure(command, command.paths)
    if command.has("-b", "-B", "-c", "-C", "--orphan"):
        start = operands[1] if len(operands) > 1 else "HEAD"
        return _switch(git, command, operands[0] if operands else "", start)
    if not operands:
        return Changes()
    if command.args[0] == "checkout" and operands[0] not in git.branches and _is_path(git, command, operands[0]):
        return _restore(git, command, git.index, operands)
    if len(operands) > 1:
        source = revision(git, command, operands[0])
        return _restore(git, command, source, operands[1:]) if source is not None else _unsure(command, operands[1:])
    if operands[0] == git.branch:
        return Changes()
    return _switch(git, command, operands[0], operands[0])


def _unsure(command: Command, given: list[str]) -> Changes:
    """Named files that became something which is not known here."""
    specs = _specs(command, given)
    if specs is None:
        return Changes(unknown=True)
    files = [s for s in specs if s and command.work.get(s) is not None]
    return Changes(unsure=tuple(files), unknown=len(files) != len(specs))


def _is_path(git: Git, command: Command, text: str) -> bool:
    key = command.spec(text)
    if key is None:
        return False
    if not key or any(tree.get(key) is not None for tree in (command.work, git.index, git.head)):
        return True
    return any(path.startswith(key + "/") for path in command.work.paths())


def _switch(git: Git, command: Command, branch: str, start: str) -> Changes:
    git.branches[git.branch] = git.head
    target = revision(git, command, start)
    git.branch = branch
    if target is None:
        return Changes(unknown=True)
    changes = _move_to(git, command, target, command.has("-f", "--force"))
    if target is not git.head:
        git.log, git.index = [target], target
    return changes


def _restore_command(git: Git, command: Command) -> Changes:
    source_flag = next((f for f in command.flags if f.startswith(("--source", "-s"))), "")
    operands = command.operands + command.paths
    rev = source_flag.partition("=")[2]
    if source_flag and not rev and operands:
        rev, operands = operands[0], operands[1:]
    staged, work = command.has("--staged", "-S"), command.has("--worktree", "-W")
    default = git.head if staged else git.index
    source = revision(git, command, rev) if rev else default
    if source is None:
        return _unsure(command, operands)
    specs = _specs(command, operands)
    if staged and specs is not None:
        for path in differing(git.index, source):
            if _under(path, specs):
                git.index = _set(git.index, path, source.get(path))
    return _restore(git, command, source, operands) if work or not staged else Changes()


def _reset(git: Git, command: Command) -> Changes:
    operands, paths = list(command.operands), list(command.paths)
    target: Tree | None = git.head
    now_at = _NOW_AT.search(command.output)
    if operands or now_at:
        # What git says it moved to is surer than what is known of the run's own commits.
        target = revision(git, command, now_at[1]) if now_at else None
        target = target or (revision(git, command, operands[0]) if operands else git.head)
        if target is None and operands and _is_path(git, command, operands[0]):
            target, paths = git.head, operands + paths
        elif len(operands) > 1:
            paths = operands[1:] + paths
    if target is None:
        return Changes(unknown=command.has("--hard", "--merge", "--keep"))
    if paths:
        specs = _specs(command, paths) or []
        for path in differing(git.index, target):
            if _under(path, specs):
                git.index = _set(git.index, path, target.get(path))
        return Changes()
    changes = _move_to(git, command, target, True) if command.has("--hard") else Changes()
    if not command.has("--soft"):
        git.index = target
    if target is not git.head:
        git.log = git.log[: git.log.index(target) + 1] if target in git.log else [target]
    return changes


def _stash(git: Git, command: Command) -> Changes:
    verb = next((a for a in command.args[1:] if not a.startswith("-")), "push")
    if verb in ("list", "show", "drop", "clear", "branch", "create"):
        if verb in ("drop", "clear") and git.stashes:
            git.stashes[:] = git.stashes[:-1] if verb == "drop" else []
        return Changes(unknown=verb == "branch")
    if verb in ("pop", "apply"):
        return _unstash(git, command, verb == "pop")
    untracked = command.has("-u", "--include-untracked", "-a", "--all")
    specs = _specs(command, command.paths) if command.paths else [""]
    if specs is None or command.has("-p", "--patch"):
        return Changes(unknown=True)
    target = git.index if command.has("--keep-index", "-k") else git.head
    touched = [p for p in differing(command.work, git.head) if _under(p, specs) and (untracked or git.tracked(p))]
    saved = {p: command.work.get(p) for p in touched}
    git.stashes.append(Stash(saved, {p: git.head.get(p) for p in touched}))
    if target is git.head:
        git.index = git.head
    return Changes(tuple((p, target.get(p)) for p in touched if target.get(p) != saved[p]))


def _unstash(git: Git, command: Command, drop: bool) -> Changes:
    if not git.stashes:
        return Changes(unknown=True)
    stash = git.stashes.pop() if drop else git.stashes[-1]
    files, unsure = [], []
    for path, text in sorted(stash.saved.items()):
        held = command.work.get(path)
        if held == text:
            continue
        if held in (stash.under[path], git.head.get(path)):
            files.append((path, text))
        else:
            unsure.append(path)
    return Changes(tuple(files), tuple(unsure))


def _add(git: Git, command: Command) -> Changes:
    given = command.operands + command.paths
    everything = command.has("-A", "--all", "-u", "--update") and not given
    specs = [""] if everything else _specs(command, given)
    if specs is None or command.has("-p", "--patch", "-i", "-n", "--dry-run"):
        return Changes()
    for path in differing(command.work, git.index):
        if _under(path, specs) and (not command.has("-u", "--update") or git.tracked(path)):
            git.index = _set(git.index, path, command.work.get(path))
    return Changes()


def _commit(git: Git, command: Command) -> Changes:
    clusters = [f for f in command.flags if not f.startswith("--")]
    if command.has("--dry-run"):
        return Changes()
    if "--all" in command.flags or any("a" in f.split("m")[0] for f in clusters):
        for path in differing(command.work, git.index):
            if git.tracked(path):
                git.index = _set(git.index, path, command.work.get(path))
    for path in _specs(command, command.paths) or []:
        git.index = _set(git.index, path, command.work.get(path))
    if "--amend" in command.flags:
        git.log[-1] = git.index
    else:
        git.log.append(git.index)
    told = _COMMITTED.search(command.output)
    if told:
        git.named(told[1], git.head)
    return Changes()


def _remove(git: Git, command: Command) -> Changes:
    specs = _specs(command, command.operands + command.paths)
    if specs is None:
        return Changes(unknown=True)
    paths = sorted(p for p in {*command.work.paths(), *specs} if _under(p, specs) and git.tracked(p))
    for path in paths:
        git.index = git.index.without(path)
    cached = command.has("--cached")
    return Changes(() if cached else tuple((p, None) for p in paths if command.work.get(p) is not None))


def _rename(git: Git, command: Command) -> Changes:
    specs = _specs(command, command.operands + command.paths)
    if specs is None or len(specs) < 2:
        return Changes(unknown=True)
    *sources, target = specs
    present = sorted(command.work.paths())
    into = len(sources) > 1 or any(p.startswith(target + "/") for p in present)
    files: list[tuple[str, str | None]] = []
    for source in sources:
        end = f"{target}/{source.rsplit('/', 1)[-1]}" if into else target
        for path in present:
            if _under(path, [source]):
                files += [(path, None), (end + path[len(source) :], command.work.get(path))]
    for path, text in files:
        git.index = _set(git.index, path, text)
    return Changes(tuple(files))


def _pick(git: Git, command: Command) -> Changes:
    """``cherry-pick`` and ``revert`` of one commit whose objects are known."""
    revs = command.operands
    if len(revs) != 1 or command.has("--abort", "--continue", "--skip", "--quit", "-m"):
        return Changes(unknown=True)
    after, before = revision(git, command, revs[0]), revision(git, command, revs[0] + "~1")
    if after is None or before is None:
        return Changes(unknown=True)
    if command.args[0] == "revert":
        before, after = after, before
    files, unsure = [], []
    for path in differing(before, after):
        held = command.work.get(path)
        if held == before.get(path):
            files.append((path, after.get(path)))
        elif held != after.get(path):
            unsure.append(path)
    for path, text in files:
        git.index = _set(git.index, path, text)
    if not command.has("-n", "--no-commit"):
        git.log.append(git.index)
    return Changes(tuple(files), tuple(unsure))


def _clean(git: Git, command: Command) -> Changes:
    specs = _specs(command, command.operands + command.paths) or [""]
    if not command.has("-f", "--force") or command.has("-n", "--dry-run"):
        return Changes()
    paths = sorted(p for p, text in command.work.changes().items() if text is not None and not git.tracked(p))
    return Changes(tuple((p, None) for p in paths if _under(p, specs) and (command.has("-d") or "/" not in p)))


_COMMANDS: dict[str, Callable[[Git, Command], Changes]] = {
    "checkout": _checkout,
    "switch": _checkout,
    "restore": _restore_command,
    "reset": _reset,
    "stash": _stash,
    "add": _add,
    "commit": _commit,
    "rm": _remove,
    "mv": _rename,
    "cherry-pick": _pick,
    "revert": _pick,
    "clean": _clean,
}
