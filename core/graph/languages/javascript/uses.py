"""What a module-level name read in a scope is bound to: the statement whose text a reader depends on.

use(path, n)  (hash of what binds n, target, why); "n()" read only to be called, "ns.n" of a namespace import
jsbound(path, n)  where n of a module is bound in the end: ("d", path, name) | ("x", dotted) | None
jsshown(path, n)  the same of an exported name
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import digest
from core.graph.languages.javascript.core import cell
from core.graph.languages.javascript.static import module_of
from core.graph.languages.javascript.values import dotted
from core.graph.lookups import Key, Lookups

Bound = tuple[str, ...] | None


def _rule_bound(q: Lookups, key: Key) -> Bound:
    _, path, name = key
    facts = cell(q, path, "name", "", name)
    if facts is None or not facts.versions:
        return ("d", path, name)
    e = facts.versions[0][0]
    if e is not None and e[0] == "import":
        return _of_import(q, path, e[1], e[2])
    return ("d", path, name)


def _of_import(q: Lookups, path: str, specifier: str, name: str) -> Bound:
    module = module_of(q, path, specifier)
    if module[0] == "x":
        return ("x", module[1] if name in ("default", "*") else dotted(module[1], name))
    if name == "*":
        return ("d", module[1], "")
    return q.get(("jsshown", module[1], name))  # type: ignore[no-any-return]


def _rule_shown(q: Lookups, key: Key) -> Bound:
    _, path, name = key
    e = cell(q, path, "export", "", name)
    if e is not None:
        if e[0] == "import":
            return _of_import(q, path, e[1], e[2])
        if e[0] == "name":
            return q.get(("jsbound", path, e[1]))  # type: ignore[no-any-return]
        return ("d", path, e[1]) if e[0] in ("func", "class") else None
    t = cell(q, path, "texport", "", name)
    if t is not None:
        return ("d", path, t[1]) if t[0] in ("ti", "ta") else None
    starred = q.get(("jsstarred", path, name))
    if not starred:
        return None
    first = starred[0]
    found: Bound = q.get(("jsshown", first[1], name)) if first[0] == "m" else ("x", dotted(first[1], name))
    return found


def _rule_use(q: Lookups, key: Key) -> tuple[str, Any, str] | None:
    _, path, name = key
    called = name.endswith("()")
    base, dot, last = name.removesuffix("()").partition(".")
    found: Bound = q.get(("jsbound", path, base))
    if found is not None and dot:
        if found[0] == "x":
            found = ("x", dotted(found[1], last))
        else:
            found = q.get(("jsshown", found[1], last)) if found[2] == "" else found
    if found is None:
        return None
    why = f"reads {last or base}"
    if found[0] == "x":
        return None if called else (digest(f"external {found[1]}"), f"<external>::{found[1]}", why)
    if found[2] == "":
        return None
    return _declared(q, found[1], found[2], why)


def _declared(q: Lookups, path: str, name: str, why: str) -> tuple[str, Any, str] | None:
    text = cell(q, path, "text", "", name)
    if text is not None and cell(q, path, "func", name) is None:
        return digest(f"text {path} {text}"), (path, ""), why
    facts = cell(q, path, "scope", name)
    if facts is not None and facts.kind == "class":
        return digest(f"type {path}::{name}"), (path, name), why
    return None  # calls and function values have edges


RULES: dict[str, tuple[Any, Any]] = {
    "use": (_rule_use, None),
    "jsbound": (_rule_bound, None),
    "jsshown": (_rule_shown, None),
}
