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
    # The first page stands at /; the path it reserves beside that is another one, so that its name can be led there.
    paths = ["start", *(name for name, _, _ in PAGES[1:])]
    pages = [
        st.Page(f"pages/{name}.py", title=title, icon=icon, url_path=path)
        for path, (name, title, icon) in zip(paths, PAGES, strict=True)
    ]
    pages.append(st.Page(_runs, title="Runs", url_path="runs", visibility="hidden"))
    st.navigation(pages, position="top").run()


def _runs() -> None:
    """The first page, which stands at /, also by its name."""
    st.switch_page(f"pages/{PAGES[0][0]}.py", query_params=st.query_params.to_dict())


main()
