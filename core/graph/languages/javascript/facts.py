"""The cells that ``javascript.language`` writes and its linker reads, beside ``ScopeFacts``.

    ("name", s, n)    NameFacts of slot n of scope s (a second n in an inner block is slot "n~2")
    ("func", q, "")   FuncFacts     ("class", q, "")  ClassFacts of classes, interfaces, constructor functions
    ("member", q, n)  ((kind, static, expression), ...) of class q, kind method | get | set | field
    ("field", q, n)   ((scope, expression), ...): what the methods of q store in this.n
    ("mixin", q, "")  ((scope, expression), ...) copied into q's prototype, "static" into q itself
    ("obj", s, k)     a literal or an update of one: see ``objects``
    ("context", q, "")  (scope, callee, index): function literal q is argument ``index`` of a call there
    ("alias", q, "")  the type expression of a type alias
    ("export", "", n)  expression      ("texport", "", n)  type expression     ("star", "", "")  specifiers
    ("commonjs", "", "")  the expressions given to module.exports              ("text", "", n)  hash of its statement

Names (repository-wide sets): "jsmember" (member, class), "jsfield" (field, class), "jsgetter", "jssetter" (name,
class), "jsobject" (key, "scope k" of a literal with a declared type), "method" (name, class).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from core.graph.facts import EMPTY, Expr

Value = Expr | None
CALLBACKS = frozenset([
    "map", "forEach", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every", "flatMap", "reduce",
    "reduceRight", "sort", "toSorted", "then", "catch", "finally", "from", "setTimeout", "setInterval", "setImmediate",
    "queueMicrotask", "requestAnimationFrame", "groupBy", "replace", "replaceAll",
])  # fmt: skip
TypeExpr = Expr | None


class NameFacts(NamedTuple):
    """Every version of a name as (expression, outermost loop it stands in), those that hold at the end, and
    what functions inside give it, as (scope, expression)."""

    versions: tuple[tuple[Value, int], ...]
    final: tuple[int, ...]
    extern: tuple[tuple[str, Value], ...] = EMPTY


class Param(NamedTuple):
    """One parameter: its annotation, its default, whether it takes the rest."""

    type: TypeExpr
    default: Value
    rest: bool


class FuncFacts(NamedTuple):
    """What callers of a function depend on; ``cls`` is the class it is a method of, ``flags`` hold async, generator,
    static, get, set, abstract (no body)."""

    params: tuple[Param, ...]
    returned: TypeExpr
    returns: tuple[Expr, ...]
    yields: tuple[Expr, ...]
    flags: frozenset[str]
    cls: str


class ClassFacts(NamedTuple):
    """``kind`` class | interface | function; bases and interfaces are read in scope ``parent``; bases of an
    interface are type expressions."""

    kind: str
    parent: str
    bases: tuple[Any, ...]
    implements: tuple[TypeExpr, ...]
