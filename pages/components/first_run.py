"""The sample runs that ship with the project: loaded by themselves when there is no database yet, or by a button."""

from __future__ import annotations

import json
from pathlib import Path

import streamlit as st

from pages.components import jobs
from storage.database import exists

ROOT = Path(__file__).resolve().parents[2] / "sample_runs"
TITLE = "Loading the sample runs"


def samples() -> list[jobs.Load]:
    """What ``samples.json`` lists, as loads; empty when it is missing."""
    listing = ROOT / "samples.json"
    if not listing.is_file():
        return []
    loads = []
    for entry in json.loads(listing.read_text(encoding="utf-8")):
        base = f"{ROOT / entry['base']}" if entry.get("base") else "none"
        patch = (ROOT / entry["patch"]).read_text(encoding="utf-8") if entry.get("patch") else None
        loads.append(jobs.Load((ROOT / entry["run"],), base_spec=base, patch=patch))
    return loads


def begin() -> None:
    """Load the samples when this is the first visit: no database exists."""
    if not exists() and samples():
        jobs.start(TITLE, samples())


def button() -> None:
    """Offer to load the samples."""
    if samples() and st.button(
        "Load the sample runs", icon=":material/science:", disabled=jobs.busy(), key="load_samples"
    ):
        jobs.start(TITLE, samples())
        st.rerun()
