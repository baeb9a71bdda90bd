"""One really ingested run whose every text is markup: no page, chart, graph, table, download or terminal obeys it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import cli
from core.trajectory.load import discover
from pages.components import download, graph_view
from storage.database import open_engine
from storage.export import WHATS, encode, export_rows
from storage.ingest import ingest
from storage.save import set_tags
from tests.bad_input.hostile import Records, bash, edit, read
from tests.trajectory.sessions import CWD, assistant, text, to_lines, user

ROOT = Path(__file__).resolve().parents[2]
PAGES = tuple(sorted(path.stem for path in (ROOT / "pages").glob("[a-z]*.py")))
EVIL = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
NAME = EVIL.replace("/", "")  # what can stand in a file name
ALL = f"{EVIL} **bold** $x^2$ :material/home: :red[x] [a](javascript:alert(1)) `code` {{{{1}}}} %(x)s \u202e\u2066 =1+1"
# Elements whose text the browser takes as HTML or Markdown; the others draw text as text.
SHOWN = {"markdown", "caption", "html", "error", "warning", "info", "success", "subheader", "header", "title", "iframe"}


def session() -> Records:
    """A run with markup in task, files, code, outputs, commands, tool, model, branch and version."""
    first, second = f"{CWD}/{NAME}a.py", f"{CWD}/b::c#2 \"q\" 's'.py"
    code = ["import os", "def f(a):", f'    return g("{EVIL}")', "", "def g(x):", "    return x"]
    script = ["class A {", f'  ["{EVIL}"]() {{ return 1 }}', "  m() { this.x() }", "}"]
    body = [
        *read("c1", first, code, 1), *read("c2", second, code, 2), *read("c3", f"{CWD}/x.js", script, 3),
        *edit("c4", first, "return x", "return 2", 4), *edit("c5", second, "def g(x)", "def h(x)", 5),
        *bash("c6", f"pytest -q # {EVIL}", f"{EVIL}\n=== 1 failed, 2 passed in 0.1s ===\n", 6),
        *bash("c7", f"grep -rn '{NAME}' .", ALL, 7), *edit("c8", f"{CWD}/x.js", "return 1", "return 2", 8),
        assistant([text(ALL)], 9, "m9"), *bash("c9", f"cat > '{NAME}.md' <<'E'\n{EVIL}\nE", "", 10),
        *edit("c10", first, "def f(a)", "def f(b)", 11),
    ]  # fmt: skip
    records = [user(ALL, 0), *body]
    for record in records:
        record.update(version=f"2.1.7{EVIL}", gitBranch=EVIL, sessionId=f"s{EVIL}")
        if "model" in record["message"]:
            record["message"].update(model=f"m{EVIL}", usage={"input_tokens": 10, "output_tokens": 5})
    return records


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The database and the run's id."""
    folder = tmp_path_factory.mktemp("markup")
    (folder / f"{NAME}.jsonl").write_bytes(to_lines(*session()))
    engine = open_engine(folder / "t.duckdb")
    (row,) = ingest([folder / f"{NAME}.jsonl"], engine=engine)
    assert (row["status"], row["writes"]) == ("loaded", 5)
    set_tags(engine, row["run_id"], {EVIL: EVIL})
    return folder / "t.duckdb", row["run_id"]


Open = Callable[..., AppTest]


@pytest.fixture
def open_page(stored: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    def opened(page: str, **params: str) -> AppTest:
        monkeypatch.setenv("STATETAPE_DB", str(stored[0]))
        st.cache_data.clear()
        st.cache_resource.clear()
        app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
        app.query_params["run"] = stored[1]
        for name, value in params.items():
            app.query_params[name] = value
        return app.run()

    yield opened
    st.cache_data.clear()
    st.cache_resource.clear()


def elements(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", {}).values():
        yield child
        yield from elements(child)


def words(element: Any) -> str:
    return str(getattr(element.proto, "body", "") or getattr(element, "value", ""))


def unescaped(element: Any) -> str:
    """Markup of the run that the browser would take as such, "" if none."""
    kind = element.type
    if kind == "plotly_chart":
        return next(iter(re.findall(r"<(?:/?script|img)", element.proto.spec)), "")
    if kind not in SHOWN:
        return ""
    said, markup = words(element), r"</?script|<img"
    if kind != "html":  # Markdown: an escaped character is itself
        said, markup = re.sub(r"\\(.)", "", said), markup + r"|\]\(javascript:|\*\*bold\*\*|:red\["
    found = re.search(markup, said)
    return said[max(0, found.start() - 60) : found.end() + 20] if found else ""


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("t", ["1", "5", "7", "8", "11"])
def test_pages_show_markup_as_text(open_page: Open, page: str, t: str) -> None:
    app = open_page(page, t=t)
    assert not app.exception, [e.value for e in app.exception]
    drawn = [e for e in elements(app._tree) if hasattr(e, "proto") and e.proto is not None]
    assert len(drawn) > 5
    assert [bad for e in drawn if (bad := unescaped(e))] == []
    assert "could not be drawn" not in "".join(map(words, drawn))


def test_links_with_markup_are_not_repeated_as_markup(open_page: Open) -> None:
    for page in PAGES:
        app = open_page(page, t=EVIL, record=EVIL, symbol=EVIL, point=EVIL, policy=EVIL)
        assert not app.exception
        assert [bad for e in elements(app._tree) if hasattr(e, "proto") and (bad := unescaped(e))] == []


def test_the_graph_as_a_file_has_no_script_of_the_run() -> None:
    def tags(symbol: str, why: str) -> list[str]:
        edges = [{"source": symbol, "target": f"{symbol}2", "kind": why, "tier": why, "why": why, "old": 1, "new": 0}]
        graph = graph_view.build({symbol: "changed"}, edges)
        page = graph_view.page(graph_view.network(graph, {symbol: 5}, symbol)).decode()
        assert "https://" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
        return re.findall(r"</?(?:script|img|link)\b", page)

    assert tags(f"{EVIL}.py::f{EVIL}", EVIL) == tags("a.py::f", "call")


def test_downloads_and_exports_hold_the_text_itself_and_no_formula(stored: tuple[Path, str], tmp_path: Path) -> None:
    engine = open_engine(stored[0])
    for what in WHATS:
        rows = export_rows(engine, stored[1], what, ("P", "T", "F"))
        assert json.loads(encode(rows, what, "json")) == json.loads(json.dumps(rows))
        table = list(csv.reader(io.StringIO(encode(rows, what, "csv").decode(), newline="")))
        assert len(table) == len(rows) + 1
    steps = export_rows(engine, stored[1], "steps", ("P",))
    assert steps[0]["text"] == ALL
    held = [
        {"record_id": EVIL, "kind": "run", "born": 1, "path": EVIL, "start": 1, "end": 2, "tokens": 3, "text": EVIL}
    ]
    assert EVIL in download.as_text(held)


def test_the_terminal_cannot_be_steered(stored: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["runs", "--db", str(stored[0])]) == 0
    out, err = capsys.readouterr()
    assert all(line.isprintable() for line in (out + err).splitlines())
    assert "\u202e" not in out
    assert len(out.splitlines()) == 2


def test_the_id_of_a_run_is_a_plain_word(stored: tuple[Path, str]) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._-]{10,90}", stored[1])
    (files,) = discover([stored[0].parent])
    assert files.path.name == f"{NAME}.jsonl"
