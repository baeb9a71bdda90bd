"""Statements of control flow as they are read: suites that exclude each other, loops, what an arm narrows."""

from __future__ import annotations

from core.graph.languages.javascript import patterns
from core.graph.languages.javascript.facts import Value
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.hoisting import hoist
from core.graph.languages.javascript.literals import described
from core.graph.languages.javascript.reader import FORMS, Reader
from core.graph.languages.javascript.scopes import find


def _suite(b: Reader, node: Node | None, group: int = -1, loop: bool = False) -> None:
    if node is None:
        return
    back = b.frame.enter(group, loop)
    b.expr(node)
    b.frame.leave(back)


def _if(b: Reader, node: Node) -> Value:
    """Arms of one ``if`` exclude each other; chains of else-if are read in a row, not nested."""
    group = -1
    current: Node | None = node
    while current is not None:
        condition = current.child_by_field_name("condition")
        b.expr(condition)
        group = len(b.frame.blocks) if group < 0 else group
        back = b.frame.enter(group)
        env = b.push()
        _narrow(b, condition)
        b.expr(current.child_by_field_name("consequence"))
        b.env = env
        b.frame.leave(back)
        alternative = current.child_by_field_name("alternative")
        current = None
        for child in alternative.named_children if alternative is not None else ():
            if child.type == "if_statement":
                current = child
            else:
                _suite(b, child, group)
    return None


def _narrow(b: Reader, node: Node | None) -> None:
    """``x instanceof C`` holds inside the arm."""
    stack = [node] if node is not None else []
    while stack:
        at = stack.pop()
        if at.type == "parenthesized_expression":
            stack.extend(at.named_children)
        elif at.type == "binary_expression":
            operator = b.text(at.child_by_field_name("operator"))
            left, right = at.child_by_field_name("left"), at.child_by_field_name("right")
            if operator == "&&":
                stack += [n for n in (left, right) if n is not None]
            elif operator == "instanceof" and left is not None and right is not None and left.type == "identifier":
                found = find(b.env, b.text(left))
                if found is not None and found[0] is b.frame and right.type in ("identifier", "member_expression"):
                    sites, lines = len(b.frame.sites), len(b.frame.lines)
                    cls = b.expr(right)
                    del b.frame.sites[sites:], b.frame.lines[lines:]
                    if cls is not None:
                        b.frame.bind(found[1], ("instance", cls), narrow=True)


def _for(b: Reader, node: Node) -> Value:
    env = b.push()
    first = node.child_by_field_name("initializer")
    if first is not None:
        hoist(b, [first])
        b.expr(first)
    back = b.frame.enter(loop=True)
    for name in ("condition", "increment", "body"):
        b.expr(node.child_by_field_name(name))
    b.frame.leave(back)
    b.env = env
    return None


def _for_in(b: Reader, node: Node) -> Value:
    env = b.push()
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    keyword = node.child_by_field_name("kind")
    held = b.expr(right)
    of = b.text(node.child_by_field_name("operator")) == "of"
    value: Value = ("lit", "String")
    if of:
        value = ("iter", held) if held is not None else None
        if held is not None and right is not None:
            b.site("iter", "of", held, right)
        if any(c.type == "await" for c in node.children) and value is not None:
            value = ("await", value)
    back = b.frame.enter(loop=True)
    if left is not None:
        if keyword is not None:
            patterns.bind(b, left, value, b.text(keyword))
        else:
            patterns.assign(b, left, value)
    b.expr(node.child_by_field_name("body"))
    b.frame.leave(back)
    b.env = env
    return None


def _while(b: Reader, node: Node) -> Value:
    back = b.frame.enter(loop=True)
    b.expr(node.child_by_field_name("condition"))
    b.expr(node.child_by_field_name("body"))
    b.frame.leave(back)
    return None


def _switch(b: Reader, node: Node) -> Value:
    b.expr(node.child_by_field_name("value"))
    body = node.child_by_field_name("body")
    env = b.push()
    for case in body.named_children if body is not None else ():
        hoist(b, case.named_children)
    for case in body.named_children if body is not None else ():
        back = b.frame.enter()
        b.children(case)
        b.frame.leave(back)
    b.env = env
    return None


def _try(b: Reader, node: Node) -> Value:
    b.expr(node.child_by_field_name("body"))
    _suite(b, node.child_by_field_name("handler"))
    b.expr(node.child_by_field_name("finalizer"))
    return None


def _catch(b: Reader, node: Node) -> Value:
    env = b.push()
    target = node.child_by_field_name("parameter")
    if target is not None:
        patterns.bind(b, target, None, "let")
    b.expr(node.child_by_field_name("body"))
    b.env = env
    return None


def _return(b: Reader, node: Node) -> Value:
    found = None
    for child in node.named_children:
        if child.type != "comment":
            found = b.expr(child)
    if node.type == "return_statement" and found is not None:
        described(b, b.frame.returned, found)
        b.frame.returns.append(found)
    b.frame.leaves()
    return None


def _leave(b: Reader, node: Node) -> Value:
    b.frame.leaves()
    return None


FORMS.update({
    "if_statement": _if, "for_statement": _for, "for_in_statement": _for_in, "while_statement": _while,
    "do_statement": _while, "switch_statement": _switch, "try_statement": _try, "catch_clause": _catch,
    "return_statement": _return, "throw_statement": _return, "break_statement": _leave, "continue_statement": _leave,
})  # fmt: skip
