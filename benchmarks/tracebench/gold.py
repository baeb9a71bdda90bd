"""Reference gold of each change of the patch, by G1 to G4 over the type checker's relations (Appendix E).

In: a task, the relations of its base and of its patched state. Out: for each change, regions of w_0. The rules are
those the product's own gold follows, written again over other evidence: ``ast`` for spans, pyrefly for relations.

G1 the definition around the change. G2 what its added lines call, construct, read as a property, import or
subclass. G3 users of a definition that the change removes or gives another signature. G4 the method it overrides,
the classes it inherits from when its own lines change, the top-level statement that names it. Test code and
documentation are never gold; nor is what only the patch creates, since the base does not have it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks.tracebench.changes import Change
from benchmarks.tracebench.definitions import Definition, Outline, outline
from benchmarks.tracebench.instances import Task
from benchmarks.tracebench.relations import Place, Relations
from core.tracebench.paths import path_kind
from core.tracebench.points import Rule
from core.tracebench.regions import GoldRegion

_STRENGTH = ("inherits", "call", "constructor", "property", "import")
_VERBS = {
    "inherits": "subclasses",
    "call": "calls",
    "constructor": "constructs",
    "property": "reads",
    "import": "imports",
}


@dataclass(slots=True)
class Reference:
    """Both states of a task with their relations, indexed."""

    task: Task
    base: Relations
    patched: Relations
    before: Mapping[str, str] = field(init=False)
    users: Mapping[Place, list[Place]] = field(init=False)
    uses: Mapping[Place, list[tuple[Place, str]]] = field(init=False)

    def __post_init__(self) -> None:
        users: dict[Place, list[Place]] = defaultdict(list)
        for use in self.base.uses:
            users[use.target].append((use.path, use.line))
        uses: dict[Place, list[tuple[Place, str]]] = defaultdict(list)
        for use in self.patched.uses:
            uses[use.path, use.line].append((use.target, use.kind))
        self.users, self.uses = users, uses
        self.before = {new: old for old, new in self.task.moves.items()}

    def old(self, path: str) -> Outline | None:
        """The outline of a file in w_0."""
        return outline(self.task.texts[path]) if path.endswith(".py") and path in self.task.texts else None

    def new(self, path: str) -> Outline | None:
        """The outline of a file after the patch."""
        return outline(self.task.patched[path]) if path.endswith(".py") and path in self.task.patched else None

    def lines(self, path: str) -> list[str]:
        """The lines of a file in w_0."""
        return self.task.texts.get(path, "").split("\n")

    def referenced(self, change: Change) -> Iterator[tuple[Place, str]]:
        """What the added lines use in the patched state, each with the kind of use."""
        for line in change.added:
            yield from self.uses.get((change.new_path, line), ())
        new = self.new(change.new_path)
        if new is None:
            return
        added = set(change.added)
        for definition in new.definitions:
            if definition.kind == "class" and definition.line in added:
                yield from ((b, "inherits") for b in self.patched.bases.get((change.new_path, definition.line), ())[:1])
        for line, level, module, name, _ in new.imports:
            if line in added and (place := self._imported(change.new_path, level, module, name)):
                yield place, "import"

    def _imported(self, path: str, level: int, module: str, name: str, hops: int = 4) -> Place | None:
        """The definition an import names, through re-exports."""
        found = self.patched.modules.get(_absolute(path, level, module))
        new = self.new(found) if found else None
        if found is None or new is None or not name:
            return None
        if name in new.by_name:
            return found, new.by_name[name].line
        again = next((row for row in new.imports if row[4] == name and row[3]), None)
        return self._imported(found, again[1], again[2], again[3], hops - 1) if again and hops else None


def gold(reference: Reference, change: Change) -> tuple[GoldRegion, ...]:
    """The regions of w_0 the change needs, sorted; a span that several rules admit once, under the first."""
    if path_kind(change.path) != "source":
        return ()
    found = [*_sites(reference, change), *_referenced(reference, change), *_blast(reference, change)]
    found += _contracts(reference, change)
    kept: dict[tuple[str, int, int], GoldRegion] = {}
    for region in sorted(found):
        kept.setdefault((region.path, region.start, region.end), region)
    return tuple(kept.values())


def enclosing(reference: Reference, change: Change) -> list[Definition]:
    """The definitions of w_0 whose lines the change touches, by start."""
    old = reference.old(change.path)
    if old is None or change.created:
        return []
    return list(
        dict.fromkeys(d for line in change.touched(reference.lines(change.path)) if (d := old.at(line)) is not None)
    )


def _sites(reference: Reference, change: Change) -> Iterator[GoldRegion]:
    if change.created:
        return
    old, lines = reference.old(change.path), reference.lines(change.path)
    for line in change.touched(lines):
        around = old.at(line) if old is not None else None
        if around is not None:
            yield from _pieces("G1", change.path, around, f"encloses the change at line {change.start}")
            continue
        block = old.block(line, lines) if old is not None else _paragraph(lines, line)
        if block is not None:
            yield GoldRegion("G1", change.path, *block, f"the statements around the change at line {change.start}")


def _referenced(reference: Reference, change: Change) -> Iterator[GoldRegion]:
    best: dict[Place, str] = {}
    for place, kind in reference.referenced(change):
        if kind in _STRENGTH and (place not in best or _STRENGTH.index(kind) < _STRENGTH.index(best[place])):
            best[place] = kind
    for place in sorted(best):
        found = in_base(reference, place)
        if found is not None:
            path, definition = found
            yield from _pieces("G2", path, definition, f"an added line {_VERBS[best[place]]} {definition.name}")


def _blast(reference: Reference, change: Change) -> Iterator[GoldRegion]:
    new = reference.new(change.new_path)
    for definition in enclosing(reference, change):
        after = new.by_name.get(definition.name) if new is not None else None
        if definition.kind == "class" and after is not None:
            continue  # its members answer for themselves
        if after is not None and after.head == definition.head:
            continue
        says = "is removed" if after is None else "changes its signature"
        for path, line in reference.users.get((change.path, definition.line), ()):
            yield from _user("G3", reference, path, line, f"uses {definition.name}, which {says}")


def _contracts(reference: Reference, change: Change) -> Iterator[GoldRegion]:
    old = reference.old(change.path)
    for definition in enclosing(reference, change):
        if old is None:
            return
        if definition.kind == "method" and definition.parent in old.by_name:
            owner = old.by_name[definition.parent]
            for path, above in _above(reference, (change.path, owner.line)):
                over = (reference.old(path) or old).by_name.get(f"{above.name}.{definition.short}")
                if over is not None:
                    yield from _pieces("G4", path, over, f"{definition.name} overrides it")
                    break
        elif definition.kind == "class":
            for path, above in list(_above(reference, (change.path, definition.line)))[:1]:
                yield from _pieces("G4", path, above, f"{definition.name} inherits from it")
        yield from _registries(reference, change.path, definition)


def _registries(reference: Reference, path: str, definition: Definition) -> Iterator[GoldRegion]:
    """Top-level statements, imports aside, that name the definition."""
    for user, line in reference.users.get((path, definition.line), ()):
        there = reference.old(user)
        if there is None or there.at(line) is not None or any(row[0] == line for row in there.imports):
            continue
        yield from _user("G4", reference, user, line, f"registers {definition.name}")


def _user(rule: Rule, reference: Reference, path: str, line: int, why: str) -> Iterator[GoldRegion]:
    there = reference.old(path)
    if there is None or path_kind(path) != "source":
        return
    around = there.at(line)
    if around is not None:
        yield from _pieces(rule, path, around, why)
    elif (block := there.block(line, reference.lines(path))) is not None:
        yield GoldRegion(rule, path, *block, why)


def _above(reference: Reference, place: Place) -> Iterator[tuple[str, Definition]]:
    """The base classes of a class in the repository, nearest first."""
    for path, line in reference.base.bases.get(place, ()):
        there = reference.old(path)
        if there is not None and line in there.by_line and path_kind(path) == "source":
            yield path, there.by_line[line]


def in_base(reference: Reference, place: Place) -> tuple[str, Definition] | None:
    """The definition of w_0 with the name and file of one of the patched state."""
    path, line = place
    new = reference.new(path)
    definition = new.by_line.get(line) if new is not None else None
    before = reference.before.get(path, path)
    old = reference.old(before)
    if definition is None or old is None or definition.name not in old.by_name or path_kind(path) != "source":
        return None
    return before, old.by_name[definition.name]


def _pieces(rule: Rule, path: str, definition: Definition, why: str) -> Iterator[GoldRegion]:
    for start, end in definition.body:
        yield GoldRegion(rule, path, start, end, why, f"{path}::{definition.name}")


def _paragraph(lines: list[str], line: int) -> tuple[int, int] | None:
    """The lines around one that no blank line separates, in a file that is no Python."""
    if not 1 <= line <= len(lines) or not lines[line - 1].strip():
        return None
    start = end = line
    while start > 1 and lines[start - 2].strip():
        start -= 1
    while end < len(lines) and lines[end].strip():
        end += 1
    return start, end


def _absolute(path: str, level: int, module: str) -> str:
    """The dotted name a relative import means, by the importing file's folder."""
    if not level:
        return module
    folders = path.split("/")[:-1]
    return ".".join([*folders[: len(folders) - level + 1], *([module] if module else [])])


def changed_names(changes: Iterable[Change], reference: Reference) -> dict[Change, frozenset[Place]]:
    """The definitions of the patched state that each change writes lines of."""
    found: dict[Change, frozenset[Place]] = {}
    for change in changes:
        new = reference.new(change.new_path)
        around = (new.at(line) for line in change.added) if new is not None else ()
        found[change] = frozenset((change.new_path, d.line) for d in around if d is not None)
    return found
