"""The files of one repository state, and what linking reads of them (stage 3): the inputs of all look-ups.

In: texts by path, then the facts that take the place of a file's. Out: values of inputs, and for each
replacement the inputs whose values moved. Facts of the first texts are read when they are first asked for: a
graph that starts from a picture of itself (``picture``) never needs most of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.graph.facts import FactsCache, FileFacts, SymbolFact
from core.graph.languages import language_of, text
from core.graph.languages.linkers import Layout
from core.graph.lookups import Key

Names = dict[tuple[str, str], set[tuple[str, str]]]  # (set, name) -> (path, scope)s
_NO_FACTS = FileFacts(language="", symbols=())
_K = TypeVar("_K")


@dataclass(frozen=True, slots=True)
class File:
    """``shown`` are the facts of the current text; ``linked`` those used for linking: of the last text without a
    syntax error."""

    shown: FileFacts
    linked: FileFacts


class Sources:
    """Files by path, the repository-wide sets of names, and where the modules of each language are."""

    def __init__(self, cache: FactsCache) -> None:
        self._cache = cache
        self._files: dict[str, File] = {}
        self._unread: dict[str, str] = {}
        self._errors: dict[str, int] = {}  # of the first texts
        self._index: dict[str, dict[str, SymbolFact]] = {}  # by path, then qual; made when first asked for
        self._layout = Layout()
        self.names: Names = {}

    def begin(self, texts: Mapping[str, str], names: Names, errors: Mapping[str, int]) -> None:
        """Take texts whose ``names`` and syntax errors are known already; their facts are read when asked for."""
        self._unread = dict(texts)
        self.names, self._errors = names, dict(errors)
        for path in sorted(texts):
            if language_of(path) is not text:
                self._layout.add(path)

    def facts(self, path: str, content: str) -> FileFacts:
        """The facts of ``content`` as the language of ``path``; a text nested too deeply is plain text."""
        language = language_of(path)
        key = FactsCache.key(language.NAME, content)
        found = self._cache.get(key)
        if found is None:
            try:
                found = language.facts(content)
            except RecursionError:
                found = text.facts(content)
            self._cache.put(key, found)
        return found

    # -- reading --------------------------------------------------------------------------------------

    def paths(self) -> list[str]:
        """The paths of this state, sorted."""
        return sorted([*self._files, *self._unread])

    def file(self, path: str) -> File | None:
        """The file at ``path``, None if there is none."""
        found = self._files.get(path)
        if found is None and path in self._unread:
            facts = self.facts(path, self._unread.pop(path))
            found = self._files[path] = File(facts, facts)
        return found

    def shown(self, path: str) -> FileFacts:
        """The facts of the current text of ``path``; empty ones where there is no file."""
        found = self.file(path)
        return found.shown if found is not None else _NO_FACTS

    def error_line(self, path: str) -> int | None:
        """The line of the first syntax error of the current text of ``path``."""
        return self._errors.get(path) if path in self._unread else self.shown(path).error_line

    def symbol(self, path: str, qual: str) -> SymbolFact | None:
        """One symbol of the current text of ``path``."""
        index = self._index.get(path)
        if index is None:
            index = self._index[path] = {s.qual: s for s in self.shown(path).symbols}
        return index.get(qual)

    def input(self, key: Key) -> object:
        """The value of one input of linking (see ``link`` and the languages' linkers)."""
        kind = key[0]
        if kind == "cell":
            file = self._files.get(key[1]) or self.file(key[1])
            return file.linked.cells.get(key[2:]) if file is not None else None
        if kind == "scopes":
            file = self.file(key[1])
            return file.linked.scopes.get(key[2], ()) if file is not None else ()
        if kind == "names":
            return tuple(sorted(self.names.get((key[1], key[2]), ())))
        if kind == "names?":
            return bool(self.names.get((key[1], key[2])))
        return self._layout.read(key)

    def scopes(self) -> Iterator[tuple[str, str]]:
        """(path, scope) of everything that can call: modules, classes, functions, nested ones, lambdas; sorted."""
        for path in self.paths():
            file = self.file(path)
            assert file is not None
            for _, scope, _ in sorted(k for k in file.linked.cells if k[0] == "scope"):
                yield path, scope

    # -- writing --------------------------------------------------------------------------------------

    def replace(self, path: str, new: File | None) -> set[Key]:
        """Put ``new`` (None: nothing) in the place of a file; the inputs whose values differ."""
        old = self.file(path)
        self._index.pop(path, None)
        before = old.linked if old is not None else _NO_FACTS
        after = new.linked if new is not None else _NO_FACTS
        if new is not None:
            self._files[path] = new
        elif old is not None:
            del self._files[path]
        keys: set[Key] = set()
        if before is after:
            return keys
        for key in _differing(before.cells, after.cells):
            keys.add(("cell", path, *key))
        for qual in _differing(before.scopes, after.scopes):
            keys.add(("scopes", path, qual))
        keys |= self._rename(path, before.names, after.names)
        if language_of(path) is not text and (old is None) != (new is None):
            keys |= self._layout.add(path) if new is not None else self._layout.remove(path)
        return keys

    def _rename(
        self, path: str, before: frozenset[tuple[str, str, str]], after: frozenset[tuple[str, str, str]]
    ) -> set[Key]:
        gone, come = before - after, after - before
        moved = {(kind, name) for kind, name, _ in gone | come}
        there = {at for at in moved if self.names.get(at)}
        for kind, name, scope in gone:
            self.names[kind, name].discard((path, scope))
        for kind, name, scope in come:
            self.names.setdefault((kind, name), set()).add((path, scope))
        keys: set[Key] = {("names", *at) for at in moved}
        keys |= {("names?", *at) for at in moved if bool(self.names.get(at)) != (at in there)}
        return keys


def _differing(before: Mapping[_K, object], after: Mapping[_K, object]) -> list[_K]:
    changed = [k for k, v in after.items() if k not in before or before[k] != v]
    return changed + [k for k in before if k not in after]
