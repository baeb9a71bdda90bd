"""Live, EDGE: reading what may be anything: only regular files are read, links are not followed, nothing blocks."""

from __future__ import annotations

import os
import stat


def regular(path: str, most: int, folder: int | None = None, start: int = 0) -> tuple[os.stat_result, bytes]:
    """How a regular file is, and at most ``most`` bytes of it from ``start``; ``folder`` is that of a relative path.

    Raises OSError, also for a link, a folder, a pipe or a device.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "not a regular file")
        os.lseek(handle, start, os.SEEK_SET)
        parts, left = [], most
        while left > 0 and (part := os.read(handle, min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(handle)
    return info, b"".join(parts)
