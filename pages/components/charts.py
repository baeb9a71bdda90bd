"""Plotly the same way everywhere: one layout, one way to show a chart with its picture and data to take away."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.components import palette, words
from pages.components.palette import Meaning

FONT = "Source Sans, Source Sans Pro, Liberation Sans, sans-serif"


def figure(height: int, *, x: str = "", y: str = "", legend: bool = True) -> go.Figure:
    """An empty figure with the house layout; ``x`` and ``y`` are axis titles with their unit."""
    fig = go.Figure()
    fig.update_layout(
        template="plotly_dark" if palette.dark() else "plotly_white",
        height=height,
        margin={"l": 64, "r": 16, "t": 34 if legend else 12, "b": 44},
        font={"family": FONT, "size": 12},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=legend,
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "xanchor": "left", "font": {"size": 12}},
        hoverlabel={"font": {"family": FONT, "size": 12}, "align": "left", "namelength": -1},
        hovermode="closest",
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": "#7A8590", "activecolor": palette.ink()},
    )
    fig.update_xaxes(title={"text": x, "standoff": 8}, gridcolor=palette.faint(), zeroline=False)
    fig.update_yaxes(title={"text": y, "standoff": 8}, gridcolor=palette.faint(), zeroline=False)
    return fig


def pattern(meaning: Meaning) -> dict[str, Any]:
    """A bar's fill: the colour, and the pattern that repeats its meaning."""
    ink = "rgba(255,255,255,0.65)"
    return {"color": meaning.colour, "pattern": {"shape": meaning.pattern, "fgcolor": ink, "size": 6, "solidity": 0.25}}


def show(
    fig: go.Figure,
    *,
    key: str,
    name: str,
    alt: str,
    table: Callable[[], pd.DataFrame],
    on_select: Callable[[], None] | None = None,
    selection_mode: Sequence[str] = ("points",),
    note: str = "",
) -> None:
    """Draw ``fig`` with downloads of picture and data under it; ``on_select`` is called when a point is chosen."""
    config = {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2},
    }
    chosen: dict[str, Any] = {"on_select": on_select, "selection_mode": list(selection_mode)} if on_select else {}
    st.plotly_chart(fig, key=key, config=config, alt=alt, **chosen)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(note or " ", width="stretch")
        downloads(fig, key, name, table)


def downloads(fig: go.Figure, key: str, name: str, table: Callable[[], pd.DataFrame]) -> None:
    """CSV of the data, SVG and PNG of the chart, each made when it is asked for."""
    with st.popover(
        "Download", icon=":material/download:", type="tertiary", help="The chart as PNG or SVG, its data as CSV"
    ):
        st.download_button(
            "Data (CSV)", lambda: csv(table()), f"{name}.csv", "text/csv", key=f"{key}:csv", on_click="ignore"
        )
        for kind in ("svg", "png") if can_draw() else ():
            st.download_button(
                f"Chart ({kind.upper()})",
                partial(picture, fig, kind),
                f"{name}.{kind}",
                f"image/{kind}",
                key=f"{key}:{kind}",
                on_click="ignore",
                help="Drawn by the Chromium on this machine; takes a few seconds",
            )
        st.download_button(
            "Chart (HTML)", lambda: page(fig), f"{name}.html", "text/html", key=f"{key}:html", on_click="ignore"
        )
        if not can_draw():
            st.caption("No Chromium here for SVG; the camera above the chart saves a PNG.")


def csv(frame: pd.DataFrame) -> bytes:
    """``frame`` as CSV; cells a spreadsheet would run as a formula are quoted."""
    text = frame.select_dtypes(include=["object", "string"]).columns
    safe = frame.copy()
    for column in text:
        safe[column] = [f"'{v}" if isinstance(v, str) and v[:1] in "=+-@\t\r" else v for v in safe[column]]
    buffer = io.StringIO()
    safe.to_csv(buffer, index=False)
    return buffer.getvalue().encode("utf-8", "replace")


@lru_cache(maxsize=1)
def can_draw() -> bool:
    """Whether this machine has a browser that can draw a chart to a file."""
    return any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome"))


def picture(fig: go.Figure, kind: str) -> bytes:
    """The chart drawn by the installed Chromium on a plain background."""
    solid = go.Figure(fig).update_layout(paper_bgcolor=palette.paper(), plot_bgcolor=palette.paper())
    image: bytes = solid.to_image(format=kind, width=1400, height=(fig.layout.height or 500) + 20)
    return image


def page(fig: go.Figure) -> bytes:
    """The chart as one HTML file that needs no network."""
    text: str = fig.to_html(include_plotlyjs=True, full_html=True, config={"displaylogo": False})
    return text.encode()


def picked(key: str) -> list[Mapping[str, Any]]:
    """The points selected in chart ``key``, as Streamlit keeps them."""
    event = st.session_state.get(key) or {}
    points: list[Mapping[str, Any]] = list((event.get("selection") or {}).get("points") or [])
    return points


def brushed(key: str) -> tuple[float, float] | None:
    """The x range of the box drawn in chart ``key``."""
    event = st.session_state.get(key) or {}
    boxes = (event.get("selection") or {}).get("box") or []
    if not boxes or len(boxes[0].get("x", ())) < 2:
        return None
    ends = sorted(float(v) for v in boxes[0]["x"])
    return ends[0], ends[-1]


def text(value: Any, length: int = 60) -> str:
    """Run text for a label or a hover: clipped, escaped."""
    return words.esc(words.clip(value, length))
