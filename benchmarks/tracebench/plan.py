"""In which order the simulated agent makes the changes, and where one edit burst ends.

In: the changes of a patch with their references. Out: bursts of changes. A file is finished from top to bottom; the
next file is, with probability ``follow``, one that a definition just changed leads to (it uses it or is used by it, by
the type checker's account), else the next in path order. Documentation comes last, tests are not in the patch.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.tracebench.changes import Change
from benchmarks.tracebench.gold import Reference, changed_names
from benchmarks.tracebench.parameters import Parameters
from core.tracebench.paths import path_kind

Burst = tuple[Change, ...]
COMMANDS = ("delete", "move")


def bursts(reference: Reference, changes: Sequence[Change], parameters: Parameters, dice: random.Random) -> list[Burst]:
    """The changes in the order they are made, cut into bursts of a geometric length.

    A burst goes on into the next file only with probability ``join``; removals and moves are commands, each alone.
    """
    kinds = {c: path_kind(c.new_path) for c in changes}
    source = [c for c in changes if kinds[c] == "source"]
    ordered = [c for path in file_order(reference, source, parameters, dice) for c in source if c.path == path]
    found: list[list[Change]] = []
    for change in ordered:
        last = found[-1][-1] if found else None
        goes_on = last is not None and last.kind not in COMMANDS and change.kind not in COMMANDS
        goes_on = goes_on and (last is None or last.path == change.path or dice.random() < parameters.join)
        if not goes_on or dice.random() < 1 / parameters.burst:
            found.append([])
        found[-1].append(change)
    if parameters.documentation:
        rest = [c for c in changes if kinds[c] == "documentation" and c.kind == "edit"]
        found += [[c for c in rest if c.path == path] for path in sorted({c.path for c in rest})]
    return [tuple(group) for group in found]


def file_order(
    reference: Reference, changes: Sequence[Change], parameters: Parameters, dice: random.Random
) -> list[str]:
    """The files in the order they are edited."""
    left = sorted({c.path for c in changes})
    near = neighbours(reference, changes)
    # A definition comes before its users, as a person would begin: the file most others lead to is first.
    order: list[str] = []
    while left:
        follows = dice.random() < parameters.follow
        linked = [p for done in reversed(order) for p in sorted(near.get(done, ())) if p in left] if follows else []
        chosen = linked[0] if linked else left[0]
        if not order and follows:
            chosen = max(left, key=lambda p: (len(near.get(p, ())), p))
        order.append(chosen)
        left.remove(chosen)
    return order


def neighbours(reference: Reference, changes: Sequence[Change]) -> dict[str, set[str]]:
    """Which changed files a reference between two changes links, both ways."""
    names = changed_names(changes, reference)
    home = {place: change.path for change, places in names.items() for place in places}
    near: dict[str, set[str]] = {}
    for change in changes:
        for place, _ in reference.referenced(change):
            other = home.get(place)
            if other is not None and other != change.path:
                near.setdefault(change.path, set()).add(other)
                near.setdefault(other, set()).add(change.path)
    return near
