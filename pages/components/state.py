"""The selection (run, step, record, point, policy, symbol) and its place in the URL, the same on every page.

A link wins over what the session remembers; what the session remembers follows the reader to the next
page. Values are hostile until checked: a run that does not exist or a step that is no number is dropped.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

KEYS = ("run", "t", "record", "point", "policy", "symbol", "from", "to")
_NUMBERS = {"t", "from", "to"}
_MEMORY = "selection"
_LONGEST = 2000


def sync() -> None:
    """Take the URL's selection into the session, and put the session's rest into the URL. Once a page run."""
    memory: dict[str, str] = st.session_state.setdefault(_MEMORY, {})
    given = {key: st.query_params[key][:_LONGEST] for key in KEYS if key in st.query_params}
    if "run" in given and given["run"] != memory.get("run"):
        _forget(memory)
    memory.update(given)
    _write(memory)


def get(key: str) -> str | None:
    """The selected value of ``key``."""
    value: str | None = st.session_state.get(_MEMORY, {}).get(key)
    return value


def number(key: str) -> int | None:
    """The selected value of ``key`` as a whole number, None when it is none."""
    value = get(key)
    return int(value) if value is not None and value.isdecimal() and len(value) < 10 else None


def put(**changes: Any) -> None:
    """Change the selection (None removes); another run forgets what belonged to the old one, but not the policy."""
    memory: dict[str, str] = st.session_state.setdefault(_MEMORY, {})
    names = {key.rstrip("_"): value for key, value in changes.items()}
    if names.get("run") is not None and names["run"] != memory.get("run"):
        _forget(memory)
    for key, value in names.items():
        if value is None:
            memory.pop(key, None)
        else:
            memory[key] = str(value)
    _write(memory)


def _forget(memory: dict[str, str]) -> None:
    """Leave only what belongs to no run."""
    for key in memory.keys() - {"policy"}:
        del memory[key]


def _write(memory: dict[str, str]) -> None:
    for key in KEYS:
        if key in memory:
            if st.query_params.get(key) != memory[key]:
                st.query_params[key] = memory[key]
        elif key in st.query_params:
            del st.query_params[key]


def link(**changes: Any) -> dict[str, str]:
    """The whole selection with ``changes``, as query parameters for a link to another page."""
    memory: dict[str, str] = dict(st.session_state.get(_MEMORY, {}))
    for key, value in changes.items():
        name = key.rstrip("_")
        if value is None:
            memory.pop(name, None)
        else:
            memory[name] = str(value)
    return memory


def can_switch() -> bool:
    """Whether the page runs inside app.py's navigation (a page tested alone has nowhere to go)."""
    return bool(st.session_state.get("navigating"))


def go(page: str, label: str, icon: str | None = None, **changes: Any) -> None:
    """A link to another page that keeps the selection, with ``changes``; ``label`` is markdown the caller escaped."""
    if can_switch():
        st.page_link(f"pages/{page}.py", label=label, icon=icon, query_params=link(**changes))
    else:
        st.caption(label)
