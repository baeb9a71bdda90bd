"""Stage 8: rows of a run while they are made: one list of tuples a table, and the texts they point to by content hash.

A text is stored once however many rows show it. Pure: no database in here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.content import content_digest
from storage.text import clean

Row = tuple[Any, ...]
PIECE = 10_000  # rows in one piece
TEXTS = 4_000_000  # characters of texts in one piece
Full = Callable[[str, list[Row]], None]


@dataclass(slots=True)
class Rows:
    """Rows by table name (without ``run_id``, which is the same in all), and texts with their tokens by hash.

    ``full`` is given the rows of a table whenever there are ``PIECE`` of them, and takes them away; texts whose tokens
    are known whenever they are ``TEXTS`` long, as rows of ``blobs``. The other texts are left.
    """

    run_id: str
    full: Full | None = None
    tables: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    blobs: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    given: set[bytes] = field(default_factory=set)  # texts that ``full`` took or will take
    waiting: int = 0  # characters of those it will

    def add(self, table: str, *values: Any) -> None:
        """Append one row."""
        rows = self.tables[table]
        rows.append(values)
        if self.full is not None and len(rows) == PIECE:
            self.full(table, self.tables.pop(table))

    def blob(self, text: str | None, tokens: int | None = None) -> str | None:
        """The key under which ``text`` is kept, None for None."""
        if text is None:
            return None
        kept = clean(text)
        digest = content_digest(kept)
        key = digest.hex()
        if self.full is None or tokens is None:
            if digest not in self.given and self.blobs.get(key, (None, None))[1] is None:
                self.blobs[key] = (kept, tokens)
        elif digest not in self.given:
            self.given.add(digest)
            self.blobs.pop(key, None)
            if self.waiting and self.waiting + len(kept) > TEXTS:
                self.flush_texts()
            self.tables["blobs"].append((key, kept, tokens))
            self.waiting += len(kept)
        return key

    def flush_texts(self) -> None:
        """Give ``full`` the texts that wait for it."""
        some = self.tables.pop("blobs", [])
        self.waiting = 0
        if self.full is not None and some:
            self.full("blobs", some)
