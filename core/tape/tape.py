"""Stage 5: the tape, the log of what each write drifted, and its exact windows (Eq. 10, "Drift windows").

In: one ``Drift`` and the graph's ``Delta`` a write, in order of ``known_at``: the tape never knows what the
harness did not see. Out: for any symbol and window (s, t], whether and when it drifted. Kept per touched
symbol: the sorted steps at which it was in X, and its local views with the step from which each held. A
symbol no write touched costs nothing: its view at any time is the current one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from core.context.actions import Tier
from core.graph.symbols import Delta, Edge, View
from core.options import Options
from core.tape.drift import CALL_KINDS, Drift, calls_moved


class _Versions:
    """Values over time: ``values[i]`` holds from ``steps[i]`` on; the first from before any write."""

    __slots__ = ("steps", "values")

    def __init__(self, first: View | None) -> None:
        self.steps: list[int] = [-1]
        self.values: list[View | None] = [first]

    def at(self, t: int) -> View | None:
        return self.values[max(bisect_right(self.steps, t) - 1, 0)]


class Tape:
    """The accumulated drift of a run; ``current`` gives the view of a symbol no write has touched."""

    def __init__(self, options: Options, current: Callable[[str], View | None]) -> None:
        self.options = options
        self._current = current
        self._drifts: list[Drift] = []
        self._steps: list[int] = []  # at which a write became known
        self._drifted: dict[str, list[int]] = {}  # id -> steps with id in X_u
        self._rewired: dict[str, list[int]] = {}  # id -> steps with id in dX_u
        self._views: dict[str, _Versions] = {}
        self._possible: dict[str, list[int]] = {}  # id -> steps whose edge differences are possible edges only
        self._written: dict[str, list[int]] = {}  # path -> steps
        self._opaque: dict[str, list[int]] = {}  # path -> steps of writes with unknown text
        self._code_writes: list[int] = []  # steps with a write to anything but documentation
        self._queries: dict[str, list[int]] = {}  # record id -> steps at which its search finds something else
        self._touched: dict[int, set[str]] = {}
        self._moved: dict[str, str] = {}  # removed id -> symbol of equal own text the same write created

    @property
    def drifts(self) -> Sequence[Drift]:
        """Every drift appended, in order."""
        return self._drifts

    def drifts_in(self, first: int, t: int) -> Sequence[Drift]:
        """The drifts known at ``first`` or later and by ``t``, in order."""
        low = bisect_left(self._drifts, first, key=lambda d: d.known_at)
        return self._drifts[low : bisect_right(self._drifts, t, key=lambda d: d.known_at)]

    def steps(self, t: int) -> Sequence[int]:
        """The steps by ``t`` at which a write became known, ascending."""
        return self._steps[: bisect_right(self._steps, t)]

    def append(self, drift: Drift, delta: Delta) -> None:
        """Log one write; its step in every window is ``drift.known_at``, which must not decrease.

        Cost: the size of the delta.
        """
        step = drift.known_at
        if self._drifts and step < self._drifts[-1].known_at:
            raise ValueError(f"drift of step {drift.t}: known at {step}, after {self._drifts[-1].known_at} was logged")
        self._drifts.append(drift)
        _append(self._steps, step)
        touched = self._touched.setdefault(step, set())
        touched.update(delta.before, drift.rewired)
        for symbol_id in (*drift.changed, *drift.removed):
            _note(self._drifted, symbol_id, step)
        for symbol_id in drift.rewired:
            _note(self._rewired, symbol_id, step)
        for symbol_id, before in delta.before.items():
            versions = self._views.setdefault(symbol_id, _Versions(before))
            versions.steps.append(step)
            versions.values.append(delta.after.get(symbol_id))
        for symbol_id in _only_possible(drift.rewired, (*delta.lost, *delta.gained)):
            _note(self._possible, symbol_id, step)
        self._moved.update(_moves(drift, delta))
        for path in drift.paths:
            _note(self._written, path, step)
        for path in drift.opaque:
            _note(self._opaque, path, step)
        if (drift.paths or drift.opaque) and not drift.documentation:
            _append(self._code_writes, step)

    def last(self, symbol_id: str, t: int | None = None) -> int | None:
        """last_t(v) = max{u <= t : v in X_u} (Eq. 10), over all writes without ``t``; None if there is none."""
        steps = self._drifted.get(symbol_id, [])
        at = len(steps) if t is None else bisect_right(steps, t)
        return steps[at - 1] if at else None

    def changed_in(self, symbol_id: str, born: int, t: int) -> tuple[int, ...]:
        """The steps u in (born, t] with v in X_u: its own text changed, or it was removed."""
        return _window(self._drifted.get(symbol_id), born, t)

    def removed(self, symbol_id: str, t: int) -> bool:
        """Whether the symbol does not exist in w_t."""
        return self.view_at(symbol_id, t) is None

    def view_at(self, symbol_id: str, t: int) -> View | None:
        """The local view lambda of the symbol in w_t, None where it does not exist; O(log k)."""
        versions = self._views.get(symbol_id)
        return self._current(symbol_id) if versions is None else versions.at(t)

    def same_view(self, symbol_id: str, born: int, t: int) -> bool:
        """Whether the local views at the two ends of the window are equal."""
        if symbol_id not in self._views:
            return True
        before, after = self.view_at(symbol_id, born), self.view_at(symbol_id, t)
        if before is None or after is None:
            return before is after
        if before.own != after.own or before.calls != after.calls:
            return False
        return not self.options.uses or before.uses == after.uses

    def rewired_between(self, symbol_id: str, born: int, t: int) -> bool:
        """Whether the symbol is in dX_(born,t]: it exists at both ends and its outgoing calls there differ.

        With ``edges=both``: whether some write of the window rewired it (the union of Eq. 7).
        """
        if self.options.edges == "both":
            return bool(_window(self._rewired.get(symbol_id), born, t))
        return self.calls_moved_between(symbol_id, born, t)

    def calls_moved_between(self, symbol_id: str, born: int, t: int) -> bool:
        """Whether an outgoing call of the symbol reaches something else at ``t`` than at ``born``."""
        if symbol_id not in self._views:
            return False
        before, after = self.view_at(symbol_id, born), self.view_at(symbol_id, t)
        return before is not None and after is not None and calls_moved(before, after, self.options)

    def uses_between(self, symbol_id: str, born: int, t: int) -> bool:
        """Whether a module-level binding the symbol reads differs between the two ends of the window."""
        if not self.options.uses or symbol_id not in self._views:
            return False
        before, after = self.view_at(symbol_id, born), self.view_at(symbol_id, t)
        return before is not None and after is not None and before.uses != after.uses

    def view_steps(self, symbol_id: str, born: int, t: int) -> tuple[int, ...]:
        """The steps in (born, t] at which the symbol's local view changed or it was rewired, sorted."""
        versions = self._views.get(symbol_id)
        steps = set(_window(versions.steps if versions else None, born, t))
        return tuple(sorted(steps | set(_window(self._rewired.get(symbol_id), born, t))))

    def moved_to(self, symbol_id: str) -> str | None:
        """The symbol with the same own text that the write which last removed this one created, if any."""
        return self._moved.get(symbol_id)

    def tier(self, symbol_id: str, steps: Sequence[int]) -> Tier:
        """``possible`` when at every one of the steps only possible edges of the symbol came or went."""
        possible = self._possible.get(symbol_id, [])
        return "possible" if steps and all(step in possible for step in steps) else "certain"

    def written_in(self, path: str, born: int, t: int) -> tuple[int, ...]:
        """The steps in (born, t] at which the file was written."""
        return _window(self._written.get(path), born, t)

    def opaque_in(self, path: str, born: int, t: int) -> tuple[int, ...]:
        """The steps in (born, t] at which the file was written with text that is not known."""
        return _window(self._opaque.get(path), born, t)

    def unknown(self, path: str, t: int) -> bool:
        """Whether the last write to the file known by ``t`` left a text that is not known."""
        opaque = _window(self._opaque.get(path), -1, t)
        return bool(opaque) and opaque[-1] == _window(self._written.get(path), -1, t)[-1]

    def note_queries(self, record_ids: Iterable[str], step: int) -> None:
        """The writes known at ``step`` changed what these records' searches find (switch ``queries``)."""
        for record_id in record_ids:
            _note(self._queries, record_id, step)

    def queries_in(self, record_id: str, born: int, t: int) -> tuple[int, ...]:
        """The steps in (born, t] at which the record's search found something else."""
        return _window(self._queries.get(record_id), born, t)

    def code_writes_in(self, born: int, t: int) -> tuple[int, ...]:
        """The steps in (born, t] with a write to anything but documentation."""
        return _window(self._code_writes, born, t)

    def touched(self, t: int) -> frozenset[str]:
        """The symbols whose view or edges the writes known at ``t`` changed."""
        return frozenset(self._touched.get(t, ()))

    def paths_at(self, t: int) -> frozenset[str]:
        """The files written by the writes known at ``t``."""
        at = bisect_right(self._drifts, t, key=lambda d: d.known_at)
        found: set[str] = set()
        while at and self._drifts[at - 1].known_at == t:
            at -= 1
            found.update(self._drifts[at].paths, self._drifts[at].opaque)
        return frozenset(found)


def _note(index: dict[str, list[int]], key: str, step: int) -> None:
    _append(index.setdefault(key, []), step)


def _append(steps: list[int], step: int) -> None:
    if not steps or steps[-1] != step:
        steps.append(step)


def _window(steps: Sequence[int] | None, born: int, t: int) -> tuple[int, ...]:
    if not steps:
        return ()
    return tuple(dict.fromkeys(steps[bisect_right(steps, born) : bisect_right(steps, t)]))


def _moves(drift: Drift, delta: Delta) -> dict[str, str]:
    created = {view.own: i for i in reversed(drift.created) if (view := delta.after.get(i))}
    return {i: created[view.own] for i in drift.removed if (view := delta.before.get(i)) and view.own in created}


def _only_possible(rewired: Sequence[str], edges: Sequence[Edge]) -> set[str]:
    """Of the rewired symbols, those all of whose changed edges (or their nested functions') are possible ones."""
    wanted = set(rewired)
    tiers: dict[str, set[str]] = {}
    for edge in edges:
        if edge.kind in CALL_KINDS:
            for end in (edge.source, edge.target):
                owner = _owner(end, wanted)
                if owner:
                    tiers.setdefault(owner, set()).add(edge.tier)
    return {owner for owner, seen in tiers.items() if seen == {"possible"}}


def _owner(symbol_id: str, wanted: set[str]) -> str | None:
    """The rewired symbol that ``symbol_id`` is or is nested in."""
    while symbol_id not in wanted:
        head, dot, _ = symbol_id.rpartition(".")
        if not dot or "::" not in head:
            return None
        symbol_id = head
    return symbol_id
