"""Which file an import means, and which names star imports bring: rules over file names and names alone.

import(path, level, dotted)   ("m", path) | ("n", folder) | ("x", dotted)
submodule(path, n)            module n of the package whose ``__init__`` is path, or None
binds(path, n)                whether a module has name n, through star imports of the repository too
starred(path, n)              the modules a star import takes n from
"""

from __future__ import annotations

import sys
from typing import Any

from core.graph.languages.python.core import cell
from core.graph.languages.python.exports import RULES as EXPORTS
from core.graph.languages.python.values import Val
from core.graph.lookups import Key, Lookups


def _rule_binds(q: Lookups, key: Key) -> bool:
    """Whether a module has a name, itself or through star imports from modules of the repository."""
    _, path, name = key
    if cell(q, path, "name", "", name) is not None:
        return True
    return any(q.get(("binds", m[1], name)) for m in _star_modules(q, path, name) if m[0] == "m")


def _star_modules(q: Lookups, path: str, name: str) -> list[Val]:
    """The modules whose star import would bring ``name``, if they have it."""
    found: list[Val] = []
    for _, level, dotted, _ in cell(q, path, "star", "") or ():
        module = q.get(("import", path, level, dotted))
        if module[0] == "m":
            exported = q.get(("exported", module[1]))
            if name not in exported if exported is not None else name.startswith("_"):
                continue
        elif module[0] != "x" or name.startswith("_"):
            continue
        if module not in found:
            found.append(module)
    return found


def _rule_starred(q: Lookups, key: Key) -> tuple[Val, ...]:
    """The modules that star imports take ``name`` from; external ones only if none of the repository has it."""
    _, path, name = key
    modules = _star_modules(q, path, name)
    inside = tuple(m for m in modules if m[0] == "m" and q.get(("binds", m[1], name)))
    return inside or tuple(m for m in modules if m[0] == "x")


def _rule_import(q: Lookups, key: Key) -> Val:
    """The module ``level`` dots and ``dotted`` name from file ``path``: of the repository or external."""
    _, path, level, dotted = key
    parts = dotted.split(".") if dotted else []
    folder = path.rsplit("/", 1)[0] if "/" in path else ""
    if level:
        for _ in range(level - 1):
            folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
        base = "/".join(([folder] if folder else []) + parts)
        entry = q.input(("file", base))
        return entry if entry is not None else ("x", base.replace("/", "."))
    tail = "/".join(parts)
    for root in _roots(q, folder, parts[0]):
        entry = q.input(("file", f"{root}/{tail}" if root else tail))
        if entry is not None:
            return entry  # type: ignore[no-any-return]
    return ("x", dotted)


def _roots(q: Lookups, folder: str, top: str) -> list[str]:
    """Folders an absolute import of ``top`` may start from: the package root of the importing file and the
    folders above it, the repository root, ``src``, then folders that hold a package of that name."""
    if top in sys.stdlib_module_names:
        return ["", "src"]
    while folder and q.input(("init", folder)):
        folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
    found = [folder]
    while folder:
        folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
        found.append(folder)
    return list(dict.fromkeys([*found, "src", *q.input(("tops", top))]))


def _rule_submodule(q: Lookups, key: Key) -> Val | None:
    _, path, name = key
    stem = path.rsplit("/", 1)
    if stem[-1].split(".")[0] != "__init__":
        return None
    base = f"{stem[0]}/{name}" if len(stem) == 2 else name
    return q.input(("file", base))  # type: ignore[no-any-return]


RULES: dict[str, tuple[Any, Any]] = {
    **EXPORTS,
    "binds": (_rule_binds, False),
    "starred": (_rule_starred, ()),
    "import": (_rule_import, None),
    "submodule": (_rule_submodule, None),
}
