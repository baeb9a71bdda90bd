"""Verbs: what they print and write, exit codes, and how hostile text is shown on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import InputError

DONE, REFUSED, USAGE = 0, 1, 2


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Rows for people; what a transcript says cannot move the cursor or start a line."""
    cells = [columns, *([cell(row[name]) for name in columns] for row in rows)]
    widths = [max(len(line[n]) for line in cells) for n in range(len(columns))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    return plain(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def plain(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(message: str) -> None:
    print(plain(message), file=sys.stderr)


def print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
