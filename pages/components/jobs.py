"""Work that takes a while (load, analyse again): in a thread of its own, with progress, cancel and its result.

One at a time for the whole server, because the database has one writer; every page shows it. The thread
never touches Streamlit: it fills a ``Job`` that the pages look at.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import StateTapeError
from core.options import Options
from pages.components import data, tables, words
from storage.instances import Instance

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Load:
    """One call of ``ingest``: what to read, and how to analyse it."""

    paths: tuple[Path, ...]
    options: Options = field(default_factory=Options)
    base_spec: str = "none"
    patch: str | None = None
    instances: dict[str, Instance] = field(default_factory=dict)
    labels: str | None = None


@dataclass(slots=True)
class Job:
    """What a running or finished piece of work has to say."""

    title: str
    of: int = 1
    batch: int = 0
    done: int = 0
    total: int = 0
    path: str = ""
    parts: dict[str, float] = field(default_factory=dict)  # of the runs worked on now, by path
    rows: Rows = field(default_factory=list)
    error: str = ""
    cancel: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def share(self) -> float:
        """The part done, 0 to 1."""
        inside = (self.done + sum(list(self.parts.values()))) / self.total if self.total else 0.0
        return min(1.0, (self.batch + min(inside, 1.0)) / max(1, self.of))

    def heard(self, done: int, total: int, path: str, part: float) -> None:
        """Take in what ``ingest`` says of its progress; several runs may be worked on at once."""
        if done > self.done:  # that run is stored, or refused
            self.parts.pop(path, None)
        else:
            self.parts[path] = min(part, 1.0)
        self.done, self.total, self.path = done, total, path


@dataclass(slots=True)
class Desk:
    """The one job of this server."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    job: Job | None = None


@st.cache_resource(show_spinner=False)
def desk() -> Desk:
    """Shared by all sessions of the server."""
    return Desk()


def busy() -> bool:
    """Whether something is being loaded now."""
    job = desk().job
    return job is not None and not job.finished.is_set()


def start(title: str, loads: Sequence[Load]) -> bool:
    """Begin; False when another job is still running."""
    place = desk()
    with place.lock:
        if busy():
            return False
        job = Job(title, of=len(loads))
        place.job = job
    threading.Thread(target=_work, args=(job, tuple(loads), data.engine()), daemon=True, name="ingest").start()
    return True


def _work(job: Job, loads: Sequence[Load], engine: Any) -> None:
    def progress(done: int, total: int, path: str, part: float) -> None:
        job.heard(done, total, path, part)

    from storage.ingest import ingest  # the whole pipeline: not needed, and not waited for, to show a page

    try:
        for n, load in enumerate(loads):
            if job.cancel.is_set():
                break
            job.batch, job.done, job.total = n, 0, 0
            job.parts.clear()
            job.rows += ingest(
                load.paths,
                engine=engine,
                options=load.options,
                base_spec=load.base_spec,
                patch=load.patch,
                instances=load.instances,
                labels=load.labels,
                progress=progress,
                cancel=job.cancel.is_set,
            )
        job.batch = len(loads)
    except StateTapeError as error:
        job.error = str(error)
    except Exception as error:
        logging.getLogger("statetape").exception("loading failed")
        job.error = f"{type(error).__name__}; the details are in the terminal the app was started from"
    finally:
        job.finished.set()


def panel(quiet: bool = False) -> None:
    """Progress and cancel while a job runs; its outcome until it is dismissed (``quiet``: only if something failed)."""
    job = desk().job
    if job is None:
        return
    if not job.finished.is_set():
        _running()
    elif not quiet or job.error or any(row["status"] == "refused" for row in job.rows):
        outcome(job, folded=quiet)


@st.fragment(run_every=0.7)
def _running() -> None:
    job = desk().job
    if job is None or job.finished.is_set():
        if job is not None:
            st.toast(f"{job.title}: done", icon=":material/check:")
        st.rerun()
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        what = f"{words.markdown(words.tail(job.path, 70))}" if job.path else "looking for transcripts"
        count = f" · run {min(job.done + 1, job.total)} of {job.total}" if job.total > 1 else ""
        st.progress(job.share, f"**{job.title}**{count} · {what}", width="stretch")
        if st.button("Cancel", icon=":material/close:", disabled=job.cancel.is_set(), key="cancel_job"):
            job.cancel.set()


def outcome(job: Job, folded: bool = False) -> None:
    """How many were loaded, and every file that was not, with its reason; ``folded``: the files on demand."""
    counts = {
        status: sum(1 for row in job.rows if row["status"] == status) for status in ("loaded", "skipped", "refused")
    }
    said = ", ".join(f"{n} {status}" for status, n in counts.items() if n) or "nothing to load"
    if job.cancel.is_set():
        said += "; cancelled, the rest was left as it was"
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            icon = ":material/error:" if job.error or counts["refused"] else ":material/check:"
            st.markdown(f"{icon} **{job.title}**: {said}", width="stretch")
            if st.button("Dismiss", type="tertiary", key="dismiss_job"):
                desk().job = None
                st.rerun()
        if job.error:
            st.error(words.markdown(job.error))
        bad = [row for row in job.rows if row["status"] != "loaded"]
        if bad:
            frame = pd.DataFrame(
                [
                    {"file": words.tail(r["path"], 50), "status": r["status"], "why": words.clip(r["error"], 300)}
                    for r in bad
                ]
            )
            config = {
                "file": tables.text("file", width=330),
                "status": tables.text("status", width=70),
                "why": tables.text("why", width=600),
            }
            with st.expander(f"{len(bad):,} not loaded, and why") if folded else nullcontext():
                tables.show(frame, config, key="job_bad", height=220, alt="Files that were not loaded")
