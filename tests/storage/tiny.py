"""A small run made by hand: six steps, two files, one edit that falsifies a read and a test."""

from __future__ import annotations

from dataclasses import replace

from core.analysis import ANALYSIS_VERSION, Analysis, CurvePoint, GraphStats, HeldAt, MaintainedItem
from core.context.actions import Action, Hit, Nomination
from core.graph.chronicle import EdgeVersion, SymbolVersion
from core.harness.impact import Impact, Written
from core.harness.project_state import (
    Alert,
    Event,
    Invocation,
    Procedure,
    ProjectState,
    Relation,
    StateChange,
    TaskState,
)
from core.harness.run import Counters, HarnessRun, HarnessStep
from core.harness.signals import Effect
from core.options import Options
from core.records.reconcile import Segment
from core.records.record import Query, Record, State, Symbols
from core.replay.world import BaseInfo, FileWrite, Observation, Replay, Sight
from core.tape.drift import Drift
from core.tape.staleness import StatusChange
from core.tracebench.points import DecisionPoint, HeldRecord, Region
from core.tracebench.scores import PointScore, Sums
from core.trajectory.steps import Compaction, Skipped, Step, Trajectory, Usage

HOSTILE = '<script>alert(1)</script>\0\'; DROP TABLE runs; -- \ud800 "quoted" \x1b[31m\r\nnext, line | `x` \U0001f9e0'
OLD = "def load(path):\n    return open(path).read()\n"
NEW = "def load(path, mode='r'):\n    return open(path, mode).read()\n"


def tiny(run_id: str = "run-0a1b2c3d", odd: str = "") -> Analysis:
    """The run; ``odd`` is put into every text that comes from a transcript."""
    path, other = f"src/{odd}a.py", "src/b.py"
    load = f"{path}::load"
    steps = (
        Step(
            1, "say", "user", "", "", f"Fix load {odd}", time="2026-01-01T00:00:00Z", line=1, source="m.jsonl", turn=1
        ),
        Step(2, "read", "assistant", "Read", f'{{"file_path":"{odd}"}}', OLD, cwd="/r", thinking=f"hm {odd}", line=2),
        Step(
            3, "run", "assistant", "Bash", "{}", f"1 failed {odd}", command=f"pytest {odd}", purpose="test", failed=True
        ),
        Step(4, "search", "assistant", "Grep", "{}", f"{other}:1:load()", command=""),
        Step(5, "edit", "assistant", "Edit", "{}", f"ok {odd}", message_id="m5"),
        Step(6, "say", "assistant", "", "", "", empty=True),
    )
    trajectory = Trajectory(
        run_id=run_id,
        session_id="session",
        format="claude_code",
        agent=f"Claude Code {odd}",
        models=(f"model{odd}",),
        cwd="/home/me/repo",
        git_branch=f"main{odd}",
        started="2026-01-01T00:00:00Z",
        ended="2026-01-01T01:00:00Z",
        task=f"Fix load {odd}",
        steps=steps,
        usages=(Usage(2, "m2", "model", 10, 20, 30, 0, 5), Usage(3, "m3", "model", 10**30, 20, 30, 0, 5)),
        compactions=(Compaction(5, "micro", "auto", 1000, ("c1",)),),
        skipped=(Skipped("m.jsonl", 9, f"not JSON {odd}"),),
        unknown=((f"type:latch{odd}", 3),),
        sources=("m.jsonl",),
        lines=9,
        size=1234,
        content_hash="c0ffee",
    )
    sights = (
        Sight(2, path, 1, tuple(OLD.splitlines()), "read", whole=True),
        Sight(4, other, 1, ("load()",), "search"),
        Sight(5, path, 1, tuple(NEW.splitlines()), "new"),
    )
    replay = Replay(
        base={path: OLD, other: "load()\n", "unseen.py": "x = 1\n"},
        info=BaseInfo("none", f"the run's own evidence {odd}", 0, 0, ""),
        writes=(FileWrite(5, 5, path, OLD, NEW, "edit", "Edit"),),
        sights=sights,
        observations=(Observation(5, path, 1, 2, 1, "snippet", "different", f"seen {odd}", "expected", 4),),
        opaque=((f"data/{odd}", 3, 5),),
        outside=((f"/etc/{odd}", 2),),
        unapplied=((5, path, f"does not fit {odd}"),),
    )
    records = (
        Record("r1", "user", 1, f"Fix load {odd}", 4, None),
        Record("r2", "read", 2, OLD, 20, Symbols((load,)), path, 1, 2, (sights[0],), tool="Read"),
        Record("r3", "test", 3, f"1 failed {odd}", 9, State(3), tool="Bash", command="pytest", failed=True),
        Record("r4", "search", 4, f"{other}:1:load()", 7, Query("load"), other, 1, 1, (sights[1],)),
        Record("r5", "edit", 5, f"ok {odd}", 6, Symbols((load,), (f"data/{odd}",)), path, 1, 2, (sights[2],)),
    )
    hit = Hit(load, "changed", "certain", (5,))
    refresh = Action(5, "r2", "refresh", 20, 24, f"{NEW}{odd}", f"an own line of load changed {odd}")
    rerun = Action(5, "r3", "rerun", 9, 5, "run pytest again", "a write since")
    keep = Action(5, "r4", "keep", 7, 7, f"{other}:1:load()", "no shown line changed")
    point = DecisionPoint(
        4, "P", 5, 5, "hindsight", 40, 16, 24, 0, 0, 12, 10, 2, 0,
        (Region(path, 1, 2, "G1", f"edit site {odd}", 12, 10, load), Region(other, 1, 1, "G3", "calls load", 3, 0)),
        (HeldRecord("r2", 20, True, False, 10, "shows load"), HeldRecord("r3", 9, False, False, 0, f"no line {odd}")),
    )  # fmt: skip
    final = replace(point, t=6, anchor="F", first=None, last=None, stale=29, skip="no-gold", regions=(), records=())
    return Analysis(
        trajectory=trajectory,
        replay=replay,
        options=Options(),
        version=ANALYSIS_VERSION,
        records=records,
        drifts=(Drift(5, 5, (load,), (), (f"{path}::new",), (f"{other}::go",), (), (load,), (path,)),),
        nominations=(
            (Nomination(5, "r2", (hit,)), refresh),
            (Nomination(5, "r3", (Hit("*", "state", "certain", (5,)),)), rerun),
            (Nomination(5, "r4", (Hit(load, "changed", "possible", (5,)),)), keep),
        ),
        statuses=(
            StatusChange("r1", 1, "none"),
            StatusChange("r2", 2, "true"),
            StatusChange("r3", 3, "true"),
            StatusChange("r4", 4, "true"),
            StatusChange("r2", 5, "text-stale", 5, stale_lines=((1, 2),)),
            StatusChange("r3", 5, "state-stale", 5),
            StatusChange("r5", 5, "true"),
        ),
        points=(point, final),
        curve=(CurvePoint(0, 4, 40, 16, 0, 12, 2, 40, 16, 0),),
        held=tuple(HeldAt(t, 10 * t, 0 if t < 5 else 29, 4, 10 * t, 0, 4) for t in range(1, 7)),
        actions=(refresh, rerun),
        maintained=(
            MaintainedItem("r2", "r2", "record", 2, 5, 20, OLD),
            MaintainedItem("r2@5", "r2", "fresh", 5, None, 24, f"{NEW}{odd}"),
        ),
        symbols=(
            SymbolVersion(load, "function", path, 0, 5, 1, 2, "h1", "python"),
            SymbolVersion(load, "function", path, 5, None, 1, 2, "h2", "python"),
        ),
        edges=(EdgeVersion(f"{other}::<module>", load, "call", "certain", f"import alias {odd}", 0, None),),
        graph=GraphStats(2, 2, 1, 0, (("python", 2),), ((f"{odd}", 1),), ((path, 1),)),
        scores=(PointScore("keep-all", 4, "hindsight", "ok", Sums(1, 16, 24, 2), f"keeps {HOSTILE}"),),
        project=project(run_id, odd),
        segments=(Segment(1, 6, 2, None, None, float("inf"), None),),
    )


def project(run_id: str, odd: str = "") -> HarnessRun:
    """The project's state of the run: a change that may reach a test, a failed command, a diagnosis."""
    path, other = f"src/{odd}a.py", "src/b.py"
    relation = Relation(path, other, "test", f"test of {odd}", opened=5, derived=True)
    command = Procedure(f"pytest {odd}", 1, 1, (Invocation(3, "failed"),), f"1 failed {odd}", "verify", odd, True)
    event = Event(1, 5, "change", f"load {odd}", f"why {odd}", paths=(path,), derived=True)
    alert = Alert(5, f"not looked at {odd}", ("E1", "step 3"))
    return HarnessRun(
        run_id,
        ProjectState(TaskState(environment=f"Claude Code {odd}")),
        (
            HarnessStep(1, StateChange(1, TaskState(f"Fix load {odd}", focus=f"Fix load {odd}", since=1))),
            HarnessStep(3, StateChange(3, procedures=(command,)), (Effect("signal", "repeated-reads", path, True),)),
            HarnessStep(
                5,
                StateChange(5, events=(event,), relations=(relation,)),
                (Effect("request-diagnosis", "threshold"),),
                Counters(1, 2, 3, 15),
                (Written(path, "edited", (f"load{odd}",)),),
                (Impact(path, other, "test", f"names {odd}", 1.5, True),),
                (alert,),
                f"signal {odd}",
            ),
        ),
    )
