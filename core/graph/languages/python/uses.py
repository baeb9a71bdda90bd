"""Names read, imports and bases of Python scopes: everything a scope reaches that is not a call.

use(path, name)      (hash of what binds the name, target, why) or None
choice(path, name)   whether several definitions or imports may be the one that holds
reached(path, scope) ((kind, target, tier, why), ...): imports and bases
"""

from __future__ import annotations

from typing import Any

from core.graph.facts import Expr, digest
from core.graph.languages.python.core import cell, ev
from core.graph.languages.python.static import bases_of
from core.graph.languages.python.values import outside
from core.graph.lookups import Key, Lookups

Link = tuple[str, Any, str, str]


def _rule_choice(q: Lookups, key: Key) -> bool:
    """Whether a module-level name has several definitions or imports, here or where it is imported from."""
    _, path, name = key
    seen: set[tuple[str, str]] = set()
    while (path, name) not in seen:
        seen.add((path, name))
        facts = cell(q, path, "name", "", name)
        if facts is None:
            return False
        if facts.choice:
            return True
        origin = _origin(q, path, facts)
        if origin is None:
            return False
        path, name = origin
    return False


def _origin(q: Lookups, path: str, facts: Any) -> tuple[str, str] | None:
    """Where the one import that binds a name takes it from: (module path, name)."""
    if len(facts.final) != 1:
        return None
    kind, e = facts.versions[facts.final[0]]
    if kind != "import" or e is None or e[0] != "from":
        return None
    module = q.get(("import", path, e[1], e[2]))
    return (module[1], e[3]) if module[0] == "m" else None


def _rule_use(q: Lookups, key: Key) -> tuple[str, Any, str] | None:
    """(hash of the binding, target, why) of a module-level name read in ``path``; dotted names go through modules."""
    _, path, name = key
    first, _, rest = name.partition(".")
    if not rest:
        return _use(q, path, first)
    for attribute_name in rest.split("."):
        values = q.get(("global", path, first)) if q.get(("binds", path, first)) else ()
        modules = [v for v in values if v[0] in "mn"]
        if len(modules) != 1:
            return None
        if modules[0][0] == "n":
            return None
        path, first = modules[0][1], attribute_name
    return _use(q, path, first)


def _use(q: Lookups, path: str, name: str) -> tuple[str, Any, str] | None:
    parts: list[str] = []
    targets: list[tuple[Any, str]] = []
    pending = [(path, name)]
    seen: set[tuple[str, str]] = set()
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        facts = cell(q, at[0], "name", "", at[1])
        if facts is None:
            for module in q.get(("starred", *at)):
                if module[0] == "m":
                    pending.append((module[1], at[1]))
                else:
                    parts.append("external " + module[1])
                    targets.append(("<external>::" + module[1], f"reads {at[1]}"))
            inner = q.get(("submodule", *at))
            if inner is not None and inner[0] == "m":
                parts.append("module " + inner[1])
                targets.append(((inner[1], ""), f"reads module {at[1]}"))
            continue
        text = cell(q, at[0], "text", "", at[1])
        for kind, e in facts.versions:
            _binding(q, at, kind, e, text, parts, targets, pending)
        if facts.extern and text is None:
            parts.append("assigned elsewhere")
    if not parts:
        return None
    target, why = min(targets, key=repr) if targets else ((path, ""), f"reads {name}")
    return digest(*sorted(set(parts))), target, why


def _binding(q: Lookups, at: Any, kind: str, e: Any, text: Any, parts: Any, targets: Any, pending: Any) -> None:
    path, name = at
    if kind in ("def", "class") and e is not None:
        parts.append(f"{kind} {path}::{e[1]}")
        targets.append(((path, e[1]), f"reads {name}"))
    elif kind == "import" and e is not None:
        module = q.get(("import", path, e[1], e[2])) if e[0] == "from" else q.get(("import", path, 0, e[1]))
        whole = e[3] if e[0] == "from" else ""
        inner = q.get(("submodule", path, whole)) if module == ("m", path) and whole else None
        if inner is not None:
            module, whole = inner, ""
        if module[0] == "m" and whole:
            if q.get(("binds", module[1], whole)) or q.get(("submodule", module[1], whole)) is None:
                parts.append(f"from {module[1]} {whole}")
            pending.append((module[1], whole))
        elif module[0] == "m":
            parts.append("module " + module[1])
            targets.append(((module[1], ""), f"reads module {name}"))
        else:
            dotted = f"{module[1]}.{whole}" if whole else module[1]
            parts.append("external " + dotted)
            targets.append(("<external>::" + dotted, f"reads {name}"))
    elif text is not None:
        parts.append("text " + path + " " + text)
        targets.append(((path, ""), f"reads {name}"))


def _rule_reached(q: Lookups, key: Key) -> tuple[Link, ...]:
    """Imports and bases of a scope, as relations."""
    _, path, scope = key
    facts = cell(q, path, "scope", scope)
    if facts is None:
        return ()
    found: dict[tuple[str, Any], Link] = {}
    for e in facts.imports:
        for target in import_targets(q, path, e):
            found.setdefault(("import", target), ("import", target, "certain", _import_words(e)))
    if facts.kind == "class":
        for v in bases_of(q, path, scope):
            target = v[1:3] if v[0] == "c" else outside(v)
            found.setdefault(("inherits", target), ("inherits", target, "certain", "base class"))
    return tuple(sorted(found.values(), key=repr))


def _import_words(e: Expr) -> str:
    if e[0] == "module":
        return f"import {e[2]}"
    return f"from {'.' * e[1]}{e[2]} import {e[3]}"


def import_targets(q: Lookups, path: str, e: Expr) -> list[Any]:
    """What one imported name is: definitions, else the module that holds it, else an external name."""
    if e[0] == "module":
        module = q.get(("import", path, 0, e[2]))
        return [(module[1], "")] if module[0] == "m" else ["<external>::" + module[1]] if module[0] == "x" else []
    module = q.get(("import", path, e[1], e[2]))
    if e[3] == "*":
        return [(module[1], "")] if module[0] == "m" else ["<external>::" + module[1]] if module[0] == "x" else []
    if module[0] == "x":
        return ["<external>::" + (f"{module[1]}.{e[3]}" if module[1] else e[3])]
    found: list[Any] = []
    for v in ev(q, path, "", e):
        if v[0] in "fc":
            found.append(v[1:3])
        elif v[0] == "m":
            found.append((v[1], ""))
        elif v[0] == "x":
            found.append("<external>::" + v[1])
    if not found and module[0] == "m":
        found.append((module[1], ""))
    return sorted(set(found), key=repr)


RULES: dict[str, tuple[Any, Any]] = {
    "choice": (_rule_choice, False),
    "use": (_rule_use, None),
    "reached": (_rule_reached, ()),
}
