"""Replay, script, part 7e: the objects a script meets: open files, paths, expressions and their matches.

In: an object, the name of an attribute or method, arguments. Out: the value, or what Python would raise.
"""

from __future__ import annotations

import posixpath
from typing import Any

from core.replay.script.context import Context, iterated, path, text
from core.replay.script.files import Handle, PathValue
from core.replay.script.meter import NotKnown, Raised
from core.replay.script.methods import taken
from core.replay.script.names import FUNCTIONS
from core.replay.script.regex import Found, Regex
from core.replay.script.system import exists, made_folder, opened


def attribute(value: Any, name: str) -> Any:
    """``value.name`` where that is a value and no method, else None."""
    if isinstance(value, PathValue):
        if name == "name":
            return posixpath.basename(value.text)
        if name == "parent":
            return PathValue(posixpath.dirname(value.text) or ".")
        if name in ("stem", "suffix"):
            return posixpath.splitext(posixpath.basename(value.text))[name == "suffix"]
    if isinstance(value, Handle) and name in ("name", "closed"):
        return value.path if name == "name" else value.closed
    return None


def call_object(context: Context, value: Any, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    """``value.name(*given, **named)``."""
    if isinstance(value, Handle):
        return _of_file(context, value, name, given, named)
    if isinstance(value, PathValue):
        return _of_path(context, value, name, given, named)
    if isinstance(value, Regex):
        if name not in ("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"):
            raise NotKnown("a method of an expression")
        if name in ("search", "match") and len(given) == 2 and isinstance(given[1], int) and not named:
            start = min(max(given[1], 0), len(text(given[0])))
            return value.find(given[0], start, context.meter, name)
        if name not in ("sub", "subn") and len(given) != 1:
            raise NotKnown("a part of a text")
        return FUNCTIONS[f"re.{name}"](context, [value, *given], named)
    return _of_match(value, name, given, named)


def _of_file(context: Context, file: Handle, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    if named or len(given) > 1:
        raise NotKnown("arguments")
    if name == "read" and (not given or isinstance(given[0], int)):
        return file.read(*given)
    if name in ("readline", "readlines", "close", "truncate", "seek") and len(given) <= (name in ("truncate", "seek")):
        return getattr(file, name)(*given)
    if name == "flush" and not given:
        return None
    if name == "write" and given:
        return file.write(text(given[0]))
    if name == "writelines" and given:
        lines = taken(iterated(context, given[0]), context.meter)
        context.meter.text(sum(len(text(line)) for line in lines))
        file.write("".join(lines))
        return None
    raise NotKnown(f"method {name[:40]} of a file")


def _of_path(context: Context, value: PathValue, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    encoding = named.pop("encoding", None)
    if encoding is not None and str(encoding).lower() not in ("utf-8", "utf8"):
        raise NotKnown("an encoding")
    if name == "open":
        return opened(context, [value, *given], named)
    if name == "mkdir" and not given:
        return made_folder(context, [value], named)
    if named:
        raise NotKnown("arguments")
    if name == "read_text" and not given:
        return context.disk.read(value.text)
    if name == "write_text" and len(given) == 1:
        context.disk.put(value.text, text(given[0]))
        return len(given[0])
    if name in ("exists", "is_file") and not given:
        return exists(context, [value])
    if name == "unlink" and not given:
        return FUNCTIONS["os.remove"](context, [value], {})
    if name in ("rename", "replace") and len(given) == 1:
        context.disk.move(value.text, path(given[0]), False)
        return PathValue(path(given[0]))
    if name == "as_posix" and not given:
        return value.text
    if name in ("resolve", "absolute") and not given:
        return PathValue(context.disk.absolute(value.text))
    if name == "joinpath" and given:
        made = value
        for part in given:
            made = made.joined(path(part))
        return made
    if name in ("with_suffix", "with_name") and len(given) == 1:
        folder, base = posixpath.split(value.text)
        new = text(given[0]) if name == "with_name" else posixpath.splitext(base)[0] + text(given[0])
        return PathValue(posixpath.join(folder, new))
    raise NotKnown(f"method {name[:40]} of a path")


def _of_match(match: Found, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    if named or not all(isinstance(g, int | str) for g in given):
        raise NotKnown("arguments")
    if name == "group":
        found = [match.group(g) for g in given or [0]]
        return found[0] if len(found) == 1 else tuple(found)
    if name == "groups" and not given:
        return tuple(match.group(number) for number in range(1, match.groups + 1))
    if name == "groupdict" and not given:
        return {name: match.group(name) for name in match.names}
    if name in ("start", "end", "span") and len(given) <= 1:
        start, end = match.span(*given)
        return {"start": start, "end": end, "span": (start, end)}[name]
    raise Raised("AttributeError", name)
