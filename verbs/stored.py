"""Verbs over stored runs: ``runs``, ``export``, ``score``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import OptionError
from storage.database import open_engine
from storage.export import FORMATS, WHATS, encode, export_rows, find_run, list_runs, to_document
from storage.place import exists, locate, shown
from storage.score import SCORE_COLUMNS, score_rows
from verbs.printed import DONE, print_bytes, say, table, write
from verbs.words import add_verb, anchors, names


def add_runs(verbs: Any) -> None:
    """``runs``."""
    verb = add_verb(verbs, "runs", "list the stored runs")
    verb.set_defaults(perform=_runs)


def add_export(verbs: Any) -> None:
    """``export`` and its options."""
    verb = add_verb(verbs, "export", "rows of one run, for scripts and notebooks")
    verb.add_argument("run", metavar="RUN", help="id of a run, or the beginning of one")
    verb.add_argument("--what", required=True, choices=WHATS)
    verb.add_argument("--format", choices=FORMATS, help="json unless said")
    verb.add_argument(
        "--anchors",
        type=anchors,
        default=("P",),
        metavar="P,T,F",
        help="decision points: before edits, after tests, at the end",
    )
    verb.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to stdout; parquet needs it")
    verb.set_defaults(perform=_export)


def add_score(verbs: Any) -> None:
    """``score`` and its options."""
    verb = add_verb(verbs, "score", "policies held against the same decision points")
    verb.add_argument("runs", nargs="*", metavar="RUN", help="ids or their beginnings; all runs unless said")
    verb.add_argument("--policies", type=names, default=(), metavar="A,B", help="all unless said")
    verb.set_defaults(perform=_score)


def _runs(arguments: argparse.Namespace) -> int:
    if exists(arguments.db):
        rows = list_runs(open_engine(arguments.db))
    else:
        rows = []
        say(f"{shown(locate(arguments.db))}: there is no database here yet")
    if arguments.json:
        print(to_document(rows))
    else:
        table(
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
        write(arguments.out, data)
        receipt = {"run_id": run_id, "what": arguments.what, "rows": len(rows), "out": str(arguments.out)}
        if arguments.json:
            print(to_document(receipt))
        else:
            say(f"{len(rows)} rows of {arguments.what} in {arguments.out}")
    else:
        print_bytes(data)
    return DONE


def _score(arguments: argparse.Namespace) -> int:
    engine = open_engine(arguments.db, create=False)
    run_ids = list(dict.fromkeys(find_run(engine, run) for run in arguments.runs))
    rows = score_rows(engine, run_ids, arguments.policies)
    if arguments.json:
        print(to_document(rows))
        return DONE
    shown = [{**row, "ce": _number(row, "ce"), "re": _number(row, "re")} for row in rows]
    table(shown, [name for name in SCORE_COLUMNS if not name.endswith("_state") and name != "detail"])
    return DONE


def _number(row: Mapping[str, Any], name: str) -> Any:
    """A ratio for people: its value, or in a word why there is none."""
    return row[name] if row[f"{name}_state"] == "ok" else row[f"{name}_state"].replace("undefined", "n/a")
