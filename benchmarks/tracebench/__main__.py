"""``python -m benchmarks.tracebench --instances FILE --repos DIR --out DIR``: the simulated benchmark, whole.

Writes sessions, labels and scores below DIR, and ``report.md``, ``report.json`` and ``manifest.json`` (which
``benchmarks.policies.tune`` reads) beside them; the report is also printed. An instance without its repository is
counted and skipped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from benchmarks.tracebench.checker import install
from benchmarks.tracebench.instances import halves, read_instances, repository
from benchmarks.tracebench.parameters import Parameters
from benchmarks.tracebench.report import markdown, report
from benchmarks.tracebench.runs import Scored, Work, run


def main(arguments: Sequence[str]) -> int:
    """Runs the benchmark; 1 when an instance failed."""
    options = _parser().parse_args(arguments)
    parameters = _changed(Parameters(), options.set)
    known = read_instances(options.instances)
    homes = {i.id: home for i in known if (home := repository(options.repos, i.repo)) is not None}
    usable = [i for i in known if i.id in homes]
    chosen = [i for i in usable if not options.only or any(text in i.id for text in options.only)]
    chosen = sorted(chosen, key=lambda i: (len(i.patch), i.id))[: options.limit] if options.limit else chosen
    half = halves(usable, options.seed)
    if options.half:
        chosen = [i for i in chosen if half[i.id] == options.half]
    install(options.out / "cache")
    work = [
        Work(i, homes[i.id], options.out, parameters, options.seed, not options.shares)
        for i in sorted(chosen, key=lambda i: (i.repo, i.id))
    ]
    failures: list[str] = []
    done = sorted(_all(work, options.jobs, failures), key=lambda s: s.id)
    document = report(
        done, half, parameters, options.seed, len(known), sorted(i.id for i in known if i.id not in homes)
    )
    document["failed"] = sorted(failures)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "report.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    _write_manifest(options.out, done, {i.id: homes[i.id] for i in chosen}, {i.id: i.commit for i in chosen}, half)
    text = markdown(document)
    (options.out / "report.md").write_text(text, encoding="utf-8")
    print(text)
    return int(bool(failures))


def _write_manifest(
    out: Path, done: Sequence[Scored], homes: Mapping[str, Path], commits: Mapping[str, str], half: Mapping[str, str]
) -> None:
    """What ``benchmarks.policies.tune`` reads: the runs with their bases, labels and halves."""
    rows = [
        {
            "run": f"sessions/{one.id}.jsonl",
            "base": f"git:{homes[one.id].resolve()}@{commits[one.id]}",
            "labels": f"labels/{one.id}.jsonl",
            "half": half[one.id],
        }
        for one in done
    ]
    (out / "manifest.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _all(work: Sequence[Work], jobs: int, failures: list[str]) -> Iterator[Scored]:
    """The runs as they finish; one that fails is named and costs only itself."""
    if jobs < 2:
        for item in work:
            try:
                found = run(item)
            except Exception as error:
                _failed(item.instance.id, error, failures)
                continue
            _told(found)
            yield found
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(run, item): item.instance.id for item in work}
        for future in as_completed(waiting):
            try:
                found = future.result()
            except Exception as error:
                _failed(waiting[future], error, failures)
                continue
            _told(found)
            yield found


def _told(scored: Scored) -> None:
    print(scored.id, json.dumps(dict(scored.facts)), file=sys.stderr, flush=True)


def _failed(instance: str, error: Exception, failures: list[str]) -> None:
    failures.append(f"{instance}: {type(error).__name__}: {error}"[:300])
    print(failures[-1], file=sys.stderr, flush=True)


def _changed(parameters: Parameters, changes: Sequence[str]) -> Parameters:
    """The parameters with ``name=value`` changes."""
    kinds = {f.name: type(getattr(parameters, f.name)) for f in fields(parameters)}
    for change in changes:
        name, _, value = change.partition("=")
        if name not in kinds:
            raise SystemExit(f"--set {change}: expected one of {', '.join(sorted(kinds))}")
        parsed: Any = value in ("1", "true", "on") if kinds[name] is bool else kinds[name](value)
        parameters = replace(parameters, **{name: parsed})
    return parameters


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tracebench", description=__doc__)
    parser.add_argument("--instances", type=Path, required=True, help="SWE-EVO instances, JSONL")
    parser.add_argument(
        "--repos", type=Path, required=True, help="folder of git repositories, owner+name or owner/name"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for sessions, labels, scores, cache and report")
    parser.add_argument("--limit", type=int, default=0, help="only the N instances with the smallest patches")
    parser.add_argument("--only", nargs="*", default=[], help="only instances whose id holds one of these texts")
    parser.add_argument("--half", choices=("train", "test"), help="only this half")
    parser.add_argument("--shares", action="store_true", help="measure the contexts, score no policy")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--set", nargs="*", default=[], metavar="NAME=VALUE", help="change parameters of the simulation"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
