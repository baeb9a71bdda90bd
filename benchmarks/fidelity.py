"""How well replay agrees with what runs saw: shown lines equal to w_t, over a folder of runs (METHOD 4).

``python -m benchmarks.fidelity FOLDER [NAME=BASE ...]``: NAME is a part of a file's name, BASE what ``--base`` takes;
runs that no NAME fits are replayed from what they themselves saw (``none``). One row a run, then the sum a kind of
base. ``first seen`` says how many of the files a run saw first its base holds as they were seen.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from core.errors import StateTapeError
from core.replay.base import load_base
from core.replay.replay import replay
from core.trajectory.load import discover, load

MATCHING = 0.95
"""A base matches when so much of what the run saw first is in it."""


def main(arguments: list[str]) -> int:
    """Prints the table; 1 when a matching base is below 99%, or another run below 95%."""
    if not arguments:
        print(__doc__)
        return 2
    bases = [pair.partition("=")[::2] for pair in arguments[1:]]
    sums: dict[str, list[int]] = {"matching base": [0, 0], "other base": [0, 0], "no base": [0, 0]}
    low = 0
    print("| run | steps | base | first seen | lines | equal | fidelity | not equal, by verdict |")
    print("|---|---|---|---|---|---|---|---|")
    for files in discover([Path(arguments[0])]):
        try:
            trajectory = load(files)
        except StateTapeError:
            continue
        source = files.path.name
        spec = next((base for part, base in bases if part in source), "none")
        result = replay(trajectory, load_base(spec, trajectory))
        if not result.compared:
            continue
        matched, compared = result.info.matched, result.info.compared
        kind = "no base" if spec == "none" else "matching base"
        if spec != "none" and matched < MATCHING * compared:
            kind = "other base"
        equal = sum(o.equal for o in result.observations)
        sums[kind][0] += result.compared
        sums[kind][1] += equal
        low += equal < (0.99 if kind == "matching base" else 0.95) * result.compared
        why: Counter[str] = Counter()
        for o in result.observations:
            if o.equal < o.compared:
                why[o.verdict] += o.compared - o.equal
        said = ", ".join(f"{verdict} {count}" for verdict, count in sorted(why.items()))
        seen = f"{matched}/{compared}" if spec != "none" else ""
        label = "none" if spec == "none" else result.info.label.split(",")[0]
        row = (
            source,
            len(trajectory.steps),
            label,
            seen,
            result.compared,
            equal,
            f"{equal / result.compared:.2%}",
            said,
        )
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    for kind, (lines, equal) in sums.items():
        if lines:
            print(f"| **{kind}** | | | | {lines} | {equal} | **{equal / lines:.2%}** | |")
    return int(low > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
