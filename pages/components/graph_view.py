"""The symbol graph around one write, built with pyvis and drawn by its own vis-network, inlined: no CDN, no physics.

In: the drift of a write, the edges around it, what held records cover. Out: nodes and edges (at most
``MOST``; beyond that whole files stand for their symbols), a component that reports clicks, and the same
graph as one HTML file. Every text a run supplies is escaped or drawn on a canvas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyvis
import streamlit as st
from pyvis.network import Network

from core.graph.languages import language_of
from pages.components import graph_layout, palette, words
from pages.components.palette import Meaning
from storage.queries import Row

MOST = 300
# Beyond this many nodes labels would cover each other: unchanged neighbours show theirs on hover.
CROWDED = 50
_KINDS: dict[str, Meaning] = {
    "changed": palette.CHANGED,
    "removed": palette.REMOVED,
    "created": palette.CREATED,
    "rewired": palette.REWIRED,
    "uses": palette.USES,
    "lost_callers": palette.LOST_CALLER,
}
_CDN = re.compile(r"<(script|link)\b[^>]*\b(?:src|href)\s*=\s*[\"']https?://[^>]*>(?:\s*</script>)?", re.IGNORECASE)


@dataclass(slots=True)
class Graph:
    """``ids[i]`` is the symbol of node i; ``note`` says what was left out or collapsed."""

    ids: list[str]
    roles: list[str]
    edges: list[tuple[int, int, Row]]
    note: str = ""


def roles_of(drift: Row) -> dict[str, str]:
    """What the write did to each symbol it drifted."""
    found: dict[str, str] = {}
    for role in ("lost_callers", "uses", "rewired", "created", "changed", "removed"):
        found.update(dict.fromkeys(drift[role] or (), role))
    return found


def build(roles: Mapping[str, str], edges: Sequence[Row], most: int = MOST) -> Graph:
    """The drifted symbols and their direct neighbours; past ``most`` nodes the neighbours, then all, become files.

    Past ``CROWDED`` nodes, names outside the repository that the write did not move are left out.
    """
    edges, note = _uncrowded(roles, edges)
    ends = sorted(_ends(edges) | set(roles))
    name = dict(zip(ends, ends, strict=True))
    if len(ends) > most:
        name = {i: i if i in roles else i.partition("::")[0] + "::*" for i in ends}
        note = f"{len(ends)} symbols are too many to read: unchanged neighbours are drawn as their files."
    if len(set(name.values())) > most:
        name = {i: i.partition("::")[0] + "::*" for i in ends}
        note = f"{len(ends)} symbols are too many to read: every file is one node."
    ids = sorted(set(name.values()))
    if len(ids) > most:
        note += f" Only {most} of {len(ids)} are drawn."
        ids = sorted(ids, key=lambda i: (i not in roles, i))[:most]
    at = {i: n for n, i in enumerate(ids)}
    strongest: dict[str, str] = {}
    for symbol, role in roles.items():
        strongest.setdefault(name[symbol], role)
    merged: dict[tuple[int, int, str, bool, bool], Row] = {}
    for e in edges:
        a, b = at.get(name[e["source"]]), at.get(name[e["target"]])
        if a is not None and b is not None and (a != b or e["source"] == e["target"]):
            merged.setdefault((a, b, e["kind"], bool(e["old"]), bool(e["new"])), e)
    return Graph(ids, [strongest.get(i, "") for i in ids], [(a, b, e) for (a, b, *_), e in merged.items()], note)


def _ends(edges: Iterable[Row]) -> set[str]:
    return {e[side] for e in edges for side in ("source", "target")}


def _uncrowded(roles: Mapping[str, str], edges: Sequence[Row]) -> tuple[Sequence[Row], str]:
    """The edges worth drawing when there are many: those to outside names only where the write moved them."""
    before = _ends(edges)
    if len(before | set(roles)) <= CROWDED:
        return edges, ""
    kept = [e for e in edges if not e["target"].startswith("<") or bool(e["old"]) != bool(e["new"])]
    gone = len(before - _ends(kept))
    return kept, f"{gone} names outside the repository, untouched by this write, are left out." if gone else ""


def network(
    graph: Graph, covered: Mapping[str, int], chosen: str | None, files: Mapping[str, str] | None = None
) -> Network:
    """The pyvis network: positions fixed, labels short, titles plain text; ``files`` is what is known of a file."""
    net = Network(height="520px", width="100%", directed=True, cdn_resources="in_line")
    where = graph_layout.springs(len(graph.ids), [(a, b) for a, b, _ in graph.edges])
    ink = palette.ink()
    for n, (symbol, role) in enumerate(zip(graph.ids, graph.roles, strict=True)):
        meaning = _KINDS.get(role, palette.NEIGHBOUR)
        hollow = role in {"removed", "lost_callers"}
        tokens = covered.get(symbol, 0)
        said = [
            symbol,
            f"{meaning.says}" if role else "unchanged",
            f"{words.count(tokens)} tokens of held records cover it" if tokens else "",
            _file_known(symbol, files or {}),
        ]
        net.add_node(
            n,
            label=_label(symbol) if role or tokens or len(graph.ids) <= CROWDED else "",
            title=words.clean("\n".join(s for s in said if s)),
            x=float(where[n][0]),
            y=float(where[n][1]),
            physics=False,
            shape="dot" if "::" in symbol and not symbol.startswith("<") else "square",
            size=(14 if role else 8) + (7 if symbol == chosen else 0),
            borderWidth=4 if tokens else 3 if hollow else 1,
            color={
                "background": palette.paper() if hollow else meaning.colour,
                "border": ink if tokens else meaning.colour,
                "highlight": {"background": meaning.colour, "border": ink},
            },
            shapeProperties={"borderDashes": [4, 3] if role == "lost_callers" else False},
            font={"size": 13 if role else 11, "color": ink, "strokeWidth": 3, "strokeColor": palette.paper()},
        )
    for a, b, e in graph.edges:
        gone, came = e["old"] and not e["new"], e["new"] and not e["old"]
        colour = palette.STALE.colour if gone else palette.CREATED.colour if came else palette.NONE.colour
        state = "removed by this write" if gone else "added by this write" if came else "before and after"
        net.add_edge(
            a,
            b,
            title=words.clean(f"{e['kind']} · {e['tier']} · {e['why']}\n{state}"),
            color=colour,
            width=2.5 if gone or came else 1.2,
            dashes=[6, 4] if gone else e["tier"] == "possible",
            arrows="to",
            physics=False,
        )
    net.set_options(json.dumps(OPTIONS))
    return net


def _file_known(symbol: str, files: Mapping[str, str]) -> str:
    """The language of a symbol's file, and how many of its calls are unresolved."""
    path, inside, _ = symbol.partition("::")
    if not inside or path.startswith("<"):
        return ""
    return " · ".join(part for part in (language_of(path).NAME, files.get(path, "")) if part)


def _label(symbol: str) -> str:
    return words.clip(words.short_symbol(symbol).removesuffix("*") or symbol, 28)


OPTIONS = {
    "physics": {"enabled": False},
    "layout": {"improvedLayout": False},
    "edges": {"smooth": False, "arrows": {"to": {"scaleFactor": 0.55}}},
    "interaction": {"hover": True, "tooltipDelay": 120, "navigationButtons": False, "keyboard": False},
}


def page(net: Network) -> bytes:
    """The graph as one HTML file without any outside tag (pyvis leaves two CDN tags in)."""
    text: str = net.generate_html(notebook=False)
    return _CDN.sub("", text).encode("utf-8", "replace")


@lru_cache(maxsize=1)
def _script() -> str:
    """vis-network as shipped inside pyvis, and the few lines that mount it and report clicks."""
    bundle = Path(pyvis.__file__).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
    return bundle.read_text(encoding="utf-8") + "\n" + _GLUE


_GLUE = """
export default function(component) {
  const {data, parentElement, setTriggerValue} = component;
  const box = parentElement.querySelector('#graph');
  if (!box || box.dataset.seen === data.stamp) return;
  box.dataset.seen = data.stamp;
  if (box.network) box.network.destroy();
  const vis = globalThis.vis;
  const nodes = new vis.DataSet(data.nodes), edges = new vis.DataSet(data.edges);
  const network = new vis.Network(box, {nodes, edges}, data.options);
  box.network = network;
  network.once('afterDrawing', () => network.fit({animation: false, maxZoomLevel: 1.4}));
  network.on('click', (event) => {
    if (event.nodes.length) setTriggerValue('picked', data.ids[event.nodes[0]]);
  });
  return () => { network.destroy(); delete box.dataset.seen; };
}
"""
_CSS = """
#graph{box-sizing:border-box;width:100%;height:520px;border:1px solid rgba(128,140,152,.35);border-radius:6px}
.vis-tooltip{position:absolute;visibility:hidden;padding:5px 8px;white-space:pre;font:12px "Source Sans",sans-serif;
 max-width:520px;overflow:hidden;
 background:var(--st-background-color,#fff);color:var(--st-text-color,#222);
 border:1px solid rgba(128,140,152,.6);border-radius:5px;z-index:5;pointer-events:none}
"""


def _component() -> Any:
    return st.components.v2.component("statetape_graph", html='<div id="graph"></div>', css=_CSS, js=_script())


def draw(net: Network, ids: list[str], key: str, on_pick: Callable[[str], None]) -> None:
    """Mount the graph; a click on a symbol calls ``on_pick`` with its id."""
    key = key.replace("_", "%5F")  # Streamlit refuses a component whose key holds two underscores, as __init__ does
    options = json.loads(net.options) if isinstance(net.options, str) else OPTIONS
    nodes = [{k: v for k, v in node.items() if v is not None} for node in net.nodes]
    data = {"nodes": nodes, "edges": net.edges, "options": options, "ids": ids, "stamp": f"{key}:{palette.dark()}"}

    def picked() -> None:
        said = st.session_state.get(key)
        name = said.get("picked") if said else None
        if isinstance(name, str) and name in ids:
            on_pick(name)

    _component()(data=data, key=key, on_picked_change=picked, height=530)


def legend() -> str:
    """The graph's colours in words (HTML)."""
    from pages.components import style

    parts = [style.swatch(m.says, m.colour, hollow=name in {"removed", "lost_callers"}) for name, m in _KINDS.items()]
    parts.append(style.swatch("unchanged neighbour", palette.NEIGHBOUR.colour))
    parts.append(style.swatch("ring: a held record covers it ·", palette.ink(), hollow=True))
    parts.append("larger: chosen. Edges: red dashed = removed, purple = added, dashed grey = possible")
    return f'<div class="tp-head">{" ".join(parts)}</div>'
