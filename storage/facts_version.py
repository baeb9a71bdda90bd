"""Stage 8: which program an entry of the shelf is of use to: a hash of everything that reads and links code."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import sys
from functools import lru_cache
from pathlib import Path

READERS = ("core/graph/**/*.py", "core/content.py", "core/replay/lines.py")  # the code on which entries depend
_ROOT = Path(__file__).resolve().parents[1]


@lru_cache(maxsize=1)
def version() -> str:
    """16 hex digits that differ when anything does on which facts or links of the same text could depend."""
    found = hashlib.blake2b(digest_size=8)
    found.update(repr(sys.version_info[:2]).encode())  # the builtins Python code is read with
    for name in sorted({d.name.lower() for d in importlib.metadata.distributions() if _grammar(d.name)}):
        found.update(f"{name} {importlib.metadata.version(name)}\n".encode())
    for pattern in READERS:
        for path in sorted(_ROOT.glob(pattern)):
            found.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _grammar(name: str | None) -> bool:
    return re.match(r"tree[-_]sitter", name or "", re.IGNORECASE) is not None
