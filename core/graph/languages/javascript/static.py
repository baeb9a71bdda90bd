"""What names mean without running anything: classes, functions, modules, constants behind aliases and exports.

Bases, annotations and constant keys are read with this evaluator only, so the order of classes and the hints of
types never depend on values that depend on them, and every rule on values grows with what it reads.

    jsstatic(path, s, n, chosen, loop)  a name (chosen () = at the end)     jsstatics(path, c, n)  static member
    jssexport(path, n)  an export     jsstarred(path, n)  the starred modules that have n     jshas(path, n)
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.javascript.core import cell, chosen_of
from core.graph.languages.javascript.packages import folder_of
from core.graph.languages.javascript.values import NONE, Val, Values, dotted, join
from core.graph.lookups import Key, Lookups


def module_of(q: Lookups, path: str, specifier: str) -> Val:
    """The module that an import of ``path`` names."""
    found: Val = q.get(("jsmodule", folder_of(path), specifier))
    return found


def static(q: Lookups, path: str, scope: str, e: Expr | None) -> Values:
    """The classes, functions, modules, objects, external things and constants ``e`` may be."""
    if e is None:
        return NONE
    kind = e[0]
    if kind == "name":
        return q.get(("jsstatic", path, "", e[1], (), -1))  # type: ignore[no-any-return]
    if kind == "local":
        return q.get(("jsstatic", path, scope, e[1], e[2], -1))  # type: ignore[no-any-return]
    if kind == "loop":
        return q.get(("jsstatic", path, scope, e[1], e[2], e[3]))  # type: ignore[no-any-return]
    if kind == "closure":
        return q.get(("jsstatic", path, e[1], e[2], (), -1))  # type: ignore[no-any-return]
    if kind == "attr":
        return join(_attribute(q, v, e[2]) for v in static(q, path, scope, e[1]))
    if kind == "class":
        return frozenset({("c", path, e[1])})
    if kind == "func":
        return frozenset({("f", path, e[1])})
    if kind == "obj":
        return frozenset({("e", path, scope, e[1])})
    if kind == "ref":
        return frozenset({("e", path, e[1], e[2])})
    if kind == "const":
        return frozenset({("k", e[1])})
    if kind == "lit":
        return frozenset({("w", e[1])})
    if kind == "import":
        return imported(q, path, e[1], e[2], "jssexport")
    if kind == "require":
        return required(q, path, e[1], static)
    if kind == "any":
        return join(static(q, path, scope, part) for part in e[1:])
    if kind in ("typed", "wrapped"):
        return static(q, path, scope, e[2])
    if kind == "in":
        return static(q, path, e[1], e[2])
    return _rest(q, path, scope, e)


def _rest(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    kind = e[0]
    if kind == "global":
        if cell(q, path, "name", "", e[1]) is not None:
            return q.get(("jsstatic", path, "", e[1], (), -1))  # type: ignore[no-any-return]
        return frozenset({("z", e[1])})
    if kind == "new":
        return frozenset(("w", v[1]) for v in static(q, path, scope, e[1]) if v[0] == "z")
    if kind == "call":  # a mixin: ``class A extends Mixin(Base)``
        found = [static(q, path, scope, a) for a in e[2]]
        outer = frozenset(("x", dotted(v[1], "()")) for v in static(q, path, scope, e[1]) if v[0] == "x")
        return join([*(frozenset(v for v in f if v[0] == "c") for f in found), outer])
    return NONE


def imported(q: Lookups, path: str, specifier: str, name: str, rule: str) -> Values:
    """``name`` of a module ("*" the module itself), by the rule for exports ``rule``."""
    module = module_of(q, path, specifier)
    if name == "*":
        return frozenset({module})
    if module[0] == "x":
        return frozenset({("x", module[1] if name == "default" else dotted(module[1], name))})
    return q.get((rule, module[1], name))  # type: ignore[no-any-return]


def required(q: Lookups, path: str, specifier: str, evaluate: Any) -> Values:
    """What ``require`` gives: the module, and what it sets ``module.exports`` to."""
    module = module_of(q, path, specifier)
    if module[0] == "x":
        return frozenset({module})
    given = cell(q, module[1], "commonjs", "") or ()
    held = join(evaluate(q, module[1], "", e) for e in given)
    return frozenset({module} | {v for v in held if v[0] != "e"})


def exported(q: Lookups, path: str, name: str, rule: str, evaluate: Any, attribute: Any) -> Values:
    """``name`` exported by ``path``: its own, what module.exports has, or that of a starred module."""
    e = cell(q, path, "export", "", name)
    if e is not None:
        return evaluate(q, path, "", e)  # type: ignore[no-any-return]
    given = cell(q, path, "commonjs", "")
    if given is not None:
        held = join(evaluate(q, path, "", e) for e in given)
        return held if name == "default" else join(attribute(q, v, name) for v in held if v != ("m", path))
    if name == "default":
        return frozenset({("m", path)})
    found: list[Values] = []
    for module in q.get(("jsstarred", path, name)):
        if module[0] == "m":
            found.append(q.get((rule, module[1], name)))
        else:
            found.append(frozenset({("x", dotted(module[1], name))}))
    return join(found)


def _attribute(q: Lookups, v: Val, name: str) -> Values:
    kind = v[0]
    if kind == "c" or kind == "f":
        return q.get(("jsstatics", v[1], v[2], name))  # type: ignore[no-any-return]
    if kind == "m":
        return q.get(("jssexport", v[1], name))  # type: ignore[no-any-return]
    if kind in "xz":
        return frozenset({(kind, dotted(v[1], name))})
    if kind == "e":
        held = cell(q, v[1], "obj", v[2], v[3])
        if held is not None and held[0] == "object":
            return join(static(q, v[1], v[2], e) for key, e in held[1] if key == name)
    return NONE


def _rule_static(q: Lookups, key: Key) -> Values:
    _, path, scope, name, chosen, loop = key
    facts = cell(q, path, "name", scope, name)
    if facts is None:
        return NONE
    found = [static(q, path, scope, e) for e in chosen_of(facts, chosen or facts.final, loop)]
    found += [static(q, path, inner, e) for inner, e in facts.extern]
    return join(found)


def _rule_statics(q: Lookups, key: Key) -> Values:
    _, path, cls, name = key
    members = cell(q, path, "member", cls, name)
    if members is not None:
        return join(static(q, path, cls, e) for kind, fixed, e in members if fixed and kind in ("method", "field"))
    facts = cell(q, path, "class", cls)
    if facts is None or facts.kind == "interface":
        return NONE
    found: list[Values] = []
    for e in facts.bases:
        for v in static(q, path, facts.parent, e):
            if v[0] == "c" and v[1:] != (path, cls):
                found.append(q.get(("jsstatics", v[1], v[2], name)))
            elif v[0] == "x":
                found.append(frozenset({("x", dotted(v[1], name))}))
    return join(found)


def _rule_sexport(q: Lookups, key: Key) -> Values:
    return exported(q, key[1], key[2], "jssexport", static, _attribute)


def _rule_starred(q: Lookups, key: Key) -> tuple[Val, ...]:
    """Modules of the repository that export the name, else those of elsewhere, which may."""
    _, path, name = key
    modules = [module_of(q, path, s) for s in cell(q, path, "star", "") or ()]
    found = [m for m in modules if m[0] == "m" and q.get(("jshas", m[1], name))]
    return tuple(dict.fromkeys(found or [m for m in modules if m[0] == "x"]))


def _rule_has(q: Lookups, key: Key) -> bool:
    _, path, name = key
    if name == "default":
        return False
    if any(cell(q, path, tag, "", name) is not None for tag in ("export", "texport")):
        return True
    modules = [module_of(q, path, s) for s in cell(q, path, "star", "") or ()]
    return any(m[0] == "m" and q.get(("jshas", m[1], name)) for m in modules)


RULES: dict[str, tuple[Any, Any]] = {
    "jsstatic": (_rule_static, NONE),
    "jsstatics": (_rule_statics, NONE),
    "jssexport": (_rule_sexport, NONE),
    "jsstarred": (_rule_starred, ()),
    "jshas": (_rule_has, False),
}
