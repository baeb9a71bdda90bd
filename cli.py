"""The same work without a browser: ingest, runs, export, graph, drift, score, doctor.

``python cli.py VERB --help``. One JSON document on stdout with ``--json``, messages on stderr. Exit 0 done,
1 something was refused (the rest is done), 2 usage.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import InputError, OptionError, StateTapeError
from core.graph.callgraph import callgraph
from core.graph.graph import CodeGraph
from core.options import Options, parse_options
from core.replay.base import folder_files
from core.tape.drift import drift_of
from storage.analysing import Setup
from storage.database import exists, locate, open_engine, shown
from storage.doctor import examine
from storage.export import (
    ANCHORS,
    COLUMNS,
    FORMATS,
    WHATS,
    encode,
    export_rows,
    find_run,
    list_runs,
    number,
    to_document,
)
from storage.follow import follow
from storage.given import read_given
from storage.ingest import ingest
from storage.instances import read_instances
from storage.score import SCORE_COLUMNS, score_rows

DONE, REFUSED, USAGE = 0, 1, 2


def parser() -> argparse.ArgumentParser:
    """All verbs and their options."""
    top = argparse.ArgumentParser(
        prog="cli.py", description="What a coding agent's context held, and what of it was still true."
    )
    _common(top)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")

    verb = _verb(verbs, "ingest", "analyse recorded runs and store them")
    verb.add_argument("paths", nargs="+", type=_path, metavar="PATH", help="transcripts, or folders of them")
    verb.add_argument("--base", default="none", metavar="SPEC", help="folder, archive, git:PATH@REV, auto:PATH or none")
    verb.add_argument("--patch", type=Path, metavar="FILE", help="reference patch, for every run")
    verb.add_argument(
        "--instances", type=Path, metavar="FILE", help="benchmark instances, JSON or JSONL: patch and base commit by id"
    )
    verb.add_argument("--jobs", type=_count, default=1, metavar="N", help="runs analysed at once (1)")
    verb.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a switch of the method; repeatable"
    )
    verb.add_argument(
        "--follow", action="store_true", help="go on while the runs are written; policies are scored at the end"
    )
    verb.add_argument(
        "--idle", type=_count, metavar="SECONDS", help="with --follow: stop when nothing was added so long"
    )

    _verb(verbs, "runs", "list the stored runs")

    verb = _verb(verbs, "export", "rows of one run, for scripts and notebooks")
    verb.add_argument("run", metavar="RUN", help="id of a run, or the beginning of one")
    verb.add_argument("--what", required=True, choices=WHATS)
    verb.add_argument("--format", choices=FORMATS, help="json unless said")
    verb.add_argument(
        "--anchors",
        type=_anchors,
        default=("P",),
        metavar="P,T,F",
        help="decision points: before edits, after tests, at the end",
    )
    verb.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to stdout; parquet needs it")

    verb = _verb(verbs, "graph", "the code graph of a folder")
    verb.add_argument("folder", type=_path, metavar="DIR")
    verb.add_argument("--format", choices=("json", "callgraph"), default="json")
    verb.add_argument(
        "--edges", choices=("direct", "all"), default="direct", help="direct leaves out override and possible edges"
    )
    verb.add_argument("--out", type=Path, metavar="FILE")

    verb = _verb(verbs, "drift", "what changed between two folders")
    verb.add_argument("before", type=_path, metavar="BEFORE")
    verb.add_argument("after", type=_path, metavar="AFTER")

    verb = _verb(verbs, "score", "policies held against the same decision points")
    verb.add_argument("runs", nargs="*", metavar="RUN", help="ids or their beginnings; all runs unless said")
    verb.add_argument("--policies", type=_names, default=(), metavar="A,B", help="all unless said")

    _verb(verbs, "doctor", "versions, rank file, database and its lock, Chromium, grammars")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    arguments = parser().parse_args(argv)
    arguments.db, arguments.json = getattr(arguments, "db", None), getattr(arguments, "json", False)
    try:
        return int(globals()[f"_{arguments.verb}"](arguments))
    except OptionError as error:
        _say(str(error))
        return USAGE
    except StateTapeError as error:
        _say(str(error))
        return REFUSED
    except BrokenPipeError:  # the reader of stdout has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        _say("stopped; runs already stored stay")
        return REFUSED


def _common(target: argparse.ArgumentParser) -> None:
    """Options that stand before or after the verb; SUPPRESS lets the one given win over the one left out."""
    target.add_argument(
        "--db", default=argparse.SUPPRESS, metavar="DB", help="SQLAlchemy URL, or the path of a DuckDB file"
    )
    target.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document on stdout and nothing else"
    )


def _verb(verbs: Any, name: str, says: str) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = verbs.add_parser(name, help=says, description=says)
    _common(verb)
    return verb


def _path(text: str) -> Path:
    if not text:  # a variable that is not set: the working directory is not meant
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(text)


def _count(text: str) -> int:
    if re.fullmatch(r"[1-9][0-9]{0,5}", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 1 on")
    return int(text)


def _anchors(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.upper().split(",")))
    if not set(names) <= set(ANCHORS):
        raise argparse.ArgumentTypeError(f"{text!r}: expected one or more of {', '.join(ANCHORS)}, with commas")
    return names


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def _ingest(arguments: argparse.Namespace) -> int:
    options = parse_options(arguments.set)
    patch = _read(arguments.patch) if arguments.patch else None
    instances = read_instances(arguments.instances) if arguments.instances else None
    if arguments.idle and not arguments.follow:
        raise OptionError("--idle belongs to --follow")
    if arguments.follow:
        return _follow(arguments, Setup(options, arguments.base, patch, instances or {}))
    terminal = sys.stderr.isatty()

    def progress(done: int, total: int, path: str, part: float) -> None:
        if terminal:
            print(f"\r\x1b[K{done}/{total} {part:4.0%} {_plain(path)[-80:]}", end="", file=sys.stderr, flush=True)
        elif part >= 1.0:
            _say(f"{done}/{total} {path}")

    rows = ingest(
        arguments.paths,
        engine=open_engine(arguments.db),
        options=options,
        base_spec=arguments.base,
        patch=patch,
        instances=instances,
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
    _say(f"following {len(arguments.paths)} path{'s' * (len(arguments.paths) > 1)}; stop with Ctrl-C")
    try:
        engine = open_engine(arguments.db)
        for row in follow(arguments.paths, engine=engine, setup=setup, cancel=stopped.is_set, idle=arguments.idle):
            last[row["path"]] = row
            what = row["error"] or f"{row['steps']} steps, {row['writes']} writes, {row['nominations']} nominations"
            _say(f"{row['status']} {row['run_id'] or ''} {what} ({row['seconds']} s) {row['path']}")
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
        _table(
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
        _say("no transcript found")
    return REFUSED if any(row["status"] == "refused" for row in rows) else DONE


def _runs(arguments: argparse.Namespace) -> int:
    if exists(arguments.db):
        rows = list_runs(open_engine(arguments.db))
    else:
        rows = []
        _say(f"{shown(locate(arguments.db))}: there is no database here yet")
    if arguments.json:
        print(to_document(rows))
    else:
        _table(
            rows,
            (
                "run_id",
                "format",
                "repository",
                "steps",
                "writes",
                "records",
                "nominations",
                "fidelity",
                "started",
                "tags",
            ),
        )
    return DONE


def _export(arguments: argparse.Namespace) -> int:
    form = arguments.format or "json"
    if not arguments.out and (form == "parquet" or (arguments.json and form != "json")):
        raise OptionError(f"--format {form} needs --out FILE{' beside --json' if arguments.json else ''}")
    engine = open_engine(arguments.db, create=False)
    run_id = find_run(engine, arguments.run)
    rows = export_rows(engine, run_id, arguments.what, arguments.anchors)
    data = encode(rows, arguments.what, form)
    if arguments.out:
        _write(arguments.out, data)
        receipt = {"run_id": run_id, "what": arguments.what, "rows": len(rows), "out": str(arguments.out)}
        if arguments.json:
            print(to_document(receipt))
        else:
            _say(f"{len(rows)} rows of {arguments.what} in {arguments.out}")
    else:
        _print_bytes(data)
    return DONE


def _graph(arguments: argparse.Namespace) -> int:
    graph = CodeGraph(_folder(arguments.folder))
    if arguments.format == "callgraph":
        document: Any = callgraph(graph, arguments.edges)
    else:
        symbols = graph.symbols()
        known = [e for s in symbols for e in (*graph.callees(s.id), *graph.relations(s.id)) if e.source == s.id]
        edges = [e for e in known if arguments.edges == "all" or (e.kind != "override" and e.tier == "certain")]
        edges.sort(key=lambda e: (e.source, e.target, e.kind, e.why))
        document = {
            "symbols": [{"id": s.id, "kind": s.kind, "start": s.start, "end": s.end} for s in symbols],
            "edges": [{"from": e.source, "to": e.target, "kind": e.kind, "why": e.why, "tier": e.tier} for e in edges],
            "unresolved": dict(graph.unresolved()),
        }
    data = (to_document(document) + "\n").encode()
    if arguments.out:
        _write(arguments.out, data)
        _say(f"graph of {arguments.folder} in {arguments.out}")
    else:
        _print_bytes(data)
    return DONE


def _drift(arguments: argparse.Namespace) -> int:
    before, after = _folder(arguments.before), _folder(arguments.after)
    changes = {
        path: after.get(path) for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)
    }
    delta = CodeGraph(before).update(changes)
    drift = drift_of(0, 0, delta, changes, (), Options())
    sets = ("changed", "removed", "created", "rewired", "uses", "lost_callers", "paths")
    row: dict[str, Any] = {name: list(getattr(drift, name)) for name in sets}
    row |= {"known_at": None, "opaque": [], "documentation": drift.documentation}  # two folders have no steps
    document = {name: row[name] for name in COLUMNS["drift"].names if name != "t"}
    if arguments.json:
        print(to_document(document))
        return DONE
    for name in sets:
        for symbol in document[name]:
            print(f"{name:<12} {_plain(symbol)}")
    return DONE


def _score(arguments: argparse.Namespace) -> int:
    engine = open_engine(arguments.db, create=False)
    run_ids = list(dict.fromkeys(find_run(engine, run) for run in arguments.runs))
    rows = score_rows(engine, run_ids, arguments.policies)
    if arguments.json:
        print(to_document(rows))
        return DONE
    shown = [{**row, "ce": _number(row, "ce"), "re": _number(row, "re")} for row in rows]
    _table(shown, [name for name in SCORE_COLUMNS if not name.endswith("_state") and name != "detail"])
    return DONE


def _number(row: Mapping[str, Any], name: str) -> Any:
    """A ratio for people: its value, or in a word why there is none."""
    return row[name] if row[f"{name}_state"] == "ok" else row[f"{name}_state"].replace("undefined", "n/a")


def _doctor(arguments: argparse.Namespace) -> int:
    findings = examine(arguments.db)
    if arguments.json:
        print(to_document([{"what": f.what, "state": f.state, "says": f.says} for f in findings]))
    else:
        for finding in findings:
            print(f"{finding.state:<8} {finding.what:<20} {_plain(finding.says)}")
    return REFUSED if any(finding.state == "bad" for finding in findings) else DONE


def _folder(path: Path) -> Mapping[str, str]:
    """The text files of a folder by their path in it, without .git, ignored and binary ones."""
    if not os.path.isdir(path):  # also of a name too long to ask about
        raise InputError(f"{str(path)[:200]}: not a folder")
    return folder_files(path)


def _with_state(row: Mapping[str, Any]) -> dict[str, Any]:
    """``row`` with every ratio fit for JSON, its state beside it."""
    out: dict[str, Any] = {}
    for name, value in row.items():
        out.update(number(name, value) if name == "fidelity" else {name: value})
    return out


def _read(path: Path) -> str:
    return read_given(path).decode("utf-8", "replace")


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def _print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Rows for people; what a transcript says cannot move the cursor or start a line."""
    cells = [columns, *([_cell(row[name]) for name in columns] for row in rows)]
    widths = [max(len(line[n]) for line in cells) for n in range(len(columns))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    return _plain(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _say(message: str) -> None:
    print(_plain(message), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
