"""Where Python modules are in a repository: kept up to date as files come and go.

Inputs it answers: ("file", base)  the module or namespace package at a path without extension;
("init", folder)  whether a folder is a regular package; ("tops", name)  folders that hold a top package.
"""

from __future__ import annotations

from core.graph.lookups import Key

INPUTS = frozenset(["file", "init", "tops"])
_RANK = {".py": 0, ".pyi": 1, ".pyw": 2}


class Layout:
    """The Python files of one repository; every change returns the inputs whose values may have moved."""

    def __init__(self) -> None:
        self._modules: dict[str, set[str]] = {}
        self._folders: dict[str, int] = {}
        self._packages: dict[str, int] = {}
        self._tops: dict[str, set[str]] = {}

    def add(self, path: str) -> set[Key]:
        """A Python file appeared."""
        return self._move(path, 1)

    def remove(self, path: str) -> set[Key]:
        """A Python file went."""
        return self._move(path, -1)

    def _move(self, path: str, step: int) -> set[Key]:
        base = _base(path)
        keys: set[Key] = {("file", base)}
        known = self._modules.setdefault(base, set())
        (known.add if step > 0 else known.discard)(path)
        folder = path
        while "/" in folder:
            folder = folder.rsplit("/", 1)[0]
            before = self._folders.get(folder, 0)
            self._folders[folder] = before + step
            if not before or not before + step:
                keys.add(("file", folder))
        if path.rsplit("/", 1)[-1].startswith("__init__.") and "/" in path:
            package = path.rsplit("/", 1)[0]
            self._packages[package] = self._packages.get(package, 0) + step
            above, _, name = package.rpartition("/")
            holders = self._tops.setdefault(name, set())
            (holders.add if self._packages[package] > 0 else holders.discard)(above)
            keys |= {("init", package), ("tops", name)}
        return keys

    def read(self, key: Key) -> object:
        """The value of one of this layout's inputs."""
        kind, name = key
        if kind == "file":
            paths = self._modules.get(name)
            if paths:
                return (
                    "m",
                    min(paths, key=lambda p: ("__init__." not in p, _RANK.get("." + p.rsplit(".", 1)[-1], 9), p)),
                )
            return ("n", name) if self._folders.get(name, 0) > 0 else None
        if kind == "init":
            return self._packages.get(name, 0) > 0
        tops = sorted(t for t in self._tops.get(name, ()) if self._packages.get(t, 0) <= 0)
        return tuple(tops)


def _base(path: str) -> str:
    stem = path.rsplit(".", 1)[0]
    if stem == "__init__":
        return ""
    return stem[: -len("/__init__")] if stem.endswith("/__init__") else stem


def module_name(path: str) -> str:
    """The dotted name of a file relative to the root, a leading ``src/`` stripped; ``__init__`` is the package."""
    base = _base(path)
    if base.startswith("src/"):
        base = base[len("src/") :]
    return base.replace("/", ".")
