"""Replay: what a run saw of each file before anything wrote it, the evidence for its base (METHOD 4).

In: a trajectory. Out: one ``FirstSight`` a file, with the relative paths it may have in a repository.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.replay.fidelity import agrees
from core.replay.paths import IGNORED, clean_path
from core.trajectory.steps import Shown, Trajectory

MAX_SIGHTS = 400


@dataclass(frozen=True, slots=True)
class FirstSight:
    """What was first seen of a file; ``candidates`` are its possible repository paths, the likeliest first."""

    path: str
    candidates: tuple[str, ...]
    lines: tuple[str, ...]
    whole: bool
    shown: Shown

    def agrees(self, text: str) -> bool:
        """Whether the view is a true view of ``text``."""
        return agrees(self.shown, text)


def first_sights(trajectory: Trajectory) -> tuple[FirstSight, ...]:
    """First sights of files nothing had written, in order of path.

    A whole view wins over an earlier partial one, and of partial ones the longest: a search hit stands in many commits.
    """
    written: set[str] = set()
    found: dict[str, Shown] = {}
    folders = {clean_path(step.cwd).rstrip("/") for step in trajectory.steps} | {clean_path(trajectory.cwd).rstrip("/")}
    for step in trajectory.steps:
        for shown in step.shown:
            path = clean_path(shown.path)
            before = shown.source in ("read", "cat", "search", "original", "attachment")
            if path in written or not before or not (shown.lines or shown.whole):
                continue
            known = found.get(path)
            if known is None or _tells_more(shown, known):
                found[path] = shown
        for write in step.writes:
            written.update(clean_path(p) for p in (write.path, write.target) if p)
    sights = []
    for path, shown in sorted(found.items())[:MAX_SIGHTS]:
        candidates = _candidates(path, folders)
        if candidates:
            sights.append(FirstSight(path, candidates, shown.lines, shown.whole, shown))
    return tuple(sights)


def _tells_more(shown: Shown, known: Shown) -> bool:
    return (shown.whole, len(shown.lines)) > (known.whole, len(known.lines)) and not known.whole


def _candidates(path: str, folders: set[str]) -> tuple[str, ...]:
    """Relative to a working folder first, then to each folder above it, the nearest first."""
    roots = sorted((f for f in folders if f and path.startswith(f + "/")), key=lambda f: (len(f), f))
    parts = path.strip("/").split("/")
    if IGNORED & set(parts) or len(parts) > 40:
        return ()
    direct = [path[len(root) + 1 :] for root in roots]
    suffixes = ["/".join(parts[at:]) for at in range(len(parts))]
    if not roots and folders != {""}:
        return ()
    return (
        tuple(dict.fromkeys([*direct, *suffixes])) if roots else tuple("/".join(parts[at:]) for at in range(len(parts)))
    )
