"""What Python expressions evaluate to: rules over look-ups (see ``lookups``), each a pure function of cells.

global(path, n)            name n at the end of module path, or through star imports, or builtin
variable(path, s, n)       name n at the end of scope s          local(path, s, n, versions)
import(path, level, dotted)                                      defined(path, s)  a function, decorated
order(path, c)             MRO of class c                        ancestors(path, c)
member(path, c, n)         (values of the class attribute found by MRO, values assigned to self.n)
own(path, c, n)            class c's own attribute n             field(path, c, n)  assigned in c's methods
returns(path, s)           what calling a function gives         yields(path, s)
overrides(path, c, n)      functions that override n in known subclasses of c
"""

from __future__ import annotations

import builtins
import sys
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.python_values import (
    NONE,
    Val,
    Values,
    as_class,
    elements,
    external_attribute,
    is_instance,
    join,
    merge_c3,
    substitute,
)
from core.graph.lookups import Key, Lookups

BUILTINS = frozenset(dir(builtins))
_TYPES = {
    "str",
    "int",
    "float",
    "bytes",
    "bool",
    "list",
    "dict",
    "set",
    "tuple",
    "frozenset",
    "object",
    "bytearray",
    "complex",
}
_SAME = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter"}
_TEXT = frozenset(
    [
        "join",
        "strip",
        "lstrip",
        "rstrip",
        "format",
        "replace",
        "lower",
        "upper",
        "title",
        "capitalize",
        "casefold",
        "center",
        "ljust",
        "rjust",
        "zfill",
        "expandtabs",
        "swapcase",
        "translate",
        "removeprefix",
        "removesuffix",
        "format_map",
    ]
)
_PASS = {
    "functools.partial", "copy.copy", "copy.deepcopy", "functools.lru_cache", "functools.cache", "functools.wraps",
    "functools.update_wrapper", "contextlib.contextmanager", "contextlib.asynccontextmanager", "staticmethod",
    "classmethod", "abc.abstractmethod", "contextlib.closing", "itertools.chain", "asyncio.create_task",
    "asyncio.wait_for", "asyncio.ensure_future", "asyncio.shield",
}  # fmt: skip
_UNPACK = {"Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar"}
_LAST = {"Awaitable", "Coroutine", "Future", "Task"}
_BOXES = frozenset(
    [
        "list",
        "List",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "AbstractSet",
        "MutableSet",
        "deque",
        "Deque",
        "Collection",
        "Generator",
        "AsyncIterator",
        "AsyncIterable",
        "AsyncGenerator",
        "Container",
        "Reversible",
        "KeysView",
        "ValuesView",
    ]
)
_MAPS = frozenset(
    ["dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict", "ItemsView"]
)


def cell(q: Lookups, path: str, tag: str, scope: str, name: str = "") -> Any:
    """One cell of a file's facts, None if there is none (also a dependency)."""
    return q.input(("cell", path, tag, scope, name))


# -- expressions ----------------------------------------------------------------------------------------


def ev(q: Lookups, path: str, scope: str, e: Expr | None) -> Values:
    """The values of expression ``e`` read in ``scope`` of ``path``."""
    if e is None:
        return NONE
    form = _FORMS.get(e[0])
    return form(q, path, scope, e) if form is not None else NONE


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
    value = ev(q, path, scope, e[2])
    hint = annotated(q, path, scope, e[1])
    exact = frozenset(v for v in value if v[0] not in "kw")
    return exact or hint or value


def _new(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("e", path, scope, e[1])})


def _function(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("f", path, e[1])})


def _def(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: Values = q.get(("defined", path, e[1]))
    return found


def _class(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return frozenset({("c", path, e[1])})


def _module(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found = q.get(("import", path, 0, e[1]))
    return frozenset({found})


def _from(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    return imported_name(q, path, e[1], e[2], e[3])


def imported_name(q: Lookups, path: str, level: int, dotted: str, name: str) -> Values:
    """What ``from <level dots><dotted> import name`` gives."""
    return module_member(q, q.get(("import", path, level, dotted)), name)


def _parameter(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    found: Values = q.get(("parameter", path, scope, e[1]))
    return found


def _item(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    base = known(q, ev(q, path, scope, e[1]))
    if not base:
        return NONE
    key = ev(q, path, scope, e[2])
    return join(item(q, v, known(q, key)) for v in base)


def _slice(q: Lookups, path: str, scope: str, e: Expr) -> Values:
    base = known(q, ev(q, path, scope, e[1]))
    low = _number(known(q, ev(q, path, scope, e[2])))
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


# -- attributes, calls, containers ----------------------------------------------------------------------


def known(q: Lookups, values: Values) -> Values:
    """``values`` with arguments looked up among the calls seen so far, where that is wanted (``q.flow``)."""
    for v in values:
        if v[0] == "p":
            break
    else:
        return values
    found = {v for v in values if v[0] != "p"}
    if q.flow:
        for v in values:
            if v[0] == "p":
                found |= q.input(("argument", *v[1:]))
    return frozenset(found)


def attribute(q: Lookups, v: Val, name: str) -> Values:
    """The values of ``v.name``."""
    kind = v[0]
    if kind in "ios":
        return instance_member(q, v, name)
    if kind in "ct":
        return class_member(q, v, name)
    if kind in "mn":
        return module_member(q, v, name)
    if kind in "xy":
        return frozenset({("x", external_attribute(v[1], name))})
    if kind == "u":
        return _super_member(q, v, name)
    if kind in "kw":
        return frozenset({("z", f"{v[1]}.{name}")}) if v[1].count(".") < 2 else NONE
    if kind in "el" or kind == "v":
        return _container_member(q, v, name)
    if kind == "z":
        return frozenset({("z", f"{v[1]}.{name}")}) if v[1].count(".") < 2 else NONE
    if kind == "f" and name in ("__wrapped__", "__func__"):
        return frozenset({v})
    if kind == "b" and name == "__func__":
        return frozenset({("f", v[1], v[2])})
    if kind == "b" and name == "__self__":
        return frozenset({v[3]})
    return NONE


def instance_member(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` of an instance: methods are bound, properties read."""
    if name == "__class__":
        return frozenset({as_class(v)})
    plain, fields = q.get(("member", v[1], v[2], name))
    found: set[Val] = set()
    for m in plain:
        found |= bind(q, m, v)
    if fields:
        found |= substitute(fields, v, lambda _: None, "", "")
    return frozenset(found)


def bind(q: Lookups, m: Val, receiver: Val) -> Values:
    """A class attribute's value as read through ``receiver``."""
    if m[0] == "q":
        return join(call(q, g, Bare(receiver)) for g in m[1])
    if m[0] == "f":
        facts = cell(q, m[1], "function", m[2])
        flags = facts.flags if facts is not None else ()
        if "static" in flags:
            return frozenset({m})
        if "property" in flags:
            if receiver[0] in "ct":
                return NONE
            return call(q, ("b", m[1], m[2], receiver), Bare(receiver))
        if "class" in flags:
            return frozenset({("b", m[1], m[2], as_class(receiver))})
        return frozenset({m if receiver[0] in "ct" else ("b", m[1], m[2], receiver)})
    if m[0] in "st":
        return substitute(frozenset({m}), receiver, lambda _: None, "", "")
    return frozenset({m})


def class_member(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` of a class: through its MRO, then its metaclass."""
    plain, fields = q.get(("member", v[1], v[2], name))
    found: set[Val] = set()
    for m in plain:
        found |= bind(q, m, v)
    if not plain and fields:
        found |= fields
    if not found:
        for meta in q.get(("metaclass", v[1], v[2])):
            values, _ = q.get(("member", meta[1], meta[2], name))
            for m in values:
                found.add(("b", m[1], m[2], v) if m[0] == "f" else m)
    return frozenset(found)


def _super_member(q: Lookups, v: Val, name: str) -> Values:
    found, _ = super_lookup(q, v, name)
    return found


def super_lookup(q: Lookups, v: Val, name: str) -> tuple[Values, bool]:
    """(values, whether a repository class gives them) of ``super().name``: the MRO after the class."""
    receiver = v[3]
    order = q.get(("order", receiver[1], receiver[2]))
    start = next((i for i, c in enumerate(order) if c[1:] == v[1:3]), None)
    if start is None:
        order, start = q.get(("order", v[1], v[2])), 0
    for c in order[start + 1 :]:
        if c[0] == "c":
            facts = cell(q, c[1], "name", c[2], name)
            if facts is not None:
                values = q.get(("own", c[1], c[2], name))
                return join(_bind_super(q, m, receiver) for m in values), True
    for c in order[start + 1 :]:
        if c[0] == "x" and not c[1].startswith("typing."):
            return frozenset({("x", external_attribute(c[1], name))}), False
    for c in order[start + 1 :]:
        if c[0] == "z":
            return frozenset({("z", f"{c[1]}.{name}")}), False
    return frozenset({("z", f"object.{name}")}) if name in _OBJECT else NONE, False


_OBJECT = frozenset(dir(object))


def _bind_super(q: Lookups, m: Val, receiver: Val) -> Values:
    if m[0] == "f" and receiver[0] in "ct":
        facts = cell(q, m[1], "function", m[2])
        if facts is not None and "static" not in facts.flags:
            return frozenset({("b", m[1], m[2], receiver)})
    return bind(q, m, receiver)


def module_member(q: Lookups, v: Val, name: str) -> Values:
    """``v.name`` of a module, a namespace package or an external thing: its names, then its submodules."""
    if v[0] == "m":
        inner = None if q.get(("binds", v[1], name)) else q.get(("submodule", v[1], name))
        if inner is not None:
            return frozenset({inner})
        if name in BUILTINS and not q.get(("binds", v[1], name)):
            return NONE  # a module does not have builtins as attributes
        found: Values = q.get(("global", v[1], name))
        return found
    if v[0] == "n":
        entry = q.input(("file", f"{v[1]}/{name}" if v[1] else name))
        return frozenset({entry}) if entry is not None else NONE
    return frozenset({("x", external_attribute(v[1], name))})


def call(q: Lookups, v: Val, given: Any) -> Values:
    """What calling ``v`` gives; ``given`` are the arguments."""
    kind = v[0]
    if kind == "f":
        return _returned(q, v, None, given)
    if kind == "b":
        return _returned(q, v, v[3], given)
    if kind == "c":
        return frozenset({("i", v[1], v[2])})
    if kind == "t":
        return frozenset({("s", v[1], v[2])})
    if kind in "ios":
        return call_method(q, v, "__call__", given)
    if kind == "x":
        return _external_call(q, v, given)
    if kind == "z":
        return _builtin_call(q, v[1], given)
    if kind == "r":
        found: Values = v[1]
        return found
    if kind == "a":  # a method of a container, see _container_member
        return v[1]  # type: ignore[no-any-return]
    return NONE


def call_method(q: Lookups, v: Val, name: str, given: Any = None) -> Values:
    """What ``v.name(...)`` gives."""
    plain, _ = q.get(("member", v[1], v[2], name))
    # An instance as ``__call__`` could be its own: only functions are followed.
    return join(call(q, m, given or Bare(v)) for f in plain for m in bind(q, f, v) if not is_instance(m))


def _returned(q: Lookups, v: Val, receiver: Val | None, given: Any) -> Values:
    values: Values = q.get(("returns", v[1], v[2]))
    if not values:
        return NONE
    if all(x[0] not in "stpblgu" for x in values):
        return values
    facts = cell(q, v[1], "function", v[2])
    if facts is None:
        return NONE
    return substitute(values, receiver, lambda n: given.named(facts, n, receiver is not None), v[1], v[2])


class Arguments:
    """The arguments of one call, evaluated when asked for."""

    def __init__(self, q: Lookups, path: str, scope: str, positional: Any, named: Any) -> None:
        self.q, self.path, self.scope = q, path, scope
        self.positional, self.keywords = positional, named

    def at(self, index: int) -> Values:
        """The values of positional argument ``index``."""
        if index < len(self.positional):
            return ev(self.q, self.path, self.scope, self.positional[index])
        return NONE

    def named(self, facts: Any, name: str, bound: bool) -> Values | None:
        """The values given to parameter ``name``; None when the call leaves it to its default."""
        for keyword, value in self.keywords:
            if keyword == name:
                return ev(self.q, self.path, self.scope, value)
        skip = 1 if bound and facts.cls and "static" not in facts.flags else 0
        plain = [p.name for p in facts.params if p.kind == ""]
        if name in plain:
            index = plain.index(name) - skip
            if 0 <= index < len(self.positional):
                return self.at(index)
            return NONE
        for p in facts.params:
            if p.name == name and p.kind == "*":
                rest = self.positional[max(len(plain) - skip, 0) :]
                return join(ev(self.q, self.path, self.scope, a) for a in rest)
        return NONE


class Bare:
    """No arguments at all."""

    positional: tuple[Any, ...] = ()
    keywords: tuple[Any, ...] = ()

    def __init__(self, receiver: Val | None = None) -> None:
        self.receiver = receiver

    def at(self, index: int) -> Values:
        """Nothing is given."""
        return NONE

    def named(self, facts: Any, name: str, bound: bool) -> Values | None:
        """Nothing is given."""
        return NONE


class Values1(Bare):
    """One positional argument whose values are known."""

    def __init__(self, values: Values) -> None:
        super().__init__(None)
        self.values = values
        self.positional = (None,)

    def at(self, index: int) -> Values:
        """The first argument's values."""
        return self.values if index == 0 else NONE

    def named(self, facts: Any, name: str, bound: bool) -> Values | None:
        """The argument goes to the first plain parameter that is not bound."""
        plain = [p.name for p in facts.params if p.kind == ""]
        skip = 1 if bound and facts.cls and "static" not in facts.flags else 0
        return self.values if name in plain and plain.index(name) == skip else NONE


def _external_call(q: Lookups, v: Val, given: Any) -> Values:
    dotted = v[1]
    if dotted in _PASS:
        inner: Values = given.at(0)
        return inner if inner else frozenset({("y", dotted)})
    if dotted in ("typing.cast", "typing_extensions.cast") and isinstance(given, Arguments) and given.positional:
        return annotated(q, given.path, given.scope, given.positional[0])
    if dotted == "functools.reduce" or dotted.endswith("import_module"):
        return NONE
    return frozenset({("y", dotted)})


def _builtin_call(q: Lookups, name: str, given: Any) -> Values:
    if name in _TYPES and not given.positional:
        return frozenset({("w", name)})
    if name in _SAME:
        source = known(q, given.at(1 if name == "filter" else 0))
        inner = join(iterated(q, v) for v in source)
        return frozenset({elements(inner)}) if inner else frozenset({("w", name if name in _TYPES else "iterator")})
    if name == "map":
        results = join(call(q, f, Values1(NONE)) for i in range(2) for f in known(q, given.at(i)) if f[0] in "fbct")
        return frozenset({elements(results)})
    if name == "next":
        return join(iterated(q, v) for v in known(q, given.at(0)))
    if name == "enumerate":
        inner = join(iterated(q, v) for v in known(q, given.at(0)))
        return frozenset({elements(frozenset({("d", frozenset({("w", "int")}), inner)}))}) if inner else NONE
    if name == "zip":
        parts = tuple(join(iterated(q, v) for v in known(q, given.at(i))) for i in range(len(given.positional)))
        return frozenset({elements(frozenset({("d", *parts)}))}) if any(parts) else NONE
    if name == "type" and len(given.positional) == 1:
        return frozenset(as_class(v) for v in known(q, given.at(0)) if is_instance(v))
    if name == "property":
        return frozenset({("q", frozenset(v for v in given.at(0) if v[0] in "fb"))})
    if name in ("staticmethod", "classmethod"):
        found: Values = given.at(0)
        return found
    if name.startswith(("str.", "bytes.")):
        base, _, method = name.partition(".")
        if method in _TEXT:
            return frozenset({("w", base)})
        if method in ("split", "rsplit", "splitlines", "partition", "rpartition"):
            return frozenset({elements(frozenset({("w", base)}))})
        return frozenset({("w", {"encode": "bytes", "decode": "str"}.get(method, "int"))})
    if "." in name:
        return NONE
    return frozenset({("w", name)})


def item(q: Lookups, v: Val, key: Values) -> Values:
    """The values of ``v[key]``."""
    kind = v[0]
    if kind == "e" or kind == "v":
        return _container_item(q, v, key)
    if kind == "l":
        found: Values = v[2]
        return found
    if kind == "d":
        index = _index(key)
        if index is not None and index < len(v) - 1:
            return v[1 + index]  # type: ignore[no-any-return]
        return join(v[1:])
    if is_instance(v):
        return call_method(q, v, "__getitem__")
    if kind in "ct":
        return frozenset({v})  # Generic[T]
    if kind in "xy":
        return frozenset({v})
    return NONE


def _index(key: Values) -> int | None:
    if len(key) == 1:
        (only,) = key
        if only[0] == "k" and only[1] == "int" and only[2].isdigit():
            return int(only[2])
    return None


def _keys(key: Values) -> Values | None:
    """The constants a key may be; None when it may be anything."""
    return key if key and all(k[0] == "k" and k[2] != "" for k in key) else None


def _container_item(q: Lookups, v: Val, key: Values) -> Values:
    """``v[key]`` of a container built in the text, through the updates made to it since."""
    shift = 0
    while v[0] == "v":
        shift += v[2]
        v = v[1]
    found: Values = q.get(("held", *v[1:], _keys(key), shift))
    return found


def _rule_held(q: Lookups, key: Key) -> Values:
    """What container ``number`` of a scope holds at ``wanted`` (constant keys, None for any key)."""
    _, path, scope, number, wanted, shift = key
    built = cell(q, path, "new", scope, number)
    if built is None:
        return NONE
    if built[0] == "store":
        stored = _keys(known(q, ev(q, path, scope, built[2])))
        found: list[Values] = []
        if wanted is None or stored is None or wanted & stored:
            found.append(ev(q, path, scope, built[3]))
        if not (wanted is not None and stored is not None and wanted <= stored and len(stored) == 1):
            found.append(_held_by(q, path, scope, built[1], wanted, shift))
        return join(found)
    if built[0] == "merge":
        added = known(q, ev(q, path, scope, built[2]))
        inner = join(_item_of(q, x, wanted) for x in added)
        if wanted is not None and inner and all(x[0] == "e" for x in added):
            return inner
        return inner | _held_by(q, path, scope, built[1], wanted, shift)
    return _literal_item(q, path, scope, built, wanted, shift)


def _held_by(q: Lookups, path: str, scope: str, e: Expr | None, wanted: Values | None, shift: int) -> Values:
    return join(
        _item_of(q, ("v", v, shift) if shift and v[0] == "e" else v, wanted) for v in known(q, ev(q, path, scope, e))
    )


def _item_of(q: Lookups, v: Val, wanted: Values | None) -> Values:
    return item(q, v, wanted if wanted is not None else NONE)


def _literal_item(q: Lookups, path: str, scope: str, built: Expr, wanted: Values | None, shift: int) -> Values:
    kind = built[0]
    if kind == "dict":
        found: list[Values] = []
        for k, value in built[1]:
            if k == ("star",):
                found.append(join(item(q, x, wanted or NONE) for x in known(q, ev(q, path, scope, value[1]))))
                continue
            keys = _keys(known(q, ev(q, path, scope, k))) if k is not None else None
            if wanted is None or keys is None or wanted & keys:
                found.append(ev(q, path, scope, value))
        return join(found)
    parts = built[1]
    if wanted is not None and not kind.endswith("*") and not any(p is not None and p[0] == "star" for p in parts):
        numbers = [int(k[2]) + shift for k in wanted if k[1] == "int" and k[2].isdigit()]
        if len(numbers) == len(wanted):
            return join(ev(q, path, scope, parts[n]) for n in numbers if n < len(parts))
    return join(_spread(q, path, scope, p) for p in parts)


def _spread(q: Lookups, path: str, scope: str, p: Expr | None) -> Values:
    if p is not None and p[0] == "star":
        return join(iterated(q, v) for v in known(q, ev(q, path, scope, p[1])))
    return ev(q, path, scope, p)


def iterated(q: Lookups, v: Val) -> Values:
    """The values a loop over ``v`` takes."""
    kind = v[0]
    if kind == "e":
        built = cell(q, v[1], "new", v[2], v[3])
        if built is None or (built[0] == "dict" and len(built[1]) > 40):
            return NONE
        if built[0] == "dict":
            return join(ev(q, v[1], v[2], k) for k, _ in built[1] if k is not None and k != ("star",))
        return _container_item(q, v, NONE)
    if kind == "v":
        return _container_item(q, v, NONE)
    if kind == "l":
        found: Values = v[1]
        return found
    if kind == "g":
        given: Values = q.get(("yields", v[1], v[2]))
        return substitute(given, v[3], lambda _: None, "", "")
    if is_instance(v):
        results: list[Values] = []
        for iterator in join(call_method(q, v, m) for m in ("__iter__", "__aiter__")):
            if is_instance(iterator):
                results += [call_method(q, iterator, m) for m in ("__next__", "__anext__")]
            elif iterator[0] in "glev":
                results.append(iterated(q, iterator) if iterator != v else NONE)
        return join(results)
    if kind == "d":
        return join(v[1:])
    return NONE


def part(q: Lookups, v: Val, index: int, count: int, star: int) -> Values:
    """What the target at ``index`` of ``count`` takes when ``v`` is unpacked; ``star`` is the starred target."""
    if v[0] == "e":
        built = cell(q, v[1], "new", v[2], v[3])
        if built is not None and built[0] in ("tuple", "list") and not any(p and p[0] == "star" for p in built[1]):
            parts = built[1]
            if index == star:
                rest = parts[index : len(parts) - (count - index - 1)]
                return frozenset({elements(join(ev(q, v[1], v[2], p) for p in rest))})
            at = index if star < 0 or index < star else len(parts) - (count - index)
            return ev(q, v[1], v[2], parts[at]) if 0 <= at < len(parts) else NONE
    if v[0] == "d" and star < 0:
        found: Values = v[1 + index] if index < len(v) - 1 else NONE
        return found
    return iterated(q, v)


def _container_member(q: Lookups, v: Val, name: str) -> Values:
    """Methods of containers, as callables that give what the container holds."""
    if name in ("get", "pop", "setdefault", "popleft", "popitem"):
        return frozenset({("a", item(q, v, NONE), "dict." + name)})
    if name == "values":
        return frozenset({("a", frozenset({elements(item(q, v, NONE))}), "dict.values")})
    if name == "items":
        pair = ("d", iterated(q, v), item(q, v, NONE))
        return frozenset({("a", frozenset({elements(frozenset({pair}))}), "dict.items")})
    if name in ("copy", "union", "keys"):
        return frozenset({("a", frozenset({v}), "dict." + name)})
    return frozenset({("z", f"{_container_type(q, v)}.{name}")})


def _container_type(q: Lookups, v: Val) -> str:
    if v[0] == "e":
        built = cell(q, v[1], "new", v[2], v[3])
        if built is not None:
            kind: str = built[0].rstrip("*")
            if kind in ("list", "dict", "set", "tuple", "generator"):
                return kind
            return "container"
    return "list"


# -- annotations ----------------------------------------------------------------------------------------


def annotated(q: Lookups, path: str, scope: str, e: Expr | None, cls: str = "", depth: int = 0) -> Values:
    """The values a variable annotated with ``e`` may take; Any, None and unknown types give none."""
    if e is None or depth > 6:
        return NONE
    kind = e[0]
    if kind == "operator":
        return join(annotated(q, path, scope, part, cls, depth + 1) for part in e[2:4])
    if kind == "any":
        return join(annotated(q, path, scope, part, cls, depth + 1) for part in e[1:])
    if kind == "item":
        return _subscripted(q, path, scope, e, cls, depth)
    if kind == "call":
        bound = next((v for k, v in e[3] if k == "bound"), None)
        return annotated(q, path, scope, bound, cls, depth + 1)
    if kind == "new" or kind == "const":
        return NONE
    found: set[Val] = set()
    for v in ev(q, path, scope, e):
        if v[0] in "ct":
            found.add(("o", v[1], v[2]))
        elif v[0] == "x":
            last = v[1].rsplit(".", 1)[-1]
            if last == "Self":
                found.update({("s", path, cls)} if cls else ())
            elif v[1] not in ("typing.Any", "typing.Optional"):
                found.add(("y", v[1]))
        elif v[0] == "y" and v[1] in ("typing.TypeVar", "typing.NewType"):
            found |= _alias(q, path, scope, e, cls, depth)
        elif v[0] == "z":
            found.add(("w", v[1]))
    return frozenset(found) if found else _alias(q, path, scope, e, cls, depth)


def _alias(q: Lookups, path: str, scope: str, e: Expr, cls: str, depth: int) -> Values:
    """A name bound to a type expression: ``X = A | B``."""
    if e[0] != "name":
        return NONE
    facts = cell(q, path, "name", "", e[1])
    if facts is None:
        return NONE
    exprs = [facts.versions[i][1] for i in facts.final if facts.versions[i][0] == "variable"]
    return join(
        annotated(q, path, "", x, cls, depth + 1)
        for x in exprs
        if x is not None and x[0] in ("item", "operator", "call")
    )


def _subscripted(q: Lookups, path: str, scope: str, e: Expr, cls: str, depth: int) -> Values:
    parameters: tuple[Expr | None, ...] = (e[2],)
    if e[2] is not None and e[2][0] == "new":
        built = cell(q, path, "new", scope, e[2][1])
        if built is not None and built[0] == "tuple":
            parameters = built[1]
    found: list[Values] = []

    def read(p: Expr | None) -> Values:
        return annotated(q, path, scope, p, cls, depth + 1)

    for v in ev(q, path, scope, e[1]):
        if v[0] in "ct":
            found.append(frozenset({("o", v[1], v[2])}))
            continue
        last = v[1].rsplit(".", 1)[-1] if v[0] in "xz" else ""
        if last in _UNPACK:
            used = parameters[:1] if last == "Annotated" else parameters
            found += [read(p) for p in used]
        elif last in _LAST:
            found.append(read(parameters[-1]))
        elif last in ("type", "Type"):
            found.append(frozenset(("t", c[1], c[2]) for c in read(parameters[0]) if c[0] in "ios"))
        elif last == "Callable":
            found.append(frozenset({("r", read(parameters[-1]))}))
        elif last in ("tuple", "Tuple"):
            parts = tuple(read(p) for p in parameters)
            found.append(frozenset({("d", *parts)} if len(parts) > 1 else {elements(parts[0])}))
        elif last in _BOXES:
            found.append(frozenset({elements(read(parameters[0]))}))
        elif last in _MAPS and len(parameters) == 2:
            found.append(frozenset({elements(read(parameters[0]), read(parameters[1]))}))
        elif v[0] == "x":
            found.append(frozenset({("y", v[1])}))
    return join(found)


# -- rules ----------------------------------------------------------------------------------------------


def _rule_global(q: Lookups, key: Key) -> Values:
    _, path, name = key
    facts = cell(q, path, "name", "", name)
    if facts is not None:
        return _versions(q, path, "", facts, facts.final)
    sources = q.get(("starred", path, name))
    if sources and sources[0][0] == "m":
        return join(q.get(("global", m[1], name)) for m in sources)
    if sources and name not in BUILTINS:
        return frozenset(("x", external_attribute(m[1], name)) for m in sources)
    return frozenset({("z", name)}) if name in BUILTINS else NONE


def _versions(q: Lookups, path: str, scope: str, facts: Any, chosen: tuple[int, ...]) -> Values:
    versions = facts.versions
    if len(chosen) == 1 and not facts.extern:
        return ev(q, path, scope, versions[chosen[0]][1])
    found = [ev(q, path, scope, versions[i][1]) for i in chosen if i < len(versions)]
    found += [ev(q, path, inner, e) for inner, e in facts.extern]
    return join(found)


def _rule_variable(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "name", scope, name)
    return _versions(q, path, scope, facts, facts.final) if facts is not None else NONE


def _rule_local(q: Lookups, key: Key) -> Values:
    _, path, scope, name, chosen = key
    facts = cell(q, path, "name", scope, name)
    return _versions(q, path, scope, facts, chosen) if facts is not None else NONE


def _rule_binds(q: Lookups, key: Key) -> bool:
    """Whether a module has a name, itself or through star imports from modules of the repository."""
    _, path, name = key
    if cell(q, path, "name", "", name) is not None:
        return True
    return any(q.get(("binds", m[1], name)) for m in _star_modules(q, path, name) if m[0] == "m")


def _star_modules(q: Lookups, path: str, name: str) -> list[Val]:
    """The modules whose star import would bring ``name``, if they have it."""
    found: list[Val] = []
    for _, level, dotted, _ in cell(q, path, "star", "") or ():
        module = q.get(("import", path, level, dotted))
        if module[0] == "m":
            exported = cell(q, module[1], "all", "")
            if name not in exported if exported is not None else name.startswith("_"):
                continue
        elif module[0] != "x" or name.startswith("_"):
            continue
        if module not in found:
            found.append(module)
    return found


def _rule_starred(q: Lookups, key: Key) -> tuple[Val, ...]:
    """The modules that star imports take ``name`` from; external ones only if none of the repository has it."""
    _, path, name = key
    modules = _star_modules(q, path, name)
    inside = tuple(m for m in modules if m[0] == "m" and q.get(("binds", m[1], name)))
    return inside or tuple(m for m in modules if m[0] == "x")


def _rule_import(q: Lookups, key: Key) -> Val:
    """The module ``level`` dots and ``dotted`` name from file ``path``: of the repository or external."""
    _, path, level, dotted = key
    parts = dotted.split(".") if dotted else []
    folder = path.rsplit("/", 1)[0] if "/" in path else ""
    if level:
        for _ in range(level - 1):
            folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
        base = "/".join(([folder] if folder else []) + parts)
        entry = q.input(("file", base))
        return entry if entry is not None else ("x", base.replace("/", "."))
    tail = "/".join(parts)
    for root in _roots(q, folder, parts[0]):
        entry = q.input(("file", f"{root}/{tail}" if root else tail))
        if entry is not None:
            return entry  # type: ignore[no-any-return]
    return ("x", dotted)


def _roots(q: Lookups, folder: str, top: str) -> list[str]:
    """Folders an absolute import of ``top`` may start from: the package root of the importing file and the
    folders above it, the repository root, ``src``, then folders that hold a package of that name."""
    if top in sys.stdlib_module_names:
        return ["", "src"]
    while folder and q.input(("init", folder)):
        folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
    found = [folder]
    while folder:
        folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
        found.append(folder)
    return list(dict.fromkeys([*found, "src", *q.input(("tops", top))]))


def _rule_submodule(q: Lookups, key: Key) -> Val | None:
    _, path, name = key
    stem = path.rsplit("/", 1)
    if stem[-1].split(".")[0] != "__init__":
        return None
    base = f"{stem[0]}/{name}" if len(stem) == 2 else name
    return q.input(("file", base))  # type: ignore[no-any-return]


def _rule_defined(q: Lookups, key: Key) -> Values:
    """The value of a definition: the function itself, or what its decorators of this repository make of it."""
    _, path, scope = key
    plain: Values = frozenset({("f", path, scope)})
    facts = cell(q, path, "function", scope)
    if facts is None or not facts.decorators:
        return plain
    current = plain
    for decorator in reversed(facts.decorators):
        made: list[Values] = []
        for v in known(q, ev(q, path, facts.parent, decorator)):
            if v[0] in "fbr":
                made.append(call(q, v, Values1(current)))
            elif is_instance(v):
                made.append(call_method(q, v, "__call__", Values1(current)))
            elif v[0] == "c" and "property" not in facts.flags:
                made.append(frozenset({("i", v[1], v[2])}))
        result = frozenset(v for v in join(made) if v[0] not in "pkw")
        if q.flow:
            current = result or current
        else:
            current = current | frozenset(v for v in result if is_instance(v))
    return current


def _rule_parameter(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "function", scope)
    if facts is None:
        return NONE
    for index, p in enumerate(facts.params):
        if p.name == name:
            break
    else:
        return NONE
    if index == 0 and facts.cls and "static" not in facts.flags and p.kind == "":
        return frozenset({("t" if facts.flags & {"class", "new"} else "s", path, facts.cls)})
    values = annotated(q, path, facts.parent, p.annotation, facts.cls)
    values = frozenset(v for v in values if v[0] not in "w") if q.flow else values
    if p.kind == "*":
        return frozenset({elements(values or frozenset({("p", path, scope, name)}))})
    if p.kind == "**":
        return frozenset({elements(frozenset({("w", "str")}), values or frozenset({("p", path, scope, name)}))})
    if values and not q.flow:
        return values
    return values | {("p", path, scope, name)} | ev(q, path, facts.parent, p.default)


def _rule_returns(q: Lookups, key: Key) -> Values:
    _, path, scope = key
    facts = cell(q, path, "function", scope)
    if facts is None:
        return NONE
    if facts.returned is not None:
        hinted = annotated(q, path, facts.parent, facts.returned, facts.cls)
        if any(v[0] not in "w" for v in hinted) and not all(v[0] == "r" for v in hinted):
            return hinted
    if "generator" in facts.flags:
        receiver = ("s", path, facts.cls) if facts.cls and "static" not in facts.flags else None
        return frozenset({("g", path, scope, receiver)})
    return join(ev(q, path, scope, e) for e in facts.returns)


def _rule_yields(q: Lookups, key: Key) -> Values:
    _, path, scope = key
    facts = cell(q, path, "function", scope)
    return join(ev(q, path, scope, e) for e in facts.yields) if facts is not None else NONE


def bases_of(q: Lookups, path: str, scope: str) -> tuple[Val, ...]:
    """The direct bases of a class that are classes, external things or builtins, in order."""
    facts = cell(q, path, "class", scope)
    if facts is None:
        return ()
    found: list[Val] = []
    for e in facts.bases:
        for v in sorted(ev(q, path, facts.parent, e), key=repr):
            if v[0] == "y":
                v = ("x", v[1])
            if v[0] == "t":
                v = ("c", v[1], v[2])
            if v[0] in "cxz" and v not in found and v[1:] != (path, scope):
                found.append(v)
    return tuple(found)


def _rule_order(q: Lookups, key: Key) -> tuple[Val, ...]:
    _, path, scope = key
    me = ("c", path, scope)
    bases = bases_of(q, path, scope)
    if not bases:
        return (me,)
    orders = [list(q.get(("order", b[1], b[2]))) if b[0] == "c" else [b] for b in bases]
    return (me, *[c for c in merge_c3([*[o for o in orders if o], list(bases)]) if c != me])


def _rule_ancestors(q: Lookups, key: Key) -> frozenset[Val]:
    return frozenset(c[1:] for c in q.get(("order", key[1], key[2]))[1:] if c[0] == "c")


def _rule_metaclass(q: Lookups, key: Key) -> tuple[Val, ...]:
    for c in q.get(("order", key[1], key[2])):
        if c[0] != "c":
            continue
        facts = cell(q, c[1], "class", c[2])
        for name, e in facts.keywords if facts is not None else ():
            if name == "metaclass":
                return tuple(sorted(v for v in ev(q, c[1], facts.parent, e) if v[0] == "c"))
    return ()


def _rule_own(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    facts = cell(q, path, "name", scope, name)
    if facts is None:
        return NONE
    values = _versions(q, path, scope, facts, facts.final)
    accessors = [facts.versions[i][1] for i in facts.final if facts.versions[i][0] == "def"]
    if accessors and len(facts.versions) > 1:  # @x.setter rebinds x: the getter is what a read runs
        getters = [e for k, e in facts.versions if k == "def" and e is not None]
        last = cell(q, path, "function", accessors[-1][1])
        if last is not None and "accessor" in last.flags:
            return frozenset({("f", path, getters[0][1])})
    return values


def _rule_field(q: Lookups, key: Key) -> Values:
    _, path, scope, name = key
    stores = cell(q, path, "field", scope, name)
    return join(ev(q, path, method, e) for method, e in stores) if stores else NONE


def _rule_member(q: Lookups, key: Key) -> tuple[Values, Values]:
    _, path, scope, name = key
    order = q.get(("order", path, scope))
    plain: Values = NONE
    found = False
    fields: list[Values] = []
    for c in order:
        if c[0] != "c":
            continue
        if not found and cell(q, c[1], "name", c[2], name) is not None:
            plain, found = q.get(("own", c[1], c[2], name)), True
        if cell(q, c[1], "field", c[2], name) is not None:
            fields.append(q.get(("field", c[1], c[2], name)))
    if found or fields:
        return plain, join(fields)
    for c in order:
        if c[0] == "x" and not c[1].startswith(("typing.", "abc.")):
            return frozenset({("x", external_attribute(c[1], name))}), NONE
    for c in order:
        if c[0] == "z" and c[1] != "object" and name != "__init__":
            return frozenset({("z", f"{c[1]}.{name}")}), NONE
    below = [
        q.get(("field", p, s, name))
        for p, s in q.input(("names", "field", name))
        if (path, scope) in q.get(("ancestors", p, s))
    ]
    return NONE, join(below)


def _rule_overrides(q: Lookups, key: Key) -> tuple[Val, ...]:
    _, path, scope, name = key
    found: set[Val] = set()
    for p, s in q.input(("names", "member", name)):
        if (path, scope) in q.get(("ancestors", p, s)):
            found.update(v for v in q.get(("own", p, s, name)) if v[0] == "f")
    return tuple(sorted(found))


_FORMS = {
    "name": _name, "closure": _closure, "local": _local, "const": _const, "attr": _attr, "call": _call, "any": _any,
    "typed": _typed, "new": _new, "function": _function, "def": _def, "class": _class, "module": _module,
    "from": _from, "parameter": _parameter, "item": _item, "slice": _slice, "iterate": _iterate, "part": _part,
    "enter": _enter, "instance": _instance, "super": _super, "await": _await, "operator": _operator,
}  # fmt: skip
RULES: dict[str, tuple[Any, Any]] = {
    "global": (_rule_global, NONE),
    "variable": (_rule_variable, NONE),
    "local": (_rule_local, NONE),
    "binds": (_rule_binds, False),
    "starred": (_rule_starred, ()),
    "import": (_rule_import, None),
    "submodule": (_rule_submodule, None),
    "defined": (_rule_defined, NONE),
    "parameter": (_rule_parameter, NONE),
    "held": (_rule_held, NONE),
    "returns": (_rule_returns, NONE),
    "yields": (_rule_yields, NONE),
    "order": (_rule_order, ()),
    "ancestors": (_rule_ancestors, frozenset()),
    "metaclass": (_rule_metaclass, ()),
    "own": (_rule_own, NONE),
    "field": (_rule_field, NONE),
    "member": (_rule_member, (NONE, NONE)),
    "overrides": (_rule_overrides, ()),
}
