"""Reading cells and evaluating expressions: the entry points every rule of the JavaScript linker uses.

``FORMS`` maps an expression's first element to its evaluator; ``evaluate`` fills it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.javascript.values import NONE, Values, join
from core.graph.lookups import Lookups

FORMS: dict[str, Callable[[Lookups, str, str, Expr], Values]] = {}


def cell(q: Lookups, path: str, tag: str, scope: str, name: str = "") -> Any:
    """One cell of a file's facts, None if there is none (also a dependency)."""
    return q.input(("cell", path, tag, scope, name))


def ev(q: Lookups, path: str, scope: str, e: Expr | None) -> Values:
    """The values of expression ``e`` read in ``scope`` of ``path``."""
    if e is None:
        return NONE
    form = FORMS.get(e[0])
    return form(q, path, scope, e) if form is not None else NONE


def known(q: Lookups, values: Values) -> Values:
    """``values`` with arguments looked up among the calls seen so far, where that is wanted (``q.flow``)."""
    for v in values:
        if v[0] == "p":
            break
    else:
        return values
    found = {v for v in values if v[0] != "p"}
    if q.flow:
        for v in values:
            if v[0] == "p":
                found |= q.input(("argument", *v[1:]))
    return frozenset(found)


def chosen_of(facts: Any, chosen: tuple[int, ...], loop: int) -> list[Any]:
    """The expressions of the chosen versions of a name, and of the later ones of the same loop."""
    versions = facts.versions
    if loop < 0:
        return [versions[i][0] for i in chosen if i < len(versions)]
    return [e for i, (e, inside) in enumerate(versions) if i in chosen or inside == loop]


def evaluated(q: Lookups, path: str, scope: str, facts: Any, chosen: tuple[int, ...], loop: int = -1) -> Values:
    """The union of the chosen versions of a name, what inner functions give it included."""
    found = [ev(q, path, scope, e) for e in chosen_of(facts, chosen, loop)]
    found += [ev(q, path, inner, e) for inner, e in facts.extern]
    return join(found)
