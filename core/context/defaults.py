"""The default action of a nomination: a complete policy without a model (Algorithm 1, METHOD 3).

In: a nomination, its record and what surrounds it. Out: an ``Action`` with the text it puts in place.

Algorithm 1: State -> rerun; a covered symbol exists and its own text changed -> refresh; otherwise (all hits
removed or rewired) -> drop. Departs, each by a switch or by rule:
``uses`` hits alone keep, with a note; ``undo`` keeps when every covered view is as at birth; ``shown_lines``
keeps when no shown line changed and nothing was removed or rewired; an edit is never refreshed (it is the
model's own output) but dropped when superseded, else kept; only the newest result of a command gets a stub;
``dedupe`` points to a newer held record that shows at least 80% of a refresh; a refresh of more than twice
the record and 1,000 tokens is a drop.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.context.actions import Action, ActionName, Hit, Nomination
from core.context.apply import outrun, replacement, stub, symbol_name, tomb
from core.context.fresh import FreshViews
from core.options import Options
from core.records.held import Held
from core.records.record import Record, Symbols
from core.records.referents import GraphView
from core.tape.shown import stands
from core.tape.tape import Tape

_SHARE = 0.8
_GROWTH = 2
_LARGE = 1000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a default may look at: the tape, the graph of w_t, texts by (path, step), what is held, the switches.

    ``fresh`` are the fresh views made so far over the same graph and texts.
    """

    tape: Tape
    graph: GraphView
    text_at: Callable[[str, int], str | None]
    held: Held
    options: Options
    fresh: FreshViews


@dataclass(frozen=True, slots=True)
class Decision:
    """An action and the record that takes the old one's place (None for keep)."""

    action: Action
    successor: Record | None


def default_action(record: Record, nomination: Nomination, around: Surroundings) -> Action:
    """The action Algorithm 1 and its departures assign to the nominated record."""
    return decide(record, nomination, around).action


def decide(record: Record, nomination: Nomination, around: Surroundings) -> Decision:
    """The default action with the record it leaves; cost: a diff of each shown file, cached by content."""
    hits = nomination.hits
    if any(hit.why == "query" for hit in hits):
        return _replace(record, nomination.t, "rerun", stub(record), "it would find something else now")
    if any(hit.why == "state" for hit in hits):
        return _rerun(record, nomination, around)
    reason = _keeps(record, nomination, around)
    if reason:
        return _keep(record, nomination.t, reason)
    alive = [h for h in hits if h.why == "changed"]
    if not alive:
        return _drop(record, nomination, around, "what it shows was " + _first(hits))
    if record.kind == "edit":
        return _drop(record, nomination, around, "a later write superseded this edit")
    return _refresh(record, nomination, around, alive)


def text_stands(record: Record, hits: Iterable[Hit], t: int, around: Surroundings) -> bool:
    """Whether the shown lines of every symbol hit stand in w_t and nothing was put between two of them."""
    changed: dict[str, list[str]] = {}
    for hit in hits:
        changed.setdefault(hit.id.partition("::")[0], []).append(hit.id)
    for path, ids in sorted(changed.items()):
        before, now = around.text_at(path, record.born), around.text_at(path, t)
        own = {s.id: s.own for s in around.graph.symbols(path) if s.own}
        if before is None or not stands(around.fresh.standing.lines(record, path), ids, before, now, own):
            return False
    return True


def _keeps(record: Record, nomination: Nomination, around: Surroundings) -> str:
    """Why the record stays as it is, "" if it does not."""
    hits, t, options = nomination.hits, nomination.t, around.options
    whys = {hit.why for hit in hits}
    if whys == {"uses"}:
        return f"only module-level names read by {_names(hits)} were bound anew; the text stands"
    if "opaque" in whys:
        return ""
    ids = record.referent.ids if isinstance(record.referent, Symbols) else ()
    if options.undo and all(around.tape.same_view(i, record.born, t) for i in ids):
        return "every covered symbol is again as it was when this entered the context"
    rewired = any(around.tape.calls_moved_between(i, record.born, t) for i in ids)
    if whys <= {"changed", "uses"} and not rewired:
        if options.shown_lines and text_stands(record, hits, t, around):
            return "no line it shows changed, and nothing it covers was removed or rewired"
        if record.kind == "edit" and text_stands(record, hits, t, around):
            return "the edit still stands as written"
    return ""


def _rerun(record: Record, nomination: Nomination, around: Surroundings) -> Decision:
    newest = around.held.newest_run(record.command)
    if newest is not None and newest.id != record.id and newest.born > record.born:
        reason = f"step {newest.id[1:]} ran the same command later"
        return _replace(record, nomination.t, "drop", outrun(record, newest), reason, newest.id)
    text = stub(record)
    return _replace(record, nomination.t, "rerun", text, "it was observed before later writes")


def _refresh(record: Record, nomination: Nomination, around: Surroundings, alive: list[Hit]) -> Decision:
    t = nomination.t
    lost = {h.id for h in nomination.hits if h.why == "opaque" and around.tape.unknown(h.id, t)}
    drifted = [hit.id for hit in alive]
    sights = around.fresh.sights(record, t, drifted, lost)
    if not sights:
        return _drop(record, nomination, around, "nothing of what it shows is left")
    if around.options.dedupe:
        other = _shown_elsewhere(record, around.fresh.solid(record, t, drifted, lost), t, around)
        if other is not None:
            return _drop(record, nomination, around, f"step {other.id[1:]} already shows the present lines", other.id)
    new = around.fresh.record(record, t, drifted, lost)
    assert new is not None  # it has sights
    if new.tokens > _GROWTH * record.tokens and new.tokens > _LARGE:
        return _drop(record, nomination, around, "its present text is more than twice as long")
    reason = f"{_names(alive)} changed"
    return Decision(Action(t, record.id, "refresh", record.tokens, new.tokens, new.text, reason), new)


def _shown_elsewhere(
    record: Record, wanted: Mapping[str, Sequence[int]], t: int, around: Surroundings
) -> Record | None:
    """The newest later held record that truly shows at least 80% of the ``wanted`` lines of w_t."""
    need = _SHARE * sum(map(len, wanted.values()))
    for other in around.held.showing_after(record, wanted) if need else ():
        shows = sum(len(s.lines) for s in other.sights if s.path in wanted)
        if shows >= need and _true_lines(other, wanted, t, around) >= need:
            return other
    return None


def _true_lines(record: Record, wanted: Mapping[str, Sequence[int]], t: int, around: Surroundings) -> int:
    """How many of the wanted lines of w_t (ascending by path) the record shows as they are."""
    count = 0
    for path, lines in wanted.items():
        if around.text_at(path, record.born) is not None:
            stand = around.fresh.standing.of(record, path, t)
            count += sum(bisect_right(lines, b) - bisect_left(lines, a) for a, b in stand)
    return count


def _keep(record: Record, t: int, reason: str) -> Decision:
    return Decision(Action(t, record.id, "keep", record.tokens, record.tokens, None, reason), None)


def _drop(record: Record, nomination: Nomination, around: Surroundings, reason: str, pointer: str = "") -> Decision:
    text = tomb(record, nomination.hits, around.tape, pointer)
    return _replace(record, nomination.t, "drop", text, reason, pointer)


def _replace(record: Record, t: int, name: ActionName, text: str, reason: str, pointer: str = "") -> Decision:
    successor = replacement(record, t, text)
    action = Action(t, record.id, name, record.tokens, successor.tokens, text, reason, pointer)
    return Decision(action, successor)


def _first(hits: tuple[Hit, ...]) -> str:
    whys = {hit.why for hit in hits}
    if "opaque" in whys:
        return "written in a way the transcript does not show"
    if "removed" not in whys:
        return "rewired: its text stands, but a call reaches something else"
    return "removed" if whys == {"removed"} else "removed or rewired"


def _names(hits: list[Hit] | tuple[Hit, ...]) -> str:
    names = [symbol_name(hit.id) for hit in hits[:3]]
    return ", ".join(names) + (f" and {len(hits) - 3} more" if len(hits) > 3 else "")
