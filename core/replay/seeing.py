"""Replay: a view of a file is compared with the state, and believed (METHOD 4).

In: the ``State``, a step, one ``Shown`` of it. Out: an ``Observation`` where replay had a text to compare, a
``Sight``, and what the view teaches: a w_0 text, an unknown write with its likely place, or that a text is opaque.
"""

from __future__ import annotations

from core.replay.base import is_kept
from core.replay.doubt import see_doubtful, source_of
from core.replay.fidelity import Comparison, agrees, clipped, compare, encloses, learned, repaired
from core.replay.partial import Partial
from core.replay.placing import place_of
from core.replay.state import State
from core.replay.world import FileWrite, Sight, Verdict, WriteSource
from core.trajectory.steps import Shown, Step


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
    certain = state.opaque.get(key, step.t) == step.t  # what stood before this step was
    if before is not None and certain and not agrees(shown, text) and agrees(shown, before):
        result = compare(shown, before)
        state.observe(step, shown, key, result, result.verdict)
        return
    if key in state.opaque:
        see_doubtful(state, step, shown, key)
        return
    result = compare(shown, text, older if client else ())
    # All views of one step are of one moment: a first sight may come in several pieces.
    first = key not in state.written and state.begun[key] == step.t
    if first and state.base.complete and key not in state.learned:
        state.first[key] = (result.agrees or result.verdict == "client-changed") and state.first.get(key, True)
    if result.agrees or result.verdict in ("client-changed", "stale-view"):
        state.observe(step, shown, key, result, result.verdict)
        if result.agrees:
            state.seen[key] = step.t
        return
    if first:
        state.observe(step, shown, key, result, result.verdict)
        _disbelieve_base(state, shown, key, text)
        state.seen[key] = step.t
        return
    after = _older_match(shown, older) or repaired(shown, text)
    place, source = place_of(state, key, step, after)
    verdict: Verdict = "unknown-write" if source != "external" else result.verdict
    state.observe(step, shown, key, result, verdict, place if source != "external" else None)
    _change(state, step, shown, key, after, place, source)


def _older_match(shown: Shown, older: list[str]) -> str | None:
    """An earlier text of the file that the view is a true view of: something put it back."""
    return next((text for text in reversed(older) if agrees(shown, text)), None)


def _see_absent(state: State, step: Step, shown: Shown, key: str) -> None:
    """A view of a file that replay thinks deleted, or created with a text that is not known."""
    after = repaired(shown, None)
    if key in state.opaque:
        if after is not None:
            since = state.opaque[key]
            how = f"seen at step {step.t}"
            state.writes.append(FileWrite(since, step.t, key, None, after, source_of(state, since), how))
            state.set_text(key, after)
            state.settle(key, step.t)
        return
    result = Comparison(len(shown.lines), 0, shown.start, "different", "\n".join(shown.lines[:3])[:600], "no such file")
    place, source = place_of(state, key, step, after)
    suspect = place if source != "external" else None
    state.observe(step, shown, key, result, "unknown-write" if suspect else "different", suspect)
    _change(state, step, shown, key, after, place, source)


def _see_unknown(state: State, step: Step, shown: Shown, key: str) -> None:
    """A file of which nothing, or only some lines, are known: lines known before are compared, the rest learned."""
    if state.status(key) == "absent" and key not in state.opaque and is_kept(key):
        state.lacking.add(key)
    partial = state.partial.get(key, Partial())
    result = partial.compare(shown)
    place = state.opaque.get(key, step.t)
    if key in state.opaque:
        state.settle(key, step.t)  # what was known before it is forgotten: from now on seen lines are claimed
    elif result.compared:
        state.observe(step, shown, key, result, result.verdict)
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


def _change(
    state: State, step: Step, shown: Shown, key: str, after: str | None, place: int, source: WriteSource
) -> None:
    """An unknown write comes to light: stored at its place, known from this step on.

    A view that shows where the change begins and ends shows all of it. Behind the edge of another one more lines may
    have changed: they are not claimed until they are seen.
    """
    before = state.text(key)
    state.written.add(key)
    how = f"seen changed at step {step.t}"
    if after is None:
        state.writes.append(FileWrite(place, step.t, key, before, before, source, how, opaque=True))
    elif after != before:
        state.writes.append(FileWrite(place, step.t, key, before, after, source, how))
        state.set_text(key, after)
    if after is not None and (shown.whole or encloses(shown, before or "", after)):
        state.settle(key, step.t)
        return
    state.opaque[key] = place
    state.known[key] = step.t
    now = after if after is not None else before or ""
    ended = (before or "").split("\n")[-2:] == now.split("\n")[-2:]
    state.certain[key] = Partial(learned(shown, now), ended)
    state.unrepaired.setdefault(key, before or "")
