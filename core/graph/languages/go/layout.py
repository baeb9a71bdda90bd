"""Where Go packages are in a repository: kept up to date as files come and go.

Inputs it answers: ("gofolder", folder)  the Go files directly in a folder, sorted; ("gomods", "")  the go.mod
files, sorted; ("gotails", name)  the folders with Go files whose last component is ``name``, sorted.
"""

from __future__ import annotations

from core.graph.lookups import Key

INPUTS = frozenset(["gofolder", "gomods", "gotails"])


class Layout:
    """The Go files of one repository; every change returns the inputs whose values may have moved."""

    def __init__(self) -> None:
        self._folders: dict[str, set[str]] = {}
        self._tails: dict[str, set[str]] = {}
        self._modules: set[str] = set()

    def add(self, path: str) -> set[Key]:
        """A Go file or a go.mod appeared."""
        folder, _, name = path.rpartition("/")
        if name == "go.mod":
            self._modules.add(path)
            return {("gomods", "")}
        if not name.endswith(".go"):
            return set()
        self._folders.setdefault(folder, set()).add(path)
        tail = folder.rpartition("/")[2]
        self._tails.setdefault(tail, set()).add(folder)
        return {("gofolder", folder), ("gotails", tail)}

    def remove(self, path: str) -> set[Key]:
        """A Go file or a go.mod went."""
        folder, _, name = path.rpartition("/")
        if name == "go.mod":
            self._modules.discard(path)
            return {("gomods", "")}
        if not name.endswith(".go"):
            return set()
        tail = folder.rpartition("/")[2]
        files = self._folders[folder]
        files.discard(path)
        if not files:
            del self._folders[folder]
            self._tails[tail].discard(folder)
        return {("gofolder", folder), ("gotails", tail)}

    def read(self, key: Key) -> object:
        """The value of one of this layout's inputs."""
        if key[0] == "gofolder":
            return tuple(sorted(self._folders.get(key[1], ())))
        if key[0] == "gotails":
            return tuple(sorted(self._tails.get(key[1], ())))
        return tuple(sorted(self._modules))
