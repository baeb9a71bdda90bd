"""The sample runs that ship with the project: loaded by themselves when there is no database yet, or by a button."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import streamlit as st

from pages.components import jobs
from storage.place import exists

ROOT = Path(__file__).resolve().parents[2] / "sample_runs"
TITLE = "Loading the sample runs"


def entries() -> list[dict[str, Any]]:
    """What ``samples.json`` lists; empty when it is missing."""
    listing = ROOT / "samples.json"
    found: list[dict[str, Any]] = json.loads(listing.read_text(encoding="utf-8")) if listing.is_file() else []
    return found


def samples() -> list[jobs.Load]:
    """The sample runs as loads."""
    loads = []
    for entry in entries():
        base = f"{ROOT / entry['base']}" if entry.get("base") else "none"
        patch = (ROOT / entry["patch"]).read_text(encoding="utf-8") if entry.get("patch") else None
        loads.append(jobs.Load((ROOT / entry["run"],), base_spec=base, patch=patch))
    return loads


def begin() -> None:
    """Load the samples when this is the first visit: no database exists."""
    if not exists() and samples():
        jobs.start(TITLE, samples())


def about() -> None:
    """What the sample runs show, a line each."""
    st.markdown("\n".join(f"- **{entry['title']}**: {entry['description']}" for entry in entries()))


def button() -> None:
    """Offer to load the samples, again where they are loaded already."""
    titles = ", ".join(str(entry["title"]) for entry in entries())
    if titles and st.button(
        "Load the sample runs", icon=":material/science:", disabled=jobs.busy(), key="load_samples", help=titles
    ):
        jobs.start(TITLE, samples())
        st.rerun()
