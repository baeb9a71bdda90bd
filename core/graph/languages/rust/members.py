"""Fields, methods and traits of Rust types: who has what, and who may stand behind a call through a trait.

rsimpls(path, key)            the impl blocks of a type, in any file, as (path, impl)
rsmember(path, key, n)        (how, ((path, qual), ...)) of the method or associated function n of a type: "own", then
                              "trait" (written for the type), "default" (the body in the trait), "blanket"; or None
rsspec(path, trait, n)        (path, trait, qual) of the method n of a trait or of one it requires, or None
rsbehind(path, trait, n)      the methods of impl blocks that may stand behind method n of a trait
rsextension(head, n)          rsmember for a type of another crate or a primitive one, given its head
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import last_repeats
from core.graph.languages.rust.prelude import Type
from core.graph.languages.rust.syntax import TraitFacts, TypeFacts
from core.graph.languages.rust.typing import Env, filled, impl_facts, typed
from core.graph.lookups import Key, Lookups

_DEPTH = 5
Method = tuple[str, tuple[tuple[str, str], ...]]


def name_of(key: str) -> str:
    """The plain name of a type or trait."""
    return key.rpartition(".")[2].partition("#")[0]


def _rule_impls(q: Lookups, key: Key) -> tuple[tuple[str, str], ...]:
    _, path, name = key
    found = []
    for p, impl in q.input(("names", "rsimpl", name_of(name))):
        t = q.get(("rsself", p, impl))
        if any(x[0] == "N" and x[1:3] == (path, name) for x in _choices(t)):
            found.append((p, impl))
    return tuple(found)


def _choices(t: Type) -> tuple[Any, ...]:
    """The types that a type may be."""
    if t is None:
        return ()
    return t[1] if t[0] == "O" else (t,)


def _rule_member(q: Lookups, key: Key) -> Method | None:
    _, path, owner, name = key
    found = _among(q, q.get(("rsimpls", path, owner)), name)
    return found or _derived(q, path, owner, name) or _blanket(q, path, owner, name)


def _derived(q: Lookups, path: str, owner: str, name: str) -> Method | None:
    """A method of a trait of this repository that a derive gives a type."""
    facts: TypeFacts | None = q.input(("cell", path, "type", owner, ""))
    if facts is None or not facts.derived or not q.input(("names?", "rsspec", name)):
        return None
    module = q.input(("cell", path, "home", owner, "")) or ""
    for segments in facts.derived:
        for trait in q.get(("rspath", path, module, segments)):
            found = q.get(("rsspec", *trait[1:3], name)) if trait[0] == "R" else None
            if found is not None:
                return "default", ((found[0], found[2]),)
    return None


def _among(q: Lookups, impls: tuple[tuple[str, str], ...], name: str) -> Method | None:
    """The method among impl blocks of one type."""
    own: list[tuple[str, str]] = []
    written: list[tuple[str, str]] = []
    traits: list[tuple[str, str]] = []
    for p, impl in impls:
        facts = impl_facts(q, p, impl)
        if facts is None:
            continue
        held = [(p, qual) for n, qual in facts.methods if n == name]
        if facts.trait is None:
            own += held
        elif held:
            written += held
        else:
            trait = q.get(("rstraitof", p, impl))
            if trait is not None:
                traits.append(trait)
    if own:
        return "own", tuple(last_repeats(own))
    if written:
        return "trait", tuple(written)
    for trait in dict.fromkeys(traits):
        found = q.get(("rsspec", *trait, name))
        if found is not None:
            return "default", ((found[0], found[2]),)
    return None


def _blanket(q: Lookups, path: str, owner: str, name: str) -> Method | None:
    """A method written for every type with certain traits."""
    for p, impl in q.input(("names", "rsblanket", name)):
        facts = impl_facts(q, p, impl)
        held = [(p, qual) for n, qual in facts.methods if n == name] if facts is not None else []
        if held and _fits(q, path, owner, p, facts.self_type):  # type: ignore[union-attr]
            return "blanket", tuple(held)
    for p, impl in q.input(("names", "rsimpl", "*")):
        trait = q.get(("rstraitof", p, impl))
        found = q.get(("rsspec", *trait, name)) if trait is not None else None
        facts = impl_facts(q, p, impl)
        if found is not None and facts is not None and _fits(q, path, owner, p, facts.self_type):
            return "blanket", ((found[0], found[2]),)
    return None


def _fits(q: Lookups, path: str, owner: str, at: str, e: Any) -> bool:
    """Whether a type has the traits of this repository that a blanket impl asks for."""
    bounds = typed(q, at, e)
    if bounds is None or bounds[0] != "D":
        return True
    has = {q.get(("rstraitof", *impl)) for impl in q.get(("rsimpls", path, owner))}
    return all(b[0] != "N" or b[1:3] in has for b in bounds[1])


def trait_facts(q: Lookups, path: str, key: str) -> TraitFacts | None:
    """The facts of a trait."""
    return q.input(("cell", path, "trait", key, ""))  # type: ignore[no-any-return]


def _rule_spec(q: Lookups, key: Key) -> tuple[str, str, str] | None:
    _, path, trait, name = key
    facts = trait_facts(q, path, trait)
    if facts is None:
        return None
    for n, qual in facts.methods:
        if n == name:
            return path, trait, qual
    for above in supertraits(q, path, trait):
        found: tuple[str, str, str] | None = q.get(("rsspec", *above, name))
        if found is not None:
            return found
    return None


def supertraits(q: Lookups, path: str, trait: str) -> list[tuple[str, str]]:
    """The traits of this repository that a trait requires, in order."""
    facts = trait_facts(q, path, trait)
    found: list[tuple[str, str]] = []
    for e in facts.supers if facts is not None else ():
        t = typed(q, path, e)
        if t is not None and t[0] == "D":
            found += [b[1:3] for b in t[1] if b[0] == "N"]
    return found


def _rule_behind(q: Lookups, key: Key) -> tuple[tuple[str, str], ...]:
    _, path, trait, name = key
    found: list[tuple[str, str]] = []
    for p, impl in q.input(("names", "rshas", name)):
        if q.get(("rstraitof", p, impl)) == (path, trait):
            facts = impl_facts(q, p, impl)
            found += [(p, qual) for n, qual in facts.methods if n == name] if facts is not None else []
    return tuple(sorted(found))


def _head(t: Type) -> Any:
    """What two types must share to have the same impl blocks."""
    return t[:2] if t is not None and t[0] in "XB" else t[0] if t is not None else None


def _rule_extension(q: Lookups, key: Key) -> Method | None:
    _, head, name = key
    impls = [i for i in q.input(("names", "rshas", name)) if _head(q.get(("rsself", *i))) == head]
    if impls:
        return _among(q, tuple(impls), name)
    for path, trait in q.input(("names", "rsspec", name)):
        for i in q.input(("names", "rstrait", name_of(trait))):
            if q.get(("rstraitof", *i)) == (path, trait):
                own = q.get(("rsself", *i))
                facts = impl_facts(q, *i)
                wide = facts is not None and facts.self_type is not None and facts.self_type[0] == "g"
                if _head(own) == head or (wide and _head(own) in (None, "D")):
                    found = q.get(("rsspec", path, trait, name))
                    return ("default", ((found[0], found[2]),)) if found is not None else None
    for p, impl in q.input(("names", "rsblanket", name)):
        facts = impl_facts(q, p, impl)
        held = [(p, qual) for n, qual in facts.methods if n == name] if facts is not None else []
        if held:
            return "blanket", tuple(held)
    return None


def methods_of(q: Lookups, t: Type, name: str, depth: int = 0) -> tuple[str, tuple[tuple[str, str], ...], Type] | None:
    """(how, targets, the type they are found on) of a method of a type, through ``Deref`` too."""
    if t is None:
        return None
    if t[0] == "O":
        several = [m for m in (methods_of(q, x, name, depth) for x in t[1]) if m is not None]
        targets = tuple(dict.fromkeys(target for m in several for target in m[1]))
        return (several[0][0], targets, several[0][2]) if several else None
    if t[0] == "N":
        found = q.get(("rsmember", t[1], t[2], name))
        if found is not None:
            return (*found, t)
        target = filled(q.get(("rsassoc", t[1], t[2], "Target")), t[3])
        return methods_of(q, target, name, depth + 1) if target is not None and depth < _DEPTH else None
    if t[0] == "D":
        for bound in t[1]:
            spec = q.get(("rsspec", bound[1], bound[2], name)) if bound[0] == "N" else None
            if spec is not None:
                return "dispatch", ((spec[0], spec[2]),), t
        return None
    found = q.get(("rsextension", _head(t), name))
    return (*found, t) if found is not None else None


def field(q: Lookups, t: Type, name: str, depth: int = 0) -> Type:
    """The type of a field, through ``Deref`` too."""
    if t is None:
        return None
    if t[0] == "O":
        return next((x for x in (field(q, choice, name, depth) for choice in t[1]) if x is not None), None)
    if t[0] == "U" and name.isdigit():
        return t[1][int(name)] if int(name) < len(t[1]) else None
    if t[0] != "N":
        return None
    facts: TypeFacts | None = q.input(("cell", t[1], "type", t[2], ""))
    for n, e in facts.fields if facts is not None else ():
        if n == name:
            return typed(q, t[1], e, arguments_of(facts, t))
    target = filled(q.get(("rsassoc", t[1], t[2], "Target")), t[3])
    return field(q, target, name, depth + 1) if target is not None and depth < _DEPTH else None


def arguments_of(facts: TypeFacts | None, t: tuple[Any, ...]) -> Env:
    """What the type parameters of a declared type stand for in one of its uses."""
    return dict(zip(facts.params, t[3], strict=False)) if facts is not None else {}


RULES: dict[str, tuple[Any, Any]] = {
    "rsimpls": (_rule_impls, ()),
    "rsmember": (_rule_member, None),
    "rsspec": (_rule_spec, None),
    "rsbehind": (_rule_behind, ()),
    "rsextension": (_rule_extension, None),
}
