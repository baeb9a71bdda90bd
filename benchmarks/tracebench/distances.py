"""How far the gold of a burst lies from what was edited before it, and from the burst's own edit sites.

``python -m benchmarks.tracebench.distances --instances FILE --repos DIR --out DIR [--half train] [--only TEXT...]``
prints one JSON document. Distances are edges of the type checker's relations (uses and nearest base classes, both
ways); what is counted are lines of gold regions. It says what a walk from the drifted symbols could reach at best.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.tracebench.agent import Label, simulate
from benchmarks.tracebench.checker import analyse_state
from benchmarks.tracebench.gold import Reference
from benchmarks.tracebench.instances import halves, python_texts, read_instances, repository, task
from benchmarks.tracebench.parameters import Parameters
from benchmarks.tracebench.relations import Place

Edges = Mapping[str, set[str]]
Table = dict[tuple[str, str], Counter[str]]
_HOPS = 2


def edges(reference: Reference) -> Edges:
    """The neighbours of each definition of w_0, by ``path::name``."""
    found: dict[str, set[str]] = defaultdict(set)

    def joined(one: str | None, other: str | None) -> None:
        if one and other and one != other:
            found[one].add(other)
            found[other].add(one)

    for use in reference.base.uses:
        joined(_around(reference, use.path, use.line), _named(reference, use.target))
    for place, above in reference.base.bases.items():
        joined(_named(reference, place), _named(reference, above[0]))
    return found


def distance(near: Edges, seeds: Iterable[str], wanted: str) -> str:
    """ "0" to "2" edges, or "far"; "no definition" for a region that is none."""
    if not wanted:
        return "no definition"
    reached = set(seeds)
    for hop in range(_HOPS + 1):
        if wanted in reached:
            return str(hop)
        reached = reached.union(*(near.get(name, set()) for name in reached))
    return "far"


def measure(near: Edges, labels: Sequence[Label]) -> Table:
    """Lines of gold by (from where, rule) and distance, over the points in their order."""
    table: Table = defaultdict(Counter)
    points: dict[int, list[Label]] = defaultdict(list)
    for label in labels:
        points[label.t].append(label)
    edited: set[str] = set()
    last: set[str] = set()
    for t in sorted(points):
        sites = {g.symbol for g in points[t] if g.rule == "G1" and g.symbol}
        for label in points[t]:
            size = label.end - label.start + 1
            table["the last burst", label.rule][distance(near, last, label.symbol)] += size
            table["all edited", label.rule][distance(near, edited, label.symbol)] += size
            if label.rule != "G1":
                table["the imminent sites", label.rule][distance(near, sites, label.symbol)] += size
        last, edited = sites, edited | sites
    return table


def _around(reference: Reference, path: str, line: int) -> str | None:
    there = reference.old(path)
    found = there.at(line) if there is not None else None
    return f"{path}::{found.name}" if found is not None else None


def _named(reference: Reference, place: Place) -> str | None:
    there = reference.old(place[0])
    found = there.by_line.get(place[1]) if there is not None else None
    return f"{place[0]}::{found.name}" if found is not None else None


def main(arguments: Sequence[str]) -> None:
    """Prints the shares, pooled over the runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tracebench.distances", description=__doc__)
    for name in ("--instances", "--repos", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--half", choices=("train", "test"), default="train")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    known = [i for i in read_instances(options.instances) if repository(options.repos, i.repo)]
    half = halves(known, options.seed)
    chosen = [i for i in known if half[i.id] == options.half]
    chosen = [i for i in chosen if not options.only or any(text in i.id for text in options.only)]
    table: Table = defaultdict(Counter)
    for instance in chosen:
        home = repository(options.repos, instance.repo)
        assert home is not None
        given = task(instance, home)
        states = [analyse_state(python_texts(texts), options.out / "cache") for texts in (given.texts, given.patched)]
        reference = Reference(given, *states)
        found = measure(edges(reference), simulate(reference, Parameters(), options.seed).labels)
        for key, counts in found.items():
            table[key] += counts
    rows = {
        f"{rule} from {start}": {
            "lines": counts.total(),
            **{k: round(v / counts.total(), 3) for k, v in sorted(counts.items())},
        }
        for (start, rule), counts in sorted(table.items())
    }
    print(json.dumps({"runs": len(chosen), "half": options.half, "shares of lines": rows}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
