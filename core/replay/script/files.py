"""Replay, script, part 3: the files of a script, kept in memory over what replay holds.

In: paths and modes as the script gives them, a reader of replay's texts. Out: ``Disk.changed``, what the script left.
Text mode as on Linux: line ends are read as ``\\n``; bytes, other encodings and unknown files are ``NotKnown``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from core.replay.script.meter import MAX_SIZE, Meter, NotKnown, Raised

Reader = Callable[[str], "str | Literal[False] | None"]
"""The text of an absolute path, False where nothing stands, None for a folder and where replay does not know."""
MAX_OPENED = 2000


@dataclass(slots=True)
class Disk:
    """The files as the script sees them: ``changed`` (path -> text, None = deleted) over ``reader``."""

    cwd: str
    reader: Reader
    meter: Meter
    changed: dict[str, str | None] = field(default_factory=dict)
    opened: int = 0
    writing: dict[str, Handle] = field(default_factory=dict)  # files whose last words are not in ``changed`` yet

    def absolute(self, path: str) -> str:
        """``path`` as an absolute one."""
        if not path or "\0" in path or path.startswith("~") or len(path) > 4096:
            raise NotKnown("a path that cannot be known")
        return "/" + posixpath.normpath(posixpath.join(self.cwd, path)).lstrip("/")

    def raw(self, path: str) -> str | None:
        """The text of a file as it stands, None where there is none."""
        full = self.absolute(path)
        self._flush(full)
        if full in self.changed:
            text = self.changed[full]
        else:
            held = self.reader(full)
            if held is None:
                raise NotKnown("a file whose text is not known")
            text = None if held is False else held
        self.meter.text(len(text or ""))
        return text

    def read(self, path: str) -> str:
        """The text of a file as ``open(path).read()`` gives it."""
        text = self.raw(path)
        if text is None:
            raise Raised("FileNotFoundError", path)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def put(self, path: str, text: str | None) -> None:
        """The file now holds ``text``, or is gone."""
        size = len(text or "")
        self.meter.text(size)
        full = self.absolute(path)
        self.writing.pop(full, None)
        self.changed[full] = text
        if size and sum(len(t or "") for t in self.changed.values()) > 2 * MAX_SIZE:
            raise NotKnown("the files would grow too large")

    def _flush(self, full: str) -> None:
        file = self.writing.pop(full, None)
        if file is not None:
            self.put(full, file.whole())

    def left(self) -> tuple[tuple[str, str | None], ...]:
        """The files the script changed and what they hold at its end, sorted."""
        for full in list(self.writing):
            self._flush(full)
        return tuple(sorted(self.changed.items()))

    def move(self, source: str, target: str, keep: bool) -> None:
        """``os.rename`` or, with ``keep``, ``shutil.copy``: of one file onto a file's path."""
        text = self.raw(source)
        if text is None:
            raise Raised("FileNotFoundError", source)
        self.raw(target)  # refuses a folder
        self.put(target, text)
        if not keep:
            self.put(source, None)

    def open(self, path: str, mode: str, raw: bool) -> Handle:
        """An open file; ``raw`` keeps line ends (``newline=''``)."""
        self.opened += 1
        plain = mode.replace("t", "")
        if plain not in ("r", "w", "a", "x", "r+") or self.opened > MAX_OPENED:
            raise NotKnown("a way to open files")
        if plain in ("r", "r+"):
            text = self.read(path)
            if raw or plain == "r+":
                text = self.raw(path) or ""
            if plain == "r+" and "\r" in text:
                raise NotKnown("line ends changed in place")
            return Handle(self, path, plain, text)
        existing = self.raw(path) if plain != "w" or self.absolute(path) in self.changed else None
        if plain == "x" and existing is not None:
            raise Raised("FileExistsError", path)
        text = existing or "" if plain == "a" else ""
        self.put(path, text)
        return Handle(self, path, plain, text, len(text))


@dataclass(slots=True, eq=False)
class Handle:
    """An open text file; what is written is in the file at once."""

    disk: Disk
    path: str
    mode: str
    text: str
    at: int = 0
    closed: bool = False
    added: list[str] = field(default_factory=list)  # written since ``text`` was put together

    def whole(self) -> str:
        """The text of the file with all that was written."""
        if self.added:
            self.text += "".join(self.added)
            self.added.clear()
            self.disk.meter.text(len(self.text))
        return self.text

    def read(self, size: int = -1) -> str:
        """The rest of the file, or ``size`` characters of it."""
        self._need("r")
        self.whole()
        end = len(self.text) if size < 0 else min(self.at + size, len(self.text))
        start, self.at = self.at, max(end, self.at)
        self.disk.meter.text(self.at - start)
        return self.text[start : self.at]

    def readline(self) -> str:
        """The next line with its end, "" at the end of the file."""
        self._need("r")
        self.whole()
        end = self.text.find("\n", self.at)
        start, self.at = self.at, len(self.text) if end < 0 else end + 1
        self.disk.meter.text(self.at - start)
        return self.text[start : self.at]

    def readlines(self) -> list[str]:
        """The lines that follow, with their ends."""
        text = self.read()
        lines = text.split("\n")
        self.disk.meter.items(len(lines))
        return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])

    def write(self, text: str) -> int:
        """Puts ``text`` where the file stands."""
        self._need("wax+")
        self.disk.meter.text(len(text))
        if self.mode == "r+" and self.at < len(self.whole()):
            if not (self.text + text).isascii():
                raise NotKnown("bytes overwritten in the middle of a text")
            self.text = self.text[: self.at] + text + self.text[self.at + len(text) :]
        else:
            self.added.append(text)
        self.at += len(text)
        if self.at > MAX_SIZE:
            raise NotKnown("a file would grow too large")
        self.disk.writing[self.disk.absolute(self.path)] = self
        return len(text)

    def seek(self, at: int) -> int:
        """Moves to the start; other places are byte offsets."""
        if self.mode not in ("r", "r+") or at != 0:
            raise NotKnown("a place in a file")
        self.at = 0
        return 0

    def truncate(self, size: int | None = None) -> int:
        """Cuts the file off where it stands."""
        self._need("wax+")
        if size not in (None, 0) or (size == 0 and self.at):
            raise NotKnown("a file cut at a byte")
        self.text = self.whole()[: self.at if size is None else 0]
        self.disk.put(self.path, self.text)
        return len(self.text)

    def close(self) -> None:
        """The file can no longer be used."""
        self.closed = True

    def _need(self, modes: str) -> None:
        if self.closed:
            raise Raised("ValueError", "I/O operation on closed file")
        if not set(self.mode) & set(modes):
            raise Raised("UnsupportedOperation", "not readable or writable")


@dataclass(frozen=True, slots=True)
class PathValue:
    """A ``pathlib.Path``: its text, as the script wrote it."""

    text: str

    def joined(self, other: str) -> PathValue:
        """``self / other``."""
        return PathValue(posixpath.normpath(posixpath.join(self.text, other)) if self.text or other else ".")
