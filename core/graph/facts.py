"""What one file's text says by itself: symbols, and the cells that linking reads (Eq. 5, first half).

In: one text. Out: ``FileFacts``. Nothing here depends on any other file or on the file's own path, so
facts are cached by (language, content hash) across states and runs. Cells carry no line numbers: two
texts that say the same have equal cells, whatever lines stand above them.

A cell is addressed by ``(tag, scope, name)``, all strings; what tags exist is the business of the
language that wrote them and of its linker. ``names`` are what the file adds to repository-wide sets:
``(set, name, scope)``, for instance "scope defines a method called name".
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from core.content import content_digest
from core.graph.symbols import SymbolKind

if TYPE_CHECKING:
    from core.graph.shelf import Shelf

CellKey = tuple[str, str, str]
Expr = tuple[Any, ...]
EMPTY: tuple[Any, ...] = ()
MODULE = "<module>"
REPEATS = 64
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SymbolFact:
    """A symbol without its path: ``qual`` is the id's part after ``::``; the rest as in ``Symbol``."""

    qual: str
    kind: SymbolKind
    name: str
    start: int
    end: int
    own: tuple[tuple[int, int], ...]
    own_hash: str
    signature: str
    parent: str | None


class Site(NamedTuple):
    """One place that may reach something: ``kind`` call | attr | raise | iter | with | dec | op, the syntactic
    callee ``key``, and the callee expression (for call and dec the whole call). Equal sites are one."""

    kind: str
    key: str
    expr: Expr


class ScopeFacts(NamedTuple):
    """Cell ("scope", s, ""): ``sites`` are evaluated in this scope, ``head`` (decorators, defaults, bases) in the
    parent; ``owner`` is the symbol whose text both are; ``reads`` are module-level names, dotted ones too."""

    kind: str
    owner: str
    parent: str
    sites: tuple[Site, ...]
    head: tuple[Site, ...]
    reads: tuple[str, ...]
    imports: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything kept of one file; ``lines`` gives for (scope, part) the line of each site, beside the cells."""

    language: str
    symbols: tuple[SymbolFact, ...]
    cells: Mapping[CellKey, Any] = field(default_factory=dict)
    names: frozenset[tuple[str, str, str]] = frozenset()
    lines: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    scopes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # symbol qual -> its scopes, in order
    blocks: tuple[tuple[int, int], ...] = ()  # module-level statement blocks, ascending
    bindings: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # name -> lines of its last statement
    error_line: int | None = None


def digest(*parts: str) -> str:
    """16 hex digits of the parts, each ended by a NUL; lone surrogates are allowed."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=8).hexdigest()


class FactsCache:
    """Facts by (language, content hash), in memory; behind it what earlier runs left on a ``shelf``, if there is one.

    The ``limit`` newest entries are kept: a long run writes thousands of versions that nothing asks for again.
    """

    def __init__(self, limit: int = 20_000, shelf: Shelf | None = None) -> None:
        self._entries: dict[tuple[str, str], FileFacts] = {}
        self._limit = limit
        self.shelf = shelf

    @staticmethod
    def key(language: str, text: str) -> tuple[str, str]:
        """The key of a text: its language and 32 hex digits of its content."""
        return language, content_digest(text).hex()

    def get(self, key: tuple[str, str]) -> FileFacts | None:
        """The facts stored under ``key``, or None."""
        found = self._entries.get(key)
        if found is None and self.shelf is not None:
            found = self.shelf.facts(entry_name(key))
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: tuple[str, str], facts: FileFacts) -> None:
        """Remember ``facts`` under ``key``."""
        self._entries[key] = facts
        if len(self._entries) > self._limit:
            del self._entries[next(iter(self._entries))]

    def __len__(self) -> int:
        return len(self._entries)

    def keys(self) -> list[tuple[str, str]]:
        """All keys, sorted."""
        return sorted(self._entries)


def last_repeats(entries: Sequence[T]) -> Sequence[T]:
    """The last of very many definitions of one name in one place: each may call all of them, and beyond that the text
    is a table or an accident."""
    return entries[-REPEATS:]


def entry_name(key: tuple[str, str]) -> str:
    """The name under which the facts of a key are kept."""
    return f"{key[0]}:{key[1]}"
