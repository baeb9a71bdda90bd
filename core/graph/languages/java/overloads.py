"""Which of several methods of one name a call means: by the number of its arguments, then by their types.

In: candidates and the types of the arguments, of which any may be unknown. Out: (methods, sure, by): all that the
call may mean. A match is 0 impossible, 1 unknown, 2 by boxing, 3 a subtype, 4 the same type; as in the language,
candidates that need no boxing come first, and of several the one whose parameters are the most special.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.graph.languages.java.jdk import LAMBDAS, SUPERS, last_name
from core.graph.languages.java.members import Method
from core.graph.languages.java.packages import is_interface
from core.graph.languages.java.typing import OBJECT, boxed, erased, typed, unboxed
from core.graph.lookups import Lookups

_WIDER = {
    "byte": ("short", "int", "long", "float", "double"), "short": ("int", "long", "float", "double"),
    "char": ("int", "long", "float", "double"), "int": ("long", "float", "double"), "long": ("float", "double"),
    "float": ("double",),
}  # fmt: skip
_OF_ARRAYS = frozenset(["java.lang.Object", "java.lang.Cloneable", "java.io.Serializable"])
_FINAL = frozenset(
    f"java.lang.{n}"
    for n in ("String", "Class", "Integer", "Long", "Boolean", "Double", "Float", "Short", "Byte", "Character")
)
Choice = tuple[tuple[Method, ...], bool, str]


def choose(q: Lookups, found: Sequence[Method], count: int, arguments: Callable[[], Sequence[Any]]) -> Choice:
    """The methods a call with ``count`` arguments may mean; ``arguments`` gives their types when they are needed."""
    if len(found) == 1 and _takes(found[0], count):
        return (found[0],), True, ""
    fitting = [m for m in found if _takes(m, count)]
    if not fitting:
        return tuple(found), False, f"no {_plural(count)} there"
    if len(fitting) == 1:
        return (fitting[0],), True, f"overload of {_plural(count)}"
    given = arguments()
    scored = [(m, _scores(q, given, m, count)) for m in fitting]
    scored = [(m, s) for m, s in scored if all(s)] or scored
    if len(scored) == 1:
        return (scored[0][0],), True, "overload by argument types"
    best = _best(q, scored, count)
    if best is not None:
        return (best,), True, "overload by argument types"
    return tuple(m for m, _ in scored), False, f"one of {len(scored)} overloads"


def applicable(q: Lookups, found: Sequence[Method], given: Sequence[Any]) -> bool:
    """Whether any of the methods can take arguments of these types."""
    return any(all(_scores(q, given, m, len(given))) for m in found if _takes(m, len(given)))


def _scores(q: Lookups, given: Sequence[Any], method: Method, count: int) -> list[int]:
    """How each argument fits; one that takes any number and is given none stands behind those that need no such."""
    found = [_match(q, a, p) for a, p in zip(given, _parameters(q, method, count), strict=True)]
    return [*found, 2] if count < len(method[1].params) else found


def _plural(count: int) -> str:
    return f"{count} argument" + ("" if count == 1 else "s")


def _takes(method: Method, count: int) -> bool:
    facts = method[1]
    return len(facts.params) == count or (facts.variadic and count >= len(facts.params) - 1)


def _parameters(q: Lookups, method: Method, count: int) -> list[Any]:
    """The types of the parameters that ``count`` arguments meet; those of ``...`` are ("...", array type)."""
    path, facts = method
    found: list[Any] = [typed(q, path, p) for p in facts.params]
    if facts.variadic and found:
        last = found.pop()
        found += [("...", last)] * (count - len(found))
    return found


def _best(q: Lookups, scored: list[tuple[Method, list[int]]], count: int) -> Method | None:
    """The one that is meant for certain, None if that cannot be said."""
    same = [m for m, s in scored if all(x == 4 for x in s)]
    if same:
        return same[0] if len(same) == 1 else None
    if any(1 in s for _, s in scored):
        return None
    strict = [m for m, s in scored if all(x >= 3 for x in s)] or [m for m, _ in scored if not m[1].variadic]
    left = strict or [m for m, _ in scored]
    for one in left:
        mine = _parameters(q, one, count)
        if all(
            all(_match(q, _plain(a), b) >= 3 for a, b in zip(mine, _parameters(q, other, count), strict=True))
            for other in left
            if other is not one
        ):
            return one
    return None


def _plain(parameter: Any) -> Any:
    if parameter is None or parameter[0] != "...":
        return parameter
    return parameter[1][1] if parameter[1] is not None and parameter[1][0] == "S" else None


def _match(q: Lookups, given: Any, parameter: Any) -> int:
    """How an argument fits a parameter."""
    if parameter is not None and parameter[0] == "...":
        whole = _match(q, given, parameter[1])
        return whole if whole >= 3 and given != ("null",) else min(_match(q, given, _plain(parameter)), 2)
    wanted = erased(parameter)
    if given is None or wanted is None:
        return 1
    if given[0] in ("lam", "ref"):
        return _function(q, given, parameter, wanted)
    if given == ("null",):
        return 0 if wanted[0] == "B" else 3
    had = erased(given)
    if had is None or had[0] == "O":
        return 0 if wanted[0] == "B" and had is not None and had[0] == "S" else 1
    return _fits(q, had, wanted)


def _function(q: Lookups, given: Any, parameter: Any, wanted: Any) -> int:
    if parameter[0] in "YW":
        return 1
    if wanted[0] == "N":
        if not is_interface(q, wanted):
            return 0
        single = q.get(("javasingle", wanted[1], wanted[2]))
        if single is None:
            return 0
        return 1 if given[0] == "ref" else 3 if len(single[1].params) == given[1] else 0
    if wanted[0] != "X":
        return 0
    if wanted[1] in SUPERS and wanted[1] != "java.lang.Runnable":
        return 0
    count = LAMBDAS.get(last_name(wanted[1]))
    return 1 if count is None or given[0] == "ref" else 3 if count == given[1] else 0


def _fits(q: Lookups, had: Any, wanted: Any) -> int:
    if had[0] == "B" and wanted[0] == "B":
        return 4 if had == wanted else 3 if wanted[1] in _WIDER.get(had[1], ()) else 0
    if wanted[0] == "B":
        inner = unboxed(had)
        if inner:
            return 2 if inner == wanted[1] or wanted[1] in _WIDER.get(inner, ()) else 0
        return 0
    if had[0] == "B":
        found = boxed(had)
        return 2 if found is not None and found[0] == "X" and _fits(q, found, wanted) else 0
    if had[0] == "S" or wanted[0] == "S":
        return _arrays(q, had, wanted)
    if wanted == OBJECT:
        return 4 if had == wanted else 3
    if had[0] == "N":
        return _declared(q, had, wanted)
    if wanted[0] == "N":
        return 0 if had[1].startswith(("java.", "javax.")) else 1
    return _outside(had, wanted)


def _arrays(q: Lookups, had: Any, wanted: Any) -> int:
    if had[0] == "S" and wanted[0] == "S":
        a, b = erased(had[1]), erased(wanted[1])
        if a is None or b is None:
            return 1
        if a == b:
            return 4
        return 0 if "B" in (a[0], b[0]) else min(_fits(q, a, b), 3)
    return 3 if had[0] == "S" and wanted[0] == "X" and wanted[1] in _OF_ARRAYS else 0


def _declared(q: Lookups, had: Any, wanted: Any) -> int:
    if wanted[0] == "N" and had[1:3] == wanted[1:3]:
        return 4
    outside = False
    for t in q.get(("javaline", had[1], had[2])):
        if t[0] == wanted[0] and (t[1:3] == wanted[1:3] if t[0] == "N" else t[1] == wanted[1]):
            return 3
        outside = outside or (t[0] == "X" and t[1] not in SUPERS)
    return 1 if outside and wanted[0] == "X" and wanted[1] not in _FINAL else 0


def _outside(had: Any, wanted: Any) -> int:
    if had[1] == wanted[1]:
        return 4
    supers = SUPERS.get(had[1])
    if supers is not None:
        return 3 if wanted[1] in supers else 0
    return 0 if wanted[1] in _FINAL else 1
