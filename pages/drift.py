"""Drift: what one write changed in the code graph, which symbols it made false, and who stands around them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.components import charts, data, drift_view, frame, graph_view, state, style, terms, words
from storage import queries
from storage.queries import Row

SAYS = {
    "changed": "changed",
    "removed": "removed",
    "created": "created",
    "rewired": "rewired (call something else now)",
    "uses": "read a binding that changed",
    "lost_callers": "lost a caller",
}


def draw(run: Row, key: data.Key) -> None:
    """The strip of all writes, the graph of the chosen one, and the chosen symbol."""
    drifts = data.ask(key, queries.list_drift)
    if not drifts:
        st.info("This run writes no file, so nothing drifted. Choose another run.")
        return
    at = position(drifts)
    name = f"strip:{key[1]}"
    charts.show(
        drift_view.strip(drifts, run["steps"]),
        key=name,
        name="drift",
        table=lambda: table(drifts),
        alt="Every write, coloured by how many held tokens it falsified",
        on_select=lambda: picked(name, drifts),
    )
    style.cursor(drifts[at]["t"], run["steps"], 64)
    around(key, drifts, at)


def position(drifts: list[Row]) -> int:
    """The position of the write at the selected step, else of the last one before it, else the first."""
    t = state.number("t")
    return max([n for n, d in enumerate(drifts) if t is not None and d["t"] <= t], default=0)


def picked(name: str, drifts: list[Row]) -> None:
    """A click on the strip."""
    for point in charts.picked(name):
        if point.get("customdata"):
            go(drifts[int(point["customdata"][0])])
            return


def go(drift: Row) -> None:
    """Select a write; the symbol chosen for another write is forgotten."""
    state.put(t=drift["t"], symbol=None)


def around(key: data.Key, drifts: list[Row], at: int) -> None:
    """Everything about one write, stepping through the writes by key or by itself."""
    st.session_state.setdefault("playing", False)
    playing = bool(st.session_state["playing"]) and at + 1 < len(drifts)

    @st.fragment(run_every=2.0 if playing else None)
    @frame.guarded
    def tick() -> None:
        if playing and st.session_state.get("played") == at:
            st.session_state["played"] = None
            go(drifts[at + 1])
            st.rerun()
        st.session_state["played"] = at if playing else None

    mover(drifts, at)
    tick()
    drift = drifts[at]
    roles = graph_view.roles_of(drift)
    edges, covered = data.ask_all(
        key, (queries.edges_around, drift["known_at"], sorted(roles)), (queries.covered_symbols, drift["t"] - 1)
    )
    graph = graph_view.build(roles, edges)
    symbol = state.get("symbol")
    if symbol is None and roles:
        symbol = drift_view.most_telling(drift, covered)
    summary(drift)
    left, right = st.columns([1.15, 1], gap="medium")
    with left:
        run = data.ask(key, queries.get_run)
        shares = drift_view.unresolved_shares((run["graph_stats"] if run else None) or {})
        net = graph_view.network(graph, covered, symbol, shares)
        stamp = f"graph:{key[1]}:{drift['t']}:{symbol}"
        if graph.ids:
            graph_view.draw(net, graph.ids, stamp, lambda name: state.put(symbol=name))
            st.html(graph_view.legend())
        else:
            drift_view.no_symbols(drift)
        if graph.note:
            st.caption(graph.note)
        terms_and_file(net, drift)
    with right:
        drift_view.symbol(
            key, drift, symbol, sorted(roles) + [i for i in graph.ids if i not in roles], edges, covered, roles
        )


def terms_and_file(net: object, drift: Row) -> None:
    """What the words mean, and the graph to take away."""
    with st.container(horizontal=True, gap="small"):
        terms.button("drift", "nomination")
        name = f"symbols-around-step-{drift['t']}.html"
        st.download_button(
            "Graph (HTML)",
            lambda: graph_view.page(net),
            name,
            "text/html",
            key="graph_html",
            type="tertiary",
            icon=":material/download:",
            on_click="ignore",
        )


def mover(drifts: list[Row], at: int) -> None:
    """Previous, next, worst, play."""
    worst = max(range(len(drifts)), key=lambda n: (drifts[n]["falsified_tokens"] or 0, -n))
    drift = drifts[at]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        late = f", known at step {drift['known_at']}" if drift["known_at"] != drift["t"] else ""
        paths = words.markdown(words.clip(", ".join(drift["paths"] or drift["opaque"] or ()), 90))
        st.markdown(
            f"**Writing step {at + 1} of {words.count(len(drifts))}**, step {drift['t']}{late}: {paths}",
            width="stretch",
        )
        for label, to, key in (("Previous", at - 1, "H"), ("Next", at + 1, "L"), ("Falsified most", worst, "M")):
            ok = 0 <= to < len(drifts) and to != at
            st.button(
                label, key=f"write{label}", disabled=not ok, shortcut=key, on_click=go, args=(drifts[to if ok else at],)
            )
        st.toggle("Play", key="playing", help="Step through the writes, one every two seconds")
        state.go("run", "Open the step", ":material/stacked_line_chart:", t=drift["t"])


def summary(drift: Row) -> None:
    """The write in numbers."""
    parts = [f"<b>{len(drift[name])}</b> {says}" for name, says in SAYS.items() if drift[name]]
    if parts:
        parts[0] = f"symbols: {parts[0]}"
    parts.append(
        f"falsified <b>{words.plural(drift['falsified_records'], 'held record')}</b>, "
        f"<b>{words.count(drift['falsified_tokens'])}</b> tokens"
    )
    if drift["documentation"]:
        parts.append("documentation only")
    style.facts(*parts)


def table(drifts: list[Row]) -> pd.DataFrame:
    """The data behind the strip."""
    lists = ("changed", "removed", "created", "rewired", "uses", "lost_callers", "paths")
    return pd.DataFrame(
        [
            {
                "t": d["t"],
                "known_at": d["known_at"],
                **{n: " ".join(d[n] or ()) for n in lists},
                "falsified_records": d["falsified_records"],
                "falsified_tokens": d["falsified_tokens"],
            }
            for d in drifts
        ]
    )


frame.run_page("What did this write change, and whom does it concern?", draw)
