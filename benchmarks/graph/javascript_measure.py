"""Measure the code graph of JavaScript and TypeScript: build, writes, equality with scratch, calls that reach nothing.

    python benchmarks/graph/javascript_measure.py DIR...       folders of sources
    python benchmarks/graph/javascript_measure.py DIR --edges 40 --seed 3     prints edges to be judged by reading

Options: --writes N (default 300), --check N (of these, compared with a build from scratch, default 20), --seed N,
--kinds K,... of the edges printed, --json FILE. The README beside this file says what each number means.
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
from core.graph.languages.javascript import config, language, typescript
from core.graph.link import RULES
from core.graph.lookups import Lookups

_CALLS = ("call", "new", "super", "jsx")


def sources(folder: Path) -> dict[str, str]:
    """The modules and configuration files of a folder by relative path; other people's packages left out."""
    endings = (*language.EXTENSIONS, *typescript.EXTENSIONS)
    found = {}
    for p in sorted(folder.rglob("*")):
        name = p.relative_to(folder).as_posix()
        if "node_modules/" not in name and (p.suffix in endings or p.name in config.EXTENSIONS) and p.is_file():
            found[name] = p.read_text(encoding="utf-8", errors="replace")
    return found


def call_sites(graph: CodeGraph) -> dict[str, Any]:
    """Call sites by what they reach; one that reaches nothing may be in the repository if a function has its name."""
    names = {s.name for s in graph.symbols() if s.kind in ("function", "method")}
    lookups = Lookups(RULES, graph.input)
    found: Counter[str] = Counter()
    with deep_recursion():
        for path, scope in graph.scopes():
            facts: Any = graph.input(("cell", path, "scope", scope, ""))
            for sites, linked in zip((facts.head, facts.sites), lookups.get(("links", path, scope)), strict=True):
                for site, (_, _, links) in zip(sites, linked, strict=True):
                    if site.kind not in _CALLS:
                        continue
                    if links:
                        inside = any(not isinstance(target, str) for _, target, _, _ in links)
                        found["inside" if inside else "outside"] += 1
                    else:
                        last = site.key.rpartition(".")[2]
                        found["unresolved, name defined here" if last in names else "unresolved, other"] += 1
    mine = found["inside"] + found["unresolved, name defined here"]
    share = found["unresolved, name defined here"] / mine if mine else float("nan")
    return {"call_sites": dict(sorted(found.items())), "unresolved_share_at_most": round(100 * share, 1)}


def edges(texts: dict[str, str], kinds: set[str], count: int, seed: int) -> None:
    """Print random edges inside the repository, each with its line."""
    graph = CodeGraph(texts)
    found = [
        (path, r)
        for path, text in texts.items()
        for r in graph.references(path, text)
        if r.kind in kinds and not r.target.startswith("<") and r.source != r.target
    ]
    for path, r in Random(seed).sample(found, min(count, len(found))):
        line = texts[path].split("\n")[r.line - 1].strip()
        print(f"{path}:{r.line} {r.source.rpartition('::')[2]} -> {r.target} ({r.kind}, {r.tier}: {r.why})\n    {line}")


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--check", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--edges", type=int, default=0)
    parser.add_argument("--kinds", default="call,constructor,property,override")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for folder in options.folders:
        texts = sources(folder)
        if options.edges:
            edges(texts, set(options.kinds.split(",")), options.edges, options.seed)
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
