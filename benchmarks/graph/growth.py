"""The cost of one write as the repository grows, against how many files import the written one.

    python -m benchmarks.graph.growth [--sizes 100 1000 10000] [--package django==5.2.8] [--writes 400] [--json FILE]

A write is CPU time of ``CodeGraph.update``, ``drift_of`` and ``Tape.append``. The made-up repository has packages of
twenty files; every file imports up to three files before it, often-imported ones more often. The first of a package
holds the base class of the others, whose methods have names of the package's own, in every tenth package common
ones. ``--package`` is measured whole and cut to a seeded half and tenth.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import re
import time
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.graph.packages import fetched
from benchmarks.graph.scripts import Function, dotted, tree
from core.graph.graph import CodeGraph
from core.options import Options
from core.tape.drift import drift_of
from core.tape.tape import Tape

_FANS = ((0, 0), (1, 3), (4, 15), (16, 10**9))


def made_up(size: int, random: Random) -> dict[str, str]:
    """A repository of ``size`` files whose imports follow those of real ones."""
    texts: dict[str, str] = {}
    names: list[str] = []
    pool: list[int] = []
    for number in range(size):
        package = f"pkg{number // 20}"
        if number % 20 == 0:
            texts[f"{package}/__init__.py"] = ""
        chosen = sorted({random.choice(pool) for _ in range(random.randint(1, 3))}) if pool else []
        texts[f"{package}/mod{number}.py"] = _file(number, chosen, names, random)
        names.append(f"{package}.mod{number}")
        pool += [number, *chosen]  # what is imported is imported again
    return texts


def _file(number: int, chosen: list[int], names: list[str], random: Random) -> str:
    first = number - number % 20  # the base class of its package
    base = f"Base{first}" if first != number else "object"
    lines = [f"from {names[i]} import Thing{i}, helper{i}" for i in chosen]
    lines += [f"from {names[first]} import Thing{first} as Base{first}"] if first != number else []
    lines += ["", "LIMIT = 3", "", f"class Thing{number}({base}):", "    def __init__(self):"]
    lines += [f"        self.part{i} = Thing{i}()" for i in chosen] or ["        self.part = None"]
    run, step = _verb("run", number), _verb("step", number)
    lines += [f"    def {run}(self):", f"        return self.{step}()", f"    def {step}(self):"]
    lines += [f"        self.part{i}.{_verb('run', i)}()" for i in chosen] + ["        return self", ""]
    for k in range(3):
        lines += [
            f"def {'helper' if k == 0 else f'other{k}_'}{number}(x):",
            f"    thing = Thing{number}()",
            f"    thing.{run}()",
        ]
        lines += [f"    helper{i}(LIMIT)" for i in chosen] + ["    return thing", ""]
    return "\n".join(lines) + "\n"


def _verb(word: str, number: int) -> str:
    """A method's name: the package's own, in every tenth package the common one."""
    package = number // 20
    return word if package % 10 == 0 else f"{word}_{package}"


def importers(texts: dict[str, str]) -> dict[str, int]:
    """How many files import each file, by ``ast``."""
    paths = {dotted(p): p for p in texts}
    found = dict.fromkeys(texts, 0)
    for path, text in texts.items():
        parsed = tree(text)
        used: set[str] = set()
        for node in ast.walk(parsed) if parsed is not None else ():
            if isinstance(node, ast.ImportFrom):
                package = dotted(path).split(".") if path.endswith("__init__.py") else dotted(path).split(".")[:-1]
                base = package[: len(package) - node.level + 1] if node.level else []
                module = ".".join([*base, *([node.module] if node.module else [])])
                used |= {module, *(f"{module}.{a.name}" for a in node.names)}
            elif isinstance(node, ast.Import):
                used |= {a.name for a in node.names}
        for module in used & paths.keys():
            found[paths[module]] += paths[module] != path
    return found


def written(text: str, random: Random) -> str:
    """A body edit, a call more, a function under another name, or a method more."""
    parsed, rows = tree(text), text.split("\n")
    found = [n for n in ast.walk(parsed) if isinstance(n, Function)] if parsed is not None else []
    if not found:
        return f"{text}\nEXTRA = {random.randrange(1000)}\n"
    node = random.choice(found)
    first = node.body[0]
    shape = random.randrange(4)
    if shape == 0:
        rows[node.lineno - 1] = re.sub(rf"\b{node.name}\b", node.name + "_", rows[node.lineno - 1], count=1)
    elif first.lineno > node.lineno:
        call = random.choice((f"print({random.randrange(1000)})", f"{random.choice(found).name}()"))
        rows.insert(first.lineno - 1, " " * first.col_offset + call)
    return "\n".join(rows)


def measure(name: str, texts: dict[str, str], writes: int, seed: int) -> dict[str, Any]:
    """Milliseconds of a write by fan-in, as many writes for each where there are files for it."""
    random, options = Random(seed), Options()
    fan = importers(texts)
    gc.disable()
    start = time.process_time()
    graph = CodeGraph(texts, options)
    cold = time.process_time() - start
    tape = Tape(options, graph.view)
    state, step = dict(texts), 0
    graph.update({min(texts): texts[min(texts)] + "\n"})  # the first write also indexes who read what
    row: dict[str, Any] = {"repository": name, "files": len(texts), "cold_seconds": round(cold, 2), "fan_in": {}}
    for low, high in _FANS:
        paths = sorted(p for p in texts if low <= fan[p] <= high and texts[p].count("\n") > 5)
        taken, moved = [], 0
        for _ in range(writes if paths else 0):
            path = random.choice(paths)
            text = written(texts[path], random) if state[path] == texts[path] else texts[path]
            step += 1
            start = time.process_time()
            delta = graph.update({path: text})
            tape.append(drift_of(step, step, delta, [path], (), options), delta)
            taken.append(1000 * (time.process_time() - start))
            state[path] = text
            moved += len(delta.after)
        if taken:
            ordered = sorted(taken)
            row["fan_in"][f"{low}-{high}" if high < 10**9 else f"{low}+"] = {
                "files": len(paths),
                "p50_ms": round(ordered[len(ordered) // 2], 2),
                "p95_ms": round(ordered[int(0.95 * len(ordered))], 2),
                "max_ms": round(ordered[-1], 1),
                "symbols_moved": round(moved / len(taken), 1),
            }
    gc.enable()
    return row


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="*", type=int, default=[100, 1000, 10000])
    parser.add_argument("--package", default="django==5.2.8")
    parser.add_argument("--writes", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for size in options.sizes:
        rows.append(measure("made up", made_up(size, Random(options.seed)), options.writes, options.seed))
        print(json.dumps(rows[-1]), flush=True)
    texts = fetched(options.package) if options.package else {}
    for share in (0.1, 0.5, 1.0) if texts else ():
        kept = sorted(Random(options.seed).sample(sorted(texts), int(share * len(texts))))
        rows.append(measure(options.package, {p: texts[p] for p in kept}, options.writes, options.seed))
        print(json.dumps(rows[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
