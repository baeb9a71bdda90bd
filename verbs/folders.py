"""Verbs over folders of code: ``graph``, ``drift``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.graph.callgraph import callgraph
from core.graph.graph import CodeGraph
from core.options import Options
from core.replay.base import folder_files
from core.tape.drift import drift_of
from storage.export import COLUMNS, to_document
from verbs.printed import DONE, plain, print_bytes, say, write
from verbs.words import add_verb, path


def add_graph(verbs: Any) -> None:
    """``graph`` and its options."""
    verb = add_verb(verbs, "graph", "the code graph of a folder")
    verb.add_argument("folder", type=path, metavar="DIR")
    verb.add_argument("--format", choices=("json", "callgraph"), default="json")
    verb.add_argument(
        "--edges", choices=("direct", "all"), default="direct", help="direct leaves out override and possible edges"
    )
    verb.add_argument("--out", type=Path, metavar="FILE")
    verb.set_defaults(perform=_graph)


def add_drift(verbs: Any) -> None:
    """``drift`` and its options."""
    verb = add_verb(verbs, "drift", "what changed between two folders")
    verb.add_argument("before", type=path, metavar="BEFORE")
    verb.add_argument("after", type=path, metavar="AFTER")
    verb.set_defaults(perform=_drift)


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
        write(arguments.out, data)
        say(f"graph of {arguments.folder} in {arguments.out}")
    else:
        print_bytes(data)
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
            print(f"{name:<12} {plain(symbol)}")
    return DONE


def _folder(path: Path) -> Mapping[str, str]:
    """The text files of a folder by their path in it, without .git, ignored and binary ones."""
    if not os.path.isdir(path):  # also of a name too long to ask about
        raise InputError(f"{str(path)[:200]}: not a folder")
    return folder_files(path)
