"""Injected dispatch changes: is a record that holds the caller nominated by the tape?

    python -m benchmarks.graph.dispatch [--packages requests flask click werkzeug] [--cases 2] [--seed N] [--json FILE]

A case is an edit on a real package (``injections``, ``planted``), chosen with ``ast`` and the imported package and
counted only if Python itself, importing the package before and after (``resolve``), says that the caller reaches
another function although its own lines are the same. Each edit of one write is also tried the other way round.
``--only TEXT`` takes some forms; ``--site DIR`` reuses a folder that ``pip install --target`` filled with the packages.
The README beside this file says what the columns are.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.graph.injections import FORMS, Case, Package
from benchmarks.graph.packages import sources
from benchmarks.graph.planted import planted
from benchmarks.graph.scripts import Changes, tree
from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.options import Options
from core.records.inventory import build_record
from core.records.record import Record, Symbols
from core.replay.lines import split_lines
from core.replay.world import Sight
from core.tape.drift import drift_of
from core.tape.nominate import nominate
from core.tape.tape import Tape
from core.trajectory.steps import Step

REQUIREMENTS = {
    "requests": "requests==2.32.5",
    "flask": "flask==3.1.1",
    "click": "click==8.2.1",
    "werkzeug": "werkzeug==3.1.3",
}
_TRIES = 8
_RESOLVE = Path(__file__).with_name("resolve.py")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: ``hit`` is why the caller's record was nominated ("" if it was not), ``gain`` the same with the
    switch ``gain`` on; ``records`` one-function records nominated, ``by_file`` those of the written files."""

    package: str
    form: str
    caller: str
    hit: str
    gain: str
    records: int
    by_file: int
    caller_in_written_file: bool
    before: str
    after: str


class Python:
    """Asks Python about a package with some of its files changed."""

    def __init__(self, site: Path, package: str, root: Path) -> None:
        self.site, self.package, self.root = site, package, root
        if root.exists():
            shutil.rmtree(root)
        shutil.copytree(site / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))

    def ask(self, questions: list[str], texts: Mapping[str, str], changes: Mapping[str, str | None]) -> Any:
        """Answers and import errors with ``changes`` made to ``texts``; the folder is as before afterwards."""
        try:
            for path, text in changes.items():
                self._put(path, text)
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
            environment["PYTHONPATH"] = f"{self.root}{os.pathsep}{self.site}"
            command = [sys.executable, str(_RESOLVE), self.package]
            done = subprocess.run(
                command,
                input=json.dumps(questions),
                capture_output=True,
                text=True,
                env=environment,
                timeout=60,
                check=False,
            )
            return (
                json.loads(done.stdout)
                if done.returncode == 0
                else {"answers": ["error"] * len(questions), "errors": []}
            )
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            return {"answers": ["error"] * len(questions), "errors": []}
        finally:
            for path in changes:
                self._put(path, texts.get(path))

    def _put(self, path: str, text: str | None) -> None:
        place = self.root / path
        if text is None:
            place.unlink(missing_ok=True)
            if place.parent.is_dir() and not any(place.parent.iterdir()):
                place.parent.rmdir()
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def applied(texts: Mapping[str, str], *steps: Mapping[str, str | None]) -> dict[str, str]:
    """The texts after the writes."""
    state: dict[str, str | None] = dict(texts)
    for changes in steps:
        state.update(changes)
    return {p: t for p, t in state.items() if t is not None}


def lines_of(texts: Mapping[str, str], symbol: str) -> tuple[int, int] | None:
    """First and last line of a function or method, by ``ast``."""
    path, _, qual = symbol.partition("::")
    parsed = tree(texts[path]) if path in texts else None
    body: list[ast.stmt] = parsed.body if parsed is not None else []
    node: Any = None
    for part in qual.split("."):
        node = next((n for n in body if getattr(n, "name", None) == part), None)
        if node is None:
            return None
        body = node.body
    return min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno


def shown(texts: Mapping[str, str], symbol: str) -> list[str] | None:
    """The lines of a function."""
    span = lines_of(texts, symbol)
    return split_lines(texts[symbol.partition("::")[0]])[span[0] - 1 : span[1]] if span else None


def judged(
    texts: Mapping[str, str], steps: tuple[Changes, ...], caller: str, options: Options, cache: FactsCache
) -> tuple[str, int]:
    """Why a record that read the caller's lines is nominated after the writes; how many one-function records are."""
    graph = CodeGraph(texts, options, cache)
    path, span = caller.partition("::")[0], lines_of(texts, caller)
    assert span is not None
    seen = tuple(split_lines(texts[path])[span[0] - 1 : span[1]])
    step = Step(1, "read", "assistant", "Read", "{}", "\n".join(seen))
    record = build_record(step, [Sight(1, path, span[0], seen, "read")], graph, options)
    assert record is not None
    others = [
        Record(s.id, "read", 1, "x", 1, Symbols((s.id,))) for s in graph.symbols() if s.kind in ("function", "method")
    ]
    tape = Tape(options, graph.view)
    for t, changes in enumerate(steps, 2):
        delta = graph.update(changes)
        tape.append(drift_of(t, t, delta, changes, (), options), delta)
    found = nominate([record, *others], tape, len(steps) + 1)
    own = next((n for n in found if n.record_id == record.id), None)
    why = "+".join(sorted({f"{h.why} ({h.tier})" for h in own.hits})) if own else ""
    return why, sum(n.record_id != record.id for n in found)


def outcome(p: Package, case: Case, texts: Mapping[str, str], answers: tuple[str, str], cache: FactsCache) -> Outcome:
    """What the tape says of one case."""
    hit, records = judged(texts, case.steps, case.caller, Options(), cache)
    gain = hit or judged(texts, case.steps, case.caller, Options(gain=True), cache)[0]
    written = {path for changes in case.steps for path in changes}
    in_files = sum(
        isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        for path in written
        if (parsed := tree(texts.get(path, ""))) is not None
        for n in ast.walk(parsed)
    )
    inside = case.caller.partition("::")[0] in written
    return Outcome(p.name, case.form, case.caller, hit, gain, records, in_files, inside, *answers)


def tried(p: Package, python: Python, case: Case) -> tuple[str, str] | None:
    """The answers before and after if Python says that the dispatch changed and the caller's lines are the same."""
    texts = applied(p.texts, case.base)
    now = applied(texts, *case.steps)
    if shown(texts, case.caller) is None or shown(texts, case.caller) != shown(now, case.caller):
        return None
    every = {path: now.get(path) for path in {*case.base, *(q for s in case.steps for q in s)}}
    before = python.ask([case.questions[0]], p.texts, case.base)
    after = python.ask([case.questions[1]], p.texts, every)
    old, new = before["answers"][0], after["answers"][0]
    broken = any(
        "caller" in e or case.caller.partition("::")[0][:-3].replace("/", ".") + ":" in e for e in after["errors"]
    )
    if old == new or "error" in (old[:5], new[:5]) or broken:
        return None
    return old, new


def undone(case: Case, texts: Mapping[str, str]) -> tuple[Case, dict[str, str]] | None:
    """The same edit the other way round, and the texts it starts from."""
    if len(case.steps) != 1 or case.form.startswith("planted"):
        return None
    now = applied(texts, *case.steps)
    back = {path: texts.get(path) for path in case.steps[0]}
    return replace(case, form=case.form + ", undone", steps=(back,)), now


def measure(package: str, site: Path, root: Path, cases: int, seed: int, only: str) -> Iterator[Outcome]:
    """Every form on one package, or those of one function of ``FORMS``."""
    random = Random(f"{seed} {package}")
    texts = {f"{package}/{p}": t for p, t in sources(site / package).items() if tree(t) is not None}
    python = Python(site, package, root / package)
    told = python.ask([f"describe({package!r})"], texts, {})["answers"][0]
    p = Package(package, texts, told, random)
    cache = FactsCache()
    for form in (f for f in (*FORMS, planted) if only in f.__name__):
        wanted = cases if form is not planted else 1000
        callers: set[str] = set()
        for number, case in enumerate(form(p)):
            if len(callers) == wanted or (number >= _TRIES * cases and form is not planted):
                break
            if case.caller in callers and form is not planted:
                continue
            answers = tried(p, python, case)
            if answers is None:
                if form is planted:
                    print(f"{package}: not a dispatch change: {case.form}", file=sys.stderr)
                continue
            callers.add(f"{case.form} {case.caller}" if form is planted else case.caller)
            start = applied(texts, case.base)
            yield outcome(p, case, start, answers, cache)
            back = undone(case, start)
            if back is not None:
                yield outcome(p, back[0], back[1], (answers[1], answers[0]), cache)


def summary(found: list[Outcome]) -> dict[str, Any]:
    """Counts, by form, and the misses."""
    if not found:
        return {"cases": 0}
    forms: dict[str, list[Outcome]] = {}
    for o in found:
        forms.setdefault(o.form, []).append(o)
    ordered = sorted(o.records for o in found)
    return {
        "cases": len(found),
        "forms": len(forms),
        "nominated": sum(bool(o.hit) for o in found),
        "nominated_with_gain": sum(bool(o.gain) for o in found),
        "by_file_nominates_the_caller": sum(o.caller_in_written_file for o in found),
        "only_by_uses": sum(o.hit.startswith("uses") for o in found),
        "records_nominated": {"median": ordered[len(ordered) // 2], "mean": round(sum(ordered) / len(ordered), 1)},
        "records_by_file_mean": round(sum(o.by_file for o in found) / len(found), 1),
        "by_form": {
            name: {
                "cases": len(group),
                "nominated": sum(bool(o.hit) for o in group),
                "with_gain": sum(bool(o.gain) for o in group),
                "only_by_uses": sum(o.hit.startswith("uses") for o in group),
                "records": round(sum(o.records for o in group) / len(group), 1),
                "by_file": round(sum(o.by_file for o in group) / len(group), 1),
            }
            for name, group in sorted(forms.items())
        },
        "misses": [
            f"{o.form}: {o.package} {o.caller}: {o.before} -> {o.after}" for o in found if not o.gain
        ],
    }  # fmt: skip


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", nargs="*", default=sorted(REQUIREMENTS))
    parser.add_argument("--site", type=Path)
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("--only", default="", help="functions of FORMS whose name holds this text")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = options.site or Path(folder) / "site"
        if options.site is None:
            names = [REQUIREMENTS.get(n, n) for n in options.packages]
            subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", str(site), *names], check=True)
        found = [
            o for name in options.packages
            for o in measure(name, site, Path(folder).resolve() / "work", options.cases, options.seed, options.only)
        ]  # fmt: skip
    document = summary(found)
    if options.json:
        rows = [{f: getattr(o, f) for f in Outcome.__slots__} for o in found]
        options.json.write_text(json.dumps({**document, "rows": rows}, indent=1), encoding="utf-8")
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
