"""Replay, script, part 6: what the functions of a script work on, and how they take their arguments.

In: the values a script gives. Out: ``Context``, and the texts, paths and items those values are, or ``NotKnown``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.replay.script.files import Disk, Handle, PathValue
from core.replay.script.meter import Meter, NotKnown, Raised


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
    starred: bool = False  # whether a module gave all its names: any name may be there


Arguments = list[Any]
Function = Callable[[Context, Arguments, dict[str, Any]], Any]


def plain(count: tuple[int, ...]) -> Callable[[Callable[[Context, Arguments], Any]], Function]:
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
