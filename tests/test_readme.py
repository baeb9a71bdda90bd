"""The README's pages are the app's, each with the question it asks on the screen."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_readme_lists_the_pages_with_their_questions() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| ([A-Z][a-z ]+) \| (.+\?) \|$", readme, re.MULTILINE))
    app = (ROOT / "app.py").read_text(encoding="utf-8")
    pages = re.findall(r'^    \("(\w+)", "([^"]+)", ":material', app, re.MULTILINE)
    assert [title for _, title in pages] == list(listed)
    for name, title in pages:
        source = (ROOT / "pages" / f"{name}.py").read_text(encoding="utf-8")
        asked = re.findall(r'run_page\("([^"]+)"', source)
        assert asked in ([listed[title]], []), title
