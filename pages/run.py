"""Run: what the agent held at each step, what its writes falsified, and every step with its context."""

from __future__ import annotations

import streamlit as st

from pages.components import (
    charts,
    context_view,
    data,
    fidelity,
    frame,
    lifecycle,
    live,
    state,
    steps_view,
    terms,
    words,
)
from pages.components.lanes import Lanes
from storage import queries
from storage.queries import Row

ROOM = 330.0  # pixels for the lanes


def draw(run: Row, key: data.Key) -> None:
    """The lifecycle chart, and below it the steps in a fragment of their own."""
    if not run["steps"]:
        st.info("This transcript has no steps.")
        return
    chart(run, key)
    below(run, key)
    fidelity.trust(run, key)


def chart(run: Row, key: data.Key) -> None:
    """Three panels on one step axis, with the lanes as records or as files."""
    many = run["steps"] > lifecycle.BINNED_PAST or (run["records"] or 0) > lifecycle.RECORDS_AT_MOST
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        live.bar(run, key)
        st.caption(
            "Hover for a record, click to open its step, drag to zoom, box-select to narrow the list below.",
            width="stretch",
        )
        terms.button("context", "stale", "nomination", "gold", "fidelity")
        options = ["files"] if many else ["records", "files"]
        mode = st.segmented_control(
            "A lane is", options, key="lane_mode", default=options[0], label_visibility="collapsed", required=True
        )
    drawn, lanes = lifecycle.load(run, key, mode == "files" or many, ROOM)
    name = f"lifecycle:{key[1]}:{mode}"
    charts.show(
        lifecycle.figure(drawn, lanes),
        key=name,
        name="lifecycle",
        table=lambda: lifecycle.table(drawn),
        alt=f"Tokens held by status over {run['steps']} steps, writes and decision points, and a lane "
        "for each record or file",
        on_select=lambda: picked(name),
        selection_mode=("points", "box"),
        note=said(run, lanes, many),
    )
    if not run["writes"]:
        st.info("This run writes no file, so nothing it holds can have been falsified and there is no decision point.")


def said(run: Row, lanes: Lanes, many: bool) -> str:
    """What the chart leaves out or puts together."""
    parts = []
    if run["steps"] > lifecycle.BINNED_PAST:
        parts.append(
            f"Past {lifecycle.BINNED_PAST:,} steps the lanes are binned: one column is {lanes.width} "
            "steps, one lane a file."
        )
    elif many:
        parts.append("So many records are drawn as one lane a file.")
    if lanes.cut:
        parts.append(f"{words.plural(lanes.cut, 'smaller file')} share the lane “other files”.")
    if lanes.packed:
        parts.append("Records never held together share a lane.")
    return " ".join(parts)


def picked(name: str) -> None:
    """A click opens the step and the record; a box narrows everything below."""
    box = charts.brushed(name)
    if box:
        state.put(from_=max(1, round(box[0])), to=max(1, round(box[1])), t=max(1, round(box[0])))
        return
    for point in charts.picked(name):
        record, t = ([*list(point.get("customdata") or []), None, None])[:2]
        if t is not None:
            state.put(t=int(t), record=record if record and record != "point" else None)
            return


@st.fragment
@frame.guarded_reads
def below(run: Row, key: data.Key) -> None:
    """Filters, the window of steps, the step, and the context after it."""
    wanted = steps_view.chosen_filter()
    t = min(max(state.number("t") or wanted.first or 1, 1), run["steps"])
    steps_view.cursor(run, t)
    brush(run)
    steps_view.filters(key)
    wanted = steps_view.chosen_filter()
    asked = ((queries.get_step, t), (queries.neighbours, t, wanted), (queries.count_steps, wanted))
    step, near, matching = data.ask_all(key, *asked)
    steps_view.mover(run, t, near, matching)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        steps_view.listing(key, t, wanted, matching)
    with right:
        if step is None:
            st.info("This step is not in the database.")
        else:
            steps_view.content(key, step)
            steps_view.effect(key, t)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        context_view.held(key, t)
    with right:
        record = state.get("record")
        if record:
            context_view.record(key, record, t)
        else:
            st.caption("Choose a record on the left or in the chart to read it as it was held.")


def brush(run: Row) -> None:
    """The range of steps listed below, when one is chosen."""
    first, last = state.number("from"), state.number("to")
    if first is None and last is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Only steps **{first or 1}** to **{min(last or run['steps'], run['steps'])}**")
        st.button(
            "Show all steps",
            type="tertiary",
            icon=":material/close:",
            on_click=state.put,
            kwargs={"from_": None, "to": None},
        )


frame.run_page("What did the agent hold, and what did its own writes make false?", draw)
