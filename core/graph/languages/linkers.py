"""One linker and one layout a language, behind the names that the language-neutral part asks for.

``SHARED`` rules are answered by the linker of the language of their path (element 1 of the key):

    links(path, scope)  use(path, name)  reached(path, scope)      see ``python_link``
    imported(path, e)   bases(path, class)                          targets of an import, of the bases
    overrides(path, class, method)  overridden(path, class, method) what takes its place, whose place it takes

All other rules have names of their own in each language (``go...``: Go).
"""

from __future__ import annotations

from typing import Any

from core.graph.languages import go, go_link, go_mod, language_of, python, python_rules
from core.graph.languages.go_layout import INPUTS as GO_INPUTS
from core.graph.languages.go_layout import Layout as GoLayout
from core.graph.languages.python_layout import Layout as PythonLayout
from core.graph.lookups import Key, Lookups, Rule

SHARED = ("links", "use", "reached", "imported", "bases", "overrides", "overridden")
_LINKERS: dict[str, dict[str, tuple[Any, Any]]] = {python.NAME: python_rules.RULES, go.NAME: go_link.RULES}


def _dispatch(name: str) -> tuple[Rule, Any]:
    rules: dict[str, Rule] = {language: found[name][0] for language, found in _LINKERS.items()}
    bottom = python_rules.RULES[name][1]

    def rule(q: Lookups, key: Key) -> Any:
        found = rules.get(language_of(key[1]).NAME)
        return found(q, key) if found is not None else bottom

    return rule, bottom


RULES: dict[str, tuple[Any, Any]] = {
    **{name: rule for rules in _LINKERS.values() for name, rule in rules.items()},
    **{name: _dispatch(name) for name in SHARED},
}


class Layout:
    """Where the modules of each language are; every change returns the inputs whose values may have moved."""

    def __init__(self) -> None:
        self._python = PythonLayout()
        self._go = GoLayout()

    def _of(self, path: str) -> PythonLayout | GoLayout:
        return self._go if path.endswith((*go.EXTENSIONS, *go_mod.EXTENSIONS)) else self._python

    def add(self, path: str) -> set[Key]:
        """A file of a language with definitions appeared."""
        return self._of(path).add(path)

    def remove(self, path: str) -> set[Key]:
        """A file of a language with definitions went."""
        return self._of(path).remove(path)

    def read(self, key: Key) -> object:
        """The value of one of the layouts' inputs."""
        return self._go.read(key) if key[0] in GO_INPUTS else self._python.read(key)
