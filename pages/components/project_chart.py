"""The project's state over a run as one chart: the diagnostic score with what moved it, and the open relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.harness.run import HarnessRun, HarnessStep
from pages.components import charts, palette, words

MARKS = {
    "missing-completions": ("three shell calls without a completion", "triangle-up"),
    "repeated-reads": ("one file read three times", "circle"),
    "neglected-brief": ("25 calls without brief, edit or test", "square"),
}
KINDS = ("caller", "test", "documentation", "configuration", "schema")
_SHADES = ("#C2407A", "#D977A3", "#8A6FB0", "#5B8DB8", "#7FB3A6")


def counts(run: HarnessRun) -> pd.DataFrame:
    """Score, cooldown and open relations by kind after every step that moved one of them."""
    opened: dict[tuple[str, str, str], str] = {}
    rows = []
    for step in run.steps:
        for r in step.change.relations:
            if r.state == "open":
                opened[r.key] = r.kind
            else:
                opened.pop(r.key, None)
        kinds = {kind: sum(1 for k in opened.values() if k == kind) for kind in KINDS}
        rows.append({"t": step.t, "score": step.counters.score, "cooldown": step.counters.cooldown, **kinds})
    return pd.DataFrame(rows, columns=["t", "score", "cooldown", *KINDS])


def figure(run: HarnessRun, steps: int, threshold: int) -> go.Figure:
    """Score, signals, reminders and diagnoses above; relations not looked at since below; cooldowns shaded."""
    table = counts(run)
    fig = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.45, 0.55], vertical_spacing=0.06)
    fig.update_layout(charts.figure(430).layout)
    ink = palette.ink()
    fig.add_scatter(
        x=table["t"],
        y=table["score"],
        mode="lines",
        line={"shape": "hv", "color": ink, "width": 2},
        name="diagnostic score",
        hovertemplate="score %{y} after step %{x:,d}<extra></extra>",
        row=1,
        col=1,
    )
    for first, last in cooldowns(run.steps, steps):  # after the trace: an empty subplot takes no shape
        fig.add_vrect(x0=first, x1=last, fillcolor=palette.NONE.colour, opacity=0.25, line_width=0, row=1, col=1)
    fig.add_hline(y=threshold, line={"color": palette.NONE.colour, "dash": "dot", "width": 1}, row=1, col=1)
    _signals(fig, run.steps, threshold)
    for kind, shade in zip(KINDS, _SHADES, strict=True):
        fig.add_scatter(
            x=table["t"],
            y=table[kind],
            mode="lines",
            line={"shape": "hv", "width": 0.6, "color": shade},
            stackgroup="open",
            name=f"open: {kind}",
            hovertemplate=f"%{{y}} open, {kind}, after step %{{x:,d}}<extra></extra>",
            row=2,
            col=1,
        )
    fig.update_yaxes(title_text="score", range=[-0.15, threshold + 0.5], dtick=1, row=1, col=1)
    fig.update_yaxes(title_text="open relations", rangemode="tozero", row=2, col=1)
    fig.update_xaxes(range=[0.5, steps + 0.5], tickformat=",d", gridcolor=palette.faint(), zeroline=False)
    fig.update_xaxes(title_text="step", row=2, col=1)
    fig.update_layout(margin={"l": 64, "r": 16, "t": 60, "b": 44}, clickmode="event+select", dragmode="zoom")
    return fig


def _signals(fig: go.Figure, steps: Iterable[HarnessStep], threshold: int) -> None:
    ink = palette.ink()
    found: dict[str, list[tuple[int, int, str]]] = {}
    for s in steps:
        for e in s.effects:
            if e.kind == "signal":
                what = f"{MARKS[e.why][0]}{': ' + charts.text(e.path, 60) if e.path else ''}"
                found.setdefault(e.why, []).append((s.t, s.counters.score, what))
            elif e.kind == "deliver-brief":
                found.setdefault("reminder", []).append((s.t, 0, "the brief was handed to the agent"))
            elif e.kind == "clear":
                found.setdefault("clear", []).append((s.t, 0, f"score and alerts cleared: {e.why.replace('-', ' ')}"))
        if s.alerts is not None:
            what = f"diagnosis: {words.plural(len(s.alerts), 'alert')}"
            found.setdefault("diagnosis", []).append((s.t, threshold, what))
    looks = {
        **{why: (says, shape, palette.OPEN.colour) for why, (says, shape) in MARKS.items()},
        "diagnosis": ("diagnosis", "diamond", palette.POLICY.colour),
        "reminder": ("brief handed over", "line-ns-open", palette.INSPECTED.colour),
        "clear": ("cleared by a test or progress", "x-thin-open", ink),
    }
    for name, (says, shape, colour) in looks.items():
        marks = found.get(name, [])
        fig.add_scatter(
            x=[t for t, _, _ in marks],
            y=[y for _, y, _ in marks],
            mode="markers",
            name=says,
            marker={"symbol": shape, "size": 9, "color": colour, "line": {"width": 1.5, "color": colour}},
            hovertext=[f"<b>step {t:,}</b><br>{what}" for t, _, what in marks],
            hovertemplate="%{hovertext}<extra></extra>",
            visible=True if marks else "legendonly",
            row=1,
            col=1,
        )


def cooldowns(steps: Sequence[HarnessStep], last: int) -> list[tuple[int, int]]:
    """The stretches in which no diagnosis may be asked for."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for before, after in pairwise([HarnessStep(0, steps[0].change), *steps] if steps else []):
        if after.counters.cooldown and not before.counters.cooldown:
            start = after.t
        elif not after.counters.cooldown and start is not None:
            found.append((start, after.t))
            start = None
    return [*found, (start, last)] if start is not None else found
