"""What the API reported for a run and what it cost: totals by model, the cost as it grew, and the prices to edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.context.prices import KINDS, Cost, Price, costs_of
from core.errors import StateTapeError
from core.trajectory.steps import Usage
from pages.components import charts, data, style, tables, words
from storage.database import reading
from storage.prices import list_usages, read_prices, write_prices
from storage.queries import Row

SAYS = {
    "input": "uncached input",
    "cache_read": "read from the cache",
    "cache_write": "written to the cache",
    "output": "output",
}
_COLOURS = {"input": "#2E6FBB", "cache_read": "#9AA5B1", "cache_write": "#E9A23B", "output": "#6A4C93"}


def billed(run: Row, key: data.Key) -> None:
    """The section of a page: facts, the cost step by step, a table by model, the price table."""
    st.markdown("**What the API reported for this run, and what it cost**")
    usages = data.live(key, list_usages)
    if not usages:
        st.info("The transcript names no usage, so nothing is known of what its requests cost.")
        return
    with reading(data.engine()) as connection:
        prices = read_prices(connection)
    costs = costs_of(usages, prices)
    facts(usages, costs)
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        if any(costs):
            charts.show(
                growth(usages, costs),
                key=f"cost:{key[1]}",
                name="cost",
                table=lambda: per_message(usages, costs),
                alt="Dollars spent until each step, by kind of token",
                note="Every message counted once, sub-agents included, at the prices below.",
            )
        else:
            st.info("None of the models of this run has a price yet; give it one below.")
    with right:
        st.caption("By model and thread")
        tables.show(by_model(usages, costs), _TABLE, key=f"models:{key[1]}", height=220, alt="Usage by model")
    edit(prices, sorted({u.model for u, cost in zip(usages, costs, strict=True) if cost is None and u.model}))


def facts(usages: Sequence[Usage], costs: Sequence[Cost | None]) -> None:
    """The totals in one line; messages without a price are counted, not priced at zero."""
    known = [c for c in costs if c is not None]
    given = sum(u.input + u.cache_read + u.cache_write_5m + u.cache_write_1h for u in usages)
    read = sum(u.cache_read for u in usages)
    parts = [
        f"<b>{words.plural(len(usages), 'message')}</b>",
        f"<b>{words.count(given)}</b> tokens in, {words.share(read, given)} of them read from the cache",
        f"<b>{words.count(sum(u.output for u in usages))}</b> out",
        f"<b>{dollars(sum((c.total for c in known), 0.0) if known else None)}</b>",
    ]
    if len(known) < len(costs):
        parts.append(f"{words.plural(len(costs) - len(known), 'message')} of a model without a price")
    style.facts(*parts)


def dollars(value: float | None) -> str:
    """Money in US dollars, to the cent from ten cents up; n/a for None."""
    if value is None:
        return "n/a"
    return f"${value:,.2f}" if value >= 0.1 or value == 0 else f"${value:,.4f}"


def growth(usages: Sequence[Usage], costs: Sequence[Cost | None]) -> go.Figure:
    """Dollars until each step, stacked by kind of token."""
    fig = charts.figure(300, x="step", y="US dollars so far")
    order = sorted((u.t, n) for n, u in enumerate(usages) if costs[n] is not None)
    for kind, says in SAYS.items():
        total, x, y = 0.0, [], []
        for t, n in order:
            total += getattr(costs[n], kind)
            x.append(t)
            y.append(total)
        text = [f"<b>{says}</b><br>{dollars(v)} until step {t:,}" for t, v in zip(x, y, strict=True)]
        fig.add_scatter(
            x=x,
            y=y,
            name=says,
            mode="lines",
            stackgroup="cost",
            line={"width": 1, "color": _COLOURS[kind]},
            hovertext=text,
            hovertemplate="%{hovertext}<extra></extra>",
        )
    fig.update_yaxes(tickprefix="$", rangemode="tozero")
    fig.update_xaxes(tickformat=",d")
    return fig


def by_model(usages: Sequence[Usage], costs: Sequence[Cost | None]) -> pd.DataFrame:
    """Sums a model and thread, dearest first; a sum with an unpriced message is not a number."""
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for usage, cost in zip(usages, costs, strict=True):
        row = rows.setdefault(
            (usage.model or "not named", "sub-agents" if usage.agent else "main"),
            {"cost": 0.0, "messages": 0, "input": 0, "cache_read": 0, "cache_write": 0, "output": 0},
        )
        row["messages"] += 1
        row["input"] += usage.input
        row["cache_read"] += usage.cache_read
        row["cache_write"] += usage.cache_write_5m + usage.cache_write_1h
        row["output"] += usage.output
        row["cost"] += cost.total if cost is not None else float("nan")
    found = [{"model": words.clip(m, 60), "thread": thread, **row} for (m, thread), row in sorted(rows.items())]
    return pd.DataFrame(found).sort_values("cost", ascending=False, na_position="last", kind="stable")


def per_message(usages: Sequence[Usage], costs: Sequence[Cost | None]) -> pd.DataFrame:
    """Every message with its tokens and cost: the data behind the chart."""
    return pd.DataFrame(
        [
            {**asdict(u), **{f"usd_{k}": getattr(c, k) if c is not None else None for k in SAYS}}
            for u, c in zip(usages, costs, strict=True)
        ]
    )


_TABLE = {
    "model": tables.text("model", width=150),
    "thread": tables.text("thread", width=66),
    "cost": st.column_config.NumberColumn("cost", help="US dollars", format="$%.2f", width=60),
    "messages": tables.number("messages", width=60),
    "input": tables.number("input", "Uncached input tokens", 62),
    "cache_read": tables.number("cache read", width=76),
    "cache_write": tables.number("cache write", "For five minutes and for an hour", 76),
    "output": tables.number("output", width=60),
}
_EDITOR = {
    "model": st.column_config.TextColumn(
        "model", help="The name the transcript gives, or it without provider and date"
    ),
    **{
        kind: st.column_config.NumberColumn(says, min_value=0.0, format="%.3f", help="US dollars a million tokens")
        for kind, says in zip(
            KINDS, ("input", "cache read", "cache write 5 min", "cache write 1 h", "output"), strict=True
        )
    },
}


def edit(prices: Sequence[Price], missing: Sequence[str]) -> None:
    """The price table, edited in place; it holds for every run of this database."""
    with st.expander("Prices", icon=":material/payments:", expanded=False):
        st.caption(
            "US dollars for a million tokens. The list prices of October 2026 until you change them; what you save "
            "holds for every run of this database."
        )
        if missing:
            names = words.markdown(words.clip(", ".join(missing), 120))
            st.caption(f"Without a price: {names}. Add a row to give it one.")
        version = st.session_state.setdefault("prices_version", 0)
        frame = pd.DataFrame([asdict(p) for p in prices])
        changed = st.data_editor(
            frame,
            key=f"prices:{version}",
            num_rows="dynamic",
            hide_index=True,
            height=260,
            column_config=_EDITOR,
        )
        with st.container(horizontal=True, gap="small"):
            if st.button("Save the prices", type="primary", key="prices_save"):
                store([{k: plain(v) for k, v in row.items()} for row in changed.to_dict("records")])
            if st.button("List prices again", key="prices_reset", help="Forget all changes"):
                store([])


def plain(value: object) -> object:
    """A cell as the core checks it: an empty one is None."""
    return None if value is None or value != value else value


def store(rows: Sequence[dict[str, object]]) -> None:
    """Save, or say which rows are no prices."""
    try:
        write_prices(data.engine(), rows)
    except StateTapeError as error:
        st.error(words.markdown(str(error)))
        return
    st.session_state["prices_version"] += 1
    st.rerun()
