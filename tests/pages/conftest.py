"""Databases of made-up runs, and a page run alone the way Streamlit runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from storage.database import open_engine
from tests.pages.fabricate import fabricate

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("runs", "run", "decisions", "drift", "why", "tokens", "project", "policies")
FAILED = "could not be drawn"


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """sample: two runs and one without writes; hostile: markup in every text; empty: no run; long: 2,500 steps."""
    folder = tmp_path_factory.mktemp("pages")
    paths = {name: folder / f"{name}.duckdb" for name in ("sample", "hostile", "empty", "long")}
    engine = open_engine(paths["sample"])
    fabricate(engine, "demo-one", 120)
    fabricate(engine, "demo-two", 60, seed=3)
    fabricate(engine, "no-writes", 30, writes=False)
    fabricate(open_engine(paths["hostile"]), "hostile", 80, seed=5, hostile=True)
    fabricate(open_engine(paths["long"]), "long", 2500, seed=11)
    open_engine(paths["empty"])
    return paths


Open = Callable[..., AppTest]


@pytest.fixture
def open_page(databases: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Open:
    """``open_page(page, database, **query_params)``: the page after its first run."""

    def opened(page: str, database: str = "sample", **params: str) -> AppTest:
        monkeypatch.setenv("STATETAPE_DB", str(databases[database]))
        st.cache_data.clear()
        st.cache_resource.clear()
        app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
        for name, value in params.items():
            app.query_params[name] = value
        return app.run()

    return opened


def said(app: AppTest) -> str:
    """Everything the page says in words."""
    parts = [
        e.value for kind in ("markdown", "caption", "info", "warning", "error", "subheader") for e in app.get(kind)
    ]
    parts += [e.proto.body for e in app.get("html")]
    return "\n".join(str(p) for p in parts)


def fine(app: AppTest) -> str:
    """The page's words, after checking that nothing failed."""
    assert not app.exception, [e.value for e in app.exception]
    text = said(app)
    assert FAILED not in text
    assert "Traceback" not in text
    return text
