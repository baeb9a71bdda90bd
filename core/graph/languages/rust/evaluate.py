"""What Rust expressions are: static types, one value an expression.

A value is ("V", type) something of a type, ("F", how, targets, receiver) functions or methods, ("K", type, variant)
what makes a value of a type, ("L", type) a closure by what it returns, ("E", dotted, receiver) something of another
crate, ("P", dotted) a macro-free path of it. Types as in ``rust.typing``.

    rslocal(path, s, n)  a local      rsconst(path, key)  the type of a constant

None is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.rust import members as rust_members
from core.graph.languages.rust import modules as rust_modules
from core.graph.languages.rust import typing as rust_typing
from core.graph.languages.rust.calls import iterator, parameters, result, standard
from core.graph.languages.rust.exprs import OPERATORS
from core.graph.languages.rust.members import arguments_of, field, methods_of, trait_facts
from core.graph.languages.rust.prelude import Type, element, words
from core.graph.languages.rust.syntax import TypeFacts
from core.graph.languages.rust.typing import choose, filled, first_of, impl_facts, of_type, one_of, projected, typed
from core.graph.lookups import Key, Lookups

Val = tuple[Any, ...] | None
_DERIVED = words("clone to_string into try_into cmp partial_cmp eq ne hash to_owned fmt")
_MADE = words("default from clone parse parse_from try_from")


def ev(q: Lookups, path: str, scope: str, e: Expr | None) -> Val:
    """The value of expression ``e`` read in ``scope`` of ``path``."""
    if e is None:
        return None
    form = _FORMS.get(e[0])
    return form(q, path, scope, e) if form is not None else None


def type_of(q: Lookups, v: Val) -> Type:
    """The type of a value."""
    if v is None:
        return None
    if v[0] == "V":
        return v[1]  # type: ignore[no-any-return]
    if v[0] == "K":
        return v[1] if v[2] is None else None
    return None


def type_in(q: Lookups, path: str, scope: str, e: Expr | None) -> Type:
    """The type of an expression."""
    return type_of(q, ev(q, path, scope, e))


def _value(t: Type) -> Val:
    return ("V", t) if t is not None else None


def _path(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    defs = q.get(("rspath", path, e[1], e[2]))
    if len(e[2]) == 1:
        defs = tuple(d for d in defs if d[0] != "E" or "." in d[1])
    functions = tuple(d[1:3] for d in defs if d[0] == "F")
    if functions:
        return ("F", "name", functions, None)
    found = choose(defs, "CATRE")
    if found is None:
        return None
    kind = found[0]
    if kind == "C":
        return _value(q.get(("rsconst", found[1], found[2])))
    if kind == "T":
        return constructor(q, typed(q, path, ("n", e[1], e[2], ())), "")
    if kind == "R":
        return None
    if kind == "E":
        return ("E", found[1], None)
    if trait_facts(q, found[1], found[2]) is not None:
        return associated(q, ("D", (("N", found[1], found[2], ()),)), found[3])
    owners = (of_type(q, d[1], d[2], ()) for d in defs if d[0] == "A" and trait_facts(q, d[1], d[2]) is None)
    return associated(q, one_of(owners), found[3])


def constructor(q: Lookups, t: Type, variant: str) -> Val:
    """The name of a struct or variant as a value: called if it has numbered fields."""
    t = first_of(t)
    if t is None or t[0] != "N":
        return ("E", t[1], None) if t is not None and t[0] == "X" else None
    facts: TypeFacts | None = q.input(("cell", t[1], "type", t[2], ""))
    if facts is None:
        return None
    numbered = facts.numbered if not variant else next((v[1] for v in facts.variants if v[0] == variant), False)
    return ("K", t, variant) if numbered else _value(t)


def associated(q: Lookups, t: Type, name: str) -> Val:
    """``T::name``: a variant, function, method or constant."""
    if t is None:
        return None
    if t[0] == "O":
        several = methods_of(q, t, name)
        return ("F", *several) if several is not None else associated(q, first_of(t), name)
    if t[0] == "N":
        facts: TypeFacts | None = q.input(("cell", t[1], "type", t[2], ""))
        if facts is not None and any(v[0] == name for v in facts.variants):
            return constructor(q, t, name)
    found = methods_of(q, t, name)
    if found is not None:
        return ("F", found[0], found[1], found[2])
    held = constant_of(q, t, name)
    if held is not None:
        return _value(q.get(("rsconst", *held)))
    if t[0] == "X":
        return ("E", f"{t[1] if '.' in t[1] else 'std.' + t[1]}.{name}", t)
    if t[0] in "SB":
        return ("E", f"std.{'Vec' if t[0] == 'S' else t[1]}.{name}", t)
    if t[0] == "D":
        outside = next((b for b in t[1] if b[0] == "X"), None)
        return ("E", f"{outside[1]}.{name}", t) if outside is not None else None
    return ("E", f"std.{name}", t) if t[0] == "N" and name in _MADE else None


def constant_of(q: Lookups, t: Type, name: str) -> tuple[str, str] | None:
    """(path, key) of an associated constant."""
    if t is None:
        return None
    places: list[tuple[str, str]] = []
    if t[0] == "N":
        places = [i for i in q.get(("rsimpls", t[1], t[2])) if name in getattr(impl_facts(q, *i), "consts", ())]
    elif t[0] == "D":
        places = [b[1:3] for b in t[1] if b[0] == "N" and name in getattr(trait_facts(q, *b[1:3]), "consts", ())]
    for p, key in places:
        for entry in q.input(("cell", p, "item", f"<{key}>", name)) or ():
            return p, entry[1]
    return None


def _local(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return q.get(("rslocal", path, scope, f"{e[1]} {e[2]}"))  # type: ignore[no-any-return]


def _attr(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return _value(field(q, type_in(q, path, scope, e[1]), e[2]))


def callee_of(q: Lookups, path: str, scope: str, callee: Expr | None) -> Val:
    """What a call's callee is: a method for ``x.m``, else a value."""
    if callee is None:
        return None
    if callee[0] == "attr":
        t = type_in(q, path, scope, callee[1])
        if callee[2] in OPERATORS and t is not None:
            return method(q, t, OPERATORS[callee[2]]) if t[0] in "ND" else ("L", t)
        return method(q, t, callee[2])
    return ev(q, path, scope, callee)


def method(q: Lookups, t: Type, name: str) -> Val:
    """The method ``name`` of a value of a type."""
    if t is None:
        return None
    known = standard(q, t, name)
    if known is not None:
        return ("E", known, t)
    found = methods_of(q, t, name)
    if found is not None:
        return ("F", found[0], found[1], found[2])
    if t[0] == "O":
        return method(q, first_of(t), name)
    if t[0] == "X":
        return ("E", f"{t[1] if '.' in t[1] else 'std.' + t[1]}.{name}", t)
    if t[0] == "B" or t[0] == "S":
        return ("E", f"std.{t[1] if t[0] == 'B' else 'Vec'}.{name}", t)
    if t[0] == "D":
        outside = next((b for b in t[1] if b[0] == "X"), None)
        if outside is not None and len(t[1]) == 1:
            return ("E", f"{outside[1]}.{name}", t)
        return _iterated(q, t, name)
    if t[0] != "N":
        return None
    target = filled(q.get(("rsassoc", t[1], t[2], "Target")), t[3])
    through = method(q, target, name) if target is not None and target[0] != "N" else None
    if through is not None:
        return through
    return ("E", f"std.{name}", t) if name in _DERIVED else _iterated(q, t, name)


def _iterated(q: Lookups, t: Type, name: str) -> Val:
    """A method that every iterator has, of a type of this repository that is one."""
    found = iterator(q, t)
    known = standard(q, found, name) if found is not None else None
    return ("E", known, found) if known is not None else None


def _call(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    callee = callee_of(q, path, scope, e[1])
    if callee is None:
        return None
    if callee[0] == "V" and callee[1][0] == "F":
        return _value(callee[1][2])
    if callee[0] == "L":
        return _value(callee[1])

    def given(i: int) -> Val:
        return ev(q, path, scope, e[2][i]) if i < len(e[2]) else None

    return _value(result(q, path, callee, e, given))


def _of(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return _value(typed(q, path, e[1]))


def _as(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return constructor(q, typed(q, path, e[1]), "")


def _ta(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    found = associated(q, typed(q, path, e[1]), e[3])
    return found if found is not None or e[2] is None else associated(q, typed(q, path, e[2]), e[3])


def _clo(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return ("L", type_in(q, path, scope, e[1]))


def _cp(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    _, callee, i, j = e
    found = parameters(q, callee_of(q, path, scope, callee), callee, i)
    return _value(found[j]) if j < len(found) else None


def _try(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    t = type_in(q, path, scope, e[1])
    return _value(t[2][0] if t[2] else None) if t is not None and t[0] == "X" and t[1] in ("Option", "Result") else None


def _await(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    v = ev(q, path, scope, e[1])
    found = projected(q, type_of(q, v), "Output")
    return _value(found) if found is not None else v


def _idx(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    t = type_in(q, path, scope, e[1])
    if t is None:
        return None
    if t[0] == "N":
        return _value(projected(q, t, "Output"))
    return _value(t[2][1] if t[0] == "X" and t[1] == "Map" and len(t[2]) > 1 else element(t))


def _item(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    t = type_in(q, path, scope, e[1])
    return _value(projected(q, t, "Item") if t is not None and t[0] in "ND" else element(t))


def _tuple(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return ("V", ("U", tuple(type_in(q, path, scope, x) for x in e[1])))


def _arr(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return ("V", ("S", type_in(q, path, scope, e[1])))


def _or(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    found = ev(q, path, scope, e[1])
    return found if found is not None else ev(q, path, scope, e[2])


def _tup(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    t = type_in(q, path, scope, e[1])
    if t is None or t[0] != "U" or not -len(t[1]) <= e[2] < len(t[1]):
        return None
    return _value(t[1][e[2]])


def _tf(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    """A numbered field of ``Some(x)``, a variant or a struct."""
    return _pattern(q, path, scope, e, None)


def _sf(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    return _pattern(q, path, scope, e, e[3])


def _pattern(q: Lookups, path: str, scope: str, e: Expr, name: str | None) -> Val:
    held = type_in(q, path, scope, e[2])
    last = e[1][2][-1] if e[1][0] == "path" else e[1][3] if e[1][0] == "ta" else ""
    if last in ("Some", "Ok", "Err") and held is not None and held[0] == "X":
        at = 1 if last == "Err" else 0
        return _value(held[2][at]) if at < len(held[2]) else None
    made = ev(q, path, scope, e[1])
    t: Type = made[1] if made is not None and made[0] in "KV" else None
    if t is None and e[1][0] == "path":
        t = first_of(typed(q, path, ("n", e[1][1], e[1][2], ())))
    if t is None or t[0] != "N":
        return None
    facts: TypeFacts | None = q.input(("cell", t[1], "type", t[2], ""))
    if facts is None:
        return None
    if held is not None and held[:3] == t[:3]:
        t = held
    fields = next((v[2] for v in facts.variants if v[0] == last), facts.fields)
    if name is None:
        at = e[3]
        return (
            _value(typed(q, t[1], fields[at][1], arguments_of(facts, t))) if -len(fields) <= at < len(fields) else None
        )
    for n, kind in fields:
        if n == name:
            return _value(typed(q, t[1], kind, arguments_of(facts, t)))
    return None


def _ann(q: Lookups, path: str, scope: str, e: Expr) -> Val:
    """A declared type; what it leaves open (``Vec<_>``) is what the value has."""
    t = typed(q, path, e[1])
    if t is not None and t[0] == "S" and t[1] is None:
        callee = e[2][1] if e[2][0] == "call" else None
        if callee is not None and callee[0] == "attr" and callee[2] == "collect":
            return ("V", ("S", element(type_in(q, path, scope, callee[1]))))
    if t is None or (t[0] in "SX" and None in t[1:] + (t[-1] if t[0] == "X" else ())):
        found = type_in(q, path, scope, e[2])
        return _value(found if found is not None and (t is None or found[:1] == t[:1]) else t)
    return ("V", t)


_FORMS: dict[str, Callable[[Lookups, str, str, Expr], Val]] = {
    "path": _path, "local": _local, "attr": _attr, "call": _call, "of": _of, "as": _as, "ta": _ta, "clo": _clo,
    "cp": _cp, "try": _try, "await": _await, "idx": _idx, "item": _item, "tuple": _tuple, "arr": _arr, "or": _or,
    "tup": _tup, "tf": _tf, "sf": _sf, "ann": _ann,
}  # fmt: skip


def _rule_local(q: Lookups, key: Key) -> Val:
    _, path, scope, name = key
    return ev(q, path, scope, q.input(("cell", path, "local", scope, name)))


def _rule_const(q: Lookups, key: Key) -> Type:
    facts = q.input(("cell", key[1], "const", key[2], ""))
    if facts is None:
        return None
    declared = typed(q, key[1], facts[0])
    return declared if declared is not None else type_in(q, key[1], facts[2], facts[1])


RULES: dict[str, tuple[Any, Any]] = {
    **rust_modules.RULES,
    **rust_typing.RULES,
    **rust_members.RULES,
    "rslocal": (_rule_local, None),
    "rsconst": (_rule_const, None),
}
