"""Replay: the repository at one moment, as an immutable overlay over the base (w_t, section 3.2).

In: a base mapping and changes. Out: a new ``Tree`` for each change; older ones stay valid, so that a stash, a
commit or an index is just a tree that was kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_LAYER = 64  # a top layer this large is folded into the one below: a change copies few entries


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Files by path over ``base``: a changed path holds its text, or None where it does not exist."""

    base: Mapping[str, str]
    _lower: Mapping[str, str | None] = field(default_factory=dict)
    _upper: Mapping[str, str | None] = field(default_factory=dict)

    def get(self, path: str) -> str | None:
        """The text of ``path``, None when it does not exist (or the base does not know it); O(1)."""
        for layer in (self._upper, self._lower):
            if path in layer:
                return layer[path]
        return self.base.get(path)

    def touched(self, path: str) -> bool:
        """Whether the overlay says something about ``path``, be it that it does not exist."""
        return path in self._upper or path in self._lower

    def with_text(self, path: str, text: str) -> Tree:
        """This tree with ``path`` holding ``text``; amortised O(changes / 64)."""
        return self._with(path, text)

    def without(self, path: str) -> Tree:
        """This tree without ``path``."""
        return self._with(path, None)

    def _with(self, path: str, text: str | None) -> Tree:
        upper = {**self._upper, path: text}
        if len(upper) <= _LAYER:
            return Tree(self.base, self._lower, upper)
        return Tree(self.base, {**self._lower, **upper}, {})

    def changes(self) -> dict[str, str | None]:
        """Every path the overlay speaks about, with its text or None."""
        return {**self._lower, **self._upper}

    def paths(self) -> Iterator[str]:
        """The paths that exist, unordered; O(files)."""
        changed = self.changes()
        yield from (path for path, text in changed.items() if text is not None)
        yield from (path for path in names(self.base) if path not in changed)


def names(files: Mapping[str, str]) -> Iterator[str]:
    """The paths of a mapping of files, without reading the files where they are read on demand."""
    candidates = getattr(files, "candidates", None)
    yield from candidates if candidates is not None else files
