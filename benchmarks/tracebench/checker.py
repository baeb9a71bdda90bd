"""EDGE: runs the type checker over one repository state and keeps what it found by the hash of the texts.

In: the Python texts of a state. Out: ``Relations``. The checker is installed once, from the package index pip is
set to, into an environment of its own inside the cache folder; the analysed code is never imported or run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.tracebench.relations import FORMAT, Relations, read_report, restore, save

VERSION = "1.5.0"
_FLAGS = (
    "--report-pysa-format", "json", "--check-unannotated-defs=true", "--infer-return-types", "checked",
    "--skip-interpreter-query", "--python-version", "3.11", "--min-severity", "error", "--output-format", "omit-errors",
)  # fmt: skip
_MEMORY = "/dev/shm"


def install(cache: Path) -> Path:
    """The checker's program, installed on first use."""
    program = cache / f"pyrefly-{VERSION}" / "bin" / "pyrefly"
    if not program.is_file():
        folder = program.parents[1]
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", f"pyrefly=={VERSION}"]
        subprocess.run(pip, check=True)
    return program


def analyse_state(texts: Mapping[str, str], cache: Path, threads: int = 1) -> Relations:
    """The relations of a state given by its Python texts; seconds to a minute the first time, then read back."""
    kept = cache / f"relations-{FORMAT}" / f"{_digest(texts)}.json.gz"
    found = restore(kept)
    if found is None:
        found = _run(texts, install(cache), threads)
        save(found, kept)
    return found


def _run(texts: Mapping[str, str], program: Path, threads: int) -> Relations:
    # A report is tens of megabytes in hundreds of small files: in memory where the system has such a folder.
    with tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as folder:
        root, report = Path(folder).resolve() / "state", Path(folder).resolve() / "report"
        for path, text in texts.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        (root / "pyrefly.toml").write_text('project-includes = ["**/*.py"]\nproject-excludes = []\n')
        command = [str(program), "check", "--report-pysa", str(report), *_FLAGS, "--threads", str(threads)]
        # The exit code says whether the code has type errors, which is nothing to us.
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, env={**os.environ, "HOME": folder}, check=False
        )
        if not (report / "pyrefly.pysa.json").is_file():
            raise RuntimeError(f"pyrefly wrote no report: {done.stderr[-500:]}")
        return read_report(report, root)


def _digest(texts: Mapping[str, str]) -> str:
    digest = hashlib.blake2b(f"{VERSION} {' '.join(_FLAGS)}".encode(), digest_size=16)
    for path in sorted(texts):
        body = texts[path].encode("utf-8", "surrogatepass")
        digest.update(f"\0{path}\0{len(body)}\0".encode("utf-8", "surrogatepass") + body)
    return digest.hexdigest()
