"""The Python linker as the language-neutral part asks it: the rules of ``languages.SHARED``, by their shared names.

In: ``python.link``. Out: ``RULES``, with three questions more that the graph and its references ask of every
language: ("imported", path, e), ("bases", path, class), ("overridden", path, class, method).
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.python import link as python_link
from core.graph.languages.python import uses as python_uses
from core.graph.languages.python.static import bases_of
from core.graph.lookups import Key, Lookups


def _rule_imported(q: Lookups, key: Key) -> tuple[Any, ...]:
    """What one imported name is, as targets."""
    return tuple(python_uses.import_targets(q, key[1], key[2]))


def _rule_bases(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The direct bases of a class that are classes of the repository, in order."""
    return tuple(b[1:3] for b in bases_of(q, key[1], key[2]) if b[0] == "c")


def _rule_overridden(q: Lookups, key: Key) -> tuple[Any, ...]:
    """The methods of base classes that a method takes the place of, nearest first in the MRO."""
    _, path, cls, name = key
    found: list[Any] = []
    for base in q.get(("order", path, cls))[1:]:
        if base[0] == "c":
            values = q.get(("own", base[1], base[2], name))
            found += [v[1:3] for v in sorted(values) if v[0] == "f"]
    return tuple(found)


RULES: dict[str, tuple[Any, Any]] = {
    **python_link.RULES,
    "imported": (_rule_imported, ()),
    "bases": (_rule_bases, ()),
    "overridden": (_rule_overridden, ()),
}
