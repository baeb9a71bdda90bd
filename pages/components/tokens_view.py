"""The tokens page: growth against edits (the paper's Figure 2), and a run beside itself under the default actions."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from sqlalchemy import Connection

from core.context.cost import run_cost
from pages.components import charts, palette, style, words
from storage import queries
from storage.queries import Columns

_LINES = (
    ("held", "held", None, "solid"),
    ("unneeded", "unneeded", palette.UNNEEDED.colour, "solid"),
    ("stale", "stale unneeded", palette.STALE.colour, "dash"),
    ("needed", "needed", palette.HELD_NEEDED.colour, "dashdot"),
    ("missing", "missing", palette.MISSING.colour, "dot"),
)
_KEPT = tuple((f"m_{column}", name, colour, dash) for column, name, colour, dash in _LINES[:3])
# The paper's Figure 2: before the first edit, and after the thirtieth.
_PAPER = {"held": ((0, 5_900), (30, 28_600)), "unneeded": ((0, 4_400), (30, 23_000))}


def growth(rows: pd.DataFrame, axis: str, paper: bool, pooled: bool, kept: bool, most: float) -> go.Figure:
    """Thin lines a run, thick lines their mean at each x, and n under the axis when runs are pooled.

    ``kept`` draws the same run under the default actions; ``most`` is the top of the axis, the same for both.
    """
    fig = charts.figure(380, x="edits so far" if axis == "edits" else "step", y="tokens")
    grid = rows.groupby(axis, sort=True)
    for column, name, colour, dash in _KEPT if kept else _LINES:
        shade = colour or palette.ink()
        if pooled:
            _thin(fig, rows, axis, column, shade)
            mean = grid[column].mean()
            count = grid[column].count()
            text = [
                f"<b>{name}</b><br>mean {words.count(v)} tokens at {axis} {x}<br>n = {n} runs"
                for x, v, n in zip(mean.index, mean, count, strict=True)
            ]
            fig.add_scatter(
                x=mean.index,
                y=mean,
                name=name,
                mode="lines",
                line={"color": shade, "width": 3, "dash": dash},
                hovertext=text,
                hovertemplate="%{hovertext}<extra></extra>",
            )
        else:
            custom = rows[["run_id", "t"]].to_numpy().tolist()
            text = [
                f"<b>{name}</b> {words.count(v)} tokens<br>after step {t}, {e} edits so far"
                for v, t, e in zip(rows[column], rows["t"], rows["edits"], strict=True)
            ]
            fig.add_scatter(
                x=rows[axis],
                y=rows[column],
                name=name,
                mode="lines+markers" if len(rows) < 12 else "lines",  # a single point has no line
                line={"color": shade, "width": 2.2, "dash": dash},
                hovertext=text,
                hovertemplate="%{hovertext}<extra></extra>",
                customdata=custom,
            )
            fig.add_scatter(
                x=rows[axis],
                y=rows[column],
                mode="markers",
                marker={"opacity": 0, "size": 5, "maxdisplayed": 1},
                showlegend=False,
                hovertext=text,
                hovertemplate="%{hovertext}<extra></extra>",
                customdata=custom,
            )
    if paper and not kept:
        for name, ends in _PAPER.items():
            shade = palette.ink() if name == "held" else palette.UNNEEDED.colour
            fig.add_scatter(
                x=[a for a, _ in ends],
                y=[b for _, b in ends],
                mode="lines+markers",
                name=f"paper: {name}",
                line={"dash": "dot", "width": 1.4, "color": shade},
                marker={"size": 7, "symbol": "x-thin-open", "color": shade},
                hovertemplate="paper, " + name + ": %{y:,d} tokens at %{x} edits<extra></extra>",
            )
    fig.update_yaxes(tickformat="~s", range=[0, most * 1.05])
    last = max(float(rows[axis].max()), 30.0 if paper else 1.0)
    fig.update_xaxes(tickformat=",d", range=[-0.03 * last, 1.03 * last])
    if pooled:
        fig.update_xaxes(title={"standoff": 30})
        _counts(fig, grid["held"].count())
    fig.update_layout(
        margin={"l": 64, "r": 16, "t": 54, "b": 70 if pooled else 44}, clickmode="event+select", dragmode="zoom"
    )
    return fig


def _thin(fig: go.Figure, rows: pd.DataFrame, axis: str, column: str, shade: str) -> None:
    """All runs' lines of one quantity as one faint trace with gaps."""
    x: list[float | None] = []
    y: list[float | None] = []
    for _, part in rows.groupby("run_id", sort=True):
        x += [*part[axis], None]
        y += [*part[column], None]
    fig.add_scatter(
        x=x, y=y, mode="lines", line={"color": shade, "width": 0.8}, opacity=0.4, showlegend=False, hoverinfo="skip"
    )


def _counts(fig: go.Figure, count: pd.Series) -> None:
    """n under the axis at about twelve places."""
    every = max(1, len(count) // 12)
    for x, n in list(count.items())[::every]:
        fig.add_annotation(x=x, y=0, yref="paper", yshift=-32, text=f"n={n}", showarrow=False, font={"size": 10})


def area(held: Columns) -> go.Figure:
    """Held as recorded above held under the default actions, the area between them shaded."""
    fig = charts.figure(300, x="step", y="tokens held")
    t = held["t"]
    whole = [a + b + c for a, b, c in zip(held["true_tokens"], held["stale_tokens"], held["none_tokens"], strict=True)]
    kept = [a + b + c for a, b, c in zip(held["m_true"], held["m_stale"], held["m_none"], strict=True)]
    for name, values, colour, fill, width in (
        ("under the default actions", kept, palette.policy(), None, 2),
        ("as recorded", whole, palette.ink(), "tonexty", 2),
    ):
        fig.add_scatter(
            x=t,
            y=values,
            name=name,
            mode="lines",
            line={"width": width, "color": colour},
            fill=fill,
            fillcolor="rgba(106,76,147,0.22)",
            hovertemplate=name + ": %{y:,d} tokens after step %{x:,d}<extra></extra>",
        )
    for name, values, colour in (
        ("stale, as recorded", held["stale_tokens"], palette.STALE.colour),
        ("stale, under the default actions", held["m_stale"], palette.STALE.colour),
    ):
        fig.add_scatter(
            x=t,
            y=values,
            name=name,
            mode="lines",
            line={"width": 1.3, "color": colour, "dash": "dot" if "default" in name else "dash"},
            hovertemplate=name + ": %{y:,d} tokens after step %{x:,d}<extra></extra>",
        )
    fig.update_yaxes(tickformat="~s", rangemode="tozero")
    fig.update_xaxes(tickformat=",d")
    return fig


@dataclass(frozen=True, slots=True)
class Saved:
    """Sums over all requests of a run, as recorded and under the default actions; requests None: not reported."""

    requests: int
    assumed: bool
    sent: int
    m_sent: int
    priced: float
    m_priced: float


@dataclass(frozen=True, slots=True)
class _Held:
    id: str
    origin: str
    from_t: int
    until: int | None
    tokens: int


def priced(connection: Connection, run_id: str) -> Saved | None:
    """What all requests sent and would have cost; a request a step is assumed where the transcript names none."""
    requests = queries.request_steps(connection, run_id)
    assumed = not requests
    items, kept = queries.held_items(connection, run_id)
    last = max([i["from_t"] for i in (*items, *kept)], default=0)
    steps = sorted(set(requests)) if requests else list(range(2, last + 2))
    if not items or len(steps) > 60_000:
        return None
    recorded = run_cost([_Held(**i) for i in items], steps)
    under = run_cost([_Held(**i) for i in kept], steps)
    return Saved(
        len(steps),
        assumed,
        sum(c.sent for c in recorded),
        sum(c.sent for c in under),
        sum(c.priced for c in recorded),
        sum(c.priced for c in under),
    )


def facts(cost: Saved | None, held: Columns) -> None:
    """The area between the curves, named in tokens and in price."""
    end = [held[n][-1] or 0 for n in ("true_tokens", "stale_tokens", "none_tokens")]
    kept = [held[n][-1] or 0 for n in ("m_true", "m_stale", "m_none")]
    parts = [
        f"at the end <b>{words.count(sum(end))}</b> held as recorded, <b>{words.count(sum(kept))}</b> "
        "under the default actions"
    ]
    if cost is None:
        parts.append("price n/a")
    else:
        saved, price = cost.sent - cost.m_sent, cost.priced - cost.m_priced
        every = "one request a step assumed" if cost.assumed else words.plural(cost.requests, "request")
        how = "fewer" if saved >= 0 else "more"
        parts.append(
            f"over {every}: <b>{words.count(abs(saved))}</b> {how} tokens sent than the "
            f"{words.count(cost.sent)} recorded "
            f"({words.share(abs(saved), cost.sent)})"
        )
        sign = "cheaper" if price >= 0 else "dearer"
        parts.append(
            f"priced with the prompt cache (read 0.1, write 1.25): <b>{words.count(abs(price))}</b> "
            f"input tokens {sign} "
            f"({words.share(abs(price), cost.priced)}), because a rewrite makes what follows it cold"
        )
    style.facts(*parts)
