"""What surrounds every page: the question it answers, the run it is about, and one place where errors become words."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.analysis import ANALYSIS_VERSION
from core.errors import StateTapeError
from pages.components import data, jobs, settings, state, style, tour, words
from storage.queries import Row, get_run

WRITES = "One step may write several files; Drift goes through the steps that write"
BASE = "The repository the run started from; without one the run's own reads stand in for it"
GOLD = {
    "reference": "What each edit needed is told by the reference patch",
    "hindsight": "No reference patch is given: what each edit needed is told by the edit the run itself made next",
}
NO_GOLD = "There is no edit whose needs could be told"
Page = Callable[[Row, data.Key], None]


def guarded(draw: Callable[..., Any]) -> Callable[..., Any]:
    """``draw`` with every failure said in words; a trace goes to the log, never to the page."""

    @functools.wraps(draw)
    def safely(*args: Any, **kwargs: Any) -> Any:
        try:
            return draw(*args, **kwargs)
        except StateTapeError as error:
            st.error(words.markdown(error), icon=":material/error:")
        except Exception as error:
            logging.getLogger("statetape").exception("a page failed")
            kind = type(error).__name__
            st.error(
                f"This page could not be drawn ({kind}). The details are in the terminal the app was started from."
            )
        return None

    return safely


def guarded_reads(draw: Callable[..., Any]) -> Callable[..., Any]:
    """As ``guarded``, and everything ``draw`` reads goes over one connection (so it must not write)."""

    @functools.wraps(draw)
    def over_one_connection(*args: Any, **kwargs: Any) -> Any:
        with data.together():
            return draw(*args, **kwargs)

    return guarded(over_one_connection)


def begin() -> None:
    """What every page does first."""
    through_app()
    style.apply()
    state.sync()


def through_app() -> None:
    """A deep link that is the first request of a fresh server runs the page's script alone, because the folder is
    called ``pages``; hand over to app.py, whose st.navigation then knows the page."""
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


@guarded_reads
def run_page(question: str, draw: Page) -> None:
    """A page about one run: header, run choice, facts, then ``draw(run, key)``."""
    begin()
    runs = data.list_runs()
    if not runs:
        empty()
        return
    tour.banner()
    jobs.panel(quiet=True)
    by_id = {run["run_id"]: run for run in runs}
    wanted = state.get("run")
    if wanted is not None and wanted not in by_id:
        st.warning(
            f"There is no run `{words.markdown(words.clip(wanted, 60))}` in this database; showing the newest one."
        )
    if wanted not in by_id:
        state.put(run=runs[0]["run_id"])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.markdown(f"**{question}**", width="stretch")
        _choose(list(by_id), by_id)
        settings.button(by_id[state.get("run") or ""])
    key = data.key_of(by_id[state.get("run") or ""])
    run = data.ask(key, get_run)
    if run is None:
        st.warning("This run has just been removed. Choose another one.")
        return
    facts(run)
    draw(run, key)


def _choose(ids: list[str], by_id: dict[str, Row]) -> None:
    def taken() -> None:
        if st.session_state.get("choose_run") in by_id:
            state.put(run=st.session_state["choose_run"])

    # Put in each time, changed or not: only then is the browser told the label anew, which counts a live run's steps.
    st.session_state["choose_run"] = state.get("run")
    st.selectbox(
        "Run",
        ids,
        format_func=lambda i: name_of(by_id[i]),
        key="choose_run",
        on_change=taken,
        label_visibility="collapsed",
        width=430,
    )


def name_of(run: Row) -> str:
    """A run in one line: repository, size, id."""
    repository = words.clip(run["repository"], 26) or "unknown repository"
    return f"{repository} · {words.plural(run['steps'], 'step')} · {words.clip(run['run_id'], 28)}"


def facts(run: Row) -> None:
    """The line of numbers under the run's name."""
    stale = words.share(run["stale_end"], run["held_end"])
    compared = (
        f"{words.count(run['equal_lines'])} of {words.count(run['compared_lines'])} shown lines equal the replayed file"
    )
    stale_of = f"{words.count(run['stale_end'])} of {words.count(run['held_end'])} tokens: made false by its own writes"
    parts = [
        f"<b>{words.count(run['steps'])}</b> steps",
        style.told(f"<b>{words.count(run['writes'])}</b> file writes", WRITES),
        words.plural(run["compactions"], "compaction"),
        f"<b>{words.count(run['tokens_read'])}</b> tokens entered the context",
        style.told(f"<b>{words.count(run['held_end'])}</b> held at the end, <b>{stale}</b> of it stale", stale_of),
        style.told(f"fidelity <b>{words.fraction(run['fidelity'])}</b>", compared),
        style.told(f"base: {words.esc(words.clip(run['base_label'] or 'none', 60))}", BASE),
        style.told(f"gold: {words.esc(run['gold_source'] or 'n/a')}", GOLD.get(run["gold_source"], NO_GOLD)),
        f'<span class="dim">{words.esc(words.clip(run["agent"], 40))}, '
        f"{words.esc(words.clip(', '.join(run['models'] or ()), 50))}</span>",
    ]
    if run["analysis_version"] != ANALYSIS_VERSION:
        parts.append(style.chip("analysed by an older version: analyse again under Runs", "#E9A23B"))
    style.facts(*parts)


def empty() -> None:
    """What to do when nothing is loaded yet."""
    jobs.panel()
    st.subheader("No runs yet")
    st.markdown(
        "Open **Runs** and load a recorded transcript: a `.jsonl` file, a folder of them, "
        "`~/.claude/projects`, or an upload. "
        "Nothing leaves this machine."
    )
    if Path("pages/runs.py").exists() and state.can_switch():
        st.page_link("pages/runs.py", label="Load a run", icon=":material/upload_file:")
