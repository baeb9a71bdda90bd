"""Replay: the steps of a run become the states w_0 .. w_T of its repository, with their fidelity (METHOD 4).

In: a ``Trajectory`` and a ``Base``. Out: ``Replay``. Each view is compared with the state before anything is
repaired; a view that disagrees is believed, and the change it reveals is placed at a step that may have made it.
Writes are carried out by replay.writing, views judged by replay.fidelity, unknown changes placed by replay.seeing.
"""

from __future__ import annotations

from collections.abc import Callable

from core.replay.base import Base
from core.replay.doubt import settle_seen
from core.replay.git_state import Commit, Git, differing
from core.replay.paths import find_roots
from core.replay.seeing import see
from core.replay.state import BaseTexts, State
from core.replay.tree import Tree, names
from core.replay.world import BaseInfo, Replay
from core.replay.writing import new_sights, perform
from core.trajectory.steps import Shown, Step, Trajectory


def replay(trajectory: Trajectory, base: Base, progress: Callable[[int, int], None] | None = None) -> Replay:
    """The file history, sights and observations of a whole run; never raises on what a transcript says.

    Cost: proportional to the text written and shown. ``progress`` is called with (steps done, steps).
    """
    state = start(trajectory, base)
    turn, total = 0, len(trajectory.steps)
    for step in trajectory.steps:
        if step.turn != turn:
            turn = step.turn
            state.turns.append(step.t)
        _step(state, step)
        if progress is not None:
            progress(step.t, total)
    return _finish(state)


def start(trajectory: Trajectory, base: Base) -> State:
    """The state before the first step: the work tree, HEAD and the index are the base."""
    candidates = set(names(base.files))
    learned: dict[str, str] = {}
    # Without a base, what the run reveals of w_0 is the base: HEAD and index know it too.
    zero = Tree(base.files if base.complete else learned)
    git = Git(Commit(zero, anchor="HEAD"), zero, trajectory.git_branch)
    return State(base, find_roots(trajectory, candidates), learned, zero, git)


def _step(state: State, step: Step) -> None:
    """One step: what it saw before it wrote, what it wrote, what it saw after."""
    before = state.tree
    first = [s for s in step.shown if _before_writes(s, step)]
    for shown in first:
        see(state, step, shown)
    settle_seen(state, step)
    landed = perform(state, step)
    for shown in step.shown:
        if not _before_writes(shown, step):
            key = state.key(shown.path)
            see(state, step, shown, before.get(key) if key is not None else None)
    settle_seen(state, step)
    state.sights.extend(new_sights(state, step, landed))
    if "working tree clean" in step.text and "git status" in step.command and not step.failed:
        _clean_status(state, step)
    if step.kind == "run" and not step.neutral:
        state.runs.append((step.t, step.purpose))


def _clean_status(state: State, step: Step) -> None:
    """Git saw no change: what differs from HEAD was committed, or, if a linter ran since, perhaps put back."""
    if state.roots.folder_key(step.cwd) is None:
        return
    committed = []
    for path in differing(state.tree, state.git.head):
        if not state.git.tracked(path) or path.startswith("/"):
            continue
        since = state.seen.get(path, 0)
        fixed = any(t > since for t, _ in state.fixers) or any(t > since and p == "lint" for t, p in state.runs)
        if fixed:
            state.doubt(step, path, "git status")
        else:
            committed.append(path)
    state.git.settle(state.tree, committed)


def _before_writes(shown: Shown, step: Step) -> bool:
    """Whether a view is of the state before the step's writes; a shell may print before or after."""
    if shown.source == "snippet":
        return False
    return not step.writes or shown.source == "original" or step.kind != "run"


def _finish(state: State) -> Replay:
    base = state.base
    matched, compared = sum(state.first.values()), len(state.first)
    opaque = [*state.intervals, *((key, state.known.get(key, since), None) for key, since in state.opaque.items())]
    return Replay(
        base=BaseTexts(base.files, state.learned, state.wrong),
        info=BaseInfo(base.spec, base.label, matched, compared, _note(matched, compared, len(state.lacking))),
        writes=tuple(sorted(state.writes, key=lambda w: w.t)),
        sights=tuple(state.sights),
        observations=tuple(state.observations),
        opaque=tuple(sorted(opaque, key=lambda o: (o[0], o[1]))),
        outside=tuple(sorted(state.outside.items())),
        unapplied=tuple(state.unapplied),
    )


def _note(matched: int, compared: int, lacking: int) -> str:
    """How far the base is from what the run saw first, for a person; "" when nothing speaks against it."""
    of_all = f"of {compared + lacking} first-seen files"
    said = [f"{compared - matched} {of_all} differ from it"] if compared > matched else []
    said += [f"{lacking} {of_all} are not in it"] if lacking else []
    return f"{' and '.join(said)}; what the run saw is used for them" if said else ""
