"""Containers that stand in the text, and what loops, items and unpacking take out of them.

held(path, s, number, keys, shift)   what container ``number`` of scope s holds at constant keys (None: any)
"""

from __future__ import annotations

from typing import Any

import core.graph.languages.python.calls as calls
import core.graph.languages.python.members as members
from core.graph.facts import Expr
from core.graph.languages.python.core import cell, ev, known
from core.graph.languages.python.static import static
from core.graph.languages.python.values import NONE, Val, Values, elements, is_instance, join, substitute
from core.graph.lookups import Key, Lookups

_CONTAINER_METHODS = frozenset([*dir(list), *dir(dict), *dir(set)])
_LONG = 40  # keys of longer literals are not what a program loops over to call


def item(q: Lookups, v: Val, key: Values) -> Values:
    """The values of ``v[key]``."""
    kind = v[0]
    if kind == "e" or kind == "v":
        return _container_item(q, v, key)
    if kind == "l":
        found: Values = v[2]
        return found
    if kind == "d":
        index = _index(key)
        if index is not None and index < len(v) - 1:
            return v[1 + index]  # type: ignore[no-any-return]
        return join(v[1:])
    if is_instance(v):
        return calls.call_method(q, v, "__getitem__")
    if kind in "ct":
        return _members(q, v) or frozenset({v})  # Generic[T]
    if kind in "xy":
        return frozenset({v})
    return NONE


def constants(q: Lookups, path: str, scope: str, e: Expr | None) -> Values:
    """The constants a key may be; values of arguments count only where arguments are followed."""
    return known(q, ev(q, path, scope, e)) if q.flow else static(q, path, scope, e)


def _index(key: Values) -> int | None:
    if len(key) == 1:
        (only,) = key
        if only[0] == "k" and only[1] == "int" and only[2].isdigit():
            return int(only[2])
    return None


def _keys(key: Values) -> Values | None:
    """The constants a key may be; None when it may be anything."""
    return key if key and all(k[0] == "k" and k[2] != "" for k in key) else None


def _container_item(q: Lookups, v: Val, key: Values) -> Values:
    """``v[key]`` of a container built in the text, through the updates made to it since."""
    shift = 0
    while v[0] == "v":
        shift += v[2]
        v = v[1]
    found: Values = q.get(("held", *v[1:], _keys(key), shift))
    return found


def _rule_held(q: Lookups, key: Key) -> Values:
    """What container ``number`` of a scope holds at ``wanted`` (constant keys, None for any key)."""
    _, path, scope, number, wanted, shift = key
    built = cell(q, path, "new", scope, number)
    if built is None:
        return NONE
    if built[0] == "store":
        stored = _keys(constants(q, path, scope, built[2]))
        found: list[Values] = []
        if wanted is None or stored is None or wanted & stored:
            found.append(ev(q, path, scope, built[3]))
        if not (wanted is not None and stored is not None and wanted <= stored and len(stored) == 1):
            found.append(_held_by(q, path, scope, built[1], wanted, shift))
        return join(found)
    if built[0] == "merge":
        added = known(q, ev(q, path, scope, built[2]))
        inner = join(_item_of(q, x, wanted) for x in added)
        if q.flow and wanted is not None and inner and all(x[0] == "e" for x in added):
            return inner
        return inner | _held_by(q, path, scope, built[1], wanted, shift)
    return _literal_item(q, path, scope, built, wanted, shift)


def _held_by(q: Lookups, path: str, scope: str, e: Expr | None, wanted: Values | None, shift: int) -> Values:
    return join(
        _item_of(q, ("v", v, shift) if shift and v[0] == "e" else v, wanted) for v in known(q, ev(q, path, scope, e))
    )


def _item_of(q: Lookups, v: Val, wanted: Values | None) -> Values:
    return item(q, v, wanted if wanted is not None else NONE)


def _literal_item(q: Lookups, path: str, scope: str, built: Expr, wanted: Values | None, shift: int) -> Values:
    kind = built[0]
    if kind == "dict":
        found: list[Values] = []
        for k, value in built[1]:
            if k == ("star",):
                found.append(join(item(q, x, wanted or NONE) for x in known(q, ev(q, path, scope, value[1]))))
                continue
            keys = _keys(constants(q, path, scope, k)) if k is not None else None
            if wanted is None or keys is None or wanted & keys:
                found.append(ev(q, path, scope, value))
        return join(found)
    parts = built[1]
    if wanted is not None and not kind.endswith("*") and not any(p is not None and p[0] == "star" for p in parts):
        numbers = [int(k[2]) + shift for k in wanted if k[1] == "int" and k[2].isdigit()]
        if len(numbers) == len(wanted):
            return join(ev(q, path, scope, parts[n]) for n in numbers if n < len(parts))
    return join(_spread(q, path, scope, p) for p in parts)


def _spread(q: Lookups, path: str, scope: str, p: Expr | None) -> Values:
    if p is not None and p[0] == "star":
        return join(iterated(q, v) for v in known(q, ev(q, path, scope, p[1])))
    return ev(q, path, scope, p)


def iterated(q: Lookups, v: Val) -> Values:
    """The values a loop over ``v`` takes."""
    kind = v[0]
    if kind == "e":
        built = cell(q, v[1], "new", v[2], v[3])
        if built is not None and built[0] == "dict":
            return q.get(("keys", *v[1:]))  # type: ignore[no-any-return]
        return _container_item(q, v, NONE)
    if kind == "v":
        return _container_item(q, v, NONE)
    if kind == "l":
        found: Values = v[1]
        return found
    if kind == "g":
        given: Values = q.get(("yields", v[1], v[2]))
        return substitute(given, v[3], lambda _: None, "", "")
    if is_instance(v):
        results: list[Values] = []
        for iterator in join(calls.call_method(q, v, m) for m in ("__iter__", "__aiter__")):
            if is_instance(iterator):
                results += [calls.call_method(q, iterator, m) for m in ("__next__", "__anext__")]
            elif iterator[0] in "glev":
                results.append(iterated(q, iterator) if iterator != v else NONE)
        return join(results)
    if kind == "d":
        return join(v[1:])
    return _members(q, v) if kind in "ct" else NONE


def _members(q: Lookups, v: Val) -> Values:
    """The members of a class that is an enumeration."""
    return frozenset({("i", v[1], v[2])}) if members.is_enumeration(q, v[1], v[2]) else NONE


def part(q: Lookups, v: Val, index: int, count: int, star: int) -> Values:
    """What the target at ``index`` of ``count`` takes when ``v`` is unpacked; ``star`` is the starred target."""
    if v[0] == "e":
        return q.get(("piece", *v[1:], index, count, star))  # type: ignore[no-any-return]
    if v[0] == "d" and star < 0:
        found: Values = v[1 + index] if index < len(v) - 1 else NONE
        return found
    return iterated(q, v)


def _rule_piece(q: Lookups, key: Key) -> Values:
    _, path, scope, number, index, count, star = key
    built = cell(q, path, "new", scope, number)
    if built is None or built[0] not in ("tuple", "list") or any(p and p[0] == "star" for p in built[1]):
        return iterated(q, ("e", path, scope, number))
    parts = built[1]
    if index == star:
        rest = parts[index : len(parts) - (count - index - 1)]
        return frozenset({elements(join(ev(q, path, scope, p) for p in rest))})
    at = index if star < 0 or index < star else len(parts) - (count - index)
    return ev(q, path, scope, parts[at]) if 0 <= at < len(parts) else NONE


def _rule_keys(q: Lookups, key: Key) -> Values:
    _, path, scope, number = key
    built = cell(q, path, "new", scope, number)
    if built is None or built[0] != "dict" or len(built[1]) > _LONG:
        return NONE
    return join(ev(q, path, scope, k) for k, _ in built[1] if k is not None and k != ("star",))


def container_member(q: Lookups, v: Val, name: str) -> Values:
    """Methods of containers, as callables that give what the container holds."""
    if name in ("get", "pop", "setdefault", "popleft", "popitem"):
        return frozenset({("a", item(q, v, NONE), "dict." + name)})
    if name == "values":
        return frozenset({("a", frozenset({elements(item(q, v, NONE))}), "dict.values")})
    if name == "items":
        pair = ("d", iterated(q, v), item(q, v, NONE))
        return frozenset({("a", frozenset({elements(frozenset({pair}))}), "dict.items")})
    if name in ("copy", "union", "keys"):
        return frozenset({("a", frozenset({v}), "dict." + name)})
    kind = _container_type(q, v)
    if kind == "container" and name not in _CONTAINER_METHODS:
        return NONE  # an object of some class that takes items
    return frozenset({("z", f"{kind}.{name}")})


def _container_type(q: Lookups, v: Val) -> str:
    if v[0] == "e":
        built = cell(q, v[1], "new", v[2], v[3])
        if built is not None:
            kind: str = built[0].rstrip("*")
            if kind in ("list", "dict", "set", "tuple", "generator"):
                return kind
            return "container"
    return "list"


RULES: dict[str, tuple[Any, Any]] = {
    "held": (_rule_held, NONE),
    "piece": (_rule_piece, NONE),
    "keys": (_rule_keys, NONE),
}
