"""Stage 1: paths of a transcript made absolute. Pure text: nothing here touches the disk."""

from __future__ import annotations

import ntpath
import posixpath
import re

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def absolute(path: str, cwd: str) -> str:
    """``path`` against ``cwd``, normalised, with forward slashes when either is a Windows path; "" stays ""."""
    if not path:
        return ""
    if _WINDOWS.match(path) or (_WINDOWS.match(cwd) and not path.startswith(("/", "~"))):
        return ntpath.normpath(ntpath.join(cwd, path)).replace("\\", "/")
    if path.startswith(("/", "~")):
        return path if "/." not in path and "//" not in path else posixpath.normpath(path)
    return posixpath.normpath(posixpath.join(cwd, path))
