"""What Rust types are: type expressions resolved, through modules and aliases (see ``rust.evaluate`` for values).

Types, with references and smart pointers left out:

    ("N", path, key, arguments) declared here  ("X", dotted, arguments) elsewhere  ("B", name) primitive
    ("S", element)  ("U", types) tuple  ("F", parameters, result)  ("D", traits) anything that has these traits
    ("O", types) one of several, as conditions choose
    ("G", i) the i-th argument of what is asked about, in the answers of rules

    rsalias(path, key)          what an alias stands for
    rsself(path, impl)          the type of an impl block      rstraitof(path, impl)  (path, key) of its trait, or None
    rsassoc(path, key, n)       the associated type n of a type

``env`` says what type parameters and Self stand for; a parameter that it does not know is what its bounds say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.rust.modules import Def, Defs
from core.graph.languages.rust.prelude import Type, Types, external
from core.graph.languages.rust.syntax import ImplFacts, TypeFacts
from core.graph.lookups import Key, Lookups

Env = Mapping[str, Type]
NOTHING: Env = {}
_DEPTH = 6
_CHOICES = 4


def typed(q: Lookups, path: str, e: Expr | None, env: Env = NOTHING) -> Type:
    """The type a type expression of ``path`` stands for."""
    if e is None:
        return None
    kind = e[0]
    if kind == "n":
        return _named(q, path, e, env)
    if kind == "b":
        return ("B", e[1])
    if kind == "g":
        found = env.get(e[1])
        return found if found is not None else bounded(q, path, e[2], env)
    if kind == "d":
        return bounded(q, path, e[1], env)
    if kind == "self":
        found = env.get("Self")
        return found if found is not None else ("D", (("N", path, e[1], ()),))
    if kind == "s":
        return ("S", typed(q, path, e[1], env))
    if kind == "u":
        return ("U", tuple(typed(q, path, x, env) for x in e[1]))
    if kind == "f":
        return ("F", tuple(typed(q, path, x, env) for x in e[1]), typed(q, path, e[2], env))
    if kind == "=":
        return ("=", e[1], typed(q, path, e[2], env))
    if kind == "proj":
        return projected(q, typed(q, path, e[1], env), e[3])
    return None


def bounded(q: Lookups, path: str, bounds: tuple[Any, ...], env: Env) -> Type:
    """What is known of a value by the traits it has."""
    found: list[Any] = []
    for bound in bounds:
        t = typed(q, path, bound, env)
        if t is None:
            continue
        if t[0] == "F" or (t[0] == "X" and t[1] == "Iter"):
            return t
        found += t[1] if t[0] == "D" else (t,) if t[0] in "NX" else ()
    return ("D", tuple(found)) if found else None


def choose(defs: Defs, kinds: str) -> Def | None:
    """The first definition of one of these kinds, in their order."""
    for kind in kinds:
        for found in defs:
            if found[0] == kind:
                return found
    return None


def _named(q: Lookups, path: str, e: Expr, env: Env) -> Type:
    arguments = tuple(typed(q, path, a, env) for a in e[3])
    defs: Defs = q.get(("rspath", path, e[1], e[2]))
    found = choose(defs, "TRAE")
    if found is None:
        return None
    kind = found[0]
    if kind == "E":
        return external(found[1], arguments) if "." in found[1] else None
    if kind == "R":
        return ("D", (("N", found[1], found[2], arguments),))
    if kind == "A":
        return of_type(q, found[1], found[2], ()) if _variant(q, found) else None
    others = {(d[1], d[2].partition("#")[0]): d for d in reversed(defs) if d[0] == "T"}
    if len(others) == 1:
        return of_type(q, found[1], found[2], arguments)
    return one_of(of_type(q, d[1], d[2], arguments) for _, d in sorted(others.items()))


def one_of(types: Iterable[Type]) -> Type:
    """One of several types, as conditions choose."""
    found = tuple(dict.fromkeys(t for t in types if t is not None))
    return ("O", found[:_CHOICES]) if len(found) > 1 else found[0] if found else None


def first_of(t: Type) -> Type:
    """A type itself, or the first that conditions choose from."""
    return t[1][0] if t is not None and t[0] == "O" else t


def _variant(q: Lookups, found: Def) -> bool:
    facts = q.input(("cell", found[1], "type", found[2], ""))
    return facts is not None and any(v[0] == found[3] for v in facts.variants)


def of_type(q: Lookups, path: str, key: str, arguments: Types) -> Type:
    """A declared type with its arguments; an alias is what it stands for."""
    facts: TypeFacts | None = q.input(("cell", path, "type", key, ""))
    if facts is None:
        return None
    if facts.kind == "alias":
        return filled(q.get(("rsalias", path, key)), arguments)
    return ("N", path, key, arguments)


def _mapped(t: tuple[Any, ...], change: Callable[[Type], Type]) -> Type:
    """A type with its parts changed."""
    kind = t[0]
    if kind in "NX":
        return (*t[:-1], tuple(change(x) for x in t[-1]))
    if kind == "U":
        return ("U", tuple(change(x) for x in t[1]))
    if kind == "O":
        return one_of(change(x) for x in t[1])
    if kind == "D":
        return ("D", tuple(y for y in (change(x) for x in t[1]) if y is not None))
    if kind == "S":
        return ("S", change(t[1]))
    if kind == "F":
        return ("F", tuple(change(x) for x in t[1]), change(t[2]))
    return ("=", t[1], change(t[2])) if kind == "=" else t


def filled(t: Type, arguments: Types) -> Type:
    """A type with ("G", i) replaced by the arguments."""
    if t is None:
        return None
    if t[0] == "G":
        return arguments[t[1]] if t[1] < len(arguments) else None
    return _mapped(t, lambda x: filled(x, arguments))


def cut(t: Type, depth: int = _DEPTH) -> Type:
    """A type with what is nested deeper than ``depth`` unknown, so that endless types end."""
    return _mapped(t, lambda x: cut(x, depth - 1)) if t is not None and depth else None


def _positions(names: tuple[str, ...]) -> dict[str, Type]:
    return {name: ("G", i) for i, name in enumerate(names)}


def _rule_alias(q: Lookups, key: Key) -> Type:
    _, path, name = key
    facts: TypeFacts | None = q.input(("cell", path, "type", name, ""))
    if facts is None or facts.kind != "alias":
        return None
    return cut(typed(q, path, facts.base, _positions(facts.params)))


def impl_facts(q: Lookups, path: str, key: str) -> ImplFacts | None:
    """The facts of an impl block."""
    return q.input(("cell", path, "impl", key, ""))  # type: ignore[no-any-return]


def _rule_self(q: Lookups, key: Key) -> Type:
    facts = impl_facts(q, key[1], key[2])
    return cut(typed(q, key[1], facts.self_type)) if facts is not None else None


def _rule_traitof(q: Lookups, key: Key) -> tuple[str, str] | None:
    facts = impl_facts(q, key[1], key[2])
    found = typed(q, key[1], facts.trait) if facts is not None else None
    return found[1][0][1:3] if found is not None and found[0] == "D" and found[1][0][0] == "N" else None


def _rule_assoc(q: Lookups, key: Key) -> Type:
    _, path, owner, name = key
    for p, impl in q.get(("rsimpls", path, owner)):
        facts = impl_facts(q, p, impl)
        if facts is None:
            continue
        for n, e in facts.types:
            if n == name:
                given = facts.self_type[3] if facts.self_type is not None and facts.self_type[0] == "n" else ()
                names = {a[1]: ("G", i) for i, a in enumerate(given) if a is not None and a[0] == "g"}
                return cut(typed(q, p, e, names))
    return None


def projected(q: Lookups, t: Type, name: str) -> Type:
    """The associated type ``name`` of a type."""
    t = first_of(t)
    if t is None:
        return None
    if t[0] == "N":
        return filled(q.get(("rsassoc", t[1], t[2], name)), t[3])
    if t[0] == "X" and t[1] == "Iter" and name == "Item":
        return t[2][0] if t[2] else None
    if t[0] == "D":
        for bound in t[1]:
            for a in bound[-1]:
                if a is not None and a[0] == "=" and a[1] == name:
                    return a[2]  # type: ignore[no-any-return]
        for bound in t[1]:
            facts = q.input(("cell", *bound[1:2], "trait", bound[2], "")) if bound[0] == "N" else None
            for n, e in facts.types if facts is not None else ():
                if n == name:
                    return typed(q, bound[1], e, {"Self": t})
    return None


def unify(q: Lookups, path: str, e: Expr | None, t: Type, env: dict[str, Type]) -> None:
    """Learn what type parameters of a type expression stand for, given the type it has."""
    if e is None or t is None:
        return
    kind = e[0]
    if kind == "g":
        env.setdefault(e[1], t)
    elif kind == "s" and t[0] == "S":
        unify(q, path, e[1], t[1], env)
    elif kind == "u" and t[0] == "U":
        for x, y in zip(e[1], t[1], strict=False):
            unify(q, path, x, y, env)
    elif kind == "n" and e[3]:
        pattern = tuple(a for a in e[3] if a is None or a[0] != "=")
        if t[0] in "NX":
            own = typed(q, path, (*e[:3], ()))
            if own is not None and own[:2] == t[:2]:
                for x, y in zip(pattern, t[-1], strict=False):
                    unify(q, path, x, y, env)
                return
        if t[0] == "S" and len(pattern) == 1 and e[2][-1] in ("Vec", "VecDeque"):
            unify(q, path, pattern[0], t[1], env)
        elif len(pattern) == 1 and typed(q, path, (*e[:3], ())) is None:  # a smart pointer
            unify(q, path, pattern[0], t, env)


RULES: dict[str, tuple[Any, Any]] = {
    "rsalias": (_rule_alias, None),
    "rsself": (_rule_self, None),
    "rstraitof": (_rule_traitof, None),
    "rsassoc": (_rule_assoc, None),
}
