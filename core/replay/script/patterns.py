"""Replay, script, part 7c: ``re``: the module's functions over the counted matcher.

In: patterns as text or compiled, texts. Out: what Python's ``re`` gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from core.replay.script.context import Arguments, Context, Function, plain, text
from core.replay.script.meter import NotKnown, Raised
from core.replay.script.regex import Found, Regex, compile_regex


def regex(pattern: Any, flags: Any) -> Regex:
    """The pattern a script gives, compiled or as text."""
    if isinstance(pattern, Regex):
        return pattern
    if not isinstance(flags, int):
        raise NotKnown("flags")
    return compile_regex(text(pattern), flags)


def expanded(template: str, found: Found) -> str:
    """The replacement ``template`` of ``re.sub`` for one match."""
    out: list[str] = []
    at = 0
    token = re.compile(r"\\(?:(\d\d?)|g<([A-Za-z_]\w{0,40}|\d{1,3})>|(.))", re.DOTALL)
    for match in token.finditer(template):
        out.append(template[at : match.start()])
        number, name, other = match.groups()
        if number is not None and (number.startswith("0") or template[match.end() :][:1].isdigit()):
            raise NotKnown("an octal escape")
        if number is not None or name is not None:
            wanted = number if number is not None else name
            out.append(found.group(int(wanted) if wanted.isdigit() else wanted) or "")
        elif other in "nrtvfab\\":
            out.append({"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}.get(other, "\\"))
        elif other.isascii() and other.isalpha():
            raise Raised("error", "bad escape")
        else:
            out.append("\\" + other)
        at = match.end()
    rest = template[at:]
    if rest.endswith("\\"):
        raise Raised("error", "bad escape at the end")
    return "".join(out) + rest


def _compile(context: Context, given: Arguments, named: dict[str, Any]) -> Regex:
    context.meter.spend(100)
    return regex(given[0], given[1] if len(given) > 1 else named.get("flags", 0))


def _matching(how: str) -> Function:
    def found(context: Context, given: Arguments, named: dict[str, Any]) -> Found | None:
        if len(given) not in (2, 3) or set(named) - {"flags"}:
            raise NotKnown("arguments")
        wanted = regex(given[0], given[2] if len(given) > 2 else named.get("flags", 0))
        return wanted.find(text(given[1]), 0, context.meter, how)

    return found


def _find_all(context: Context, given: Arguments, named: dict[str, Any]) -> list[Any]:
    found = regex(given[0], given[2] if len(given) > 2 else named.get("flags", 0)).all(text(given[1]), context.meter)
    return [_groups(match) for match in found]


def _groups(match: Found) -> Any:
    if match.groups <= 1:
        return match.group(match.groups) or ""
    return tuple(match.group(number) or "" for number in range(1, match.groups + 1))


def _find_iter(context: Context, given: Arguments, named: dict[str, Any]) -> Iterator[Found]:
    wanted = regex(given[0], given[2] if len(given) > 2 else named.get("flags", 0))
    return wanted.all(text(given[1]), context.meter)


def _substituted(context: Context, given: Arguments, named: dict[str, Any]) -> tuple[str, int]:
    if len(given) not in (3, 4, 5) or set(named) - {"count", "flags"}:
        raise NotKnown("arguments")
    most = given[3] if len(given) > 3 else named.get("count", 0)
    wanted = regex(given[0], given[4] if len(given) > 4 else named.get("flags", 0))
    source, out, at, times = text(given[2]), [], 0, 0
    if not isinstance(most, int):
        raise NotKnown("a count")
    for match in wanted.all(source, context.meter):
        start, end = match.span()
        new = expanded(given[1], match) if isinstance(given[1], str) else text(context.call(given[1], [match]))
        context.meter.text(len(new) + start - at)
        out += [source[at:start], new]
        at, times = end, times + 1
        if times == most:
            break
    context.meter.text(sum(map(len, out)))
    return "".join(out) + source[at:], times


def _split(context: Context, given: Arguments, named: dict[str, Any]) -> list[Any]:
    most = given[2] if len(given) == 3 else named.get("maxsplit", 0)
    if len(given) not in (2, 3) or set(named) - {"maxsplit", "flags"} or not isinstance(most, int):
        raise NotKnown("arguments")
    wanted, source = regex(given[0], named.get("flags", 0)), text(given[1])
    out: list[Any] = []
    at = times = 0
    for match in wanted.all(source, context.meter):
        start, end = match.span()
        out += [source[at:start], *(match.group(number) for number in range(1, match.groups + 1))]
        at, times = end, times + 1
        if times == most:
            break
    return [*out, source[at:]]


PATTERNS: dict[str, Function] = {
    "re.compile": _compile,
    "re.search": _matching("search"),
    "re.match": _matching("match"),
    "re.fullmatch": _matching("fullmatch"),
    "re.findall": _find_all,
    "re.finditer": _find_iter,
    "re.sub": lambda c, g, n: _substituted(c, g, n)[0],
    "re.subn": _substituted,
    "re.split": _split,
    "re.escape": plain((1,))(lambda c, g: re.escape(text(g[0]))),
}
