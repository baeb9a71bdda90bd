"""Replay: a view of a file is compared with the state, and believed (METHOD 4).

In: the ``State``, a step, one ``Shown`` of it. Out: an ``Observation`` where replay had a text to compare, a
``Sight``, and what the view teaches: a w_0 text, an unknown write with its likely place, or that a text is opaque.
"""

from __future__ import annotations

from core.replay.base import is_kept
from core.replay.fidelity import Comparison, agrees, clipped, compare, repaired
from core.replay.lines import line_map
from core.replay.partial import Partial
from core.replay.state import State
from core.replay.world import FileWrite, Observation, Sight, Verdict, WriteSource
from core.trajectory.steps import Shown, Step

_OBSERVING = ("test", "build", "lint", "types")
_FEW_LINES = 6


def see(state: State, step: Step, shown: Shown, before: str | None = None) -> None:
    """Takes in one view; ``before`` is the file's text before the step's own writes, which a shell may have shown."""
    if not shown.lines and not shown.whole:
        return
    key = state.key(shown.path)
    if key is None:
        state.outside[shown.path] += 1
        if shown.whole:  # a file elsewhere may be copied in later
            state.tree = state.tree.with_text(state.any_key(shown.path), repaired(shown, None) or "")
        return
    status = state.status(key)
    if status == "text":
        shown = clipped(shown, state.text(key) or "")
    state.begun.setdefault(key, step.t)
    if shown.seen:
        state.sights.append(Sight(step.t, key, shown.start, shown.lines, shown.source, shown.whole))
    if status == "text":
        _see_text(state, step, shown, key, before)
    elif status == "absent" and key in state.written:
        _see_absent(state, step, shown, key)
    else:
        _see_unknown(state, step, shown, key)


def _see_text(state: State, step: Step, shown: Shown, key: str, before: str | None) -> None:
    text = state.text(key) or ""
    client = shown.source in ("attachment", "summary")
    older = state.older.get(key, [])
    result = compare(shown, text, older if client else ())
    if not result.agrees and before is not None and agrees(shown, before):
        result = compare(shown, before)
        _observe(state, step, shown, key, result, result.verdict, None)
        return
    if key in state.opaque:
        _see_opaque(state, step, shown, key, result.agrees)
        return
    # All views of one step are of one moment: a first sight may come in several pieces.
    first = key not in state.written and state.begun[key] == step.t
    if first and state.base.complete and key not in state.learned:
        state.first[key] = (result.agrees or result.verdict == "client-changed") and state.first.get(key, True)
    if result.agrees or result.verdict in ("client-changed", "stale-view"):
        _observe(state, step, shown, key, result, result.verdict, None)
        if result.agrees:
            state.seen[key] = step.t
        return
    if first:
        _observe(state, step, shown, key, result, result.verdict, None)
        _disbelieve_base(state, shown, key, text)
        state.seen[key] = step.t
        return
    after = _older_match(shown, older) or repaired(shown, text)
    place, source = _place(state, key, step, after)
    verdict: Verdict = "unknown-write" if source != "external" else result.verdict
    _observe(state, step, shown, key, result, verdict, place if source != "external" else None)
    _change(state, step, key, after, place, source)


def _older_match(shown: Shown, older: list[str]) -> str | None:
    """An earlier text of the file that the view is a true view of: something put it back."""
    return next((text for text in reversed(older) if agrees(shown, text)), None)


def _see_opaque(state: State, step: Step, shown: Shown, key: str, same: bool) -> None:
    """A view of a file that some step may have written: no observation, the state claimed nothing.

    The step's views of it decide together (``settle_seen``): lines that did not change prove little when others did.
    """
    if same:
        state.resolved.setdefault(key, True)
        return
    since = state.opaque[key]
    text = state.text(key)
    after = _older_match(shown, state.older.get(key, [])) or repaired(shown, text)
    if after is None:
        state.resolved[key] = False
        return
    how = f"seen changed at step {step.t}"
    state.writes.append(FileWrite(since, step.t, key, text, after, _source_of(state, since), how))
    state.set_text(key, after)
    state.resolved.setdefault(key, True)


def settle_seen(state: State, t: int) -> None:
    """At the end of a step: opaque files whose views all agreed, or could all be put right, are certain again."""
    for key, certain in state.resolved.items():
        if certain:
            state.settle(key, t)
    state.resolved.clear()


def _source_of(state: State, t: int) -> WriteSource:
    return next((w.source for w in reversed(state.writes) if w.t == t), "shell")


def _see_absent(state: State, step: Step, shown: Shown, key: str) -> None:
    """A view of a file that replay thinks deleted, or created with a text that is not known."""
    after = repaired(shown, None)
    if key in state.opaque:
        if after is not None:
            since = state.opaque[key]
            how = f"seen at step {step.t}"
            state.writes.append(FileWrite(since, step.t, key, None, after, _source_of(state, since), how))
            state.set_text(key, after)
            state.settle(key, step.t)
        return
    result = Comparison(len(shown.lines), 0, shown.start, "different", "\n".join(shown.lines[:3])[:600], "no such file")
    place, source = _place(state, key, step, after)
    suspect = place if source != "external" else None
    _observe(state, step, shown, key, result, "unknown-write" if suspect else "different", suspect)
    _change(state, step, key, after, place, source)


def _see_unknown(state: State, step: Step, shown: Shown, key: str) -> None:
    """A file of which nothing, or only some lines, are known: lines known before are compared, the rest learned."""
    if state.status(key) == "absent" and key not in state.opaque and is_kept(key):
        state.lacking.add(key)
    partial = state.partial.get(key, Partial())
    result = partial.compare(shown)
    place = state.opaque.get(key, step.t)
    if key in state.opaque:
        # Some step may have written it: nothing was claimed, and lines that differ are no longer true.
        partial = partial if result.agrees else Partial()
        state.settle(key, step.t)
    elif result.compared:
        _observe(state, step, shown, key, result, result.verdict, None)
    text = repaired(shown, None)
    if text is None:
        state.partial[key] = partial.learn(shown)
        return
    if key in state.written:
        # Written while unknown: what is seen now is the first certain text, not w_0.
        state.set_text(key, text)
        how = f"first seen whole at step {step.t}"
        state.writes.append(FileWrite(place, step.t, key, None, text, "observed", how))
        state.settle(key, step.t)
        return
    state.learn(key, text)
    state.seen[key] = step.t


def _disbelieve_base(state: State, shown: Shown, key: str, text: str) -> None:
    """The first view of a file nothing has written contradicts the given base: the run is believed."""
    state.wrong.add(key)
    own = repaired(shown, text)
    if own is not None:
        state.learn(key, own)
        return
    state.distrusted.add(key)
    state.partial[key] = Partial().learn(shown)


def _change(state: State, step: Step, key: str, after: str | None, place: int, source: WriteSource) -> None:
    """An unknown write comes to light: stored at its place, known from this step on."""
    before = state.text(key)
    state.written.add(key)
    how = f"seen changed at step {step.t}"
    if after is None:
        state.writes.append(FileWrite(place, step.t, key, before, before, source, how, opaque=True))
        state.opaque[key] = place
        return
    if after != before:
        state.writes.append(FileWrite(place, step.t, key, before, after, source, how))
        state.set_text(key, after)
    state.settle(key, step.t)


def _place(state: State, key: str, step: Step, after: str | None) -> tuple[int, WriteSource]:
    """The likeliest step of an unknown write: after the text was last certain, before it was seen changed.

    Commands that moved HEAD and, for a small change, formatters and linters first; then plain runs, the start of a
    user's turn, test and build runs; if none stands there the change came from outside.
    """
    low = state.seen.get(key, 0)
    small = _is_small(state.text(key), after)
    fixers = [t for t, reformats in state.fixers if low < t < step.t and (small or not reformats)]
    linters = [t for t, purpose in state.runs if low < t < step.t and purpose == "lint" and small]
    if fixers or linters:
        return (fixers or linters)[0], "observed"
    plain = [t for t, purpose in state.runs if low < t < step.t and purpose not in _OBSERVING]
    turns = [t for t in state.turns if low < t <= step.t]
    tests = [t for t, purpose in state.runs if low < t < step.t and purpose in _OBSERVING]
    for candidates in (plain, turns, tests):
        if candidates:
            return candidates[-1], "observed"
    return step.t, "external"


def _is_small(before: str | None, after: str | None) -> bool:
    """Whether a formatter or fixing linter may have made the change: white space only, or few lines."""
    if before is None or after is None:
        return True
    if before.split() == after.split():
        return True
    changed = sum(b.old_end - b.old_start + b.new_end - b.new_start + 2 for b in line_map(before, after).blocks)
    return changed <= _FEW_LINES


def _observe(
    state: State, step: Step, shown: Shown, key: str, result: Comparison, verdict: Verdict, suspect: int | None
) -> None:
    if result.compared:
        counts = (result.start, result.compared, result.equal)
        texts = (result.seen, result.expected)
        state.observations.append(Observation(step.t, key, *counts, shown.source, verdict, *texts, suspect))
