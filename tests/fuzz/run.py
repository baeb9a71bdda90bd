"""``python -m tests.fuzz.run --seconds N --seed S``: damaged inputs for as long as asked; prints what it finds.

Each input is made from one number, so a finding is repeated with ``--only NUMBER``. With STATETAPE_CORPUS set, small
runs of that folder are damaged too.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
import warnings
from pathlib import Path

from tests.fuzz.targets import Fuzz, seeds


def main() -> int:
    """1 when something was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", type=int)
    given = options.parse_args()
    corpus = os.environ.get("STATETAPE_CORPUS")
    fuzz = Fuzz(seeds(Path(corpus) if corpus else None))
    warnings.simplefilter("error")  # as in the tests: what Python thinks of a stranger's text is not said
    if given.only is not None:
        fuzz.one(given.only)
        return 0
    ends, number, found = time.monotonic() + given.seconds, given.seed * 1_000_000_000, 0
    while time.monotonic() < ends:
        try:
            fuzz.one(number)
        except Exception:
            found += 1
            sys.stdout.write(f"--only {number} {traceback.format_exc()[-1500:]}\n")
            sys.stdout.flush()
        number += 1
    tried = sum(fuzz.counts.values()) + found
    sys.stdout.write(f"{tried} inputs, {found} findings: {sorted(fuzz.counts.items())}\n")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
