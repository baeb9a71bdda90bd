"""Targets of declarations and assignments: names, destructuring, properties, and updates of objects.

``d.x = v``, ``d[k] = v``, ``d.push(v)`` and ``Object.assign(d, e)`` bind ``d`` anew, to the object it was with
one thing changed: ("obj", k) whose cell is ("store", base, key, value) or ("merge", base, other).
"""

from __future__ import annotations

from core.graph.facts import Expr
from core.graph.languages.javascript.facts import Value
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.reader import Reader, constant, key_name
from core.graph.languages.javascript.scopes import Bag, Frame, Slot, find

_AROUND = frozenset(
    ["rest_pattern", "parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression"]
)


def names_in(b: Reader, node: Node) -> list[Node]:
    """The identifiers a pattern binds."""
    found: list[Node] = []
    stack = [node]
    while stack:
        at = stack.pop()
        kind = at.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(at)
        elif kind == "pair_pattern":
            value = at.child_by_field_name("value")
            if value is not None:
                stack.append(value)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            left = at.child_by_field_name("left")
            if left is not None:
                stack.append(left)
        elif kind in ("object_pattern", "array_pattern", "rest_pattern"):
            stack.extend(at.named_children)
    return found


def bind(b: Reader, node: Node, value: Value, kind: str) -> None:
    """Declare the names of a pattern (``kind`` let, const, var, param) and give them what they take of ``value``."""
    _take(b, node, value, kind)


def assign(b: Reader, node: Node, value: Value) -> None:
    """``node = value`` for names, properties and patterns."""
    _take(b, node, value, "")


def _take(b: Reader, node: Node, value: Value, kind: str) -> None:
    form = node.type
    if form in ("identifier", "shorthand_property_identifier_pattern", "undefined"):
        name = b.text(node)
        if kind:
            b.frame.bind(b.frame.slot(b.env, name, kind), value)
        else:
            b.assign(name, value)
        return
    if b.depth > 80:
        return
    b.depth += 1
    if form in ("array_pattern", "array"):
        _array(b, node, value, kind)
    elif form in ("object_pattern", "object"):
        _object(b, node, value, kind)
    elif form in ("assignment_pattern", "object_assignment_pattern", "assignment_expression"):
        default = b.expr(node.child_by_field_name("right"))
        left = node.child_by_field_name("left")
        if left is not None:
            if left.type == "shorthand_property_identifier_pattern" and form == "object_assignment_pattern":
                value = ("attr", value, b.text(left)) if value is not None else None
            _take(b, left, _or(value, default), kind)
    elif form in ("member_expression", "subscript_expression"):
        store(b, node, value)
    elif form in _AROUND and node.named_children:
        _take(b, node.named_children[0], value, kind)
    else:
        b.expr(node)
    b.depth -= 1


def _or(value: Value, default: Value) -> Value:
    if value is None or default is None:
        return value if default is None else default
    return ("any", value, default)


def _array(b: Reader, node: Node, value: Value, kind: str) -> None:
    index = 0
    for child in node.children:
        form = child.type
        if form == ",":
            index += 1
        elif child.is_named and form != "comment":
            if form in ("rest_pattern", "spread_element"):
                part: Value = ("rest", value, index) if value is not None else None
                child = child.named_children[0] if child.named_children else child
            else:
                part = ("item", value, ("const", str(index))) if value is not None else None
            _take(b, child, part, kind)


def _object(b: Reader, node: Node, value: Value, kind: str) -> None:
    for child in node.named_children:
        form = child.type
        if form in ("pair_pattern", "pair"):
            key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
            name = key_name(b, key)
            part: Value = None
            if name is not None:
                part = ("attr", value, name) if value is not None else None
                if value is not None:
                    b.site("attr", "." + name, part, child)  # type: ignore[arg-type]
            elif key is not None:
                b.expr(key)
            if target is not None:
                _take(b, target, part, kind)
        elif form in ("rest_pattern", "spread_element"):
            if child.named_children:
                _take(b, child.named_children[0], value, kind)
        elif form in ("object_assignment_pattern", "assignment_expression"):
            _take(b, child, value, kind)
        elif form in ("shorthand_property_identifier_pattern", "shorthand_property_identifier"):
            part = ("attr", value, b.text(child)) if value is not None else None
            if part is not None:
                b.site("attr", "." + b.text(child), part, child)
            name = b.text(child)
            if kind:
                b.frame.bind(b.frame.slot(b.env, name, kind), part)
            else:
                b.assign(name, part)


# -- properties ------------------------------------------------------------------------------------------


def built(b: Reader, cell: Expr) -> Expr:
    """The expression of an object that a new cell of the current frame describes."""
    frame = b.frame
    frame.objects += 1
    k = str(frame.objects)
    b.cells["obj", frame.qual, k] = cell
    return ("obj", k)


def store(b: Reader, node: Node, value: Value) -> None:
    """``base.name = value`` or ``base[key] = value``."""
    base_node = node.child_by_field_name("object")
    if base_node is None:
        return
    if node.type == "member_expression":
        name: str | None = b.text(node.child_by_field_name("property"))
        key: Value = constant(name or "")
    else:
        index = node.child_by_field_name("index")
        key = b.expr(index)
        name = key[1] if key is not None and key[0] == "const" else None
    base = b.expr(base_node)
    if base is None:
        return
    if name is not None:
        b.site("set", "." + name, ("attr", base, name), node)
        if _special(b, base_node, base, name, value):
            return
    update(b, base_node, base, ("store", base, key, value))


def _special(b: Reader, node: Node, base: Expr, name: str, value: Value) -> bool:
    """Stores that declare: fields through ``this``, statics of classes and functions, prototypes."""
    if base[0] == "this":
        cls, kind = base[1], base[2]
        if kind == "t":
            b.members.setdefault((cls, name), []).append(("field", True, _in(b, value)))
        else:
            if kind == "f":
                b.built.add(cls)
            b.fields.setdefault((cls, name), []).append((b.frame.qual, value))
            b.names.add(("jsfield", name, cls))
        return True
    owner = declared_by(b, node)
    if owner and name == "prototype":
        _prototype(b, owner, value)
        return True
    if owner:
        b.members.setdefault((owner, name), []).append(("field", True, _in(b, value)))
        return True
    if base[0] == "attr" and base[2] == "prototype":
        owner = declared_by(b, node.child_by_field_name("object"))
        if owner:
            b.built.add(owner)
            b.members.setdefault((owner, name), []).append(("field", False, _in(b, value)))
            b.names.add(("jsmember", name, owner))
            return True
    return False


def _prototype(b: Reader, owner: str, value: Value) -> None:
    """``A.prototype = Object.create(B.prototype)``, ``new B()``, or an object of methods."""
    b.built.add(owner)
    if value is None:
        return
    if value[0] == "new" and value[1] is not None:
        b.protos.setdefault(owner, []).append(value[1])
    elif value[0] == "call" and value[1] == ("attr", ("global", "Object"), "create") and value[2]:
        first = value[2][0]
        if first is not None and first[0] == "attr" and first[1] is not None and first[2] == "prototype":
            b.protos.setdefault(owner, []).append(first[1])
    else:
        b.mixins.setdefault(owner, []).append((b.frame.qual, value))


def _in(b: Reader, value: Value) -> Value:
    """A value with the scope it is read in: members are evaluated in the class's own scope."""
    return ("in", b.frame.qual, value) if value is not None else None


def declared_by(b: Reader, node: Node | None) -> str:
    """The qual of the class or function of this text that a plain name declares, "" if it is none."""
    if node is None or node.type != "identifier":
        return ""
    found = find(b.env, b.text(node))
    return found[1].of if found is not None else ""


def update(b: Reader, node: Node, base: Expr, cell: Expr) -> None:
    """The name at the root of ``node`` holds the changed object from here on."""
    kind = node.type
    while kind in ("parenthesized_expression", "non_null_expression") and node.named_children:
        node = node.named_children[0]
        kind = node.type
    if kind == "identifier":
        found = find(b.env, b.text(node))
        if found is not None:
            _changed(b, found[0], found[1], cell)
    elif kind in ("member_expression", "subscript_expression"):
        _nested(b, node, base, cell)


def _changed(b: Reader, frame: Frame, slot: Slot, cell: Expr) -> None:
    """The object a variable holds is changed; the order of many changes is not followed."""
    slot.updates += 1
    if slot.updates <= _FEW:
        value = built(b, cell)
        if frame is b.frame:
            frame.bind(slot, value)
        else:
            slot.extern.append((b.frame.qual, value))
        return
    if slot.bag is None:
        slot.bag = Bag(frame.use(slot) if frame is b.frame else None)
        frame.objects += 1
        k = str(frame.objects)
        b.bags[frame.qual, k] = slot.bag
        if frame is b.frame:
            frame.bind(slot, ("ref", frame.qual, k))
        else:
            slot.extern.append((frame.qual, ("ref", frame.qual, k)))
    if cell[0] == "merge":
        slot.bag.merged.append(("in", b.frame.qual, cell[2]))
    elif cell[3] is not None:
        key = cell[2][1] if cell[2] is not None and cell[2][0] == "const" else None
        slot.bag.stored.setdefault(key, []).append(("in", b.frame.qual, cell[3]))


def _nested(b: Reader, node: Node, base: Expr, cell: Expr) -> None:
    """``a.b.c = v``: ``a`` holds an object whose ``b`` is changed; ``this.list.push(v)``: a field holds more."""
    if base[0] == "attr" and base[1] is not None and base[1][0] == "this" and base[1][2] != "t":
        this = base[1]
        grown = cell[3] if cell[0] == "store" else cell[2]
        b.fields.setdefault((this[1], base[2]), []).append((b.frame.qual, ("grown", grown)))
        b.names.add(("jsfield", base[2], this[1]))
        return
    inner = node.child_by_field_name("object")
    if inner is None or base[0] not in ("attr", "item") or base[1] is None:
        return
    key = constant(base[2]) if base[0] == "attr" else base[2]
    if inner.type in ("identifier", "member_expression", "subscript_expression") and b.depth < 80:
        b.depth += 1
        update(b, inner, base[1], ("store", base[1], key, built(b, cell)))
        b.depth -= 1


_FEW = 8
GROWS = frozenset(["push", "unshift", "add", "set", "append"])


def grown_by_call(b: Reader, callee: Expr, function: Node, given: list[tuple[Node, Value]]) -> None:
    """``list.push(v)``, ``map.set(k, v)``, ``Object.assign(d, e)``: what is held changes."""
    if callee[0] != "attr" or callee[1] is None or not given:
        return
    name, last = callee[2], given[-1][1]
    node = function.child_by_field_name("object")
    if name in GROWS and last is not None and node is not None and callee[1][0] not in ("global", "this"):
        update(b, node, callee[1], ("store", callee[1], None, last))
    elif name == "assign" and callee[1] == ("global", "Object"):
        mixed(b, given)


def mixed(b: Reader, given: list[tuple[Node, Value]]) -> None:
    """The first of several arguments gets what the others have: a prototype, a function, an object."""
    target, base = given[0]
    others = [v for _, v in given[1:] if v is not None]
    if base is None or not others:
        return
    owner = declared_by(b, target)
    if owner:
        b.statics.setdefault(owner, []).extend((b.frame.qual, v) for v in others)
    elif base[0] == "attr" and base[2] == "prototype":
        owner = declared_by(b, target.child_by_field_name("object"))
        if owner:
            b.mixins.setdefault(owner, []).extend((b.frame.qual, v) for v in others)
    else:
        update(b, target, base, ("merge", base, others[-1]))
