"""Runs: what is loaded, how to load more, and what to do with it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.analysis import ANALYSIS_VERSION
from pages.components import charts, data, first_run, frame, jobs, runs_view, settings, state, tour, words
from storage.queries import Row

ABOUT = (
    "StateTape replays a recorded coding-agent run and shows, step by step, what the agent's context held, "
    "what its own writes made false, and what the next edit needed but did not have."
)
GROUPS = ("repository", "agent", "model", "format", "gold_source")


@frame.guarded
def main() -> None:
    """The page."""
    frame.begin()
    runs = data.list_runs()
    tour.banner()
    jobs.panel()
    st.markdown("**Which runs are there, and how much of what they held was false at the end?**")
    st.markdown(runs_view.answer(runs) if runs else ABOUT)
    if not runs:
        welcome()
    tour.offer(runs)
    runs_view.loader(first=not runs and not jobs.busy(), samples=bool(runs))
    if runs:
        listing(runs)


def welcome() -> None:
    """An empty database."""
    if not jobs.busy():
        st.info(
            "Nothing is loaded yet. Load a recorded run below, or start with the two runs that ship "
            "with the project. Nothing leaves this machine."
        )
        first_run.about()
        first_run.button()


def listing(runs: list[Row]) -> None:
    """Filters, groups, the table and what can be done with the chosen rows."""
    old = [r for r in runs if r["analysis_version"] != ANALYSIS_VERSION]
    if old:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(
                f"{words.plural(len(old), 'run')} analysed by an older version: numbers may differ "
                "from what this version computes.",
                width="stretch",
            )
            if st.button(f"Analyse {len(old)} again", key="again_old", disabled=jobs.busy()) and settings.analyse_again(
                old
            ):
                st.rerun()
    shown = filtered(runs)
    runs_view.groups(shown)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{words.count(len(shown))} of {words.plural(len(runs), 'run')}. Tick rows to open, tag, "
            "analyse again or delete.",
            width="stretch",
        )
        table = runs_view.table(shown)
        st.download_button(
            "CSV",
            lambda: charts.csv(table),
            "runs.csv",
            "text/csv",
            type="tertiary",
            icon=":material/download:",
            on_click="ignore",
        )
    if not shown:
        st.info("No run matches. Clear a filter.")
        return
    key = f"runs:{len(runs)}:{len(shown)}:{st.session_state.get('runs_deleted', 0)}"
    current = next((n for n, r in enumerate(shown) if r["run_id"] == state.get("run")), None)
    event: Any = st.dataframe(
        table,
        hide_index=True,
        column_config=runs_view.CONFIG,
        height=min(560, 40 + 30 * len(shown)),
        row_height=30,
        key=key,
        placeholder="",
        on_select="rerun",
        selection_mode="multi-row",
        alt="Runs",
        selection_default={"selection": {"rows": [] if current is None else [current], "columns": [], "cells": []}},
    )
    rows = [n for n in ((event or {}).get("selection") or {}).get("rows") or [] if n < len(shown)]
    if rows:
        picked = [shown[n] for n in rows]
        if len(picked) == 1 and picked[0]["run_id"] != state.get("run"):
            state.put(run=picked[0]["run_id"])
        runs_view.chosen(picked)


def filtered(runs: list[Row]) -> list[Row]:
    """The runs that match the filters."""
    tags = sorted({f"{k}={v}" if v else k for r in runs for k, v in r["tags"].items()})
    names = sorted({k for r in runs for k in r["tags"]})
    one, two, three = st.columns([2, 2, 1.2], gap="small")
    text = (
        one.text_input(
            "Filter", key="runs_text", placeholder="repository, agent, model or run id", label_visibility="collapsed"
        )
        or ""
    ).lower()
    st.session_state["runs_tags"] = [t for t in st.session_state.get("runs_tags") or [] if t in tags]
    wanted = two.multiselect(
        "Tags",
        tags,
        key="runs_tags",
        placeholder="tags" if tags else "no tags yet",
        label_visibility="collapsed",
        disabled=not tags,
    )
    three.selectbox(
        "Group by", [*names, *GROUPS], key="group_by", index=None, placeholder="group by", label_visibility="collapsed"
    )

    def fits(r: Row) -> bool:
        mine = {f"{k}={v}" if v else k for k, v in r["tags"].items()}
        said = f"{r['repository']} {r['agent']} {' '.join(r['models'] or ())} {r['run_id']} {r['path']}".lower()
        return set(wanted) <= mine and text.strip() in said

    return [r for r in runs if fits(r)]


main()
