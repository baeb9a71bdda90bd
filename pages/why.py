"""Why: every nomination, the chain from write to replacing text for one, and why a record was not nominated."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from sqlalchemy import Connection

from pages.components import charts, data, frame, state, tables, terms, why_view, words
from storage import queries
from storage.queries import Row

LIMIT = 5000
REASONS = ("changed", "removed", "rewired", "uses", "state", "query", "opaque")


def draw(run: Row, key: data.Key) -> None:
    """The choice between the two questions."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        ask = st.segmented_control(
            "Ask",
            ["why", "why not"],
            key="question",
            default="why",
            required=True,
            label_visibility="collapsed",
            format_func=lambda q: {"why": "Why was this record nominated?", "why not": "Why was it not?"}[q],
        )
        st.caption("", width="stretch")
        terms.button("nomination", "drift", "context")
    if not run["writes"]:
        st.info("This run writes no file, so the tape nominates nothing. Choose another run.")
    elif ask == "why not":
        why_view.opposite(key)
    else:
        nominations(key)


def nominations(key: data.Key) -> None:
    """Every nomination as a row, and the card of the chosen one."""
    rows = data.ask(key, all_nominations)
    if not rows:
        st.info("No write of this run touched anything a held record covers. Ask “Why was it not?” for any record.")
        return
    shown = filtered(rows)
    st.caption(
        f"{words.count(len(shown))} of {words.plural(len(rows), 'nomination')}"
        + (f" (the first {words.count(LIMIT)} of the run)" if len(rows) == LIMIT else "")
    )
    if not shown:
        st.info("No nomination matches. Clear a filter.")
        return
    at = chosen(shown)
    left, right = st.columns([6, 1], vertical_alignment="bottom")
    with left:
        tables.show(
            table(shown),
            CONFIG,
            key=f"nominations:{key[1]}:{len(shown)}:{shown[at]['t']}:{shown[at]['record_id']}",
            height=250,
            selected=at,
            on_row=lambda n: select(shown[n]),
            alt="Nominations",
        )
    with right:
        for label, to, shortcut in (("Previous", at - 1, "H"), ("Next", at + 1, "L")):
            ok = 0 <= to < len(shown)
            st.button(
                label,
                key=f"nomination{label}",
                disabled=not ok,
                shortcut=shortcut,
                on_click=select,
                args=(shown[to if ok else at],),
            )
        st.download_button(
            "CSV",
            lambda: charts.csv(table(shown)),
            "nominations.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
        )
    why_view.card(key, shown[at])


def all_nominations(connection: Connection, run_id: str) -> list[Row]:
    """The run's nominations up to the limit."""
    return queries.list_nominations(connection, run_id, limit=LIMIT)


def filtered(rows: list[Row]) -> list[Row]:
    """The rows that match the filter widgets."""
    one, two, three, four = st.columns([1.6, 2, 1.6, 2], gap="small")
    actions = one.multiselect(
        "Action",
        sorted({r["action"] for r in rows}),
        key="why_action",
        placeholder="action",
        label_visibility="collapsed",
    )
    reasons = two.multiselect("Why", REASONS, key="why_reason", placeholder="why", label_visibility="collapsed")
    verdict = three.selectbox(
        "Verdict",
        ["false of the repository", "still true"],
        index=None,
        key="why_verdict",
        placeholder="measured verdict",
        label_visibility="collapsed",
    )
    text = (
        (
            four.text_input("Text", key="why_text", placeholder="file, symbol or record", label_visibility="collapsed")
            or ""
        )
        .lower()
        .strip()
    )
    wanted = {"false of the repository": True, "still true": False}.get(verdict or "")

    def fits(r: Row) -> bool:
        hits = r["symbols"] or ()
        if actions and r["action"] not in actions:
            return False
        if reasons and not any(h["why"] in reasons for h in hits):
            return False
        if wanted is not None and str(r["status"]).endswith("stale") != wanted:
            return False
        return not text or text in f"{r['path'] or ''} {r['record_id']} {' '.join(h['id'] for h in hits)}".lower()

    return [r for r in rows if fits(r)]


def chosen(rows: list[Row]) -> int:
    """The position of the nomination in the URL, else of the record's, the step's, the last one before it."""
    t, record = state.number("t"), state.get("record")
    exact = [n for n, r in enumerate(rows) if r["t"] == t and r["record_id"] == record]
    same_record = [n for n, r in enumerate(rows) if r["record_id"] == record]
    same_step = [n for n, r in enumerate(rows) if r["t"] == t]
    before = [n for n, r in enumerate(rows) if t is not None and r["t"] <= t][-1:]
    return (exact or same_record or same_step or before or [0])[0]


def select(row: Row) -> None:
    """Choose a nomination."""
    state.put(t=row["t"], record=row["record_id"], symbol=None)


def table(rows: list[Row]) -> pd.DataFrame:
    """The nominations as people read them."""
    return pd.DataFrame(
        [
            {
                "step": r["t"],
                "record": r["record_id"],
                "where": words.tail(words.place(r["path"], r["start"], r["end"]) or r["command"] or r["kind"], 70),
                "born": r["born"],
                "why": ", ".join(sorted({h["why"] for h in r["symbols"] or ()})),
                "symbols": words.clip(", ".join(words.short_symbol(h["id"]) for h in r["symbols"] or ()), 120),
                "default": r["action"],
                "before": r["tokens_before"],
                "after": r["tokens_after"],
                "verdict": {"true": "still true"}.get(r["status"], r["status"]),
            }
            for r in rows
        ]
    )


CONFIG = {
    "step": tables.number("step", "The write", 48),
    "record": tables.text("record", width=56),
    "where": tables.text("record shows", width=250),
    "born": tables.number("born", width=48),
    "why": tables.text("why", width=76),
    "symbols": tables.text("symbols", width=170),
    "default": tables.text("default", "The default action (Algorithm 1)", 66),
    "before": tables.number("before", "Tokens of the record", 56),
    "after": tables.number("after", "Tokens of what replaces it", 56),
    "verdict": tables.text(
        "measured", "Whether the record is false of the repository after this write; no policy sees it", 90
    ),
}


frame.run_page("Why was this record put up for removal, and what came of it?", draw)
