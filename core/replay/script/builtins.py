"""Replay, script, part 7a: the functions every script has: lengths, ranges, orders, conversions, iterations.

In: arguments. Out: the value Python would give, each item paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.replay.script.context import Arguments, Context, Function, Named, iterated, plain
from core.replay.script.meter import Exited, NotKnown, Raised
from core.replay.script.methods import call_method, taken
from core.replay.script.operators import flat, key, scalar, size_of, text_of

MAX_PRINTED = 1000
_OFF_THE_CLASS = ("strip", "lstrip", "rstrip", "lower", "upper", "title", "splitlines")


def _print(context: Context, given: Arguments, named: dict[str, Any]) -> None:
    """What is printed is kept where it can be known: it proves that the script did what is thought."""
    if "file" in named and not isinstance(named["file"], Named):
        raise NotKnown("a print into a file")
    if "end" in named or "sep" in named or "file" in named:
        return
    try:
        line = " ".join(text_of(value, context.meter) for value in given)
    except NotKnown:
        context.meter.spend()
        return
    if len(context.printed) < MAX_PRINTED:
        context.printed.extend(line.split("\n")[:MAX_PRINTED])


def _exit(context: Context, given: Arguments, named: dict[str, Any]) -> None:
    raise Exited(not given or given[0] is None or (isinstance(given[0], int) and given[0] == 0))


def _len(context: Context, given: Arguments) -> int:
    if not isinstance(given[0], str | list | tuple | dict | set | range):
        raise NotKnown("a length")
    return len(given[0])


def _range(context: Context, given: Arguments) -> range:
    if not all(isinstance(value, int) for value in given) or given[2:] == [0]:
        raise Raised("TypeError")
    return range(*given)


def _int(context: Context, given: Arguments) -> int:
    value = given[0]
    if isinstance(value, int):
        return int(value)
    if not isinstance(value, str) or len(value) > 20:
        raise NotKnown("a number")
    try:
        return context.meter.number(int(value))
    except ValueError as error:
        raise Raised("ValueError", "invalid literal for int()") from error


def _keys(context: Context, items: list[Any], named: dict[str, Any]) -> list[Any]:
    """What ``items`` are ordered by: themselves, or what the function given as ``key`` says of each."""
    function = named.get("key")
    keys = items if function is None else [context.call(function, [item]) for item in items]
    if not flat(keys, context.meter):
        raise NotKnown("an order of these values")
    context.meter.text(16 * size_of(keys))
    return keys


def _extreme(choose: Callable[..., Any]) -> Function:
    def found(context: Context, given: Arguments, named: dict[str, Any]) -> Any:
        items = taken(given[0], context.meter) if len(given) == 1 else list(given)
        if set(named) - {"default", "key"}:
            raise NotKnown("an extreme")
        keys = _keys(context, items, named)
        if not items:
            if "default" in named:
                return named["default"]
            raise Raised("ValueError", "empty")
        try:
            return items[choose(range(len(items)), key=keys.__getitem__)]
        except TypeError as error:
            raise Raised("TypeError") from error

    return found


def _sorted(context: Context, given: Arguments, named: dict[str, Any]) -> list[Any]:
    if len(given) != 1 or set(named) - {"reverse", "key"}:
        raise NotKnown("an order")
    if isinstance(given[0], set) and named.get("key") is not None and len(given[0]) > 1:
        raise NotKnown("the order of a set")
    items = list(given[0]) if isinstance(given[0], set) else taken(given[0], context.meter)
    keys = _keys(context, items, named)
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(named.get("reverse")))
    except TypeError as error:
        raise Raised("TypeError") from error
    return [items[at] for at in order]


def sort_by(context: Context, items: list[Any], named: dict[str, Any]) -> None:
    """``items.sort(key=...)``: the list is empty while it is sorted."""
    held = list(items)
    items.clear()
    try:
        found = _sorted(context, [held], named)
    except Raised as raised:
        raise NotKnown("a list left half sorted") from raised
    if items:
        raise NotKnown("a list changed while it is sorted")
    items.extend(found)


def _set(context: Context, given: Arguments) -> set[Any]:
    items = taken(given[0], context.meter) if given else []
    if not all(map(scalar, items)):
        raise NotKnown("a set of these values")
    context.meter.text(size_of(items))
    return set(items)


def _sum(context: Context, given: Arguments) -> int:
    items = taken(given[0], context.meter)
    if not all(isinstance(item, int) for item in items):
        raise NotKnown("a sum")
    return context.meter.number(sum(items))


def _dict(context: Context, given: Arguments, named: dict[str, Any]) -> dict[Any, Any]:
    if len(given) > 1:
        raise Raised("TypeError", "arguments")
    if not given or isinstance(given[0], dict):
        found = dict(given[0]) if given else {}
    else:
        pairs = [taken(pair, context.meter) for pair in iterated(context, given[0])]
        if any(len(pair) != 2 for pair in pairs):
            raise Raised("ValueError", "a pair of another length")
        found = {key(name): value for name, value in pairs}
    context.meter.items(len(found) + len(named))
    return {**found, **named}


def _character(context: Context, given: Arguments) -> str:
    if not isinstance(given[0], int) or not 0 <= given[0] < 0xD800:
        raise NotKnown("a character")
    return chr(given[0])


def _ordinal(context: Context, given: Arguments) -> int:
    if not isinstance(given[0], str) or len(given[0]) != 1:
        raise Raised("TypeError", "ord() expected a character")
    return ord(given[0])


def _of_text(name: str) -> Function:
    """``str.name`` taken off the class."""

    def called(context: Context, given: Arguments, named: dict[str, Any]) -> Any:
        if not given or not isinstance(given[0], str):
            raise NotKnown("something else than a text")
        return call_method(given[0], name, given[1:], named, context.meter)

    return called


def _next(context: Context, given: Arguments) -> Any:
    if not hasattr(given[0], "__next__"):
        raise NotKnown("the next of this value")
    try:
        return next(given[0])
    except StopIteration:
        if len(given) == 2:
            return given[1]
        raise Raised("StopIteration") from None


def _enumerate(context: Context, given: Arguments, named: dict[str, Any]) -> Iterator[Any]:
    start = given[1] if len(given) > 1 else named.get("start", 0)
    if not given or not isinstance(start, int) or set(named) - {"start"}:
        raise NotKnown("an enumeration")
    return enumerate(iterated(context, given[0]), start)


def _zip(context: Context, given: Arguments, named: dict[str, Any]) -> Iterator[Any]:
    if named or len(given) > 10:
        raise NotKnown("a zip")
    return zip(*(iterated(context, value) for value in given), strict=False)


def _filter(context: Context, given: Arguments) -> Iterator[Any]:
    test, items = given
    return (v for v in iterated(context, items) if (v if test is None else context.call(test, [v])))


def _is_kind(context: Context, given: Arguments) -> bool:
    wanted = given[1] if isinstance(given[1], tuple) else (given[1],)
    kinds = {"str": str, "int": int, "list": list, "dict": dict, "tuple": tuple, "set": set, "bool": bool}
    if not all(isinstance(kind, Named) and kind.name in kinds for kind in wanted):
        raise NotKnown("a kind of value")
    return isinstance(given[0], tuple(kinds[kind.name] for kind in wanted))


BUILTINS: dict[str, Function] = {
    "print": _print,
    "sys.exit": _exit,
    "exit": _exit,
    "quit": _exit,
    "len": plain((1,))(_len),
    "range": plain((1, 2, 3))(_range),
    "str": plain((0, 1))(lambda c, g: text_of(g[0], c.meter) if g else ""),
    "repr": plain((1,))(lambda c, g: text_of(g[0], c.meter, True)),
    "int": plain((1,))(_int),
    "bool": plain((1,))(lambda c, g: bool(g[0])),
    "list": plain((0, 1))(lambda c, g: taken(iterated(c, g[0]), c.meter) if g else []),
    "tuple": plain((0, 1))(lambda c, g: tuple(taken(iterated(c, g[0]), c.meter)) if g else ()),
    "set": plain((0, 1))(_set),
    "dict": _dict,
    "chr": plain((1,))(_character),
    "ord": plain((1,))(_ordinal),
    **{f"str.{name}": _of_text(name) for name in _OFF_THE_CLASS},
    "sorted": _sorted,
    "min": _extreme(min),
    "max": _extreme(max),
    "sum": plain((1,))(_sum),
    "abs": plain((1,))(lambda c, g: abs(_int(c, g))),
    "any": plain((1,))(lambda c, g: any(iterated(c, g[0]))),
    "all": plain((1,))(lambda c, g: all(iterated(c, g[0]))),
    "next": plain((1, 2))(_next),
    "iter": plain((1,))(lambda c, g: iterated(c, g[0])),
    "reversed": plain((1,))(lambda c, g: iter(taken(g[0], c.meter)[::-1])),
    "enumerate": _enumerate,
    "zip": _zip,
    "map": plain((2,))(lambda c, g: (c.call(g[0], [v]) for v in iterated(c, g[1]))),
    "filter": plain((2,))(_filter),
    "isinstance": plain((2,))(_is_kind),
}
