"""Replay: the writes of a step are carried out on the state (METHOD 4).

In: the ``State``, a step. Out: the state moved on, and where the texts of an edit landed. A write that does not fit
its file is reported in ``unapplied``; the file is then opaque, because the transcript says that it did change.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from core.replay.apply import DoesNotFit, apply_write, edit_offset
from core.replay.doubt import written
from core.replay.git_commands import run_git
from core.replay.git_state import Command, revision
from core.replay.lines import line_map, split_lines
from core.replay.partial import Partial
from core.replay.scripts import is_script, perform_script, run_files
from core.replay.state import State
from core.replay.world import FileWrite, Sight
from core.trajectory.shell_diff import diff_writes
from core.trajectory.steps import Hunk, Step, Write

_RESTORING = frozenset({"checkout", "restore", "reset", "stash", "switch", "pull", "merge", "rebase", "revert"})
MAX_FILES = 5000  # files one write may touch (a moved folder, a pattern)
_HOW = {"put": "write", "append": "append", "edit": "edit", "patch": "patch", "sed": "sed -i", "delete": "rm"}


@dataclass(frozen=True, slots=True)
class Landed:
    """Lines ``start..start+count-1`` of ``text``, an intermediate text of ``key``, are what an edit wrote."""

    key: str
    text: str
    start: int
    count: int


def perform(state: State, step: Step) -> list[Landed]:
    """Carries out every write of ``step``, in order."""
    landed: list[Landed] = []
    first = len(state.writes)
    for write in _without_scripts(state, step, step.writes):
        _perform(state, step, write, landed)
    for write in _without_scripts(state, step, run_files(state, step)):
        _perform(state, step, write, landed)
    state.writes[first:] = _net(state.writes[first:])
    return landed


def _without_scripts(state: State, step: Step, writes: Iterable[Write]) -> Iterator[Write]:
    """The writes still to carry out: those of scripts that are understood are done here, once a script."""
    for args, group in groupby(writes, key=lambda write: write.args if is_script(write) else ()):
        if args:
            yield from perform_script(state, step, args)
        else:
            yield from group


def _net(writes: list[FileWrite]) -> list[FileWrite]:
    """One write a file and step: states exist only between steps, and a stash that is popped again is net zero."""
    unsure = {w.path for w in writes if w.opaque}
    merged: dict[str, FileWrite] = {}
    kept: list[FileWrite] = []
    for write in writes:
        if write.path in unsure:
            kept.append(write)
        elif write.path in merged:
            earlier = merged[write.path]
            how = earlier.how if write.how in earlier.how.split(", ") else f"{earlier.how}, {write.how}"
            merged[write.path] = replace(earlier, after=write.after, how=how)
        else:
            merged[write.path] = write
    return kept + [w for w in merged.values() if w.before != w.after]


def _perform(state: State, step: Step, write: Write, landed: list[Landed]) -> None:
    if not write.path:
        state.fixers.append((step.t, step.purpose == "lint"))
    elif write.op == "git":
        _git(state, step, write, landed)
    elif write.op in ("move", "copy"):
        _move(state, step, write)
    elif write.op == "delete":
        _delete(state, step, write)
    elif write.op == "opaque":
        _opaque(state, step, write)
    else:
        for key in state.matching(state.any_key(write.path))[:MAX_FILES]:
            _write_one(state, step, write, key, landed)


def _how(step: Step, write: Write) -> str:
    if step.kind == "edit":
        return step.tool or "edit"
    return _HOW.get(write.op, write.op)


def _count_outside(state: State, write: Write, key: str) -> None:
    if key.startswith("/"):
        state.outside[write.path] += 1


def _write_one(state: State, step: Step, write: Write, key: str, landed: list[Landed]) -> None:
    _count_outside(state, write, key)
    status, text = state.status(key), state.text(key)
    if step.kind == "run" and state.is_gone(key):
        state.unapplied.append((step.t, key, "its folder is gone"))
        return
    if write.op == "put":
        _set(state, step, write, key, write.new)
        landed.append(Landed(key, write.new, 1, len(split_lines(write.new))))
        return
    if write.op == "append" and status == "absent":
        _set(state, step, write, key, write.new)
        return
    if write.op == "append" and not write.new:
        return  # touch
    if status != "text" or text is None:
        _write_unknown(state, step, write, key, status == "absent", landed)
        return
    try:
        after = apply_write(text, write)
    except DoesNotFit as error:
        _does_not_fit(state, step, write, key, str(error))
        return
    landed.extend(_landed(key, text, after, write))
    _set(state, step, write, key, after)


def _set(state: State, step: Step, write: Write, key: str, text: str | None) -> None:
    if key.startswith("/"):
        state.set_text(key, text)
        return
    certain = write.op == "put" or key not in state.opaque
    held = state.certain.get(key, Partial())
    state.record(step, key, text, _how(step, write), certain=certain)
    if not certain:
        written(state, key, held, write)


def _does_not_fit(state: State, step: Step, write: Write, key: str, why: str) -> None:
    state.unapplied.append((step.t, key, why))
    if write.op == "edit" and step.kind != "edit":
        return  # a script's replace of a text that is not there changes nothing
    state.doubt(step, key, _how(step, write))


def _write_unknown(state: State, step: Step, write: Write, key: str, absent: bool, landed: list[Landed]) -> None:
    """A change of a file whose text is not known: known lines move, the rest stays unknown."""
    if key.startswith("/"):
        return
    if absent:
        state.unapplied.append((step.t, key, "no such file"))
        if step.kind != "edit":
            return
        state.distrusted.add(key)
    partial, start = state.partial.get(key, Partial()), None
    if write.op == "edit":
        partial, start = partial.edited(write)
    elif write.op != "append":
        partial = Partial()
    state.record(step, key, None, _how(step, write), opaque=True)
    state.partial[key] = partial
    if start is None and write.hunks and write.op == "edit":
        start = write.hunks[0].new_start + next((i for i, x in enumerate(write.hunks[0].lines) if x[:1] != " "), 0)
    if start is not None and write.new:
        lines = write.new.removesuffix("\n").split("\n")
        landed.append(Landed(key, "\n" * (start - 1) + "\n".join(lines), start, len(lines)))


def _landed(key: str, before: str, after: str, write: Write) -> list[Landed]:
    """Where the new text of an edit or patch stands in ``after``."""
    if write.op == "edit" and not write.replace_all and write.old in before:
        at = edit_offset(before, write.old, write.hunks)
        count = write.new.count("\n") + (not write.new.endswith("\n"))
        return [Landed(key, after, before.count("\n", 0, at) + 1, count)] if write.new else []
    blocks = line_map(before, after).blocks
    return [Landed(key, after, b.new_start, b.new_end - b.new_start + 1) for b in blocks if b.new_end >= b.new_start]


def new_sights(state: State, step: Step, landed: list[Landed]) -> list[Sight]:
    """The sights of what an edit step wrote, where it stands after the whole step."""
    if step.kind != "edit":
        return []
    sights: list[Sight] = []
    for item in landed:
        final = state.text(item.key)
        if item.key.startswith("/"):
            continue
        lines = split_lines(final if final is not None else item.text)
        numbers: list[int] = list(range(item.start, item.start + item.count))
        if final is not None and final != item.text:
            moved = line_map(item.text, final)
            numbers = [n for n in map(moved.to_new, numbers) if n is not None]
        whole = numbers == list(range(1, len(lines) + 1)) and final is not None
        for first, last in _stretches(numbers):
            sights.append(Sight(step.t, item.key, first, tuple(lines[first - 1 : last]), "new", whole))
    return sights


def _stretches(numbers: list[int]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for number in numbers:
        if out and out[-1][1] + 1 == number:
            out[-1] = (out[-1][0], number)
        else:
            out.append((number, number))
    return out


def _delete(state: State, step: Step, write: Write) -> None:
    for key in state.matching(state.any_key(write.path))[:MAX_FILES]:
        _count_outside(state, write, key)
        if state.tree.get(key) is not None or key in state.partial or key in state.opaque:
            _remove(state, step, write, key)
        elif write.args or step.kind == "edit":
            for below in state.below(key)[:MAX_FILES]:
                _remove(state, step, write, below)
            state.leave(key)


def _remove(state: State, step: Step, write: Write, key: str) -> None:
    if state.text(key) is None and not key.startswith("/"):
        state.record(step, key, None, _how(step, write), opaque=True)
        state.set_text(key, None)
        state.settle(key, step.t)
    else:
        _set(state, step, write, key, None)


def _move(state: State, step: Step, write: Write) -> None:
    target = state.any_key(write.target)
    sources = state.matching(state.any_key(write.path))[:MAX_FILES]
    for source in sources:
        _count_outside(state, write, source)
        name = posixpath.basename(source)
        into = "into" not in write.args and (
            len(sources) > 1 or (state.tree.get(target) is None and state.is_folder(target))
        )
        end = posixpath.join(target, name) if into else target
        if state.tree.get(source) is not None or source in state.partial or source in state.opaque:
            _move_file(state, step, write, source, end)
        elif source and state.is_folder(source):
            for below in state.below(source)[:MAX_FILES]:
                _move_file(state, step, write, below, end + below[len(source) :])
            state.folders.add(end)
            if write.op == "move":
                state.leave(source)
        elif ">" in write.args and state.status(source) == "absent" and not state.is_gone(end):
            _set(state, step, Write(write.target, "put"), end, "")  # the redirect empties its file all the same
        elif state.status(source) == "unknown":
            _move_file(state, step, write, source, end)
        else:
            state.unapplied.append((step.t, source, "no such file"))


def _move_file(state: State, step: Step, write: Write, source: str, target: str) -> None:
    if source == target or ("-n" in write.args and state.tree.get(target) is not None):
        return
    if state.is_gone(target):
        state.unapplied.append((step.t, target, "its folder is gone"))
        return
    text, since = state.text(source), state.opaque.get(source)
    how = "mv" if write.op == "move" else "cp"
    if text is None:
        state.doubt(step, target, how)
        if source in state.partial and not target.startswith("/"):
            state.partial[target] = state.partial[source]  # what was seen of it comes along
            state.settle(target, step.t)
    elif target.startswith("/"):
        state.set_text(target, text)
    else:
        held = state.certain.get(source, Partial())
        state.record(step, target, text, how)
        if since is not None:
            state.opaque[target], state.certain[target] = step.t, held
    if write.op == "move":
        known = state.tree.get(source) is not None or source in state.partial
        if source.startswith("/"):
            state.set_text(source, None)
        elif known:
            state.record(step, source, None, how)


def _opaque(state: State, step: Step, write: Write) -> None:
    keys = state.matching(state.any_key(write.path))[:MAX_FILES]
    for key in keys:
        if write.args == ("mkdir",):
            state.folders.add(key)
            state.gone.discard(key)
        elif not key.startswith("/") and state.tree.get(key) is None and state.is_folder(key):
            state.fixers.append((step.t, False))
        else:
            state.doubt(step, key, _how(step, write))


def _git(state: State, step: Step, write: Write, landed: list[Landed]) -> None:
    folder = state.roots.folder_key(write.path)
    if folder is None:
        return  # another repository
    if folder and state.roots.foreign(folder + "/"):
        state.fixers.append((step.t, False))  # another worktree: its HEAD is not known
        return

    def spec(path: str) -> str | None:
        full = posixpath.normpath(posixpath.join(write.path, path)) if path != ":/" else state.roots.main
        return state.roots.folder_key(full)

    command = Command(write.args, state.tree, spec, state.base.at or _no_objects, step.text)
    verb = write.args[0] if write.args else ""
    if verb == "apply":
        _git_apply(state, step, write, command, landed)
        return
    if verb == "show":
        _git_show(state, step, write, command)
        return
    changes = run_git(state.git, command)
    how = "git " + " ".join(write.args[:2] if verb == "stash" else write.args[:1])
    for key, text in changes.files[:MAX_FILES]:
        if not key.startswith("/"):
            state.record(step, key, text, how)
    for key in changes.unsure[:MAX_FILES]:
        state.doubt(step, key, how)
    if verb in _RESTORING:
        for key in _put_back(state, command)[:MAX_FILES]:
            state.doubt(step, key, how)
    if changes.unknown:
        state.fixers.append((step.t, False))


def _put_back(state: State, command: Command) -> list[str]:
    """The files known only in part that a command may have put back: those it names, all when it names none."""
    named = [key for path in command.operands + command.paths for key in [command.spec(path)] if key is not None]
    covering = [key for key in named if key in state.partial or state.is_folder(key)]
    return sorted(
        key
        for key in state.partial
        if key in state.written
        and (not covering or any(key == c or not c or key.startswith(c + "/") for c in covering))
    )


def _no_objects(rev: str) -> None:
    return None


def _git_apply(state: State, step: Step, write: Write, command: Command, landed: list[Landed]) -> None:
    """``git apply FILE`` and ``patch -i FILE``: the diff is read from where the run wrote it."""
    if command.has("--check", "--stat", "--numstat", "--summary", "--cached"):
        return
    level = next((f[2:] for f in command.flags if f.startswith("-p") and f[2:].isdigit()), "1")
    for file in command.operands + command.paths:
        text = state.tree.get(state.any_key(posixpath.normpath(posixpath.join(write.path, file))))
        if text is None:
            state.fixers.append((step.t, False))
            continue
        for inner in diff_writes(text, write.path, int(level)):
            _perform(state, step, _reversed(inner) if command.has("-R", "--reverse") else inner, landed)


def _reversed(write: Write) -> Write:
    if write.op != "patch":
        return Write(write.path, "opaque")
    turn = {"+": "-", "-": "+"}
    hunks = tuple(
        Hunk(h.new_start, h.old_start, tuple(turn.get(x[:1], x[:1]) + x[1:] for x in h.lines)) for h in write.hunks
    )
    return replace(write, hunks=hunks)


def _git_show(state: State, step: Step, write: Write, command: Command) -> None:
    """``git show REV:PATH > TARGET``."""
    rev, _, path = write.args[1].partition(":")
    commit = revision(state.git, command, rev) if rev else None
    tree = commit.tree if commit is not None else None if rev else state.git.index
    key = (
        state.roots.folder_key(posixpath.join(state.roots.main, path))
        if not path.startswith(".")
        else command.spec(path)
    )
    text = tree.get(key) if tree is not None and key else None
    target = state.any_key(write.target)
    if text is None:
        state.doubt(step, target, "git show")
    else:
        _set(state, step, Write(write.target, "put", new=text), target, text)
