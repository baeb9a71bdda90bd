"""Replay, script, part 8: the names of a script, its functions, and how their arguments reach them.

In: names, values, a function's arguments. Out: the scope a function's body runs in. A name that is nowhere is what it
is to Python: an error of the script.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import Any

from core.replay.script.context import Context, Named
from core.replay.script.meter import Jump, NotKnown, Raised
from core.replay.script.names import CONSTANTS, FUNCTIONS

_KINDS = frozenset({"dict", "str", "int", "bool", "list", "tuple", "set"})
_BUILT_IN = frozenset(dir(builtins))


class Returned(Jump):
    """A ``return`` on its way out of its function."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


@dataclass(slots=True)
class Scope:
    """Names and their values; ``outer`` is the scope around a function's or a comprehension's."""

    context: Context
    names: dict[str, Any] = field(default_factory=dict)
    outer: Scope | None = None
    shared: set[str] = field(default_factory=set)  # declared global here
    depth: int = 0
    own: frozenset[str] = frozenset()  # what a function assigns: its own, even before it does

    def get(self, name: str) -> Any:
        """The value of a name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.own and name not in scope.shared:
                raise Raised("UnboundLocalError" if scope is self else "NameError", name)
            scope = scope.outer
        if name in CONSTANTS and "." not in name:
            return CONSTANTS[name]
        if name in FUNCTIONS or name in _KINDS:
            return Named(name)
        if name in _BUILT_IN or name.startswith("__") or self.context.starred:
            raise NotKnown(f"name {name[:40]}")
        raise Raised("NameError", name)

    def set(self, name: str, value: Any) -> None:
        """Binds a name."""
        scope: Scope = self
        while name in scope.shared and scope.outer is not None:
            scope = scope.outer
        scope.names[name] = value


@dataclass(frozen=True, slots=True, eq=False)
class Defined:
    """A function of the script; ``defaults`` belong to its last arguments."""

    arguments: tuple[str, ...]
    defaults: tuple[Any, ...]
    body: list[ast.stmt] | ast.expr
    scope: Scope
    named: tuple[tuple[str, Any], ...] = ()  # those given by name only, with their defaults
    rest: str = ""  # the name that takes all further ones
    own: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A method taken off its value."""

    value: Any
    name: str


REQUIRED = object()
"""The default of an argument that has none."""


def entered(function: Defined, given: list[Any], named: dict[str, Any], depth: int) -> Scope:
    """The scope of a call of ``function``; raises what Python does when the arguments do not fit."""
    count = len(function.arguments)
    values = dict(zip(function.arguments[count - len(function.defaults) :], function.defaults, strict=True))
    values.update({name: default for name, default in function.named if default is not REQUIRED})
    values.update(zip(function.arguments, given, strict=False))
    open_names = {*function.arguments[len(given) :], *(name for name, _ in function.named)}
    if (len(given) > count and not function.rest) or not set(named) <= open_names:
        raise Raised("TypeError", "arguments")
    values.update(named)
    if len(values) != count + len(function.named):
        raise Raised("TypeError", "arguments")
    if function.rest:
        values[function.rest] = tuple(given[count:])
    return Scope(function.scope.context, values, function.scope, depth=depth, own=function.own)


def assigned(body: list[ast.stmt]) -> frozenset[str]:
    """The names that the statements of a function bind, those of functions inside it left out."""
    found: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            pending.extend(ast.iter_child_nodes(node))
    return frozenset(found)
