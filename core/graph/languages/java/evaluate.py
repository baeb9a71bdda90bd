"""What Java expressions are: static types, and for each call site the methods it may mean.

A value is ("V", type) something of a type, ("T", type) a type itself, ("U", type) ``super``, ("P", dotted) the
beginning of a whole name, ("lam", parameters, value expression), ("ref", base, n) or ("null",). None is unknown.

    javaplace(path, ctx, n)   what a name means in class ctx: ("F", path, key) a field, a value as above, or None
    javalocal(path, s, "n k") the value of a local variable, for scopes inside the one that declares it

Sites refer to sites of the same scope by number, so one ``Evaluator`` a scope computes each once: linear in its text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.java import jdk
from core.graph.languages.java import members as java_members
from core.graph.languages.java import packages as java_packages
from core.graph.languages.java.members import Method, outside_of, owner_of_method, seen_as
from core.graph.languages.java.packages import around, is_interface, member_type
from core.graph.languages.java.resolve import Resolved, Resolver, Val
from core.graph.languages.java.typing import (
    BOOLEAN,
    INT,
    OBJECT,
    STRING,
    Type,
    bound_to,
    boxed,
    element,
    erased,
    substituted,
    typed,
    unboxed,
    unify,
)
from core.graph.lookups import Key, Lookups

_RANK = ("byte", "short", "char", "int", "long", "float", "double")


class Evaluator(Resolver):
    """The values and call targets of one scope; ``value`` and ``resolve`` compute what they are asked for once."""

    def __init__(self, q: Lookups, path: str, scope: str) -> None:
        super().__init__(q, path, scope)
        self._values: dict[int, Val] = {}
        self._locals: dict[str, Val] = {}

    def value(self, e: Expr | None) -> Val:
        """The value of an expression of this scope."""
        if e is None:
            return None
        form = _FORMS.get(e[0])
        return form(self, e) if form is not None else None

    def type_of(self, e: Expr | None) -> Type:
        """The type of an expression's value, None for types, lambdas and what is unknown."""
        found = self.value(e)
        return found[1] if found is not None and found[0] in "VU" else None

    def local(self, scope: str, name: str) -> Val:
        """The value of a local variable of this scope or one around it."""
        if scope != self.scope:
            return self.q.get(("javalocal", self.path, scope, name))  # type: ignore[no-any-return]
        if name not in self._locals:
            self._locals[name] = None
            self._locals[name] = self.value(self.q.input(("cell", self.path, "local", scope, name)))
        return self._locals[name]

    def site(self, number: int) -> Val:
        """The value of a call."""
        if number not in self._values:
            self._values[number] = None
            self._values[number] = self._result(number)
        return self._values[number]

    def _result(self, number: int) -> Val:
        site = self.sites[number]
        if not site.expr:
            return None
        if site.expr[0] == "new":
            found = typed(self.q, self.path, site.expr[1])
            return ("V", found) if found is not None else None
        if site.expr[0] != "call":
            return None
        made = self.resolve(number)
        if made.methods:
            found = self._given(made, made.methods[0], site.expr[2])
            if len(made.methods) > 1 and any(self._given(made, m, site.expr[2]) != found for m in made.methods[1:]):
                return None
            return ("V", found) if found is not None else None
        return self._from_outside(made, site.expr)

    def _from_outside(self, made: Resolved, e: Expr) -> Val:
        if not made.outside:
            return None
        name = made.outside.rpartition(".")[2]
        if made.how == "enum" and name == "values":
            return ("V", ("S", made.receiver))
        if made.how == "enum":
            return ("V", made.receiver if name == "valueOf" else jdk.ENUM_METHODS[name])
        if made.how == "array" and name == "clone":
            return ("V", made.receiver)
        bodies = [self._gives(a) for a in e[2] if a is not None and a[0] in ("lam", "ref")]
        found = jdk.static_result(made.outside, self.type_of(e[2][0]) if e[2] else None)
        found = found or jdk.result(made.receiver or OBJECT, name, bodies[0] if bodies else None)
        return ("V", found if found is not None else ("O", f"{made.outside}()"))

    def _given(self, made: Resolved, method: Method, arguments: tuple[Expr | None, ...]) -> Type:
        """What a call of a method gives, type parameters replaced by what is known of them."""
        path, facts = method
        found = typed(self.q, path, facts.result)
        if found is None or (found[0] in "NXB" and not found[-1]) or found[0] == "B":
            return found
        owner = owner_of_method(facts)
        found = substituted(found, path, owner, seen_as(self.q, made.receiver, path, owner))
        if _open(found):
            found = bound_to(found, self._learn(made, method, arguments, True))
        return found  # type: ignore[no-any-return]

    def _learn(
        self, made: Resolved, method: Method, arguments: tuple[Expr | None, ...], lambdas: bool
    ) -> dict[str, Type]:
        """The type parameters of a method, from its arguments."""
        learnt: dict[str, Type] = {}
        functions: list[tuple[Type, Expr]] = []
        for i, a in enumerate(arguments):
            pattern = self._parameter(made, method, i)
            if pattern is None or a is None:
                continue
            if a[0] in ("lam", "ref"):
                functions.append((pattern, a))
            else:
                unify(pattern, self.type_of(a), learnt)
        for pattern, a in functions if lambdas else ():
            given = function_type(self.q, pattern, -1)
            if given is not None and _open(given):
                unify(given, self._gives(a), learnt)
        return learnt

    def _parameter(self, made: Resolved, method: Method, i: int) -> Type:
        path, facts = method
        if not facts.params:
            return None
        at = min(i, len(facts.params) - 1)
        if at < i and not facts.variadic:
            return None
        found = typed(self.q, path, facts.params[at])
        if facts.variadic and at == len(facts.params) - 1 and found is not None:
            found = found[1]
        owner = owner_of_method(facts)
        return substituted(found, path, owner, seen_as(self.q, made.receiver, path, owner))  # type: ignore[no-any-return]

    def _gives(self, e: Expr) -> Type:
        """What a lambda or method reference gives when it is called."""
        if e[0] == "lam":
            found = self.type_of(e[2])
            return boxed(found) if found is not None and found[0] != "O" else None
        made = self.reference(e)
        if made.how == "new":
            return made.receiver
        if made.methods:
            found = self._given(made, made.methods[0], ())
            return boxed(found)
        if made.outside:
            return boxed(jdk.result(made.receiver or OBJECT, made.outside.rpartition(".")[2], None))
        return None

    def given(self, number: int, at: int, j: int) -> Val:
        """The j-th parameter of the lambda that is argument ``at`` of a call."""
        site = self.sites[number]
        if not site.expr or site.expr[0] not in ("call", "new", "init"):
            return None
        made = self.resolve(number)
        arguments = site.expr[2] if site.expr[0] != "init" else site.expr[3]
        if not made.methods:
            name = made.outside.rpartition(".")[2]
            found = jdk.lambda_parameter(made.receiver, name, j) if made.outside else None
            return ("V", found) if found is not None else None
        function = self._parameter(made, made.methods[0], at)
        found = function_type(self.q, function, j)
        if found is not None and _open(found):
            found = bound_to(found, self._learn(made, made.methods[0], arguments, False))
        return ("V", found) if found is not None else None


def _open(t: Any) -> bool:
    """Whether a type holds a type parameter of a method."""
    if t is None:
        return False
    if t[0] == "W":
        return True
    if t[0] == "S":
        return _open(t[1])
    return t[0] in "NX" and any(_open(a) for a in t[-1])


def function_type(q: Lookups, t: Any, j: int) -> Type:
    """The j-th parameter of the lambda a functional interface stands for, its result for -1."""
    if t is None:
        return None
    if t[0] == "X":
        return jdk.function_result(t) if j < 0 else jdk.function_parameter(t, j)
    if t[0] != "N":
        return None
    single = q.get(("javasingle", t[1], t[2]))
    if single is None:
        return None
    path, facts = single
    if j >= len(facts.params):
        return None
    found = typed(q, path, facts.result if j < 0 else facts.params[j])
    owner = owner_of_method(facts)
    return substituted(found, path, owner, seen_as(q, t, path, owner))  # type: ignore[no-any-return]


# -- forms ------------------------------------------------------------------------------------------------


def _of(v: Evaluator, e: Expr) -> Val:
    found = typed(v.q, v.path, e[1])
    return ("V", found) if found is not None else None


def _is(v: Evaluator, e: Expr) -> Val:
    found = typed(v.q, v.path, e[1])
    return ("T", found) if found is not None else None


def _this(v: Evaluator, e: Expr) -> Val:
    return ("V", ("N", v.path, e[1], ()))


def _super(v: Evaluator, e: Expr) -> Val:
    _, ctx, named = e
    if named is None:
        supers = v.q.get(("javasupers", v.path, ctx))
        above = java_members.superclass(v.q, v.path, ctx)
        return ("U", above) if above is not None else ("U", supers[0]) if "<" in ctx and supers else ("U", OBJECT)
    found = typed(v.q, v.path, named)
    if found is None or is_interface(v.q, found):
        return ("U", found) if found is not None else None
    if found[0] == "N" and found[1] == v.path and found[2] in around(v.q, v.path, ctx):  # Outer.super
        return ("U", java_members.superclass(v.q, v.path, found[2]) or OBJECT)
    return ("U", found)


def _name(v: Evaluator, e: Expr) -> Val:
    place = v.q.get(("javaplace", v.path, e[1], e[2]))
    if place is None or place[0] != "F":
        return place  # type: ignore[no-any-return]
    return _field_value(v, None, place[1], place[2], e[2])


def _field_value(v: Evaluator, receiver: Type, path: str, key: str, name: str) -> Val:
    facts = v.q.input(("cell", path, "field", key, name))
    found = typed(v.q, path, facts.type) if facts is not None else None
    if found is None:
        return None
    return ("V", substituted(found, path, key, seen_as(v.q, receiver, path, key)))


def _attr(v: Evaluator, e: Expr) -> Val:
    base, name = v.value(e[1]), e[2]
    if base is None:
        return None
    if base[0] == "P":
        dotted = f"{base[1]}.{name}"
        found = v.q.get(("javadotted", v.path, dotted))
        if found is not None:
            return ("T", found)
        return ("T", ("X", dotted, ())) if name[:1].isupper() else ("P", dotted)
    if base[0] not in "VTU":
        return None
    t = erased(base[1])
    if t is None:
        return None
    if t[0] == "N":
        found = v.q.get(("javafield", t[1], t[2], name))
        if found is not None:
            return _field_value(v, t, found[0], found[1], name)
        inner = member_type(v.q, t, [name]) if base[0] == "T" else None
        if inner is not None:
            return ("T", inner)
        outside = outside_of(v.q, t[1], t[2], name)
        return ("V", ("O", f"{outside}.{name}")) if outside else None
    if t[0] == "X":
        if base[0] == "T" and name[:1].isupper() and not name.isupper():
            return ("T", ("X", f"{t[1]}.{name}", ()))
        return ("V", jdk.constant(t[1], name) or ("O", f"{t[1]}.{name}", base[0] == "T"))
    if t[0] == "S":
        return ("V", INT) if name == "length" else None
    return ("V", ("O", f"{t[1]}.{name}")) if t[0] == "O" else None


def _local(v: Evaluator, e: Expr) -> Val:
    return v.local(e[1], e[2])


def _site(v: Evaluator, e: Expr) -> Val:
    return v.site(e[1])


def _item(v: Evaluator, e: Expr) -> Val:
    t = erased(v.type_of(e[1]))
    if t is not None and t[0] == "N":
        for s in v.q.get(("javaline", t[1], t[2])):
            if s[0] == "X" and len(s[2]) == 1 and jdk.last_name(s[1]) not in ("Comparable",):
                t = substituted(s, t[1], t[2], t[3])
                break
    found = element(t)
    return ("V", found) if found is not None else None


def _idx(v: Evaluator, e: Expr) -> Val:
    t = erased(v.type_of(e[1]))
    return ("V", t[1]) if t is not None and t[0] == "S" and t[1] is not None else None


def _bin(v: Evaluator, e: Expr) -> Val:
    types = [erased(v.type_of(p)) for p in e[1]]
    if STRING in types and len(types) > 1:
        return ("V", STRING)
    names = [unboxed(t) or t[1] for t in types if t is not None and (t[0] == "B" or unboxed(t))]
    if len(names) < len(types):
        return None
    if len(types) == 1:
        return ("V", ("B", names[0]))
    ranks = [_RANK.index(n) for n in names if n in _RANK]
    return ("V", ("B", _RANK[max(*ranks, 3)])) if ranks else ("V", BOOLEAN)


def _or(v: Evaluator, e: Expr) -> Val:
    found = [x for x in map(v.value, e[1]) if x is not None and x != ("null",)]
    return found[0] if found else None


def _itself(v: Evaluator, e: Expr) -> Val:
    return e


def _given(v: Evaluator, e: Expr) -> Val:
    return v.given(e[1], e[2], e[3])


def _fn(v: Evaluator, e: Expr) -> Val:
    found = function_type(v.q, typed(v.q, v.path, e[1]), e[2])
    return ("V", found) if found is not None else None


_FORMS: dict[str, Callable[[Evaluator, Expr], Val]] = {
    "of": _of, "is": _is, "this": _this, "super": _super, "name": _name, "attr": _attr, "local": _local, "site": _site,
    "item": _item, "idx": _idx, "bin": _bin, "or": _or, "lam": _itself, "ref": _itself, "null": _itself,
    "given": _given, "fn": _fn,
}  # fmt: skip


# -- rules ------------------------------------------------------------------------------------------------


def _rule_local(q: Lookups, key: Key) -> Val:
    _, path, scope, name = key
    return Evaluator(q, path, scope).local(scope, name)


def _rule_place(q: Lookups, key: Key) -> Val:
    _, path, ctx, name = key
    classes = around(q, path, ctx)
    for inner in classes:
        found = q.get(("javafield", path, inner, name))
        if found is not None:
            return ("F", found[0], found[1])
    single = q.input(("cell", path, "static", "", name)) or ()
    for base in (*single, *(q.input(("cell", path, "static", "", "")) or ())):
        t = q.get(("javadotted", path, base))
        found = q.get(("javafield", t[1], t[2], name)) if t is not None and t[0] == "N" else None
        if found is not None:
            return ("F", found[0], found[1])
    found = q.get(("javatype", path, ctx, name))
    if found is not None:
        return ("T", found)
    if single:
        return ("V", jdk.constant(single[0], name) or ("O", f"{single[0]}.{name}", True))
    for inner in classes:
        outside = outside_of(q, path, inner, name)
        if outside:
            return ("V", ("O", f"{outside}.{name}"))
    return ("P", name)


RULES: dict[str, tuple[Any, Any]] = {
    **java_packages.RULES,
    **java_members.RULES,
    "javalocal": (_rule_local, None),
    "javaplace": (_rule_place, None),
}
