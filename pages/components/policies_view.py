"""The policies page above the fold: every measure of every policy as dots with intervals, and Table 2.

Undefined, infinite and "needs a model" are words, never zeros. The paper's values are crosses in the chart and
columns of their own in the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.tracebench.oracles import ORACLES
from pages.components import charts, palette, tables, words
from pages.components.policy_look import shade
from pages.components.policy_numbers import MEASURED, NEEDS_MODEL, PAPER, Measured, Standing, says

_ROW = 20
_TOP = 62
_WIDE = 0.9  # of the one unit of the x axis that each panel has
_FAR = 4.0  # a value this many times beyond all of ours is told at the edge instead of stretching the axis
PAPER_COLUMNS = ("ce", "re", "cleared", "found", "added_per_point")


@dataclass(frozen=True, slots=True)
class _Panel:
    """One measure's part of the x axis: values 0..top stand on left..left + _WIDE."""

    measured: Measured
    left: float
    top: float

    def x(self, value: float) -> float:
        """Where a value stands; beyond the top is the right edge."""
        return self.left + _WIDE * max(0.0, min(value / self.top, 1.0))


def dots(rows: Sequence[Standing], chosen: str, paper: bool) -> go.Figure:
    """One row a policy, one panel a measure; bars are 95% intervals over runs, crosses the paper's values.

    All panels lie on one x axis, so that the chart stays small in nodes; labels, ticks and hovers say true values.
    """
    kept = [r for r in rows if r.state == "ok"]
    fig = charts.figure(_TOP + 34 + _ROW * max(1, len(kept)))
    panels = [_Panel(m, float(n), _top(m, kept, paper)) for n, m in enumerate(MEASURED)]
    for n, row in enumerate(kept):
        if row.policy == chosen or n % 2:
            tint = "rgba(106,76,147,0.20)" if row.policy == chosen else "rgba(128,140,152,0.09)"
            box = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": n - 0.5, "y1": n + 0.5}
            fig.add_shape(**box, line_width=0, layer="below", fillcolor=tint)
    for panel in panels:
        _draw(fig, kept, panel)
        if paper:
            _crosses(fig, kept, panel)
        unit = f"<span style='font-size:10px'>{panel.measured.unit}</span>"
        fig.add_annotation(
            x=panel.left + _WIDE / 2, y=1, yref="paper", yanchor="bottom", yshift=18, showarrow=False,
            text=f"<b>{panel.measured.name}</b><br>{unit}", font={"size": 12},
        )  # fmt: skip
    _legend(fig, paper)
    names = [words.esc(words.clip(r.policy, 22)) for r in kept]
    fig.update_yaxes(
        tickvals=list(range(len(kept))),
        ticktext=[f"<b>{name}</b>" if r.policy == chosen else name for name, r in zip(names, kept, strict=True)],
        range=[len(kept) - 0.5, -0.5],
        fixedrange=True,
        showgrid=False,
        tickfont={"size": 12},
    )
    ticks = [(panel.x(v), text) for panel in panels for v, text in _ticks(panel)]
    fig.update_xaxes(
        side="top", range=[-0.06, len(panels) - 1 + _WIDE + 0.04], fixedrange=True, tickfont={"size": 10},
        tickvals=[x for x, _ in ticks], ticktext=[text for _, text in ticks],
    )  # fmt: skip
    fig.update_layout(
        margin={"l": 140, "r": 8, "t": _TOP, "b": 30},
        legend={"y": -0.01, "yanchor": "top"},
        clickmode="event+select",
        dragmode=False,
    )
    return fig


def _top(measured: Measured, rows: Sequence[Standing], paper: bool) -> float:
    """The right end of a panel, in what it shows: oracles and a far paper value do not stretch it."""
    if measured.kind == "share":
        return 1.0
    values = [v for r in rows if r.policy not in ORACLES and math.isfinite(v := r.value(measured.key))]
    most = max(values, default=0.0) or 1.0
    theirs = [v[measured.key] for v in PAPER.values() if paper and measured.key in v]
    return 1.25 * max([most, *(v for v in theirs if v <= _FAR * most)])


def _ticks(panel: _Panel) -> list[tuple[float, str]]:
    """Zero and one or two round values."""
    if panel.measured.kind == "share":
        return [(0.0, "0"), (0.5, "50"), (1.0, "100")]
    power = 10.0 ** math.floor(math.log10(panel.top / 2))
    step = max(m * power for m in (1, 2, 5) if m * power <= panel.top / 2)
    values = [step * n for n in range(int(panel.top / step) + 1)][:4]
    return [(v, f"{v / 1000:g}k" if v >= 1000 else f"{v:g}") for v in values]


def _draw(fig: go.Figure, rows: Sequence[Standing], panel: _Panel) -> None:
    """The dots of one measure, their intervals as one line with gaps, and words where there is no number."""
    measured, colour = panel.measured, shade(panel.measured.colour)
    values = [r.value(measured.key) for r in rows]
    spans = [(n, ends) for n, r in enumerate(rows) if (ends := _ends(r, measured)) is not None]
    fig.add_scatter(
        x=[x for _, (low, high) in spans for x in (panel.x(low), panel.x(high), None)],
        y=[y for n, _ in spans for y in (n, n, None)],
        mode="lines", line={"color": colour, "width": 2}, opacity=0.55, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    known = [n for n, v in enumerate(values) if not math.isnan(v)]
    round_ = "circle-open" if measured.key == "net_lost" else "circle"
    fig.add_scatter(
        x=[panel.x(values[n]) for n in known],
        y=known,
        mode="markers",
        showlegend=False,
        marker={"color": colour, "size": 9, "line": {"width": 1.6, "color": colour},
                "symbol": ["triangle-right" if values[n] > panel.top else round_ for n in known]},
        **_told([_hover(rows[n], measured) for n in known], [rows[n].policy for n in known]),
    )  # fmt: skip
    none = [n for n, v in enumerate(values) if math.isnan(v)]
    fig.add_scatter(
        x=[panel.left + 0.01] * len(none),
        y=none,
        mode="text",
        showlegend=False,
        text=[words.NA] * len(none),
        textposition="middle right",
        textfont={"size": 10, "color": palette.LOST_CALLER.colour},
        **_told([_hover(rows[n], measured) for n in none], [rows[n].policy for n in none]),
    )


def _told(texts: Sequence[str], policies: Sequence[str]) -> dict[str, Any]:
    """Hover in words, and the policy a click chooses."""
    custom = [[p] for p in policies]
    return {"hovertext": list(texts), "hovertemplate": "%{hovertext}<extra></extra>", "customdata": custom}


def _crosses(fig: go.Figure, rows: Sequence[Standing], panel: _Panel) -> None:
    """The paper's values of this measure; one beyond the panel stands at its edge with its number."""
    key = panel.measured.key
    there = [(n, PAPER[r.policy][key]) for n, r in enumerate(rows) if key in PAPER.get(r.policy, {})]
    told = [
        f"<b>paper: {rows[n].policy}</b><br>{panel.measured.name} {says(key, v)}<br>403 points of 48 runs, "
        "reference gold"
        for n, v in there
    ]
    fig.add_scatter(
        x=[panel.x(v) for _, v in there],
        y=[n for n, _ in there],
        mode="markers+text",
        showlegend=False,
        marker={"symbol": "x-thin", "size": 8, "line": {"width": 1.8, "color": palette.ink()}},
        text=[f"{says(key, v)}  " if v > panel.top else "" for _, v in there],
        textposition="top left",
        textfont={"size": 10},
        **_told(told, [rows[n].policy for n, _ in there]),
    )


def _ends(row: Standing, measured: Measured) -> tuple[float, float] | None:
    """The interval, if there is one."""
    found = row.intervals.get(measured.key)
    return None if found is None or found.low is None or found.high is None else (found.low, found.high)


def _hover(row: Standing, measured: Measured) -> str:
    lines = [
        f"<b>{charts.text(row.policy)}</b>",
        f"{measured.name} {row.says(measured.key)}: {measured.counted(row.sums)}",
    ]
    ends = _ends(row, measured)
    if ends is not None:
        low, high = (says(measured.key, end) for end in ends)
        lines.append(f"95% interval over {words.plural(len(row.runs), 'run')}: {low} to {high}")
    else:
        lines.append("one run: no interval" if len(row.runs) < 2 else "no interval: undefined")
    lines.append(f"gold source: {charts.text(row.gold_source)}")
    return "<br>".join(lines)


def _legend(fig: go.Figure, paper: bool) -> None:
    ink = palette.ink()
    signs = [
        ("all points pooled", {"symbol": "circle", "size": 9, "color": ink}),
        ("95% interval over runs", {"symbol": "line-ew", "size": 14, "line": {"width": 1.6, "color": ink}}),
        ("beyond the panel, or infinite", {"symbol": "triangle-right", "size": 10, "color": ink}),
    ]
    if paper:
        signs.append(("the paper's value", {"symbol": "x-thin", "size": 8, "line": {"width": 1.8, "color": ink}}))
    for name, marker in signs:
        fig.add_scatter(x=[None], y=[None], mode="markers", name=name, marker=marker, hoverinfo="skip")


def numbers(rows: Sequence[Standing]) -> pd.DataFrame:
    """Table 2 with every number behind it: the download of chart and table."""
    told = []
    for r in rows:
        row: dict[str, Any] = {"policy": r.policy, "gold_source": r.gold_source, "points": r.sums.points}
        row |= {"runs": len(r.runs), "state": "ok" if r.state == "ok" else NEEDS_MODEL}
        for m in MEASURED:
            found = r.intervals.get(m.key)
            row[m.key] = r.value(m.key)
            row |= {f"{m.key}_low": found.low if found else None, f"{m.key}_high": found.high if found else None}
        for name in ("unneeded", "held_needed", "missing", "cleared", "lost", "net_lost", "found", "added"):
            known = r.state == "ok" or name in {"unneeded", "held_needed", "missing"}
            row[f"{name}_tokens"] = getattr(r.sums, name) if known else None
        row |= {f"paper_{key}": PAPER.get(r.policy, {}).get(key) for key in PAPER_COLUMNS}
        told.append(row)
    return pd.DataFrame(told)


def table(rows: Sequence[Standing]) -> Any:
    """Table 2 as people read it; our cells stay numbers underneath, so that a click on a head sorts them."""
    frame = pd.DataFrame(
        [
            {"policy": r.policy, "decided": _decided(r), "gold": r.gold_source, "points": r.sums.points}
            | {m.key: r.value(m.key) * (100 if m.kind == "share" else 1) for m in MEASURED}
            | {f"paper {k}": says(k, PAPER[r.policy][k]) if k in PAPER.get(r.policy, {}) else "" for k in PAPER_COLUMNS}
            for r in rows
        ]
    )
    styled = frame.style
    for m in MEASURED:
        for n, r in enumerate(rows):
            styled = styled.format(lambda _, r=r, m=m: r.says(m.key), subset=pd.IndexSlice[[n], [m.key]])
    return styled


def _decided(row: Standing) -> str:
    if row.state != "ok":
        return NEEDS_MODEL
    return "labels" if row.policy in ORACLES else "rules"


def columns() -> dict[str, Any]:
    """The heads of Table 2."""
    helps = {
        "ce": ("CE, Eq. 3: unneeded tokens cleared for each needed token lost", 56),
        "cleared": ("Share of the unneeded tokens held that leaves", 62),
        "lost": ("Share of the needed tokens held that leaves (gross: a refreshed record counts)", 56),
        "net_lost": ("Of those, what nothing in the context shows any more", 62),
        "re": ("RE, Eq. 4: percentage points of missing tokens found for each thousand tokens added a point", 66),
        "found": ("Share of the missing tokens that is added", 56),
        "added_per_point": ("Tokens added a decision point: refreshed views, tombstones, stubs, retrieved code", 88),
    }
    config: dict[str, Any] = {
        "policy": tables.text("policy", width=134),
        "decided": tables.text("decided by", "Rules, a model (none is connected), or the labels: a bound", 96),
        "gold": tables.text("gold", "Where the needed regions come from", 72),
        "points": tables.number("points", "Scored decision points", 48),
    }
    for m in MEASURED:
        label = "Added / point" if m.key == "added_per_point" else m.name
        text, width = helps[m.key]
        config[m.key] = tables.COLUMNS.NumberColumn(label, help=text, width=width)
    wide = {"ce": 64, "re": 64, "cleared": 86, "found": 80, "added_per_point": 82}
    for key in PAPER_COLUMNS:
        name = next(m.name for m in MEASURED if m.key == key)
        said = "Printed in the paper (403 points, 48 runs, reference gold); empty where it prints none"
        config[f"paper {key}"] = tables.COLUMNS.TextColumn(
            f"paper {name}", help=said, width=wide[key], alignment="right"
        )
    return config
