"""Measure the code graph: cold build, latency of writes, equality with a build from scratch, PyCG's cases.

    python benchmarks/graph/measure.py django==5.2.8 requests==2.32.3     wheels fetched by pip, by name
    python benchmarks/graph/measure.py --repos DIR...                     folders of sources
    python benchmarks/graph/measure.py --snippets DIR                     PyCG micro-benchmark (its snippets folder)

Options: --writes N (default 1000), --check N (of these, how many are compared with a build from scratch,
default 20), --seed N, --json FILE. The README beside this file says what each number means.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.graph.packages import fetched, sources
from core.graph.callgraph import callgraph
from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph


def edited(random: Random, text: str, words: list[str]) -> str:
    """One small random edit: a line dropped, doubled, exchanged, a word replaced, or a call put in."""
    lines = text.split("\n")
    at = random.randrange(len(lines))
    shape = random.randrange(5)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    if shape == 0:
        del lines[at]
    elif shape == 1:
        lines.insert(at, lines[at])
    elif shape == 2:
        lines[at] = indent + f"{random.choice(words)} = {random.choice(words)}()"
    elif shape == 3:
        parts = lines[at].split(" ")
        parts[random.randrange(len(parts))] = random.choice(words)
        lines[at] = " ".join(parts)
    else:
        lines.insert(at, indent + f"{random.choice(words)}.{random.choice(words)}()")
    return "\n".join(lines)


def quantile(values: list[float], share: float) -> float:
    """The value below which ``share`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def picture(graph: CodeGraph) -> dict[str, Any]:
    """Everything that must be equal, by symbol."""
    ids = [s.id for s in graph.symbols()]
    return {i: (graph.view(i), graph.callees(i), graph.callers(i), graph.relations(i)) for i in ids}


def measure(name: str, texts: dict[str, str], writes: int, check: int, seed: int) -> dict[str, Any]:
    """All figures of one repository."""
    gc.disable()
    cache = FactsCache()
    start = time.process_time()
    graph = CodeGraph(texts, facts=cache)
    cold = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    CodeGraph(texts, facts=cache)
    linked = time.process_time() - start
    found = written(graph, texts, writes, check, Random(seed), cache)
    sites, weak = graph.weak_size()
    figures = {
        "name": name,
        "files": len(texts),
        "lines": sum(t.count("\n") for t in texts.values()),
        "symbols": len(graph.symbols()),
        "cold_seconds": round(cold, 2),
        "cached_facts_seconds": round(linked, 2),
        "peak_megabytes": round(peak),
        **found,
        "weak_sites": sites,
        "weak_edges": weak,
    }
    del graph
    stored, warm = warm_start(texts)
    found = written(warm, texts, writes, check, Random(seed), cache)
    gc.enable()
    return {**figures, **stored, **{f"warm_{key}": value for key, value in found.items()}}


def warm_start(texts: dict[str, str]) -> tuple[dict[str, Any], CodeGraph]:
    """What storing a graph and starting from it in a new run costs, and the graph so started."""
    # Only now: the database's libraries take more memory than the graph of a small repository.
    from storage.database import open_engine, writing
    from storage.facts import cache_of, entries_table, fetch_from, publish_entries

    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(Path(folder) / "warm.duckdb")
        cache = cache_of(fetch_from(engine))
        start = time.process_time()
        CodeGraph(texts, facts=cache)
        offering = time.process_time() - start
        assert cache.shelf is not None
        entries = entries_table(cache.shelf.take())
        start = time.process_time()
        with writing(engine) as connection:
            publish_entries(connection, entries)
        publishing = time.process_time() - start
        del cache
        start = time.process_time()
        warm = cache_of(fetch_from(engine))
        graph = CodeGraph(texts, facts=warm)
        taken = time.process_time() - start
        assert warm.shelf is not None
        assert warm.shelf.found
        assert not warm.shelf.rejected
        facts = cache_of(lambda names: {n: e for n, e in fetch_from(engine)(names).items() if n[:6] != "graph:"})
        start = time.process_time()
        CodeGraph(texts, facts=facts)
        facts_only = time.process_time() - start
    return {
        "cold_and_offered_seconds": round(offering, 2),
        "stored_megabytes": round(entries.nbytes / 1e6, 1),
        "publish_seconds": round(publishing, 2),
        "warm_seconds": round(taken, 2),
        "stored_facts_seconds": round(facts_only, 2),
    }, graph


def written(
    graph: CodeGraph, texts: dict[str, str], writes: int, check: int, random: Random, cache: FactsCache
) -> dict[str, Any]:
    """Random writes to ``graph``: what each costs, and whether it stays the graph built from scratch."""
    words = sorted({s.name for s in graph.symbols() if s.kind != "module"}) or ["f"]
    state, good, taken, moved, errors, unequal = dict(texts), dict(texts), [], [], 0, 0
    compared = set(random.sample(range(writes), min(check, writes)))
    for number in range(writes):
        path = random.choice(sorted(state))
        # A broken file is put right by the next write to it, as an agent does.
        changed = good[path] if state[path] != good[path] else edited(random, state[path], words)
        start = time.process_time()
        delta = graph.update({path: changed})
        taken.append(1000 * (time.process_time() - start))
        moved.append(len(delta.after))
        state[path] = changed
        errors += bool(delta.parse_errors)
        if not delta.parse_errors:
            good[path] = changed
        if number in compared:
            scratch = CodeGraph(good, facts=cache)
            scratch.update({p: t for p, t in state.items() if good[p] != t})
            unequal += picture(graph) != picture(scratch)
    return {
        "writes": writes,
        "writes_with_syntax_errors": errors,
        "first_write_ms": round(taken[0], 1),
        "p50_ms": round(quantile(taken[1:], 0.5), 2),
        "p95_ms": round(quantile(taken[1:], 0.95), 2),
        "max_ms": round(max(taken[1:]), 1),
        "mean_symbols_moved": round(statistics.mean(moved), 2),
        "compared_with_scratch": len(compared),
        "unequal": unequal,
    }


def snippets(folder: Path) -> dict[str, Any]:
    """Predictions for PyCG's micro-benchmark and how they compare, both ends of an edge inside the case."""
    right = wrong = missed = exact = cases = 0
    predictions: dict[str, Any] = {}
    for truth_file in sorted(folder.rglob("callgraph.json")):
        case = truth_file.parent
        if not (case / "main.py").exists():
            continue
        cases += 1
        texts = sources(case)
        found = callgraph(CodeGraph(texts))
        predictions[case.relative_to(folder).as_posix()] = found
        names = {p[:-3].replace("/", ".").removesuffix(".__init__") for p in texts}
        truth = inner_edges(json.loads(truth_file.read_text()), names)
        ours = inner_edges(found, names)
        right += len(truth & ours)
        wrong += len(ours - truth)
        missed += len(truth - ours)
        exact += ours == truth
    score = {
        "cases": cases,
        "exact": exact,
        "precision": round(100 * right / max(right + wrong, 1), 1),
        "recall": round(100 * right / max(right + missed, 1), 1),
    }
    return {"score": score, "predictions": predictions}


def inner_edges(graph: dict[str, list[str]], modules: set[str]) -> set[tuple[str, str]]:
    """Edges whose ends both lie in ``modules``."""

    def inside(name: str) -> bool:
        return any(name == m or name.startswith(m + ".") for m in modules)

    return {(a, b) for a, bs in graph.items() for b in bs if inside(a) and inside(b)}


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="pip requirements whose wheels are measured")
    parser.add_argument("--repos", nargs="*", type=Path, default=[])
    parser.add_argument("--snippets", type=Path)
    parser.add_argument("--writes", type=int, default=1000)
    parser.add_argument("--check", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    document: dict[str, Any] = {"python": platform.python_version(), "repositories": []}
    for requirement in options.packages:
        found = measure(requirement, fetched(requirement), options.writes, options.check, options.seed)
        document["repositories"].append(found)
    for folder in options.repos:
        found = measure(folder.name, sources(folder), options.writes, options.check, options.seed)
        document["repositories"].append(found)
    if options.snippets:
        document["pycg"] = snippets(options.snippets)
    if options.json:
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    shown = {**document, **({"pycg": document["pycg"]["score"]} if "pycg" in document else {})}
    print(json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
