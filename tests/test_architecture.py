"""The house keeps its shape: who may import whom, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Left to right; a stage imports only itself and stages to its left.
STAGES = (
    "errors", "options", "content", "tokens", "trajectory", "replay", "graph", "records", "tape", "context", "manager",
    "policies", "tracebench", "harness", "analysis", "pipeline",
)  # fmt: skip
VOCABULARY = "core.context.actions"  # names the tape needs from the right
OUTSIDE = ("storage", "pages", "streamlit", "sqlalchemy", "duckdb", "pandas", "pyarrow", "plotly", "pyvis")
EDGES_OF_THE_WORLD = (
    "subprocess", "multiprocessing", "socket", "ssl", "http", "urllib.request", "ftplib", "asyncio", "requests",
    "random", "secrets",
)  # fmt: skip
CLIENT = "core/manager/client.py"  # the one file that talks to a model
SOURCES = sorted(p.relative_to(ROOT) for p in (ROOT / "core").rglob("*.py"))


def imports(source: str, path: str) -> Iterator[str]:
    """Dotted names a file imports, those of ``from a import b`` as both a and a.b."""
    package = Path(path).parent.parts
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def under(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def offences(path: str, source: str) -> list[str]:
    """What a file of core imports and must not."""
    stage = path.removeprefix("core/").split("/")[0].removesuffix(".py")
    allowed = STAGES[: STAGES.index(stage) + 1] if stage in STAGES else STAGES
    found = []
    for name in imports(source, path):
        parts = name.split(".")
        if under(name, OUTSIDE) or (under(name, EDGES_OF_THE_WORLD) and path != CLIENT):
            found.append(name)
        to_the_right = parts[0] == "core" and len(parts) > 1 and parts[1] in STAGES and parts[1] not in allowed
        spoken = stage == "tape" and (under(name, (VOCABULARY,)) or name == "core.context")
        if to_the_right and not spoken:
            found.append(name)
        if stage in {"policies", "manager"} and under(name, ("core.tracebench", "core.tape.staleness")):
            found.append(name)
    return sorted(set(found))


@pytest.mark.parametrize("path", [p.as_posix() for p in SOURCES])
def test_a_stage_imports_only_what_stands_to_its_left(path: str) -> None:
    assert offences(path, (ROOT / path).read_text(encoding="utf-8")) == []


def test_storage_imports_no_page() -> None:
    for path in sorted((ROOT / "storage").glob("*.py")):
        names = imports(path.read_text(encoding="utf-8"), f"storage/{path.name}")
        assert [name for name in names if under(name, ("pages", "streamlit", "app", "cli"))] == [], path.name


def test_every_stage_is_named() -> None:
    assert {p.parts[1].removesuffix(".py") for p in SOURCES} - {"__init__", "data"} <= set(STAGES)


@pytest.mark.parametrize(
    ("path", "source", "found"),
    [
        ("core/replay/a.py", "from core.graph.symbols import Edge", ["core.graph.symbols", "core.graph.symbols.Edge"]),
        ("core/replay/a.py", "from core import graph", ["core.graph"]),
        ("core/replay/a.py", "from ..graph import symbols", ["core.graph", "core.graph.symbols"]),
        ("core/graph/a.py", "import streamlit.components", ["streamlit.components"]),
        ("core/graph/a.py", "def f():\n    import subprocess", ["subprocess"]),
        ("core/tape/a.py", "from core.context.actions import Hit", []),
        ("core/tape/a.py", "import core.context.apply", ["core.context.apply"]),
        ("core/policies/a.py", "from core.tape import staleness", ["core.tape.staleness"]),
        ("core/manager/a.py", "import core.tracebench.gold", ["core.tracebench.gold"]),
        ("core/pipeline.py", "from core.tracebench.gold import x\nfrom core.tape import staleness", []),
    ],
)
def test_the_rule_can_fail(path: str, source: str, found: list[str]) -> None:
    assert offences(path, source) == found
