"""Replay, EDGE: the state a run started from (w_0), read from a folder, an archive or a git repository.

In: a ``SPEC`` of CONTRACT.md given by the user (never a path of a transcript). Out: ``Base``: texts by path, read
when they are asked for. Skipped: ``.git``, ignored folders, symbolic links, files with NUL bytes or over 2 MB.
"""

from __future__ import annotations

import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from core.errors import BaseError
from core.replay.paths import IGNORED
from core.trajectory.steps import Trajectory

MAX_FILE = 2_000_000
MAX_TOTAL = 1_000_000_000
MAX_MEMBERS = 300_000
MAX_PASSED = 20_000_000_000
"""Most bytes of members too large to read that are unpacked to get past them."""
_BROKEN = (
    OSError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError
)  # fmt: skip
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_EMPTY: Mapping[str, str] = MappingProxyType({})


class Files(Mapping[str, str]):
    """Texts by path, read on demand and kept; a file that turns out to be binary is not there."""

    def __init__(self, candidates: Mapping[str, object], load: Callable[[str], bytes | None]) -> None:
        self.candidates: Mapping[str, object] = candidates
        self._load = load
        self._texts: dict[str, str | None] = {}

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = decode(self._load(path)) if path in self.candidates else None
        return self._texts[path]

    def __getitem__(self, path: str) -> str:
        text = self._text(path)
        if text is None:
            raise KeyError(path)
        return text

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and path in self.candidates and self._text(path) is not None

    def __iter__(self) -> Iterator[str]:
        return (path for path in sorted(self.candidates) if self._text(path) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class Base:
    """w_0 as given: ``files`` by path; ``complete`` when a path not in it does not exist.

    ``at`` gives the files of another commit named by the run, None when it is not known; only for git.
    ``matched``/``compared`` count the first-seen files that led ``auto:`` to this commit.
    """

    spec: str
    label: str
    files: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    complete: bool = True
    at: Callable[[str], Mapping[str, str] | None] | None = None
    matched: int = 0
    compared: int = 0


def load_base(spec: str, trajectory: Trajectory) -> Base:
    """The base ``spec`` names; ``trajectory`` is read only by ``auto:``. Raises BaseError saying what to do.

    Cost: listing the paths; texts are read when asked for (an archive is read at once).
    """
    if spec in ("none", ""):
        return Base("none", "the run's own evidence", complete=False)
    kind, colon, rest = spec.partition(":")
    if colon and kind in ("git", "auto"):
        from core.replay import base_git

        return base_git.auto(spec, rest, trajectory) if kind == "auto" else base_git.commit(spec, rest)
    path = Path(spec)
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:  # a name too long, a folder that may not be looked into
        raise BaseError(f"base {spec[:200]!r}: cannot be read ({error.strerror})") from error
    if is_folder:
        return Base(spec, f"folder {path.name or spec}", folder_files(path))
    if not exists:
        raise BaseError(f"base {spec!r}: no such folder or archive; give a folder, an archive, git:PATH@REV or none")
    if spec.lower().endswith(_ARCHIVES):
        return Base(spec, f"archive {path.name}", _archive(path))
    raise BaseError(f"base {spec!r}: not a folder and not an archive ({', '.join(_ARCHIVES)})")


def decode(data: bytes | None) -> str | None:
    """The text of a file, None for a binary one; bytes that are not UTF-8 become U+FFFD."""
    if data is None or len(data) > MAX_FILE or b"\0" in data:
        return None
    return data.decode("utf-8", "replace")


def is_kept(path: str) -> bool:
    """Whether a path of a base is a file of the repository: relative, clean and not in an ignored folder."""
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and not ({"", ".", ".."} | IGNORED) & set(parts) and "\\" not in path


def folder_files(root: Path) -> Files:
    """The files below ``root``; links are neither followed nor listed. Raises BaseError if it cannot be listed."""
    found: dict[str, object] = {}
    try:
        for folder, folders, names in os.walk(root, onerror=_raise):
            inner = os.path.relpath(folder, root).replace(os.sep, "/")
            folders[:] = sorted(name for name in folders if name not in IGNORED)
            for name in names:
                path = name if inner == "." else f"{inner}/{name}"
                info = os.lstat(os.path.join(folder, name))
                if stat.S_ISREG(info.st_mode) and info.st_size <= MAX_FILE and is_kept(path):
                    found[path] = None
    except OSError as error:
        raise BaseError(f"base {root}: cannot be read ({error.strerror})") from error

    def load(path: str) -> bytes | None:
        try:
            handle = os.open(root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(handle, "rb") as file:
                return file.read(MAX_FILE + 1)
        except OSError:
            return None

    return Files(found, load)


def _raise(error: OSError) -> None:
    raise error


def _archive(path: Path) -> Mapping[str, str]:
    try:
        members = dict(_zip(path) if path.suffix.lower() == ".zip" else _tar(path))
    except _BROKEN as error:
        why = (str(error).splitlines() or [type(error).__name__])[0].rstrip(":")
        raise BaseError(f"base {path}: not a readable archive ({why})") from error
    tops = {name.split("/")[0] for name in members}
    if len(tops) == 1 and all("/" in name for name in members):
        members = {name.split("/", 1)[1]: data for name, data in members.items()}
    texts = {name: decode(data) for name, data in sorted(members.items()) if is_kept(name)}
    return {name: text for name, text in texts.items() if text is not None}


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    with zipfile.ZipFile(path) as archive:
        for at, info in enumerate(archive.infolist()):
            is_link = stat.S_ISLNK(info.external_attr >> 16)
            name = _member(info.filename)
            if name is None or info.is_dir() or is_link or info.file_size > MAX_FILE:
                continue
            with archive.open(info) as file:
                data = file.read(MAX_FILE + 1)  # the header's size may lie
            total = _within(path, total + len(data), at)
            yield name, data


def _tar(path: Path) -> Iterator[tuple[str, bytes]]:
    total = passed = 0
    with tarfile.open(path) as archive:
        for at, info in enumerate(archive):
            name = _member(info.name)
            if name is None or not info.isreg() or info.size > MAX_FILE:
                passed += info.size
                _within(path, total if passed <= MAX_PASSED else passed, at)
                continue
            file = archive.extractfile(info)
            data = file.read(MAX_FILE + 1) if file is not None else b""
            total = _within(path, total + len(data), at)
            yield name, data


def _member(name: str) -> str | None:
    """A member's name without ``./``; None for one that leads out of the archive."""
    name = name.removeprefix("./")
    bad = not name or name.startswith("/") or "\\" in name or ":" in name.split("/")[0] or ".." in name.split("/")
    return None if bad else name


def _within(path: Path, total: int, at: int) -> int:
    if total > MAX_TOTAL or at > MAX_MEMBERS:
        raise BaseError(f"base {path}: unpacks to more than {MAX_TOTAL // 10**6} MB or {MAX_MEMBERS} files")
    return total
