"""The vocabulary of the code graph: symbols, edges, local views and what an update changed.

Ids (CONTRACT): ``path::Qual.name``, ``path::<module>``; a repeat carries ``#2`` on the component it
repeats. Targets outside the repository are ``<external>::dotted.name``; builtins ``<builtin>::name``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SymbolKind = Literal["function", "method", "class", "module"]
EdgeKind = Literal["call", "constructor", "property", "override", "uses", "import", "inherits"]
Tier = Literal["certain", "possible"]
HANDED_ON = "handed on as a value"  # why a method that is read and not called is a possible call


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition in one state. Lines are 1-based, both ends included.

    ``start..end`` is the whole extent with decorators and the contiguous comment above; ``own`` the line
    ranges left when nested symbols are taken out (blank lines belong to nothing). ``own_hash`` is b_t(v):
    the own text dedented, trailing blanks stripped, for a class also the ordered names of its members.
    ``signature`` is the text a caller depends on (name, parameters, return annotation; for a class its
    bases). A module symbol of a file in a language without grammar covers the whole file.
    """

    id: str
    kind: SymbolKind
    path: str
    name: str
    start: int
    end: int
    own: tuple[tuple[int, int], ...]
    own_hash: str
    signature: str = ""
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` reaches ``target``; ``why`` says it in words ("import alias", "override of Base.run")."""

    source: str
    target: str
    kind: EdgeKind
    tier: Tier
    why: str


@dataclass(frozen=True, slots=True)
class View:
    """The local view lambda_w(v): own text, outgoing calls per call site, module-level bindings read.

    ``calls`` maps the syntactic callee at a site ("load", "self.save") to the sorted targets it reaches
    (external ones included, unresolved ones absent); two views with equal own text have the same sites,
    so a target can be said to be gained, lost or moved; "self.save (property)" and "self.save (handed on)" tell
    apart what a site does with the one target it keeps. ``uses`` maps a name read to the hash of the
    statement that binds it. Nested functions and lambdas are rolled up.
    """

    own: str
    calls: tuple[tuple[str, tuple[str, ...]], ...] = ()
    uses: tuple[tuple[str, str], ...] = ()

    @property
    def targets(self) -> frozenset[str]:
        """All targets of outgoing call edges."""
        return frozenset(t for _, ts in self.calls for t in ts)


@dataclass(frozen=True, slots=True)
class Delta:
    """What one update changed: the views of exactly those symbols whose view differs, None = does not exist.

    ``lost`` and ``gained`` are the edges of E that went and came, sorted: a lost caller shows only there.
    ``parse_errors`` are written files whose text has a syntax error (last good facts kept).
    """

    before: Mapping[str, View | None]
    after: Mapping[str, View | None]
    lost: tuple[Edge, ...] = ()
    gained: tuple[Edge, ...] = ()
    parse_errors: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.before)


@dataclass(frozen=True, slots=True)
class Reference:
    """A use found on one line of a (possibly hypothetical) file text: what ``CodeGraph.references`` returns."""

    line: int
    source: str
    target: str
    kind: EdgeKind
    tier: Tier
    why: str
