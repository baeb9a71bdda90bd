"""What uses what in a repository, as a type checker sees it: read from pyrefly's ``--report-pysa`` files.

In: the report folder of one repository state. Out: ``Relations``: uses, base classes, module names. Nothing here
knows ``core.graph``: what the simulated agent reads, and the gold it is judged by, must not come from the graph
whose retrieval is judged. A definition is named by its file and the line of its name.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

Place = tuple[str, int]
FORMAT = 3


class Use(NamedTuple):
    """``path:line`` calls, constructs, reads (a property) or names the definition whose name stands at ``target``."""

    path: str
    line: int
    target: Place
    kind: str


@dataclass(frozen=True, slots=True)
class Relations:
    """The uses in order of place; base classes of each class, nearest first; dotted module names by path."""

    uses: tuple[Use, ...]
    bases: Mapping[Place, tuple[Place, ...]]
    modules: Mapping[str, str]


def save(relations: Relations, path: Path) -> None:
    """Write them down, the same bytes for the same relations."""
    document = {
        "format": FORMAT,
        "uses": [[u.path, u.line, *u.target, u.kind] for u in relations.uses],
        "bases": [[*place, [list(b) for b in found]] for place, found in sorted(relations.bases.items())],
        "modules": dict(sorted(relations.modules.items())),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(gzip.compress(json.dumps(document).encode(), mtime=0))
    part.replace(path)


def restore(path: Path) -> Relations | None:
    """Relations written by ``save``; None when there are none or they are of another format."""
    if not path.is_file():
        return None
    document = json.loads(gzip.decompress(path.read_bytes()))
    if document.get("format") != FORMAT:
        return None
    uses = tuple(Use(path, line, (target, at), kind) for path, line, target, at, kind in document["uses"])
    bases = {(p, n): tuple((b, at) for b, at in found) for p, n, found in document["bases"]}
    return Relations(uses, bases, document["modules"])


def read_report(report: Path, root: Path) -> Relations:
    """The relations between files below ``root``; definitions elsewhere are nobody's."""
    listed = json.loads((report / "pyrefly.pysa.json").read_text())["modules"]
    paths = {int(row["module_id"]): path for row in listed.values() if (path := _inside(row, root))}
    files = {int(row["module_id"]): row["info_filename"] for row in listed.values()}
    names = {
        row["module_name"]: paths[int(row["module_id"])] for row in listed.values() if int(row["module_id"]) in paths
    }
    places: dict[tuple[int, str], Place] = {}
    bases: dict[Place, tuple[Place, ...]] = {}
    definitions = {m: _json(report / "definitions" / files[m]) for m in sorted(paths)}
    for module, document in definitions.items():
        for key, row in document.get("function_definitions", {}).items():
            if "name_location" in row:
                places[module, key] = (paths[module], _line(row["name_location"]))
        for key, row in document.get("class_definitions", {}).items():
            places[module, f"class {key}"] = (paths[module], _line(row["name_location"]))
    for module, document in definitions.items():
        for key, row in document.get("class_definitions", {}).items():
            above = (places.get((b["module_id"], f"class {b['class_id']}")) for b in _ancestors(row))
            found = tuple(place for place in above if place is not None)
            if found:
                bases[places[module, f"class {key}"]] = found
    uses: set[Use] = set()
    for module, path in paths.items():
        graphs = _json(report / "call_graphs" / files[module]).get("call_graphs", {})
        for sites in graphs.values():
            for where, site in sites.items():
                uses.update(Use(path, _line(where), place, kind) for place, kind in _targets(site, places))
    return Relations(tuple(sorted(uses)), bases, names)


def _inside(row: Mapping[str, Any], root: Path) -> str | None:
    source = row["source_path"].get("FileSystem")
    if source is None or not Path(source).is_relative_to(root):
        return None
    return Path(source).relative_to(root).as_posix()


def _json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text())) if path.is_file() else {}


def _line(location: str) -> int:
    return int(location.split(":", 1)[0])


def _ancestors(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The method resolution order of a class, or its bases when pyrefly found none."""
    mro = row.get("mro")
    resolved = mro.get("Resolved") if isinstance(mro, dict) else None
    return list(resolved or row.get("bases", ()))


def _targets(site: Mapping[str, Any], places: Mapping[tuple[int, str], Place]) -> Iterator[tuple[Place, str]]:
    """The definitions one expression reaches, each with the kind of use."""
    for what, body in site.items():
        if what == "Call":
            yield from _callees(body, places, "call", "constructor")
        elif what in ("Identifier", "AttributeAccess"):
            yield from _callees(body.get("if_called") or {}, places, "name", "name")
            for key in ("property_getters", "property_setters"):
                yield from ((place, "property") for row in body.get(key, ()) if (place := _function(row, places)))


def _callees(
    body: Mapping[str, Any], places: Mapping[tuple[int, str], Place], call: str, construct: str
) -> Iterator[tuple[Place, str]]:
    for row in body.get("call_targets", ()):
        if place := _function(row, places):
            yield place, call
    for row in (*body.get("init_targets", ()), *body.get("new_targets", ())):
        made = row.get("receiver_class")
        if made and (place := places.get((made["module_id"], f"class {made['class_id']}"))):
            yield place, construct
        if place := _function(row, places):
            yield place, construct


def _function(row: Mapping[str, Any], places: Mapping[tuple[int, str], Place]) -> Place | None:
    """The function a target names, alone or standing for it and its overrides."""
    target = row.get("target", {})
    named = target.get("Function") or target.get("Overrides") or {}
    return places.get((named.get("module_id", -1), named.get("function_id", "")))
