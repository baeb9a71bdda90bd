"""Harness: which files mention a name, kept from write to write.

In: the texts of a repository, then those of each write. Out: for a name the files that hold it. A text is read for
its names once, whatever state it stands in (``NamesCache``); a write costs the names of the written file. Files over
``MOST`` characters are left out: they are data, and a mention there tells nobody where to look.
"""

from __future__ import annotations

import hashlib
import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping

from core.trajectory.shell_words import names

MOST = 400_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_NOTHING: frozenset[str] = frozenset()
# Words of languages and of prose that name nothing in a repository.
_COMMON = names(
    """
    and any are args async await bool break but byte bytes can case catch char class code const continue data def
    default defer del dict elif else end err error except export extends false file final finally float for from
    func function get global has have if import impl implements index init int interface into is isinstance item
    items key kwargs lambda len let list main map match may mod module mut name new nil none None not nonlocal null
    object None one only optional package pass private protected pub public raise range return returns self set should
    static str string struct super switch that the then this throw throws to true True False try tuple type typing
    types undefined union use using val value values var void was when where which while will with yield you
    """
)


def names_in(text: str) -> frozenset[str]:
    """The names a text holds, words that name nothing left out."""
    return frozenset(map(sys.intern, set(_NAME.findall(text)) - _COMMON))


class NamesCache:
    """Names by content hash, for the states of a run and for runs over one repository; the newest ``limit`` stay."""

    def __init__(self, limit: int = 40_000) -> None:
        self._entries: dict[bytes, frozenset[str]] = {}
        self._limit = limit

    def names(self, text: str) -> frozenset[str]:
        """``names_in(text)``, worked out once a content."""
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = self._entries.get(key)
        if found is None:
            found = self._entries[key] = names_in(text)
            if len(self._entries) > self._limit:
                del self._entries[next(iter(self._entries))]
        return found


class NameIndex:
    """The files of one state by the names they hold, moved from state to state by ``update``."""

    def __init__(self, texts: Mapping[str, str], cache: NamesCache | None = None) -> None:
        self._cache = cache if cache is not None else NamesCache()
        self._names: dict[str, frozenset[str]] = {}
        self._files: dict[str, set[str]] = {}
        for path in texts:
            self._put(path, texts[path])

    def update(self, changes: Mapping[str, str | None]) -> None:
        """Move to the state with these texts, None = deleted; O(names of the changed files)."""
        for path, text in changes.items():
            for name in self._names.pop(path, _NOTHING):
                files = self._files[name]
                files.discard(path)
                if not files:
                    del self._files[name]
            if text is not None:
                self._put(path, text)

    def _put(self, path: str, text: str) -> None:
        held = self._cache.names(text) if len(text) <= MOST else _NOTHING
        self._names[path] = held
        for name in held:
            self._files.setdefault(name, set()).add(path)

    def __len__(self) -> int:
        return len(self._names)

    def paths(self) -> Collection[str]:
        """The files of the state."""
        return self._names.keys()

    def __contains__(self, path: object) -> bool:
        return path in self._names

    def size(self, path: str) -> int:
        """How many names a file holds, each once."""
        return len(self._names.get(path, _NOTHING))

    def files(self, name: str) -> Collection[str]:
        """The files that hold ``name``, unordered."""
        return self._files.get(name, _NOTHING)

    def weight(self, name: str) -> float:
        """How much a mention of ``name`` says: the logarithm of the share of files without it; 0 if none holds it."""
        files = len(self._files.get(name, _NOTHING))
        return math.log(len(self._names) / files) if files else 0.0

    def weighed(self, names: Iterable[str], most: float = 0.2) -> dict[str, tuple[float, list[str]]]:
        """For each file that holds some of ``names``: the sum of their weights, and they, the weightiest first.

        Names that more than the share ``most`` of all files hold say nothing and are left out.
        """
        found: dict[str, tuple[float, list[str]]] = {}
        limit = most * len(self._names)
        ranked = sorted({n for n in names if n in self._files}, key=lambda n: (len(self._files[n]), n))
        for name in ranked:
            files = self._files[name]
            if len(files) > max(limit, 3):
                break
            weight = self.weight(name)
            for path in files:
                before, held = found.get(path, (0.0, []))
                found[path] = (before + weight, [*held, name] if len(held) < 3 else held)
        return found
