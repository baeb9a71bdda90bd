"""Stage 8: the rows of a run between the process that makes them and the database, in pieces.

In: Arrow tables, each some rows of one database table. Out: the same pieces, by table, as often as asked. Pieces are
packed at once, so no process holds the rows of a run whole: a ``Pile`` keeps those of small runs in memory and those
of large ones in a file without a name beside the database, which is gone when its holder ends, however it ends.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from sqlalchemy import Engine

from core.errors import StorageError

IN_MEMORY = 8 << 20
"""Packed bytes of a run that are kept in memory."""
_LARGE = 16 << 20  # bytes of one piece
# Small pieces are the rule, and waking threads for one costs more than what they would do.
_PACKING = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
_UNPACKING = pa.ipc.IpcReadOptions(use_threads=False)


@dataclass(frozen=True, slots=True)
class Packed:
    """Some rows of the database table ``name``: an Arrow stream, compressed; ``size`` are its bytes unpacked."""

    name: str
    data: Any  # a buffer
    rows: int
    size: int


class Sink(Protocol):
    """Where the pieces of one run go."""

    def put(self, piece: Packed, /) -> None: ...


def pack(name: str, table: pa.Table) -> Packed:
    """The rows as one piece."""
    if table.nbytes > _LARGE:  # written into room for all of it, which costs nothing until it is used
        room = pa.allocate_buffer(table.nbytes + (table.nbytes >> 6) + _LARGE)
        with pa.FixedSizeBufferWriter(room) as fixed:
            _write(fixed, table)
            data = room.slice(0, fixed.tell())
    else:
        with pa.BufferOutputStream() as growing:
            _write(growing, table)
            data = growing.getvalue()
    return Packed(name, data, table.num_rows, table.nbytes)


def _write(out: Any, table: pa.Table) -> None:
    with pa.ipc.new_stream(out, table.schema, options=_PACKING) as writer:
        writer.write_table(table)


def unpack(data: Any) -> pa.Table:
    """The rows of a piece."""
    with pa.ipc.open_stream(data, options=_UNPACKING) as reader:
        return reader.read_all()


class Pile:
    """The pieces of one run, in the order they came; to be closed when they are not needed any more."""

    def __init__(self, folder: Path | None = None, in_memory: int = IN_MEMORY) -> None:
        """``folder`` is where the file would be, None for the system's own place."""
        self._file: Any = io.BytesIO()
        self._limit: int | None = in_memory  # None once they are on disk
        self._places: list[tuple[str, int, int]] = []
        self._folder = folder
        self.rows = self.size = self.packed = 0

    def put(self, piece: Packed, /) -> None:
        """Keep a piece. Raises StorageError where there is no room for it."""
        length = len(piece.data)
        try:
            if self._limit is not None and self.packed + length > self._limit:
                self._to_disk()
            self._file.seek(self.packed)
            self._file.write(piece.data)
        except OSError as error:
            where = self._folder or tempfile.gettempdir()
            raise StorageError(f"{where}: the rows of the run cannot be kept there ({error.strerror})") from error
        self._places.append((piece.name, self.packed, length))
        self.packed += length
        self.rows += piece.rows
        self.size += piece.size

    def _to_disk(self) -> None:
        held, self._file = self._file, tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed by its holder
        self._limit = None
        self._file.write(held.getbuffer())

    def names(self) -> set[str]:
        """The tables that have rows here."""
        return {name for name, _, _ in self._places}

    def pieces(self, name: str) -> Iterator[pa.Table]:
        """The pieces of one table in order, one in memory at a time."""
        for of, at, length in self._places:
            if of == name:
                self._file.seek(at)
                yield unpack(self._file.read(length))

    def close(self) -> None:
        """Let the pieces go, and the file with them."""
        self._file.close()


def piles_beside(engine: Engine) -> Callable[[], Pile]:
    """Makes piles whose files lie in the folder of the database; those of a server in the system's own place."""
    folder = Path(engine.url.database or "").parent if engine.dialect.name == "duckdb" else None
    return lambda: Pile(folder)


@dataclass(frozen=True, slots=True)
class Staged:
    """A run ready to be published."""

    run_id: str
    pile: Pile

    def table(self, name: str) -> pa.Table:
        """All rows of one table, in memory."""
        return pa.concat_tables(self.pile.pieces(name))

    @property
    def rows(self) -> int:
        """Rows in all tables."""
        return self.pile.rows

    @property
    def size(self) -> int:
        """Bytes of all tables, unpacked."""
        return self.pile.size

    def close(self) -> None:
        """Let the rows go."""
        self.pile.close()
