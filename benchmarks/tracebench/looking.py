"""What the simulated agent reads and searches before a burst: the edit sites, some of what they need, and more.

In: a burst and its gold in w_0. Out: calls on the recording. The over-reading is the point: whole files where a few
lines would do, files beside the one edited, searches that bring lines of other files, tests, and reading again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.tracebench import tests_output
from benchmarks.tracebench.changes import Change
from benchmarks.tracebench.gold import Reference, enclosing
from benchmarks.tracebench.parameters import Parameters
from benchmarks.tracebench.recording import Recording
from core.tracebench.paths import is_test
from core.tracebench.regions import GoldRegion

MOST_AHEAD = 6  # files of one topic read at its beginning


@dataclass(slots=True)
class Looking:
    """What was read so far: per path the version read and the lines of w_0 (origin) that were shown."""

    reference: Reference
    parameters: Parameters
    dice: random.Random
    recording: Recording
    seen: dict[str, list[tuple[int, frozenset[int]]]] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=dict)

    def explore(self) -> None:
        """The first look around: the top of the tree and a file list."""
        paths = self.recording.working.paths()
        top = sorted({p.split("/")[0] for p in paths})
        self.recording.bash("ls", "List the repository", "\n".join(top))
        package = self.reference.task.instance.repo.split("/")[1]
        listed = [p for p in paths if p.startswith(f"{package}/") and p.count("/") <= 1][:60]
        if listed:
            self.recording.bash(f"ls {package}", "List the package", "\n".join(p.split("/")[1] for p in listed))

    def ahead(self, topic: Sequence[Change]) -> None:
        """Some of the files of a topic, read when it begins."""
        firsts = {change.path: change for change in reversed(topic) if change.kind == "edit"}
        for path in sorted(firsts)[:MOST_AHEAD]:
            if self.dice.random() < self.parameters.ahead:
                self._sites([firsts[path]])

    def before(self, burst: Sequence[Change], needed: Sequence[GoldRegion]) -> None:
        """Everything read and searched before one burst."""
        path = burst[0].path
        if self.dice.random() < self.parameters.search:
            self._search(burst)
        self._sites([change for change in burst if change.kind == "edit"])
        for region in needed:
            unseen = region.rule != "G1" and not self._shown(region.path, region.start, region.end)
            if unseen and self.dice.random() < self.parameters.related:
                whole = self.dice.random() < self.parameters.related_whole
                self._read(region.path, region.start, region.end, whole)
        while self.dice.random() < self.parameters.neighbour / (1 + self.parameters.neighbour):
            self._neighbour(path)
        if self.dice.random() < self.parameters.read_test:
            test = tests_output.test_file(self.reference, path)
            if test is not None and test not in self.seen:
                self._read(test, 1, 1, whole=True)

    def note_whole(self, path: str) -> None:
        """A file the agent wrote itself is known to it."""
        self._note(path, 1, len(self.recording.working.lines(path)))

    def _sites(self, burst: Sequence[Change]) -> None:
        """Each edit site not shown yet is read; one shown before the file changed, perhaps again."""
        working = self.recording.working
        for change in burst:
            low = min(b.start for b in change.blocks)
            high = max(max(b.start, b.end) for b in change.blocks)
            now = working.now(change.path)
            if not working.exists(now):
                continue
            if self._shown(change.path, low, high):
                fresh = self.seen[now][-1][0] == working.version.get(now, 0)
                if fresh or self.dice.random() >= self.parameters.reread:
                    continue
            self._read(change.path, low, high, whole=False)

    def _read(self, path: str, low: int, high: int, whole: bool) -> None:
        """Reads around lines ``low..high`` of w_0, or the whole file when it is short or ``whole``."""
        working = self.recording.working
        now = working.now(path)
        if not working.exists(now):
            return
        count = len(working.lines(now))
        place = working.place(path, low, high) or (min(low, count), min(high, count))
        if count <= self.parameters.whole or (whole and count <= 3 * self.parameters.whole):
            self._note(now, *self.recording.read(now))
            return
        start = max(1, place[0] - self.dice.randint(self.parameters.window // 3, self.parameters.window))
        end = min(count, place[1] + self.dice.randint(self.parameters.window // 3, self.parameters.window))
        self._note(now, *self.recording.read(now, start, end))

    def _note(self, path: str, start: int, end: int) -> None:
        working = self.recording.working
        origins = frozenset(line.origin for line in working.lines(path)[start - 1 : end] if line.origin)
        self.seen.setdefault(path, []).append((working.version.get(path, 0), origins))

    def _shown(self, path: str, low: int, high: int) -> bool:
        """Whether lines of w_0 that still stand were all shown at some time."""
        working = self.recording.working
        now = working.now(path)
        if now not in self.seen or not working.exists(now):
            return False
        standing = {line.origin for line in working.lines(now) if low <= line.origin <= high}
        return standing <= frozenset().union(*(origins for _, origins in self.seen[now]))

    def _search(self, burst: Sequence[Change]) -> None:
        """A search for the name of a definition the burst changes, over the tree as it is."""
        names = [d.short for change in burst for d in enclosing(self.reference, change)]
        name = names[0] if names else burst[0].path.rsplit("/", 1)[-1].removesuffix(".py")
        working = self.recording.working
        found = []
        for path in working.paths():
            if path.endswith(".py") and name in (text := working.text(path)):
                found += [f"{path}:{n}:{line}" for n, line in enumerate(text.split("\n"), 1) if name in line]
            if len(found) > self.parameters.search_lines:
                break
        self.recording.grep(name, found, self.parameters.search_lines)

    def _neighbour(self, path: str) -> None:
        """Reads a file beside the edited one or one that uses it, at a place the dice choose."""
        working = self.recording.working
        folder = path.rpartition("/")[0]
        near = [p for p in working.paths() if p.endswith(".py") and p.rpartition("/")[0] == folder and p != path]
        near += self._users(path)
        near = [p for p in near if working.exists(p)]
        if near:
            chosen = self.dice.choice(near)
            line = self.dice.randint(1, max(1, len(working.lines(chosen))))
            self._read(chosen, line, line, whole=self.dice.random() < 0.5)

    def _users(self, path: str) -> list[str]:
        """Source files that use something ``path`` defines."""
        if path not in self.users:
            old = self.reference.old(path)
            lines = [d.line for d in old.definitions] if old is not None else []
            found = {user for line in lines for user, _ in self.reference.users.get((path, line), ())}
            self.users[path] = sorted(p for p in found if p != path and not is_test(p))
        return self.users[path]
