"""JavaScript and TypeScript: sources whose comments hold the edges expected on their lines, as in ``test_go``.

The cases are the folders in tests/graph/cases/javascript and tests/graph/cases/typescript. ``// -> kind target, ...``
lists everything the line calls in the repository or outside it, plain builtin functions aside; targets of the same
file leave out ``path::``; paths are relative to the folder of the cases.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.graph.graph import CodeGraph
from tests.graph.test_go import expected_of, words

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(p for name in ("javascript", "typescript") for p in (CASES / name).iterdir() if p.is_dir())
KINDS = {"call", "constructor", "override", "property"}


def texts_of(case: Path) -> dict[str, str]:
    """The files of a case, by their path below the folder of all cases of its language."""
    found = (p for p in sorted(case.rglob("*")) if p.is_file())
    return {p.relative_to(case.parent).as_posix(): p.read_text(encoding="utf-8") for p in found}


@pytest.mark.parametrize("case", FOLDERS, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_case(case: Path) -> None:
    texts = texts_of(case)
    graph = CodeGraph(texts)
    assert not graph.syntax_errors()
    checked = 0
    for path, text in texts.items():
        found: dict[int, set[str]] = {}
        for reference in graph.references(path, text):
            name = words(path, reference)
            if reference.source == reference.target:
                continue  # into or out of function literals of the same symbol
            if reference.kind in KINDS and not ("<builtin>" in name and "." not in name and "Map" not in name):
                found.setdefault(reference.line, set()).add(name)
        for line, wanted in expected_of(text).items():
            assert found.get(line, set()) == wanted, f"{path}:{line}"
            checked += 1
    assert checked
