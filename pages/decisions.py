"""Decision points: held and not needed, held and needed, needed but missing, before each burst of edits."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.tracebench.scores import PointScore
from pages.components import charts, data, frame, point_policy, points_view, state, style, terms, words
from storage import queries
from storage.queries import Row

WINDOW = 40
SKIPS = {
    "test-only": "The edits that follow change tests alone",
    "documentation-only": "The edits that follow change documentation alone",
    "no-gold": "Nothing in the repository is known to be needed by the edits that follow",
    "no-imminent-edit": "No edit follows, or none that the gold source (the reference patch) knows",
    "opaque": "The transcript does not say what the edit that follows put into the file",
}
PAPER = "paper: 73.4% unneeded, 72.3% of that stale, 58.5% of gold missing (reference gold, 403 points)"


def draw(run: Row, key: data.Key) -> None:
    """The bars, then the chosen point."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        anchor = st.segmented_control(
            "Points",
            ["P", "T", "F"],
            key="anchor",
            default="P",
            required=True,
            label_visibility="collapsed",
            format_func=lambda a: {"P": "P before edits", "T": "T after tests", "F": "F at the end"}[a],
        )
        policy = point_policy.choose(key)
        st.caption("Click a bar to see its records and regions.", width="stretch")
        terms.button("regions", "gold", "stale")
    points = data.ask(key, queries.list_points, (anchor or "P",))
    if not points:
        nothing(run, anchor or "P")
        return
    summary(points)
    chosen = selected(points)
    first = chosen // WINDOW * WINDOW
    shown = points[first : first + WINDOW]
    name = f"points:{key[1]}:{anchor}:{first}:{policy}"
    scores = data.live(key, point_policy.scored, policy) if policy and anchor == "P" else {}
    decided = any(s.state == "ok" for s in scores.values())
    note = "Empty: not scored." if decided else "Faded: not scored."
    charts.show(
        point_policy.bars(shown, chosen - first, first, scores)
        if decided
        else points_view.bars(shown, chosen - first, first),
        key=name,
        name="decision-points",
        table=lambda: table(points, scores),
        alt="Tokens held and unneeded, held and needed, and needed and missing, at each decision point",
        on_select=lambda: picked(name),
        note=f"Points {first + 1} to {first + len(shown)} of {len(points)}. {note}" if len(points) > WINDOW else note,
    )
    mover(points, chosen)
    if policy:
        point_policy.sentence(policy, points[chosen], scores.get(points[chosen]["t"]))
    one(key, points[chosen])


def nothing(run: Row, anchor: str) -> None:
    """What to do when there is no point of this kind."""
    if not run["writes"]:
        st.info("This run edits nothing, so no edit needed anything: there is no decision point. Choose another run.")
    else:
        what = {"P": "before an edit burst on the main thread", "T": "after a test run", "F": "at the end"}[anchor]
        st.info(f"This run has no decision point {what}. Choose another kind above.")


def summary(points: list[Row]) -> None:
    """The three regions summed over the scored points, with the paper's figures beside them."""
    scored = [p for p in points if not p["skip"]]

    def total(name: str) -> int:
        return sum(p[name] or 0 for p in scored)

    sources = sorted({p["gold_source"] or "n/a" for p in points})
    why = pd.Series([p["skip"] for p in points if p["skip"]], dtype="object").value_counts().sort_index()
    left_out = ", ".join(style.told(f"{n} {words.esc(name)}", SKIPS.get(str(name), "")) for name, n in why.items())
    style.facts(
        f"<b>{len(scored)}</b> of {words.plural(len(points), 'point')} "
        f"scored{f' (left out: {left_out})' if left_out else ''}",
        f"gold source: <b>{words.esc(', '.join(sources))}</b>",
        _ratio("unneeded", total("unneeded"), total("held"), "of held"),
        _ratio("stale", total("stale"), total("unneeded"), "of unneeded"),
        _ratio("missing", total("missing"), total("needed"), "of gold"),
        f'<span class="dim">{PAPER}</span>',
    )


def _ratio(name: str, part: int, whole: int, of: str) -> str:
    title = f"{words.count(part)} of {words.count(whole)} tokens"
    return f'<span title="{title}">{name} <b>{words.share(part, whole)}</b> {of} ({words.count(part)} tokens)</span>'


def selected(points: list[Row]) -> int:
    """The position of the point in the URL, else of the last scored one up to the selected step, else the first."""
    said = state.get("point") or ""
    for n, p in enumerate(points):
        if said == f"{p['anchor']}{p['t']}":
            return n
    t = state.number("t")
    scored = [n for n, p in enumerate(points) if not p["skip"]] or [0]
    return max([n for n in scored if t is not None and points[n]["t"] <= t], default=scored[0])


def choose(point: Row) -> None:
    """Select a point, and its step with it."""
    state.put(point=f"{point['anchor']}{point['t']}", t=point["t"], record=None)


def picked(name: str) -> None:
    """A click on a bar."""
    for point in charts.picked(name):
        if point.get("customdata"):
            anchor, t = point["customdata"][:2]
            state.put(point=f"{anchor}{t}", t=int(t), record=None)
            return


def mover(points: list[Row], chosen: int) -> None:
    """Previous and next point."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        p = points[chosen]
        burst = f"before the edits of {_steps(p['first'], p['last'])}" if p["first"] else ""
        skip = f" · not scored: {p['skip']}" if p["skip"] else ""
        lack = "" if p["context_complete"] else " · context incomplete here (the API billed more than is written down)"
        st.markdown(
            f"**Point {chosen + 1}**: {p['anchor']} after step {p['t']} {burst}{words.markdown(skip)}{lack}",
            width="stretch",
        )
        state.go("run", "Open the step", ":material/stacked_line_chart:", t=p["t"])
        for label, to, shortcut in (("Previous", chosen - 1, "H"), ("Next", chosen + 1, "L")):
            ok = 0 <= to < len(points)
            st.button(
                label,
                key=f"point{label}",
                disabled=not ok,
                shortcut=shortcut,
                on_click=choose,
                args=(points[to if ok else chosen],),
            )


def _steps(first: int, last: int) -> str:
    return f"step {first}" if first == last else f"steps {first} to {last}"


def one(key: data.Key, point: Row) -> None:
    """The chosen point's two lists, and the code of what is chosen in either."""
    t, anchor = point["t"], point["anchor"]
    records, regions = data.ask_all(key, (queries.point_held, t, anchor), (queries.point_regions, t, anchor))
    left, right = st.columns([1.1, 1], gap="medium")
    with left:
        points_view.held(key, point, records, regions)
    with right:
        points_view.gold(key, point, records, regions)


def table(points: list[Row], scores: Mapping[int, PointScore]) -> pd.DataFrame:
    """The data behind the bars; under a policy with its sums."""
    names = (
        "t", "anchor", "first", "last", "gold_source", "skip", "held", "unneeded", "held_needed", "stale",
        "stale_needed", "needed", "gold_held", "missing",
    )  # fmt: skip
    done = ("cleared", "lost", "net_lost", "found", "added", "retrieved", "stale_left")
    rows = []
    for p in points:
        row = {n: p[n] for n in names}
        score = scores.get(p["t"]) if p["anchor"] == "P" else None
        if score is not None:
            row |= {"policy": score.policy, "state": score.state}
            row |= {n: getattr(score.sums, n) for n in done if score.state == "ok"}
        rows.append(row)
    return pd.DataFrame(rows)


frame.run_page("At each edit: what was held for nothing, and what was missing?", draw)
