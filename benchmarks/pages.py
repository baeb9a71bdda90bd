"""How the pages feel on a long run: first page, next visit, step change, DOM nodes, in a real Chromium.

``python -m benchmarks.pages [STEPS]`` (10,000 by default; the targets are for 40,000). A generated session is
really ingested into a database of its own and served; wall seconds, median of the repeats.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.synthetic import base_tree, write_session
from storage.database import open_engine
from storage.ingest import ingest

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
SETTLED = "() => !document.querySelector('[data-testid=stSkeleton]') && !document.querySelector('[data-stale=true]')"
_REPEATS = 5


@contextmanager
def served(database: Path) -> Iterator[str]:
    """The address of the app on this database, up and healthy."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "STATETAPE_DB": str(database)}, **quiet)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _settled(page: Any, text: str) -> None:
    page.wait_for_selector(READY)
    page.get_by_text(text).first.wait_for()
    page.wait_for_function(SETTLED)


def measure(steps: int) -> dict[str, Any]:
    """All figures for one generated run of ``steps`` steps."""
    with tempfile.TemporaryDirectory() as folder:
        database, transcript = Path(folder, "bench.duckdb"), Path(folder, "bench.jsonl")
        write_session(transcript, steps, base_tree(100))
        (row,) = ingest([transcript], engine=open_engine(database))
        with served(database) as url, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
            page = chromium.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(120_000)
            address = f"{url}/run?run={row['run_id']}&t={steps // 2}"
            cold = _timed(lambda: (page.goto(address), _settled(page, "held after step")))
            warm = [_timed(lambda: (page.goto(address), _settled(page, "held after step"))) for _ in range(3)]
            nodes = page.evaluate("document.querySelectorAll('*').length")
            changes = [_step(page, steps // 2 + n) for n in range(1, _REPEATS + 1)]
            chromium.close()
    return {
        "steps": steps,
        "first_page_cold_s": round(cold, 2),
        "first_page_warm_s": round(statistics.median(warm), 2),
        "step_change_s": round(statistics.median(changes), 2),
        "dom_nodes": nodes,
    }


def _step(page: Any, expected: int) -> float:
    def press() -> None:
        page.keyboard.press("l")
        page.wait_for_function("t => new URLSearchParams(location.search).get('t') === t", arg=str(expected))
        page.wait_for_selector(READY)
        page.wait_for_function(SETTLED)

    return _timed(press)


def _timed(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print one JSON document."""
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000), indent=1))


if __name__ == "__main__":
    main()
