"""Incremental against from scratch over real histories: the last commits of repositories, each one write.

    python -m benchmarks.graph.history --repos DIR... [--commits 40] [--stride 1]

DIR is a git repository, bare or not. Its first parents are played from the oldest to the newest, every ``--stride``th
of them; after each the Delta must say exactly which views differ, and the graph equal one from scratch in what
``edits.picture`` reads, at every fourth commit also in the references of two changed files. What differs is named.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.graph.edits import Truth, differing, misreported
from benchmarks.graph.scripts import Changes
from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.replay.base_git import commit

_ASKED = 4


def measure(folder: Path, commits: int, stride: int) -> dict[str, Any]:
    """The history of one repository: commits played, writes in them, states compared, and what differs."""
    listed = ["git", "-C", str(folder), "log", "--first-parent", "--format=%H", "-n", str(commits * stride + 1)]
    found = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()[::stride]
    first, *others = reversed(found)
    started = time.process_time()
    texts = _texts(folder, first)
    cache = FactsCache(limit=200_000)
    truth, graph = Truth(texts, cache), CodeGraph(texts, facts=cache)
    row: dict[str, Any] = {"name": folder.parent.name if folder.name == "repo" else folder.name, "files": len(texts)}
    row |= {"commits": 0, "written_files": 0, "states_with_a_broken_file": 0, "different": []}
    for sha in others:
        after = _texts(folder, sha)
        changes: Changes = {p: after.get(p) for p in {*texts, *after} if texts.get(p) != after.get(p)}
        said = misreported(graph, truth, changes)
        asked = sorted(changes)[:2] if row["commits"] % _ASKED == 0 else ()
        wrong = said or differing(graph, truth, asked)
        row["commits"] += 1
        row["written_files"] += len(changes)
        row["states_with_a_broken_file"] += bool(truth.broken())
        if wrong:
            row["different"].append({"commit": sha, "wrong": wrong[:9]})
            truth, graph = Truth(after, cache), CodeGraph(after, facts=cache)
        texts = after
        print(f"{row['name']}: {row['commits']} commits, {len(row['different'])} differ", file=sys.stderr, flush=True)
    return {**row, "symbols": sum(1 for _ in graph.symbols()), "cpu_seconds": round(time.process_time() - started)}


def _texts(folder: Path, sha: str) -> dict[str, str]:
    spec = f"{folder}@{sha}"
    return dict(commit(f"git:{spec}", spec).files)


def main(arguments: Sequence[str]) -> int:
    """Prints a row a repository; 1 when anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", nargs="+", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--stride", type=int, default=1)
    options = parser.parse_args(arguments)
    rows = [measure(folder, options.commits, options.stride) for folder in options.repos]
    print(json.dumps(rows, indent=1))
    return int(any(row["different"] for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
