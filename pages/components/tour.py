"""A short tour over a run: six stops, each a page with one sentence on what to look at."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.components import data, state
from storage.queries import Row, list_drift, list_nominations


@dataclass(frozen=True, slots=True)
class Stop:
    """A page and what to look at there."""

    page: str
    title: str
    says: str


STOPS = (
    Stop(
        "run",
        "Run",
        "Red is what the agent still holds although its own writes made it false. Each lane is a "
        "record; click one to open it.",
    ),
    Stop(
        "run",
        "Run",
        "Below the chart: the step as it happened, and everything held after it. Press h and l to "
        "move, H and L from write to write.",
    ),
    Stop(
        "drift",
        "Drift",
        "One write and the symbols around it. Red changed; a dark ring means a held record shows the "
        "symbol, so it may now be false.",
    ),
    Stop(
        "why",
        "Why",
        "Every such record is nominated. The sentence says why; below it stand the false lines, the "
        "write, and the text that replaces them.",
    ),
    Stop(
        "decisions",
        "Decision points",
        "Before each edit: what was held for nothing (orange), held and needed (green), needed but missing (blue).",
    ),
    Stop(
        "tokens",
        "Tokens",
        "How the held context grows with the edits, and what the tape's default actions would have kept out of it.",
    ),
)


def offer(runs: list[Row]) -> None:
    """On Runs: the way into the tour, over the first sample run if it is there."""
    if "tour" in st.session_state or not state.can_switch():
        return
    sample = next((r for r in runs if "config_walk" in str(r["path"])), None) or next(
        (r for r in runs if r["writes"]), None
    )
    if sample is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown("**First visit?** Six stops over a small run show what the pages answer.", width="stretch")
        if st.button("Take the tour", type="primary", icon=":material/tour:", key="tour_start"):
            state.put(run=sample["run_id"])
            _go(0)
        if st.button("Not now", type="tertiary", key="tour_no"):
            st.session_state["tour"] = None
            st.rerun()


def banner() -> None:
    """The current stop, on every page while the tour lasts."""
    at = st.session_state.get("tour")
    if at is None or not state.can_switch():
        return
    stop = STOPS[at]
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{at + 1} of {len(STOPS)} · {stop.title}.** {stop.says}", width="stretch")
        if st.button("Back", disabled=at == 0, key="tour_back"):
            _go(at - 1)
        if st.button("Next" if at + 1 < len(STOPS) else "Done", type="primary", key="tour_next"):
            _go(at + 1)
        if st.button("End", type="tertiary", key="tour_end"):
            _go(len(STOPS))


def _go(at: int) -> None:
    """Show stop ``at``; past the last one the tour is over."""
    if at >= len(STOPS):
        st.session_state["tour"] = None
        st.rerun()
    st.session_state["tour"] = at
    state.put(**_selection())
    st.switch_page(f"pages/{STOPS[at].page}.py", query_params=state.link())


def _selection() -> dict[str, object]:
    """The write that falsified most, and a record it nominated."""
    run = next((r for r in data.list_runs() if r["run_id"] == state.get("run")), None)
    if run is None:
        return {}
    key = data.key_of(run)
    drifts = data.ask(key, list_drift)
    if not drifts:
        return {}
    worst = max(drifts, key=lambda d: (d["falsified_tokens"] or 0, -d["t"]))
    told = [n for n in data.ask(key, list_nominations) if n["t"] == worst["known_at"]]
    return {"t": worst["t"], "record": told[0]["record_id"] if told else None, "symbol": None}
