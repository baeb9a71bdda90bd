"""What earlier runs left of facts and of whole graphs: the core's side of the warm start (stage 3).

In: a function that fetches entries by name, many at once. Out: facts and graphs read from them, and new entries
for the storage to keep. A missing, broken or foreign entry is a miss; broken ones are counted. Names are
``language:content hash`` for facts and ``graph:hash of all files`` for a whole graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from core.graph.encoding import BadEntry, decode, encode, seal, unseal
from core.graph.facts import FileFacts

T = TypeVar("T")
Fetch = Callable[[Sequence[str]], Mapping[str, bytes]]


class Shelf:
    """Entries fetched for one graph after the other, and those offered since they were last taken."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._entries: Mapping[str, bytes] = {}
        self._offered: dict[str, bytes] = {}
        self._broken: set[str] = set()
        self.found = 0  # entries that were used
        self.rejected = 0  # entries that were none

    def ready(self, names: Iterable[str]) -> None:
        """Fetch these entries, all at once; the ones fetched before are let go, and counting begins again."""
        self._entries, self._broken = self._fetch(sorted(names)), set()
        self.found = self.rejected = 0

    def has(self, name: str) -> bool:
        """Whether there is an entry called ``name``, not known to be broken."""
        return name in self._offered or (name in self._entries and name not in self._broken)

    def facts(self, name: str) -> FileFacts | None:
        """The facts called ``name``; None for a miss."""
        return self._read(name, lambda entry: decode(name, entry))

    def document(self, name: str, read: Callable[[bytes], T]) -> T | None:
        """Any other entry, through ``read``, which raises BadEntry for what is none; None for a miss."""
        return self._read(name, lambda entry: read(unseal(name, entry)))

    def _read(self, name: str, read: Callable[[bytes], T]) -> T | None:
        entry = self._entries.get(name)
        if entry is None or name in self._broken:
            return None
        try:
            found = read(entry)
        except BadEntry:
            self._broken.add(name)
            self.rejected += 1
            return None
        self.found += 1
        return found

    def offer_facts(self, name: str, facts: FileFacts) -> None:
        """Keep facts, where an entry can hold them."""
        try:
            self._offered[name] = encode(name, facts)
        except ValueError:
            return

    def offer(self, name: str, body: bytes) -> None:
        """Keep any other document."""
        self._offered[name] = seal(name, body)

    def take(self) -> dict[str, bytes]:
        """The entries offered since the last call, by name, sorted."""
        offered, self._offered = self._offered, {}
        return dict(sorted(offered.items()))
