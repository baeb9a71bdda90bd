"""Following from the Run page: offered only where the transcript still is, and the page sees what was added."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.components import live
from storage.database import open_engine
from storage.ingest import ingest
from tests.pages.conftest import ROOT, Open, fine
from tests.trajectory.test_follow import LINES, WHOLE


def switch(app: AppTest) -> st.testing.v1.element_tree.Toggle:
    return next(t for t in app.toggle if t.label == "Follow")


def test_a_run_whose_transcript_is_gone_cannot_be_followed(open_page: Open) -> None:
    assert switch(open_page("run", run="demo-one")).disabled


def test_what_is_added_is_shown_and_scored_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, database = tmp_path / "a.jsonl", tmp_path / "t.duckdb"
    path.write_bytes(WHOLE)
    engine = open_engine(database)
    ingest([path], engine=engine)
    monkeypatch.setenv("STATETAPE_DB", str(database))
    st.cache_data.clear()
    st.cache_resource.clear()
    app = AppTest.from_file(str(ROOT / "pages" / "run.py"), default_timeout=60).run()
    assert "<b>12</b> steps" in fine(app)
    switch(app).set_value(True).run()
    mine = live.following()[str(path)]
    with path.open("ab") as handle:
        handle.write(LINES[0].replace(b"u0", b"u99").replace(b"m0", b"m99").replace(b"text 0", b"text 99"))
        handle.write(b'{"type":')
    until = time.monotonic() + 30
    while not (mine.waiting and mine.stored) and time.monotonic() < until:
        time.sleep(0.05)
    assert mine.waiting == len(b'{"type":')
    text = fine(app.run())
    assert "<b>13</b> steps" in text
    chosen = app.selectbox(key="choose_run").proto
    assert chosen.set_value  # the browser keeps the label it has until it is told another one
    assert "13 steps" in chosen.raw_value
    assert "8 bytes of a line wait" in text
    switch(app).set_value(False).run()
    assert mine.stopped.wait(30)
    assert not switch(app.run()).disabled
    assert mine.error == ""
