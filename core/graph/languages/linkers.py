"""One linker and one layout a language, behind the names that the language-neutral part asks for.

``SHARED`` rules are answered by the linker of the language of their path (element 1 of the key):

    links(path, scope)  use(path, name)  reached(path, scope)      see ``python.link``
    imported(path, e)   bases(path, class)                          targets of an import, of the bases
    overrides(path, class, method)  overridden(path, class, method) what takes its place, whose place it takes

All other rules have names of their own in each language (``go...``: Go).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from core.graph.languages import language_of
from core.graph.languages.go import language as go
from core.graph.languages.go import layout as go_layout
from core.graph.languages.go import link as go_link
from core.graph.languages.go import mod as go_mod
from core.graph.languages.java import language as java
from core.graph.languages.java import layout as java_layout
from core.graph.languages.java import link as java_link
from core.graph.languages.javascript import config as javascript_config
from core.graph.languages.javascript import language as javascript
from core.graph.languages.javascript import layout as javascript_layout
from core.graph.languages.javascript import link as javascript_link
from core.graph.languages.javascript import typescript
from core.graph.languages.python import language as python
from core.graph.languages.python import layout as python_layout
from core.graph.languages.python import rules as python_rules
from core.graph.languages.rust import cargo as rust_cargo
from core.graph.languages.rust import language as rust
from core.graph.languages.rust import layout as rust_layout
from core.graph.languages.rust import link as rust_link
from core.graph.lookups import Key, Lookups, Rule

SHARED = ("links", "use", "reached", "imported", "bases", "overrides", "overridden")


class FileLayout(Protocol):
    """Where the files of one language are; every change returns the inputs whose values may have moved."""

    def add(self, path: str, /) -> set[Key]: ...
    def remove(self, path: str, /) -> set[Key]: ...
    def read(self, key: Key, /) -> object: ...


class Linker(NamedTuple):
    """What links the files of the languages called ``names``; ``inputs`` are what its layout answers."""

    names: tuple[str, ...]
    rules: Mapping[str, tuple[Any, Any]]
    layout: type[FileLayout]
    inputs: frozenset[str]


LINKERS: tuple[Linker, ...] = (
    Linker((python.NAME,), python_rules.RULES, python_layout.Layout, python_layout.INPUTS),
    Linker((go.NAME, go_mod.NAME), go_link.RULES, go_layout.Layout, go_layout.INPUTS),
    Linker(
        (javascript.NAME, typescript.NAME, javascript_config.NAME),
        javascript_link.RULES,
        javascript_layout.Layout,
        javascript_layout.INPUTS,
    ),
    Linker((java.NAME,), java_link.RULES, java_layout.Layout, java_layout.INPUTS),
    Linker((rust.NAME, rust_cargo.NAME), rust_link.RULES, rust_layout.Layout, rust_layout.INPUTS),
)


def _dispatch(name: str) -> tuple[Rule, Any]:
    rules: dict[str, Rule] = {n: linker.rules[name][0] for linker in LINKERS for n in linker.names}
    bottom = python_rules.RULES[name][1]

    def rule(q: Lookups, key: Key) -> Any:
        found = rules.get(language_of(key[1]).NAME)
        return found(q, key) if found is not None else bottom

    return rule, bottom


RULES: dict[str, tuple[Any, Any]] = {
    **{name: rule for linker in LINKERS for name, rule in linker.rules.items()},
    **{name: _dispatch(name) for name in SHARED},
}


class Layout:
    """Where the modules of each language are; every change returns the inputs whose values may have moved."""

    def __init__(self) -> None:
        made = [(linker, linker.layout()) for linker in LINKERS]
        self._by_language = {name: layout for linker, layout in made for name in linker.names}
        self._by_input = {name: layout for linker, layout in made for name in linker.inputs}

    def add(self, path: str) -> set[Key]:
        """A file of a language with definitions appeared."""
        return self._by_language[language_of(path).NAME].add(path)

    def remove(self, path: str) -> set[Key]:
        """A file of a language with definitions went."""
        return self._by_language[language_of(path).NAME].remove(path)

    def read(self, key: Key) -> object:
        """The value of one of the layouts' inputs."""
        return self._by_input[key[0]].read(key)
