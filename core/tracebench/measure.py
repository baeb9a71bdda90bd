"""Decision points measured: the four cells of held records and the two sides of the gold (Appendix E, METHOD 6).

In: a point, the records held there, which of them are stale, the gold regions and the file history. Out: a
``DecisionPoint``. The left side counts whole records, repeats and all; the right side deduplicated spans of
w_s. The two are never divided by each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from core.records.record import Record
from core.replay.world import History
from core.tracebench.carry import Carrier, Ranges
from core.tracebench.overlap import (
    View,
    intersect,
    lines_about,
    lines_shown,
    shows,
    subtract,
    tokens_on,
    tokens_shown,
    union,
    views,
)
from core.tracebench.points import CurveRow, DecisionPoint, HeldRecord, Point, Region
from core.tracebench.regions import GoldRegion, Labels


def measure(
    point: Point,
    records: Iterable[Record],
    stale: Collection[str],
    labels: Labels,
    carrier: Carrier,
    *,
    context_complete: bool = True,
) -> DecisionPoint:
    """The point with its cells, regions and records, in the order the records are given.

    ``records`` are those held at the point, ``stale`` the ids of the stale ones among them. A point without a
    gold token is skipped as "no-gold". One ``carrier`` serves all points of a run, best in the order of time.
    Cost: line movement for records on gold files only.
    """
    at, history = labels.state, carrier.history
    ordered = sorted(r for r in labels.regions if history.text(r.path, at) is not None)
    wanted = _by_path((r.path, r.start, r.end) for r in ordered)
    edit = _edit_words(point)
    near = _by_path(labels.near)
    cells: list[HeldRecord] = []
    shown: dict[str, list[tuple[int, int]]] = {}
    beside: list[Record] = []  # what shows a file with a hunk
    words: dict[str, str] = {}  # one text for all records a point says the same of
    sums = {(needed, old): 0 for needed in (False, True) for old in (False, True)}
    for record in records:
        if near and shows(record, near):
            beside.append(record)
        old = record.id in stale
        if not shows(record, wanted):
            sums[False, old] += record.tokens
            cells.append(HeldRecord(record.id, record.tokens, False, old, 0, ""))
            continue
        seen = views(record, carrier, at, wanted)
        for path, lines in lines_shown(seen, history, at).items():
            shown.setdefault(path, []).extend(lines)
        met = _met(seen, ordered)
        share = tokens_shown(record, seen) if met else 0
        why = _needed_words(met) if met else _unneeded_words(record, wanted, edit, words)
        sums[met is not None, old] += record.tokens
        cells.append(HeldRecord(record.id, record.tokens, met is not None, old, share, why))
    held = {path: union(spans) for path, spans in shown.items()}
    beside_tokens, beside_held = _near(beside, near, at, carrier)
    measured = measure_regions(ordered, held, history, at)
    needed = sum(r.tokens for r in measured)
    gold_held = sum(r.held_tokens for r in measured)
    return DecisionPoint(
        t=point.t,
        anchor=point.anchor,
        first=point.burst.first if point.burst else None,
        last=point.burst.last if point.burst else None,
        gold_source=labels.source,
        held=sum(sums.values()),
        unneeded=sums[False, False] + sums[False, True],
        held_needed=sums[True, False] + sums[True, True],
        stale=sums[False, True],
        stale_needed=sums[True, True],
        needed=needed,
        gold_held=gold_held,
        missing=needed - gold_held,
        edits=point.edits,
        regions=measured,
        records=tuple(cells),
        skip=labels.skip or ("" if needed else "no-gold"),
        merged=point.merged,
        context_complete=context_complete,
        near=beside_tokens,
        near_held=beside_held,
    )


def measure_regions(
    regions: Iterable[GoldRegion], held: Mapping[str, Ranges], history: History, t: int
) -> tuple[Region, ...]:
    """The regions with their tokens, each token at the first region by (rule, path, lines) that holds it.

    ``held`` are the lines of w_t that the context shows. Regions without a token of their own are left out.
    """
    claimed: dict[str, Ranges] = {}
    found: list[Region] = []
    for region in sorted(regions):
        text = history.text(region.path, t)
        if text is None:
            continue
        taken = claimed.get(region.path, ())
        fresh = subtract(((region.start, region.end),), taken)
        tokens = tokens_on(text, fresh)
        if not tokens:
            continue
        claimed[region.path] = union((*taken, *fresh))
        seen = tokens_on(text, intersect(fresh, held.get(region.path, ())))
        found.append(
            Region(region.path, region.start, region.end, region.rule, region.why, tokens, seen, region.symbol)
        )
    return tuple(found)


def curve(points: Iterable[DecisionPoint]) -> tuple[CurveRow, ...]:
    """The scored P points on the edit axis, by (edits, t); skipped points and T and F take no part."""
    rows = [
        CurveRow(p.edits, p.t, p.held, p.unneeded, p.stale, p.needed, p.missing)
        for p in points
        if p.anchor == "P" and not p.skip
    ]
    return tuple(sorted(rows, key=lambda row: (row.edits, row.t)))


def _by_path(spans: Iterable[tuple[str, int, int]]) -> dict[str, Ranges]:
    found: dict[str, list[tuple[int, int]]] = {}
    for path, start, end in spans:
        found.setdefault(path, []).append((start, end))
    return {path: union(lines) for path, lines in found.items()}


def _near(records: Iterable[Record], wanted: Mapping[str, Ranges], at: int, carrier: Carrier) -> tuple[int, int]:
    """Tokens on the lines near the hunks, and those of them that one of the records shows."""
    history = carrier.history
    shown: dict[str, list[tuple[int, int]]] = {}
    for record in records:
        for path, lines in lines_shown(views(record, carrier, at, wanted), history, at).items():
            shown.setdefault(path, []).extend(lines)
    near = near_held = 0
    for path, spans in wanted.items():
        text = history.text(path, at) or ""
        near += tokens_on(text, spans)
        near_held += tokens_on(text, intersect(spans, union(shown.get(path, ()))))
    return near, near_held


def _met(seen: Sequence[View], regions: Sequence[GoldRegion]) -> GoldRegion | None:
    """The first region, in rule order, one line of which a view is about."""
    if not seen:
        return None
    about = lines_about(seen)
    return next((r for r in regions if any(a <= r.end and b >= r.start for a, b in about.get(r.path, ()))), None)


def _needed_words(region: GoldRegion | None) -> str:
    if region is None:
        return ""
    lines = f"lines {region.start}-{region.end}" if region.end > region.start else f"line {region.start}"
    return f"on {region.path}, which this burst needs at {lines} ({region.rule})"


def _unneeded_words(record: Record, wanted: Mapping[str, Ranges], edit: str, words: dict[str, str]) -> str:
    path = next(s.path for s in record.sights if s.path in wanted)
    return words.setdefault(path, f"on {path}, but no line it shows there is needed by {edit}")


def _edit_words(point: Point) -> str:
    if point.burst is None:
        return "any edit: none follows"
    first, last = point.burst.first, point.burst.last
    return f"the edit of steps {first}-{last}" if last > first else f"the edit of step {first}"
