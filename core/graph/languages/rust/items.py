"""The items of a Rust file turned into cells and drafts: modules, uses, constants here, definitions in ``bodies``.

In: the root of a parse. Out, in ``Items``: cells, names, drafts of symbols, the lines of sites. Modules are read as
they come; definitions are put in a queue, since only one scope is read at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from core.graph.facts import CellKey, ScopeFacts, Site, digest, last_repeats
from core.graph.languages.drafts import Draft
from core.graph.languages.rust import attributes
from core.graph.languages.rust.body import Body
from core.graph.languages.rust.syntax import Node, TypeExpr
from core.graph.symbols import SymbolKind


class Place(NamedTuple):
    """Where an item stands: its module, what is put before its name, and the symbol it belongs to if it is no symbol
    of its own; ``kinds`` and ``assoc`` are what Self and type parameters mean there."""

    module: str
    prefix: str
    owner: str | None = None
    kinds: tuple[tuple[str, TypeExpr], ...] = ()
    assoc: tuple[tuple[str, TypeExpr], ...] = ()
    parent: str | None = None
    within: tuple[str, str] = ("", "")


class Base(Body):
    """What all items of a file are collected in."""

    def __init__(self, source: bytes) -> None:
        self.sites_at: dict[tuple[str, str], tuple[int, ...]] = {}
        self.scopes: dict[str, list[str]] = {"": [""]}
        self.drafts: list[Draft] = []
        self.spans: list[tuple[int, int]] = []
        self.bindings: dict[str, tuple[int, int]] = {}
        self.repeats: dict[str, int] = {}
        self.found: dict[tuple[str, str], dict[tuple[Any, ...], None]] = {}
        self.globs: dict[str, list[tuple[str, ...]]] = {}
        self.paths: dict[str, list[tuple[str, str]]] = {}
        self.queue: deque[tuple[Callable[..., None], Node, str, Place, list[Node]]] = deque()
        self.place = Place("", "")
        cells: dict[CellKey, Any] = {}
        super().__init__(source, cells, set())

    # -- symbols --------------------------------------------------------------------------------------

    def unique(self, qual: str) -> str:
        """``qual``, with ``#2`` after it when it repeats."""
        count = self.repeats[qual] = self.repeats.get(qual, 0) + 1
        return qual if count == 1 else f"{qual}#{count}"

    def define(self, qual: str, kind: SymbolKind, node: Node, attrs: list[Node], signature: str, place: Place) -> str:
        """A definition: a symbol, or a scope of the function it stands in."""
        shown = self.unique(qual)
        if place.owner is not None:
            self.scopes[place.owner].append(shown)
            return shown
        first, last = (attrs or [node])[0].start_point, node.end_point
        row = last[0] - 1 if last[1] == 0 and last[0] > first[0] else last[0]
        name = qual.rpartition(".")[2]
        self.drafts.append(Draft(shown, kind, name, first[0], row, first[1], signature, place.parent))
        self.scopes[shown] = [shown]
        return shown

    def words(self, node: Node, *fields: str) -> str:
        """The texts of some fields on one line."""
        found = [node.child_by_field_name(f) for f in fields]
        return " ".join(" ".join(self.text(p).split()) for p in found if p is not None)

    def close(self, scope: str, kind: str, owner: str) -> None:
        """The scope that is being read is finished."""
        self.finish()
        reads = self.reads
        imports = tuple(e for e, _ in self.imports)
        facts = ScopeFacts(kind, owner, "", tuple(self.sites), (), tuple(sorted(reads)), imports)
        self.cells["scope", scope, ""] = facts
        self.sites_at[scope, "sites"] = tuple(self.lines)
        self.sites_at[scope, "head"] = ()
        self.sites_at[scope, "imports"] = tuple(line for _, line in self.imports)
        self.sites_at[scope, "reads"] = tuple(n for name in sorted(reads) for n in (len(reads[name]), *reads[name]))

    def enter(self, scope: str, place: Place, attrs: list[Node]) -> None:
        """Begin to read a definition."""
        self.place = place
        self.kinds, self.assoc = dict(place.kinds), dict(place.assoc)
        self.start(scope, place.module)
        attributes.read(self, attrs)

    def put(self, module: str, name: str, *entry: Any) -> None:
        """A name of a module."""
        self.found.setdefault((module, name), {})[entry] = None

    def keep(self, known: set[str]) -> None:
        """Drop what belongs to no symbol of a text that does not parse."""
        for key in [k for k, v in self.cells.items() if k[0] == "scope" and v.owner not in known]:
            del self.cells[key]

    def statics(self, node: Node, place: Place) -> None:
        """The names that ``lazy_static!`` and ``thread_local!`` declare."""
        tree = next((c for c in reversed(node.children) if c.type == "token_tree"), None)
        kids = tree.children if tree is not None else []
        for i, child in enumerate(kids):
            if child.type != "static":
                continue
            at = i + 1
            while at < len(kids) and kids[at].type in ("ref", "mutable_specifier"):
                at += 1
            if at < len(kids) and kids[at].type == "identifier":
                end = next((k for k in range(at, len(kids)) if kids[k].type == ";"), len(kids) - 1)
                text = self.source[child.start_byte : kids[end].end_byte].decode("utf-8", "replace")
                self.constant_item(self.text(kids[at]), None, None, text, place)

    def constant_item(self, name: str, kind: TypeExpr, value: Any, text: str, place: Place) -> None:
        """A constant or static, and the hash of its item."""
        key = self.unique("=" + place.prefix + name)[1:]
        self.put(place.module, name, "const", key)
        self.cells["const", key, ""] = (kind, value, self.scope)
        self.cells["text", key, ""] = digest("\n".join(x.strip() for x in text.split("\n")))


def flat(nodes: list[Node]) -> Iterator[Node]:
    """Items in text order, those inside error nodes too."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if node.is_error:
            stack.extend(reversed(node.named_children))
        else:
            yield node


def leaves(b: Body, node: Node) -> Iterator[tuple[tuple[str, ...], str, Node]]:
    """(segments, name it gets or "*", node) of each leaf of a use tree."""
    pending: list[tuple[tuple[str, ...], Node]] = [((), node)]
    while pending:
        prefix, current = pending.pop()
        kind = current.type
        if kind == "use_list":
            pending += [(prefix, c) for c in reversed(current.named_children)]
        elif kind == "scoped_use_list":
            path, listed = current.child_by_field_name("path"), current.child_by_field_name("list")
            before = (*prefix, *(b.segments(path) if path is not None else ("",)))
            if listed is not None:
                pending.append((before, listed))
        elif kind == "use_wildcard":
            inner = current.named_children[0] if current.named_children else None
            yield (*prefix, *(b.segments(inner) if inner is not None else ())), "*", current
        elif kind == "use_as_clause":
            path, alias = current.child_by_field_name("path"), current.child_by_field_name("alias")
            if path is not None and alias is not None:
                found = b.segments(path)
                yield prefix if found == ("self",) and prefix else (*prefix, *found), b.text(alias), current
        elif kind == "self" and prefix:
            yield prefix, prefix[-1], current
        elif kind in ("identifier", "scoped_identifier", "self", "crate", "super"):
            found = (*prefix, *b.segments(current))
            if found:
                yield found, found[-1], current


class Items(Base):
    """The reader of a whole file."""

    def file(self, root: Node, opened: list[tuple[int, int]]) -> None:
        """All items: modules, uses and constants first, then the definitions; ``opened`` are names of macros used."""
        from core.graph.languages.rust import definitions

        self.forms = definitions.FORMS
        self.start("", "")
        self.declare_all(root.named_children, Place("", ""))
        self.uses_of_macros(opened)
        self.close("", "module", "")
        while self.queue:
            form, node, scope, place, attrs = self.queue.popleft()
            form(self, node, scope, place, attrs)
        for (module, name), entries in self.found.items():
            self.cells["item", module, name] = tuple(last_repeats(list(entries)))
        for module, globs in self.globs.items():
            self.cells["globs", module, ""] = tuple(dict.fromkeys(globs))
        for module, given in self.paths.items():
            self.cells["paths", module, ""] = tuple(dict.fromkeys(given))

    def uses_of_macros(self, spans: list[tuple[int, int]]) -> None:
        """The macros around items."""
        at, line = 0, 1
        for start, end in spans:
            line, at = line + self.source.count(b"\n", at, start), start
            name = self.source[start:end].decode("utf-8", "replace")
            segments = tuple(part.strip() for part in name.replace("$crate", "crate").split("::"))
            self.sites.append(Site("macro", f"{name}!", ("path", "", segments)))
            self.lines.append(line)

    def items(self, nodes: list[Node], block: Node) -> None:
        """Items declared in a block: a module of its own, that sees the one around it."""
        outer = self.module
        module = f"{self.scope}{{{self.ordinal('{')}}}"
        self.cells["anon", module, ""] = outer
        owner = self.place.owner if self.place.owner is not None else self.scope
        self.module = module
        self.declare_all(nodes, Place(module, f"{self.scope or '<block>'}.", owner), True)
        self.module = module

    def declare_all(self, nodes: list[Node], place: Place, inside: bool = False) -> None:
        """Declare the items among ``nodes``; ``inside`` a block statements are left alone."""
        attrs: list[Node] = []
        for node in flat(nodes):
            kind = node.type
            if kind == "attribute_item":
                attrs.append(node)
            elif kind not in ("line_comment", "block_comment"):
                form = _DECLARATIONS.get(kind)
                definition = self.forms.get(kind)
                if form is not None:
                    form(self, node, place, attrs)
                elif definition is not None:
                    definition(self, node, place, attrs)
                elif not inside:
                    self.module = place.module
                    if kind in ("macro_invocation", "expression_statement"):
                        inner = node if kind[0] == "m" else node.named_children[0] if node.named_children else node
                        self.statics(inner, place)
                        self.spans.append((node.start_point[0], node.end_point[0]))
                    self.expr(node)
                attrs = []

    def rows(self, node: Node, attrs: list[Node], place: Place) -> tuple[int, int]:
        """The 0-based rows of a module-level statement, kept as one of its blocks."""
        first, last = (attrs or [node])[0].start_point, node.end_point
        rows = (first[0], last[0] - 1 if last[1] == 0 and last[0] > first[0] else last[0])
        if place.owner is None:
            self.spans.append(rows)
        return rows


def _use(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    rows = f.rows(node, attrs, place)
    tree = node.child_by_field_name("argument")
    for segments, name, leaf in leaves(f, tree) if tree is not None else ():
        if name == "*":
            f.globs.setdefault(place.module, []).append(segments)
        elif name != "_":
            f.put(place.module, name, "use", place.module, segments)
            if place.owner is None and not place.module:
                f.bindings[name] = (rows[0] + 1, rows[1] + 1)
        f.imports.append((("use", place.module, segments, name == "*"), leaf.start_point[0] + 1))


def _crate(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    f.rows(node, attrs, place)
    named, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if named is not None:
        name = f.text(named)
        f.put(place.module, f.text(alias) if alias is not None else name, "crate", name)
        f.imports.append((("use", place.module, ("", name), False), node.start_point[0] + 1))


def _module(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    name = f.text(named)
    if body is None:
        f.rows(node, attrs, place)
        path = attributes.path_of(f, attrs)
        f.put(place.module, name, "file", name, path)
        if path:
            f.paths.setdefault(place.module, []).append((name, path))
        parts = path.replace("\\", "/").removesuffix(".rs").split("/") if path else [name]
        stem = parts[-2] if parts[-1] == "mod" and len(parts) > 1 else parts[-1]
        f.names.add(("rsmod", stem, place.module))
        f.imports.append((("use", place.module, ("self", name), False), node.start_point[0] + 1))
        return
    module = f"{place.module}.{name}" if place.module else name
    f.put(place.module, name, "mod", module)
    inner = place._replace(module=module, prefix=f"{place.prefix}{name}.")
    depth, outer = f.depth, f.module
    f.depth += 1
    if depth < 100:
        f.declare_all(body.named_children, inner)
    f.depth, f.module = depth, outer


def _constant(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    rows = f.rows(node, attrs, place)
    named = node.child_by_field_name("name")
    f.module = place.module
    kind = f.type(node.child_by_field_name("type"))
    value = node.child_by_field_name("value")
    given = f.value(value) if value is not None else None
    name = f.text(named) if named is not None else "_"
    if name == "_":
        return
    f.constant_item(name, kind, given, f.text(node), place)
    if place.owner is None and not place.module:
        f.bindings[name] = (rows[0] + 1, rows[1] + 1)


def _foreign(f: Items, node: Node, place: Place, attrs: list[Node]) -> None:
    body = node.child_by_field_name("body")
    if body is not None:
        f.declare_all(body.named_children, place)


_DECLARATIONS: dict[str, Callable[[Items, Node, Place, list[Node]], None]] = {
    "use_declaration": _use, "extern_crate_declaration": _crate, "mod_item": _module, "const_item": _constant,
    "static_item": _constant, "foreign_mod_item": _foreign,
}  # fmt: skip
