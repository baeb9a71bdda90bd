"""Replay, script, part 5: the methods of texts, lists, dicts and sets that a script may call.

In: a value, the name of a method, its arguments. Out: the result, or the exception Python would raise. Only names
listed here exist; each is paid for before it is done.
"""

from __future__ import annotations

from typing import Any

from core.replay.script.formats import filled
from core.replay.script.meter import MAX_SIZE, Meter, NotKnown, Raised
from core.replay.script.operators import flat, key, scalar, size_of
from core.trajectory.shell_words import names

_TEXT_SAME = names(
    "strip lstrip rstrip startswith endswith find rfind index rindex count lower upper title capitalize swapcase "
    "isspace isdigit isalpha isalnum isidentifier islower isupper isnumeric isdecimal istitle isascii casefold "
    "removeprefix removesuffix partition rpartition"
)
_TEXT_LISTS = frozenset({"split", "rsplit", "splitlines"})
_TEXT_WIDE = frozenset({"ljust", "rjust", "center", "zfill"})


def call_method(value: Any, name: str, given: list[Any], named: dict[str, Any], meter: Meter) -> Any:
    """``value.name(*given, **named)``."""
    try:
        if isinstance(value, str):
            return _of_text(value, name, given, named, meter)
        if isinstance(value, list):
            return _of_list(value, name, given, named, meter)
        if isinstance(value, dict):
            return _of_dict(value, name, given, named, meter)
        if isinstance(value, set):
            return _of_set(value, name, given, named, meter)
        if isinstance(value, tuple) and name in ("index", "count") and len(given) == 1 and not named:
            return _of_list(list(value), name, given, named, meter)
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise Raised(type(error).__name__, str(error)[:200]) from error
    raise NotKnown(f"method {name[:40]}")


def _of_text(text: str, name: str, given: list[Any], named: dict[str, Any], meter: Meter) -> Any:
    meter.text(len(text))
    if not all(scalar(g) or isinstance(g, tuple) or name == "join" for g in given):
        raise NotKnown("an argument")
    if name in _TEXT_SAME and not named:
        meter.spend(sum(len(g) // 64 for g in given if isinstance(g, str | tuple)))
        return getattr(text, name)(*given)
    if name in _TEXT_LISTS and set(named) <= {"sep", "maxsplit", "keepends"}:
        found = getattr(text, name)(*given, **named)
        meter.items(len(found))
        return found
    if name == "format":
        return filled(text, given, named, meter)
    if name == "replace" and not named:
        return _replace(text, given, meter)
    if name == "join" and len(given) == 1 and not named:
        return _join(text, given[0], meter)
    if name in _TEXT_WIDE and given and isinstance(given[0], int) and not named:
        meter.text(max(given[0], 0))
        return getattr(text, name)(*given)
    if name == "expandtabs" and len(given) <= 1 and not named and all(isinstance(g, int) and g < 100 for g in given):
        meter.text(len(text) + text.count("\t") * 100)
        return text.expandtabs(*given)
    raise NotKnown(f"method {name[:40]} of a text")


def _replace(text: str, given: list[Any], meter: Meter) -> str:
    if len(given) in (2, 3) and isinstance(given[0], str) and isinstance(given[1], str):
        times = text.count(given[0])
        if len(given) == 3 and isinstance(given[2], int) and given[2] >= 0:
            times = min(times, given[2])
        meter.text(len(text) + times * len(given[1]))
    return text.replace(*given)


def _join(text: str, parts: Any, meter: Meter) -> str:
    if not isinstance(parts, list | tuple):
        if isinstance(parts, str | dict | set):
            raise NotKnown("a join of this value")
        parts = taken(parts, meter)
    meter.items(len(parts))
    if all(isinstance(part, str) for part in parts):
        meter.text(sum(map(len, parts)) + len(text) * len(parts))
    return text.join(parts)


def taken(iterable: Any, meter: Meter) -> list[Any]:
    """The items of an iterable as a list, each paid for."""
    if isinstance(iterable, str | list | tuple | dict | set | range):
        meter.items(len(iterable))
        if isinstance(iterable, set) and len(iterable) > 1:
            raise NotKnown("the order of a set")
        return list(iterable)
    try:
        found: list[Any] = []
        for item in iterable:
            meter.spend()
            if len(found) >= MAX_SIZE:
                raise NotKnown("too many items")
            found.append(item)
        return found
    except TypeError as error:
        raise Raised("TypeError", "not iterable") from error


def _of_list(items: list[Any], name: str, given: list[Any], named: dict[str, Any], meter: Meter) -> Any:
    meter.items(len(items) if name != "append" else 0)
    if name in ("append", "insert", "pop", "reverse", "copy", "clear") and not named:
        if len(items) >= MAX_SIZE:
            raise NotKnown("too many items")
        return getattr(items, name)(*given)
    if name == "extend" and len(given) == 1 and not named:
        items.extend(taken(given[0], meter))
        return None
    if name in ("remove", "index", "count") and not named and given and all(map(scalar, given)) and flat(items, meter):
        meter.text(size_of(items))
        return getattr(items, name)(*given)
    if name == "sort" and not given and set(named) <= {"reverse"}:
        items[:] = ordered(items, bool(named.get("reverse")), meter)
        return None
    raise NotKnown(f"method {name[:40]} of a list")


def ordered(items: list[Any], backwards: bool, meter: Meter) -> list[Any]:
    """``sorted`` of flat items."""
    if not flat(items, meter):
        raise NotKnown("an order of these values")
    meter.text(16 * size_of(items))
    return sorted(items, reverse=backwards)


def _of_dict(items: dict[Any, Any], name: str, given: list[Any], named: dict[str, Any], meter: Meter) -> Any:
    if name == "update" and len(given) <= 1 and all(isinstance(g, dict) for g in given):
        meter.items(len(named) + sum(map(len, given)))
        items.update(*given, **named)
        return None
    if named:
        raise NotKnown("a named argument")
    if name in ("keys", "values", "items", "copy") and not given:
        meter.items(len(items))
        return dict(items) if name == "copy" else list(getattr(items, name)())
    if name in ("get", "pop", "setdefault") and given:
        key(given[0])
        return getattr(items, name)(*given)
    if name == "clear" and not given:
        return items.clear()
    raise NotKnown(f"method {name[:40]} of a dict")


def _of_set(items: set[Any], name: str, given: list[Any], named: dict[str, Any], meter: Meter) -> Any:
    if name in ("add", "discard", "remove") and len(given) == 1 and not named:
        return getattr(items, name)(key(given[0]))
    if name in ("update", "union", "intersection", "difference", "issubset", "issuperset") and not named:
        if not all(isinstance(g, set) or (isinstance(g, list | tuple) and all(map(scalar, g))) for g in given):
            raise NotKnown("a set of these values")
        meter.items(len(items) + sum(map(len, given)))
        return getattr(items, name)(*given)
    raise NotKnown(f"method {name[:40]} of a set")
