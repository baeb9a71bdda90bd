"""How many of a patch's other files change impact finds, given one of them; and what an edit costs.

    python -m benchmarks.harness.impact --instances FILE --repos FOLDER [--only WORD...] [--scores FILE]
    python -m benchmarks.harness.impact --folder FOLDER

FILE is JSONL of SWE-EVO instances (repo, base_commit, end_version_commit, patch), FOLDER holds bare repositories as
``<owner>+<name>/repo``. Every source file of a patch in turn is the one edited file: its hunks alone are applied, and
the patch's other source files that exist in the base are to be found; ``first`` is the patch's first such file alone.
Tests and documentation to be found are those that git says changed between the two commits, since the patches hold
no tests. With ``--scores`` what was measured is kept there and not measured again. ``--folder`` measures the cost of
an edit: the first function of every n-th file gets one more parameter.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import StateTapeError
from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.graph.link import split_id
from core.harness.edits import Edit, edit_of
from core.harness.impact import impacts, without_size
from core.harness.names import NameIndex, NamesCache
from core.replay.base import folder_files, load_base
from core.tracebench.patch import read_patch, reference_hunks
from core.tracebench.paths import path_kind
from core.trajectory.steps import Trajectory

KS = (5, 10, 20)
_WORD = re.compile(r"[A-Za-z_]\w*")
_NO_RUN = Trajectory("", "", "", "", (), "", "", "", "", "", ())
Ranking = Sequence[str]


@dataclass(frozen=True)
class Score:
    """One edit, one way of ranking, one kind of file: what there was to find and the places it was found at."""

    instance: str
    first: bool
    kind: str
    way: str
    wanted: int
    hits: tuple[int, ...]  # found among the first k, for each of KS
    shown: tuple[int, ...]


class Names:
    """The name search: files by how often they mention what changed, as ``grep -c`` would count."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.counts: dict[str, Counter[str]] = {}
        for path, text in texts.items():
            for word, n in Counter(_WORD.findall(text)).items():
                self.counts.setdefault(word, Counter())[path] = n

    def ranked(self, edit: Edit) -> Ranking:
        names = {split_id(s)[1].rpartition(".")[2].split("#")[0] for s in edit.touched} - {""}
        total: Counter[str] = Counter()
        for name in names:
            total.update(self.counts.get(name, {}))
        return [path for path, _ in sorted(total.items(), key=lambda item: (-item[1], item[0])) if path != edit.path]


def imported(graph: CodeGraph, path: str) -> Ranking:
    """The files that import ``path``, then those it imports."""
    inward, outward = set(), set()
    for symbol in graph.symbols(path):
        for edge in graph.relations(symbol.id):
            if edge.kind == "import":
                (inward if edge.target == symbol.id else outward).add(
                    split_id(edge.source if edge.target == symbol.id else edge.target)[0]
                )
    found = [*sorted(inward), *sorted(outward - inward)]
    return [p for p in found if p != path and not p.startswith("<")]


def beside(paths: Iterable[str], path: str) -> Ranking:
    """The files of the same folder, by name."""
    folder = path.rpartition("/")[0]
    return sorted(p for p in paths if p != path and p.rpartition("/")[0] == folder)


def changed_files(repository: Path, before: str, after: str) -> list[str]:
    """The paths git says differ between two commits; [] when one is not there."""
    command = ["git", "-C", str(repository), "diff", "--name-only", before, after]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.split("\n") if done.returncode == 0 else []


def measure(
    row: Mapping[str, str], repos: Path, facts: FactsCache, cache: NamesCache
) -> tuple[list[Score], list[float]]:
    """The scores of one instance, and the CPU seconds of each edit (graph, names, ranking)."""
    repository = repos / row["repo"].replace("/", "+") / "repo"
    texts = dict(load_base(f"git:{repository}@{row['base_commit']}", _NO_RUN).files)
    patch = read_patch(row["patch"])
    hunks, _ = reference_hunks(patch, texts.get)
    after = {h.path: h.new_text for h in hunks}
    paths = [f.old_path for f in patch.files if f.old_path in texts and path_kind(f.old_path) == "source"]
    moved = changed_files(repository, row["base_commit"], row["end_version_commit"])
    wanted = {
        "source": {p for p in paths if p},
        "test": {p for p in moved if p in texts and path_kind(p) == "test"},
        "documentation": {p for p in moved if p in texts and path_kind(p) == "documentation"},
    }
    graph, index, search = CodeGraph(texts, None, facts), NameIndex(texts, cache), Names(texts)
    scores: list[Score] = []
    seconds: list[float] = []
    for path in paths:
        if path is None or path not in after:
            continue
        start = time.process_time()
        delta = graph.update({path: after[path]})
        index.update({path: after[path]})
        edit = edit_of(graph, delta, path, texts[path], after[path])
        found = impacts(edit, graph, index, len(texts))
        seconds.append(time.process_time() - start)
        ways: dict[str, Ranking] = {
            "impact": [i.path for i in found],
            "impact without size": [i.path for i in without_size(found, index)],
            "name search": search.ranked(edit),
            "import graph": imported(graph, path),
            "same folder": beside(texts, path),
        }
        graph.update({path: texts[path]})
        index.update({path: texts[path]})
        for kind, there in wanted.items():
            if there - {path}:
                for way, ranked in ways.items():
                    scores.append(_score(row["instance_id"], path == paths[0], kind, way, ranked, there - {path}))
    return scores, seconds


def _score(instance: str, first: bool, kind: str, way: str, ranked: Ranking, wanted: set[str]) -> Score:
    of_kind = [p for p in ranked if path_kind(p) == kind]
    hits = tuple(len(wanted & set(of_kind[:k])) for k in KS)
    return Score(instance, first, kind, way, len(wanted), hits, tuple(min(k, len(of_kind)) for k in KS))


def table(scores: Sequence[Score]) -> list[dict[str, object]]:
    """One row a (kind, way, first): recall at KS as the mean over instances of the mean over edits, and over all edits
    alike, with the precision of everything shown."""
    rows: list[dict[str, object]] = []
    for kind in ("source", "test", "documentation"):
        for first in (True, False):
            for way in dict.fromkeys(s.way for s in scores):
                chosen = [s for s in scores if s.kind == kind and s.way == way and (s.first or not first)]
                if chosen:
                    rows.append({"kind": kind, "edits": "first" if first else "each", "way": way, **_figures(chosen)})
    return rows


def _figures(scores: Sequence[Score]) -> dict[str, object]:
    by_instance: dict[str, list[Score]] = {}
    for s in scores:
        by_instance.setdefault(s.instance, []).append(s)
    figures: dict[str, object] = {"instances": len(by_instance), "n": len(scores)}
    for at, k in enumerate(KS):
        means = [statistics.mean(s.hits[at] / s.wanted for s in group) for group in by_instance.values()]
        shown = sum(s.shown[at] for s in scores)
        figures[f"recall@{k}"] = round(statistics.mean(means), 3)
        figures[f"over edits@{k}"] = round(statistics.mean(s.hits[at] / s.wanted for s in scores), 3)
        figures[f"precision@{k}"] = round(sum(s.hits[at] for s in scores) / shown, 3) if shown else None
    return figures


def cost(folder: Path, edits: int = 60) -> dict[str, object]:
    """CPU seconds of an edit in a folder: the first function of evenly spread files gets one more parameter."""
    texts = dict(folder_files(folder))
    start = time.process_time()
    graph = CodeGraph(texts)
    built = time.process_time()
    index = NameIndex(texts)
    named = time.process_time()
    code = sorted(p for p in texts if p.endswith(".py") and re.search(r"^\s*def \w+\(", texts[p], re.M))
    whole, ranking = [], []
    for path in code[:: max(len(code) // edits, 1)]:
        after = re.sub(r"(?m)^(\s*def \w+\()", r"\1added_parameter=None, ", texts[path], count=1)
        began = time.process_time()
        delta = graph.update({path: after})
        updated = time.process_time()
        index.update({path: after})
        impacts(edit_of(graph, delta, path, texts[path], after), graph, index)
        ended = time.process_time()
        whole.append(ended - began)
        ranking.append(ended - updated)
        graph.update({path: texts[path]})
        index.update({path: texts[path]})
    figures = {"files": len(texts), "edits": len(whole), "graph": built - start, "names": named - built}
    return {k: round(v, 3) for k, v in figures.items()} | {"edit": _spread(whole), "without graph": _spread(ranking)}


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    p95 = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]
    return {"median": round(statistics.median(ordered), 4), "p95": round(p95, 4), "max": round(ordered[-1], 4)}


def _known(path: Path | None) -> dict[str, tuple[list[Score], list[float]]]:
    """What was measured before, by instance."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["instance"]: ([_as_score(s) for s in row["scores"]], row["seconds"]) for row in rows}


def _as_score(fields: Mapping[str, Any]) -> Score:
    return Score(**{**fields, "hits": tuple(fields["hits"]), "shown": tuple(fields["shown"])})


def main() -> None:
    """One JSON line an instance, then the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=Path)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--only", nargs="*", default=[""], help="instances whose id holds one of these words")
    parser.add_argument("--scores", type=Path, help="JSONL: the scores of each instance, added to")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.folder:
        print(json.dumps(cost(given.folder)))
        return
    if not (given.instances and given.repos):
        parser.error("give --instances and --repos, or --folder")
    facts, cache = FactsCache(limit=40_000), NamesCache()
    known = _known(given.scores)
    for line in given.instances.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        instance = row["instance_id"]
        if instance in known or not any(word in instance for word in given.only):
            continue
        try:
            found, took = measure(row, given.repos, facts, cache)
        except StateTapeError as error:
            print(json.dumps({"instance": instance, "skipped": str(error)}), flush=True)
            continue
        known[instance] = (found, took)
        if given.scores:
            with given.scores.open("a", encoding="utf-8") as file:
                kept = {"instance": instance, "seconds": took, "scores": [asdict(s) for s in found]}
                file.write(json.dumps(kept) + "\n")
        print(json.dumps({"instance": instance, "edits": len(took), **_spread(took or [0.0])}), flush=True)
    chosen = [known[name] for name in sorted(known) if any(word in name for word in given.only)]
    scores = [score for found, _ in chosen for score in found]
    seconds = [s for _, took in chosen for s in took]
    for row_of_table in table(scores):
        print(json.dumps(row_of_table))
    if seconds:
        print(json.dumps({"seconds an edit": _spread(seconds)}))


if __name__ == "__main__":
    main()
