"""The decision points page: bars of the three regions, and the two lists of one point with their code.

A region's lines are numbered in the state its gold stands in (the base for reference gold, w_t else);
line maps carry them to the state a record was read in, and back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.replay.lines import line_map
from pages.components import charts, code, data, palette, record_text, state, style, tables, words
from pages.components.palette import Meaning
from storage import queries
from storage.queries import Row

_PARTS: tuple[tuple[str, Meaning, str, Callable[[Row], int]], ...] = (
    ("held and needed, true", palette.HELD_NEEDED, "", lambda p: -(p["held_needed"] - p["stale_needed"])),
    ("held and needed, falsified", palette.HELD_NEEDED, "/", lambda p: -p["stale_needed"]),
    ("held and unneeded, true", palette.UNNEEDED, "", lambda p: -(p["unneeded"] - p["stale"])),
    ("held and unneeded, falsified", palette.UNNEEDED, "/", lambda p: -p["stale"]),
    ("needed and missing", palette.MISSING, "x", lambda p: p["missing"]),
)
CELLS = {
    (False, True): ("unneeded, stale", palette.UNNEEDED),
    (False, False): ("unneeded", palette.UNNEEDED),
    (True, True): ("needed, stale", palette.HELD_NEEDED),
    (True, False): ("needed", palette.HELD_NEEDED),
}


def bars(points: list[Row], chosen: int, first: int) -> go.Figure:
    """One bar a point: held to the left of zero, missing to the right, on one scale of tokens."""
    fig = frame_of(points, chosen, first)
    y = list(range(len(points)))
    told = [_hover(p) for p in points]
    for name, meaning, shape, value in _PARTS:
        look = charts.pattern(Meaning(meaning.colour, name, shape))
        look["pattern"]["fgcolor"] = palette.STALE.colour if shape == "/" and meaning is palette.UNNEEDED else "#FFFFFF"
        look["pattern"] |= {"size": 5, "solidity": 0.45}
        text = (
            [
                "" if p["skip"] else f"  missing {words.count(p['missing'])} of {words.count(p['needed'])}"
                for p in points
            ]
            if shape == "x"
            else None
        )
        fig.add_bar(
            x=[value(p) for p in points],
            y=y,
            orientation="h",
            name=name,
            marker={**look, "line": {"width": 0}},
            text=text,
            textposition="outside",
            cliponaxis=False,
            textfont={"size": 11},
            constraintext="none",
            hovertext=told,
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=[[p["anchor"], p["t"]] for p in points],
        )
    return fig


def frame_of(points: list[Row], chosen: int, first: int, added: Sequence[int] = ()) -> go.Figure:
    """The axes and rows the bars stand on: one scale for both sides, the chosen point outlined, skipped ones faded.

    ``added`` are tokens right of zero that the scale must have room for besides the missing ones.
    """
    right = "needed and missing, and what is added" if added else "needed and missing"
    fig = charts.figure(110 + 15 * max(6, len(points)), x=f"tokens (left of zero: held; right of zero: {right})")
    y = list(range(len(points)))
    row = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1}
    for n, p in enumerate(points):
        if p["skip"]:
            fig.add_shape(**row, y0=n - 0.5, y1=n + 0.5, fillcolor=palette.paper(), opacity=0.6, line_width=0)
    fig.add_shape(**row, y0=chosen - 0.5, y1=chosen + 0.5, line={"width": 1.5, "color": palette.ink()})
    fig.add_vline(x=0, line={"width": 1.5, "color": palette.ink()})
    labels = [f"{first + n + 1} · step {p['t']}" for n, p in enumerate(points)]
    room = max([1, *(p["missing"] for p in points), *added])
    left = max([1, *(p["held"] for p in points)])
    fig.update_layout(
        barmode="relative",
        bargap=0.25,
        margin={"l": 96, "r": 16, "t": 52, "b": 44},
        dragmode=False,
        clickmode="event+select",
    )
    fig.update_yaxes(
        tickvals=y,
        ticktext=labels,
        range=[max(6, len(points)) - 0.5, -0.5],
        showgrid=False,
        tickfont={"size": 11},
        fixedrange=True,
    )
    spare = 0.05 if added else 0.2
    fig.update_xaxes(range=[-1.02 * left, room + spare * (left + room)], fixedrange=True, **_axis(left, room))
    return fig


def _axis(left: int, room: int) -> dict[str, object]:
    """Tick labels without a sign, at round amounts: both sides are amounts."""
    rough = max(1.0, (left + room) / 7)
    power = 10.0 ** math.floor(math.log10(rough))
    step = max(1, int(next(m * power for m in (1, 2, 5, 10) if m * power >= rough)))
    values = list(range(-(left // step) * step, room + step, step))
    return {"tickvals": values, "ticktext": [words.count(abs(v)) for v in values]}


def _hover(p: Row) -> str:
    lines = [
        f"<b>{p['anchor']} after step {p['t']}</b>" + (f" (not scored: {words.esc(p['skip'])})" if p["skip"] else ""),
        f"held {words.count(p['held'])}: unneeded {words.count(p['unneeded'])} "
        f"({words.share(p['unneeded'], p['held'])}), "
        f"of which stale {words.count(p['stale'])}",
        f"held and needed {words.count(p['held_needed'])}, of which stale {words.count(p['stale_needed'])}",
        f"gold {words.count(p['needed'])}: held {words.count(p['gold_held'])}, missing {words.count(p['missing'])} "
        f"({words.share(p['missing'], p['needed'])})",
        f"gold source: {words.esc(p['gold_source'])}",
    ]
    return "<br>".join(lines)


def base_step(point: Row) -> int:
    """The step in whose state the regions' lines are numbered."""
    return 0 if point["gold_source"] == "reference" else int(point["t"])


def held(key: data.Key, point: Row, records: list[Row], regions: list[Row]) -> None:
    """What is held: cell, tokens and why; the chosen record's text with its needed lines marked."""
    st.html(
        f'<div class="tp-step">held <span class="dim">· {words.plural(len(records), "record")} · '
        f"{words.count(point['held'])} tokens, "
        f"{words.count(point['unneeded'])} unneeded</span></div>"
    )
    if not records:
        st.info("Nothing is held at this point.")
        return
    rows = [
        {
            "cell": ("▨ " if r["stale"] else "● ") + CELLS[bool(r["needed"]), bool(r["stale"])][0],
            "tokens": r["tokens"],
            "record": r["record_id"],
            "where": words.tail(words.place(r["path"], r["start"], r["end"]) or r["kind"], 34),
            "why": words.clip(r["why"], 200),
        }
        for r in records
    ]
    config = {
        "cell": tables.text("is", width=104),
        "tokens": tables.number("tokens", width=56),
        "record": tables.text("record", width=56),
        "where": tables.text("file:lines", width=206),
        "why": tables.text("why", width=190),
    }
    chosen = state.get("record")
    at = next((n for n, r in enumerate(records) if r["record_id"] == chosen), None)
    tables.show(
        pd.DataFrame(rows),
        config,
        key=f"point_held:{point['t']}:{chosen}",
        height=300,
        selected=at,
        on_row=lambda n: state.put(record=records[n]["record_id"]),
        alt="Records held",
    )
    if at is None:
        st.caption("Choose a record to read it with its needed lines marked.")
        return
    row = data.ask(key, queries.get_record, records[at]["record_id"], point["t"])
    if row is None:
        return
    text = data.texts(key, row["text"]).get(row["text"], "")
    words_for, meaning = CELLS[bool(records[at]["needed"]), bool(records[at]["stale"])]
    code.head(
        words.place(row["path"], row["start"], row["end"]) or row["record_id"],
        style.chip(words_for, meaning.colour) + words.esc(records[at]["why"]),
    )
    needed = needed_lines(key, point, row, regions)
    lines = [
        ("held" if mark != "false" and n.isdecimal() and int(n) in needed else mark, n, line)
        for mark, n, line in record_text.struck(text, row)
    ]
    code.show(lines, key=f"point_record:{row['record_id']}:{point['t']}", height=300)
    st.caption("The record as the agent holds it: ● needed by the next edit, × made false by a write.")


def needed_lines(key: data.Key, point: Row, record: Row, regions: list[Row]) -> set[int]:
    """The lines of the state the record was read in that lie in a needed region."""
    wanted: set[int] = set()
    there = [g for g in regions if g["path"] == record["path"] and g["start"] is not None]
    if not there:
        return wanted
    before = data.ask(key, queries.file_text, record["path"], base_step(point)) or ""
    then = data.ask(key, queries.file_text, record["path"], record["born"]) or ""
    mapped = line_map(before, then)
    for g in there:
        for n in range(g["start"], min(g["end"], g["start"] + 20_000) + 1):
            to = mapped.to_new(n)
            if to is not None:
                wanted.add(to)
    return wanted


def gold(key: data.Key, point: Row, records: list[Row], regions: list[Row]) -> None:
    """What is needed: rule, why, tokens, held or missing; the chosen region's code with held lines marked."""
    st.html(
        f'<div class="tp-step">needed <span class="dim">· {words.plural(len(regions), "region")} · '
        f"{words.count(point['needed'])} tokens, "
        f"{words.count(point['missing'])} missing · gold source: {words.esc(point['gold_source'])}</span></div>"
    )
    if not regions:
        st.info("No gold region here: nothing in the repository is known to be needed by the edits that follow.")
        return
    rows = [
        {
            "rule": g["rule"],
            "is": "● held" if g["held_tokens"] == g["tokens"] else "○ missing" if not g["held_tokens"] else "◐ partly",
            "tokens": g["tokens"],
            "held": g["held_tokens"],
            "where": words.tail(words.place(g["path"], g["start"], g["end"]), 34),
            "why": words.clip(g["why"], 200),
        }
        for g in regions
    ]
    config = {
        "rule": tables.text("rule", width=44),
        "is": tables.text("is", width=76),
        "tokens": tables.number("tokens", width=54),
        "held": tables.number("held", "Tokens of it that a held record shows", 50),
        "where": tables.text("file:lines", width=206),
        "why": tables.text("why", width=190),
    }
    name = f"region:{key[1]}:{point['anchor']}{point['t']}"
    at = min(st.session_state.get(name, 0), len(regions) - 1)
    tables.show(
        pd.DataFrame(rows),
        config,
        key=f"gold:{name}:{at}",
        height=300,
        selected=at,
        on_row=lambda n: st.session_state.update({name: n}),
        alt="Gold regions",
    )
    region(key, point, records, regions[at])


def region(key: data.Key, point: Row, records: list[Row], g: Row) -> None:
    """The code of one region with the lines some held record shows marked."""
    text = data.ask(key, queries.file_text, g["path"], base_step(point))
    state_name = "the base" if base_step(point) == 0 else f"the repository after step {point['t']}"
    code.head(
        words.place(g["path"], g["start"], g["end"]),
        style.chip(words.esc(g["rule"]), palette.MISSING.colour) + words.esc(g["why"]),
    )
    if text is None:
        st.caption(f"The text of this file in {state_name} is not known.")
        return
    part, first = code.slice_lines(text, g["start"], g["end"], around=2)
    seen = seen_lines(key, point, records, g, text)
    inside = range(g["start"], g["end"] + 1)
    marks = {n: "held" if n in seen else "need" for n in inside}
    code.show(code.numbered(part, first, marks), key=f"region:{point['t']}:{g['n']}", height=300)
    st.caption(f"Lines of {state_name}: ● shown by a held record, ○ needed and missing.")


def seen_lines(key: data.Key, point: Row, records: list[Row], g: Row, text: str) -> set[int]:
    """The lines of the region's file that a held record shows unchanged."""
    seen: set[int] = set()
    near = [r for r in records if r["path"] == g["path"]][:60]
    if not near:
        return seen
    full = data.ask_all(key, *((queries.get_record, r["record_id"], point["t"]) for r in near))
    born = data.ask_all(key, *((queries.file_text, g["path"], r["born"]) for r in near))
    for row, then in zip(full, born, strict=True):
        mapped = line_map(text, then or "")
        shown = [(s[1], s[2]) for s in (row or {}).get("sights") or () if s[0] == g["path"]]
        for n in range(g["start"], min(g["end"], g["start"] + 20_000) + 1):
            to = mapped.to_new(n)
            if to is not None and any(a <= to <= b for a, b in shown):
                seen.add(n)
    return seen
