"""Replay: a file whose text may have changed unseen, and which of its lines are certain again (METHOD 4).

In: the ``State``, a view of such a file (opaque), or a write to it. Out: claims of the lines seen since the change and
of nothing else: those are compared, all others learned; when every line was seen, to the last one of the text held,
the file is certain again. The text that the state holds meanwhile is its best guess: views are put into it, writes
are carried out on it.
"""

from __future__ import annotations

from dataclasses import replace

from core.replay.fidelity import agrees, compare, learned, repaired
from core.replay.lines import split_lines
from core.replay.partial import Partial
from core.replay.state import State
from core.replay.world import FileWrite, WriteSource
from core.trajectory.steps import Shown, Step, Write

MAX_FITTED = 50
"""Most stretches of known lines that are aligned with the guess at one step."""


def see_doubtful(state: State, step: Step, shown: Shown, key: str) -> None:
    """Takes in one view of an opaque file that has a text; what it teaches is believed with the step's other views."""
    text = state.text(key) or ""
    lines = learned(shown, text)
    held, unrepaired = state.certain.get(key, Partial()), state.unrepaired.get(key)
    if unrepaired is not None:  # the views of one step are of one moment: the change came to light in this step
        result, suspect = compare(shown, unrepaired), state.opaque[key]
        if result.agrees or suspect == step.t:
            state.observe(step, shown, key, result, result.verdict)
        else:
            state.observe(step, shown, key, result, "unknown-write", suspect)
    elif held.lines:
        result = held.compare(shown, lines)
        state.observe(step, shown, key, result, result.verdict)
    state.doubtful.setdefault(key, []).append((shown, lines))


def settle_seen(state: State, step: Step) -> None:
    """When all views of one moment are taken in: what they show of opaque files is believed."""
    for key, views in state.doubtful.items():
        if key in state.opaque:
            _believe(state, step, key, views)
    state.doubtful.clear()
    state.unrepaired.clear()


def _believe(state: State, step: Step, key: str, views: list[tuple[Shown, dict[int, str]]]) -> None:
    text = state.text(key) or ""
    held = state.certain.get(key, Partial()).joined({n: line for _, lines in views for n, line in lines.items()})
    whole = next((shown for shown, _ in reversed(views) if shown.whole), None)
    if whole is not None:
        after = text if agrees(whole, text) else repaired(whole, text) or text
    else:
        after = text if held.fits(split_lines(text)) else _put_back(state, key, held) or _fitted(text, held)
    if after != text:
        since = max(state.opaque[key], next((w.t for w in reversed(state.writes) if w.path == key), 0))
        how = f"seen changed at step {step.t}"
        state.writes.append(FileWrite(since, step.t, key, text, after, source_of(state, since), how))
        state.set_text(key, after)
        held = replace(held, ended=held.ended and text.rsplit("\n", 2)[-2:] == after.rsplit("\n", 2)[-2:])
    state.certain[key] = held
    if whole is not None or held.is_all(after):
        state.settle(key, step.t)


def _put_back(state: State, key: str, held: Partial) -> str | None:
    """An earlier text of the file in which every known line stands: something put it back."""
    return next((text for text in reversed(state.older.get(key, [])) if held.fits(split_lines(text))), None)


def source_of(state: State, t: int) -> WriteSource:
    """What kind of author the write at step ``t`` has."""
    return next((w.source for w in reversed(state.writes) if w.t == t), "shell")


def _fitted(text: str, held: Partial) -> str:
    """``text`` with the known lines where they were seen, from the top: aligned, and past some stretches in place."""
    lines, tries = split_lines(text), 0
    for start, run in held.runs():
        known = run.split("\n")
        end = start - 1 + len(known)
        if lines[start - 1 : end] == known:
            continue
        tries += 1
        if tries <= MAX_FITTED:
            after = repaired(Shown("", start, tuple(known), "read"), _joined(lines, text))
            lines = split_lines(after) if after is not None else lines
        elif end <= len(lines):
            lines[start - 1 : end] = known
    return _joined(lines, text)


def _joined(lines: list[str], text: str) -> str:
    return "\n".join(lines) + ("\n" if lines and (text.endswith("\n") or not text) else "")


def written(state: State, key: str, held: Partial, write: Write) -> None:
    """After a write to an opaque file: of the lines known before it, those that can still be known.

    The write was carried out on a guess: where it fell is known only when its old lines are known lines.
    """
    if state.text(key) is None or not held.lines:
        return
    if write.op == "append":
        state.certain[key] = held
    elif write.op == "edit":
        state.certain[key] = held.edited(write)[0]
    elif write.op == "patch":
        state.certain[key] = held.patched(write.hunks)
