"""Replay, script, part 10: statements.

In: statements of the script's syntax tree, a ``Scope``. Out: the scope and the files moved on. A kind of statement
that is not here is ``NotKnown``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from core.replay.script.context import Named, iterated
from core.replay.script.expressions import bind, defined, evaluate
from core.replay.script.files import Handle
from core.replay.script.meter import Jump, NotKnown, Raised
from core.replay.script.names import CONSTANTS, FUNCTIONS, MODULES
from core.replay.script.operators import calculate, key, text_of
from core.replay.script.scope import Returned, Scope


class _Break(Jump):
    pass


class _Continue(Jump):
    pass


_FAMILY = {
    "FileNotFoundError": ("OSError", "IOError", "EnvironmentError"),
    "FileExistsError": ("OSError", "IOError", "EnvironmentError"),
    "UnsupportedOperation": ("OSError", "ValueError"),
    "IndexError": ("LookupError",),
    "KeyError": ("LookupError",),
    "ZeroDivisionError": ("ArithmeticError",),
    "UnboundLocalError": ("NameError",),
    "JSONDecodeError": ("ValueError",),
}


def execute(body: list[ast.stmt], scope: Scope) -> None:
    """Carries out statements, in order."""
    for node in body:
        scope.context.meter.spend()
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise NotKnown(f"statement {type(node).__name__}")
        handler(node, scope)


def _expression(node: ast.Expr, scope: Scope) -> None:
    evaluate(node.value, scope)


def _assign(node: ast.Assign, scope: Scope) -> None:
    value = evaluate(node.value, scope)
    for target in node.targets:
        bind(target, value, scope)


def _annotated(node: ast.AnnAssign, scope: Scope) -> None:
    if node.value is not None:
        bind(node.target, evaluate(node.value, scope), scope)


def _augmented(node: ast.AugAssign, scope: Scope) -> None:
    meter = scope.context.meter
    if isinstance(node.target, ast.Name):
        held = scope.get(node.target.id)
        new = evaluate(node.value, scope)
        if isinstance(held, list) and isinstance(node.op, ast.Add):
            held.extend(list(iterated(scope.context, new)))  # in place, as Python does
            return
        scope.set(node.target.id, calculate(node.op, held, new, meter))
        return
    if not isinstance(node.target, ast.Subscript):
        raise NotKnown("a target")
    holder, index = evaluate(node.target.value, scope), evaluate(node.target.slice, scope)
    if isinstance(index, slice) or not isinstance(holder, list | dict):
        raise NotKnown("a target")
    if isinstance(holder, dict):
        if key(index) not in holder:
            raise Raised("KeyError")
    elif not isinstance(index, int) or not -len(holder) <= index < len(holder):
        raise Raised("IndexError")
    if isinstance(holder[index], list | set):
        raise NotKnown("a target changed in place")
    # The value is worked out last: it may have changed the holder.
    held, new = holder[index], evaluate(node.value, scope)
    if isinstance(holder, list) and not -len(holder) <= index < len(holder):
        raise Raised("IndexError")
    holder[index] = calculate(node.op, held, new, meter)


def _if(node: ast.If, scope: Scope) -> None:
    execute(node.body if evaluate(node.test, scope) else node.orelse, scope)


def _for(node: ast.For, scope: Scope) -> None:
    for value in iterated(scope.context, evaluate(node.iter, scope)):
        bind(node.target, value, scope)
        try:
            execute(node.body, scope)
        except _Break:
            return
        except _Continue:
            continue
    execute(node.orelse, scope)


def _while(node: ast.While, scope: Scope) -> None:
    while evaluate(node.test, scope):
        scope.context.meter.spend()
        try:
            execute(node.body, scope)
        except _Break:
            return
        except _Continue:
            continue
    execute(node.orelse, scope)


def _break(node: ast.Break, scope: Scope) -> None:
    raise _Break


def _continue(node: ast.Continue, scope: Scope) -> None:
    raise _Continue


def _return(node: ast.Return, scope: Scope) -> None:
    raise Returned(evaluate(node.value, scope) if node.value is not None else None)


def _function(node: ast.FunctionDef, scope: Scope) -> None:
    if node.decorator_list or any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Nonlocal) for n in ast.walk(node)):
        raise NotKnown("a kind of function")
    scope.set(node.name, defined(node.args, node.body, scope))


def _global(node: ast.Global, scope: Scope) -> None:
    if scope.outer is not None and scope.outer.outer is not None:
        raise NotKnown("a global of an inner function")
    scope.shared.update(node.names)


def _with(node: ast.With, scope: Scope) -> None:
    files = []
    for item in node.items:
        value = evaluate(item.context_expr, scope)
        if not isinstance(value, Handle):
            raise NotKnown("a context")
        files.append(value)
        if item.optional_vars is not None:
            bind(item.optional_vars, value, scope)
    try:
        execute(node.body, scope)
    finally:
        for file in files:
            file.close()


def _import(node: ast.Import, scope: Scope) -> None:
    for alias in node.names:
        name = alias.name if alias.asname else alias.name.split(".")[0]
        # A module that is not known may be named; what it offers is refused where it is used.
        scope.set(alias.asname or name, Named(name))


def _import_from(node: ast.ImportFrom, scope: Scope) -> None:
    if node.module == "__future__":
        return
    if node.level:
        raise NotKnown("an import of the repository itself")
    if any(alias.name == "*" for alias in node.names):
        scope.context.starred = True
        return
    for alias in node.names:
        name = f"{node.module}.{alias.name}"
        known = CONSTANTS[name] if name in CONSTANTS else Named(name)
        if node.module in MODULES and not (name in FUNCTIONS or name in CONSTANTS or name in MODULES):
            known = Named("?")
        scope.set(alias.asname or alias.name, known)


def _delete(node: ast.Delete, scope: Scope) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            if target.id not in scope.names:
                raise Raised("NameError")
            del scope.names[target.id]
            continue
        if not isinstance(target, ast.Subscript):
            raise NotKnown("a deletion")
        holder, index = evaluate(target.value, scope), evaluate(target.slice, scope)
        if not isinstance(holder, list | dict):
            raise NotKnown("a deletion")
        scope.context.meter.items(len(holder))
        try:
            del holder[key(index) if isinstance(holder, dict) else index]
        except (IndexError, KeyError, TypeError) as error:
            raise Raised(type(error).__name__) from error


def _assert(node: ast.Assert, scope: Scope) -> None:
    if not evaluate(node.test, scope):
        raise Raised("AssertionError")


def _raise(node: ast.Raise, scope: Scope) -> None:
    made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if not isinstance(made, ast.Name) or made.id in scope.names or node.cause is not None:
        raise NotKnown("an exception")
    said = ""
    if isinstance(node.exc, ast.Call) and len(node.exc.args) == 1:
        said = text_of(evaluate(node.exc.args[0], scope), scope.context.meter)
    if made.id == "SystemExit":
        FUNCTIONS["exit"](scope.context, [said] if said else [], {})
    raise Raised(made.id, said)


def _try(node: ast.Try, scope: Scope) -> None:
    try:
        try:
            execute(node.body, scope)
        except Raised as raised:
            handler = next((h for h in node.handlers if _catches(h.type, raised.kind)), None)
            if handler is None:
                raise
            if handler.name:
                scope.set(handler.name, Named("?"))  # its text is not known well enough to be used
            execute(handler.body, scope)
            if handler.name:
                scope.names.pop(handler.name, None)
        else:
            execute(node.orelse, scope)
    except NotKnown:
        raise
    except BaseException:
        execute(node.finalbody, scope)
        raise
    execute(node.finalbody, scope)


def _catches(wanted: ast.expr | None, kind: str) -> bool:
    if wanted is None:
        return True
    if isinstance(wanted, ast.Tuple):
        return any(_catches(one, kind) for one in wanted.elts)
    if isinstance(wanted, ast.Attribute):
        raise NotKnown("a kind of exception")
    name = wanted.id if isinstance(wanted, ast.Name) else ""
    return name in ("Exception", "BaseException", kind, *_FAMILY.get(kind, ()))


def _nothing(node: ast.stmt, scope: Scope) -> None:
    """``pass``."""


_HANDLERS: dict[type[ast.stmt], Callable[[Any, Scope], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: _return,
    ast.FunctionDef: _function,
    ast.Global: _global,
    ast.With: _with,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Delete: _delete,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Try: _try,
    ast.Pass: _nothing,
}
