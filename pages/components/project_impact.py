"""What one write may have to be followed by: the candidates with what became of each, as a graph and a table."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from pyvis.network import Network

from core.harness.impact import Impact
from core.harness.run import HarnessStep
from pages.components import graph_layout, graph_view, palette, style, tables, words
from pages.components.palette import Meaning
from storage.queries import Row

MOST = 24  # candidates drawn, those with firm evidence first; the table has all
_STATE: dict[str, Meaning] = {"": palette.OPEN, "inspected": palette.INSPECTED, "edited": palette.FOLLOWED}
_CONFIG = {
    "state": tables.text("since", width=110),
    "kind": tables.text("kind", width=86),
    "path": tables.text("file", width=230),
    "why": tables.text("why it may have to follow", width=330),
    "firm": tables.text(
        "evidence", "Firm: something others depend on changed; it is an open relation until looked at", 56
    ),
    "score": st.column_config.NumberColumn("rank score", format="%.2f", width=60),
}
_SIGN = {"": "● not looked at", "inspected": "○ read", "edited": "✓ edited"}


@dataclass(frozen=True, slots=True)
class Followed:
    """A candidate and what became of it: ``how`` inspected, edited or nothing, at step ``t``."""

    impact: Impact
    how: str = ""
    t: int = 0


class Touched:
    """When each file was shown or written over the run."""

    def __init__(self, touched: Sequence[tuple[int, str, bool]]) -> None:
        self._shown: dict[str, list[int]] = {}
        self._written: dict[str, list[int]] = {}
        for t, path, written in touched:
            (self._written if written else self._shown).setdefault(path, []).append(t)

    def since(self, impact: Impact, t: int) -> Followed:
        """The first edit of the candidate after step ``t``, else the first time it was shown."""
        for how, places in (("edited", self._written), ("inspected", self._shown)):
            steps = places.get(impact.path, [])
            at = bisect_right(steps, t)
            if at < len(steps):
                return Followed(impact, how, steps[at])
        return Followed(impact)


def draw(step: HarnessStep, followed: Sequence[Followed], edges: Sequence[Row], key: str) -> None:
    """Graph left, table right."""
    if not followed:
        style.facts("Nothing that could have to follow this write was found.")
        return
    sums = {how: sum(1 for f in followed if f.how == how) for how in _STATE}
    firm = sum(1 for f in followed if f.impact.firm)
    style.facts(
        f"<b>{words.plural(firm, 'file')}</b> with firm evidence may have to follow, "
        f"{words.count(len(followed) - firm)} more share names or a place",
        *(f"<b>{words.count(sums[how])}</b> {meaning.says}" for how, meaning in _STATE.items()),
    )
    left, right = st.columns([1, 1.15], gap="medium")
    with left:
        drawn = sorted(followed, key=lambda f: not f.impact.firm)[:MOST]
        net, ids = network(step, drawn, edges)
        graph_view.draw(net, ids, f"impact:{key}", lambda name: None)
        legend = [style.swatch(m.says, m.colour) for m in _STATE.values()]
        legend.append(style.swatch("symbol or file this write changed", palette.CHANGED.colour))
        st.html(f'<div class="tp-head">{" ".join(legend)}</div>')
    with right:
        tables.show(
            table(followed), _CONFIG, key=f"impact_table:{key}", height=540, alt="Files that may have to follow"
        )


def table(followed: Sequence[Followed]) -> pd.DataFrame:
    """All candidates by rank."""
    return pd.DataFrame(
        [
            {
                "state": f"{_SIGN[f.how]} (step {f.t})" if f.how else _SIGN[""],
                "kind": f.impact.kind,
                "path": words.tail(f.impact.path, 60),
                "why": words.clip(f.impact.why, 200),
                "firm": "firm" if f.impact.firm else "",
                "score": f.impact.score,
            }
            for f in followed
        ],
        columns=list(_CONFIG),
    )


def network(step: HarnessStep, followed: Sequence[Followed], edges: Sequence[Row]) -> tuple[Network, list[str]]:
    """The changed symbols, the symbols of candidates that reach them, and the candidates no edge leads to."""
    by_path = {f.impact.path: f for f in followed}
    changed = {f"{w.path}::{name}" for w in step.written for name in w.symbols}
    sources = {w.path for w in step.written}
    pairs: list[tuple[str, str, str]] = []
    for e in edges:
        if e["target"] in changed and e["source"].partition("::")[0] in by_path:
            pairs.append((e["source"], e["target"], f"{e['kind']} · {e['tier']} · {e['why']}"))
    linked = {source.partition("::")[0] for source, _, _ in pairs}
    for f in followed:
        if f.impact.path not in linked:
            pairs.append((f.impact.path, f.impact.source, f.impact.why))
    ids = sorted({end for a, b, _ in pairs for end in (a, b)})
    at = {name: n for n, name in enumerate(ids)}
    net = Network(height="520px", width="100%", directed=True, cdn_resources="in_line")
    where = graph_layout.springs(len(ids), [(at[a], at[b]) for a, b, _ in pairs])
    for n, name in enumerate(ids):
        _node(net, n, name, by_path, changed, sources, (float(where[n][0]), float(where[n][1])))
    for a, b, why in pairs:
        net.add_edge(
            at[a], at[b], title=words.clean(why), color=palette.NONE.colour, width=1.2, arrows="to", physics=False
        )
    net.set_options(json.dumps(graph_view.OPTIONS))
    return net, ids


def _node(
    net: Network,
    n: int,
    name: str,
    by_path: Mapping[str, Followed],
    changed: set[str],
    sources: set[str],
    place: tuple[float, float],
) -> None:
    path = name.partition("::")[0]
    root = name in changed or name in sources
    found = by_path.get(path)
    meaning = palette.CHANGED if root or found is None else _STATE[found.how]
    said = [name, "changed by this write" if root else meaning.says]
    if found is not None and not root:
        said.append(found.impact.why)
    label = words.short_symbol(name) if "::" in name else path.rpartition("/")[2]
    net.add_node(
        n,
        label=words.clip(label, 28),
        title=words.clean("\n".join(said)),
        x=place[0],
        y=place[1],
        physics=False,
        shape="dot" if "::" in name else "square",
        size=14 if root else 9,
        borderWidth=1,
        color={
            "background": meaning.colour,
            "border": meaning.colour,
            "highlight": {"background": meaning.colour, "border": palette.ink()},
        },
        font={"size": 12, "color": palette.ink(), "strokeWidth": 3, "strokeColor": palette.paper()},
    )
