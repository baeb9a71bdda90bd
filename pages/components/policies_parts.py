"""The parts of the policies page: Table 2, and each view below it with its sentence and downloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from pages.components import charts, data, policies_charts, policies_tables, policies_view, state, tables, words
from pages.components.policy_numbers import BINS, MEASURED, Standing
from storage import queries

WINDOW = 120
SHOWN = ("statetape", "statetape-defaults", "file-level", "observation-masking", "corvus", "recency-10")
COUNTED = tuple(m for m in MEASURED if m.key not in {"ce", "re"})


def csv_button(name: str, table: Callable[[], pd.DataFrame]) -> None:
    """A table to take away."""
    st.download_button(
        "CSV", lambda: charts.csv(table()), f"{name}.csv", "text/csv", key=f"csv:{name}", type="tertiary",
        icon=":material/download:", on_click="ignore",
    )  # fmt: skip


def table_two(rows: Sequence[Standing], chosen: str) -> None:
    """The paper's Table 2, ours and beside it the paper's."""
    key = f"policies:table:{rows[0].gold_source}:{chosen}"
    at = next((n for n, r in enumerate(rows) if r.policy == chosen), 0)

    def taken() -> None:
        picked = ((st.session_state.get(key) or {}).get("selection") or {}).get("rows") or []
        if picked and picked[0] < len(rows):
            state.put(policy=rows[picked[0]].policy)

    st.dataframe(
        policies_view.table(rows),
        hide_index=True,
        column_config=policies_view.columns(),
        height=38 + tables.ROW_HEIGHT * len(rows),
        row_height=tables.ROW_HEIGHT,
        key=key,
        alt="Table 2: every policy with its measures, and the paper's values in columns of their own",
        placeholder=words.NA,
        on_select=taken,
        selection_mode="single-row",
        selection_default={"selection": {"rows": [at], "columns": [], "cells": []}},
    )


def curve(rows: Sequence[Standing], first: Standing, paper: bool) -> None:
    """How selective each policy is at what volume."""
    st.markdown("**CE against Cleared**")
    told = policies_charts.at_equal_cleared(rows, first)
    note = ""
    if told:
        cleared = f"{first.policy} clears {first.says('cleared')} at CE {first.says('ce')}"
        note = words.markdown(f"{cleared}; there, {' and '.join(told)}. ")
    lossless = [r.policy for r in rows if r.says("ce") == "infinite"]
    nothing = [r.policy for r in rows if r.state == "ok" and r.says("ce") == words.NA]
    note += words.markdown(f"Infinite CE (nothing needed is lost): {', '.join(lossless)}. " if lossless else "")
    note += words.markdown(f"Drops nothing: {', '.join(nothing)}." if nothing else "")
    name = f"policies:curve:{first.gold_source}"
    charts.show(
        policies_charts.curve(rows, first.policy, paper),
        key=name,
        name="ce-against-cleared",
        table=lambda: policies_view.numbers(rows),
        alt="CE against the share of unneeded tokens cleared, one mark a policy",
        on_select=lambda: _policy(name),
        note=note,
    )


def _policy(name: str) -> None:
    for point in charts.picked(name):
        if point.get("customdata"):
            state.put(policy=point["customdata"][0])
            return


def edits(keys: tuple[data.Key, ...], rows: Sequence[Standing], first: Standing, second: Standing) -> None:
    """The paper's Figure 5: Cleared and Found by edits so far."""
    st.markdown("**Cleared and Found across edits** (the paper's Figure 5)")
    able = [r.policy for r in rows if r.state == "ok"]
    start = [p for p in able if p in {*SHOWN, first.policy, second.policy}]
    name = f"policies_lines:{first.policy}:{second.policy}"
    shown = st.multiselect("Policies", able, default=start, key=name, label_visibility="collapsed") or start
    sums = data.across(keys, queries.edit_sums, first.gold_source, BINS)
    chart = f"policies:edits:{first.gold_source}"
    charts.show(
        policies_charts.across_edits(sums, shown),
        key=chart,
        name="policies-across-edits",
        table=lambda: policies_charts.edits_table(sums, shown),
        alt="Share of unneeded tokens cleared and of missing tokens found, by edits so far",
        on_select=lambda: _policy(chart),
        note="The points of a bin are pooled. The paper says that StateTape leads at every edit count and prints no "
        "numbers for this figure. A gap: nothing was missing there.",
    )


def two(keys: tuple[data.Key, ...], first: Standing, second: Standing) -> None:
    """Two policies at every point, in tokens; a bar opens its point."""
    st.markdown(f"**{words.markdown(first.policy)} minus {words.markdown(second.policy)}, at each decision point**")
    if first.state != "ok" or second.state != "ok":
        st.info("One of the two needs a model and none is connected, so it decided nothing. Choose another above.")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        names = {m.name: m for m in COUNTED}
        chosen = st.segmented_control(
            "Measure", list(names), key="policies_gap", default="Cleared", required=True, label_visibility="collapsed"
        )
        total = min(first.sums.points, second.sums.points)
        starts = list(range(0, max(1, total), WINDOW))
        skip = 0
        if len(starts) > 1:
            skip = st.selectbox(
                "Points", starts, key="policies_window", label_visibility="collapsed", width=200,
                format_func=lambda n: f"points {n + 1} to {min(n + WINDOW, total)} of {total}",
            )  # fmt: skip
    measured = names[chosen or "Cleared"]
    asked = (first.gold_source, (first.policy, second.policy), WINDOW, skip)
    both = policies_charts.pairs(data.across(keys, queries.pair_sums, *asked), first.policy, second.policy)
    here = (state.get("run") or "", (state.get("point") or "")[1:])
    name = f"policies:gaps:{first.policy}:{second.policy}:{measured.key}:{skip}"
    charts.show(
        policies_charts.gaps(both, measured, here),
        key=name,
        name="two-policies",
        table=lambda: policies_charts.gaps_table(both),
        alt="Difference of the two policies at each decision point",
        on_select=lambda: _point(name, first.policy),
        note="Each point is scored alone, on the recorded context. A click on a bar chooses its run and point.",
    )
    if any((a["run_id"], str(a["t"])) == here for a, _ in both):
        label = f"Open point P{here[1]} under {words.markdown(first.policy)}"
        state.go("decisions", label, ":material/fork_right:", policy=first.policy)


def _point(name: str, policy: str) -> None:
    for point in charts.picked(name):
        custom = point.get("customdata") or []
        if len(custom) >= 2:
            t = int(custom[1])
            state.put(run=custom[0], t=t, point=f"P{t}", policy=policy, record=None)
            return


def ablations(rows: Sequence[Standing]) -> None:
    """The paper's Table 3."""
    frame = policies_tables.ablations(rows)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**Table 3: one component replaced at a time** (gold source: {words.markdown(rows[0].gold_source)})",
            width="stretch",
        )
        csv_button("ablations", lambda: frame)
    tables.show(frame, policies_tables.ablation_columns(), key="ablations", alt="Ablations")
    st.caption(
        "The manager of `statetape` here follows rules and asks no model; the paper's is a small language model. "
        "No run is repeated under a policy, so this project has no resolve rate of its own."
    )


def glance(keys: tuple[data.Key, ...], source: str) -> None:
    """The paper's Table 5."""
    row = next((r for r in data.across(keys, queries.glance) if r["gold_source"] == source), None)
    frame = policies_tables.glance(row)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Table 5: the points at a glance** (gold source: {words.markdown(source)})", width="stretch")
        csv_button("at-a-glance", lambda: frame)
    tables.show(frame, policies_tables.GLANCE_COLUMNS, key="glance", alt="The decision points at a glance")
