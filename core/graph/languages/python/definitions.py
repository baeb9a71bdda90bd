"""Pass 2, heads of definitions: decorators, parameters, bases, and the facts callers depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from core.graph.facts import CellKey, Expr, Site
from core.graph.languages.python.expressions import Expressions, Value
from core.graph.languages.python.facts import ClassFacts, FunctionFacts, Parameter
from core.graph.languages.python.scopes import Item, Node, Scope, text_of
from core.graph.languages.python.updates import annotation, type_parameters, unplaced


class Sink(Protocol):
    """Where a scope's reading goes: the file being read."""

    cells: dict[CellKey, Any]
    names: set[tuple[str, str, str]]
    heads: dict[str, tuple[list[Site], list[int], dict[str, list[int]]]]
    fields: dict[tuple[str, str], list[tuple[str, Value]]]
    patches: dict[tuple[str, str], list[tuple[Expr, Expr]]]
    definitions: dict[str, FunctionFacts]

    def parameters(self, builder: Expressions, node: Node | None, at: int, block: int) -> tuple[Parameter, ...]:
        """The parameters of a definition."""


def read_definition(sink: Sink, scope: Scope, builder: Expressions, child: Scope, item: Item) -> None:
    """Read the head of ``child``, which stands in ``scope``: its sites and reads go to the head, not to the scope."""
    saved = (builder.sites, builder.lines, builder.reads, builder.seen)
    builder.sites, builder.lines, builder.reads, builder.seen = [], [], {}, set()
    builder.label = f"{child.name}()"
    decorators, names = _decorators(builder, child, item)
    known, generics = builder.env, type_parameters(builder, child.node, item.at, item.block)
    builder.env = {**known, **generics}
    child.generics = {**scope.generics, **{name: unplaced(bound) for name, bound in generics.items()}}
    if child.kind == "function":
        _function_head(sink, scope, builder, child, item, decorators, names)
    else:
        _class_head(sink, scope, builder, child, item, decorators)
    builder.env = known
    sink.heads[child.qual] = (builder.sites, builder.lines, builder.reads)
    builder.sites, builder.lines, builder.reads, builder.seen = saved


def _decorators(builder: Expressions, child: Scope, item: Item) -> tuple[tuple[Value, ...], list[str]]:
    values: list[Value] = []
    names: list[str] = []
    for node in child.outer.named_children if child.outer is not child.node else ():
        if node.type != "decorator" or not node.named_children:
            continue
        inner = node.named_children[0]
        value = builder.build(inner, item.at, item.block)
        values.append(value)
        names.append(text_of(inner).split("(")[0].strip())
        if value is not None:
            applied = ("call", value, (("def" if child.kind == "function" else "class", child.qual),), ())
            builder.site("dec", "@" + " ".join(text_of(inner).split())[:120], applied, inner)
    return tuple(values), names


def _function_head(
    sink: Sink,
    scope: Scope,
    builder: Expressions,
    child: Scope,
    item: Item,
    decorators: tuple[Value, ...],
    names: list[str],
) -> None:
    node = child.node
    params = sink.parameters(builder, node.child_by_field_name("parameters"), item.at, item.block)
    returned = annotation(builder, node.child_by_field_name("return_type"), item.at, item.block)
    flags = _flags(child, names)
    if node.children and node.children[0].type == "async":
        flags.add("async")
    cls = scope.qual if scope.kind == "class" else ""
    if "property" in flags and cls:
        sink.names.add(("property", child.name, cls))
    if cls and any(n.endswith((".setter", ".deleter", ".getter")) for n in names):
        flags.add("accessor")
    facts = FunctionFacts(scope.qual, cls, params, frozenset(flags), decorators, returned, (), ())
    sink.definitions[child.qual] = facts


def _class_head(
    sink: Sink, scope: Scope, builder: Expressions, child: Scope, item: Item, decorators: tuple[Value, ...]
) -> None:
    bases: list[Value] = []
    keywords: list[tuple[str, Value]] = []
    supers = child.node.child_by_field_name("superclasses")
    for node in supers.named_children if supers is not None else ():
        if node.type == "keyword_argument":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            keywords.append((text_of(name), builder.build(value, item.at, item.block)))
        elif node.type not in ("comment", "dictionary_splat", "list_splat"):
            bases.append(builder.build(node, item.at, item.block))
    facts = ClassFacts(scope.qual, tuple(bases), tuple(keywords), decorators)
    sink.cells["class", child.qual, ""] = facts
    sink.names.add(("class", child.name, child.qual))


def _flags(child: Scope, names: Sequence[str]) -> set[str]:
    flags: set[str] = set()
    for name in names:
        last = name.split(".")[-1]
        if last == "staticmethod":
            flags.add("static")
        elif last == "classmethod":
            flags.add("class")
        elif last.lower().endswith("property") or name.endswith((".setter", ".deleter", ".getter")):
            flags.add("property")
        elif last in ("contextmanager", "asynccontextmanager"):
            flags.add("manager")
        elif last == "overload":
            flags.add("overload")
    if child.name == "__new__":
        flags.add("new")
    elif child.name in ("__init_subclass__", "__class_getitem__"):
        flags.add("class")
    return flags
