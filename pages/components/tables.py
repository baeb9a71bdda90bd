"""Tables of records, steps and nominations: the same columns, widths and words wherever they appear.

Cells are plain text on a canvas: nothing a run says is ever markup there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.components import palette, words
from storage.queries import Row

COLUMNS = st.column_config
SIGN = {"true": "● true", "stale": "▨ stale", "none": "○ none"}
ROW_HEIGHT = 27


def number(label: str, help: str | None = None, width: Any = "small") -> Any:
    """A right-aligned whole number with thousands separators."""
    return COLUMNS.NumberColumn(label, help=help, format="localized", width=width)


def text(label: str, help: str | None = None, width: Any = None) -> Any:
    """A plain text column."""
    return COLUMNS.TextColumn(label, help=help, width=width)


def record_rows(rows: Sequence[Row]) -> pd.DataFrame:
    """Records held: what, where, since when, how large, and what they are now."""
    return pd.DataFrame(
        [
            {
                "record": row["record_id"],
                "kind": row["kind"],
                "where": words.tail(words.place(row["path"], row["start"], row["end"]) or row.get("command") or "", 36),
                "born": row["born"],
                "tokens": row["tokens"],
                "now": SIGN[palette.coarse(row["status"])],
                "since": row["since"],
            }
            for row in rows
        ],
        columns=["record", "kind", "where", "born", "tokens", "now", "since"],
    )


RECORD_CONFIG = {
    "record": text("record", width=50),
    "kind": text("kind", width=54),
    "where": text("file:lines", width=200),
    "born": number("born", "Step at which it entered the context", 46),
    "tokens": number("tokens", "cl100k_base", 56),
    "now": text("now", "True of the repository, falsified by a write, or without referent", 66),
    "since": number("since", "The write that falsified it", 50),
}


def step_rows(rows: Sequence[Row]) -> pd.DataFrame:
    """Steps: number, kind, tool, title, tokens, files written, records nominated."""
    return pd.DataFrame(
        [
            {
                "t": row["t"],
                "kind": ("↳ " if row["agent"] else "") + (row["kind"] or ""),
                "tool": words.clip(row["tool"], 20),
                "title": ("✗ " if row["failed"] else "") + words.clip(row["title"], 160),
                "tokens": row["tokens"],
                "wrote": row["writes"] or None,
                "nom.": row["nominated"] or None,
            }
            for row in rows
        ],
        columns=["t", "kind", "tool", "title", "tokens", "wrote", "nom."],
    )


STEP_CONFIG = {
    "t": number("step", width=46),
    "kind": text("kind", "↳ a sub-agent's step: never held", 58),
    "tool": text("tool", width=70),
    "title": text("what", "✗ the call failed", 230),
    "tokens": number("tokens", width=52),
    "wrote": number("wrote", "Files this step wrote", 46),
    "nom.": number("nom.", "Held records this step's write nominated", 50),
}


def show(
    frame: pd.DataFrame,
    config: dict[str, Any],
    *,
    key: str,
    height: int = 320,
    on_row: Callable[[int], None] | None = None,
    selected: int | None = None,
    alt: str = "",
) -> None:
    """Draw a table; ``on_row`` is called with the position of the row the reader clicks."""
    fitted = min(height, 38 + ROW_HEIGHT * max(1, len(frame)))
    look: dict[str, Any] = {
        "hide_index": True,
        "column_config": config,
        "height": fitted,
        "row_height": ROW_HEIGHT,
        "key": key,
        "alt": alt or key,
        "placeholder": "",
    }
    if on_row is None:
        st.dataframe(frame, **look)
        return

    def chosen() -> None:
        rows = ((st.session_state.get(key) or {}).get("selection") or {}).get("rows") or []
        if rows and rows[0] < len(frame):
            on_row(rows[0])

    default: Any = None
    if selected is not None:
        default = {"selection": {"rows": [selected], "columns": [], "cells": []}}
    st.dataframe(frame, on_select=chosen, selection_mode="single-row", selection_default=default, **look)
