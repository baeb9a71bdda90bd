"""Classes, interfaces, enums, records and annotation types of a Java text, with and without symbols of their own.

In: declaration nodes. Out: cells, drafts of symbols, names for repository-wide sets (see ``java.language``). A class
declared inside a body or without a name belongs to the symbol around it; so does the body of an enum constant.
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr, ScopeFacts, Site, digest, last_repeats
from core.graph.languages.drafts import Draft
from core.graph.languages.java.body import Body
from core.graph.languages.java.types import FieldFacts, Frame, MethodFacts, Node, TypeExpr, TypeFacts

KINDS = {
    "class_declaration": "class", "interface_declaration": "interface", "enum_declaration": "enum",
    "record_declaration": "record", "annotation_type_declaration": "annotation",
}  # fmt: skip
_METHODS = frozenset(
    [
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "annotation_type_element_declaration",
    ]
)
_HEADERS = ("superclass", "interfaces", "permits")


class _Class:
    """A class while its body is read."""

    __slots__ = ("components", "key", "kind", "methods", "nested", "outer", "supers", "symbol")

    def __init__(self, key: str, kind: str, outer: str, symbol: bool) -> None:
        self.key = key
        self.kind = kind
        self.outer = outer
        self.symbol = symbol
        self.nested: list[tuple[str, str]] = []
        self.methods: dict[str, list[MethodFacts]] = {}
        self.components: list[tuple[str, TypeExpr]] = []
        self.supers: tuple[TypeExpr, tuple[TypeExpr, ...]] = (None, ())


class Classes(Body):
    """The reader of a whole file's declarations."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source, {})
        self.names: set[tuple[str, str, str]] = set()
        self.lines: dict[tuple[str, str], tuple[int, ...]] = {}
        self.scopes: dict[str, list[str]] = {}
        self.drafts: list[Draft] = []
        self.bindings: dict[str, tuple[int, int]] = {}
        self.counts: dict[str, int] = {}
        self.package = ""

    # -- scopes ---------------------------------------------------------------------------------------

    def enter(self, scope: str, owner: str, ctx: str) -> Frame:
        """Begin a graph scope; the one that was being read."""
        outer, self.frame = self.frame, Frame(scope, owner, ctx)
        return outer

    def leave(self, outer: Frame, kind: str, parent: str, imports: tuple[Expr, ...] = ()) -> None:
        """End a graph scope and go on with ``outer``."""
        self.finish()
        frame = self.frame
        reads = frame.reads
        self.cells["scope", frame.scope, ""] = ScopeFacts(
            kind, frame.owner, parent, tuple(frame.sites), (), tuple(sorted(reads)), imports
        )
        self.scopes.setdefault(frame.owner, []).append(frame.scope)
        self.lines[frame.scope, "sites"] = tuple(frame.lines)
        self.lines[frame.scope, "head"] = self.lines[frame.scope, "imports"] = ()
        self.lines[frame.scope, "reads"] = tuple(n for k in sorted(reads) for n in (len(reads[k]), *reads[k]))
        self.frame = outer

    def draft(self, qual: str, kind: Any, node: Node, name: str, signature: str, parent: str | None) -> str:
        """A symbol; its qual with the number of a repeat."""
        shown = self.counted(qual)
        first, last = node.start_point, node.end_point
        self.drafts.append(Draft(shown, kind, name, first[0], last[0], first[1], signature, parent))
        return shown

    def counted(self, qual: str) -> str:
        """``qual``, with the number of a repeat."""
        count = self.counts[qual] = self.counts.get(qual, 0) + 1
        return qual if count == 1 else f"{qual}#{count}"

    def _words(self, node: Node, *fields: str) -> str:
        parts = [c for f in fields for c in node.children_by_field_name(f)]
        return " ".join(" ".join(self.text(p).split()) for p in parts)

    def _modifiers(self, node: Node) -> list[str]:
        found = next((c for c in node.children if c.type == "modifiers"), None)
        return [c.type for c in found.children if not c.type.endswith("annotation")] if found is not None else []

    # -- classes --------------------------------------------------------------------------------------

    def declaration(self, node: Node, outer: _Class | None) -> None:
        """A class with a symbol of its own."""
        name = self.named(node)
        if not name:
            return
        words = [*self._modifiers(node), KINDS[node.type], self._words(node, "name", "type_parameters", "parameters")]
        words += [self._words(node, "superclass", "interfaces", "permits")]
        words += [" ".join(self.text(c).split()) for c in node.named_children if c.type == "extends_interfaces"]
        around = outer.key if outer is not None else ""
        qual = f"{around}.{name}" if around else name
        key = self.draft(qual, "class", node, name, " ".join(w for w in words if w), around or None)
        if outer is not None:
            outer.nested.append((name, key))
        elif "#" not in key:
            self.names.add(("jtype", f"{self.package}.{name}" if self.package else name, key))
        self._read(node, _Class(key, KINDS[node.type], around, True), key)

    def local_class(self, node: Node) -> None:
        """A class declared in a body."""
        name = self.named(node)
        frame = self.frame
        key = f"{frame.scope}.<{name} {frame.ordinal('<' + name)}>"
        self.put(" " + name, ("k", key, ()))
        self._read(node, _Class(key, KINDS[node.type], frame.ctx, False), frame.owner)

    def class_body(self, node: Node, key: str, extends: TypeExpr, name: str = "") -> None:
        """The body of a class without a name, or of an enum constant."""
        made = _Class(key, "class", self.frame.ctx, False)
        made.supers = (extends, ())
        parent = self.frame.scope
        self.push()
        outer = self.enter(key, self.frame.owner, key)
        self._members(node, made)
        self._close(made, (), outer, parent)

    def _read(self, node: Node, made: _Class, owner: str) -> None:
        parent = self.frame.scope
        self.push()
        outer = self.enter(made.key, owner, made.outer)
        self.annotations(node)
        params = self.type_parameters(node.child_by_field_name("type_parameters"), made.key)
        made.supers = self._header(node, made)
        self.frame.ctx = made.key
        made.components, _ = self.parameters(node.child_by_field_name("parameters"))
        body = node.child_by_field_name("body")
        if body is not None:
            self._members(body, made)
        self._close(made, params, outer, parent)

    def _header(self, node: Node, made: _Class) -> tuple[TypeExpr, tuple[TypeExpr, ...]]:
        extends: TypeExpr = None
        implements: list[TypeExpr] = []
        for child in node.named_children:
            if child.type == "superclass":
                extends = next((self.type(c) for c in child.named_children), None)
            elif child.type in ("super_interfaces", "extends_interfaces", "permits"):
                found = [self.type(c) for t in child.named_children if t.type == "type_list" for c in t.named_children]
                implements += found if child.type != "permits" else []
        return extends, tuple(t for t in implements if t is not None)

    def _close(self, made: _Class, params: tuple[TypeExpr, ...], outer: Frame, parent: str) -> None:
        if made.kind == "record":
            self._components(made)
        extends, implements = made.supers
        self.cells["type", made.key, ""] = TypeFacts(
            made.kind, made.outer, params, extends, implements, tuple(made.nested)
        )
        for name, methods in made.methods.items():
            alike: dict[tuple[TypeExpr, ...], list[MethodFacts]] = {}
            for m in methods:
                alike.setdefault(m.params, []).append(m)
            kept = {m.qual for same in alike.values() for m in last_repeats(same)}
            self.cells["methods", made.key, name] = tuple(m for m in methods if m.qual in kept)
        abstract = tuple(n for n, methods in made.methods.items() if any("a" in m.flags for m in methods))
        if abstract:
            self.cells["abstract", made.key, ""] = abstract
        for t in (extends, *implements):
            if t is not None and t[0] in "nk":
                last = t[2] if t[0] == "n" else t[1]
                self.names.add(("jsub", base_name(last), made.key))
        self.leave(outer, "class", parent)
        self.pop()

    def _components(self, made: _Class) -> None:
        """What the components of a record imply: fields, accessors, the canonical constructor."""
        types = tuple(t for _, t in made.components)
        for name, kind in made.components:
            self.cells["field", made.key, name] = FieldFacts(kind, False)
            methods = made.methods.setdefault(name, [])
            if not any(not m.params for m in methods):
                methods.append(MethodFacts(made.key, (), kind, False, "i"))
        made_by = made.methods.setdefault("<init>", [])
        if not any(len(m.params) == len(types) for m in made_by):
            made_by.append(MethodFacts(made.key, types, None, False, "i"))

    def _members(self, body: Node, made: _Class) -> None:
        members = _listed(body)
        if not made.symbol:
            for child in members:
                for declarator in child.children_by_field_name("declarator"):
                    self.hide(self.named(declarator))
        for child in members:
            kind = child.type
            if kind in ("field_declaration", "constant_declaration"):
                self._fields(child, made)
            elif kind in _METHODS:
                self._method(child, made)
            elif kind in KINDS:
                self._nested(child, made)
            elif kind == "enum_constant":
                self._constant(child, made)
            else:
                self.expr(child)

    def _nested(self, node: Node, made: _Class) -> None:
        if made.symbol:
            self.declaration(node, made)
            return
        name = self.named(node)
        key = self.counted(f"{made.key}.{name}")
        made.nested.append((name, key))
        self._read(node, _Class(key, KINDS[node.type], made.key, False), self.frame.owner)

    # -- members --------------------------------------------------------------------------------------

    def _fields(self, node: Node, made: _Class) -> None:
        self.annotations(node)
        static = made.kind in ("interface", "annotation") or "static" in self._modifiers(node)
        kind = self.type(node.child_by_field_name("type"))
        for declarator in node.children_by_field_name("declarator"):
            name = self.named(declarator)
            shown = self.arrays(kind, declarator.child_by_field_name("dimensions"))
            self._field(made, name, shown, static, node)
            value = declarator.child_by_field_name("value")
            if value is not None:
                self.expr(value, ("fn", shown))

    def _field(self, made: _Class, name: str, kind: TypeExpr, static: bool, node: Node) -> None:
        self.cells["field", made.key, name] = FieldFacts(kind, static)
        if static:
            text = "\n".join(line.strip() for line in self.text(node).split("\n"))
            self.cells["text", made.key, name] = digest(text)
            if made.symbol:
                self.bindings[name] = (node.start_point[0] + 1, node.end_point[0] + 1)

    def _constant(self, node: Node, made: _Class) -> None:
        """A constant of an enum: a static field, and a call of a constructor."""
        self.annotations(node)
        name = self.named(node)
        self._field(made, name, ("k", made.key, ()), True, node)
        self.construct(node, ("k", made.key, ()), node.child_by_field_name("arguments"), f"new {name}")
        body = node.child_by_field_name("body")
        if body is not None:
            self.class_body(body, f"{made.key}.<{name}>", ("k", made.key, ()))

    def _method(self, node: Node, made: _Class) -> None:
        name = self.named(node)
        constructor = node.type.endswith("constructor_declaration")
        modifiers = self._modifiers(node)
        qual = f"{made.key}.{name}"
        if made.symbol:
            words = [*modifiers, self._words(node, "type_parameters", "type", "name") + self._words(node, "parameters")]
            words += [" ".join(self.text(c).split()) for c in node.named_children if c.type == "throws"]
            qual = self.draft(qual, "method", node, name, " ".join(words), made.key)
        else:
            qual = self.counted(qual)
        self.push()
        outer = self.enter(qual, qual if made.symbol else self.frame.owner, made.key)
        facts = self.function(node, made, qual, modifiers, constructor)
        made.methods.setdefault("<init>" if constructor else name, []).append(facts)
        if made.symbol and not constructor:
            self.names.add(("method", name, made.key))
        self.leave(outer, "function", made.key)
        self.pop()

    def function(
        self, node: Node, made: _Class | None, qual: str, modifiers: list[str], constructor: bool
    ) -> MethodFacts:
        """Header and body of a method or constructor, read in the scope just begun."""
        self.annotations(node)
        self.type_parameters(node.child_by_field_name("type_parameters"), "")
        result = self.arrays(self.type(node.child_by_field_name("type")), node.child_by_field_name("dimensions"))
        given, variadic = self.parameters(node.child_by_field_name("parameters"))
        if made is not None and node.type == "compact_constructor_declaration":
            given = made.components
        for child in node.named_children:
            if child.type == "throws":
                for thrown in child.named_children:
                    self.type(thrown)
        for name, kind in given:
            self.declare(name, ("of", kind) if kind is not None else None)
        body = node.child_by_field_name("body")
        flags = "".join(f for f, word in zip("spf", ("static", "private", "final"), strict=True) if word in modifiers)
        if body is None and not constructor and "native" not in modifiers:
            flags += "a"
        if constructor and made is not None and made.kind == "class":
            self._implied(body)
        if body is not None:
            self.children(body)
        value = node.child_by_field_name("value")
        if value is not None:
            self.expr(value)
        return MethodFacts(qual, tuple(t for _, t in given), result, variadic, flags)

    def _implied(self, body: Node | None) -> None:
        """A constructor that does not say so begins with ``super()``."""
        first = (
            next((c for c in body.named_children if not c.type.endswith("comment")), None) if body is not None else None
        )
        if body is None or (first is not None and first.type == "explicit_constructor_invocation"):
            return
        self.frame.sites.append(Site("init", "super", ("init", self.frame.ctx, "super", ())))
        self.frame.lines.append(body.start_point[0] + 1)


def base_name(dotted: str) -> str:
    """The last component of a class's name or key, without what numbers it."""
    return dotted.rpartition(".")[2].partition("#")[0].strip("<>").partition(" ")[0]


def _listed(body: Node) -> list[Node]:
    """The members of a class body in text order, those behind the constants of an enum and in error nodes too."""
    found: list[Node] = []
    stack = body.named_children[::-1]
    while stack:
        node = stack.pop()
        if node.is_error or node.type == "enum_body_declarations":
            stack.extend(node.named_children[::-1])
        else:
            found.append(node)
    return found
