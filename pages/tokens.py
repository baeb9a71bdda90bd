"""Tokens: how the held context grows with the edits, and what the tape's default actions would have saved."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.components import charts, data, frame, state, terms, tokens_view, usage_view, words
from storage import queries
from storage.database import reading
from storage.queries import Row


def draw(run: Row, key: data.Key) -> None:
    """Figure 2 for this run or pooled, then the run under the default actions."""
    runs = data.list_runs()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        scope = st.segmented_control(
            "Scope",
            ["one", "all"],
            key="scope",
            default="one",
            required=True,
            label_visibility="collapsed",
            format_func=lambda s: "this run" if s == "one" else f"pooled over {words.plural(len(runs), 'run')}",
        )
        axis = st.segmented_control(
            "Axis",
            ["edits", "t"],
            key="axis",
            default="edits",
            required=True,
            label_visibility="collapsed",
            format_func=lambda a: "by edits so far" if a == "edits" else "by steps",
        )
        paper = st.toggle("The paper's values", value=True, key="paper", disabled=axis == "t")
        st.caption("", width="stretch")
        terms.button("context", "regions", "stale", "cost")
    ids = [run["run_id"]] if scope == "one" else sorted(r["run_id"] for r in runs)
    figure_two(key, ids, axis or "edits", paper and axis == "edits")
    maintained(run, key)
    usage_view.billed(run, key)


@st.cache_data(show_spinner=False, max_entries=32)
def curves(keys: tuple[data.Key, ...]) -> queries.Columns:
    """The curve rows of several runs."""
    with reading(data.engine()) as connection:
        return queries.curves(connection, [k[1] for k in keys])


def figure_two(key: data.Key, ids: list[str], axis: str, paper: bool) -> None:
    """Held, unneeded, stale and needed at every decision point."""
    runs = {r["run_id"]: r for r in data.list_runs()}
    keys = tuple(data.key_of(runs[i]) for i in ids) if len(ids) > 1 else (key,)
    columns = curves(keys)
    if not columns["t"]:
        st.info(
            "No decision point, so there is nothing to draw: no edit tool was called on a source file (writes by "
            "shell commands start no burst of edits), or no gold is known for its edits."
        )
        return
    rows = pd.DataFrame(columns)
    sources = sorted({str(runs[i]["gold_source"] or "n/a") for i in ids if i in runs})
    note = f"Gold source: {', '.join(sources)}."
    if paper:
        note += " Dotted: the paper's Figure 2, from before the first edit to after the thirtieth."
    most = float(max([rows["held"].max(), rows["m_held"].max(), 28_600 if paper else 0]))
    for column, kept in zip(st.columns(2, gap="medium"), (False, True), strict=True):
        name = f"figure2:{len(ids)}:{ids[0]}:{axis}:{kept}"
        with column:
            st.markdown("**Under the tape's default actions**" if kept else "**As recorded**")
            charts.show(
                tokens_view.growth(rows, axis, paper, len(ids) > 1, kept, most),
                key=name,
                name="tokens-default-actions" if kept else "tokens-recorded",
                table=lambda: rows,
                note="The same decision points and gold." if kept else note,
                alt="Tokens held, unneeded and stale against edits so far",
                on_select=partial(picked, name),
            )


def picked(name: str) -> None:
    """A click opens the decision point."""
    for point in charts.picked(name):
        custom = point.get("customdata") or []
        if len(custom) >= 2:
            state.put(run=custom[0], t=int(custom[1]), point=f"P{int(custom[1])}")
            return


def maintained(run: Row, key: data.Key) -> None:
    """The same run under the default actions, the difference in tokens and in price."""
    st.markdown("**What the default actions keep out of the requests of this run**")
    width = max(1, -(-(run["steps"] or 1) // 1500))
    held = data.ask(key, queries.held_by_status, width)
    if not held["t"]:
        st.info("Nothing is held in this run.")
        return
    cost = data.live(key, tokens_view.priced)
    tokens_view.facts(cost, held)
    charts.show(
        tokens_view.area(held),
        key=f"area:{key[1]}",
        name="tokens-maintained",
        table=lambda: pd.DataFrame(held),
        alt="Tokens held as recorded and under the default actions",
        note="The shaded area is what the default actions keep out of the requests.",
    )


frame.run_page("How does what is held grow with the edits, and what would the tape save?", draw)
