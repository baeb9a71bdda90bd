"""In which order the simulated agent makes the changes, and where one edit burst ends.

In: the changes of a patch with their references. Out: bursts, and topics. A SWE-EVO patch is many pull
requests in one: changes that lead to each other (one uses a definition another changes, by the type checker's account)
are one topic, the unlinked changes of a file another, and the topics come in an order the dice choose. So a file is
left and returned to. A run that does not go by topics (``follow``) goes file by file.
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


def plan(
    reference: Reference, changes: Sequence[Change], parameters: Parameters, dice: random.Random
) -> tuple[list[Burst], dict[Change, list[Change]]]:
    """The bursts in order, of a geometric length, and each source topic by its first change.

    Moves come first, since what is edited later goes by the new name; documentation comes last. A burst goes on into
    the next file only with probability ``join``; removals and moves are commands, each alone.
    """
    source = [c for c in changes if path_kind(c.new_path) == "source" and c.kind != "move"]
    groups = topics(reference, source) if dice.random() < parameters.follow else _by_path(source)
    dice.shuffle(groups)
    found: list[list[Change]] = [[c] for c in changes if c.kind == "move"]
    for change in (c for group in groups for c in group):
        last = found[-1][-1] if found else None
        goes_on = last is not None and last.kind not in COMMANDS and change.kind not in COMMANDS
        goes_on = goes_on and (last is None or last.path == change.path or dice.random() < parameters.join)
        if not goes_on or dice.random() < 1 / parameters.burst:
            found.append([])
        found[-1].append(change)
    if parameters.documentation:
        found += _by_path([c for c in changes if path_kind(c.new_path) == "documentation" and c.kind == "edit"])
    return [tuple(group) for group in found], {group[0]: group for group in groups}


def topics(reference: Reference, changes: Sequence[Change]) -> list[list[Change]]:
    """The linked changes together, the unlinked ones of a file together, each by (path, line)."""
    names = changed_names(changes, reference)
    home: dict[tuple[str, int], list[Change]] = {}
    for change, places in names.items():
        for place in sorted(places):
            home.setdefault(place, []).append(change)
    leader = {change: change for change in changes}

    def top(change: Change) -> Change:
        while leader[change] is not change:
            leader[change] = leader[leader[change]]
            change = leader[change]
        return change

    for others in home.values():
        for other in others[1:]:
            leader[top(other)] = top(others[0])
    for change in changes:
        for place, kind in reference.referenced(change):
            # Naming or importing alone would tie every user of a package into one topic.
            for other in home.get(place, ())[:1] if kind in ("call", "constructor", "inherits") else ():
                leader[top(change)] = top(other)
    groups: dict[Change, list[Change]] = {}
    for change in changes:
        groups.setdefault(top(change), []).append(change)
    linked = [group for group in groups.values() if len(group) > 1]
    single = [group[0] for group in groups.values() if len(group) == 1]
    return linked + _by_path(single)


def _by_path(changes: Sequence[Change]) -> list[list[Change]]:
    return [[c for c in changes if c.path == path] for path in sorted({c.path for c in changes})]
