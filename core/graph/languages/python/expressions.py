"""Pass 2 over a Python syntax tree: expressions as small tuples with every name resolved to its scope.

In: nodes, inside one ``Scope`` of pass 1. Out: expressions, and on the way the call sites and the names
read. The forms (first element):

    ("name", n)  module-level or builtin    ("closure", scope, n)       ("local", n, (version, ...))
    ("attr", e, a)  ("call", f, args, ((k, e), ...))  ("item", e, key)  ("slice", e, lo, hi)
    ("const", type, value)  ("new", n)  a container, see cell "E"       ("any", e, ...)  one of these
    ("updated", new, e)  e after something was put into it
    ("function", scope)  lambda   ("iterate", e)  ("part", e, i, n, star)  ("enter", e)  ("instance", e)
    ("module", dotted, whole)  ("from", level, module, name)  ("def", scope)  ("class", scope[, "decorated"])
    ("parameter", n)  ("super",)  ("yielded", e)  ("await", e)  ("operator", method, left, right)

None stands for "cannot be said". Depth is bounded: deeper nodes are read as expressions of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.graph.facts import Expr, Site, digest
from core.graph.languages.python.flow import AT_END, reaching
from core.graph.languages.python.scopes import Scope, text_of

Node = Any
Value = Expr | None
DEPTH = 60
_KEY_LIMIT = 160
_CHAIN_LIMIT = 4096
_PLAIN = frozenset(["const", "new", "function", "def", "class", "module"])  # no instances of repository classes
_TRUTHS = frozenset(["isinstance", "issubclass", "hasattr", "callable", "any", "all", "bool", "len"])
ParseCode = Callable[[str], Node]
Forms = Mapping[str, Callable[["Expressions", Node], Value]]  # by kind of node: see ``python.forms``


class Expressions:
    """Builds expressions for one scope; ``sites``, ``lines`` and ``reads`` grow as a side effect."""

    def __init__(
        self, scope: Scope, parse: ParseCode, lambdas: list[tuple[Scope, tuple[str, ...]]], forms: Forms
    ) -> None:
        self.scope = scope
        self._forms = forms
        self.parse = parse
        self.lambdas = lambdas
        self.at, self.block = AT_END, 0
        self.env: dict[str, Value] = {}
        self.sites: list[Site] = []
        self.lines: list[int] = []
        self.reads: dict[str, list[int]] = {}
        self.containers: dict[str, Expr] = {}
        self.label = "."  # the name being bound: containers are numbered per name, so that edits elsewhere move none
        self._numbers: dict[str, int] = {}
        self.yields: list[Value] = []
        self.generator = False
        self.seen: set[tuple[str, Value, int]] = set()
        self._depth = 0
        self._late: list[tuple[Node, int, int, dict[str, Value]]] = []
        self.fixed_line = 0
        self.operators = True  # whether operators run anything here; in annotations they do not

    # -- entry ----------------------------------------------------------------------------------------

    def build(self, node: Node | None, at: int = AT_END, block: int = 0) -> Value:
        """The expression of ``node`` as seen at ``at`` in ``block``."""
        if node is None:
            return None
        self.at, self.block = at, block
        value = self.expr(node)
        while self._late:
            late, self.at, self.block, env = self._late.pop()
            saved, self.env, self._depth = self.env, env, 0
            self.expr(late)
            self.env = saved
        return value

    def site(self, kind: str, key: str, expr: Value, node: Node) -> None:
        """Record a site at the node's line."""
        self.sites.append(Site(kind, key, expr if expr is not None else ("unknown",)))
        self.lines.append(self.fixed_line or node.start_point[0] + 1)

    def operator_site(self, method: str, left: Value, right: Value, node: Node) -> None:
        """Record that an operator may run ``method`` of ``left``, or the reflected one of ``right``."""
        told = [v for v in (left, right) if v is not None and v[0] not in _PLAIN]
        text = left is not None and left[:2] == ("const", "str")  # a text that is formatted asks for no operand
        if self.operators and told and not text:
            self.site("op", key_of(node), ("operator", method, left, right), node)

    def truth(self, node: Node, value: Value) -> None:
        """Record that ``value`` is asked whether it is true; of ``a and b`` only b is, a was where it stands."""
        while node.type == "parenthesized_expression" and node.named_children:
            node = node.named_children[-1]
        if node.type == "boolean_operator" and value is not None and value[0] == "any":
            node, value = node.child_by_field_name("right") or node, value[-1]
        if value is None or value[0] in _PLAIN or not self.operators:
            return
        if value[0] == "call" and value[1] is not None and value[1][0] == "name" and value[1][1] in _TRUTHS:
            return
        self.site("op", f"bool({key_of(node)})", ("operator", "__bool__", value, None), node)

    def expr(self, node: Node) -> Value:
        """The expression of ``node`` where the reading is; one too deep is read later, as one of its own."""
        if self._depth > DEPTH:
            self._late.append((node, self.at, self.block, dict(self.env)))
            return None
        self._depth += 1
        handler = self._forms.get(node.type)
        value = handler(self, node) if handler is not None else self.children(node)
        self._depth -= 1
        return value

    def children(self, node: Node) -> Value:
        """Read the children of a node whose own value cannot be said."""
        for child in node.named_children:
            self.expr(child)
        return None

    def last(self, node: Node) -> Value:
        """Read the children of a node; the value of the last."""
        value: Value = None
        for child in node.named_children:
            value = self.expr(child)
        return value

    def container(self, expr: Expr) -> Value:
        """Keep a container that is built here."""
        count = self._numbers[self.label] = self._numbers.get(self.label, 0) + 1
        number = f"{self.label}{count}"
        self.containers[number] = expr
        return ("new", number)

    # -- names ----------------------------------------------------------------------------------------

    def name(self, name: str, node: Node | None = None) -> Value:
        """What ``name`` refers to here."""
        if name in self.env:
            return self.env[name]
        scope: Scope | None = self.scope
        assert scope is not None
        if name not in scope.globals:
            if scope.is_local(name):
                value = self._local(scope, name, node)
                if value is not None:
                    return value
            outer = scope.parent
            while outer is not None and outer.parent is not None:
                if outer.kind in ("function", "lambda") and outer.is_local(name):
                    return ("closure", outer.qual, name)
                if name in outer.globals:
                    break
                outer = outer.parent
        self.note_read(name, node)
        return ("name", name)

    def _local(self, scope: Scope, name: str, node: Node | None) -> Value:
        binds = scope.binds[name]
        if len(binds) == 1 and binds[0].kind == "parameter" and name not in scope.extern:
            return ("parameter", name)  # nothing else can hold
        versions = reaching(scope.blocks, binds, self.at, self.block)
        if scope.kind == "module":
            self.note_read(name, node)
            if not versions or self.at == AT_END or versions == reaching(scope.blocks, binds, AT_END, 0):
                return ("name", name)
        elif scope.kind == "class" and not versions:
            return None
        if not versions:
            versions = tuple(i for i, b in enumerate(binds) if not b.narrow)
        return ("local", name, versions)

    def note_read(self, name: str, node: Node | None) -> None:
        """Record that a module-level name is read at the node's line."""
        line = self.fixed_line or (node.start_point[0] + 1 if node is not None else 0)
        lines = self.reads.setdefault(name, [])
        if line and (not lines or lines[-1] != line):
            lines.append(line)


def key_of(node: Node) -> str:
    """The text of a callee, on one line, bounded; each of a long chain of calls has all before it in its text."""
    size = node.end_byte - node.start_byte
    if size > _CHAIN_LIMIT:
        return f"{node.type} of {size} bytes"
    text = text_of(node)
    if "\n" in text or "  " in text:
        text = " ".join(text.split())
    if len(text) <= _KEY_LIMIT:
        return text
    return f"{text[: _KEY_LIMIT // 2]}…{digest(text)}"


def makes_property(e: Value) -> bool:
    """Whether a class attribute is set to ``property(...)`` or something named like it."""
    if e is None or e[0] != "call" or e[1] is None or e[1][0] not in ("name", "attr"):
        return False
    return str(e[1][-1]).lower().endswith("property")
