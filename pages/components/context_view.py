"""The context held after a step as a table, and one record as it was held, its false lines struck."""

from __future__ import annotations

import streamlit as st

from pages.components import code, data, download, palette, record_text, state, style, tables, words
from storage import queries
from storage.queries import Row

SHOWN = 300


def held(key: data.Key, t: int) -> None:
    """C_t as a table, largest first; a click chooses the record."""
    rows, totals = data.ask_all(key, (queries.context, t, SHOWN), (queries.context_sum, t))
    tokens = {name: totals.get(f"{name}_tokens") or 0 for name in palette.STATUS}
    whole = sum(tokens.values())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="tp-step">held after step {t} <span '
            f'class="dim">· {words.plural(totals["records"], "record")} · {words.count(whole)} tokens · '
            f"{words.share(tokens['stale'], whole)} stale</span></div>",
            width="stretch",
        )
        download.buttons(key, t)
    if not rows:
        st.info("Nothing is held after this step.")
        return
    chosen = state.get("record")
    at = next((n for n, row in enumerate(rows) if row["record_id"] == chosen), None)
    tables.show(
        tables.record_rows(rows),
        tables.RECORD_CONFIG,
        key=f"held:{key[1]}:{t}:{chosen}",
        height=340,
        selected=at,
        on_row=lambda n: state.put(record=rows[n]["record_id"]),
        alt="Records held",
    )
    if totals["records"] > len(rows):
        st.caption(
            f"The {len(rows)} largest of {words.count(totals['records'])} records; the full text has all of them."
        )


def record(key: data.Key, record_id: str, t: int, height: int = 320) -> None:
    """One record as held, with its status after step ``t``."""
    row = data.ask(key, queries.get_record, record_id, t)
    if row is None:
        st.caption("This record does not exist in this run.")
        return
    st.html(f'<div class="tp-step">{words.esc(row["record_id"])} <span class="dim">{_about(row, t)}</span></div>')
    text = data.texts(key, row["text"]).get(row["text"], "")
    if row["path"]:
        code.head(words.place(row["path"], row["start"], row["end"]), style.chip(*_chip(row)))
    else:
        st.html(f'<div class="tp-head">{style.chip(*_chip(row))}</div>')
    code.show(record_text.struck(text, row), key=f"record:{record_id}:{t}", height=height)


def _about(row: Row, t: int) -> str:
    parts = [words.esc(row["kind"]), f"born at step {row['born']}", words.count(row["tokens"], "tokens")]
    if row["gone"] is not None and row["gone"] <= t:
        parts.append(f"no longer held since step {row['gone']}")
    elif row["born"] > t:
        parts.append("not born yet")
    return " · ".join(parts)


def _chip(row: Row) -> tuple[str, str]:
    kind = palette.coarse(row["status"])
    if row["status"] is None:
        return "not born yet", palette.NONE.colour
    said = f"{row['status']} since write {row['since']}" if row["since"] else palette.STATUS[kind].says
    extra = ", incomplete" if row.get("incomplete") else ""
    return said + extra + (", moved" if row.get("moved") else ""), palette.STATUS[kind].colour
