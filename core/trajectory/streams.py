"""Trajectory, the door: a stream of bytes as lines, counted and hashed, through the packing it may have.

In: open binary streams. Out: lines, none longer than ``MAX_LINE``. Packed streams are read up to ``MAX_UNPACKED``
bytes; damage in them is an InputError that names the file. Nothing is opened here.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

import zstandard

from core.errors import InputError
from core.trajectory.json_lines import MAX_LINE

BLOCK = 1 << 18
"""Bytes read at a time: so many are in memory beside the line that is worked on."""
BUFFER = 1 << 20
MAX_UNPACKED = 1 << 31
"""Most bytes that are read out of one packed file."""
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Meter:
    """Counts and hashes the bytes that pass, and says how far along they are."""

    def __init__(self, total: int, progress: Callable[[float], None] | None) -> None:
        self._total, self._progress = total, progress
        self._size, self._told = 0, 0
        self._hash = hashlib.sha256()

    def lines(self, handle: BinaryIO) -> Iterator[bytes]:
        """The lines of ``handle``; one longer than ``MAX_LINE`` is cut there and its rest passed over."""
        parts: list[bytes] = []  # of a line that goes on in the next block
        held = 0
        while block := handle.read(BLOCK):
            self._count(block)
            for line in io.BytesIO(block):
                ended = line.endswith(b"\n")
                if ended and not parts and len(line) <= MAX_LINE:
                    yield line
                    continue
                parts.append(line[: MAX_LINE - held])
                held += len(parts[-1])
                if ended:
                    yield _joined(parts)
                    held = 0
        if parts:
            yield _joined(parts)
        self._hash.update(b"\0end of file\0")

    def row(self, handle: BinaryIO) -> Iterator[bytes]:
        """The next line of ``handle`` alone, cut as ``lines`` does; nothing behind it is read or counted."""
        parts = [handle.readline(MAX_LINE)]
        if parts[0]:
            self._count(parts[0])
            yield _joined(parts)

    def _count(self, data: bytes) -> None:
        self._size += len(data)
        self._hash.update(data)
        if self._progress is not None and self._size - self._told >= BUFFER:
            self._told = self._size
            self._progress(min(1.0, self._size / self._total) if self._total else 1.0)

    @property
    def size(self) -> int:
        """Bytes that passed."""
        return self._size

    @property
    def content_hash(self) -> str:
        """64 hex digits of the bytes that passed and of where each file ended."""
        return self._hash.hexdigest()

    def done(self) -> None:
        """Say that all is read."""
        if self._progress is not None:
            self._progress(1.0)


def _joined(parts: list[bytes]) -> bytes:
    """The line made of ``parts``, which is emptied: whoever takes it is the only one to hold it."""
    line = b"".join(parts)
    parts.clear()
    return line


def is_packed(head: bytes) -> bool:
    """Whether a stream that starts with ``head``, four bytes or more, is packed."""
    return head.startswith((_GZIP, _ZSTD))


def unpacked(handle: BinaryIO, name: str) -> BinaryIO:
    """``handle``, or what is packed in it; told by its first bytes."""
    magic = handle.read(4)
    handle.seek(0)
    if magic.startswith(_GZIP):
        return io.BufferedReader(_Unpacking(gzip.GzipFile(fileobj=handle), handle, name), BUFFER)
    if magic == _ZSTD:
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(handle, read_across_frames=True)
        return io.BufferedReader(_Unpacking(cast(BinaryIO, reader), handle, name), BUFFER)
    return handle


class _Unpacking(io.RawIOBase):
    """A packed file as a stream; damage and too much are InputErrors that name the file."""

    def __init__(self, inner: BinaryIO | gzip.GzipFile, packed: BinaryIO, name: str) -> None:
        self._inner, self._packed, self._name, self._size = inner, packed, name, 0

    def readable(self) -> bool:
        """Always: this is what it is for."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """The next unpacked bytes."""
        try:
            data = self._inner.read(len(buffer))
        except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
            raise InputError(f"{self._name}: packed, but damaged or cut off ({error})") from error
        self._size += len(data)
        if self._size > MAX_UNPACKED:
            raise InputError(f"{self._name}: unpacks to more than {MAX_UNPACKED >> 30} GB")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the packed file too."""
        self._packed.close()
        super().close()


def skip(handle: BinaryIO, count: int) -> None:
    """Go ``count`` bytes on from the start."""
    if handle.seekable():
        handle.seek(count)
        return
    while count > 0 and (piece := handle.read(min(count, BUFFER))):
        count -= len(piece)
