"""Rust: sources whose comments hold the edges expected on their lines (tests/graph/cases/rust/<case>/).

``// -> kind target, ...`` lists everything the line calls in the repository or outside it, builtin functions
aside; ``// -> nothing`` says that nothing is known. Targets of the same file leave out ``path::``; paths are
relative to the folder of the cases.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Reference

CASES = Path(__file__).parent / "cases" / "rust"
KINDS = {"call", "constructor", "override"}


def texts_of(case: Path) -> dict[str, str]:
    """The files of a case, by their path below the folder of all cases."""
    found = (p for p in sorted(case.rglob("*")) if p.is_file())
    return {p.relative_to(CASES).as_posix(): p.read_text(encoding="utf-8") for p in found}


def expected_of(text: str) -> dict[int, set[str]]:
    """What the comments ask for, by line."""
    found: dict[int, set[str]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        _, marker, rest = line.partition("// -> ")
        if marker:
            found[number] = set() if rest.strip() == "nothing" else {part.strip() for part in rest.split(", ")}
    return found


def words(path: str, reference: Reference) -> str:
    target = reference.target.removeprefix(f"{path}::").replace("<external>::", "<external>")
    tier = "possible " if reference.tier == "possible" and reference.kind != "override" else ""
    return f"{tier}{reference.kind} {target.replace('<builtin>::', '<builtin>')}"


@pytest.mark.parametrize("case", sorted(p.name for p in CASES.iterdir() if p.is_dir()))
def test_case(case: str) -> None:
    texts = texts_of(CASES / case)
    graph = CodeGraph(texts)
    assert not graph.syntax_errors()
    checked = 0
    for path, text in texts.items():
        found: dict[int, set[str]] = {}
        for reference in graph.references(path, text):
            name = words(path, reference)
            if reference.kind in KINDS and not ("<builtin>" in name and "." not in name):
                found.setdefault(reference.line, set()).add(name)
        for line, wanted in expected_of(text).items():
            assert found.get(line, set()) == wanted, f"{path}:{line}"
            checked += 1
    assert checked
