"""Packages to measure on: wheels fetched by name when a benchmark runs, or folders; nothing of them is kept."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def sources(folder: Path) -> dict[str, str]:
    """The Python files of a folder by relative path."""
    found = sorted(p for p in folder.rglob("*.py") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8", errors="replace") for p in found}


def extracted(requirement: str, into: Path) -> Path:
    """``into``, filled with the files of the wheel that pip downloads for ``requirement``."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "-d", folder, requirement], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(into)
    return into


def fetched(requirement: str) -> dict[str, str]:
    """The Python files of a wheel that pip downloads."""
    with tempfile.TemporaryDirectory() as folder:
        return sources(extracted(requirement, Path(folder)))
