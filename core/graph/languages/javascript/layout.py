"""Where JavaScript and TypeScript modules are in a repository: kept up to date as files come and go.

Inputs it answers: ("jsfile", stem)  the files whose path without its extension is ``stem``, best first;
("jspackages", "")  the package.json files, sorted.
"""

from __future__ import annotations

from core.graph.lookups import Key

INPUTS = frozenset(["jsfile", "jspackages"])
ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_DECLARED = (".d.ts", ".d.mts", ".d.cts")


def split(path: str) -> tuple[str, str]:
    """(stem, extension) of a path; extension "" when it is none of a module."""
    for ending in (*_DECLARED, *ENDINGS):
        if path.endswith(ending):
            return path[: -len(ending)], ending
    return path, ""


def module_name(path: str) -> str:
    """The dotted name of a file relative to the root, a leading ``src/`` stripped; ``index`` is its folder."""
    stem = split(path)[0].removeprefix("src/")
    return ("" if stem == "index" else stem.removesuffix("/index")).replace("/", ".")


def _rank(path: str) -> tuple[int, str]:
    ending = split(path)[1]
    return (ENDINGS.index(ending) if ending in ENDINGS else len(ENDINGS)), path


class Layout:
    """The modules of one repository; every change returns the inputs whose values may have moved."""

    def __init__(self) -> None:
        self._files: dict[str, set[str]] = {}
        self._packages: set[str] = set()

    def add(self, path: str) -> set[Key]:
        """A module or a configuration file appeared."""
        if path.rpartition("/")[2] == "package.json":
            self._packages.add(path)
            return {("jspackages", "")}
        stem, ending = split(path)
        if not ending:
            return set()
        self._files.setdefault(stem, set()).add(path)
        return {("jsfile", stem)}

    def remove(self, path: str) -> set[Key]:
        """A module or a configuration file went."""
        if path.rpartition("/")[2] == "package.json":
            self._packages.discard(path)
            return {("jspackages", "")}
        stem, ending = split(path)
        if not ending:
            return set()
        self._files[stem].discard(path)
        if not self._files[stem]:
            del self._files[stem]
        return {("jsfile", stem)}

    def read(self, key: Key) -> object:
        """The value of one of this layout's inputs."""
        if key[0] == "jsfile":
            return tuple(sorted(self._files.get(key[1], ()), key=_rank))
        return tuple(sorted(self._packages))
