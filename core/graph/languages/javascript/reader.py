"""The reader of one JavaScript or TypeScript text: its frames, names, sites and symbols (Eq. 5, first half).

In: nodes. Out: frames, drafts, cells. Bodies of functions are read after what stands around them, so every name
they use is known; what is nested too deep to be read in place is read last, its value unknown. Expressions:

    ("attr", base, n)  ("item", base, key)  ("call", callee, arguments)  ("new", callee, arguments, k)
    ("func", q)  ("class", q)  ("obj", k)  ("const", text)  ("lit", builtin type)  ("any", e...)  ("spread", e)
    ("import", specifier, n)  n "*" for the module itself    ("require", specifier)   ("param", i)
    ("this", class, kind)  ("ref", scope, k)  ("super", class, kind)  ("await", e)  ("iter", e)
    ("typed", type, e)  ("wrapped", call, function)  and the uses of names in ``scopes``
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.graph.facts import CellKey, Expr, Site
from core.graph.languages.drafts import Draft
from core.graph.languages.javascript.facts import Value
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.scopes import Bag, Env, Frame, find

_DEPTH = 80
_LONG = 60  # a string longer than this is no key
FORMS: dict[str, Callable[[Reader, Node], Value]] = {}
Later = Callable[[], None]


class Reader:
    """The state of reading one text; the forms of nodes are in the modules beside this one."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.cells: dict[CellKey, Any] = {}
        self.names: set[tuple[str, str, str]] = set()
        self.drafts: list[Draft] = []
        self.drafted: dict[str, Draft] = {}
        self.counts: dict[str, int] = {}
        self.members: dict[tuple[str, str], list[tuple[str, bool, Value]]] = {}
        self.fields: dict[tuple[str, str], list[tuple[str, Value]]] = {}
        self.mixins: dict[str, list[tuple[str, Value]]] = {}
        self.bags: dict[tuple[str, str], Bag] = {}
        self.statics: dict[str, list[tuple[str, Value]]] = {}
        self.classes: dict[str, Any] = {}
        self.built: set[str] = set()  # functions that build objects
        self.exports: dict[str, Value] = {}
        self.texports: dict[str, Expr] = {}
        self.stars: list[str] = []
        self.commonjs: list[Value] = []
        self.imports: list[tuple[str, int]] = []
        self.bindings: dict[str, tuple[int, int]] = {}
        self.texts: dict[str, list[str]] = {}
        self.cuts: list[tuple[int, int]] = []
        self.queue: list[Later] = []
        self.late: list[tuple[Node, Frame, Env, tuple[int, int]]] = []
        self.depth = 0
        self.outer: Node | None = None
        self.into: Frame | None = None  # the class whose header is being read: names there are its own
        self.frame = Frame("", "module", "", None, "")
        self.env = Env(None, self.frame)
        self.module = self.frame
        self.top = self.env
        self.overloads: dict[tuple[str, str], list[Node]] = {}  # extent of each, the last one itself
        self.signatures: dict[tuple[str, str], Node] = {}
        self.protos: dict[str, list[Expr]] = {}
        self.frames = [self.frame]

    # -- nodes ----------------------------------------------------------------------------------------

    def text(self, node: Node | None) -> str:
        """The source of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""

    def expr(self, node: Node | None) -> Value:
        """Read a node, statement or expression; the expression of its value if that is known."""
        if node is None:
            return None
        if self.depth > _DEPTH:
            self.late.append((node, self.frame, self.env, (self.frame.block, self.frame.loop)))
            return None
        self.depth += 1
        form = FORMS.get(node.type)
        found = None
        if form is not None:
            found = form(self, node)
        else:
            for child in node.named_children:
                self.expr(child)
        self.depth -= 1
        return found

    def children(self, node: Node) -> None:
        """Read all named children."""
        for child in node.named_children:
            self.expr(child)

    def finish(self) -> None:
        """Read what was put off, until nothing is left."""
        at = 0
        while at < len(self.queue) or self.late:
            if at < len(self.queue):
                self.queue[at]()
                at += 1
                continue
            node, frame, env, back = self.late.pop()
            self.depth = 0
            self.frame, self.env = frame, env
            was = (frame.block, frame.loop)
            frame.leave(back)
            self.expr(node)
            frame.leave(was)

    # -- names ----------------------------------------------------------------------------------------

    def push(self) -> Env:
        """Begin a block of names; the block to go back to."""
        back = self.env
        self.env = Env(back, self.frame)
        return back

    def name(self, name: str, node: Node, called: str = "") -> Expr:
        """The expression of a name read here; module-level names are recorded as read."""
        found = find(self.env, name)
        if found is None:
            return ("global", name)
        frame, slot = found
        outside = self.frame is not frame or self.into is not None or slot.kind == "import"
        if frame is self.module and outside and slot.kind != "namespace":
            self.read(slot.name + called, node)
        return frame.use(slot) if frame is self.frame else frame.whole(slot)

    def read(self, name: str, node: Node) -> None:
        """A module-level name is read at a node's line."""
        (self.into or self.frame).reads.setdefault(name, []).append(node.start_point[0] + 1)

    def assign(self, name: str, value: Value) -> None:
        """``name = value``: of this scope, of one around it, or a global, which is taken for one of the module."""
        found = find(self.env, name)
        if found is None and name in ("exports", "module"):
            return
        if found is None:
            top = self.env
            while top.parent is not None:
                top = top.parent
            frame, slot = self.module, self.module.slot(top, name, "let")
        else:
            frame, slot = found
        if frame is self.frame:
            frame.bind(slot, value)
        else:
            slot.extern.append((self.frame.qual, value))

    def site(self, kind: str, key: str, e: Expr, node: Node) -> None:
        """Record a site at the node's line."""
        self.frame.sites.append(Site(kind, key, e))
        self.frame.lines.append(node.start_point[0] + 1)

    # -- symbols --------------------------------------------------------------------------------------

    def unique(self, qual: str) -> str:
        """``qual``, with ``#2`` and so on when it is taken."""
        count = self.counts[qual] = self.counts.get(qual, 0) + 1
        return qual if count == 1 else f"{qual}#{count}"

    def draft(self, qual: str, kind: Any, node: Node, name: str, signature: str) -> None:
        """A symbol with the extent of a node."""
        first, last = node.start_point, node.end_point
        end = last[0] - 1 if last[1] == 0 and last[0] > first[0] else last[0]
        above = qual.rpartition(".")[0]
        parent = above if above in self.drafted else None
        made = Draft(qual, kind, name, first[0], end, first[1], " ".join(signature.split()), parent)
        self.drafts.append(made)
        self.drafted[qual] = made
        self.cuts.append((node.start_byte, node.end_byte))

    def open(self, qual: str, kind: str, owner: str, prefix: str | None) -> Frame:
        """A new frame inside the current one."""
        made = Frame(qual, kind, owner, self.frame, prefix)
        self.frames.append(made)
        return made

    def take_outer(self, node: Node) -> Node:
        """The statement that a definition fills, else the definition's own node."""
        found, self.outer = self.outer, None
        return found if found is not None else node

    def statement(self, name: str, node: Node) -> None:
        """A module-level statement that binds ``name``."""
        self.bindings[name] = (node.start_point[0] + 1, node.end_point[0] + 1)
        self.texts.setdefault(name, []).append("\n".join(x.strip() for x in self._around(node).split("\n")))

    def _around(self, node: Node) -> str:
        """The source of a node without the symbols in it, which have texts of their own."""
        parts: list[bytes] = []
        end = node.end_byte
        for start, stop in reversed(self.cuts):
            if start < node.start_byte:
                break
            if stop <= end:
                parts.append(self.source[stop:end])
                end = start
        parts.append(self.source[node.start_byte : end])
        return b"".join(reversed(parts)).decode("utf-8", "replace")


def key_of(e: Value) -> str:
    """The syntactic callee as text, arguments and indexes left out."""
    parts: list[str] = []
    while e is not None:
        kind = e[0]
        if kind == "attr":
            parts.append("." + e[2])
        elif kind in ("call", "new"):
            parts.append("()")
        elif kind in ("item", "iter"):
            parts.append("[]")
        elif kind in ("local", "loop", "name", "global"):
            parts.append(e[1])
            break
        elif kind == "closure":
            parts.append(e[2])
            break
        elif kind in ("this", "ref"):
            parts.append("this")
            break
        elif kind == "super":
            parts.append("super")
            break
        elif kind in ("func", "class"):
            parts.append(e[1].rpartition(".")[2])
            break
        elif kind == "typed":
            e = e[2]
            continue
        elif kind != "await":
            break
        e = e[1]
    return "".join(reversed(parts))


def either(parts: list[Value]) -> Value:
    """Any of several values; unknown ones are left out."""
    known = list(dict.fromkeys(p for p in parts if p is not None))
    return ("any", *known) if len(known) > 1 else known[0] if known else None


def safe(name: str) -> str:
    """A property name as a component of an id: no dots, colons, spaces or quotes."""
    if name.isidentifier():
        return name
    return "".join(c if c.isalnum() or c in "_$@#-" else "_" for c in name[:_LONG]) or "_"


def constant(text: str) -> Value:
    """The expression of a string or number."""
    return ("const", text) if len(text) <= _LONG else ("lit", "String")


def string_of(b: Reader, node: Node) -> str:
    """The contents of a string literal, escapes as they stand."""
    return b.text(node)[1:-1]


def key_name(b: Reader, node: Node | None) -> str | None:
    """The name of a property, "@@iterator" for a well-known symbol, None if it is computed."""
    if node is None:
        return None
    kind = node.type
    if kind == "string":
        return string_of(b, node)
    if kind == "computed_property_name":
        inner = node.named_children[0] if node.named_children else None
        if inner is None:
            return None
        text = b.text(inner)
        if text.startswith("Symbol."):
            return "@@" + text[7:]
        return string_of(b, inner) if inner.type == "string" else None
    return b.text(node)
