"""Names in scope while a text is read: blocks, slots, and which bindings of a slot reach a use.

A ``Frame`` is one graph scope (the module, a function, a class body); an ``Env`` one block of names, linked to
the block around it, so that functions can be read after everything around them. What a use means:

    ("local", slot, chosen)  bound in the same scope: the versions that may hold there
    ("loop", slot, chosen, loop)  the same inside a loop: later versions of that loop too
    ("closure", scope, slot)  bound in a function around it      ("name", slot)  bound in the module
    ("global", name)  bound nowhere in this text
"""

from __future__ import annotations

from core.graph.facts import Expr, Site
from core.graph.languages.javascript.facts import NameFacts, Param, TypeExpr, Value
from core.graph.languages.python.flow import AT_END, Bind, Block, encloses, reaching

_MANY = 48  # bindings of one slot beyond which their order is no longer followed


class Bag:
    """Changes of one object in any order: what is stored under each key (None: any), what is merged in."""

    __slots__ = ("base", "merged", "stored")

    def __init__(self, base: Value) -> None:
        self.base = base
        self.stored: dict[str | None, list[Expr]] = {}
        self.merged: list[Expr] = []


class Slot:
    """A variable: where it is bound, in order, and from which inner functions."""

    __slots__ = ("bag", "binds", "extern", "fixed", "kind", "name", "of", "updates")

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind  # let | const | var | import | namespace | param
        self.binds: list[Bind] = []
        self.extern: list[tuple[str, Value]] = []
        self.updates = 0  # how often what it holds was changed in place
        self.bag: Bag | None = None  # the changes whose order is not followed
        self.of = ""  # qual of the function or class that this name declares
        self.fixed = kind in ("const", "import", "namespace")


class Env:
    """The names and types of one block; ``parent`` is the block around it."""

    __slots__ = ("frame", "names", "parent", "types")

    def __init__(self, parent: Env | None, frame: Frame) -> None:
        self.parent = parent
        self.frame = frame
        self.names: dict[str, Slot] = {}
        self.types: dict[str, Expr] = {}


class Frame:
    """One graph scope being read. ``prefix`` is where definitions inside it become symbols, None inside one."""

    def __init__(self, qual: str, kind: str, owner: str, parent: Frame | None, prefix: str | None) -> None:
        self.qual = qual
        self.kind = kind
        self.owner = owner
        self.parent = parent
        self.prefix = prefix
        self.this: Value = None
        self.cls = ""
        self.static = False
        self.flags: set[str] = set()
        self.sites: list[Site] = []
        self.lines: list[int] = []
        self.head: list[Site] = []
        self.head_lines: list[int] = []
        self.reads: dict[str, list[int]] = {}
        self.slots: dict[str, Slot] = {}
        self.blocks: list[Block] = [Block(-1, 0)]
        self.block = 0
        self.loop = -1
        self.at = 1
        self.objects = 0
        self.params: list[Param] = []
        self.returned: TypeExpr = None
        self.returns: list[Expr] = []
        self.yields: list[Expr] = []

    # -- slots ----------------------------------------------------------------------------------------

    def slot(self, env: Env, name: str, kind: str) -> Slot:
        """Declare ``name`` in a block of this frame; a name declared there already stays."""
        if kind == "var":
            while env.parent is not None and env.parent.frame is self:
                env = env.parent
        found = env.names.get(name)
        if found is not None:
            return found
        shown, number = name, 1
        while shown in self.slots:
            number += 1
            shown = f"{name}~{number}"
        made = self.slots[shown] = env.names[name] = Slot(shown, kind)
        return made

    def bind(self, slot: Slot, value: Value, narrow: bool = False, at: int | None = None) -> None:
        """``slot`` holds ``value`` from here on."""
        self.at += 1
        slot.binds.append(
            Bind(slot.name, self.at if at is None else at, self.block, "", None, True, narrow, value, self.loop)
        )

    def use(self, slot: Slot) -> Expr:
        """The expression of a slot of this frame read here."""
        self.at += 1
        if not slot.binds or len(slot.binds) > _MANY:
            return self.whole(slot)
        chosen = reaching(self.blocks, slot.binds, self.at, self.block)
        if not chosen:
            return self.whole(slot)
        if self.loop >= 0 and not slot.fixed:
            first = slot.binds[chosen[0]]
            inside = encloses(self.blocks, self.loop, first.block) and encloses(self.blocks, first.block, self.block)
            if not inside:
                return ("loop", slot.name, chosen, self.loop)
        return ("local", slot.name, chosen)

    def whole(self, slot: Slot) -> Expr:
        """A slot at the end of its scope, as other scopes see it."""
        return ("closure", self.qual, slot.name) if self.qual else ("name", slot.name)

    def facts(self, slot: Slot) -> NameFacts:
        """The cell of a slot, once everything is read."""
        binds = slot.binds
        final: tuple[int, ...] = tuple(i for i, b in enumerate(binds) if not b.narrow)
        if len(binds) > 1:
            final = reaching(self.blocks, binds, AT_END, 0) or final
        return NameFacts(tuple((b.expr, b.index) for b in binds), final, tuple(slot.extern))

    # -- blocks of control flow -----------------------------------------------------------------------

    def enter(self, group: int = -1, loop: bool = False) -> tuple[int, int]:
        """Begin a suite; suites of one ``group`` exclude each other. What ``leave`` takes to go back."""
        back = (self.block, self.loop)
        self.blocks.append(Block(self.block, self.blocks[self.block].depth + 1, group, loop))
        self.block = len(self.blocks) - 1
        if loop and self.loop < 0:
            self.loop = self.block
        return back

    def leave(self, back: tuple[int, int]) -> None:
        """End the suite begun last."""
        self.block, self.loop = back

    def leaves(self) -> None:
        """Control does not fall out of the current suite."""
        if self.block:
            self.blocks[self.block].leaves = True


def find(env: Env | None, name: str) -> tuple[Frame, Slot] | None:
    """The slot a name means, and the frame it belongs to."""
    while env is not None:
        slot = env.names.get(name)
        if slot is not None:
            return env.frame, slot
        env = env.parent
    return None


def find_type(env: Env | None, name: str) -> Expr | tuple[Frame, Slot] | None:
    """The type expression a name means as a type, or the slot it means as a value."""
    while env is not None:
        found = env.types.get(name)
        if found is not None:
            return found
        slot = env.names.get(name)
        if slot is not None:
            return env.frame, slot
        env = env.parent
    return None
