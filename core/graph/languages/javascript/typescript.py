"""TypeScript: the facts of one file; the same cells as JavaScript's, linked by the same rules."""

from __future__ import annotations

from core.graph.facts import FileFacts
from core.graph.languages.javascript.language import facts_of

NAME = "typescript"
EXTENSIONS = (".ts", ".tsx", ".mts", ".cts")


def facts(text: str) -> FileFacts:
    """The facts of one TypeScript text; cost linear in it."""
    return facts_of(text, NAME)
