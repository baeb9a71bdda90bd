"""Replay, script, part 7d: ``json``: texts and the values they stand for.

In: a text or values of the script. Out: values or a text, each node paid for as often as it is written.
"""

from __future__ import annotations

import json
from typing import Any

from core.replay.script.context import Arguments, Context, Function, plain, text
from core.replay.script.files import Handle
from core.replay.script.meter import MAX_INT, NotKnown, Raised

MAX_NESTED = 60
_OPTIONS = frozenset({"indent", "sort_keys", "ensure_ascii", "separators"})


def _loaded(context: Context, source: str) -> Any:
    context.meter.text(16 * len(source))
    try:
        return json.loads(source, parse_int=_integer, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise Raised("JSONDecodeError", str(error)) from error


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -MAX_INT < int(digits) < MAX_INT:
        raise NotKnown("a number too large")
    return int(digits)


def _constant(name: str) -> None:
    raise NotKnown("a number that is none")


def _dumped(context: Context, value: Any, named: dict[str, Any]) -> str:
    if not set(named) <= _OPTIONS:
        raise NotKnown("a way to write values")
    indent, separators = named.get("indent"), named.get("separators")
    if not (indent is None or (isinstance(indent, int) and 0 <= indent <= 16)):
        raise NotKnown("a way to indent")
    pair = separators if isinstance(separators, tuple) else ()
    if separators is not None and not (len(pair) == 2 and all(len(text(part)) < 9 for part in pair)):
        raise NotKnown("a way to separate")
    _pay(context, value, 0)
    by_name, plain_letters = bool(named.get("sort_keys", False)), bool(named.get("ensure_ascii", True))
    return json.dumps(value, indent=indent, separators=separators, sort_keys=by_name, ensure_ascii=plain_letters)


def _pay(context: Context, value: Any, depth: int) -> None:
    """Counts what writing ``value`` costs; only what a text of JSON can hold."""
    if depth > MAX_NESTED:
        raise NotKnown("values nested too deep")
    context.meter.spend(1 + depth // 4)
    if isinstance(value, str):
        context.meter.text(6 * len(value))
    elif isinstance(value, list | tuple):
        for item in value:
            _pay(context, item, depth + 1)
    elif isinstance(value, dict):
        for name, item in value.items():
            context.meter.text(6 * len(text(name)))
            _pay(context, item, depth + 1)
    elif not (value is None or isinstance(value, int | float)):
        raise NotKnown("a value JSON has no form for")


def _read(context: Context, given: Arguments) -> Any:
    if not isinstance(given[0], Handle):
        raise NotKnown("something else than a file")
    return _loaded(context, given[0].read())


def _write(context: Context, given: Arguments, named: dict[str, Any]) -> None:
    if len(given) != 2 or not isinstance(given[1], Handle):
        raise NotKnown("something else than a file")
    given[1].write(_dumped(context, given[0], named))


def _dumps(context: Context, given: Arguments, named: dict[str, Any]) -> str:
    if len(given) != 1:
        raise NotKnown("arguments")
    return _dumped(context, given[0], named)


DATA: dict[str, Function] = {
    "json.loads": plain((1,))(lambda c, g: _loaded(c, text(g[0]))),
    "json.load": plain((1,))(_read),
    "json.dumps": _dumps,
    "json.dump": _write,
}
