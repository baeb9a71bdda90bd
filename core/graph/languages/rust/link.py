"""Call sites, names read, uses and impl blocks of Rust scopes, linked (Eq. 5, E_t): see ``linkers.SHARED``.

A call reaches what its callee names: a function, a method found on the static type of the receiver, the method of a
trait and (override, possible) every impl of it that may stand behind it. A literal ``T {}`` and a call of a tuple
struct or variant is a constructor edge to the type; a function named as a value is a possible call.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Site, digest
from core.graph.languages.rust.evaluate import RULES as EVALUATION
from core.graph.languages.rust.evaluate import callee_of, constant_of, ev, type_in
from core.graph.languages.rust.exprs import OPERATORS
from core.graph.languages.rust.members import methods_of, name_of, supertraits, trait_facts
from core.graph.languages.rust.modules import Def, Defs
from core.graph.languages.rust.prelude import MACROS
from core.graph.languages.rust.typing import choose, impl_facts, of_type, typed
from core.graph.lookups import Key, Lookups

Link = tuple[str, Any, str, str]
Links = tuple[Link, ...]


def _rule_links(q: Lookups, key: Key) -> tuple[Any, Any]:
    _, path, scope = key
    facts = q.input(("cell", path, "scope", scope, ""))
    if facts is None:
        return (), ()
    known: dict[Site, Any] = {}
    found = []
    for site in facts.sites:
        links = known.get(site)
        if links is None:
            links = known[site] = (site.kind, site.key, _site(q, path, scope, site))
        found.append(links)
    return (), tuple(found)


def _site(q: Lookups, path: str, scope: str, site: Site) -> Links:
    kind, _, e = site
    if kind == "call":
        return _called(q, callee_of(q, path, scope, e[1]), e[1])
    if kind == "new":
        return _construct(typed(q, path, e), "struct literal")
    if kind == "value":
        return _passed(q, ev(q, path, scope, e))
    if kind == "macro":
        return _macro(q, path, e)
    if kind == "op":
        return _operator(q, path, scope, e)
    t = type_in(q, path, scope, e)
    found = _method_links(q, t, "into_iter", "loop")
    return found or _method_links(q, t, "next", "loop")


def _construct(t: Any, why: str) -> Links:
    if t is None:
        return ()
    if t[0] == "O":
        return tuple((kind, target, "possible", w) for x in t[1] for kind, target, _, w in _construct(x, why))
    if t[0] == "N":
        return (("constructor", t[1:3], "certain", why),)
    return (("constructor", f"<external>::{t[1]}", "certain", why),) if t[0] == "X" and "." in t[1] else ()


def _called(q: Lookups, v: Any, callee: Any) -> Links:
    if v is None:
        return ()
    kind = v[0]
    if kind == "F":
        return functions(q, v, _reason(callee))
    if kind == "K":
        return _construct(v[1], f"variant {v[2]}" if v[2] else "tuple struct")
    if kind == "E":
        return (("call", f"<external>::{v[1]}", "certain", "external"),)
    if kind == "L":
        return (("call", ("", "<closure>"), "certain", "closure"),)
    return ()


def _reason(callee: Any) -> str:
    if callee[0] == "path":
        return f"name {'::'.join(callee[2])}"
    if callee[0] == "attr":
        return f"method {callee[2]}"
    return f"associated function {callee[3]}" if callee[0] == "ta" else "value"


def functions(q: Lookups, v: Any, why: str) -> Links:
    """The links of a call of functions or methods; a method of a trait has others behind it."""
    _, how, targets, receiver = v
    why = {"default": f"{why}, default of the trait", "blanket": f"{why}, for every type"}.get(how, why)
    tier = "possible" if how == "blanket" or len(targets) > 1 else "certain"
    found: dict[Any, Link] = {t: ("call", t, tier, why) for t in targets}
    if how == "dispatch" or (how == "name" and receiver is None):
        for p, qual in targets:
            facts = q.input(("cell", p, "func", qual, ""))
            if facts is not None and facts.within[0] == "trait":
                trait, name = facts.within[1], name_of(qual)
                for target in q.get(("rsbehind", p, trait, name)):
                    found.setdefault(target, ("override", target, "possible", f"implements {trait}.{name}"))
    return tuple(found.values())


def _passed(q: Lookups, v: Any) -> Links:
    """A function, or what makes a value, named without being called."""
    if v is None:
        return ()
    if v[0] == "F":
        links = functions(q, v, "function value")
        return tuple((kind, target, "possible", why) for kind, target, _, why in links)
    if v[0] == "K":
        return tuple((kind, target, "possible", "constructor value") for kind, target, _, _ in _construct(v[1], ""))
    return ()


def _method_links(q: Lookups, t: Any, name: str, why: str) -> Links:
    if t is None or t[0] not in "ND" or not q.input(("names?", "rshas", name)):
        return ()
    found = methods_of(q, t, name)
    return functions(q, ("F", *found), why) if found is not None else ()


def _operator(q: Lookups, path: str, scope: str, e: Any) -> Links:
    name = OPERATORS.get(e[2])
    if name is None or not q.input(("names?", "rshas", name)):
        return ()
    return _method_links(q, type_in(q, path, scope, e[1]), name, f"operator {e[2]}")


# -- macros --------------------------------------------------------------------------------------------------


def macros_of(q: Lookups, path: str, module: str, segments: tuple[str, ...]) -> Defs:
    """The macros that a path followed by ``!`` may mean."""
    defs: Defs = q.get(("rspath", path, module, segments))
    found = tuple(d for d in defs if d[0] == "Y")
    if found:
        return found
    name = segments[-1]
    if q.input(("names?", "rsmacro", name)):
        root = q.get(("rsroot", path))
        at = tuple(("Y", p, qual) for p, qual in q.input(("names", "rsmacro", name)) if q.get(("rsroot", p)) == root)
        if at and len(segments) == 1:
            return at
    return tuple(d for d in defs if d[0] == "E" and "." in d[1])


def _macro(q: Lookups, path: str, e: Any) -> Links:
    found = macros_of(q, path, e[1], e[2])
    own = tuple(("call", d[1:3], "certain" if len(found) == 1 else "possible", "macro") for d in found if d[0] == "Y")
    if own:
        return own
    name = e[2][-1]
    if name in MACROS and len(e[2]) == 1:
        return (("call", f"<builtin>::{name}!", "certain", "macro"),)
    return tuple(("call", f"<external>::{d[1]}!", "certain", "macro") for d in found if d[0] == "E")


# -- uses and relations --------------------------------------------------------------------------------------


def _rule_use(q: Lookups, key: Key) -> tuple[str, Any, str] | None:
    """(hash of what binds the name, target, why) of a path read; ``()`` after it as ``rust.body`` writes it."""
    _, path, text = key
    module, bar, name = text.rpartition("|")
    called = name.endswith("()")
    segments = tuple(name.removesuffix("()").split("::"))
    defs: Defs = q.get(("rspath", path, module if bar else "", segments))
    last = segments[-1]
    found = choose(defs, "CATRYE")
    if found is None or (found[0] != "E" and any(d[0] == "F" for d in defs) and found[0] not in "CTR"):
        return None  # calls and function values have edges
    kind = found[0]
    if kind == "E":
        outside = None if called or "." not in found[1] else f"<external>::{found[1]}"
        return (digest(f"external {found[1]}"), outside, f"reads {last}") if outside is not None else None
    if kind == "C":
        return _constant(q, found[1], found[2], last)
    if kind == "Y":
        return (digest(f"macro {found[1]}::{found[2]}"), found[1:3], f"macro {last}") if called else None
    if kind == "A":
        return _below(q, found, last)
    return digest(f"type {found[1]}::{found[2]}"), found[1:3], f"reads {last}"


def _constant(q: Lookups, path: str, key: str, name: str) -> tuple[str, Any, str]:
    text = q.input(("cell", path, "text", key, "")) or ""
    return digest(f"text {path} {text}"), (path, ""), f"reads {name}"


def _below(q: Lookups, found: Def, name: str) -> tuple[str, Any, str] | None:
    """A variant, constant or function below a type or trait."""
    _, path, key, _ = found
    if trait_facts(q, path, key) is not None:
        t: Any = ("D", (("N", path, key, ()),))
    else:
        t = of_type(q, path, key, ())
    held = constant_of(q, t, name)
    if held is not None:
        text = q.input(("cell", held[0], "text", held[1], "")) or ""
        return digest(f"text {held[0]} {text}"), held_by(q, held), f"reads {name_of(key)}::{name}"
    if t is None or t[0] not in "ND":
        return None
    target = t[1:3] if t[0] == "N" else t[1][0][1:3]
    return digest(f"type {target[0]}::{target[1]}"), target, f"reads {name_of(key)}::{name}"


def held_by(q: Lookups, constant: tuple[str, str]) -> tuple[str, str]:
    """The impl block or trait whose text holds an associated constant."""
    path, key = constant
    owner = key.rpartition(".")[0]
    return (path, owner) if q.input(("cell", path, "scope", owner, "")) is not None else (path, "")


def _rule_reached(q: Lookups, key: Key) -> Links:
    """Imports; the traits of a type, wherever their impl blocks are; the traits that a trait requires."""
    _, path, scope = key
    facts = q.input(("cell", path, "scope", scope, ""))
    if facts is None:
        return ()
    found: dict[tuple[str, Any], Link] = {}
    for e in facts.imports:
        for target in q.get(("imported", path, e)):
            found.setdefault(("import", target), ("import", target, "certain", f"use {'::'.join(e[2])}"))
    if facts.kind == "class":
        for target in q.get(("bases", path, scope)):
            found.setdefault(("inherits", target), ("inherits", target, "certain", "implements"))
        for p, impl in q.get(("rsimpls", path, scope)):
            block = impl_facts(q, p, impl)
            t = typed(q, p, block.trait) if block is not None else None
            if t is not None and t[0] == "X":
                found.setdefault(("inherits", t[1]), ("inherits", f"<external>::{t[1]}", "certain", "implements"))
    return tuple(sorted(found.values(), key=repr))


def _rule_imported(q: Lookups, key: Key) -> tuple[Any, ...]:
    """What one leaf of a use tree, or a module in another file, is."""
    _, path, e = key
    found: dict[Any, None] = {}
    for d in q.get(("rspath", path, e[1], e[2])):
        if d[0] == "E":
            found[f"<external>::{d[1]}"] = None
        elif d[0] in "MC":
            found[d[1], ""] = None
        else:
            found[d[1:3]] = None
    return tuple(sorted(found, key=repr))


def _rule_bases(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The traits of this repository that a type implements, or that a trait requires."""
    _, path, scope = key
    if trait_facts(q, path, scope) is not None:
        return tuple(supertraits(q, path, scope))
    traits = (q.get(("rstraitof", *impl)) for impl in q.get(("rsimpls", path, scope)))
    return tuple(dict.fromkeys(t for t in traits if t is not None))


def _quals(q: Lookups, path: str, owner: str, name: str) -> list[str]:
    """The methods ``owner.name`` of a file, repeats too."""
    found: list[str] = []
    qual = f"{owner}.{name}"
    while q.input(("cell", path, "func", qual, "")) is not None:
        found.append(qual)
        qual = f"{owner}.{name}#{len(found) + 1}"
    return found


def _rule_overrides(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The methods of impl blocks that may stand behind a method of a trait."""
    _, path, owner, name = key
    if trait_facts(q, path, owner) is None:
        return ()
    return tuple(("f", *target) for target in q.get(("rsbehind", path, owner, name)))


def _rule_overridden(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The methods of traits that a method of an impl block stands behind."""
    _, path, owner, name = key
    found: list[Any] = []
    for qual in _quals(q, path, owner, name):
        facts = q.input(("cell", path, "func", qual, ""))
        trait = q.get(("rstraitof", path, facts.within[1])) if facts.within[0] == "impl" else None
        spec = q.get(("rsspec", *trait, name)) if trait is not None else None
        if spec is not None:
            found.append((spec[0], spec[2]))
    return tuple(dict.fromkeys(found))


RULES: dict[str, tuple[Any, Any]] = {
    **EVALUATION,
    "links": (_rule_links, ((), ())),
    "use": (_rule_use, None),
    "reached": (_rule_reached, ()),
    "imported": (_rule_imported, ()),
    "bases": (_rule_bases, ()),
    "overrides": (_rule_overrides, ()),
    "overridden": (_rule_overridden, ()),
}
