"""The simulated agent: reads what a change needs and more, edits burst by burst, tests, errs and undoes.

In: a task, its reference relations, parameters. Out: ``Simulated``: the session, and at each decision point the gold
regions where they stand in w_t. It is driven by the reference patch, so it never searches in vain for long and
never solves the task another way: a simulation of what a context holds, not of how an agent thinks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.tracebench import tests_output
from benchmarks.tracebench.changes import Change, changes
from benchmarks.tracebench.gold import Reference, gold
from benchmarks.tracebench.looking import Looking
from benchmarks.tracebench.parameters import Parameters
from benchmarks.tracebench.plan import COMMANDS, Burst, plan
from benchmarks.tracebench.recording import Recording, begin
from benchmarks.tracebench.working import Edit, Working
from core.tracebench.points import Rule
from core.tracebench.regions import GoldRegion


@dataclass(frozen=True, slots=True)
class Label:
    """One gold region of the decision point after step ``t``, in the lines of w_t."""

    t: int
    rule: Rule
    path: str
    start: int
    end: int
    why: str
    symbol: str


@dataclass(frozen=True, slots=True)
class Simulated:
    """A session with its labels by (t, rule, place); ``points`` are the steps before each burst, gold or not."""

    session: str
    labels: tuple[Label, ...]
    points: tuple[int, ...]
    made: int
    left: int


@dataclass(slots=True)
class Agent:
    """One run in progress."""

    reference: Reference
    parameters: Parameters
    dice: random.Random
    recording: Recording
    looking: Looking
    labels: list[Label] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    made: int = 0
    last: str = ""


def simulate(reference: Reference, parameters: Parameters, seed: int) -> Simulated:
    """The session of one instance: the same bytes for the same task, parameters and seed."""
    instance = reference.task.instance
    dice = random.Random(f"{seed}:{instance.id}")
    working = Working(reference.task.texts)
    recording = begin(instance.id, instance.repo.split("/")[1], parameters.version, working, seed)
    agent = Agent(reference, parameters, dice, recording, Looking(reference, parameters, dice, recording))
    planned = changes(reference.task)
    recording.user(f"{instance.problem}\n\n(instance {instance.id}, simulated)")
    agent.looking.explore()
    ordered, topics = plan(reference, planned, parameters, dice)
    for burst in ordered:
        if agent.made >= parameters.most_changes or recording.t >= parameters.most_steps:
            break
        for change in burst:
            agent.looking.ahead(topics.get(change, ()))
        _burst(agent, burst)
    if agent.last:
        _test(agent, fails=False)
    recording.close("The changes are made and the last test run passed.")
    points = tuple(dict.fromkeys(agent.points))
    labels = _unique(agent.labels)
    return Simulated(recording.session.text(), labels, points, agent.made, len(planned) - agent.made)


def _unique(labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels by (t, rule, place), each place of a point once, under the first rule."""
    kept: dict[tuple[int, str, int, int], Label] = {}
    for label in sorted(labels, key=lambda g: (g.t, g.rule, g.path, g.start, g.end, g.why)):
        kept.setdefault((label.t, label.path, label.start, label.end), label)
    return tuple(kept.values())


def _burst(agent: Agent, burst: Burst) -> None:
    first = burst[0]
    if first.kind in COMMANDS:
        _command(agent, first)
        return
    needed = [region for change in burst for region in gold(agent.reference, change)]
    if agent.dice.random() < agent.parameters.say:
        agent.recording.say(f"Next: {first.path}, {len(burst)} change(s).")
    agent.looking.before(burst, needed)
    if agent.recording.last_was_edit:
        agent.recording.bash("git diff --stat", "Show what changed so far", f" {agent.last} | changed")
    wrong = first.kind == "edit" and agent.dice.random() < agent.parameters.wrong
    if wrong and _wrong(agent, burst, needed):
        return
    _make(agent, burst, needed)
    if agent.last and agent.dice.random() < agent.parameters.test:
        _test(agent, agent.dice.random() < agent.parameters.test_fails)


def _make(agent: Agent, burst: Sequence[Change], needed: Sequence[GoldRegion]) -> None:
    """The edits of a burst, back to back; its gold is placed before the first."""
    placed = _placed(agent, needed)
    t = agent.recording.t + bool(agent.recording.sentence)
    done = 0
    for change in burst:
        if change.kind == "create":
            agent.recording.write(change.new_path, agent.reference.task.patched[change.new_path])
            agent.looking.note_whole(change.new_path)
        else:
            edit = agent.recording.working.edit(change)
            if edit is None:
                continue
            agent.recording.edit(edit)
        agent.last = agent.recording.working.now(change.path)
        done += 1
    agent.made += done
    if done:
        agent.points.append(t)
        agent.labels += [Label(t, *region) for region in placed]


def _wrong(agent: Agent, burst: Sequence[Change], needed: Sequence[GoldRegion]) -> bool:
    """The first change made without its last new line, a failing test, the edit undone and the burst made rightly."""
    edit = agent.recording.working.edit(burst[0])
    if edit is None or len(edit.after) < 4:
        return False
    short = [line for n, line in enumerate(edit.after) if n != len(edit.after) - 2]
    poor = Edit(edit.path, edit.old, "\n".join(x.text for x in short), edit.start, edit.end, tuple(short))
    before = tuple(agent.recording.working.lines(edit.path)[edit.start - 1 : edit.end])
    text = agent.recording.working.text(edit.path).replace(poor.old, poor.new, 1)
    if poor.new == poor.old or text.count(poor.new) != 1:
        return False
    t = agent.recording.t + bool(agent.recording.sentence)
    agent.points.append(t)
    agent.labels += [Label(t, *region) for region in _placed(agent, gold(agent.reference, burst[0]))]
    agent.recording.edit(poor)
    agent.last = edit.path
    _test(agent, fails=True)
    # The undoing and the right edits are one burst: what it needs stands where the wrong edit left it.
    placed = _placed(agent, needed)
    t = agent.recording.t
    agent.points.append(t)
    agent.labels += [Label(t, *region) for region in placed]
    end = poor.start + len(short) - 1
    agent.recording.edit(Edit(edit.path, poor.new, poor.old, poor.start, end, before))
    points, labels = len(agent.points), len(agent.labels)
    _make(agent, burst, ())
    del agent.points[points:], agent.labels[labels:]
    _test(agent, fails=False)
    return True


def _placed(agent: Agent, regions: Sequence[GoldRegion]) -> list[tuple[Rule, str, int, int, str, str]]:
    """The regions where they stand now; those of which nothing is left are nobody's need."""
    working = agent.recording.working
    found = []
    for region in regions:
        at = working.place(region.path, region.start, region.end)
        if at is not None:
            found.append((region.rule, working.now(region.path), *at, region.why, region.symbol))
    return found


def _command(agent: Agent, change: Change) -> None:
    """A removal or a move, by git; it is a command and no edit, so no decision point stands before it."""
    working = agent.recording.working
    if not working.exists(change.path):
        return
    if change.kind == "delete":
        agent.recording.bash(f"git rm -q {change.path}", "Remove the file", "")
        working.remove(change.path)
    else:
        agent.recording.bash(f"git mv {change.path} {change.new_path}", "Move the file", "")
        working.move(change.path, change.new_path)
    agent.made += 1


def _test(agent: Agent, fails: bool) -> None:
    parameters, working = agent.parameters, agent.recording.working
    path = tests_output.test_file(agent.reference, agent.last)
    says = "Run the tests of what changed (simulated)"
    command = tests_output.command(agent.reference.task.instance.test_command, path, parameters.test_lines)
    printed = tests_output.output(working, path, agent.last, parameters.test_lines, fails, agent.dice)
    agent.recording.bash(command, says, printed)
