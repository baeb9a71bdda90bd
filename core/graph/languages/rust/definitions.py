"""Functions, types, traits, impl blocks and macros of a Rust file: their cells, drafts and scopes (see ``items``).

An impl block is a symbol of its own, ``impl Trait for Type``: its lines are its header and its constants, its members
its methods. A method is ``Type.method`` wherever its block stands; a method of a trait ``Trait.method``.
"""

from __future__ import annotations

from collections.abc import Callable

from core.graph.languages.rust import attributes
from core.graph.languages.rust.items import Items, Place, flat
from core.graph.languages.rust.macros import chain
from core.graph.languages.rust.patterns import bind
from core.graph.languages.rust.syntax import FuncFacts, ImplFacts, Node, TraitFacts, TypeExpr, TypeFacts

Fields = tuple[tuple[str, TypeExpr], ...]


def _name(f: Items, node: Node) -> str:
    named = node.child_by_field_name("name")
    return f.text(named) if named is not None else ""


# -- functions -----------------------------------------------------------------------------------------------


def _function(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    name = _name(f, node)
    if not name:
        return
    signature = f.words(node, "name", "type_parameters") + f.words(node, "parameters")
    result = f.words(node, "return_type")
    signature += f" -> {result}" if result else ""
    kind = "method" if place.within[0] else "function"
    qual = f.define(place.prefix + name, kind, node, attrs, signature, place)  # type: ignore[arg-type]
    if not place.within[0]:
        f.put(place.module, name, "fn", qual)
        made = attributes.procedural(f, attrs, name)
        if made:
            f.put(place.module, made, "macro", qual)
            f.names.add(("rsmacro", made, qual))
    elif place.owner is None and "#" not in qual:
        f.names.add(("method", name, qual.rpartition(".")[0]))
    f.queue.append((_read_function, node, qual, place, attrs))


def _read_function(f: Items, node: Node, scope: str, place: Place, attrs: list[Node]) -> None:
    f.enter(scope, place, attrs)
    generics = f.type_parameters(node)
    params: list[TypeExpr] = []
    receiver = False
    listed = node.child_by_field_name("parameters")
    for child in listed.named_children if listed is not None else ():
        if child.type == "self_parameter":
            receiver = True
            f.declare("self", ("of", f.kinds.get("Self")))
        elif child.type == "parameter":
            pattern = child.child_by_field_name("pattern")
            kind = f.type(child.child_by_field_name("type"))
            if pattern is not None and pattern.type == "self":
                receiver = True
            else:
                params.append(kind)
            if pattern is not None:
                bind(f, pattern, ("of", kind) if kind is not None else None)
    result = node.child_by_field_name("return_type")
    given = f.type(result) if result is not None else ("u", ())
    f.cells["func", scope, ""] = FuncFacts(tuple(params), given, receiver, place.within, generics)
    body = node.child_by_field_name("body")
    if body is not None:
        f.value(body)
    f.close(scope, "function", place.owner if place.owner is not None else scope)


# -- types ---------------------------------------------------------------------------------------------------


def _type(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    name = _name(f, node)
    if not name:
        return
    signature = " ".join((node.type.partition("_")[0], f.words(node, "name", "type_parameters")))
    if node.type == "type_item":
        signature += f" = {f.words(node, 'type')}"
    key = f.define(place.prefix + name, "class", node, attrs, signature, place)
    f.put(place.module, name, "type", key)
    f.queue.append((_read_type, node, key, place, attrs))


def _read_type(f: Items, node: Node, scope: str, place: Place, attrs: list[Node]) -> None:
    f.enter(scope, place, attrs)
    params = f.type_parameters(node)
    body = node.child_by_field_name("body")
    kind = node.type.partition("_")[0]
    if kind == "type":
        facts = TypeFacts("alias", params, base=f.type(node.child_by_field_name("type")))
    elif kind == "enum":
        f.kinds["Self"] = ("n", place.module, (_name(f, node),), tuple(f.kinds[p] for p in params))
        variants = []
        for child in body.named_children if body is not None else ():
            if child.type == "attribute_item":
                attributes.read(f, [child])
            elif child.type == "enum_variant":
                inner = child.child_by_field_name("body")
                value = child.child_by_field_name("value")
                if value is not None:
                    f.value(value)
                fields, numbered = _fields(f, inner)
                variants.append((_name(f, child), numbered, fields))
        facts = TypeFacts("enum", params, variants=tuple(variants))
    else:
        f.kinds["Self"] = ("n", place.module, (_name(f, node),), tuple(f.kinds[p] for p in params))
        fields, numbered = _fields(f, body)
        facts = TypeFacts(kind, params, fields, numbered)
    if place.module:
        f.cells["home", scope, ""] = place.module
    f.cells["type", scope, ""] = facts._replace(derived=attributes.derived(f, attrs))
    f.close(scope, "class", place.owner if place.owner is not None else scope)


def _fields(f: Items, body: Node | None) -> tuple[Fields, bool]:
    """Fields with their types, and whether they are numbered."""
    found: list[tuple[str, TypeExpr]] = []
    numbered = body is not None and body.type == "ordered_field_declaration_list"
    for child in body.named_children if body is not None else ():
        if child.type == "attribute_item":
            attributes.read(f, [child])
        elif numbered and child.type not in ("visibility_modifier", "line_comment", "block_comment"):
            found.append((str(len(found)), f.type(child)))
        elif child.type == "field_declaration":
            found.append((_name(f, child), f.type(child.child_by_field_name("type"))))
    return tuple(found), numbered


# -- traits and impl blocks ----------------------------------------------------------------------------------


def _trait(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    name = _name(f, node)
    if not name:
        return
    signature = f"trait {f.words(node, 'name', 'type_parameters')}{f.words(node, 'bounds')}"
    key = f.define(place.prefix + name, "class", node, attrs, signature, place)
    f.put(place.module, name, "trait", key)
    f.queue.append((_read_trait, node, key, place, attrs))


def _read_trait(f: Items, node: Node, scope: str, place: Place, attrs: list[Node]) -> None:
    f.enter(scope, place, attrs)
    f.kinds["Self"] = ("self", scope)
    params = f.type_parameters(node)
    supers = f.bounds(node.child_by_field_name("bounds"))
    inner = place._replace(
        prefix=f"{scope}.", kinds=tuple(f.kinds.items()), parent=scope, within=("trait", scope),
        owner=place.owner,
    )  # fmt: skip
    methods, consts, types = _members(f, node, inner)
    f.cells["trait", scope, ""] = TraitFacts(supers, methods, consts, params, tuple(types))
    f.names.update(("rsspec", method, scope) for method, _ in methods)
    f.close(scope, "class", place.owner if place.owner is not None else scope)


def _members(
    f: Items, node: Node, place: Place
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...], list[tuple[str, TypeExpr]]]:
    """Declare the methods of a body, read its constants and types; methods, constants, types by name."""
    body = node.child_by_field_name("body")
    attrs: list[Node] = []
    methods: list[tuple[str, str]] = []
    consts: list[str] = []
    types: list[tuple[str, TypeExpr]] = []
    for child in flat(body.named_children) if body is not None else ():
        kind = child.type
        if kind == "attribute_item":
            attrs.append(child)
            continue
        if kind in ("line_comment", "block_comment"):
            continue
        if kind in ("function_item", "function_signature_item"):
            count = len(f.queue)
            _function(f, child, place, attrs)
            if len(f.queue) > count:
                methods.append((_name(f, child), f.queue[-1][2]))
        elif kind == "type_item":
            f.type_parameters(child)
            types.append((_name(f, child), f.type(child.child_by_field_name("type"))))
        elif kind == "associated_type":
            types.append((_name(f, child), ("d", f.bounds(child.child_by_field_name("bounds")))))
        elif kind == "const_item":
            _member_constant(f, child, place)
            consts.append(_name(f, child))
        else:
            f.expr(child)
        attrs = []
    return tuple(methods), tuple(consts), types


def _member_constant(f: Items, node: Node, place: Place) -> None:
    kind = f.type(node.child_by_field_name("type"))
    value = node.child_by_field_name("value")
    given = f.value(value) if value is not None else None
    member = place._replace(module=f"<{place.within[1]}>", prefix=f"{place.within[1]}.")
    f.constant_item(_name(f, node), kind, given, f.text(node), member)


def _short(f: Items, node: Node | None) -> str:
    """The last name of a type, for ids."""
    before = ""
    while node is not None:
        kind = node.type
        if kind == "scoped_type_identifier":
            node = node.child_by_field_name("name")
        elif kind == "generic_type" or kind in ("reference_type", "pointer_type"):
            node = node.child_by_field_name("type")
        elif kind == "dynamic_type":
            before, node = "dyn ", node.child_by_field_name("trait")
        elif kind == "bounded_type" and node.named_children:
            node = node.named_children[0]
        elif kind in ("type_identifier", "primitive_type"):
            return before + f.text(node)
        else:
            return before + {"array_type": "[]", "tuple_type": "()", "unit_type": "()"}.get(kind, "fn")
    return "fn"


def _implementation(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    trait = node.child_by_field_name("trait")
    name = _short(f, node.child_by_field_name("type"))
    title = f"impl {_short(f, trait)} for {name}" if trait is not None else f"impl {name}"
    head = " ".join(f.source[node.start_byte : _body_start(node)].decode("utf-8", "replace").split())
    key = f.define(place.prefix + title, "class", node, attrs, head, place)
    f.queue.append((_read_implementation, node, key, place, attrs))


def _body_start(node: Node) -> int:
    body = node.child_by_field_name("body")
    return int(body.start_byte if body is not None else node.end_byte)


def _read_implementation(f: Items, node: Node, scope: str, place: Place, attrs: list[Node]) -> None:
    f.enter(scope, place, attrs)
    f.type_parameters(node)
    kind, trait = f.type(node.child_by_field_name("type")), f.type(node.child_by_field_name("trait"))
    f.kinds["Self"] = kind
    body = node.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        if child.type == "type_item":
            f.assoc[_name(f, child)] = None
    for child in body.named_children if body is not None else ():
        if child.type == "type_item":
            f.assoc[_name(f, child)] = f.type(child.child_by_field_name("type"))
    name = _short(f, node.child_by_field_name("type"))
    inner = place._replace(
        prefix=f"{place.prefix}{name}.", kinds=tuple(f.kinds.items()), assoc=tuple(f.assoc.items()), parent=scope,
        within=("impl", scope), owner=place.owner,
    )  # fmt: skip
    methods, consts, types = _members(f, node, inner)
    f.cells["impl", scope, ""] = ImplFacts(kind, trait, methods, tuple(types), consts)
    blanket = kind is None or kind[0] == "g"
    f.names.add(("rsimpl", "*" if blanket else _real(f, kind, name), scope))
    if trait is not None:
        f.names.add(("rstrait", _real(f, trait, _short(f, node.child_by_field_name("trait"))), scope))
    for method, _ in methods:
        if trait is not None:
            f.names.add(("rshas", method, scope))
        if blanket:
            f.names.add(("rsblanket", method, scope))
    f.close(scope, "class", place.owner if place.owner is not None else scope)


def _real(f: Items, e: TypeExpr, name: str) -> str:
    """The name a type was declared with, where the file itself says that it has another here."""
    if e is None or e[0] != "n" or len(e[2]) != 1:
        return name
    for entry in f.found.get((e[1], name), ()):
        if entry[0] == "use":
            return str(entry[2][-1])
    return name


# -- macros --------------------------------------------------------------------------------------------------


def _macro(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    name = _name(f, node)
    if not name:
        return
    qual = f.define(place.prefix + name, "function", node, attrs, f"macro {name}", place)
    f.put(place.module, name, "macro", qual)
    f.names.add(("rsmacro", name, qual))
    if attributes.exported(f, attrs):
        f.names.add(("rsexport", name, qual))
    f.queue.append((_read_macro, node, qual, place, attrs))


def _read_macro(f: Items, node: Node, scope: str, place: Place, attrs: list[Node]) -> None:
    f.enter(scope, place, [])
    f.quiet = True
    for rule in node.named_children:
        right = rule.child_by_field_name("right") if rule.type == "macro_rule" else None
        if right is None:
            continue
        f.push()
        kids = right.children[1:-1]
        i = 0
        while i < len(kids):
            _, i = chain(f, kids, i)
        f.pop()
    f.quiet = False
    f.close(scope, "function", place.owner if place.owner is not None else scope)


FORMS: dict[str, Callable[[Items, Node, Place, list[Node]], None]] = {
    "function_item": _function, "function_signature_item": _function, "struct_item": _type, "enum_item": _type,
    "union_item": _type, "type_item": _type, "trait_item": _trait, "impl_item": _implementation,
    "macro_definition": _macro,
}  # fmt: skip
