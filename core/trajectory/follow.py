"""Stage 1, EDGE: a run that is still being written, read as it grows.

In: the files of a run. Out: at each ``poll`` the Trajectory so far, when there is something new. Only what was
added since the last poll is read; a last line that is cut off waits for its end. A file that became shorter, or
another one, is read again from its start; new sub-agents' files beside the run are taken along.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import InputError, NotATranscript
from core.trajectory.load import RunFiles, discover, grows, load, load_streams
from core.trajectory.steps import Trajectory

_PIECE = 1 << 20
_PROBE = 1 << 12


@dataclass(slots=True)
class _Grown:
    """One growing file: its whole lines so far, and the bytes of a line that has no end yet."""

    lines: bytearray = field(default_factory=bytearray)
    waiting: bytearray = field(default_factory=bytearray)


class Follower:
    """Follows one run; holds its whole lines in memory, and what was last seen of its files."""

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._grown: dict[Path, _Grown] = {}
        self._seen: tuple[object, ...] = ()
        self._main_seen: tuple[int, int, int] | None = None

    @property
    def path(self) -> Path:
        """The file the run is named after."""
        return self._files.path

    @property
    def waiting(self) -> int:
        """Bytes at the ends of the files that are no whole line yet."""
        return sum(len(grown.waiting) for grown in self._grown.values())

    def poll(self) -> Trajectory | None:
        """The run so far; None if no whole line was added since the last poll, or while there is no step in it.

        Cost: the added bytes are read; all lines so far are parsed. Raises InputError when a file cannot be read
        any more.
        """
        paths = self._paths()
        seen = tuple((str(path), *_stat(path)) for path in paths)
        if seen == self._seen:
            return None
        self._seen = seen
        if self._files.row or not all(grows(path) for path in paths):
            return _so_far(lambda: load(self._files))  # one document, written anew at every change
        added = [self._read(path) for path in paths]
        if not any(added):
            return None
        streams = [(path.name, io.BytesIO(self._grown[path].lines)) for path in paths]
        return _so_far(lambda: load_streams(streams, self._files.main is not None))

    def finish(self) -> Trajectory | None:
        """The whole run as it stands, its last line taken as it is: nothing more will come."""
        self._paths()
        self._grown.clear()
        self._seen = ()
        return _so_far(lambda: load(self._files))

    def _paths(self) -> list[Path]:
        """The files of the run; the sub-agents' files of a session appear while it goes on."""
        if self._files.main is not None and (now := _stat(self._files.main)) != self._main_seen:
            self._main_seen = now
            same = [f for f in discover([self._files.main]) if (f.main, f.row) == (self._files.main, self._files.row)]
            self._files = same[0] if same else self._files
        return [path for path in (self._files.main, *self._files.agents) if path is not None]

    def _read(self, path: Path) -> bool:
        """Take in what was added to a file; whether there is a new whole line."""
        grown = self._grown.setdefault(path, _Grown())
        added = False
        try:
            with path.open("rb") as handle:
                if not _continues(handle, grown):
                    grown = self._grown[path] = _Grown()
                    added = True
                handle.seek(len(grown.lines) + len(grown.waiting))
                while piece := handle.read(_PIECE):
                    end = piece.rfind(b"\n") + 1
                    if end:
                        added = True
                        grown.lines += grown.waiting + piece[:end]
                        grown.waiting = bytearray(piece[end:])
                    else:
                        grown.waiting += piece
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from error
        return added


def _continues(handle: io.BufferedReader, grown: _Grown) -> bool:
    """Whether the open file still begins with what was read of it: its first bytes and the last ones read agree."""
    ends = [(0, grown.lines[:_PROBE]), (max(0, len(grown.lines) - _PROBE), grown.lines[-_PROBE:])]
    ends.append((len(grown.lines), grown.waiting[:_PROBE]))
    for at, known in ends:
        handle.seek(at)
        if handle.read(len(known)) != known:
            return False
    return True


def _stat(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    return found.st_ino, found.st_size, found.st_mtime_ns


def _so_far(read: Callable[[], Trajectory]) -> Trajectory | None:
    try:
        return read()
    except NotATranscript:  # only its first lines are there
        return None
