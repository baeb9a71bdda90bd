"""Live, EDGE: which files of the project differ since they were last seen, and their texts.

In: the project's folder, and how its files were last seen (the journal). Out: texts before and after by path. Files
are opened one folder after the other without following links, so nothing outside the project is ever read; nested
repositories, ignored folders and what ``.gitignore`` names are passed over, as are binary and very large files.

Cost: of named files their size; of a whole look one ``lstat`` a file, 8 microseconds.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from dulwich.ignore import IgnoreFilterManager

from core.replay.base import MAX_FILE, decode, is_kept
from core.replay.paths import IGNORED
from storage.live.client import FOLDER
from storage.live.journal import Journal, SeenAs
from storage.live.opened import regular

MOST = 60_000
"""Most files that are looked at."""
Changes = dict[str, tuple[str | None, str | None]]


class Worktree:
    """The project's files as last seen; ``changes`` looks again. What it finds is written by ``seen``."""

    def __init__(self, root: Path, journal: Journal) -> None:
        self._root, self._journal = os.fspath(root), journal
        self._seen: dict[str, SeenAs] = journal.files()
        self._found: dict[str, tuple[SeenAs | None, str | None]] = {}
        self._ignores = _Ignores(self._root)

    @property
    def empty(self) -> bool:
        """Whether nothing was ever seen."""
        return not self._seen

    def changes(self, shown: Iterable[str] | None = None, named: Iterable[str] = ()) -> Changes:
        """Texts (before, after) of the files that differ; None = there is no text.

        Of all files, or only of those ``shown`` and ``named``: an ignored file is the project's once a call names it
        to be written, not because somebody looked at it.
        """
        self._found = {}
        if shown is None:
            now = self._walk()
            now.update((path, self._stat(path)) for path in named if is_kept(path))
        else:
            paths = {path for path in shown if path in self._seen or not self._ignores.path(path)} | set(named)
            now = {path: self._stat(path) for path in sorted(paths) if is_kept(path)}
        if shown is None:
            gone = [path for path in self._seen if path not in now]
            now.update((path, self._stat(path)) for path in gone)
        changes: Changes = {}
        for path in sorted(now):
            if now[path] == self._seen.get(path):
                continue
            before = self._journal.text(path)
            found = self.read(path)
            self._found[path] = found
            if found[1] != before:
                changes[path] = (before, found[1])
        return changes

    def settle(self) -> None:
        """Keep what the last look found, in the journal's open transaction."""
        for path, (seen, text) in sorted(self._found.items()):
            self._journal.saw(path, seen, text)
            if seen is None:
                self._seen.pop(path, None)
            else:
                self._seen[path] = seen
            if path.rpartition("/")[2] == ".gitignore":
                self._ignores = _Ignores(self._root)
        self._found = {}

    def read(self, path: str) -> tuple[SeenAs | None, str | None]:
        """How a file is now and its text; (None, None) if it is not there, is no file or lies behind a link."""
        *folders, name = path.split("/")
        at = -1
        try:
            at = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
            for folder in folders:
                inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            info, data = regular(name, MAX_FILE + 1, at)
        except (OSError, ValueError):
            return None, None
        finally:
            if at >= 0:
                os.close(at)
        return _as(info), decode(data)

    def _stat(self, path: str) -> SeenAs | None:
        try:
            info = os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None
        return _as(info) if stat.S_ISREG(info.st_mode) else None

    def _walk(self) -> dict[str, SeenAs | None]:
        found: dict[str, SeenAs | None] = {}
        left = [""]
        while left and len(found) < MOST:
            inner = left.pop()
            try:
                with os.scandir(f"{self._root}/{inner}" if inner else self._root) as entries:
                    listed = list(entries)
            except OSError:
                continue
            if inner and any(entry.name == ".git" for entry in listed):
                continue  # another repository, or another work tree of this one
            prefix = f"{inner}/" if inner else ""
            for entry in listed:
                if entry.is_dir(follow_symlinks=False):
                    if (
                        entry.name not in IGNORED
                        and entry.name != FOLDER
                        and not self._ignores(f"{prefix}{entry.name}/")
                    ):
                        left.append(prefix + entry.name)
                    continue
                path = prefix + entry.name
                if path not in self._seen and ("\\" in path or self._ignores(path)):
                    continue
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISREG(info.st_mode):
                    found[path] = (info.st_size, info.st_mtime_ns, info.st_ino)
        return found


class _Ignores:
    """What the project's ``.gitignore`` files name; each path is asked once."""

    def __init__(self, root: str) -> None:
        self._known: dict[str, bool] = {}
        self._manager = IgnoreFilterManager(root, [], False)

    def path(self, path: str) -> bool:
        """Whether a file or a folder above it is ignored."""
        parts = path.split("/")
        return any(self("/".join(parts[:n]) + "/") for n in range(1, len(parts))) or self(path)

    def __call__(self, path: str) -> bool:
        found = self._known.get(path)
        if found is None:
            try:
                found = self._manager.is_ignored(path) is True
            except (OSError, ValueError):
                found = False
            self._known[path] = found
        return found


def _as(info: os.stat_result) -> SeenAs:
    return info.st_size, info.st_mtime_ns, info.st_ino
