"""The call graph as other tools write it: dotted caller -> dotted callees, nested functions as nodes of their own.

In: a ``CodeGraph``. Out: the ``callgraph`` document of CONTRACT.md. Beyond E_t this follows functions through
arguments (``def run(f): f()``): every call site adds to what a parameter may be, until nothing is added.
That needs the whole program, so it is done here for one state and never per write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from core.graph.facts import Site
from core.graph.graph import CodeGraph, deep_recursion
from core.graph.languages import language_of
from core.graph.languages.javascript import arguments as javascript_arguments
from core.graph.languages.javascript import language as javascript
from core.graph.languages.javascript import typescript
from core.graph.languages.javascript.layout import module_name as javascript_module_name
from core.graph.languages.python import arguments as python_arguments
from core.graph.languages.python import language as python
from core.graph.languages.python.layout import module_name
from core.graph.languages.python.values import NONE, Values
from core.graph.link import RULES
from core.graph.lookups import Key, Lookups

_ROUNDS = 12
_FUNCTIONS = 6  # a parameter that is given more functions than this is not followed,
_LIMIT = 40  # where counting stops
_OBJECTS = 1  # nor one that is given objects of more classes than this: beyond that all call all
_REPEAT = re.compile(r"#\d+$")
_LINKS = frozenset({"links"})
_JAVASCRIPT = frozenset({javascript.NAME, typescript.NAME})
_PASSED: dict[str, Callable[[Lookups, str, str, Site], list[tuple[Key, Values]]]] = {
    python.NAME: python_arguments.arguments_passed,
    javascript.NAME: javascript_arguments.arguments_passed,
    typescript.NAME: javascript_arguments.arguments_passed,
}


def callgraph(graph: CodeGraph, edges: str = "direct") -> dict[str, list[str]]:
    """Callees by caller, both sorted; ``direct`` leaves out override and possible edges, ``all`` keeps them.

    Names are dotted and relative to the root (a leading ``src/`` stripped), repeats without ``#2``; module and
    class bodies are the module; a constructor is the ``__init__`` (``constructor``) the MRO finds.
    """
    flow = _Flow(graph)
    with deep_recursion():
        flow.run()
        found: dict[str, set[str]] = {_dotted(*_split(s.id)): set() for s in graph.symbols() if s.kind != "class"}
        for s in graph.symbols():
            found.setdefault(_dotted(*_split(s.id)), set())
        for path, scope in graph.scopes():
            facts = graph.input(("cell", path, "scope", scope, ""))
            assert isinstance(facts, tuple)
            head, sites = flow.lookups.get(("links", path, scope))
            kind, parent = facts[0], facts[2]
            inside = _caller(graph, path, scope if kind in ("function", "lambda") else "")
            outside = _caller(graph, path, parent)
            for caller, part in ((outside, head), (inside, sites)):
                callees = found.setdefault(caller, set())
                for _, _, links in part:
                    callees.update(_callee(t) for k, t, tier, why in links if _wanted(k, t, tier, why, edges))
    return {caller: sorted(callees) for caller, callees in sorted(found.items())}


def _wanted(kind: str, target: Any, tier: str, why: str, edges: str) -> bool:
    if edges == "direct" and (kind == "override" or tier == "possible"):
        return False
    if kind != "constructor" or isinstance(target, str):
        return True
    return why.startswith(("__init__ of", "constructor of"))


def _caller(graph: CodeGraph, path: str, scope: str) -> str:
    """The node a scope's calls belong to: functions and lambdas themselves, anything else the module."""
    while scope:
        facts = graph.input(("cell", path, "scope", scope, ""))
        if not isinstance(facts, tuple) or facts[0] in ("function", "lambda"):
            break
        scope = facts[2]
    return _dotted(path, scope)


def _callee(target: Any) -> str:
    if isinstance(target, str):
        kind, _, name = target.partition("::")
        return name if kind == "<external>" else f"<builtin>.{name}"
    return _dotted(*target)


def _dotted(path: str, scope: str) -> str:
    parts = [_REPEAT.sub("", p) for p in scope.split(".")] if scope else []
    named = javascript_module_name if language_of(path).NAME in _JAVASCRIPT else module_name
    return ".".join([p for p in (named(path),) if p] + parts) or "__init__"


def _split(symbol: str) -> tuple[str, str]:
    path, _, qual = symbol.rpartition("::")
    return path, "" if qual == "<module>" else qual


class _Flow:
    """What each parameter may be, from all call sites; grows until it stands."""

    def __init__(self, graph: CodeGraph) -> None:
        self.graph = graph
        self.arguments: dict[Key, Values] = {}
        self.lookups = Lookups(RULES, self._read, flow=True)

    def _read(self, key: Key) -> object:
        if key[0] == "argument":
            given = self.arguments.get(key, NONE)
            objects = frozenset(v for v in given if v[0] in "ioscty")
            kept = NONE if len(given - objects) > _FUNCTIONS else given - objects
            return kept if len({v[:3] for v in objects}) > _OBJECTS else kept | objects
        return self.graph.input(key)

    def run(self) -> None:
        """Pass arguments on, round by round, re-reading only the scopes whose look-ups moved."""
        pending = list(self.graph.scopes())
        for _ in range(_ROUNDS):
            moved: set[Key] = set()
            for path, scope in pending:
                self.lookups.get(("links", path, scope))
                for key, values in self._passed(path, scope):
                    old = self.arguments.get(key, NONE)
                    if not values <= old and len(old) <= _LIMIT:
                        self.arguments[key] = old | values
                        moved.add(key)
            if not moved:
                return
            marked = self.lookups.change(moved, _LINKS)
            pending = sorted({(k[1], k[2]) for k in marked})

    def _passed(self, path: str, scope: str) -> list[tuple[Key, Values]]:
        name = language_of(path).NAME
        passed = _PASSED.get(name)
        if passed is None:
            return []
        facts = self.graph.input(("cell", path, "scope", scope, ""))
        assert isinstance(facts, tuple)
        found = python_arguments.decorated_with(self.lookups, path, scope) if name == python.NAME else []
        for part, at in ((facts[4], facts[2]), (facts[3], scope)):
            for site in part:
                found += passed(self.lookups, path, at, site)
        return [(key, frozenset(v for v in values if v[0] != "p")) for key, values in found]
