"""What runs took (StateHarness, Table 2): tokens, tool calls, time, with a kept project state and without."""

from __future__ import annotations

import math
from datetime import datetime
from statistics import median

import pandas as pd
import streamlit as st

from pages.components import data, style, tables, words
from storage import queries
from storage.database import reading
from storage.queries import Row

TAG = "harness"
_CONFIG = {
    "run": tables.text("run", width=150),
    "repository": tables.text("repository", width=130),
    "state": tables.text("project state", "Kept by the agent, by a tag, or not", 90),
    "tokens": tables.number("tokens", "All the API reported, the cache included", 90),
    "output": tables.number("output", width=70),
    "calls": tables.number("tool calls", width=66),
    "minutes": st.column_config.NumberColumn("minutes", help="From first to last record", format="%.0f", width=60),
    "steps": tables.number("steps", width=54),
}


def draw(run: Row) -> None:
    """The table over all runs, and the two groups compared."""
    with st.expander("What runs took, with and without a kept project state"):
        with reading(data.engine()) as connection:
            efforts = queries.run_efforts(connection)
        tags = {r["run_id"]: r["tags"] for r in data.list_runs()}
        frame = table(efforts, tags, run["run_id"])
        compare(frame)
        tables.show(frame, _CONFIG, key="efforts", height=300, alt="Tokens, tool calls and time by run")
        st.caption(
            f"A run counts as “with” when it wrote or read one of the state files, or is tagged `{TAG}=on` under Runs; "
            f"`{TAG}=off` overrules. Runs of different tasks are no experiment: compare runs of the same task."
        )


def table(efforts: list[Row], tags: dict[str, dict[str, str]], current: str) -> pd.DataFrame:
    """A row a run; what a transcript does not say is n/a."""
    rows = []
    for e in efforts:
        said = tags.get(e["run_id"], {}).get(TAG)
        kept = bool(e["kept"]) if said is None else said.strip().lower() not in {"off", "no", "without", "0"}
        rows.append(
            {
                "run": ("▸ " if e["run_id"] == current else "") + words.clip(e["run_id"], 40),
                "repository": words.clip(e["repository"], 30),
                "state": "with" if kept else "without",
                "tokens": e["tokens"],
                "output": e["output"],
                "calls": e["calls"],
                "minutes": minutes(e["started"], e["ended"]),
                "steps": e["steps"],
            }
        )
    return pd.DataFrame(rows, columns=list(_CONFIG))


def compare(frame: pd.DataFrame) -> None:
    """Medians of the two groups, with how many runs each has."""
    parts = []
    for group in ("with", "without"):
        some = frame[frame["state"] == group]
        if some.empty:
            parts.append(f"<b>{group}</b>: no run")
            continue
        values = [f"{words.count(_median(some[c]))} {says}" for c, says in (
            ("tokens", "tokens"), ("calls", "tool calls"), ("minutes", "minutes")
        )]  # fmt: skip
        parts.append(f"<b>{group}</b> ({words.plural(len(some), 'run')}): median {', '.join(values)}")
    style.facts(*parts)


def _median(values: pd.Series) -> float | None:
    known = [float(v) for v in values if v is not None and not math.isnan(float(v))]
    return median(known) if known else None


def minutes(started: str | None, ended: str | None) -> float | None:
    """Between two ISO times; None when one is missing or no time."""
    try:
        first, last = (datetime.fromisoformat((t or "").replace("Z", "+00:00")) for t in (started, ended))
        return (last - first).total_seconds() / 60
    except (ValueError, TypeError):
        return None
