"""The app: page config, navigation, and the sample runs on a first visit. Start with ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

from pages.components import first_run

PAGES = (
    ("runs", "Runs", ":material/folder_open:"),
    ("run", "Run", ":material/stacked_line_chart:"),
    ("decisions", "Decision points", ":material/fork_right:"),
    ("drift", "Drift", ":material/hub:"),
    ("why", "Why", ":material/help:"),
    ("tokens", "Tokens", ":material/show_chart:"),
    ("project", "Project state", ":material/assignment:"),
    ("policies", "Policies", ":material/balance:"),
)


def main() -> None:
    """Draw the chosen page."""
    st.set_page_config(page_title="StateTape", page_icon="📼", layout="wide")
    st.session_state["navigating"] = True
    first_run.begin()
    pages = [st.Page(f"pages/{name}.py", title=title, icon=icon, url_path=name) for name, title, icon in PAGES]
    st.navigation(pages, position="top").run()


main()
