"""The policies page below the fold: CE against Cleared, the curves across edits, two policies point by point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.tracebench.bootstrap import MEASURES
from core.tracebench.scores import CurveDot, Sums, ce, ce_at, ce_curve
from pages.components import charts, palette, words
from pages.components.policy_look import look, shade
from pages.components.policy_numbers import (
    BIN_NAMES,
    BINS,
    MEASURED,
    PAPER,
    Measured,
    Standing,
    pooled,
    says,
    signed,
    sums_of,
)
from storage.queries import Row

FAMILIES = (("recency windows", "recency-"), ("age windows", "age-"))
_PLOT = (1040.0, 330.0)  # about the size of the plot in pixels, for the places of labels


def curve(rows: Sequence[Standing], chosen: str, paper: bool) -> go.Figure:
    """CE against Cleared: how selective each policy is at what volume."""
    spread = [d for d in ce_curve(pooled(rows)) if math.isfinite(d.ce)]
    by_name = {r.policy: r for r in rows}
    fig = charts.figure(430, x="Cleared: % of the unneeded tokens held that leave", y="CE: cleared / lost tokens")
    theirs = {p: v for p, v in PAPER.items() if paper and {"ce", "cleared"} <= v.keys()}
    reached = [*(d.ce for d in spread), *(v["ce"] for v in theirs.values())] or [0.0, 1.0]
    room = 0.12 * (max(reached) - min(reached)) or 1.0
    low, top = max(0.0, min(reached) - room), max(reached) + room
    for name, start in FAMILIES:
        some = [d for d in spread if d.policy.startswith(start)]
        fig.add_scatter(
            x=[100 * d.cleared for d in some], y=[d.ce for d in some], mode="lines", name=name, hoverinfo="skip",
            line={"color": look("recency-5").colour, "width": 1.2, "dash": "solid" if start[0] == "r" else "dot"},
        )  # fmt: skip
    places = _labels(spread, low, top)
    for dot, place in zip(spread, places, strict=True):
        style = look(dot.policy)
        row = by_name[dot.policy]
        fig.add_scatter(
            x=[100 * dot.cleared], y=[dot.ce], mode="markers+text", showlegend=False,
            text=[charts.text(dot.policy, 24)], textposition=place,
            textfont={"size": 11, "color": style.colour}, customdata=[[dot.policy]],
            marker={"color": style.colour, "size": 14 if dot.policy == chosen else 9, "symbol": style.symbol,
                    "line": {"width": 1.6, "color": style.colour}},
            hovertext=[_told(row)], hovertemplate="%{hovertext}<extra></extra>",
        )  # fmt: skip
    _base_rate(fig, rows)
    for policy, value in theirs.items():
        fig.add_scatter(
            x=[100 * value["cleared"]], y=[value["ce"]], mode="markers", name=f"the paper's {policy}",
            marker={"symbol": "x-thin", "size": 10, "line": {"width": 2, "color": palette.ink()}},
            hovertemplate=f"paper: {policy}<br>CE {value['ce']}, Cleared {100 * value['cleared']:.1f}%<extra></extra>",
        )  # fmt: skip
    fig.update_xaxes(range=[-4, 108], ticksuffix="%")
    fig.update_yaxes(range=[low, top])
    fig.update_layout(clickmode="event+select", dragmode="zoom")
    return fig


def _base_rate(fig: go.Figure, rows: Sequence[Standing]) -> None:
    """Dropping at random reaches what dropping everything reaches: the ratio of what is held."""
    sums = next((r.sums for r in rows if r.state == "ok"), None)
    if sums is None or not sums.held_needed:
        return
    rate = ce(replace(sums, cleared=sums.unneeded, lost=sums.held_needed))
    name = f"unneeded / needed held = {rate:.2f} (dropping without looking)"
    fig.add_scatter(
        x=[0, 100], y=[rate, rate], mode="lines", name=name,
        line={"color": palette.ink(), "width": 1, "dash": "dash"}, hoverinfo="skip",
    )  # fmt: skip


def _labels(spread: Sequence[CurveDot], low: float, top: float) -> list[str]:
    """A side for each label where it meets no label placed before it."""
    at = [(_PLOT[0] * (d.cleared + 0.04) / 1.12, _PLOT[1] * (d.ce - low) / (top - low)) for d in spread]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in at]
    found = []
    for n, (dot, (x, y)) in enumerate(zip(spread, at, strict=True)):
        width = 6.4 * min(24, len(dot.policy))
        boxes = {
            "middle right": (x + 8, y - 8, x + 8 + width, y + 8),
            "middle left": (x - 8 - width, y - 8, x - 8, y + 8),
            "top center": (x - width / 2, y + 6, x + width / 2, y + 22),
            "bottom center": (x - width / 2, y - 22, x + width / 2, y - 6),
        }
        fits = {k: b for k, b in boxes.items() if b[0] >= 0 and b[2] <= _PLOT[0] and b[1] >= 0}
        others = [b for m, b in enumerate(taken) if m != n]
        meets = {k: sum(_meet(b, other) for other in others) for k, b in fits.items()}
        place = min(meets, key=lambda k: meets[k]) if meets else "middle right"
        taken.append(boxes[place])
        found.append(place)
    return found


def _meet(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _told(row: Standing) -> str:
    lines = [f"{m.name} {row.says(m.key)}: {m.counted(row.sums)}" for m in MEASURED]
    return "<br>".join([f"<b>{charts.text(row.policy)}</b>", *lines, f"gold source: {charts.text(row.gold_source)}"])


def at_equal_cleared(rows: Sequence[Standing], policy: Standing) -> list[str]:
    """What windows reach at the share the policy clears: the comparison at equal volume, one sentence a family."""
    if policy.state != "ok" or not policy.value("cleared") > 0:
        return []
    share = policy.value("cleared")
    told = []
    for name, start in FAMILIES:
        value = ce_at(pooled([r for r in rows if r.policy.startswith(start)]), share)
        reach = "do not reach that share" if math.isnan(value) else f"reach CE {says('ce', value)}"
        told.append(f"{name} {reach}")
    return told


def across_edits(rows: Sequence[Row], shown: Sequence[str]) -> go.Figure:
    """Cleared and Found by edits so far, one line a policy, the points of a bin pooled; n under the axes."""
    fig = charts.figure(400)
    seen: dict[int, int] = {}
    for policy in shown:
        mine = {int(r["edits"]): sums_of(r) for r in rows if r["policy"] == policy}
        seen |= {edits: s.points for edits, s in mine.items()}
        for key, axis in (("cleared", ""), ("found", "2")):
            _line(fig, policy, mine, key, axis)
    for n, key, domain in ((1, "cleared", [0, 0.475]), (2, "found", [0.525, 1])):
        measured = next(m for m in MEASURED if m.key == key)
        axis = "" if n == 1 else "2"
        ticks = [f"{name}<br>n={seen[least]}" if least in seen else name
                 for least, name in zip(BINS, BIN_NAMES, strict=True)]  # fmt: skip
        x = {"domain": domain, "title": {"text": "edits so far (n = decision points)", "standoff": 6},
             "tickvals": list(range(len(BINS))), "ticktext": ticks, "range": [-0.3, len(BINS) - 0.7],
             "gridcolor": palette.faint(), "zeroline": False, "anchor": f"y{axis}"}  # fmt: skip
        y = {"title": {"text": f"{measured.name} ({measured.unit})", "standoff": 6}, "range": [-3, 103],
             "gridcolor": palette.faint(), "zeroline": False, "anchor": f"x{axis}"}  # fmt: skip
        fig.update_layout({f"xaxis{axis}": x, f"yaxis{axis}": y})
    fig.update_layout(margin={"l": 64, "r": 16, "t": 54, "b": 64}, clickmode="event+select", dragmode="zoom")
    return fig


def _line(fig: go.Figure, policy: str, mine: Mapping[int, Sums], key: str, axis: str) -> None:
    style = look(policy)
    measured = next(m for m in MEASURED if m.key == key)
    bins = [(n, mine[least]) for n, least in enumerate(BINS) if least in mine]
    values = [MEASURES[key](s) for _, s in bins]
    told = [
        f"<b>{charts.text(policy)}</b>, {BIN_NAMES[n]} edits so far<br>{measured.name} {says(key, v)}: "
        f"{measured.counted(s)}<br>n = {words.plural(s.points, 'point')}"
        for (n, s), v in zip(bins, values, strict=True)
    ]
    fig.add_scatter(
        x=[n for n, _ in bins],
        y=[None if math.isnan(v) else 100 * v for v in values],
        xaxis=f"x{axis}", yaxis=f"y{axis}", name=charts.text(policy), legendgroup=policy, showlegend=not axis,
        mode="lines+markers", connectgaps=False,
        line={"color": style.colour, "dash": style.dash, "width": 2.2 if policy == "statetape" else 1.5},
        marker={"symbol": style.symbol, "size": 8, "color": style.colour,
                "line": {"width": 1.2, "color": style.colour}},
        customdata=[[policy]] * len(bins), hovertext=told, hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip


def edits_table(rows: Sequence[Row], shown: Sequence[str]) -> pd.DataFrame:
    """The data behind the curves."""
    names = dict(zip(BINS, BIN_NAMES, strict=True))
    return pd.DataFrame(
        [
            {"policy": r["policy"], "edits": names[int(r["edits"])], "points": r["points"]}
            | {m.key: MEASURES[m.key](sums_of(r)) for m in MEASURED}
            | {k: r[k] for k in ("unneeded", "cleared", "held_needed", "lost", "net_lost", "missing", "found", "added")}
            for r in rows
            if r["policy"] in shown
        ]
    )


def pairs(rows: Sequence[Row], first: str, second: str) -> list[tuple[Row, Row]]:
    """The stored rows of both policies at each point at which both decided, in order."""
    at: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows:
        at.setdefault((row["run_id"], row["t"]), {})[row["policy"]] = row
    both = (found for found in at.values() if first in found and second in found)
    return [(f[first], f[second]) for f in both if f[first]["state"] == f[second]["state"] == "ok"]


def gaps(both: Sequence[tuple[Row, Row]], measured: Measured, chosen: tuple[str, str]) -> go.Figure:
    """first - second in the tokens of a measure's numerator, one bar a point, runs side by side."""
    field = "added" if measured.key == "added_per_point" else measured.key
    first, second = (both[0][0]["policy"], both[0][1]["policy"]) if both else ("", "")
    fig = charts.figure(330, x="decision point (run by run, in step order)", y=f"{measured.name}: difference in tokens")
    values = [a[field] - b[field] for a, b in both]
    told = [_gap(a, b, measured, v) for (a, b), v in zip(both, values, strict=True)]
    custom = [[a["run_id"], a["t"]] for a, _ in both]
    for name, more in ((f"more in {first}", True), (f"more in {second}", False)):
        policy = first if more else second
        some = [n for n, v in enumerate(values) if (v > 0) == more and v]
        fig.add_bar(
            x=some, y=[values[n] for n in some], name=charts.text(name, 60), customdata=[custom[n] for n in some],
            marker={"color": look(policy).colour if policy != second else "#9AA5B1", "line": {"width": 0}},
            hovertext=[told[n] for n in some], hovertemplate="%{hovertext}<extra></extra>",
        )  # fmt: skip
    same = [n for n, v in enumerate(values) if not v]
    fig.add_scatter(
        x=same, y=[0] * len(same), mode="markers", name="no difference", customdata=[custom[n] for n in same],
        marker={"symbol": "circle-open", "size": 7, "color": shade("ink")}, hovertext=[told[n] for n in same],
        hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
    _runs(fig, both, chosen)
    fig.update_yaxes(tickformat="~s", zeroline=True, zerolinecolor=palette.ink())
    fig.update_layout(clickmode="event+select", dragmode=False, bargap=0.15, barmode="overlay",
                      margin={"l": 64, "r": 16, "t": 40, "b": 64})  # fmt: skip
    return fig


def _runs(fig: go.Figure, both: Sequence[tuple[Row, Row]], chosen: tuple[str, str]) -> None:
    """Where each run's points end, its name under them, and an outline around the chosen point."""
    starts = [n for n, (a, _) in enumerate(both) if not n or a["run_id"] != both[n - 1][0]["run_id"]]
    ends = [*starts[1:], len(both)]
    for start in starts[1:]:
        fig.add_vline(x=start - 0.5, line={"width": 1, "dash": "dot", "color": palette.ink()})
    names = [charts.text(both[s][0]["run_id"], max(6, 3 * (e - s))) for s, e in zip(starts, ends, strict=True)]
    middles = [(s + e - 1) / 2 for s, e in zip(starts, ends, strict=True)]
    fig.update_xaxes(tickvals=middles, ticktext=names, range=[-0.7, len(both) - 0.3], showgrid=False, fixedrange=True)
    at = next((n for n, (a, _) in enumerate(both) if (a["run_id"], str(a["t"])) == chosen), None)
    if at is not None:
        fig.add_vrect(x0=at - 0.5, x1=at + 0.5, line={"width": 1.5, "color": palette.ink()}, fillcolor="rgba(0,0,0,0)")


def _gap(a: Row, b: Row, measured: Measured, value: int) -> str:
    one, two = sums_of(a), sums_of(b)
    key = measured.key
    parts = [
        f"{charts.text(r['policy'])}: {says(key, MEASURES[key](s))} ({measured.counted(s)})"
        for r, s in ((a, one), (b, two))
    ]
    return "<br>".join(
        [f"<b>point P{a['t']}</b> of {charts.text(a['run_id'], 44)}", *parts,
         f"difference {signed('added_per_point', value)} tokens", "a click opens the point"]
    )  # fmt: skip


def gaps_table(both: Sequence[tuple[Row, Row]]) -> pd.DataFrame:
    """The data behind the bars."""
    fields = ("unneeded", "held_needed", "missing", "cleared", "lost", "net_lost", "found", "added")
    told: list[dict[str, Any]] = []
    for a, b in both:
        row: dict[str, Any] = {"run": a["run_id"], "t": a["t"], "gold_source": a["gold_source"]}
        row |= {"first": a["policy"], "second": b["policy"]}
        row |= {f: a[f] for f in fields[:3]}
        for f in fields[3:]:
            row |= {f"first_{f}": a[f], f"second_{f}": b[f], f"difference_{f}": a[f] - b[f]}
        told.append(row)
    return pd.DataFrame(told)
