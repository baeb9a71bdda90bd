"""Replay, script, part 4b: values put into a text: format specifications, ``str.format``, ``%``.

In: a value and how it is to be shown. Out: the text, paid for. Only plain specifications are known: fill, side,
width, and ``d``, ``s``, ``x`` or a thousands sign; a field that looks into a value is ``NotKnown``.
"""

from __future__ import annotations

import re
from typing import Any

from core.replay.script.meter import Meter, NotKnown, Raised
from core.replay.script.operators import text_of

_SPEC = re.compile(r"(?:.?[<>^])?(0?)(\d{0,4})[,_]?[dsxX]?", re.DOTALL)
_FIELD = re.compile(r"\{\{|\}\}|\{(\d{0,2}|[A-Za-z_]\w{0,40})(?:!([rs]))?(?::([^{}]*))?\}|[{}]")


def formatted(value: Any, spec: str, meter: Meter) -> str:
    """``format(value, spec)``."""
    plain = _SPEC.fullmatch(spec)
    if plain is None or not isinstance(value, str | int) or isinstance(value, bool):
        raise NotKnown("a way to format")
    if plain[1] and isinstance(value, str):
        raise NotKnown("a text with zeros in front, which older versions refuse")
    meter.text(len(str(value)) + int(plain[2] or 0))
    try:
        return format(value, spec)
    except ValueError as error:
        raise Raised("ValueError") from error


def filled(template: str, given: list[Any], named: dict[str, Any], meter: Meter) -> str:
    """``template.format(*given, **named)``."""
    out: list[str] = []
    at = size = automatic = 0
    numbered = False
    for found in _FIELD.finditer(template):
        out.append(template[at : found.start()])
        at = found.end()
        if found[0] in ("{{", "}}"):
            out.append(found[0][0])
            continue
        if found[1] is None:
            raise NotKnown("a field that looks into a value")
        name = found[1] or str(automatic)
        automatic += not found[1]
        numbered = numbered or found[1].isdigit()
        if numbered and automatic:
            raise NotKnown("fields with and without numbers")
        if name.isdigit() and int(name) >= len(given):
            raise Raised("IndexError", "Replacement index out of range")
        if not name.isdigit() and name not in named:
            raise Raised("KeyError", name)
        value = given[int(name)] if name.isdigit() else named[name]
        shown = text_of(value, meter, found[2] == "r")
        out.append(formatted(shown if found[2] else value, found[3], meter) if found[3] else shown)
        size += len(out[-1])
        meter.text(size)
    return "".join(out) + template[at:]
