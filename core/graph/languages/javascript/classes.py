"""Classes, interfaces, enums and type aliases as they are read: members, bases, fields, method specs."""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr
from core.graph.languages.javascript.facts import ClassFacts, TypeExpr, Value
from core.graph.languages.javascript.functions import LITERALS, Made, function, signature, type_parameters
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.reader import Reader, key_name, key_of, safe
from core.graph.languages.javascript.scopes import Frame
from core.graph.languages.javascript.types import type_of

_SPECS = ("method_signature", "abstract_method_signature", "call_signature", "construct_signature")


def declare(b: Reader, node: Node, name: str, kind: str, outer: Node, words: str, symbol: bool = True) -> Frame:
    """The frame of a class-like definition: a symbol where definitions are, else a scope of the function around it."""
    frame = b.frame
    if symbol and frame.prefix is not None:
        shown = ".".join(safe(part) for part in name.split("."))
        qual = b.unique(f"{frame.prefix}.{shown}" if frame.prefix else shown)
        b.draft(qual, "class", outer, shown.rpartition(".")[2], words)
        return b.open(qual, kind, qual, qual)
    shown = safe(name.rpartition(".")[2])
    qual = b.unique(f"{frame.qual}.{shown}" if frame.qual else shown)
    return b.open(qual, kind, frame.owner, None)


def klass(b: Reader, node: Node, name: str, outer: Node, symbol: bool = True) -> str:
    """A class declaration or expression; its qual."""
    heritage = next((c for c in node.named_children if c.type == "class_heritage"), None)
    words = f"{name}{b.text(node.child_by_field_name('type_parameters'))} {b.text(heritage)}"
    inner = declare(b, node, name, "class", outer, words, symbol)
    back, env = b.frame, b.push()
    b.frame = inner
    type_parameters(b, node)
    b.frame, b.into = back, inner
    bases, implements = _heritage(b, heritage)
    b.into = None
    b.classes[inner.qual] = ClassFacts("class", back.qual, tuple(bases), tuple(implements))
    _decorators(b, node.children_by_field_name("decorator"), inner)
    outer_decorators = [] if outer is node else outer.children_by_field_name("decorator")
    _decorators(b, outer_decorators, inner)
    b.frame = inner
    inner.cls, inner.this = inner.qual, ("this", inner.qual, "s")
    b.push()
    own = node.child_by_field_name("name")
    if own is not None:
        slot = inner.slot(b.env, b.text(own), "const")
        slot.of = inner.qual
        inner.bind(slot, ("class", inner.qual), at=0)
    body = node.child_by_field_name("body")
    if body is not None:
        _members(b, body, inner)
    b.frame, b.env = back, env
    return inner.qual


def _heritage(b: Reader, node: Node | None) -> tuple[list[Expr], list[TypeExpr]]:
    bases: list[Expr] = []
    implements: list[TypeExpr] = []
    for child in node.named_children if node is not None else ():
        if child.type == "implements_clause":
            implements += [type_of(b, c) for c in child.named_children]
        elif child.type == "extends_clause":
            found = b.expr(child.child_by_field_name("value"))
            listed = child.child_by_field_name("type_arguments")
            for c in listed.named_children if listed is not None else ():
                type_of(b, c)
            if found is not None:
                bases.append(found)
        else:
            found = b.expr(child)
            if found is not None:
                bases.append(found)
    return bases, [t for t in implements if t is not None]


def _decorators(b: Reader, nodes: list[Node], into: Frame) -> None:
    """Decorators run around a definition; their sites belong to its head."""
    for node in nodes:
        frame = b.frame
        sites, lines = frame.sites, frame.lines
        frame.sites, frame.lines = into.head, into.head_lines
        inner = node.named_children[0] if node.named_children else None
        found = b.expr(inner)
        if inner is not None and inner.type != "call_expression" and found is not None:
            b.site("call", key_of(found), ("call", found, ()), inner)
        frame.sites, frame.lines = sites, lines


def _members(b: Reader, body: Node, inner: Frame) -> None:
    waiting: list[Node] = []
    last: tuple[str, str] | None = None
    for child in body.named_children:
        kind = child.type
        if kind == "decorator":
            waiting.append(child)
            continue
        if kind == "method_definition":
            first = waiting[0] if waiting else child
            name, qual = _method(b, child, inner, last)
            if waiting:
                new = next((f for f in reversed(b.frames) if f.qual == qual), None)
                if new is not None:
                    _decorators(b, waiting, new)
                draft = b.drafted.get(qual)
                if draft is not None:
                    draft.first = min(draft.first, first.start_point[0])
            last = None
        elif kind in _SPECS:
            name = key_name(b, child.child_by_field_name("name")) or "new"
            if last is not None and last[0] == name:  # overloads are one symbol
                _stretch(b, last[1], child)
            else:
                last = (name, spec(b, child, name, inner))
        elif kind in ("public_field_definition", "field_definition"):
            _decorators(b, [*waiting, *child.children_by_field_name("decorator")], inner)
            _field(b, child, inner)
        elif kind == "class_static_block":
            was, inner.this = inner.this, ("this", inner.qual, "t")
            b.children(child)
            inner.this = was
        elif kind != "comment":
            b.expr(child)
        if kind != "comment":
            waiting = []
    return


def _stretch(b: Reader, qual: str, node: Node) -> None:
    draft = b.drafted.get(qual)
    if draft is not None:
        draft.last = max(draft.last, node.end_point[0])


def _words_of(node: Node) -> set[str]:
    found: set[str] = set()
    for child in node.children:
        kind = child.type
        if kind in ("static", "get", "set", "abstract"):
            found.add(kind)
        elif kind in ("property_identifier", "formal_parameters", "statement_block", "type_annotation"):
            break
    return found


def _method(b: Reader, node: Node, inner: Frame, spec_before: tuple[str, str] | None) -> tuple[str, str]:
    named = node.child_by_field_name("name")
    name = key_name(b, named)
    if name is None and named is not None:
        b.expr(named)
    words = _words_of(node)
    static = "static" in words
    shown = name if name is not None else "<computed>"
    this: Value = ("this", inner.qual, "t" if static else "s")
    made = Made("method", True, node, this, inner.qual, static, frozenset(words | {"method"}))
    if spec_before is not None and spec_before[0] == name and spec_before[1] in b.drafted:
        qual = _implement(b, node, spec_before[1], made)
    else:
        qual = function(b, node, shown.replace(".", "_"), made)
    kind = "get" if "get" in words else "set" if "set" in words else "method"
    if name is not None:
        member(b, inner.qual, name, kind, static, ("func", qual))
    return shown, qual


def _implement(b: Reader, node: Node, qual: str, made: Made) -> str:
    """The body of a method whose overloads stand above it: one symbol."""
    spec_frame = next(f for f in reversed(b.frames) if f.qual == qual)
    b.frames.remove(spec_frame)
    above = b.drafted[qual]
    b.drafts.remove(above)
    b.counts[qual.partition("#")[0]] -= 1
    found = function(b, node, above.name, made)
    if found in b.drafted:
        b.drafted[found].first = min(above.first, b.drafted[found].first)
    key = (qual.rpartition(".")[0], above.name)
    b.members[key] = [m for m in b.members.get(key, []) if m[2] != ("func", qual)]
    return found


def member(b: Reader, cls: str, name: str, kind: str, static: bool, value: Value) -> None:
    """A member of a class, and the repository-wide names by which others find it."""
    b.members.setdefault((cls, name), []).append((kind, static, value))
    b.names.add(("jsmember", name, cls))
    if kind in ("get", "set"):
        b.names.add(("jsgetter" if kind == "get" else "jssetter", name, cls))
    elif cls in b.drafted and value is not None and value[0] == "func" and value[1] == f"{cls}.{name}":
        b.names.add(("method", name, cls))


def _field(b: Reader, node: Node, inner: Frame) -> None:
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
    name = key_name(b, named)
    static = "static" in _words_of(node)
    was = inner.this
    inner.this = ("this", inner.qual, "t" if static else "s")
    kind = type_of(b, node.child_by_field_name("type"))
    value = node.child_by_field_name("value")
    found: Value = None
    if value is not None and name is not None and value.type in (*LITERALS, "class"):
        if value.type == "class":
            found = ("class", klass(b, value, name, node))
        else:
            made = Made("method", True, node, inner.this, inner.qual, static, frozenset({"field"}))
            found = ("func", function(b, value, name.replace(".", "_"), made))
    else:
        found = b.expr(value)
    if name is not None and (found is not None or kind is not None):
        described: Value = ("typed", kind, found) if kind is not None else found
        assert described is not None
        plain = found if found is not None and found[0] == "func" else described
        if static or (found is not None and found[0] in ("func", "class")):
            member(b, inner.qual, name, "field", static, plain)
        else:
            b.fields.setdefault((inner.qual, name), []).append((inner.qual, described))
            b.names.add(("jsfield", name, inner.qual))
    inner.this = was


def spec(b: Reader, node: Node, name: str, inner: Frame) -> str:
    """A method without a body: of an interface, abstract, or an overload."""
    outer_frame, env = b.frame, b.env
    b.frame = inner
    words = _words_of(node)
    shown = safe(name)
    if inner.prefix is not None:
        qual = b.unique(f"{inner.prefix}.{shown}")
        b.draft(qual, "method", node, shown, b.text(node).rstrip(";, "))
        new = b.open(qual, "function", qual, None)
    else:
        qual = b.unique(f"{inner.qual}.{shown}")
        new = b.open(qual, "function", inner.owner, None)
    new.flags = {"abstract", *words}
    new.cls = inner.cls
    b.frame = new
    b.push()
    signature(b, node, new)
    if new.returned is None:
        new.returned = type_of(b, node.child_by_field_name("type"))
    b.frame, b.env = outer_frame, env
    kind = "get" if "get" in words else "set" if "set" in words else "method"
    member(b, inner.qual, name, kind, "static" in words, ("func", qual))
    return qual


def interface(b: Reader, node: Node, name: str, outer: Node, body: Node | None) -> str:
    """An interface, or a type alias of an object type; its qual."""
    extends = next((c for c in node.named_children if c.type == "extends_type_clause"), None)
    words = f"{name}{b.text(node.child_by_field_name('type_parameters'))} {b.text(extends)}"
    back, env = b.frame, b.env
    inner = declare(b, node, name, "class", outer, words)
    b.push()
    b.frame = inner
    type_parameters(b, node)
    b.frame = back
    listed = extends.named_children if extends is not None else []
    b.into = inner
    bases = [t for t in (type_of(b, c) for c in listed) if t is not None]
    b.into = None
    b.classes[inner.qual] = ClassFacts("interface", back.qual, tuple(bases), ())
    b.frame, inner.cls = inner, inner.qual
    b.push()
    last: tuple[str, str] | None = None
    for child in body.named_children if body is not None else ():
        last = _type_member(b, child, inner, last)
    b.frame, b.env = back, env
    return inner.qual


def _type_member(b: Reader, node: Node, inner: Frame, last: tuple[str, str] | None) -> tuple[str, str] | None:
    named = node.child_by_field_name("name")
    name = key_name(b, named)
    if node.type == "method_signature" and name is not None:
        if last is not None and last[0] == name:
            _stretch(b, last[1], node)
            return last
        return name, spec(b, node, name, inner)
    if node.type != "property_signature" or name is None:
        type_of(b, node.child_by_field_name("type") or node.child_by_field_name("return_type"))
        return None
    annotation = node.child_by_field_name("type")
    written: Any = annotation.named_children[0] if annotation is not None and annotation.named_children else None
    while written is not None and written.type == "parenthesized_type" and written.named_children:
        written = written.named_children[0]
    if written is not None and written.type == "function_type":
        _function_property(b, node, written, name, inner)
        return None
    kind = type_of(b, annotation)
    if kind is not None:
        member(b, inner.qual, name, "field", False, ("typed", kind, None))
    return None


def _function_property(b: Reader, node: Node, written: Node, name: str, inner: Frame) -> None:
    """``run: (x: A) => B`` in an interface is a method spec."""
    shown = safe(name)
    qual = b.unique(f"{inner.qual}.{shown}")
    if inner.prefix is not None:
        b.draft(qual, "method", node, shown, b.text(node).rstrip(";, "))
    new = b.open(qual, "function", qual if inner.prefix is not None else inner.owner, None)
    new.flags, new.cls = {"abstract"}, inner.cls
    back, env = b.frame, b.env
    b.frame = new
    b.push()
    signature(b, written, new)
    b.frame, b.env = back, env
    member(b, inner.qual, name, "method", False, ("func", qual))


def enum(b: Reader, node: Node, name: str, outer: Node) -> str:
    """An enumeration: a class with static members; its qual."""
    back, env = b.frame, b.push()
    inner = declare(b, node, name, "class", outer, name)
    b.classes[inner.qual] = ClassFacts("class", back.qual, (), ())
    b.frame, inner.cls = inner, inner.qual
    body = node.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        if child.type == "enum_assignment":
            b.expr(child.child_by_field_name("value"))
    b.frame, b.env = back, env
    return inner.qual
