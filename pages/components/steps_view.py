"""Under the lifecycle chart: the steps in windows of 20, one step's content, and how to move between them."""

from __future__ import annotations

import json
from typing import Any, Literal

import streamlit as st

from pages.components import code, data, state, style, tables, words
from storage import queries
from storage.queries import Row, StepFilter

WINDOW = 20
_FILTERS = ("step_kinds", "step_tools", "step_path", "step_text", "step_only")
_ONLY = {"all": "", "only writes": "writes", "only nominations": "nominations"}


def chosen_filter() -> StepFilter:
    """The filter the widgets and the brush say."""
    said = st.session_state
    return StepFilter(
        kinds=tuple(said.get("step_kinds") or ()),
        tools=tuple(said.get("step_tools") or ()),
        path=said.get("step_path") or "",
        text=(said.get("step_text") or "").strip(),
        only=_ONLY[said.get("step_only") or "all"],
        first=state.number("from"),
        last=state.number("to"),
    )


def filters(key: data.Key) -> None:
    """The filter row."""
    facets = data.ask(key, queries.facets)
    for name in _FILTERS[:2]:
        allowed = facets["kinds" if name == "step_kinds" else "tools"]
        st.session_state[name] = [v for v in st.session_state.get(name) or [] if v in allowed]
    if st.session_state.get("step_path") not in facets["files"]:
        st.session_state["step_path"] = None
    one, two, three, four, five = st.columns([2.1, 1.5, 1.7, 2.2, 1.8], gap="small")
    one.segmented_control(
        "Show", list(_ONLY), key="step_only", label_visibility="collapsed", default="all", required=True
    )
    two.multiselect("Kind", facets["kinds"], key="step_kinds", placeholder="kind", label_visibility="collapsed")
    three.multiselect("Tool", facets["tools"], key="step_tools", placeholder="tool", label_visibility="collapsed")
    four.selectbox(
        "File",
        facets["files"],
        key="step_path",
        index=None,
        placeholder="file",
        label_visibility="collapsed",
        format_func=lambda p: words.tail(p, 44),
    )
    five.text_input("Text", key="step_text", placeholder="text in call or result", label_visibility="collapsed")


def _move(t: int | None) -> None:
    if t is not None:
        state.put(t=t)


def _jump() -> None:
    _move(int(st.session_state["jump_to"]))


def cursor(run: Row, t: int) -> None:
    """Where step ``t`` stands on the chart's step axis."""
    style.cursor(t, run["steps"], 150)


def mover(run: Row, t: int, near: dict[str, int | None], matching: int) -> None:
    """Buttons with keys: h l any listed step, H L writes, n N nominations."""
    last = run["steps"] or 1
    st.session_state["jump_to"] = t
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.number_input("Step", 1, last, key="jump_to", on_change=_jump, label_visibility="collapsed", width=110)
        st.html(f'<div class="tp-facts">of {words.count(last)} · {words.count(matching)} listed</div>')
        for label, name, keys, icon in (
            ("step", "previous_step", "H", "chevron_left"),
            ("step", "next_step", "L", "chevron_right"),
            ("write", "previous_write", "Shift+H", "keyboard_double_arrow_left"),
            ("write", "next_write", "Shift+L", "keyboard_double_arrow_right"),
            ("nomination", "previous_nomination", "Shift+N", "keyboard_double_arrow_left"),
            ("nomination", "next_nomination", "N", "keyboard_double_arrow_right"),
        ):
            to = near[name]
            side: Literal["left", "right"] = "left" if name.startswith("previous") else "right"
            st.button(
                label,
                key=name,
                on_click=_move,
                args=(to,),
                disabled=to is None,
                shortcut=keys,
                icon=f":material/{icon}:",
                icon_position=side,
                help=f"{name.replace('_', ' ').capitalize()}{f': step {to}' if to else ''}",
            )


def listing(key: data.Key, t: int, wanted: StepFilter, matching: int) -> None:
    """The window of 20 steps that ``t`` falls into."""
    before = data.ask(key, queries.count_steps, wanted, t)
    offset = min(before, max(0, matching - 1)) // WINDOW * WINDOW
    rows = data.ask(key, queries.list_steps, wanted, offset, WINDOW)
    if not rows:
        st.info("No step matches these filters. Clear one of them or widen the step range.")
        return
    here = next((n for n, row in enumerate(rows) if row["t"] == t), None)
    tables.show(
        tables.step_rows(rows),
        tables.STEP_CONFIG,
        key=f"steps:{key[1]}:{offset}:{wanted}:{t}",
        height=38 + 27 * 14,
        on_row=lambda n: state.put(t=rows[n]["t"]),
        selected=here,
        alt="Steps of the run",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{words.count(offset + 1)} to {words.count(offset + len(rows))} of {words.count(matching)}",
            width="stretch",
        )
        earlier = data.ask(key, queries.list_steps, wanted, offset - WINDOW, 1) if offset else []
        later = data.ask(key, queries.list_steps, wanted, offset + WINDOW, 1) if offset + WINDOW < matching else []
        for label, some in (("Earlier 20", earlier), ("Later 20", later)):
            st.button(
                label,
                key=label,
                type="tertiary",
                disabled=not some,
                on_click=_move,
                args=(some[0]["t"] if some else None,),
            )


def content(key: data.Key, step: Row) -> None:
    """What a step did and showed: a diff for a write, else the call and its result."""
    texts = data.texts(key, step["text"], step["call"], step["thinking"])
    notes = [
        step["kind"],
        words.esc(step["tool"]),
        words.count(step["tokens"], "tokens"),
        words.esc(step["purpose"] or ""),
    ]
    notes += [
        "failed" if step["failed"] else "",
        "sub-agent, never held" if step["agent"] else "",
        words.esc(step["time"] or "")[:19],
    ]
    st.html(
        f'<div class="tp-step">step {step["t"]} <span class="dim">{" · ".join(n for n in notes if n)}</span></div>'
        f'<div class="tp-head">{words.esc(words.clip(step["title"], 200))}</div>'
    )
    wrote = data.ask(key, queries.writes_at, step["t"])
    for n, write in enumerate(wrote[:8]):
        changed(key, write, f"{step['t']}:{n}")
    if len(wrote) > 8:
        st.caption(f"{words.plural(len(wrote) - 8, 'more file')} written by this step; see Drift.")
    if step["call"] and not wrote:
        code.show(code.numbered(_call(texts.get(step["call"], ""))), key=f"call:{step['t']}", height=130)
    if not wrote or step["kind"] == "run":
        code.show(
            code.as_shown(texts.get(step["text"], "")),
            key=f"text:{step['t']}",
            height=300 if step["call"] else 420,
            empty="No text.",
            wrap=step["kind"] == "say",
        )
    if step["thinking"]:
        with st.expander("Thinking before this step (not held)"):
            code.show(code.numbered(texts.get(step["thinking"], "")), key=f"think:{step['t']}", height=200)


def changed(key: data.Key, write: Row, name: str, height: int = 360) -> None:
    """The diff of one file write."""
    counts = f"+{words.count(write['added'])} −{words.count(write['deleted'])} · {words.esc(write['how'] or '')}"
    late = f" · seen at step {write['known_at']}" if write["known_at"] != write["t"] else ""
    code.head(write["path"] or "", counts + late)
    if write["opaque"] and not write["after"]:
        st.caption("The file changed here, but the transcript does not say how.")
        return
    sides = data.texts(key, write["before"], write["after"])
    lines = code.diff_lines(sides.get(write["before"]), sides.get(write["after"]))
    code.show(lines, key=f"diff:{name}", height=height, empty="The file's text did not change.")


def _call(text: str) -> str:
    """A call's JSON in lines people can read; anything else as it is."""
    try:
        call: Any = json.loads(text)
    except ValueError:
        return text
    if isinstance(call, dict):
        return "\n".join(
            f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
            for name, value in call.items()
        )
    return text


def effect(key: data.Key, t: int) -> None:
    """What the step's write changed and whom it nominated."""
    drift, nominated = data.ask_all(key, (queries.get_drift, t), (queries.nominations_at, t))
    if drift is None:
        return
    parts = []
    for name in ("changed", "removed", "created", "rewired", "uses", "lost_callers"):
        if drift[name]:
            names = ", ".join(words.esc(words.clip(words.short_symbol(s), 50)) for s in drift[name][:6])
            more = f" and {len(drift[name]) - 6} more" if len(drift[name]) > 6 else ""
            parts.append(f"<b>{name.replace('_', ' ')}</b> {names}{more}")
    parts.append(
        f"falsified {words.plural(drift['falsified_records'], 'record')}, "
        f"{words.count(drift['falsified_tokens'])} tokens"
    )
    style.facts(*parts)
    with st.container(horizontal=True, gap="small"):
        state.go("drift", "Symbols around this write", ":material/hub:", t=t, symbol=None)
        if nominated:
            first = nominated[0]["record_id"]
            label = f"Nominated {words.plural(len(nominated), 'record')}: why"
            state.go("why", label, ":material/help:", t=t, record=first)
