"""Cargo.toml: one module symbol as in any text; the package, its targets and what its dependencies are called.

In: a text, read line by line (what is not understood is skipped). Out: ``FileFacts`` with the cells

    ("package", "", "")  name of the package        ("lib", "", "")  (name, path) of the library, "" by default
    ("targets", "", "")  paths of other targets     ("deps", "", "")  (name in code, package, path) a dependency

and the name ("rspackage", package). Dependencies inherited from a workspace are known by their names.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.graph.facts import FileFacts
from core.graph.languages import text as plain

NAME = "Cargo.toml"
FILES = ("Cargo.toml",)
_WIDE = 1000  # no line of interest is longer
_TABLE = re.compile(r"[ \t]*\[\[?[ \t]*([^\]\[]+?)[ \t]*\]\]?")
_ENTRY = re.compile(r"""[ \t]*["']?([\w.-]+)["']?[ \t]*=[ \t]*(.*)""")
_STRING = re.compile(r"""["']([^"']*)["']""")
_INNER = {name: re.compile(rf"""\b{name}[ \t]*=[ \t]*["']([^"']*)["']""") for name in ("path", "package")}
_TARGETS = frozenset(["bin", "test", "example", "bench"])
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


def facts(text: str) -> FileFacts:
    """The facts of one Cargo.toml; cost linear in it."""
    package = ""
    lib = {"name": "", "path": ""}
    targets: list[str] = []
    dependencies: dict[str, dict[str, str]] = {}
    table = ""
    for line in text.split("\n"):
        line = line[:_WIDE]
        opened = _TABLE.match(line)
        if opened is not None:
            table = opened[1].replace('"', "").replace("'", "")
            continue
        entry = _ENTRY.match(line)
        if entry is None:
            continue
        key, value = entry[1], entry[2]
        found = _STRING.match(value)
        shown = found[1] if found is not None else ""
        if table == "package" and key == "name":
            package = shown
        elif table == "package" and key == "build" and shown:
            targets.append(shown)
        elif table == "lib" and key in lib:
            lib[key] = shown
        elif table in _TARGETS and key == "path":
            targets.append(shown)
        else:
            _dependency(table, key, value, dependencies)
    cells = {
        ("package", "", ""): package,
        ("lib", "", ""): (lib["name"], lib["path"]),
        ("targets", "", ""): tuple(sorted(set(targets))),
        ("deps", "", ""): tuple(
            sorted((n.replace("-", "_"), d.get("package", n), d.get("path", "")) for n, d in dependencies.items())
        ),
    }
    names = frozenset([("rspackage", package, "")]) if package else frozenset()
    return replace(plain.facts(text), language=NAME, cells=cells, names=names)


def _dependency(table: str, key: str, value: str, found: dict[str, dict[str, str]]) -> None:
    """``name = "1"``, ``name.path = ".."``, ``name = { path = ".." }`` and ``[dependencies.name]``."""
    if table.startswith("workspace."):
        return
    parts = table.split(".")
    at = next((i for i, part in enumerate(parts) if part in _DEPENDENCIES), None)
    if at is None:
        return
    string = _STRING.match(value)
    if at + 1 < len(parts):
        held = found.setdefault(parts[at + 1], {})
        if string is not None and key in _INNER:
            held[key] = string[1]
        return
    name, _, inner = key.partition(".")
    held = found.setdefault(name, {})
    if inner in _INNER and string is not None:
        held[inner] = string[1]
    elif value.startswith("{"):
        for field, pattern in _INNER.items():
            match = pattern.search(value)
            if match is not None:
                held[field] = match[1]
