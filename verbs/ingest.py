"""Verbs: ``ingest``, once or following runs while they are written."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import OptionError
from core.options import parse_options
from storage.analysing import Setup
from storage.database import open_engine
from storage.export import number, to_document
from storage.follow import follow
from storage.given import read_given
from storage.ingest import ingest
from storage.instances import read_instances
from verbs.printed import DONE, REFUSED, plain, say, table
from verbs.words import add_verb, count, path


def add_ingest(verbs: Any) -> None:
    """``ingest`` and its options."""
    verb = add_verb(verbs, "ingest", "analyse recorded runs and store them")
    verb.add_argument("paths", nargs="+", type=path, metavar="PATH", help="transcripts, or folders of them")
    verb.add_argument("--base", default="none", metavar="SPEC", help="folder, archive, git:PATH@REV, auto:PATH or none")
    verb.add_argument("--patch", type=Path, metavar="FILE", help="reference patch, for every run")
    verb.add_argument(
        "--instances", type=Path, metavar="FILE", help="benchmark instances, JSON or JSONL: patch and base commit by id"
    )
    verb.add_argument(
        "--labels", type=Path, metavar="FILE", help="gold labels, JSONL as ``export --what labels`` writes"
    )
    verb.add_argument("--jobs", type=count, metavar="N", help="runs analysed at once (as the machine has room)")
    verb.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a switch of the method; repeatable"
    )
    verb.add_argument(
        "--follow", action="store_true", help="go on while the runs are written; policies are scored at the end"
    )
    verb.add_argument(
        "--idle", type=count, metavar="SECONDS", help="with --follow: stop when nothing was added so long"
    )
    verb.set_defaults(perform=_ingest)


def _ingest(arguments: argparse.Namespace) -> int:
    options = parse_options(arguments.set)
    patch = _read(arguments.patch) if arguments.patch else None
    instances = read_instances(arguments.instances) if arguments.instances else None
    labels = _read(arguments.labels) if arguments.labels else None
    if arguments.idle and not arguments.follow:
        raise OptionError("--idle belongs to --follow")
    if arguments.follow:
        return _follow(arguments, Setup(options, arguments.base, patch, instances or {}, labels))
    terminal = sys.stderr.isatty()

    def progress(done: int, total: int, path: str, part: float) -> None:
        if terminal:
            print(f"\r\x1b[K{done}/{total} {part:4.0%} {plain(path)[-80:]}", end="", file=sys.stderr, flush=True)
        elif part >= 1.0:
            say(f"{done}/{total} {path}")

    rows = ingest(
        arguments.paths,
        engine=open_engine(arguments.db),
        options=options,
        base_spec=arguments.base,
        patch=patch,
        instances=instances,
        labels=labels,
        jobs=arguments.jobs,
        progress=progress,
    )
    if terminal:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return _ingested(arguments, rows)


def _follow(arguments: argparse.Namespace, setup: Setup) -> int:
    """Ingest as the runs grow, until interrupted or idle; the last row of each run is what is told at the end."""
    last: dict[str, dict[str, Any]] = {}
    stopped = threading.Event()
    before = {name: signal.signal(name, lambda *_: stopped.set()) for name in (signal.SIGINT, signal.SIGTERM)}
    say(f"following {len(arguments.paths)} path{'s' * (len(arguments.paths) > 1)}; stop with Ctrl-C")
    try:
        engine = open_engine(arguments.db)
        for row in follow(arguments.paths, engine=engine, setup=setup, cancel=stopped.is_set, idle=arguments.idle):
            last[row["path"]] = row
            what = row["error"] or f"{row['steps']} steps, {row['writes']} writes, {row['nominations']} nominations"
            say(f"{row['status']} {row['run_id'] or ''} {what} ({row['seconds']} s) {row['path']}")
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    return _ingested(arguments, [last[path] for path in sorted(last)])


def _ingested(arguments: argparse.Namespace, rows: list[dict[str, Any]]) -> int:
    """What became of every run."""
    rows = [_with_state(row) for row in rows]
    if arguments.json:
        print(to_document(rows))
    else:
        table(
            rows,
            (
                "status",
                "run_id",
                "steps",
                "writes",
                "records",
                "nominations",
                "fidelity",
                "seconds",
                "path",
                "error",
                "note",
            ),
        )
    if not rows:
        say("no transcript found")
    return REFUSED if any(row["status"] == "refused" for row in rows) else DONE


def _with_state(row: Mapping[str, Any]) -> dict[str, Any]:
    """``row`` with every ratio fit for JSON, its state beside it."""
    out: dict[str, Any] = {}
    for name, value in row.items():
        out.update(number(name, value) if name == "fidelity" else {name: value})
    return out


def _read(path: Path) -> str:
    return read_given(path).decode("utf-8", "replace")
