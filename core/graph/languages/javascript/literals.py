"""Object and array literals as they are read; the methods of a literal at module level are symbols.

Cells ("obj", scope, k):  ("object", ((key, value), ...), (spread, ...))   ("array", (element, ...))
("store", base, key, value)   ("merge", base, other); key None is one that is not known
("bag", base, keys, merged)   many changes in any order, what is stored at a key in cell ("bag", "scope k", key)
"""

from __future__ import annotations

from core.graph.facts import Expr
from core.graph.languages.javascript.classes import klass
from core.graph.languages.javascript.facts import TypeExpr, Value
from core.graph.languages.javascript.functions import LITERALS, Made, function
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.reader import Reader, key_name, key_of
from core.graph.languages.javascript.types import type_of

_CONSTANTS = 16  # strings and numbers of longer literals are no keys
_ELEMENTS = 200
_WRAPPED = frozenset(["parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"])


def named(b: Reader, node: Node | None, name: str, outer: Node | None = None, symbol: bool = True) -> Value:
    """The value of an expression that ``name`` is bound to: functions and classes in it take that name."""
    if node is None:
        return None
    kind = node.type
    if kind in LITERALS:
        return ("func", function(b, node, name, Made("function", symbol, outer)))
    if kind == "class":
        return ("class", klass(b, node, name, outer if outer is not None else node, symbol))
    if kind == "object":
        return obj(b, node, name if symbol else "")
    if kind in _WRAPPED and node.named_children:
        found = named(b, node.named_children[0], name, outer, symbol)
        if kind in ("as_expression", "satisfies_expression") and len(node.named_children) > 1:
            return described(b, type_of(b, node.named_children[1]), found)
        return found
    if kind == "call_expression" and symbol and b.frame.prefix is not None:
        from core.graph.languages.javascript.expressions import call

        return call(b, node, name, outer)
    return b.expr(node)


def described(b: Reader, kind: TypeExpr, value: Value) -> Value:
    """A value with the type it is declared to have; the keys of a literal may stand for members of that type."""
    if kind is None:
        return value
    if value is not None and value[0] == "obj":
        cell = b.cells["obj", b.frame.qual, value[1]]
        if cell[0] == "object":
            place = f"{b.frame.qual} {value[1]}"
            b.cells["otype", b.frame.qual, value[1]] = kind
            b.names.update(
                ("jsobject", key, place) for key, e in cell[1] if key is not None and e[0] not in ("const", "lit")
            )
    return ("typed", kind, value)


def obj(b: Reader, node: Node, name: str = "") -> Expr:
    """An object literal; ``name`` is what its functions are called after, "" inside functions."""
    frame = b.frame
    frame.objects += 1
    k = str(frame.objects)
    entries: list[tuple[str | None, Value]] = []
    spread: list[Expr] = []
    for child in node.named_children:
        kind = child.type
        if kind == "pair":
            key_node, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            key = key_name(b, key_node)
            if key is None and key_node is not None:
                b.expr(key_node)
            entries.append((key, _entry(b, value, key, name, child, k)))
        elif kind == "method_definition":
            key = key_name(b, child.child_by_field_name("name"))
            shown = (key if key is not None else "<computed>").replace(".", "_")
            made = Made("method", bool(name), child, ("ref", frame.qual, k))
            qual = function(b, child, f"{name}.{shown}" if name else shown, made)
            words = {c.type for c in child.children if c.type in ("get", "set")}
            if words:
                continue
            entries.append((key, ("func", qual)))
        elif kind == "shorthand_property_identifier":
            key = b.text(child)
            found = b.name(key, child)
            b.site("value", key, found, child)
            entries.append((key, found))
        elif kind == "spread_element" and child.named_children:
            held = b.expr(child.named_children[0])
            if held is not None:
                spread.append(held)
        elif kind != "comment":
            b.expr(child)
    known = [e for e in entries if e[1] is not None and e[1][0] not in ("const", "lit")]
    kept = entries if len(entries) <= _CONSTANTS else known
    if not known and not spread and not any(v is not None for _, v in kept):
        return ("lit", "Object")
    b.cells["obj", frame.qual, k] = ("object", tuple((key, v) for key, v in kept if v is not None), tuple(spread))
    return ("obj", k)


def _entry(b: Reader, value: Node | None, key: str | None, name: str, pair: Node, k: str) -> Value:
    if value is None:
        return None
    shown = (key if key is not None else "<computed>").replace(".", "_")
    if value.type in LITERALS:
        arrow = value.type == "arrow_function"
        made = Made("method", bool(name), pair, None if arrow else ("ref", b.frame.qual, k))
        return ("func", function(b, value, f"{name}.{shown}" if name else shown, made))
    if value.type == "object" and name:
        return obj(b, value, f"{name}.{shown}")
    found = b.expr(value)
    if found is not None and found[0] in ("name", "local", "closure", "loop", "attr"):
        b.site("value", key_of(found), found, value)
    return found


def array(b: Reader, node: Node) -> Expr:
    """An array literal."""
    found: list[Value] = []
    for child in node.named_children:
        if child.type == "comment":
            continue
        if child.type == "spread_element" and child.named_children:
            held = b.expr(child.named_children[0])
            found.append(("spread", held) if held is not None else ("spread", ("lit", "Array")))
            continue
        value = b.expr(child)
        if value is not None and value[0] in ("name", "local", "closure", "loop", "attr"):
            b.site("value", key_of(value), value, child)
        found.append(value)
    if len(found) > _ELEMENTS or all(v is None or v[0] in ("const", "lit") for v in found):
        return ("lit", "Array")
    frame = b.frame
    frame.objects += 1
    k = str(frame.objects)
    b.cells["obj", frame.qual, k] = ("array", tuple(found))
    return ("obj", k)
