"""go.mod: one module symbol as in any text, and the module path that import paths of the repository begin with."""

from __future__ import annotations

import re
from dataclasses import replace

from core.graph.facts import FileFacts
from core.graph.languages import text as plain

NAME = "go.mod"
EXTENSIONS = (".mod",)
_MODULE = re.compile(r'^[ \t]*module[ \t]*(?:\([ \t]*\n[ \t]*)?(?:"([^"\n]+)"|`([^`\n]+)`|([^\s"`(/][^\s"`(]*))', re.M)


def facts(text: str) -> FileFacts:
    """The facts of one go.mod; cell ("module", "", "") is its module path."""
    found = _MODULE.search(text)
    cells = {} if found is None else {("module", "", ""): found[1] or found[2] or found[3]}
    return replace(plain.facts(text), language=NAME, cells=cells)
