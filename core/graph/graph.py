"""Phi(t) = (V_t, E_t, b_t) of Eq. 5, updated in place per write (stage 3).

In: the texts of a repository, then the texts of each write. Out: symbols, edges and local views, and for each
write exactly the symbols whose view differs. Cost of a write: the written files, and the symbols whose
look-ups moved; never the repository. The graph after any sequence of writes equals the one built from
scratch, with one exception that is meant: a written text with a syntax error keeps the calls and bindings of
the last text of that file that had none (its symbols and their own text are those of the new text).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from core.graph.facts import FactsCache, FileFacts, SymbolFact
from core.graph.languages import language_of, text
from core.graph.languages.linkers import Layout
from core.graph.link import NOTHING, RULES, Linked, split_id, symbol_id
from core.graph.lookups import Key, Lookups
from core.graph.references import find_references
from core.graph.symbols import Delta, Edge, Reference, Symbol, View
from core.options import Options

_ROOTS = frozenset({"symbol"})
_DEPTH = 20_000
_NO_FACTS = FileFacts(language="", symbols=())
_K = TypeVar("_K")


@dataclass(frozen=True, slots=True)
class _File:
    """``shown`` are the facts of the current text; ``linked`` those used for linking (see the module docstring)."""

    shown: FileFacts
    linked: FileFacts


class CodeGraph:
    """The code graph of one repository state, moved from state to state by ``update``."""

    def __init__(
        self,
        files: Mapping[str, str],
        options: Options | None = None,
        facts: FactsCache | None = None,
        flow: bool = False,
    ) -> None:
        """Build from texts by POSIX path. ``flow`` also follows functions passed as arguments (whole program)."""
        self._options = options or Options()
        self._cache = facts if facts is not None else FactsCache()
        self._files: dict[str, _File] = {}
        self._index: dict[str, dict[str, SymbolFact]] = {}  # by path, then qual; made when first asked for
        self._layout = Layout()
        self._names: dict[tuple[str, str], set[tuple[str, str]]] = {}
        self._linked: dict[str, Linked] = {}
        self._callers: dict[str, set[str]] = {}
        self._related: dict[str, set[str]] = {}
        self._marked: set[str] = set()
        self._lookups = Lookups(RULES, self.input)
        with _no_collection(), deep_recursion():
            for path in sorted(files):
                new = self._facts(path, files[path])
                self._replace(path, _File(new, new))
            for path in sorted(self._files):
                for symbol in self._files[path].shown.symbols:
                    if self._counts(symbol.qual):
                        self._commit(symbol_id(path, symbol.qual))

    # -- inputs ---------------------------------------------------------------------------------------

    def _facts(self, path: str, content: str) -> FileFacts:
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

    def input(self, key: Key) -> object:
        """The value of one input of linking (see ``link`` and the languages' linkers)."""
        kind = key[0]
        if kind == "cell":
            file = self._files.get(key[1])
            return file.linked.cells.get(key[2:]) if file is not None else None
        if kind == "scopes":
            file = self._files.get(key[1])
            return file.linked.scopes.get(key[2], ()) if file is not None else ()
        if kind == "names":
            return tuple(sorted(self._names.get((key[1], key[2]), ())))
        if kind == "names?":
            return bool(self._names.get((key[1], key[2])))
        return self._layout.read(key)

    def scopes(self) -> Iterator[tuple[str, str]]:
        """(path, scope) of everything that can call: modules, classes, functions, nested ones, lambdas; sorted."""
        for path, file in sorted(self._files.items()):
            for tag, scope, _ in sorted(k for k in file.linked.cells if k[0] == "scope"):
                assert tag == "scope"
                yield path, scope

    def _replace(self, path: str, new: _File | None) -> set[Key]:
        """Put other facts in the place of a file's; the inputs whose values differ."""
        old = self._files.get(path)
        self._index.pop(path, None)
        keys: set[Key] = set()
        before = old.linked if old is not None else _NO_FACTS
        after = new.linked if new is not None else _NO_FACTS
        if new is not None:
            self._files[path] = new
        elif old is not None:
            del self._files[path]
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
        keys: set[Key] = set()
        for kind, name, scope in before - after:
            self._names[kind, name].discard((path, scope))
            keys |= {("names", kind, name), ("names?", kind, name)}
        for kind, name, scope in after - before:
            self._names.setdefault((kind, name), set()).add((path, scope))
            keys |= {("names", kind, name), ("names?", kind, name)}
        return keys

    # -- updating -------------------------------------------------------------------------------------

    def update(self, changes: Mapping[str, str | None]) -> Delta:
        """Move to the state with these texts (None = deleted) and say which views differ.

        Cost bounded by the written files and what their changes reach. Files with a syntax error are in
        ``Delta.parse_errors``; they never fail the update.
        """
        errors: list[str] = []
        keys: set[Key] = set()
        before: dict[str, View | None] = {}
        touched: set[str] = set()
        for path in sorted(changes):
            content, old = changes[path], self._files.get(path)
            for symbol in self._ids(path):
                before[symbol] = self.view(symbol)
            touched.update(self._ids(path))
            new = None
            if content is not None:
                shown = self._facts(path, content)
                broken = shown.error_line is not None
                if broken:
                    errors.append(path)
                new = _File(shown, old.linked if broken and old is not None else shown)
            keys |= self._replace(path, new)
            touched.update(self._ids(path))
        self._mark(keys)
        with deep_recursion():
            return self._settle(touched, before, tuple(errors))

    def _mark(self, keys: set[Key]) -> None:
        for key in self._lookups.change(keys, _ROOTS):
            self._marked.add(symbol_id(key[1], key[2]))

    def _settle(self, touched: set[str], before: dict[str, View | None], errors: tuple[str, ...]) -> Delta:
        was: dict[str, View | None] = {}
        now: dict[str, View | None] = {}
        lost: set[Edge] = set()
        gained: set[Edge] = set()
        marked, self._marked = self._marked | touched, set()
        for symbol in sorted(marked):
            had = self._linked.get(symbol, NOTHING).edges
            old = before[symbol] if symbol in before else None if symbol in touched else self.view(symbol)
            if self._find(symbol) is not None:
                self._commit(symbol)
            else:
                self._drop(symbol)
            has = self._linked.get(symbol, NOTHING).edges
            if had is not has:
                was_there, is_there = ({_edge_key(e) for e in edges} for edges in (had, has))
                lost.update(e for e in had if _edge_key(e) not in is_there)
                gained.update(e for e in has if _edge_key(e) not in was_there)
            new = self.view(symbol)
            if old != new:
                was[symbol], now[symbol] = old, new
        return Delta(was, now, tuple(sorted(lost, key=_edge_key)), tuple(sorted(gained, key=_edge_key)), errors)

    def _commit(self, symbol: str) -> None:
        """Link a symbol and bring the reverse indexes up to date."""
        path, qual = split_id(symbol)
        try:
            new: Linked = self._lookups.get(("symbol", path, qual))
        except RecursionError:
            new = NOTHING
        old = self._linked.get(symbol, NOTHING)
        if new is old:
            self._linked.setdefault(symbol, new)
            return
        self._linked[symbol] = new
        _move_sources(self._callers, symbol, old.edges, new.edges)
        _move_sources(self._related, symbol, old.relations, new.relations)

    def _drop(self, symbol: str) -> None:
        old = self._linked.pop(symbol, None)
        path, qual = split_id(symbol)
        self._lookups.forget(("symbol", path, qual))
        if old is not None:
            _move_sources(self._callers, symbol, old.edges, ())
            _move_sources(self._related, symbol, old.relations, ())

    # -- symbols --------------------------------------------------------------------------------------

    def _counts(self, qual: str) -> bool:
        return bool(qual) or self._options.module_symbol

    def _ids(self, path: str) -> list[str]:
        file = self._files.get(path)
        return [symbol_id(path, s.qual) for s in file.shown.symbols if self._counts(s.qual)] if file else []

    def paths(self) -> list[str]:
        """The files of this state, sorted."""
        return sorted(self._files)

    def language(self, path: str) -> str:
        """The name of the language a path is read as."""
        return language_of(path).NAME

    def symbols(self, path: str | None = None) -> tuple[Symbol, ...]:
        """The symbols of one file, or of all, sorted by id."""
        paths = [path] if path is not None else self.paths()
        found = [s for p in paths for s in self._symbols_in(p)]
        return tuple(sorted(found, key=lambda s: s.id))

    def _symbols_in(self, path: str) -> list[Symbol]:
        file = self._files.get(path)
        return self._as_symbols(path, file.shown) if file is not None else []

    def _as_symbols(self, path: str, facts: FileFacts) -> list[Symbol]:
        return [_as_symbol(path, s) for s in facts.symbols if self._counts(s.qual)]

    def symbols_in(self, path: str, content: str) -> tuple[Symbol, ...]:
        """The symbols ``content`` would have as the file at ``path``, sorted by id; the state stays as it is."""
        return tuple(sorted(self._as_symbols(path, self._facts(path, content)), key=lambda s: s.id))

    def _find(self, symbol: str) -> str | None:
        """The own-text hash of a symbol of this state, None if there is none."""
        found = self._fact(symbol)
        return found.own_hash if found is not None else None

    def _fact(self, symbol: str) -> SymbolFact | None:
        path, qual = split_id(symbol)
        if path not in self._files or not self._counts(qual):
            return None
        if path not in self._index:
            self._index[path] = {s.qual: s for s in self._files[path].shown.symbols}
        return self._index[path].get(qual)

    def symbol(self, symbol: str) -> Symbol | None:
        """The symbol with this id, or None."""
        found = self._fact(symbol)
        return _as_symbol(split_id(symbol)[0], found) if found is not None else None

    def covering(self, path: str, start: int, end: int) -> tuple[str, ...]:
        """Ids of the symbols of ``path`` with an own line in ``start..end``, sorted."""
        found = self._symbols_in(path)
        return tuple(sorted(s.id for s in found if any(a <= end and b >= start for a, b in s.own)))

    def symbol_at(self, path: str, line: int) -> str | None:
        """The innermost symbol whose extent holds ``line``; the module where there is no other."""
        held = [s for s in self._symbols_in(path) if s.start <= line <= s.end]
        if not held:
            module = symbol_id(path, "")
            return module if self._find(module) is not None else None
        return min(held, key=lambda s: (s.kind == "module", s.end - s.start, s.id)).id

    # -- views and edges ------------------------------------------------------------------------------

    def view(self, symbol: str) -> View | None:
        """The local view lambda_w(v), None if the symbol does not exist."""
        own = self._find(symbol)
        if own is None:
            return None
        linked = self._linked.get(symbol, NOTHING)
        return View(own, linked.calls, linked.uses if self._options.uses else ())

    def callees(self, symbol: str) -> tuple[Edge, ...]:
        """Edges that leave a symbol: call, constructor, property, override; sorted by target and kind."""
        return self._linked.get(symbol, NOTHING).edges

    def callers(self, symbol: str) -> tuple[Edge, ...]:
        """Edges that reach a symbol (an external or builtin id too), sorted by source and kind."""
        sources = sorted(self._callers.get(symbol, ()))
        return tuple(e for s in sources for e in self._linked[s].edges if e.target == symbol)

    def relations(self, symbol: str) -> tuple[Edge, ...]:
        """import, inherits and uses edges that leave or reach a symbol, leaving ones first."""
        sources = sorted(self._related.get(symbol, ()))
        reaching = (e for s in sources for e in self._linked[s].relations if e.target == symbol)
        return (*self._linked.get(symbol, NOTHING).relations, *reaching)

    def bases(self, symbol: str) -> tuple[str, ...]:
        """Ids of the direct bases of a class, external ones included, sorted."""
        found = self._linked.get(symbol, NOTHING).relations
        return tuple(e.target for e in found if e.kind == "inherits")

    def subclasses(self, symbol: str) -> tuple[str, ...]:
        """Ids of the classes that name this class (or external id) as a base, sorted."""
        sources = sorted(self._related.get(symbol, ()))
        return tuple(
            s for s in sources if any(e.kind == "inherits" and e.target == symbol for e in self._linked[s].relations)
        )

    def overrides(self, symbol: str) -> tuple[str, ...]:
        """Ids of the methods of base classes that a method takes the place of, nearest first in the MRO."""
        path, qual = split_id(symbol)
        cls, _, name = qual.rpartition(".")
        if not cls:
            return ()
        with deep_recursion():
            found = self._lookups.get(("overridden", path, cls, name.split("#")[0]))
        return tuple(symbol_id(*target) for target in found)

    def overridden_by(self, symbol: str) -> tuple[str, ...]:
        """Ids of the methods of known subclasses that take the place of a method, sorted."""
        path, qual = split_id(symbol)
        cls, _, name = qual.rpartition(".")
        if not cls:
            return ()
        with deep_recursion():
            found = self._lookups.get(("overrides", path, cls, name.split("#")[0]))
        return tuple(symbol_id(v[1], v[2]) for v in found)

    # -- places ---------------------------------------------------------------------------------------

    def references(self, path: str, content: str) -> tuple[Reference, ...]:
        """The references of ``content`` as if it were the file at ``path``; the state stays as it is.

        One a line and target, sorted by line: calls, imports, bases, module-level bindings read.
        """
        old = self._files.get(path)
        facts = self._facts(path, content)
        self._mark(self._replace(path, _File(facts, facts)))
        try:
            with deep_recursion():
                return find_references(self._lookups, path, facts)
        except RecursionError:
            return ()
        finally:
            self._mark(self._replace(path, old))

    def statement_at(self, path: str, line: int) -> tuple[int, int] | None:
        """The block of module-level statements without a blank line between them that holds ``line``."""
        file = self._files.get(path)
        blocks = file.shown.blocks if file is not None else ()
        return next(((a, b) for a, b in blocks if a <= line <= b), None)

    def binding(self, path: str, name: str) -> tuple[int, int] | None:
        """The lines of the last module-level statement that binds ``name``."""
        file = self._files.get(path)
        return file.shown.bindings.get(name) if file is not None else None

    # -- what is not known ----------------------------------------------------------------------------

    def unresolved(self) -> Mapping[str, int]:
        """Call sites that reach nothing, by path; files without any are absent."""
        found: dict[str, int] = {}
        for symbol in sorted(self._linked):
            count = self._linked[symbol].unresolved
            if count:
                path = split_id(symbol)[0]
                found[path] = found.get(path, 0) + count
        return found

    def weak(self, symbol: str) -> tuple[Edge, ...]:
        """Calls of a symbol on unknown receivers, to every method of that name: no part of E, tier possible."""
        found: list[Edge] = []
        for name in dict.fromkeys(self._linked.get(symbol, NOTHING).weak):
            for path, cls in sorted(self._methods(symbol, name)):
                found.append(Edge(symbol, symbol_id(path, f"{cls}.{name}"), "call", "possible", f"by name {name}"))
        return tuple(found)

    def weak_size(self) -> tuple[int, int]:
        """(call sites on unknown receivers, weak edges) of the whole state."""
        sites = edges = 0
        for symbol, linked in self._linked.items():
            sites += len(linked.weak)
            edges += sum(len(self._methods(symbol, n)) for n in set(linked.weak))
        return sites, edges

    def _methods(self, symbol: str, name: str) -> list[tuple[str, str]]:
        """(path, class) of every method called ``name`` in the language of ``symbol``."""
        language = language_of(split_id(symbol)[0])
        return [m for m in self._names.get(("method", name), ()) if language_of(m[0]) is language]

    def syntax_errors(self) -> Mapping[str, int]:
        """The line of the first syntax error of each file that has one."""
        return {p: f.shown.error_line for p, f in sorted(self._files.items()) if f.shown.error_line is not None}


def _edge_key(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.kind


def _as_symbol(path: str, fact: SymbolFact) -> Symbol:
    parent = symbol_id(path, fact.parent) if fact.parent is not None else None
    return Symbol(
        symbol_id(path, fact.qual), fact.kind, path, fact.name, fact.start, fact.end, fact.own, fact.own_hash,
        fact.signature, parent,
    )  # fmt: skip


def _differing(before: Mapping[_K, object], after: Mapping[_K, object]) -> list[_K]:
    changed = [k for k, v in after.items() if k not in before or before[k] != v]
    return changed + [k for k in before if k not in after]


def _move_sources(index: dict[str, set[str]], source: str, before: tuple[Edge, ...], after: tuple[Edge, ...]) -> None:
    gone = {e.target for e in before}
    came = {e.target for e in after}
    for target in gone - came:
        found = index.get(target)
        if found is not None:
            found.discard(source)
            if not found:
                del index[target]
    for target in came - gone:
        index.setdefault(target, set()).add(source)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No cyclic collection meanwhile: millions of small tuples are made and none of them is garbage."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for long chains of look-ups; pure Python calls use no C stack, and the old limit comes back."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
