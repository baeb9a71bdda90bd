"""What one write costs as the repository grows: graph update, drift and nomination, from 10 to 1,000 files.

``python -m benchmarks.tape``. The same number of writes over the same held records in repositories of
different size; CPU milliseconds a write, median and 95th percentile. Flat is what Theorem 2(a) promises.
"""

from __future__ import annotations

import json
import random
import statistics
import time

from benchmarks.synthetic import base_tree
from core.graph.graph import CodeGraph
from core.options import Options
from core.records.held import Held
from core.records.record import Record, Symbols
from core.records.referents import own_lines, symbols_covered
from core.replay.world import Sight
from core.tape.drift import drift_of
from core.tape.nominate import Listing
from core.tape.tape import Tape

SIZES = (10, 100, 1000)
_WRITES, _HELD = 200, 100


def per_write(files: int) -> dict[str, float]:
    """CPU milliseconds of one write in a repository of ``files`` files with 100 held reads."""
    rng = random.Random(7)
    texts = base_tree(files)
    options = Options()
    graph = CodeGraph(texts, options)
    tape, held = Tape(options, graph.view), Held()
    listing = Listing(tape, held)
    paths = sorted(texts)
    for n in range(_HELD):
        held.add(_read(graph, rng.choice(paths), texts, n))
    times = []
    for t in range(_HELD, _HELD + _WRITES):
        path = rng.choice(paths)
        texts[path] = _changed(texts[path], rng)
        start = time.process_time()
        delta = graph.update({path: texts[path]})
        tape.append(drift_of(t, t, delta, [path], (), options), delta)
        listing.at(t)
        times.append((time.process_time() - start) * 1000)
    times.sort()
    return {"files": files, "median_ms": statistics.median(times), "p95_ms": times[int(len(times) * 0.95)]}


def _read(graph: CodeGraph, path: str, texts: dict[str, str], n: int) -> Record:
    sight = Sight(n, path, 1, tuple(texts[path].split("\n")), "read", whole=True)
    ids = symbols_covered(graph, [sight])
    end = sight.end
    return Record(f"r{n}", "read", n, "", 0, Symbols(ids), path, 1, end, (sight,), owned=own_lines(graph, ids))


def _changed(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    at = rng.choice([i for i, line in enumerate(lines) if line.startswith("        return value * ")])
    lines[at] = f"        return value * {rng.randrange(10_000)}"
    return "\n".join(lines)


def main() -> None:
    """Print one JSON document."""
    print(json.dumps([{k: round(v, 2) for k, v in per_write(files).items()} for files in SIZES], indent=1))


if __name__ == "__main__":
    main()
