"""Functions as they are read: their symbol or scope, their parameters, and their bodies, which are read later."""

from __future__ import annotations

from core.graph.facts import Expr
from core.graph.languages.javascript import patterns
from core.graph.languages.javascript.facts import Param, TypeExpr, Value
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.reader import Reader, safe
from core.graph.languages.javascript.scopes import Env, Frame
from core.graph.languages.javascript.types import type_of

LITERALS = frozenset(["function_expression", "arrow_function", "generator_function"])


class Made:
    """How a function is to be made: ``symbol`` may become one where definitions do; ``this`` what the word means."""

    __slots__ = ("cls", "flags", "kind", "outer", "prefix", "static", "symbol", "this")

    def __init__(
        self,
        kind: str = "function",
        symbol: bool = True,
        outer: Node | None = None,
        this: Value = None,
        cls: str = "",
        static: bool = False,
        flags: frozenset[str] = frozenset(),
        prefix: str | None = None,
    ) -> None:
        self.kind, self.symbol, self.outer, self.this = kind, symbol, outer, this
        self.cls, self.static, self.flags, self.prefix = cls, static, flags, prefix


def function(b: Reader, node: Node, name: str, made: Made) -> str:
    """Declare a function and put its body off; its qual. ``name`` "" for one without a name."""
    frame = b.frame
    arrow = node.type == "arrow_function"
    prefix = made.prefix if made.prefix is not None else frame.prefix
    if made.symbol and name and prefix is not None and frame.prefix is not None:
        shown = ".".join(safe(part) for part in name.split("."))
        qual = b.unique(f"{prefix}.{shown}" if prefix else shown)
        b.draft(
            qual,
            made.kind,
            made.outer if made.outer is not None else node,
            shown.rpartition(".")[2],
            _words(b, node, shown),
        )
        new = b.open(qual, "function", qual, None)
    else:
        shown = safe(name.rpartition(".")[2]) if name else _anonymous(b, frame, arrow)
        qual = b.unique(f"{frame.qual}.{shown}" if frame.qual else shown)
        open_to = frame.prefix if not name and frame.kind in ("module", "lambda") else None
        new = b.open(qual, "function" if name else "lambda", frame.owner, open_to)
    if arrow:
        new.this, new.cls, new.static = frame.this, frame.cls, frame.static
    else:
        new.this = made.this if made.this is not None else ("this", qual, "f")
        new.cls, new.static = made.cls, made.static
    new.flags = {*made.flags, *_flags(b, node)}
    env = b.env
    b.queue.append(lambda: _body(b, node, new, env))
    return qual


def _anonymous(b: Reader, frame: Frame, arrow: bool) -> str:
    base = "arrow" if arrow else "anonymous"
    key = f"{frame.qual}.<{base}"
    count = b.counts[key] = b.counts.get(key, 0) + 1
    return f"<{base}{count}>"


def _words(b: Reader, node: Node, name: str) -> str:
    parts = [node.child_by_field_name(f) for f in ("type_parameters", "parameters", "parameter", "return_type")]
    return name.rpartition(".")[2] + "".join(b.text(p) for p in parts if p is not None)


def _flags(b: Reader, node: Node) -> set[str]:
    found: set[str] = {"generator"} if "generator" in node.type else set()
    for child in node.children:
        kind = child.type
        if kind == "async":
            found.add("async")
        elif kind == "*":
            found.add("generator")
        elif kind in ("formal_parameters", "statement_block", "identifier"):
            break
    return found


def _body(b: Reader, node: Node, frame: Frame, env: Env) -> None:
    b.depth = 0
    b.frame, b.env, b.outer = frame, Env(env, frame), None
    own = node.child_by_field_name("name") if node.type in LITERALS else None
    if own is not None:  # a function expression knows itself by its name
        frame.bind(frame.slot(b.env, b.text(own), "const"), ("func", frame.qual), at=0)
    signature(b, node, frame)
    body = node.child_by_field_name("body")
    if body is None:
        frame.flags.add("abstract")
        return
    if body.type == "statement_block":
        from core.graph.languages.javascript.statements import block

        block(b, body)
        return
    found = b.expr(body)
    if found is not None:
        frame.returns.append(found)


def type_parameters(b: Reader, node: Node) -> None:
    """Bring the type parameters of a declaration into scope."""
    listed = node.child_by_field_name("type_parameters")
    for child in listed.named_children if listed is not None else ():
        named = child.child_by_field_name("name")
        if named is not None:
            name = b.text(named)
            b.env.types[name] = ("tparam", None)
            b.env.types[name] = ("tparam", type_of(b, child.child_by_field_name("constraint")))


def signature(b: Reader, node: Node, frame: Frame) -> None:
    """Parameters and return type: into the frame's names and facts."""
    type_parameters(b, node)
    single = node.child_by_field_name("parameter")
    listed = node.child_by_field_name("parameters")
    given = [single] if single is not None else listed.named_children if listed is not None else []
    for child in given:
        kind = child.type
        if kind == "comment" or (kind == "required_parameter" and _is_this(child)):
            continue
        _parameter(b, child, frame)
    frame.returned = type_of(b, node.child_by_field_name("return_type"))


def _is_this(node: Node) -> bool:
    pattern = node.child_by_field_name("pattern")
    return pattern is not None and pattern.type == "this"


def _parameter(b: Reader, node: Node, frame: Frame) -> None:
    target: Node | None = node
    kind: TypeExpr = None
    default: Value = None
    property_name = ""
    if node.type in ("required_parameter", "optional_parameter"):
        target = node.child_by_field_name("pattern")
        kind = type_of(b, node.child_by_field_name("type"))
        default = b.expr(node.child_by_field_name("value"))
        for child in node.children:
            if child.type in ("accessibility_modifier", "readonly", "override_modifier") and target is not None:
                property_name = b.text(target)
            elif child.type == "decorator":
                b.expr(child)
    elif node.type == "assignment_pattern":
        target = node.child_by_field_name("left")
        default = b.expr(node.child_by_field_name("right"))
    rest = target is not None and target.type == "rest_pattern"
    if rest and target is not None:
        target = target.named_children[0] if target.named_children else None
    number = len(frame.params)
    frame.params.append(Param(kind, default, rest))
    value: Expr = ("param", number)
    if target is not None:
        patterns.bind(b, target, value, "param")
    if property_name and frame.cls:
        b.fields.setdefault((frame.cls, property_name), []).append((frame.qual, ("typed", kind, value)))
        b.names.add(("jsfield", property_name, frame.cls))
