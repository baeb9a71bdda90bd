"""A record r = (c_r, rho_r, tau_r): text, referent and birth step, made concrete as in Appendix E."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.replay.world import Sight

RecordKind = Literal["read", "edit", "search", "test", "run", "say", "user", "summary", "agent"]


@dataclass(frozen=True, slots=True)
class Symbols:
    """The record is about these symbols, as they were in w_born (sorted ids).

    ``opaque`` lists shown paths whose text is not known: any write to one nominates.
    """

    ids: tuple[str, ...]
    opaque: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The record is about the whole repository state it ran under (a test, build or lint run)."""

    t: int


@dataclass(frozen=True, slots=True)
class Query:
    """The record is the solution set of a query; untracked, as in the paper, unless ``queries`` is on."""

    command: str


Referent = Symbols | State | Query | None


@dataclass(frozen=True, slots=True)
class OwnLines:
    """Lines ``start..end`` of ``path`` in w_born belong to the covered symbol ``id`` (shown or not)."""

    id: str
    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Record:
    """One held piece of evidence; ``id`` is "r" + its step.

    ``path, start, end`` is the primary span in w_born (None without a path). ``sights`` are all repository
    lines it shows. ``gone`` is the first step at which the recorded run no longer holds it (compaction),
    None if held to the end: r is in C_t iff born <= t < gone. ``command`` groups re-runs of one test.
    ``owned`` are the own lines of the covered symbols, sorted by (path, start).
    """

    id: str
    kind: RecordKind
    born: int
    text: str
    tokens: int
    referent: Referent
    path: str | None = None
    start: int | None = None
    end: int | None = None
    sights: tuple[Sight, ...] = ()
    gone: int | None = None
    tool: str = ""
    command: str = ""
    failed: bool = False
    owned: tuple[OwnLines, ...] = ()

    def instead(
        self,
        *,
        id: str,
        born: int,
        text: str,
        tokens: int,
        referent: Referent = None,
        sights: tuple[Sight, ...] = (),
        owned: tuple[OwnLines, ...] = (),
    ) -> Record:
        """The record with another text in its place; what the given fields do not say stays.

        As ``dataclasses.replace``, at a fraction of its cost: policies put texts in the place of every old record.
        """
        return Record(
            id,
            self.kind,
            born,
            text,
            tokens,
            referent,
            self.path,
            self.start,
            self.end,
            sights,
            self.gone,
            self.tool,
            self.command,
            self.failed,
            owned,
        )

    def held_at(self, t: int) -> bool:
        """Whether the record is in C_t."""
        return self.born <= t and (self.gone is None or t < self.gone)
