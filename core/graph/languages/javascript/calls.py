"""Calling values: what functions, builtins and external things give back.

jsreturns(path, s)  what a function gives     jsyields(path, s)     jsparam(path, s, i)  its parameter i
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import core.graph.languages.javascript.builtins as javascript_builtins
import core.graph.languages.javascript.context as javascript_context
from core.graph.languages.javascript.core import cell, ev, known
from core.graph.languages.javascript.hints import typed
from core.graph.languages.javascript.values import NONE, Val, Values, collection, join, settled, shallow, substitute
from core.graph.lookups import Key, Lookups

_PASS = frozenset([
    "memo", "forwardRef", "useCallback", "useMemo", "debounce", "throttle", "promisify", "once", "observer", "memoize",
    "markRaw", "reactive", "ref", "cache", "wrap", "withErrorHandling", "lazy", "inject", "connect", "curry",
])  # fmt: skip


class Given:
    """The arguments of one call, evaluated when asked for; ``skip`` of them are not the callee's."""

    def __init__(self, q: Lookups, path: str, scope: str, arguments: Any, skip: int = 0) -> None:
        self.q, self.path, self.scope, self.skip = q, path, scope, skip
        self.arguments = arguments
        self.receivers: Values | None = None
        self._found: dict[int, Values] = {}

    def at(self, index: int) -> Values:
        """The values of argument ``index``; any of those spread before it."""
        found = self._found.get(index)
        if found is None:
            found = self._found[index] = self._at(index + self.skip)
        return found

    def _at(self, index: int) -> Values:
        for e in self.arguments[: index + 1]:
            if e is not None and e[0] == "spread":
                return join(ev(self.q, self.path, self.scope, a) for a in self.arguments[self.skip :])
        return ev(self.q, self.path, self.scope, self.arguments[index]) if index < len(self.arguments) else NONE

    def has(self, index: int) -> bool:
        """Whether the call gives an argument ``index``, or may."""
        index += self.skip
        return index < len(self.arguments) or any(e is not None and e[0] == "spread" for e in self.arguments)

    def rest(self, index: int) -> Values:
        """The values of all arguments from ``index`` on."""
        return join(ev(self.q, self.path, self.scope, e) for e in self.arguments[index + self.skip :])

    def count(self) -> int:
        """How many arguments are written."""
        return max(len(self.arguments) - self.skip, 0)


class Bare:
    """Arguments whose values are known; ``receivers`` are what ``this`` is."""

    def __init__(self, receivers: Values | None = None, *values: Values) -> None:
        self.receivers = receivers
        self.values = values

    def at(self, index: int) -> Values:
        """The values of argument ``index``."""
        return self.values[index] if index < len(self.values) else NONE

    def has(self, index: int) -> bool:
        """Whether there is such an argument."""
        return index < len(self.values)

    def rest(self, index: int) -> Values:
        """The values of all arguments from ``index`` on."""
        return join(self.values[index:])

    def count(self) -> int:
        """How many arguments there are."""
        return len(self.values)


def filled(q: Lookups, f: Val, given: Any) -> Callable[[int], Values | None]:
    """What each parameter of function ``f`` gets from a call; None where its default holds."""

    def argument(index: int) -> Values | None:
        facts = cell(q, f[1], "func", f[2])
        if facts is None or index >= len(facts.params):
            return None
        if facts.params[index].rest:
            return frozenset({collection("Array", given.rest(index))})
        if given.has(index):
            return given.at(index)  # type: ignore[no-any-return]
        default = facts.params[index].default
        return ev(q, f[1], f[2], default) if default is not None else NONE

    return argument


def call(q: Lookups, v: Val, given: Any) -> Values:
    """What calling ``v`` gives; ``given`` are the arguments."""
    kind = v[0]
    if kind == "f":
        values: Values = q.get(("jsreturns", v[1], v[2]))
        if all(x[0] not in "splab" for x in values):
            return values
        return substitute(values, given.receivers or NONE, filled(q, v, given), v[1], v[2])
    if kind == "h":
        if v[2] == "bind":
            return frozenset({v[1]})
        return call(q, v[1], shifted(given, v[2]))
    if kind in "xyz":
        last = v[1].rpartition(".")[2]
        handed = frozenset(x for x in known(q, given.at(0)) if x[0] in "fc") if last in _PASS else NONE
        return handed | (javascript_builtins.called(q, v[1], given) if kind == "z" else frozenset({("y", v[1])}))
    if kind == "b":
        return javascript_builtins.method_result(q, v[1], v[2], given)
    if kind == "j" and v[3][0] == "tf":
        return typed(q, v[1], v[2], v[3][1])
    return NONE


def shifted(given: Any, how: str) -> Any:
    """The arguments as the function sees them that ``call`` or ``apply`` runs."""
    if isinstance(given, Given):
        if how == "call":
            return Given(given.q, given.path, given.scope, given.arguments, given.skip + 1)
        second = given.arguments[given.skip + 1 : given.skip + 2]
        return Given(given.q, given.path, given.scope, tuple(("spread", e) for e in second if e is not None))
    return Bare(None, *(given.values[1:] if how == "call" else ()))


def method(q: Lookups, v: Val, name: str) -> Values:
    """What ``v.name()`` gives, for functions only."""
    plain, _, _ = q.get(("jsmember", v[1], v[2], name, False))
    return join(call(q, f, Bare(frozenset({v}))) for f in plain if f[0] == "f")


def awaited(values: Values) -> Values:
    """What ``await`` gives."""
    found: set[Val] = set()
    for v in values:
        if v[0] == "a":
            found |= v[1]
        else:
            found.add(v)
    return settled(found)


def _rule_param(q: Lookups, key: Key) -> Values:
    _, path, scope, number = key
    facts = cell(q, path, "func", scope)
    if facts is None or number >= len(facts.params):
        return NONE
    p = facts.params[number]
    hint = typed(q, path, scope, p.type)
    me: Values = frozenset({("p", path, scope, number)})
    if p.type is None and not p.rest:
        hint = javascript_context.given(q, path, scope, number)
    if p.rest:
        return hint if any(v[0] == "l" and v[2] for v in hint) else frozenset({collection("Array", me)})
    if q.flow:
        values = frozenset(v for v in hint if v[0] != "w") | me
        given = q.input(("argument", path, scope, number))
        return values | ev(q, path, scope, p.default) if not given else values
    if p.type is not None and any(v[0] != "w" for v in hint):
        return hint
    return hint | me | ev(q, path, scope, p.default)


def _rule_returns(q: Lookups, key: Key) -> Values:
    _, path, scope = key
    facts = cell(q, path, "func", scope)
    if facts is None:
        return NONE
    hint = typed(q, path, scope, facts.returned)
    if any(v[0] not in "w" and v != ("a", NONE) for v in hint):
        return hint
    if "generator" in facts.flags:
        return frozenset({("g", path, scope)})
    found = join(ev(q, path, scope, e) for e in facts.returns)
    if "async" in facts.flags:
        return frozenset({("a", shallow(awaited(found)))})
    return settled(hint | found)


def _rule_yields(q: Lookups, key: Key) -> Values:
    _, path, scope = key
    facts = cell(q, path, "func", scope)
    return join(ev(q, path, scope, e) for e in facts.yields) if facts is not None else NONE


RULES: dict[str, tuple[Any, Any]] = {
    "jsparam": (_rule_param, NONE),
    "jsreturns": (_rule_returns, NONE),
    "jsyields": (_rule_yields, NONE),
}
