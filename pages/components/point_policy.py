"""Decision points under a policy: what it would clear, lose, find and add at each, in the same three regions.

Shown from the stored sums of each point; which record met which fate is not stored. Left of zero stands what is
held, right of zero what is needed and missing, and under each bar what the policy adds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from sqlalchemy import Connection

from core.tracebench.scores import PointScore, Sums, cleared_share, found_share, lost_share
from pages.components import charts, data, palette, points_view, state, style, words
from pages.components.palette import Meaning
from pages.components.policy_numbers import place_of
from storage import queries
from storage.queries import Row
from storage.score import point_scores

NONE = "as recorded"
_PARTS: tuple[tuple[str, Meaning, str, Callable[[Sums], int]], ...] = (
    ("needed, stays", palette.HELD_NEEDED, "", lambda s: -(s.held_needed - s.lost)),
    ("needed, replaced and still shown", palette.HELD_NEEDED, ".", lambda s: -(s.lost - s.net_lost)),
    ("needed, lost", palette.HELD_NEEDED, "x", lambda s: -s.net_lost),
    ("unneeded, stays", palette.UNNEEDED, "", lambda s: -(s.unneeded - s.cleared)),
    ("unneeded, cleared", palette.UNNEEDED, "/", lambda s: -s.cleared),
    ("missing, found", palette.MISSING, "", lambda s: s.found),
    ("missing, still missing", palette.MISSING, "x", lambda s: s.missing - s.found),
)


def scored(connection: Connection, run_id: str, policy: str) -> dict[int, PointScore]:
    """The policy's scores in one run by step."""
    return {s.t: s for s in point_scores(connection, [run_id], [policy]).get(run_id, [])}


def choose(key: data.Key) -> str | None:
    """The policy in the URL, chosen here; None shows the points as recorded."""
    names = sorted(data.ask(key, queries.scored_policies), key=place_of)
    if not names:
        return None
    wanted = state.get("policy")
    st.session_state["point_policy"] = wanted if wanted in names else NONE
    chosen = st.selectbox(
        "Policy", [NONE, *names], key="point_policy", label_visibility="collapsed", width=190,
        help="What this policy would drop, refresh, keep and add here",
        format_func=lambda n: n if n == NONE else f"under {n}",
        on_change=lambda: state.put(policy=_given(st.session_state["point_policy"])),
    )  # fmt: skip
    return _given(chosen)


def _given(name: str) -> str | None:
    return None if name == NONE else name


def bars(points: list[Row], chosen: int, first: int, scores: Mapping[int, PointScore]) -> go.Figure:
    """One bar a point as ``points_view.bars`` draws it, split by what the policy does, what it adds below it."""
    fig = points_view.frame_of(points, chosen, first, [_added(scores.get(p["t"])) for p in points])
    at = [(n, scores[p["t"]]) for n, p in enumerate(points) if p["t"] in scores]
    told = [_hover(s) for _, s in at]
    custom = [["P", s.t] for _, s in at]
    look: dict[str, Any] = {
        "orientation": "h", "hovertext": told, "hovertemplate": "%{hovertext}<extra></extra>", "customdata": custom,
    }  # fmt: skip
    y = [n for n, _ in at]
    for name, meaning, shape, value in _PARTS:
        marker = charts.pattern(Meaning(meaning.colour, name, shape))
        marker["pattern"] |= {"size": 5, "solidity": 0.45, "fgcolor": "#FFFFFF"}
        fig.add_bar(
            x=[value(s.sums) for _, s in at], y=y, width=0.5, offset=-0.38, name=name,
            marker={**marker, "line": {"width": 0}}, **look,
        )  # fmt: skip
    fig.add_bar(
        x=[_added(s) for _, s in at], y=y, base=[0] * len(y), width=0.2, offset=0.16,
        name="added by the policy", marker={"color": palette.policy(), "line": {"width": 0}}, **look,
    )  # fmt: skip
    return fig


def _added(score: PointScore | None) -> int:
    return score.sums.added if score is not None and score.state == "ok" else 0


def _hover(score: PointScore) -> str:
    s = score.sums
    head = f"<b>P after step {score.t}, under {charts.text(score.policy)}</b>"
    if score.state != "ok":
        return f"{head}<br>needs a model, and none is connected"
    return "<br>".join(
        [
            head,
            f"cleared {words.fraction(cleared_share(s))}: {words.count(s.cleared)} of {words.count(s.unneeded)} "
            "unneeded tokens",
            f"lost {words.fraction(lost_share(s))}: {words.count(s.lost)} of {words.count(s.held_needed)} needed "
            f"tokens, {words.count(s.net_lost)} of them shown nowhere any more",
            f"found {words.fraction(found_share(s))}: {words.count(s.found)} of {words.count(s.missing)} missing "
            "tokens",
            f"added {words.count(s.added)} tokens, {words.count(s.retrieved)} of them retrieved",
            f"gold source: {charts.text(score.gold_source)}",
        ]
    )


def sentence(policy: str, point: Row, score: PointScore | None) -> None:
    """What the policy does at the chosen point, and what that costs or loses."""
    name = f"<b>{words.esc(words.clip(policy, 40))}</b>"
    if score is None:
        why = f"not scored: {point['skip']}" if point["skip"] else "only points before edits are scored"
        style.facts(f"{name} says nothing here ({words.esc(why)})")
        return
    if score.state != "ok":
        style.facts(f"{name} needs a model, and none is connected: it decides nothing here")
        return
    s = score.sums
    parts = [
        f"{name} drops or replaces <b>{words.count(s.dropped)}</b> of {words.count(s.unneeded + s.held_needed)} tokens",
        f"clears <b>{words.count(s.cleared)}</b> of {words.count(s.unneeded)} unneeded "
        f"({words.fraction(cleared_share(s))})",
        f"takes <b>{words.count(s.lost)}</b> of {words.count(s.held_needed)} needed "
        f"({words.fraction(lost_share(s))}), of which <b>{words.count(s.net_lost)}</b> are shown nowhere any more",
        f"adds <b>{words.count(s.added)}</b> tokens: {words.count(s.added - s.retrieved)} in the place of what left "
        f"(refreshed views, tombstones, stubs), {words.count(s.retrieved)} retrieved",
        f"finds <b>{words.count(s.found)}</b> of {words.count(s.missing)} missing ({words.fraction(found_share(s))})",
        f"leaves <b>{words.count(s.stale_left)}</b> falsified tokens",
        f'<span class="dim">{words.esc(words.clip(score.note, 160))}</span>' if score.note else "",
    ]
    style.facts(*parts)
