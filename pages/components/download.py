"""A context as one text to copy or take away: C_t as recorded, C_t+ as the default actions keep it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.components import data, words
from storage import queries
from storage.queries import Row

COPY_LIMIT = 600_000  # characters shown for copying; the download is always whole


def as_text(rows: Sequence[Row]) -> str:
    """The texts one after the other, each under a line that names its record."""
    parts = []
    for row in rows:
        where = words.place(row.get("path"), row.get("start"), row.get("end"))
        head = " · ".join(part for part in (row["record_id"], row["kind"], f"step {row['born']}", where) if part)
        parts.append(f"===== {head} · {words.count(row['tokens'])} tokens =====\n{row['text'] or ''}\n")
    return "\n".join(parts)


def recorded(key: data.Key, t: int) -> str:
    """The full text of C_t."""
    return as_text(data.ask(key, queries.context_texts, t))


def maintained(key: data.Key, t: int) -> str:
    """The full text of C_t+."""
    return as_text(data.ask(key, queries.maintained_texts, t))


@st.dialog("Context as text", width="large")
def _dialog(key: data.Key, t: int) -> None:
    which = st.segmented_control(
        "Which", ["C_t, as recorded", "C_t+, under the default actions"], default="C_t, as recorded"
    )
    whole = maintained(key, t) if which and which.startswith("C_t+") else recorded(key, t)
    st.caption(f"After step {t}. The button at the top right of the text copies it.")
    if len(whole) > COPY_LIMIT:
        st.caption(
            f"Only the first {words.count(COPY_LIMIT)} of {words.count(len(whole))} characters are "
            "shown; the download has all."
        )
    st.code(whole[:COPY_LIMIT] or "(nothing is held)", language=None, height=480)


def buttons(key: data.Key, t: int) -> None:
    """Copy or download the context after step ``t``."""
    name = f"{words.clip(key[1], 40)}-step-{t}".replace("/", "_")
    with st.popover(
        "Full text",
        icon=":material/article:",
        type="tertiary",
        help="The whole context after this step, to copy or download",
    ):
        if st.button("View and copy", key="context_dialog", icon=":material/content_copy:"):
            _dialog(key, t)
        st.download_button(
            "Download C_t (recorded)", lambda: recorded(key, t), f"{name}-C.txt", key="context_c", on_click="ignore"
        )
        st.download_button(
            "Download C_t+ (maintained)",
            lambda: maintained(key, t),
            f"{name}-C-plus.txt",
            key="context_cp",
            on_click="ignore",
        )
