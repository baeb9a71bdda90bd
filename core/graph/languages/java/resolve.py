"""What a Java call names: the methods its static types choose (Eq. 5, E_t), or something declared elsewhere.

In: site expressions of one scope, the values of their parts from ``java.evaluate``. Out: ``Resolved``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from core.graph.facts import Expr, ScopeFacts
from core.graph.languages.java import jdk
from core.graph.languages.java import members as java_members
from core.graph.languages.java.classes import base_name
from core.graph.languages.java.members import Method, outside_of, own_methods
from core.graph.languages.java.overloads import applicable, choose
from core.graph.languages.java.packages import around, type_facts
from core.graph.languages.java.typing import OBJECT, Type, erased, typed
from core.graph.lookups import Lookups

Val = tuple[Any, ...] | None


class Resolved(NamedTuple):
    """What a call names: ``methods`` of ``receiver`` (None for constructors), or the dotted name of one ``outside``.

    ``below`` are the methods of subclasses that run instead of one that a class has from ``outside``."""

    methods: tuple[Method, ...] = ()
    sure: bool = True
    receiver: Type = None
    how: str = ""
    by: str = ""
    outside: str = ""
    fixed: bool = False
    below: tuple[tuple[str, str], ...] = ()


NOTHING = Resolved()


class Resolver:
    """The calls of one scope; ``value`` is what ``java.evaluate`` adds, ``resolve`` computes each call once."""

    def __init__(self, q: Lookups, path: str, scope: str) -> None:
        self.q = q
        self.path = path
        self.scope = scope
        facts: ScopeFacts | None = q.input(("cell", path, "scope", scope, ""))
        self.sites = facts.sites if facts is not None else ()
        self._resolved: dict[int, Resolved] = {}

    def value(self, e: Expr | None) -> Val:
        """The value of an expression of this scope. Filled in by the evaluator."""
        raise NotImplementedError

    def resolve(self, number: int) -> Resolved:
        """What a call site names."""
        if number not in self._resolved:
            self._resolved[number] = NOTHING
            self._resolved[number] = self._resolve(self.sites[number].expr)
        return self._resolved[number]

    def _resolve(self, e: Expr) -> Resolved:
        if not e:
            return NOTHING
        if e[0] == "new":
            found = typed(self.q, self.path, e[1])
            return self._constructor(found, e[2]) if found is not None else NOTHING
        if e[0] == "init":
            return self._explicit(e)
        if e[0] == "ref":
            return self.reference(e)
        callee, arguments = e[1], e[2]
        if callee[0] == "name":
            return self._by_name(callee, arguments)
        return self.method(self.value(callee[1]), callee[2], arguments)

    def _explicit(self, e: Expr) -> Resolved:
        _, ctx, which, arguments = e
        if which == "this":
            return self._constructor(("N", self.path, ctx, ()), arguments)._replace(how=which)
        found = java_members.superclass(self.q, self.path, ctx)
        if found is None:
            return Resolved(receiver=OBJECT, how=which, outside="java.lang.Object.<init>")
        return self._constructor(found, arguments)._replace(how=which)

    def _constructor(self, found: Type, arguments: tuple[Expr | None, ...]) -> Resolved:
        if found is None or found[0] == "X":
            return Resolved(receiver=found, how="new", outside=f"{found[1]}.<init>" if found is not None else "")
        if found[0] != "N":
            return NOTHING
        at: Type = found
        for _ in range(20):
            if at is None or at[0] != "N":
                break
            declared = java_members.constructors(self.q, at[1], at[2])
            if declared:
                given = arguments if at is found or "<" in str(found[2]) else ()
                methods, sure, by = self._choose(declared, given)
                return Resolved(methods, sure, found, "new", by)
            at = java_members.superclass(self.q, at[1], at[2])
        return Resolved(receiver=found, how="new")

    def _choose(self, found: tuple[Method, ...], arguments: tuple[Expr | None, ...]) -> tuple[Any, bool, str]:
        return choose(self.q, found, len(arguments), lambda: [self._argument(a) for a in arguments])

    def _argument(self, e: Expr | None) -> Any:
        found = self.value(e)
        if found is None:
            return None
        if found[0] in ("lam", "ref", "null"):
            return found[:2]
        return found[1] if found[0] in "VU" else None

    def _by_name(self, callee: Expr, arguments: tuple[Expr | None, ...]) -> Resolved:
        """A method called by its name alone: of the class, of those around it, imported."""
        q, path = self.q, self.path
        _, ctx, name = callee
        classes = around(q, path, ctx)
        for key in classes:
            found = q.get(("javamethods", path, key, name))
            if found:
                how = "of this class" if key == ctx else f"of the class around, {_shown(key)}"
                return self._chosen(found, ("N", path, key, ()), arguments, how)
        alone = q.input(("cell", path, "methods", "", name))
        if alone:
            return self._chosen(tuple((path, m) for m in alone), None, arguments, "of this file")
        imported = self._imported(name, arguments)
        if imported is not None:
            return imported
        for key in classes:
            made = self._bare(("N", path, key, ()), name, arguments)
            if made.outside:
                return made
        for key in classes:
            made = self._foreign(("N", path, key, ()), name, arguments)
            if made.outside:
                return made
        return NOTHING

    def _imported(self, name: str, arguments: tuple[Expr | None, ...]) -> Resolved | None:
        q, path = self.q, self.path
        single = q.input(("cell", path, "static", "", name)) or ()
        for base in (*single, *(q.input(("cell", path, "static", "", "")) or ())):
            t = q.get(("javadotted", path, base))
            if t is not None and t[0] == "N":
                found = q.get(("javamethods", t[1], t[2], name))
                if found and not self._of_another(single, found, arguments):
                    return self._chosen(found, t, arguments, f"static import of {_shown(t[2])}", True)
        for base in single:
            if q.get(("javadotted", path, base)) is None:
                return Resolved(outside=f"{base}.{name}", receiver=("O", base))
        return None

    def _of_another(
        self, single: tuple[str, ...], found: tuple[Method, ...], arguments: tuple[Expr | None, ...]
    ) -> bool:
        """Whether a name imported from several types, some declared elsewhere, cannot be that of the ones here."""
        if all(self.q.get(("javadotted", self.path, base)) is not None for base in single):
            return False
        return not applicable(self.q, found, [self._argument(a) for a in arguments])

    def method(self, base: Val, name: str, arguments: tuple[Expr | None, ...]) -> Resolved:
        """A method called on a value."""
        if base is None or base[0] not in "VTU":
            return NOTHING
        t = erased(base[1])
        if t is None:
            return NOTHING
        kind = t[0]
        if kind == "N":
            return self._member(base, t, name, arguments)
        if kind == "X":
            if t == OBJECT and name not in jdk.OBJECT_METHODS:
                return NOTHING
            return Resolved(receiver=t, outside=f"{t[1]}.{name}")
        if kind == "S":
            known = name in jdk.OBJECT_METHODS
            return Resolved(receiver=t, how="array", outside=f"java.lang.Object.{name}") if known else NOTHING
        if kind == "O":  # it may be of a class of this repository, handed through something outside
            known = t[-1] is True or name in jdk.OBJECT_METHODS
            if not known and self.q.input(("names?", "method", name)):
                return NOTHING
            return Resolved(receiver=t, outside=f"{t[1]}.{name}")
        return NOTHING

    def _member(self, base: Any, t: Any, name: str, arguments: tuple[Expr | None, ...]) -> Resolved:
        found = self.q.get(("javamethods", t[1], t[2], name))
        if found:
            how = {"T": f"of {_shown(t[2])}", "U": "of super"}.get(base[0], f"of a {_shown(t[2])}")
            return self._chosen(found, t, arguments, how, base[0] != "V")
        made = self._bare(t, name, arguments)
        if not made.outside:
            made = self._foreign(t, name, arguments)
        return made if base[0] == "V" else made._replace(below=())

    def _foreign(self, t: Any, name: str, arguments: tuple[Expr | None, ...]) -> Resolved:
        """A method that a class has from a supertype declared elsewhere, perhaps."""
        outside = outside_of(self.q, t[1], t[2], name)
        if not outside:
            return NOTHING
        below = self._below(t, name, len(arguments))
        return Resolved(receiver=("O", outside), outside=f"{outside}.{name}", below=below)

    def _below(self, t: Any, name: str, count: int) -> tuple[tuple[str, str], ...]:
        found = [(p, m) for p, k in self.q.get(("javabelow", t[1], t[2])) for m in own_methods(self.q, p, k, name)]
        return tuple((p, m.qual) for p, m in found if len(m.params) == count and not set(m.flags) & set("spi"))

    def _bare(self, t: Any, name: str, arguments: tuple[Expr | None, ...]) -> Resolved:
        """Methods that every class or enum has."""
        facts = type_facts(self.q, t[1], t[2])
        if facts is not None and facts.kind == "enum":
            if name in ("values", "valueOf"):
                return Resolved(receiver=t, how="enum", outside=f"java.lang.Enum.{name}")
            if name in jdk.ENUM_METHODS:
                return Resolved(receiver=t, how="enum", outside=f"java.lang.Enum.{name}")
        if name in jdk.OBJECT_METHODS:
            return Resolved(outside=f"java.lang.Object.{name}", below=self._below(t, name, len(arguments)))
        return NOTHING

    def _chosen(
        self,
        found: tuple[Method, ...],
        receiver: Type,
        arguments: tuple[Expr | None, ...],
        how: str,
        fixed: bool = False,
    ) -> Resolved:
        methods, sure, by = self._choose(found, arguments)
        return Resolved(methods, sure, receiver, how, by, fixed=fixed)

    def reference(self, e: Expr) -> Resolved:
        """``base::name``: any of the methods of that name."""
        base, name = self.value(e[1]), e[2]
        if base is None or base[0] not in "VTU":
            return NOTHING
        t = erased(base[1])
        if name == "new":
            if t is None or t[0] not in "NX":  # arrays too are made by ``new``
                return NOTHING
            if t[0] == "X":
                return Resolved(receiver=t, how="new", outside=f"{t[1]}.<init>")
            return Resolved(java_members.constructors(self.q, t[1], t[2]), False, t, "new")
        if t is None or t[0] != "N":
            return self.method(base, name, ())
        found = self.q.get(("javamethods", t[1], t[2], name))
        if found:
            return Resolved(found, len(found) == 1, t, "reference", fixed=base[0] == "U")
        return self._member(base, t, name, ())


def _shown(key: str) -> str:
    return base_name(key)
