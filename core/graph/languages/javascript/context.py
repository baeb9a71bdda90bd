"""What the parameters of a function literal get from the call it is handed to: elements, promised values, types.

``items.map((item) => item.run())`` and ``each((item) => item.run())`` where ``each(f: (item: Item) => void)``.
"""

from __future__ import annotations

import core.graph.languages.javascript.members as members
import core.graph.languages.javascript.objects as objects
from core.graph.facts import Expr
from core.graph.languages.javascript.core import cell, ev, known
from core.graph.languages.javascript.facts import CALLBACKS
from core.graph.languages.javascript.hints import typed
from core.graph.languages.javascript.values import NONE, Val, Values, join
from core.graph.lookups import Lookups

_PAIRS = frozenset(["sort", "toSorted"])


def given(q: Lookups, path: str, scope: str, number: int) -> Values:
    """The values of parameter ``number`` of a function literal, as far as the call around it tells."""
    context = cell(q, path, "context", scope)
    if context is None:
        return NONE
    at, callee, index = context
    if callee[0] != "attr":
        return join(_declared(q, v, index, number) for v in known(q, ev(q, path, at, callee)))
    base = known(q, ev(q, path, at, callee[1]))
    name = callee[2]
    found = [_held(q, v, name, number) for v in base] if name in CALLBACKS and index == 0 else []
    for v in base:
        if v[0] in "ioscumtj":
            found += [_declared(q, f, index, number) for f in known(q, members.attribute(q, v, name))]
    return join(found)


def _held(q: Lookups, v: Val, name: str, number: int) -> Values:
    """What a collection or promise hands to the function it runs."""
    if v[0] == "a":
        return v[1] if number == 0 and name in ("then", "finally") else NONE
    if v[0] not in "elg":
        return NONE
    if number == (1 if name.startswith("reduce") else 0) or (number == 1 and name in _PAIRS):
        return objects.item(q, v, None) if v[0] in "el" else objects.iterated(q, v)
    return NONE


def _declared(q: Lookups, f: Val, index: int, number: int) -> Values:
    """What a function declares that the function in its parameter ``index`` is given."""
    place: tuple[str, str, Expr | None] | None = None
    if f[0] == "f":
        facts = cell(q, f[1], "func", f[2])
        if facts is not None and index < len(facts.params):
            place = (f[1], f[2], facts.params[index].type)
    elif f[0] == "j" and f[3][0] == "tf" and index < len(f[3][2]):
        place = (f[1], f[2], f[3][2][index])
    if place is None:
        return NONE
    found: list[Values] = []
    for v in typed(q, *place):
        if v[0] == "j" and v[3][0] == "tf" and number < len(v[3][2]):
            found.append(typed(q, v[1], v[2], v[3][2][number]))
    return join(found)
