"""C_t with its indexes: which held records cover a symbol, show a path, or ran a command.

In: records as they enter and leave. Out: look-ups whose cost is their answer, so that a write costs the
records it can affect and never the whole context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.records.record import Query, Record, State, Symbols


class Held:
    """The records held now, indexed by covered symbol, by shown path, by tested command."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._by_symbol: dict[str, dict[str, None]] = {}
        self._by_path: dict[str, dict[str, None]] = {}
        self._states: dict[str, None] = {}
        self._queries: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, record_id: str) -> bool:
        return record_id in self._records

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def get(self, record_id: str) -> Record | None:
        """The held record of this id."""
        return self._records.get(record_id)

    def add(self, record: Record) -> None:
        """The record enters the context."""
        self._records[record.id] = record
        if isinstance(record.referent, Symbols):
            for symbol_id in record.referent.ids:
                self._by_symbol.setdefault(symbol_id, {})[record.id] = None
            for path in record_paths(record):
                self._by_path.setdefault(path, {})[record.id] = None
        elif isinstance(record.referent, State):
            self._states[record.id] = None
        elif isinstance(record.referent, Query):
            self._queries[record.id] = None

    def remove(self, record_id: str) -> Record | None:
        """The record leaves the context; returned, None when it was not held."""
        record = self._records.pop(record_id, None)
        if record is None:
            return None
        if isinstance(record.referent, Symbols):
            for symbol_id in record.referent.ids:
                self._by_symbol[symbol_id].pop(record_id, None)
            for path in record_paths(record):
                self._by_path[path].pop(record_id, None)
        self._states.pop(record_id, None)
        self._queries.pop(record_id, None)
        return record

    def covering(self, symbol_ids: Iterable[str]) -> list[Record]:
        """Held records that cover one of the symbols, in order of birth."""
        found = {r for i in symbol_ids for r in self._by_symbol.get(i, ())}
        return self._sorted(found)

    def showing(self, paths: Iterable[str]) -> list[Record]:
        """Held records about symbols that show lines of one of the paths, in order of birth."""
        found = {r for p in paths for r in self._by_path.get(p, ())}
        return self._sorted(found)

    def showing_after(self, record: Record, paths: Iterable[str]) -> list[Record]:
        """The records ``showing`` one of the paths that were born after ``record``, the newest first."""
        born = record.born, record.id
        found = {i: r for p in paths for i in self._by_path.get(p, ()) if (r := self._records[i]).born >= born[0]}
        return sorted((r for r in found.values() if _birth(r) > born), key=_birth, reverse=True)

    def states(self) -> list[Record]:
        """Held test, build and lint results, in order of birth."""
        return self._sorted(self._states)

    def queries(self) -> list[Record]:
        """Held results of searches without content, in order of birth."""
        return self._sorted(self._queries)

    def newest_run(self, command: str) -> Record | None:
        """The newest held test, build or lint result of this command."""
        runs = [self._records[i] for i in self._states if self._records[i].command == command]
        return max(runs, key=lambda r: (r.born, r.id), default=None)

    def _sorted(self, ids: Iterable[str]) -> list[Record]:
        return sorted((self._records[i] for i in ids), key=_birth)


def _birth(record: Record) -> tuple[int, str]:
    return record.born, record.id


def record_paths(record: Record) -> list[str]:
    """The paths the record shows lines of, sorted."""
    return sorted({s.path for s in record.sights})
