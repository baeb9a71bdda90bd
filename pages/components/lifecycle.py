"""The lifecycle chart: three panels on one step axis (tokens held by status; writes and decision points; lanes).

Everything drawn in numbers (ticks, triangles, outlines, action marks) is one path a kind, so a run of any
length is a few dozen nodes. Clicks and hovers go to invisible text points: a heat map's own selection
comes back empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from pages.components import charts, data, palette, words
from pages.components import lanes as lane
from pages.components.lanes import Lanes
from storage import queries
from storage.queries import Columns, Row

BINNED_PAST = 2000
RECORDS_AT_MOST = 1500
_TOP, _MIDDLE = 160, 44
_PLOT_WIDTH = 1120  # pixels the step axis usually gets: turns a glyph's pixels into steps
_SCALE = [(0, "rgba(0,0,0,0)"), (1, palette.NONE.colour), (2, palette.TRUE.colour), (3, palette.STALE.colour)]


def width_of(steps: int) -> int:
    """Steps per column: 1 up to 2,000 steps, then as many as keep 1,000 columns."""
    return 1 if steps <= BINNED_PAST else -(-steps // 1000)


def load(run: Row, key: data.Key, by_file: bool, room: float) -> tuple[dict[str, Any], Lanes]:
    """What the chart draws: held tokens and marks, and the lanes, from the database."""
    steps, width = run["steps"], width_of(run["steps"])
    held, marks = data.ask_all(key, (queries.held_by_status, width), (queries.marks, width))
    drawn: dict[str, Any] = {"held": held, **marks, "steps": steps, "width": width}
    if by_file:
        sizes, changes = data.ask_all(key, (queries.lane_sizes,), (queries.lane_changes, width))
        return drawn, lane.by_file(sizes, changes, steps, width, room)
    asked = ((queries.lanes,), (queries.status_intervals,), (queries.lane_actions,), (queries.needed_at_points,))
    columns, intervals, drawn["actions"], drawn["needed"] = data.ask_all(key, *asked)
    return drawn, lane.by_record(columns, intervals, steps, room)


def figure(drawn: dict[str, Any], lanes: Lanes) -> go.Figure:
    """The whole chart."""
    bottom = lanes.height
    height = int(_TOP + _MIDDLE + bottom + 104)
    fig = charts.figure(height, x="step")
    fig.update_layout(
        margin={"l": 150, "r": 12, "t": 62, "b": 40}, dragmode="zoom", selectdirection="h", hoverdistance=30
    )
    fig.update_layout(legend={"traceorder": "normal", "font": {"size": 11}})
    inner = height - 102
    low = bottom / inner
    mid = low + _MIDDLE / inner
    fig.update_layout(
        yaxis={
            "domain": [mid + 0.02, 1],
            "title": {"text": "tokens held"},
            "rangemode": "tozero",
            "tickformat": "~s",
            "fixedrange": True,
        },
        yaxis2={
            "domain": [low + 0.012, mid],
            "range": [0, 2],
            "fixedrange": True,
            "showgrid": False,
            "tickvals": [0.5, 1.5],
            "ticktext": ["decision points", "writes"],
            "zeroline": False,
        },
        yaxis3={
            "domain": [0, low],
            "range": [bottom, 0],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            **_ticks(lanes),
        },
    )
    fig.update_xaxes(range=[0.5, drawn["steps"] + 0.5], anchor="y3", hoverformat=",d", tickformat=",d")
    _held(fig, drawn["held"])
    _marks(fig, drawn)
    _cells(fig, lanes, drawn["steps"])
    if "needed" in drawn:
        _outlines(fig, drawn["needed"], lanes)
        _actions(fig, drawn["actions"], lanes, drawn["steps"])
    _compactions(fig, drawn["compactions"]["after_t"])
    return fig


def _ticks(lanes: Lanes) -> dict[str, Any]:
    """Labels of lane groups, leaving out those too close to the one above."""
    shown: list[tuple[float, str]] = []
    for middle, short, _ in lanes.labels:
        if not shown or middle - shown[-1][0] >= 11:
            shown.append((middle, words.esc(words.tail(short, 24))))
    return {"tickvals": [m for m, _ in shown], "ticktext": [s for _, s in shown], "tickfont": {"size": 11}}


def _held(fig: go.Figure, held: Columns) -> None:
    t = held["t"]
    for name, meaning in (("none", palette.NONE), ("true", palette.TRUE), ("stale", palette.STALE)):
        fig.add_scatter(
            x=t,
            y=held[f"{name}_tokens"],
            name=meaning.says,
            stackgroup="held",
            mode="lines",
            hoverinfo="skip",
            line={"width": 0, "color": meaning.colour},
            fillcolor=meaning.colour,
            legendrank={"stale": 1, "true": 2, "none": 3}[name],
        )
    kept = [a + b + c for a, b, c in zip(held["m_true"], held["m_stale"], held["m_none"], strict=True)]
    fig.add_scatter(
        x=t,
        y=kept,
        name="held under the tape's default actions",
        mode="lines",
        hoverinfo="skip",
        legendrank=5,
        line={"width": 1.6, "dash": "dash", "color": palette.ink()},
    )
    rows = list(zip(t, held["true_tokens"], held["stale_tokens"], held["none_tokens"], kept, strict=True))
    text = [
        f"<b>after step {words.count(s)}</b>: {words.count(a + b + c)} tokens held<br>{words.count(b)} falsified "
        f"({words.share(b, a + b + c)}), {words.count(a)} true, {words.count(c)} without "
        f"referent<br>{words.count(k)} under the default actions"
        for s, a, b, c, k in rows
    ]
    _ghost(fig, t, [a + b + c for _, a, b, c, _ in rows], text, [["", s] for s in t], "y")


def _ghost(
    fig: go.Figure, x: Sequence[Any], y: Sequence[Any], text: list[str], custom: list[list[Any]], axis: str
) -> None:
    """Invisible points that take hovers and clicks; only one of them becomes a node."""
    fig.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"opacity": 0, "size": 5, "maxdisplayed": 1},
        yaxis=axis,
        showlegend=False,
        hovertext=text,
        hovertemplate="%{hovertext}<extra></extra>",
        customdata=custom,
        hoverlabel={"bgcolor": palette.paper(), "font": {"color": palette.ink()}},
    )


def _path(
    fig: go.Figure, pieces: Iterable[Sequence[tuple[float, float]]], axis: str, name: str, sign: str, **look: Any
) -> None:
    """All ``pieces`` as one path, with a legend entry that shows its ``sign``."""
    path = " ".join("M" + "L".join(f"{x:g},{y:.1f}" for x, y in piece) for piece in pieces)
    if path:
        fig.add_shape(type="path", path=path, xref="x", yref=axis, **look)
        colour = look["line"]["color"]
        marker = {"symbol": sign, "size": 9, "color": colour, "line": {"width": 1.5, "color": colour}}
        fig.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=name,
            marker=marker,
            hoverinfo="skip",
            legendrank=look["legendrank"],
        )


def _marks(fig: go.Figure, drawn: dict[str, Any]) -> None:
    writes, points = drawn["writes"], drawn["points"]
    ink, blue = palette.ink(), palette.MISSING.colour
    most = max([1, *writes["n"]]) if drawn["width"] > 1 else 1
    ticks = ([(t, 1.05), (t, 1.05 + 0.9 * min(1.0, n / most))] for t, n in zip(writes["t"], writes["n"], strict=True))
    _path(fig, ticks, "y2", "write", "line-ns", line={"width": 1.3, "color": ink}, legendrank=6)
    dx = drawn["steps"] / _PLOT_WIDTH * (4 if len(points["t"]) < 200 else 2)

    def triangle(t: int) -> list[tuple[float, float]]:
        return [(t - dx, 0.75), (t + dx, 0.75), (t, 0.15), (t - dx, 0.75)]

    for name, skipped, fill, sign in (
        ("decision point", False, blue, "triangle-down"),
        ("point not scored", True, "rgba(0,0,0,0)", "triangle-down-open"),
    ):
        some = [triangle(t) for t, s in zip(points["t"], points["skipped"], strict=True) if bool(s) == skipped]
        _path(fig, some, "y2", name, sign, fillcolor=fill, line={"width": 1, "color": blue}, legendrank=7)
    told = [
        f"<b>{_where(t, n, 'write', drawn['width'])}</b><br>{charts.text(', '.join(_names(p)), 90) if n == 1 else ''}"
        f"<br>falsified {words.plural(k, 'record')}, {words.count(tokens)} tokens"
        for t, n, p, k, tokens in zip(
            *(writes[c] for c in ("t", "n", "paths", "falsified_records", "falsified_tokens")), strict=True
        )
    ]
    _ghost(fig, writes["t"], [1.5] * len(told), told, [["", t] for t in writes["t"]], "y2")
    told = [
        f"<b>{_where(t, n, 'decision point', drawn['width'])}</b>"
        f"{f'<br>before the edits from step {f}' if f and n == 1 else ''}"
        f"{'<br>not scored: ' + words.esc(s) if s else ''}"
        for t, n, s, f in zip(*(points[c] for c in ("t", "n", "skip", "first")), strict=True)
    ]
    _ghost(fig, points["t"], [0.45] * len(told), told, [["point", t] for t in points["t"]], "y2")


def _names(paths: Any) -> list[str]:
    return [str(p) for p in json.loads(paths)] if isinstance(paths, str) else []


def _where(t: int, n: int, word: str, width: int) -> str:
    return (
        f"{word} after step {t}"
        if width == 1 and n == 1
        else f"{words.plural(n, word)} in steps {t} to {t + width - 1}"
    )


def _compactions(fig: go.Figure, after: Sequence[int]) -> None:
    """Dotted lines through all panels, as one path."""
    if after:
        path = " ".join(f"M{t + 0.5},0L{t + 0.5},1" for t in after)
        look = {"dash": "dot", "width": 1.5 if len(after) < 25 else 0.7, "color": palette.ink()}
        fig.add_shape(type="path", path=path, xref="x", yref="paper", line=look, opacity=1 if len(after) < 25 else 0.55)


def _cells(fig: go.Figure, lanes: Lanes, steps: int) -> None:
    columns = lanes.cells.shape[1]
    x = [0.5 + lanes.width * n for n in range(columns)] + [max(steps, lanes.width * columns) + 0.5]
    scale = [(edge, colour) for code, colour in _SCALE for edge in (code / 4, (code + 1) / 4)]
    thick = lanes.height / max(1, len(lanes.edges)) >= 3.2
    fig.add_heatmap(
        x=x,
        y=lanes.edges,
        z=lanes.cells,
        zmin=-0.5,
        zmax=3.5,
        colorscale=scale,
        showscale=False,
        hoverinfo="skip",
        yaxis="y3",
        ygap=0.7 if thick else 0,
    )
    points = sorted(lanes.points, key=lambda p: (p[0], p[1]))
    _ghost(
        fig,
        [p[0] for p in points],
        [p[1] for p in points],
        [p[2] for p in points],
        [[p[3], p[0]] for p in points],
        "y3",
    )


def _outlines(fig: go.Figure, needed: Columns, lanes: Lanes) -> None:
    boxes = []
    for t, record in zip(needed["t"], needed["record_id"], strict=True):
        if record in lanes.at:
            top, bottom = lanes.at[record]
            boxes.append([(t - 0.5, top), (t + 0.5, top), (t + 0.5, bottom), (t - 0.5, bottom), (t - 0.5, top)])
    _path(
        fig,
        boxes,
        "y3",
        "needed at a decision point",
        "square-open",
        line={"width": 1, "color": palette.MISSING.colour},
        legendrank=8,
    )


def _actions(fig: go.Figure, actions: Columns, lanes: Lanes, steps: int) -> None:
    dx = steps / _PLOT_WIDTH * 3
    shapes: dict[str, Callable[[int, float, float], list[list[tuple[float, float]]]]] = {
        "refresh": lambda t, a, b: [
            [(t - dx, (a + b) / 2), (t, a), (t + dx, (a + b) / 2), (t, b), (t - dx, (a + b) / 2)]
        ],
        "drop": lambda t, a, b: [[(t - dx, a), (t + dx, b)], [(t - dx, b), (t + dx, a)]],
        "rerun": lambda t, a, b: [[(t - dx, b), (t, a), (t + dx, b)]],
    }
    signs = {"refresh": "diamond-open", "drop": "x-thin", "rerun": "arrow-up-open"}
    for name, shape in shapes.items():
        pieces = []
        for t, record, action in zip(actions["t"], actions["record_id"], actions["action"], strict=True):
            if action == name and record in lanes.at:
                top, bottom = lanes.at[record]
                middle, half = (top + bottom) / 2, max(2.2, (bottom - top) / 2)
                pieces += shape(t, middle - half, middle + half)
        _path(fig, pieces, "y3", name, signs[name], line={"width": 1.1, "color": palette.ink()}, legendrank=9)


def table(drawn: dict[str, Any]) -> pd.DataFrame:
    """The data of the top panel, one row a drawn step."""
    return pd.DataFrame(drawn["held"])
