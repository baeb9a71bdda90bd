"""Calling values: what functions, classes, builtins and external things give back.

returns(path, s)  what a function gives      yields(path, s)      parameter(path, s, n)
"""

from __future__ import annotations

from typing import Any

import core.graph.languages.python.containers as containers
import core.graph.languages.python.members as members
from core.graph.languages.python.core import cell, ev, known
from core.graph.languages.python.hints import annotated
from core.graph.languages.python.values import NONE, Val, Values, as_class, elements, is_instance, join, substitute
from core.graph.lookups import Key, Lookups

_TYPES = {
    "str",
    "int",
    "float",
    "bytes",
    "bool",
    "list",
    "dict",
    "set",
    "tuple",
    "frozenset",
    "object",
    "bytearray",
    "complex",
}
_SAME = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter"}
_TEXT = frozenset(
    [
        "join",
        "strip",
        "lstrip",
        "rstrip",
        "format",
        "replace",
        "lower",
        "upper",
        "title",
        "capitalize",
        "casefold",
        "center",
        "ljust",
        "rjust",
        "zfill",
        "expandtabs",
        "swapcase",
        "translate",
        "removeprefix",
        "removesuffix",
        "format_map",
    ]
)
_PASS = {
    "functools.partial", "copy.copy", "copy.deepcopy", "functools.lru_cache", "functools.cache", "functools.wraps",
    "functools.update_wrapper", "contextlib.contextmanager", "contextlib.asynccontextmanager", "staticmethod",
    "classmethod", "abc.abstractmethod", "contextlib.closing", "itertools.chain", "asyncio.create_task",
    "asyncio.wait_for", "asyncio.ensure_future", "asyncio.shield",
}  # fmt: skip


class Arguments:
    """The arguments of one call, evaluated when asked for."""

    def __init__(self, q: Lookups, path: str, scope: str, positional: Any, named: Any) -> None:
        self.q, self.path, self.scope = q, path, scope
        self.positional, self.keywords = positional, named

    def at(self, index: int) -> Values:
        """The values of positional argument ``index``."""
        if index < len(self.positional):
            return ev(self.q, self.path, self.scope, self.positional[index])
        return NONE

    def named(self, facts: Any, name: str, bound: bool) -> Values | None:
        """The values given to parameter ``name``; None when the call leaves it to its default."""
        for keyword, value in self.keywords:
            if keyword == name:
                return ev(self.q, self.path, self.scope, value)
        skip = 1 if bound and facts.cls and "static" not in facts.flags else 0
        plain = [p.name for p in facts.params if p.kind == ""]
        if name in plain:
            index = plain.index(name) - skip
            if 0 <= index < len(self.positional):
                return self.at(index)
            return NONE
        for p in facts.params:
            if p.name == name and p.kind == "*":
                rest = self.positional[max(len(plain) - skip, 0) :]
                return join(ev(self.q, self.path, self.scope, a) for a in rest)
        return NONE


class Bare:
    """No arguments at all."""

    positional: tuple[Any, ...] = ()
    keywords: tuple[Any, ...] = ()

    def __init__(self, receiver: Val | None = None) -> None:
        self.receiver = receiver

    def at(self, index: int) -> Values:
        """Nothing is given."""
        return NONE

    def named(self, facts: Any, name: str, bound: bool) -> Values | None:
        """Nothing is given."""
        return NONE


class Values1(Bare):
    """One positional argument whose values are known."""

    def __init__(self, values: Values) -> None:
        super().__init__(None)
        self.values = values
        self.positional = (None,)

    def at(self, index: int) -> Values:
        """The first argument's values."""
        return self.values if index == 0 else NONE

    def named(self, facts: Any, name: str, bound: bool) -> Values | None:
        """The argument goes to the first plain parameter that is not bound."""
        plain = [p.name for p in facts.params if p.kind == ""]
        skip = 1 if bound and facts.cls and "static" not in facts.flags else 0
        return self.values if name in plain and plain.index(name) == skip else NONE


def call(q: Lookups, v: Val, given: Any) -> Values:
    """What calling ``v`` gives; ``given`` are the arguments."""
    kind = v[0]
    if kind == "f":
        return _returned(q, v, None, given)
    if kind == "b":
        return _returned(q, v, v[3], given)
    if kind == "c":
        return frozenset({("i", v[1], v[2])})
    if kind == "t":
        return frozenset({("s", v[1], v[2])})
    if kind in "ios":
        return call_method(q, v, "__call__", given)
    if kind == "x":
        return _external_call(q, v, given)
    if kind == "z":
        return _builtin_call(q, v[1], given)
    if kind == "r":
        found: Values = v[1]
        return found
    if kind == "a":  # a method of a container, see _container_member
        return v[1]  # type: ignore[no-any-return]
    return NONE


def call_method(q: Lookups, v: Val, name: str, given: Any = None) -> Values:
    """What ``v.name(...)`` gives."""
    plain, _ = q.get(("member", v[1], v[2], name))
    # An instance as ``__call__`` could be its own: only functions are followed.
    return join(call(q, m, given or Bare(v)) for f in plain for m in members.bind(q, f, v) if not is_instance(m))


def _returned(q: Lookups, v: Val, receiver: Val | None, given: Any) -> Values:
    values: Values = q.get(("returns", v[1], v[2]))
    if not values:
        return NONE
    if all(x[0] not in "stpbldgu" for x in values):
        return values
    facts = cell(q, v[1], "function", v[2])
    if facts is None:
        return NONE
    return substitute(values, receiver, lambda n: given.named(facts, n, receiver is not None), v[1], v[2])


def _external_call(q: Lookups, v: Val, given: Any) -> Values:
    dotted = v[1]
    if dotted in _PASS:
        return given.at(0) if given.positional else frozenset({("y", dotted)})
    if dotted in ("typing.cast", "typing_extensions.cast") and isinstance(given, Arguments) and given.positional:
        return annotated(q, given.path, given.scope, given.positional[0])
    if dotted == "functools.reduce" or dotted.endswith("import_module"):
        return NONE
    return frozenset({("y", dotted)})


def _builtin_call(q: Lookups, name: str, given: Any) -> Values:
    if name in _TYPES and not given.positional:
        return frozenset({("w", name)})
    if name in _SAME:
        source = known(q, given.at(1 if name == "filter" else 0))
        return frozenset({elements(join(containers.iterated(q, v) for v in source))})
    if name == "map":
        results = join(call(q, f, Values1(NONE)) for i in range(2) for f in known(q, given.at(i)) if f[0] in "fbct")
        return frozenset({elements(results)})
    if name == "next":
        return join(containers.iterated(q, v) for v in known(q, given.at(0)))
    if name == "enumerate":
        inner = join(containers.iterated(q, v) for v in known(q, given.at(0)))
        return frozenset({elements(frozenset({("d", frozenset({("w", "int")}), inner)}))})
    if name == "zip":
        parts = tuple(
            join(containers.iterated(q, v) for v in known(q, given.at(i))) for i in range(len(given.positional))
        )
        return frozenset({elements(frozenset({("d", *parts)}))})
    if name == "type" and len(given.positional) == 1:
        return frozenset(as_class(v) for v in known(q, given.at(0)) if is_instance(v))
    if name == "property":
        return frozenset({("q", frozenset(v for v in given.at(0) if v[0] in "fb"))})
    if name in ("staticmethod", "classmethod"):
        found: Values = given.at(0)
        return found
    if name.startswith(("str.", "bytes.")):
        base, _, method = name.partition(".")
        if method in _TEXT:
            return frozenset({("w", base)})
        if method in ("split", "rsplit", "splitlines", "partition", "rpartition"):
            return frozenset({elements(frozenset({("w", base)}))})
        return frozenset({("w", {"encode": "bytes", "decode": "str"}.get(method, "int"))})
    if "." in name:
        return NONE
    return frozenset({("w", name)})


def _rule_parameter(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "function", scope)
    if facts is None:
        return NONE
    index = next((i for i, p in enumerate(facts.params) if p.name == name), None)
    if index is None:
        return NONE
    p = facts.params[index]
    if index == 0 and facts.cls and "static" not in facts.flags and p.kind == "":
        return frozenset({("t" if facts.flags & {"class", "new"} else "s", path, facts.cls)})
    values = annotated(q, path, facts.parent, p.annotation, facts.cls)
    values = frozenset(v for v in values if v[0] not in "w") if q.flow else values
    if p.kind == "*":
        return frozenset({elements(values or frozenset({("p", path, scope, name)}))})
    if p.kind == "**":
        return frozenset({elements(frozenset({("w", "str")}), values or frozenset({("p", path, scope, name)}))})
    if values and not q.flow:
        return values
    return values | {("p", path, scope, name)} | ev(q, path, facts.parent, p.default)


def _rule_returns(q: Lookups, key: Key) -> Values:
    _, path, scope = key
    facts = cell(q, path, "function", scope)
    if facts is None:
        return NONE
    if facts.returned is not None:
        hinted = annotated(q, path, facts.parent, facts.returned, facts.cls)
        if any(v[0] not in "w" for v in hinted) and not all(v[0] == "r" for v in hinted):
            return hinted
    if "generator" in facts.flags:
        receiver = ("s", path, facts.cls) if facts.cls and "static" not in facts.flags else None
        return frozenset({("g", path, scope, receiver)})
    return join(ev(q, path, scope, e) for e in facts.returns)


def _rule_yields(q: Lookups, key: Key) -> Values:
    _, path, scope = key
    facts = cell(q, path, "function", scope)
    return join(ev(q, path, scope, e) for e in facts.yields) if facts is not None else NONE


RULES: dict[str, tuple[Any, Any]] = {
    "parameter": (_rule_parameter, NONE),
    "returns": (_rule_returns, NONE),
    "yields": (_rule_yields, NONE),
}
