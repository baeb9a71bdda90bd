"""Measure the code graph of Rust repositories: cold build, writes, equality with scratch, calls that reach nothing.

    python benchmarks/graph/rust_measure.py DIR...       folders of sources
    python benchmarks/graph/rust_measure.py DIR --edges 40 --seed 3     prints edges to be judged by reading the code

Options: --writes N (default 300), --check N (of these, compared with a build from scratch, default 30), --seed N,
--json FILE. The README beside this file says what each number means.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.graph.measure import measure
from core.graph.graph import CodeGraph, deep_recursion
from core.graph.languages.rust import cargo
from core.graph.link import RULES
from core.graph.lookups import Lookups


def sources(folder: Path) -> dict[str, str]:
    """The Rust files and manifests of a folder by relative path."""
    found = sorted(p for p in folder.rglob("*") if p.is_file() and (p.suffix == ".rs" or p.name in cargo.FILES))
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8", errors="replace") for p in found}


def call_sites(graph: CodeGraph) -> dict[str, Any]:
    """Call sites by what they reach; one that reaches nothing may be in the repository if a function has its name."""
    names = {s.name for s in graph.symbols() if s.kind in ("function", "method")}
    lookups = Lookups(RULES, graph.input)
    found: Counter[str] = Counter()
    with deep_recursion():
        for path, scope in graph.scopes():
            facts: Any = graph.input(("cell", path, "scope", scope, ""))
            _, linked = lookups.get(("links", path, scope))
            for site, (kind, _, links) in zip(facts.sites, linked, strict=True):
                if kind != "call":
                    continue
                if links:
                    inside = any(not isinstance(target, str) for _, target, _, _ in links)
                    found["inside" if inside else "outside"] += 1
                else:
                    found["unresolved, name defined here" if called(site.expr) in names else "unresolved, other"] += 1
    mine = found["inside"] + found["unresolved, name defined here"]
    share = found["unresolved, name defined here"] / mine if mine else float("nan")
    return {"call_sites": dict(sorted(found.items())), "unresolved_share_at_most": round(100 * share, 1)}


def called(e: Any) -> str:
    """The last name of a callee."""
    callee = e[1]
    if callee is None:
        return ""
    if callee[0] == "path":
        return str(callee[2][-1])
    return str(callee[2]) if callee[0] == "attr" else str(callee[3]) if callee[0] == "ta" else ""


def edges(texts: dict[str, str], count: int, seed: int) -> None:
    """Print random edges inside the repository, each with its line."""
    graph = CodeGraph(texts)
    kinds = ("call", "constructor", "override", "uses")
    found = [
        (path, r)
        for path, text in texts.items()
        for r in graph.references(path, text)
        if r.kind in kinds and not r.target.startswith("<")
    ]
    for path, r in Random(seed).sample(found, min(count, len(found))):
        line = texts[path].split("\n")[r.line - 1].strip()
        print(f"{path}:{r.line} {r.source.rpartition('::')[2]} -> {r.target} ({r.kind}, {r.tier}: {r.why})\n    {line}")


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--check", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--edges", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for folder in options.folders:
        texts = sources(folder)
        if options.edges:
            edges(texts, options.edges, options.seed)
            continue
        row = measure(folder.name, texts, options.writes, options.check, options.seed)
        rows.append({**row, **call_sites(CodeGraph(texts))})
    document = {"python": platform.python_version(), "repositories": rows}
    if options.json:
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    if rows:
        print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
