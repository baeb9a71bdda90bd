"""One colour, one meaning, on every page; each meaning also has a word and a pattern so that colour never stands alone.

The colours stay apart for the common kinds of colour blindness. Fills are the same on light and dark pages; thin
lines that would sink into a dark page are lightened there (``ink``, ``policy``).
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True, slots=True)
class Meaning:
    """A colour, the words for it in a legend, and the fill pattern that repeats it (Plotly's names)."""

    colour: str
    says: str
    pattern: str = ""


TRUE = Meaning("#2A9D8F", "true of the repository")
STALE = Meaning("#D1495B", "falsified by a later write", "/")
NONE = Meaning("#9AA5B1", "no referent (talk, output)", ".")
HELD_NEEDED = Meaning("#2A9D8F", "needed and held")
UNNEEDED = Meaning("#E9A23B", "held and unneeded", "\\")
MISSING = Meaning("#2E6FBB", "needed and missing", "x")
POLICY = Meaning("#6A4C93", "added by a policy", "+")

STATUS = {"true": TRUE, "stale": STALE, "none": NONE}
# The graph's own vocabulary.
CHANGED = Meaning("#D1495B", "changed")
REMOVED = Meaning("#D1495B", "removed")
CREATED = Meaning("#6A4C93", "created")
REWIRED = Meaning("#E9A23B", "rewired")
USES = Meaning("#C7883A", "reads a binding that changed")
LOST_CALLER = Meaning("#9AA5B1", "lost a caller")
NEIGHBOUR = Meaning("#7B8794", "unchanged neighbour")
# What a change reached (Project state).
OPEN = Meaning("#C2407A", "not looked at since")
INSPECTED = Meaning("#5B8DB8", "read since")
FOLLOWED = Meaning("#3F8F5F", "edited since")

ACTION_SYMBOL = {"refresh": "diamond", "drop": "x-thin", "rerun": "triangle-up"}


def dark() -> bool:
    """Whether the reader's theme is dark (light until the browser has said)."""
    return getattr(st.context.theme, "type", None) == "dark"


def ink() -> str:
    """The colour of writes, ticks and outlines on the current background."""
    return "#DDDDDD" if dark() else "#222222"


def policy() -> str:
    """What a policy added, as a line."""
    return "#A98BD6" if dark() else POLICY.colour


def paper() -> str:
    """The background a hollow mark shows."""
    return "#14181D" if dark() else "#FFFFFF"


def faint() -> str:
    """Grid lines and unobtrusive rules."""
    return "#333C46" if dark() else "#E4E9EE"


def coarse(status: str | None) -> str:
    """``true``, ``stale`` or ``none`` of a detailed status."""
    if status == "true":
        return "true"
    return "stale" if status and status.endswith("stale") else "none"
