"""One module a language, found by file name or extension; anything else is plain text.

A language module has ``NAME``, ``EXTENSIONS`` and ``facts(text) -> FileFacts``. A language with definitions
also has a linker: ``RULES`` for ``Lookups`` whose ``links``, ``use`` and ``reached`` say what each scope
reaches (see ``python.link``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from core.graph.facts import FileFacts
from core.graph.languages import text
from core.graph.languages.go import language as go_language
from core.graph.languages.go import mod as go_mod
from core.graph.languages.java import language as java_language
from core.graph.languages.javascript import config as javascript_config
from core.graph.languages.javascript import language as javascript_language
from core.graph.languages.javascript import typescript as typescript_language
from core.graph.languages.python import language as python_language
from core.graph.languages.rust import cargo as rust_cargo
from core.graph.languages.rust import language as rust_language


class Language(Protocol):
    """What every language module offers."""

    NAME: str

    def facts(self, text: str, /) -> FileFacts:
        """The facts of one text."""


LANGUAGES: Mapping[str, Language] = {
    **dict.fromkeys(python_language.EXTENSIONS, python_language),
    **dict.fromkeys(go_language.EXTENSIONS, go_language),
    **dict.fromkeys(go_mod.EXTENSIONS, go_mod),
    **dict.fromkeys(javascript_language.EXTENSIONS, javascript_language),
    **dict.fromkeys(typescript_language.EXTENSIONS, typescript_language),
    **dict.fromkeys(javascript_config.EXTENSIONS, javascript_config),
    **dict.fromkeys(java_language.EXTENSIONS, java_language),
    **dict.fromkeys(rust_language.EXTENSIONS, rust_language),
    **dict.fromkeys(rust_cargo.FILES, rust_cargo),
}


def language_of(path: str) -> Language:
    """The language of a path, by its whole name, then by its last extension; text when there is none for it."""
    name = path.rsplit("/", 1)[-1]
    _, dot, extension = name.rpartition(".")
    found = LANGUAGES.get(name) or (LANGUAGES.get(dot + extension.lower()) if dot else None)
    return found if found is not None else text
