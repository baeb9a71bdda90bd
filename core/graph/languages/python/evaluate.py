"""What Python expressions evaluate to: one small function a form (see ``python.expressions`` for the forms).

    global(path, n)      name n at the end of module path, or through star imports, or builtin
    variable(path, s, n) name n at the end of scope s          local(path, s, n, versions)

Every rule is a union of what it reads: choices between alternatives are made on cells or on the static
evaluator, never on values. So circles have one least solution, whichever member is asked first.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.python import calls as python_calls
from core.graph.languages.python import containers as python_containers
from core.graph.languages.python import imports as python_imports
from core.graph.languages.python import members as python_members
from core.graph.languages.python import patches as python_patches
from core.graph.languages.python import static as python_static
from core.graph.languages.python.calls import Arguments, call, call_method
from core.graph.languages.python.containers import constants, item, iterated, part
from core.graph.languages.python.core import BUILTINS, FORMS, cell, ev, known, versions_of
from core.graph.languages.python.hints import annotated
from core.graph.languages.python.members import attribute, module_member
from core.graph.languages.python.patches import patched
from core.graph.languages.python.static import static
from core.graph.languages.python.values import NONE, Val, Values, external_attribute, is_instance, join
from core.graph.lookups import Key, Lookups


def _name(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: Values = q.get(("global", path, e[1]))
    return found


def _closure(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: Values = q.get(("variable", path, e[1], e[2]))
    return found


def _local(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: Values = q.get(("local", path, scope, e[1], e[2]))
    return found


def _const(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return NONE if e[1] == "NoneType" else frozenset({("k", e[1], e[2])})


def _attr(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    base = known(q, ev(q, path, scope, e[1]))
    if len(base) == 1:
        (only,) = base
        return attribute(q, only, e[2])
    return join(attribute(q, v, e[2]) for v in base)


def _call(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    callees = known(q, ev(q, path, scope, e[1]))
    if not callees:
        return NONE
    given = Arguments(q, path, scope, e[2], e[3])
    return join(call(q, v, given) for v in callees)


def _any(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return join(ev(q, path, scope, part) for part in e[1:])


def _typed(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    value, made = e[2], False
    if value is not None and value[0] == "call":  # a constructor says more than the annotation
        made = any(v[0] == "c" for v in static(q, path, scope, value[1]))
    hint = NONE if made or (value is not None and value[0] in ("new", "function")) else annotated(q, path, scope, e[1])
    return hint or ev(q, path, scope, value)


def _new(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("e", path, scope, e[1])})


def _updated(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    """A container with what was put in; an object of a class of the repository stays what it is."""
    return ev(q, path, scope, e[1]) | frozenset(v for v in ev(q, path, scope, e[2]) if is_instance(v))


def _function(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("f", path, e[1])})


def _def(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: Values = q.get(("defined", path, e[1]))
    return found


def _class(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    if len(e) > 2:
        found: Values = q.get(("decorated", path, e[1]))
        return found
    return frozenset({("c", path, e[1])})


def _module(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found = q.get(("import", path, 0, e[1]))
    return frozenset({found})


def _from(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    module = q.get(("import", path, e[1], e[2]))
    if module == ("m", path):  # ``from . import x`` in a package itself: x is a submodule
        inner = q.get(("submodule", path, e[3]))
        if inner is not None:
            return frozenset({inner})
    return module_member(q, module, e[3])


def _parameter(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: Values = q.get(("parameter", path, scope, e[1]))
    return found


def _item(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    base = known(q, ev(q, path, scope, e[1]))
    if not base:
        return NONE
    key = constants(q, path, scope, e[2])
    return join(item(q, v, key) for v in base)


def _slice(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    base = known(q, ev(q, path, scope, e[1]))
    low = _number(constants(q, path, scope, e[2]))
    found: set[Val] = set()
    for v in base:
        if v[0] == "e" and low is not None:
            found.add(("v", v, low))
        elif is_instance(v):
            found |= item(q, v, NONE)
        else:
            found.add(v)
    return frozenset(found)


def _number(values: Values) -> int | None:
    if not values:
        return 0
    if len(values) == 1:
        (only,) = values
        if only[0] == "k" and only[1] == "int" and only[2].isdigit():
            return int(only[2])
    return None


def _iterate(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return join(iterated(q, v) for v in known(q, ev(q, path, scope, e[1])))


def _part(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return join(part(q, v, e[2], e[3], e[4]) for v in known(q, ev(q, path, scope, e[1])))


def _enter(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: list[Values] = []
    for v in known(q, ev(q, path, scope, e[1])):
        if is_instance(v):
            entered = join(call_method(q, v, m) for m in ("__enter__", "__aenter__"))
            found.append(entered)
        elif v[0] in "gl":
            found.append(iterated(q, v))
        else:
            found.append(frozenset({v}))
    return join(found)


def _instance(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: set[Val] = set()
    for v in known(q, ev(q, path, scope, e[1])):
        if v[0] in "ct":
            found.add(("o", v[1], v[2]))
        elif v[0] == "x":
            found.add(("y", v[1]))
        elif v[0] == "z":
            found.add(("w", v[1]))
        elif v[0] == "e":
            found |= {i for c in known(q, iterated(q, v)) for i in _as_instances(c)}
    return frozenset(found)


def _as_instances(v: Val) -> tuple[Val, ...]:
    if v[0] in "ct":
        return (("o", v[1], v[2]),)
    if v[0] == "x":
        return (("y", v[1]),)
    return (("w", v[1]),) if v[0] == "z" else ()


def _super(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    if e[1] is not None:
        classes = known(q, ev(q, path, scope, e[1]))
        receivers = known(q, ev(q, path, scope, e[2]))
        return frozenset(("u", c[1], c[2], r) for c in classes if c[0] in "ct" for r in receivers if r[0] in "iosct")
    while True:  # the innermost method around, through nested functions
        facts = cell(q, path, "function", scope)
        if facts is None:
            return NONE
        if facts.cls:
            kind = "t" if facts.flags & {"class", "new"} else "s"
            return frozenset({("u", path, facts.cls, (kind, path, facts.cls))})
        scope = facts.parent


def _await(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return ev(q, path, scope, e[1])


def _operator(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    left = known(q, ev(q, path, scope, e[2]))
    found: list[Values] = []
    for v in left:
        if is_instance(v):
            found.append(call_method(q, v, e[1]))
        elif v[0] in "el" and e[1] == "__add__":
            found.append(frozenset({v}))
        elif v[0] in "kw" and v[1] in ("str", "bytes"):
            found.append(frozenset({("w", v[1])}))
    return join(found)


def _rule_global(q: Lookups, key: Key) -> Values:
    _, path, name = key
    given = patched(q, path, "", name)
    facts = cell(q, path, "name", "", name)
    if facts is not None:
        return given | versions_of(q, path, "", facts, facts.final)
    sources = q.get(("starred", path, name))
    if sources and sources[0][0] == "m":
        return given | join(q.get(("global", m[1], name)) for m in sources)
    if sources and name not in BUILTINS:
        return given | {("x", external_attribute(m[1], name)) for m in sources}
    return given | {("z", name)} if name in BUILTINS else given


def _rule_variable(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "name", scope, name)
    return versions_of(q, path, scope, facts, facts.final) if facts is not None else NONE


def _rule_local(q: Lookups, key: Key) -> Values:
    _, path, scope, name, chosen = key
    facts = cell(q, path, "name", scope, name)
    return versions_of(q, path, scope, facts, chosen) if facts is not None else NONE


FORMS.update({
    "name": _name, "closure": _closure, "local": _local, "const": _const, "attr": _attr, "call": _call, "any": _any,
    "typed": _typed, "new": _new, "updated": _updated, "function": _function, "def": _def, "class": _class,
    "module": _module, "from": _from, "parameter": _parameter, "item": _item, "slice": _slice, "iterate": _iterate,
    "part": _part,
    "enter": _enter, "instance": _instance, "super": _super, "await": _await, "operator": _operator,
})  # fmt: skip


RULES: dict[str, tuple[Any, Any]] = {
    **python_imports.RULES,
    **python_static.RULES,
    **python_members.RULES,
    **python_patches.RULES,
    **python_calls.RULES,
    **python_containers.RULES,
    "global": (_rule_global, NONE),
    "variable": (_rule_variable, NONE),
    "local": (_rule_local, NONE),
}
