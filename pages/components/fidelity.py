"""How far the reconstruction can be trusted: lines that differ, lines not understood, billed tokens."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.components import code, data, state, style, tables, words
from storage import queries
from storage.queries import Row


def trust(run: Row, key: data.Key) -> None:
    """One choice of what to check, drawn only when it is asked for."""
    names = {
        "fidelity": f"Fidelity {words.fraction(run['fidelity'])}",
        "lines": f"Not understood: {words.count(run['skipped_lines'])} of {words.count(run['lines'])} lines",
        "billed": "Billed against held tokens",
        "base": "Base",
    }
    st.markdown("**Can this reconstruction be trusted?**")
    which = st.segmented_control(
        "Check", list(names), format_func=lambda n: names[n], key="trust", label_visibility="collapsed"
    )
    if which == "fidelity":
        _mismatches(run, key)
    elif which == "lines":
        _lines(key)
    elif which == "billed":
        _billed(key)
    elif which == "base":
        _base(run)


def _mismatches(run: Row, key: data.Key) -> None:
    if run["fidelity"] is None:
        st.info("n/a: nothing the run showed could be compared, because every file was seen once at most.")
        return
    rows = data.ask(key, queries.mismatches)
    st.caption(
        f"{words.count(run['equal_lines'])} of {words.count(run['compared_lines'])} shown lines equal "
        "the replayed file "
        f"in {words.plural(run['observations'], 'observation')}; {words.plural(len(rows), 'observation')} differ."
    )
    if not rows:
        return
    frame = pd.DataFrame(
        [
            {
                "step": r["t"],
                "file": words.tail(words.place(r["path"], r["start"]), 60),
                "equal": r["equal"],
                "compared": r["compared"],
                "verdict": r["verdict"],
                "suspected step": r["suspect"],
            }
            for r in rows
        ]
    )
    at = min(st.session_state.get("mismatch", 0), len(rows) - 1)
    config = {
        "file": tables.text("file:line", width="large"),
        "step": tables.number("step"),
        "suspected step": tables.number("suspected step"),
    }
    tables.show(
        frame,
        config,
        key="mismatches",
        height=220,
        on_row=lambda n: st.session_state.update(mismatch=n),
        selected=at,
        alt="Observations that differ",
    )
    row = rows[at]
    left, right = st.columns(2)
    with left:
        code.head(row["path"], f"as the run saw it at step {row['t']}")
        code.show(code.numbered(row["seen"] or "", row["start"] or 1), key="seen", height=180)
    with right:
        code.head(row["path"], "as replayed")
        code.show(code.numbered(row["expected"] or "", row["start"] or 1), key="expected", height=180)
    if row["suspect"]:
        st.button(
            f"Go to the suspected step {row['suspect']}",
            on_click=state.put,
            kwargs={"t": row["suspect"]},
            icon=":material/search:",
        )


def _lines(key: data.Key) -> None:
    found = data.ask(key, queries.not_understood)
    left, right = st.columns(2)
    with left:
        st.caption("Lines of the transcript that could not be used")
        frame = pd.DataFrame(found["skipped"], columns=["source", "line", "why"])
        tables.show(
            frame, {"why": tables.text("why", width="large")}, key="skipped", height=240, alt="Lines not understood"
        )
    with right:
        st.caption("Understood, but without meaning here, or not applied")
        frame = pd.DataFrame(found["notes"], columns=["kind", "what", "t", "count"])
        tables.show(
            frame,
            {"t": tables.number("step"), "what": tables.text("what", width="large")},
            key="notes",
            height=240,
            alt="Notes",
        )


def _billed(key: data.Key) -> None:
    parts = data.ask(key, queries.not_understood)["segments"]
    if not parts:
        st.info("n/a: the transcript reports no token use, so the held context cannot be checked against it.")
        return
    st.caption(
        "Between compactions, the tokens of each request are fitted as slope × n(C_t) + intercept; a "
        "segment that does not fit is incomplete."
    )
    frame = pd.DataFrame(parts)[["first", "last", "requests", "slope", "intercept", "error", "complete"]]
    frame["complete"] = ["n/a" if c is None or pd.isna(c) else "yes" if c else "no" for c in frame["complete"]]
    config = dict.fromkeys(("slope", "error"), COLUMN)
    tables.show(
        frame,
        {**config, "intercept": tables.number("intercept")},
        key="segments",
        height=240,
        alt="Billed tokens by segment",
    )


COLUMN = st.column_config.NumberColumn(format="%.2f")


def _base(run: Row) -> None:
    parts = [
        f"base <b>{words.esc(run['base_label'] or 'none')}</b> ({words.esc(run['base_spec'] or 'none')})",
        f"{words.count(run['base_matched'])} of {words.plural(run['base_compared'], 'file')} the run "
        "saw first match it",
        words.esc(run["base_note"] or ""),
    ]
    style.facts(*parts)
    if (run["base_spec"] or "none") == "none":
        st.info(
            "No base was given: files are known from the moment the run first shows them whole. Add "
            "a base under **Runs** to know the rest."
        )
