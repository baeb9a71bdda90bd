"""SWARM-CG's Java set: how many of the calls its cases are about our graph has.

    python benchmarks/graph/swarm_java.py --snippets DIR [--json FILE] [--failures]

DIR is the folder ``benchmarks/java/cats`` of github.com/secure-software-engineering/SWARM-CG: one folder a case with
sources and ``callgraph.json``. The ground truth of a case is only the calls it is about (of ``main`` one of a dozen),
so there is no precision. Counted are the calls whose ends are methods of the case's sources; a method is known by its
class, name and number of parameters. ``direct`` leaves out override and possible edges, ``all`` keeps them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.graph.graph import CodeGraph

Method = tuple[str, str, int]


def truth(file: Path) -> set[tuple[Method, Method]]:
    """The edges of one ``callgraph.json``."""
    document: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return {(_named(a), _named(b)) for a, bs in document.items() for b in bs}


def _named(signature: str) -> Method:
    head, _, rest = signature.partition("(")
    cls, _, name = head.rpartition(":")
    given = rest.rstrip(")").strip()
    return cls.replace("$", "."), name, len(given.split(",")) if given else 0


def methods(graph: CodeGraph) -> dict[str, Method]:
    """The name of each method's symbol as the benchmark writes it."""
    found: dict[str, Method] = {}
    for path in graph.paths():
        package = graph.input(("cell", path, "package", "", ""))
        for symbol in graph.symbols(path):
            if symbol.kind != "method":
                continue
            qual = symbol.id.rpartition("::")[2]
            key, _, last = qual.rpartition(".")
            written = last.partition("#")[0]
            name = "<init>" if written == key.rpartition(".")[2] else written
            listed: Any = graph.input(("cell", path, "methods", key, name)) or ()
            count = next((len(m.params) for m in listed if m.qual == qual), 0)
            found[symbol.id] = (f"{package}.{key}" if package else key, name, count)
    return found


def case_edges(case: Path) -> tuple[set[Method], set[tuple[Method, Method]], set[tuple[Method, Method]]]:
    """(methods, direct edges, all edges) of one case."""
    texts = {p.relative_to(case).as_posix(): p.read_text(encoding="utf-8") for p in sorted(case.rglob("*.java"))}
    graph = CodeGraph(texts)
    named = methods(graph)
    direct: set[tuple[Method, Method]] = set()
    every: set[tuple[Method, Method]] = set()
    for symbol, name in named.items():
        for edge in graph.callees(symbol):
            if edge.target in named:
                every.add((name, named[edge.target]))
                if edge.kind != "override" and edge.tier == "certain":
                    direct.add((name, named[edge.target]))
    return set(named.values()), direct, every


def main() -> None:
    """Parse the command line, score, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snippets", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--failures", action="store_true")
    options = parser.parse_args()
    wanted: Counter[str] = Counter()
    got: Counter[str] = Counter()
    got_direct: Counter[str] = Counter()
    cases = 0
    for file in sorted(options.snippets.rglob("callgraph.json")):
        case = file.parent
        if not any(case.rglob("*.java")):
            continue
        cases += 1
        category = case.relative_to(options.snippets).parts[0]
        known, direct, every = case_edges(case)
        edges = {(a, b) for a, b in truth(file) if a in known and b in known}
        wanted[category] += len(edges)
        got[category] += len(edges & every)
        got_direct[category] += len(edges & direct)
        for edge in sorted(edges - every) if options.failures else ():
            print(case.relative_to(options.snippets), *edge, file=sys.stderr)
    rows = {c: {"edges": n, "all": got[c], "direct": got_direct[c]} for c, n in sorted(wanted.items())}
    total = sum(wanted.values())
    document = {
        "cases": cases,
        "edges": total,
        "recall_all": round(100 * sum(got.values()) / max(total, 1), 1),
        "recall_direct": round(100 * sum(got_direct.values()) / max(total, 1), 1),
        "by_category": rows,
    }
    if options.json:
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
