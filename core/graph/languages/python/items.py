"""Pass 2: the items of one scope, read in text order into expressions, fields and the facts of definitions."""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr, Site
from core.graph.languages.python.definitions import Sink, read_definition
from core.graph.languages.python.exports import Entry, exported_names
from core.graph.languages.python.expressions import Expressions, Value, makes_property
from core.graph.languages.python.flow import Bind, reaching
from core.graph.languages.python.operations import OPERATORS
from core.graph.languages.python.scopes import Item, Node, Scope, imported, text_of
from core.graph.languages.python.updates import annotation, update_of

_UPDATE_LIMIT = 48
_CALLABLE = frozenset(["name", "closure", "local", "attr", "function", "call", "any"])  # what may give a function


class ScopeReader:
    """Reads the items of one scope in text order."""

    def __init__(self, reader: Sink, scope: Scope, builder: Expressions, by_node: dict[int, Scope]) -> None:
        self.reader = reader
        self.scope = scope
        self.builder = builder
        self.by_node = by_node
        self.returns: list[Value] = []
        self.stars: list[Expr] = []
        self.exports: list[Entry] | None = None
        self.updates: dict[str, int] = {}
        for binds in scope.binds.values():
            for bind in binds:
                if bind.kind == "parameter":
                    bind.expr = ("parameter", bind.name)

    def read(self) -> None:
        """Build every item, then what the scope as a whole is."""
        for item in self.scope.items:
            self.builder.label = f"{item.binds[0].name}." if item.binds else "."
            getattr(self, f"_{item.kind}")(item)
        scope, reader, builder = self.scope, self.reader, self.builder
        if scope.kind == "function":
            head = reader.definitions[scope.qual]
            reader.cells["function", scope.qual, ""] = head._replace(
                flags=head.flags | {"generator"} if builder.generator else head.flags,
                returns=tuple(dict.fromkeys(r for r in self.returns if r is not None)),
                yields=tuple(dict.fromkeys(builder.yields)),
            )
        elif scope.kind == "module":
            if self.stars:
                reader.cells["star", "", ""] = tuple(self.stars)
            if self.exports is not None:
                reader.cells["all", "", ""] = tuple(self.exports)

    # -- one method an item kind ----------------------------------------------------------------------

    def _expression(self, item: Item) -> None:
        node = item.node
        build = self.builder.build
        if node.type == "return_statement":
            kids = [c for c in node.named_children if c.type != "comment"]
            if kids:
                self.returns.append(build(kids[0], item.at, item.block))
        elif node.type == "raise_statement":
            for child in node.named_children:
                value = build(child, item.at, item.block)
                if value is not None and child.type in ("identifier", "attribute"):
                    self.builder.site("raise", text_of(child), value, child)
        elif node.type == "delete_statement":
            self._deleted(node, item)
        elif node.type == "assert_statement" and node.named_children:
            first, *rest = node.named_children
            self.builder.truth(first, build(first, item.at, item.block))
            for child in rest:
                build(child, item.at, item.block)
        elif node.type.endswith("_statement"):
            for child in node.named_children:
                build(child, item.at, item.block)
        else:
            value = build(node, item.at, item.block)
            self._exported(node)
            self._set_by_call(node, value)
        self._walrus(item)

    def _condition(self, item: Item) -> None:
        """What an ``if`` or ``while`` asks for its truth."""
        self.builder.truth(item.node, self.builder.build(item.node, item.at, item.block))
        self._walrus(item)

    def _deleted(self, node: Node, item: Item) -> None:
        for child in node.named_children:
            if child.type in ("expression_list", "tuple", "list", "parenthesized_expression"):
                self._deleted(child, item)
                continue
            self.builder.build(child, item.at, item.block)
            if child.type == "subscript" and self.builder.sites and self.builder.sites[-1].kind == "op":
                kind, key, e = self.builder.sites[-1]
                if e[:2] == ("operator", "__getitem__"):
                    self.builder.sites[-1] = Site(kind, key, ("operator", "__delitem__", *e[2:]))

    def _walrus(self, item: Item) -> None:
        for bind in item.binds:
            if bind.kind == "walrus":
                value = bind.node.child_by_field_name("value")
                sites, lines = len(self.builder.sites), len(self.builder.lines)
                bind.expr = self.builder.build(value, item.at, item.block)
                del self.builder.sites[sites:], self.builder.lines[lines:]

    def _assign(self, item: Item) -> None:
        node = item.node
        while node is not None and node.type == "assignment":
            right, hint = node.child_by_field_name("right"), node.child_by_field_name("type")
            left, node = node.child_by_field_name("left"), right
        value = self.builder.build(right, item.at, item.block)
        self._give(item, value)
        self._exports(left, right, item.block)
        if hint is not None:
            annotation(self.builder, hint, item.at, item.block)

    def _annotated(self, item: Item) -> None:
        node = item.node
        hint = annotation(self.builder, node.child_by_field_name("type"), item.at, item.block)
        value = self.builder.build(node.child_by_field_name("right"), item.at, item.block)
        typed: Value = ("typed", hint, value) if hint is not None else value
        self._give(item, typed)
        self._exports(node.child_by_field_name("left"), node.child_by_field_name("right"), item.block)

    def _exports(self, left: Node | None, right: Node | None, block: int) -> None:
        """``__all__ = [...]``; under a condition it may be this or what it was."""
        if self.scope.kind != "module" or left is None or left.text != b"__all__" or right is None:
            return
        named = exported_names(right)
        self.exports = named if named is None or not block else [*(self.exports or ()), *named]

    def _more_exports(self, node: Node | None) -> None:
        if self.exports is not None:
            named = exported_names(node)
            self.exports = None if named is None else [*self.exports, *named]

    def _augmented(self, item: Item) -> None:
        node = item.node
        right = node.child_by_field_name("right")
        left = node.child_by_field_name("left")
        before = self.builder.build(left, item.at, item.block)
        value = self.builder.build(right, item.at, item.block)
        sign = node.child_by_field_name("operator")
        method = OPERATORS.get(text_of(sign).rstrip("=")) if sign is not None else None
        if method is not None:
            self.builder.operator_site(f"__i{method[2:]}", before, value, node)
        known = tuple(v for v in (before, value) if v is not None)
        merged = self.builder.container(("merge", before, value)) if known else None
        for bind in item.binds:
            if bind.kind == "variable":
                bind.expr = merged
        if self.scope.kind == "module" and left is not None and left.text == b"__all__":
            self._more_exports(right)

    def _give(self, item: Item, value: Value) -> None:
        """Hand ``value`` to the bindings and stores of an assignment."""
        for bind in item.binds:
            if bind.kind == "variable":
                bind.expr = _along(value, bind.path)
        for target, path in item.stores:
            self._store(target, _along(value, path), item)
        for bind in item.binds:
            if bind.kind == "update":
                self._update(bind, bind.node, _along(value, bind.path), item)
        self._walrus(item)

    def _update(self, bind: Bind, node: Node, value: Value, item: Item) -> None:
        count = self.updates[bind.name] = self.updates.get(bind.name, 0) + 1
        if count > _UPDATE_LIMIT:
            bind.expr = None
            return
        base: Value = None
        if self.scope.is_local(bind.name):
            binds = self.scope.binds[bind.name]
            versions = reaching(self.scope.blocks, binds, item.at, item.block)
            base = ("local", bind.name, versions) if versions else None
        self.builder.label = f"{bind.name}."
        made = update_of(self.builder, node, base, value, item.at, item.block)
        bind.expr = ("updated", made, base) if made is not None and base is not None else made

    def _store(self, target: Node, value: Value, item: Item) -> None:
        """An assignment to an attribute or item: reads its object; ``self.x = v`` becomes a field of the class."""
        node = target
        if target.type == "attribute":
            base, name = target.child_by_field_name("object"), target.child_by_field_name("attribute")
            if base is None or name is None:
                return
            holder = self.builder.build(base, item.at, item.block)
            self._field(base, text_of(name), value, holder)
            return
        while node is not None and node.type == "subscript":
            for key in node.children_by_field_name("subscript"):
                self.builder.build(key, item.at, item.block)
            node = node.child_by_field_name("value")
        if node is None:
            return
        stored_in = self.builder.build(node, item.at, item.block)
        if node is not target:
            holder = target.child_by_field_name("value")
            into = stored_in if holder == node else None
            self.builder.operator_site("__setitem__", into, None, target)
        if node.type == "attribute":
            base, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
            if base is not None and name is not None and self._class_of(base) is not None:
                stored = update_of(self.builder, target, None, value, item.at, item.block)
                self._field(base, text_of(name), stored)

    def _set_by_call(self, node: Node, call: Value) -> None:
        """``setattr(x, "name", v)``, also of a ``monkeypatch``, and ``monkeypatch.setattr("a.b.name", v)``."""
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if call is None or call[0] != "call" or function is None or not function.text.endswith(b"setattr"):
            return
        values = call[2]
        name = values[-2] if len(values) in (2, 3) else None
        if name is None or name[:2] != ("const", "str") or not name[2] or values[0] is None:
            return
        if len(values) == 3:
            self._field(next(c for c in given.named_children if c.type != "comment"), name[2], values[2], values[0])
            return
        first, *path = name[2].split(".")
        if path and function.type == "attribute":
            holder: Expr = ("module", first, first)
            for part in path[:-1]:
                holder = ("attr", holder, part)
            self._patch(path[-1], holder, values[1])

    def _class_of(self, base: Node) -> str | None:
        if base.type != "identifier":
            return None
        name = text_of(base)
        scope: Scope | None = self.scope
        while scope is not None:
            if scope.kind == "function" and scope.self_name == name and scope.parent is not None:
                return scope.parent.qual
            if scope.is_local(name):
                return None
            scope = scope.parent
        return None

    def _field(self, base: Node, name: str, value: Value, holder: Value = None) -> None:
        cls = self._class_of(base)
        if cls is not None:
            self.reader.fields.setdefault((cls, name), []).append((self.scope.qual, value))
            return
        patched = self._class_named(base)
        if patched is not None:
            bind = Bind(name, 0, 0, "variable", base, expr=value)
            patched.extern.setdefault(name, []).append((self.scope.qual, bind))
        elif holder is not None and self._imported(base):
            self._patch(name, holder, value)

    def _patch(self, name: str, holder: Expr, value: Value) -> None:
        if value is not None and value[0] in _CALLABLE:
            self.reader.patches.setdefault((self.scope.qual, name), []).append((holder, value))
            if makes_property(value):
                self.reader.names.add(("property", name, self.scope.qual))

    def _imported(self, base: Node) -> bool:
        """Whether the name at the root of ``base`` is bound by an import, a class statement or a star import."""
        while base.type == "attribute" and base.named_children:
            base = base.named_children[0]
        if base.type != "identifier":
            return False
        name, scope = text_of(base), self.scope
        while not scope.is_local(name):
            if scope.parent is None:
                return any(item.kind == "star" for item in scope.items)
            scope = scope.parent
        return any(b.kind in ("import", "class") for b in scope.binds[name])

    def _class_named(self, base: Node) -> Scope | None:
        """The class of this file's top level that ``base`` names: ``Cls.m = f`` gives it an attribute."""
        top = scope = self.scope
        name = text_of(base) if base.type == "identifier" else ""
        while top.parent is not None:
            top = top.parent
        while scope is not top:
            if scope.is_local(name) or scope.parent is None:
                return None
            scope = scope.parent
        found = next((b for b in reversed(top.binds.get(name, ())) if b.kind == "class"), None)
        return self.by_node.get(found.node.id) if found is not None else None

    def _mutation(self, item: Item) -> None:
        for bind in item.binds:
            self._update(bind, item.node, None, item)

    def _narrow(self, item: Item) -> None:
        sites, lines = len(self.builder.sites), len(self.builder.lines)
        value = self.builder.build(item.node, item.at, item.block)
        del self.builder.sites[sites:], self.builder.lines[lines:]
        for bind in item.binds:
            bind.expr = ("instance", value) if value is not None else None

    def _capture(self, item: Item) -> None:
        """A name that a pattern of ``match`` binds: what stands at its place of the subject."""
        way: tuple[Any, ...] = item.stores
        value: Value = None
        if not way or way[0][0] != "class":
            value = self._again(item.node, item)
        for step in way:
            if step[0] == "class":
                told = [self._again(node, item) for node in step[1]]
                kinds = tuple(("instance", v) for v in told if v is not None)
                value = ("any", *kinds) if kinds else None
            elif value is not None and step[0] == "item":
                value = ("item", value, self._again(step[1], item))
            elif value is not None:
                value = (step[0], value, *step[1:])
        for bind in item.binds:
            bind.expr = value

    def _again(self, node: Node, item: Item) -> Value:
        """The value of a node that is also read where it stands: nothing is recorded a second time."""
        builder = self.builder
        kept = builder.sites, builder.lines, builder.reads, builder.seen
        builder.sites, builder.lines, builder.reads, builder.seen = [], [], {}, set()
        value = builder.build(node, item.at, item.block)
        builder.sites, builder.lines, builder.reads, builder.seen = kept
        return value

    def _for(self, item: Item) -> None:
        node = item.node
        right = node.child_by_field_name("right")
        value = self.builder.build(right, item.at, item.block)
        if value is not None:
            self.builder.site("iter", "for " + " ".join(text_of(right).split())[:120], value, node)
        self._give(item, ("iterate", value) if value is not None else None)

    def _with(self, item: Item) -> None:
        node = item.node
        value_node = node.named_children[0] if node.type == "as_pattern" else node
        value = self.builder.build(value_node, item.at, item.block)
        if value is not None:
            self.builder.site("with", "with " + " ".join(text_of(value_node).split())[:120], value, node)
        self._give(item, ("enter", value) if value is not None else None)

    def _except(self, item: Item) -> None:
        node = item.node
        value_node = node.named_children[0] if node.type == "as_pattern" else node
        value = self.builder.build(value_node, item.at, item.block)
        self._give(item, ("instance", value) if value is not None else None)

    def _alias(self, item: Item) -> None:
        right = item.node.child_by_field_name("right")
        value = annotation(self.builder, right, item.at, item.block)
        for bind in item.binds:
            bind.expr = value

    def _import(self, item: Item) -> None:
        """Bound in pass 1."""

    def _star(self, item: Item) -> None:
        if self.scope.kind == "module":
            self.stars += [expr for local, expr in imported(item.node) if local == "*"]

    def _definition(self, item: Item) -> None:
        child = self.by_node.get(item.node.id)
        if child is not None:
            read_definition(self.reader, self.scope, self.builder, child, item)

    def _exported(self, node: Node) -> None:
        """``__all__.append("x")`` and ``__all__.extend([...])``."""
        if self.scope.kind == "module" and node.text.startswith((b"__all__.append(", b"__all__.extend(")):
            self._more_exports(node.child_by_field_name("arguments"))


def _along(value: Value, path: tuple[Any, ...]) -> Value:
    for index, count, star in path:
        if value is None:
            return None
        value = ("part", value, index, count, star)
    return value
