"""A few journeys in a real Chromium: links, clicks on canvas and chart, keys, no request off this machine.

Skipped where Chromium or Playwright is missing. Every page is also held to its size in nodes.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.database import open_engine
from tests.pages.fabricate import fabricate

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("CHROMIUM") or next(
    (p for n in ("chromium", "google-chrome", "chromium-browser") if (p := shutil.which(n))), None
)
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")]

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
SETTLED = "() => !document.querySelector('[data-testid=stSkeleton]') && !document.querySelector('[data-stale=true]')"
MOST_NODES = 2500


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app on a database with one plain and one hostile run."""
    folder = tmp_path_factory.mktemp("app")
    database = folder / "runs.duckdb"
    fabricate(open_engine(database), "demo", 120)
    fabricate(open_engine(database), "hostile", 60, seed=5, hostile=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    log = (folder / "log").open("wb")
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "STATETAPE_DB": str(database)}, stdout=log, stderr=log
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def wait_for(url: str) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the app did not start")


class Visitor:
    """A browser page that notes requests off this machine and script errors."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.outside: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda r: self._asked(r.url))
        page.on("pageerror", lambda e: self.errors.append(str(e)))
        page.set_default_timeout(60_000)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url, self.url.replace("http", "ws"), "data:", "blob:")):
            self.outside.append(url)

    def settle(self, text: str) -> None:
        self.page.wait_for_selector(READY)
        self.page.get_by_text(text).first.wait_for()
        self.page.wait_for_function(SETTLED)

    def open(self, path: str, text: str) -> None:
        self.page.goto(f"{self.url}/{path}")
        self.settle(text)

    def query(self, name: str) -> str:
        found: str = self.page.evaluate("name => new URLSearchParams(location.search).get(name)", name)
        return found

    def until(self, name: str, value: str) -> None:
        self.page.wait_for_function("([n, v]) => new URLSearchParams(location.search).get(n) === v", arg=[name, value])
        self.page.wait_for_selector(READY)
        self.page.wait_for_function(SETTLED)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(params=["light"])
def visitor(browser: Any, server: str, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    page = browser.new_page(viewport={"width": 1280, "height": 1400}, color_scheme=request.param)
    someone = Visitor(page, server)
    yield someone
    assert someone.outside == []
    assert someone.errors == []
    assert page.evaluate("() => window.pwned") is None
    page.close()


PLACES = [
    ("", "Which runs are there"),
    ("runs", "Which runs are there"),
    ("run", "held after step 57"),
    ("decisions", "gold source"),
    ("drift", "Open the step"),
    ("why", "what replaces it"),
    ("tokens", "As recorded"),
    ("policies", "Every measure of every policy"),
]


@pytest.mark.parametrize("visitor", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("run", ["demo", "hostile"])
def test_every_page_by_link(visitor: Visitor, run: str) -> None:
    for path, text in PLACES:
        visitor.open(f"{path}?run={run}&t=57", text)
        assert visitor.page.evaluate("() => document.querySelectorAll('*').length") <= MOST_NODES
        for failure in ("could not be drawn", "Page not found"):
            assert visitor.page.get_by_text(failure).count() == 0
        shots = os.environ.get("STATETAPE_SHOTS")
        if shots:
            theme = (
                "dark" if visitor.page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches") else "light"
            )
            visitor.page.screenshot(path=f"{shots}/{path or 'runs'}-{run}-{theme}.png", full_page=True)


def test_keys_walk_the_run(visitor: Visitor) -> None:
    visitor.open("run?run=demo&t=57", "held after step 57")
    visitor.page.keyboard.press("l")
    visitor.until("t", "58")
    visitor.page.keyboard.press("h")
    visitor.until("t", "57")
    visitor.page.keyboard.press("n")
    visitor.page.wait_for_function("() => Number(new URLSearchParams(location.search).get('t')) > 57")
    t = visitor.query("t")
    visitor.settle(f"held after step {t}")


def test_a_click_on_a_lane_opens_its_step_and_record(visitor: Visitor) -> None:
    visitor.open("run?run=demo&t=1", "held after step 1")
    chart = visitor.page.locator(".js-plotly-plot").first
    chart.scroll_into_view_if_needed()
    place = chart.evaluate(
        """(g) => { const t = g.calcdata.find(c => c[0].trace.yaxis === 'y3' && c[0].trace.customdata);
             const p = t[Math.floor(t.length / 2)], box = g.getBoundingClientRect(), l = g._fullLayout;
             return [box.x + l.xaxis._offset + l.xaxis.c2p(p.x), box.y + l.yaxis3._offset + l.yaxis3.c2p(p.y),
                     String(t[0].trace.customdata[Math.floor(t.length / 2)][0]), String(p.x)]; }"""
    )
    visitor.page.mouse.move(place[0] - 1, place[1])
    visitor.page.mouse.move(place[0], place[1])
    visitor.page.wait_for_selector(".hoverlayer .hovertext")
    visitor.page.mouse.click(place[0], place[1])
    visitor.until("record", place[2])
    assert visitor.query("t") == place[3]


def test_a_click_on_a_symbol_chooses_it(visitor: Visitor) -> None:
    visitor.open("drift?run=demo&t=57", "Open the step")
    box = visitor.page.locator("#graph canvas").first
    box.scroll_into_view_if_needed()
    place = visitor.page.evaluate(
        """() => { for (const host of document.querySelectorAll('*')) {
             const g = (host.shadowRoot || host).querySelector?.('#graph');
             if (g && g.network) { const id = g.network.body.data.nodes.getIds().find(() => true),
               p = g.network.canvasToDOM(g.network.getPosition(id)), b = g.getBoundingClientRect();
               return [b.x + p.x, b.y + p.y]; } } }"""
    )
    visitor.page.mouse.click(*place)
    visitor.page.wait_for_function("() => new URLSearchParams(location.search).get('symbol')")
    assert "::" in visitor.query("symbol")
    visitor.settle("by this write")


def test_a_bar_of_two_policies_opens_its_point(visitor: Visitor) -> None:
    visitor.open("policies?run=demo&policy=statetape", "Every measure of every policy")
    visitor.page.get_by_role("radio", name="Two policies").click()
    visitor.settle("at each decision point")
    bar = visitor.page.locator(".js-plotly-plot").nth(1).locator(".bars .point path").first
    bar.scroll_into_view_if_needed()
    visitor.page.wait_for_timeout(300)
    box = bar.bounding_box()
    assert box is not None
    visitor.page.mouse.move(box["x"] + box["width"] / 2 - 1, box["y"] + box["height"] / 2)
    visitor.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visitor.page.wait_for_selector(".hoverlayer .hovertext")
    visitor.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visitor.page.wait_for_function("() => new URLSearchParams(location.search).get('point')")
    point = visitor.query("point")
    visitor.page.get_by_role("link", name=f"Open point {point} under statetape").click()
    visitor.settle("statetape drops or replaces")
    assert (visitor.query("point"), visitor.query("policy")) == (point, "statetape")


def test_the_selection_travels_between_pages(visitor: Visitor) -> None:
    visitor.open("why?run=demo", "what replaces it")
    visitor.page.keyboard.press("l")
    visitor.page.wait_for_function("() => new URLSearchParams(location.search).get('record')")
    record, t = visitor.query("record"), visitor.query("t")
    visitor.page.get_by_role("link", name="Run", exact=True).click()
    visitor.settle(f"held after step {t}")
    assert (visitor.query("record"), visitor.query("run")) == (record, "demo")


def test_the_tour_ends_where_it_says(visitor: Visitor) -> None:
    visitor.open("", "First visit?")
    visitor.page.get_by_role("button", name="Take the tour").click()
    for n in range(1, 7):
        visitor.settle(f"{n} of 6")
        visitor.page.get_by_test_id("stMain").get_by_role(
            "button", name="Next" if n < 6 else "Done", exact=True
        ).first.click()
    visitor.page.get_by_text("6 of 6").first.wait_for(state="detached")
