"""TypeScript types as small expressions, generics left out where they do not say what is held.

("tn", e, n) the value-level name n, read as e   ("ti", q) interface   ("ta", q) alias   ("tq", e, n) e.n
("tb", n) builtin type   ("tl", kind, t) collection of t   ("tp", t) promise   ("tu", t...) any of them
("tf", t, (parameter, ...)) function that returns t   ("to", ((n, t), ...)) object   ("tk", t, n) member n of t
("tv", e) the type of value e   ("tr", t) what t returns   ("ts", class) the receiver
"""

from __future__ import annotations

from collections.abc import Callable

from core.graph.facts import Expr
from core.graph.languages.javascript.facts import TypeExpr
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.reader import Reader, key_name
from core.graph.languages.javascript.scopes import find_type

_BASIC = {"string": "String", "number": "Number", "boolean": "Boolean", "bigint": "BigInt", "symbol": "Symbol"}
_SAME = frozenset(["Partial", "Required", "Readonly", "NonNullable", "Awaited", "Pick", "Omit", "Exclude", "Extract"])
_LISTS = {
    "Array": "Array", "ReadonlyArray": "Array", "Set": "Set", "ReadonlySet": "Set", "Iterable": "Array",
    "Iterator": "Array", "AsyncIterable": "Array", "Generator": "Array", "AsyncGenerator": "Array",
    "IterableIterator": "Array", "AsyncIterableIterator": "Array",
}  # fmt: skip
_MAPS = {"Map": "Map", "ReadonlyMap": "Map", "WeakMap": "Map", "Record": "Object"}


def type_of(b: Reader, node: Node | None) -> TypeExpr:
    """The type expression of a type node or annotation; the names in it are recorded as read."""
    if node is None:
        return None
    if b.depth > 80:
        return None
    b.depth += 1
    form = _FORMS.get(node.type)
    found = None
    if form is not None:
        found = form(b, node)
    else:
        for child in node.named_children:
            type_of(b, child)
    b.depth -= 1
    return found


def _name(b: Reader, node: Node) -> TypeExpr:
    return named(b, b.text(node), node)


def named(b: Reader, name: str, node: Node) -> TypeExpr:
    """The type a plain name stands for."""
    found = find_type(b.env, name)
    if found is None:
        return ("tb", name) if not name.startswith("import(") else None
    if isinstance(found[0], str):
        if found[0] == "tparam":
            return found[1]  # type: ignore[no-any-return]
        if "." not in found[1]:
            b.read(found[1], node)
        return found
    return ("tn", b.name(name, node), name)


def _qualified(b: Reader, node: Node) -> TypeExpr:
    module, name = node.child_by_field_name("module"), b.text(node.child_by_field_name("name"))
    return ("tq", dotted(b, module, name), name)


def dotted(b: Reader, node: Node | None, last: str) -> Expr | None:
    """The value expression of a dotted name that ``last`` is taken of."""
    if node is None:
        return None
    if node.type in ("nested_identifier", "member_expression"):
        name = b.text(node.child_by_field_name("property"))
        base = dotted(b, node.child_by_field_name("object"), name)
        return ("attr", base, name) if base is not None else None
    name = b.text(node)
    if name.startswith("import("):
        b.imports.append((name[8:-2], node.start_point[0] + 1))
        return ("import", name[8:-2], "*")
    found = find_type(b.env, name)
    if found is not None and not isinstance(found[0], str) and found[1].kind == "namespace":
        b.read(f"{name}.{last}", node)
    return b.name(name, node)


def _generic(b: Reader, node: Node) -> TypeExpr:
    named_by, listed = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    name = b.text(named_by)
    given = [type_of(b, c) for c in listed.named_children] if listed is not None else []
    first = given[0] if given else None
    local = find_type(b.env, name) is not None
    if not local and name in ("Promise", "PromiseLike"):
        return ("tp", first)
    if not local and name in _LISTS:
        return ("tl", _LISTS[name], first)
    if not local and name in _MAPS:
        return ("tl", _MAPS[name], given[1] if len(given) > 1 else None)
    if not local and name in _SAME:
        return first
    if not local and name in ("ReturnType", "InstanceType"):
        return ("tr", first) if first is not None else None
    return type_of(b, named_by)


def _array(b: Reader, node: Node) -> TypeExpr:
    return ("tl", "Array", union([type_of(b, c) for c in node.named_children]))


def union(parts: list[TypeExpr]) -> TypeExpr:
    """Any of several types; unknown ones are left out."""
    known = list(dict.fromkeys(p for p in parts if p is not None))
    return ("tu", *known) if len(known) > 1 else known[0] if known else None


def _union(b: Reader, node: Node) -> TypeExpr:
    """Flat, from the right end leftwards: long unions nest to the left."""
    parts: list[Node] = []
    while node.type in ("union_type", "intersection_type"):
        kids = node.named_children
        if not kids:
            break
        parts += reversed(kids[1:])
        node = kids[0]
        if node.type not in ("union_type", "intersection_type"):
            parts.append(node)
    return union([type_of(b, p) for p in reversed(parts)])


def _predefined(b: Reader, node: Node) -> TypeExpr:
    found = _BASIC.get(b.text(node))
    return ("tb", found) if found is not None else None


def _function(b: Reader, node: Node) -> TypeExpr:
    given = parameters(b, node.child_by_field_name("parameters"))
    returned = type_of(b, node.child_by_field_name("return_type") or node.child_by_field_name("type"))
    return ("tf", returned, tuple(given))


def parameters(b: Reader, node: Node | None) -> list[TypeExpr]:
    """The types of the parameters of a signature without a body."""
    listed = node.named_children if node is not None else []
    return [type_of(b, c.child_by_field_name("type")) for c in listed if c.type.endswith("parameter")]


def _object(b: Reader, node: Node) -> TypeExpr:
    found: list[tuple[str, TypeExpr]] = []
    for child in node.named_children:
        name = key_name(b, child.child_by_field_name("name"))
        if child.type == "method_signature":
            kind: TypeExpr = _function(b, child)
        elif child.type == "index_signature":
            name, kind = "*", type_of(b, child.child_by_field_name("type"))
        else:
            kind = type_of(b, child.child_by_field_name("type"))
        if name is not None and kind is not None:
            found.append((name, kind))
    return ("to", tuple(found)) if found else None


def _lookup(b: Reader, node: Node) -> TypeExpr:
    kids = node.named_children
    base = type_of(b, kids[0]) if kids else None
    key = b.text(kids[1]) if len(kids) > 1 else ""
    if key == "number":
        return ("tk", base, "*") if base is not None else None
    return ("tk", base, key[1:-1]) if base is not None and key[:1] in "\"'" else None


def _query(b: Reader, node: Node) -> TypeExpr:
    found = b.expr(node.named_children[0]) if node.named_children else None
    return ("tv", found) if found is not None else None


def _first(b: Reader, node: Node) -> TypeExpr:
    found = [type_of(b, c) for c in node.named_children]
    return found[0] if found else None


def _this(b: Reader, node: Node) -> TypeExpr:
    return ("ts", b.frame.cls) if b.frame.cls else None


def _predicate(b: Reader, node: Node) -> TypeExpr:
    for child in node.named_children:
        if child.type != "identifier":
            type_of(b, child)
    return ("tb", "Boolean")


_FORMS: dict[str, Callable[[Reader, Node], TypeExpr]] = {
    "type_identifier": _name, "identifier": _name, "nested_type_identifier": _qualified, "generic_type": _generic,
    "array_type": _array, "tuple_type": _array, "union_type": _union, "intersection_type": _union,
    "predefined_type": _predefined, "function_type": _function, "constructor_type": _function,
    "object_type": _object, "lookup_type": _lookup, "type_query": _query, "this_type": _this,
    "type_annotation": _first, "parenthesized_type": _first, "readonly_type": _first, "optional_type": _first,
    "rest_type": _first, "constraint": _first, "type_predicate_annotation": _predicate,
    "asserts_annotation": _predicate,
}  # fmt: skip
