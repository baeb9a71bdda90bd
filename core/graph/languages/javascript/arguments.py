"""What call sites hand to parameters, for linking a whole program at once (``callgraph``)."""

from __future__ import annotations

from typing import Any

from core.graph.facts import Site
from core.graph.languages.javascript.calls import Bare, Given, shifted
from core.graph.languages.javascript.core import cell, ev, known
from core.graph.languages.javascript.members import bases_of
from core.graph.languages.javascript.objects import iterated
from core.graph.languages.javascript.values import NONE, Val, Values, collection, join
from core.graph.lookups import Key, Lookups

Passed = list[tuple[Key, Values]]


def arguments_passed(q: Lookups, path: str, scope: str, site: Site) -> Passed:
    """(("argument", path, function, parameter), values) of one call site."""
    if site.kind not in ("call", "new", "super", "jsx"):
        return []
    e = site.expr
    given: Any = Given(q, path, scope, e[2])
    found: Passed = []
    if site.kind == "super":
        for b in bases_of(q, path, e[1]):
            _construct(q, b, given, found)
        return found
    for v in known(q, ev(q, path, scope, e[1])):
        if site.kind == "new":
            _construct(q, v, given, found)
        else:
            _call(q, v, given, found)
    return found


def _construct(q: Lookups, v: Val, given: Any, found: Passed) -> None:
    if v[0] in "cft":
        plain, _, _ = q.get(("jsmember", v[1], v[2], "constructor", False))
        for m in plain | ({v} if v[0] == "f" else NONE):
            _give(q, m, given, found)


def _call(q: Lookups, v: Val, given: Any, found: Passed) -> None:
    if v[0] == "f":
        _give(q, v, given, found)
    elif v[0] == "h" and v[2] != "bind":
        _call(q, v[1], shifted(given, v[2]), found)
    elif v[0] == "b":
        last = v[1].rpartition(".")[2]
        for f in known(q, given.at(0)):
            reduced = (given.at(1), v[2]) if last.startswith("reduce") else (v[2],)
            _give(q, f, Bare(None, *(known(q, x) for x in reduced)), found)
    elif v == ("z", "Array.from"):
        held = join(iterated(q, x) for x in known(q, given.at(0)))
        for f in known(q, given.at(1)):
            _give(q, f, Bare(None, held), found)


def _give(q: Lookups, f: Val, given: Any, found: Passed) -> None:
    facts = cell(q, f[1], "func", f[2]) if f[0] == "f" else None
    if facts is None:
        return
    for i, p in enumerate(facts.params):
        if p.rest:
            values = frozenset({collection("Array", known(q, given.rest(i)))})
        elif given.has(i):
            values = known(q, given.at(i))
        else:
            values = known(q, ev(q, f[1], f[2], p.default))
        if values:
            found.append((("argument", f[1], f[2], i), values))
