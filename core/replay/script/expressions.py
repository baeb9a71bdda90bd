"""Replay, script, part 9: expressions.

In: a node of the script's syntax tree, a ``Scope``. Out: its value. Every node is counted; a kind of node that is not
here is ``NotKnown``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from core.replay.script.builtins import sort_by
from core.replay.script.context import Named, iterated, text
from core.replay.script.files import Handle, PathValue
from core.replay.script.formats import formatted
from core.replay.script.meter import NotKnown, Raised
from core.replay.script.methods import call_method
from core.replay.script.names import CONSTANTS, FUNCTIONS, MODULES
from core.replay.script.objects import attribute, call_object
from core.replay.script.operators import calculate, compare, element, key, scalar, text_of
from core.replay.script.regex import Found, Regex
from core.replay.script.scope import REQUIRED, Bound, Defined, Returned, Scope, assigned, entered

MAX_DEPTH = 60
_METHODS = (str, list, dict, set, tuple)


def evaluate(node: ast.expr, scope: Scope) -> Any:
    """The value of an expression."""
    scope.context.meter.spend()
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise NotKnown(f"expression {type(node).__name__}")
    return handler(node, scope)


def _constant(node: ast.Constant, scope: Scope) -> Any:
    if not scalar(node.value) or isinstance(node.value, float):
        raise NotKnown("a constant")
    if isinstance(node.value, int):
        scope.context.meter.number(node.value)
    return node.value


def _tuple(node: ast.Tuple, scope: Scope) -> tuple[Any, ...]:
    return tuple(_elements(node.elts, scope))


def _list(node: ast.List, scope: Scope) -> list[Any]:
    return _elements(node.elts, scope)


def _elements(nodes: list[ast.expr], scope: Scope) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            found.extend(iterated(scope.context, evaluate(node.value, scope)))
        else:
            found.append(evaluate(node, scope))
    return found


def _set(node: ast.Set, scope: Scope) -> set[Any]:
    return {key(value) for value in _elements(node.elts, scope)}


def _dict(node: ast.Dict, scope: Scope) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for name, value in zip(node.keys, node.values, strict=True):
        if name is None:
            raise NotKnown("a dict in a dict")
        found[key(evaluate(name, scope))] = evaluate(value, scope)
    return found


def _binary(node: ast.BinOp, scope: Scope) -> Any:
    left = evaluate(node.left, scope)
    return calculate(node.op, left, evaluate(node.right, scope), scope.context.meter)


def _unary(node: ast.UnaryOp, scope: Scope) -> Any:
    value = evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(node.op, ast.USub | ast.UAdd) and isinstance(value, int):
        return -value if isinstance(node.op, ast.USub) else +value
    raise NotKnown("an operation on one value")


def _boolean(node: ast.BoolOp, scope: Scope) -> Any:
    stops = isinstance(node.op, ast.Or)
    value: Any = None
    for part in node.values:
        value = evaluate(part, scope)
        if bool(value) is stops:
            break
    return value


def _compare(node: ast.Compare, scope: Scope) -> bool:
    left = evaluate(node.left, scope)
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(right_node, scope)
        if not compare(operator, left, right, scope.context.meter):
            return False
        left = right
    return True


def _choice(node: ast.IfExp, scope: Scope) -> Any:
    return evaluate(node.body if evaluate(node.test, scope) else node.orelse, scope)


def _formatted(node: ast.JoinedStr, scope: Scope) -> str:
    out = []
    for part in node.values:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            out.append(part.value)
        elif isinstance(part, ast.FormattedValue):
            out.append(_field(part, scope))
        else:
            raise NotKnown("a part of a text")
    scope.context.meter.text(sum(map(len, out)))
    return "".join(out)


def _field(part: ast.FormattedValue, scope: Scope) -> str:
    value = evaluate(part.value, scope)
    if part.conversion not in (-1, ord("r"), ord("s")):
        raise NotKnown("a way to format")
    shown = text_of(value, scope.context.meter, part.conversion == ord("r"))
    if part.format_spec is None:
        return shown
    spec = text(evaluate(part.format_spec, scope))
    return shown if not spec else formatted(value if part.conversion == -1 else shown, spec, scope.context.meter)


def _subscript(node: ast.Subscript, scope: Scope) -> Any:
    value = evaluate(node.value, scope)
    index = evaluate(node.slice, scope)
    if isinstance(value, Found) and isinstance(index, int | str):
        return value.group(index)
    return element(value, index, scope.context.meter)


def _slice(node: ast.Slice, scope: Scope) -> slice:
    parts = [evaluate(part, scope) if part is not None else None for part in (node.lower, node.upper, node.step)]
    if not all(part is None or isinstance(part, int) for part in parts):
        raise Raised("TypeError", "slice indices must be integers")
    if parts[2] == 0:
        raise Raised("ValueError", "slice step cannot be zero")
    return slice(*parts)


def _named(node: ast.NamedExpr, scope: Scope) -> Any:
    value = evaluate(node.value, scope)
    if not isinstance(node.target, ast.Name) or scope.outer is not None:
        raise NotKnown("a target")
    scope.set(node.target.id, value)
    return value


def _lambda(node: ast.Lambda, scope: Scope) -> Defined:
    return defined(node.args, node.body, scope)


def defined(arguments: ast.arguments, body: list[ast.stmt] | ast.expr, scope: Scope) -> Defined:
    """A function of the script, its defaults worked out."""
    if arguments.kwarg or arguments.posonlyargs:
        raise NotKnown("arguments of a function")
    names = tuple(argument.arg for argument in arguments.args)
    defaults = tuple(evaluate(default, scope) for default in arguments.defaults)
    named = tuple(
        (argument.arg, REQUIRED if default is None else evaluate(default, scope))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    )
    rest = arguments.vararg.arg if arguments.vararg else ""
    return Defined(
        names, defaults, body, scope, named, rest, frozenset() if isinstance(body, ast.expr) else assigned(body)
    )


def _comprehension(node: ast.ListComp, scope: Scope) -> list[Any]:
    return list(_generated(node.generators, scope, lambda inner: evaluate(node.elt, inner)))


def _set_comprehension(node: ast.SetComp, scope: Scope) -> set[Any]:
    return {key(value) for value in _generated(node.generators, scope, lambda inner: evaluate(node.elt, inner))}


def _dict_comprehension(node: ast.DictComp, scope: Scope) -> dict[Any, Any]:
    def pair(inner: Scope) -> tuple[Any, Any]:
        return key(evaluate(node.key, inner)), evaluate(node.value, inner)

    return dict(_generated(node.generators, scope, pair))


def _generator(node: ast.GeneratorExp, scope: Scope) -> Iterator[Any]:
    return _generated(node.generators, scope, lambda inner: evaluate(node.elt, inner))


def _generated(
    generators: list[ast.comprehension], scope: Scope, make: Callable[[Scope], Any], index: int = 0
) -> Iterator[Any]:
    inner = scope if index else Scope(scope.context, {}, scope, depth=scope.depth)
    clause = generators[index]
    if clause.is_async or len(generators) > 5:
        raise NotKnown("a comprehension")
    for value in iterated(scope.context, evaluate(clause.iter, inner)):
        bind(clause.target, value, inner)
        if all(evaluate(test, inner) for test in clause.ifs):
            if index + 1 < len(generators):
                yield from _generated(generators, inner, make, index + 1)
            else:
                yield make(inner)


def bind(target: ast.expr, value: Any, scope: Scope) -> None:
    """Assigns ``value`` to a name, a list of names, an element or a slice."""
    if isinstance(target, ast.Name):
        scope.set(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        parts = list(iterated(scope.context, value)) if not isinstance(value, tuple) else list(value)
        starred = [at for at, inner in enumerate(target.elts) if isinstance(inner, ast.Starred)]
        if starred:
            parts = _gathered(parts, starred[0], len(target.elts))
        if len(parts) != len(target.elts):
            raise Raised("ValueError", "values to unpack")
        for inner, part in zip(target.elts, parts, strict=True):
            bind(inner.value if isinstance(inner, ast.Starred) else inner, part, scope)
    elif isinstance(target, ast.Subscript):
        holder, index = evaluate(target.value, scope), evaluate(target.slice, scope)
        _put_element(holder, index, value, scope)
    else:
        raise NotKnown("a target")


def _gathered(parts: list[Any], at: int, count: int) -> list[Any]:
    """``a, *b, c = parts``: what the starred target at ``at`` of ``count`` takes is one list."""
    more = len(parts) - count + 1
    return [*parts[:at], parts[at : at + more], *parts[at + more :]] if more >= 0 else parts


def _put_element(holder: Any, index: Any, value: Any, scope: Scope) -> None:
    if isinstance(holder, dict):
        holder[key(index)] = value
    elif isinstance(holder, list) and isinstance(index, slice):
        new = list(iterated(scope.context, value))
        scope.context.meter.items(len(holder) + len(new))
        try:
            holder[index] = new
        except ValueError as error:
            raise Raised("ValueError") from error
    elif isinstance(holder, list) and isinstance(index, int):
        if not -len(holder) <= index < len(holder):
            raise Raised("IndexError")
        holder[index] = value
    else:
        raise NotKnown("an element to set")


def _attribute(node: ast.Attribute, scope: Scope) -> Any:
    value = evaluate(node.value, scope)
    if isinstance(value, Named):
        name = f"{value.name}.{node.attr}"
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in FUNCTIONS or name in MODULES:
            return Named(name)
        if name in ("sys.stderr", "sys.stdout"):
            return Named(name)
        raise NotKnown(f"name {name[:40]}")
    if not isinstance(value, (*_METHODS, PathValue, Handle, Found, Regex)) or node.attr.startswith("_"):
        raise NotKnown("an attribute")
    found = attribute(value, node.attr)
    return Bound(value, node.attr) if found is None else found


def _call(node: ast.Call, scope: Scope) -> Any:
    function = evaluate(node.func, scope)
    if any(keyword.arg is None for keyword in node.keywords):
        raise NotKnown("arguments in a dict")
    given = _elements(node.args, scope)
    named = {str(keyword.arg): evaluate(keyword.value, scope) for keyword in node.keywords}
    return call(function, given, named, scope)


def call(function: Any, given: list[Any], named: dict[str, Any], scope: Scope) -> Any:
    """``function(*given, **named)``."""
    context = scope.context
    if isinstance(function, Named) and function.name in FUNCTIONS:
        context.meter.spend()
        try:
            return FUNCTIONS[function.name](context, given, named)
        except IndexError as error:
            raise NotKnown("too few arguments") from error
    if isinstance(function, Bound):
        if isinstance(function.value, PathValue | Handle | Found | Regex):
            return call_object(context, function.value, function.name, given, named)
        if isinstance(function.value, list) and function.name == "sort" and "key" in named and not given:
            return sort_by(context, function.value, named)
        if isinstance(function.value, _METHODS):
            return call_method(function.value, function.name, given, named, context.meter)
    if isinstance(function, Defined):
        return _call_defined(function, given, named, scope)
    raise NotKnown("a call")


def _call_defined(function: Defined, given: list[Any], named: dict[str, Any], scope: Scope) -> Any:
    if scope.depth >= MAX_DEPTH // 3:
        raise NotKnown("calls nested too deep")
    inner = entered(function, given, named, scope.depth + 1)
    if isinstance(function.body, ast.expr):
        return evaluate(function.body, inner)
    try:
        scope.context.execute(function.body, inner)
    except Returned as returned:
        return returned.value
    return None


_HANDLERS: dict[type[ast.expr], Callable[[Any, Scope], Any]] = {
    ast.Constant: _constant,
    ast.Name: lambda node, scope: scope.get(node.id),
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.JoinedStr: _formatted,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.NamedExpr: _named,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _set_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.GeneratorExp: _generator,
    ast.Attribute: _attribute,
    ast.Call: _call,
}
