"""The drift page: the strip of all writes, and one symbol before and after a write with its callers and callees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.components import charts, code, data, palette, state, style, tables, words
from storage import queries
from storage.queries import Row, get_run

_FAINT = "rgba(154,165,177,0.35)"


def strip(drifts: list[Row], steps: int) -> go.Figure:
    """Every write as a tick on the step axis: its height and redness say how many held tokens it falsified."""
    fig = charts.figure(120, x="step", y="tokens falsified", legend=False)
    tokens = [d["falsified_tokens"] or 0 for d in drifts]
    most = max([1, *tokens])
    shades = 6
    level = [0 if v == 0 else 1 + min(shades - 1, int(shades * v / most)) for v in tokens]
    for n in range(shades + 1):
        some = [(d["t"], v) for d, v, k in zip(drifts, tokens, level, strict=True) if k == n]
        path = " ".join(f"M{t},0L{t},{max(v, most * 0.05)}" for t, v in some)
        if path:
            colour = palette.NONE.colour if n == 0 else palette.STALE.colour
            look = {"color": colour, "width": 2 if len(drifts) < 400 else 1}
            fig.add_shape(
                type="path",
                path=path,
                xref="x",
                yref="y",
                line=look,
                opacity=0.55 if n == 0 else 0.4 + 0.6 * n / shades,
            )
    told = [
        f"<b>step {d['t']}</b> {charts.text(', '.join(d['paths'] or ()), 80)}<br>falsified "
        f"{words.plural(d['falsified_records'], 'record')}, "
        f"{words.count(v)} tokens"
        for d, v in zip(drifts, tokens, strict=True)
    ]
    fig.add_scatter(
        x=[d["t"] for d in drifts],
        y=[max(v, most * 0.05) for v in tokens],
        mode="markers",
        hovertext=told,
        marker={"opacity": 0, "size": 6, "maxdisplayed": 1},
        hovertemplate="%{hovertext}<extra></extra>",
        customdata=[[n] for n in range(len(drifts))],
        showlegend=False,
    )
    fig.update_layout(
        margin={"l": 64, "r": 12, "t": 8, "b": 36}, dragmode="zoom", clickmode="event+select", hoverdistance=40
    )
    fig.update_xaxes(range=[0.5, steps + 0.5], tickformat=",d")
    fig.update_yaxes(range=[0, most * 1.08], fixedrange=True, tickformat="~s", nticks=3)
    return fig


def most_telling(drift: Row, covered: Mapping[str, int]) -> str | None:
    """The drifted symbol held records cover with most tokens, else the first that drifted."""
    drifted = [
        s for name in ("changed", "removed", "rewired", "uses", "created", "lost_callers") for s in drift[name] or ()
    ]
    return max(drifted, key=lambda s: (covered.get(s, 0), -drifted.index(s)), default=None)


def no_symbols(drift: Row) -> None:
    """Why there is no graph."""
    if drift["opaque"]:
        st.info(
            "The transcript does not say what this write put into the file, so its symbols are not "
            "known until the file is seen again."
        )
    else:
        st.info("This write changed no symbol: only blank lines, or text outside what the graph knows.")


def symbol(
    key: data.Key,
    drift: Row,
    chosen: str | None,
    ids: list[str],
    edges: list[Row],
    covered: Mapping[str, int],
    roles: Mapping[str, str],
) -> None:
    """The chosen symbol: its code before and after, who calls it, whom it calls, which held records cover it."""
    options = [i for i in ids if not i.endswith("::*")]
    if chosen is not None and chosen not in options and not chosen.endswith("::*"):
        options = [chosen, *options]
    if not options:
        st.caption("Nothing to choose.")
        return
    name = f"symbol:{drift['t']}"
    if chosen in options:
        st.session_state[name] = chosen
    st.selectbox(
        "Symbol",
        options,
        key=name,
        label_visibility="collapsed",
        format_func=lambda i: words.tail(i, 76),
        on_change=lambda: state.put(symbol=st.session_state[name]),
    )
    if chosen is None or chosen.endswith("::*"):
        st.caption(
            "Choose a symbol, here or in the graph."
            if chosen is None
            else "This node is a file; choose one of its symbols above."
        )
        return
    role = roles.get(chosen, "")
    said = f"{role.replace('_', ' ')} by this write" if role else "not changed by this write"
    tokens = covered.get(chosen, 0)
    style.facts(
        f"<b>{words.esc(said)}</b>",
        f"{words.count(tokens)} tokens of held records cover it" if tokens else "no held record covers it",
        *known_of(data.ask(key, get_run), data.ask(key, queries.symbol_versions, chosen), chosen.partition("::")[0]),
    )
    before_after(key, drift, chosen)
    links(chosen, edges, drift)
    covering(key, drift, chosen)


def unresolved_shares(stats: Mapping[str, Any]) -> dict[str, str]:
    """By file, in words, the share of its call sites that reach nothing at the end of the run."""
    lost = dict(stats.get("unresolved_by_path") or ())
    return {
        path: f"{words.share(lost.get(path, 0), sites)} of the file's calls unresolved"
        for path, sites in stats.get("sites_by_path") or ()
        if sites
    }


def known_of(run: Row | None, versions: list[Row], path: str) -> tuple[str, ...]:
    """The language the symbol is read as, and how many of its file's call sites reach nothing at the end of the run."""
    language = (versions[-1]["language"],) if versions else ()
    stats = (run["graph_stats"] if run else None) or {}
    said = unresolved_shares(stats).get(path)
    if said is None:
        return tuple(words.esc(name) for name in language)
    lost = dict(stats.get("unresolved_by_path") or ()).get(path, 0)
    sites = dict(stats.get("sites_by_path") or ())[path]
    of = f"At the end of the run {words.count(lost)} of {words.count(sites)} call sites in {path} reach nothing known"
    return (*(words.esc(name) for name in language), style.told(said, of))


def before_after(key: data.Key, drift: Row, chosen: str) -> None:
    """The symbol's code before and after the write: a diff where it changed, else once."""
    versions = data.ask(key, queries.symbol_versions, chosen)
    t = drift["known_at"]
    old = _code(key, versions, t - 1)
    new = _code(key, versions, t)
    if old is None and new is None:
        path = chosen.partition("::")[0]
        outside = path.startswith("<")
        st.caption(
            "A target outside the repository: there is no code to show."
            if outside
            else "The code of this symbol is not stored."
        )
        return
    if old is not None and new is not None and old[0] == new[0]:
        code.show(code.numbered(new[0], new[1]), key=f"code:{chosen}:{t}", height=230)
        return
    lines = code.diff_lines(old[0] if old else None, new[0] if new else None, around=6)
    shift = ((new or old) or ("", 1))[1] - 1
    lines = [(mark, str(int(n) + shift) if n.isdigit() else n, text) for mark, n, text in lines]
    code.show(lines, key=f"code:{chosen}:{t}", height=230)


def _code(key: data.Key, versions: list[Row], t: int) -> tuple[str, int] | None:
    """(text, first line) of the symbol after step ``t``."""
    for v in versions:
        if v["from_t"] <= t and (v["until"] is None or t < v["until"]):
            text = data.ask(key, queries.file_text, v["path"], t)
            return None if text is None else code.slice_lines(text, v["start"], v["end"])
    return None


def links(chosen: str, edges: list[Row], drift: Row) -> None:
    """Callers and callees with kind, tier, why and whether this write added or removed the edge."""
    rows = []
    for e in edges:
        if chosen not in (e["source"], e["target"]):
            continue
        side = "callee" if e["source"] == chosen else "caller"
        state_of = "removed" if e["old"] and not e["new"] else "added" if e["new"] and not e["old"] else ""
        other = e["target"] if side == "callee" else e["source"]
        rows.append(
            {
                "is": side,
                "symbol": words.tail(other, 29),  # what the column shows: ends tell symbols apart
                "edge": e["kind"],
                "tier": e["tier"],
                "write": state_of,
                "why": words.clip(e["why"], 90),
            }
        )
    if not rows:
        st.caption("No stored edge touches it: its calls are not resolved, or nothing calls it.")
        return
    rows.sort(key=lambda r: (r["write"] == "", r["is"], r["symbol"]))
    config = {
        "is": tables.text("is", width=52),
        "symbol": tables.text("symbol", "The end of the name; all of it on hover in the graph", 200),
        "edge": tables.text("edge", width=66),
        "tier": tables.text("tier", width=60),
        "write": tables.text("write", "Whether this write added or removed the edge", 62),
        "why": tables.text("why", width=140),
    }
    tables.show(
        pd.DataFrame(rows[:400]), config, key=f"links:{drift['t']}:{chosen}", height=190, alt="Callers and callees"
    )


def covering(key: data.Key, drift: Row, chosen: str) -> None:
    """The held records that cover the symbol, and the way to what the tape says of them."""
    rows = data.ask(key, queries.context, drift["t"] - 1, 100, chosen)
    if not rows:
        st.caption("No record held before this write covers it.")
        return
    st.caption("Records held before this write that cover it; choose one to see why it was or was not nominated.")
    tables.show(
        tables.record_rows(rows),
        tables.RECORD_CONFIG,
        key=f"cover:{drift['t']}:{chosen}",
        height=170,
        on_row=lambda n: state.put(record=rows[n]["record_id"]),
        alt="Records that cover the symbol",
    )
    chosen_record = state.get("record")
    if chosen_record and np.any([r["record_id"] == chosen_record for r in rows]):
        state.go("why", f"Why {words.markdown(chosen_record)}", ":material/help:", t=drift["t"], record=chosen_record)
