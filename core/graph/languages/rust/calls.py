"""What Rust calls give: signatures with their type parameters filled in from the receiver and the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.rust import prelude
from core.graph.languages.rust.prelude import Type, Types, external, words
from core.graph.languages.rust.syntax import FuncFacts
from core.graph.languages.rust.typing import impl_facts, projected, typed, unify
from core.graph.lookups import Lookups

Val = tuple[Any, ...] | None
Given = Callable[[int], Val]
_MAKERS = words("new from default with_capacity clone from_iter parse parse_from")


def iterator(q: Lookups, t: Type) -> Type:
    """A type as an iterator, if it is one of this repository or known by its trait alone."""
    if t is not None and t[0] in "ND":
        item = projected(q, t, "Item")
        return ("X", "Iter", (item,)) if item is not None else None
    return None


def standard(q: Lookups, t: Type, name: str) -> str | None:
    """Where a method of the standard library is, None if it is not one."""
    found = prelude.method(t, name, lambda i: None)
    return found[0] if found is not None else None


def returned(q: Lookups, path: str, v: Val) -> Type:
    """What a closure or function gives when it is called; the type of any other value."""
    if v is None:
        return None
    if v[0] in "VL":
        return v[1]  # type: ignore[no-any-return]
    if v[0] == "K":
        return v[1]  # type: ignore[no-any-return]
    if v[0] == "F":
        return result(q, path, v, ("call", None, (), ()), lambda i: None)
    return None


def _facts(q: Lookups, callee: Any) -> FuncFacts | None:
    return q.input(("cell", *callee[2][0][:1], "func", callee[2][0][1], ""))  # type: ignore[no-any-return]


def _env(q: Lookups, callee: Any, facts: FuncFacts) -> dict[str, Type]:
    """What Self and the type parameters of the impl block stand for."""
    at, receiver = callee[2][0][0], callee[3]
    env: dict[str, Type] = {}
    if receiver is None:
        return env
    if facts.within[0] == "impl":
        block = impl_facts(q, at, facts.within[1])
        if block is not None:
            unify(q, at, block.self_type, receiver, env)
    elif facts.within[0] == "trait":
        env["Self"] = receiver
    return env


def result(q: Lookups, path: str, callee: Any, e: Expr, given: Given) -> Type:
    """The type of a call."""
    kind = callee[0]
    if kind == "K":
        return callee[1]  # type: ignore[no-any-return]
    if kind == "E":
        return _outside(q, path, callee, e, given)
    if kind != "F":
        return None
    facts = _facts(q, callee)
    if facts is None:
        return None
    env = _env(q, callee, facts)
    at = callee[2][0][0]
    shift = 1 if facts.receiver and (e[1] is None or e[1][0] != "attr") else 0
    if shift and (callee[3] is None or callee[1] == "dispatch"):
        held = given(0)
        if held is not None and held[0] == "V" and facts.within[0] == "trait":
            env["Self"] = held[1]
    for name, wanted in zip(facts.generics, e[3], strict=False):
        env[name] = typed(q, path, wanted)
    for i, param in enumerate(facts.params):
        if _open(param):
            unify(q, at, param, returned(q, path, given(i + shift)), env)
    return typed(q, at, facts.result, env)


def _open(e: Any) -> bool:
    """Whether a parameter's type says something about type parameters."""
    return e is not None and (e[0] == "g" or (e[0] == "n" and bool(e[3])) or e[0] in "su")


def _outside(q: Lookups, path: str, callee: Any, e: Expr, given: Given) -> Type:
    _, dotted, receiver = callee
    name = dotted.rpartition(".")[2]

    def back(i: int) -> Type:
        return returned(q, path, given(i))

    if e[1] is not None and e[1][0] == "attr":
        found = prelude.method(receiver, name, back)
        if e[3] and name in ("collect", "parse", "sum", "into", "try_into", "downcast_ref", "downcast"):
            return _turbofish(q, path, e, name, receiver)
        if found is not None:
            return found[1]
        if receiver is not None and receiver[0] == "N":
            return ("B", "str") if name == "to_string" else receiver if name in ("clone", "to_owned") else None
        if receiver is not None and receiver[0] == "X" and name in ("clone", "as_ref", "borrow", "as_mut", "by_ref"):
            return receiver  # type: ignore[no-any-return]
        return None
    if name in ("Some", "Ok"):
        return ("X", "Option" if name == "Some" else "Result", (back(0),))
    if name == "Err":
        return ("X", "Result", (None, back(0)))
    if name in ("None",):
        return ("X", "Option", (None,))
    if receiver is not None and receiver[0] in "NXSB" and name in _MAKERS:
        return receiver  # type: ignore[no-any-return]
    above = dotted.rpartition(".")[0]
    last = above.rpartition(".")[2]
    if last in prelude.POINTERS and name in ("new", "clone", "from", "pin"):
        return back(0)
    if last[:1].isupper() and name in _MAKERS:
        made = external(above, (back(0),))
        if made is not None and made[0] == "X" and made[1] != "Cell":
            return external(above, ())
        return ("S", None) if made is not None and made[0] == "S" else made
    return None


def _turbofish(q: Lookups, path: str, e: Expr, name: str, receiver: Type) -> Type:
    """``collect::<Vec<_>>()``, ``parse::<T>()``."""
    wanted = typed(q, path, e[3][0])
    if name == "collect":
        if wanted is not None and wanted[0] == "S" and wanted[1] is None:
            return ("S", prelude.element(receiver))
        return wanted
    if name == "sum" or name == "into":
        return wanted
    return ("X", "Option" if name == "downcast_ref" else "Result", (wanted,))


def parameters(q: Lookups, callee: Val, e: Expr, index: int) -> Types:
    """The types of the parameters of a closure that is argument ``index`` of a call."""
    if callee is None:
        return ()
    if callee[0] == "E":
        receiver = callee[2]
        name = callee[1].rpartition(".")[2]
        return prelude.closure_parameters(receiver, name, index)
    if callee[0] != "F":
        return ()
    facts = _facts(q, callee)
    if facts is None:
        return ()
    at = index - (1 if facts.receiver and e[0] != "attr" else 0)
    if not 0 <= at < len(facts.params):
        return ()
    found = typed(q, callee[2][0][0], facts.params[at], _env(q, callee, facts))
    return found[1] if found is not None and found[0] == "F" else ()
