"""Replay: the git commands that change a work tree, one function each (METHOD 4).

In: ``Git`` (HEAD, index, stashes) and a ``Command``. Out: the ``Changes`` of the work tree; ``Git`` moves on. What
cannot be worked out (conflicts, interactive choices, branches of unknown content) is said to be unsure or unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from core.replay.git_state import Changes, Command, Commit, Git, Stash, differing, parent_of, revision, set_text
from core.replay.tree import Tree

_NOW_AT = re.compile(r"HEAD is now at ([0-9a-f]{7,40})\b")
_COMMITTED = re.compile(r"(?m)^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ")


def run_git(git: Git, command: Command) -> Changes:
    """What ``command`` changes in the work tree; moves ``git`` on. Cost: the files that differ, never all files."""
    handler = _COMMANDS.get(command.args[0] if command.args else "")
    return handler(git, command) if handler is not None else Changes(unknown=True)


def _under(path: str, specs: Iterable[str]) -> bool:
    return any(not s or path == s or path.startswith(s.rstrip("/") + "/") for s in specs)


def _specs(command: Command, given: list[str]) -> list[str] | None:
    """Path arguments as keys; None when one of them cannot be understood."""
    keys = [command.spec(path) for path in given]
    known = [k for k in keys if k is not None]
    return known if len(known) == len(keys) and not any(c in p for p in given for c in "*?[:") else None


def _restore(git: Git, command: Command, source: Tree, given: list[str]) -> Changes:
    """Sets the named paths to what ``source`` holds; only ``restore`` removes what is tracked and not in it."""
    specs = _specs(command, given)
    if specs is None:
        return Changes(unknown=True)
    removes = command.args[0] == "restore"
    files = [
        (path, source.get(path))
        for path in differing(command.work, source)
        if _under(path, specs) and (source.get(path) is not None or (removes and git.index.get(path) is not None))
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
        source = _tree_of(git, command, operands[0]) if operands else git.index
        changes = _restore(git, command, source, command.paths) if source is not None else None
        if changes is not None and operands:
            for path, text in changes.files:
                git.index = set_text(git.index, path, text)
        return changes if changes is not None else _unsure(command, command.paths)
    if command.has("-b", "-B", "-c", "-C", "--orphan"):
        start = operands[1] if len(operands) > 1 else "HEAD"
        return _switch(git, command, operands[0] if operands else "", start)
    if not operands:
        return Changes()
    if command.args[0] == "checkout" and operands[0] not in git.names and _is_path(git, command, operands[0]):
        return _restore(git, command, git.index, operands)
    if len(operands) > 1:
        source = _tree_of(git, command, operands[0])
        return _restore(git, command, source, operands[1:]) if source is not None else _unsure(command, operands[1:])
    if operands[0] == git.branch:
        return Changes()
    return _switch(git, command, operands[0], operands[0])


def _tree_of(git: Git, command: Command, rev: str) -> Tree | None:
    commit = revision(git, command, rev)
    return commit.tree if commit is not None else None


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
    git.names[git.branch] = git.at
    target = revision(git, command, start)
    git.branch = branch
    if target is None:
        return Changes(unknown=True)
    if target is git.at:
        return Changes()
    changes = _move_to(git, command, target.tree, command.has("-f", "--force"))
    git.at, git.index = target, target.tree
    return changes


def _restore_command(git: Git, command: Command) -> Changes:
    source_flag = next((f for f in command.flags if f.startswith(("--source", "-s"))), "")
    operands = command.operands + command.paths
    rev = source_flag.partition("=")[2]
    if source_flag and not rev and operands:
        rev, operands = operands[0], operands[1:]
    staged, work = command.has("--staged", "-S"), command.has("--worktree", "-W")
    default = git.head if staged else git.index
    source = _tree_of(git, command, rev) if rev else default
    if source is None:
        return _unsure(command, operands)
    specs = _specs(command, operands)
    if staged and specs is not None:
        for path in differing(git.index, source):
            if _under(path, specs):
                git.index = set_text(git.index, path, source.get(path))
    return _restore(git, command, source, operands) if work or not staged else Changes()


def _reset(git: Git, command: Command) -> Changes:
    operands, paths = list(command.operands), list(command.paths)
    target: Commit | None = git.at
    now_at = _NOW_AT.search(command.output)
    if operands or now_at:
        # What git says it moved to is surer than what is known of the run's own commits.
        target = revision(git, command, now_at[1]) if now_at else None
        target = target or (revision(git, command, operands[0]) if operands else git.at)
        if target is None and operands and _is_path(git, command, operands[0]):
            target, paths = git.at, operands + paths
        elif len(operands) > 1:
            paths = operands[1:] + paths
    if target is None:
        return Changes(unknown=command.has("--hard", "--merge", "--keep"))
    if paths:
        specs = _specs(command, paths) or []
        for path in differing(git.index, target.tree):
            if _under(path, specs):
                git.index = set_text(git.index, path, target.tree.get(path))
        return Changes()
    changes = _move_to(git, command, target.tree, True) if command.has("--hard") else Changes()
    if not command.has("--soft"):
        git.index = target.tree
    git.at = target
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
    if not touched and "Saved working directory" not in command.output:
        return Changes()  # no local changes: git puts nothing away
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
            git.index = set_text(git.index, path, command.work.get(path))
    return Changes()


def _commit(git: Git, command: Command) -> Changes:
    clusters = [f for f in command.flags if not f.startswith("--")]
    if command.has("--dry-run"):
        return Changes()
    if "--all" in command.flags or any("a" in f.split("m")[0] for f in clusters):
        for path in differing(command.work, git.index):
            if git.tracked(path):
                git.index = set_text(git.index, path, command.work.get(path))
    for path in _specs(command, command.paths) or []:
        git.index = set_text(git.index, path, command.work.get(path))
    if "--amend" in command.flags:
        git.at = Commit(git.index, parent_of(command, git.at))
    else:
        git.commit()
    told = _COMMITTED.search(command.output)
    if told:
        git.names[told[1]] = git.at
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
        git.index = set_text(git.index, path, text)
    return Changes(tuple(files))


def _pick(git: Git, command: Command) -> Changes:
    """``cherry-pick`` and ``revert`` of one commit whose objects are known."""
    revs = command.operands
    if len(revs) != 1 or command.has("--abort", "--continue", "--skip", "--quit", "-m"):
        return Changes(unknown=True)
    picked = revision(git, command, revs[0])
    parent = parent_of(command, picked)
    if picked is None or parent is None:
        return Changes(unknown=True)
    before, after = parent.tree, picked.tree
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
        git.index = set_text(git.index, path, text)
    if not command.has("-n", "--no-commit"):
        git.commit()
    # A file that is not there may have been renamed, and git follows renames.
    moved = any(command.work.get(path) is None for path in unsure)
    return Changes(tuple(files), tuple(unsure), unknown=moved)


def _clean(git: Git, command: Command) -> Changes:
    specs = _specs(command, command.operands + command.paths) or [""]
    if not command.has("-f", "--force") or command.has("-n", "--dry-run"):
        return Changes()
    paths = [p for p in differing(command.work, git.index) if git.index.get(p) is None and not p.startswith("/")]
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
