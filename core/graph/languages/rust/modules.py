"""What names of Rust modules mean: crates, the tree of modules, uses, and the items of a module.

    rsparent(path)           (path, module) that declares a file with ``mod``, or None: a crate's root
    rsroot(path)             the root file of the crate a file belongs to
    rsmanifest(folder)       the folder of the nearest Cargo.toml at or above, or None
    rslibrary(folder)        the root file of the library of a manifest's folder, or None
    rsextern(path, name)     what a crate called ``name`` is for a file: ("M", root, ""), ("E", name), or None
    rsitem(path, m, name)    the definitions of a name in a module, uses and globs followed
    rsname(path, m, name)    the same for the first name of a path: crates and what is in scope everywhere too
    rspath(path, m, segments)

A definition is ("M", path, module), ("T", path, key) a type, ("R", path, key) a trait, ("F", path, qual),
("C", path, key) a constant, ("Y", path, qual) a macro, ("A", path, key, name) a name below a type or trait, or
("E", dotted) of another crate. Several are possible: names of several kinds, or under conditions. Sets only grow
with what they are made of: whether a glob or a crate is asked depends on what is written, not on what is found.
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.rust.prelude import PRELUDE, STANDARD
from core.graph.lookups import Key, Lookups

Def = tuple[Any, ...]
Defs = tuple[Def, ...]
_ROOTS = frozenset(["lib.rs", "main.rs", "mod.rs", "build.rs"])
_ROOT_FOLDERS = frozenset(["tests", "benches", "examples", "bin"])
_KINDS = {"fn": "F", "type": "T", "trait": "R", "const": "C", "macro": "Y"}


def _join(folder: str, path: str) -> str:
    """A relative path below a folder, ``..`` taken away."""
    parts = folder.split("/") if folder else []
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def child_file(q: Lookups, path: str, module: str, name: str, given: str) -> str | None:
    """The file of ``mod name;`` declared in a module of ``path``."""
    folder, _, file = path.rpartition("/")
    own = _join(folder, file.removesuffix(".rs"))
    inner = module.replace(".", "/") if "{" not in module else ""
    if given:
        base = _join(folder if file in _ROOTS or not inner else own, inner) if inner else folder
        found = _join(base, given)
        return found if q.input(("rsfile", found)) else None
    at_root = file in _ROOTS or folder.rpartition("/")[2] in _ROOT_FOLDERS
    for base in (folder, own) if at_root else (own, folder):
        below = _join(base, inner)
        for candidate in (_join(below, f"{name}.rs"), _join(below, f"{name}/mod.rs")):
            if candidate != path and q.input(("rsfile", candidate)):
                return candidate
        if file in _ROOTS:
            break
    return None


def _rule_parent(q: Lookups, key: Key) -> tuple[str, str] | None:
    path = key[1]
    folder, _, file = path.rpartition("/")
    stem = folder.rpartition("/")[2] if file == "mod.rs" else file.removesuffix(".rs")
    if not stem:
        return None
    for parent, module in q.input(("names", "rsmod", stem)):
        if parent != path and path in _children(q, parent, module, stem):
            return parent, module
    return None


def _children(q: Lookups, parent: str, module: str, stem: str) -> list[str | None]:
    """The files that a module's declarations of modules with this file name mean."""
    direct = q.input(("cell", parent, "item", module, stem)) or ()
    found = [child_file(q, parent, module, e[1], e[2]) for e in direct if e[0] == "file" and not e[2]]
    for name, given in q.input(("cell", parent, "paths", module, "")) or ():
        found.append(child_file(q, parent, module, name, given))
    return found


def _rule_root(q: Lookups, key: Key) -> str:
    parent = q.get(("rsparent", key[1]))
    found: str = q.get(("rsroot", parent[0])) if parent is not None else key[1]
    return found or str(key[1])


def _rule_manifest(q: Lookups, key: Key) -> str | None:
    folder = key[1]
    if q.input(("rscargo", folder)) and q.input(("cell", _manifest(folder), "package", "", "")):
        return str(folder)
    return q.get(("rsmanifest", _folder(folder))) if folder else None


def _manifest(folder: str) -> str:
    return f"{folder}/Cargo.toml" if folder else "Cargo.toml"


def _rule_library(q: Lookups, key: Key) -> str | None:
    folder = key[1]
    lib = q.input(("cell", _manifest(folder), "lib", "", "")) or ("", "")
    path = _join(folder, lib[1] or "src/lib.rs")
    return path if q.input(("rsfile", path)) else None


def _crate_name(q: Lookups, folder: str) -> str:
    lib = q.input(("cell", _manifest(folder), "lib", "", "")) or ("", "")
    return str(lib[0] or q.input(("cell", _manifest(folder), "package", "", "")) or "").replace("-", "_")


def _rule_extern(q: Lookups, key: Key) -> Def | None:
    _, path, name = key
    if name in STANDARD:
        return ("E", name)
    folder = q.get(("rsmanifest", _folder(path)))
    if folder is None:
        return ("E", name)
    if _crate_name(q, folder) == name:
        library = q.get(("rslibrary", folder))
        if library is not None:
            return ("M", library, "")
    for local, package, below in q.input(("cell", _manifest(folder), "deps", "", "")) or ():
        if local == name:
            found = _package(q, folder, package, below)
            return ("M", found, "") if found is not None else ("E", name)
    return None


def _package(q: Lookups, folder: str, package: str, below: str) -> str | None:
    """The root of the library of a package of this repository."""
    if below:
        return q.get(("rslibrary", _join(folder, below)))  # type: ignore[no-any-return]
    for manifest, _ in q.input(("names", "rspackage", package)):
        found: str | None = q.get(("rslibrary", _folder(manifest)))
        if found is not None:
            return found
    return None


# -- items ---------------------------------------------------------------------------------------------------


def _ordered(found: dict[Def, None]) -> Defs:
    return tuple(sorted(found))


def _rule_item(q: Lookups, key: Key) -> Defs:
    _, path, module, name = key
    found: dict[Def, None] = {}
    entries = q.input(("cell", path, "item", module, name))
    for entry in entries or ():
        kind = entry[0]
        if kind in _KINDS:
            found[_KINDS[kind], path, entry[1]] = None
        elif kind == "mod":
            found["M", path, entry[1]] = None
        elif kind == "file":
            child = child_file(q, path, module, entry[1], entry[2])
            if child is not None:
                found["M", child, ""] = None
        elif kind == "crate":
            outside = q.get(("rsextern", q.get(("rsroot", path)), entry[1]))
            found[outside or ("E", entry[1])] = None
        elif kind == "use":
            found.update(dict.fromkeys(q.get(("rspath", path, entry[1], entry[2]))))
    if entries is None:
        for segments in q.input(("cell", path, "globs", module, "")) or ():
            for base in q.get(("rspath", path, module, segments)):
                if base[0] == "M":
                    found.update(dict.fromkeys(q.get(("rsitem", base[1], base[2], name))))
                elif base[0] == "T" and _is_variant(q, base, name):
                    found["A", base[1], base[2], name] = None
    if not module and q.input(("names?", "rsexport", name)):
        for p, qual in q.input(("names", "rsexport", name)):
            if q.get(("rsroot", p)) == path:
                found["Y", p, qual] = None
    return _ordered(found)


def _is_variant(q: Lookups, base: Def, name: str) -> bool:
    facts = q.input(("cell", base[1], "type", base[2], ""))
    return facts is not None and any(v[0] == name for v in facts.variants)


def real_module(q: Lookups, path: str, module: str) -> str:
    """The named module around a block."""
    for _ in range(50):
        outer = q.input(("cell", path, "anon", module, ""))
        if outer is None:
            return module
        module = outer
    return module


def _rule_name(q: Lookups, key: Key) -> Defs:
    _, path, module, name = key
    found = dict.fromkeys(q.get(("rsitem", path, module, name)))
    entries = q.input(("cell", path, "item", module, name))
    if entries is not None and any(e[0] != "use" or e[2] != (name,) for e in entries):
        return _ordered(found)  # ``use name;`` brings in a crate: it says nothing about the name itself
    outer = q.input(("cell", path, "anon", module, ""))
    if outer is not None:
        found.update(dict.fromkeys(q.get(("rsname", path, outer, name))))
        return _ordered(found)
    outside = q.get(("rsextern", q.get(("rsroot", path)), name))
    if outside is not None and (outside[0] == "M" or name in STANDARD or name[:1].islower()):
        found[outside] = None
    if name in PRELUDE:
        found["E", f"std.{PRELUDE[name]}{name}"] = None
    return _ordered(found)


def _rule_path(q: Lookups, key: Key) -> Defs:
    _, path, module, segments = key
    found, rest = _first(q, path, module, segments)
    for name in rest:
        found = tuple(dict.fromkeys(d for base in found for d in _below(q, base, name)))
    return _ordered(dict.fromkeys(found))


def _first(q: Lookups, path: str, module: str, segments: tuple[str, ...]) -> tuple[Defs, tuple[str, ...]]:
    """What a path begins with, and the names after that."""
    if not segments:
        return (), ()
    first, rest = segments[0], segments[1:]
    if first == "crate":
        return (("M", q.get(("rsroot", path)), ""),), rest
    if first == "" and rest:
        outside = q.get(("rsextern", q.get(("rsroot", path)), rest[0]))
        return ((outside,) if outside is not None else ()), rest[1:]
    if first in ("self", "super"):
        at: tuple[str, str] | None = (path, real_module(q, path, module))
        while at is not None and segments and segments[0] in ("self", "super"):
            if segments[0] == "super":
                at = _above(q, *at)
            segments = segments[1:]
        return ((("M", *at),) if at is not None else ()), segments
    return q.get(("rsname", path, module, first)), rest


def _above(q: Lookups, path: str, module: str) -> tuple[str, str] | None:
    """The module around a module."""
    if module:
        return path, real_module(q, path, module.rpartition(".")[0])
    return q.get(("rsparent", path))  # type: ignore[no-any-return]


def _below(q: Lookups, base: Def, name: str) -> Defs:
    kind = base[0]
    if kind == "M":
        return q.get(("rsitem", base[1], base[2], name))  # type: ignore[no-any-return]
    if kind == "E":
        return (("E", f"{base[1]}.{name}"),)
    return (("A", base[1], base[2], name),) if kind in "TR" else ()


RULES: dict[str, tuple[Any, Any]] = {
    "rsparent": (_rule_parent, None),
    "rsroot": (_rule_root, ""),
    "rsmanifest": (_rule_manifest, None),
    "rslibrary": (_rule_library, None),
    "rsextern": (_rule_extern, None),
    "rsitem": (_rule_item, ()),
    "rsname": (_rule_name, ()),
    "rspath": (_rule_path, ()),
}
