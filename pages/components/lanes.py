"""Where each record stands in the lifecycle chart: its lane, in pixels from the top, and what each cell shows.

In: the rows of ``queries.lanes`` / ``status_intervals`` (a lane a record) or ``lane_sizes`` /
``lane_changes`` (a lane a file). Out: lane edges, a matrix of status codes, labels and hover points.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pages.components import palette, words
from storage.queries import Columns

ABSENT, NONE, TRUE, STALE = 0, 1, 2, 3
CODE = {"none": NONE, "true": TRUE, "stale": STALE}
WORD = {NONE: "no referent", TRUE: "true of the repository", STALE: "falsified"}
OTHERS = ("search", "test", "run", "talk")
_GAP = 3.0  # pixels between groups


@dataclass(slots=True)
class Lanes:
    """The bottom panel. ``edges`` has one more entry than ``cells`` has rows; columns are bins of ``width`` steps."""

    edges: list[float]
    cells: npt.NDArray[np.int8]
    width: int
    labels: list[tuple[float, str, str]]  # middle in pixels, short name, full name
    at: dict[str, tuple[float, float]] = field(default_factory=dict)  # record (or lane) -> top, bottom
    points: list[tuple[float, float, str, str]] = field(default_factory=list)  # step, pixel, hover, record
    packed: bool = False
    cut: int = 0  # groups put together as "other files"

    @property
    def height(self) -> float:
        """Pixels from the first lane to the last."""
        return self.edges[-1]


def short_names(paths: list[str]) -> dict[str, str]:
    """The last part of each path, with its folder where two would look the same."""
    last = [p.rsplit("/", 1)[-1] for p in paths]
    return {p: n if last.count(n) == 1 else "/".join(p.split("/")[-2:]) for p, n in zip(paths, last, strict=True)}


def _groups(columns: Columns) -> list[str]:
    """Lane groups from the top: files by first sight, then searches, tests, other runs and talk."""
    seen = list(dict.fromkeys(columns["lane"]))
    files = [g for g in seen if g not in OTHERS]
    return files + [g for g in OTHERS if g in seen]


def by_record(columns: Columns, intervals: Columns, steps: int, room: float) -> Lanes:
    """A lane a record; lanes are shared by records that are never held together when ``room`` pixels are too few."""
    groups = _groups(columns)
    members: dict[str, list[int]] = {g: [] for g in groups}
    for i, lane in enumerate(columns["lane"]):
        members[lane].append(i)
    pack = len(columns["lane"]) * 3.0 > room
    rows: list[list[int]] = []
    bounds: list[tuple[str, int, int]] = []
    for group in groups:
        first = len(rows)
        rows += _pack(members[group], columns, steps) if pack else [[i] for i in members[group]]
        bounds.append((group, first, len(rows)))
    heights = _heights(rows, columns, room - _GAP * len(groups))
    return _assemble(columns, intervals, steps, rows, bounds, heights, pack)


def _pack(indices: list[int], columns: Columns, steps: int) -> list[list[int]]:
    """Rows of records such that no two in a row are held at the same time, earliest birth first."""
    rows: list[tuple[int, list[int]]] = []
    for i in indices:
        gone = columns["gone"][i] or steps + 1
        for n, (free, row) in enumerate(rows):
            if free <= columns["born"][i]:
                row.append(i)
                rows[n] = (gone, row)
                break
        else:
            rows.append((gone, [i]))
    return [row for _, row in rows]


def _heights(rows: list[list[int]], columns: Columns, room: float) -> list[float]:
    """Pixels of each row: the same for all, or growing with the root of its tokens where there is room."""
    even = room / max(1, len(rows))
    if even < 4:
        return [float(max(2, int(even)))] * len(rows)
    weight = [max(columns["tokens"][i] or 1 for i in row) ** 0.5 for row in rows]
    total = sum(weight)
    return [min(26.0, max(2.5, 0.4 * even + 0.6 * room * w / total)) for w in weight]


def _assemble(
    columns: Columns,
    intervals: Columns,
    steps: int,
    rows: list[list[int]],
    bounds: list[tuple[str, int, int]],
    heights: list[float],
    packed: bool,
) -> Lanes:
    edges, row_at, labels = [0.0], {}, []
    names = short_names([g for g, _, _ in bounds])
    for group, first, stop in bounds:
        top = edges[-1]
        for row in range(first, stop):
            row_at[row] = len(edges) - 1
            edges.append(edges[-1] + heights[row])
        labels.append(((top + edges[-1]) / 2, names[group], group))
        edges.append(edges[-1] + _GAP)
    cells = np.zeros((len(edges) - 1, max(1, steps)), dtype=np.int8)
    lanes = Lanes(edges, cells, 1, labels, packed=packed)
    place = {columns["record_id"][i]: (row, i) for row, some in enumerate(rows) for i in some}
    for record, t, until, status, since in zip(
        *(intervals[c] for c in ("record_id", "t", "until", "status", "since")), strict=True
    ):
        if record not in place:
            continue
        row, i = place[record]
        stop = min(x for x in (until, columns["gone"][i], steps + 1) if x is not None)
        if stop > t:
            cells[row_at[row], t - 1 : stop - 1] = CODE[palette.coarse(status)]
            lanes.at[record] = (edges[row_at[row]], edges[row_at[row] + 1])
            _hover(lanes, columns, i, (t, stop), status, since, max(1, steps // 60))
    return lanes


def _hover(
    lanes: Lanes, columns: Columns, i: int, span: tuple[int, int], status: str, since: int | None, grid: int
) -> None:
    """Hover points of one status interval, on a grid of steps: the nearest one is in the lane pointed at."""
    record = columns["record_id"][i]
    where = words.place(columns["path"][i], columns["start"][i], columns["end"][i]) or columns["kind"][i]
    told = f"{status} since write {since}" if since else WORD[CODE[palette.coarse(status)]]
    line = (
        f"<b>{record}</b> {words.esc(words.tail(where, 70))}<br>born {columns['born'][i]} · "
        f"{words.count(columns['tokens'][i])} tokens<br>{told}"
    )
    top, bottom = lanes.at[record]
    start, stop = span
    marks = {start, stop - 1, *range(-(-start // grid) * grid, stop, grid)}
    lanes.points += [(t, (top + bottom) / 2, line, record) for t in sorted(marks)]


def by_file(sizes: Columns, changes: Columns, steps: int, width: int, room: float, most: int = 48) -> Lanes:
    """A lane a file (or kind of evidence), columns of ``width`` steps; a cell shows the status most tokens have."""
    groups = _groups(sizes)
    weight = dict(zip(sizes["lane"], sizes["tokens"], strict=True))
    files = [g for g in groups if g not in OTHERS]
    kept = set(sorted(files, key=lambda g: (-weight[g], g))[:most])
    order = [g for g in files if g in kept] + (["other files"] if len(kept) < len(files) else [])
    order += [g for g in groups if g in OTHERS]
    bins = -(-steps // width)
    index = {g: n for n, g in enumerate(order)}
    held = np.zeros((len(order), 4, bins + 1))
    for lane, b, status, tokens in zip(*(changes[c] for c in ("lane", "bin", "status", "tokens")), strict=True):
        row = index.get(lane, index.get("other files", 0))
        held[row, CODE[status], min(max(b, 0), bins)] += tokens
    held = np.cumsum(held, axis=2)[:, :, :bins]
    cells = np.where(held.sum(axis=1) > 0, held.argmax(axis=1), ABSENT).astype(np.int8)
    height = min(16.0, max(5.0, room / max(1, len(order))))
    edges = [n * height for n in range(len(order) + 1)]
    names = short_names(order)
    labels = [((n + 0.5) * height, names[g], g) for n, g in enumerate(order)]
    lanes = Lanes(edges, cells, width, labels, cut=len(files) - len(kept))
    for n, g in enumerate(order):
        lanes.at[g] = (edges[n], edges[n + 1])
        _file_points(lanes, held[n], n, g, max(1, bins // 90))
    return lanes


def _file_points(lanes: Lanes, held: npt.NDArray[np.float64], n: int, group: str, every: int) -> None:
    y = (lanes.edges[n] + lanes.edges[n + 1]) / 2
    for b in range(0, held.shape[1], every):
        total = held[:, b].sum()
        if total > 0:
            told = ", ".join(f"{words.count(held[c, b])} {WORD[c]}" for c in (TRUE, STALE, NONE) if held[c, b])
            t = b * lanes.width + 1
            line = (
                f"<b>{words.esc(words.tail(group, 70))}</b><br>after step {t}: "
                f"{words.count(total)} tokens held<br>{told}"
            )
            lanes.points.append((t, y, line, ""))
