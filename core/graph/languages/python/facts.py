"""The cells a Python file gives besides its scopes (see ``python`` for their addresses)."""

from __future__ import annotations

from typing import NamedTuple

from core.graph.languages.python.expressions import Value


class Parameter(NamedTuple):
    """``kind`` is "", "key", "*" or "**"; annotation and default are read in the enclosing scope."""

    name: str
    kind: str
    annotation: Value
    default: Value


class FunctionFacts(NamedTuple):
    """What callers of a function depend on; ``flags`` out of static, class, property, async, generator."""

    parent: str
    cls: str
    params: tuple[Parameter, ...]
    flags: frozenset[str]
    decorators: tuple[Value, ...]
    returned: Value
    returns: tuple[Value, ...]
    yields: tuple[Value, ...]


class ClassFacts(NamedTuple):
    """Bases and keywords as expressions of the enclosing scope."""

    parent: str
    bases: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    decorators: tuple[Value, ...]


class NameFacts(NamedTuple):
    """``versions``: (kind, expression) in text order; ``final``: which may hold at the end of the scope;
    ``extern``: (scope, expression) of updates and ``global`` assignments made elsewhere in the file;
    ``choice``: several definitions or imports may be the one that holds."""

    versions: tuple[tuple[str, Value], ...]
    final: tuple[int, ...]
    extern: tuple[tuple[str, Value], ...]
    choice: bool
