"""A run driven by a test up to a moment: the driver of the tape tests over the real graph, with its steps kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.context.moment import BUDGET, Moment, moment_at
from core.graph.graph import CodeGraph
from core.options import Options
from core.records.record import Record
from core.replay.world import BaseInfo, FileWrite, History, Replay, Sight
from core.tracebench.bursts import Burst
from core.tracebench.carry import Carrier
from core.tracebench.measure import measure
from core.tracebench.points import DecisionPoint, Point
from core.tracebench.regions import GoldRegion, Labels
from core.trajectory.steps import Step, Trajectory, Usage
from tests.tape.driver import Driver


class Scene(Driver):
    """Feed it steps; ``moment`` is what a policy sees now, ``point`` what a judge would measure now."""

    def __init__(self, files: dict[str, str], options: Options | None = None, task: str = "") -> None:
        options = options or Options()
        super().__init__(files, options, CodeGraph(files, options))
        self.base = dict(files)
        self.task = task
        self.steps: list[Step] = []
        self.file_writes: list[FileWrite] = []
        self.usages: list[Usage] = []
        self.message = ""

    def step(
        self,
        step: Step,
        sights: Sequence[Sight],
        changes: dict[str, str | None] | None = None,
        opaque: Sequence[str] = (),
    ) -> Record:
        before = dict(self.texts[-1])
        step = replace(step, message_id=self.message or f"m{step.t}")
        self.steps.append(step)
        for path, text in (changes or {}).items():
            self.file_writes.append(FileWrite(step.t, step.t, path, before.get(path), text, "edit", "Edit"))
        return super().step(step, sights, changes, opaque)

    def user(self, text: str) -> Record:
        return self.step(Step(self.t + 1, "say", "user", "", "", text, neutral=True), [])

    def say(self, text: str) -> Record:
        return self.step(Step(self.t + 1, "say", "assistant", "", "", text, neutral=True), [])

    def run(self, command: str, text: str) -> Record:
        return self.step(Step(self.t + 1, "run", "assistant", "Bash", "{}", text, command=command), [])

    def find(self, text: str) -> Record:
        """A search that shows no content."""
        return self.step(Step(self.t + 1, "search", "assistant", "Glob", "{}", text, command="find"), [])

    def billed(self, tokens: int) -> None:
        self.usages.append(Usage(self.t + 1, f"m{self.t + 1}", "model", tokens, 0, 0, 0, 1))

    def trajectory(self) -> Trajectory:
        steps = tuple(self.steps)
        return Trajectory("run", "run", "made", "", (), "", "", "", "", self.task, steps, tuple(self.usages))

    def moment(self, budget: int = BUDGET) -> Moment:
        return moment_at(
            self.t, self.held, self.trajectory(), self.tape, self.graph, self.text_at, self.options, budget
        )

    def carrier(self) -> Carrier:
        return Carrier(
            History(Replay(self.base, BaseInfo("none", "made"), tuple(self.file_writes), (), ()), "known_at")
        )

    def point(self, *regions: tuple[str, str, int, int], carrier: Carrier | None = None) -> DecisionPoint:
        """The point at this moment with gold regions (rule, path, start, end) of w_t."""
        gold = tuple(GoldRegion(rule, path, start, end, "") for rule, path, start, end in regions)  # type: ignore[arg-type]
        stale = {r.id for r in self.held if self.status(r) in ("text-stale", "view-stale", "state-stale")}
        burst = Burst(self.t + 1, self.t + 1, (self.t + 1,))
        where = Point(self.t, "P", burst, edits=len(self.file_writes), merged=0)
        return measure(where, list(self.held), stale, Labels(gold, "hindsight", self.t), carrier or self.carrier())
