"""What call sites hand to parameters, for linking a whole program at once (``callgraph``)."""

from __future__ import annotations

from core.graph.facts import Site
from core.graph.languages.python.calls import Arguments, Values1, call
from core.graph.languages.python.containers import iterated
from core.graph.languages.python.core import cell, ev, known
from core.graph.languages.python.values import Val, Values, is_instance
from core.graph.lookups import Key, Lookups


def arguments_passed(q: Lookups, path: str, scope: str, site: Site) -> list[tuple[Key, Values]]:
    """For whole-program flow: (("argument", path, function, parameter), values) of one call site."""
    e = site.expr
    if e[0] != "call" or site.kind == "dec":  # decorators: see decorated_with
        return []
    given = Arguments(q, path, scope, e[2], e[3])
    found: list[tuple[Key, Values]] = []
    for v in known(q, ev(q, path, scope, e[1])):
        bound = v[0] == "b"
        targets = [v] if v[0] in "fb" else []
        if v[0] in "ct":
            plain, _ = q.get(("member", v[1], v[2], "__init__"))
            targets, bound = [m for m in plain if m[0] == "f"], True
        elif is_instance(v):
            plain, _ = q.get(("member", v[1], v[2], "__call__"))
            targets, bound = [m for m in plain if m[0] == "f"], True
        elif v == ("z", "map"):
            for f in (x for i in range(2) for x in known(q, given.at(i)) if x[0] in "fb"):
                rest = [iterated(q, x) for i in range(2) for x in known(q, given.at(i)) if x[0] not in "fb"]
                facts = cell(q, f[1], "function", f[2])
                if facts is not None and facts.params and rest:
                    found.append((("argument", f[1], f[2], facts.params[0].name), frozenset().union(*rest)))
        for target in targets:
            facts = cell(q, target[1], "function", target[2])
            if facts is None:
                continue
            for p in facts.params:
                values = given.named(facts, p.name, bound)
                if values:
                    found.append((("argument", target[1], target[2], p.name), known(q, values)))
    return found


def decorated_with(q: Lookups, path: str, scope: str) -> list[tuple[Key, Values]]:
    """For whole-program flow: what each decorator of a definition is given."""
    facts = cell(q, path, "function", scope)
    found: list[tuple[Key, Values]] = []
    if facts is None or not facts.decorators:
        return found
    current: Values = frozenset({("f", path, scope)})
    for decorator in reversed(facts.decorators):
        result: set[Val] = set()
        for v in known(q, ev(q, path, facts.parent, decorator)):
            if v[0] not in "fb":
                continue
            inner = cell(q, v[1], "function", v[2])
            if inner is None:
                continue
            plain = [p.name for p in inner.params if p.kind == ""]
            skip = 1 if v[0] == "b" else 0
            if len(plain) > skip:
                found.append((("argument", v[1], v[2], plain[skip]), current))
            result |= call(q, v, Values1(current))
        current = frozenset(x for x in result if x[0] != "p") or current
    return found
