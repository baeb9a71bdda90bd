"""``python -m benchmarks``: every measurement that needs nothing but the project, one after the other."""

from __future__ import annotations

import subprocess
import sys

MEASUREMENTS = (
    ("ingest", ["benchmarks.ingest", "20"], "parse, tokenise, analyse and save a generated session of 20 MB"),
    ("tape", ["benchmarks.tape"], "one write's cost as the repository grows"),
    ("save", ["benchmarks.save", "10000"], "rows and megabytes stored a second"),
    ("pages", ["benchmarks.pages", "10000"], "first page, step change and DOM nodes of a long run in a real browser"),
)


def main() -> int:
    """Run them all; 1 if one failed."""
    failed = 0
    for name, module, says in MEASUREMENTS:
        print(f"## {name}: {says}", flush=True)
        failed |= subprocess.run([sys.executable, "-m", *module], check=False).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
