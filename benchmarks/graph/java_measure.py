"""Java: the figures of ``measure.py`` for folders of Java sources, and what share of the call sites stays unresolved.

    python benchmarks/graph/java_measure.py DIR... [--writes N] [--check N] [--seed N] [--json FILE]

``inside`` are call sites that reach something of the folder, ``outside`` those that reach only what is declared
elsewhere, ``unresolved`` those that reach nothing; ``unresolved_share`` is unresolved / (inside + unresolved), percent:
as if every unresolved call were one of the folder's own. ``cold_seconds_per_100k`` is CPU seconds for 100,000 lines.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.graph.measure import measure
from core.graph.facts import ScopeFacts
from core.graph.graph import CodeGraph
from core.graph.link import RULES
from core.graph.lookups import Lookups


def sites(graph: CodeGraph) -> dict[str, Any]:
    """How many written calls reach something inside, only something outside, nothing."""
    lookups = Lookups(RULES, graph.input)
    found = {"inside": 0, "outside": 0, "unresolved": 0}
    for path, scope in graph.scopes():
        facts = graph.input(("cell", path, "scope", scope, ""))
        assert isinstance(facts, ScopeFacts)
        for site, (_, _, links) in zip(facts.sites, lookups.get(("links", path, scope))[1], strict=True):
            if site.kind == "call":
                inside = any(not isinstance(target, str) for _, target, _, _ in links)
                found["inside" if inside else "outside" if links else "unresolved"] += 1
    share = 100 * found["unresolved"] / max(found["inside"] + found["unresolved"], 1)
    return {**found, "unresolved_share": round(share, 1)}


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--writes", type=int, default=1000)
    parser.add_argument("--check", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for folder in options.folders:
        files = [p for p in sorted(folder.rglob("*.java")) if p.is_file()]
        texts = {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8", errors="replace") for p in files}
        row = measure(folder.name, texts, options.writes, options.check, options.seed)
        row["cold_seconds_per_100k"] = round(100_000 * row["cold_seconds"] / max(row["lines"], 1), 2)
        rows.append({**row, **sites(CodeGraph(texts))})
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
