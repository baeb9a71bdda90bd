"""What an import specifier means: relative files, tsconfig paths, packages of the workspace, else another's.

    jsmodule(folder, specifier)  ("m", path) a file, ("x", specifier) a module of elsewhere
    jscompiler(folder)  (base folder or None, ((pattern, (target, ...)), ...)) of the nearest configuration
    jsextends(path)     the same of one configuration file, what it extends included
    jsworkspace("")     ((package name, folder), ...)

Every file asked for is a dependency, also where there is none, so a file that appears takes its place.
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.javascript.layout import split
from core.graph.languages.javascript.values import Val
from core.graph.lookups import Key, Lookups

_SWAPPED = {
    ".js": (".ts", ".tsx", ".js", ".jsx", ".d.ts"), ".jsx": (".tsx", ".jsx"), ".mjs": (".mts", ".mjs", ".d.mts"),
    ".cjs": (".cts", ".cjs", ".d.cts"),
}  # fmt: skip
_BUILT = frozenset(["dist", "lib", "build", "out", "esm", "cjs", "es", "types", "output"])
_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.app.json", "tsconfig.base.json")
_DEEP = 8


def join(folder: str, relative: str) -> str | None:
    """``relative`` seen from ``folder``; None when it leaves the repository."""
    parts = [p for p in folder.split("/") if p]
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def folder_of(path: str) -> str:
    """The folder of a file, "" at the top."""
    return path.rpartition("/")[0]


def _file(q: Lookups, base: str | None) -> Val | None:
    """The module that a path stands for: as written, with an extension, or the index of a folder."""
    if base is None:
        return None
    stem, ending = split(base)
    if ending:
        there = q.input(("jsfile", stem))
        if base in there:
            return ("m", base)
        for other in _SWAPPED.get(ending, ()):
            if stem + other in there:
                return ("m", stem + other)
    there = q.input(("jsfile", base)) if base else ()
    if not there:
        there = q.input(("jsfile", f"{base}/index" if base else "index"))
    return ("m", there[0]) if there else None


def _rule_module(q: Lookups, key: Key) -> Val:
    _, folder, text = key
    if text.startswith((".", "/")):
        base = join(folder if text.startswith(".") else "", text)
        found = _file(q, base)
        return found if found is not None else ("x", base or text)
    found = _by_paths(q, folder, text) or _by_name(q, folder, text)
    return found if found is not None else ("x", text.removeprefix("node:"))


def _by_paths(q: Lookups, folder: str, text: str) -> Val | None:
    found = q.get(("jscompiler", folder))
    if found is None:
        return None
    base, paths = found
    best: tuple[int, tuple[str, ...], str] | None = None
    for pattern, targets in paths:
        head, star, tail = pattern.partition("*")
        if not star:
            if pattern == text:
                best = (1 << 20, targets, "")
                break
        elif text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail):
            if best is not None and best[0] >= len(head):
                continue
            best = (len(head), targets, text[len(head) : len(text) - len(tail)])
    if best is not None:
        for target in best[1]:
            there = _file(q, join("", target.replace("*", best[2])))
            if there is not None:
                return there
    return _file(q, join(base, text)) if base is not None else None


def _rule_compiler(q: Lookups, key: Key) -> Any:
    folder = key[1]
    while True:
        held = None
        for name in _CONFIGS:
            found = q.get(("jsextends", f"{folder}/{name}" if folder else name))
            if found is not None and (held is None or (not held[1] and found[1])):
                held = found
        if held is not None or not folder:
            return held
        folder = folder_of(folder)


def _rule_extends(q: Lookups, key: Key) -> Any:
    """Targets of paths as paths of the repository; a configuration that extends itself extends nothing."""
    path = key[1]
    pending, seen = [path], {path}
    base: str | None = None
    paths: tuple[Any, ...] | None = None
    known = False
    while pending and len(seen) < _DEEP:
        at = pending.pop(0)
        held = q.input(("cell", at, "compiler", "", ""))
        if held is None:
            continue
        known = True
        extends, url, mapped = held
        folder = folder_of(at)
        if base is None and url is not None:
            base = join(folder, url)
        if paths is None and mapped is not None:
            root = join(folder, url) if url is not None else folder
            paths = tuple((k, tuple(t for t in (join(root or "", v) for v in vs) if t is not None)) for k, vs in mapped)
        for other in reversed(extends):
            target = join(folder, other) if other.startswith(".") else None
            for name in (target, f"{target}.json") if target is not None else ():
                if name is not None and name not in seen:
                    seen.add(name)
                    pending.append(name)
    return (base, paths or ()) if known else None


def _rule_workspace(q: Lookups, key: Key) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for path in q.input(("jspackages", "")):
        held = q.input(("cell", path, "package", "", ""))
        if held is not None and held[0]:
            found.setdefault(held[0], folder_of(path))
    return tuple(sorted(found.items()))


def _rule_named(q: Lookups, key: Key) -> str | None:
    return dict(q.get(("jsworkspace", ""))).get(key[1])


def _by_name(q: Lookups, folder: str, text: str) -> Val | None:
    if text.startswith("#"):
        return _by_import(q, folder, text)
    parts = text.split("/")
    count = 2 if text.startswith("@") else 1
    home = q.get(("jsnamed", "/".join(parts[:count])))
    if home is None:
        return None
    sub = "/".join([".", *parts[count:]])
    held = q.input(("cell", f"{home}/package.json" if home else "package.json", "package", "", ""))
    for pattern, target in held[1] if held is not None else ():
        found = _target(q, home, pattern, target, sub)
        if found is not None:
            return found
    tail = sub[2:]
    for guess in [f"src/{tail}", tail] if tail else ["src/index", "index", "src/main", "lib/index"]:
        found = _file(q, join(home, guess))
        if found is not None:
            return found
    return None


def _target(q: Lookups, home: str, pattern: str, target: str, wanted: str) -> Val | None:
    """The module a target of a package stands for; built files are looked for among the sources."""
    head, star, tail = pattern.partition("*")
    if star:
        if not wanted.startswith(head) or not wanted.endswith(tail) or len(wanted) < len(head) + len(tail):
            return None
        target = target.replace("*", wanted[len(head) : len(wanted) - len(tail)])
    elif pattern != wanted:
        return None
    found = _file(q, join(home, target))
    if found is not None:
        return found
    parts = [p for p in target.split("/") if p not in ("", ".")]
    for at, part in enumerate(parts[:-1]):
        if part in _BUILT:
            for replaced in ([*parts[:at], "src", *parts[at + 1 :]], [*parts[:at], *parts[at + 1 :]]):
                found = _file(q, join(home, "/".join(replaced)))
                if found is not None:
                    return found
            break
    return None


def _by_import(q: Lookups, folder: str, text: str) -> Val | None:
    """``#name`` of the nearest package.json."""
    while True:
        held = q.input(("cell", f"{folder}/package.json" if folder else "package.json", "package", "", ""))
        if held is not None:
            for pattern, target in held[2]:
                found = _target(q, folder, pattern, target, text)
                if found is not None:
                    return found
            return None
        if not folder:
            return None
        folder = folder_of(folder)


RULES: dict[str, tuple[Any, Any]] = {
    "jsmodule": (_rule_module, ("x", "")),
    "jscompiler": (_rule_compiler, None),
    "jsextends": (_rule_extends, None),
    "jsworkspace": (_rule_workspace, ()),
    "jsnamed": (_rule_named, None),
}
