"""What annotations say a variable may be. Read with the static evaluator: types do not depend on values."""

from __future__ import annotations

from core.graph.facts import Expr
from core.graph.languages.python.core import cell
from core.graph.languages.python.static import static
from core.graph.languages.python.values import NONE, Val, Values, elements, join
from core.graph.lookups import Lookups

_UNPACK = {"Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar"}
_LAST = {"Awaitable", "Coroutine", "Future", "Task"}
_BOXES = frozenset(
    [
        "list",
        "List",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "AbstractSet",
        "MutableSet",
        "deque",
        "Deque",
        "Collection",
        "Generator",
        "AsyncIterator",
        "AsyncIterable",
        "AsyncGenerator",
        "Container",
        "Reversible",
        "KeysView",
        "ValuesView",
    ]
)
_MAPS = frozenset(
    ["dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict", "ItemsView"]
)


def annotated(q: Lookups, path: str, scope: str, e: Expr | None, cls: str = "", depth: int = 0) -> Values:
    """The values a variable annotated with ``e`` may take; Any, None and unknown types give none."""
    if e is None or depth > 6:
        return NONE
    kind = e[0]
    if kind == "operator":
        return join(annotated(q, path, scope, part, cls, depth + 1) for part in e[2:4])
    if kind == "any":
        return join(annotated(q, path, scope, part, cls, depth + 1) for part in e[1:])
    if kind == "item":
        return _subscripted(q, path, scope, e, cls, depth)
    if kind == "call":
        bound = next((v for k, v in e[3] if k == "bound"), None)
        return annotated(q, path, scope, bound, cls, depth + 1)
    if kind == "new" or kind == "const":
        return NONE
    found: set[Val] = set()
    for v in static(q, path, scope, e):
        if v[0] in "ct":
            found.add(("o", v[1], v[2]))
        elif v[0] == "x":
            last = v[1].rsplit(".", 1)[-1]
            if last == "Self":
                found.update({("s", path, cls)} if cls else ())
            elif v[1] not in ("typing.Any", "typing.Optional"):
                found.add(("y", v[1]))
        elif v[0] == "y" and v[1] in ("typing.TypeVar", "typing.NewType"):
            found |= _alias(q, path, scope, e, cls, depth)
        elif v[0] == "z":
            found.add(("w", v[1]))
    return frozenset(found) if found else _alias(q, path, scope, e, cls, depth)


def _alias(q: Lookups, path: str, scope: str, e: Expr, cls: str, depth: int) -> Values:
    """A name bound to a type expression: ``X = A | B``."""
    if e[0] != "name":
        return NONE
    facts = cell(q, path, "name", "", e[1])
    if facts is None:
        return NONE
    exprs = [facts.versions[i][1] for i in facts.final if facts.versions[i][0] == "variable"]
    return join(
        annotated(q, path, "", x, cls, depth + 1)
        for x in exprs
        if x is not None and x[0] in ("item", "operator", "call")
    )


def _subscripted(q: Lookups, path: str, scope: str, e: Expr, cls: str, depth: int) -> Values:
    parameters: tuple[Expr | None, ...] = (e[2],)
    if e[2] is not None and e[2][0] == "new":
        built = cell(q, path, "new", scope, e[2][1])
        if built is not None and built[0] == "tuple":
            parameters = built[1]
    found: list[Values] = []

    def read(p: Expr | None) -> Values:
        return annotated(q, path, scope, p, cls, depth + 1)

    for v in static(q, path, scope, e[1]):
        if v[0] in "ct":
            found.append(frozenset({("o", v[1], v[2])}))
            continue
        last = v[1].rsplit(".", 1)[-1] if v[0] in "xz" else ""
        if last in _UNPACK:
            used = parameters[:1] if last == "Annotated" else parameters
            found += [read(p) for p in used]
        elif last in _LAST:
            found.append(read(parameters[-1]))
        elif last in ("type", "Type"):
            found.append(frozenset(("t", c[1], c[2]) for c in read(parameters[0]) if c[0] in "ios"))
        elif last == "Callable":
            found.append(frozenset({("r", read(parameters[-1]))}))
        elif last in ("tuple", "Tuple"):
            parts = tuple(read(p) for p in parameters)
            found.append(frozenset({("d", *parts)} if len(parts) > 1 else {elements(parts[0])}))
        elif last in _BOXES:
            found.append(frozenset({elements(read(parameters[0]))}))
        elif last in _MAPS and len(parameters) == 2:
            found.append(frozenset({elements(read(parameters[0]), read(parameters[1]))}))
        elif v[0] == "x":
            found.append(frozenset({("y", v[1])}))
    return join(found)
