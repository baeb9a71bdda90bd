"""A run that is still being written, followed from the Run page: the thread that reads it, and the page that keeps up.

The thread belongs to the server, one a transcript; it reads what is added, analyses the run again and stores it.
The page looks every two seconds whether the stored run is another one than it shows; then it is drawn anew, at
the same step, or at the new last one when the reader asked for that.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import StateTapeError
from core.options import Options
from pages.components import data, frame, jobs, settings, state, words
from storage.queries import Row

_LOOK = 2.0  # seconds between looks at the database


@dataclass(slots=True)
class Following:
    """What one following thread has to say."""

    run_id: str
    stop: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0
    stored: int = 0
    last: float = 0.0
    error: str = ""


@st.cache_resource(show_spinner=False)
def following() -> dict[str, Following]:
    """By transcript path; shared by all sessions of the server."""
    return {}


def bar(run: Row, key: data.Key) -> None:
    """The switch that follows this run, and what following it has to say."""
    path = Path(str(run["path"] or ""))
    known = following().get(str(path))
    alive = known is not None and not known.stopped.is_set()
    on = alive and known is not None and not known.stop.is_set()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
        there = path.is_file()
        st.toggle(
            "Follow",
            value=on,
            key=f"follow:{key[1]}:{on}",
            disabled=not on and (alive or not there),
            on_change=partial(_switch, run, str(path), not on),
            help="Read what is added to the transcript and analyse the run again, while it is still being written. "
            "Policies are scored when you stop."
            if there
            else "The transcript is no longer where it was read from.",
        )
        if on:
            st.toggle("Stay at the last step", key="follow_end")
        if alive:
            _watch(run, key, str(path))
        elif known is not None and known.error:
            st.caption(_said(known.error))


def _switch(run: Row, path: str, on: bool) -> None:
    place = following()
    known = place.get(path)
    if not on:
        if known is not None:
            known.stop.set()
        return
    if known is not None and not known.stopped.is_set():
        return
    mine = place[path] = Following(run["run_id"], last=time.monotonic())
    options = Options(**settings.stored(run))
    arguments = (mine, path, data.engine(), options, run["base_spec"] or "none", settings.patch_of(run))
    threading.Thread(target=_follow, args=arguments, daemon=True, name="follow").start()


def _follow(mine: Following, path: str, engine: Any, options: Options, base: str, patch: str | None) -> None:
    from storage.analysing import Setup  # the whole pipeline: not needed to show a page
    from storage.follow import follow

    def told(_: str, waiting: int) -> None:
        mine.waiting = waiting

    try:
        setup = Setup(options, base, patch)
        for row in follow([Path(path)], engine=engine, setup=setup, cancel=mine.stop.is_set, told=told):
            mine.last = time.monotonic()
            if row["status"] == "loaded":
                mine.stored += 1
                mine.error = ""
            elif row["error"]:
                mine.error = str(row["error"])
    except StateTapeError as error:
        mine.error = str(error)
    except Exception as error:
        logging.getLogger("statetape").exception("following failed")
        mine.error = f"{type(error).__name__}; the details are in the terminal the app was started from"
    finally:
        mine.stopped.set()


@st.fragment(run_every=_LOOK)
@frame.guarded
def _watch(run: Row, key: data.Key, path: str) -> None:
    """Says how it goes; draws the page anew when the run was stored again."""
    mine = following().get(path)
    if mine is None:
        return
    current = next((r for r in data.list_runs() if r["run_id"] == key[1]), None)
    if current is not None and data.key_of(current) != key and not jobs.busy():
        if st.session_state.get("follow_end"):
            state.put(t=current["steps"])
        st.rerun()
    if mine.stopped.is_set():
        st.rerun()
    if mine.error:
        st.caption(_said(mine.error))
        return
    ago = max(0, round(time.monotonic() - mine.last))
    parts = [f"last news {words.count(ago)} s ago" if mine.stored else "no line was added yet"]
    if mine.waiting:
        parts.append(f"{words.count(mine.waiting)} bytes of a line wait for its end")
    if mine.stop.is_set():
        parts = ["stopping: the policies are scored now"]
    st.caption(":material/sensors: " + " · ".join(parts))


def _said(error: str) -> str:
    return f":material/error: {words.markdown(words.clip(error, 200))}"
