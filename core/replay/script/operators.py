"""Replay, script, part 4: the operators on the values a script may have.

In: values, a ``Meter``. Out: values. Values are Python's own strings, numbers, lists, tuples, dicts and sets, made of
each other, never larger than the meter lets them be; anything a comparison or a text of a value could be exponential
in (lists of lists of lists) is ``NotKnown``.
"""

from __future__ import annotations

import ast
from typing import Any

from core.replay.script.files import PathValue
from core.replay.script.meter import Meter, NotKnown, Raised

SCALARS = (str, int, bool, float, type(None))
MAX_FLAT = 100_000


def scalar(value: Any) -> bool:
    """Whether ``value`` is a string, a number, a truth value or None."""
    return isinstance(value, SCALARS)


def flat(value: Any, meter: Meter) -> bool:
    """Whether ``value`` is a scalar, or a list, tuple or set of scalars or of tuples of scalars."""
    if scalar(value):
        return True
    if not isinstance(value, list | tuple | set) or len(value) > MAX_FLAT:
        return False
    meter.items(len(value))
    return all(scalar(v) or (isinstance(v, tuple) and len(v) < 10 and all(map(scalar, v))) for v in value)


def size_of(value: Any) -> int:
    """Roughly the characters that a comparison or a text of a flat ``value`` looks at."""
    if isinstance(value, str):
        return len(value)
    return sum(len(v) if isinstance(v, str) else 8 for v in value) if isinstance(value, list | tuple | set) else 8


def text_of(value: Any, meter: Meter, quoted: bool = False) -> str:
    """``str`` or ``repr`` of a value."""
    if isinstance(value, PathValue) and not quoted:
        return value.text
    if not flat(value, meter):
        raise NotKnown("the text of a value")
    meter.text(4 * size_of(value))
    return repr(value) if quoted else str(value)


def truth(value: Any) -> bool:
    """Whether a condition holds."""
    return bool(value)


def compare(operator: ast.cmpop, left: Any, right: Any, meter: Meter) -> bool:
    """One comparison."""
    if isinstance(operator, ast.Is | ast.IsNot):
        if not (left is None or right is None or isinstance(left, bool) or isinstance(right, bool)):
            raise NotKnown("identity of values")
        return (left is right) is isinstance(operator, ast.Is)
    if isinstance(operator, ast.In | ast.NotIn):
        return contains(right, left, meter) is isinstance(operator, ast.In)
    if not (flat(left, meter) and flat(right, meter)):
        if isinstance(operator, ast.Eq | ast.NotEq) and (left is None or right is None):
            return isinstance(operator, ast.NotEq)
        raise NotKnown("a comparison of these values")
    meter.text(min(size_of(left), size_of(right)))
    if isinstance(operator, ast.Eq | ast.NotEq):
        return (left == right) is isinstance(operator, ast.Eq)
    if isinstance(left, set) or isinstance(right, set):
        raise NotKnown("an order of sets")
    try:
        if isinstance(operator, ast.Lt):
            return bool(left < right)
        if isinstance(operator, ast.LtE):
            return bool(left <= right)
        return bool(left > right) if isinstance(operator, ast.Gt) else bool(left >= right)
    except TypeError as error:
        raise Raised("TypeError", "not comparable") from error


def contains(holder: Any, value: Any, meter: Meter) -> bool:
    """``value in holder``."""
    if isinstance(holder, str):
        if not isinstance(value, str):
            raise Raised("TypeError", "in <string> requires string")
        meter.text(len(holder))
        return value in holder
    if isinstance(holder, range) and isinstance(value, int):
        return value in holder
    if isinstance(holder, dict | set):
        key(value)
        return value in holder
    if isinstance(holder, list | tuple) and scalar(value) and flat(holder, meter):
        return value in holder
    raise NotKnown("membership in this value")


def key(value: Any) -> Any:
    """``value`` as a key of a dict or set: a scalar or a small tuple of scalars."""
    if scalar(value) or (isinstance(value, tuple) and len(value) < 10 and all(map(scalar, value))):
        return value
    raise NotKnown("a key")


def calculate(operator: ast.operator, left: Any, right: Any, meter: Meter) -> Any:
    """One operation of two values."""
    if isinstance(left, PathValue) and isinstance(operator, ast.Div) and isinstance(right, str | PathValue):
        return left.joined(right if isinstance(right, str) else right.text)
    if isinstance(left, int) and isinstance(right, int):
        return meter.number(_integer(operator, left, right))
    if isinstance(operator, ast.Add):
        return _added(left, right, meter)
    if isinstance(operator, ast.Mult):
        return _repeated(left, right, meter)
    if isinstance(operator, ast.Mod) and isinstance(left, str):
        return _formatted(left, right, meter)
    if isinstance(left, set) and isinstance(right, set):
        meter.items(len(left) + len(right))
        if isinstance(operator, ast.BitOr):
            return left | right
        if isinstance(operator, ast.BitAnd):
            return left & right
        if isinstance(operator, ast.Sub):
            return left - right
    raise NotKnown("an operation on these values")


def _integer(operator: ast.operator, left: int, right: int) -> int:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.FloorDiv | ast.Mod):
        if right == 0:
            raise Raised("ZeroDivisionError")
        return left // right if isinstance(operator, ast.FloorDiv) else left % right
    if isinstance(operator, ast.BitOr):
        return left | right  # flags of expressions
    if isinstance(operator, ast.BitAnd):
        return left & right
    raise NotKnown("an operation on numbers")


def _added(left: Any, right: Any, meter: Meter) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        meter.text(len(left) + len(right))
        return left + right
    if (isinstance(left, list) and isinstance(right, list)) or (isinstance(left, tuple) and isinstance(right, tuple)):
        meter.items(len(left) + len(right))
        return [*left, *right] if isinstance(left, list) else (*left, *right)
    if scalar(left) and scalar(right) and (isinstance(left, str) or isinstance(right, str)):
        raise Raised("TypeError", "can only concatenate str")
    raise NotKnown("a sum of these values")


def _repeated(left: Any, right: Any, meter: Meter) -> Any:
    if isinstance(left, int):
        left, right = right, left
    if not isinstance(right, int) or not isinstance(left, str | list | tuple):
        raise NotKnown("a product of these values")
    size = len(left) * max(right, 0)
    if isinstance(left, str):
        meter.text(size)
    else:
        meter.items(size)
    return left * right


def _formatted(template: str, given: Any, meter: Meter) -> str:
    """``template % given`` with %s, %d and %r only."""
    values = given if isinstance(given, tuple) else (given,)
    pieces = template.replace("%%", "\0").split("%")
    if "\0" in template or any(piece[:1] not in ("s", "d", "r") for piece in pieces[1:]):
        raise NotKnown("a way to format")
    if len(pieces) - 1 != len(values):
        raise Raised("TypeError", "arguments for format string")
    out = [pieces[0]]
    for piece, value in zip(pieces[1:], values, strict=True):
        if piece[0] == "d" and not isinstance(value, int):
            raise NotKnown("a way to format")
        out.append(text_of(int(value) if piece[0] == "d" else value, meter, piece[0] == "r") + piece[1:])
    meter.text(sum(map(len, out)))
    return "".join(out).replace("\0", "%")


def element(value: Any, index: Any, meter: Meter) -> Any:
    """``value[index]``."""
    if isinstance(value, dict):
        if key(index) not in value:
            raise Raised("KeyError")
        return value[index]
    if not isinstance(value, str | list | tuple | range):
        raise NotKnown("an element of this value")
    if isinstance(index, slice):
        if isinstance(value, str):
            meter.text(len(value))
        else:
            meter.items(len(range(*index.indices(len(value)))))
        return value[index]
    if not isinstance(index, int):
        raise Raised("TypeError", "indices must be integers")
    if not -len(value) <= index < len(value):
        raise Raised("IndexError")
    return value[index]
