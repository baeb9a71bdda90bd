"""Why a record was nominated, and why it was not: sentences for people (page "Why").

In: a record, what the tape says of it and, where there is one, its action. Out: plain sentences, first the
one that answers the question. Names come from transcripts and are plain text here; pages escape them.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.context.actions import Action, Hit, Nomination
from core.records.record import Query, Record, State, Symbols
from core.tape.drift import Drift
from core.tape.nominate import hits_of
from core.tape.tape import Tape

_DONE = {"refresh": "refreshed", "drop": "dropped", "rerun": "marked to be run again", "keep": "kept"}
_MOST = 5


def why_nominated(
    record: Record, nomination: Nomination, tape: Tape, action: Action | None = None, stale: bool | None = None
) -> tuple[str, ...]:
    """Why the tape nominated the record at ``nomination.t``, one sentence a reason, the most telling first.

    ``stale`` is the measured verdict, if the reader may see it: it decides between "stopped being true" and
    "may have stopped being true".
    """
    first = nomination.hits[0]
    verb = {True: "stopped being true", False: "is still true, but was questioned", None: "may have stopped being true"}
    lead = f"{_copy(record)} {verb[stale]} at {_steps(first.writes)}: {_reason(first, record, nomination.t, tape)}."
    rest = [_sentence(hit, record, nomination.t, tape) for hit in nomination.hits[1:_MOST]]
    if len(nomination.hits) > _MOST:
        rest.append(f"{len(nomination.hits) - _MOST} more symbols it covers drifted too.")
    return (lead, *rest, *_outcome(action))


def why_not(
    record: Record, drift: Drift, tape: Tape, gone: int | None = None, action: Action | None = None
) -> tuple[str, ...]:
    """Why the write known at ``drift.known_at`` does not falsify the record, or that it does.

    ``gone`` is the step at which the record left the context, its own if not given; ``action`` what was done
    to it at this write, if it was nominated.
    """
    t = drift.known_at
    gone = record.gone if gone is None else gone
    copy = _copy(record)
    if record.born >= t:
        return (f"{copy} was born at step {record.born}, not before the write at step {t}: it shows its result.",)
    if gone is not None and gone <= t:
        return (f"{copy} had already left the context at step {gone}, before the write at step {t}.",)
    if action is not None and action.name == "keep":
        return (f"It was nominated at step {t} and kept: {action.reason}.",)
    if isinstance(record.referent, State):
        if drift.documentation:
            return (f"The write at step {t} changed only documentation, which no test, build or lint run depends on.",)
        return (f"It was nominated: it was observed at step {record.born}, before the write at step {t}.",)
    if isinstance(record.referent, Query):
        return ("It is the answer to a search that shows no content; such records are not tracked.",)
    if not isinstance(record.referent, Symbols):
        return (f"{copy} makes no claim about the repository that a write could falsify.",)
    here = {*drift.changed, *drift.removed, *drift.rewired, *drift.uses}
    met = sorted(here & set(record.referent.ids))
    if met:
        known = {hit.id for hit in hits_of(record, tape, t)}
        if known & set(met):
            return (f"It was nominated: it covers {_list(met)}, which the write at step {t} drifted.",)
        return (f"The write at step {t} brought {_list(met)} back to what it was at step {record.born}.",)
    return (_covers(record.referent), _drifted(drift), "The two have no symbol in common, so the record still holds.")


def _copy(record: Record) -> str:
    if isinstance(record.referent, State):
        return f"The result of `{_clip(record.command or record.tool)}` (step {record.born}, {record.tokens:,} tokens)"
    verb = {"edit": "written", "search": "found"}.get(record.kind, "read")
    return f"This copy of {_subject(record)} ({verb} at step {record.born}, {record.tokens:,} tokens)"


def _subject(record: Record) -> str:
    ids = record.referent.ids if isinstance(record.referent, Symbols) else ()
    if len(ids) == 1 and not ids[0].endswith("::<module>"):
        return f"`{_name(ids[0])}`"
    if record.path is None:
        return "the text"
    lines = f" lines {record.start}-{record.end}" if record.start is not None else ""
    return f"{_clip(record.path)}{lines}"


def _sentence(hit: Hit, record: Record, t: int, tape: Tape) -> str:
    text = _reason(hit, record, t, tape)
    return text[0].upper() + text[1:] + f" ({_steps(hit.writes)})."


def _reason(hit: Hit, record: Record, t: int, tape: Tape) -> str:
    name = f"`{_name(hit.id)}`"
    if hit.why == "state":
        return f"the repository has been written {_times(len(hit.writes))} since it ran"
    if hit.why == "query":
        return "the search finds something else now"
    if hit.why == "opaque":
        return f"{_clip(hit.id)} was written in a way the transcript does not show"
    if hit.why == "removed":
        target = tape.moved_to(hit.id)
        return f"the write removed {name}" + (f", its text is now {_clip(target)}" if target else "")
    if hit.why == "changed":
        part = "the text of" if hit.id.endswith("::<module>") else "the body of"
        return f"the write changed {part} {name}"
    if hit.why == "uses":
        return (
            f"{name} is unchanged, but {_list_plain(_uses(hit.id, record.born, t, tape))} that it reads was bound anew"
        )
    possible = " (possibly)" if hit.tier == "possible" else ""
    return f"{name} is unchanged, but {_calls(hit.id, record.born, t, tape)}{possible}"


def _calls(symbol_id: str, born: int, t: int, tape: Tape) -> str:
    before, after = tape.view_at(symbol_id, born), tape.view_at(symbol_id, t)
    was, now = dict(before.calls if before else ()), dict(after.calls if after else ())
    for site in sorted(was.keys() | now.keys()):
        old, new = was.get(site, ()), now.get(site, ())
        if old != new:
            lost = [i for i in old if i not in new] or list(old)
            won = [i for i in new if i not in old]
            goes = (
                f"to {_list(won)}"
                if won
                else "to nothing the graph can resolve"
                if not new
                else f"to {_list(list(new))} only"
            )
            return f"its call `{_clip(site)}()` went from {_list(lost) if lost else 'nothing'} {goes}"
    return "an edge to or from it came or went"


def _uses(symbol_id: str, born: int, t: int, tape: Tape) -> list[str]:
    before, after = tape.view_at(symbol_id, born), tape.view_at(symbol_id, t)
    was, now = dict(before.uses if before else ()), dict(after.uses if after else ())
    return sorted(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))


def _outcome(action: Action | None) -> tuple[str, ...]:
    if action is None:
        return ()
    change = action.tokens_after - action.tokens_before
    size = "" if action.name == "keep" else f", {change:+,} tokens"
    return (f"It was {_DONE[action.name]} at step {action.t}{size}: {action.reason}.",)


def _covers(referent: Symbols) -> str:
    return f"It covers {_list(list(referent.ids))}." if referent.ids else "It covers no symbol."


def _drifted(drift: Drift) -> str:
    parts = [
        f"{word} {_list(list(ids))}"
        for word, ids in (
            ("changed", drift.changed),
            ("removed", drift.removed),
            ("created", drift.created),
            ("rewired", drift.rewired),
            ("changed a name read by", drift.uses),
        )
        if ids
    ]
    return f"The write at step {drift.known_at} {', '.join(parts) if parts else 'drifted no symbol'}."


def _list(ids: Sequence[str]) -> str:
    return _list_plain([f"`{_name(i)}`" for i in ids])


def _list_plain(names: Sequence[str]) -> str:
    shown = [_clip(name) for name in names[:_MOST]]
    if len(names) > _MOST:
        return ", ".join(shown) + f" and {len(names) - _MOST} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _name(symbol_id: str) -> str:
    path, _, name = symbol_id.partition("::")
    if path.startswith("<"):
        return _clip(name)
    return _clip(path if name in ("", "<module>") else name)


def _steps(steps: Sequence[int]) -> str:
    if len(steps) == 1:
        return f"step {steps[0]}"
    return f"steps {', '.join(map(str, steps[:3]))}" + ("" if len(steps) <= 3 else f" and {len(steps) - 3} more")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _clip(text: str, size: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 3] + "..."
