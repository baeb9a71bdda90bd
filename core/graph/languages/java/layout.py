"""Where Java files are in a repository: nothing to know, a package is what files say in their package declarations.

Answers no inputs: types are found by their whole names through the sets that facts fill ("jtype"), so source
roots and modules of a build need no configuration.
"""

from __future__ import annotations

from core.graph.lookups import Key

INPUTS: frozenset[str] = frozenset()


class Layout:
    """The Java files of one repository; no change moves an input."""

    def add(self, path: str) -> set[Key]:
        """A Java file appeared."""
        return set()

    def remove(self, path: str) -> set[Key]:
        """A Java file went."""
        return set()

    def read(self, key: Key) -> object:
        """There is no input of this layout."""
        raise KeyError(key)
