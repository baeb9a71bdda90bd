"""What the builtin functions and the methods of builtin collections give, as far as it is what they hold."""

from __future__ import annotations

from typing import Any

import core.graph.languages.javascript.calls as calls
import core.graph.languages.javascript.objects as objects
from core.graph.languages.javascript.core import known
from core.graph.languages.javascript.values import NONE, Values, collection, join, settled, shallow
from core.graph.lookups import Lookups

_HANDING = frozenset([
    "JSON", "Reflect", "Object", "Promise", "Array", "Function", "Proxy", "eval", "globalThis", "window",
])  # fmt: skip
_ELEMENT = frozenset(["pop", "shift", "at", "find", "findLast", "get", "next"])
_SAME = frozenset([
    "filter", "slice", "concat", "reverse", "sort", "toSorted", "toReversed", "splice", "fill", "values",
])  # fmt: skip
_STRINGS = frozenset([
    "trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "replace", "replaceAll", "slice",
    "substring",
    "substr", "padStart", "padEnd", "repeat", "concat", "charAt", "normalize", "toString", "toFixed", "toISOString",
    "join",
])  # fmt: skip


def method_result(q: Lookups, name: str, held: Values, given: Any) -> Values:
    """What a method of a builtin that holds ``held`` gives."""
    kind, _, method = name.partition(".")
    if kind == "Promise":
        return _promised(q, method, held, given)
    if method in _ELEMENT:
        return held
    if method in _SAME:
        return frozenset({collection("Array", held)})
    if method in ("entries",):
        return frozenset({collection("Array", frozenset({collection("Pair", held)}))})
    if method in ("map", "flatMap"):
        results = _results(q, held, given)
        if method == "flatMap":
            results = results | join(objects.iterated(q, v) for v in results)
        return frozenset({collection("Array", results)})
    if method in ("push", "unshift", "indexOf", "findIndex"):
        return frozenset({("w", "Number")})
    if method == "join":
        return frozenset({("w", "String")})
    if method in ("keys",):
        return frozenset({collection("Array", frozenset({("w", "String")}))})
    if method in ("set", "add"):
        return frozenset({collection(kind, held)})
    if method in ("reduce", "reduceRight"):
        return join([known(q, given.at(1)), _results(q, held, given)])
    return NONE


def _results(q: Lookups, held: Values, given: Any) -> Values:
    return join(calls.call(q, f, calls.Bare(None, held)) for f in known(q, given.at(0)) if f[0] in "fjh")


def _promised(q: Lookups, method: str, held: Values, given: Any) -> Values:
    if method == "then":
        results = _results(q, held, given)
        return frozenset({("a", shallow(calls.awaited(results)))})
    if method in ("catch", "finally"):
        return frozenset({("a", shallow(held))})
    return NONE


def called(q: Lookups, name: str, given: Any) -> Values:
    """What a builtin function gives."""
    first, _, last = name.partition(".")
    if first == "Object" and last:
        return _object(q, last, given)
    if first == "Promise":
        if last in ("all", "allSettled"):
            inner = calls.awaited(join(objects.iterated(q, v) for v in known(q, given.at(0))))
            return frozenset({("a", shallow(frozenset({collection("Array", inner)})))})
        if last in ("race", "any"):
            return frozenset(
                {("a", shallow(calls.awaited(join(objects.iterated(q, v) for v in known(q, given.at(0))))))}
            )
        return frozenset({("a", shallow(calls.awaited(known(q, given.at(0)))))}) if last == "resolve" else NONE
    if name == "Array.from":
        inner = join(objects.iterated(q, v) for v in known(q, given.at(0)))
        mapped = known(q, given.at(1)) if given.has(1) else NONE
        if mapped:
            inner = join(calls.call(q, f, calls.Bare(None, inner)) for f in mapped if f[0] == "f")
        return frozenset({collection("Array", inner)})
    if name in ("Array.of", "Array"):
        return frozenset({collection("Array", given.rest(0) if last else NONE)})
    if name == "structuredClone":
        return known(q, given.at(0))
    if (first in ("String", "Number", "Date") and last in _STRINGS) or name == "String":
        return frozenset({("w", "String")})
    if first == "String" and last in ("split", "match", "matchAll"):
        return frozenset({collection("Array", frozenset({("w", "String")}))})
    if name in ("parseInt", "parseFloat", "Number") or first == "Math":
        return frozenset({("w", "Number")})
    if name == "JSON.stringify":
        return frozenset({("w", "String")})
    # What anything else of the environment gives is its own; these may give what the program gave them.
    return NONE if first in _HANDING else frozenset({("w", name if name.endswith("()") else name + "()")})


def _object(q: Lookups, last: str, given: Any) -> Values:
    values = known(q, given.at(0))
    if last == "keys":
        return frozenset({collection("Array", frozenset({("w", "String")}))})
    if last in ("values", "entries"):
        held = join(objects.item(q, v, None) for v in values if v[0] in "elj")
        inner = held if last == "values" else frozenset({collection("Pair", held)})
        return frozenset({collection("Array", inner)})
    if last in ("freeze", "seal", "create"):
        return values
    if last == "assign":
        return settled(join(known(q, given.at(i)) for i in range(min(given.count(), 6))))
    if last == "fromEntries":
        pairs = join(objects.iterated(q, v) for v in values)
        return frozenset({collection("Object", join(objects.item(q, v, None) for v in pairs))})
    return NONE
