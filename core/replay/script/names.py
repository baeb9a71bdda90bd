"""Replay, script, part 7: every name of Python's own that a script may use.

In: a dotted name ("open", "re.sub", "os.path.join"). Out: its function or value. A name that is not in ``FUNCTIONS``
or ``CONSTANTS`` is ``NotKnown``; nothing is looked up anywhere else.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from core.replay.script.builtins import BUILTINS
from core.replay.script.context import Context, Function, plain, text
from core.replay.script.data import DATA
from core.replay.script.patterns import PATTERNS
from core.replay.script.system import SYSTEM


def _dedented(context: Context, source: str) -> str:
    """``textwrap.dedent``: the white space that all lines with other characters begin with is taken away."""
    context.meter.text(4 * len(source))
    lines = source.split("\n")
    heads = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip(" \t")]
    common = posixpath.commonprefix(heads)
    return "\n".join(line[len(common) :] if line.strip(" \t") else "" for line in lines)


def _indented(context: Context, source: str, prefix: str) -> str:
    """``textwrap.indent``: the prefix stands before every line that is not blank."""
    lines = source.splitlines(keepends=True)
    context.meter.text(2 * len(source) + len(lines) * len(prefix))
    return "".join(prefix + line if line.strip() else line for line in lines)


FUNCTIONS: dict[str, Function] = {
    **BUILTINS,
    **SYSTEM,
    **PATTERNS,
    **DATA,
    "textwrap.indent": plain((2,))(lambda c, g: _indented(c, text(g[0]), text(g[1]))),
    "textwrap.dedent": plain((1,))(lambda c, g: _dedented(c, text(g[0]))),
}
CONSTANTS: dict[str, Any] = {
    **{f"re.{name}": int(getattr(re, name)) for name in ("I", "M", "S", "X", "A", "U")},
    "re.IGNORECASE": int(re.I),
    "re.MULTILINE": int(re.M),
    "re.DOTALL": int(re.S),
    "re.VERBOSE": int(re.X),
    "os.sep": "/",
    "os.linesep": "\n",
    "__name__": "__main__",
}
MODULES = frozenset({"re", "os", "os.path", "sys", "io", "pathlib", "shutil", "textwrap", "json", "str"})
