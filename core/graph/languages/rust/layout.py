"""Where Rust files and manifests are in a repository: kept up to date as files come and go.

Inputs it answers: ("rsfile", path)  whether a Rust file exists; ("rscargo", folder)  whether the folder has a
Cargo.toml.
"""

from __future__ import annotations

from core.graph.lookups import Key

INPUTS = frozenset(["rsfile", "rscargo"])


class Layout:
    """The Rust files of one repository; every change returns the inputs whose values may have moved."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, path: str) -> set[Key]:
        """A Rust file or a Cargo.toml appeared."""
        folder, _, name = path.rpartition("/")
        if name == "Cargo.toml":
            self._folders.add(folder)
            return {("rscargo", folder)}
        self._files.add(path)
        return {("rsfile", path)}

    def remove(self, path: str) -> set[Key]:
        """A Rust file or a Cargo.toml went."""
        folder, _, name = path.rpartition("/")
        if name == "Cargo.toml":
            self._folders.discard(folder)
            return {("rscargo", folder)}
        self._files.discard(path)
        return {("rsfile", path)}

    def read(self, key: Key) -> object:
        """The value of one of this layout's inputs."""
        return key[1] in (self._files if key[0] == "rsfile" else self._folders)
