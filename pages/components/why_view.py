"""One nomination as a card: sentence, record, symbol, write, decision, replacing text; and the opposite question."""

from __future__ import annotations

import re

import streamlit as st

from core.context.actions import Action, Nomination
from core.records.record import Record
from core.tape.drift import Drift
from core.tape.explain import why_nominated, why_not
from core.tape.tape import Tape
from pages.components import code, context_view, data, palette, state, steps_view, style, words
from storage import queries, recall
from storage.queries import Row

_ACTION = {"refresh": palette.TRUE, "drop": palette.STALE, "rerun": palette.UNNEEDED, "keep": palette.NONE}
_TICKS = re.compile(r"`([^`]*)`")


def sentence(lines: tuple[str, ...]) -> str:
    """Sentences as HTML, the first one large; names between backticks as code. The text is escaped here."""
    said = [_TICKS.sub(r"<code>\1</code>", words.esc(line)) for line in lines]
    rest = "<br>".join(said[1:])
    return f'<div class="tp-sentence">{said[0]}</div>' + (f'<div class="tp-facts">{rest}</div>' if rest else "")


def _known(key: data.Key, record_id: str) -> tuple[Record, list[tuple[Nomination, Action]], list[Drift], Tape] | None:
    return data.live(key, recall.explained, record_id)


def card(key: data.Key, row: Row) -> None:
    """Sentence first, then the chain."""
    known = _known(key, row["record_id"])
    if known is None:
        st.caption("The record of this nomination is not stored.")
        return
    record, nominated, _, tape = known
    pair = next((p for p in nominated if p[0].t == row["t"]), None)
    if pair is not None and pair[0].hits:
        verdict = None if row["status"] is None else str(row["status"]).endswith("stale")
        st.html(sentence(why_nominated(record, pair[0], tape, pair[1], verdict)))
    left, right = st.columns(2, gap="medium")
    with left:
        _head("1 · the record as it was held, its false lines struck")
        context_view.record(key, row["record_id"], row["t"], height=260)
    with right:
        _head("2 · the symbols, and the write that drifted them")
        symbols(row)
        write(key, row)
    left, right = st.columns(2, gap="medium")
    with left:
        _head("3 · the decision")
        decision(key, row)
    with right:
        _head("4 · what replaces it")
        replacement(key, row)


def _head(text: str) -> None:
    st.html(f'<div class="tp-step">{text}</div>')


def symbols(row: Row) -> None:
    """The hits: symbol, why, tier, writes."""
    hits = row["symbols"] or []
    lines = []
    for hit in hits[:5]:
        steps = ", ".join(str(w) for w in hit["writes"][:6]) + (" …" if len(hit["writes"]) > 6 else "")
        lines.append(
            f"<code>{words.esc(words.tail(hit['id'], 70))}</code> "
            f"{style.chip(words.esc(hit['why']), palette.STALE.colour)}"
            f"{words.esc(hit['tier'])} · {'writes' if len(hit['writes']) > 1 else 'write'} {steps}"
        )
    if len(hits) > 5:
        lines.append(f"and {len(hits) - 5} more")
    st.html(f'<div class="tp-head">{"<br>".join(lines)}</div>')
    named = [h["id"] for h in hits if "::" in h["id"]]
    with st.container(horizontal=True, gap="small"):
        state.go(
            "drift", "The symbols around this write", ":material/hub:", t=row["t"], symbol=named[0] if named else None
        )
        state.go("run", "The step", ":material/stacked_line_chart:", t=row["t"])


def write(key: data.Key, row: Row) -> None:
    """The diff of the last write among the hits."""
    steps = sorted({w for h in row["symbols"] or () for w in h["writes"] if w <= row["t"]}) or [row["t"]]
    paths = {h["id"].partition("::")[0] for h in row["symbols"] or ()}
    found = [w for t in reversed(steps[-3:]) for w in data.ask(key, queries.writes_at, t)]
    found = found or data.ask(key, queries.writes_known_at, row["t"])
    own = [w for w in found if w["path"] in paths] or found
    for n, one in enumerate(own[:2]):
        st.html(f'<div class="tp-head">write at step {one["t"]}</div>')
        steps_view.changed(key, one, f"why:{row['t']}:{row['record_id']}:{n}", height=190 if len(own) == 1 else 130)
    if len(own) > 2:
        st.caption(f"{words.plural(len(own) - 2, 'more file')} written at this step.")


def decision(key: data.Key, row: Row) -> None:
    """The default action with its reason, and what was done in the maintained context."""
    saved = (row["tokens_after"] or 0) - (row["tokens_before"] or 0)
    meaning = _ACTION.get(row["action"], palette.NONE)
    chip = style.chip(f"<b>{words.esc(row['action'])}</b>", meaning.colour)
    st.html(
        f'<div class="tp-facts">default: {chip} '
        f"{words.count(row['tokens_before'])} → {words.count(row['tokens_after'])} tokens "
        f"({saved:+,})<br>{words.esc(row['reason'])}</div>"
    )
    done = data.ask(key, queries.actions_on, row["record_id"])
    if done:
        last = [a for a in done if a["t"] >= row["t"]][:3] or done[-1:]
        lines = [
            f"step {a['t']}: <b>{words.esc(a['name'])}</b> {words.count(a['tokens_before'])} → "
            f"{words.count(a['tokens_after'])}"
            for a in last
        ]
        st.html(
            '<div class="tp-facts"><span class="dim">carried out in the maintained context:</span> '
            f"{'; '.join(lines)}</div>"
        )
    else:
        st.html(
            '<div class="tp-facts"><span class="dim">In the maintained context this record had been '
            "settled before.</span></div>"
        )
    st.html('<div class="tp-facts"><span class="dim">manager: no model has been asked about this run.</span></div>')


def replacement(key: data.Key, row: Row) -> None:
    """The text that replaces the record."""
    if row["action"] == "keep":
        st.caption("The record stays as it is.")
        return
    if row["pointer"]:
        st.html(f'<div class="tp-head">points to {words.esc(row["pointer"])}, which already shows these lines</div>')
    texts = data.texts(key, row["text_after"], row["record_text"])
    lines = code.as_shown(texts.get(row["text_after"] or "", ""))
    if row["action"] == "refresh":
        held = {line.strip() for _, _, line in code.as_shown(texts.get(row["record_text"] or "", ""))}
        lines = [("add" if line.strip() and line.strip() not in held else mark, n, line) for mark, n, line in lines]
    wrap = row["action"] != "refresh"
    code.show(lines, key=f"after:{row['t']}:{row['record_id']}", height=260, empty="Nothing replaces it.", wrap=wrap)


def opposite(key: data.Key) -> None:
    """For any record and any write: why it was nominated there, or why not."""
    drifts = data.ask(key, queries.list_drift)
    born = data.ask(key, queries.record_names)
    names = [r["record_id"] for r in born]
    told = {
        r[
            "record_id"
        ]: f"{r['record_id']} · {words.tail(words.place(r['path'], r['start'], r['end']) or r['kind'], 60)}"
        for r in born
    }
    steps = [d["known_at"] for d in drifts]
    paths = {d["known_at"]: words.tail(", ".join(d["paths"] or ()), 60) for d in drifts}
    if not names or not steps:
        st.info("There is no record or no write to ask about.")
        return
    record_id = state.get("record") if state.get("record") in told else names[0]
    t = state.number("t")
    step = max([s for s in steps if t is not None and s <= t], default=steps[0])
    if st.session_state.get("not_record") != record_id:
        st.session_state["not_record"] = record_id
    if st.session_state.get("not_step") != step:
        st.session_state["not_step"] = step
    left, right = st.columns(2, gap="medium")
    left.selectbox(
        "Record",
        names,
        key="not_record",
        format_func=lambda n: told[n],
        on_change=lambda: state.put(record=st.session_state["not_record"]),
    )
    right.selectbox(
        "Write",
        steps,
        key="not_step",
        format_func=lambda s: f"step {s} · {paths[s]}",
        on_change=lambda: state.put(t=st.session_state["not_step"]),
    )
    known = _known(key, record_id or names[0])
    if known is None:
        return
    record, nominated, all_drifts, tape = known
    at = [p for p in nominated if p[0].t == step]
    drift = next((d for d in all_drifts if d.known_at == step), None)
    if at and at[0][0].hits:
        st.html(sentence(why_nominated(record, at[0][0], tape, at[0][1])))
    elif drift is not None:
        st.html(sentence(why_not(record, drift, tape)))
    left, right = st.columns(2, gap="medium")
    with left:
        _head("the record after this write")
        context_view.record(key, record.id, step, height=300)
    with right:
        _head("the write")
        for n, one in enumerate(data.ask(key, queries.writes_known_at, step)[:3]):
            steps_view.changed(key, one, f"not:{step}:{n}", height=240)
