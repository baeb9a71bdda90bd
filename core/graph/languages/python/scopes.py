"""Scopes of a Python file while its facts are being read: what pass 1 fills in and pass 2 reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.graph.facts import Expr
from core.graph.languages.python.flow import Bind, Block

Node = Any

MUTATORS = {"append", "add", "appendleft", "insert", "extend", "update", "setdefault"}
SIMPLE_NAMES = {"identifier", "keyword_identifier"}


@dataclass(slots=True)
class Item:
    """One piece of work for pass 2: ``kind`` says how to read ``node``; ``binds`` take their value from it."""

    kind: str
    node: Node
    at: int
    block: int
    binds: tuple[Bind, ...] = ()
    stores: tuple[tuple[Node, tuple[Any, ...]], ...] = ()


@dataclass(slots=True)
class Scope:
    """A module, class, function or lambda body while facts are being read."""

    kind: str
    qual: str
    owner: str  # the symbol its text belongs to
    parent: Scope | None
    node: Node
    outer: Node  # the decorated definition, if any
    name: str = ""
    blocks: list[Block] = field(default_factory=lambda: [Block(-1, 0)])
    binds: dict[str, list[Bind]] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)  # names with a binding that is no update and no narrowing
    items: list[Item] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    extern: dict[str, list[tuple[str, Bind]]] = field(default_factory=dict)  # updates from inner scopes
    generics: dict[str, Expr | None] = field(default_factory=dict)  # type parameters in sight, with their bounds
    self_name: str = ""
    lambdas: int = 0
    clock: int = 0

    @property
    def symbol(self) -> bool:
        """Whether this scope is itself a symbol of V."""
        return self.owner == self.qual

    def child_qual(self, name: str) -> str:
        """The qualified name of the next definition called ``name`` in here, ``#2`` for a repeat."""
        count = self.counts[name] = self.counts.get(name, 0) + 1
        part = name if count == 1 else f"{name}#{count}"
        return f"{self.qual}.{part}" if self.qual else part

    def bind(self, bind: Bind) -> Bind:
        """Add a binding in text order."""
        self.binds.setdefault(bind.name, []).append(bind)
        if bind.real:
            self.assigned.add(bind.name)
        return bind

    def is_local(self, name: str) -> bool:
        """Whether assignments in here make ``name`` local (``global`` and ``nonlocal`` respected)."""
        return name in self.assigned and name not in self.globals and name not in self.nonlocals


def text_of(node: Node) -> str:
    """The node's source text."""
    raw: bytes = node.text
    return raw.decode("utf-8", "replace")


def parameter_names(node: Node | None) -> list[tuple[str, str, Node]]:
    """(name, "" | "*" | "**" | "key", node) of each parameter, in order."""
    found: list[tuple[str, str, Node]] = []
    keyword_only = False
    for child in node.named_children if node is not None else ():
        kind, inner, stars = child.type, child, ""
        if kind == "keyword_separator":
            keyword_only = True
            continue
        if kind in ("typed_parameter", "default_parameter", "typed_default_parameter"):
            first = child.child_by_field_name("name") or (child.named_children[0] if child.named_children else None)
            if first is None:
                continue
            inner = first
        if inner.type in ("list_splat_pattern", "dictionary_splat_pattern"):
            stars = "*" if inner.type == "list_splat_pattern" else "**"
            keyword_only = keyword_only or stars == "*"
            inner = inner.named_children[0] if inner.named_children else None
        elif keyword_only:
            stars = "key"
        if inner is not None and inner.type in SIMPLE_NAMES:
            found.append((text_of(inner), stars, child))
    return found


def imported(node: Node) -> list[tuple[str, tuple[Any, ...]]]:
    """(local name, expression) of each name an import statement binds; ("*", ...) for a star import."""
    found: list[tuple[str, tuple[Any, ...]]] = []
    if node.type == "import_statement":
        for child in node.children_by_field_name("name"):
            alias = child.child_by_field_name("alias")
            dotted = dotted_text(child.child_by_field_name("name") if alias is not None else child)
            if alias is not None:
                found.append((text_of(alias), ("module", dotted, dotted)))
            else:
                top = dotted.split(".")[0]
                found.append((top, ("module", top, dotted)))
        return found
    module = node.child_by_field_name("module_name")
    level, dotted = 0, "__future__" if node.type == "future_import_statement" else ""
    if module is not None and module.type == "relative_import":
        raw = "".join(text_of(module).split())
        dotted = raw.lstrip(".")
        level = len(raw) - len(dotted)
    elif module is not None:
        dotted = dotted_text(module)
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias")
        name = dotted_text(child.child_by_field_name("name") if alias is not None else child)
        found.append((text_of(alias) if alias is not None else name, ("from", level, dotted, name)))
    if any(c.type == "wildcard_import" for c in node.named_children):
        found.append(("*", ("from", level, dotted, "*")))
    return found


def dotted_text(node: Node | None) -> str:
    """A dotted name without inner blanks."""
    return "".join(text_of(node).split()) if node is not None else ""
