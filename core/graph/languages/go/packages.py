"""What package-level names of Go mean: packages, imports, and the files that declare a name.

    gopackage(import path)            the folder of a package of this repository, or None
    gopkgname(folder)                 the name in its package clauses (tests of another package aside)
    gonames(path)                     ((local name, ("P", folder) | ("I", import path)), ...) of a file's imports
    godotted(path)                    what it imports without a name to write
    gomember(folder, package, name)   the files that declare name at package level
    godecl(path, name)                what ``name`` means in a file: ("D", files that declare it), ("P", folder),
                                      ("I", import path), ("E", name of another module), or None

A folder holds a package and perhaps its ``_test`` package; files excluded by build constraints count too, so one
name may have several declarations. Without any go.mod, the longest known folder that ends an import path is meant.
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.go.language import import_names
from core.graph.lookups import Key, Lookups

UNIVERSE = frozenset(
    [
        "append",
        "cap",
        "clear",
        "close",
        "complex",
        "copy",
        "delete",
        "imag",
        "len",
        "make",
        "max",
        "min",
        "new",
        "panic",
        "print",
        "println",
        "real",
        "recover",
    ]
)


def folder_of(path: str) -> str:
    """The folder of a file, "" at the top."""
    return path.rpartition("/")[0]


def package_of(q: Lookups, path: str) -> str:
    """The name in a file's package clause."""
    return q.input(("cell", path, "package", "", "")) or ""


def _rule_package(q: Lookups, key: Key) -> str | None:
    text = key[1]
    best: tuple[int, str] | None = None
    modules = q.input(("gomods", ""))
    for path in modules:
        module = q.input(("cell", path, "module", "", ""))
        if module and (text == module or text.startswith(module + "/")):
            folder = "/".join(x for x in (folder_of(path), text[len(module) + 1 :]) if x)
            if (best is None or len(module) > best[0]) and q.input(("gofolder", folder)):
                best = (len(module), folder)
    if best is not None:
        return best[1]
    if modules or "." not in text.partition("/")[0]:
        return None
    ends = [f for f in q.input(("gotails", text.rpartition("/")[2])) if f and f"/{text}".endswith("/" + f)]
    return max(ends, key=lambda f: (len(f), f)) if ends else None


def _rule_pkgname(q: Lookups, key: Key) -> str:
    found = sorted((_is_test(p), package_of(q, p), p) for p in q.input(("gofolder", key[1])))
    named = [name for test, name, _ in found if name and not name.endswith("_test") and not test]
    named = named or [name for _, name, _ in found if name]
    if not named:
        return ""
    if "main" in named and len(set(named)) > 1:  # a generator beside the package, left out by a build constraint
        named = [n for n in named if n != "main"]
    return max(sorted(set(named)), key=named.count)


def _is_test(path: str) -> bool:
    return path.endswith("_test.go")


def _rule_names(q: Lookups, key: Key) -> tuple[Any, ...]:
    found: dict[str, Any] = {}
    for alias, text in q.input(("cell", key[1], "imports", "", "")) or ():
        if alias in (".", "_"):
            continue
        folder = q.get(("gopackage", text))
        if folder is not None:
            found.setdefault(alias or q.get(("gopkgname", folder)), ("P", folder))
        else:
            for name in [alias] if alias else import_names(text):
                found.setdefault(name, ("I", text))
    return tuple(sorted(found.items()))


def _rule_dotted(q: Lookups, key: Key) -> tuple[Any, ...]:
    found: list[Any] = []
    for alias, text in q.input(("cell", key[1], "imports", "", "")) or ():
        if alias == ".":
            folder = q.get(("gopackage", text))
            found.append(("P", folder) if folder is not None else ("I", text))
    return tuple(sorted(found))


def _rule_member(q: Lookups, key: Key) -> tuple[str, ...]:
    _, folder, package, name = key
    found = [p for p, clause in q.input(("names", "go", name)) if clause == package and folder_of(p) == folder]
    return tuple([p for p in found if not _is_test(p)] or found)


def member_of(q: Lookups, folder: str, name: str) -> tuple[str, ...]:
    """The files that declare ``name`` in the package of a folder."""
    found: tuple[str, ...] = q.get(("gomember", folder, q.get(("gopkgname", folder)), name))
    return found


def _rule_decl(q: Lookups, key: Key) -> tuple[str, Any] | None:
    _, path, name = key
    found = q.get(("gomember", folder_of(path), package_of(q, path), name))
    if found:
        return "D", found
    for local, package in q.get(("gonames", path)):
        if local == name:
            return package  # type: ignore[no-any-return]
    outside = None
    for package in q.get(("godotted", path)):
        if package[0] == "P":
            found = member_of(q, package[1], name)
            if found:
                return "D", found
        elif outside is None and name[:1].isupper():
            outside = "E", f"{package[1]}.{name}"
    return outside


RULES: dict[str, tuple[Any, Any]] = {
    "gopackage": (_rule_package, None),
    "gopkgname": (_rule_pkgname, ""),
    "gonames": (_rule_names, ()),
    "godotted": (_rule_dotted, ()),
    "gomember": (_rule_member, ()),
    "godecl": (_rule_decl, None),
}
