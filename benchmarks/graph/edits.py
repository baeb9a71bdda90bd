"""Incremental against from scratch: seeded edit scripts on real packages, every difference minimised.

    python -m benchmarks.graph.edits requests==2.32.5 flask==3.1.1 click==8.2.1
    python -m benchmarks.graph.edits --repos DIR...

Options: --scripts N (default 1000) a package, --length N (default 5) writes a script, --share F of the states
inside a script that are compared too (its last state always is), --seed N, --json FILE. The README beside this
file says what is compared.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.graph.packages import fetched, sources
from benchmarks.graph.scripts import Changes, script
from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.graph.symbols import View

_RENEW = 50  # scripts after which the long-lived graph is built anew
_ASKED = 8  # every how manieth script also compares the references of its files (asking costs more than building)
Picture = dict[str, Any]


def picture(graph: CodeGraph) -> Picture:
    """Everything the graph says of every symbol, and of every external target."""
    found: Picture = {}
    outside: set[str] = set()
    for s in graph.symbols():
        callees, relations = graph.callees(s.id), graph.relations(s.id)
        more: tuple[Any, ...] = ()
        if s.kind == "class":
            more = (graph.bases(s.id), graph.subclasses(s.id))
        elif s.kind == "method":
            more = (graph.overrides(s.id), graph.overridden_by(s.id))
        found[s.id] = (s, graph.view(s.id), callees, graph.callers(s.id), relations, graph.weak(s.id), *more)
        outside.update(e.target for e in (*callees, *relations) if e.target.startswith("<"))
    for target in outside:
        found[target] = (graph.callers(target), graph.relations(target), graph.subclasses(target))
    found["unresolved"] = dict(graph.unresolved())
    found["errors"] = dict(graph.syntax_errors())
    return found


def views(graph: CodeGraph) -> dict[str, View | None]:
    """The view of every symbol."""
    return {s.id: graph.view(s.id) for s in graph.symbols()}


class Truth:
    """The state after each write and the graph from scratch for it: what the incremental graph must equal."""

    def __init__(self, texts: Mapping[str, str], cache: FactsCache) -> None:
        self.cache = cache
        self.state, self.good = dict(texts), dict(texts)

    def write(self, changes: Changes, errors: Sequence[str]) -> None:
        """Move on; the last good text of a file that no longer parses is kept, as the graph does."""
        self.state = {p: t for p, t in {**self.state, **changes}.items() if t is not None}
        kept = {p: self.good[p] for p in errors if p in self.good}
        self.good = {p: kept.get(p, self.state[p] if p in changes else self.good[p]) for p in self.state}

    def broken(self) -> Changes:
        """The texts that stand in the place of a last good one."""
        return {p: t for p, t in self.state.items() if self.good[p] != t}

    def graph(self) -> CodeGraph:
        """Built from the last good texts, then given the broken ones."""
        graph, broken = CodeGraph(self.good, facts=self.cache), self.broken()
        if broken:
            graph.update(broken)
        return graph


def differing(graph: CodeGraph, truth: Truth, paths: Sequence[str] = ()) -> list[str]:
    """What differs between the incremental graph and the one from scratch, sorted; also references of ``paths``."""
    scratch = truth.graph()
    ours, theirs = picture(graph), picture(scratch)
    found = [key for key in sorted(ours.keys() | theirs.keys()) if ours.get(key) != theirs.get(key)]
    for path in paths:
        text = truth.state.get(path)
        if text is not None and graph.references(path, text) != scratch.references(path, text):
            found.append(f"references of {path}")
    return found


def misreported(graph: CodeGraph, truth: Truth, changes: Changes) -> list[str]:
    """Move both on by one write; where the Delta does not say exactly which views differ."""
    before = views(graph)
    delta = graph.update(changes)
    truth.write(changes, delta.parse_errors)
    after = views(graph)
    moved = {s for s in before.keys() | after.keys() if before.get(s) != after.get(s)}
    said = {s for s in delta.before if delta.before[s] == before.get(s) and delta.after[s] == after.get(s)}
    return [f"delta {s}" for s in sorted(moved ^ said | set(delta.before) - said)]


def fails(texts: Mapping[str, str], writes: Sequence[Changes], cache: FactsCache) -> list[str]:
    """What differs first when ``writes`` are applied to ``texts``, every state compared; [] if nothing does."""
    truth, graph = Truth(texts, cache), CodeGraph(texts, facts=cache)
    for changes in writes:
        real = {p: t for p, t in changes.items() if t is not None or p in truth.state}
        found = misreported(graph, truth, real) or differing(graph, truth, sorted(real))
        if found:
            return found
    return []


def minimised(texts: Mapping[str, str], writes: Sequence[Changes], cache: FactsCache, seconds: float) -> Any:
    """A smaller (texts, writes) that still fails: fewer writes, files, then top-level pieces, until time is up."""
    end = time.monotonic() + seconds
    state, script_ = dict(texts), [dict(w) for w in writes]
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for i in reversed(range(len(script_))):
            rest = script_[:i] + script_[i + 1 :]
            if rest and time.monotonic() < end and fails(state, rest, cache):
                script_, changed = rest, True
        for path in sorted({*state, *(p for w in script_ for p in w)}):
            less = {p: t for p, t in state.items() if p != path}
            shorter = [{p: t for p, t in w.items() if p != path} for w in script_]
            if time.monotonic() < end and fails(less, shorter, cache):
                state, script_, changed = less, shorter, True
        for path in sorted(state):
            changed |= _shorten(state, script_, path, cache, end)
    return state, script_


def _shorten(state: dict[str, str], writes: list[Changes], path: str, cache: FactsCache, end: float) -> bool:
    """Take lines out of a file, out of all its texts in the script alike, while it still fails."""
    changed = False
    size = max(1, len(state[path].split("\n")) // 2)
    while size and time.monotonic() < end:
        at = 0
        while at < len(state[path].split("\n")) and time.monotonic() < end:
            cut = state[path].split("\n")[at : at + size]
            block = "\n".join(cut)
            less = {**state, path: state[path].replace(block + "\n", "", 1)}
            shorter = [
                {p: t.replace(block + "\n", "", 1) if p == path and t is not None else t for p, t in w.items()}
                for w in writes
            ]
            if less[path] != state[path] and fails(less, shorter, cache):
                state[path], changed = less[path], True
                writes[:] = shorter
            else:
                at += size
        size //= 2
    return changed


def measure(name: str, texts: dict[str, str], options: argparse.Namespace) -> dict[str, Any]:
    """All scripts on one package."""
    random = Random(options.seed)
    cache = FactsCache(limit=200_000)
    kinds: Counter[str] = Counter()
    compared = errors = writes = 0
    failures: list[dict[str, Any]] = []
    start = time.process_time()
    graph = CodeGraph(texts, facts=cache)
    home = picture(graph)
    for number in range(options.scripts):
        if number % _RENEW == 0:
            print(f"{name}: {number} scripts, {compared} states compared, {len(failures)} differ", file=sys.stderr)
            graph = CodeGraph(texts, facts=cache)
        steps = script(random, texts, random.randint(1, options.length))
        truth = Truth(texts, cache)
        wrong: list[str] = []
        for i, (kind, changes) in enumerate(steps):
            said = misreported(graph, truth, changes)
            kinds[kind] += 1
            writes += 1
            errors += bool(truth.broken())
            wrong = wrong or said
            if i == len(steps) - 1 or random.random() < options.share:
                compared += 1
                asked = sorted(changes)[:2] if number % _ASKED == 0 else ()
                wrong = wrong or differing(graph, truth, asked)
        back: Changes = {p: texts.get(p) for p in {*truth.state, *texts} if truth.state.get(p) != texts.get(p)}
        graph.update(back)
        if number % 10 == 0:
            compared += 1
            now = picture(graph)
            wrong = wrong or [f"back: {k}" for k in sorted(home.keys() | now.keys()) if now.get(k) != home.get(k)]
        if wrong:
            failures.append(_failure(name, number, texts, steps, wrong, cache))
            graph = CodeGraph(texts, facts=cache)
    return {
        "name": name,
        "files": len(texts),
        "symbols": len(home) - 2,
        "scripts": options.scripts,
        "writes": writes,
        "states_with_a_broken_file": errors,
        "states_compared": compared,
        "different": len(failures),
        "failures": failures,
        "edits": dict(sorted(kinds.items())),
        "cpu_seconds": round(time.process_time() - start),
    }


def _failure(name: str, number: int, texts: Any, steps: Any, wrong: list[str], cache: FactsCache) -> dict[str, Any]:
    print(f"{name}: script {number} differs in {wrong[:3]}", flush=True)
    writes = [changes for _, changes in steps]
    if not fails(texts, writes, cache):
        return {"script": number, "wrong": wrong[:9], "note": "only after the scripts before it"}
    state, small = minimised(texts, writes, cache, 60)
    return {"script": number, "wrong": fails(state, small, cache)[:9], "texts": state, "writes": small}


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="pip requirements whose wheels are edited")
    parser.add_argument("--repos", nargs="*", type=Path, default=[])
    parser.add_argument("--scripts", type=int, default=1000)
    parser.add_argument("--length", type=int, default=5)
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = [measure(requirement, fetched(requirement), options) for requirement in options.packages]
    found += [measure(folder.name, sources(folder), options) for folder in options.repos]
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(json.dumps([{**f, "failures": f["failures"][:3]} for f in found], indent=1))


if __name__ == "__main__":
    main()
