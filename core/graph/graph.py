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

from core.graph import picture
from core.graph.edges import Edges
from core.graph.facts import FactsCache, FileFacts, SymbolFact, entry_name
from core.graph.languages import language_of
from core.graph.link import NOTHING, RULES, Linked, split_id, symbol_id
from core.graph.lookups import Key, Lookups
from core.graph.references import find_references
from core.graph.shelf import Shelf
from core.graph.sources import File, Sources
from core.graph.symbols import Delta, Edge, Reference, Symbol, View
from core.options import Options

_ROOTS = frozenset({"symbol"})
_DEPTH = 20_000


class CodeGraph:
    """The code graph of one repository state, moved from state to state by ``update``."""

    def __init__(
        self, files: Mapping[str, str], options: Options | None = None, facts: FactsCache | None = None
    ) -> None:
        """Build from texts by POSIX path.

        Where ``facts`` has a shelf, a graph of exactly these files is taken from there and facts of these files
        are; what was not there is offered to it.
        """
        self._options = options or Options()
        cache = facts if facts is not None else FactsCache()
        self._sources = Sources(cache)
        self._edges = Edges()
        self._marked: set[str] = set()
        self._lookups = Lookups(RULES, self._sources.input)
        self._readers: picture.Readers | None = None
        with _no_collection(), deep_recursion():
            if cache.shelf is None or not files:
                self._link(files)
            else:
                self._start(dict(files), cache, cache.shelf)

    def _start(self, texts: Mapping[str, str], cache: FactsCache, shelf: Shelf) -> None:
        """Take from the shelf what is there, build the rest, offer it."""
        keys = {path: FactsCache.key(language_of(path).NAME, text) for path, text in texts.items()}
        name = picture.picture_name(keys, self._options.module_symbol)
        shelf.ready({name, *map(entry_name, keys.values())})
        found = shelf.document(name, picture.view)
        if found is not None:
            self._sources.begin(texts, found.names, found.errors)
            self._edges.begin(found.linked)
            self._readers = found.readers
            return
        self._link(texts)
        for key in sorted(set(keys.values())):
            known = cache.get(key)
            if known is not None and not shelf.has(entry_name(key)):
                shelf.offer_facts(entry_name(key), known)
        drawn = picture.draw(self._edges.linked, self._sources.names, self.syntax_errors(), self._lookups)
        if drawn is not None:
            shelf.offer(name, drawn)

    def _link(self, files: Mapping[str, str]) -> None:
        sources = self._sources
        for path in sorted(files):
            new = sources.facts(path, files[path])
            sources.replace(path, File(new, new))
        for path in sources.paths():
            for symbol in self._ids(path):
                self._commit(symbol)

    def input(self, key: Key) -> object:
        """The value of one input of linking (see ``link`` and the languages' linkers)."""
        return self._sources.input(key)

    def scopes(self) -> Iterator[tuple[str, str]]:
        """(path, scope) of everything that can call: modules, classes, functions, nested ones, lambdas; sorted."""
        return self._sources.scopes()

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
        sources = self._sources
        for path in sorted(changes):
            content, old = changes[path], sources.file(path)
            for symbol in self._ids(path):
                before[symbol] = self.view(symbol)
            touched.update(self._ids(path))
            new = None
            if content is not None:
                shown = sources.facts(path, content)
                broken = shown.error_line is not None
                if broken:
                    errors.append(path)
                new = File(shown, old.linked if broken and old is not None else shown)
            keys |= sources.replace(path, new)
            touched.update(self._ids(path))
        self._mark(keys)
        with deep_recursion():
            return self._settle(touched, before, tuple(errors))

    def _mark(self, keys: set[Key]) -> None:
        for key in self._lookups.change(keys, _ROOTS):
            self._marked.add(symbol_id(key[1], key[2]))
        if self._readers is not None:
            self._marked |= self._readers.of(keys)

    def _settle(self, touched: set[str], before: dict[str, View | None], errors: tuple[str, ...]) -> Delta:
        was: dict[str, View | None] = {}
        now: dict[str, View | None] = {}
        lost: set[Edge] = set()
        gained: set[Edge] = set()
        marked, self._marked = self._marked | touched, set()
        for symbol in sorted(marked):
            had = self._edges.of(symbol).edges
            old = before[symbol] if symbol in before else None if symbol in touched else self.view(symbol)
            if self._find(symbol) is not None:
                self._commit(symbol)
            else:
                self._edges.drop(symbol)
                self._lookups.forget(("symbol", *split_id(symbol)))
            has = self._edges.of(symbol).edges
            if had is not has:
                was_there, is_there = ({_edge_key(e) for e in edges} for edges in (had, has))
                lost.update(e for e in had if _edge_key(e) not in is_there)
                gained.update(e for e in has if _edge_key(e) not in was_there)
            new = self.view(symbol)
            if old != new:
                was[symbol], now[symbol] = old, new
        return Delta(was, now, tuple(sorted(lost, key=_edge_key)), tuple(sorted(gained, key=_edge_key)), errors)

    def _commit(self, symbol: str) -> None:
        """Link a symbol."""
        try:
            new: Linked = self._lookups.get(("symbol", *split_id(symbol)))
        except RecursionError:
            new = NOTHING
        old = self._edges.of(symbol)
        self._edges.put(symbol, old if new == old else new)

    # -- symbols --------------------------------------------------------------------------------------

    def _counts(self, qual: str) -> bool:
        return bool(qual) or self._options.module_symbol

    def _ids(self, path: str) -> list[str]:
        return [symbol_id(path, s.qual) for s in self._sources.shown(path).symbols if self._counts(s.qual)]

    def paths(self) -> list[str]:
        """The files of this state, sorted."""
        return self._sources.paths()

    def language(self, path: str) -> str:
        """The name of the language a path is read as."""
        return language_of(path).NAME

    def symbols(self, path: str | None = None) -> tuple[Symbol, ...]:
        """The symbols of one file, or of all, sorted by id."""
        paths = [path] if path is not None else self.paths()
        found = [s for p in paths for s in self._symbols_in(p)]
        return tuple(sorted(found, key=lambda s: s.id))

    def _symbols_in(self, path: str) -> list[Symbol]:
        return self._as_symbols(path, self._sources.shown(path))

    def _as_symbols(self, path: str, facts: FileFacts) -> list[Symbol]:
        return [_as_symbol(path, s) for s in facts.symbols if self._counts(s.qual)]

    def symbols_in(self, path: str, content: str) -> tuple[Symbol, ...]:
        """The symbols ``content`` would have as the file at ``path``, sorted by id; the state stays as it is."""
        return tuple(sorted(self._as_symbols(path, self._sources.facts(path, content)), key=lambda s: s.id))

    def _find(self, symbol: str) -> str | None:
        """The own-text hash of a symbol of this state, None if there is none."""
        found = self._fact(symbol)
        return found.own_hash if found is not None else None

    def _fact(self, symbol: str) -> SymbolFact | None:
        path, qual = split_id(symbol)
        return self._sources.symbol(path, qual) if self._counts(qual) else None

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
        linked = self._edges.of(symbol)
        return View(own, linked.calls, linked.uses if self._options.uses else ())

    def callees(self, symbol: str) -> tuple[Edge, ...]:
        """Edges that leave a symbol: call, constructor, property, override; sorted by target and kind."""
        return self._edges.of(symbol).edges

    def callers(self, symbol: str) -> tuple[Edge, ...]:
        """Edges that reach a symbol (an external or builtin id too), sorted by source and kind."""
        return self._edges.callers(symbol)

    def relations(self, symbol: str) -> tuple[Edge, ...]:
        """import, inherits and uses edges that leave or reach a symbol, leaving ones first."""
        return self._edges.relations(symbol)

    def bases(self, symbol: str) -> tuple[str, ...]:
        """Ids of the direct bases of a class, external ones included, sorted."""
        return self._edges.bases(symbol)

    def subclasses(self, symbol: str) -> tuple[str, ...]:
        """Ids of the classes that name this class (or external id) as a base, sorted."""
        return self._edges.subclasses(symbol)

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
        old = self._sources.file(path)
        facts = self._sources.facts(path, content)
        self._mark(self._sources.replace(path, File(facts, facts)))
        try:
            with deep_recursion():
                return find_references(self._lookups, path, facts)
        except RecursionError:
            return ()
        finally:
            self._mark(self._sources.replace(path, old))

    def statement_at(self, path: str, line: int) -> tuple[int, int] | None:
        """The block of module-level statements without a blank line between them that holds ``line``."""
        return next(((a, b) for a, b in self._sources.shown(path).blocks if a <= line <= b), None)

    def binding(self, path: str, name: str) -> tuple[int, int] | None:
        """The lines of the last module-level statement that binds ``name``."""
        return self._sources.shown(path).bindings.get(name)

    def size(self) -> tuple[int, int]:
        """(symbols, edges) of the whole state, counted without reading a file again."""
        return self._edges.size()

    # -- what is not known ----------------------------------------------------------------------------

    def unresolved(self) -> Mapping[str, int]:
        """Call sites that reach nothing, by path; files without any are absent."""
        return self._edges.unresolved()

    def call_sites(self) -> Mapping[str, int]:
        """All call sites, by path; files without any are absent."""
        return self._edges.sites()

    def weak(self, symbol: str) -> tuple[Edge, ...]:
        """Calls of a symbol on unknown receivers, to every method of that name: no part of E, tier possible."""
        found: list[Edge] = []
        for name in dict.fromkeys(self._edges.of(symbol).weak):
            for path, cls in sorted(self._methods(symbol, name)):
                found.append(Edge(symbol, symbol_id(path, f"{cls}.{name}"), "call", "possible", f"by name {name}"))
        return tuple(found)

    def weak_size(self) -> tuple[int, int]:
        """(call sites on unknown receivers, weak edges) of the whole state."""
        sites = edges = 0
        for symbol, linked in self._edges.linked.items():
            sites += len(linked.weak)
            edges += sum(len(self._methods(symbol, n)) for n in set(linked.weak))
        return sites, edges

    def _methods(self, symbol: str, name: str) -> list[tuple[str, str]]:
        """(path, class) of every method called ``name`` in the language of ``symbol``."""
        language = language_of(split_id(symbol)[0])
        return [m for m in self._sources.names.get(("method", name), ()) if language_of(m[0]) is language]

    def syntax_errors(self) -> Mapping[str, int]:
        """The line of the first syntax error of each file that has one."""
        lines = ((path, self._sources.error_line(path)) for path in self.paths())
        return {path: line for path, line in lines if line is not None}


def _edge_key(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.kind


def _as_symbol(path: str, fact: SymbolFact) -> Symbol:
    parent = symbol_id(path, fact.parent) if fact.parent is not None else None
    return Symbol(
        symbol_id(path, fact.qual), fact.kind, path, fact.name, fact.start, fact.end, fact.own, fact.own_hash,
        fact.signature, parent,
    )  # fmt: skip


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
