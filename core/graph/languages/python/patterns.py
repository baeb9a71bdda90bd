"""Pass 1, ``match``: the names its patterns capture, and the way from the subject to each (see ``python.statements``).

A way is a tuple of steps: ``("part", i, n, star)`` of a sequence, ``("item", key node)`` of a mapping, ``("class",
nodes)`` an instance of one of these, ``("attr", name)`` of what is there. A capture whose way is None binds the name to
something that cannot be said (a positional part of a class pattern, the rest of a mapping).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.graph.languages.python.flow import Bind
from core.graph.languages.python.scopes import Item, Node, Scope, text_of

Way = tuple[Any, ...] | None
_SEQUENCES = ("tuple_pattern", "list_pattern")


def read_patterns(scope: Scope, clause: Node, block: int, subjects: list[Node]) -> None:
    """Bind what the patterns of one case capture, and give the subject its type where the whole pattern is a class."""
    patterns = [c for c in clause.named_children if c.type == "case_pattern"]
    whole = subjects[0] if len(subjects) == 1 else None
    if whole is not None and whole.type == "identifier" and len(patterns) == 1:
        classes = _classes(patterns[0])
        if classes:
            bind = Bind(text_of(whole), scope.clock + 1, block, "narrow", patterns[0], False, True)
            _capture(scope, patterns[0], whole, (("class", classes),), block, scope.bind(bind))
    stack: list[tuple[Node, Node | None, Way]] = []
    if len(patterns) == 1:
        stack.append((patterns[0], whole, ()))
    elif len(subjects) == len(patterns) and not any(_is_star(p) for p in patterns):  # ``match a, b: case c, d:``
        stack += [(p, s, ()) for p, s in zip(patterns, subjects, strict=True)]
    else:
        stack += [(p, whole, way) for p, way in _parts(patterns, ())]
    stack.reverse()
    while stack:
        node, subject, way = stack.pop()
        if len(subjects) > 1 and subject is None and node.type in _SEQUENCES:  # ``match a, b: case (c, d):``
            inner = [c for c in node.named_children if c.type == "case_pattern"]
            if len(inner) == len(subjects) and not any(_is_star(p) for p in inner):
                stack += [(p, s, ()) for p, s in reversed(list(zip(inner, subjects, strict=True)))]
                continue
        stack += [(inner, subject, on) for inner, on in reversed(list(_read(scope, node, subject, way, block)))]


def _read(scope: Scope, node: Node, subject: Node | None, way: Way, block: int) -> Iterator[tuple[Node, Way]]:
    """Bind what ``node`` itself captures; the patterns inside, with their ways."""
    kids = [c for c in node.named_children if c.type != "comment"]
    if node.type == "dotted_name":
        if len(kids) == 1 and text_of(kids[0]) != "_":
            _bind(scope, kids[0], subject, way, block)
    elif node.type == "as_pattern" and kids and kids[-1].type == "identifier":
        inner = _unwrapped(kids[0])
        on = _keyword(inner, way)[1] if inner.type == "keyword_pattern" else way
        classes = _classes(_keyword(inner, way)[0] if inner.type == "keyword_pattern" else inner)
        _bind(scope, kids[-1], subject, (("class", classes),) if classes else on, block)
        yield kids[0], way
    elif node.type == "class_pattern" and kids:
        scope.items.append(Item("expression", kids[0], scope.clock, block))
        for kid in kids[1:]:
            yield kid, (("class", (kids[0],)), "keywords")
    elif node.type == "keyword_pattern":
        inner, on = _keyword(node, way)
        if inner is not node:
            yield inner, on
    elif node.type in _SEQUENCES:
        if node.type == "tuple_pattern" and len(kids) == 1 and not node.text.rstrip(b") \t\r\n").endswith(b","):
            yield kids[0], way  # only parenthesised
        else:
            yield from _parts(kids, way)
    elif node.type == "dict_pattern":
        for key, value in zip(node.children_by_field_name("key"), node.children_by_field_name("value"), strict=False):
            yield value, _led_on(way, ("item", key))
        for kid in kids:
            if kid.type == "splat_pattern":
                yield kid, None
    elif node.type == "splat_pattern":
        if kids:
            _bind(scope, kids[0], subject, way, block)
    else:
        for kid in kids:
            if kid.type not in ("identifier", "string"):
                yield kid, way


def _parts(patterns: list[Node], way: Way) -> Iterator[tuple[Node, Way]]:
    star = next((i for i, p in enumerate(patterns) if _is_star(p)), -1)
    for i, p in enumerate(patterns):
        yield p, _led_on(way, ("part", i, len(patterns), star))


def _led_on(way: Way, step: tuple[Any, ...]) -> Way:
    """``way`` and one step more, where that can be said: not if it waits for the keyword of a class pattern."""
    return None if way is None or way[-1:] == ("keywords",) else (*way, step)


def _keyword(node: Node, way: Way) -> tuple[Node, Way]:
    """The pattern and the way behind ``name=pattern`` in a class pattern."""
    kids = node.named_children
    if len(kids) != 2 or way is None or not way or way[-1] != "keywords":
        return (kids[-1] if len(kids) == 2 else node), None
    return kids[1], (*way[:-1], ("attr", text_of(kids[0])))


def _bind(scope: Scope, name: Node, subject: Node | None, way: Way, block: int) -> None:
    bind = scope.bind(Bind(text_of(name), scope.clock + 1, block, "variable", name.parent))
    classes_known = way is not None and bool(way) and way[0][0] == "class"
    if (subject is not None or classes_known) and way is not None and way[-1:] != ("keywords",):
        _capture(scope, name, subject, way, block, bind)


def _capture(scope: Scope, node: Node, subject: Node | None, way: Way, block: int, bind: Bind) -> None:
    scope.items.append(Item("capture", subject or node, scope.clock, block, (bind,), way or ()))


def _classes(node: Node) -> tuple[Node, ...]:
    """The classes of a pattern that is a class pattern, or several joined by ``|``; else none."""
    node = _unwrapped(node)
    if node.type == "as_pattern" and node.named_children:
        return _classes(node.named_children[0])
    if node.type == "class_pattern" and node.named_children:
        return (node.named_children[0],)
    if node.type != "union_pattern":
        return ()
    found = [_classes(c) for c in node.named_children if c.type != "comment"]
    return tuple(c for part in found for c in part) if all(found) else ()


def _unwrapped(node: Node) -> Node:
    while node.type == "case_pattern" and node.named_children:
        node = node.named_children[0]
    return node


def _is_star(node: Node) -> bool:
    return bool(_unwrapped(node).type == "splat_pattern")
