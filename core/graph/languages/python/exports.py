"""What ``__all__`` says: literal names, and the names of other modules that are added to them.

``exported_names`` is read from the text; an entry is a name, or ``("all of", dotted)`` for what another variable or
``module.__all__`` holds. The rule

    exported(path)   the names a star import takes, None where that is every name without an underscore

follows those entries through imports alone, never through values: which names a star import brings does not depend
on what star imports bring.
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.python.core import cell
from core.graph.languages.python.scopes import Node, dotted_text, text_of
from core.graph.languages.python.values import Val
from core.graph.lookups import Key, Lookups

Entry = str | tuple[str, str]
_SAME = frozenset(["list", "tuple", "sorted", "set"])  # builtins that give back the names they are given
_HOLDERS = frozenset(
    ["list", "tuple", "set", "binary_operator", "argument_list", "parenthesized_expression", "expression_list",
     "list_splat"]
)  # fmt: skip


def exported_names(node: Node | None) -> list[Entry] | None:
    """The entries of a list, tuple, sum of such, or argument list; None if it is anything else."""
    if node is None:
        return None
    found: list[Entry] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == "string":
            found.append(text_of(current).strip("\"'"))
        elif current.type in _HOLDERS:
            stack.extend(current.named_children)
        elif current.type in ("attribute", "identifier"):
            found.append(("all of", dotted_text(current)))
        elif current.type == "call" and text_of(current.child_by_field_name("function")) in _SAME:
            stack.append(current.child_by_field_name("arguments"))
        elif current.type != "comment":
            return None
    return found


def _rule_exported(q: Lookups, key: Key) -> frozenset[str] | None:
    path = key[1]
    entries = cell(q, path, "all", "")
    if entries is None:
        return None
    found: set[str] = set()
    for entry in entries:
        if isinstance(entry, str):
            found.add(entry)
            continue
        module = _holder(q, path, entry[1].split("."))
        names = q.get(("exported", module[1])) if module is not None and module[0] == "m" else None
        if names is None:  # not known which: a name too many is read where it is used, one too few is lost
            return None
        found |= names
    return frozenset(found)


def _holder(q: Lookups, path: str, parts: list[str]) -> Val | None:
    """The module whose ``__all__`` is meant by ``module.__all__``, or by a name imported for it."""
    first, *rest = parts
    facts = cell(q, path, "name", "", first)
    if facts is None:  # a submodule of the package, imported by whoever
        module = q.get(("submodule", path, first))
    elif len(facts.versions) != 1 or facts.versions[0][0] != "import":
        return None
    else:
        e = facts.versions[0][1]
        if e[0] == "module":
            module = q.get(("import", path, 0, e[1]))
        else:
            module = q.get(("import", path, e[1], e[2]))
            if e[3] == "__all__":
                return module if not rest else None
            module = q.get(("submodule", module[1], e[3])) if module[0] == "m" else None
    for part in rest[:-1]:
        module = q.get(("submodule", module[1], part)) if module is not None and module[0] == "m" else None
    return module if rest and rest[-1] == "__all__" else None


RULES: dict[str, tuple[Any, Any]] = {"exported": (_rule_exported, frozenset())}
