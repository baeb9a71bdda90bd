"""Policies: the paper's Table 2 for the chosen runs, with what these runs can and cannot tell apart."""

from __future__ import annotations

import streamlit as st

from core.policies import POLICIES
from pages.components import charts, data, frame, policies_parts, policies_view, state, style, terms, words
from pages.components.policy_numbers import Standing, differences, standings, verdict
from storage.queries import Row

VIEWS = ("CE against Cleared", "Across edits", "Two policies", "Ablations", "At a glance")


def draw(run: Row, key: data.Key) -> None:
    """Controls, the dots, the sentence, Table 2, and one of the views below."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        keys = scope(run, key)
        found = data.across(keys, standings) if keys else {}
        source = sources(found)
        paper = st.toggle("The paper's values", value=True, key="policies_paper")
        st.caption("", width="stretch")
        terms.button("regions", "gold", "ce", "re", "interval")
    rows = found.get(source or "", [])
    if not rows:
        st.info(
            "No decision point of the chosen runs is scored, so there is nothing to compare: they edit no source "
            "file, no gold is known for their edits, or they were analysed before policies were scored (analyse "
            "them again under Runs)."
        )
        return
    facts(run, rows)
    first, second = both(rows)
    overview(rows, first, paper)
    sentences(first, second)
    table(rows, first)
    view = st.segmented_control(
        "View", VIEWS, key="policies_below", default=VIEWS[0], required=True, label_visibility="collapsed"
    )
    if view == VIEWS[0]:
        policies_parts.curve(rows, first, paper)
    elif view == VIEWS[1]:
        policies_parts.edits(keys, rows, first, second)
    elif view == VIEWS[2]:
        policies_parts.two(keys, first, second)
    elif view == VIEWS[3]:
        policies_parts.ablations(rows)
    else:
        policies_parts.glance(keys, first.gold_source)


def scope(run: Row, key: data.Key) -> tuple[data.Key, ...]:
    """The runs to pool: all, this one, or those with a tag."""
    runs = data.list_runs()
    tags = sorted({f"{k}={v}" if v else k for r in runs for k, v in r["tags"].items()})
    said = {"all": f"all {words.plural(len(runs), 'run')}", "one": "this run", "tag": "by tag"}
    options = ["all", "one", *(["tag"] if tags else [])]
    chosen = st.segmented_control(
        "Runs", options, key="policies_scope", default="all", required=True, label_visibility="collapsed",
        format_func=said.__getitem__,
    )  # fmt: skip
    if chosen == "one":
        return (key,)
    if chosen == "tag" and tags:
        tag = st.selectbox("Tag", tags, key="policies_tag", label_visibility="collapsed", width=200)
        runs = [r for r in runs if tag in {f"{k}={v}" if v else k for k, v in r["tags"].items()}]
    return tuple(data.key_of(r) for r in sorted(runs, key=lambda r: str(r["run_id"])))


def sources(found: dict[str, list[Standing]]) -> str | None:
    """One source of gold at a time: numbers with gold of different sources are never pooled."""
    most = {name: max(r.sums.points for r in rows) for name, rows in found.items()}
    if not most:
        return None
    runs = {name: max(len(r.runs) for r in rows) for name, rows in found.items()}
    names = sorted(most, key=lambda name: (-most[name], name))
    return st.segmented_control(
        "Gold", names, key=f"policies_gold:{'|'.join(names)}", default=names[0], required=True,
        label_visibility="collapsed",
        format_func=lambda n: f"gold: {words.markdown(n)} ({words.plural(most[n], 'point')}, "
        f"{words.plural(runs[n], 'run')})",
        help="Where the needed regions come from; sources are never pooled",
    )  # fmt: skip


def facts(run: Row, rows: list[Standing]) -> None:
    """On what volume every ratio below rests."""
    s, runs = rows[0].sums, rows[0].runs
    absent = '<span class="dim">No decision point of the run chosen above is among them</span>'
    style.facts(
        f"<b>{words.plural(s.points, 'decision point')}</b> of <b>{words.plural(len(runs), 'run')}</b>",
        f"gold source: <b>{words.esc(rows[0].gold_source)}</b>",
        f"<b>{words.count(s.unneeded)}</b> unneeded and <b>{words.count(s.held_needed)}</b> needed tokens held",
        f"<b>{words.count(s.missing)}</b> needed tokens missing",
        "" if run["run_id"] in runs else absent,
    )


def both(rows: list[Standing]) -> tuple[Standing, Standing]:
    """The policy in the URL and the one it is compared with."""
    by_name = {r.policy: r for r in rows}
    names = list(by_name)
    wanted = state.get("policy")
    if wanted not in by_name:
        wanted = "statetape" if "statetape" in by_name else names[0]
    if st.session_state.get("policies_first") != wanted:
        st.session_state["policies_first"] = wanted
    others = [n for n in names if n != wanted] or names
    if st.session_state.get("policies_second") not in others:
        st.session_state["policies_second"] = "observation-masking" if "observation-masking" in others else others[0]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Policy", width=46)
        first = st.selectbox(
            "Policy", names, key="policies_first", label_visibility="collapsed", width=210,
            on_change=lambda: state.put(policy=st.session_state["policies_first"]),
        )  # fmt: skip
        st.markdown("against", width=50)
        second = st.selectbox("against", others, key="policies_second", label_visibility="collapsed", width=210)
        source, parameters = about(first)
        st.caption(source, width="stretch", help=parameters)
    return by_name[first], by_name[second]


def about(name: str) -> tuple[str, str | None]:
    """Where a policy comes from, and its parameters."""
    if name not in POLICIES:
        return "Given the labels: a bound, no policy.", None
    policy = POLICIES[name]
    said = ", ".join(f"{k} {v}" for k, v in policy.parameters.items())
    return words.markdown(policy.source), words.markdown(said) or None


def overview(rows: list[Standing], first: Standing, paper: bool) -> None:
    """Every measure of every policy."""
    st.markdown("**Every measure of every policy**")
    without = [r.policy for r in rows if r.state != "ok"]
    note = f"Needs a model, and none is connected: {', '.join(without)}. " if without else ""
    name = f"policies:dots:{first.gold_source}"
    charts.show(
        policies_view.dots(rows, first.policy, paper),
        key=name,
        name="policies",
        table=lambda: policies_view.numbers(rows),
        alt="CE, Cleared, Lost, Net lost, RE, Found and Added of every policy with intervals over runs",
        on_select=lambda: picked(name),
        note=words.markdown(note) + "In the order policies are declared. A click chooses a policy.",
    )


def picked(name: str) -> None:
    """A click on a dot chooses its policy."""
    for point in charts.picked(name):
        if point.get("customdata"):
            state.put(policy=point["customdata"][0])
            return


def sentences(first: Standing, second: Standing) -> None:
    """What these runs can say about the two policies."""
    gaps = differences(first, second) if "ok" == first.state == second.state else {}
    told = [verdict(first, second, k, gaps[k]) for k in ("ce", "cleared", "net_lost", "found") if k in gaps]
    if not told:
        told = [f"{(first if first.state != 'ok' else second).policy} needs a model, and none is connected."]
    st.html(f'<div class="tp-sentence" style="font-size:14px">{"<br>".join(words.esc(t) for t in told)}</div>')


def table(rows: list[Standing], first: Standing) -> None:
    """Table 2."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Table 2**: a click on a head sorts; a click on a row chooses its policy.", width="stretch")
        policies_parts.csv_button("policies", lambda: policies_view.numbers(rows))
    policies_parts.table_two(rows, first.policy)


frame.run_page("What does each policy clear, lose, find and add, and can these runs tell them apart?", draw)
