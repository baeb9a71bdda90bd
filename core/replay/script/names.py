"""Replay, script, part 6: the functions and modules a script may name.

In: a dotted name ("open", "re.sub", "os.path.join"), arguments. Out: the result, on the script's ``Context``. A name
that is not in ``FUNCTIONS`` or ``CONSTANTS`` is ``NotKnown``; nothing is looked up anywhere else.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.replay.script.files import Disk, Handle, PathValue
from core.replay.script.meter import Exited, Meter, NotKnown, Raised
from core.replay.script.methods import ordered, taken
from core.replay.script.operators import flat, scalar, size_of, text_of
from core.replay.script.regex import Found, Regex, compile_regex, expanded

MAX_PRINTED = 1000


@dataclass(frozen=True, slots=True)
class Named:
    """A module or one of its names, known by the dotted name only."""

    name: str


@dataclass(slots=True)
class Context:
    """What the functions of a script work on.

    ``call`` calls one of the script's own functions, ``execute`` carries out statements in a scope.
    """

    meter: Meter
    disk: Disk
    call: Callable[[Any, list[Any]], Any]
    execute: Callable[[list[ast.stmt], Any], None]
    printed: list[str] = field(default_factory=list)


Arguments = list[Any]
Function = Callable[[Context, Arguments, dict[str, Any]], Any]


def _plain(count: tuple[int, ...]) -> Callable[[Callable[[Context, Arguments], Any]], Function]:
    """A function of ``count`` unnamed arguments."""

    def made(function: Callable[[Context, Arguments], Any]) -> Function:
        def called(context: Context, given: Arguments, named: dict[str, Any]) -> Any:
            if named or len(given) not in count:
                raise NotKnown("arguments")
            return function(context, given)

        return called

    return made


def text(value: Any) -> str:
    """``value`` as the string it must be."""
    if not isinstance(value, str):
        raise NotKnown("something else than a text")
    return value


def path(value: Any) -> str:
    """The path that a string or path object names."""
    return value.text if isinstance(value, PathValue) else text(value)


def opened(context: Context, given: Arguments, named: dict[str, Any]) -> Handle:
    """``open``: mode and encoding as usual; what changes the text otherwise is not known."""
    if not given or len(given) > 2 or not set(named) <= {"mode", "encoding", "newline", "errors"}:
        raise NotKnown("a way to open files")
    encoding = named.get("encoding")
    if encoding is not None and str(encoding).lower() not in ("utf-8", "utf8"):
        raise NotKnown("an encoding")
    if named.get("newline") not in (None, "", "\n"):
        raise NotKnown("a line end")
    mode = text(given[1] if len(given) > 1 else named.get("mode", "r"))
    return context.disk.open(path(given[0]), mode, named.get("newline") is not None)


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


def _extreme(choose: Callable[[Any], Any]) -> Function:
    def found(context: Context, given: Arguments, named: dict[str, Any]) -> Any:
        items = taken(given[0], context.meter) if len(given) == 1 else list(given)
        if set(named) - {"default"} or not flat(items, context.meter):
            raise NotKnown("an extreme")
        if not items:
            if "default" in named:
                return named["default"]
            raise Raised("ValueError", "empty")
        try:
            return choose(items)
        except TypeError as error:
            raise Raised("TypeError") from error

    return found


def _sorted(context: Context, given: Arguments, named: dict[str, Any]) -> list[Any]:
    if len(given) != 1 or set(named) - {"reverse"}:
        raise NotKnown("an order")
    items = list(given[0]) if isinstance(given[0], set) else taken(given[0], context.meter)
    try:
        return ordered(items, bool(named.get("reverse")), context.meter)
    except TypeError as error:
        raise Raised("TypeError") from error


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


def _next(context: Context, given: Arguments) -> Any:
    if not hasattr(given[0], "__next__"):
        raise NotKnown("the next of this value")
    try:
        return next(given[0])
    except StopIteration:
        if len(given) == 2:
            return given[1]
        raise Raised("StopIteration") from None


def _iterated(context: Context, value: Any) -> Iterator[Any]:
    """An iterator over a value as Python makes it: it sees the changes of a list while it runs."""
    if isinstance(value, Handle):
        return iter(value.readlines())
    if isinstance(value, set) and len(value) > 1:
        raise NotKnown("the order of a set")
    if isinstance(value, str | list | tuple | dict | set | range) or hasattr(value, "__next__"):
        return iter(value)
    raise NotKnown("an iteration over this value")


def iterated(context: Context, value: Any) -> Iterator[Any]:
    """``iter(value)``, each item paid for."""
    inner = _iterated(context, value)
    while True:
        context.meter.spend()
        try:
            item = next(inner)
        except StopIteration:
            return
        except RuntimeError as error:
            raise Raised("RuntimeError", "changed during iteration") from error
        yield item


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


def _path_of(context: Context, given: Arguments) -> PathValue:
    made = PathValue(path(given[0]) if given else ".")
    for part in given[1:]:
        made = made.joined(path(part))
    return PathValue(posixpath.normpath(made.text)) if ".." not in made.text else made


def exists(context: Context, given: Arguments) -> bool:
    """Whether a file is there; of a folder the reader knows no text."""
    return context.disk.raw(path(given[0])) is not None


def _removed(context: Context, given: Arguments) -> None:
    if context.disk.raw(path(given[0])) is None:
        raise Raised("FileNotFoundError")
    context.disk.put(path(given[0]), None)


def _moved(keep: bool) -> Function:
    return _plain((2,))(lambda context, given: context.disk.move(path(given[0]), path(given[1]), keep))


# ---- re ----


def regex(pattern: Any, flags: Any) -> Regex:
    """The pattern a script gives, compiled or as text."""
    if isinstance(pattern, Regex):
        return pattern
    if not isinstance(flags, int):
        raise NotKnown("flags")
    return compile_regex(text(pattern), flags)


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


def _split(context: Context, given: Arguments) -> list[str]:
    wanted, source = regex(given[0], 0), text(given[1])
    if wanted.groups:
        raise NotKnown("a split with groups")
    out, at = [], 0
    for match in wanted.all(source, context.meter):
        start, end = match.span()
        out.append(source[at:start])
        at = end
    return [*out, source[at:]]


FUNCTIONS: dict[str, Function] = {
    "open": opened,
    "io.open": opened,
    "print": _print,
    "sys.exit": _exit,
    "exit": _exit,
    "quit": _exit,
    "len": _plain((1,))(_len),
    "range": _plain((1, 2, 3))(_range),
    "str": _plain((0, 1))(lambda c, g: text_of(g[0], c.meter) if g else ""),
    "repr": _plain((1,))(lambda c, g: text_of(g[0], c.meter, True)),
    "int": _plain((1,))(_int),
    "bool": _plain((1,))(lambda c, g: bool(g[0])),
    "list": _plain((0, 1))(lambda c, g: taken(iterated(c, g[0]), c.meter) if g else []),
    "tuple": _plain((0, 1))(lambda c, g: tuple(taken(iterated(c, g[0]), c.meter)) if g else ()),
    "set": _plain((0, 1))(_set),
    "dict": _plain((0,))(lambda c, g: {}),
    "sorted": _sorted,
    "min": _extreme(min),
    "max": _extreme(max),
    "sum": _plain((1,))(_sum),
    "abs": _plain((1,))(lambda c, g: abs(_int(c, g))),
    "any": _plain((1,))(lambda c, g: any(iterated(c, g[0]))),
    "all": _plain((1,))(lambda c, g: all(iterated(c, g[0]))),
    "next": _plain((1, 2))(_next),
    "iter": _plain((1,))(lambda c, g: iterated(c, g[0])),
    "reversed": _plain((1,))(lambda c, g: iter(taken(g[0], c.meter)[::-1])),
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _plain((2,))(lambda c, g: (c.call(g[0], [v]) for v in iterated(c, g[1]))),
    "filter": _plain((2,))(_filter),
    "isinstance": _plain((2,))(_is_kind),
    "pathlib.Path": _plain((0, 1, 2, 3, 4, 5))(_path_of),
    "os.path.join": _plain((1, 2, 3, 4, 5))(lambda c, g: posixpath.join(*map(path, g))),
    "os.path.exists": _plain((1,))(exists),
    "os.path.isfile": _plain((1,))(exists),
    "os.path.basename": _plain((1,))(lambda c, g: posixpath.basename(path(g[0]))),
    "os.path.dirname": _plain((1,))(lambda c, g: posixpath.dirname(path(g[0]))),
    "os.path.abspath": _plain((1,))(lambda c, g: c.disk.absolute(path(g[0]))),
    "os.getcwd": _plain((0,))(lambda c, g: c.disk.cwd),
    "os.remove": _plain((1,))(_removed),
    "os.unlink": _plain((1,))(_removed),
    "os.rename": _moved(False),
    "os.replace": _moved(False),
    "shutil.move": _moved(False),
    "shutil.copy": _moved(True),
    "shutil.copyfile": _moved(True),
    "shutil.copy2": _moved(True),
    "re.compile": _compile,
    "re.search": _matching("search"),
    "re.match": _matching("match"),
    "re.fullmatch": _matching("fullmatch"),
    "re.findall": _find_all,
    "re.finditer": _find_iter,
    "re.sub": lambda c, g, n: _substituted(c, g, n)[0],
    "re.subn": _substituted,
    "re.split": _plain((2,))(_split),
    "re.escape": _plain((1,))(lambda c, g: re.escape(text(g[0]))),
    "textwrap.dedent": _plain((1,))(lambda c, g: _dedented(c, text(g[0]))),
}
CONSTANTS: dict[str, Any] = {
    **{f"re.{name}": int(getattr(re, name)) for name in ("I", "M", "S", "X", "A", "U")},
    "re.IGNORECASE": int(re.I),
    "re.MULTILINE": int(re.M),
    "re.DOTALL": int(re.S),
    "re.VERBOSE": int(re.X),
    "os.sep": "/",
    "os.linesep": "\n",
    "__name__": "__main__",
}
MODULES = frozenset({"re", "os", "os.path", "sys", "io", "pathlib", "shutil", "textwrap"})


def _dedented(context: Context, source: str) -> str:
    """``textwrap.dedent``: the white space that all lines with other characters begin with is taken away."""
    context.meter.text(4 * len(source))
    lines = source.split("\n")
    heads = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip(" \t")]
    common = posixpath.commonprefix(heads)
    return "\n".join(line[len(common) :] if line.strip(" \t") else "" for line in lines)
