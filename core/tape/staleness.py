"""Which held records are false of w_t: measurement only, seen by no policy (METHOD 3, Staleness).

In: records as they are born and gone, and the file writes as they happen. Out: ``StatusChange``s, each the
status of a record from a step on. A symbol record is text-stale when a line it shows changed or went, or text
was inserted between two adjacent shown lines of one covered symbol; view-stale when its text holds but a
covered call was rewired since birth; a State record is state-stale after any write to anything but
documentation. Text is compared with the text at birth, so what is undone is true again.

Cost a write: the records that show the file or cover a rewired symbol, each as the symbols it covers; what
changed in a symbol since one text is worked out once for all records that show that text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from core.records.record import Record, State, Symbols
from core.records.referents import GraphView
from core.tape.drift import is_documentation
from core.tape.shown import Holding, Ranges, ShownLines, judge, shown_lines
from core.tape.tape import Tape

# none: no referent, nothing to be false of.  The three stale kinds differ in what became false.
Status = Literal["true", "text-stale", "view-stale", "state-stale", "none"]
STALE: frozenset[Status] = frozenset({"text-stale", "view-stale", "state-stale"})


@dataclass(frozen=True, slots=True)
class StatusChange:
    """From step ``t`` on, until its next change, the record has this status; ``since`` is the write that caused it.

    ``incomplete``: something new stands between the definitions a whole-file read shows.  ``moved``: the
    text is true, its line numbers are not.  ``stale_lines`` lists stale shown line ranges of the record's
    own path (in w_born); an insertion after line n is the empty range (n + 1, n).
    """

    record_id: str
    t: int
    status: Status
    since: int | None = None
    incomplete: bool = False
    moved: bool = False
    stale_lines: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class _File:
    """A file's present text (None: it does not exist) and, by record, what is shown of it in which text."""

    text: str | None
    records: dict[str, tuple[ShownLines, str]]


class Staleness:
    """The status of every record held, kept up to date write by write.

    ``graph`` is the code graph of the present state. ``text_at(path, t)`` gives the file's text after step
    ``t`` (None: absent or unknown) and is asked only at a record's birth, for files no held record shows yet.
    """

    def __init__(self, tape: Tape, graph: GraphView, text_at: Callable[[str, int], str | None]) -> None:
        self._tape = tape
        self._graph = graph
        self._text_at = text_at
        self._files: dict[str, _File] = {}
        self._records: dict[str, Record] = {}
        self._covering: dict[str, dict[str, None]] = {}
        self._states: dict[str, None] = {}
        self._now: dict[str, StatusChange] = {}
        self._present: dict[str, dict[str, Ranges]] = {}  # own lines, of this write
        self._tokens: dict[str, int] = {"true": 0, "stale": 0, "none": 0}

    def add(self, record: Record) -> StatusChange:
        """The record is born: true, or of no status when it has no referent or none of its text is known."""
        self._records[record.id] = record
        status: Status = "none"
        if isinstance(record.referent, State):
            self._states[record.id] = None
            status = "true"
        elif isinstance(record.referent, Symbols):
            for symbol_id in record.referent.ids:
                self._covering.setdefault(symbol_id, {})[record.id] = None
            shown = sorted({s.path for s in record.sights} - set(record.referent.opaque))
            known = [self._watch(record, path) for path in shown]
            status = "true" if any(known) else "none"
        change = StatusChange(record.id, record.born, status)
        self._now[record.id] = change
        self._tokens[_bucket(status)] += record.tokens
        return change

    def remove(self, record_id: str) -> None:
        """The record is no longer held; unknown ids are ignored."""
        record = self._records.pop(record_id, None)
        if record is None:
            return
        self._tokens[_bucket(self._now.pop(record_id).status)] -= record.tokens
        self._states.pop(record_id, None)
        if isinstance(record.referent, Symbols):
            for symbol_id in record.referent.ids:
                self._covering[symbol_id].pop(record_id, None)
        for path in {s.path for s in record.sights}:
            if path in self._files:
                self._files[path].records.pop(record_id, None)

    def write(
        self, t: int, texts: Mapping[str, str | None], opaque: Iterable[str] = (), touched: Iterable[str] = ()
    ) -> tuple[StatusChange, ...]:
        """The statuses that change at ``t``: ``texts`` are the new texts of all files written at ``t``.

        ``opaque`` are files written with unknown text (records that show them keep their status), ``touched``
        the symbols whose views changed on the tape at ``t``. Sorted by birth.
        """
        self._present.clear()
        opaque = set(opaque)
        affected: dict[str, None] = {}
        for path, text in sorted(texts.items()):
            if path not in opaque:
                affected.update(dict.fromkeys(self._follow(path, text)))
        for symbol_id in touched:
            affected.update(self._covering.get(symbol_id, {}))
        written = {*texts, *opaque}
        if written and not all(is_documentation(path) for path in written):
            affected.update(self._states)
        records = sorted((self._records[i] for i in affected), key=lambda r: (r.born, r.id))
        changes = [change for record in records if (change := self._judge(record, t))]
        return tuple(changes)

    def status(self, record_id: str) -> StatusChange | None:
        """The latest status of a held record."""
        return self._now.get(record_id)

    def tokens(self) -> tuple[int, int, int]:
        """Tokens held now: (true, stale, of no status)."""
        return self._tokens["true"], self._tokens["stale"], self._tokens["none"]

    def _watch(self, record: Record, path: str) -> bool:
        file = self._files.setdefault(path, _File(None, {}))
        if file.text is None:
            file.text = self._text_at(path, record.born)
        if file.text is None:
            return False
        file.records[record.id] = (shown_lines(record, path), file.text)
        return True

    def _follow(self, path: str, text: str | None) -> Iterable[str]:
        """The file has this text now; the ids of the records that show it."""
        file = self._files.get(path)
        if file is None or file.text == text:
            return ()
        file.text = text
        return file.records

    def _judge(self, record: Record, t: int) -> StatusChange | None:
        """The record's status at ``t`` if it differs from the one before."""
        old = self._now[record.id]
        if old.status == "none":
            return None
        new = replace(self._status(record, t), since=t)
        if new.status == "true":
            new = replace(new, since=None)
        elif new.status == old.status:
            new = replace(new, since=old.since)
        if replace(new, t=old.t) == old:
            return None
        self._tokens[_bucket(old.status)] -= record.tokens
        self._tokens[_bucket(new.status)] += record.tokens
        self._now[record.id] = new
        return new

    def _status(self, record: Record, t: int) -> StatusChange:
        if isinstance(record.referent, State):
            return StatusChange(record.id, t, "state-stale")
        holdings = {path: self._holding(record.id, path) for path in sorted({s.path for s in record.sights})}
        incomplete = any(h.incomplete for h in holdings.values())
        moved = any(h.moved for h in holdings.values())
        if any(h.stale for h in holdings.values()):
            lines = holdings[record.path].stale if record.path in holdings else ()
            return StatusChange(record.id, t, "text-stale", None, incomplete, False, lines)
        ids = record.referent.ids if isinstance(record.referent, Symbols) else ()
        rewired = any(self._tape.calls_moved_between(i, record.born, t) for i in ids)
        return StatusChange(record.id, t, "view-stale" if rewired else "true", None, incomplete, moved)

    def _holding(self, record_id: str, path: str) -> Holding:
        file = self._files.get(path)
        entry = file.records.get(record_id) if file else None
        if file is None or entry is None:
            return Holding()  # the text of this file is not known: nothing can be said
        shown, before = entry
        return judge(shown, before, file.text, self._own(path), not self._tape.options.module_symbol)

    def _own(self, path: str) -> Mapping[str, Ranges]:
        """The own lines of the file's symbols as they are now."""
        if path not in self._present:
            self._present[path] = {s.id: s.own for s in self._graph.symbols(path) if s.own}
        return self._present[path]


def _bucket(status: Status) -> str:
    return "stale" if status in STALE else status
