"""Project state: what the agent knew, what its changes reach, and what is unfinished (StateHarness)."""

from __future__ import annotations

import io
import zipfile

import pandas as pd
import streamlit as st

from core.harness.brief_file import write_brief
from core.harness.files import BRIEF, write_state
from core.harness.needed import Needed, needed_later
from core.harness.project_state import ProjectState
from core.harness.run import HarnessRun, HarnessStep
from core.harness.signals import DEFAULTS
from pages.components import (
    charts,
    data,
    frame,
    project_brief,
    project_chart,
    project_efforts,
    project_impact,
    state,
    style,
    tables,
    terms,
    words,
)
from storage import queries
from storage.queries import Row

VIEWS = ("events", "relations", "guidance", "diagnoses")


def draw(run: Row, key: data.Key) -> None:
    """The run's chart, the chosen step's brief and records, its impact, and what the whole run took."""
    project = data.live(key, queries.project_run)
    if project is None or not project.steps:
        st.info("This run was analysed without the project's state. Turn on the switch `harness` and analyse it again.")
        return
    name = f"project:{key[1]}"
    charts.show(
        project_chart.figure(project, run["steps"], DEFAULTS.threshold),
        key=name,
        name="project-state",
        table=lambda: project_chart.counts(project),
        alt="Diagnostic score with its signals, and open relations, over the steps",
        on_select=lambda: picked(name),
        note="Derived from what the run did by fixed rules, unless the agent kept the state itself. Shaded: cooldown "
        "after a diagnosis. Dotted: the score from which one is asked for.",
    )
    t = min(max(state.number("t") or run["steps"], 1), run["steps"])
    style.cursor(t, run["steps"], 64)
    mover(run, project, t)
    step = next((s for s in project.steps if s.t == t), None)
    at = project.state_at(t)
    left, right = st.columns([1, 1.15], gap="medium")
    with left:
        st.markdown(f"**Working brief after step {t}**")
        project_brief.brief(project.brief_at(t))
        downloads(project, at, t)
    with right:
        records(project, at, key, t)
    impact(key, project, step, t)
    unfinished(key, project, run)
    dropped(key)
    project_efforts.draw(run)


def picked(name: str) -> None:
    """A click on the chart chooses the step."""
    for point in charts.picked(name):
        if point.get("x") is not None:
            state.put(t=max(1, round(float(point["x"]))))
            return


def mover(run: Row, project: HarnessRun, t: int) -> None:
    """From one step that moved the state to the next, from write to write, from diagnosis to diagnosis."""
    moved = [s.t for s in project.steps if s.change or s.effects]
    wrote = [s.t for s in project.steps if s.impacts]
    asked = [s.t for s in project.steps if s.alerts is not None]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**Step {words.count(t)}** of {words.count(run['steps'])}", width="stretch")
        for label, steps, keys in (("change", moved, "HL"), ("write", wrote, ""), ("diagnosis", asked, "")):
            before = max((s for s in steps if s < t), default=None)
            after = min((s for s in steps if s > t), default=None)
            for way, to, icon in (("previous", before, "chevron_left"), ("next", after, "chevron_right")):
                st.button(
                    label,
                    key=f"{way}_{label}",
                    icon=f":material/{icon}:",
                    icon_position="left" if way == "previous" else "right",
                    disabled=to is None,
                    on_click=state.put,
                    kwargs={"t": to},
                    shortcut=(keys[0] if way == "previous" else keys[1]) if keys else None,
                    help=f"{way.capitalize()} {label}{f': step {to}' if to else ''}",
                )
        state.go("run", "Open the step", ":material/stacked_line_chart:", t=t)
        terms.button("brief", "relation", "signals")


def records(project: HarnessRun, at: ProjectState, key: data.Key, t: int) -> None:
    """The records behind the brief, one at a time."""
    view = st.segmented_control(
        "Records", VIEWS, key="project_view", default=VIEWS[0], required=True, label_visibility="collapsed"
    )
    name = f"{key[1]}:{t}"
    if view == "relations":
        project_brief.relations(at, name)
    elif view == "guidance":
        project_brief.procedures(at, name)
    elif view == "diagnoses":
        diagnoses(project, t)
    else:
        project_brief.events(at, name)


def diagnoses(project: HarnessRun, t: int) -> None:
    """Every diagnosis up to this step: what asked for it, what it said and on which events that rests."""
    made = [s for s in project.steps if s.alerts is not None and s.t <= t]
    if not made:
        st.caption("No diagnosis has been asked for until this step.")
    for step in reversed(made[-30:]):
        alerts = "".join(
            f"<li>{words.esc(a.text)} <span class='dim'>({words.esc(', '.join(a.rests))})</span></li>"
            for a in step.alerts or ()
        )
        asked = words.esc(step.signal)
        st.html(
            f'<div class="tp-facts"><b>Step {step.t}</b> <span class="dim">because {asked}</span>'
            f"<ul>{alerts or '<li>nothing was found overlooked</li>'}</ul></div>"
        )


def downloads(project: HarnessRun, at: ProjectState, t: int) -> None:
    """The five files of the paper as they would stand in the project's folder."""

    def packed() -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in {**write_state(at), BRIEF: write_brief(project.brief_at(t))}.items():
                archive.writestr(name, text.encode("utf-8", "replace"))
        return buffer.getvalue()

    st.download_button(
        "State files (ZIP)",
        packed,
        f"project-state-step-{t}.zip",
        "application/zip",
        key="state_files",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
        help="task_state.md, breakthrough_log.md, file_relation_graph.md, skill_states.json, context_brief.md",
    )


def impact(key: data.Key, project: HarnessRun, step: HarnessStep | None, t: int) -> None:
    """What this step's write may have to be followed by, and what became of each until the end."""
    st.markdown("**What this step's change may have to be followed by**")
    if step is None or not step.written:
        st.caption("This step wrote no file. Go to a write to see what it reaches.")
        return
    touched = data.live(key, touched_since)
    followed = [touched.since(i, t) for i in step.impacts]
    changed = sorted({f"{w.path}::{name}" for w in step.written for name in w.symbols})[:400]
    edges = data.ask(key, queries.edges_around, t, changed) if changed else []
    files = ", ".join(w.path for w in step.written)
    style.facts(f"step {t} wrote <b>{words.esc(words.clip(files, 160))}</b>")
    project_impact.draw(step, followed, edges, f"{key[1]}:{t}")


def touched_since(connection: object, run_id: str) -> project_impact.Touched:
    """When each file was shown or written."""
    return project_impact.Touched(queries.touched_paths(connection, run_id))  # type: ignore[arg-type]


def unfinished(key: data.Key, project: HarnessRun, run: Row) -> None:
    """What is still open when the run ends."""
    left = project.state_at(run["steps"]).open_relations
    with st.expander(f"Not looked at when the run ended: {words.plural(len(left), 'relation')}"):
        project_brief.relations(ProjectState(relations=left), f"{key[1]}:end")


def dropped(key: data.Key) -> None:
    """Evidence that had fallen out of the brief when a later step came back to it."""
    found: tuple[Needed, ...] = data.live(key, evidence)
    with st.expander(f"Needed later, and no longer in the brief then: {words.plural(len(found), 'item')}"):
        if not found:
            st.caption("Every file the run came back to was still in the brief, or nothing was recorded of it.")
            return
        rows = [
            {
                "step": n.t,
                "file": words.tail(n.path, 60),
                "what": n.what,
                "text": words.clip(n.text, 200),
                "since": n.since,
                "where": n.where,
            }
            for n in found[:2000]
        ]
        config = {
            "step": tables.number("step", "The step that came back to the file", 46),
            "file": tables.text("file", width=200),
            "what": tables.text("what", width=130),
            "text": tables.text("recorded", width=330),
            "since": tables.number("since", width=46),
            "where": tables.text("found in", width=160),
        }
        tables.show(
            pd.DataFrame(rows),
            config,
            key=f"needed:{key[1]}",
            height=300,
            on_row=lambda n: state.put(t=rows[n]["step"]),
            alt="Evidence needed later",
        )


def evidence(connection: object, run_id: str) -> tuple[Needed, ...]:
    """``needed_later`` of the stored run."""
    project = queries.project_run(connection, run_id)  # type: ignore[arg-type]
    return needed_later(project) if project is not None else ()


frame.run_page("What did the agent know, what do its changes reach, and what is unfinished?", draw)
