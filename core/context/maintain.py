"""The context as the default actions keep it over a whole run: C_t^+ after every write (Eq. 8).

In: the recorded run's records as they are born and compacted, and the tape. Out: the actions carried out and
the history of every item held. Departs: ``checked`` settles a record by any action, keep included;
``batch`` holds rewrites back until together they save that many tokens (rewriting breaks the prompt cache).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from core.context.actions import Action, Nomination
from core.context.defaults import Decision, Surroundings, decide
from core.context.fresh import FreshViews
from core.options import Options
from core.records.held import Held
from core.records.record import Record, State
from core.records.referents import GraphView
from core.tape.nominate import candidates, nominate
from core.tape.tape import Tape

_FORMS = {"refresh": "fresh", "drop": "tomb", "rerun": "stub"}


@dataclass(frozen=True, slots=True)
class MaintainedItem:
    """One item of the context as the default actions keep it, held from ``from_t`` until before ``until``.

    ``origin`` is the recorded record it comes from, ``form`` what it is now.
    """

    id: str
    origin: str
    form: str  # "record" | "fresh" | "tomb" | "stub"
    from_t: int
    until: int | None
    tokens: int
    text: str


class Watch(Protocol):
    """Who is told what enters and leaves (the measurement of staleness is; a policy is not)."""

    def add(self, record: Record, /) -> object: ...
    def remove(self, record_id: str, /) -> object: ...


@dataclass(slots=True)
class _Item:
    record: Record
    origin: str
    form: str
    until: int | None = None


class Maintained:
    """A context under default actions; feed it in step order: compact, enter the step's record, then act.

    C_t holds the record of step t itself: its window is empty, and older copies may point to it.
    """

    def __init__(
        self,
        tape: Tape,
        graph: GraphView,
        text_at: Callable[[str, int], str | None],
        options: Options,
        watch: Watch | None = None,
        fresh: FreshViews | None = None,
    ) -> None:
        self.held = Held()
        fresh = fresh or FreshViews(text_at, graph, options)
        self._around = Surroundings(tape, graph, text_at, self.held, options, fresh)
        self._watch = watch
        self._history: list[_Item] = []
        self._live: dict[str, _Item] = {}
        self._of_origin: dict[str, str] = {}
        self._settled: dict[str, int] = {}
        self._waiting: set[str] = set()
        self._stubs: dict[str, str] = {}  # command -> id of its stub

    def enter(self, record: Record) -> None:
        """The record the recorded run gained at its birth enters as it is."""
        self._put(record, record.id, "record")

    def compact(self, t: int, origins: Collection[str]) -> None:
        """What comes from these recorded records leaves at ``t``, in whatever form it is held."""
        for origin in sorted(origins):
            item_id = self._of_origin.get(origin)
            if item_id is not None:
                self._take(item_id, t)

    def act(self, t: int) -> tuple[Action, ...]:
        """Carry out the defaults for the writes known at ``t``; the actions in order of birth.

        Newest records are decided first, so that older ones can point to what they now show; of test results
        the oldest, while the newer run of the same command that replaces them is still held.
        """
        tape = self._around.tape
        if not tape.paths_at(t):
            return ()
        found = {r.id: r for r in candidates(self.held, tape, t)}
        found.update((i, r) for i in self._waiting if (r := self.held.get(i)))
        settled = self._settled if self._around.options.checked else None
        if settled is None:
            found.update((i, r) for i in self._settled if (r := self.held.get(i)))
        nominated = nominate(_in_order(found.values()), tape, t, settled)
        self._waiting.intersection_update(n.record_id for n in nominated)
        if not self._due(nominated):
            return self._carry_out(nominated, t, keep_only=True)
        self._waiting.clear()
        return self._carry_out(nominated, t, keep_only=False)

    def items(self) -> tuple[MaintainedItem, ...]:
        """Every item ever held, in order of entry."""
        return tuple(
            MaintainedItem(i.record.id, i.origin, i.form, i.record.born, i.until, i.record.tokens, i.record.text)
            for i in self._history
        )

    def records(self) -> tuple[Record, ...]:
        """What is held now, in order of origin: fresh views, tombstones and stubs as records of their own."""
        return tuple(item.record for item in sorted(self._live.values(), key=lambda i: int(i.origin[1:])))

    def form(self, item_id: str) -> str | None:
        """The form of a held item."""
        item = self._live.get(item_id)
        return None if item is None else item.form

    def _due(self, nominated: tuple[Nomination, ...]) -> bool:
        """Whether rewrites happen now: always, or when together they save ``batch`` tokens."""
        if not self._around.options.batch:
            return True
        actions = [d.action for n in nominated if (d := self._decide(n))]
        return sum(a.tokens_before - a.tokens_after for a in actions) >= self._around.options.batch

    def _carry_out(self, nominated: tuple[Nomination, ...], t: int, keep_only: bool) -> tuple[Action, ...]:
        done: list[tuple[tuple[int, str], Action]] = []
        for nomination in nominated:
            decision = self._decide(nomination)
            if decision is None:
                continue
            record = self._live[nomination.record_id].record
            if decision.successor is None:
                self._settled[record.id] = t
                self._waiting.discard(record.id)
            elif keep_only:
                self._waiting.add(record.id)
                continue
            else:
                self._substitute(record, decision, t)
            done.append((_birth(record), decision.action))
        return tuple(action for _, action in sorted(done, key=lambda pair: pair[0]))

    def _decide(self, nomination: Nomination) -> Decision | None:
        record = self.held.get(nomination.record_id)
        return None if record is None else decide(record, nomination, self._around)

    def _substitute(self, record: Record, decision: Decision, t: int) -> None:
        assert decision.successor is not None
        origin = self._live[record.id].origin
        form = _FORMS[decision.action.name]
        self._take(record.id, t)
        if form == "stub":
            older = self._stubs.get(record.command)
            if older in self._live:
                self._take(older, t)
            self._stubs[record.command] = decision.successor.id
        self._put(decision.successor, origin, form)

    def _put(self, record: Record, origin: str, form: str) -> None:
        item = _Item(record, origin, form)
        self._history.append(item)
        self._live[record.id] = item
        self._of_origin[origin] = record.id
        self.held.add(record)
        if self._watch is not None:
            self._watch.add(record)

    def _take(self, item_id: str, t: int) -> None:
        item = self._live.pop(item_id)
        item.until = t
        self._of_origin.pop(item.origin, None)
        self._settled.pop(item_id, None)
        self._waiting.discard(item_id)
        self.held.remove(item_id)
        if self._watch is not None:
            self._watch.remove(item_id)


def _in_order(records: Iterable[Record]) -> list[Record]:
    ordered = sorted(records, key=_birth)
    runs = [r for r in ordered if isinstance(r.referent, State)]
    return runs + [r for r in reversed(ordered) if not isinstance(r.referent, State)]


def _birth(record: Record) -> tuple[int, str]:
    return record.born, record.id
