"""The three sources of gold, always named beside a number: reference, hindsight, imported (METHOD 6).

In: a point and what is known of its imminent edit. Out: ``Labels``. ``hindsight``: the run's own burst stands
in for a patch, in w_t. ``reference``: the outstanding hunks of a patch that the burst makes, in w_0.
``imported``: regions somebody else labelled, in w_t.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from core.errors import InputError
from core.replay.world import FileWrite, History
from core.tracebench.gold import gold, gold_by_hunk, unique
from core.tracebench.hunks import Hunk, around, burst_hunks, burst_writes, skip_reason, source_hunks
from core.tracebench.patch import read_patch, reference_hunks
from core.tracebench.points import Point, Rule, Skip
from core.tracebench.reference import selected, touches
from core.tracebench.regions import GoldRegion, Graph, Labels
from core.trajectory.steps import Skipped


@dataclass(frozen=True, slots=True)
class Reference:
    """A patch made ready: its source hunks, the gold of each in w_0, the steps that touch each, what was not usable."""

    hunks: tuple[Hunk, ...]
    gold: tuple[tuple[GoldRegion, ...], ...]
    touched: tuple[tuple[int, ...], ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """Regions labelled elsewhere, by step, and the entries that could not be used."""

    regions: Mapping[int, tuple[GoldRegion, ...]]
    skipped: tuple[Skipped, ...] = ()


def hindsight(graph: Graph, history: History, writes: Sequence[FileWrite], point: Point) -> Labels:
    """The gold of the burst that follows ``point``, in w_t; the graph must stand at w_t."""
    skip, hunks = _imminent(history, writes, point)
    source = source_hunks(hunks) if not skip else ()
    return Labels(gold(graph, history, point.t, source), "hindsight", point.t, skip, around(source))


def prepare_reference(graph: Graph, history: History, writes: Sequence[FileWrite], patch: str) -> Reference:
    """A reference patch made ready for every point of a run; the graph must stand at w_0.

    Raises InputError for a text that is no patch: gold of nothing would look like a run that needed nothing.
    """
    read = read_patch(patch)
    if not read.files:
        raise InputError("the reference patch changes no file; expected a unified diff")
    hunks, misfits = reference_hunks(read, lambda path: history.text(path, 0))
    source = source_hunks(hunks)
    found = gold_by_hunk(graph, history, 0, source)
    return Reference(source, found, touches(source, history, writes), (*read.skipped, *misfits))


def reference(prepared: Reference, history: History, writes: Sequence[FileWrite], point: Point) -> Labels:
    """The gold of the outstanding hunks the imminent burst makes, in w_0."""
    skip, _ = _imminent(history, writes, point)
    if skip or point.burst is None:
        return Labels((), "reference", 0, skip or "no-imminent-edit")
    chosen = selected(prepared.hunks, prepared.touched, point.t, point.burst)
    ids = {id(h) for h in chosen}
    regions = [r for hunk, found in zip(prepared.hunks, prepared.gold, strict=True) if id(hunk) in ids for r in found]
    return Labels(unique(regions), "reference", 0, "" if chosen else "no-imminent-edit", around(chosen))


def read_imported(text: str, name: str = "labels") -> Imported:
    """Regions from a JSON list of {t, path, start, end, rule, why, symbol}; what cannot be used is counted."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Imported({}, (Skipped(name, 0, f"not JSON: {error}"),))
    if not isinstance(entries, list):
        return Imported({}, (Skipped(name, 0, "expected a list of regions"),))
    by_step: dict[int, list[GoldRegion]] = {}
    skipped: list[Skipped] = []
    for number, entry in enumerate(entries, 1):
        region = _region(entry)
        if region is None:
            skipped.append(Skipped(name, number, "expected {t, path, start, end, rule, why}"))
        else:
            by_step.setdefault(entry["t"], []).append(region)
    return Imported({t: unique(found) for t, found in sorted(by_step.items())}, tuple(skipped))


def imported(prepared: Imported, point: Point) -> Labels:
    """The imported regions of the point, in w_t."""
    return Labels(prepared.regions.get(point.t, ()), "imported", point.t)


def _imminent(history: History, writes: Sequence[FileWrite], point: Point) -> tuple[Skip, tuple[Hunk, ...]]:
    """Why the imminent burst is not scored ("" if it is), and its hunks."""
    if point.burst is None:
        return "no-imminent-edit", ()
    hunks = burst_hunks(writes, history, point.t, point.burst)
    opaque = any(w.opaque for w in burst_writes(writes, point.burst))
    return skip_reason(hunks, opaque), hunks


def _region(entry: Any) -> GoldRegion | None:
    if not isinstance(entry, dict):
        return None
    t, start, end, path = (entry.get(key, -1) for key in ("t", "start", "end", "path"))
    rule, why, symbol = entry.get("rule", "G1"), entry.get("why", ""), entry.get("symbol") or ""
    # bool is an int to Python, not to us.
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in (t, start, end)) or rule not in get_args(Rule):
        return None
    if not all(isinstance(text, str) for text in (path, why, symbol)) or t < 0 or not 1 <= start <= end:
        return None
    return GoldRegion(rule, path, start, end, why, symbol)
