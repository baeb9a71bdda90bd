"""SWARM-CG's JavaScript micro-benchmark: the product's call graph against its ground truth.

    python benchmarks/graph/swarm.py --snippets DIR [--json FILE] [--failures]

DIR is the folder ``benchmarks/javascript/swarm_js`` of github.com/secure-software-engineering/SWARM-CG: one folder a
case with ``main.js`` and ``callgraph.json``. Ours is the document of ``cli.py graph CASE --format callgraph``.

Counted are edges whose ends both are functions of the case (``inner``); the ground truth names builtins in five ways
(``<builtin>.map``, ``<builtin>.Array.map``, ``<**JSArray**>.join``...) and lists them in some cases only, so ``all``,
every edge as the set's own scorer counts it, is reported beside it. Names are translated before they are compared:

- arrow functions bound to a name in the module are numbered in order (``main.<arrow1>``), a well-known symbol is
  written in brackets without the dot before it;
- a function literal that the truth of a case does not name belongs to the function around it (the truth does so
  for ``array.map(x => f(x))``).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.graph.callgraph import callgraph
from core.graph.graph import CodeGraph

Edges = set[tuple[str, str]]
_BOUND = re.compile(r"(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>")
_ARROW = re.compile(r"=>")


def numbered(case: Path) -> dict[str, str]:
    """Our name of each arrow function bound to a module-level name -> the benchmark's."""
    found: dict[str, str] = {}
    for file in sorted(case.rglob("*.js")):
        module = file.relative_to(case).as_posix().removesuffix(".js").replace("/", ".")
        text = file.read_text(encoding="utf-8")
        arrows = [m.start() for m in _ARROW.finditer(text)]
        for match in _BOUND.finditer(text):
            at_start = text.rfind("\n", 0, match.start()) + 1 == match.start()
            if at_start:
                found[f"{module}.{match[1]}"] = f"{module}.<arrow{arrows.index(match.end() - 2) + 1}>"
    return found


def translated(graph: dict[str, list[str]], names: dict[str, str]) -> dict[str, list[str]]:
    """The graph in the benchmark's names."""

    def name(text: str) -> str:
        text = names.get(text, text)
        return re.sub(r"\.?(?:@@|\[Symbol\.)(\w+)\]?", r"[Symbol.\1]", text)

    found: dict[str, list[str]] = {}
    for caller, callees in graph.items():
        found.setdefault(name(caller), []).extend(name(c) for c in callees)
    return found


def folded(graph: dict[str, list[str]], truth: dict[str, list[str]]) -> Edges:
    """Edges, with function literals that the truth does not name taken into the function around them."""
    said = set(truth) | {c for cs in truth.values() for c in cs}

    def home(text: str) -> str:
        while text not in said and re.search(r"\.<(?:arrow|anonymous)\d+>$", text):
            text = text.rpartition(".")[0]
        return text

    literals = {n for n in (*graph, *(c for cs in graph.values() for c in cs)) if home(n) != n}
    return {(home(a), b) for a, bs in graph.items() for b in bs if b not in literals}


def inner(edges: Edges, case: Path) -> Edges:
    """Edges whose ends both lie in the modules of the case."""
    modules = [p.relative_to(case).as_posix().removesuffix(".js").replace("/", ".") for p in case.rglob("*.js")]
    modules = [m.removesuffix(".index") for m in modules]

    def inside(name: str) -> bool:
        return any(name == m or name.startswith((m + ".", m + "[")) for m in modules)

    return {(a, b) for a, b in edges if inside(a) and inside(b)}


def predicted(case: Path) -> dict[str, list[str]]:
    """The product's call graph of one case: what ``cli.py graph CASE --format callgraph`` writes."""
    files = sorted(p for p in case.rglob("*.js") if p.is_file())
    return callgraph(CodeGraph({p.relative_to(case).as_posix(): p.read_text(encoding="utf-8") for p in files}))


def score(pairs: list[tuple[Edges, Edges]]) -> dict[str, Any]:
    """Precision, recall and exact cases of (ours, truth) a case."""
    right = sum(len(a & b) for a, b in pairs)
    ours, truth = sum(len(a) for a, _ in pairs), sum(len(b) for _, b in pairs)
    return {
        "edges_in_truth": truth,
        "edges_of_ours": ours,
        "precision": round(100 * right / max(ours, 1), 1),
        "recall": round(100 * right / max(truth, 1), 1),
        "exact": sum(a == b for a, b in pairs),
    }


def main() -> None:
    """Parse the command line, run every case, print the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snippets", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--failures", action="store_true", help="print the edges missed and invented, by case")
    options = parser.parse_args()
    pairs: dict[str, list[tuple[Edges, Edges]]] = {"inner": [], "all": [], "inner_unfolded": []}
    categories: dict[str, list[tuple[Edges, Edges]]] = {}
    for file in sorted(options.snippets.rglob("callgraph.json")):
        case = file.parent
        truth = translated(json.loads(file.read_text(encoding="utf-8")), {})
        ours = translated(predicted(case), numbered(case))
        expected: Edges = {(a, b) for a, bs in truth.items() for b in bs}
        plain: Edges = {(a, b) for a, bs in ours.items() for b in bs}
        held = folded(ours, truth)
        pair = (inner(held, case), inner(expected, case))
        pairs["inner"].append(pair)
        pairs["inner_unfolded"].append((inner(plain, case), pair[1]))
        pairs["all"].append((held, expected))
        categories.setdefault(case.parent.name, []).append(pair)
        if options.failures and pair[0] != pair[1]:
            print(
                case.relative_to(options.snippets),
                "missed",
                sorted(pair[1] - pair[0]),
                "invented",
                sorted(pair[0] - pair[1]),
            )
    document = {
        "cases": len(pairs["inner"]),
        **{name: score(found) for name, found in pairs.items()},
        "categories": {name: score(found) for name, found in sorted(categories.items())},
    }
    if options.json:
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    print(json.dumps({k: v for k, v in document.items() if k != "categories"}, indent=1))


if __name__ == "__main__":
    main()
